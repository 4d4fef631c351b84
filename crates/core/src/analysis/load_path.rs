//! Static equilibria under increasing loads: Newton's method with load steps, or along the path by arc length.
//!
//! Gravity and loads are multiplied by a factor $\mu$; the unknowns solve
//!
//! $$ r = -f(q, \mu) + C_q^T\lambda = 0, \qquad \Phi(q) = 0. $$
//!
//! Arc length (crisfield1981) adds $|\Delta q|^2 = \ell^2$ to each step and so passes points where the load has a
//! maximum. Only translations contribute to the length, each weighted by its mass.

use crate::analysis::floating::{check_floating, check_hanging};
use crate::analysis::rounding::{at_rounding, within_rounding};
use crate::analysis::{StaticsSettings, equilibrium, largest, misfits, residuals_at};
use crate::contact::ContactLaw;
use crate::contract::{ElementFault, ItemKind, RowRequest};
use crate::error::{CoreError, Result};
use crate::state::State;
use crate::subject::Subject;
use crate::system::{MatrixWeights, System};

/// Largest residual of constraint rows at an equilibrium [m or rad].
const ROWS_CLOSED: f64 = 1e-10;
/// Corrections below this, relative to the largest coordinate, are rounding.
const ROUNDING: f64 = 1e-14;
/// Iterations a step should take: shorter ones let it grow, longer ones let it shrink.
const WANTED_ITERATIONS: f64 = 4.0;
/// Iterations of a step above which the next one is shorter.
const MANY_ITERATIONS: f64 = 14.0;
/// Part of an arc's length that rounding may make up.
const LOST: f64 = 1e-3;
/// Fall of the residual in one iteration below which the factors are used again.
const FAST: f64 = 1e-2;

/// The method by which the path is followed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum LoadPathMethod {
    /// Load steps: stops at the first maximum of the load, or jumps beyond it.
    #[default]
    LoadSteps,
    /// Arc length: follows the path through maxima and minima of the load and of displacements.
    ArcLength {
        /// Longest step: mean displacement of the mass [m]; ten times the first step if not given.
        max_length: Option<f64>,
    },
}

/// Settings of [`load_path`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoadPathSettings {
    /// The method by which the path is followed.
    pub method: LoadPathMethod,
    /// The first step is `max_factor` divided by this.
    pub steps: usize,
    /// Load factor at which the path ends.
    pub max_factor: f64,
    /// Tolerance of the unbalanced force, relative to the largest acting force; rounding errors are accepted in any
    /// case.
    pub tolerance: f64,
    /// Largest number of iterations per step.
    pub max_iterations: usize,
    /// Largest number of steps.
    pub max_steps: usize,
    /// Whether a failed step is repeated with a line search before it is reduced.
    pub line_search: bool,
    /// Smallest step, relative to the first one.
    pub smallest_step: f64,
}

impl Default for LoadPathSettings {
    fn default() -> Self {
        Self {
            method: LoadPathMethod::LoadSteps,
            steps: 1,
            max_factor: 1.0,
            tolerance: 1e-9,
            max_iterations: 25,
            max_steps: 1000,
            line_search: true,
            smallest_step: 1e-4,
        }
    }
}

/// Report of a load path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadPathReport {
    /// Number of equilibria found.
    pub steps: usize,
    /// Number of reduced steps.
    pub cuts: usize,
    /// Iterations of all steps, including failed ones.
    pub iterations: usize,
    /// Number of factorizations.
    pub factorizations: usize,
    /// Final load factor.
    pub factor: f64,
    /// Final largest unbalanced force [N or N·m].
    pub residual: f64,
}

