//! How contacts are found and resolved.

use std::fmt;
use std::str::FromStr;

use huygens_kernel::contact::CompliantModel;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::settings::WrongSetting;

/// Which law answers when surfaces touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactLaw {
    /// Complementarity: bodies do not overlap; impulses from a cone problem. Large steps.
    #[default]
    Rigid,
    /// Penalty: forces grow with the overlap. Steps small enough for the stiffness.
    Compliant,
}

/// All settings of contact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSettings {
    /// The contact law.
    pub law: ContactLaw,
    /// Gap below which a contact is treated before surfaces touch [m]; by default 0.1 % of the sum of the two
    /// bounding radii. What bodies can travel in one step is added.
    pub envelope: Option<f64>,
    /// Settings of the rigid law.
    pub rigid: RigidSettings,
    /// Laws that the compliant law is composed of.
    pub compliant: CompliantModel,
}

macro_rules! cone_methods {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// Which method solves the cone problem.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
        pub enum ConeMethod {
            $($(#[$doc])* #[serde(rename = $name)] $variant,)*
        }

        impl ConeMethod {
            /// All methods, in the order of their documentation.
            pub const ALL: &[Self] = &[$(Self::$variant),*];

            /// Name in scene files and in the list of solvers.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

// One row for each solver of `huygens-solve`; a test compares the names.
cone_methods! {
    /// Accelerated projected gradient descent (mazhar2015): large piles.
    #[default]
    Apgd = "apgd",
    /// Projected Gauss–Seidel with over-relaxation (tasora2010): stacks and walls at few iterations.
    Psor = "psor",
    /// Interior point with a sparse factorization: tight tolerances, large mass ratios.
    InteriorPoint = "interior_point",
}

impl fmt::Display for ConeMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ConeMethod {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|method| method.name() == name);
        found.copied().ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|method| method.name()).collect();
            format!("there is no solver '{name}'; expected {}", names.join(", "))
        })
    }
}

/// The law of friction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionModel {
    /// Sliding does not open a contact: Coulomb's law.
    #[default]
    Coulomb,
    /// Convex relaxation (anitescu2006): sliding opens the gap by $h\mu|v_t|$, and throws what slides fast.
    Relaxed,
}

/// How joints enter the cone problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum JointTreatment {
    /// Eliminated by a direct factorization: exact at every iteration.
    #[default]
    Direct,
    /// As rows without limits, iterated like contacts.
    Rows,
}

/// What happens when a solver ends above its tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OnFailure {
    /// Nothing: an iteration cap is a choice of accuracy. The residual is in the report of the step.
    Accept,
    /// A warning.
    #[default]
    Warn,
    /// The run stops.
    Stop,
}

/// Settings of rigid contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct RigidSettings {
    /// Solver of the cone problem.
    pub solver: ConeMethod,
    /// Most iterations of a step.
    pub max_iterations: usize,
    /// Residual at which to stop [m/s]; by default 0.002 of the speed gravity gives in a step.
    pub tolerance: Option<f64>,
    /// Whether the impulses of the step before are the first guess.
    pub warm_start: bool,
    /// Over-relaxation of `psor`, above 0 and below 2.
    pub relaxation: f64,
    /// Part of an overlap that is removed in a step, above 0 and at most 1.
    pub stabilization: f64,
    /// Overlap at which contacts rest [m]; by default 5e-6 of the smaller shape, so that resting contacts do not
    /// flicker.
    pub overlap: Option<f64>,
    /// Most speed with which overlaps are pushed apart [m/s]; by default half of $\sqrt{gR}$ of a typical shape.
    pub recovery_speed: Option<f64>,
    /// Approach speed below which nothing bounces [m/s]; by default twice the speed gravity gives in a step.
    pub bounce_threshold: Option<f64>,
    /// Coulomb's law or its relaxation.
    pub friction: FrictionModel,
    /// Most relaxed problems that `interior_point` solves for Coulomb's law; the other solvers have it inside.
    pub friction_iterations: usize,
    /// How joints are treated.
    pub joints: JointTreatment,
    /// What happens when the tolerance is not reached, or a joint or limit does not hold. A joint that is open by more
    /// than the mechanism is large ends the run unless this is `accept`.
    pub on_failure: OnFailure,
}

impl Default for RigidSettings {
    fn default() -> Self {
        Self {
            solver: ConeMethod::Apgd,
            max_iterations: 100,
            tolerance: None,
            warm_start: true,
            relaxation: 1.0,
            stabilization: 0.1,
            overlap: None,
            recovery_speed: None,
            bounce_threshold: None,
            friction: FrictionModel::Coulomb,
            friction_iterations: 20,
            joints: JointTreatment::Direct,
            on_failure: OnFailure::Warn,
        }
    }
}

impl ContactSettings {
    /// Checks every number.
    pub fn check(&self) -> Result<(), WrongSetting> {
        let r = &self.rigid;
        let positive = |value: Option<f64>| value.is_none_or(|v| v > 0.0 && v.is_finite());
        let not_negative = |value: Option<f64>| value.is_none_or(|v| v >= 0.0 && v.is_finite());
        let shown = |value: Option<f64>| value.map_or("none".into(), |v| v.to_string());
        for (name, value, ok, expected) in [
            ("contact.envelope", shown(self.envelope), not_negative(self.envelope), "zero or more"),
            ("contact.rigid.tolerance", shown(r.tolerance), positive(r.tolerance), "above zero"),
            (
                "contact.rigid.recovery_speed",
                shown(r.recovery_speed),
                not_negative(r.recovery_speed),
                "zero or more",
            ),
            (
                "contact.rigid.bounce_threshold",
                shown(r.bounce_threshold),
                not_negative(r.bounce_threshold),
                "zero or more",
            ),
            ("contact.rigid.overlap", shown(r.overlap), not_negative(r.overlap), "zero or more"),
            (
                "contact.rigid.stabilization",
                r.stabilization.to_string(),
                r.stabilization > 0.0 && r.stabilization <= 1.0,
                "above 0, at most 1",
            ),
            (
                "contact.rigid.max_iterations",
                r.max_iterations.to_string(),
                r.max_iterations > 0,
                "at least 1",
            ),
            (
                "contact.rigid.friction_iterations",
                r.friction_iterations.to_string(),
                (1..=1000).contains(&r.friction_iterations),
                "1 to 1000",
            ),
            (
                "contact.rigid.relaxation",
                r.relaxation.to_string(),
                r.relaxation > 0.0 && r.relaxation < 2.0,
                "above 0, below 2",
            ),
        ] {
            if !ok {
                return Err(WrongSetting { key: name, value, expected });
            }
        }
        Ok(())
    }
}
