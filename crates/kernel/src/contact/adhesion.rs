//! Adhesive forces, which act while two surfaces touch.
//!
//! A new law is a variant of [`AdhesionLaw`], its `Adhesion` and its arm of [`adhesive_force`]; a coefficient of its own
//! is a row of the [table of coefficients](super::coefficients).

use std::f64::consts::TAU;

use super::material::CompliantComposite;
use crate::laws;

/// Attraction while two surfaces touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum AdhesionLaw {
    /// None.
    None,
    /// Constant force.
    Constant,
    /// $F = c\sqrt{R^*}$ (derjaguin1975).
    Dmt,
    /// $F = 3.6\cdot10^{-2}S^2R^*$ (perko2001).
    Perko,
    /// Grows with the area of contact, $F = k\,2\pi R^*\delta$, k an energy density (the simplified form of
    /// johnson1971 that granular codes call SJKR).
    Sjkr,
}

/// What set-up, tangents and energies ask of an adhesion law.
pub(super) struct Adhesion {
    /// Its coefficient of a pair of materials.
    pub coefficient: fn(&CompliantComposite) -> f64,
    /// Exponent q of $F \propto \delta^q$.
    pub exponent: f64,
}

impl AdhesionLaw {
    pub(super) fn facts(self) -> Adhesion {
        match self {
            Self::None => Adhesion { coefficient: |_| 0.0, exponent: 0.0 },
            Self::Constant => Adhesion { coefficient: |m| m.cohesion, exponent: 0.0 },
            Self::Dmt => Adhesion { coefficient: |m| m.adhesion_dmt, exponent: 0.0 },
            Self::Perko => Adhesion { coefficient: |m| m.cleanliness, exponent: 0.0 },
            Self::Sjkr => Adhesion { coefficient: |m| m.cohesion_density, exponent: 1.0 },
        }
    }
}

/// $3.6\cdot10^{-2}$ N/m of perko2001: lunar regolith, from the Hamaker constant and the thickness of an oxygen ion.
pub const PERKO: f64 = 3.6e-2;

#[laws]
mod laws {
    use crate::contact::memory::Touch;
    use crate::number::{Scalar, constant, sqrt, zero};

    /// Adhesive force [N] of a law with the coefficient of the pair.
    pub fn adhesive_force<S: Scalar>(#[comptime] law: AdhesionLaw, coefficient: S, touch: &Touch<S>) -> S {
        match law {
            AdhesionLaw::None => zero(),
            AdhesionLaw::Constant => coefficient,
            AdhesionLaw::Dmt => dmt_force(coefficient, touch.radius),
            AdhesionLaw::Perko => perko_force(coefficient, touch.radius),
            AdhesionLaw::Sjkr => area_force(coefficient, touch.radius, touch.depth),
        }
    }

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
