//! Evaluates the equations of motion and their Newton matrix at a point.

mod matrix;
mod turning;

use std::sync::Arc;

use huygens_exec::Exec;

use crate::carrier::{Twist, Twists};
use crate::contact::{CompliantStage, Contact, ContactLaw, ContactMemory};
use crate::contract::{Frame, FrameMotion, NO_BLOCK, RowRequest, StateView};
use crate::error::{CoreError, Result};
use crate::mass::ConstantMass;
use crate::model::Model;
use crate::newton::{Coverage, NewtonMatrix};
use crate::parameter::Invalidates;
use crate::scatter::{add_product, add_transpose_product};
use crate::state::State;
use huygens_spec::LinearSolver;

/// Relative size of the −ε on constraint rows (proximal method of multipliers: it acts on increments only, so a
/// converged solution does not feel it). Small, because it acts as a compliance that slows the convergence of
/// long chains.
const ROW_REGULARIZATION: f64 = 1e-14;
/// Relative compliance of the rows where some depend on others: large enough that rounding in the dependent
/// directions stays small. Steps then solve $\Phi = \varepsilon\lambda$ (scaled), whose multipliers are unique.
const REDUNDANT_REGULARIZATION: f64 = 1e-11;
/// Smallest compliance against rounding, relative to the rows' full size.
const ROUNDING_COMPLIANCE: f64 = 1e-11;

/// The point at which a [`System`] evaluates.
#[derive(Clone, Debug, Default)]
pub struct Point {
    /// Time [s].
    pub time: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Accelerations.
    pub acceleration: Vec<f64>,
    /// First-order states.
    pub z: Vec<f64>,
    /// Rates of the first-order states.
    pub z_rate: Vec<f64>,
    /// Multipliers of bilateral rows.
    pub lambda: Vec<f64>,
    /// Factor on gravity and loads.
    pub load_factor: f64,
}

/// Weights of the parts of the Newton matrix
/// $c_M M + c_D(\partial_v b - \partial_v f) - c_K\partial_q f + c_G\partial_q(C_q^T\lambda)$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatrixWeights {
    /// $c_M$.
    pub mass: f64,
    /// $c_D$.
    pub damping: f64,
    /// $c_K$.
    pub stiffness: f64,
    /// $c_G$.
    pub geometric: f64,
}

impl MatrixWeights {
    /// The mass matrix alone.
    pub const MASS: Self = Self { mass: 1.0, damping: 0.0, stiffness: 0.0, geometric: 0.0 };
}

/// Work space that evaluates a model: frames, signals, forces, constraint rows and the Newton matrix.
pub struct System {
    model: Arc<Model>,
    exec: Exec,
    /// The point of evaluation.
    pub point: Point,
    frames: Vec<Frame>,
    /// How columns move the carried frames.
    twists: Vec<Twist>,
    /// Constant mass of elements, if any have some.
    mass: Option<ConstantMass>,
    signals: Vec<f64>,
    element_values: Vec<Vec<f64>>,
    element_tangents: Vec<Vec<f64>>,
    constraint_values: Vec<Vec<f64>>,
    constraint_tangents: Vec<Vec<f64>>,
    unilateral_values: Vec<Vec<f64>>,
    mass_inverse_diagonal: Vec<f64>,
    row_scale: Vec<f64>,
    row_compliance: Vec<f64>,
    /// Made when it is first needed.
    newton: Option<Box<NewtonMatrix>>,
    coverage: Coverage,
    solver: LinearSolver,
    safe_order: bool,
    /// Compliant contacts, where the model has them.
    contact: Option<Box<CompliantStage>>,
    block_pairs: Vec<[u32; 2]>,
    block_scratch: Vec<f64>,
    /// The history that the last step left, while batches commit the next one.
    committed: Vec<f64>,
    turning: turning::TurningScratch,
    /// Rows that the last factorization found dependent on others.
    pub(crate) redundant_rows: Vec<usize>,
}

