//! Flexible parts: elements that deform and turn by any amount.
//!
//! An element knows its energy, the force that follows from it, the exact derivatives of that force, and its constant
//! mass. The nodes of cables and of the beam 3243 have positions and slopes in space (shabana1997), those of bars and
//! tetrahedra positions only.

pub mod bar;
pub mod batch;
pub mod beam_ancf;
pub mod beam_corotational;
mod boundary;
pub mod cable;
pub mod cable_batch;
pub mod dual;
mod error;
pub mod frame;
pub mod joint;
pub mod load;
pub mod mass_damping;
pub mod material;
pub mod mesh;
pub mod node;
pub mod output;
pub mod part;
pub mod quadrature;
pub mod rod;
pub mod rod_quadratic;
pub mod section;
mod spin;
pub mod structure;
pub mod surface;
pub mod tetrahedron;
pub mod turn;

pub use boundary::StructureBoundary;
pub use error::{FeaError, NodeUser, Result};
