//! Accelerations and multipliers that satisfy the equations of motion at a state.

use crate::contract::RowRequest;
use crate::error::Result;
use crate::integrator::{AlphaParameters, Stepper};
use crate::model::Model;
use crate::state::State;
use crate::system::{MatrixWeights, System};

/// Refinements that remove the effect of the row regularization.
const REFINEMENTS: usize = 4;

pub(crate) struct StartScratch {
    residual: Vec<f64>,
    solution: Vec<f64>,
    row: Vec<f64>,
}

impl StartScratch {
    pub fn new(model: &Model) -> Self {
        let n = model.v_count + model.row_count;
        Self { residual: vec![0.0; n], solution: vec![0.0; n], row: vec![0.0; model.row_count] }
    }
}

/// Solves $M\dot v + C_q^T\lambda = f - b$, $C_q\dot v = \gamma$ at the system's point, into the point.
pub(crate) fn solve_accelerations(system: &mut System, history: &[f64], s: &mut StartScratch) -> Result<()> {
    let nv = system.model().v_count;
    system.update(history);
    system.rows(history, RowRequest { rate: true, gamma: true });
    system.assemble(history, MatrixWeights::MASS, None);
    system.factor()?;
    system.point.acceleration.fill(0.0);
    s.solution.fill(0.0);
    // Without rows there is no regularization to remove, and the explicit methods come here at every stage.
    let refinements = if s.row.is_empty() { 0 } else { REFINEMENTS };
    for _ in 0..=refinements {
        let (f, g) = s.residual.split_at_mut(nv);
        system.point.acceleration.copy_from_slice(&s.solution[..nv]);
        system.forces(history, f);
        f.iter_mut().for_each(|f| *f = -*f);
        system.add_inertia_force(f);
        system.add_reactions(&s.solution[nv..], 1.0, f);
        f.iter_mut().for_each(|f| *f = -*f);
        system.gammas(g);
        system.jacobian_product(&s.solution[..nv], &mut s.row);
        g.iter_mut().zip(&s.row).for_each(|(g, r)| *g -= r);
        system.solve(&mut s.residual)?;
        s.solution.iter_mut().zip(&s.residual).for_each(|(x, d)| *x += d);
    }
    system.point.acceleration.copy_from_slice(&s.solution[..nv]);
    system.point.lambda.copy_from_slice(&s.solution[nv..]);
    Ok(())
}

impl Stepper {
    /// Computes consistent accelerations, multipliers and rates unless the state has them.
    ///
    /// The auxiliary acceleration of the generalized-α family starts at
    /// $a_0 = \dot v_0 + (\alpha_m-\alpha_f)\,h\,\ddot v_0$, without which the multipliers are of first order
    /// only (arnold2015); $\ddot v_0$ comes from a forward difference.
    pub(crate) fn make_ready(&mut self, state: &mut State, h: f64) -> Result<()> {
        if state.accelerations_ready {
            return Ok(());
        }
        state.rest_fixed(self.system.model());
        let (system, s) = (&mut self.system, &mut self.start);
        system.load(state);
        system.set_elapsed(0.0);
        if !state.history_ready {
            system.update(&state.history);
            let mut history = std::mem::take(&mut state.history);
            system.initialize_history(&mut history);
            state.history = history;
        }
        solve_accelerations(system, &state.history, s)?;
        state.acceleration.copy_from_slice(&system.point.acceleration);
        state.lambda.copy_from_slice(&system.point.lambda);
        // Sensors may read accelerations and reactions: evaluate the signals once more with them.
        system.update(&state.history);
        system.state_rates(&state.history, &mut state.z_rate);
        state.acceleration_previous.copy_from_slice(&state.acceleration);
        state.lambda_previous.copy_from_slice(&state.lambda);
        state.algorithmic.copy_from_slice(&state.acceleration);
        system.turning_force(&mut state.algorithmic_turning);
        state.last_step_size = 0.0;
        state.equal_steps = 0;
        state.reused.step_size = 0.0;
        if let Some(p) = AlphaParameters::of(&self.settings.integrator) {
            self.shift_start(state, h, &p)?;
        }
        state.accelerations_ready = true;
        Ok(())
    }

    /// Sets auxiliary accelerations and velocities to the values of a long-running simulation.
    ///
    /// Positions on the constraints at every step need velocities $v + h^2(\tfrac16-\beta-\tfrac12(\alpha_m-\alpha_f))
    /// \ddot v$ along the constraint normals; started without that offset, the multipliers of driven mechanisms are
    /// wrong by O(h) for some steps (arnold2015).
    fn shift_start(&mut self, state: &mut State, h: f64, p: &AlphaParameters) -> Result<()> {
        let shift = (p.alpha_m - p.alpha_f) * h;
        let offset = h * h * (1.0 / 6.0 - p.beta - 0.5 * (p.alpha_m - p.alpha_f));
        let (system, s) = (&mut self.system, &mut self.start);
        let d = 0.1 * h;
        system.load(state);
        let x: Vec<f64> =
            state.v.iter().zip(&state.acceleration).map(|(v, a)| d * v + 0.5 * d * d * a).collect();
        system.retract(&state.q, &x);
        system.point.time += d;
        system.point.v.iter_mut().zip(&state.acceleration).for_each(|(v, a)| *v += d * a);
        system.point.z.iter_mut().zip(&state.z_rate).for_each(|(z, r)| *z += d * r);
        solve_accelerations(system, &state.history, s)?;
        system.shift_turning(shift / d, &mut state.algorithmic_turning);
        let nv = state.v.len();
        let jerk = &mut s.solution[..nv];
        for i in 0..nv {
            jerk[i] = (system.point.acceleration[i] - state.acceleration[i]) / d;
            state.algorithmic[i] += shift * jerk[i];
        }
        if !state.lambda.is_empty() {
            system.jacobian_product(jerk, &mut s.row);
            s.residual[..nv].fill(0.0);
            s.residual[nv..].iter_mut().zip(&s.row).for_each(|(b, r)| *b = offset * r);
            system.solve(&mut s.residual)?;
            state.v.iter_mut().zip(&s.residual).for_each(|(v, d)| *v += d);
        }
        Ok(())
    }
}
