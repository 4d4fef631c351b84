//! Physical laws and rotation algebra as small pure functions: no allocation, no input or output.

pub mod contact;
pub mod rotation;

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
