//! Velocity stepping: linearly implicit Euler with constraints at velocity level (anitescu2006).
//!
//! $$ (M + hD + h^2K)\,\Delta v + C_q^T(h\lambda) - J^T p = h(f - b) - h^2 K v, $$
//! $$ C_q v' = -\Phi_t - \Phi/h, \qquad 0 \le p \perp J v' + \max(g/h, -s) + \text{restitution} \ge 0, $$
//!
//! then $q' = q\oplus h v'$. Unilateral rows are condensed with the factored bilateral system and solved as a
//! dense complementarity problem.

use huygens_kernel::contact::rigid;
use huygens_solve::BoxLcp;

use crate::contract::RowRequest;
use crate::error::{CoreError, Result};
use crate::integrator::{StepReport, Stepper};
use crate::model::Model;
use crate::state::State;
use crate::subject::Subject;
use crate::system::MatrixWeights;

/// Speed at which an overshot limit is pushed back [m/s or rad/s].
const RECOVERY_SPEED: f64 = 0.5;
/// Approach speed below which an impact does not bounce [m/s or rad/s].
const BOUNCE_THRESHOLD: f64 = 1e-3;
const PROJECTION_TOLERANCE: f64 = 1e-12;
/// Largest number of unilateral rows named in a message.
const MOST_NAMED: usize = 8;

#[derive(Default)]
pub(crate) struct VelocityScratch {
    rhs: Vec<f64>,
    x: Vec<f64>,
    rows: Vec<f64>,
    q: Vec<f64>,
    stiff: Vec<f64>,
    active: Vec<ActiveRow>,
    active_count: usize,
    matrix: Vec<f64>,
    bias: Vec<f64>,
    pressure: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    lcp: BoxLcp,
}

/// A unilateral row that may push in this step.
#[derive(Default)]
struct ActiveRow {
    row: usize,
    columns: Vec<u32>,
    jacobian: Vec<f64>,
    /// $-w$: the row wants $J v' \ge$ this.
    wanted: f64,
    /// $S^{-1}J^T$.
    response: Vec<f64>,
}

impl VelocityScratch {
    pub fn new(model: &Model) -> Self {
        Self {
            rhs: vec![0.0; model.v_count + model.row_count],
            x: vec![0.0; model.v_count],
            rows: vec![0.0; model.row_count],
            q: vec![0.0; model.q_count],
            stiff: vec![0.0; model.v_count],
            ..Self::default()
        }
    }

    /// Sets the motion of the step, h v'.
    pub fn set_motion(&mut self, v: &[f64], h: f64) {
        self.x.iter_mut().zip(v).for_each(|(x, v)| *x = h * v);
    }

    /// The motion of the step, to be changed.
    pub fn motion_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }
}

impl Stepper {
    pub(crate) fn step_velocity(&mut self, state: &mut State, h: f64, projected: bool) -> Result<StepReport> {
        self.make_ready(state, h)?;
        let nv = state.v.len();
        self.assemble_velocity_step(state, h, projected)?;
        self.collect_active(state, h);
        let s = &mut self.velocity;
        self.system.solve(&mut s.rhs)?;
        self.solve_active(state, h)?;
        let s = &mut self.velocity;
        state.shift_accelerations();
        for i in 0..nv {
            state.acceleration[i] = s.rhs[i] / h;
            state.v[i] += s.rhs[i];
            s.x[i] = h * state.v[i];
        }
        state.lambda.iter_mut().zip(&s.rhs[nv..]).for_each(|(l, p)| *l = p / h);
        self.finish_velocity_step(state, h, projected)?;
        let mut report =
            StepReport { step_size: h, iterations: 1, factorizations: 1, ..StepReport::default() };
        self.commit_compliant(state, &mut report);
        Ok(report)
    }