impl System {
    /// A work space for `model`.
    pub fn new(model: Arc<Model>, exec: Exec) -> Self {
        Self::with_solver(model, exec, LinearSolver::Block)
    }

    /// A work space for `model` with the given linear solver.
    pub fn with_solver(model: Arc<Model>, exec: Exec, solver: LinearSolver) -> Self {
        Self::with_coverage(model, exec, solver, Coverage::All)
    }

    /// A work space whose matrix covers only some of the columns.
    pub(crate) fn with_coverage(
        model: Arc<Model>,
        exec: Exec,
        solver: LinearSolver,
        coverage: Coverage,
    ) -> Self {
        let m = &*model;
        let largest = m.block_sizes.iter().copied().max().unwrap_or(0);
        let zeros = |n: usize| vec![0.0; n];
        let mut system = Self {
            point: Point {
                time: 0.0,
                q: zeros(m.q_count),
                v: zeros(m.v_count),
                acceleration: zeros(m.v_count),
                z: zeros(m.z_count),
                z_rate: zeros(m.z_count),
                lambda: zeros(m.row_count),
                load_factor: 1.0,
            },
            frames: vec![Frame::GROUND; m.frame_count],
            twists: vec![Twist::default(); m.carriers.pattern.len()],
            mass: ConstantMass::new(m),
            signals: zeros(m.signals.len()),
            element_values: m.elements.iter().map(|e| zeros(e.value_len())).collect(),
            element_tangents: m.elements.iter().map(|e| zeros(e.tangent_len())).collect(),
            constraint_values: m.constraints.iter().map(|e| zeros(e.value_len())).collect(),
            constraint_tangents: m.constraints.iter().map(|e| zeros(e.tangent_len())).collect(),
            unilateral_values: m.unilaterals.iter().map(|e| zeros(e.value_len())).collect(),
            mass_inverse_diagonal: zeros(m.v_count),
            row_scale: zeros(m.row_count),
            row_compliance: zeros(m.row_count),
            newton: None,
            coverage,
            solver,
            safe_order: false,
            contact: None,
            block_pairs: Vec::new(),
            block_scratch: zeros(largest * largest),
            committed: Vec::new(),
            turning: turning::TurningScratch::default(),
            redundant_rows: Vec::new(),
            exec,
            model,
        };
        system.initialize_mass_diagonal();
        system.initialize_contact();
        system.initialize_row_compliance();
        system
    }

    fn initialize_mass_diagonal(&mut self) {
        let state = State::new(&self.model);
        for e in &self.model.coordinates {
            let (nq, nv) = (e.shape.q_per_item, e.shape.v_per_item);
            for item in 0..e.shape.items {
                let block = &mut self.block_scratch[..nv * nv];
                e.batch.mass_block(item, &state.q[e.q + item * nq..][..nq], block);
                for k in 0..nv {
                    self.mass_inverse_diagonal[e.v + item * nv + k] = block[k * nv + k];
                }
            }
        }
        if let Some(mass) = &self.mass {
            mass.for_each_diagonal(|column, m| self.mass_inverse_diagonal[column] += m);
        }
        self.mass_inverse_diagonal.iter_mut().for_each(|m| *m = 1.0 / m.max(1e-300));
        self.model.fixed.iter().for_each(|&c| self.mass_inverse_diagonal[c as usize] = 0.0);
    }

    fn initialize_contact(&mut self) {
        if let Some(inverse_masses) = self.frame_inverse_masses() {
            self.contact = Some(Box::new(CompliantStage::new(inverse_masses)));
        }
    }

