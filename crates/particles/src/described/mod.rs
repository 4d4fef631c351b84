//! Particle systems from the descriptions of scenes.

mod fluids;
mod grains;
mod walls;

pub use fluids::check_fluid;
pub(crate) use walls::round;
pub use walls::{box_faces, wall_parts};

/// The key of a description that is wrong, and what is wrong with it.
pub type Wrong = (&'static str, String);
