//! Rigid contact: velocity stepping with joints, limits and frictional contacts in one cone problem.
//!
//! $$ H(v' - v) = h(f - b) + C^T\lambda + D\gamma, \qquad C v' = -\Phi/h - \Phi_t, \qquad
//!    \gamma \in \Upsilon \perp D^T v' + b_\gamma \in \Upsilon^*, $$
//!
//! then $q' = q \oplus h v'$ (anitescu2006, tasora2011, mazhar2015). Joints are eliminated with the factored
//! $H = M + hD + h^2K$, so that every iterate of the cone solver satisfies them, or are rows of the cone problem.

use std::sync::Mutex;

use glam::{DMat3, DVec3};
use huygens_exec::Exec;
use huygens_solve::{
    BodyInverse, Cone, ConeProblem, ConeReport, ConeSolver, InverseInertia, RowBlock, SolveError, SolverApgd,
    SparseRows,
};

use crate::contact::{
    ConeMethod, ContactDetector, FrictionModel, JointTreatment, OnFailure, RigidRows, RigidSettings,
    RigidStep,
};
use crate::contract::{Frame, FrameMotion, NO_BLOCK, RowRequest};
use crate::error::{CoreError, Result};
use crate::integrator::{StepReport, Stepper};
use crate::model::Model;
use crate::newton::NewtonMatrix;
use crate::state::State;
use crate::system::MatrixWeights;

/// Bodies a parallel chunk works on.
const CHUNK: usize = 256;
/// Recovery speed relative to √(gR) of a typical shape.
const RECOVERY: f64 = 0.5;
/// Without gravity: the part of a typical shape that may be recovered in a step.
const RECOVERY_PART: f64 = 0.1;
/// Tolerance relative to the speed gravity gives in a step.
const TOLERANCE: f64 = 1e-3;
/// Bounce threshold relative to the speed gravity gives in a step.
const BOUNCE: f64 = 2.0;

/// Mass properties of an item that do not change.
#[derive(Clone, Copy)]
struct Item {
    frame: u32,
    inverse_mass: f64,
    /// Body axes.
    inertia: DMat3,
    inverse_inertia: DMat3,
    /// Whether the inertia is the same about all axes.
    round: bool,
    /// Whether the Newton matrix covers the item.
    coupled: bool,
}

pub(crate) struct ContactScratch {
    pub detector: ContactDetector,
    rows: RigidRows,
    sparse: SparseRows,
    /// Global rows of joints (rows mode) and of one-sided constraints in `sparse`.
    sparse_limits: Vec<usize>,
    items: Vec<Item>,
    first_block: u32,
    first_column: usize,
    bodies: Vec<BodyInverse>,
    rotations: Vec<DMat3>,
    force: Vec<f64>,
    right: Vec<f64>,
    free: Vec<f64>,
    velocity: Vec<f64>,
    bias: Vec<f64>,
    compliance: Vec<f64>,
    cones: Vec<Cone>,
    impulse: Vec<f64>,
    slip: Vec<f64>,
    work: Vec<f64>,
    solver: Option<Solver>,
    typical_radius: f64,
}

impl ContactScratch {
    pub fn new(model: &Model) -> Self {
        // All items of six columns lie in one batch, the rigid bodies.
        let bodies = model.coordinates.iter().find(|e| e.shape.v_per_item == 6);
        let (first_block, first_column, count) =
            bodies.map_or((0, 0, 0), |e| (e.block as u32, e.v, e.shape.items));
        let radii = model.contact.as_ref().map_or(&[][..], |c| &c.radii);
        let (mut sum, mut finite) = (0.0, 0.0);
        for r in radii.iter().filter(|r| r.is_finite()) {
            (sum, finite) = (sum + r.ln(), finite + 1.0);
        }
        Self {
            detector: ContactDetector::default(),
            rows: RigidRows::new(first_column, count),
            sparse: SparseRows::new(model.v_count),
            sparse_limits: Vec::new(),
            items: Vec::new(),
            first_block,
            first_column,
            bodies: Vec::new(),
            rotations: Vec::new(),
            force: Vec::new(),
            right: Vec::new(),
            free: Vec::new(),
            velocity: Vec::new(),
            bias: Vec::new(),
            compliance: Vec::new(),
            cones: Vec::new(),
            impulse: Vec::new(),
            slip: Vec::new(),
            work: Vec::new(),
            solver: None,
            typical_radius: if finite > 0.0 { (sum / finite as f64).exp() } else { 1.0 },
        }
    }

