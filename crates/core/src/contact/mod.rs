//! Contact: what collides, where surfaces meet, and what answers.
//!
//! Every source publishes [`Proxy`] shapes; one pipeline pairs them (grid, then narrow phase), matches the points
//! with what they remember from the step before ([`ContactMemory`], part of the state) and hands them to the
//! contact law: impulses from a cone problem (rigid) or forces from the overlap (compliant).

mod compliant;
pub mod defaults;
mod detect;
mod law;
mod locate;
mod material;
mod memory;
mod overlap;
mod proxy;
mod rigid;

use glam::DVec3;
use huygens_solve::SolverKind;

pub(crate) use compliant::{CompliantStage, PairTangent};
pub(crate) use detect::ContactDetector;
pub use huygens_spec::{
    ConeMethod, ContactLaw, ContactSettings, FrictionModel, JointTreatment, Material, OnFailure,
    RigidSettings,
};
pub use law::{CompliantLaw, ContactAnswer, ContactBatch, ContactNumbers, ContactPoint};
pub(crate) use material::parameters;
pub use material::{Composite, MaterialTable, combine};
pub use memory::ContactMemory;
pub use overlap::Overlap;
pub use proxy::{ContactCallback, ContactMaterial, ContactModel, PlacedShape, Proxy, ProxySource};
pub(crate) use rigid::{RigidRows, RigidStep};

/// A point where two proxies touch or nearly do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The two proxies, smaller index first.
    pub proxies: [u32; 2],
    /// The frames that carry them.
    pub frames: [u32; 2],
    /// Names the touching features within the pair.
    pub feature: u32,
    /// Index of the composite material.
    pub composite: u32,
    /// Index of the same contact in the memory of the step before, or [`Contact::NEW`].
    pub remembered: u32,
    /// The point, midway between the surfaces [m], world axes.
    pub point: DVec3,
    /// Unit normal from the first to the second.
    pub normal: DVec3,
    /// Distance along the normal [m]; negative where the shapes overlap.
    pub gap: f64,
    /// Effective radius of curvature $1/(1/R_a + 1/R_b)$ [m]; infinite between flat features.
    pub radius: f64,
}

impl Contact {
    /// Marks a contact that the step before did not have.
    pub const NEW: u32 = u32::MAX;

    /// What the contact is matched by.
    #[inline]
    pub fn key(&self) -> [u32; 3] {
        [self.proxies[0], self.proxies[1], self.feature]
    }
}

/// The solvers that take rows of any number of which only products are known, as those of a constraint fluid.
pub fn operator_solvers() -> impl Iterator<Item = ConeMethod> {
    let takes = |method: &ConeMethod| SolverKind::named(method.name()).is_some_and(|kind| kind.operators);
    ConeMethod::ALL.iter().copied().filter(takes)
}
