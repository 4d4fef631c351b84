//! Rain that falls into a set of grains before time begins.

use std::fmt;
use std::ops::ControlFlow;

use huygens_exec::Exec;

use super::{Amount, Rainfall};
use crate::error::Result;
use crate::grains::system::{GrainSystem, grain_steps};

/// Steps between two looks at the energy.
pub(crate) const LOOK: u64 = 200;

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

/// A rain, and when its bed is at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Rain {
    /// What falls; its energy at rest is set when the rain begins.
    pub fall: Rainfall,
    /// Kinetic energy per grain [J] at rest; without it that of [`Rainfall::rest_energy`].
    pub energy: Option<f64>,
}

impl Rain {
    /// Lets it rain into `system`, a set of the name `grains`, until the bed is at rest. The step is `given` [s], or the one
    /// that [`GrainSystem::choose_rain_step`] chooses for the relative speed `speed` [m/s] within a step of the world of
    /// `most` [s], which must be possible afterwards. `progress` may stop the rain.
    pub fn run(
        mut self,
        system: &mut GrainSystem,
        ex: &Exec,
        grains: &str,
        (given, speed, most): (Option<f64>, Option<f64>, f64),
        progress: &mut dyn FnMut(&RainProgress) -> ControlFlow<()>,
    ) -> Result<()> {
        let step = system.choose_rain_step(&self.fall, given, speed, most)?;
        // What a run could not go on with is refused before the rain.
        grain_steps(most, step)?;
        let rest = self.energy.unwrap_or_else(|| self.fall.rest_energy(system.settings().gravity));
        self.fall.settle.energy_per_grain = rest;
        self.fall.run(system, ex, step, |report| {
            let share = match self.fall.amount {
                Amount::Number(n) => report.number as f64 / n as f64,
                Amount::Mass(m) => report.mass / m,
            };
            progress(&RainProgress {
                grains: grains.to_owned(),
                number: report.number,
                share: share.min(1.0),
                energy: report.settle.energy_per_grain,
                rest,
            })
        })?;
        Ok(())
    }
}
