//! The Newton matrix of a [`System`]: assembly, factors, solutions.

use huygens_solve::{BlockMatrix, SolveError};
use huygens_spec::LinearSolver;

use super::{MatrixWeights, Point, ROUNDING_COMPLIANCE, ROW_REGULARIZATION, System, view};
use crate::contract::{InertiaWeights, Slots, TurningInertia, Weights};
use crate::error::{CoreError, Result};
use crate::linear::Demand;
use crate::model::Model;
use crate::newton::{ABSENT, NewtonMatrix};
use crate::scatter::add_tangent;
use crate::subject::Subject;

/// Adds the tangent of inertia that rotates with the nodes to the slots of a batch.
fn add_turning(
    turning: &dyn TurningInertia,
    model: &Model,
    point: &Point,
    weights: &InertiaWeights,
    slots: &Slots,
    out: &mut [f64],
) {
    let gravity = model.gravity * point.load_factor;
    turning.add_tangent(&point.q, &point.v, &point.acceleration, gravity, weights, slots, out);
}

impl System {
    /// Assembles the Newton matrix at the point. `x` is the retraction's increment whose tangent enters the
    /// inertia columns. Constraint rows must be fresh ([`System::rows`]).
    pub fn assemble(&mut self, history: &[f64], weights: MatrixWeights, x: Option<&[f64]>) {
        let implicit = weights.stiffness != 0.0 || weights.damping != 0.0;
        let stage = self.contact.take();
        let mut pairs = std::mem::take(&mut self.block_pairs);
        pairs.clear();
        let mut stage = stage.map(|mut stage| {
            if implicit {
                self.evaluate_contacts(&mut stage, true);
                stage.block_pairs(&self.view(&[]), &mut pairs);
            }
            stage
        });
        let mut newton = match self.newton.take() {
            Some(newton) if newton.pairs == pairs => newton,
            _ => self.new_matrix(&pairs),
        };
        newton.matrix.clear();
        self.assemble_inertia(&mut newton, weights, x);
        newton.add_mass(weights.mass);
        if let Some(stage) = stage.as_mut().filter(|_| implicit) {
            let (k, d) = (weights.stiffness, weights.damping);
            stage.for_each_tangent(&self.view(&[]), k, d, |i, j, tangent| newton.add_pair(i, j, &tangent));
        }
        self.block_pairs = pairs;
        self.contact = stage;
        self.assemble_turning(&mut newton, weights);
        self.assemble_elements(&mut newton, history, weights);
        self.assemble_constraints(&mut newton, history, weights);
        newton.separate_fixed();
        self.newton = Some(newton);
    }

    fn new_matrix(&self, pairs: &[[u32; 2]]) -> Box<NewtonMatrix> {
        let mut newton =
            Box::new(NewtonMatrix::new(&self.model, self.mass.as_ref(), self.coverage, self.solver, pairs));
        if self.safe_order {
            newton.factors.block_lu().use_safe_order();
        }
        newton
    }

    fn assemble_inertia(&self, newton: &mut NewtonMatrix, weights: MatrixWeights, x: Option<&[f64]>) {
        let m = &*self.model;
        let NewtonMatrix { column_diagonal, matrix, .. } = newton;
        let values = matrix.values_mut();
        for e in &m.coordinates {
            let (nq, n) = (e.shape.q_per_item, e.shape.v_per_item);
            for item in 0..e.shape.items {
                let slot = column_diagonal[e.block + item];
                if slot == ABSENT {
                    continue;
                }
                let (q, v) = (&self.point.q[e.q + item * nq..][..nq], &self.point.v[e.v + item * n..][..n]);
                let block = &mut values[slot..][..n * n];
                e.batch.mass_block(item, q, block);
                if weights.mass != 1.0 {
                    block.iter_mut().for_each(|b| *b *= weights.mass);
                }
                e.batch.add_bias_tangent(item, q, v, weights.damping, block);
                let turn = x.and_then(|x| e.batch.retract_tangent_inverse(&x[e.v + item * n..][..n]));
                if let Some((offset, t)) = turn {
                    let t = t.to_cols_array_2d();
                    for row in block.chunks_exact_mut(n) {
                        let old = [row[offset], row[offset + 1], row[offset + 2]];
                        for c in 0..3 {
                            row[offset + c] = old[0] * t[c][0] + old[1] * t[c][1] + old[2] * t[c][2];
                        }
                    }
                }
            }
        }
    }

