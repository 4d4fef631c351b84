//! Normal damping: coefficients that give a wanted coefficient of restitution.
//!
//! A contact pushes but does not pull, so the force $\max(0, k\delta + c\dot\delta)$ ends before the overlap does,
//! and the textbook relation between damping ratio and restitution, which lets the force pull, is off by up to
//! 0.11. The relation here is that of the clipped force. It holds for Hooke's law and, with
//! $c = \sqrt5\,\zeta\sqrt{m k}\,\delta^{1/4}$ (tsuji1992), for Hertz' law as well: the substitution
//! $x = \delta^{5/4}$, $d\tau = \delta^{1/4}dt$ (antypov2011) turns the second into the first.
//!
//! A new law is a variant of [`DampingLaw`], its coefficients in `DampingLaw::dashpots` and its arm of [`dashpot`].

use super::material::{CompliantComposite, ContactError};
use super::normal::Normal;
use crate::laws;

/// Normal damping.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum DampingLaw {
    /// None.
    None,
    /// Coefficients given directly, $c = f\gamma_n m$ with f = 1 (Hooke) or $\sqrt{R^*\delta}$ (Hertz).
    Viscous,
    /// The dashpot that gives the restitution of the pair exactly: linear for Hooke, that of tsuji1992 for Hertz.
    Restitution,
    /// Hysteresis $k\delta^n(1+\chi\dot\delta)$ of hunt1975: for restitution near 1.
    HuntCrossley,
    /// Hysteresis of lankarani1990: for restitution near 1.
    LankaraniNikravesh,
    /// Hysteresis of flores2011: for all restitutions, approximately.
    Flores,
    /// Hysteresis with the factor that gives the restitution of the pair exactly (zhang2009).
    HysteresisExact,
}

/// Coefficients of dashpots of a pair of materials; see [`CompliantPair`](super::CompliantPair).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dashpots {
    pub loading: f64,
    pub tangential_loading: f64,
    pub hysteresis: f64,
    pub viscous: f64,
    pub tangential_viscous: f64,
}

impl DampingLaw {
    /// Whether contacts remember their impact speed.
    pub(super) fn remembers(self) -> bool {
        match self {
            Self::None | Self::Viscous | Self::Restitution => false,
            Self::HuntCrossley | Self::LankaraniNikravesh | Self::Flores | Self::HysteresisExact => true,
        }
    }

    /// Coefficients of the composite `material`, whose tangential by normal stiffness is `tangential_ratio`.
    pub(super) fn dashpots(
        self,
        normal: &Normal,
        tangential_ratio: f64,
        material: &CompliantComposite,
    ) -> Result<Dashpots, ContactError> {
        let restitution = material.restitution;
        let ratio = ratio_of_restitution(restitution);
        let [scale, tangential_scale] = normal.dashpots;
        // A ratio above 1 would only make sliding stiff.
        let tangential_loading = tangential_scale * ratio.min(1.0) * tangential_ratio.sqrt();
        let sliding = Dashpots { tangential_loading, ..Dashpots::default() };
        let hysteresis = |hysteresis| Dashpots { hysteresis, ..sliding };
        Ok(match self {
            Self::None => Dashpots::default(),
            Self::Viscous => {
                let missing = ContactError::Missing { what: "normal damping", law: "viscous damping" };
                Dashpots {
                    viscous: material.normal_damping.ok_or(missing)?,
                    tangential_viscous: material.tangential_damping.unwrap_or(0.0),
                    ..Dashpots::default()
                }
            }
            Self::Restitution => Dashpots { loading: scale * ratio, ..sliding },
            Self::HuntCrossley => hysteresis(hysteresis_hunt_crossley(restitution)),
            Self::LankaraniNikravesh => hysteresis(hysteresis_lankarani(restitution)),
            Self::Flores => hysteresis(hysteresis_flores(restitution)),
            Self::HysteresisExact => hysteresis(hysteresis_exact(restitution)),
        })
    }
}

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
    use crate::contact::memory::Touch;
    use crate::contact::model::CompliantPair;
    use crate::contact::normal::Elastic;
    use crate::number::{Scalar, constant, fma, one, select_greater, smaller, sqrt, zero};

    /// Dashpots of a contact before they are bounded.
    #[derive(Clone, Copy, Debug)]
    pub struct Dashpot<S> {
        /// Normal [N·s/m].
        pub normal: S,
        /// Exponent of the overlap with which the normal one grows.
        pub growth: S,
        /// Tangential [N·s/m].
        pub tangential: S,
    }

    /// Dashpots of a law where the elastic force is `elastic`, which grows with the overlap to the power 1 + `exponent`.
    pub fn dashpot<S: Scalar>(
        #[comptime] law: DampingLaw,
        pair: &CompliantPair<S>,
        touch: &Touch<S>,
        elastic: &Elastic<S>,
        exponent: S,
    ) -> Dashpot<S> {
        let secant = elastic.stiffness * elastic.scale;
        let mut normal = zero::<S>();
        let mut growth = zero::<S>();
        let mut tangential = zero::<S>();
        match law {
            DampingLaw::None => {}
            DampingLaw::Viscous => {
                let base = touch.mass * elastic.scale;
                normal = pair.viscous * base;
                growth = exponent;
                tangential = pair.tangential_viscous * base;
            }
            DampingLaw::Restitution => {
                let root = sqrt(touch.mass * secant);
                normal = pair.loading * root;
                growth = exponent * constant::<S>(0.5);
                tangential = pair.tangential_loading * root;
            }
            DampingLaw::HuntCrossley
            | DampingLaw::LankaraniNikravesh
            | DampingLaw::Flores
            | DampingLaw::HysteresisExact => {
                let factor = pair.hysteresis / touch.memory.impact;
                normal = factor * (secant * touch.depth);
                growth = exponent + one::<S>();
                tangential = pair.tangential_loading * sqrt(touch.mass * secant);
            }
        }
        Dashpot { normal, growth, tangential }
    }

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
