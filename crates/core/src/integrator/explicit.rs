//! Explicit methods on the rotation group for unconstrained systems: RK4, Heun (Munthe-Kaas form), leapfrog.
//!
//! Stages are formed in the retraction's argument: $\dot x = T^{-1}(x)\,v$, $\dot v = M^{-1}(f - b)$.

use crate::error::Result;
use crate::integrator::{Integrator, StepReport, Stepper, solve_accelerations};
use crate::model::Model;
use crate::state::State;

pub(crate) struct ExplicitScratch {
    x: Vec<f64>,
    x_rates: [Vec<f64>; 4],
    v_rates: [Vec<f64>; 4],
    z_rates: [Vec<f64>; 4],
}

impl ExplicitScratch {
    pub fn new(model: &Model) -> Self {
        let stages = |n: usize| std::array::from_fn(|_| vec![0.0; n]);
        Self {
            x: vec![0.0; model.v_count],
            x_rates: stages(model.v_count),
            v_rates: stages(model.v_count),
            z_rates: stages(model.z_count),
        }
    }
}

impl Stepper {
    pub(crate) fn step_explicit(&mut self, state: &mut State, h: f64) -> Result<StepReport> {
        self.make_ready(state, h)?;
        self.system.start_contacts_from(&state.v);
        match self.settings.integrator {
            Integrator::Rk4 => {
                for (stage, weight) in [0.0, 0.5, 0.5, 1.0].into_iter().enumerate() {
                    self.stage(state, h, stage, weight)?;
                }
                self.finish(state, h, &[1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0])?;
            }
            Integrator::Heun => {
                self.stage(state, h, 0, 0.0)?;
                self.stage(state, h, 1, 1.0)?;
                self.finish(state, h, &[0.5, 0.5])?;
            }
            _ => self.leapfrog(state, h)?,
        }
        let mut report = StepReport { step_size: h, iterations: 1, ..StepReport::default() };
        self.commit_compliant(state, &mut report);
        Ok(report)
    }

    /// Rates at $y_n + w h k_{stage-1}$.
    fn stage(&mut self, state: &State, h: f64, stage: usize, weight: f64) -> Result<()> {
        let (system, s) = (&mut self.system, &mut self.explicit);
        system.load(state);
        system.point.time = state.time + weight * h;
        system.set_elapsed(weight * h);
        s.x.fill(0.0);
        if stage > 0 {
            let w = weight * h;
            for i in 0..state.v.len() {
                s.x[i] = w * s.x_rates[stage - 1][i];
                system.point.v[i] += w * s.v_rates[stage - 1][i];
            }
            for i in 0..state.z.len() {
                system.point.z[i] += w * s.z_rates[stage - 1][i];
            }
            system.retract(&state.q, &s.x);
        }
        solve_accelerations(system, &state.history, &mut self.start)?;
        s.v_rates[stage].copy_from_slice(&system.point.acceleration);
        s.x_rates[stage].copy_from_slice(&system.point.v);
        system.unturn(&s.x, &mut s.x_rates[stage]);
        if !state.z.is_empty() {
            system.update(&state.history);
            system.state_rates(&state.history, &mut s.z_rates[stage]);
        }
        Ok(())
    }

    fn finish(&mut self, state: &mut State, h: f64, weights: &[f64]) -> Result<()> {
        let s = &mut self.explicit;
        let sum = |rates: &[Vec<f64>; 4], i: usize| -> f64 {
            weights.iter().zip(rates).map(|(w, r)| w * r[i]).sum::<f64>() * h
        };
        for i in 0..state.v.len() {
            s.x[i] = sum(&s.x_rates, i);
            state.v[i] += sum(&s.v_rates, i);
        }
        for i in 0..state.z.len() {
            state.z[i] += sum(&s.z_rates, i);
        }
        self.finish_positions(state, h)
    }

    fn finish_positions(&mut self, state: &mut State, h: f64) -> Result<()> {
        self.system.retract(&state.q, &self.explicit.x);
        state.q.copy_from_slice(&self.system.point.q);
        state.note_step(h);
        let system = &mut self.system;
        system.load(state);
        system.set_elapsed(h);
        solve_accelerations(system, &state.history, &mut self.start)?;
        state.shift_accelerations();
        state.lambda.fill(0.0);
        state.acceleration.copy_from_slice(&system.point.acceleration);
        if !state.z.is_empty() || !state.history.is_empty() {
            system.update(&state.history);
            system.state_rates(&state.history, &mut state.z_rate);
            system.commit(&mut state.history);
        }
        Ok(())
    }

    /// $v_{1/2} = v_n + \tfrac h2\dot v_n$, $q_{n+1} = q_n\oplus h v_{1/2}$, $v_{n+1} = v_{1/2} + \tfrac h2\dot v_{n+1}$.
    ///
    /// Forces that depend on velocity (the gyroscopic torque always does) see the velocity predicted for the end
    /// of the step, which keeps the second order.
    fn leapfrog(&mut self, state: &mut State, h: f64) -> Result<()> {
        let half = 0.5 * h;
        for i in 0..state.v.len() {
            state.v[i] += half * state.acceleration[i];
            self.explicit.x[i] = h * state.v[i];
        }
        for i in 0..state.z.len() {
            state.z[i] += half * state.z_rate[i];
        }
        self.finish_positions(state, h)?;
        let system = &mut self.system;
        system.load(state);
        system.point.v.iter_mut().zip(&state.acceleration).for_each(|(v, a)| *v += half * a);
        system.point.z.iter_mut().zip(&state.z_rate).for_each(|(z, r)| *z += half * r);
        solve_accelerations(system, &state.history, &mut self.start)?;
        state.acceleration.copy_from_slice(&system.point.acceleration);
        if !state.z.is_empty() {
            system.update(&state.history);
            system.state_rates(&state.history, &mut state.z_rate);
        }
        for i in 0..state.v.len() {
            state.v[i] += half * state.acceleration[i];
        }
        for i in 0..state.z.len() {
            state.z[i] += half * state.z_rate[i];
        }
        Ok(())
    }
}
