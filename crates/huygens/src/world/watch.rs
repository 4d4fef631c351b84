//! What is chosen before the first step and checked after every one.

use huygens_core::contact::ContactLaw;
use huygens_core::integrator::Integrator;
use huygens_core::{CoreError, Model, Subject};

use super::{Result, World, WorldError};

/// The method that suits a model.
pub(super) fn automatic(model: &Model) -> Integrator {
    let smooth = model.row_count() == 0 && model.unilateral_row_count() == 0;
    match model.contact().map(|c| c.settings().law) {
        None => Integrator::default(),
        // Elements are stiff.
        Some(ContactLaw::Compliant) if model.has_nodes() => Integrator::Hht { alpha: -0.1 },
        Some(ContactLaw::Compliant) if smooth => Integrator::Leapfrog,
        Some(_) => Integrator::Euler,
    }
}

impl World {
    /// Adds to an error about a body, such as one that is not finite any more, what the body touched.
    pub(super) fn blame(&self, error: CoreError) -> CoreError {
        let touched = |what: Subject| {
            let body = what.about().filter(|object| object.kind == "body");
            let body = body.and_then(|object| self.body(&object.name).ok());
            match body.map(|id| self.touching(id)).unwrap_or_default() {
                names if names.is_empty() => what,
                names => what.map(|what| format!("{what} (it touched {names} in the last step)")),
            }
        };
        match error {
            CoreError::NonFinite { what, time, step } => {
                CoreError::NonFinite { what: touched(what), time, step }
            }
            CoreError::Singular { what, reason } => CoreError::Singular { what: touched(what), reason },
            other => other,
        }
    }

    /// Refuses a state in which a body has left the world.
    pub(super) fn check_bounds(&self) -> Result<()> {
        let (Some([low, high]), Some(s)) = (self.settings.bounds, &self.simulation) else { return Ok(()) };
        let inside = |p: &[f64]| (0..3).all(|k| low[k] <= p[k] && p[k] <= high[k]);
        for (id, spec) in &self.bodies {
            // Dynamic bodies come first in the state, seven coordinates each, centres of mass first.
            let Some(column) = s.mechanism.body_column(*id) else { continue };
            if inside(&s.state.q[7 * (column / 6)..][..3]) {
                continue;
            }
            return Err(WorldError::LeftBounds {
                body: spec.name.clone(),
                position: self.body_position(*id)?,
                time: s.state.time,
                step: s.state.step,
                touching: match self.touching(*id) {
                    names if names.is_empty() => names,
                    names => format!("; it touched {names} in the last step"),
                },
            });
        }
        Ok(())
    }
}
