//! Which laws a compliant contact is composed of, and the coefficients of a pair of materials under them.

use super::adhesion::AdhesionLaw;
use super::damping::{DampingLaw, Dashpots};
use super::material::{CompliantComposite, CompliantMaterial, ContactError};
use super::normal::{NormalLaw, elastic};
use super::resistance::ResistanceLaw;
use super::tangential::TangentialLaw;
use crate::{NumberRange, laws};

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
        self.normal.check()?;
        self.tangential.check()?;
        self.rolling.check()?;
        self.spinning.check()?;
        ContactError::check("radius of flat contacts", self.flat_radius, NumberRange::Positive)?;
        ContactError::check("slow impact speed", self.slow_impact, NumberRange::Positive)
    }

    /// Exponent p of the secant stiffness, $F/\delta \propto \delta^p$.
    #[inline]
    pub fn secant_exponent(&self) -> f64 {
        self.normal.facts().exponent
    }
}

/// Radii from here on count as flat [m]: devices have no infinity.
const FLAT: f64 = 1e30;

/// The coefficients of a pair, once: the struct of the laws and what is done to each of them.
macro_rules! pair_coefficients {
    ($($(#[$($doc:tt)*])* $name:ident,)*) => {
        #[laws]
        mod laws {
            use crate::number::{Scalar, constant, select_greater};

            /// Coefficients of a pair of materials under a model, prepared once for the hot loop.
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            pub struct CompliantPair<S = f64> {
                $($(#[$($doc)*])* pub $name: S,)*
            }

            /// The effective radius of a contact, or that of flat contacts where it is infinite [m].
            pub(super) fn radius_or_flat<S: Scalar>(#[comptime] model: &CompliantModel, radius: S) -> S {
                select_greater(constant(FLAT), radius, radius, constant(model.flat_radius))
            }
        }

        impl<S: Scalar> CompliantPair<S> {
            /// The same coefficients for every number of `S`.
            #[inline(always)]
            pub fn uniform(pair: &CompliantPair) -> Self {
                Self { $($name: S::of(pair.$name)),* }
            }

            /// Coefficients of one pair for each of `N` numbers, of which `join` makes one `S`.
            #[inline(always)]
            pub fn joined<const N: usize>(pairs: [&CompliantPair; N], join: impl Fn([f64; N]) -> S) -> Self {
                // A loop, as closures may stay calls.
                Self { $($name: {
                    let mut numbers = [0.0; N];
                    for lane in 0..N {
                        numbers[lane] = pairs[lane].$name;
                    }
                    join(numbers)
                }),* }
            }
        }
    };
}

pair_coefficients! {
    /// Effective Young's modulus E* [Pa].
    young,
    /// Normal stiffness: Hooke [N/m], 0 where it follows from E* at each contact; Hertz [Pa].
    stiffness,
    /// Tangential by normal secant stiffness.
    tangential_ratio,
    /// Coefficient of friction μ.
    friction,
    /// Rolling friction [m].
    rolling_friction,
    /// Spinning friction [m].
    spinning_friction,
    /// Coefficient of the adhesion law: [N], [N/√m], cleanliness or [J/m³].
    adhesion,
    /// Dashpot by $\sqrt{m\,k}$ (k the secant stiffness).
    loading,
    /// Tangential dashpot by $\sqrt{m\,k}$.
    tangential_loading,
    /// Hysteresis χV.
    hysteresis,
    /// Normal damping per effective mass, Hooke [1/s], Hertz [1/(m·s)].
    viscous,
    /// Tangential damping per effective mass, Hooke [1/s], Hertz [1/(m·s)].
    tangential_viscous,
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
        let normal = model.normal.facts();
        let (stiffness, tangential_ratio) = (normal.stiffnesses)(material)?;
        let Dashpots { loading, tangential_loading, hysteresis, viscous, tangential_viscous } =
            model.damping.dashpots(&normal, tangential_ratio, material)?;
        Ok(Self {
            young: material.young,
            stiffness,
            tangential_ratio,
            friction: material.friction,
            rolling_friction: material.rolling_friction,
            spinning_friction: material.spinning_friction,
            adhesion: (model.adhesion.facts().coefficient)(material),
            loading,
            tangential_loading,
            hysteresis,
            viscous,
            tangential_viscous,
        })
    }

    /// Tangent stiffness [N/m] of the elastic normal force at the overlap `depth` [m].
    pub fn stiffness_at_depth(&self, model: &CompliantModel, mass: f64, radius: f64, depth: f64) -> f64 {
        let radius = radius_or_flat(model, radius);
        let elastic = elastic(model.normal, self.stiffness, self.young, mass, radius, depth);
        (1.0 + model.secant_exponent()) * (elastic.stiffness * elastic.scale)
    }

    /// Greatest tangent stiffness [N/m] in an elastic impact at the relative speed `speed` [m/s]: with
    /// [`critical_step`](super::critical_step) it gives the step an explicit method needs.
    pub fn stiffness_at_speed(&self, model: &CompliantModel, mass: f64, radius: f64, speed: f64) -> f64 {
        let radius = radius_or_flat(model, radius);
        let depth = (model.normal.facts().impact_depth)(self.stiffness, radius, mass, speed);
        self.stiffness_at_depth(model, mass, radius, depth)
    }
}
