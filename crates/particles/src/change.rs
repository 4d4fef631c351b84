//! What a system was made with.

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
}
