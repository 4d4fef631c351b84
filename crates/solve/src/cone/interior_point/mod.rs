//! A primal–dual interior point for tight tolerances on hard problems.

mod barrier;
mod dual;
mod newton;

use super::problem::{ConeProblem, ConeReport, ConeSolver};
use super::projection::{Cone, FrictionLaw};
use super::registry::SolverKind;
use crate::SolveError;
use barrier::Barrier;
use dual::{Dual, Krylov, NewtonEquations, natural_residual, project_all};
use huygens_exec::Exec;
use newton::{DENSE_ROWS, NewtonSystem, has_items};

/// Diagonal added to the Newton matrix, relative to that of N: it bounds the condition of the factorization where
/// contacts are redundant, and conjugate gradients take its effect off the step.
const SOFTNESS: f64 = 1e-11;

/// Fraction of the distance to the boundary that a step may cover.
const REACH: f64 = 0.99;

/// Smallest fraction of the mean at which a step aims where there are second-order cones. Mehrotra's rule goes to zero
/// much faster than γ_t and −u_t become parallel, and ends with a residual of √(s·z) at the limit of rounding.
const CENTRING: f64 = 0.15;

/// Number of iterations without improvement of the residual after which the solver stops.
const PATIENCE: usize = 15;

/// Most relaxed problems for Coulomb's law, unless told otherwise.
const FRICTION_ITERATIONS: usize = 20;

/// Tolerance of a relaxed problem as a fraction of that of Coulomb's law.
const INNER: f64 = 0.5;

/// Primal–dual interior point with Nesterov–Todd scaling and Mehrotra's predictor and corrector
/// (`nesterov1997`, `mehrotra1992`).
///
/// With s = A γ + a the inequalities of the cones, z their duals and W the scaling, each iteration solves
/// $$(N + A^T W^{-2} A) \Delta\gamma = -(N\gamma + r - A^T z) + A^T W^{-1} d$$
/// by one sparse Cholesky factorization of H + Dᵀ P⁻¹ D, P = Aᵀ W⁻² A + E, over items: its size does not depend on
/// the number of contacts, and N may be singular. Tens of iterations suffice where first-order methods stall:
/// large mass ratios, closed chains, long gear trains, redundant contacts.
///
/// The result is the iterate with the smallest residual, in the definition of [`SolverApgd`](super::SolverApgd), and
/// always lies in the cones. An initial guess that meets the tolerance is returned unchanged; otherwise it does not
/// matter. Where H⁻¹ has no blocks, or rows are matrix-free, the matrix over rows is dense and at most 1,500 rows are
/// supported.
pub struct SolverInteriorPoint {
    /// Largest number of iterations.
    pub max_iterations: usize,
    /// Residual at which to stop [m/s].
    pub tolerance: f64,
    /// Largest number of relaxed problems that it takes for Coulomb's law.
    pub friction_iterations: usize,
    barrier: Barrier,
    system: Option<NewtonSystem>,
    work: Work,
}

impl SolverInteriorPoint {
    /// With an iteration limit (60 is ample) and a velocity tolerance [m/s].
    pub fn new(max_iterations: usize, tolerance: f64) -> Self {
        let (barrier, system, work) = Default::default();
        Self { max_iterations, tolerance, friction_iterations: FRICTION_ITERATIONS, barrier, system, work }
    }
}

/// Vectors of the iteration, kept between calls.
#[derive(Clone, Debug, Default)]
struct Work {
    dual: Dual,
    /// r = D v_free + b.
    r: Vec<f64>,
    /// Diagonal of N, and what the Newton matrix adds to D H⁻¹ Dᵀ.
    diagonal: Vec<f64>,
    softness: Vec<f64>,
    gamma: Vec<f64>,
    /// N γ + r.
    gradient: Vec<f64>,
    best: Vec<f64>,
    right: Vec<f64>,
    step: Vec<f64>,
    krylov: Krylov,
}

