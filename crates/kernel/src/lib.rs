//! Physical laws and rotation algebra as small pure functions: no allocation, no input or output.

pub mod cable;
pub mod contact;
pub mod corotated;
pub mod drag;
pub mod point;
pub mod rotation;
mod scalar;
pub mod sph;
pub mod triple;

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
pub use scalar::Scalar;