    /// Inverse mass [1/kg] of what each frame belongs to, for compliant contact.
    fn frame_inverse_masses(&mut self) -> Option<Vec<f64>> {
        if !self.model.has_contact(ContactLaw::Compliant) {
            return None;
        }
        let state = State::new(&self.model);
        self.load(&state);
        self.update(&state.history);
        let columns = &self.model.block_columns;
        let inverse = |k: usize| match self.frames[k].motion {
            // What the nodes bring together along one direction.
            FrameMotion::Carried | FrameMotion::Deforming => {
                let (columns, twists) = self.view(&[]).twists.row(k as u32);
                let part = |(&c, t): (&u32, &Twist)| {
                    t.velocity.x * t.velocity.x * self.mass_inverse_diagonal[c as usize]
                };
                columns.iter().zip(twists).map(part).sum()
            }
            _ if self.frames[k].block == NO_BLOCK => 0.0,
            _ => self.mass_inverse_diagonal[columns[self.frames[k].block as usize]],
        };
        Some((0..self.frames.len()).map(inverse).collect())
    }

    /// Takes a model that differs only in parameters, and recomputes what depends on them.
    pub(crate) fn set_model(&mut self, model: Arc<Model>, invalidates: Invalidates) {
        debug_assert!(self.model.shares_topology(&model));
        self.model = model;
        if let Some(stage) = &mut self.contact {
            stage.forget();
        }
        if invalidates.mass {
            self.initialize_mass_diagonal();
            if let Some(masses) = self.frame_inverse_masses()
                && let Some(stage) = &mut self.contact
            {
                stage.set_inverse_masses(masses);
            }
            self.initialize_row_compliance();
        }
    }

    /// Compliances from the rows' size at the model's start, so that they do not depend on where a run resumes.
    fn initialize_row_compliance(&mut self) {
        let mut state = State::new(&self.model);
        self.load(&state);
        self.update(&state.history);
        self.initialize_history(&mut state.history);
        self.rows(&state.history, RowRequest::default());
        let mut sizes = std::mem::take(&mut self.row_compliance);
        let mut entries = vec![(0.0f64, 0.0f64); sizes.len()];
        let mut rounding = vec![0.0f64; sizes.len()];
        self.for_each_jacobian_entry(|row, column, value| {
            entries[row] = (entries[row].0.max(value.abs()), entries[row].1 + value * value);
            rounding[row] += ROUNDING_COMPLIANCE * value * value * self.mass_inverse_diagonal[column];
        });
        // The heaviest column a row really moves counts: tiny inertias must not make points soft.
        sizes.fill(f64::INFINITY);
        self.for_each_jacobian_entry(|row, column, value| {
            if value.abs() > 1e-3 * entries[row].0 {
                sizes[row] = sizes[row].min(entries[row].1 * self.mass_inverse_diagonal[column]);
            }
        });
        let largest = sizes.iter().fold(0.0, |m: f64, s| if s.is_finite() { m.max(*s) } else { m });
        for (size, rounding) in sizes.iter_mut().zip(rounding) {
            let size_or_floor = if size.is_finite() { size.max(1e-9 * largest) } else { largest };
            *size = REDUNDANT_REGULARIZATION * size_or_floor + rounding;
        }
        self.row_compliance = sizes;
    }

    /// Subtracts the compliance of redundant systems, `scale` × ε λ, from the residuals.
    pub(crate) fn subtract_compliance(&self, lambda: &[f64], scale: f64, residuals: &mut [f64]) {
        for (r, (c, l)) in residuals.iter_mut().zip(self.row_compliance.iter().zip(lambda)) {
            *r -= c * l * scale;
        }
    }

