//! Krylov solvers for matrix-free operators.

mod bicgstab;
mod cg;
mod gmres;
mod minres;
mod operator;

pub use bicgstab::SolverBicgstab;
pub use cg::SolverCg;
pub use gmres::SolverGmres;
pub use minres::SolverMinres;
pub use operator::{
    LinearOperator, Preconditioner, PreconditionerBlockJacobi, PreconditionerIdentity, PreconditionerJacobi,
};

use crate::SolveError;
use huygens_exec::Exec;

/// Stopping criteria of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KrylovLimits {
    /// Stop when ‖b − A x‖ ≤ tolerance · ‖b‖.
    pub tolerance: f64,
    /// Stop after this many products with A.
    pub max_iterations: usize,
}

impl Default for KrylovLimits {
    fn default() -> Self {
        Self { tolerance: 1e-10, max_iterations: 1000 }
    }
}

/// Outcome of an iteration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KrylovReport {
    /// Number of iterations.
    pub iterations: usize,
    /// True residual ‖b − A x‖ / ‖b‖ of the result.
    pub residual: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Elements per chunk of vector operations: it fixes the order of sums.
const CHUNK: usize = 2048;

fn dot(ex: &Exec, a: &[f64], b: &[f64]) -> f64 {
    ex.sum(a.len(), CHUNK, |r| crate::dense::dot(&a[r.clone()], &b[r]))
}

fn norm(ex: &Exec, a: &[f64]) -> f64 {
    dot(ex, a, a).sqrt()
}

/// y ← y + s x.
fn add_scaled(ex: &Exec, s: f64, x: &[f64], y: &mut [f64]) {
    ex.for_each_chunk(y, CHUNK, |c, y| {
        y.iter_mut().zip(&x[c * CHUNK..]).for_each(|(y, x)| *y += s * x);
    });
}

/// y ← s y + x.
fn scale_add(ex: &Exec, s: f64, x: &[f64], y: &mut [f64]) {
    ex.for_each_chunk(y, CHUNK, |c, y| {
        y.iter_mut().zip(&x[c * CHUNK..]).for_each(|(y, x)| *y = s * *y + x);
    });
}

fn scale(ex: &Exec, s: f64, y: &mut [f64]) {
    ex.for_each_chunk(y, CHUNK, |_, y| y.iter_mut().for_each(|y| *y *= s));
}

/// r ← b − A x, and its norm.
fn residual(ex: &Exec, a: &dyn LinearOperator, b: &[f64], x: &[f64], r: &mut [f64]) -> f64 {
    a.apply(ex, x, r);
    scale_add(ex, -1.0, b, r);
    norm(ex, r)
}

fn check_sizes(a: &dyn LinearOperator, b: &[f64], x: &[f64]) -> Result<(), SolveError> {
    for (what, found) in [("right-hand side", b.len()), ("solution", x.len())] {
        if found != a.dimension() {
            return Err(SolveError::Size { what, expected: a.dimension(), found });
        }
    }
    match b.iter().chain(x).position(|v| !v.is_finite()) {
        Some(k) => Err(SolveError::NonFinite { block: k % a.dimension().max(1) }),
        None => Ok(()),
    }
}

/// The report of the result in `x`; an error when it is not finite.
fn finish(
    ex: &Exec,
    a: &dyn LinearOperator,
    (b, x): (&[f64], &[f64]),
    work: &mut [f64],
    limits: &KrylovLimits,
    iterations: usize,
) -> Result<KrylovReport, SolveError> {
    let size = norm(ex, b);
    let left = residual(ex, a, b, x, work);
    let relative = if size > 0.0 { left / size } else { left };
    if !relative.is_finite() {
        return Err(SolveError::NotConverged { what: "Krylov iteration", iterations, residual: relative });
    }
    Ok(KrylovReport { iterations, residual: relative, converged: relative <= limits.tolerance })
}
