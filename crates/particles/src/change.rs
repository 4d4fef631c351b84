//! What a system was made with.

use crate::system::{GrainSettings, GrainSystem};

impl GrainSystem {
    /// Its settings.
    pub fn settings(&self) -> &GrainSettings {
        &self.settings
    }

    /// Counts time and steps from zero again; contacts keep what they remember. The motions of walls are to be set anew.
    pub fn restart_clock(&mut self) {
        (self.time, self.step) = (0.0, 0);
    }

    /// Index of the material of each grain, in the present order.
    pub fn materials(&self) -> &[u8] {
        &self.fields.material
    }
}
