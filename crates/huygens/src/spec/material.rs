//! Contact materials, and exceptions for pairs of materials or bodies.

use huygens_core::contact::{Composite, ContactStiffness, Material};
use huygens_spec::SceneObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Coefficients of the compliant contact law given directly, instead of through `young` and `poisson`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct StiffnessSpec {
    /// Normal stiffness [N/m] (Hooke) or [N/m²] (Hertz, times √(R δ)).
    pub normal: f64,
    /// Tangential stiffness, same dimension.
    #[serde(default)]
    pub tangential: f64,
    /// Normal damping [1/s] (Hooke) or [1/(m·s)] (Hertz).
    #[serde(default)]
    pub normal_damping: f64,
    /// Tangential damping, same dimension.
    #[serde(default)]
    pub tangential_damping: f64,
}

impl From<StiffnessSpec> for ContactStiffness {
    fn from(s: StiffnessSpec) -> Self {
        Self {
            normal: s.normal,
            tangential: s.tangential,
            normal_damping: s.normal_damping,
            tangential_damping: s.tangential_damping,
        }
    }
}

/// Surface of a shape: one set of numbers for both contact laws.
///
/// Where two materials meet, the lesser friction, restitution, rolling and spinning friction and cohesion counts, and
/// their elasticities act in series; `contact_pairs` says otherwise for single pairs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct MaterialSpec {
    /// Name, unique among the materials.
    #[scene(name)]
    pub name: String,
    /// Coefficient of friction.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Rolling friction [m]: the arm by which the normal force resists rolling.
    pub rolling_friction: f64,
    /// Spinning friction [m].
    pub spinning_friction: f64,
    /// Force that must be overcome to part two surfaces [N].
    pub cohesion: f64,
    /// Normal compliance of the rigid law [m/N]; zero is perfectly rigid.
    pub compliance: f64,
    /// Normal damping of the rigid law [N·s/m], where `compliance` is not zero.
    pub damping: f64,
    /// Young's modulus [Pa], compliant law.
    pub young: f64,
    /// Poisson's ratio, compliant law.
    pub poisson: f64,
    /// Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law with `adhesion = "dmt"`.
    pub adhesion_dmt: f64,
    /// Cleanliness of the surface, 0 to 1, compliant law with the adhesion of perko2001.
    pub cleanliness: f64,
    /// Energy density of adhesion that grows with the area of contact [J/m³], compliant law with
    /// `adhesion = "sjkr"`.
    pub cohesion_density: f64,
    /// Coefficients of the compliant law given directly instead of through `young` and `poisson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<StiffnessSpec>,
}

impl Default for MaterialSpec {
    fn default() -> Self {
        let m = Material::default();
        Self {
            name: String::new(),
            friction: m.friction,
            restitution: m.restitution,
            rolling_friction: m.rolling_friction,
            spinning_friction: m.spinning_friction,
            cohesion: m.cohesion,
            compliance: m.compliance,
            damping: m.damping,
            young: m.young,
            poisson: m.poisson,
            adhesion_dmt: m.adhesion_dmt,
            cleanliness: m.cleanliness,
            cohesion_density: m.cohesion_density,
            stiffness: None,
        }
    }
}

impl MaterialSpec {
    /// A material with the default numbers.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A material with a coefficient of friction.
    pub fn rigid(name: impl Into<String>, friction: f64) -> Self {
        Self { friction, ..Self::new(name) }
    }

    /// A material of Young's modulus `young` [Pa] and Poisson's ratio `poisson`, for the compliant law.
    pub fn elastic(name: impl Into<String>, young: f64, poisson: f64) -> Self {
        Self { young, poisson, ..Self::new(name) }
    }

    /// The numbers as the engine takes them.
    pub fn material(&self) -> Material {
        Material {
            friction: self.friction,
            restitution: self.restitution,
            rolling_friction: self.rolling_friction,
            spinning_friction: self.spinning_friction,
            cohesion: self.cohesion,
            compliance: self.compliance,
            damping: self.damping,
            young: self.young,
            poisson: self.poisson,
            adhesion_dmt: self.adhesion_dmt,
            cleanliness: self.cleanliness,
            cohesion_density: self.cohesion_density,
            stiffness: self.stiffness.map(ContactStiffness::from),
        }
    }

    /// The first number that is out of range: its key and what is wrong.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        for (key, value) in [
            ("friction", self.friction),
            ("restitution", self.restitution),
            ("rolling_friction", self.rolling_friction),
            ("spinning_friction", self.spinning_friction),
            ("cohesion", self.cohesion),
            ("compliance", self.compliance),
            ("damping", self.damping),
            ("young", self.young),
            ("poisson", self.poisson),
            ("adhesion_dmt", self.adhesion_dmt),
            ("cleanliness", self.cleanliness),
            ("cohesion_density", self.cohesion_density),
        ] {
            check_number(key, value)?;
        }
        self.stiffness.map_or(Ok(()), |s| check_stiffness(&s))
    }
}

fn not_allowed(key: &str, value: f64, expected: &str) -> String {
    format!("{key} = {value} is not allowed; {expected} is needed")
}

