//! Which laws a compliant contact is composed of, and the coefficients of a pair of materials under them.

use super::damping::{
    hysteresis_exact, hysteresis_flores, hysteresis_hunt_crossley, hysteresis_lankarani, ratio_of_restitution,
};
use super::material::{CompliantComposite, CompliantMaterial, ContactError};
use super::normal::{hertz_depth, hertz_secant, hooke_stiffness};
use crate::laws;

/// Elastic normal force as a function of the overlap δ.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum NormalLaw {
    /// Linear spring, $F = k\delta$; k given, or that of [`hooke_stiffness`] at the speed named here.
    Hooke {
        /// Characteristic speed V [m/s] of an impact; not used where the stiffness is given.
        #[cfg_attr(feature = "serde", serde(default = "one"))]
        speed: f64,
    },
    /// $F = \tfrac43 E^*\sqrt{R^*}\,\delta^{3/2}$, or $k\sqrt{R^*}\,\delta^{3/2}$ with k given (hertz1882).
    Hertz,
}

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

/// Friction in the tangent plane; its size is at most μ times the repulsive normal force in every law.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum TangentialLaw {
    /// None.
    None,
    /// Coulomb friction made smooth: it grows linearly to μF up to the sliding speed named here.
    Coulomb {
        /// Sliding speed [m/s] at which the cap is reached.
        #[cfg_attr(feature = "serde", serde(default = "slow"))]
        speed: f64,
    },
    /// Spring and dashpot on the displacement of one step, $u_t = h\,v_t$; no memory.
    OneStep,
    /// Spring and dashpot on the displacement stored since the first touch.
    History,
    /// The spring force itself is stored and grows by $dF = k_t\,v_t\,dt$, $k_t = 8G^*a$ for Hertz (mindlin1953,
    /// no slip).
    Mindlin,
    /// As [`TangentialLaw::Mindlin`], and the stored force shrinks with the contact radius on unloading, so that
    /// cycles of load do not create energy.
    MindlinRescaled,
}

/// Resistance to rolling, or to spinning about the normal; at most ρ times the repulsive normal force.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum ResistanceLaw {
    /// None.
    None,
    /// Constant couple against the motion, growing linearly up to the rate named here.
    Constant {
        /// Relative angular speed [rad/s] at which the cap is reached.
        #[cfg_attr(feature = "serde", serde(default = "slow"))]
        rate: f64,
    },
    /// Dashpot.
    Viscous {
        /// Couple per rate [N·m·s].
        damping: f64,
    },
    /// Spring and dashpot with memory, $k_r = 2.25\,k_n\rho^2$ (ai2011, its model C).
    ElasticPlastic {
        /// Damping ratio of the dashpot.
        #[cfg_attr(feature = "serde", serde(default = "three_tenths"))]
        ratio: f64,
    },
}

/// Attraction while two surfaces touch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum AdhesionLaw {
    /// None.
    None,
    /// Constant force.
    Constant,
    /// $F = c\sqrt{R^*}$ (derjaguin1975).
    Dmt,
    /// $F = 3.6\cdot10^{-2}S^2R^*$ (perko2001).
    Perko,
    /// Grows with the area of contact, $F = k\,2\pi R^*\delta$, k an energy density (the simplified form of
    /// johnson1971 that granular codes call SJKR).
    Sjkr,
}

#[cfg(feature = "serde")]
fn one() -> f64 {
    1.0
}
#[cfg(feature = "serde")]
fn slow() -> f64 {
    1e-3
}
#[cfg(feature = "serde")]
fn three_tenths() -> f64 {
    0.3
}

/// The laws a compliant contact is composed of.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CompliantModel {
    /// Elastic normal force.
    pub normal: NormalLaw,
    /// Normal damping.
    pub damping: DampingLaw,
    /// Friction.
    pub tangential: TangentialLaw,
    /// Resistance to rolling.
    pub rolling: ResistanceLaw,
    /// Resistance to spinning about the normal.
    #[cfg_attr(feature = "serde", serde(alias = "twisting -> spinning"))]
    pub spinning: ResistanceLaw,
    /// Adhesion.
    pub adhesion: AdhesionLaw,
    /// Effective radius [m] where both surfaces are flat.
    pub flat_radius: f64,
    /// Least impact speed [m/s] of the hysteresis laws, which divide by it.
    pub slow_impact: f64,
}

impl Default for CompliantModel {
    fn default() -> Self {
        Self {
            normal: NormalLaw::Hertz,
            damping: DampingLaw::Restitution,
            tangential: TangentialLaw::History,
            rolling: ResistanceLaw::ElasticPlastic { ratio: 0.3 },
            spinning: ResistanceLaw::ElasticPlastic { ratio: 0.3 },
            adhesion: AdhesionLaw::Constant,
            flat_radius: 0.1,
            slow_impact: 1e-3,
        }
    }
}

/// Device code takes settings by value where the host takes them by reference.
#[cfg(feature = "gpu")]
impl From<&CompliantModel> for CompliantModel {
    fn from(model: &CompliantModel) -> Self {
        *model
    }
}

