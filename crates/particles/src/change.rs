//! What of a system may be read and changed between steps.

use huygens_kernel::Vec3;

use crate::system::{GrainSettings, GrainSystem};

impl GrainSystem {
    /// Its settings.
    pub fn settings(&self) -> &GrainSettings {
        &self.settings
    }

    /// Index of the material of each grain, in the present order.
    pub fn materials(&self) -> &[u8] {
        &self.fields.material
    }

    /// Sets the acceleration of gravity [m/s²] from the next step on.
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.settings.gravity = gravity;
    }
}