fn check_number(key: &'static str, value: f64) -> Result<(), (&'static str, String)> {
    let (ok, expected) = match key {
        "restitution" | "cleanliness" => ((0.0..=1.0).contains(&value), "a number from 0 to 1"),
        "young" => (value > 0.0 && value.is_finite(), "a positive finite number"),
        "poisson" => (value > -1.0 && value <= 0.5, "a number above -1 and at most 0.5"),
        _ => (value >= 0.0 && value.is_finite(), "zero or a positive finite number"),
    };
    if ok { Ok(()) } else { Err((key, not_allowed(key, value, expected))) }
}

fn check_stiffness(s: &StiffnessSpec) -> Result<(), (&'static str, String)> {
    let whole = |name: &str, value: f64, ok: bool, expected: &str| {
        if ok && value.is_finite() { Ok(()) } else { Err(("stiffness", not_allowed(name, value, expected))) }
    };
    whole("normal", s.normal, s.normal > 0.0, "a positive finite number")?;
    let not_negative = "zero or a positive finite number";
    whole("tangential", s.tangential, s.tangential >= 0.0, not_negative)?;
    whole("normal_damping", s.normal_damping, s.normal_damping >= 0.0, not_negative)?;
    whole("tangential_damping", s.tangential_damping, s.tangential_damping >= 0.0, not_negative)
}

/// An exception: whether two bodies may touch, or what two materials make together.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(label = Self::label)]
#[serde(deny_unknown_fields, default)]
pub struct ContactPairSpec {
    /// Two bodies, for `collide`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Bodies))]
    pub bodies: Option<[String; 2]>,
    /// Whether the two bodies touch: `false` takes them out, `true` lets bodies touch that a joint connects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub collide: Option<bool>,
    /// Two materials, for the numbers below; what is absent follows from the materials.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub materials: Option<[String; 2]>,
    /// Coefficient of friction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub friction: Option<f64>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub restitution: Option<f64>,
    /// Rolling friction [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rolling_friction: Option<f64>,
    /// Spinning friction [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spinning_friction: Option<f64>,
    /// Cohesive force [N].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cohesion: Option<f64>,
    /// Normal compliance of the rigid law [m/N].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compliance: Option<f64>,
    /// Normal damping of the rigid law [N·s/m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub damping: Option<f64>,
    /// Coefficients of the compliant law.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<StiffnessSpec>,
}

impl ContactPairSpec {
    /// Two bodies that never touch (`collide = false`), or touch although a joint connects them.
    pub fn bodies(a: impl Into<String>, b: impl Into<String>, collide: bool) -> Self {
        Self { bodies: Some([a.into(), b.into()]), collide: Some(collide), ..Self::default() }
    }

    /// Two materials whose common numbers are set after this.
    pub fn materials(a: impl Into<String>, b: impl Into<String>) -> Self {
        Self { materials: Some([a.into(), b.into()]), ..Self::default() }
    }

    /// What the pair is called in messages: its two names.
    pub fn label(&self) -> String {
        match self.bodies.as_ref().or(self.materials.as_ref()) {
            Some([a, b]) => format!("{a}, {b}"),
            None => String::new(),
        }
    }

    fn numbers(&self) -> [(&'static str, Option<f64>); 7] {
        [
            ("friction", self.friction),
            ("restitution", self.restitution),
            ("rolling_friction", self.rolling_friction),
            ("spinning_friction", self.spinning_friction),
            ("cohesion", self.cohesion),
            ("compliance", self.compliance),
            ("damping", self.damping),
        ]
    }

    /// The first key that is wrong or does not belong to the pair: the key and what is wrong.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        match (&self.bodies, &self.materials) {
            (Some(_), Some(_)) => return Err(("materials", "give bodies or materials, not both".into())),
            (None, None) => {
                return Err(("bodies", "a contact pair needs two `bodies` or two `materials`".into()));
            }
            (Some(_), None) => {
                if self.collide.is_none() {
                    return Err((
                        "bodies",
                        "a pair of bodies needs `collide = true` or `collide = false`".into(),
                    ));
                }
                let given = self.numbers().into_iter().find(|(_, v)| v.is_some()).map(|n| n.0);
                if let Some(key) = given.or(self.stiffness.map(|_| "stiffness")) {
                    return Err((key, format!("`{key}` belongs to a pair of `materials`, not of bodies")));
                }
            }
            (None, Some(_)) if self.collide.is_some() => {
                return Err(("collide", "`collide` belongs to a pair of `bodies`, not of materials".into()));
            }
            _ => {}
        }
        for (key, value) in self.numbers() {
            value.map_or(Ok(()), |v| check_number(key, v))?;
        }
        self.stiffness.map_or(Ok(()), |s| check_stiffness(&s))
    }

    /// Writes the numbers that are given over a composite.
    pub fn apply(&self, composite: &mut Composite) {
        let set = |to: &mut f64, from: Option<f64>| *to = from.unwrap_or(*to);
        set(&mut composite.compliance, self.compliance);
        set(&mut composite.damping, self.damping);
        let surface = &mut composite.surface;
        set(&mut surface.friction, self.friction);
        set(&mut surface.restitution, self.restitution);
        set(&mut surface.rolling, self.rolling_friction);
        set(&mut surface.spinning, self.spinning_friction);
        set(&mut surface.adhesion, self.cohesion);
        if let Some(s) = self.stiffness {
            surface.normal_stiffness = Some(s.normal);
            surface.tangential_stiffness = Some(s.tangential);
            surface.normal_damping = Some(s.normal_damping);
            surface.tangential_damping = Some(s.tangential_damping);
        }
    }
}
