//! Changes parameters between steps and recomputes only what depends on them.

use std::sync::Arc;

use crate::contract::NO_BLOCK;
use crate::error::Result;
use crate::integrator::Stepper;
use crate::model::Model;
use crate::parameter::{Invalidates, ParameterChanges, ParameterTarget};
use crate::state::State;

impl Stepper {
    /// Changes a parameter between steps and returns what depended on it. The state's accelerations and reused matrix
    /// are invalidated; positions, velocities, multipliers and history are kept. Setting the current value changes
    /// nothing.
    pub fn set_parameter(
        &mut self,
        state: &mut State,
        target: &ParameterTarget,
        value: f64,
    ) -> Result<Invalidates> {
        self.set_parameters(state, &[(target.clone(), value)])
    }

    /// Changes several parameters, all or none: values that must be consistent, such as the moments of inertia of a
    /// body.
    pub fn set_parameters(
        &mut self,
        state: &mut State,
        changes: &[(ParameterTarget, f64)],
    ) -> Result<Invalidates> {
        let (model, invalidates) = self.system.model().with_parameters(changes)?;
        self.take_model(model, invalidates)?;
        if invalidates != Invalidates::NOTHING {
            state.disturb();
            state.parameters = self.system.model().parameter_changes();
        }
        Ok(invalidates)
    }

    /// Sets the parameters with which a saved state was computed: those of the model as built, and `changes`. States
    /// are not changed, so that a run continues bit-identically.
    pub fn apply_changes(&mut self, changes: &ParameterChanges) -> Result<Invalidates> {
        let (model, invalidates) = self.system.model().with_changes(changes)?;
        self.take_model(model, invalidates)?;
        Ok(invalidates)
    }

    fn take_model(&mut self, model: Model, invalidates: Invalidates) -> Result<()> {
        if invalidates == Invalidates::NOTHING {
            return Ok(());
        }
        if let Some(contact) = model.contact().filter(|_| invalidates.contacts) {
            contact.check_pairs(|frame| self.system.frames()[frame as usize].block != NO_BLOCK)?;
        }
        self.system.set_model(Arc::new(model), invalidates);
        if invalidates.mass {
            self.contact.forget_masses();
        }
        if invalidates.factors {
            self.implicit.forget_factors();
        }
        Ok(())
    }
}
