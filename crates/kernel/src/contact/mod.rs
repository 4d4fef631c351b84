//! Laws of contact.
//!
//! *Compliant* contact ([`compliant`]) is a force that follows from the overlap of two shapes. It is composed of
//! sub-models: elastic normal law × damping × friction × rolling × spinning × adhesion ([`CompliantModel`]), with
//! coefficients prepared once for each pair of materials ([`CompliantPair`]). Each family of sub-models is a file of this
//! folder, and [`coefficients`] the table of coefficients of materials. *Rigid* contact ([`rigid`]) is a row of a cone
//! problem; its bias and compliance are here.
//!
//! ```
//! use huygens_kernel::{Vec3, contact::*};
//!
//! let model = CompliantModel::default();
//! let steel = CompliantMaterial { young: 2e11, restitution: 0.9, ..Default::default() };
//! let pair = CompliantPair::of_materials(&model, &steel, &steel)?;
//! let motion = ContactMotion {
//!     gap: -1e-6,
//!     normal: Vec3::Z,
//!     velocity: Vec3::new(0.1, 0.0, -0.5),
//!     velocity_before: None,
//!     angular_velocity: Vec3::ZERO,
//!     effective_mass: effective_mass(1.0, 0.0),
//!     effective_radius: effective_radius(0.01, f64::INFINITY),
//!     step: 1e-7,
//! };
//! let (old, mut new) = (ContactHistory::default(), ContactHistory::default());
//! let wrench = evaluate(&model, &pair, &motion, &old, &mut new);
//! assert!(wrench.force.z > 0.0 && wrench.force.x < 0.0);
//! # Ok::<(), ContactError>(())
//! ```

pub mod adhesion;
pub mod coefficients;
pub mod compliant;
pub mod damping;
pub mod friction;
mod losses;
mod material;
pub(crate) mod memory;
pub(crate) mod model;
pub mod normal;
pub(crate) mod resistance;
pub mod rigid;
pub(crate) mod tangential;

pub use adhesion::AdhesionLaw;
pub use coefficients::PairRule;
pub use compliant::{
    ContactMotion, ContactTangent, ContactWrench, Kinematics, Response, contact_force, contact_torque,
    evaluate, evaluate_tangent, respond, stored_energy,
};
pub use damping::DampingLaw;
pub use losses::{Losses, StepLosses, losses};
pub use material::{CompliantComposite, CompliantMaterial, ContactError};
pub use memory::{ContactHistory, HISTORY_LENGTH, MemoryRow, Touch};
pub use model::{CompliantModel, CompliantPair};
pub use normal::{NormalLaw, critical_step, effective_mass, effective_radius};
pub use resistance::ResistanceLaw;
pub use tangential::TangentialLaw;

/// Compliant contact on devices.
#[cfg(feature = "gpu")]
pub mod device {
    pub use super::compliant::device::{Kinematics, Response, contact_force, contact_torque, respond};
    pub use super::memory::device::ContactHistory;
    pub use super::model::device::CompliantPair;
}