    /// Mass properties of all items, once.
    fn prepare(&mut self, model: &Model, frames: &[Frame], state: &State, newton: Option<&NewtonMatrix>) {
        let Some(e) = model.coordinates.iter().find(|e| e.shape.v_per_item == 6) else { return };
        if self.items.len() == e.shape.items {
            return;
        }
        let mut frame_of = vec![u32::MAX; e.shape.items];
        for (k, frame) in frames.iter().enumerate() {
            if frame.block != NO_BLOCK && frame.motion == FrameMotion::Rigid {
                frame_of[(frame.block - self.first_block) as usize] = k as u32;
            }
        }
        let mut block = [0.0; 36];
        self.items = (0..e.shape.items)
            .map(|item| {
                let nq = e.shape.q_per_item;
                e.batch.mass_block(item, &state.q[e.q + item * nq..][..nq], &mut block);
                let row = |r: usize| DVec3::new(block[6 * r + 3], block[6 * r + 4], block[6 * r + 5]);
                let inertia = DMat3::from_cols(row(3), row(4), row(5)).transpose();
                let d = inertia.x_axis.x;
                let round = inertia == DMat3::from_diagonal(DVec3::splat(d));
                Item {
                    frame: frame_of[item],
                    inverse_mass: 1.0 / block[0],
                    inertia,
                    inverse_inertia: inertia.inverse(),
                    round,
                    coupled: newton.is_some_and(|n| n.local[e.block + item] != crate::newton::ABSENT),
                }
            })
            .collect();
    }

    /// Rotations and inverse inertias in world axes.
    fn turn(&mut self, ex: &Exec, frames: &[Frame]) {
        let items = &self.items;
        self.rotations.resize(items.len(), DMat3::IDENTITY);
        self.bodies.resize(items.len(), BodyInverse::default());
        ex.for_each_chunk(&mut self.rotations, CHUNK, |chunk, rotations| {
            for (item, r) in items[chunk * CHUNK..].iter().zip(rotations) {
                *r = frames[item.frame as usize].axes;
            }
        });
        let rotations = &self.rotations;
        ex.for_each_chunk(&mut self.bodies, CHUNK, |chunk, bodies| {
            let first = chunk * CHUNK;
            for (k, body) in bodies.iter_mut().enumerate() {
                let (item, r) = (&items[first + k], &rotations[first + k]);
                let j =
                    if item.round { item.inverse_inertia } else { *r * item.inverse_inertia * r.transpose() };
                *body = BodyInverse {
                    inverse_mass: item.inverse_mass,
                    inverse_inertia: [j.x_axis.x, j.y_axis.y, j.z_axis.z, j.x_axis.y, j.x_axis.z, j.y_axis.z],
                };
            }
        });
    }
}

/// H⁻¹ with joints and implicit forces eliminated for the bodies they touch.
struct StepInverse<'a> {
    dimension: usize,
    bodies: &'a [BodyInverse],
    items: &'a [Item],
    rotations: &'a [DMat3],
    first_column: usize,
    /// 1/m of every column, for those that are not bodies.
    diagonal: &'a [f64],
    /// Factors and work space, where something is coupled.
    newton: Option<Mutex<(&'a mut NewtonMatrix, &'a mut Vec<f64>)>>,
    rows: usize,
}

