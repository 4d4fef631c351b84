//! Particle systems on struct-of-arrays fields.
//!
//! [`GrainSystem`] is granular matter: spheres under penalty contact, by the laws of
//! [`huygens_kernel::contact`], with walls that may move and be pushed back.
//!
//! All loops go over fixed chunks of particles that lie near one another in space, so the same system gives the
//! same bits on any number of threads.

mod change;
mod contacts;
mod error;
mod fields;
mod grid;
mod history;
mod list;
mod motion;
mod system;
mod wall;
mod wall_contacts;

pub use error::ParticleError;
pub use fields::{Grain, Row};
pub use list::ListReport;
pub use system::{GrainSettings, GrainSystem};
pub use wall::{Surface, Wall, WallMotion};