    /// Inertia that rotates with the nodes.
    fn assemble_turning(&mut self, newton: &mut NewtonMatrix, weights: MatrixWeights) {
        let m = &*self.model;
        let MatrixWeights { mass, damping, stiffness, geometric } = weights;
        // Steps at velocity level take the terms of velocity from the start, as they do with geometric ones.
        let weights = match geometric == 0.0 {
            true => InertiaWeights { mass, ..InertiaWeights::default() },
            false => InertiaWeights { mass, damping, stiffness },
        };
        for (b, e) in m.elements.iter().enumerate() {
            let Some(turning) = e.batch.turning_inertia() else { continue };
            let tangents = &mut self.element_tangents[b];
            tangents.fill(0.0);
            add_turning(turning, m, &self.point, &weights, &e.slots, tangents);
            for (item, s) in newton.element_scatter[b].iter().enumerate() {
                add_tangent(newton.matrix.values_mut(), s, &tangents[e.slots.tangents[item]..], 1.0);
            }
        }
    }

    fn assemble_elements(&mut self, newton: &mut NewtonMatrix, history: &[f64], weights: MatrixWeights) {
        if weights.stiffness == 0.0 && weights.damping == 0.0 {
            return;
        }
        let m = &*self.model;
        let x = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        let w = Weights { stiffness: weights.stiffness, damping: weights.damping };
        for (b, e) in m.elements.iter().enumerate() {
            let (values, tangents) = (&mut self.element_values[b], &mut self.element_tangents[b]);
            tangents.fill(0.0);
            let history = &history[e.history_range()];
            e.batch.evaluate(&self.exec, &x, history, &e.slots, values, Some((&w, tangents)));
            for (item, s) in newton.element_scatter[b].iter().enumerate() {
                add_tangent(newton.matrix.values_mut(), s, &tangents[e.slots.tangents[item]..], 1.0);
            }
        }
    }

    fn assemble_constraints(&mut self, newton: &mut NewtonMatrix, history: &[f64], weights: MatrixWeights) {
        let NewtonMatrix { constraint_scatter, matrix, .. } = newton;
        let m = &*self.model;
        let x = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        for (b, e) in m.constraints.iter().enumerate() {
            let slots = &self.constraint_values[b];
            if weights.geometric != 0.0 {
                let lambda = &self.point.lambda[e.row_range()];
                let tangents = &mut self.constraint_tangents[b];
                tangents.fill(0.0);
                let history = &history[e.history_range()];
                e.batch.tangent(&self.exec, &x, history, lambda, weights.geometric, &e.slots, tangents);
            }
            for (item, s) in constraint_scatter[b].iter().enumerate() {
                let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
                if rows == 0 {
                    continue;
                }
                let values = matrix.values_mut();
                let jacobian = &slots[e.slots.values[item] + 3 * rows..][..rows * n];
                let mut first = 0;
                for (&(down, across), &size) in s.row_blocks.iter().zip(&s.sizes) {
                    for r in 0..rows {
                        for c in 0..size {
                            let value = jacobian[r * n + first + c];
                            values[down + r * size + c] += value;
                            values[across + c * rows + r] += value;
                        }
                    }
                    first += size;
                }
                for r in 0..rows {
                    let row = &jacobian[r * n..][..n];
                    let scale: f64 = row
                        .iter()
                        .zip(e.item_columns(item))
                        .map(|(j, &c)| j * j * self.mass_inverse_diagonal[c as usize])
                        .sum();
                    let scale = scale.max(1e-300);
                    self.row_scale[e.slots.first_row[item] + r] = scale;
                    values[s.diagonal + r * rows + r] -= ROW_REGULARIZATION * scale;
                }
                if weights.geometric != 0.0 {
                    add_tangent(values, s, &self.constraint_tangents[b][e.slots.tangents[item]..], 1.0);
                }
            }
        }
    }

