//! The generalized-α family on the index-3 equations, on the rotation manifold.
//!
//! With $x$ the position increment of the step, $q_{n+1} = q_n \oplus x$ (arnold2007, bruls2010):
//!
//! $$ x = h v_n + h^2[(\tfrac12-\beta)a_n + \beta a_{n+1}], \quad
//!    v_{n+1} = v_n + h[(1-\gamma)a_n + \gamma a_{n+1}], $$
//! $$ (1-\alpha_m)a_{n+1} + \alpha_m a_n = (1-\alpha_f)\dot v_{n+1} + \alpha_f\dot v_n, $$
//!
//! and $\dot v_{n+1}, \lambda_{n+1}$ satisfy the equations of motion and $\Phi(q_{n+1}) = 0$. HHT and Newmark are
//! members of the family. The dynamic equations are scaled by $1/\beta'$ and the multipliers by $\beta'$, with
//! $\beta' = (1-\alpha_m)/(\beta h^2(1-\alpha_f))$, so that the matrix does not depend on $h$ (bottasso2008).

use crate::contract::RowRequest;
use crate::error::{CoreError, Result};
use crate::integrator::{Integrator, Refresh, StepReport, Stepper};
use crate::model::Model;
use crate::state::State;
use crate::system::MatrixWeights;

/// Contraction of Newton's corrections above which the matrix is rebuilt within the step.
const SLOW: f64 = 0.25;
/// Contraction above which the next step starts with a new matrix.
const STALE: f64 = 0.05;

/// Residual [m or rad] that the compliance of redundant rows may leave.
const CONTRADICTION: f64 = 1e-7;
/// Motion in one step [m or rad] above which Newton's method must stay near the prediction.
const LARGE_MOTION: f64 = 0.05;
/// Halvings of a step on which Newton fails.
const MAX_CUTS: u32 = 6;
/// Corrections this much above the rounding of the positions may be rounding themselves.
const ROUNDING_GROWTH: f64 = 1e4;
/// Part of the positions' floor that the rounding of constraints may be.
const ROUNDED: f64 = 0.1;
/// Contraction above which corrections no longer shrink.
const STAGNANT: f64 = 0.5;

/// Parameters of the generalized-α family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaParameters {
    /// $\alpha_m$.
    pub alpha_m: f64,
    /// $\alpha_f$.
    pub alpha_f: f64,
    /// $\beta$.
    pub beta: f64,
    /// $\gamma$.
    pub gamma: f64,
}

impl AlphaParameters {
    /// The parameters of an integrator, if it belongs to the family.
    pub fn of(integrator: &Integrator) -> Option<Self> {
        let (alpha_m, alpha_f) = match *integrator {
            Integrator::GeneralizedAlpha { rho } => ((2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)),
            Integrator::Hht { alpha } => (0.0, -alpha),
            Integrator::Newmark { beta, gamma } => {
                return Some(Self { alpha_m: 0.0, alpha_f: 0.0, beta, gamma });
            }
            _ => return None,
        };
        let gamma = 0.5 + alpha_f - alpha_m;
        Some(Self { alpha_m, alpha_f, beta: 0.25 * (gamma + 0.5) * (gamma + 0.5), gamma })
    }
}

pub(crate) struct ImplicitScratch {
    residual: Vec<f64>,
    x: Vec<f64>,
    algorithmic: Vec<f64>,
    /// The `state.reused` to which the factors belong, if any.
    factored: Option<u64>,
}

impl ImplicitScratch {
    /// The factors belong to other parameters.
    pub fn forget_factors(&mut self) {
        self.factored = None;
    }

    pub fn new(model: &Model) -> Self {
        Self {
            residual: vec![0.0; model.v_count + model.row_count],
            x: vec![0.0; model.v_count],
            algorithmic: vec![0.0; model.v_count],
            factored: None,
        }
    }

    /// Forgets which point the factors belong to.
    pub fn forget(&mut self) {
        self.factored = None;
    }
}

/// Numbers fixed for one step.
struct Coefficients {
    p: AlphaParameters,
    h: f64,
    /// $\partial\dot v/\partial x$.
    acceleration: f64,
    /// $\partial v/\partial x$.
    velocity: f64,
}

impl Coefficients {
    fn new(p: AlphaParameters, h: f64) -> Self {
        let acceleration = (1.0 - p.alpha_m) / (p.beta * h * h * (1.0 - p.alpha_f));
        Self { p, h, acceleration, velocity: p.gamma / (p.beta * h) }
    }

