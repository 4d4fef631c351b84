//! Elastic normal laws: force, stiffness and energy as functions of the overlap, and closed forms of an impact.
//!
//! A new law is a variant of [`NormalLaw`], its `Normal` and its arms of [`elastic`] and [`mean_share`].

use super::material::{CompliantComposite, ContactError};
use crate::laws;

/// Elastic normal force as a function of the overlap δ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum NormalLaw {
    /// Linear spring, $F = k\delta$; k given, or that of [`hooke_stiffness`] at the speed named here.
    Hooke {
        /// Characteristic speed V [m/s] of an impact; not used where the stiffness is given.
        #[cfg_attr(feature = "serde", serde(default = "one_metre_per_second"))]
        speed: f64,
    },
    /// $F = \tfrac43 E^*\sqrt{R^*}\,\delta^{3/2}$, or $k\sqrt{R^*}\,\delta^{3/2}$ with k given (hertz1882).
    Hertz,
}

#[cfg(feature = "serde")]
fn one_metre_per_second() -> f64 {
    1.0
}

/// What set-up and energies ask of a normal law.
pub(super) struct Normal {
    /// Exponent p of the secant stiffness, $F/\delta \propto \delta^p$.
    pub exponent: f64,
    /// Normal and tangential dashpot by $\zeta\sqrt{mk}$, with the damping ratio ζ that gives a restitution.
    pub dashpots: [f64; 2],
    /// Normal stiffness of a pair (0: follows from E* at each contact) and the ratio of the tangential one to it.
    pub stiffnesses: fn(&CompliantComposite) -> Result<(f64, f64), ContactError>,
    /// Greatest overlap [m] of an elastic impact where the stiffness depends on it; of the stiffness, effective radius and
    /// mass, and speed.
    pub impact_depth: fn(f64, f64, f64, f64) -> f64,
}

impl NormalLaw {
    #[inline(always)]
    pub(super) fn facts(self) -> Normal {
        match self {
            Self::Hooke { .. } => Normal {
                exponent: 0.0,
                dashpots: [2.0, 2.0],
                stiffnesses: hooke_stiffnesses,
                impact_depth: |_, _, _, _| 0.0,
            },
            // √5 ζ√(mk) is 2ζ√(mk) of the oscillator x = δ^(5/4); sliding has the factor √(5/6) of tsuji1992.
            Self::Hertz => Normal {
                exponent: 0.5,
                dashpots: [5f64.sqrt(), 2.0 * (5f64 / 6.0).sqrt()],
                stiffnesses: hertz_stiffnesses,
                impact_depth: hertz_depth,
            },
        }
    }

    /// Refuses parameters that are out of range.
    pub(super) fn check(self) -> Result<(), ContactError> {
        match self {
            Self::Hooke { speed } => {
                ContactError::check("characteristic speed", speed, crate::NumberRange::Positive)
            }
            Self::Hertz => Ok(()),
        }
    }
}

/// What a law needs that has neither a stiffness nor a modulus.
const STIFFNESS: &str = "normal stiffness or a finite Young's modulus";

fn hooke_stiffnesses(material: &CompliantComposite) -> Result<(f64, f64), ContactError> {
    let from_moduli = 4.0 * material.shear_ratio;
    match (material.normal_stiffness, material.tangential_stiffness) {
        (Some(normal), tangential) => Ok((normal, tangential.map_or(from_moduli, |t| t / normal))),
        (None, Some(_)) => {
            Err(ContactError::Missing { what: "normal stiffness", law: "a given tangential stiffness" })
        }
        (None, None) if material.young.is_finite() => Ok((0.0, from_moduli)),
        (None, None) => Err(ContactError::Missing { what: STIFFNESS, law: "Hooke's law" }),
    }
}

fn hertz_stiffnesses(material: &CompliantComposite) -> Result<(f64, f64), ContactError> {
    if material.normal_stiffness.is_none() && !material.young.is_finite() {
        return Err(ContactError::Missing { what: STIFFNESS, law: "Hertz' law" });
    }
    let normal = material.normal_stiffness.unwrap_or(4.0 / 3.0 * material.young);
    Ok((normal, material.tangential_stiffness.map_or(6.0 * material.shear_ratio, |t| t / normal)))
}

/// $t_c\,v/\delta_{max}$ of an elastic Hertz impact, $\frac{4}{5}\sqrt\pi\,\Gamma(2/5)/\Gamma(9/10)$ (johnson1985).
pub const HERTZ_DURATION: f64 = 2.943_275_106_608_26;

#[laws]
mod laws {
    use crate::number::{
        Scalar, any_positive, constant, fma, larger, one, power, select_greater, sqrt, zero,
    };

    /// An elastic normal force in parts: $F = k\,s\,\delta$ with the secant stiffness $ks$.
    #[derive(Clone, Copy, Debug)]
    pub struct Elastic<S> {
        /// Stiffness k of the pair: Hooke [N/m], Hertz [Pa].
        pub stiffness: S,
        /// Factor s: 1 for Hooke, $\sqrt{R^*\delta}$ [m] for Hertz.
        pub scale: S,
    }

