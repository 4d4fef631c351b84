//! Kinematics of driven mechanisms: positions, velocities, accelerations and driving forces at given times.

use crate::analysis::assembly::assemble;
use crate::error::{CoreError, Result};
use crate::integrator::{Integrator, Stepper, StepperSettings};
use crate::model::Model;
use crate::state::State;
use huygens_exec::Exec;
use std::sync::Arc;

/// Solves a mechanism whose motion is fully prescribed, time by time.
///
/// $\Phi(q, t) = 0$, $C_q v = -\Phi_t$, $C_q\dot v = \gamma$; then $\lambda$ from the equations of motion (inverse
/// dynamics). Each time starts from the previous solution, extrapolated.
pub struct Kinematics {
    stepper: Stepper,
}

impl Kinematics {
    /// Checks that constraints and motors leave no degree of freedom, and assembles the initial state.
    pub fn new(model: Arc<Model>, exec: Exec, state: &mut State) -> Result<Self> {
        // Euler has no auxiliary accelerations, so the velocities stay those of the mechanism.
        let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
        let mut stepper = Stepper::new(model, exec, settings)?;
        let report = assemble(&mut stepper.system, state)?;
        if report.degrees_of_freedom > 0 {
            return Err(CoreError::Unsupported {
                integrator: "kinematics".into(),
                reason: format!(
                    "{} degrees of freedom are not driven; add motors or use a dynamic analysis",
                    report.degrees_of_freedom
                ),
            });
        }
        stepper.make_ready(state, 1e-3)?;
        Ok(Self { stepper })
    }

    /// Moves the state to `time`.
    pub fn advance(&mut self, state: &mut State, time: f64) -> Result<()> {
        let h = time - state.time;
        let x: Vec<f64> =
            state.v.iter().zip(&state.acceleration).map(|(v, a)| h * v + 0.5 * h * h * a).collect();
        let system = &mut self.stepper.system;
        system.load(state);
        system.retract(&state.q, &x);
        state.q.copy_from_slice(&system.point.q);
        state.time = time;
        state.step += 1;
        // What joints remember of turns comes from the time before: assembly must not write it again.
        state.history_ready = true;
        let start = (state.z.clone(), state.z_rate.clone());
        for (z, r) in state.z.iter_mut().zip(&state.z_rate) {
            *z += h * r;
        }
        // First-order states by the trapezoidal rule, with rates at the extrapolated configuration.
        system.load(state);
        system.update(&state.history);
        system.state_rates(&state.history, &mut state.z_rate);
        for (i, z) in state.z.iter_mut().enumerate() {
            *z = start.0[i] + 0.5 * h * (start.1[i] + state.z_rate[i]);
        }
        system.load(state);
        assemble(system, state)?;
        system.load(state);
        system.update(&state.history);
        system.commit(&mut state.history);
        self.stepper.make_ready(state, h.abs().max(1e-9))
    }
}
