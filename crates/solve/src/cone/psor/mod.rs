//! Projected Gauss–Seidel with over-relaxation.

mod colour;
mod parts;
mod sweep;

use super::problem::{ConeProblem, ConeReport, ConeSolver};
use super::registry::SolverKind;
use super::rows::RowBlock;
use super::share::{Cut, Share, cut};
use crate::SolveError;
use huygens_exec::Disjoint;
use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;
use parts::{ContactSweep, SparseSweep};
use sweep::{Body, ExtrapolationPass, ITERATES, Motion, Step, Task};

/// Sweeps between two evaluations of the residual.
const LOOK: usize = 5;

/// Sweeps after which velocities, changed little by little, are recomputed from the multipliers.
const RENEWAL: usize = 500;

/// Bodies per chunk.
const CHUNK: usize = 256;

/// Projected Gauss–Seidel with over-relaxation on cones (`tasora2010`): contact after contact takes
/// γ ← γ + λ (Π(γ − ω P (D v + b + E γ)) − γ) and moves its two bodies at once.
///
/// P is diagonal along and perpendicular to the normal and no larger than the inverse of the contact's own block of N,
/// and Π is the projection in its metric: for spheres that is the exact solution of one contact, and no step increases
/// the energy for ω ≤ 1. Every sweep extrapolates beyond the last iterate, γ + β (γ − γ⁻), with restarts: with
/// redundant contact points, plain sweeps need hundreds of times as many iterations.
///
/// Contacts are coloured so that those of one colour share no body; they run four at once and in parallel, with
/// bit-identical results on any number of threads. Rows with stored entries are swept one by one before them. Needs an
/// inverse inertia that consists of bodies ([`InverseInertia::bodies`](super::InverseInertia::bodies)).
///
/// The result is the iterate with the smallest of the evaluated residuals, defined as in
/// [`SolverApgd`](super::SolverApgd); a contact takes 235 bytes, or 379 with rolling.
#[derive(Clone)]
pub struct SolverPsor {
    /// Largest number of sweeps.
    pub max_iterations: usize,
    /// Residual at which to stop [m/s]; evaluated every five sweeps.
    pub tolerance: f64,
    /// ω, in 0 … 2.
    pub relaxation: f64,
    /// λ, in 0 … 1.
    pub sharpness: f64,
    bodies: Vec<Body>,
    /// Velocities one sweep ago.
    before: Vec<Motion>,
    parts: Vec<Part>,
    cut: Cut,
}

impl std::fmt::Debug for SolverPsor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SolverPsor")
            .field("max_iterations", &self.max_iterations)
            .field("tolerance", &self.tolerance)
            .field("relaxation", &self.relaxation)
            .field("sharpness", &self.sharpness)
            .finish_non_exhaustive()
    }
}

/// One block of rows.
#[derive(Clone)]
enum Part {
    Friction(ContactSweep<1>),
    Rolling(ContactSweep<2>),
    Sparse(SparseSweep),
}

impl SolverPsor {
    /// With a sweep limit and a velocity tolerance [m/s]; ω = λ = 1.
    pub fn new(max_iterations: usize, tolerance: f64) -> Self {
        let (bodies, before, parts, cut) = (vec![], vec![], vec![], Cut::default());
        Self { max_iterations, tolerance, relaxation: 1.0, sharpness: 1.0, bodies, before, parts, cut }
    }

    /// Velocities without multipliers: v_free, or zero.
    fn load_bodies(&mut self, problem: &ConeProblem<'_>, shares_bodies: &[super::BodyInverse], free: bool) {
        self.bodies.clear();
        self.bodies.extend(shares_bodies.iter().enumerate().map(|(k, inverse)| {
            let v = if free { &problem.free_velocity[6 * k..6 * k + 6] } else { &[0.0; 6] };
            Body::new(inverse, v)
        }));
        self.bodies.push(Body::default());
    }