    /// The elastic force of a law; `stiffness` is that of the pair, zero where it follows from the modulus `young` at each
    /// contact.
    pub fn elastic<S: Scalar>(
        #[comptime] law: NormalLaw,
        stiffness: S,
        young: S,
        mass: S,
        radius: S,
        depth: S,
    ) -> Elastic<S> {
        let mut given = stiffness;
        let mut scale = one::<S>();
        match law {
            NormalLaw::Hooke { speed } => {
                let missing = select_greater(given, zero(), zero(), one::<S>());
                if any_positive(missing) {
                    let found = hooke_stiffness(young, radius, mass, constant(speed));
                    given = select_greater(missing, zero(), found, given);
                }
            }
            NormalLaw::Hertz => scale = sqrt(radius * depth),
        }
        Elastic { stiffness: given, scale }
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

    /// Secant stiffness [N/m] of a Hertz contact, $F/\delta = k\sqrt{R\,\delta}$, with modulus `k` [Pa] (4/3 E* from
    /// material constants), effective radius `radius` [m] and overlap `depth` [m].
    pub fn hertz_secant<S: Scalar>(modulus: S, radius: S, depth: S) -> S {
        modulus * sqrt(radius * depth)
    }

    /// Hertz force [N], $F = \tfrac43 E^*\sqrt{R^*}\,\delta^{3/2}$ (hertz1882).
    pub fn hertz_force<S: Scalar>(young: S, radius: S, depth: S) -> S {
        hertz_secant(constant::<S>(4.0 / 3.0) * young, radius, depth) * depth
    }

    /// Energy [J] stored by an elastic force $F = s\,\delta$ whose secant stiffness `secant` [N/m] grows as
    /// $\delta^{p}$ (`exponent` p: 0 for Hooke, 1/2 for Hertz): $W = F\delta/(2+p)$.
    pub fn elastic_energy<S: Scalar>(secant: S, exponent: S, depth: S) -> S {
        secant * depth * depth / (constant::<S>(2.0) + exponent)
    }

    /// Stiffness [N/m] of a linear spring that stops the effective mass `mass` [kg] at speed `speed` [m/s] at the
    /// same depth as a Hertz contact, $k = k_0\,(m V^2/k_0)^{1/5}$ with $k_0 = \tfrac{16}{15}E^*\sqrt{R^*}$.
    pub fn hooke_stiffness<S: Scalar>(young: S, radius: S, mass: S, speed: S) -> S {
        let base = constant::<S>(16.0 / 15.0) * young * sqrt(radius);
        base * power(mass * speed * speed / base, 0.2)
    }
}

/// Greatest overlap [m] of an elastic Hertz impact of modulus `modulus` = 4/3 E* [Pa],
/// $\delta_{max} = \left(\frac{5 m V^2}{4 k\sqrt{R}}\right)^{2/5}$.
#[inline]
pub fn hertz_depth(modulus: f64, radius: f64, mass: f64, speed: f64) -> f64 {
    (1.25 * mass * speed * speed / (modulus * radius.sqrt())).powf(0.4)
}

/// Depth, force and duration of an impact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// Greatest overlap [m].
    pub depth: f64,
    /// Greatest force [N].
    pub force: f64,
    /// Time from touch to release [s].
    pub duration: f64,
}

/// Elastic Hertz impact at relative speed `speed` [m/s]: $F_{max}$ at $\delta_{max}$, $t_c = 2.943\,\delta_{max}/V$.
pub fn hertz_impact(young: f64, radius: f64, mass: f64, speed: f64) -> Impact {
    let depth = hertz_depth(4.0 / 3.0 * young, radius, mass, speed);
    Impact { depth, force: hertz_force(young, radius, depth), duration: HERTZ_DURATION * depth / speed }
}

/// Effective mass $1/(1/m_a + 1/m_b)$ [kg] of two bodies given by their inverse masses [1/kg]; 0 of a fixed body.
///
/// Two fixed bodies have no effective mass: the result is infinite.
#[inline]
pub fn effective_mass(inverse_a: f64, inverse_b: f64) -> f64 {
    1.0 / (inverse_a + inverse_b)
}

/// Effective radius $1/(1/R_a + 1/R_b)$ [m]; infinite radii are flat, negative ones hollow.
///
/// Surfaces that conform (sum of curvatures zero or less) count as flat: the result is infinite.
#[inline]
pub fn effective_radius(radius_a: f64, radius_b: f64) -> f64 {
    let curvature = 1.0 / radius_a + 1.0 / radius_b;
    let mut out = f64::INFINITY;
    if curvature > 0.0 {
        out = 1.0 / curvature;
    }
    out
}

/// Effective Young's modulus [Pa], $1/E^* = (1-\nu_a^2)/E_a + (1-\nu_b^2)/E_b$; an infinite modulus is rigid.
#[inline]
pub fn effective_young(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    1.0 / ((1.0 - poisson[0] * poisson[0]) / young[0] + (1.0 - poisson[1] * poisson[1]) / young[1])
}

/// Effective shear modulus [Pa], $1/G^* = (2-\nu_a)/G_a + (2-\nu_b)/G_b$ with $G = E/(2+2\nu)$ (mindlin1953).
#[inline]
pub fn effective_shear(young: [f64; 2], poisson: [f64; 2]) -> f64 {
    let share = |i: usize| (2.0 - poisson[i]) * 2.0 * (1.0 + poisson[i]) / young[i];
    1.0 / (share(0) + share(1))
}

/// Largest step [s] an explicit method should take, $\sqrt{m/k}$: below half of the limit $2\sqrt{m/k}$ of a
/// single undamped contact, as a body usually has several.
#[inline]
pub fn critical_step(mass: f64, stiffness: f64) -> f64 {
    (mass / stiffness).sqrt()
}
