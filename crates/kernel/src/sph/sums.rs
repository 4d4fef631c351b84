//! Terms of sums over the neighbours of a fluid particle, beyond its rates: drift, corrections of gradients, filters of
//! density.

use crate::laws;

/// Strength of the term that keeps particles from pairing up when they drift.
const CROWDING: f64 = 0.2;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, fma, one};
    use crate::point::Symmetric;
    use crate::sph::pair::FluidSide;
    use crate::vector::{M3, V3, difference, dot, negated, outer, scaled, sum, vector, zero_vector};

    /// $L\,x$ for a symmetric matrix.
    pub fn symmetric_product<S: Scalar>(l: &Symmetric<S>, x: V3<S>) -> V3<S> {
        V3 {
            x: dot(vector(l.xx, l.xy, l.zx), x),
            y: dot(vector(l.xy, l.yy, l.yz), x),
            z: dot(vector(l.zx, l.yz, l.zz), x),
        }
    }

    /// What varies from particle to particle in a general flow.
    #[derive(Clone, Copy, Debug)]
    pub struct FlowSide<S> {
        /// L, which makes $L\nabla W$ exact for linear fields.
        pub correction: Symmetric<S>,
        /// Viscosity [Pa·s].
        pub viscosity: S,
    }

    /// What a pair makes of it.
    #[derive(Clone, Copy, Debug)]
    pub struct FlowPair<S> {
        /// Direction of gradients: the offset, corrected.
        pub direction: V3<S>,
        /// Viscosity [Pa·s].
        pub viscosity: S,
    }

    /// Means over both sides. With `wall`, the one is a marker of a wall, which has neither correction nor viscosity.
    pub fn flow_pair<S: Scalar>(
        one_side: &FlowSide<S>,
        other_side: &FlowSide<S>,
        offset: V3<S>,
        #[comptime] wall: bool,
    ) -> FlowPair<S> {
        let half = constant::<S>(0.5);
        let mut direction = symmetric_product(&other_side.correction, offset);
        let mut viscosity = other_side.viscosity;
        if !wall {
            direction = scaled(half, sum(symmetric_product(&one_side.correction, offset), direction));
            viscosity = half * (one_side.viscosity + other_side.viscosity);
        }
        FlowPair { direction, viscosity }
    }

    /// Terms of the drift of one side.
    #[derive(Clone, Copy, Debug)]
    pub struct DriftSide<S> {
        /// Of $\sum s_j W$.
        pub weight: S,
        /// Of $\sum s_j\nabla W\,(1 + 0.2\,(W/W_1)^4)$ with $W_1$ at the spacing.
        pub crowd: V3<S>,
        /// Of $-\sum s_j F x^2$.
        pub spread: S,
    }

    /// Terms of the drift of a pair.
    #[derive(Clone, Copy, Debug)]
    pub struct DriftTerms<S> {
        /// Of $\sum\bar s\,(v_j - v_i)W$ of the one; the other gets the opposite.
        pub carry: V3<S>,
        /// The one.
        pub one: DriftSide<S>,
        /// The other.
        pub other: DriftSide<S>,
    }

    /// Terms of the drift of a pair with the square of its distance, with W and F there, and $1/W_1$. Walls carry nothing.
    pub fn drift_terms<S: Scalar>(
        one_side: &FluidSide<S>,
        other_side: &FluidSide<S>,
        offset: V3<S>,
        square: S,
        value: S,
        slope: S,
        per_spacing_value: S,
        #[comptime] wall: bool,
    ) -> DriftTerms<S> {
        let mean = constant::<S>(0.5) * (one_side.volume + other_side.volume) * value;
        let mut carry = difference(other_side.velocity, one_side.velocity);
        if wall {
            carry = zero_vector();
        }
        let share = value * per_spacing_value;
        let fourth = (share * share) * (share * share);
        let crowd = slope * fma(constant(CROWDING), fourth, one());
        let spread = -(slope * square);
        let mine = other_side.volume;
        let yours = one_side.volume;
        DriftTerms {
            carry: scaled(mean, carry),
            one: DriftSide {
                weight: mine * value,
                crowd: scaled(mine * crowd, offset),
                spread: mine * spread,
            },
            other: DriftSide {
                weight: yours * value,
                crowd: negated(scaled(yours * crowd, offset)),
                spread: yours * spread,
            },
        }
    }

    /// What corrections and rates of shear of one side are made of.
    #[derive(Clone, Copy, Debug)]
    pub struct GradientTerms<S> {
        /// Of $-\sum s_j F\,x\otimes x$.
        pub moment: Symmetric<S>,
        /// Of $-\sum s_j F\,v\otimes x$.
        pub slopes: M3<S>,
    }

    /// Terms of a side whose neighbour has s = `volume`; velocity v and offset x are from the other to the one or both the
    /// other way round.
    pub fn gradient_terms<S: Scalar>(
        volume: S,
        velocity: V3<S>,
        offset: V3<S>,
        slope: S,
    ) -> GradientTerms<S> {
        let gradient = scaled(volume * -slope, offset);
        GradientTerms {
            moment: Symmetric {
                xx: gradient.x * offset.x,
                yy: gradient.y * offset.y,
                zz: gradient.z * offset.z,
                xy: gradient.x * offset.y,
                yz: gradient.y * offset.z,
                zx: gradient.x * offset.z,
            },
            slopes: outer(velocity, gradient),
        }
    }

    /// What filters of density of one side are made of.
    #[derive(Clone, Copy, Debug)]
    pub struct MomentTerms<S> {
        /// Of $\sum W$.
        pub plain: S,
        /// Of $\sum W x$.
        pub first: V3<S>,
        /// Of $\sum sW$.
        pub weighted: S,
        /// Of $\sum sWx$.
        pub moment: V3<S>,
        /// Of $\sum sWx\otimes x$.
        pub second: Symmetric<S>,
    }

    /// Terms of a side whose neighbour has s = `volume` and lies at the offset x from it to the side.
    pub fn moment_terms<S: Scalar>(volume: S, value: S, offset: V3<S>) -> MomentTerms<S> {
        let weighted = volume * value;
        let moment = scaled(weighted, offset);
        MomentTerms {
            plain: value,
            first: scaled(value, offset),
            weighted,
            moment,
            second: Symmetric {
                xx: moment.x * offset.x,
                yy: moment.y * offset.y,
                zz: moment.z * offset.z,
                xy: moment.x * offset.y,
                yz: moment.y * offset.z,
                zx: moment.x * offset.z,
            },
        }
    }
}