    /// Calls `f(columns, stiffness)` with $-\partial_q f$, row-major, of every force element.
    pub(crate) fn for_each_stiffness(&mut self, history: &[f64], mut f: impl FnMut(&[u32], &[f64])) {
        let m = &*self.model;
        let view = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        let w = Weights { stiffness: 1.0, damping: 0.0 };
        for (b, e) in m.elements.iter().enumerate() {
            let (values, tangents) = (&mut self.element_values[b], &mut self.element_tangents[b]);
            tangents.fill(0.0);
            let history = &history[e.history_range()];
            e.batch.evaluate(&self.exec, &view, history, &e.slots, values, Some((&w, tangents)));
            if let Some(turning) = e.batch.turning_inertia() {
                let weights = InertiaWeights { stiffness: 1.0, ..InertiaWeights::default() };
                add_turning(turning, m, &self.point, &weights, &e.slots, tangents);
            }
            for item in 0..e.layout.len() {
                f(e.item_columns(item), &tangents[e.slots.tangents[item]..e.slots.tangents[item + 1]]);
            }
        }
    }

    /// Calls `f(row, column, value)` with the entries of $-\partial_q f$ of compliant contacts; whether there can be any.
    pub(crate) fn for_each_contact_stiffness(&mut self, mut f: impl FnMut(usize, usize, f64)) -> bool {
        let Some(mut stage) = self.contact.take() else { return false };
        self.evaluate_contacts(&mut stage, true);
        let columns = &self.model.block_columns;
        stage.for_each_tangent(&self.view(&[]), 1.0, 0.0, |i, j, tangent| {
            let (i, j) = (columns[i as usize], columns[j as usize]);
            tangent.for_each(|r, c, value| f(i + r, j + c, value));
        });
        self.contact = Some(stage);
        true
    }

    /// Adds `scale` × $-\partial_q f\,x$ of the force elements to `out`.
    pub fn add_stiffness_product(&mut self, history: &[f64], x: &[f64], scale: f64, out: &mut [f64]) {
        let m = &*self.model;
        let view = view(m, &self.point, history, &self.signals, &self.frames, m.twists(&self.twists));
        let w = Weights { stiffness: scale, damping: 0.0 };
        for (b, e) in m.elements.iter().enumerate() {
            let (values, tangents) = (&mut self.element_values[b], &mut self.element_tangents[b]);
            tangents.fill(0.0);
            let history = &history[e.history_range()];
            e.batch.evaluate(&self.exec, &view, history, &e.slots, values, Some((&w, tangents)));
            for item in 0..e.layout.len() {
                let columns = e.item_columns(item);
                for (r, row) in tangents[e.slots.tangents[item]..e.slots.tangents[item + 1]]
                    .chunks_exact(columns.len().max(1))
                    .enumerate()
                {
                    let product: f64 = row.iter().zip(columns).map(|(t, &c)| t * x[c as usize]).sum();
                    out[columns[r] as usize] += product;
                }
            }
        }
        if let Some(mut stage) = self.contact.take() {
            self.evaluate_contacts(&mut stage, true);
            let columns = &self.model.block_columns;
            stage.for_each_tangent(&self.view(&[]), scale, 0.0, |i, j, tangent| {
                let (i, j) = (columns[i as usize], columns[j as usize]);
                tangent.for_each(|r, c, value| out[i + r] += value * x[j + c]);
            });
            self.contact = Some(stage);
        }
    }

    /// Turns matrix unknowns into increments of the retraction's argument: $x$-increment $= T^{-1}(x)\,y$.
    pub fn unturn(&self, x: &[f64], y: &mut [f64]) {
        for e in &self.model.coordinates {
            let n = e.shape.v_per_item;
            for first in (e.v..e.v + e.shape.items * n).step_by(n.max(1)) {
                if let Some((offset, t)) = e.batch.retract_tangent_inverse(&x[first..first + n]) {
                    let part = &mut y[first + offset..first + offset + 3];
                    let turned = t * glam::DVec3::new(part[0], part[1], part[2]);
                    part.copy_from_slice(&turned.to_array());
                }
            }
        }
    }