/// Increases the loads from zero and moves the state along the equilibria; velocities and accelerations become zero.
///
/// `on_step` receives each equilibrium with its load factor and returns whether to continue.
pub fn load_path(
    system: &mut System,
    state: &mut State,
    settings: &LoadPathSettings,
    on_step: &mut dyn FnMut(&State, f64) -> bool,
) -> Result<LoadPathReport> {
    check(settings)?;
    if system.model().has_contact(ContactLaw::Rigid) {
        return Err(CoreError::Unsupported {
            integrator: "the static analysis".into(),
            reason: "it has rigid contact, which is an impulse law; use `contact.law = \"compliant\"`".into(),
        });
    }
    state.v.fill(0.0);
    state.acceleration.fill(0.0);
    system.load(state);
    system.point.load_factor = 0.0;
    system.update(&state.history);
    if !state.history_ready {
        system.initialize_history(&mut state.history);
    }
    let result = start(system, state, settings).and_then(|()| {
        system.load(state);
        let mut path = Path::new(system, state, settings);
        match settings.method {
            LoadPathMethod::LoadSteps => path.follow_loads(state, on_step)?,
            LoadPathMethod::ArcLength { max_length } => path.follow_arc(state, max_length, on_step)?,
        }
        Ok(path.report)
    });
    system.point.load_factor = 1.0;
    state.disturb();
    result
}

/// Refuses parts that float; lets those that hang settle under the first load, as they have no stiffness without it.
fn start(system: &mut System, state: &mut State, settings: &LoadPathSettings) -> Result<()> {
    if settings.method != LoadPathMethod::LoadSteps {
        return check_floating(system, state);
    }
    if check_hanging(system, state)? {
        system.point.load_factor = settings.max_factor / settings.steps as f64;
        let statics = StaticsSettings { tolerance: settings.tolerance, ..StaticsSettings::default() };
        equilibrium(system, state, &statics)?;
        system.point.load_factor = 0.0;
    }
    Ok(())
}

fn check(settings: &LoadPathSettings) -> Result<()> {
    let wrong = |name: &str, value: String, expected: &str| {
        Err(CoreError::Parameter { name: name.into(), value, expected: expected.into() })
    };
    if settings.steps == 0 || settings.max_steps == 0 || settings.max_iterations == 0 {
        return wrong("steps, max_steps or max_iterations", "0".into(), "at least 1");
    }
    if !(settings.max_factor.is_finite() && settings.max_factor != 0.0) {
        return wrong("max_factor", settings.max_factor.to_string(), "a nonzero number");
    }
    if !(settings.tolerance > 0.0 && settings.tolerance < 1.0) {
        return wrong("tolerance", settings.tolerance.to_string(), "between 0 and 1");
    }
    match settings.method {
        LoadPathMethod::ArcLength { max_length: Some(l) } if l.is_nan() || l <= 0.0 => {
            wrong("max_length", l.to_string(), "a positive length")
        }
        _ => Ok(()),
    }
}

/// How one attempt at an equilibrium went.
#[derive(Default)]
struct Trial {
    converged: bool,
    /// Largest unbalanced force of each iteration [N or N·m].
    residuals: Vec<f64>,
}

struct Path<'a> {
    system: &'a mut System,
    settings: &'a LoadPathSettings,
    report: LoadPathReport,
    history: Vec<f64>,
    /// Positions of the iteration.
    q: Vec<f64>,
    /// Unbalanced forces and residuals.
    f: Vec<f64>,
    rows: Vec<f64>,
    rhs: Vec<f64>,
    /// Weight of each column in lengths; their sum is one.
    weights: Vec<f64>,
    /// Square of a typical frequency, which compares residuals of rows with forces.
    stiffness: f64,
    factored: bool,
    /// Why the last factorization was not tried to its end.
    given_up: Option<CoreError>,
}

impl<'a> Path<'a> {
    fn new(system: &'a mut System, state: &State, settings: &'a LoadPathSettings) -> Self {
        let (nv, nr) = (state.v.len(), state.lambda.len());
        Self {
            weights: length_weights(system),
            system,
            settings,
            report: LoadPathReport::default(),
            history: state.history.clone(),
            q: state.q.clone(),
            f: vec![0.0; nv],
            rows: vec![0.0; nr],
            rhs: vec![0.0; nv + nr],
            stiffness: 1.0,
            factored: false,
            given_up: None,
        }
    }

    /// Unbalanced force at the point and the scale of the forces that act.
    fn evaluate(&mut self) -> (f64, f64) {
        residuals_at(self.system, &self.history, RowRequest::default(), &mut self.rows);
        self.system.forces(&self.history, &mut self.f);
        let fixed = &self.system.model().fixed;
        fixed.iter().for_each(|&c| self.f[c as usize] = 0.0);
        let acting = largest(&self.f).max(largest(&self.system.point.lambda));
        let scale = acting.max(self.system.element_force()).max(1e-12);
        self.f.iter_mut().for_each(|f| *f = -*f);
        self.system.add_reactions(&self.system.point.lambda, 1.0, &mut self.f);
        let fixed = &self.system.model().fixed;
        fixed.iter().for_each(|&c| self.f[c as usize] = 0.0);
        (largest(&self.f), scale)
    }

