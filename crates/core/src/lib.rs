//! The core of Huygens: model, state, contracts, assembly, integrators and analyses.
//!
//! A [`Model`] consists of batches that implement the contracts of [`contract`], assembled by
//! [`builder::ModelBuilder`]; a [`State`] is everything that changes; a [`System`] evaluates the equations of motion
//! and their tangents at a point; an [`integrator::Stepper`] advances the state; [`analysis`] finds consistent initial
//! conditions, equilibria and modes.

pub mod analysis;
pub mod arena;
pub mod builder;
pub mod bytes;
pub mod carrier;
pub mod contact;
pub mod contract;
pub mod coupling;
mod error;
pub mod integrator;
pub mod keep;
mod linear;
mod mass;
mod model;
mod model_parameters;
mod newton;
pub mod parameter;
pub mod rows;
mod scatter;
pub mod signal;
mod state;
mod subject;
mod system;
pub mod watch;

pub use arena::{Arena, Id};
pub use error::{CoreError, Result, SharedError};
pub use huygens_spec::{LinearSolver, function};
pub use model::{BatchPlace, CoordinatesPlace, Model};
pub use state::{ReusedMatrix, State};
pub use subject::{ObjectRef, Subject};
pub use system::{MatrixWeights, Point, System};
