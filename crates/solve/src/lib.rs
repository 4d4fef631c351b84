//! Linear, eigenvalue and cone solvers of Huygens; knows no bodies.
//!
//! Everything here sees matrices, vectors and cones only. [`block`] is the direct solver of joint-sized
//! saddle-point systems, whose pattern is known once and whose values change every step.

pub mod block;
mod error;

pub use block::{BlockKind, BlockLu, BlockMatrix, BlockPattern, FactorReport};
pub use error::SolveError;