    /// Whether the point is an equilibrium: within the tolerance, or as near as rounding lets the residual come after
    /// its value `previous` in the last iteration.
    fn balanced(&mut self, (residual, scale): (f64, f64), previous: f64) -> bool {
        let bound = self.settings.tolerance * scale;
        let trend = (residual, previous);
        largest(&self.rows) <= ROWS_CLOSED
            && (residual <= bound || at_rounding(self.system, &self.history, &self.f, bound, trend))
    }

    /// Whether this shape is admissible for all elements; inverted elements have spurious equilibria.
    fn is_sound(&self) -> bool {
        element_fault(self.system, &self.history).is_none()
    }

    /// Size of the unbalanced forces and open rows, as accelerations of the masses.
    fn merit(&self) -> f64 {
        let inverse = self.system.mass_inverse_diagonal();
        let forces: f64 = self.f.iter().zip(inverse).map(|(f, m)| f * f * m.min(1e100)).sum();
        let rows: f64 = self.rows.iter().map(|r| r * r).sum();
        let mass =
            1.0 / inverse.iter().fold(0.0, |m: f64, x| if *x < 1e100 { m.max(*x) } else { m }).max(1e-100);
        (forces + rows * mass * self.stiffness * self.stiffness).sqrt()
    }

    fn factor(&mut self) -> bool {
        let weights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
        self.report.factorizations += 1;
        let result = self.system.assemble_and_factor(&self.history, weights);
        self.factored = result.is_ok();
        self.given_up =
            result.err().filter(|e| matches!(e, CoreError::Stopped(_) | CoreError::TooLarge { .. }));
        self.factored
    }

    /// Passes on why the last factorization was not tried to its end: a shorter step would not help.
    fn check_given_up(&mut self) -> Result<()> {
        self.system.exec().check_stop()?;
        self.given_up.take().map_or(Ok(()), Err)
    }

    /// Solves for the correction; whether it is finite.
    fn solve_correction(&mut self) -> bool {
        let nv = self.f.len();
        self.rhs[..nv].iter_mut().zip(&self.f).for_each(|(b, f)| *b = -f);
        self.rhs[nv..].iter_mut().zip(&self.rows).for_each(|(b, r)| *b = -r);
        self.system.solve_correction(&mut self.rhs);
        largest(&self.rhs).is_finite()
    }

    /// Moves the point from the iterate by `scale` × the correction.
    fn step(&mut self, scale: f64, correction: &[f64], lambda: &[f64]) {
        let nv = self.f.len();
        let scaled: Vec<f64> = correction[..nv].iter().map(|x| scale * x).collect();
        self.system.retract(&self.q, &scaled);
        for (l, (old, d)) in self.system.point.lambda.iter_mut().zip(lambda.iter().zip(&correction[nv..])) {
            *l = old + scale * d;
        }
    }

    /// Newton's method at a load factor from the point.
    fn solve_at(&mut self, factor: f64, line_search: bool) -> Trial {
        self.system.point.load_factor = factor;
        let mut trial = Trial::default();
        let mut previous = f64::INFINITY;
        for iteration in 0..=self.settings.max_iterations {
            if self.system.exec().is_stopped() {
                return trial;
            }
            let (residual, scale) = self.evaluate();
            trial.residuals.push(residual);
            self.report.residual = residual;
            if self.balanced((residual, scale), previous) {
                trial.converged = self.is_sound();
                return trial;
            }
            if !residual.is_finite() || iteration == self.settings.max_iterations {
                return trial;
            }
            let keep = self.factored && residual <= FAST * previous;
            previous = residual;
            if !keep && !self.factor() || !self.solve_correction() {
                return trial;
            }
            self.report.iterations += 1;
            let correction = self.rhs.clone();
            let lambda = self.system.point.lambda.clone();
            if line_search {
                self.search(iteration, &correction, &lambda);
            } else {
                self.step(1.0, &correction, &lambda);
            }
            self.q.copy_from_slice(&self.system.point.q);
            // Nothing moves any more: what is left of the residual is rounding of the forces.
            if largest(&correction[..self.f.len()]) <= ROUNDING * largest(&self.q).max(1e-3) {
                let now = self.evaluate();
                trial.residuals.push(now.0);
                let bound = 1e-6 * now.1;
                trial.converged = largest(&self.rows) <= ROWS_CLOSED
                    && (now.0 <= bound || within_rounding(self.system, &self.history, &self.f, bound))
                    && self.is_sound();
                return trial;
            }
        }
        trial
    }

