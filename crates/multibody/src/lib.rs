//! Rigid multibody systems: bodies, joints, couplings, motors, force elements and shafts.
//!
//! An [`Assembly`] is the editable description; [`Assembly::build`] checks it and builds a [`Mechanism`]: a
//! `huygens_core` model of batches, with the locations at which [`Measurement`]s read results. In a model that has
//! other parts as well, it is a [`MechanismPart`].

mod assembly;
mod body;
mod boundary;
mod collision;
mod columns;
mod drive;
mod error;
mod force;
mod joint;
mod marker;
mod measurement;
mod mechanism;
mod removal;
mod rows;
mod shaft;
mod slots;

pub use assembly::{
    Assembly, BodyId, BushingId, CoordinateForce, CoordinateForceId, CoordinateRef, Coupling, CouplingId,
    CouplingTarget, DragId, JointId, LoadId, Rope, RopeId, ShaftId, Spring, SpringId, ToothContact,
    check_inertia, principal_moments,
};
pub use body::{Body, BodyKind, Motion};
pub use collision::{Collision, CollisionShape, MaterialId, NamedMaterial};
pub use drive::Drive;
pub use error::{MultibodyError, Result};
pub use force::{Bushing, Drag, ForceLaw, Load, LoadFrame, ScalarLaw};
pub use joint::{Attachment, Carrier, Joint, JointKind, Limit};
pub use measurement::{BodyQuantity, Measurement, ReactionAxes, Side};
pub use mechanism::{Mechanism, MechanismPart};
pub use shaft::Shaft;
