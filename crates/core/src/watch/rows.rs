//! Residuals of constraints and gaps of unilateral ones.

use crate::analysis::Misfit;
use crate::contact::OnFailure;
use crate::error::{CoreError, Result};
use crate::model::Model;
use crate::state::State;
use crate::system::System;
use crate::watch::{Finding, column_scales};

/// Residual of an open row, relative to its scale.
const OPEN: f64 = 0.01;
/// Fraction of the distance that its two sides travel in a step by which a row may additionally be open: the residual
/// of a linearized step is of second order in the step, the travel of first.
const TRAVEL: f64 = 0.1;
/// Number of consecutive steps in which a residual must exceed its bound: an impact or a jump of a motor may open a row
/// for one step.
const STAYS: u16 = 10;
/// Number of consecutive steps in which a residual must exceed the size of the mechanism.
const LOST: u16 = 3;
/// Angle beyond which a row that constrains a rotation is lost [rad].
const FULL_TURN: f64 = std::f64::consts::TAU;
/// Number of steps after which a violated limit is checked for recovery.
const WINDOW: u16 = 50;
/// Fraction of the recovery speed that counts as recovery.
const RECOVERING: f64 = 0.1;

/// Monitors the rows of joints, motors and couplings, and those of limits and ropes.
///
/// The scale of a row is the change of its residual when the bodies it joins rotate by a radian and move by their
/// radius of gyration, $s = (\sum_c (J_c w_c)^2)^{1/2}$ with $w = 1$ for rotations and $w = (I/m)^{1/2}$ for
/// translations: the arms of a joint and the sizes of its bodies in metres for rows that constrain a position, about
/// one for rows that constrain an angle. The bounds therefore do not depend on the units of a model. Columns of nodes
/// have no radius of gyration; the extent of the model takes its place.
pub(crate) struct RowWatch {
    /// $w$ of each column; none before the first step.
    weights: Vec<f64>,
    /// Whether a column is a translation.
    linear: Vec<bool>,
    /// Residual of each row below which it is closed, whatever travels.
    closed: Vec<f64>,
    rates: Vec<f64>,
    /// Steps in a row that each row has been open, and beyond the size of the mechanism.
    open: Vec<u16>,
    lost: Vec<u16>,
    /// Whether any of them was counted in the last step.
    noted: bool,
    /// Largest scale of the rows that constrain positions [m].
    size: f64,
    ready: bool,
    told: Vec<bool>,
    /// Of each unilateral row: steps it has been violated without recovering, and its gap at the first of them.
    violated: Vec<u16>,
    gap: Vec<f64>,
    told_limits: Vec<bool>,
}

impl RowWatch {
    pub fn new(model: &Model) -> Self {
        let (rows, limits) = (model.row_count, model.unilateral_row_count);
        Self {
            weights: Vec::new(),
            linear: Vec::new(),
            closed: vec![0.0; rows],
            rates: vec![0.0; rows],
            open: vec![0; rows],
            lost: vec![0; rows],
            noted: false,
            size: 0.0,
            ready: false,
            told: vec![false; rows],
            violated: vec![0; limits],
            gap: vec![0.0; limits],
            told_limits: vec![false; limits],
        }
    }

    /// Weights of columns, at the first step.
    fn prepare(&mut self, system: &System, state: &State) {
        if self.ready {
            return;
        }
        self.ready = true;
        (self.weights, self.linear) = column_scales(system, &state.q);
        let (weights, linear, size) = (&self.weights, &self.linear, &mut self.size);
        let closed = &mut self.closed;
        system.for_each_row(|row, columns, jacobian| {
            let scale = scale(weights, columns, jacobian);
            closed[row] = OPEN * scale;
            if columns.iter().zip(jacobian).any(|(&c, j)| linear[c as usize] && *j != 0.0) {
                *size = size.max(scale);
            }
        });
    }

    /// Checks the residuals `phi` of the beginning of a step of size `h` [s], with functions of time at its end, as the
    /// last evaluation of the rows of `system` left them.
    pub fn check(
        &mut self,
        system: &System,
        phi: &[f64],
        state: &State,
        h: f64,
        findings: &mut Vec<Finding>,
    ) -> Result<()> {
        self.prepare(system, state);
        let any = phi.iter().zip(&self.closed).fold(false, |any, (phi, closed)| any | (phi.abs() > *closed));
        if self.noted {
            self.noted = false;
            for (row, _) in phi.iter().enumerate().filter(|(row, phi)| phi.abs() <= self.closed[*row]) {
                (self.open[row], self.lost[row]) = (0, 0);
            }
        }
        if any { self.look(system, phi, state, h, findings) } else { Ok(()) }
    }