impl InverseInertia for StepInverse<'_> {
    fn dimension(&self) -> usize {
        self.dimension
    }

    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        let end = self.first_column + 6 * self.items.len();
        for i in (0..self.first_column).chain(end..v.len()) {
            v[i] = f[i] * self.diagonal[i];
        }
        ex.for_each_chunk(&mut v[self.first_column..end], 6 * CHUNK, |chunk, v| {
            for (k, v) in v.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + k;
                let at = self.first_column + 6 * item;
                let f: &[f64; 6] = f[at..at + 6].try_into().expect("six columns");
                v.copy_from_slice(&self.bodies[item].apply(*f));
            }
        });
        let Some(newton) = &self.newton else { return };
        let Ok(mut guard) = newton.lock() else { return };
        let (newton, work) = &mut *guard;
        work.clear();
        work.extend_from_slice(f);
        work.resize(f.len() + self.rows, 0.0);
        let coupled = || (0..self.items.len()).filter(|&i| self.items[i].coupled);
        for item in coupled() {
            let at = self.first_column + 6 * item + 3;
            rotate(&mut work[at..at + 3], self.rotations[item].transpose());
        }
        newton.solve(ex, work);
        for item in coupled() {
            let at = self.first_column + 6 * item;
            rotate(&mut work[at + 3..at + 6], self.rotations[item]);
            v[at..at + 6].copy_from_slice(&work[at..at + 6]);
        }
        for i in (0..self.first_column).chain(end..v.len()) {
            if newton.covers_column(i) {
                v[i] = work[i];
            }
        }
    }

    fn block(&self, item: u32) -> Option<[f64; 36]> {
        if self.newton.is_some() {
            return None;
        }
        let body = self.bodies.get(item as usize)?;
        let mut out = [0.0; 36];
        for c in 0..6 {
            let mut unit = [0.0; 6];
            unit[c] = 1.0;
            body.apply(unit).iter().enumerate().for_each(|(r, x)| out[6 * r + c] = *x);
        }
        Some(out)
    }

    fn bodies(&self) -> Option<&[BodyInverse]> {
        (self.newton.is_none() && self.dimension == 6 * self.items.len()).then_some(self.bodies)
    }
}

fn rotate(x: &mut [f64], r: DMat3) {
    x.copy_from_slice(&(r * DVec3::from_slice(x)).to_array());
}

/// The solver of the cone problem, kept between steps.
enum Solver {
    Apgd(SolverApgd),
}

impl Solver {
    fn new(_method: ConeMethod, max_iterations: usize, _relaxation: f64) -> Self {
        Self::Apgd(SolverApgd::new(max_iterations, 0.0))
    }

    fn with_tolerance(&mut self, tolerance: f64) -> &mut dyn ConeSolver {
        match self {
            Self::Apgd(s) => {
                s.tolerance = tolerance;
                s
            }
        }
    }
}

/// Choices that hold for one step.
struct Plan {
    step: RigidStep,
    tolerance: f64,
    /// Whether joints and implicit forces are eliminated by factors.
    direct: bool,
    projected: bool,
}

impl Stepper {
    /// One step with rigid contact.
    pub(crate) fn step_rigid(&mut self, state: &mut State, h: f64, projected: bool) -> Result<StepReport> {
        self.start_rigid(state);
        let plan = self.plan(state, h, projected);
        self.build_contacts(state, &plan);
        self.free_motion(state, &plan)?;
        self.collect_sparse(state, &plan);
        let report = self.solve_cones(state, &plan)?;
        self.finish_velocity_step(state, h, plan.projected && plan.direct)?;
        Ok(StepReport {
            step_size: h,
            iterations: 1,
            contacts: self.contact.detector.contacts.len(),
            contact_iterations: report.iterations,
            contact_residual: report.residual,
            contact_converged: report.converged,
            ..StepReport::default()
        })
    }

    /// Starting history and rates; velocity stepping needs no starting accelerations.
    fn start_rigid(&mut self, state: &mut State) {
        let system = &mut self.system;
        system.load(state);
        system.update(&state.history);
        if state.accelerations_ready {
            return;
        }
        if state.step == 0 {
            let mut history = std::mem::take(&mut state.history);
            system.initialize_history(&mut history);
            state.history = history;
            system.update(&state.history);
        }
        system.state_rates(&state.history, &mut state.z_rate);
        (state.last_step_size, state.equal_steps, state.reused.step_size) = (0.0, 0, 0.0);
        state.accelerations_ready = true;
    }