    /// Halves the step until the residual falls.
    fn search(&mut self, iteration: usize, correction: &[f64], lambda: &[f64]) {
        if iteration == 0 {
            let work: f64 = self.f.iter().zip(correction).map(|(f, x)| f * x).sum();
            let inertia: f64 = correction
                .iter()
                .zip(self.system.mass_inverse_diagonal())
                .map(|(x, m)| if *m > 0.0 && *m < 1e100 { x * x / m } else { 0.0 })
                .sum();
            let typical = work.abs() / inertia;
            self.stiffness = if typical.is_finite() && typical > 0.0 { typical } else { 1.0 };
        }
        let before = self.merit();
        let mut scale = 1.0;
        for _ in 0..8 {
            self.step(scale, correction, lambda);
            self.evaluate();
            if self.merit() < (1.0 - 1e-4 * scale) * before {
                return;
            }
            scale *= 0.5;
        }
        self.step(scale, correction, lambda);
    }

    fn take(&mut self, state: &mut State, factor: f64) {
        self.system.commit(&mut self.history);
        state.q.copy_from_slice(&self.q);
        state.lambda.copy_from_slice(&self.system.point.lambda);
        state.history.copy_from_slice(&self.history);
        state.history_ready = true;
        self.report.steps += 1;
        self.report.factor = factor;
    }

    fn restore(&mut self, state: &State) {
        self.system.point.q.copy_from_slice(&state.q);
        self.system.point.lambda.copy_from_slice(&state.lambda);
        self.q.copy_from_slice(&state.q);
        self.factored = false;
    }

    fn follow_loads(
        &mut self,
        state: &mut State,
        on_step: &mut dyn FnMut(&State, f64) -> bool,
    ) -> Result<()> {
        let end = self.settings.max_factor;
        let first = end / self.settings.steps as f64;
        let (mut factor, mut step) = (0.0, first);
        while self.report.steps < self.settings.max_steps {
            self.system.exec().check_stop()?;
            let left = end - factor;
            let target = if step.abs() >= left.abs() * (1.0 - 1e-9) { end } else { factor + step };
            let mut trial = self.solve_at(target, false);
            if !trial.converged && self.settings.line_search {
                self.restore(state);
                trial = self.solve_at(target, true);
            }
            if !trial.converged {
                self.check_given_up()?;
                let failure = self.failure(state, target, &trial, step);
                self.restore(state);
                self.report.cuts += 1;
                step *= 0.5;
                if step.abs() < self.settings.smallest_step * first.abs() {
                    return Err(failure);
                }
                continue;
            }
            factor = target;
            self.take(state, factor);
            if !on_step(state, factor) || factor == end {
                return Ok(());
            }
            let iterations = trial.residuals.len().max(2) as f64 - 1.0;
            // Slender beams take more iterations at any step: only long fights are worth a shorter one.
            if iterations <= WANTED_ITERATIONS || iterations > MANY_ITERATIONS {
                step *= (WANTED_ITERATIONS / iterations).sqrt().clamp(0.5, 1.5);
            }
            // Without trouble the steps asked for are taken.
            if self.report.cuts == 0 {
                step = step.abs().min(first.abs()).copysign(first);
            }
        }
        Err(CoreError::Parameter {
            name: "max_steps".into(),
            value: self.settings.max_steps.to_string(),
            expected: format!("the load path reached only the load factor {factor:.6}; increase max_steps"),
        })
    }

