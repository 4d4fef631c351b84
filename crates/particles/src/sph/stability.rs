//! What a fluid that steps next to bodies must keep: steps it is stable at, speeds its sound is fast enough for, and
//! bodies heavy enough for the fluid they move.

use huygens_kernel::Vec3;

use super::settings::FluidSettings;
use super::system::FluidSystem;
use crate::error::{ParticleError, Result};

/// Share of the speed of sound that no flow may reach.
const FAST: f64 = 0.5;

impl FluidSystem {
    /// Refuses a step [s] that is longer than `share` times what the fluid allows at present.
    pub fn check_step(&self, step: f64, share: f64) -> Result<()> {
        let (limit, settings) = (self.step_limit(), self.settings());
        match step <= share * limit {
            true => Ok(()),
            false => Err(ParticleError::FluidStep {
                step,
                limit,
                sound: settings.sound,
                crossing: settings.length() / settings.sound,
            }),
        }
    }

    /// Refuses speeds that the speed of sound is too small for.
    pub fn check_speed(&self) -> Result<()> {
        let (speed, sound) = (self.range().speed, self.settings().sound);
        match speed > FAST * sound && !self.is_empty() {
            true => Err(ParticleError::FluidSound { speed, sound, time: self.time() }),
            false => Ok(()),
        }
    }
}

impl FluidSettings {
    /// Share of the rest density beyond which a fluid is not nearly incompressible any more.
    pub const COMPRESSED: f64 = 0.03;

    /// Longest step [s] in which a body of a mass [kg] and these markers [m] follows the fluid that it moves.
    ///
    /// A body that moves at v meets a pressure of $\rho c v$ on both sides, until sound has gone around it. Its mass m and
    /// area A let a step that acts on the expected velocity grow errors beyond $h = m/(2\rho c A)$.
    pub fn body_step_limit(&self, mass: f64, markers: &[Vec3]) -> f64 {
        mass / (2.0 * self.density * self.sound * self.shadow(markers))
    }

    /// Greatest area [m², in the plane m] that points cover along an axis.
    fn shadow(&self, points: &[Vec3]) -> f64 {
        let d = self.spacing;
        let area = |axis: usize| {
            let mut cells: Vec<[i64; 3]> = points
                .iter()
                .map(|p| {
                    let mut cell = (*p / d).floor().to_array().map(|x| x as i64);
                    cell[axis] = 0;
                    cell
                })
                .collect();
            cells.sort_unstable();
            cells.dedup();
            cells.len() as f64 * self.volume() / d
        };
        (0..3).filter(|k| self.space.normal() != Some(*k)).map(area).fold(0.0, f64::max)
    }
}
