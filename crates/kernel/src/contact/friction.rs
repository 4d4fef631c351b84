//! Coulomb's cap and the memory of a contact that sticks: used for sliding, rolling and spinning alike.

use super::model::NormalLaw;
use crate::laws;

/// Turns below this square of an angle [rad²] shorten a stored vector by less than rounding would in a million
/// steps.
const SMALL_TURN: f64 = 1e-10;

#[laws]
mod laws {
    use crate::number::{
        Scalar, any_positive, constant, fma, larger, negative_fma, one, select_greater, sqrt, zero,
    };
    use crate::vector::{V3, dot, scaled, scaled_subtract};

    /// Share of a force of squared size `square` that a cap `limit` ≥ 0 lets through: 1 below the cap, else
    /// limit/size.
    pub fn cap_share<S: Scalar>(square: S, limit: S) -> S {
        let over = negative_fma(limit, limit, square);
        let mut share = one::<S>();
        // Most contacts stick, and a root is expensive.
        if any_positive(over) {
            share = select_greater(over, zero(), limit / sqrt(square), one());
        }
        share
    }

    /// Part of `vector` in the plane of the unit normal `normal`.
    pub fn tangential_part<S: Scalar>(vector: V3<S>, normal: V3<S>) -> V3<S> {
        scaled_subtract(dot(vector, normal), normal, vector)
    }

    /// Stored vector turned into the plane of the unit normal of today with its length kept.
    ///
    /// A vector that is nearly along the normal has no direction to keep: its projection is taken.
    pub fn transported<S: Scalar>(stored: V3<S>, normal: V3<S>) -> V3<S> {
        let mut flat = tangential_part(stored, normal);
        let before = dot(stored, stored);
        let after = dot(flat, flat);
        let over = negative_fma(constant(SMALL_TURN), before, before - after);
        if any_positive(over) {
            let stretch = select_greater(after, constant::<S>(1e-12) * before, sqrt(before / after), one());
            // Each number by itself, so that a contact does not depend on those that are answered together with it.
            flat = scaled(select_greater(over, zero(), stretch, one()), flat);
        }
        flat
    }

    /// Share of a step in which shapes touch that came closer by `closed` [m] in it and overlap by `depth` > 0 [m] at
    /// its end: below 1 only in the step in which they meet.
    pub fn touching_share<S: Scalar>(depth: S, closed: S) -> S {
        one::<S>() / larger(closed / depth, one())
    }

    /// Stiffness at the end of a step that gives the force which a tangential spring gains in it: the mean stiffness
    /// over the share of the step in which the shapes touch, times this share.
    ///
    /// The stiffness of Hertz' law grows as $s = \sqrt\delta$. With δ linear in time its mean from $s_0$ to $s_1$ is
    /// $\tfrac23 (s_0^2 + s_0 s_1 + s_1^2)/(s_0 + s_1)$, also where the step begins before the shapes meet, $s_0 = 0$.
    pub fn mean_share<S: Scalar>(#[comptime] normal: NormalLaw, depth: S, closed: S) -> S {
        match normal {
            NormalLaw::Hooke { .. } => touching_share(depth, closed),
            NormalLaw::Hertz => {
                let came = closed / depth;
                let root = sqrt(larger(one::<S>() - came, zero()));
                let next = one::<S>() + root;
                constant::<S>(2.0 / 3.0) * fma(root, root, next) / (next * larger(came, one()))
            }
        }
    }

    /// A spring and a dashpot in parallel under a cap.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct CappedForce<S> {
        /// Spring and dashpot together, at most the cap [N] or [N·m].
        pub force: V3<S>,
        /// 1 where the cap is not reached, else cap/size of the uncapped force.
        pub share: S,
        /// Share of the spring alone that the cap lets through: what the contact remembers.
        pub kept: S,
    }

    /// Force of `spring` and the dashpot `damping` at the rate `rate` under `cap`: $T = S - c\,v$, $|T| \le$ cap.
    ///
    /// The stored spring is shortened to the cap as well, so that sliding back is felt at once.
    pub fn capped_force<S: Scalar>(spring: V3<S>, damping: S, rate: V3<S>, cap: S) -> CappedForce<S> {
        let trial = scaled_subtract(damping, rate, spring);
        let share = cap_share(dot(trial, trial), cap);
        let kept = cap_share(dot(spring, spring), cap);
        CappedForce { force: scaled(share, trial), share, kept }
    }
}