    /// Why no equilibrium was found, with what may help.
    fn failure(&self, state: &State, factor: f64, trial: &Trial, step: f64) -> CoreError {
        let model = self.system.model();
        if let Some((name, fault)) = element_fault(self.system, &self.history) {
            let what = name.map(|name| format!("at load factor {factor:.6}, {name}"));
            let (time, step) = (state.time, state.step);
            return CoreError::Element { what, how: fault.what, value: fault.value, time, step };
        }
        let closed = largest(&self.rows);
        if trial.residuals.last().is_some_and(|r| r.is_finite()) && closed > 1e-6 && closed.is_finite() {
            let misfits = misfits(model, &self.rows, 1e-6);
            return CoreError::CannotAssemble { time: state.time, misfits };
        }
        let worst = (0..self.f.len()).fold(0, |w, i| {
            let size = |k: usize| if self.f[k].is_finite() { self.f[k].abs() } else { f64::INFINITY };
            if size(i) > size(w) { i } else { w }
        });
        CoreError::NoLoadStep {
            factor,
            reached: self.report.factor,
            worst: model.column_name(worst),
            residuals: trial.residuals.clone(),
            suggested_step: 0.25 * step.abs(),
            arc_length: matches!(self.settings.method, LoadPathMethod::ArcLength { .. }),
        }
    }

    fn length(&self, x: &[f64]) -> f64 {
        self.inner(x, x).sqrt()
    }

    fn inner(&self, x: &[f64], y: &[f64]) -> f64 {
        self.weights.iter().zip(x.iter().zip(y)).map(|(w, (x, y))| w * x * y).sum()
    }

    /// Displacements and multipliers of a unit load, with the last factors.
    fn unit_load(&mut self) -> Result<Vec<f64>> {
        let nv = self.f.len();
        let factor = self.system.point.load_factor;
        let mut low = vec![0.0; nv];
        self.system.forces(&self.history, &mut low);
        self.system.point.load_factor = factor + 1.0;
        let mut x = vec![0.0; self.rhs.len()];
        self.system.forces(&self.history, &mut x[..nv]);
        self.system.point.load_factor = factor;
        x.iter_mut().zip(&low).for_each(|(x, low)| *x -= low);
        self.system.solve(&mut x)?;
        Ok(x)
    }

    fn follow_arc(
        &mut self,
        state: &mut State,
        max_length: Option<f64>,
        on_step: &mut dyn FnMut(&State, f64) -> bool,
    ) -> Result<()> {
        let end = self.settings.max_factor;
        let mut factor = 0.0;
        let mut last: Option<Vec<f64>> = None;
        let (mut length, mut first_length) = (0.0, 0.0);
        while self.report.steps < self.settings.max_steps {
            self.system.exec().check_stop()?;
            self.system.point.load_factor = factor;
            self.evaluate();
            if !self.factor() {
                self.check_given_up()?;
                return Err(self.failure(state, factor, &Trial::default(), end / self.settings.steps as f64));
            }
            let along = self.unit_load()?;
            let size = self.length(&along);
            if !(size.is_finite() && size > 0.0) {
                return Err(CoreError::Unsupported {
                    integrator: "the load path".into(),
                    reason:
                        "the loads displace no mass; check that gravity or a load acts on the flexible part"
                            .into(),
                });
            }
            if last.is_none() {
                length = size * end.abs() / self.settings.steps as f64;
                length = max_length.map_or(length, |m| length.min(m));
                first_length = length;
                if self.is_lost_in_rounding(&along, length) {
                    return self.follow_loads(state, on_step);
                }
            }
            let sign = match &last {
                Some(old) => self.inner(&along, old).signum(),
                None => end.signum(),
            };
            let (trial, moved, new_factor) = self.solve_arc(factor, sign * length / size, &along, length);
            if !trial.converged {
                self.check_given_up()?;
                let failure = self.failure(state, new_factor, &trial, length / size);
                self.restore(state);
                self.report.cuts += 1;
                length *= 0.5;
                if length < self.settings.smallest_step * first_length {
                    return Err(failure);
                }
                continue;
            }
            // Past the end: the last equilibrium is the one at the end itself.
            if (new_factor - end) * end.signum() >= 0.0 {
                let trial = self.solve_at(end, false);
                if trial.converged {
                    self.take(state, end);
                    on_step(state, end);
                    return Ok(());
                }
                self.check_given_up()?;
                self.restore(state);
                length *= 0.5;
                if length < self.settings.smallest_step * first_length {
                    return Err(self.failure(state, end, &trial, length / size));
                }
                continue;
            }
            factor = new_factor;
            self.take(state, factor);
            last = Some(moved);
            if !on_step(state, factor) {
                return Ok(());
            }
            let iterations = trial.residuals.len().max(2) as f64 - 1.0;
            let longest = max_length.unwrap_or(10.0 * first_length);
            length = (length * (WANTED_ITERATIONS / iterations).sqrt().clamp(0.25, 2.0)).min(longest);
        }
        Ok(())
    }