    /// The detailed check: without the motion of drivers in the step, and with the distance that the sides travel.
    fn look(
        &mut self,
        system: &System,
        phi: &[f64],
        state: &State,
        h: f64,
        findings: &mut Vec<Finding>,
    ) -> Result<()> {
        let model = system.model();
        let policy = model.contact().map_or_else(OnFailure::default, |c| c.settings().rigid.on_failure);
        self.noted = true;
        system.rates(&mut self.rates);
        let (mut new, mut gone) = (false, false);
        let Self { weights, linear, closed, rates, open, lost, size, told, .. } = self;
        system.for_each_row(|row, columns, jacobian| {
            if phi[row].abs() <= closed[row] {
                return;
            }
            let (mut own, mut travel, mut place) = (0.0, 0.0f64, false);
            for (&c, j) in columns.iter().zip(jacobian) {
                let part = j * state.v[c as usize];
                own += part;
                travel += part.abs();
                place |= linear[c as usize] && *j != 0.0;
            }
            let residual = (phi[row] - h * (rates[row] - own)).abs();
            let bound = OPEN * scale(weights, columns, jacobian) + TRAVEL * h * travel;
            let beyond = residual > bound.max(if place { *size } else { FULL_TURN });
            open[row] = if residual > bound { open[row].saturating_add(1) } else { 0 };
            lost[row] = if beyond { lost[row].saturating_add(1) } else { 0 };
            new |= open[row] >= STAYS && !told[row];
            gone |= lost[row] >= LOST;
            // What is said of a row is said with this number.
            rates[row] = residual;
        });
        if gone && policy != OnFailure::Accept {
            return Err(self.torn(model, state, h));
        }
        if new {
            self.tell(system, phi, state, h, findings);
            if policy == OnFailure::Stop {
                return Err(self.torn(model, state, h));
            }
        }
        Ok(())
    }

    /// The constraints that are open now, worst first; residuals are in `rates`.
    fn torn(&self, model: &Model, state: &State, step_size: f64) -> CoreError {
        let mut misfits: Vec<Misfit> = Vec::new();
        for row in (0..self.open.len()).filter(|&r| self.open[r] > 0) {
            let (constraint, residual) = (model.constraint_name(row), self.rates[row]);
            match misfits.iter_mut().find(|m| m.constraint == constraint) {
                Some(m) => m.residual = m.residual.max(residual),
                None => misfits.push(Misfit { constraint, residual }),
            }
        }
        misfits.sort_by(|a, b| b.residual.total_cmp(&a.residual));
        misfits.truncate(5);
        CoreError::ComeApart { time: state.time, step: state.step, step_size, misfits }
    }

    /// Adds a finding for every constraint that has been open for long enough and was not reported before.
    fn tell(&mut self, system: &System, phi: &[f64], state: &State, h: f64, findings: &mut Vec<Finding>) {
        let model = system.model();
        let (weights, closed, rates) = (&self.weights, &self.closed, &self.rates);
        let (open, told) = (&self.open, &mut self.told);
        let mut worst: Vec<Finding> = Vec::new();
        system.for_each_row(|row, columns, jacobian| {
            if open[row] < STAYS || told[row] || phi[row].abs() <= closed[row] {
                return;
            }
            told[row] = true;
            let travel: f64 =
                columns.iter().zip(jacobian).map(|(&c, j)| (j * state.v[c as usize]).abs()).sum();
            let bound = OPEN * scale(weights, columns, jacobian) + TRAVEL * h * travel;
            let (name, residual, time) = (model.row_name(row), rates[row], state.time);
            let constraint = model.constraint_name(row);
            let found = Finding::Open { row: name, constraint: constraint.clone(), residual, bound, time };
            let same =
                |f: &&mut Finding| matches!(f, Finding::Open { constraint: c, .. } if *c == constraint);
            match worst.iter_mut().find(same) {
                Some(Finding::Open { residual: most, .. }) if *most >= residual => {}
                Some(other) => *other = found,
                None => worst.push(found),
            }
        });
        findings.extend(worst);
    }

    /// Checks the gap [m or rad] of a unilateral row at the beginning of a step of size `h` [s], which pushes a
    /// violated row back with `recovery` [m/s or rad/s] if nothing holds it.
    pub fn one_sided(
        &mut self,
        row: usize,
        gap: f64,
        columns: &[u32],
        jacobian: &[f64],
        h: f64,
        recovery: f64,
    ) {
        if gap >= 0.0 || -gap <= OPEN * scale(&self.weights, columns, jacobian) {
            self.violated[row] = 0;
            return;
        }
        if self.violated[row] == 0 {
            self.gap[row] = gap;
        }
        self.violated[row] = (self.violated[row] + 1).min(WINDOW);
        let recovered = gap - self.gap[row];
        if self.violated[row] == WINDOW && recovered > RECOVERING * f64::from(WINDOW) * h * recovery {
            self.violated[row] = 0;
        }
    }

    /// Reports unilateral rows that do not recover, once each; after [`RowWatch::one_sided`] of all rows.
    pub fn check_one_sided(&mut self, system: &System, state: &State, findings: &mut Vec<Finding>) {
        let new = |k: usize| self.violated[k] >= WINDOW && !self.told_limits[k];
        if !(0..self.violated.len()).any(new) {
            return;
        }
        let mut constraints = Vec::new();
        system.for_each_unilateral(|row, gap, _, _, _, _| {
            if self.violated[row] >= WINDOW {
                self.told_limits[row] = true;
                constraints.push((system.model().one_sided_name(row), -gap));
            }
        });
        constraints.sort_by(|a, b| b.1.total_cmp(&a.1));
        findings.push(Finding::Violated { constraints, time: state.time });
    }

    /// Makes the weights of columns at the first step of a model that has unilateral rows only.
    pub fn start(&mut self, system: &System, state: &State) {
        self.prepare(system, state);
    }
}

/// How much the residual of a row changes when its bodies turn by a radian and move by their size.
fn scale(weights: &[f64], columns: &[u32], jacobian: &[f64]) -> f64 {
    columns.iter().zip(jacobian).map(|(&c, j)| (j * weights[c as usize]).powi(2)).sum::<f64>().sqrt()
}
