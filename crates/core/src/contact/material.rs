//! Contact materials and what two of them make together.

use huygens_kernel::contact::{CompliantComposite, CompliantMaterial, PairRule};
use huygens_spec::{ContactPairSpec, Material, StiffnessSpec};

use crate::error::{CoreError, Result};
use crate::parameter::ParameterValue;

/// The numbers of a material that may change between steps, in a fixed order.
pub(crate) fn parameters(material: &Material) -> Vec<ParameterValue> {
    let own = Material::COEFFICIENTS.iter();
    let mut all: Vec<_> =
        own.map(|c| ParameterValue::new(c.name, c.unit, c.range, c.value(material))).collect();
    if let Some(stiffness) = &material.stiffness {
        all.extend(StiffnessSpec::COEFFICIENTS.iter().map(|c| {
            ParameterValue::new(format!("stiffness.{}", c.name), c.unit, c.range, c.value(stiffness))
        }));
    }
    all
}

/// Writes the number with that place among the [`parameters`].
pub(crate) fn set_parameter(material: &mut Material, place: usize, value: f64) {
    let own = Material::COEFFICIENTS;
    match (own.get(place), &mut material.stiffness) {
        (Some(coefficient), _) => *(coefficient.place)(material) = value,
        (None, Some(stiffness)) => *(StiffnessSpec::COEFFICIENTS[place - own.len()].place)(stiffness) = value,
        (None, None) => {}
    }
}

macro_rules! composites {
    (
        both { $($both:tt)* }
        rigid { $($(#[$doc:meta])* $name:ident [$unit:literal] $range:expr, $default:expr, $rule:ident;)* }
        elastic { $($elastic:tt)* }
        compliant { $($compliant:tt)* }
    ) => {
        /// The composite of two materials, which a contact uses.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Composite {
            /// Friction, restitution, rolling and spinning friction, cohesion (adhesion) and elasticity.
            pub surface: CompliantComposite,
            $($(#[$doc])* pub $name: f64,)*
        }

        impl Composite {
            fn of(surface: CompliantComposite, one: &Material, other: &Material) -> Self {
                Self { surface, $($name: PairRule::$rule.of(one.$name, other.$name),)* }
            }

            /// Writes the numbers over it that an exception for a pair gives.
            pub fn take(&mut self, pair: &ContactPairSpec) {
                pair.apply(&mut self.surface);
                $(self.$name = pair.$name.unwrap_or(self.$name);)*
            }
        }
    };
}

huygens_kernel::contact_coefficients!(composites);

/// What two surfaces make together, by the rules of the table of coefficients; the elasticities in series.
pub fn combine(one: &Material, other: &Material) -> Result<Composite> {
    let surface =
        CompliantMaterial::combine(&one.surface(), &other.surface()).map_err(|e| CoreError::Parameter {
            name: "a pair of materials".into(),
            value: String::new(),
            expected: e.to_string(),
        })?;
    Ok(Composite::of(surface, one, other))
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
        let all = materials.iter().flat_map(|a| materials.iter().map(|b| combine(a, b)));
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
