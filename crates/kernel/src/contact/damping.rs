//! Normal damping: coefficients that give a wanted coefficient of restitution.
//!
//! A contact pushes but does not pull, so the force $\max(0, k\delta + c\dot\delta)$ ends before the overlap does,
//! and the textbook relation between damping ratio and restitution, which lets the force pull, is off by up to
//! 0.11. The relation here is that of the clipped force. It holds for Hooke's law and, with
//! $c = \sqrt5\,\zeta\sqrt{m k}\,\delta^{1/4}$ (tsuji1992), for Hertz' law as well: the substitution
//! $x = \delta^{5/4}$, $d\tau = \delta^{1/4}dt$ (antypov2011) turns the second into the first.

use crate::laws;

/// Below this restitution a contact is plastic: see [`PLASTIC_LOADING`].
pub const PLASTIC_RESTITUTION: f64 = 5e-4;

/// Damping ratio of a plastic contact: the restitution of this ratio is 5e-4.
///
/// It is the same while the contact opens. More damping then would leave no rebound at all, but a pile that
/// trembles would close its contacts more easily than open them, and sink into itself.
pub const PLASTIC_LOADING: f64 = 22.3;

/// Largest share of the effective mass' momentum that a dashpot takes in one step.
///
/// An explicit method is unstable where $c\,h/m > 2$; a quarter leaves room for several contacts on one body.
pub const STEP_SHARE: f64 = 0.25;

/// Coefficient of restitution of a clipped, linearly damped contact with damping ratio `ratio`,
/// $e = \exp\left(-2\zeta\,\frac{\arccos\zeta}{\sqrt{1-\zeta^2}}\right)$, continued by arcosh above 1.
pub fn restitution_of_ratio(ratio: f64) -> f64 {
    (-2.0 * ratio * arc_ratio(ratio)).exp()
}

/// $\arccos(z)/\sqrt{1-z^2}$ and its continuation $\mathrm{arcosh}(z)/\sqrt{z^2-1}$, smooth at 1.
fn arc_ratio(z: f64) -> f64 {
    let distance = 1.0 - z;
    if distance.abs() < 1e-4 {
        return 1.0 + distance / 3.0 + distance * distance * (2.0 / 15.0);
    }
    let square = (1.0 - z * z).abs().sqrt();
    if z < 1.0 { z.acos() / square } else { z.acosh() / square }
}

/// Damping ratio that gives the restitution `restitution` in 0…1: the inverse of [`restitution_of_ratio`].
///
/// Zero restitution has no finite ratio: below [`PLASTIC_RESTITUTION`] the result is [`PLASTIC_LOADING`].
pub fn ratio_of_restitution(restitution: f64) -> f64 {
    if restitution >= 1.0 {
        return 0.0;
    }
    if restitution <= PLASTIC_RESTITUTION {
        return PLASTIC_LOADING;
    }
    bisect(0.0, PLASTIC_LOADING * 1.1, |ratio| restitution_of_ratio(ratio) > restitution)
}

/// Point where `below` turns from true to false.
fn bisect(mut low: f64, mut high: f64, below: impl Fn(f64) -> bool) -> f64 {
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

/// Hysteresis $d = \chi V$ of $F = k\delta^n(1+\chi\dot\delta)$ after hunt1975, $d = \tfrac32(1-e)$: for e near 1.
pub fn hysteresis_hunt_crossley(restitution: f64) -> f64 {
    1.5 * (1.0 - restitution)
}

/// Hysteresis $d = \tfrac34(1-e^2)$ after lankarani1990: for e near 1.
pub fn hysteresis_lankarani(restitution: f64) -> f64 {
    0.75 * (1.0 - restitution * restitution)
}

/// Hysteresis $d = \tfrac85(1-e)/e$ after flores2011: for all e, within a few hundredths of e.
pub fn hysteresis_flores(restitution: f64) -> f64 {
    1.6 * (1.0 - restitution) / restitution.max(HYSTERESIS_RESTITUTION)
}

/// Hysteresis laws take at least this restitution: their factor is infinite at zero.
const HYSTERESIS_RESTITUTION: f64 = 5e-4;

/// Restitution of the hysteresis law: the root of $d(1+e) = \ln\frac{1+d}{1-de}$, for any exponent n.
///
/// From $\int v\,dv/(1+\chi v)$ over compression and release, which span the same depth (zhang2009).
pub fn restitution_of_hysteresis(hysteresis: f64) -> f64 {
    let d = hysteresis;
    if d < 1e-6 {
        return 1.0 - 2.0 / 3.0 * d;
    }
    let balance = |e: f64| (-d * e).ln_1p() + d * e + d - d.ln_1p();
    bisect(0.0, (1.0 / d).min(1.0), |e| balance(e) > 0.0)
}

/// Hysteresis that gives the restitution `restitution` exactly: the inverse of [`restitution_of_hysteresis`].
pub fn hysteresis_exact(restitution: f64) -> f64 {
    if restitution >= 1.0 {
        return 0.0;
    }
    let wanted = restitution.max(HYSTERESIS_RESTITUTION);
    bisect(0.0, 2.0 / wanted, |d| restitution_of_hysteresis(d) > wanted)
}

#[laws]
mod laws {
    use crate::number::{Scalar, constant, fma, select_greater, smaller, zero};

    /// Non-pulling force [N] of an elastic force and a dashpot, $\max(0, F_e + c\,\dot\delta)$.
    pub fn pushing_force<S: Scalar>(elastic: S, damping: S, closing: S) -> S {
        let force = fma(damping, closing, elastic);
        // NaN passes through so that it is detected later.
        select_greater(zero(), force, zero(), force)
    }

    /// Dashpot [N·s/m] bounded so that it takes at most `share` of the momentum of `mass` [kg] in a step of `step`
    /// [s]; no bound where `step` is zero.
    pub fn bounded_by_step<S: Scalar>(damping: S, mass: S, step: S, #[comptime] share: f64) -> S {
        smaller(damping, mass * (constant::<S>(share) / step))
    }
}
