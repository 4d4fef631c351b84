//! The core of Huygens: model, state, contracts, assembly, integrators and analyses.
//!
//! A [`Model`] is made of batches that implement the contracts of [`contract`]; a [`State`] is everything that
//! changes; a [`System`] evaluates the equations of motion and their tangents at a point; an
//! [`integrator::Stepper`] moves the state; [`analysis`] finds consistent starts, equilibria and modes.

pub mod analysis;
pub mod arena;
pub mod contact;
pub mod contract;
mod error;
pub mod function;
pub mod integrator;
mod linear;
mod mass;
mod model;
mod newton;
pub mod rows;
mod scatter;
pub mod signal;
mod state;
mod subject;
mod system;

pub use arena::{Arena, Id};
pub use error::{CoreError, Result};
pub use linear::LinearSolver;
pub use model::{BatchPlace, CoordinatesPlace, Model};
pub use state::{ReusedMatrix, State};
pub use subject::{ObjectRef, Subject};
pub use system::{MatrixWeights, Point, System};