    fn assemble_velocity_step(&mut self, state: &State, h: f64, projected: bool) -> Result<()> {
        let nv = state.v.len();
        let (system, s, watch) = (&mut self.system, &mut self.velocity, &mut self.watch);
        system.load(state);
        system.set_elapsed(h);
        system.start_contacts_from(&[]);
        // Functions of time and drivers count at the end of the step.
        system.point.time = state.time_after(h);
        system.update(&state.history);
        system.rows(&state.history, RowRequest { rate: true, gamma: false });
        let weights = MatrixWeights { mass: 1.0, damping: h, stiffness: h * h, geometric: 0.0 };
        system.assemble(&state.history, weights, None);
        system.factor()?;
        let (f, g) = s.rhs.split_at_mut(nv);
        system.forces(&state.history, f);
        f.iter_mut().for_each(|f| *f = -*f);
        system.point.acceleration.fill(0.0);
        system.add_inertia_force(f);
        f.iter_mut().for_each(|f| *f *= -h);
        s.stiff.fill(0.0);
        system.add_stiffness_product(&state.history, &state.v, h * h, &mut s.stiff);
        f.iter_mut().zip(&s.stiff).for_each(|(f, k)| *f -= k);
        system.rates(g);
        system.residuals(&mut s.rows);
        watch.rows.check(system, &s.rows, state, h, &mut watch.findings)?;
        for (g, phi) in g.iter_mut().zip(&s.rows) {
            *g = -*g - if projected { 0.0 } else { phi / h };
        }
        Ok(())
    }

    /// Gathers the unilateral rows that the free motion could violate.
    fn collect_active(&mut self, state: &State, h: f64) {
        let (system, s, watch) = (&mut self.system, &mut self.velocity, &mut self.watch);
        s.active_count = 0;
        if state.lambda_unilateral.is_empty() {
            return;
        }
        system.unilateral_rows(&state.history);
        let (active, count) = (&mut s.active, &mut s.active_count);
        system.for_each_unilateral(|row, gap, rate, restitution, columns, jacobian| {
            watch.rows.one_sided(row, gap, columns, jacobian, h, RECOVERY_SPEED);
            if !may_close(gap, rate, h) {
                return;
            }
            if active.len() == *count {
                active.push(ActiveRow::default());
            }
            let a = &mut active[*count];
            *count += 1;
            a.row = row;
            a.columns.clear();
            a.columns.extend_from_slice(columns);
            a.jacobian.clear();
            a.jacobian.extend_from_slice(jacobian);
            a.wanted = -one_sided_bias(gap, rate, restitution, h, RECOVERY_SPEED, BOUNCE_THRESHOLD) - rate;
        });
        watch.rows.check_one_sided(system, state, &mut watch.findings);
    }

    /// Adds the impulses of active unilateral rows to the solution in `rhs`.
    fn solve_active(&mut self, state: &mut State, h: f64) -> Result<()> {
        state.lambda_unilateral.fill(0.0);
        let (system, s) = (&mut self.system, &mut self.velocity);
        let n = s.active_count;
        if n == 0 {
            return Ok(());
        }
        for a in &mut s.active[..n] {
            a.response.clear();
            a.response.resize(s.rhs.len(), 0.0);
            for (&c, &j) in a.columns.iter().zip(&a.jacobian) {
                a.response[c as usize] += j;
            }
            system.solve(&mut a.response)?;
        }
        let dot = |a: &ActiveRow, x: &[f64]| -> f64 {
            a.columns.iter().zip(&a.jacobian).map(|(&c, &j)| j * x[c as usize]).sum()
        };
        s.matrix.clear();
        s.bias.clear();
        for a in &s.active[..n] {
            s.matrix.extend(s.active[..n].iter().map(|b| dot(a, &b.response)));
            s.bias.push(dot(a, &s.rhs) - a.wanted);
        }
        for i in 0..n {
            for j in 0..i {
                let mean = 0.5 * (s.matrix[i * n + j] + s.matrix[j * n + i]);
                s.matrix[i * n + j] = mean;
                s.matrix[j * n + i] = mean;
            }
            s.matrix[i * n + i] *= 1.0 + 1e-12;
        }
        s.pressure.clear();
        s.pressure.resize(n, 0.0);
        s.lower.resize(n, 0.0);
        s.upper.resize(n, f64::INFINITY);
        s.lcp.solve(&s.matrix, &s.bias, &s.lower, &s.upper, &mut s.pressure).map_err(|e| {
            let names: Vec<Subject> =
                s.active[..n].iter().take(MOST_NAMED).map(|a| system.model().one_sided_name(a.row)).collect();
            let all = names.iter().map(Subject::as_str).collect::<Vec<_>>().join(", ");
            let first = names.into_iter().next().unwrap_or_default();
            CoreError::Singular {
                what: first.map(|_| format!("the unilateral constraints {all}")),
                reason: format!("{e}; they may contradict each other or other constraints on these bodies"),
            }
        })?;
        for (a, &p) in s.active[..n].iter().zip(&s.pressure) {
            if p > 0.0 {
                s.rhs.iter_mut().zip(&a.response).for_each(|(x, r)| *x += r * p);
                state.lambda_unilateral[a.row] = p / h;
            }
        }
        Ok(())
    }

