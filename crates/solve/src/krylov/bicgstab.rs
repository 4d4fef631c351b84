//! BiCGStab for general systems.

use super::{
    KrylovLimits, KrylovReport, LinearOperator, Preconditioner, add_scaled, check_sizes, dot, finish, norm,
    residual, scale_add,
};
use crate::SolveError;
use huygens_exec::Exec;

/// Stabilized biconjugate gradients (`vandervorst1992`), preconditioned from the right; restarts on breakdown.
#[derive(Clone, Debug, Default)]
pub struct SolverBicgstab {
    /// Stopping criteria.
    pub limits: KrylovLimits,
    work: [Vec<f64>; 7],
}

impl SolverBicgstab {
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

    fn iterate(
        &mut self,
        ex: &Exec,
        a: &dyn LinearOperator,
        p: &dyn Preconditioner,
        b: &[f64],
        x: &mut [f64],
        budget: usize,
    ) -> Result<usize, SolveError> {
        let [r, shadow, direction, v, t, y, z] = &mut self.work;
        let target = self.limits.tolerance * norm(ex, b);
        if residual(ex, a, b, x, r) <= target {
            return Ok(0);
        }
        shadow.copy_from_slice(r);
        direction.copy_from_slice(r);
        let mut rho = dot(ex, shadow, r);
        for k in 0..budget {
            ex.check_stop()?;
            p.apply(ex, direction, y);
            a.apply(ex, y, v);
            let alpha = rho / dot(ex, shadow, v);
            if !alpha.is_finite() {
                return Ok(k + 1);
            }
            add_scaled(ex, -alpha, v, r);
            add_scaled(ex, alpha, y, x);
            if norm(ex, r) <= target {
                return Ok(k + 1);
            }
            p.apply(ex, r, z);
            a.apply(ex, z, t);
            let omega = dot(ex, t, r) / dot(ex, t, t);
            if !omega.is_finite() {
                return Ok(k + 1);
            }
            add_scaled(ex, omega, z, x);
            add_scaled(ex, -omega, t, r);
            if norm(ex, r) <= target {
                return Ok(k + 1);
            }
            let next = dot(ex, shadow, r);
            let beta = next / rho * (alpha / omega);
            rho = next;
            if rho.abs() < 1e-30 * dot(ex, r, r) || !beta.is_finite() {
                // The shadow has lost the residual: begin again from here.
                shadow.copy_from_slice(r);
                direction.copy_from_slice(r);
                rho = dot(ex, shadow, r);
                continue;
            }
            add_scaled(ex, -omega, v, direction);
            scale_add(ex, beta, r, direction);
        }
        Ok(budget)
    }
}
