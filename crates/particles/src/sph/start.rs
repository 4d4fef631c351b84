//! How a fluid starts: its particles, their pressures at rest, and the speed of sound it needs.

use huygens_kernel::Vec3;

use super::system::FluidSystem;
use crate::error::Result;

/// Speed of sound over the greatest speed of the flow that keeps density nearly constant, within 1 %.
pub use huygens_spec::SOUND_RATIO;

/// Particles of a fluid at the start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidFill {
    /// Positions [m].
    pub points: Vec<Vec3>,
    /// Velocity of all of them [m/s].
    pub velocity: Vec3,
    /// Whether they start under the pressure of a fluid at rest.
    pub hydrostatic: bool,
}

impl FluidFill {
    /// Particles with their pressures at the start [Pa] in an acceleration [m/s²], of a fluid of a density [kg/m³] and a
    /// spacing [m]. Along axes that repeat there is no surface, and so no depth.
    pub fn with_pressures(
        &self,
        mut gravity: Vec3,
        density: f64,
        spacing: f64,
        repeats: [bool; 3],
    ) -> impl Iterator<Item = (Vec3, f64)> + '_ {
        for (k, repeats) in repeats.into_iter().enumerate() {
            if repeats {
                gravity[k] = 0.0;
            }
        }
        let down = gravity.normalize_or_zero();
        let top = self.points.iter().map(|p| p.dot(down)).fold(f64::INFINITY, f64::min);
        // The surface is half a spacing above the topmost particles.
        let top = top - 0.5 * spacing;
        let pull = if self.hydrostatic { density * gravity.length() } else { 0.0 };
        self.points.iter().map(move |point| {
            let depth = if pull == 0.0 { 0.0 } else { point.dot(down) - top };
            (*point, pull * depth)
        })
    }
}

impl FluidSystem {
    /// Adds the particles of a fill.
    pub fn add_fill(&mut self, fill: &FluidFill) -> Result<()> {
        let settings = self.settings();
        let repeats = settings.periodic.map(|axis| axis.is_some());
        let (gravity, density, spacing) = (settings.gravity, settings.density, settings.spacing);
        for (point, pressure) in fill.with_pressures(gravity, density, spacing, repeats) {
            self.add_with_pressure(point, fill.velocity, pressure)?;
        }
        Ok(())
    }
}

/// Greatest speed [m/s] that is expected of a flow: that at the start, of fills, inlets and belts, or that of a fall through
/// the height of all fills and a spacing [m] under an acceleration [m/s²]. Along a periodic axis nothing falls to an
/// end.
pub fn expected_speed(
    fills: &[FluidFill],
    inlets: impl IntoIterator<Item = Vec3>,
    acceleration: Vec3,
    spacing: f64,
    repeats: [bool; 3],
) -> f64 {
    let down = acceleration.normalize_or_zero();
    let depths = fills.iter().flat_map(|f| &f.points).map(|p| p.dot(down));
    let (low, high) = depths.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
    let height = if low <= high { high - low + spacing } else { 0.0 };
    let inlets = inlets.into_iter().map(|velocity| velocity.length());
    let speed = fills.iter().map(|f| f.velocity.length()).chain(inlets).fold(0.0, f64::max);
    let falls = repeats.into_iter().enumerate().all(|(k, repeats)| !repeats || down[k] == 0.0);
    let gravity = if falls { acceleration.length() } else { 0.0 };
    (2.0 * gravity * height).sqrt().max(speed)
}
