//! Adhesive forces, which act while two surfaces touch.

use std::f64::consts::TAU;

use crate::laws;

/// $3.6\cdot10^{-2}$ N/m of perko2001: lunar regolith, from the Hamaker constant and the thickness of an oxygen ion.
pub const PERKO: f64 = 3.6e-2;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, sqrt};

    /// Force [N] of a law in which it grows with the root of the radius, $F = c\,\sqrt{R^*}$ with `multiplier` c
    /// [N/√m]: the practical form of the theory of derjaguin1975 ($2\pi w R^*$) with c fitted to the material.
    pub fn dmt_force<S: Scalar>(multiplier: S, radius: S) -> S {
        multiplier * sqrt(radius)
    }

    /// Force [N] of surfaces of cleanliness `cleanliness` S in 0…1, $F = 3.6\cdot10^{-2}\,S^2R^*$ (perko2001).
    pub fn perko_force<S: Scalar>(cleanliness: S, radius: S) -> S {
        constant::<S>(PERKO) * cleanliness * cleanliness * radius
    }

    /// Force [N] that grows with the area $2\pi R^*\delta$ in which two spheres overlap by `depth` [m], with the
    /// energy `density` [J/m³].
    pub fn area_force<S: Scalar>(density: S, radius: S, depth: S) -> S {
        density * constant::<S>(TAU) * radius * depth
    }
}
