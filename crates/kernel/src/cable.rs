//! Energy of a thin elastic line, per length, from its first and second derivatives.
//!
//! The line $r(x)$ has $u = r_x$ and $w = r_{xx}$; the energy is $\tfrac12 EA\,\varepsilon^2 + \tfrac12 EI\,\kappa^2$.
//! Curvature enters as $\kappa^2 = |u\times w|^2\,(u\cdot u)^{-p}$, which is smooth where the line is straight.

use crate::laws;

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
    pub fn exponent(self) -> f64 {
        match self {
            Self::Material => 2.0,
            Self::Green => 3.0,
        }
    }
}

#[laws]
mod laws {
    use crate::number::{Scalar, constant, one, sqrt};
    use crate::vector::{
        M3, V3, cross, difference, dot, matrix_difference, matrix_scaled, matrix_sum, outer, plus_diagonal,
        scaled, zero_vector,
    };

    /// Derivatives of the energy by $u$ and $w$.
    #[derive(Clone, Copy, Debug)]
    pub struct LineForce<S> {
        /// Energy.
        pub energy: S,
        /// By $u$.
        pub by_u: V3<S>,
        /// By $w$.
        pub by_w: V3<S>,
    }

    /// Second derivatives of the energy.
    #[derive(Clone, Copy, Debug)]
    pub struct LineStiffness<S> {
        /// By $u$ twice; symmetric.
        pub uu: M3<S>,
        /// Of the derivative by $w$, by $u$: rows go with $w$.
        pub wu: M3<S>,
        /// By $w$ twice; symmetric.
        pub ww: M3<S>,
    }

    /// Energy of stretch and its derivative by $u$; `ea` is the stiffness $EA$.
    pub fn stretch_force<S: Scalar>(#[comptime] measure: StrainMeasure, ea: S, u: V3<S>) -> LineForce<S> {
        let square = dot(u, u);
        let half = constant::<S>(0.5);
        let mut strain = half * (square - one::<S>());
        let mut factor = ea * strain;
        match measure {
            StrainMeasure::Material => {
                let length = sqrt(square);
                strain = length - one::<S>();
                factor = ea * strain / length;
            }
            StrainMeasure::Green => {}
        }
        LineForce { energy: half * ea * strain * strain, by_u: scaled(factor, u), by_w: zero_vector() }
    }

    /// Second derivative by $u$ of the energy of stretch.
    pub fn stretch_stiffness<S: Scalar>(#[comptime] measure: StrainMeasure, ea: S, u: V3<S>) -> M3<S> {
        let square = dot(u, u);
        let mut plain = ea * constant::<S>(0.5) * (square - one::<S>());
        let mut along = ea;
        match measure {
            StrainMeasure::Material => {
                let inverse = one::<S>() / sqrt(square);
                plain = ea * (one::<S>() - inverse);
                along = ea * inverse / square;
            }
            StrainMeasure::Green => {}
        }
        plus_diagonal(outer(scaled(along, u), u), plain)
    }

    /// Energy of bending and its derivatives; `ei` is the stiffness $EI$.
    pub fn bending_force<S: Scalar>(
        #[comptime] measure: StrainMeasure,
        ei: S,
        u: V3<S>,
        w: V3<S>,
    ) -> LineForce<S> {
        let g = dot(u, u);
        let e = dot(u, w);
        let d = dot(w, w);
        let normal = cross(u, w);
        let n = dot(normal, normal);
        let q = ei * inverse_power(measure, g);
        let c = d - constant::<S>(measure.exponent()) * n / g;
        LineForce {
            energy: constant::<S>(0.5) * q * n,
            by_u: scaled(q, difference(scaled(c, u), scaled(e, w))),
            by_w: scaled(q, difference(scaled(g, w), scaled(e, u))),
        }
    }

    /// Second derivatives of the energy of bending.
    pub fn bending_stiffness<S: Scalar>(
        #[comptime] measure: StrainMeasure,
        ei: S,
        u: V3<S>,
        w: V3<S>,
    ) -> LineStiffness<S> {
        let g = dot(u, u);
        let e = dot(u, w);
        let d = dot(w, w);
        let normal = cross(u, w);
        let n = dot(normal, normal);
        let q = ei * inverse_power(measure, g);
        let c = d - constant::<S>(measure.exponent()) * n / g;
        let turn = constant::<S>(2.0 * measure.exponent()) / g;
        let mixed = matrix_scaled(turn * e, matrix_sum(outer(u, w), outer(w, u)));
        let along = scaled(turn * (e * e / g + c), u);
        let across = scaled(turn, difference(scaled(g, w), scaled(e, u)));
        let uu = matrix_difference(matrix_difference(mixed, outer(w, w)), outer(along, u));
        let wu = matrix_difference(
            matrix_difference(outer(scaled(constant(2.0), w), u), outer(u, w)),
            outer(across, u),
        );
        let ww = matrix_scaled(constant(-1.0), outer(u, u));
        LineStiffness {
            uu: matrix_scaled(q, plus_diagonal(uu, c)),
            wu: matrix_scaled(q, plus_diagonal(wu, -e)),
            ww: matrix_scaled(q, plus_diagonal(ww, g)),
        }
    }

    /// $g^{-p}$.
    fn inverse_power<S: Scalar>(#[comptime] measure: StrainMeasure, g: S) -> S {
        match measure {
            StrainMeasure::Material => one::<S>() / (g * g),
            StrainMeasure::Green => one::<S>() / (g * g * g),
        }
    }

    /// $g^{-p/2}$, by which $u\times w$ becomes the vector of curvature.
    pub fn curvature_scale<S: Scalar>(#[comptime] measure: StrainMeasure, g: S) -> S {
        match measure {
            StrainMeasure::Material => one::<S>() / g,
            StrainMeasure::Green => one::<S>() / (g * sqrt(g)),
        }
    }

    /// Vector of curvature $\kappa = (u\cdot u)^{-p/2}\,u\times w$ [1/m].
    pub fn curvature<S: Scalar>(#[comptime] measure: StrainMeasure, u: V3<S>, w: V3<S>) -> V3<S> {
        scaled(curvature_scale(measure, dot(u, u)), cross(u, w))
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
