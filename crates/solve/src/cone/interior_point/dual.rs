//! The operator N, the residual, and the Newton equations solved with both.

use super::barrier::Barrier;
use super::newton::NewtonSystem;
use crate::cone::{Cone, ConeProblem, FrictionLaw};
use crate::dense::{dot, norm};
use huygens_exec::Exec;

/// N = D H⁻¹ Dᵀ + E with its two intermediate vectors.
#[derive(Clone, Debug, Default)]
pub(super) struct Dual {
    pub force: Vec<f64>,
    pub velocity: Vec<f64>,
    pub products: usize,
}

impl Dual {
    /// y ← N x.
    pub fn apply(&mut self, ex: &Exec, problem: &ConeProblem<'_>, x: &[f64], y: &mut [f64]) {
        problem.apply_transpose(ex, x, &mut self.force);
        problem.inverse.apply(ex, &self.force, &mut self.velocity);
        problem.apply_rows(ex, &self.velocity, y);
        for ((y, x), e) in y.iter_mut().zip(x).zip(problem.compliance) {
            *y += e * x;
        }
        self.products += 1;
    }

    /// ‖N(γ₀ − 1)‖ / ‖γ₀ − 1‖, the estimate of ‖N‖ the residual is defined by; `x` and `n_x` are overwritten.
    pub fn size_estimate(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        start: &[f64],
        x: &mut [f64],
        n_x: &mut [f64],
    ) -> f64 {
        x.iter_mut().zip(start).for_each(|(x, s)| *x = s - 1.0);
        if x.iter().all(|&x| x == 0.0) {
            x.fill(1.0);
        }
        self.apply(ex, problem, x, n_x);
        let estimate = norm(n_x) / norm(x);
        if estimate > 0.0 && estimate.is_finite() { estimate } else { 1.0 }
    }
}

/// ‖γ − P(γ − t g)‖ / (√n_c t), or what rounding of γ makes of it if that is more: where no γ satisfies the conditions
/// iterates grow until t g vanishes in comparison.
pub(super) fn natural_residual(
    law: FrictionLaw,
    cones: &[Cone],
    t: f64,
    gamma: &[f64],
    gradient: &[f64],
) -> f64 {
    let (mut at, mut sum) = (0, 0.0);
    let noise = f64::EPSILON * norm(gamma);
    for cone in cones {
        let n = cone.rows();
        let mut moved = [0.0; Cone::MAX_ROWS];
        (0..n).for_each(|i| moved[i] = gamma[at + i] - t * gradient[at + i]);
        cone.project_by(law, &mut moved[..n]);
        sum += (0..n).map(|i| (gamma[at + i] - moved[i]).powi(2)).sum::<f64>();
        at += n;
    }
    sum.sqrt().max(noise) / ((cones.len().max(1) as f64).sqrt() * t)
}

/// γ ← Π(γ).
pub(super) fn project_all(cones: &[Cone], gamma: &mut [f64]) {
    let mut at = 0;
    for cone in cones {
        cone.project(&mut gamma[at..at + cone.rows()]);
        at += cone.rows();
    }
}

/// Vectors of the conjugate gradients.
#[derive(Clone, Debug, Default)]
pub(super) struct Krylov {
    pub residual: Vec<f64>,
    pub solved: Vec<f64>,
    pub direction: Vec<f64>,
    pub product: Vec<f64>,
}

/// The equations (N + Aᵀ W⁻² A) x = q over the live rows, preconditioned by the factored matrix, which differs by its
/// softness only: conjugate gradients end after two or three iterations.
pub(super) struct NewtonEquations<'a> {
    pub ex: &'a Exec,
    pub problem: &'a ConeProblem<'a>,
    pub dual: &'a mut Dual,
    pub system: &'a mut NewtonSystem,
    pub barrier: &'a Barrier,
    pub krylov: &'a mut Krylov,
    /// Diagonal of N, by which rows of different units compare.
    pub diagonal: &'a [f64],
}

impl NewtonEquations<'_> {
    fn size(&self, x: &[f64]) -> f64 {
        let terms = x.iter().zip(self.diagonal).filter(|(_, d)| **d > 0.0).map(|(x, d)| x * x / d);
        terms.sum::<f64>().sqrt()
    }

    /// Sets the rows that may not change to zero.
    fn mask(&self, x: &mut [f64]) {
        x.iter_mut().zip(&self.barrier.live).filter(|(_, live)| !**live).for_each(|(x, _)| *x = 0.0);
    }

    /// Solves for `x`, to `tolerance` relative to q, in at most `limit` iterations.
    pub fn solve(&mut self, q: &[f64], tolerance: f64, limit: usize, x: &mut [f64]) {
        let Krylov { mut residual, mut solved, mut direction, mut product } = std::mem::take(self.krylov);
        x.fill(0.0);
        direction.fill(0.0);
        residual.copy_from_slice(q);
        self.mask(&mut residual);
        let target = tolerance * self.size(&residual);
        let mut last = f64::INFINITY;
        for _ in 0..limit {
            if self.system.solve(self.barrier, &residual, &mut solved).is_err() {
                break;
            }
            let now = dot(&residual, &solved);
            let factor = now / last;
            last = now;
            direction.iter_mut().zip(&solved).for_each(|(d, s)| *d = s + factor * *d);
            self.dual.apply(self.ex, self.problem, &direction, &mut product);
            self.barrier.add_product(&direction, &mut product);
            self.mask(&mut product);
            let length = now / dot(&direction, &product);
            if !(length > 0.0 && length.is_finite()) {
                break;
            }
            x.iter_mut().zip(&direction).for_each(|(x, d)| *x += length * d);
            residual.iter_mut().zip(&product).for_each(|(r, p)| *r -= length * p);
            if self.size(&residual) <= target {
                break;
            }
        }
        *self.krylov = Krylov { residual, solved, direction, product };
    }
}