    fn plan(&self, state: &State, h: f64, projected: bool) -> Plan {
        let model = self.system.model();
        let settings = model.contact.as_ref().map_or_else(Default::default, |c| c.settings().rigid);
        let gravity = model.gravity().length();
        let radius = self.contact.typical_radius;
        let recovery =
            if gravity > 0.0 { RECOVERY * (gravity * radius).sqrt() } else { RECOVERY_PART * radius / h };
        let fastest = state.v.iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let gained = if gravity > 0.0 { h * gravity } else { TOLERANCE * fastest.max(f64::MIN_POSITIVE) };
        let coupled = model.row_count() > 0 || !model.elements.is_empty();
        Plan {
            step: RigidStep {
                h,
                recovery_speed: settings.recovery_speed.unwrap_or(recovery),
                bounce_threshold: settings.bounce_threshold.unwrap_or(BOUNCE * gained),
                warm_start: settings.warm_start,
                first_block: self.contact.first_block,
            },
            tolerance: settings.tolerance.unwrap_or(TOLERANCE * gained),
            direct: coupled
                && settings.joints == JointTreatment::Direct
                && settings.solver == ConeMethod::Apgd,
            projected,
        }
    }

    /// Finds contacts and makes their rows, with frames and prescribed motion at the start of the step.
    fn build_contacts(&mut self, state: &State, plan: &Plan) {
        let (system, s) = (&self.system, &mut self.contact);
        let (model, ex) = (system.model(), system.exec());
        let Some(contact) = &model.contact else { return };
        s.detector.detect(ex, contact, system.frames(), plan.step.h, &state.contacts);
        s.rows.build(ex, contact, &s.detector.contacts, system.frames(), &state.contacts, &plan.step);
    }

