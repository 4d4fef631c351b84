//! Systems with steps of their own, and the surfaces through which they meet bodies and structures.
//!
//! Grains, smoothed-particle fluids and co-simulated partners do not enter the equations of motion. In a step of the
//! world from $t_n$ to $t_{n+1} = t_n + h$ they go first, in sub-steps of their own, while every [`Boundary`] moves from
//! where it was left to where it is expected,
//! $$ x_{n+1}^* = x_n + h\,v_n + \tfrac h2 (v_n - v_{n-1}). $$
//! What they did to the boundaries, averaged over the step, loads bodies and structures in that same step, so that
//! linear and angular momentum pass from one to the other exactly. Boundaries start each step where the last one left
//! them: they never jump, and the small error of one expectation is part of the next. For a body on a spring of grains
//! the scheme loses energy like a damping ratio of $(\omega h)^3/4$.
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
    /// Its own surface, in its axes; none where sub-systems fix surfaces of their own to it.
    pub shape: Option<Shape>,
    /// The point that torques refer to, such as the centre of mass [m], part axes.
    pub center: DVec3,
    /// Whether it is round about its z axis, so that the other two axes have no meaning.
    pub round: bool,
    /// Inverse of the mass that moves with it [1/kg]; 0 where its motion is prescribed.
    pub inverse_mass: f64,
}

/// What a boundary is made of, asked once per topology.
#[derive(Clone, Debug)]
pub enum BoundaryShape {
    /// Rigid parts: bodies, capsules of lines.
    Parts(Vec<BoundaryPart>),
    /// Triangles over vertices that move on their own.
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

/// How the parts or vertices of a boundary move in a step.
#[derive(Clone, Copy, Debug)]
pub struct BoundaryMotion<'a> {
    /// The step [s].
    pub h: f64,
    /// Where each starts, with the constant velocities that bring it to its end.
    pub start: &'a [Placement],
    /// Where each is expected at the end, with the velocities expected there.
    pub end: &'a [Placement],
    /// Changes of velocity [m/s] and angular velocity [rad/s] over the last step.
    pub change: &'a [[DVec3; 2]],
    /// What it is made of.
    pub shape: &'a BoundaryShape,
}

impl BoundaryMotion<'_> {
    /// A point of a part in the middle of the step [m], world axes.
    pub fn middle(&self, part: usize, local: DVec3) -> DVec3 {
        0.5 * (self.start[part].point(local) + self.end[part].point(local))
    }

    /// The point that torques on a part refer to, in the part's axes [m].
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

/// A surface that sub-systems touch.
///
/// It comes with force elements that read what [`Boundary::pull_back`] wrote into their history.
pub trait Boundary: Send + Sync {
    /// What a part or vertex is called, so that its motion is found again in another model.
    fn part_name(&self, part: usize) -> String;
    /// What it is made of.
    fn shape(&self) -> BoundaryShape;
    /// Writes where parts or vertices are and how they move.
    fn place(&self, ex: &Exec, x: &StateView<'_>, out: &mut [Placement]);
    /// Writes what its force elements need to load the model with the wrenches of a step, linear and angular momentum
    /// exact: the wrenches themselves, or generalized forces at the state `x` of the start.
    fn pull_back(&self, ex: &Exec, x: &StateView<'_>, wrenches: &[Wrench], loads: &mut [f64]);
    /// Whether an implicit method begins with new accelerations when the loads change. Stiff structures do not: a new
    /// start at every step would take the numerical damping from them.
    fn restarts(&self) -> bool {
        false
    }
}

/// A part of the state that one sub-system owns. Equality, hash, checkpoint, copy and roll-back go through it.
pub trait Block: Any + Send + Sync {
    /// Writes everything that a restart needs to continue with bit-identical results.
    fn write(&self, out: &mut Writer);
    /// Takes over what [`Block::write`] wrote of a block with the same settings. On an error the block may be half
    /// read: it is thrown away.
    fn read(&mut self, input: &mut Reader<'_>) -> Result<()>;
    /// Becomes equal to `other`, a block of the same type, in the memory it has; what can be rebuilt need not be copied.
    fn copy_from(&mut self, other: &dyn Block);
    /// A copy; none for a partner that cannot give its state.
    fn duplicate(&self) -> Option<Box<dyn Block>>;
    /// Whether it can give its state. Checkpoints, copies and roll-back are refused by the name of one that cannot.
    fn keeps_state(&self) -> bool {
        true
    }
}

/// What a sub-system is asked to do.
#[derive(Clone, Copy)]
pub struct Advance<'a> {
    /// Time at the start of the step [s].
    pub time: f64,
    /// The step [s].
    pub h: f64,
    /// Motion of the boundaries that the sub-system named, in its order.
    pub motion: &'a [BoundaryMotion<'a>],
}

/// What a sub-system did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// Sub-steps taken.
    pub substeps: u64,
}

/// A system with steps of its own: grains, fluids of particles, co-simulated partners.
///
/// The description does not change while the world moves; everything that does is in the [`Block`]. Scratch of any kind
/// may be lost between calls without a change of results.
pub trait SubSystem: Send + Sync {
    /// What it is, such as `grains`; with [`SubSystem::owner`] it finds its block.
    fn kind(&self) -> &'static str;
    /// Name of the object that it belongs to.
    fn owner(&self) -> &str;
    /// The boundaries that it touches.
    fn boundaries(&self) -> &[BoundaryId];
    /// Moves the block by one step and adds what it did to the boundaries, one list of wrenches for each.
    ///
    /// It may be called again from an equal block, and then gives bit-identical results. On an error the block may be left
    /// anywhere: the step restores it.
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