    /// Largest residual that the compliance allows with the point's multipliers.
    pub(crate) fn largest_compliance(&self, scale: f64) -> f64 {
        self.row_compliance
            .iter()
            .zip(&self.point.lambda)
            .fold(0.0, |m: f64, (c, l)| m.max((c * l * scale).abs()))
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// The executor of loops.
    pub fn exec(&self) -> &Exec {
        &self.exec
    }

    /// Frames at the point of the last [`System::update`].
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Signals at the point of the last [`System::update`].
    pub fn signals(&self) -> &[f64] {
        &self.signals
    }

    /// Copies a state into the point.
    pub fn load(&mut self, state: &State) {
        self.point.time = state.time;
        self.point.q.copy_from_slice(&state.q);
        self.point.v.copy_from_slice(&state.v);
        self.point.acceleration.copy_from_slice(&state.acceleration);
        self.point.z.copy_from_slice(&state.z);
        self.point.z_rate.copy_from_slice(&state.z_rate);
        self.point.lambda.copy_from_slice(&state.lambda);
        self.begin_contacts(&state.contacts);
    }

    /// Copies the contact memory of a state.
    pub(crate) fn begin_contacts(&mut self, memory: &ContactMemory) {
        if let Some(stage) = &mut self.contact {
            stage.begin(memory);
        }
    }

    /// Sets the time since the contacts' memory was committed [s].
    pub(crate) fn set_elapsed(&mut self, elapsed: f64) {
        if let Some(stage) = &mut self.contact {
            stage.elapsed = elapsed;
        }
    }

    /// Sets the velocities at the start of the step for methods that move with the mean of initial and final
    /// velocities; empty for those that move with the final ones.
    pub(crate) fn start_contacts_from(&mut self, v: &[f64]) {
        if let Some(stage) = &mut self.contact {
            stage.start_from(v);
        }
    }

    /// Compliant contacts of the last evaluation, and their smallest √(m/k) [s].
    pub(crate) fn compliant_contacts(&self) -> Option<(&[Contact], f64)> {
        self.contact.as_ref().map(|s| (s.contacts(), s.critical_step))
    }

    /// Evaluates contacts at the point and stores their memory for the next step.
    pub(crate) fn commit_contacts(&mut self, memory: &mut ContactMemory) {
        let Some(mut stage) = self.contact.take() else { return };
        self.evaluate_contacts(&mut stage, false);
        stage.commit(memory);
        self.contact = Some(stage);
    }

    fn evaluate_contacts(&self, stage: &mut CompliantStage, tangents: bool) {
        let Some(contact) = self.model.contact() else { return };
        stage.find(&self.exec, contact, &self.view(&[]));
        stage.evaluate(&self.exec, contact, &self.view(&[]), tangents);
    }

    /// The view that batches and sensors read.
    pub fn view<'a>(&'a self, history: &'a [f64]) -> StateView<'a> {
        let twists = self.model.twists(&self.twists);
        view(&self.model, &self.point, history, &self.signals, &self.frames, twists)
    }

    /// Updates frames and signals to the point.
    pub fn update(&mut self, history: &[f64]) {
        let m = &*self.model;
        for e in &m.coordinates {
            if e.shape.frames > 0 {
                let (q, v) = (&self.point.q[e.q_range()], &self.point.v[e.v_range()]);
                let out = &mut self.frames[e.frame_range()];
                e.batch.frames(&self.exec, self.point.time, q, v, e.block as u32, out);
            }
        }
        if !m.carriers.batches.is_empty() {
            let x = view(m, &self.point, history, &self.signals, &[], Twists::default());
            m.carriers.place(&self.exec, &x, &mut self.frames, &mut self.twists);
        }
        if !self.signals.is_empty() {
            let mut signals = std::mem::take(&mut self.signals);
            m.evaluate_signals(
                &view(m, &self.point, history, &[], &self.frames, m.twists(&self.twists)),
                &mut signals,
            );
            self.signals = signals;
        }
    }

    /// Writes the rates of the first-order states at the point.
    pub fn state_rates(&self, history: &[f64], z_rate: &mut [f64]) {
        let m = &*self.model;
        let x = self.view(history);
        let own = m.signals.state_count();
        m.signals.rates(x.time, x.signals, &x.z[..own], &mut z_rate[..own]);
        for (block, start) in &m.states {
            let range = *start..*start + block.len();
            block.rate(&x, &x.z[range.clone()], &mut z_rate[range]);
        }
    }

    /// Writes the applied generalized forces $f(q, v, t)$, gravity included.
    pub fn forces(&mut self, history: &[f64], f: &mut [f64]) {
        f.fill(0.0);
        let m = &*self.model;
        let gravity = m.gravity * self.point.load_factor;
        for e in &m.coordinates {
            e.batch.add_gravity(&self.exec, gravity, &self.point.q[e.q_range()], &mut f[e.v_range()]);
        }
        if let Some(mass) = &self.mass {
            mass.add_weight(gravity, f);
        }
        for turning in m.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_gravity(gravity, &self.point.q, f);
        }
        let x = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        for (e, values) in m.elements.iter().zip(&mut self.element_values) {
            e.batch.evaluate(&self.exec, &x, &history[e.history_range()], &e.slots, values, None);
            for (&column, &value) in e.columns.iter().zip(values.iter()) {
                f[column as usize] += value;
            }
        }
        if let Some(mut stage) = self.contact.take() {
            self.evaluate_contacts(&mut stage, false);
            stage.add_forces(&self.view(&[]), f);
            self.contact = Some(stage);
        }
    }