    fn match_blocks(&mut self, blocks: &[RowBlock<'_>]) {
        self.parts.truncate(blocks.len());
        for (k, block) in blocks.iter().enumerate() {
            let kept = match (self.parts.get(k), block) {
                (Some(Part::Friction(_)), RowBlock::Pair(pair)) => !pair.is_rolling(),
                (Some(Part::Rolling(_)), RowBlock::Pair(pair)) => pair.is_rolling(),
                (Some(Part::Sparse(_)), RowBlock::Sparse(_)) => true,
                _ => false,
            };
            if !kept {
                let part = match block {
                    RowBlock::Pair(pair) if pair.is_rolling() => Part::Rolling(ContactSweep::default()),
                    RowBlock::Pair(_) => Part::Friction(ContactSweep::default()),
                    _ => Part::Sparse(SparseSweep::default()),
                };
                self.parts.truncate(k);
                self.parts.push(part);
            }
        }
    }

    /// Sets iterate 0 to a probe, and the velocities to match.
    fn probe(&mut self, run: &Run<'_>) {
        for ((part, block), share) in self.parts.iter_mut().zip(run.problem.rows).zip(run.shares()) {
            match (part, block) {
                (Part::Friction(part), RowBlock::Pair(pair)) => part.probe(run.ex, pair, &share),
                (Part::Rolling(part), RowBlock::Pair(pair)) => part.probe(run.ex, pair, &share),
                (Part::Sparse(part), _) => part.probe(&share),
                _ => {}
            }
        }
        self.sweep(run, Task::Apply, 0);
    }

    /// Sets iterate 0 to the start, and the velocities to match.
    fn start(&mut self, run: &Run<'_>) {
        for ((part, block), share) in self.parts.iter_mut().zip(run.problem.rows).zip(run.shares()) {
            match (part, block) {
                (Part::Friction(part), RowBlock::Pair(pair)) => part.start(run.ex, pair, &share),
                (Part::Rolling(part), RowBlock::Pair(pair)) => part.start(run.ex, pair, &share),
                (Part::Sparse(part), _) => part.start(&share),
                _ => {}
            }
        }
        self.sweep(run, Task::Apply, 0);
    }

    /// Velocities of y = x + β (x − x⁻) from those of x; what they were is kept.
    #[expect(unsafe_code, reason = "chunks write to disjoint parts of the same vectors")]
    fn extrapolate(&mut self, Run { ex, set, .. }: &Run<'_>, beta: f64) {
        self.before.resize(self.bodies.len(), Motion::default());
        let before = Disjoint::new(&mut self.before);
        ex.for_each_chunk(&mut self.bodies, CHUNK, |c, bodies| {
            // SAFETY: each chunk has its own bodies.
            let before = unsafe { before.piece(c * CHUNK..(c + 1) * CHUNK) };
            set.run(ExtrapolationPass { beta, bodies, before });
        });
    }

    /// A task that moves bodies; the sum that a step asks for.
    fn sweep(&mut self, run: &Run<'_>, task: Task, slot: usize) -> f64 {
        let mut sum = 0.0;
        for ((part, block), share) in self.parts.iter_mut().zip(run.problem.rows).zip(run.shares()) {
            let bodies = &mut self.bodies;
            sum += match (part, block) {
                (Part::Sparse(part), RowBlock::Sparse(rows)) => {
                    part.sweep(rows, &share, task, slot, bodies)[0]
                }
                (Part::Friction(part), _) => {
                    part.sweep(run.ex, run.set, share.friction, task, slot, &Disjoint::new(bodies))
                }
                (Part::Rolling(part), _) => {
                    part.sweep(run.ex, run.set, share.friction, task, slot, &Disjoint::new(bodies))
                }
                _ => 0.0,
            };
        }
        sum
    }

    /// A task that only sums.
    fn total(&mut self, run: &Run<'_>, task: Task, slot: usize) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for ((part, block), share) in self.parts.iter_mut().zip(run.problem.rows).zip(run.shares()) {
            let bodies = &mut self.bodies;
            let add = match (part, block) {
                (Part::Sparse(part), RowBlock::Sparse(rows)) => part.sweep(rows, &share, task, slot, bodies),
                (Part::Friction(part), _) => {
                    part.total(run.ex, run.set, share.friction, task, slot, &Disjoint::new(bodies))
                }
                (Part::Rolling(part), _) => {
                    part.total(run.ex, run.set, share.friction, task, slot, &Disjoint::new(bodies))
                }
                _ => [0.0; 2],
            };
            sums = [sums[0] + add[0], sums[1] + add[1]];
        }
        sums
    }

