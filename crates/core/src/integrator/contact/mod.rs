//! Rigid contact: velocity stepping with joints, limits and frictional contacts in one cone problem.
//!
//! $$ H(v' - v) = h(f - b) + C^T\lambda + D\gamma, \qquad C v' = -\Phi/h - \Phi_t, \qquad
//!    \gamma \in \Upsilon \perp D^T v' + b_\gamma \in \Upsilon^*, $$
//!
//! then $q' = q \oplus h v'$ (anitescu2006, tasora2011, mazhar2015). Joints are eliminated with the factored
//! $H = M + hD + h^2K$, so that every iterate of the cone solver satisfies them, or are rows of the cone problem.

mod inverse;
mod scratch;
mod solver;

use std::sync::Mutex;

use glam::{DMat3, DVec3};
use huygens_solve::{Cone, ConeProblem, ConeReport, FrictionLaw, RowBlock, SolveError};

use self::inverse::{StepInverse, rotate};
use self::scratch::CHUNK;
pub(crate) use self::scratch::ContactScratch;
use self::solver::Solver;
use crate::contact::defaults::{BOUNCE, GAINED, RECOVERY, RECOVERY_PART, TOLERANCE};
use crate::contact::{FrictionModel, JointTreatment, OnFailure, RigidStep};
use crate::contract::{FrameMotion, ItemKind, RowRequest};
use crate::error::{CoreError, Result};
use crate::integrator::velocity::{may_close, one_sided_bias};
use crate::integrator::{StepReport, Stepper};
use crate::model::Model;
use crate::rows::RowStep;
use crate::state::State;
use crate::system::MatrixWeights;

/// Speed of a contact at rest relative to the tolerance.
const RESTING: f64 = 10.0;

/// Choices that hold for one step.
struct Plan {
    step: RigidStep,
    tolerance: f64,
    /// Whether joints and implicit forces are eliminated by factors.
    direct: bool,
    projected: bool,
}

impl Plan {
    fn row_step<'a>(&self, model: &'a Model) -> RowStep<'a> {
        RowStep {
            h: self.step.h,
            warm_start: self.step.warm_start,
            columns: &model.block_columns,
            bodies: [self.step.first_block, self.step.item_count],
        }
    }
}