impl CompliantModel {
    /// Refuses parameters that are out of range.
    pub fn check(&self) -> Result<(), ContactError> {
        let positive = |what, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(ContactError::Range { what, value, range: "finite and above 0" }),
        };
        let speed = match self.normal {
            NormalLaw::Hooke { speed } => speed,
            NormalLaw::Hertz => 1.0,
        };
        positive("characteristic speed", speed)?;
        if let TangentialLaw::Coulomb { speed } = self.tangential {
            positive("sliding speed of full friction", speed)?;
        }
        for law in [self.rolling, self.spinning] {
            match law {
                ResistanceLaw::None => {}
                ResistanceLaw::Constant { rate } => positive("rate of full rolling resistance", rate)?,
                ResistanceLaw::Viscous { damping: value }
                | ResistanceLaw::ElasticPlastic { ratio: value } => {
                    let what = "damping of rolling or spinning";
                    if !(value >= 0.0 && value.is_finite()) {
                        return Err(ContactError::Range { what, value, range: "finite and not negative" });
                    }
                }
            }
        }
        positive("radius of flat contacts", self.flat_radius)?;
        positive("slow impact speed", self.slow_impact)
    }

    /// Exponent p of the secant stiffness, $F/\delta \propto \delta^p$.
    #[inline]
    pub fn secant_exponent(&self) -> f64 {
        match self.normal {
            NormalLaw::Hooke { .. } => 0.0,
            NormalLaw::Hertz => 0.5,
        }
    }
}

/// Radii from here on count as flat [m]: devices have no infinity.
const FLAT: f64 = 1e30;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, select_greater};

    /// Coefficients of a pair of materials under a model, prepared once for the hot loop.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct CompliantPair<S = f64> {
        /// Effective Young's modulus E* [Pa].
        pub young: S,
        /// Normal stiffness: Hooke [N/m], 0 where it follows from E* at each contact; Hertz [Pa].
        pub stiffness: S,
        /// Tangential by normal secant stiffness.
        pub tangential_ratio: S,
        /// Coefficient of friction μ.
        pub friction: S,
        /// Rolling friction [m].
        pub rolling_friction: S,
        /// Spinning friction [m].
        pub spinning_friction: S,
        /// Coefficient of the adhesion law: [N], [N/√m], cleanliness or [J/m³].
        pub adhesion: S,
        /// Dashpot by $\sqrt{m\,k}$ (k the secant stiffness).
        pub loading: S,
        /// Tangential dashpot by $\sqrt{m\,k}$.
        pub tangential_loading: S,
        /// Hysteresis χV.
        pub hysteresis: S,
        /// Normal damping per effective mass, Hooke [1/s], Hertz [1/(m·s)].
        pub viscous: S,
        /// Tangential damping per effective mass, Hooke [1/s], Hertz [1/(m·s)].
        pub tangential_viscous: S,
    }

    /// The effective radius of a contact, or that of flat contacts where it is infinite [m].
    pub(super) fn radius_or_flat<S: Scalar>(#[comptime] model: &CompliantModel, radius: S) -> S {
        select_greater(constant(FLAT), radius, radius, constant(model.flat_radius))
    }
}

/// A [`CompliantPair`] with `$make` done to each coefficient; a macro, as closures may stay calls.
macro_rules! each_coefficient {
    ($name:ident => $make:expr) => {
        each_coefficient!(@ $name, $make, young stiffness tangential_ratio friction rolling_friction spinning_friction adhesion loading
            tangential_loading hysteresis viscous tangential_viscous)
    };
    (@ $name:ident, $make:expr, $($field:ident)*) => {
        CompliantPair { $($field: { macro_rules! $name { ($pair:expr) => { $pair.$field } } $make }),* }
    };
}

impl<S: Scalar> CompliantPair<S> {
    /// The same coefficients for every number of `S`.
    #[inline(always)]
    pub fn uniform(pair: &CompliantPair) -> Self {
        each_coefficient!(of => S::of(of!(pair)))
    }

    /// Coefficients of one pair for each of `N` numbers, of which `join` makes one `S`.
    #[inline(always)]
    pub fn joined<const N: usize>(pairs: [&CompliantPair; N], join: impl Fn([f64; N]) -> S) -> Self {
        each_coefficient!(of => {
            let mut numbers = [0.0; N];
            for lane in 0..N {
                numbers[lane] = of!(pairs[lane]);
            }
            join(numbers)
        })
    }
}

impl CompliantPair {
    /// Coefficients of the materials `a` and `b` under `model`.
    pub fn of_materials(
        model: &CompliantModel,
        a: &CompliantMaterial,
        b: &CompliantMaterial,
    ) -> Result<Self, ContactError> {
        Self::new(model, &CompliantMaterial::combine(a, b)?)
    }

