//! Coulomb's cap and the memory of a contact that sticks: used for sliding, rolling and spinning alike.

use crate::laws;

/// Turns below this square of an angle [rad²] shorten a stored vector by less than rounding would in a million
/// steps.
const SMALL_TURN: f64 = 1e-10;

#[laws]
mod laws {
    use crate::number::{Scalar, any_positive, constant, negative_fma, one, select_greater, sqrt, zero};
    use crate::vector::{V3, dot, scaled, scaled_subtract, zero_vector};

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
    /// A capped spring and dashpot with the coefficients it was made of.
    #[derive(Clone, Copy, Debug)]
    pub(super) struct Resisted<S> {
        pub capped: CappedForce<S>,
        /// The spring, at most the cap: what the contact remembers.
        pub spring: V3<S>,
        /// Stiffness by which the spring gains force over the step [N/m] or [N·m].
        pub stiffness: S,
        pub damping: S,
    }

    /// No spring, no dashpot.
    pub(super) fn not_resisted<S: Scalar>() -> Resisted<S> {
        let capped = CappedForce { force: zero_vector(), share: one(), kept: one() };
        Resisted { capped, spring: zero_vector(), stiffness: zero(), damping: zero() }
    }

    /// A spring of force `spring` and a dashpot under `cap`.
    pub(super) fn resisted<S: Scalar>(
        spring: V3<S>,
        stiffness: S,
        damping: S,
        rate: V3<S>,
        cap: S,
    ) -> Resisted<S> {
        let capped = capped_force(spring, damping, rate, cap);
        Resisted { capped, spring: scaled(capped.kept, spring), stiffness, damping }
    }
}

impl<S: Scalar> Resisted<S> {
    /// Minus the derivative by the rate: in full below the cap, across the direction at it.
    #[inline(always)]
    pub(super) fn gain(&self, step: S) -> S {
        (self.damping + step * self.stiffness) * self.capped.share
    }
}