    /// Assembles the matrix and factors it; where stiffness alone leaves a block singular until its joints are
    /// eliminated, which solvers without pivoting cannot do, from now on with one that pivots.
    pub(crate) fn assemble_and_factor(&mut self, history: &[f64], weights: MatrixWeights) -> Result<()> {
        self.assemble(history, weights, None);
        let result = self.factor_stiffness();
        let fixed_order = matches!(self.solver, LinearSolver::Block | LinearSolver::SparseCholesky);
        let given_up = matches!(result, Err(CoreError::Stopped(_) | CoreError::TooLarge { .. }));
        if result.is_ok() || given_up || !fixed_order || self.model.row_count == 0 {
            return result;
        }
        (self.solver, self.newton) = (LinearSolver::SparseLu, None);
        self.assemble(history, weights, None);
        self.factor_stiffness()
    }

    /// Factors with rows that give way relative to the matrix, not to the masses: nothing takes the compliance back in
    /// an eigenproblem, and the masses of light columns say nothing about their stiffness.
    fn factor_stiffness(&mut self) -> Result<()> {
        let mut compliance = vec![0.0; self.row_compliance.len()];
        let sizes = self.diagonal_sizes();
        self.for_each_jacobian_entry(|row, column, value| {
            compliance[row] += ROUNDING_COMPLIANCE * value * value / sizes[column].max(1e-300);
        });
        for (c, by_mass) in compliance.iter_mut().zip(&self.row_compliance) {
            *c = c.min(*by_mass);
        }
        let by_mass = std::mem::replace(&mut self.row_compliance, compliance);
        let result = self.factor();
        self.row_compliance = by_mass;
        result
    }

    /// Sizes of the diagonal of the assembled matrix, column by column; zero where it has none.
    fn diagonal_sizes(&self) -> Vec<f64> {
        let mut sizes = vec![0.0; self.model.velocity_count()];
        let Some(newton) = &self.newton else { return sizes };
        let values = newton.matrix.values();
        for e in &self.model.coordinates {
            let n = e.shape.v_per_item;
            for item in 0..e.shape.items {
                let slot = newton.column_diagonal[e.block + item];
                if slot != ABSENT {
                    (0..n).for_each(|k| sizes[e.v + item * n + k] = values[slot + k * n + k].abs());
                }
            }
        }
        sizes
    }

    /// Factors the assembled matrix; remembers which rows turned out redundant.
    pub fn factor(&mut self) -> Result<()> {
        let mut newton = self.newton.take().unwrap_or_else(|| self.new_matrix(&[]));
        let result = self.factor_matrix(&mut newton);
        self.safe_order = newton.factors.safe_order();
        self.newton = Some(newton);
        result
    }

    fn factor_matrix(&mut self, newton: &mut NewtonMatrix) -> Result<()> {
        if !newton.factors.finds_dependent_rows() {
            self.redundant_rows.clear();
            return self.factor_redundant(newton);
        }
        let block =
            match newton.factors.factor(&self.exec, &newton.matrix, newton.column_count, &self.row_scale) {
                Ok(0) => {
                    self.redundant_rows.clear();
                    return Ok(());
                }
                Ok(_) => {
                    self.note_redundant(newton);
                    return self.factor_redundant(newton);
                }
                Err(SolveError::Singular { block, .. } | SolveError::NonFinite { block }) => Some(block),
                Err(SolveError::Stopped(stopped)) => return Err(stopped.into()),
                Err(_) => None,
            };
        let reason = match block {
            Some(b) if b >= newton.block_count => "its rows contradict each other or are not finite",
            _ => "its inertia and stiffness vanish or are not finite",
        };
        Err(CoreError::Singular { what: self.block_name(newton, block), reason: reason.into() })
    }

    /// Factors again with the larger regularization.
    fn factor_redundant(&mut self, newton: &mut NewtonMatrix) -> Result<()> {
        let NewtonMatrix { constraint_scatter, matrix, factors, .. } = newton;
        for (e, items) in self.model.constraints.iter().zip(constraint_scatter) {
            for (item, s) in items.iter().enumerate() {
                let rows = e.slots.rows[item];
                for r in 0..rows {
                    let compliance = self.row_compliance[e.slots.first_row[item] + r];
                    matrix.values_mut()[s.diagonal + r * rows + r] -= compliance;
                }
            }
        }
        let result = factors.factor(&self.exec, matrix, newton.column_count, &self.row_scale);
        result.map(|_| ()).map_err(|error| self.unsolved(newton, error))
    }