    fn weights(&self) -> MatrixWeights {
        let scale = 1.0 / self.acceleration;
        MatrixWeights { mass: 1.0, damping: self.velocity * scale, stiffness: scale, geometric: scale }
    }
}

/// Weights of the last three accelerations and multipliers in the prediction: the highest order that would have
/// predicted the present ones well (after a stiff transient they alternate, and extrapolation would amplify it).
fn prediction_weights(state: &State, h: f64) -> [f64; 3] {
    if state.equal_steps < 2 || state.last_step_size != h {
        return [1.0, 0.0, 0.0];
    }
    let (mut constant, mut linear) = (0.0f64, 0.0f64);
    for ((a, p), o) in
        state.acceleration.iter().zip(&state.acceleration_previous).zip(&state.acceleration_older)
    {
        constant = constant.max((a - p).abs());
        linear = linear.max((a - 2.0 * p + o).abs());
    }
    if linear < 0.5 * constant {
        [3.0, -3.0, 1.0]
    } else if linear < constant {
        [2.0, -1.0, 0.0]
    } else {
        [1.0, 0.0, 0.0]
    }
}

/// Index of the largest absolute value.
fn largest_entry(x: &[f64]) -> usize {
    (0..x.len()).fold(0, |w, i| if x[i].abs() > x[w].abs() { i } else { w })
}

/// Whether a smaller step can help against a failure.
fn may_be_cut(e: &CoreError) -> bool {
    use CoreError::{Element, NonFinite, NotConverged, Singular};
    matches!(e, NotConverged { .. } | NonFinite { .. } | Singular { .. } | Element { .. })
}

impl Stepper {
    /// One step with the step control, if there is one.
    pub(crate) fn step_implicit_controlled(&mut self, state: &mut State, h: f64) -> Result<StepReport> {
        let Some(control) = self.settings.control else {
            return match self.step_implicit(state, h, None) {
                Err(e) if may_be_cut(&e) => self.step_in_pieces(state, h, e),
                result => result,
            };
        };
        let limit = h.min(control.max_step);
        let mut size = if state.next_step_size > 0.0 { state.next_step_size.min(limit) } else { limit };
        let mut rejected = 0;
        loop {
            match self.step_implicit(state, size, Some(control.tolerance)) {
                Ok(mut report) if report.local_error <= control.tolerance || size <= control.min_step => {
                    report.rejected = rejected;
                    // Growing by small amounts would cost a factorization each time.
                    let factor = 0.9 * (control.tolerance / report.local_error.max(1e-300)).cbrt();
                    let factor = if factor > 1.0 && factor < 1.3 { 1.0 } else { factor.clamp(0.3, 2.0) };
                    let wanted =
                        (state.last_step_size.max(size) * factor).clamp(control.min_step, control.max_step);
                    // A step cut short by the caller's limit says nothing against the size wanted before.
                    let cut = size < state.next_step_size && factor >= 1.0;
                    state.next_step_size = if cut { state.next_step_size } else { wanted };
                    return Ok(report);
                }
                Ok(report) => {
                    let factor = 0.9 * (control.tolerance / report.local_error).cbrt();
                    size = (size * factor.clamp(0.2, 0.9)).max(control.min_step);
                }
                Err(e) if may_be_cut(&e) && size > control.min_step => {
                    size = (0.5 * size).max(control.min_step);
                }
                Err(e) => return Err(e),
            }
            rejected += 1;
        }
    }

    /// A step of size `h` on which Newton failed, in halves, quarters and so on. If the smallest pieces fail too, the
    /// first failure is reported, and the whole step is undone.
    fn step_in_pieces(&mut self, state: &mut State, h: f64, failure: CoreError) -> Result<StepReport> {
        let (time, step) = (state.time_after(h), state.step + 1);
        let mut total = StepReport { step_size: h, rejected: 1, ..StepReport::default() };
        let (mut done, mut level) = (0u32, 1);
        while done < 1 << MAX_CUTS {
            let piece = h / f64::from(1u32 << level);
            state.reused.step_size = 0.0;
            match self.step_implicit(state, piece, None) {
                Ok(report) => {
                    done += 1 << (MAX_CUTS - level);
                    total.iterations += report.iterations;
                    total.factorizations += report.factorizations;
                    total.local_error += report.local_error;
                    // Take larger pieces again where the remainder allows it.
                    if level > 1 && done.trailing_zeros() > MAX_CUTS - level {
                        level -= 1;
                    }
                }
                Err(e) if may_be_cut(&e) && level < MAX_CUTS => {
                    level += 1;
                    total.rejected += 1;
                }
                Err(_) => return Err(failure),
            }
        }
        (state.time, state.step) = (time, step);
        Ok(total)
    }