    /// Whether forces may put energy into the model, as driven ones do.
    pub fn has_driven_forces(&self, history: &[f64]) -> bool {
        let x = self.view(history);
        self.model.elements.iter().any(|e| e.batch.does_work(&x))
    }

    /// Power [W] that driven forces put into the model at the point. Power that they take out is not subtracted.
    pub fn driven_force_power(&mut self, history: &[f64]) -> f64 {
        let m = self.model.clone();
        let x = view(&m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        let mut power = 0.0;
        for (e, values) in m.elements.iter().zip(&mut self.element_values) {
            if e.batch.does_work(&x) {
                e.batch.evaluate(&self.exec, &x, &history[e.history_range()], &e.slots, values, None);
                let own = e.columns.iter().zip(values.iter()).map(|(c, f)| f * x.v[*c as usize]);
                power += own.sum::<f64>().max(0.0);
            }
        }
        power
    }

    /// Power [W] that constraints exchange with what prescribes their motion, such as motors, at the point: the sum of
    /// $|\lambda\,\Phi_t|$.
    pub fn driven_row_power(&mut self, history: &[f64], lambda: &[f64]) -> f64 {
        self.rows(history, RowRequest { rate: true, gamma: false });
        let mut rates = vec![0.0; self.model.row_count];
        self.rates(&mut rates);
        let mut power = 0.0;
        self.for_each_row(|row, columns, jacobian| {
            let own: f64 = columns.iter().zip(jacobian).map(|(&c, j)| j * self.point.v[c as usize]).sum();
            power += (lambda[row] * (rates[row] - own)).abs();
        });
        power
    }

    /// The largest force of a single element in the last [`System::forces`].
    pub(crate) fn element_force(&self) -> f64 {
        self.element_values.iter().fold(0.0, |m: f64, values| m.max(self.exec.max_abs(values)))
    }

    /// Adds $M \dot v + b$ at the point.
    pub fn add_inertia_force(&self, f: &mut [f64]) {
        for e in &self.model.coordinates {
            let (q, v) = (&self.point.q[e.q_range()], &self.point.v[e.v_range()]);
            e.batch.add_inertia_force(
                &self.exec,
                q,
                v,
                &self.point.acceleration[e.v_range()],
                &mut f[e.v_range()],
            );
        }
        if let Some(mass) = &self.mass {
            mass.add_product(&self.point.acceleration, f);
        }
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_force(&self.point.q, Some(&self.point.v), &self.point.acceleration, f);
        }
    }

