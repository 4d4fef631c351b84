//! Static equilibrium by pseudo-transient continuation.
//!
//! Newton's method on $-f(q) + C_q^T\lambda = 0$, $\Phi(q) = 0$ with the matrix $\mu M + K$: a large μ follows the
//! gradient flow to a stable equilibrium, and μ → 0 with decreasing residual gives quadratic convergence.

use crate::analysis::rounding::at_rounding;
use crate::analysis::{largest, linearize, misfits, residuals_at};
use crate::contract::RowRequest;
use crate::error::{CoreError, Result};
use crate::state::State;
use crate::subject::Subject;
use crate::system::{MatrixWeights, System};

/// Number of columns above which the dense check for free motions is skipped.
const DENSE_LIMIT: usize = 1200;

/// Settings of [`equilibrium`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaticsSettings {
    /// Largest unbalanced force, relative to the largest applied force; rounding errors are accepted in any case.
    pub tolerance: f64,
    /// Number of iterations after which the search fails.
    pub max_iterations: usize,
    /// Largest correction of one iteration [m or rad].
    pub max_correction: f64,
}

impl Default for StaticsSettings {
    fn default() -> Self {
        Self { tolerance: 1e-9, max_iterations: 400, max_correction: 0.2 }
    }
}

/// Report of the search for an equilibrium.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StaticsReport {
    /// Number of iterations.
    pub iterations: usize,
    /// Largest unbalanced force [N or N·m].
    pub residual: f64,
    /// Whether every small motion is resisted.
    pub stable: bool,
}

