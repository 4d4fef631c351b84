//! Coulomb's cap and the memory of a contact that sticks: used for sliding, rolling and spinning alike.

use super::scalar::Scalar;
use crate::Vec3;

/// Share of a force of squared size `square` that a cap `limit` ≥ 0 lets through: 1 below the cap, else
/// limit/size.
#[inline]
pub fn cap_share<S: Scalar>(square: S, limit: S) -> S {
    let mut out = S::of(1.0);
    if square > limit * limit {
        out = limit / square.sqrt();
    }
    out
}

/// Part of `vector` in the plane of the unit normal `normal`.
#[inline]
pub fn tangential_part(vector: Vec3, normal: Vec3) -> Vec3 {
    vector - normal * vector.dot(normal)
}

/// Stored vector turned into the plane of the unit normal of today with its length kept.
///
/// A vector that is nearly along the normal has no direction to keep: its projection is taken.
#[inline]
pub fn transported(stored: Vec3, normal: Vec3) -> Vec3 {
    let flat = tangential_part(stored, normal);
    let (before, after) = (stored.length_squared(), flat.length_squared());
    let mut out = flat;
    if after > 1e-12 * before {
        out = flat * (before / after).sqrt();
    }
    out
}

/// A spring and a dashpot in parallel under a cap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CappedForce {
    /// Spring and dashpot together, at most the cap [N] or [N·m].
    pub force: Vec3,
    /// The spring alone, at most the cap: what the contact remembers.
    pub spring: Vec3,
    /// 1 where the cap is not reached, else cap/size of the uncapped force.
    pub share: f64,
}

/// Force of `spring` and the dashpot `damping` at the rate `rate` under `cap`: $T = S - c\,v$, $|T| \le$ cap.
///
/// The stored spring is shortened to the cap as well, so that sliding back is felt at once.
#[inline]
pub fn capped_force(spring: Vec3, damping: f64, rate: Vec3, cap: f64) -> CappedForce {
    let trial = spring - rate * damping;
    let share = cap_share(trial.length_squared(), cap);
    let kept = spring * cap_share(spring.length_squared(), cap);
    CappedForce { force: trial * share, spring: kept, share }
}
