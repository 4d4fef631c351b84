//! Elements: what each kind stores, resists and weighs, and the batches that evaluate them.
//!
//! A new kind is a file here, its module, and a line in [`KINDS`].

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

use self::kind::Kind;

/// The kinds that scenes know. Their order is that of the batches of a model, and so of sums of forces; the first with
/// a shape is what solids of this shape become where no other is named.
pub static KINDS: [&dyn Kind; 9] = [
    &cable::CABLE,
    &cable::CABLE_GREEN,
    &beam_ancf::BEAM_ANCF,
    &beam_corotational::BEAM,
    &rod::ROD,
    &rod_quadratic::ROD3,
    &bar::BAR,
    &bar::ROPE,
    &tetrahedron::TETRAHEDRON,
];