    /// One step of size `h`. With an error limit, a step whose local error is above it is not committed.
    fn step_implicit(&mut self, state: &mut State, h: f64, error_limit: Option<f64>) -> Result<StepReport> {
        self.make_ready(state, h)?;
        self.system.begin_contacts(&state.contacts);
        self.system.start_contacts_from(&state.v);
        let p = AlphaParameters::of(&self.settings.integrator).expect("a member of the family");
        let c = Coefficients::new(p, h);
        if self.reusable(state, h) && self.implicit.factored != Some(state.reused.fingerprint()) {
            self.rebuild_matrix(state, &c)?;
        }
        self.predict(state, &c);
        let mut report = StepReport { step_size: h, ..StepReport::default() };
        let contraction = self.iterate(state, &c, &mut report)?;
        report.local_error = self.local_error(state, &c);
        let min_step = self.settings.control.map_or(0.0, |c| c.min_step);
        if error_limit.is_some_and(|limit| report.local_error > limit) && h > min_step {
            state.reused.step_size = 0.0;
            return Ok(report);
        }
        self.commit_implicit(state, &c)?;
        self.commit_compliant(state, &mut report);
        let touching = self.system.model().contact().is_some();
        if contraction > STALE || self.settings.newton.refresh != Refresh::Adaptive || touching {
            state.reused.step_size = 0.0;
        }
        Ok(report)
    }

    /// Extrapolates accelerations and multipliers and sets up the first iterate.
    fn predict(&mut self, state: &State, c: &Coefficients) {
        self.system.set_elapsed(c.h);
        let point = &mut self.system.point;
        point.time = state.time_after(c.h);
        point.z.iter_mut().zip(state.z.iter().zip(&state.z_rate)).for_each(|(z, (z0, r))| *z = z0 + c.h * r);
        point.z_rate.copy_from_slice(&state.z_rate);
        let w = prediction_weights(state, c.h);
        for i in 0..state.lambda.len() {
            point.lambda[i] =
                w[0] * state.lambda[i] + w[1] * state.lambda_previous[i] + w[2] * state.lambda_older[i];
        }
        let p = &c.p;
        for i in 0..state.v.len() {
            let (rate, a) = (state.acceleration[i], state.algorithmic[i]);
            let next_rate =
                w[0] * rate + w[1] * state.acceleration_previous[i] + w[2] * state.acceleration_older[i];
            let next = ((1.0 - p.alpha_f) * next_rate + p.alpha_f * rate - p.alpha_m * a) / (1.0 - p.alpha_m);
            point.acceleration[i] = next_rate;
            point.v[i] = state.v[i] + c.h * ((1.0 - p.gamma) * a + p.gamma * next);
            self.implicit.x[i] = c.h * state.v[i] + c.h * c.h * ((0.5 - p.beta) * a + p.beta * next);
        }
    }

