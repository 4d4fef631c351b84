//! Adhesive forces, which act while two surfaces touch.

use super::scalar::Scalar;

/// $3.6\cdot10^{-2}$ N/m of perko2001: lunar regolith, from the Hamaker constant and the thickness of an oxygen ion.
pub const PERKO: f64 = 3.6e-2;

/// Force [N] of a law in which it grows with the root of the radius, $F = c\,\sqrt{R^*}$ with `multiplier` c
/// [N/√m]: the practical form of the theory of derjaguin1975 ($2\pi w R^*$) with c fitted to the material.
#[inline]
pub fn dmt_force<S: Scalar>(multiplier: S, radius: S) -> S {
    multiplier * radius.sqrt()
}

/// Force [N] of surfaces of cleanliness `cleanliness` S in 0…1, $F = 3.6\cdot10^{-2}\,S^2R^*$ (perko2001).
#[inline]
pub fn perko_force<S: Scalar>(cleanliness: S, radius: S) -> S {
    S::of(PERKO) * cleanliness * cleanliness * radius
}