    /// The motion without contacts: `free` in world axes, and in direct mode the multipliers in `right`.
    fn free_motion(&mut self, state: &State, plan: &Plan) -> Result<()> {
        let h = plan.step.h;
        let (system, s) = (&mut self.system, &mut self.contact);
        let model = system.model().clone();
        if model.row_count() > 0 || !model.elements.is_empty() || !model.signals.is_empty() {
            // Functions of time and drivers count at the end of the step.
            system.point.time = state.time_after(h);
            system.update(&state.history);
        }
        let (nv, nr) = (model.v_count, model.row_count);
        s.right.resize(nv + nr, 0.0);
        let (f, g) = s.right.split_at_mut(nv);
        system.forces(&state.history, f);
        f.iter_mut().for_each(|f| *f = -*f);
        system.point.acceleration.fill(0.0);
        system.add_inertia_force(f);
        f.iter_mut().for_each(|f| *f *= -h);
        if nr > 0 {
            system.rows(&state.history, RowRequest { rate: true, gamma: false });
        }
        if plan.direct {
            let weights = MatrixWeights { mass: 1.0, damping: h, stiffness: h * h, geometric: 0.0 };
            system.assemble(&state.history, weights, None);
            system.factor()?;
            s.force.resize(nv, 0.0);
            s.force.fill(0.0);
            system.add_stiffness_product(&state.history, &state.v, h * h, &mut s.force);
            f.iter_mut().zip(&s.force).for_each(|(f, k)| *f -= k);
            system.rates(g);
            s.slip.resize(nr, 0.0);
            system.residuals(&mut s.slip[..nr]);
            for (g, phi) in g.iter_mut().zip(&s.slip) {
                *g = -*g - if plan.projected { 0.0 } else { phi / h };
            }
        }
        s.prepare(&model, system.frames(), state, if plan.direct { system.newton() } else { None });
        s.turn(system.exec(), system.frames());
        let inverse = system.mass_inverse_diagonal();
        s.free.clear();
        s.free.extend_from_slice(&state.v);
        let end = s.first_column + 6 * s.items.len();
        for i in (0..s.first_column).chain(end..nv) {
            s.free[i] += s.right[i] * inverse[i];
        }
        let ContactScratch { free, items, rotations, right, first_column, .. } = &mut *s;
        let first_column = *first_column;
        let (gyro, right_now) = (h, &*right);
        system.exec().for_each_chunk(&mut free[first_column..end], 6 * CHUNK, |chunk, free| {
            for (k, v) in free.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + k;
                let f = &right_now[first_column + 6 * item..][..6];
                free_body(&items[item], &rotations[item], gyro, f, v);
            }
        });
        if plan.direct {
            system.solve(right);
            for (item, _) in items.iter().enumerate().filter(|(_, i)| i.coupled) {
                let at = first_column + 6 * item;
                (0..6).for_each(|k| free[at + k] = state.v[at + k] + right[at + k]);
                rotate(&mut free[at + 3..at + 6], rotations[item]);
            }
            let newton = system.newton();
            for i in (0..first_column).chain(end..nv) {
                if newton.is_some_and(|n| n.covers_column(i)) {
                    free[i] = state.v[i] + right[i];
                }
            }
        }
        Ok(())
    }

    /// Rows with stored entries: joints in rows mode, limits and ropes.
    fn collect_sparse(&mut self, state: &State, plan: &Plan) {
        let (system, s) = (&mut self.system, &mut self.contact);
        let h = plan.step.h;
        s.sparse.clear();
        s.sparse_limits.clear();
        s.bias.clone_from(&s.rows.bias);
        s.cones.clone_from(&s.rows.cones);
        s.compliance.clone_from(&s.rows.compliance);
        s.impulse.clone_from(&s.rows.impulse);
        let (nr, first, rotations) = (state.lambda.len(), s.first_column, &s.rotations);
        let turned = |columns: &[u32], jacobian: &[f64]| -> Vec<(usize, f64)> {
            let mut out: Vec<(usize, f64)> =
                columns.iter().map(|&c| c as usize).zip(jacobian.iter().copied()).collect();
            let mut k = 0;
            while k + 2 < out.len() {
                let c = out[k].0;
                let item = c.wrapping_sub(first) / 6;
                if c >= first && item < rotations.len() && (c - first) % 6 == 3 {
                    let part = rotations[item] * DVec3::new(out[k].1, out[k + 1].1, out[k + 2].1);
                    (out[k].1, out[k + 1].1, out[k + 2].1) = (part.x, part.y, part.z);
                    k += 2;
                }
                k += 1;
            }
            out
        };
        if !plan.direct && nr > 0 {
            let mut values = vec![0.0; 3 * nr];
            let (phi, rest) = values.split_at_mut(nr);
            let (rate, driven) = rest.split_at_mut(nr);
            system.residuals(phi);
            system.rates(rate);
            system.jacobian_product(&state.v, driven);
            system.for_each_row(|row, columns, jacobian| {
                s.sparse.push(turned(columns, jacobian));
                s.bias.push(phi[row] / h + rate[row] - driven[row]);
                s.cones.push(Cone::Free);
                s.impulse.push(if plan.step.warm_start { -h * state.lambda[row] } else { 0.0 });
            });
        }
        if !state.lambda_unilateral.is_empty() {
            system.unilateral_rows(&state.history);
            system.for_each_unilateral(|row, gap, rate, restitution, columns, jacobian| {
                // Closing within two steps at the present rate, or already closed.
                if gap + 2.0 * h * rate.min(0.0) - 2.0 * h * h * 10.0 > 0.0 && gap > 0.0 {
                    return;
                }
                let own: f64 = columns.iter().zip(jacobian).map(|(&c, j)| j * state.v[c as usize]).sum();
                let bounces = gap + h * rate <= 0.0 && rate < -plan.step.bounce_threshold;
                let rebound = if bounces { restitution * rate } else { 0.0 };
                let wanted = (gap / h).max(-plan.step.recovery_speed).min(rebound);
                let wanted = if bounces { wanted } else { (gap / h).max(-plan.step.recovery_speed) };
                s.sparse.push(turned(columns, jacobian));
                s.bias.push(wanted + rate - own);
                s.cones.push(Cone::Nonnegative);
                s.impulse.push(if plan.step.warm_start { h * state.lambda_unilateral[row] } else { 0.0 });
                s.sparse_limits.push(row);
            });
        }
        if !s.compliance.is_empty() {
            s.compliance.resize(s.bias.len(), 0.0);
        }
        s.sparse.finish();
    }

    /// Solves the cone problem and writes velocities, multipliers and the contacts' memory.
    fn solve_cones(&mut self, state: &mut State, plan: &Plan) -> Result<ConeReport> {
        let h = plan.step.h;
        let model = self.system.model().clone();
        let settings = model.contact.as_ref().map_or_else(Default::default, |c| c.settings().rigid);
        let ex = self.system.exec().clone();
        let (nv, nr) = (model.v_count, model.row_count);
        let mut newton = if plan.direct { self.system.take_newton() } else { None };
        let s = &mut self.contact;
        let mut solver = s
            .solver
            .take()
            .unwrap_or_else(|| Solver::new(settings.solver, settings.max_iterations, settings.relaxation));
        let (contact_rows, joint_rows) = (s.rows.len(), if plan.direct { 0 } else { nr });
        s.velocity.resize(nv, 0.0);
        s.force.resize(nv, 0.0);
        let report = {
            let inverse = StepInverse {
                dimension: nv,
                bodies: &s.bodies,
                items: &s.items,
                rotations: &s.rotations,
                first_column: s.first_column,
                diagonal: self.system.mass_inverse_diagonal(),
                newton: newton.as_deref_mut().map(|n| Mutex::new((n, &mut s.work))),
                rows: nr,
            };
            let all = [
                RowBlock::Pair(&s.rows.sliding_rows),
                RowBlock::Pair(&s.rows.rolling_rows),
                RowBlock::Sparse(&s.sparse),
            ];
            let rows: Vec<RowBlock<'_>> = all.into_iter().filter(|b| b.operator().rows() > 0).collect();
            let result = solve_with_friction(
                &ex,
                &mut solver,
                plan,
                &settings,
                &s.rows,
                ConeProblem {
                    inverse: &inverse,
                    free_velocity: &s.free,
                    bias: &[],
                    compliance: &s.compliance,
                    rows: &rows,
                    cones: &s.cones,
                },
                &mut s.bias,
                &mut s.velocity,
                &mut s.impulse,
                &mut s.slip,
            );
            if plan.direct && nr > 0 && result.is_ok() && !rows.is_empty() {
                let problem = ConeProblem {
                    inverse: &inverse,
                    free_velocity: &s.free,
                    bias: &s.bias,
                    compliance: &s.compliance,
                    rows: &rows,
                    cones: &s.cones,
                };
                problem.apply_transpose(&ex, &s.impulse, &mut s.force);
            }
            result
        };
        if plan.direct && nr > 0 && report.is_ok() && !s.impulse.is_empty() {
            // The joints' answer to the contacts' impulses.
            if let Some(newton) = newton.as_deref_mut() {
                s.work.clear();
                s.work.extend_from_slice(&s.force);
                s.work.resize(nv + nr, 0.0);
                for (item, _) in s.items.iter().enumerate().filter(|(_, i)| i.coupled) {
                    let at = s.first_column + 6 * item + 3;
                    rotate(&mut s.work[at..at + 3], s.rotations[item].transpose());
                }
                newton.solve(&ex, &mut s.work);
                for k in 0..nr {
                    s.right[nv + k] += s.work[nv + k];
                }
            }
        }
        s.solver = Some(solver);
        self.system.return_newton(newton);
        let report = report.map_err(|reason| CoreError::Contact {
            reason: reason.to_string(),
            time: state.time,
            step: state.step,
        })?;
        if !report.converged && settings.on_failure == OnFailure::Stop {
            return Err(CoreError::ContactNotConverged {
                time: state.time,
                step: state.step,
                contacts: s.detector.contacts.len(),
                iterations: report.iterations,
                residual: report.residual,
                tolerance: plan.tolerance,
            });
        }
        state.shift_accelerations();
        let ContactScratch { velocity, rotations, first_column, items, .. } = &mut *s;
        let (first, end) = (*first_column, *first_column + 6 * items.len());
        ex.for_each_chunk(&mut velocity[first..end], 6 * CHUNK, |chunk, v| {
            for (k, v) in v.chunks_exact_mut(6).enumerate() {
                rotate(&mut v[3..6], rotations[chunk * CHUNK + k].transpose());
            }
        });
        for i in 0..nv {
            state.acceleration[i] = (velocity[i] - state.v[i]) / h;
            state.v[i] = velocity[i];
        }
        if plan.direct {
            state.lambda.iter_mut().zip(&s.right[nv..]).for_each(|(l, p)| *l = p / h);
        } else {
            let impulse = &s.impulse[contact_rows..contact_rows + joint_rows];
            state.lambda.iter_mut().zip(impulse).for_each(|(l, p)| *l = -p / h);
        }
        state.lambda_unilateral.fill(0.0);
        for (row, p) in s.sparse_limits.iter().zip(&s.impulse[contact_rows + joint_rows..]) {
            state.lambda_unilateral[*row] = p / h;
        }
        s.rows.remember(&s.detector.contacts, &s.impulse, h, &mut state.contacts);
        self.velocity.set_motion(&state.v, h);
        Ok(report)
    }
}