impl Work {
    fn resize(&mut self, rows: usize, columns: usize) {
        self.dual.force.resize(columns, 0.0);
        self.dual.velocity.resize(columns, 0.0);
        self.dual.products = 0;
        let Krylov { residual, solved, direction, product } = &mut self.krylov;
        for v in [
            &mut self.r,
            &mut self.diagonal,
            &mut self.softness,
            &mut self.gamma,
            &mut self.gradient,
            &mut self.best,
            &mut self.right,
            &mut self.step,
            residual,
            solved,
            direction,
            product,
        ] {
            v.resize(rows, 0.0);
        }
    }
}

/// The larger of ε and what it takes to reach the bounds of cones: contacts that cohesion holds open up at −cohesion,
/// whatever r is. Bounds a thousand times beyond ε are taken for glue.
fn raise_to_bounds(cones: &[Cone], diagonal: &[f64], energy_root: f64) -> f64 {
    let (mut at, mut largest) = (0, 0.0_f64);
    for cone in cones {
        let bound = match *cone {
            Cone::Free | Cone::Nonnegative => 0.0,
            Cone::Box { lo, hi } => lo.max(-hi).max(0.0),
            Cone::Friction { cohesion, .. } | Cone::Rolling { cohesion, .. } => cohesion,
        };
        largest = largest.max(bound * diagonal[at].sqrt());
        at += cone.rows();
    }
    match (energy_root > 0.0, largest > 0.0) {
        (true, _) => energy_root.max(largest.min(1e3 * energy_root)),
        (false, true) => largest,
        (false, false) => 1.0,
    }
}

/// Whether all parameters but the limits of a box are finite.
fn is_bounded(cone: &Cone) -> bool {
    match *cone {
        Cone::Free | Cone::Nonnegative => true,
        Cone::Box { lo, hi } => lo < f64::INFINITY && hi > f64::NEG_INFINITY,
        Cone::Friction { mu, cohesion } => mu.is_finite() && cohesion.is_finite(),
        Cone::Rolling { mu, rolling, spinning, cohesion } => {
            [mu, rolling, spinning, cohesion].iter().all(|x| x.is_finite())
        }
    }
}

/// The row of the list of solvers.
pub(super) const KIND: SolverKind = SolverKind {
    name: "interior_point",
    operators: false,
    make: |s| {
        let mut solver = SolverInteriorPoint::new(s.max_iterations, s.tolerance);
        solver.friction_iterations = s.friction_iterations;
        Box::new(solver)
    },
};

