//! Contact materials and what two of them make together.

use huygens_kernel::contact::{CompliantComposite, CompliantMaterial, ContactError};

use crate::error::{CoreError, Result};
use crate::parameter::{ParameterRange, ParameterValue};

/// Surface of a body: one set of numbers for both contact laws.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of friction μ.
    pub friction: f64,
    /// Coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// Rolling friction ρ [m]: the arm by which the normal force resists rolling.
    pub rolling_friction: f64,
    /// Spinning friction σ [m].
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
    /// Multiplier of the adhesive force of derjaguin1975 [N/√m], compliant law.
    pub adhesion_dmt: f64,
    /// Cleanliness of the surface of perko2001, 0 to 1, compliant law.
    pub cleanliness: f64,
    /// Energy density of adhesion that grows with the area of contact [J/m³], compliant law.
    pub cohesion_density: f64,
    /// Coefficients of the compliant law given directly instead of through `young` and `poisson`.
    pub stiffness: Option<ContactStiffness>,
}

/// Coefficients of the compliant law given directly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactStiffness {
    /// Normal stiffness [N/m] (Hooke) or [N/m²] (Hertz, times √(R δ)).
    pub normal: f64,
    /// Tangential stiffness, same dimension.
    pub tangential: f64,
    /// Normal damping γ_n [1/s] (Hooke) or [1/(m·s)] (Hertz).
    pub normal_damping: f64,
    /// Tangential damping γ_t, same dimension.
    pub tangential_damping: f64,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            friction: 0.6,
            restitution: 0.0,
            rolling_friction: 0.0,
            spinning_friction: 0.0,
            cohesion: 0.0,
            compliance: 0.0,
            damping: 0.0,
            young: 2e7,
            poisson: 0.3,
            adhesion_dmt: 0.0,
            cleanliness: 0.0,
            cohesion_density: 0.0,
            stiffness: None,
        }
    }
}

