//! The loops over grains, apart from what they mean: a system asks for passes and does not know where they run.
//!
//! A pass is one call; nothing is dispatched per grain. The fields, the list and the clumps are the state and are
//! handed in. What an implementation keeps for itself is room to work in, which no saved state has.

mod cpu;

use std::fmt::Debug;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use crate::grains::clump::Clumps;
use crate::grains::fields::GrainFields;
use crate::grains::list::PairList;
use crate::grains::model::GrainModel;
use crate::grains::motion::Stroke;
use crate::grains::walls::list::WallSearch;
use crate::walls::wall::Wall;

pub(crate) use cpu::GrainLoopsCpu;

/// What passes work on.
pub(crate) struct GrainParts<'a> {
    pub model: &'a GrainModel,
    /// Walls where they are now.
    pub walls: &'a [Wall],
    pub fields: &'a mut GrainFields,
    pub list: &'a mut PairList,
    pub clumps: &'a mut Clumps,
}

/// Sizes and places of all grains.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GrainExtremes {
    /// Least radius [m]; infinite where there are no grains.
    pub least_radius: f64,
    /// Corners [m] of the box that holds all grains.
    pub bounds: [Vec3; 2],
}

impl GrainExtremes {
    pub const NONE: Self = Self { least_radius: f64::INFINITY, bounds: [Vec3::INFINITY, Vec3::NEG_INFINITY] };

    pub fn join(self, other: Self) -> Self {
        let ([low, high], [other_low, other_high]) = (self.bounds, other.bounds);
        Self {
            least_radius: self.least_radius.min(other.least_radius),
            bounds: [low.min(other_low), high.max(other_high)],
        }
    }
}

/// The passes of a step.
pub(crate) trait GrainLoops: Debug + Send + Sync {
    /// Sorts the grains and makes the list of pairs whose surfaces may touch while none of the two moves by more than half
    /// of `skin` [m]; contacts keep what they remember.
    fn list(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, walls: WallSearch<'_>, skin: f64);

    /// Finds the walls near the grains again; the grains stay as they are.
    fn list_walls(&mut self, ex: &Exec, fields: &GrainFields, list: &mut PairList, walls: WallSearch<'_>);

    /// Forces at the present positions, which are those of the time `time` [s], in a step of `step` [s]. What pairs of two
    /// chunks do to the other may wait in outboxes for [`gather`](Self::gather) or [`motion`](Self::motion).
    fn forces(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, step: f64, time: f64);

    /// Adds to the forces what waits in outboxes.
    fn gather(&mut self, ex: &Exec, parts: &mut GrainParts<'_>);

    /// Moves the grains by the forces there are; but for [`Stroke::Start`], with what waits in outboxes.
    fn motion(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, stroke: Stroke, step: f64);

    /// Forces and the motion that follows. Both may be one pass over memory where sums keep their order.
    fn sweep(&mut self, ex: &Exec, parts: &mut GrainParts<'_>, stroke: Stroke, step: f64, time: f64) {
        self.forces(ex, parts, step, time);
        self.motion(ex, parts, stroke, step);
    }

    /// Square of the longest way [m²] of a grain since the list was made, as of the last motion; what is not finite stays
    /// in sight.
    fn farthest(&self) -> f32;

    /// Sizes and places of all grains.
    fn extremes(&mut self, ex: &Exec, fields: &GrainFields) -> GrainExtremes;

    /// Bytes of its own room.
    fn bytes(&self) -> usize;

    /// The same loops for another system.
    fn duplicate(&self) -> Box<dyn GrainLoops>;
}

impl Clone for Box<dyn GrainLoops> {
    fn clone(&self) -> Self {
        self.duplicate()
    }

    /// Where loops run is no state: a system that takes over the state of another keeps its own.
    fn clone_from(&mut self, _: &Self) {}
}
