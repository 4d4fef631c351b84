//! Coulomb's cap and the memory of a contact that sticks: used for sliding, rolling and spinning alike.

use crate::triple::{dot, scaled};
use crate::{Scalar, three};

/// Share of a force of squared size `square` that a cap `limit` ≥ 0 lets through: 1 below the cap, else
/// limit/size.
#[inline(always)]
pub fn cap_share<S: Scalar>(square: S, limit: S) -> S {
    let over = limit.neg_mul_add(limit, square);
    // Most contacts stick, and a root is expensive.
    if !over.any_positive() {
        return S::of(1.0);
    }
    over.where_greater(S::zero(), limit / square.sqrt(), S::of(1.0))
}

/// Part of `vector` in the plane of the unit normal `normal`.
#[inline(always)]
pub fn tangential_part<S: Scalar>(vector: [S; 3], normal: [S; 3]) -> [S; 3] {
    let along = dot(vector, normal);
    three!(i => along.neg_mul_add(normal[i], vector[i]))
}

/// Turns below this square of an angle [rad²] shorten a stored vector by less than rounding would in a million
/// steps.
const SMALL_TURN: f64 = 1e-10;

/// Stored vector turned into the plane of the unit normal of today with its length kept.
///
/// A vector that is nearly along the normal has no direction to keep: its projection is taken.
#[inline(always)]
pub fn transported<S: Scalar>(stored: [S; 3], normal: [S; 3]) -> [S; 3] {
    let flat = tangential_part(stored, normal);
    let (before, after) = (dot(stored, stored), dot(flat, flat));
    let over = S::of(SMALL_TURN).neg_mul_add(before, before - after);
    if !over.any_positive() {
        return flat;
    }
    let stretch = after.where_greater(S::of(1e-12) * before, (before / after).sqrt(), S::of(1.0));
    // Each number by itself, so that a contact does not depend on those that are answered together with it.
    scaled(over.where_greater(S::zero(), stretch, S::of(1.0)), flat)
}

/// A spring and a dashpot in parallel under a cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CappedForce<S> {
    /// Spring and dashpot together, at most the cap [N] or [N·m].
    pub force: [S; 3],
    /// 1 where the cap is not reached, else cap/size of the uncapped force.
    pub share: S,
    /// Share of the spring alone that the cap lets through: what the contact remembers.
    pub kept: S,
}

/// Force of `spring` and the dashpot `damping` at the rate `rate` under `cap`: $T = S - c\,v$, $|T| \le$ cap.
///
/// The stored spring is shortened to the cap as well, so that sliding back is felt at once.
#[inline(always)]
pub fn capped_force<S: Scalar>(spring: [S; 3], damping: S, rate: [S; 3], cap: S) -> CappedForce<S> {
    let trial = three!(i => damping.neg_mul_add(rate[i], spring[i]));
    let share = cap_share(dot(trial, trial), cap);
    CappedForce { force: scaled(share, trial), share, kept: cap_share(dot(spring, spring), cap) }
}