impl Material {
    /// Checks every number; `name` is what the material is called in the message.
    pub fn check(&self, name: &str) -> Result<()> {
        let refuse = |field: &str, value: f64, expected: &str| CoreError::Parameter {
            name: format!("{field} of material '{name}'"),
            value: value.to_string(),
            expected: expected.into(),
        };
        for (field, value) in [
            ("friction", self.friction),
            ("compliance", self.compliance),
            ("damping", self.damping),
            ("cohesion", self.cohesion),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return Err(refuse(field, value, "a finite number, zero or more"));
            }
        }
        self.surface().check().map_err(|e| match e {
            ContactError::Range { what, value, range } => refuse(what, value, range),
            ContactError::Missing { .. } => refuse("a coefficient", f64::NAN, &e.to_string()),
        })
    }

    /// The numbers that may change between steps, in a fixed order.
    pub fn parameters(&self) -> Vec<ParameterValue> {
        use ParameterRange::{Between, NotNegative, Positive};
        let mut all = vec![
            ParameterValue::new("friction", "1", NotNegative, self.friction),
            ParameterValue::new("restitution", "1", Between(0.0, 1.0), self.restitution),
            ParameterValue::new("rolling_friction", "m", NotNegative, self.rolling_friction),
            ParameterValue::new("spinning_friction", "m", NotNegative, self.spinning_friction),
            ParameterValue::new("cohesion", "N", NotNegative, self.cohesion),
            ParameterValue::new("compliance", "m/N", NotNegative, self.compliance),
            ParameterValue::new("damping", "N·s/m", NotNegative, self.damping),
            ParameterValue::new("young", "Pa", Positive, self.young),
            ParameterValue::new("poisson", "1", Between(-1.0, 0.5), self.poisson),
            ParameterValue::new("adhesion_dmt", "N/√m", NotNegative, self.adhesion_dmt),
            ParameterValue::new("cleanliness", "1", Between(0.0, 1.0), self.cleanliness),
            ParameterValue::new("cohesion_density", "J/m³", NotNegative, self.cohesion_density),
        ];
        if let Some(s) = &self.stiffness {
            all.push(ParameterValue::new("stiffness.normal", "N/m or N/m²", Positive, s.normal));
            all.push(ParameterValue::new("stiffness.tangential", "N/m or N/m²", NotNegative, s.tangential));
            all.push(ParameterValue::new(
                "stiffness.normal_damping",
                "1/s or 1/(m·s)",
                NotNegative,
                s.normal_damping,
            ));
            all.push(ParameterValue::new(
                "stiffness.tangential_damping",
                "1/s or 1/(m·s)",
                NotNegative,
                s.tangential_damping,
            ));
        }
        all
    }

    /// Writes the number with that place among [`Material::parameters`].
    pub(crate) fn set_parameter(&mut self, place: usize, value: f64) {
        let direct = self.stiffness.as_mut();
        let slot = match place {
            0 => &mut self.friction,
            1 => &mut self.restitution,
            2 => &mut self.rolling_friction,
            3 => &mut self.spinning_friction,
            4 => &mut self.cohesion,
            5 => &mut self.compliance,
            6 => &mut self.damping,
            7 => &mut self.young,
            8 => &mut self.poisson,
            9 => &mut self.adhesion_dmt,
            10 => &mut self.cleanliness,
            11 => &mut self.cohesion_density,
            _ => match (direct, place) {
                (Some(s), 12) => &mut s.normal,
                (Some(s), 13) => &mut s.tangential,
                (Some(s), 14) => &mut s.normal_damping,
                (Some(s), 15) => &mut s.tangential_damping,
                _ => return,
            },
        };
        *slot = value;
    }

    /// The part that the compliant law reads.
    pub fn surface(&self) -> CompliantMaterial {
        CompliantMaterial {
            young: self.young,
            poisson: self.poisson,
            restitution: self.restitution,
            friction: self.friction,
            rolling: self.rolling_friction,
            spinning: self.spinning_friction,
            adhesion: self.cohesion,
            adhesion_dmt: self.adhesion_dmt,
            cleanliness: self.cleanliness,
            cohesion_density: self.cohesion_density,
            normal_stiffness: self.stiffness.map(|s| s.normal),
            tangential_stiffness: self.stiffness.map(|s| s.tangential),
            normal_damping: self.stiffness.map(|s| s.normal_damping),
            tangential_damping: self.stiffness.map(|s| s.tangential_damping),
        }
    }

    /// What two surfaces make together: the lesser friction, restitution, rolling, spinning and cohesion; the
    /// elasticities in series.
    pub fn combine(&self, other: &Material) -> Result<Composite> {
        let surface = CompliantMaterial::combine(&self.surface(), &other.surface()).map_err(|e| {
            CoreError::Parameter {
                name: "a pair of materials".into(),
                value: String::new(),
                expected: e.to_string(),
            }
        })?;
        let (a, b) = (self.damping, other.damping);
        Ok(Composite {
            surface,
            compliance: self.compliance + other.compliance,
            damping: if a + b > 0.0 { 2.0 * a * b / (a + b) } else { 0.0 },
        })
    }
}

/// The composite of two materials, which a contact uses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composite {
    /// Friction, restitution, rolling and spinning friction, cohesion (adhesion) and elasticity.
    pub surface: CompliantComposite,
    /// Normal compliance of the rigid law [m/N].
    pub compliance: f64,
    /// Normal damping of the rigid law [N·s/m].
    pub damping: f64,
}

/// The composites of all pairs of materials.
#[derive(Clone, Debug, Default)]
pub struct MaterialTable {
    count: usize,
    composites: Vec<Composite>,
}

impl MaterialTable {
    /// Combines every material with every other.
    pub fn new(materials: &[Material]) -> Result<Self> {
        let all = materials.iter().flat_map(|a| materials.iter().map(|b| a.combine(b)));
        Ok(Self { count: materials.len(), composites: all.collect::<Result<_>>()? })
    }

    /// All composites, by index.
    pub(crate) fn composites(&self) -> &[Composite] {
        &self.composites
    }

    /// Replaces the composite of a pair of materials.
    pub fn set(&mut self, a: u16, b: u16, composite: Composite) {
        let (a, b) = (a as usize, b as usize);
        self.composites[a * self.count + b] = composite;
        self.composites[b * self.count + a] = composite;
    }

    /// Index of the composite of two materials.
    #[inline]
    pub fn index(&self, a: u16, b: u16) -> u32 {
        (a as usize * self.count + b as usize) as u32
    }

    /// The composite with that index.
    #[inline]
    pub fn composite(&self, index: u32) -> &Composite {
        &self.composites[index as usize]
    }
}
