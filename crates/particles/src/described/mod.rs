//! Particle systems from the descriptions of scenes.

mod fluid_walls;
mod fluids;
mod grains;
mod listed;
mod tables;
mod walls;

pub use fluid_walls::{fluid_wall, solid_shape};
pub use fluids::check_fluid;
pub use grains::check_grains;
pub use listed::read_listed;
pub use tables::GrainTable;
pub(crate) use walls::round;
pub use walls::{Part, box_faces, surfaces_of, wall_parts};

/// The key of a description that is wrong, and what is wrong with it.
pub type Wrong = (&'static str, String);
