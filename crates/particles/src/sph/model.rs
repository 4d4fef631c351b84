//! What a fluid is, apart from where it is.

use huygens_kernel::Vec3;

use super::settings::FluidSettings;
use crate::error::Result;

/// What stays the same during steps: loops read it, and nothing in it is part of a saved state but gravity.
#[derive(Clone, Debug)]
pub(crate) struct FluidModel {
    pub settings: FluidSettings,
    /// Periods [m] of the axes; 0 where an axis is not periodic.
    pub periods: Vec3,
}

impl FluidModel {
    /// Refuses settings that are out of range.
    pub fn new(settings: FluidSettings) -> Result<Self> {
        settings.check()?;
        let periods = Vec3::from_array(settings.periodic.map(|axis| axis.map_or(0.0, |[_, length]| length)));
        Ok(Self { settings, periods })
    }
}