    fn note_redundant(&mut self, newton: &mut NewtonMatrix) {
        self.redundant_rows.clear();
        let NewtonMatrix { constraint_scatter, factors, .. } = newton;
        for tiny in factors.block_lu().tiny_pivots() {
            for (b, e) in self.model.constraints.iter().enumerate() {
                for (item, s) in constraint_scatter[b].iter().enumerate() {
                    if s.row_block == tiny.block as usize && e.slots.rows[item] > 0 {
                        self.redundant_rows.push(e.slots.first_row[item] + tiny.row as usize);
                    }
                }
            }
        }
    }

    /// Whether constraints are eliminated only after all their columns; part of the state.
    pub(crate) fn safe_elimination(&self) -> bool {
        self.newton.as_ref().map_or(self.safe_order, |n| n.factors.safe_order())
    }

    /// Takes up the safe elimination order, or goes back to the usual one.
    pub(crate) fn set_safe_elimination(&mut self, safe: bool) {
        self.safe_order = safe;
        match &mut self.newton {
            Some(newton) if safe => newton.factors.block_lu().use_safe_order(),
            // The usual order is that of new factors.
            newton => *newton = None,
        }
    }

    fn block_name(&self, newton: &NewtonMatrix, block: Option<usize>) -> Subject {
        let m = &*self.model;
        let Some(block) = block else { return "the whole system".into() };
        if block < newton.block_count {
            let global = newton.local.iter().position(|&l| l == block).unwrap_or(0);
            return m.column_name(m.block_columns[global]);
        }
        for (b, e) in m.constraints.iter().enumerate() {
            for (item, s) in newton.constraint_scatter[b].iter().enumerate() {
                if s.row_block == block && e.slots.rows[item] > 0 {
                    return e.batch.item_name(item);
                }
            }
        }
        format!("block {block}").into()
    }

    /// Solves with the last factors to the solver's tolerance; `b` holds velocity columns, then rows.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<()> {
        let Some(mut newton) = self.newton.take() else { return Ok(()) };
        let result = newton.solve(&self.exec, b, Demand::Solution);
        let result = result.map_err(|error| self.unsolved(&newton, error));
        self.newton = Some(newton);
        result
    }

    /// Solves for a correction of an iteration, which takes care of what an iterative solver leaves; where the matrix
    /// is singular, `b` is not a number.
    pub(crate) fn solve_correction(&mut self, b: &mut [f64]) {
        if let Some(newton) = &mut self.newton {
            // The numbers in `b` say it.
            let _ = newton.solve(&self.exec, b, Demand::Correction);
        }
    }

    /// Describes where a linear system has no solution, or how far the solver converged.
    fn unsolved(&self, newton: &NewtonMatrix, error: SolveError) -> CoreError {
        let block = match error {
            SolveError::Singular { .. } | SolveError::NonFinite { .. } | SolveError::Indefinite { .. } => {
                newton.factors.weakest_block(&self.exec, &newton.matrix, newton.column_count)
            }
            SolveError::Stopped(stopped) => return stopped.into(),
            SolveError::TooLarge { .. } => return CoreError::TooLarge { reason: error },
            _ => return CoreError::LinearSolver { reason: error.to_string() },
        };
        let reason = match block {
            Some(b) if b >= newton.block_count => "its rows contradict each other or are not finite",
            _ => "its inertia and stiffness vanish or are not finite",
        };
        CoreError::Singular { what: self.block_name(newton, block), reason: reason.into() }
    }

    /// The assembled matrix, once there is one.
    pub fn matrix(&self) -> Option<&BlockMatrix> {
        self.newton.as_ref().map(|n| &n.matrix)
    }

    /// y ← S x with the assembled matrix: velocity columns first, then rows.
    pub fn matrix_product(&self, x: &[f64], y: &mut [f64]) {
        if let Some(newton) = &self.newton {
            newton.product(x, y);
        }
    }

    /// The Newton matrix, once there is one.
    pub(crate) fn newton(&self) -> Option<&NewtonMatrix> {
        self.newton.as_deref()
    }

    /// Lends the Newton matrix out.
    pub(crate) fn take_newton(&mut self) -> Option<Box<NewtonMatrix>> {
        self.newton.take()
    }

    /// Takes the Newton matrix back.
    pub(crate) fn return_newton(&mut self, newton: Option<Box<NewtonMatrix>>) {
        if newton.is_some() {
            self.newton = newton;
        }
    }
}
