//! Collision shapes and contact detection.
//!
//! [`Shape`] is the closed set of collision shapes. [`BroadPhase`] finds the pairs of boxes that overlap,
//! [`narrow::contacts`] the points where two shapes touch or are about to touch.

pub mod broad;
pub mod decomposition;
pub mod height_file;
pub mod input_file;
pub mod mesh_file;
pub mod narrow;
pub mod query;

mod aabb;
mod error;
mod height_field;
mod hull;
mod mass;
mod pose;
mod shape;
mod sphere_union;
mod surface;
mod triangle_mesh;

pub use aabb::Aabb;
pub use broad::BroadPhase;
pub use error::GeometryError;
pub use height_field::HeightField;
pub use hull::Hull;
pub use mass::MassProperties;
pub use narrow::{ContactPoint, NarrowScratch};
pub use pose::Pose;
pub use shape::{HALF_SPACE_EXTENT, Shape};
pub use triangle_mesh::TriangleMesh;
