//! What of a system may be read and changed between steps.

use huygens_kernel::Vec3;

use crate::system::{GrainSettings, GrainSystem};
use crate::wall::{Wall, WallMotion};

impl GrainSystem {
    /// Its settings.
    pub fn settings(&self) -> &GrainSettings {
        &self.settings
    }

    /// Its walls.
    pub fn walls(&self) -> &[Wall] {
        &self.walls
    }

    /// Index of the material of each grain, in the present order.
    pub fn materials(&self) -> &[u8] {
        &self.fields.material
    }

    /// Sets the acceleration of gravity [m/s²] from the next step on.
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.settings.gravity = gravity;
    }

    /// Puts a wall at another place, or lets it move otherwise; one that does not exist is left alone.
    pub fn set_wall_motion(&mut self, wall: usize, motion: WallMotion) {
        if let Some(wall) = self.walls.get_mut(wall) {
            wall.motion = motion;
        }
    }
}