impl Stepper {
    /// One step with rigid contact.
    pub(crate) fn step_rigid(&mut self, state: &mut State, h: f64, projected: bool) -> Result<StepReport> {
        self.check_rigid()?;
        self.start_rigid(state);
        let plan = self.plan(state, h, projected);
        self.build_contacts(state, &plan);
        self.build_sources(state, &plan)?;
        self.free_motion(state, &plan)?;
        self.collect_sparse(state, &plan);
        let report = self.solve_cones(state, &plan)?;
        self.store_solution(state, &plan);
        self.finish_velocity_step(state, h, plan.projected && plan.direct)?;
        let (system, watch) = (&self.system, &mut self.watch);
        let (detector, frames) = (&self.contact.detector, system.frames());
        watch.passages.check(system.model(), detector, frames, state, h, &mut watch.findings);
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

    /// Makes the solver where there is none; refuses flexible parts with joints as rows, since they are eliminated by
    /// the same factors.
    fn check_rigid(&mut self) -> Result<()> {
        let model = self.system.model();
        let settings = model.contact.as_ref().map_or_else(Default::default, |c| c.settings().rigid);
        if self.contact.solver.is_none() {
            self.contact.solver = Some(Solver::new(&settings)?);
        }
        if model.has_nodes() && settings.joints != JointTreatment::Direct {
            return Err(CoreError::Unsupported {
                integrator: "the contact solver".into(),
                reason: "rigid contact with flexible parts needs direct joints (`joints = \"direct\"`)"
                    .into(),
            });
        }
        Ok(())
    }

    /// Whether joints and implicit forces are eliminated by factors. Flexible parts always are; otherwise the solver has
    /// the choice.
    fn eliminates(&self, joints: JointTreatment) -> bool {
        let model = self.system.model();
        let coupled = model.row_count() > 0 || !model.elements.is_empty();
        let blocks = self.contact.solver.as_ref().is_some_and(|s| s.needs_blocks());
        coupled && joints == JointTreatment::Direct && (model.has_nodes() || !blocks)
    }

    /// Starting history and rates; velocity stepping needs no starting accelerations.
    fn start_rigid(&mut self, state: &mut State) {
        if !state.accelerations_ready {
            state.rest_fixed(self.system.model());
        }
        let system = &mut self.system;
        system.load(state);
        system.update(&state.history);
        if state.accelerations_ready {
            return;
        }
        if !state.history_ready {
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
        // Linear velocities only, so that the unit of length does not matter.
        let moving = model.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other);
        let ex = self.system.exec();
        let fastest = moving.fold(0.0f64, |most, e| {
            let (v, width) = (&state.v[e.v_range()], e.shape.v_per_item);
            let of = |items: std::ops::Range<usize>| {
                let linear =
                    v[items.start * width..items.end * width].chunks_exact(width).flat_map(|v| &v[..3]);
                linear.fold(0.0f64, |m, v| m.max(v.abs()))
            };
            most.max(ex.max(v.len() / width.max(1), 4096, of))
        });
        let gained = if gravity > 0.0 { h * gravity } else { GAINED * fastest.max(f64::MIN_POSITIVE) };
        let tolerance = settings.tolerance.unwrap_or(TOLERANCE * gained);
        Plan {
            step: RigidStep {
                h,
                recovery_speed: settings.recovery_speed.unwrap_or(recovery),
                stabilization: settings.stabilization,
                overlap: settings.overlap,
                bounce_threshold: settings.bounce_threshold.unwrap_or(BOUNCE * gained),
                warm_start: settings.warm_start,
                resting_speed: RESTING * tolerance,
                first_block: self.contact.first_block,
                item_count: self.contact.item_count as u32,
            },
            tolerance,
            direct: self.eliminates(settings.joints),
            projected,
        }
    }

    /// Finds contacts and makes their rows, with frames and prescribed motion at the start of the step.
    fn build_contacts(&mut self, state: &State, plan: &Plan) {
        let (system, s) = (&self.system, &mut self.contact);
        let (model, ex) = (system.model(), system.exec());
        let Some(contact) = &model.contact else { return s.rows.clear() };
        let x = system.view(&state.history);
        s.detector.detect(ex, contact, &x, plan.step.h, &state.contacts);
        s.rows.build(ex, contact, &s.detector.contacts, &x, &state.contacts, &plan.step);
    }

    /// Makes the rows of all sources, with positions and prescribed motion at the start of the step.
    fn build_sources(&mut self, state: &State, plan: &Plan) -> Result<()> {
        let (system, s) = (&self.system, &mut self.contact);
        s.source_rows.clear();
        let model = system.model();
        let step = plan.row_step(model);
        for (stage, (source, first)) in s.stages.iter_mut().zip(&model.row_sources) {
            let own = &state.history[*first..first + source.history()];
            let view = system.view(&state.history);
            stage.build(system.exec(), &view, &step, own, &mut s.source_rows.numbers()).map_err(
                |reason| {
                    let reason = source.name().map(|name| format!("{name}: {reason}"));
                    CoreError::Contact { reason, time: state.time, step: state.step }
                },
            )?;
            s.source_rows.starts.push(s.source_rows.bias.len());
        }
        Ok(())
    }

    /// The motion without contacts: `free` in world axes, and in direct mode the multipliers in `right`.
    fn free_motion(&mut self, state: &State, plan: &Plan) -> Result<()> {
        let h = plan.step.h;
        let (system, s, watch) = (&mut self.system, &mut self.contact, &mut self.watch);
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
        for stage in &mut s.stages {
            stage.add_impulses(system.exec(), &system.view(&state.history), &plan.row_step(&model), f);
        }
        if nr > 0 {
            system.rows(&state.history, RowRequest { rate: true, gamma: false });
            s.slip.resize(nr, 0.0);
            system.residuals(&mut s.slip[..nr]);
            watch.rows.check(system, &s.slip[..nr], state, h, &mut watch.findings)?;
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
                items[item].free_motion(&rotations[item], gyro, f, v);
            }
        });
        if plan.direct {
            system.solve(right)?;
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
        let (system, s, watch) = (&mut self.system, &mut self.contact, &mut self.watch);
        let h = plan.step.h;
        s.sparse.clear();
        s.sparse_limits.clear();
        let nr = state.lambda.len();
        let ContactScratch {
            detector,
            rows,
            sparse,
            sparse_limits,
            source_rows,
            entries,
            first_column,
            rotations,
            slip,
            ..
        } = s;
        let (first_block, items) = (plan.step.first_block, plan.step.item_count);
        rows.for_each_flexible_row(
            &detector.contacts,
            &system.view(&state.history),
            |frame| frame.motion == FrameMotion::Rigid && frame.block.wrapping_sub(first_block) < items,
            |entries| sparse.push(entries.iter().copied()),
        );
        if !plan.direct && nr > 0 {
            slip.resize(3 * nr, 0.0);
            let (phi, rest) = slip.split_at_mut(nr);
            let (rate, driven) = rest.split_at_mut(nr);
            system.residuals(phi);
            system.rates(rate);
            system.jacobian_product(&state.v, driven);
            system.for_each_row(|row, columns, jacobian| {
                turn_row(columns, jacobian, *first_column, rotations, entries);
                sparse.push(entries.iter().copied());
                rows.bias.push(phi[row] / h + rate[row] - driven[row]);
                rows.cones.push(Cone::Free);
                rows.impulse.push(if plan.step.warm_start { -h * state.lambda[row] } else { 0.0 });
            });
        }
        if !state.lambda_unilateral.is_empty() {
            let (recovery, threshold) = (plan.step.recovery_speed, plan.step.bounce_threshold);
            system.unilateral_rows(&state.history);
            watch.rows.start(system, state);
            system.for_each_unilateral(|row, gap, rate, restitution, columns, jacobian| {
                watch.rows.one_sided(row, gap, columns, jacobian, h, recovery);
                if !may_close(gap, rate, h) {
                    return;
                }
                let own: f64 = columns.iter().zip(jacobian).map(|(&c, j)| j * state.v[c as usize]).sum();
                turn_row(columns, jacobian, *first_column, rotations, entries);
                sparse.push(entries.iter().copied());
                let bias = one_sided_bias(gap, rate, restitution, h, recovery, threshold);
                rows.bias.push(bias + rate - own);
                rows.cones.push(Cone::Nonnegative);
                let old = state.lambda_unilateral[row];
                rows.impulse.push(if plan.step.warm_start { h * old } else { 0.0 });
                sparse_limits.push(row);
            });
            watch.rows.check_one_sided(system, state, &mut watch.findings);
        }
        if !rows.compliance.is_empty() {
            rows.compliance.resize(rows.bias.len(), 0.0);
        }
        sparse.finish();
        source_rows.append_to(rows);
    }