    fn run(
        &mut self,
        run: &Run<'_>,
        bodies: &[super::BodyInverse],
    ) -> Result<(usize, ConeReport), SolveError> {
        self.match_blocks(run.problem.rows);
        for ((part, block), share) in self.parts.iter_mut().zip(run.problem.rows).zip(run.shares()) {
            match (part, block) {
                (Part::Friction(part), RowBlock::Pair(pair)) => part.prepare(run.ex, pair, &share),
                (Part::Rolling(part), RowBlock::Pair(pair)) => part.prepare(run.ex, pair, &share),
                (Part::Sparse(part), RowBlock::Sparse(rows)) => part.prepare(rows, &share),
                _ => {}
            }
        }
        self.load_bodies(run.problem, bodies, false);
        self.probe(run);
        let [below, above] = self.total(run, Task::Estimate, 0);
        let estimate = (above / below).sqrt();
        let estimate = if estimate > 0.0 && estimate.is_finite() { estimate } else { 1.0 };
        let measure = Task::Measure { reach: 1.0 / estimate };
        let scale = (run.problem.cones.len().max(1) as f64).sqrt() / estimate;
        self.load_bodies(run.problem, bodies, true);
        self.start(run);
        let look = |solver: &mut Self, slot: usize| solver.total(run, measure, slot)[0].sqrt() / scale;
        let (mut current, mut before, mut best) = (0, 1, 0);
        let mut residual = look(self, 0);
        let mut momentum = Momentum::new(residual);
        self.before.clear();
        let mut iterations = 0;
        while iterations < self.max_iterations && residual > self.tolerance {
            run.ex.check_stop()?;
            for _ in 0..LOOK.min(self.max_iterations - iterations) {
                let next = if before == best { ITERATES - current - before } else { before };
                let (relaxation, sharpness, beta) = (self.relaxation, self.sharpness, momentum.beta);
                self.extrapolate(run, beta);
                let step = Step { relaxation, sharpness, beta, before, next };
                momentum.turn(self.sweep(run, Task::Step(step), current));
                (before, current) = (current, next);
                iterations += 1;
            }
            if iterations % RENEWAL == 0 {
                self.load_bodies(run.problem, bodies, true);
                self.sweep(run, Task::Apply, current);
            }
            let now = look(self, current);
            momentum.look(now);
            if now < residual {
                (residual, best) = (now, current);
            }
        }
        if best != current {
            self.load_bodies(run.problem, bodies, true);
            self.sweep(run, Task::Apply, best);
        }
        let products = 2 + iterations;
        if !residual.is_finite() {
            let what = "projected Gauss–Seidel";
            return Err(SolveError::NotConverged { what, iterations, residual });
        }
        let converged = residual <= self.tolerance;
        Ok((best, ConeReport { iterations, products, residual, converged }))
    }
}

/// How far beyond the last iterate the next sweep starts.
///
/// β grows from sweep to sweep as in `mazhar2015`, and from zero again after a sweep that turned back
/// (`odonoghue2015`). A sweep is no symmetric operator, so β close to one may let residuals grow in spite of that;
/// then it is kept lower for a while.
struct Momentum {
    theta: f64,
    beta: f64,
    /// Smallest residual since residuals last grew.
    least: f64,
    /// θ does not fall below it.
    floor: f64,
}

