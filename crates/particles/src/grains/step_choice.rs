//! Which step grains need, from what they are made of and how fast they are likely to meet.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use crate::error::Result;
use crate::fill::Rainfall;
use crate::grains::fields::Grain;
use crate::grains::list::CHUNK;
use crate::grains::system::GrainSystem;

/// A given step that is longer than the automatic one by more than this factor is worth a warning.
const LONG: f64 = 2.0;

/// Kinetic energy per grain at which a bed is at rest, as a share of the energy that lifts its smallest grain by its
/// radius.
const REST: f64 = 1e-4;

/// The step of a set of grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepChoice {
    /// The step that is taken [s].
    pub step: f64,
    /// The step that resolves all contacts [s]; infinite where there are no grains.
    pub automatic: f64,
    /// Whether the step was given and is so long that contacts are not resolved.
    pub too_long: bool,
}

impl GrainSystem {
    /// Chooses the step: `given` [s], or the one that resolves contacts at the relative speed `speed` [m/s] (without one,
    /// at [`GrainSystem::likely_speed`]), in both cases of grains in an outer step of `most` [s].
    pub fn choose_step(&self, given: Option<f64>, speed: Option<f64>, most: f64) -> StepChoice {
        let speed = speed.unwrap_or_else(|| self.likely_speed());
        let automatic = self.step_limit(speed).suggested.min(self.inlet_step(speed));
        match given {
            // A system without grains takes what comes.
            None => StepChoice { step: automatic.min(most), automatic, too_long: false },
            Some(step) => StepChoice { step, automatic, too_long: step.min(most) > LONG * automatic },
        }
    }

    /// Chooses the step while grains rain as `fall` says, as [`GrainSystem::choose_step`] does.
    pub fn choose_rain_step(
        &self,
        fall: &Rainfall,
        given: Option<f64>,
        speed: Option<f64>,
        most: f64,
    ) -> Result<f64> {
        let [low, high] = fall.region.bounds();
        let gravity = self.settings().gravity;
        let height = (high - low).dot(gravity.normalize_or_zero().abs());
        let falling = (fall.velocity.length_squared() + 2.0 * gravity.length() * height).sqrt();
        let sizes = fall.sizes.table()?;
        let speed = speed.unwrap_or(falling.max(self.likely_speed()));
        let own = self.step_for([(sizes.least(), fall.density, fall.material)], speed);
        let automatic = self.step_limit(speed).suggested.min(own);
        Ok(given.unwrap_or(automatic.min(most)))
    }

    /// The step that the smallest grains of inlets will need [s]; infinite without inlets.
    fn inlet_step(&self, speed: f64) -> f64 {
        let Some(traffic) = self.traffic().filter(|t| !t.inlets.is_empty()) else { return f64::INFINITY };
        let smallest = traffic.inlets.iter().filter_map(|inlet| {
            inlet.sizes.table().ok().map(|sizes| (sizes.least(), inlet.density, inlet.material))
        });
        self.step_for(smallest, speed)
    }

    /// The step that grains of these radii [m], densities [kg/m³] and materials need among each other [s], where they
    /// meet at the relative speed `speed` [m/s].
    pub fn step_for(&self, grains: impl IntoIterator<Item = (f64, f64, usize)>, speed: f64) -> f64 {
        let Ok(mut sample) = Self::new(self.settings().clone()) else { return f64::INFINITY };
        for (radius, density, material) in grains {
            // One that is refused here is refused again when it appears.
            let _ = sample.add(&Grain { radius, density, material, ..Grain::default() });
        }
        sample.step_limit(speed).suggested
    }

    /// Speed at which grains are likely to meet [m/s]: the greatest at the start, of grains, walls and inlets, together
    /// with that of a fall from the highest of them to the lowest and ten diameters more.
    pub fn likely_speed(&self) -> f64 {
        self.likely_speed_on(&Exec::serial())
    }

    /// The same as [`GrainSystem::likely_speed`], on many threads.
    pub fn likely_speed_on(&self, ex: &Exec) -> f64 {
        let gravity = self.settings().gravity;
        let down = gravity.normalize_or_zero();
        // Depths, the greatest radius and the greatest speed.
        let of = |range: Range<usize>| {
            let rows = self.places()[range.clone()].iter().zip(&self.motions()[range]);
            rows.fold([f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0], |all, (place, motion)| {
                let depth = place.vector().dot(down);
                joined(all, [depth, depth, place.0[3], motion.vector().length()])
            })
        };
        let all = ex.reduce(self.len(), CHUNK, of, joined);
        let [mut low, mut high, largest, mut fastest] =
            all.unwrap_or([f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0]);
        let mut reach = |place: Vec3| {
            let depth = place.dot(down);
            (low, high) = (low.min(depth), high.max(depth));
        };
        for wall in self.walls() {
            reach(wall.motion.position);
            fastest = fastest.max(wall.motion.velocity.length());
        }
        for inlet in self.traffic().iter().flat_map(|t| &t.inlets) {
            inlet.region.bounds().into_iter().for_each(&mut reach);
            fastest = fastest.max(inlet.velocity.length());
        }
        let height = (high - low).max(0.0) + 20.0 * largest;
        (fastest * fastest + 2.0 * gravity.length() * height).sqrt().max(1e-3)
    }
}

/// Least depth, and greatest depth, radius and speed of both.
fn joined(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0].min(b[0]), a[1].max(b[1]), a[2].max(b[2]), a[3].max(b[3])]
}

impl Rainfall {
    /// Kinetic energy per grain [J] at which the bed is at rest under the gravity `gravity` [m/s²], where none is given.
    pub fn rest_energy(&self, gravity: Vec3) -> f64 {
        let radius = self.sizes.table().map_or(0.0, |t| t.least());
        let mass = self.density * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
        REST * mass * gravity.length() * radius
    }
}
