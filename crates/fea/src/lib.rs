//! Flexible parts: elements that deform and turn by any amount.
//!
//! An element knows its energy, the force that follows from it, the exact derivatives of that force, and its constant
//! mass. Coordinates are those of the absolute nodal coordinate formulation (shabana1997): positions and slopes of
//! nodes in space, nothing else.

pub mod beam_ancf;
pub mod cable;
pub mod quadrature;