impl Momentum {
    /// Growth of the residual that tells instability from ripples.
    const GROWTH: f64 = 100.0;

    fn new(residual: f64) -> Self {
        Self { theta: 1.0, beta: 0.0, least: residual, floor: 0.0 }
    }

    /// After a sweep with (x⁺ − y) · (x⁺ − x) = `agreement`.
    fn turn(&mut self, agreement: f64) {
        if agreement < 0.0 {
            (self.theta, self.beta) = (1.0, 0.0);
            return;
        }
        let (theta, square) = (self.theta, self.theta * self.theta);
        self.theta = (0.5 * (theta * (square + 4.0).sqrt() - square)).max(self.floor);
        self.beta = theta * (1.0 - theta) / (square + self.theta);
    }

    /// After an evaluation of the residual.
    fn look(&mut self, residual: f64) {
        self.floor *= 0.995;
        if residual > Self::GROWTH * self.least {
            *self = Self { floor: (2.0 * self.theta).min(1.0), ..Self::new(residual) };
        }
        self.least = self.least.min(residual);
    }
}

/// One solution.
struct Run<'a> {
    ex: &'a Exec,
    set: InstructionSet,
    problem: &'a ConeProblem<'a>,
    cut: &'a Cut,
    start: &'a [f64],
}

impl<'a> Run<'a> {
    fn shares(&self) -> impl Iterator<Item = Share<'a>> {
        self.cut.shares(self.problem, self.start)
    }
}

/// The row of the list of solvers.
pub(super) const KIND: SolverKind = SolverKind {
    name: "psor",
    operators: false,
    make: |s| {
        let mut solver = SolverPsor::new(s.max_iterations, s.tolerance);
        solver.relaxation = s.relaxation;
        Box::new(solver)
    },
};

impl ConeSolver for SolverPsor {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    fn refusal(&self, problem: &ConeProblem<'_>) -> Option<&'static str> {
        cut(problem, |_, _| {}).err()
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
        problem.check_with(v, l)?;
        let solver = "projected Gauss–Seidel";
        if !(self.relaxation > 0.0 && self.relaxation < 2.0) {
            return Err(SolveError::Unsupported { solver, what: "a relaxation outside 0 … 2" });
        }
        if !(self.sharpness > 0.0 && self.sharpness <= 1.0) {
            return Err(SolveError::Unsupported { solver, what: "a sharpness outside 0 … 1" });
        }
        let mut cut = std::mem::take(&mut self.cut);
        let found = match problem.inverse.bodies() {
            Some(bodies) if cut.set(problem) => {
                self.run(&Run { ex, set: InstructionSet::detect(), problem, cut: &cut, start: l }, bodies)
            }
            _ => {
                let what = "rows or an inverse inertia that do not consist of bodies; use apgd";
                Err(SolveError::Unsupported { solver, what })
            }
        };
        self.cut = cut;
        let (best, report) = found?;
        let mut rest = l;
        for (part, block) in self.parts.iter().zip(problem.rows) {
            let (l, tail) = rest.split_at_mut(block.operator().rows());
            match (part, block) {
                (Part::Friction(part), RowBlock::Pair(pair)) => part.write(ex, pair, best, l),
                (Part::Rolling(part), RowBlock::Pair(pair)) => part.write(ex, pair, best, l),
                (Part::Sparse(part), _) => part.write(best, l),
                _ => {}
            }
            rest = tail;
        }
        for (v, body) in v.chunks_exact_mut(6).zip(&self.bodies) {
            (0..6).for_each(|i| v[i] = body.column(i));
        }
        match v.iter().position(|x| !x.is_finite()) {
            Some(block) => Err(SolveError::NonFinite { block }),
            None => Ok(report),
        }
    }
}
