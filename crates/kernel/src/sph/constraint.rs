//! Laws of a fluid whose markers are kept apart by constraints: rows of density, viscosity and balls, and the motion
//! against clumping.
//!
//! With $x_{ij}$ from marker j to i and $c_{ij}$ proportional to F = W′/r, a row of density has the rate
//! $\sum_j c_{ij}\,x_{ij}\cdot u_{ij}$ and pushes by $\sum_j c_{ij}(l_i + l_j)\,x_{ij}$. Multiplied out, both need no more of a
//! pair than $c_{ij}$ times four numbers of the partner.

use crate::laws;

/// Excess of density that a step answers at most: what lies on top of another marker is not shot away.
const MOST_EXCESS: f64 = 0.1;

/// Softness of a viscous row, in units of 1/mass, at most.
const SOFTEST: f64 = 1e12;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, larger, one, select_greater, smaller, sqrt, zero};
    use crate::vector::{V3, difference, dot_backwards, scaled, scaled_add, scaled_subtract};

    /// Excess of density $\frac{f}{n_0}\sum_j W_{ij} - 1$ of a marker whose partners give the sum `partners`, itself or its
    /// own wall `own`; `factor` f is 1 unless densities are normalized, and `lattice` the sum $n_0$ of a lattice.
    pub fn density_excess<S: Scalar>(partners: S, own: S, factor: S, lattice: S) -> S {
        (partners + own) * factor / lattice - one::<S>()
    }

    /// What a row keeps up.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct RowTarget<S = f64> {
        /// Gap that the step has to answer [m].
        pub gap: S,
        /// Share of a violation that is removed in a step; 1 where there is none.
        pub part: S,
    }

    /// The row of a density with the excess `excess`: `length` [m] is that of a lattice, $1/\sqrt{\sum|\nabla W/n_0|^2}$, and
    /// `stabilization` the share of an excess that a step removes.
    pub fn density_target<S: Scalar>(excess: S, length: S, stabilization: S) -> RowTarget<S> {
        let part = select_greater(excess, zero(), stabilization, one());
        RowTarget { gap: -length * part * smaller(excess, constant(MOST_EXCESS)), part }
    }

    /// The row of two balls of the diameter `diameter` whose centres are `distance` apart [m].
    pub fn ball_target<S: Scalar>(distance: S, diameter: S, stabilization: S) -> RowTarget<S> {
        let gap = distance - diameter;
        let part = select_greater(zero(), gap, stabilization, one());
        RowTarget { gap: part * larger(gap, constant::<S>(-MOST_EXCESS) * diameter), part }
    }

    /// Softness, in units of 1/m, of the viscous row of two markers of the mass `mass` m [kg] in a step of `step` [s]: their
    /// damping in Monaghan's form is `strength` × −`slope`, where `slope` is F.
    pub fn viscous_softness<S: Scalar>(strength: S, slope: S, mass: S, step: S) -> S {
        let damping = strength * -slope;
        smaller(mass / (step * damping), constant(SOFTEST))
    }

    /// Factor that makes the diagonal of a viscous row 1/m.
    pub fn viscous_factor<S: Scalar>(softness: S) -> S {
        one::<S>() / sqrt(constant::<S>(2.0) + softness)
    }

    /// Compliance [1/kg] of a viscous row with its factor.
    pub fn viscous_compliance<S: Scalar>(softness: S, mass: S) -> S {
        let factor = viscous_factor(softness);
        factor * factor * softness / mass
    }

    /// Rate of the row of a pair with the coefficient `weight`, for the offset [m] and the relative velocity [m/s].
    pub fn pair_rate<S: Scalar>(weight: S, offset: V3<S>, slip: V3<S>) -> S {
        weight * dot_backwards(offset, slip)
    }

    /// Impulse [N·s] on the one marker by the row of a pair with the multiplier `multiplier`; the other gets the opposite.
    pub fn pair_push<S: Scalar>(weight: S, multiplier: S, offset: V3<S>) -> V3<S> {
        scaled(weight * multiplier, offset)
    }

    /// Rate of a density, multiplied out: `own` is $u_i\cdot x_i$, `moment` $\sum c$, `with_moments`
    /// $u_i\cdot\sum c\,x_j$, `with_flow` $x_i\cdot\sum c\,u_j$, and `product` $\sum c\,u_j\cdot x_j$.
    pub fn density_rate<S: Scalar>(own: S, moment: S, with_moments: S, with_flow: S, product: S) -> S {
        own * moment - with_moments - with_flow + product
    }

    /// Impulse on a marker at `place` by all rows of densities: its own multiplier is `multiplier`, which times its place is
    /// `weighed`, `moments` and `moment` are $\sum c\,(x_j, 1)$, and `pushes` and `push` $\sum c\,l_j\,(x_j, 1)$.
    pub fn density_push<S: Scalar>(
        multiplier: S,
        weighed: V3<S>,
        place: V3<S>,
        moments: V3<S>,
        moment: S,
        pushes: V3<S>,
        push: S,
    ) -> V3<S> {
        let own = scaled_subtract(multiplier, moments, scaled(moment, weighed));
        difference(scaled_add(push, place, own), pushes)
    }

    /// Share of the relative velocity `slip` that a marker takes on of a partner, with the weight `value` W (schechter2012).
    pub fn smoothed_slip<S: Scalar>(value: S, slip: V3<S>) -> V3<S> {
        scaled(value, slip)
    }

    /// Strength of the motion against clumping, $c\,(W/W_q)^n$ with `ratio` $W/W_q$ (monaghan2000; macklin2013).
    pub fn clumping_strength<S: Scalar>(weight: S, ratio: S, #[comptime] exponent: u32) -> S {
        let mut strength = weight;
        for _ in 0..exponent {
            strength = strength * ratio;
        }
        strength
    }
}