    /// Adds $M x$ to `y`.
    pub fn add_mass_product(&self, x: &[f64], y: &mut [f64]) {
        for e in &self.model.coordinates {
            let q = &self.point.q[e.q_range()];
            e.batch.add_mass_product(&self.exec, q, &x[e.v_range()], &mut y[e.v_range()]);
        }
        if let Some(mass) = &self.mass {
            mass.add_product(x, y);
        }
        for turning in self.model.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            turning.add_force(&self.point.q, None, x, y);
        }
    }

    /// Evaluates all constraint rows at the point.
    pub fn rows(&mut self, history: &[f64], request: RowRequest) {
        let m = &*self.model;
        let x = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        for (e, values) in self.model.constraints.iter().zip(&mut self.constraint_values) {
            e.batch.evaluate(&self.exec, &x, &history[e.history_range()], request, &e.slots, values);
        }
    }

    fn copy_rows(&self, part: usize, out: &mut [f64]) {
        for (e, values) in self.model.constraints.iter().zip(&self.constraint_values) {
            for item in 0..e.layout.len() {
                let rows = e.slots.rows[item];
                let start = e.slots.values[item] + part * rows;
                out[e.slots.first_row[item]..][..rows].copy_from_slice(&values[start..start + rows]);
            }
        }
    }

    /// Copies the residuals Φ of the last [`System::rows`].
    pub fn residuals(&self, out: &mut [f64]) {
        self.copy_rows(0, out);
    }

    /// Copies the rates $\dot\Phi$ of the last [`System::rows`].
    pub fn rates(&self, out: &mut [f64]) {
        self.copy_rows(1, out);
    }

    /// Copies the right-hand sides γ of the last [`System::rows`].
    pub fn gammas(&self, out: &mut [f64]) {
        self.copy_rows(2, out);
    }

    /// Adds `scale` × $C_q^T\lambda$ to `f`.
    pub fn add_reactions(&self, lambda: &[f64], scale: f64, f: &mut [f64]) {
        for (e, values) in self.model.constraints.iter().zip(&self.constraint_values) {
            add_transpose_product(e, values, lambda, scale, f);
        }
    }

    /// Writes $C_q x$.
    pub fn jacobian_product(&self, x: &[f64], out: &mut [f64]) {
        for (e, values) in self.model.constraints.iter().zip(&self.constraint_values) {
            add_product(e, values, x, out);
        }
    }

    /// Calls `f(row, column, value)` for every Jacobian entry of the last [`System::rows`].
    pub fn for_each_jacobian_entry(&self, mut f: impl FnMut(usize, usize, f64)) {
        for (e, values) in self.model.constraints.iter().zip(&self.constraint_values) {
            for item in 0..e.layout.len() {
                let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
                let jacobian = &values[e.slots.values[item] + 3 * rows..][..rows * n];
                for (k, value) in jacobian.iter().enumerate() {
                    f(e.slots.first_row[item] + k / n, e.item_columns(item)[k % n] as usize, *value);
                }
            }
        }
    }

    /// Calls `f(row, columns, jacobian row)` for every row of the last [`System::rows`].
    pub(crate) fn for_each_row(&self, mut f: impl FnMut(usize, &[u32], &[f64])) {
        for (e, values) in self.model.constraints.iter().zip(&self.constraint_values) {
            for item in 0..e.layout.len() {
                let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
                let jacobian = &values[e.slots.values[item] + 3 * rows..][..rows * n];
                for r in 0..rows {
                    f(e.slots.first_row[item] + r, e.item_columns(item), &jacobian[r * n..(r + 1) * n]);
                }
            }
        }
    }

    /// Inverses of the diagonal of the mass matrix.
    pub(crate) fn mass_inverse_diagonal(&self) -> &[f64] {
        &self.mass_inverse_diagonal
    }

    /// Evaluates all unilateral rows at the point.
    pub fn unilateral_rows(&mut self, history: &[f64]) {
        let m = &*self.model;
        let x = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        for (e, values) in self.model.unilaterals.iter().zip(&mut self.unilateral_values) {
            e.batch.evaluate(&self.exec, &x, &history[e.history_range()], &e.slots, values);
        }
    }

    /// Calls `f(row, gap, rate, restitution, columns, jacobian row)` for every unilateral row.
    pub fn for_each_unilateral(&self, mut f: impl FnMut(usize, f64, f64, f64, &[u32], &[f64])) {
        for (e, values) in self.model.unilaterals.iter().zip(&self.unilateral_values) {
            for item in 0..e.layout.len() {
                let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
                let slot = &values[e.slots.values[item]..e.slots.values[item + 1]];
                for r in 0..rows {
                    let jacobian = &slot[3 * rows + r * n..][..n];
                    let restitution = e.batch.restitution(self.model.parameter_set(), item, r);
                    f(
                        e.slots.first_row[item] + r,
                        slot[r],
                        slot[rows + r],
                        restitution,
                        e.item_columns(item),
                        jacobian,
                    );
                }
            }
        }
    }

    /// Calls every batch's `commit` on `history` at the point.
    pub fn commit(&mut self, history: &mut [f64]) {
        self.for_each_history(history, false);
    }

    /// Writes the initial history of every batch at the point.
    pub fn initialize_history(&mut self, history: &mut [f64]) {
        self.for_each_history(history, true);
    }

    fn for_each_history(&mut self, history: &mut [f64], first: bool) {
        if history.is_empty() {
            return;
        }
        let m = &*self.model;
        self.committed.clear();
        self.committed.extend_from_slice(history);
        let x = view(m, &self.point, &self.committed, &self.signals, &self.frames, m.twists(&self.twists));
        macro_rules! each {
            ($entries:expr) => {
                for e in $entries.iter().filter(|e| e.layout.history > 0) {
                    let own = &mut history[e.history_range()];
                    if first {
                        e.batch.initialize_history(&x, own)
                    } else {
                        e.batch.commit(&self.exec, &x, own)
                    }
                }
            };
        }
        each!(m.elements);
        each!(m.constraints);
        each!(m.unilaterals);
    }

    /// Kinetic, gravitational and elastic energy [J] at the point.
    pub fn energy(&self, history: &[f64]) -> [f64; 3] {
        let m = &*self.model;
        let mut out = [0.0; 3];
        for e in &m.coordinates {
            let (q, v) = (&self.point.q[e.q_range()], &self.point.v[e.v_range()]);
            let (kinetic, potential) = e.batch.energy(&self.exec, m.gravity, q, v);
            out[0] += kinetic;
            out[1] += potential;
        }
        if let Some(mass) = &self.mass {
            let (kinetic, potential) = mass.energy(m, m.gravity, &self.point.q, &self.point.v);
            out[0] += kinetic;
            out[1] += potential;
        }
        for turning in m.elements.iter().filter_map(|e| e.batch.turning_inertia()) {
            let (kinetic, potential) = turning.energy(m.gravity, &self.point.q, &self.point.v);
            out[0] += kinetic;
            out[1] += potential;
        }
        let x = self.view(history);
        out[2] = m.elements.iter().map(|e| e.batch.energy(&self.exec, &x, &history[e.history_range()])).sum();
        out
    }

    /// The first element that cannot continue at the positions `q` of a step, as an error.
    pub(crate) fn check_elements(&self, q: &[f64], history: &[f64], time: f64, step: u64) -> Result<()> {
        if self.mass.is_none() {
            return Ok(());
        }
        let x = StateView { time, q, ..self.view(history) };
        for e in &self.model.elements {
            if let Some(fault) = e.batch.check(&self.exec, &x, &history[e.history_range()]) {
                return Err(CoreError::Element {
                    what: e.batch.item_name(fault.item),
                    how: fault.what,
                    value: fault.value,
                    time,
                    step,
                });
            }
        }
        Ok(())
    }

    /// Retracts `q0` by `x` into the point's positions.
    pub fn retract(&mut self, q0: &[f64], x: &[f64]) {
        for e in &self.model.coordinates {
            let q = &mut self.point.q[e.q_range()];
            e.batch.retract(&self.exec, &q0[e.q_range()], &x[e.v_range()], q);
        }
    }
}

fn view<'a>(
    model: &'a Model,
    point: &'a Point,
    history: &'a [f64],
    signals: &'a [f64],
    frames: &'a [Frame],
    twists: Twists<'a>,
) -> StateView<'a> {
    StateView {
        time: point.time,
        q: &point.q,
        v: &point.v,
        acceleration: &point.acceleration,
        z: &point.z,
        z_rate: &point.z_rate,
        lambda: &point.lambda,
        signals,
        history,
        frames,
        twists,
        load_factor: point.load_factor,
        parameters: model.parameter_set(),
    }
}
