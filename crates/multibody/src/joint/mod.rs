//! Joints: what they attach to, their kinds, coordinates and limits.

mod batch;
mod coordinate;
mod coupling;
mod kind;
mod limit;

use glam::{DQuat, DVec3};

use crate::assembly::BodyId;

pub(crate) use batch::JointBatch;
pub(crate) use coordinate::{Combination, CoordinateKind, CoordinateTerm};
pub(crate) use coupling::{CouplingBatch, CouplingItem, Reference, SpeedReferences};
pub use kind::JointKind;
pub(crate) use kind::Primitive;
pub(crate) use limit::{LimitBounds, LimitItem, LimitRows};

/// What a joint, spring or bushing attaches to.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Carrier {
    /// The world.
    #[default]
    Ground,
    /// A body.
    Body(BodyId),
    /// A node of another [`Part`](huygens_core::builder::Part), by the number of its
    /// [`FrameKey`](huygens_core::builder::FrameKey).
    External(u32),
}

impl From<Option<BodyId>> for Carrier {
    fn from(body: Option<BodyId>) -> Self {
        body.map_or(Self::Ground, Self::Body)
    }
}

impl Carrier {
    /// The body, if it is one.
    pub fn body(self) -> Option<BodyId> {
        match self {
            Self::Body(id) => Some(id),
            Self::Ground | Self::External(_) => None,
        }
    }
}

/// A frame on a body (or on ground, or on a node) where something attaches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// What carries it.
    pub carrier: Carrier,
    /// Position in the carrier's frame [m].
    pub position: DVec3,
    /// Orientation in the carrier's frame.
    pub rotation: DQuat,
}

impl Attachment {
    /// The origin of a body frame.
    pub fn origin(body: BodyId) -> Self {
        Self { carrier: Carrier::Body(body), position: DVec3::ZERO, rotation: DQuat::IDENTITY }
    }

    /// A point on ground.
    pub fn ground(position: DVec3, rotation: DQuat) -> Self {
        Self { carrier: Carrier::Ground, position, rotation }
    }
}

/// Bounds of a joint coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Which joint coordinate, by index.
    pub coordinate: usize,
    /// Lower bound [m or rad].
    pub lower: Option<f64>,
    /// Upper bound [m or rad].
    pub upper: Option<f64>,
    /// Stiffness beyond the bound [N/m or N·m/rad]; without it the bound is rigid.
    pub stiffness: Option<f64>,
    /// Damping beyond the bound [N·s/m or N·m·s/rad] (compliant bounds).
    pub damping: f64,
    /// Coefficient of restitution (rigid bounds).
    pub restitution: f64,
}

/// A joint between two frames.
#[derive(Clone, Debug)]
pub struct Joint {
    /// Unique name.
    pub name: String,
    /// What it fixes.
    pub kind: JointKind,
    /// Base frame.
    pub a: Attachment,
    /// Moved frame.
    pub b: Attachment,
    /// Bounds of its coordinates.
    pub limits: Vec<Limit>,
}