    /// Newton's method; returns the last contraction seen.
    fn iterate(&mut self, state: &mut State, c: &Coefficients, report: &mut StepReport) -> Result<f64> {
        let newton = self.settings.newton;
        let nv = state.v.len();
        let scale = 1.0 / c.acceleration;
        let (mut previous, mut contraction, mut moved) = (f64::INFINITY, 0.0, 0.0);
        let motion = self.system.exec().max_abs(&self.implicit.x);
        let floor = 4e-15 * (1.0 + self.system.exec().max_abs(&state.q));
        self.states.begin();
        for iteration in 0..newton.max_iterations {
            self.system.exec().check_stop()?;
            self.evaluate_residual(state, scale, c);
            let reusable = self.reusable(state, c.h);
            let slow = contraction > SLOW && previous > ROUNDING_GROWTH * floor;
            let must = iteration == 0 && !reusable;
            if must || slow || newton.refresh == Refresh::EveryIteration {
                self.refresh_matrix(state, c)?;
                report.factorizations += 1;
            }
            let s = &mut self.implicit;
            self.system.solve_correction(&mut s.residual);
            self.system.unturn(&s.x, &mut s.residual[..nv]);
            let mut size: f64 = 0.0;
            let (mut largest, mut finite) = (1.0f64, true);
            let point = &mut self.system.point;
            for i in 0..nv {
                let d = -s.residual[i];
                finite &= d.is_finite();
                size = size.max(d.abs());
                s.x[i] += d;
                point.v[i] += c.velocity * d;
                point.acceleration[i] += c.acceleration * d;
                largest = largest.max(point.acceleration[i].abs());
            }
            let mut reaction: f64 = 0.0;
            for (l, d) in point.lambda.iter_mut().zip(&s.residual[nv..]) {
                *l -= d * c.acceleration;
                finite &= d.is_finite();
                reaction = reaction.max(d.abs());
            }
            report.iterations = iteration + 1;
            if !finite {
                self.implicit.factored = None;
                let q = &self.system.point.q;
                self.system.check_elements(q, &state.history, state.time + c.h, state.step + 1)?;
                let what = (0..nv).find(|&i| !self.implicit.x[i].is_finite());
                let what = what.map_or("a reaction".into(), |i| {
                    self.system.model().column_name(i).map(|name| format!("the motion of {name}"))
                });
                return Err(CoreError::NonFinite { what, time: state.time + c.h, step: state.step + 1 });
            }
            contraction = if previous.is_finite() && previous > 0.0 { size / previous } else { 0.0 };
            previous = size;
            moved += size;
            if motion > LARGE_MOTION && moved > 0.5 * motion {
                // Far from the prediction there are other roots.
                break;
            }
            let wanted = newton.tolerance.min(newton.acceleration_tolerance * largest * scale).max(floor);
            let left = if iteration == 0 { 1.0 } else { contraction / (1.0 - contraction.min(0.9)) };
            let close = left * size <= wanted || size <= floor;
            let settled = close && self.reactions_settled(left.min(1.0) * reaction, scale, floor);
            // Rounding has taken over (it grows along long chains): nothing more can be gained.
            let exhausted = iteration >= 2
                && contraction > STAGNANT
                && size <= newton.tolerance.max(ROUNDING_GROWTH * floor);
            if state.redundant && self.system.largest_compliance(scale) > CONTRADICTION {
                // Redundant rows that contradict each other would only be met by ever larger multipliers.
                break;
            }
            if (settled || exhausted) && state.z.is_empty() {
                return Ok(contraction);
            }
            if (settled || exhausted) && self.state_correction(state, c) < 1e-9 {
                return Ok(contraction);
            }
        }
        self.implicit.factored = None;
        let mut rows = vec![0.0; state.lambda.len()];
        self.system.residuals(&mut rows);
        let residual = self.system.exec().max_abs(&rows);
        let model = self.system.model();
        let worst = if residual > 0.0 {
            model.row_name(largest_entry(&rows))
        } else {
            model.column_name(largest_entry(&self.implicit.residual[..nv]))
        };
        Err(CoreError::NotConverged {
            time: state.time + c.h,
            step: state.step + 1,
            step_size: c.h,
            iterations: report.iterations,
            correction: previous,
            residual,
            worst,
        })
    }

    /// Whether the error `left` of the multipliers, times `scale` as in the equations solved, is small: relative to the
    /// forces, or to what positions that are known to a part of `floor` let the multipliers come to.
    fn reactions_settled(&self, left: f64, scale: f64, floor: f64) -> bool {
        let (point, tolerance) = (&self.system.point, self.settings.newton.acceleration_tolerance);
        let largest = point.lambda.iter().fold(0.0f64, |m, l| m.max(l.abs()));
        if left <= tolerance * scale * largest {
            return true;
        }
        // Where nothing pulls at the joints, what moves the masses is the measure.
        let (mut force, mut mass) = (0.0f64, 0.0f64);
        for (a, inverse) in point.acceleration.iter().zip(self.system.mass_inverse_diagonal()) {
            if *inverse > 0.0 {
                force = force.max(a.abs() / inverse);
                mass = mass.max(1.0 / inverse);
            }
        }
        left <= (tolerance * scale * force).max(ROUNDED * floor * mass)
    }

    fn state_correction(&mut self, state: &State, c: &Coefficients) -> f64 {
        self.system.retract(&state.q, &self.implicit.x);
        self.system.update(&state.history);
        self.states.correct(&mut self.system, &state.history, &state.z, &state.z_rate, c.h, 0.5)
    }

