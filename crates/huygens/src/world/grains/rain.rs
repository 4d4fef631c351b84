//! Rain: grains that fall into a set and come to rest before time begins.

use std::fmt;
use std::ops::ControlFlow;

use glam::DVec3;
use huygens_particles::fill::{Amount, Rainfall, Region, Settle, Sizes};
use huygens_particles::{GrainSettings, GrainSystem, grain_steps};

use super::GrainSet;
use crate::spec::{GrainFillSpec, MAX_GRAINS, PatternSpec};
use crate::world::{Result, World};

/// Steps between two looks at the energy.
const LOOK: u64 = 200;

/// How far rain has come.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RainProgress {
    /// Name of the set.
    pub grains: String,
    /// Grains that have rained.
    pub number: u64,
    /// Share of what is to rain that has, 0 to 1.
    pub share: f64,
    /// Kinetic energy per grain [J].
    pub energy: f64,
    /// Kinetic energy per grain at which the bed is at rest [J].
    pub rest: f64,
}

impl fmt::Display for RainProgress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { grains, number, share, energy, rest } = self;
        write!(f, "grains '{grains}': {number} grains have fallen, {:.0} %; ", 100.0 * share)?;
        write!(f, "{energy:.1e} J per grain, at rest below {rest:.1e} J")
    }
}

/// A rain as described, with what it needs to begin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rain {
    pub fall: Rainfall,
    /// Kinetic energy per grain [J] at rest, where it is given.
    pub energy: Option<f64>,
}

/// The rain that a fill describes.
pub(super) fn rain_of(
    spec: &GrainFillSpec,
    region: Region,
    sizes: Sizes,
    density: f64,
    material: usize,
) -> std::result::Result<Rain, (&'static str, String)> {
    let PatternSpec::Rainfall { count, mass, energy, longest } = spec.pattern else {
        return Err(("pattern", "this is no rain".into()));
    };
    for (key, value) in
        [("pattern.energy", energy), ("pattern.longest", Some(longest)), ("density", Some(density))]
    {
        if let Some(x) = value
            && !(x > 0.0 && x.is_finite())
        {
            return Err((key, format!("{x} is not allowed; a positive finite number is needed")));
        }
    }
    let amount = match (count, mass) {
        (Some(count), None) if count <= MAX_GRAINS as u64 => Amount::Number(count),
        (Some(count), None) => {
            return Err(("pattern.count", format!("{count} grains are not allowed; {MAX_GRAINS} are")));
        }
        (None, Some(mass)) => Amount::Mass(mass),
        _ => return Err(("pattern", "rain needs a `count` of grains or a `mass` [kg]".into())),
    };
    let (velocity, seed) = (DVec3::from_array(spec.velocity), spec.seed);
    // The energy at rest is set when the rain begins.
    let settle = Settle { energy_per_grain: 1.0, check_every: LOOK, longest };
    let fall = Rainfall { region, sizes, amount, density, material, velocity, seed, settle };
    Ok(Rain { fall, energy })
}

impl World {
    /// Lets all rain fall that has not yet, which building the model does as well; `progress` may end it early.
    pub fn rain_grains(&mut self, progress: &mut dyn FnMut(&RainProgress) -> ControlFlow<()>) -> Result<()> {
        if self.objects.grains.iter().all(|set| set.rains.is_empty()) {
            return Ok(());
        }
        self.initialize_bodies()?;
        for k in 0..self.objects.grains.len() {
            if self.objects.grains[k].rains.is_empty() {
                continue;
            }
            let rains = std::mem::take(&mut self.objects.grains[k].rains);
            let system = self.rain(&self.objects.grains[k], rains, self.grain_settings(k), progress)?;
            self.objects.grains[k].waiting.clear();
            self.put_grains(k, system);
        }
        self.motion.ready = false;
        Ok(())
    }

    /// Leaves out rain, since a saved state has what came of it.
    pub(crate) fn skip_rain(&mut self) {
        self.objects.grains.iter_mut().for_each(|set| set.rains.clear());
    }

    fn rain(
        &self,
        set: &GrainSet,
        rains: Vec<Rain>,
        settings: GrainSettings,
        progress: &mut dyn FnMut(&RainProgress) -> ControlFlow<()>,
    ) -> Result<GrainSystem> {
        let mut system = self.bare_system(set, settings, true)?;
        for item in &set.waiting {
            item.enter(&mut system).map_err(|e| set.blame(e))?;
        }
        for mut rain in rains {
            let step = self.rain_step(set, &system, &rain.fall)?;
            rain.fall.settle.energy_per_grain = match rain.energy {
                Some(energy) => energy,
                None => rain.fall.rest_energy(system.settings().gravity),
            };
            let (name, rest) = (set.spec.name.clone(), rain.fall.settle.energy_per_grain);
            let amount = rain.fall.amount;
            let done = rain.fall.run(&mut system, &self.exec, step, |r| {
                let share = match amount {
                    Amount::Number(n) => r.number as f64 / n as f64,
                    Amount::Mass(m) => r.mass / m,
                };
                let energy = r.settle.energy_per_grain;
                let (grains, share) = (name.clone(), share.min(1.0));
                progress(&RainProgress { grains, number: r.number, share, energy, rest })
            });
            done.map_err(|e| set.blame(e))?;
        }
        // The bed goes on with all that its contacts remember; only time starts anew, and walls may move.
        system.restart_clock();
        for wall in &set.walls {
            for (part, motion) in wall.parts.clone().zip(self.part_motions(wall)) {
                system.set_wall_motion(part, motion).map_err(|e| set.blame(e))?;
                system.take_wall_impulse(part);
            }
        }
        if let Some(traffic) = &set.traffic {
            system.set_traffic(traffic.clone()).map_err(|e| set.blame(e))?;
        }
        Ok(system)
    }

    fn rain_step(&self, set: &GrainSet, system: &GrainSystem, fall: &Rainfall) -> Result<f64> {
        let given = set.spec.step.seconds();
        let step = system.choose_rain_step(fall, given, set.spec.speed, self.settings.dt);
        let step = step.map_err(|e| set.blame(e))?;
        // What a run could not go on with is refused before the rain.
        grain_steps(self.settings.dt, step).map_err(|e| set.blame(e))?;
        Ok(step)
    }
}
