//! Energy of a thin elastic line, per length, from its first and second derivatives.
//!
//! The line $r(x)$ has $u = r_x$ and $w = r_{xx}$; the energy is $\tfrac12 EA\,\varepsilon^2 + \tfrac12 EI\,\kappa^2$.
//! Curvature enters as $\kappa^2 = |u\times w|^2\,(u\cdot u)^{-p}$, which is smooth where the line is straight.

use crate::triple::{cross, dot};
use crate::{Scalar, three};

/// A matrix, row by row.
pub type Matrix<S> = [[S; 3]; 3];

/// How strains are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainMeasure {
    /// $\varepsilon = |u| - 1$ and the turn of the tangent per length of the unstretched line, $\kappa = |u\times
    /// w|/|u|^2$: force and moment are linear in stretch and in turn.
    #[default]
    Material,
    /// $\varepsilon = \tfrac12(u\cdot u - 1)$ and the curvature of the line in space, $\kappa = |u\times w|/|u|^3$
    /// (gerstmayr2006).
    Green,
}

impl StrainMeasure {
    /// The exponent p of $u\cdot u$ in the square of the curvature.
    #[inline(always)]
    fn exponent(self) -> f64 {
        match self {
            Self::Material => 2.0,
            Self::Green => 3.0,
        }
    }
}

/// Derivatives of the energy by $u$ and $w$: the first ones, and where asked for the second.
#[derive(Clone, Copy, Debug)]
pub struct LineForce<S> {
    /// Energy.
    pub energy: S,
    /// By $u$.
    pub by_u: [S; 3],
    /// By $w$.
    pub by_w: [S; 3],
}

/// Second derivatives of the energy.
#[derive(Clone, Copy, Debug)]
pub struct LineStiffness<S> {
    /// By $u$ twice; symmetric.
    pub uu: Matrix<S>,
    /// Of the derivative by $w$, by $u$: rows go with $w$.
    pub wu: Matrix<S>,
    /// By $w$ twice; symmetric.
    pub ww: Matrix<S>,
}

/// Derivative by $u$ of the energy of stretch; `ea` is the stiffness $EA$.
#[inline(always)]
pub fn stretch_force<S: Scalar>(measure: StrainMeasure, ea: S, u: [S; 3]) -> (S, [S; 3]) {
    let square = dot(u, u);
    let half = S::of(0.5);
    let (strain, factor) = match measure {
        StrainMeasure::Material => {
            let length = square.sqrt();
            let strain = length - S::of(1.0);
            (strain, ea * strain / length)
        }
        StrainMeasure::Green => {
            let strain = half * (square - S::of(1.0));
            (strain, ea * strain)
        }
    };
    (half * ea * strain * strain, three!(i => factor * u[i]))
}

/// Second derivative by $u$ of the energy of stretch.
#[inline(always)]
pub fn stretch_stiffness<S: Scalar>(measure: StrainMeasure, ea: S, u: [S; 3]) -> Matrix<S> {
    let square = dot(u, u);
    let one = S::of(1.0);
    let (plain, along) = match measure {
        StrainMeasure::Material => {
            let inverse = one / square.sqrt();
            (ea * (one - inverse), ea * inverse / square)
        }
        StrainMeasure::Green => (ea * S::of(0.5) * (square - one), ea),
    };
    three!(i => three!(j => {
        let product = along * u[i] * u[j];
        if i == j { product + plain } else { product }
    }))
}

/// Derivatives of the energy of bending; `ei` is the stiffness $EI$.
#[inline(always)]
pub fn bending_force<S: Scalar>(measure: StrainMeasure, ei: S, u: [S; 3], w: [S; 3]) -> LineForce<S> {
    let p = measure.exponent();
    let (g, e, d) = (dot(u, u), dot(u, w), dot(w, w));
    let normal = cross(u, w);
    let n = dot(normal, normal);
    let q = ei * inverse_power(measure, g);
    let c = d - S::of(p) * n / g;
    LineForce {
        energy: S::of(0.5) * q * n,
        by_u: three!(i => q * (c * u[i] - e * w[i])),
        by_w: three!(i => q * (g * w[i] - e * u[i])),
    }
}

/// Second derivatives of the energy of bending.
#[inline(always)]
pub fn bending_stiffness<S: Scalar>(measure: StrainMeasure, ei: S, u: [S; 3], w: [S; 3]) -> LineStiffness<S> {
    let p = measure.exponent();
    let (g, e, d) = (dot(u, u), dot(u, w), dot(w, w));
    let normal = cross(u, w);
    let n = dot(normal, normal);
    let q = ei * inverse_power(measure, g);
    let c = d - S::of(p) * n / g;
    let turn = S::of(2.0 * p) / g;
    let mixed = turn * e;
    let along = turn * (e * e / g + c);
    LineStiffness {
        uu: three!(i => three!(j => {
            let rest = mixed * (u[i] * w[j] + w[i] * u[j]) - w[i] * w[j] - along * u[i] * u[j];
            q * if i == j { rest + c } else { rest }
        })),
        wu: three!(i => three!(j => {
            let across = turn * (g * w[i] - e * u[i]);
            let rest = S::of(2.0) * w[i] * u[j] - u[i] * w[j] - across * u[j];
            q * if i == j { rest - e } else { rest }
        })),
        ww: three!(i => three!(j => {
            let rest = -(u[i] * u[j]);
            q * if i == j { rest + g } else { rest }
        })),
    }
}

/// $g^{-p}$.
#[inline(always)]
fn inverse_power<S: Scalar>(measure: StrainMeasure, g: S) -> S {
    let one = S::of(1.0);
    match measure {
        StrainMeasure::Material => one / (g * g),
        StrainMeasure::Green => one / (g * g * g),
    }
}

/// Cubic Hermite functions on a length at $t = x/L$ and their first and second derivatives by $x$; they go with
/// position and slope at the start and at the end.
#[inline(always)]
pub fn hermite(t: f64, length: f64) -> [[f64; 4]; 3] {
    let (t2, t3) = (t * t, t * t * t);
    [
        [1.0 - 3.0 * t2 + 2.0 * t3, length * (t - 2.0 * t2 + t3), 3.0 * t2 - 2.0 * t3, length * (t3 - t2)],
        [6.0 * (t2 - t) / length, 1.0 - 4.0 * t + 3.0 * t2, 6.0 * (t - t2) / length, 3.0 * t2 - 2.0 * t],
        [
            (12.0 * t - 6.0) / (length * length),
            (6.0 * t - 4.0) / length,
            (6.0 - 12.0 * t) / (length * length),
            (6.0 * t - 2.0) / length,
        ],
    ]
}
