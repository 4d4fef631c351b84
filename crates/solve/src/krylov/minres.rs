//! MINRES for symmetric, possibly indefinite systems.

use super::{
    KrylovLimits, KrylovReport, LinearOperator, Preconditioner, add_scaled, check_sizes, dot, finish, norm,
    residual, scale,
};
use crate::SolveError;
use huygens_exec::Exec;

/// Minimum residual method (`paige1975`) with a symmetric positive definite preconditioner.
#[derive(Clone, Debug, Default)]
pub struct SolverMinres {
    /// Stopping criteria.
    pub limits: KrylovLimits,
    work: [Vec<f64>; 7],
}

impl SolverMinres {
    /// With the given limits.
    pub fn new(limits: KrylovLimits) -> Self {
        Self { limits, work: Default::default() }
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
        self.work.iter_mut().for_each(|w| {
            w.clear();
            w.resize(b.len(), 0.0);
        });
        let (mut iterations, mut last) = (0, f64::INFINITY);
        // The recurrence knows another norm and drifts: go on from the true residual while that helps.
        loop {
            iterations += self.iterate(ex, a, p, b, x, self.limits.max_iterations - iterations)?;
            let report = finish(ex, a, (b, x), &mut self.work[0], &self.limits, iterations)?;
            let useful = report.residual < 0.5 * last && iterations < self.limits.max_iterations;
            if report.converged || !useful {
                return Ok(report);
            }
            last = report.residual;
        }
    }

    /// Lanczos with the three-term recurrence; a Givens rotation per step updates x.
    fn iterate(
        &mut self,
        ex: &Exec,
        a: &dyn LinearOperator,
        p: &dyn Preconditioner,
        b: &[f64],
        x: &mut [f64],
        budget: usize,
    ) -> Result<usize, SolveError> {
        let [old, new, z, product, w_old, w, w_new] = &mut self.work;
        w_old.fill(0.0);
        w.fill(0.0);
        let start = residual(ex, a, b, x, new);
        let target = self.limits.tolerance * norm(ex, b);
        p.apply(ex, new, z);
        let mut beta = dot(ex, new, z).max(0.0).sqrt();
        if start <= target || beta == 0.0 {
            return Ok(0);
        }
        // The recurrence gives the residual in the preconditioner's norm; the target is scaled to it.
        let target = target * (beta / start);
        let (mut eta, mut beta_old) = (beta, 1.0);
        let (mut c_old, mut c, mut s_old, mut s) = (1.0, 1.0, 0.0, 0.0);
        for k in 0..budget {
            ex.check_stop()?;
            scale(ex, 1.0 / beta, z);
            a.apply(ex, z, product);
            let alpha = dot(ex, product, z);
            add_scaled(ex, -alpha / beta, new, product);
            if k > 0 {
                add_scaled(ex, -beta / beta_old, old, product);
            }
            let delta = c * alpha - c_old * s * beta;
            let upper = s * alpha + c_old * c * beta;
            let upper_old = s_old * beta;
            w_new.copy_from_slice(z);
            add_scaled(ex, -upper_old, w_old, w_new);
            add_scaled(ex, -upper, w, w_new);
            std::mem::swap(old, new);
            std::mem::swap(new, product);
            p.apply(ex, new, z);
            (beta_old, beta) = (beta, dot(ex, new, z).max(0.0).sqrt());
            let rho = delta.hypot(beta);
            if rho == 0.0 || !rho.is_finite() {
                return Ok(k + 1);
            }
            (c_old, s_old, c, s) = (c, s, delta / rho, beta / rho);
            scale(ex, 1.0 / rho, w_new);
            add_scaled(ex, c * eta, w_new, x);
            eta *= -s;
            std::mem::swap(w_old, w);
            std::mem::swap(w, w_new);
            if eta.abs() <= target || beta == 0.0 {
                return Ok(k + 1);
            }
        }
        Ok(budget)
    }
}