    /// Residual at the current iterate: scaled dynamics, then Φ.
    fn evaluate_residual(&mut self, state: &State, scale: f64, c: &Coefficients) {
        let nv = state.v.len();
        self.system.retract(&state.q, &self.implicit.x);
        self.system.update(&state.history);
        if !state.z.is_empty() {
            self.states.correct(&mut self.system, &state.history, &state.z, &state.z_rate, c.h, 0.5);
        }
        self.system.rows(&state.history, RowRequest::default());
        let (f, g) = self.implicit.residual.split_at_mut(nv);
        self.system.forces(&state.history, f);
        f.iter_mut().for_each(|f| *f = -*f);
        self.system.add_inertia_force(f);
        self.system.add_reactions(&self.system.point.lambda, 1.0, f);
        f.iter_mut().for_each(|f| *f *= scale);
        self.system.residuals(g);
        if state.redundant {
            self.system.subtract_compliance(&self.system.point.lambda, scale, g);
        }
    }

    /// Makes the matrix at the current iterate and notes where.
    fn refresh_matrix(&mut self, state: &mut State, c: &Coefficients) -> Result<()> {
        self.implicit.factored = None;
        self.system.assemble(&state.history, c.weights(), Some(&self.implicit.x));
        self.system.factor()?;
        let (point, r) = (&self.system.point, &mut state.reused);
        let keep = |to: &mut Vec<f64>, from: &[f64]| {
            to.clear();
            to.extend_from_slice(from);
        };
        r.step_size = c.h;
        r.time = point.time;
        keep(&mut r.q, &point.q);
        keep(&mut r.v, &point.v);
        keep(&mut r.x, &self.implicit.x);
        keep(&mut r.acceleration, &point.acceleration);
        keep(&mut r.z, &point.z);
        keep(&mut r.lambda, &point.lambda);
        keep(&mut r.history, &state.history);
        self.implicit.factored = Some(r.fingerprint());
        Ok(())
    }

    /// Whether the matrix of an earlier step may be used.
    fn reusable(&self, state: &State, h: f64) -> bool {
        state.reused.step_size == h && self.settings.newton.refresh == Refresh::Adaptive
    }

    /// Makes the matrix of `state.reused` again, after a restart.
    fn rebuild_matrix(&mut self, state: &State, c: &Coefficients) -> Result<()> {
        let r = &state.reused;
        let kept = self.system.point.clone();
        let point = &mut self.system.point;
        point.time = r.time;
        point.q.copy_from_slice(&r.q);
        point.v.copy_from_slice(&r.v);
        point.acceleration.copy_from_slice(&r.acceleration);
        point.z.copy_from_slice(&r.z);
        point.lambda.copy_from_slice(&r.lambda);
        self.system.update(&r.history);
        self.system.rows(&r.history, RowRequest::default());
        self.system.assemble(&r.history, c.weights(), Some(&r.x));
        self.system.factor()?;
        self.implicit.factored = Some(r.fingerprint());
        self.system.point = kept;
        self.system.update(&state.history);
        Ok(())
    }

    /// Zienkiewicz–Xie estimate of the local position error.
    fn local_error(&mut self, state: &State, c: &Coefficients) -> f64 {
        let p = &c.p;
        let factor = (p.beta - 1.0 / 6.0).abs() * c.h * c.h;
        let mut worst: f64 = 0.0;
        for i in 0..state.v.len() {
            let (a, rate, next_rate) =
                (state.algorithmic[i], state.acceleration[i], self.system.point.acceleration[i]);
            let next = ((1.0 - p.alpha_f) * next_rate + p.alpha_f * rate - p.alpha_m * a) / (1.0 - p.alpha_m);
            self.implicit.algorithmic[i] = next;
            worst = worst.max((next - a).abs());
        }
        factor * worst
    }

    fn commit_implicit(&mut self, state: &mut State, c: &Coefficients) -> Result<()> {
        let h = c.h;
        self.system.retract(&state.q, &self.implicit.x);
        let point = &self.system.point;
        self.system.check_elements(&point.q, &state.history, point.time, state.step + 1)?;
        self.system.settle_implicit(&c.p, h, state);
        let point = &self.system.point;
        state.shift_accelerations();
        state.acceleration.copy_from_slice(&point.acceleration);
        state.lambda.copy_from_slice(&point.lambda);
        state.algorithmic.copy_from_slice(&self.implicit.algorithmic);
        state.q.copy_from_slice(&point.q);
        state.v.copy_from_slice(&point.v);
        state.z.copy_from_slice(&point.z);
        state.z_rate.copy_from_slice(&point.z_rate);
        state.note_step(h);
        if !state.history.is_empty() {
            self.system.update(&state.history);
            self.system.commit(&mut state.history);
        }
        Ok(())
    }
}
