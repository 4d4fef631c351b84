//! Kinds of elements that the crate does not have.

pub mod hexahedron20;
pub mod plate;