/// $v' = v + M^{-1}h(f - b)$ of one body, the gyroscopic torque taken implicitly; `v` in body axes becomes world.
fn free_body(item: &Item, rotation: &DMat3, h: f64, f: &[f64], v: &mut [f64]) {
    (0..3).for_each(|k| v[k] += item.inverse_mass * f[k]);
    let (omega, torque) = (DVec3::from_slice(&v[3..6]), DVec3::from_slice(&f[3..6]));
    let gained = if item.round {
        item.inverse_inertia * torque
    } else {
        // (J + h ∂(ω × Jω)/∂ω) Δω = hτ
        let skew = huygens_kernel::rotation::skew;
        let tangent = skew(omega) * item.inertia - skew(item.inertia * omega);
        (item.inertia + tangent * h).inverse() * torque
    };
    v[3..6].copy_from_slice(&(*rotation * (omega + gained)).to_array());
}

/// Solves once, or for Coulomb friction until the sliding speeds settle.
fn solve_with_friction(
    ex: &Exec,
    solver: &mut Solver,
    plan: &Plan,
    settings: &RigidSettings,
    contacts: &RigidRows,
    problem: ConeProblem<'_>,
    bias: &mut [f64],
    velocity: &mut [f64],
    impulse: &mut [f64],
    slip: &mut Vec<f64>,
) -> std::result::Result<ConeReport, SolveError> {
    if impulse.is_empty() {
        velocity.copy_from_slice(problem.free_velocity);
        return Ok(ConeReport { iterations: 0, products: 0, residual: 0.0, converged: true });
    }
    let solver = solver.with_tolerance(plan.tolerance);
    if !solver.supports(&ConeProblem { bias, ..problem }) {
        return Err(SolveError::Unsupported {
            solver: "the contact solver",
            what: "this solver cannot take the rows of this model; use apgd",
        });
    }
    let mut report = solver.solve(ex, &ConeProblem { bias, ..problem }, velocity, impulse)?;
    if settings.friction == FrictionModel::Coulomb {
        slip.resize(impulse.len(), 0.0);
        for _ in 0..settings.friction_iterations {
            problem.apply_rows(ex, velocity, slip);
            if contacts.correct_friction(bias, slip) <= plan.tolerance {
                break;
            }
            let next = solver.solve(ex, &ConeProblem { bias, ..problem }, velocity, impulse)?;
            report = ConeReport {
                iterations: report.iterations + next.iterations,
                products: report.products + next.products,
                ..next
            };
        }
    }
    Ok(report)
}