    pub(crate) fn finish_velocity_step(&mut self, state: &mut State, h: f64, projected: bool) -> Result<()> {
        let (system, s) = (&mut self.system, &mut self.velocity);
        system.retract(&state.q, &s.x);
        s.q.copy_from_slice(&system.point.q);
        // The point still has the velocities of the start.
        let start = std::mem::take(&mut system.point.v);
        system.settle_turning(&state.q, &start, &s.q, h, &mut state.v);
        system.point.v = start;
        system.point.v.copy_from_slice(&state.v);
        system.point.time = state.time_after(h);
        system.update(&state.history);
        if projected && !state.lambda.is_empty() {
            project(system, s, &state.history)?;
        }
        state.q.copy_from_slice(&s.q);
        state.note_step(h);
        system.point.acceleration.copy_from_slice(&state.acceleration);
        system.point.lambda.copy_from_slice(&state.lambda);
        if !state.z.is_empty() {
            self.states.begin();
            for _ in 0..4 {
                if self.states.correct(system, &state.history, &state.z, &state.z_rate, h, 1.0) < 1e-10 {
                    break;
                }
            }
            state.z.copy_from_slice(&system.point.z);
            state.z_rate.copy_from_slice(&system.point.z_rate);
        }
        system.commit(&mut state.history);
        Ok(())
    }
}

/// Whether a unilateral row may act in a step: closed, or closing within two steps at the present rate.
pub(super) fn may_close(gap: f64, rate: f64, h: f64) -> bool {
    gap <= 0.0 || gap + 2.0 * h * rate.min(0.0) - 2.0 * h * h * 10.0 <= 0.0
}

/// Bias of a unilateral row: the rate after the step plus it is not negative.
pub(super) fn one_sided_bias(
    gap: f64,
    rate: f64,
    restitution: f64,
    h: f64,
    recovery: f64,
    threshold: f64,
) -> f64 {
    let stabilization = rigid::stabilization_bias(gap, h, recovery, 1.0, 0.0);
    rigid::normal_bias(stabilization, gap, h, rate, restitution, threshold)
}

/// Moves `s.q` onto $\Phi = 0$ with the metric of the factored step matrix.
fn project(system: &mut crate::system::System, s: &mut VelocityScratch, history: &[f64]) -> Result<()> {
    let nv = s.x.len();
    for _ in 0..12 {
        system.rows(history, RowRequest::default());
        system.residuals(&mut s.rows);
        if s.rows.iter().all(|r| r.abs() <= PROJECTION_TOLERANCE) {
            break;
        }
        s.rhs[..nv].fill(0.0);
        s.rhs[nv..].iter_mut().zip(&s.rows).for_each(|(b, r)| *b = -r);
        system.solve_correction(&mut s.rhs);
        system.retract(&s.q, &s.rhs[..nv]);
        s.q.copy_from_slice(&system.point.q);
        system.update(history);
    }
    Ok(())
}
