//! Sub-systems with their own time steps, and the surfaces through which they interact with bodies and structures.
//!
//! Grains, smoothed-particle fluids and co-simulation partners are not part of the equations of motion. In a world step
//! from $t_n$ to $t_{n+1} = t_n + h$ they advance first, in their own substeps, while every [`Boundary`] moves from its
//! last position to the predicted one,
//! $$ x_{n+1}^* = x_n + h\,v_n + \tfrac h2 (v_n - v_{n-1}). $$
//! Their action on the boundaries, averaged over the step, loads bodies and structures in the same step,
//! so that linear and angular momentum are exchanged exactly. Boundaries start each step where the last one
//! ended: they never jump, and the small error of one prediction enters the next. For a body on a spring of grains
//! the scheme dissipates energy like a damping ratio of $(\omega h)^3/4$.
//!
//! Three contracts carry every coupling: a [`Boundary`] publishes motion and takes wrenches, a [`SubSystem`] advances a
//! [`Block`] of the state, and the step of [`Stepper`](crate::integrator::Stepper) is a transaction over all of them.

mod blocks;
mod prediction;
mod stage;

use std::any::Any;

use glam::{DQuat, DVec3};
use huygens_exec::Exec;
use huygens_geometry::Shape;

use crate::bytes::{Reader, Writer};
use crate::contract::StateView;
use crate::error::Result;

pub use blocks::Blocks;
pub use prediction::between;
pub(crate) use prediction::{BoundaryMemory, Prediction};
pub(crate) use stage::CouplingStage;

/// Handle of a boundary in a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BoundaryId(pub u32);

/// Pose and twist of a part of a boundary, or position and velocity of a vertex.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Origin of the part, or the vertex [m].
    pub position: DVec3,
    /// `world_from_part`; the identity for a vertex.
    pub rotation: DQuat,
    /// Velocity of the origin or the vertex [m/s], world axes.
    pub velocity: DVec3,
    /// Angular velocity [rad/s], world axes; zero for a vertex.
    pub omega: DVec3,
}

impl Default for Placement {
    fn default() -> Self {
        Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY, velocity: DVec3::ZERO, omega: DVec3::ZERO }
    }
}

impl Placement {
    /// A point of the part [m], world axes.
    pub fn point(&self, local: DVec3) -> DVec3 {
        self.position + self.rotation * local
    }
}

/// A rigid part of a boundary.
#[derive(Clone, Debug, Default)]
pub struct BoundaryPart {
    /// Its own surface, in its axes; none where sub-systems attach surfaces to it.
    pub shape: Option<Shape>,
    /// The reference point of torques, such as the centre of mass [m], part axes.
    pub center: DVec3,
    /// Whether it is axisymmetric about z, so that the other two axes are arbitrary.
    pub round: bool,
    /// Inverse of the mass that moves with it [1/kg]; 0 where its motion is prescribed.
    pub inverse_mass: f64,
}

/// The geometry of a boundary, queried once per topology.
#[derive(Clone, Debug)]
pub enum BoundaryShape {
    /// Rigid parts: bodies, capsules of lines.
    Parts(Vec<BoundaryPart>),
    /// Triangles over vertices that move independently.
    Facets {
        /// Inverse of the mass that moves with each vertex [1/kg].
        inverse_mass: Vec<f64>,
        /// Vertices of each triangle.
        faces: Vec<[u32; 3]>,
        /// Thickness [m].
        thickness: f64,
    },
}

impl BoundaryShape {
    /// Number of parts or vertices.
    pub fn len(&self) -> usize {
        match self {
            Self::Parts(parts) => parts.len(),
            Self::Facets { inverse_mass, .. } => inverse_mass.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Motion of the parts or vertices of a boundary in a step.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryMotion<'a> {
    /// The step [s].
    pub h: f64,
    /// Initial placements, with the constant velocities that lead to the final ones.
    pub start: &'a [Placement],
    /// Predicted placements at the end, with the predicted velocities.
    pub end: &'a [Placement],
    /// Changes of velocity [m/s] and angular velocity [rad/s] over the last step.
    pub change: &'a [[DVec3; 2]],
    /// Its geometry.
    pub shape: &'a BoundaryShape,
}

impl BoundaryMotion<'_> {
    /// A point of a part in the middle of the step [m], world axes.
    pub fn middle(&self, part: usize, local: DVec3) -> DVec3 {
        0.5 * (self.start[part].point(local) + self.end[part].point(local))
    }

    /// The reference point of torques on a part, in the part's axes [m].
    pub fn center(&self, part: usize) -> DVec3 {
        match self.shape {
            BoundaryShape::Parts(parts) => parts.get(part).map_or(DVec3::ZERO, |p| p.center),
            BoundaryShape::Facets { .. } => DVec3::ZERO,
        }
    }
}

/// Force [N] on a part and torque [N·m] about the middle position of its centre, or force on a vertex: means over a
/// step, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force [N].
    pub force: DVec3,
    /// Torque [N·m].
    pub torque: DVec3,
}

