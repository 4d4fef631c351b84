//! Particle systems on struct-of-arrays fields.
//!
//! [`GrainSystem`] is granular matter: spheres under penalty contact, by the laws of
//! [`huygens_kernel::contact`], with walls that may move and be pushed back.
//!
//! All loops go over fixed chunks of particles that lie near one another in space, so the same system gives the
//! same bits on any number of threads.

mod clump;
mod contacts;
mod error;
mod fields;
mod grid;
mod history;
mod limits;
mod list;
mod motion;
mod state;
mod surroundings;
mod system;
mod wall;
mod wall_contacts;

pub use clump::Clump;
pub use error::ParticleError;
pub use fields::{Grain, Row};
pub use limits::StepLimit;
pub use list::ListReport;
pub use surroundings::{Drag, DragLaw, Flow, ForceField, GrainAt, NearField};
pub use system::{GrainSettings, GrainSystem};
pub use wall::{Surface, Wall, WallMotion};
