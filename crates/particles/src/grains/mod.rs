//! Granular matter: spheres and clumps of spheres under compliant contact, between walls that may move.

mod change;
pub(crate) mod clump;
mod contacts;
pub(crate) mod coupled;
mod energy;
pub(crate) mod fields;
mod history;
mod items;
mod limits;
pub(crate) mod list;
mod loops;
pub mod measure;
mod model;
mod motion;
mod read;
mod state;
mod step_choice;
mod surroundings;
pub(crate) mod system;
mod traffic;
mod walls;

pub use clump::Clump;
pub use coupled::{CoupledWall, Course, GrainBlock, GrainCoupling, Mount};
pub use energy::Energy;
pub use fields::Grain;
pub use items::{ClumpKind, GrainItem, PlacedClump};
pub use limits::StepLimit;
pub use list::ListReport;
pub use model::GrainSettings;
pub use read::GrainField;
pub use step_choice::StepChoice;
pub use surroundings::{Drag, DragLaw, Flow, ForceField, GrainAt, NearField};
pub use system::{
    ContactMemory, GrainContact, GrainMemory, GrainParcel, GrainSystem, MOST_GRAIN_STEPS, WallContactForce,
    grain_steps,
};
pub use traffic::{Boundary, Inlet, InletCount, Outlet, OutletCount, Rate, Traffic, Zone};
pub use walls::WallContact;
