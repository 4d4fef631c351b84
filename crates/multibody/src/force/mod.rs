//! Force elements: springs, limits, motors and clutches along coordinates; bushings; loads and drag.

mod bushing;
mod coordinate;
mod load;

pub use bushing::Bushing;
pub(crate) use bushing::{BushingBatch, BushingLaw};
pub(crate) use coordinate::{CoordinateForceBatch, CoordinateForceItem};
pub use coordinate::{ForceLaw, ScalarLaw};
pub use load::{Drag, Load, LoadFrame};
pub(crate) use load::{LoadBatch, LoadItem, LoadLaw};
