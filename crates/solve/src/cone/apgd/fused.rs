//! The iteration over bodies: one loop over contacts and one over bodies each time.
//!
//! The step from y needs N y, which follows from the products of two iterates, and the product of an iterate
//! needs the velocities of the bodies. So one loop over rows finishes an iteration (N x and the residual) and
//! begins the next (y, its step, the restart test), and one loop over bodies gathers forces and makes velocities.
//! The curvature (x⁺ − y)ᵀ N (x⁺ − y) is the energy of the change of velocities, summed over bodies, so that a
//! step too long is found before rows are visited again.

use super::body_pass::{Bodies, Kept};
use super::contact_pass::{ITERATES, Pass, Sums};
use super::parts::Part;
use crate::SolveError;
use crate::cone::motion::Twists;
use crate::cone::problem::{ConeProblem, ConeReport};
use crate::cone::share::Cut;
use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;

/// Data kept between calls.
#[derive(Clone, Default)]
pub(super) struct Fused {
    cut: Cut,
    parts: Vec<Part>,
    bodies: Bodies,
    bounds: Vec<f64>,
}

impl std::fmt::Debug for Fused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Fused({} bodies, {} blocks of rows)", self.bodies.count(), self.parts.len())
    }
}

/// Limits of the iteration.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub max_iterations: usize,
    pub tolerance: f64,
}

/// Bodies per chunk of the results.
const CHUNK: usize = 256;

impl Fused {
    /// Solves the problem, or reports that it does not consist of bodies.
    pub(super) fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        limits: Limits,
        v: &mut [f64],
        l: &mut [f64],
    ) -> Option<Result<ConeReport, SolveError>> {
        let inverse = problem.inverse.bodies()?;
        if !self.cut.set(problem) {
            return None;
        }
        let set = InstructionSet::detect();
        Part::match_blocks(&mut self.parts, problem.rows);
        self.bodies.load(ex, inverse, problem.free_velocity);
        for ((part, block), share) in self.parts.iter_mut().zip(problem.rows).zip(self.cut.shares(problem, l))
        {
            part.prepare(ex, set, block, &self.bodies, &share);
        }
        let most = self.largest_eigenvalue_bound(ex, problem, l);
        let mut run = Run { ex, set, problem, work: self, products: 0 };
        let (best, report) = match run.iterate(limits, most) {
            Ok(found) => found,
            Err(error) => return Some(Err(error)),
        };
        run.first_velocities(best);
        self.write(ex, problem, best, v, l);
        Some(Ok(report))
    }

    /// λ_max(P^{1/2} N P^{1/2}) ≤ max over bodies of Σ 2 tr(H⁻¹ Dᵀ P D) over their contacts, + max E P: no step
    /// need be shorter than its inverse, whatever round-off says.
    fn largest_eigenvalue_bound(&mut self, ex: &Exec, problem: &ConeProblem<'_>, l: &[f64]) -> f64 {
        self.bounds.clear();
        self.bounds.resize(self.bodies.count(), 0.0);
        for ((part, block), share) in self.parts.iter().zip(problem.rows).zip(self.cut.shares(problem, l)) {
            part.add_bounds(ex, block, &share, &mut self.bounds);
        }
        // Weights include E, so E P ≤ 1, or at most the number of rows of a cone.
        6.0 + ex.max_abs(&self.bounds)
    }

    fn write(&self, ex: &Exec, problem: &ConeProblem<'_>, best: usize, v: &mut [f64], l: &mut [f64]) {
        let mut rest = l;
        for (part, block) in self.parts.iter().zip(problem.rows) {
            let (l, tail) = rest.split_at_mut(block.operator().rows());
            part.write(ex, block, best, l);
            rest = tail;
        }
        ex.for_each_chunk(v, 6 * CHUNK, |c, v| {
            for (k, v) in v.chunks_exact_mut(6).enumerate() {
                let (body, twist) = (c * CHUNK + k, self.bodies.twist(c * CHUNK + k));
                (0..6).for_each(|i| v[i] = problem.free_velocity[6 * body + i] + twist.column(i));
            }
        });
    }
}

/// One solution.
struct Run<'a> {
    ex: &'a Exec,
    set: InstructionSet,
    problem: &'a ConeProblem<'a>,
    work: &'a mut Fused,
    products: usize,
}

