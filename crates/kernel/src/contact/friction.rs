//! Coulomb's cap and the memory of a contact that sticks: used for sliding, rolling and spinning alike.

use crate::Scalar;
use crate::triple::{difference, dot, scaled};

/// Share of a force of squared size `square` that a cap `limit` ≥ 0 lets through: 1 below the cap, else
/// limit/size.
#[inline(always)]
pub fn cap_share<S: Scalar>(square: S, limit: S) -> S {
    square.where_greater(limit * limit, limit / square.sqrt(), S::of(1.0))
}

/// Part of `vector` in the plane of the unit normal `normal`.
#[inline(always)]
pub fn tangential_part<S: Scalar>(vector: [S; 3], normal: [S; 3]) -> [S; 3] {
    difference(vector, scaled(dot(vector, normal), normal))
}

/// Stored vector turned into the plane of the unit normal of today with its length kept.
///
/// A vector that is nearly along the normal has no direction to keep: its projection is taken.
#[inline(always)]
pub fn transported<S: Scalar>(stored: [S; 3], normal: [S; 3]) -> [S; 3] {
    let flat = tangential_part(stored, normal);
    let (before, after) = (dot(stored, stored), dot(flat, flat));
    let stretch = after.where_greater(S::of(1e-12) * before, (before / after).sqrt(), S::of(1.0));
    scaled(stretch, flat)
}

/// A spring and a dashpot in parallel under a cap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CappedForce<S> {
    /// Spring and dashpot together, at most the cap [N] or [N·m].
    pub force: [S; 3],
    /// The spring alone, at most the cap: what the contact remembers.
    pub spring: [S; 3],
    /// 1 where the cap is not reached, else cap/size of the uncapped force.
    pub share: S,
}

/// Force of `spring` and the dashpot `damping` at the rate `rate` under `cap`: $T = S - c\,v$, $|T| \le$ cap.
///
/// The stored spring is shortened to the cap as well, so that sliding back is felt at once.
#[inline(always)]
pub fn capped_force<S: Scalar>(spring: [S; 3], damping: S, rate: [S; 3], cap: S) -> CappedForce<S> {
    let trial = difference(spring, scaled(damping, rate));
    let share = cap_share(dot(trial, trial), cap);
    let kept = scaled(cap_share(dot(spring, spring), cap), spring);
    CappedForce { force: scaled(share, trial), spring: kept, share }
}
