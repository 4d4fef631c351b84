//! Restarted GMRES for general systems.

use super::{
    KrylovLimits, KrylovReport, LinearOperator, Preconditioner, add_scaled, check_sizes, dot, finish, norm,
    residual,
};
use crate::SolveError;
use huygens_exec::Exec;

/// GMRES(m) (`saad1986`), preconditioned from the right, so that its residual is the true one.
#[derive(Clone, Debug)]
pub struct SolverGmres {
    /// Stopping criteria.
    pub limits: KrylovLimits,
    restart: usize,
    basis: Vec<f64>,
    /// Columns of the triangular factor, each `restart + 1` long.
    hessenberg: Vec<f64>,
    rotations: Vec<(f64, f64)>,
    rhs: Vec<f64>,
    z: Vec<f64>,
    r: Vec<f64>,
}

impl SolverGmres {
    /// With a restart after `restart` iterations (at least one).
    pub fn new(limits: KrylovLimits, restart: usize) -> Self {
        let m = restart.max(1);
        Self {
            limits,
            restart: m,
            basis: Vec::new(),
            hessenberg: vec![0.0; (m + 1) * m],
            rotations: vec![(1.0, 0.0); m],
            rhs: vec![0.0; m + 1],
            z: Vec::new(),
            r: Vec::new(),
        }
    }

    /// Solves A x = b from the guess in `x`.
    pub fn solve(
        &mut self,
        ex: &Exec,
        a: &dyn LinearOperator,
        p: &dyn Preconditioner,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<KrylovReport, SolveError> {
        check_sizes(a, b, x)?;
        let n = b.len();
        self.basis.resize((self.restart + 1) * n, 0.0);
        self.z.resize(n, 0.0);
        self.r.resize(n, 0.0);
        let target = self.limits.tolerance * norm(ex, b);
        let mut iterations = 0;
        while iterations < self.limits.max_iterations {
            let start = residual(ex, a, b, x, &mut self.r);
            if start <= target || !start.is_finite() {
                break;
            }
            let steps = self.cycle(ex, a, p, start, target, self.limits.max_iterations - iterations)?;
            self.correct(ex, p, steps, x);
            iterations += steps;
        }
        finish(ex, a, (b, x), &mut self.r, &self.limits, iterations)
    }

    /// Builds the Arnoldi basis until the residual is small, the cycle is full or the space is exhausted.
    fn cycle(
        &mut self,
        ex: &Exec,
        a: &dyn LinearOperator,
        p: &dyn Preconditioner,
        start: f64,
        target: f64,
        budget: usize,
    ) -> Result<usize, SolveError> {
        let (n, m) = (self.r.len(), self.restart);
        self.basis[..n].iter_mut().zip(&self.r).for_each(|(v, r)| *v = r / start);
        self.rhs.fill(0.0);
        self.rhs[0] = start;
        for k in 0..m.min(budget) {
            ex.check_stop()?;
            let (known, rest) = self.basis.split_at_mut((k + 1) * n);
            let next = &mut rest[..n];
            p.apply(ex, &known[k * n..], &mut self.z);
            a.apply(ex, &self.z, next);
            let h = &mut self.hessenberg[k * (m + 1)..(k + 1) * (m + 1)];
            for (i, v) in known.chunks_exact(n).enumerate() {
                h[i] = dot(ex, next, v);
                add_scaled(ex, -h[i], v, next);
            }
            let length = norm(ex, next);
            for i in 0..k {
                let (c, s) = self.rotations[i];
                (h[i], h[i + 1]) = (c * h[i] + s * h[i + 1], c * h[i + 1] - s * h[i]);
            }
            let rho = h[k].hypot(length);
            if rho == 0.0 {
                return Ok(k);
            }
            let (c, s) = (h[k] / rho, length / rho);
            self.rotations[k] = (c, s);
            h[k] = rho;
            h[k + 1] = 0.0;
            (self.rhs[k], self.rhs[k + 1]) = (c * self.rhs[k], -s * self.rhs[k]);
            if self.rhs[k + 1].abs() <= target || length == 0.0 || !rho.is_finite() {
                return Ok(k + 1);
            }
            next.iter_mut().for_each(|v| *v /= length);
        }
        Ok(m.min(budget))
    }

    /// x ← x + P⁻¹ V y with the triangular system R y = rhs.
    fn correct(&mut self, ex: &Exec, p: &dyn Preconditioner, steps: usize, x: &mut [f64]) {
        let (n, m) = (x.len(), self.restart);
        for i in (0..steps).rev() {
            let known: f64 = (i + 1..steps).map(|j| self.hessenberg[j * (m + 1) + i] * self.rhs[j]).sum();
            self.rhs[i] = (self.rhs[i] - known) / self.hessenberg[i * (m + 1) + i];
        }
        self.r.fill(0.0);
        for (i, v) in self.basis.chunks_exact(n.max(1)).take(steps).enumerate() {
            add_scaled(ex, self.rhs[i], v, &mut self.r);
        }
        p.apply(ex, &self.r, &mut self.z);
        add_scaled(ex, 1.0, &self.z, x);
    }
}
