//! The loops over the particles of a fluid, apart from what they mean: a system asks for passes and does not know where
//! they run.
//!
//! A pass is one call; nothing is dispatched per particle. Fields, list and solids are the state and are handed in. What
//! an implementation keeps for itself is room to work in, which no saved state has.

mod evaluate;
mod motion;

use std::fmt::Debug;

use huygens_exec::Exec;
use huygens_exec::lanes::InstructionSet;

use super::fields::FluidFields;
use super::list::FluidList;
use super::model::FluidModel;
use super::settings::DensityFilter;
use super::solid::Solids;
use super::sweep::More;
use super::system::FluidRange;
use crate::error::Result;

/// What passes work on.
pub(crate) struct FluidParts<'a> {
    pub model: &'a FluidModel,
    pub fields: &'a mut FluidFields,
    pub list: &'a mut FluidList,
    pub solids: &'a mut Solids,
    /// Whether the fluid has a free surface.
    pub open: bool,
}

/// Part of a step in which fluid particles are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FluidStroke {
    /// To where rates are found, with predictions of velocity and density there.
    Predict {
        /// Time to get there [s].
        ahead: f64,
        /// Time by which the velocity of the way is ahead [s].
        bend: f64,
    },
    /// On by the velocity there is.
    Drift {
        /// Time [s].
        time: f64,
    },
}

/// The passes of a step.
pub(crate) trait FluidLoops: Debug + Send + Sync {
    /// Sorts the particles and makes the list of all pairs closer than the cutoff `reach` [m].
    fn list(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, reach: f64) -> Result<()>;

    /// Sums of all pairs at the present positions, which wait in outboxes for [`gather`](Self::gather).
    fn forces(&mut self, ex: &Exec, parts: &mut FluidParts<'_>);

    /// Takes rates and forces on markers from the outboxes and corrects velocities and densities by them, at the end of a
    /// step of `step` [s] in which the greatest speed was `fastest` [m/s] so far.
    fn gather(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, step: f64, fastest: f64);

    /// Moves the fluid particles; the largest displacement [m] of one.
    fn motion(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, stroke: FluidStroke) -> f64;

    /// Makes the density again from the masses around.
    fn filter(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, filter: DensityFilter);

    /// Extremes at the last [`gather`](Self::gather).
    fn extremes(&self) -> FluidRange;

    /// The same loops for another system.
    fn duplicate(&self) -> Box<dyn FluidLoops>;
}

impl Clone for Box<dyn FluidLoops> {
    fn clone(&self) -> Self {
        self.duplicate()
    }

    /// Where loops run is no state: a system that takes over the state of another keeps its own.
    fn clone_from(&mut self, _: &Self) {}
}

/// Loops on the threads of an [`Exec`], with the room they work in.
#[derive(Debug)]
pub(crate) struct FluidLoopsCpu {
    instructions: InstructionSet,
    /// Numbers that pairs want besides.
    more: Vec<More>,
    /// Results of chunks: extremes, and the largest squared displacement.
    ranges: Vec<(FluidRange, f64)>,
}

impl Default for FluidLoopsCpu {
    fn default() -> Self {
        Self::with_instructions(InstructionSet::detect())
    }
}

impl FluidLoopsCpu {
    /// Loops with other instructions than the best of the machine.
    pub fn with_instructions(instructions: InstructionSet) -> Self {
        Self { instructions, more: Vec::new(), ranges: Vec::new() }
    }
}

impl FluidLoops for FluidLoopsCpu {
    fn list(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, reach: f64) -> Result<()> {
        let settings = &parts.model.settings;
        parts.list.build(ex, parts.fields, settings.space, &settings.periodic, reach)
    }

    fn forces(&mut self, ex: &Exec, parts: &mut FluidParts<'_>) {
        self.evaluate(ex, parts);
    }

    fn gather(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, step: f64, fastest: f64) {
        match parts.model.settings.is_general(parts.open) {
            true => self.take_rates::<3>(ex, parts, step, fastest),
            false => self.take_rates::<1>(ex, parts, step, fastest),
        }
    }

    fn motion(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, stroke: FluidStroke) -> f64 {
        self.move_by(ex, parts, stroke)
    }

    fn filter(&mut self, ex: &Exec, parts: &mut FluidParts<'_>, filter: DensityFilter) {
        self.filter_density(ex, parts, filter);
    }

    fn extremes(&self) -> FluidRange {
        let range = self.ranges.iter().fold(FluidRange::NONE, |all, (range, _)| all.join(*range));
        FluidRange { speed: range.speed.sqrt(), acceleration: range.acceleration.sqrt(), ..range }
    }

    fn duplicate(&self) -> Box<dyn FluidLoops> {
        Box::new(Self::with_instructions(self.instructions))
    }
}