impl ConeSolver for SolverInteriorPoint {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    fn refusal(&self, problem: &ConeProblem<'_>) -> Option<&'static str> {
        let fits = problem.row_count() <= DENSE_ROWS || has_items(problem);
        (!fits).then_some(newton::MANY_ROWS)
    }

    fn needs_blocks(&self) -> bool {
        true
    }

    fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        v: &mut [f64],
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError> {
        problem.check()?;
        let (rows, columns) = (problem.row_count(), problem.inverse.dimension());
        for (what, expected, found) in [("velocity", columns, v.len()), ("multipliers", rows, l.len())] {
            if expected != found {
                return Err(SolveError::Size { what, expected, found });
            }
        }
        if let Some(index) = problem.cones.iter().position(|c| !is_bounded(c)) {
            return Err(SolveError::Cone { index });
        }
        self.work.resize(rows, columns);
        let report = match problem.law() {
            FrictionLaw::Relaxed => self.iterate(ex, problem, self.tolerance, l)?,
            FrictionLaw::Coulomb => self.correct(ex, problem, l)?,
        };
        let Dual { force, velocity, .. } = &mut self.work.dual;
        problem.apply_transpose(ex, l, force);
        problem.inverse.apply(ex, force, velocity);
        v.iter_mut().zip(problem.free_velocity).zip(velocity).for_each(|((v, f), d)| *v = f + *d);
        match v.iter().position(|x| !x.is_finite()) {
            Some(block) => Err(SolveError::NonFinite { block }),
            None => Ok(report),
        }
    }
}

impl SolverInteriorPoint {
    /// Coulomb's law: relaxed problems, each with the bias that takes back the relaxation of the one before, until the
    /// residual of the law itself is small. `l` ends as the best of their solutions.
    fn correct(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError> {
        let cones = problem.cones;
        let (mut bias, mut best) = (problem.bias.to_vec(), l.to_vec());
        let mut report = ConeReport { iterations: 0, products: 0, residual: f64::INFINITY, converged: false };
        project_all(cones, l);
        let Work { dual, right, gradient, .. } = &mut self.work;
        let reach = 1.0 / dual.size_estimate(ex, problem, l, right, gradient);
        for round in 0..=self.friction_iterations {
            let Work { dual, r, right, .. } = &mut self.work;
            problem.apply_rows(ex, problem.free_velocity, r);
            dual.apply(ex, problem, l, right);
            right.iter_mut().zip(&*r).zip(problem.bias).for_each(|((u, r), b)| *u += r + b);
            let residual = natural_residual(FrictionLaw::Coulomb, cones, reach, l, right);
            if residual < report.residual {
                report.residual = residual;
                best.copy_from_slice(l);
            }
            if report.residual <= self.tolerance || round == self.friction_iterations {
                break;
            }
            let mut row = 0;
            for cone in cones {
                bias[row] = problem.bias[row] + cone.tilt(&right[row..row + cone.rows()]);
                row += cone.rows();
            }
            let relaxed = ConeProblem { bias: &bias, friction: FrictionLaw::Relaxed, ..*problem };
            let products = std::mem::take(&mut self.work.dual.products);
            let found = self.iterate(ex, &relaxed, INNER * self.tolerance, l)?;
            self.work.dual.products += products;
            report.iterations += found.iterations;
        }
        l.copy_from_slice(&best);
        report.products = self.work.dual.products;
        report.converged = report.residual <= self.tolerance;
        Ok(report)
    }

    /// Solves the relaxed problem from `l` on.
    fn iterate(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        tolerance: f64,
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError> {
        let cones = problem.cones;
        let Work { dual, r, gamma, gradient, right, .. } = &mut self.work;
        problem.apply_rows(ex, problem.free_velocity, r);
        r.iter_mut().zip(problem.bias).for_each(|(r, b)| *r += b);
        gamma.copy_from_slice(l);
        project_all(cones, gamma);
        let reach = 1.0 / dual.size_estimate(ex, problem, gamma, right, gradient);

        let mut least = self.measure(ex, problem, reach);
        self.work.best.copy_from_slice(&self.work.gamma);
        let mut iterations = 0;
        if !least.is_finite() {
            return Err(SolveError::NotConverged { what: "interior point", iterations, residual: least });
        }
        if least > tolerance {
            let mut system = NewtonSystem::new(ex, problem, self.system.take())?;
            system.diagonal(&mut self.work.diagonal);
            self.place_start(problem);
            let (mut since_best, mut least_inside) = (0, f64::INFINITY);
            self.measure(ex, problem, reach);
            while iterations < self.max_iterations && least > tolerance && since_best < PATIENCE {
                ex.check_stop()?;
                if !self.advance(ex, problem, &mut system) {
                    break;
                }
                iterations += 1;
                since_best += 1;
                let residual = self.measure(ex, problem, reach);
                if residual < least_inside {
                    (least_inside, since_best) = (residual, 0);
                }
                if residual < least {
                    least = residual;
                    self.work.best.copy_from_slice(&self.work.gamma);
                }
            }
            self.system = Some(system);
            // A factorization that was given up is no answer.
            ex.check_stop()?;
        }
        // Iterates are inside up to the rounding of one addition.
        project_all(cones, &mut self.work.best);
        l.copy_from_slice(&self.work.best);
        let (products, converged) = (self.work.dual.products, least <= tolerance);
        Ok(ConeReport { iterations, products, residual: least, converged })
    }

    /// Updates the gradient N γ + r and returns the residual.
    fn measure(&mut self, ex: &Exec, problem: &ConeProblem<'_>, reach: f64) -> f64 {
        let Work { dual, r, gamma, gradient, .. } = &mut self.work;
        dual.apply(ex, problem, gamma, gradient);
        gradient.iter_mut().zip(r).for_each(|(g, r)| *g += *r);
        natural_residual(FrictionLaw::Relaxed, problem.cones, reach, gamma, gradient)
    }

    /// Fills the softness of each row and places γ and z.
    ///
    /// Rows differ in units, and by orders of magnitude in mass; r_i / √N_ii is the square root of an energy in all
    /// of them, so that its largest value ε gives each row the impulse ε / √N_ii, and s·z the energy ε².
    fn place_start(&mut self, problem: &ConeProblem<'_>) {
        let Work { r, diagonal, softness, gamma, step, .. } = &mut self.work;
        diagonal.iter_mut().zip(problem.compliance).for_each(|(d, e)| *d += e);
        let mut at = 0;
        for cone in problem.cones {
            // A row nothing moves takes the size of its neighbours; a cone nothing moves stays out.
            let part = &mut diagonal[at..at + cone.rows()];
            let largest = part.iter().copied().fold(0.0, f64::max);
            part.iter_mut().filter(|d| **d <= 1e-14 * largest).for_each(|d| *d = largest);
            at += cone.rows();
        }
        let moved = diagonal.iter().zip(r).filter(|(d, _)| **d > 0.0);
        let energy_root = moved.map(|(d, r)| r.abs() / d.sqrt()).fold(0.0, f64::max);
        let energy_root = raise_to_bounds(problem.cones, diagonal, energy_root);
        for ((size, softness), d) in step.iter_mut().zip(&mut *softness).zip(diagonal) {
            *size = if *d > 0.0 { energy_root / d.sqrt() } else { 0.0 };
            *softness = SOFTNESS * *d;
        }
        softness.iter_mut().zip(problem.compliance).for_each(|(s, e)| *s += e);
        self.barrier.start(problem.cones, step, energy_root * energy_root, gamma);
    }

    /// One predictor and corrector; false where no step is possible.
    fn advance(&mut self, ex: &Exec, problem: &ConeProblem<'_>, system: &mut NewtonSystem) -> bool {
        let Work { dual, diagonal, softness, gradient, right, step, krylov, .. } = &mut self.work;
        let barrier = &mut self.barrier;
        let mean = barrier.update_scaling();
        barrier.update_roots(softness);
        if !mean.is_finite() || system.factor(ex, barrier).is_err() {
            return false;
        }
        let mut solve = |barrier: &Barrier, right: &[f64], tolerance: f64, limit: usize, step: &mut [f64]| {
            let mut equations = NewtonEquations { ex, problem, dual, system, barrier, krylov, diagonal };
            equations.solve(right, tolerance, limit, step);
        };

        barrier.aim_at_zero();
        right.iter_mut().zip(&*gradient).for_each(|(q, g)| *q = -g);
        solve(barrier, right, 1e-6, 2, step);
        let predicted = barrier.set_direction(step).min(1.0);
        let ratio = if mean > 0.0 { barrier.mean_after(predicted) / mean } else { 0.0 };

        let centring = ratio.clamp(0.0, 1.0).powi(3).max(if barrier.has_disks() { CENTRING } else { 0.0 });
        barrier.aim_at_mean(centring * mean);
        barrier.add_duals(right);
        barrier.add_target(right);
        solve(barrier, right, 1e-12, 8, step);
        let length = (REACH * barrier.set_direction(step)).min(1.0);
        if step.iter().any(|x| !x.is_finite()) {
            return false;
        }
        self.move_by(length)
    }

    /// γ and z move by `length` times their direction, less where rounding would leave a cone.
    fn move_by(&mut self, mut length: f64) -> bool {
        let Work { gamma, right, step, .. } = &mut self.work;
        right.copy_from_slice(gamma);
        while length > 1e-9 {
            gamma.iter_mut().zip(&*right).zip(&*step).for_each(|((g, from), d)| *g = from + length * d);
            if self.barrier.read_slacks(gamma) {
                self.barrier.advance_duals(length);
                return self.barrier.duals_are_inside();
            }
            length *= 0.8;
        }
        false
    }
}