/// Moves the state to a static equilibrium near it; velocities and accelerations become zero.
pub fn equilibrium(
    system: &mut System,
    state: &mut State,
    settings: &StaticsSettings,
) -> Result<StaticsReport> {
    let (nv, nr) = (state.v.len(), state.lambda.len());
    let mut work = Work { rhs: vec![0.0; nv + nr], f: vec![0.0; nv], rows: vec![0.0; nr] };
    state.v.fill(0.0);
    state.acceleration.fill(0.0);
    system.load(state);
    system.update(&state.history);
    if !state.history_ready {
        system.initialize_history(&mut state.history);
    }
    let mut q = state.q.clone();
    let mut mu = 0.0;
    let mut report = StaticsReport::default();
    let (mut previous, mut previous_force) = (f64::INFINITY, f64::INFINITY);
    let mut converged = false;
    for iteration in 0..settings.max_iterations {
        system.exec().check_stop()?;
        let (unbalanced, scale) = work.evaluate(system, &state.history);
        report.residual = unbalanced;
        report.iterations = iteration;
        let bound = settings.tolerance * scale;
        let closed = largest(&work.rows) <= 1e-10;
        let trend = (unbalanced, previous_force);
        if closed && (unbalanced <= bound || at_rounding(system, &state.history, &work.f, bound, trend)) {
            converged = true;
            break;
        }
        previous_force = unbalanced;
        let measure = unbalanced / scale + largest(&work.rows);
        if previous.is_finite() {
            let ratio = (measure / previous).clamp(0.1, 4.0);
            let factor = if ratio < 1.0 { (ratio * ratio).min(0.5) } else { ratio * ratio };
            mu = (mu * factor).min(1e8);
            mu = if mu < 1e-6 { 0.0 } else { mu };
        } else {
            mu = work.acceleration(system) / settings.max_correction;
        }
        previous = measure;
        let weights = MatrixWeights { mass: mu, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
        system.assemble(&state.history, weights, None);
        let factored = system.factor();
        if let Err(error @ (CoreError::Stopped(_) | CoreError::TooLarge { .. })) = factored {
            return Err(error);
        }
        if factored.is_err() {
            mu = (mu * 10.0).max(1e-3);
            continue;
        }
        work.correct(system, &mut q, settings.max_correction);
    }
    state.q.copy_from_slice(&q);
    state.lambda.copy_from_slice(&system.point.lambda);
    if nv <= DENSE_LIMIT {
        report.stable = check_free_motion(system, state)?;
    }
    if !converged {
        if largest(&work.rows) > 1e-6 {
            let misfits = misfits(system.model(), &work.rows, 1e-6);
            return Err(CoreError::CannotAssemble { time: state.time, misfits });
        }
        let worst = (0..nv).fold(0, |w, i| if work.f[i].abs() > work.f[w].abs() { i } else { w });
        let worst = system.model().column_name(worst);
        return Err(CoreError::NoEquilibrium {
            iterations: report.iterations + 1,
            residual: report.residual,
            worst,
        });
    }
    state.disturb();
    Ok(report)
}

struct Work {
    rhs: Vec<f64>,
    f: Vec<f64>,
    rows: Vec<f64>,
}

impl Work {
    /// Unbalanced force at the point and the scale of the applied forces.
    fn evaluate(&mut self, system: &mut System, history: &[f64]) -> (f64, f64) {
        residuals_at(system, history, RowRequest::default(), &mut self.rows);
        system.forces(history, &mut self.f);
        // Forces that balance each other count one by one: their sum vanishes where it should.
        let scale = largest(&self.f).max(largest(&system.point.lambda)).max(system.element_force()).max(1e-9);
        self.f.iter_mut().for_each(|f| *f = -*f);
        system.add_reactions(&system.point.lambda, 1.0, &mut self.f);
        // What supports carry is balanced.
        system.model().fixed.iter().for_each(|&c| self.f[c as usize] = 0.0);
        (largest(&self.f), scale)
    }

    /// Size of the accelerations that the unbalanced forces would cause; at least 1, so that a balanced initial state
    /// works.
    fn acceleration(&mut self, system: &System) -> f64 {
        let momentum = &mut self.rhs[..self.f.len()];
        momentum.fill(0.0);
        system.add_mass_product(&self.f, momentum);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let size = dot(&self.f, &self.f) / dot(&self.f, momentum) * largest(&self.f);
        if size.is_finite() { size.max(1.0) } else { 1.0 }
    }

    fn correct(&mut self, system: &mut System, q: &mut [f64], limit: f64) {
        let nv = self.f.len();
        self.rhs[..nv].iter_mut().zip(&self.f).for_each(|(b, f)| *b = -f);
        self.rhs[nv..].iter_mut().zip(&self.rows).for_each(|(b, r)| *b = -r);
        system.solve_correction(&mut self.rhs);
        let size = largest(&self.rhs[..nv]);
        if !size.is_finite() {
            return;
        }
        let scale = if size > limit { limit / size } else { 1.0 };
        self.rhs[..nv].iter_mut().for_each(|x| *x *= scale);
        system.retract(q, &self.rhs[..nv]);
        q.copy_from_slice(&system.point.q);
        system.point.lambda.iter_mut().zip(&self.rhs[nv..]).for_each(|(l, d)| *l += d);
    }
}

/// Reports the motions that no force resists; returns whether all others are stable.
fn check_free_motion(system: &mut System, state: &State) -> Result<bool> {
    let linear = linearize(system, state);
    // Columns that supports hold are left out there.
    let held = &system.model().fixed;
    let free: Vec<usize> = (0..state.v.len()).filter(|c| held.binary_search(&(*c as u32)).is_err()).collect();
    let modes = linear.undamped_modes()?;
    // ω² of a mode with exponent s = iω, negative where it is unstable.
    let squares: Vec<f64> = modes.eigenvalues.iter().map(|s| s.im * s.im - s.re * s.re).collect();
    let top = squares.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
    let zero = 1e-9 * top.max(1e-3);
    let mut parts = Vec::new();
    for (k, square) in squares.iter().enumerate() {
        if square.abs() > zero {
            continue;
        }
        let shape: Vec<f64> = (0..free.len()).map(|i| modes.shapes[(i, k)].re).collect();
        let peak = largest(&shape);
        let mut names: Vec<Subject> = Vec::new();
        for (&column, s) in free.iter().zip(&shape) {
            let name = system.model().column_name(column);
            if s.abs() > 0.3 * peak && !names.contains(&name) {
                names.push(name);
            }
        }
        names.truncate(4);
        let all = names.iter().map(Subject::as_str).collect::<Vec<_>>().join(", ");
        let first = names.into_iter().next().unwrap_or_default();
        let part = first.map(|_| format!("{all} can move freely: no spring, joint or weight holds it"));
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.truncate(6);
    if parts.is_empty() { Ok(squares.iter().all(|s| *s > 0.0)) } else { Err(CoreError::FreeMotion { parts }) }
}
