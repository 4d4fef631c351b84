//! Elements: what each kind stores, resists and weighs, and the batches that evaluate them.

pub mod bar;
pub mod batch;
pub mod beam_ancf;
pub mod beam_corotational;
pub mod cable;
pub mod cable_batch;
pub mod dual;
pub mod frame;
pub mod kind;
pub mod quadrature;
pub mod rod;
pub mod rod_quadratic;
pub mod slope_mass;
pub mod tetrahedron;
