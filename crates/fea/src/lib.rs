//! Flexible parts: elements that deform and turn by any amount.
//!
//! An element knows its energy, the force that follows from it, the exact derivatives of that force, and its constant
//! mass. The nodes of cables and of the beam 3243 have positions and slopes in space (shabana1997), those of bars and
//! tetrahedra positions only.

mod boundary;
pub mod element;
mod error;
pub mod load;
pub mod mesh;
pub mod node;
pub mod output;
pub mod part;
pub mod section;
pub mod structure;
pub mod surface;

pub use boundary::StructureBoundary;
pub use error::{FeaError, NodeUser, Result};