    /// Solves the cone problem: `velocity` in world axes, impulses, and in direct mode the joints' multipliers.
    fn solve_cones(&mut self, state: &State, plan: &Plan) -> Result<ConeReport> {
        let model = self.system.model().clone();
        let settings = model.contact.as_ref().map_or_else(Default::default, |c| c.settings().rigid);
        let ex = self.system.exec().clone();
        let (nv, nr) = (model.v_count, model.row_count);
        let mut solver = self.contact.solver.take().map_or_else(|| Solver::new(&settings), Ok)?;
        let mut newton = if plan.direct { self.system.take_newton() } else { None };
        let s = &mut self.contact;
        let mut impulse = std::mem::take(&mut s.rows.impulse);
        s.velocity.resize(nv, 0.0);
        s.force.resize(nv, 0.0);
        let inverse = StepInverse {
            dimension: nv,
            bodies: &s.bodies,
            items: &s.items,
            rotations: &s.rotations,
            first_column: s.first_column,
            diagonal: self.system.mass_inverse_diagonal(),
            newton: newton.as_deref_mut().map(|n| Mutex::new((n, &mut s.work))),
            tells_diagonal: !s.stages.is_empty(),
            rows: nr,
        };
        let mut all = [
            RowBlock::Pair(&s.rows.sliding_rows),
            RowBlock::Pair(&s.rows.rolling_rows),
            RowBlock::Sparse(&s.sparse),
        ];
        // Blocks with rows come first; the order among them stays.
        all.sort_by_key(|b| b.operator().rows() == 0);
        let used = all.iter().filter(|b| b.operator().rows() > 0).count();
        let with_sources: Vec<RowBlock<'_>>;
        let blocks = if s.stages.is_empty() {
            &all[..used]
        } else {
            let sources = s.stages.iter().map(|stage| RowBlock::Operator(stage.operator()));
            with_sources = all[..used].iter().copied().chain(sources).collect();
            &with_sources[..]
        };
        let problem = ConeProblem {
            inverse: &inverse,
            free_velocity: &s.free,
            bias: &s.rows.bias,
            compliance: &s.rows.compliance,
            rows: blocks,
            cones: &s.rows.cones,
            friction: match settings.friction {
                FrictionModel::Coulomb => FrictionLaw::Coulomb,
                FrictionModel::Relaxed => FrictionLaw::Relaxed,
            },
        };
        // Without rows any solver will do, unless what is eliminated will have rows soon.
        let asked = plan.direct || !impulse.is_empty();
        let refused = if asked { solver.refusal(&problem) } else { None };
        let report =
            match refused {
                Some(refused) => Err(refused),
                None => solver.solve(&ex, &problem, plan.tolerance, &mut s.velocity, &mut impulse).map_err(
                    |reason| match reason {
                        SolveError::Stopped(stopped) => stopped.into(),
                        reason => CoreError::Contact {
                            reason: reason.to_string().into(),
                            time: state.time,
                            step: state.step,
                        },
                    },
                ),
            };
        if plan.direct && nr > 0 && !blocks.is_empty() && report.is_ok() {
            // The joints' answer to the impulses of contacts and limits.
            problem.apply_transpose(&ex, &impulse, &mut s.force);
            inverse.add_multipliers(&ex, &s.force, &mut s.right[nv..]);
        }
        s.solver = Some(solver);
        s.rows.impulse = impulse;
        self.system.return_newton(newton);
        let report = report?;
        if !report.converged && settings.on_failure == OnFailure::Stop {
            return Err(CoreError::ContactNotConverged {
                time: state.time,
                step: state.step,
                contacts: self.contact.detector.contacts.len(),
                iterations: report.iterations,
                residual: report.residual,
                tolerance: plan.tolerance,
            });
        }
        Ok(report)
    }