    /// Whether rounding of the coordinates, or of the forces at the start, moves the model about as far as a step of
    /// this length along a unit load's displacements does. Such a step does not say which way the path continues, and
    /// its displacements are too small for the path to turn.
    fn is_lost_in_rounding(&mut self, along: &[f64], length: f64) -> bool {
        let reach = largest(&along[..self.f.len()]) * (length / self.length(along));
        if LOST * reach <= f64::EPSILON * largest(&self.q) {
            return true;
        }
        self.solve_correction()
            && self.length(&self.rhs) > LOST * length
            && within_rounding(self.system, &self.history, &self.f, 0.0)
    }

    /// One step of the given length; returns the displacements and the load factor at its end.
    fn solve_arc(&mut self, start: f64, first: f64, along: &[f64], length: f64) -> (Trial, Vec<f64>, f64) {
        let nv = self.f.len();
        let mut trial = Trial::default();
        let mut moved = vec![0.0; nv];
        let mut factor = start + first;
        let mut correction: Vec<f64> = along.iter().map(|x| first * x).collect();
        for iteration in 0..=self.settings.max_iterations {
            let lambda = self.system.point.lambda.clone();
            self.step(1.0, &correction, &lambda);
            self.q.copy_from_slice(&self.system.point.q);
            moved.iter_mut().zip(&correction).for_each(|(m, c)| *m += c);
            self.system.point.load_factor = factor;
            self.report.iterations += 1;
            if self.system.exec().is_stopped() {
                break;
            }
            let now = self.evaluate();
            let previous = trial.residuals.last().copied().unwrap_or(f64::INFINITY);
            trial.residuals.push(now.0);
            self.report.residual = now.0;
            let balanced = self.balanced(now, previous);
            trial.converged = balanced && self.is_sound();
            if balanced || !now.0.is_finite() || iteration == self.settings.max_iterations {
                break;
            }
            if !self.factor() || !self.solve_correction() {
                break;
            }
            let residual = self.rhs.clone();
            let Ok(along) = self.unit_load() else { break };
            let whole: Vec<f64> = moved.iter().zip(&residual).map(|(m, r)| m + r).collect();
            let (a, b) = (self.inner(&along, &along), self.inner(&along, &whole));
            let c = self.inner(&whole, &whole) - length * length;
            let root = b * b - a * c;
            if !(root >= 0.0 && a > 0.0) {
                break;
            }
            // The root whose displacement points on along the path.
            let progress = self.inner(&moved, &along);
            let change = (-b + root.sqrt().copysign(progress)) / a;
            factor += change;
            correction = residual.iter().zip(&along).map(|(r, x)| r + change * x).collect();
        }
        (trial, moved, factor)
    }
}

/// The first element that cannot continue at the point, named.
fn element_fault(system: &System, history: &[f64]) -> Option<(Subject, ElementFault)> {
    let x = system.view(history);
    system.model().elements.iter().find_map(|e| {
        let fault = e.batch.check(system.exec(), &x, &history[e.history_range()])?;
        Some((e.batch.item_name(fault.item), fault))
    })
}

/// Masses of the translations, made to sum to one; equal weights where nothing has mass.
fn length_weights(system: &System) -> Vec<f64> {
    let (model, inverse) = (system.model(), system.mass_inverse_diagonal());
    let mut weights = vec![0.0; model.velocity_count()];
    for e in &model.coordinates {
        let n = e.shape.v_per_item;
        let counted = if e.shape.kind == ItemKind::Other { n } else { n.min(3) };
        for first in e.v_range().step_by(n.max(1)) {
            for c in first..first + counted {
                weights[c] = if inverse[c] > 0.0 { (1.0 / inverse[c]).max(1e-100) } else { 0.0 };
            }
        }
    }
    let total: f64 = weights.iter().sum();
    weights.iter_mut().for_each(|w| *w /= total.max(1e-300));
    weights
}