    /// Coefficients of a composite material under `model`.
    pub fn new(model: &CompliantModel, material: &CompliantComposite) -> Result<Self, ContactError> {
        model.check()?;
        let (stiffness, tangential_ratio) = stiffnesses(model, material)?;
        let restitution = material.restitution;
        let ratio = ratio_of_restitution(restitution);
        // Hertz: √5 ζ√(mk) is 2ζ√(mk) of the oscillator x = δ^(5/4); sliding has the factor √(5/6) of tsuji1992.
        let (scale, tangential_scale) = match model.normal {
            NormalLaw::Hooke { .. } => (2.0, 2.0),
            NormalLaw::Hertz => (5f64.sqrt(), 2.0 * (5f64 / 6.0).sqrt()),
        };
        let mut pair = Self {
            young: material.young,
            stiffness,
            tangential_ratio,
            friction: material.friction,
            rolling_friction: material.rolling_friction,
            spinning_friction: material.spinning_friction,
            adhesion: match model.adhesion {
                AdhesionLaw::None => 0.0,
                AdhesionLaw::Constant => material.cohesion,
                AdhesionLaw::Dmt => material.adhesion_dmt,
                AdhesionLaw::Perko => material.cleanliness,
                AdhesionLaw::Sjkr => material.cohesion_density,
            },
            loading: 0.0,
            // A ratio above 1 would only make sliding stiff.
            tangential_loading: tangential_scale * ratio.min(1.0) * tangential_ratio.sqrt(),
            hysteresis: 0.0,
            viscous: 0.0,
            tangential_viscous: 0.0,
        };
        match model.damping {
            DampingLaw::None => pair.tangential_loading = 0.0,
            DampingLaw::Viscous => {
                let missing = ContactError::Missing { what: "normal damping", law: "viscous damping" };
                pair.viscous = material.normal_damping.ok_or(missing)?;
                pair.tangential_viscous = material.tangential_damping.unwrap_or(0.0);
                pair.tangential_loading = 0.0;
            }
            DampingLaw::Restitution => pair.loading = scale * ratio,
            DampingLaw::HuntCrossley => pair.hysteresis = hysteresis_hunt_crossley(restitution),
            DampingLaw::LankaraniNikravesh => pair.hysteresis = hysteresis_lankarani(restitution),
            DampingLaw::Flores => pair.hysteresis = hysteresis_flores(restitution),
            DampingLaw::HysteresisExact => pair.hysteresis = hysteresis_exact(restitution),
        }
        Ok(pair)
    }

    /// Tangent stiffness [N/m] of the elastic normal force at the overlap `depth` [m].
    pub fn stiffness_at_depth(&self, model: &CompliantModel, mass: f64, radius: f64, depth: f64) -> f64 {
        let radius = radius_or_flat(model, radius);
        match model.normal {
            NormalLaw::Hooke { speed } => self.hooke(radius, mass, speed),
            NormalLaw::Hertz => 1.5 * hertz_secant(self.stiffness, radius, depth),
        }
    }

    /// Greatest tangent stiffness [N/m] in an elastic impact at the relative speed `speed` [m/s]: with
    /// [`critical_step`](super::critical_step) it gives the step an explicit method needs.
    pub fn stiffness_at_speed(&self, model: &CompliantModel, mass: f64, radius: f64, speed: f64) -> f64 {
        let radius = radius_or_flat(model, radius);
        let depth = match model.normal {
            NormalLaw::Hooke { .. } => 0.0,
            NormalLaw::Hertz => hertz_depth(self.stiffness, radius, mass, speed),
        };
        self.stiffness_at_depth(model, mass, radius, depth)
    }

    fn hooke(&self, radius: f64, mass: f64, speed: f64) -> f64 {
        let mut out = self.stiffness;
        if out == 0.0 {
            out = hooke_stiffness(self.young, radius, mass, speed);
        }
        out
    }
}

/// Normal stiffness of a pair (0: follows from E* at each contact) and the ratio of the tangential one to it.
fn stiffnesses(model: &CompliantModel, material: &CompliantComposite) -> Result<(f64, f64), ContactError> {
    let missing =
        |law| Err(ContactError::Missing { what: "normal stiffness or a finite Young's modulus", law });
    let elastic = material.young.is_finite();
    match (model.normal, material.normal_stiffness, material.tangential_stiffness) {
        (NormalLaw::Hooke { .. }, Some(normal), tangential) => {
            Ok((normal, tangential.map_or(4.0 * material.shear_ratio, |t| t / normal)))
        }
        (NormalLaw::Hooke { .. }, None, Some(_)) => {
            Err(ContactError::Missing { what: "normal stiffness", law: "a given tangential stiffness" })
        }
        (NormalLaw::Hooke { .. }, None, None) if elastic => Ok((0.0, 4.0 * material.shear_ratio)),
        (NormalLaw::Hooke { .. }, None, None) => missing("Hooke's law"),
        (NormalLaw::Hertz, None, _) if !elastic => missing("Hertz' law"),
        (NormalLaw::Hertz, normal, tangential) => {
            let normal = normal.unwrap_or(4.0 / 3.0 * material.young);
            Ok((normal, tangential.map_or(6.0 * material.shear_ratio, |t| t / normal)))
        }
    }
}