    /// Writes velocities, multipliers and the contacts' memory into the state.
    fn store_solution(&mut self, state: &mut State, plan: &Plan) {
        let (h, nv, nr) = (plan.step.h, state.v.len(), state.lambda.len());
        let (ex, s) = (self.system.exec(), &mut self.contact);
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
        let (contact_rows, joint_rows) = (s.rows.len(), if plan.direct { 0 } else { nr });
        if plan.direct {
            state.lambda.iter_mut().zip(&s.right[nv..]).for_each(|(l, p)| *l = p / h);
        } else {
            let impulse = &s.rows.impulse[contact_rows..contact_rows + joint_rows];
            state.lambda.iter_mut().zip(impulse).for_each(|(l, p)| *l = -p / h);
        }
        state.lambda_unilateral.fill(0.0);
        for (row, p) in s.sparse_limits.iter().zip(&s.rows.impulse[contact_rows + joint_rows..]) {
            state.lambda_unilateral[*row] = p / h;
        }
        s.rows.remember(ex, &s.detector.contacts, h, &mut state.contacts);
        self.velocity.set_motion(&state.v, h);
        self.finish_sources(state, plan);
    }

    /// Gives the sources the impulses of their rows.
    fn finish_sources(&mut self, state: &mut State, plan: &Plan) {
        let (system, s) = (&self.system, &mut self.contact);
        let model = system.model();
        let step = plan.row_step(model);
        let starts = &s.source_rows.starts;
        let first_row = s.rows.impulse.len() - starts.last().copied().unwrap_or(0);
        for (k, (stage, (source, first))) in s.stages.iter_mut().zip(&model.row_sources).enumerate() {
            let impulse = &s.rows.impulse[first_row + starts[k]..first_row + starts[k + 1]];
            let history = &mut state.history[*first..first + source.history()];
            stage.finish(system.exec(), &step, impulse, self.velocity.motion_mut(), history);
        }
    }
}

/// A Jacobian row with the angular entries of bodies turned from body to world axes.
fn turn_row(
    columns: &[u32],
    jacobian: &[f64],
    first_column: usize,
    rotations: &[DMat3],
    out: &mut Vec<(usize, f64)>,
) {
    out.clear();
    out.extend(columns.iter().map(|&c| c as usize).zip(jacobian.iter().copied()));
    let mut k = 0;
    while k + 2 < out.len() {
        let place = out[k].0.checked_sub(first_column).filter(|c| c % 6 == 3 && c / 6 < rotations.len());
        if let Some(place) = place {
            let part = rotations[place / 6] * DVec3::new(out[k].1, out[k + 1].1, out[k + 2].1);
            (out[k].1, out[k + 1].1, out[k + 2].1) = (part.x, part.y, part.z);
            k += 2;
        }
        k += 1;
    }
}