impl Run<'_> {
    /// Velocities of iterate `slot`, stepped to or laid out last, and the curvature.
    fn velocities(&mut self, slot: usize, kept: Kept, beta: f64) -> f64 {
        self.products += 1;
        let Fused { parts, bodies, .. } = &mut *self.work;
        bodies.gather(self.ex, self.set, parts, self.problem.rows, slot, kept, beta)
    }

    /// Velocities of an iterate that was not stepped to just now.
    fn first_velocities(&mut self, slot: usize) {
        self.work.parts.iter_mut().for_each(|part| part.lay_out(self.ex, slot));
        self.laid_out_velocities(slot);
    }

    fn laid_out_velocities(&mut self, slot: usize) {
        self.velocities(slot, Kept { next: 0, current: 1, before: 2 }, 0.0);
    }

    fn pass(&mut self, pass: Pass) -> Sums {
        let mut sums = Sums::default();
        for (part, block) in self.work.parts.iter_mut().zip(self.problem.rows) {
            sums.add(&part.pass(self.ex, self.set, block, &self.work.bodies, pass));
        }
        sums
    }

    /// First estimates ‖N d‖ / ‖d‖ of the largest eigenvalue of N, plain and in the metric, from a probe d.
    fn estimates(&mut self) -> (f64, f64) {
        self.laid_out_velocities(1);
        let mut squares = [0.0; 4];
        for (part, block) in self.work.parts.iter_mut().zip(self.problem.rows) {
            let share = part.estimate(self.ex, self.set, block, &self.work.bodies, 1);
            (0..4).for_each(|i| squares[i] += share[i]);
        }
        let ratio = |above: f64, below: f64| {
            let estimate = (above / below).sqrt();
            if estimate > 0.0 && estimate.is_finite() { estimate } else { 1.0 }
        };
        (ratio(squares[1], squares[0]), ratio(squares[3], squares[2]))
    }

    /// Finds the iterate with the smallest residual; `most` bounds the largest eigenvalue.
    fn iterate(&mut self, limits: Limits, most: f64) -> Result<(usize, ConeReport), SolveError> {
        let (plain, mut lipschitz) = self.estimates();
        self.first_velocities(0);
        let mut kept = Kept { next: 1, current: 0, before: 2 };
        let mut pass = Pass {
            measure: true,
            advance: true,
            current: 0,
            before: 0,
            next: 1,
            product: 0,
            beta: 0.0,
            step: 1.0 / lipschitz,
            reach: 1.0 / plain,
            friction: self.problem.law(),
        };
        let scale = (self.problem.cones.len().max(1) as f64).sqrt() / plain;
        let (mut best, mut least) = (0, f64::INFINITY);
        let mut theta = 1.0_f64;
        let mut iterations = 0;
        loop {
            self.ex.check_stop()?;
            pass.measure = true;
            pass.advance = iterations < limits.max_iterations;
            pass.next = (0..ITERATES)
                .find(|&k| k != pass.current && k != pass.before && k != best)
                .unwrap_or(ITERATES - 1);
            pass.step = 1.0 / lipschitz;
            let mut sums = self.pass(pass);
            let residual = sums.residual.sqrt() / scale;
            if iterations == 0 || residual < least {
                (best, least) = (pass.current, residual);
            }
            if !pass.advance || least <= limits.tolerance {
                break;
            }
            iterations += 1;
            let failed = |residual| {
                let what = "accelerated projected gradient";
                Err(SolveError::NotConverged { what, iterations, residual })
            };
            loop {
                let curvature = self.velocities(pass.next, kept, pass.beta) + sums.curvature;
                if curvature <= lipschitz * sums.length * (1.0 + 1e-12) || sums.length == 0.0 {
                    break;
                }
                if !curvature.is_finite() || !lipschitz.is_finite() {
                    return failed(least);
                }
                if lipschitz >= most {
                    break;
                }
                lipschitz *= 2.0;
                (pass.measure, pass.step) = (false, 1.0 / lipschitz);
                sums = self.pass(pass);
            }
            let square = theta * theta;
            let theta_next = 0.5 * (theta * (square + 4.0).sqrt() - square);
            (pass.beta, theta) = if sums.progress > 0.0 {
                (0.0, 1.0)
            } else {
                (theta * (1.0 - theta) / (square + theta_next), theta_next)
            };
            lipschitz *= 0.9;
            (pass.before, pass.current) = (pass.current, pass.next);
            pass.product = 1 - pass.product;
            kept = kept.turned();
        }
        if !least.is_finite() {
            let what = "accelerated projected gradient";
            return Err(SolveError::NotConverged { what, iterations, residual: least });
        }
        let converged = least <= limits.tolerance;
        Ok((best, ConeReport { iterations, products: self.products, residual: least, converged }))
    }
}