impl std::ops::AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.torque += other.torque;
    }
}

/// A surface on which sub-systems act.
///
/// It is accompanied by force elements that read what [`Boundary::pull_back`] wrote into their history.
pub trait Boundary: Send + Sync {
    /// Name of a part or vertex, by which its motion is found again in another model.
    fn part_name(&self, part: usize) -> String;
    /// Its geometry.
    fn shape(&self) -> BoundaryShape;
    /// Writes the placements and velocities of parts or vertices.
    fn place(&self, ex: &Exec, x: &StateView<'_>, out: &mut [Placement]);
    /// Writes what its force elements need to load the model with the wrenches of a step, such that linear and angular
    /// momentum are exact: the wrenches themselves, or generalized forces at the initial state `x`.
    fn pull_back(&self, ex: &Exec, x: &StateView<'_>, wrenches: &[Wrench], loads: &mut [f64]);
    /// Whether an implicit method recomputes initial accelerations when the loads change. Stiff structures do not: a
    /// restart at every step would remove their numerical damping.
    fn restarts(&self) -> bool {
        false
    }
}

/// A part of the state that one sub-system owns. Equality, hash, checkpoint, copy and roll-back use it.
pub trait Block: Any + Send + Sync {
    /// Writes everything that a restart needs to continue with bit-identical results.
    fn write(&self, out: &mut Writer);
    /// Reads what [`Block::write`] wrote for a block with the same settings. After an error the block may be partially
    /// read and must be discarded.
    fn read(&mut self, input: &mut Reader<'_>) -> Result<()>;
    /// Becomes equal to `other`, a block of the same type, reusing its memory; data that can be rebuilt need not be
    /// copied.
    fn copy_from(&mut self, other: &dyn Block);
    /// A copy; none for a partner that cannot save its state.
    fn duplicate(&self) -> Option<Box<dyn Block>>;
    /// Whether it can save its state. Otherwise checkpoints, copies and roll-back are refused with its name.
    fn keeps_state(&self) -> bool {
        true
    }
}

/// Input of a sub-system's step.
#[derive(Clone, Copy)]
pub struct Advance<'a> {
    /// Time at the start of the step [s].
    pub time: f64,
    /// The step [s].
    pub h: f64,
    /// Motion of the boundaries that the sub-system named, in its order.
    pub motion: &'a [BoundaryMotion<'a>],
}

/// Report of a sub-system's step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Number of substeps.
    pub substeps: u64,
}

/// A sub-system with its own time steps: grains, particle fluids, co-simulation partners.
///
/// The description does not change during a simulation; everything that does is in the [`Block`]. Scratch memory may be
/// lost between calls without affecting results.
pub trait SubSystem: Send + Sync {
    /// Kind, such as `grains`; with [`SubSystem::owner`] it identifies its block.
    fn kind(&self) -> &'static str;
    /// Name of the object to which it belongs.
    fn owner(&self) -> &str;
    /// The boundaries on which it acts.
    fn boundaries(&self) -> &[BoundaryId];
    /// Advances the block by one step and adds the wrenches on the boundaries, one list per boundary.
    ///
    /// It may be called again from an equal block, and then gives bit-identical results. After an error the block may
    /// be in any state: the step restores it.
    fn advance(
        &self,
        ex: &Exec,
        call: &Advance<'_>,
        block: &mut dyn Block,
        wrenches: &mut [&mut [Wrench]],
    ) -> Result<Report>;
    /// Kinetic energy, potential energy in gravity and elastic energy [J].
    fn energy(&self, ex: &Exec, block: &dyn Block) -> [f64; 3];
}
