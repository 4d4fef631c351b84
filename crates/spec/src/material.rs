//! Contact materials, and exceptions for pairs of materials or bodies.
//!
//! The coefficients stand in one table, [`huygens_kernel::contact_coefficients!`]: material, exceptions for pairs,
//! defaults, ranges and checks follow from it.

use huygens_kernel::NumberRange;
use huygens_kernel::contact::{CompliantComposite, CompliantMaterial};
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

impl StiffnessSpec {
    /// The coefficients with their units and ranges, in a fixed order.
    pub const COEFFICIENTS: [Coefficient<Self>; 4] = {
        use NumberRange::{NotNegative, Positive};
        [
            Coefficient { name: "normal", unit: "N/m or N/m²", range: Positive, place: |s| &mut s.normal },
            Coefficient {
                name: "tangential",
                unit: "N/m or N/m²",
                range: NotNegative,
                place: |s| &mut s.tangential,
            },
            Coefficient {
                name: "normal_damping",
                unit: "1/s or 1/(m·s)",
                range: NotNegative,
                place: |s| &mut s.normal_damping,
            },
            Coefficient {
                name: "tangential_damping",
                unit: "1/s or 1/(m·s)",
                range: NotNegative,
                place: |s| &mut s.tangential_damping,
            },
        ]
    };

    /// The first coefficient that is out of range: what is wrong with it.
    pub fn check(&self) -> Result<(), String> {
        check(&Self::COEFFICIENTS, self).map_err(|(_, problem)| problem)
    }
}

/// A number of a description: its name, unit, range and place.
pub struct Coefficient<T> {
    /// Name in scene files, in Python and in Rust.
    pub name: &'static str,
    /// Unit; `1` for plain numbers.
    pub unit: &'static str,
    /// Allowed values.
    pub range: NumberRange,
    /// Where it is.
    pub place: fn(&mut T) -> &mut f64,
}

impl<T: Copy> Coefficient<T> {
    /// Its value.
    pub fn value(&self, of: &T) -> f64 {
        let mut copy = *of;
        *(self.place)(&mut copy)
    }
}

/// The first coefficient that is out of range: its name and what is wrong with it.
fn check<T: Copy>(coefficients: &[Coefficient<T>], of: &T) -> Result<(), (&'static str, String)> {
    coefficients.iter().try_for_each(|c| c.range.check(c.name, c.value(of)))
}

macro_rules! coefficients {
    (
        both { $($(#[$doc:meta])* $name:ident [$unit:literal] $range:expr, $default:expr, $rule:ident;)* }
        rigid { $($(#[$doc2:meta])* $name2:ident [$unit2:literal] $range2:expr, $default2:expr, $rule2:ident;)* }
        elastic { $($(#[$doc3:meta])* $name3:ident [$unit3:literal] $range3:expr, $default3:expr;)* }
        compliant {
            $($(#[$doc4:meta])* $name4:ident [$unit4:literal] $range4:expr, $default4:expr, $rule4:ident;)*
        }
    ) => {
        /// Surface of a body without a name: one set of numbers for both contact laws.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Material {
            $($(#[$doc])* pub $name: f64,)*
            $($(#[$doc2])* pub $name2: f64,)*
            $($(#[$doc3])* pub $name3: f64,)*
            $($(#[$doc4])* pub $name4: f64,)*
            /// Coefficients of the compliant law given directly instead of through `young` and `poisson`.
            pub stiffness: Option<StiffnessSpec>,
        }

        impl Default for Material {
            fn default() -> Self {
                Self {
                    $($name: $default,)*
                    $($name2: $default2,)*
                    $($name3: $default3,)*
                    $($name4: $default4,)*
                    stiffness: None,
                }
            }
        }

        impl Material {
            /// The coefficients with their units and ranges, in a fixed order.
            pub const COEFFICIENTS: &[Coefficient<Self>] = {
                use NumberRange::{AboveToMost, Between, NotNegative, PositiveOrInfinite};
                &[
                    $(Coefficient { name: stringify!($name), unit: $unit, range: $range, place: |m| &mut m.$name },)*
                    $(Coefficient { name: stringify!($name2), unit: $unit2, range: $range2, place: |m| &mut m.$name2 },)*
                    $(Coefficient { name: stringify!($name3), unit: $unit3, range: $range3, place: |m| &mut m.$name3 },)*
                    $(Coefficient { name: stringify!($name4), unit: $unit4, range: $range4, place: |m| &mut m.$name4 },)*
                ]
            };

            /// The part that the compliant law reads.
            pub fn surface(&self) -> CompliantMaterial {
                CompliantMaterial {
                    $($name: self.$name,)*
                    $($name3: self.$name3,)*
                    $($name4: self.$name4,)*
                    normal_stiffness: self.stiffness.map(|s| s.normal),
                    tangential_stiffness: self.stiffness.map(|s| s.tangential),
                    normal_damping: self.stiffness.map(|s| s.normal_damping),
                    tangential_damping: self.stiffness.map(|s| s.tangential_damping),
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
            $($(#[$doc])* pub $name: f64,)*
            $($(#[$doc2])* pub $name2: f64,)*
            $($(#[$doc3])* pub $name3: f64,)*
            $($(#[$doc4])* pub $name4: f64,)*
            /// Coefficients of the compliant law given directly instead of through `young` and `poisson`.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub stiffness: Option<StiffnessSpec>,
        }

        impl Default for MaterialSpec {
            fn default() -> Self {
                let m = Material::default();
                Self {
                    name: String::new(),
                    $($name: m.$name,)*
                    $($name2: m.$name2,)*
                    $($name3: m.$name3,)*
                    $($name4: m.$name4,)*
                    stiffness: None,
                }
            }
        }

        impl MaterialSpec {
            /// Its numbers.
            pub fn material(&self) -> Material {
                Material {
                    $($name: self.$name,)*
                    $($name2: self.$name2,)*
                    $($name3: self.$name3,)*
                    $($name4: self.$name4,)*
                    stiffness: self.stiffness,
                }
            }
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
            $($(#[$doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $name: Option<f64>,)*
            $($(#[$doc2])* #[serde(skip_serializing_if = "Option::is_none")] pub $name2: Option<f64>,)*
            $($(#[$doc4])* #[serde(skip_serializing_if = "Option::is_none")] pub $name4: Option<f64>,)*
            /// Coefficients of the compliant law.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub stiffness: Option<StiffnessSpec>,
        }

        impl ContactPairSpec {
            /// The coefficients that are given, with their ranges.
            fn given(&self) -> impl Iterator<Item = (&'static str, NumberRange, f64)> {
                use NumberRange::{Between, NotNegative};
                [
                    $((stringify!($name), $range, self.$name),)*
                    $((stringify!($name2), $range2, self.$name2),)*
                    $((stringify!($name4), $range4, self.$name4),)*
                ]
                .into_iter()
                .filter_map(|(name, range, value)| value.map(|value| (name, range, value)))
            }

            /// Writes the numbers that are given over what the compliant law reads, and the rigid law with it; those of
            /// the rigid law alone are left out.
            pub fn apply(&self, surface: &mut CompliantComposite) {
                $(surface.$name = self.$name.unwrap_or(surface.$name);)*
                $(surface.$name4 = self.$name4.unwrap_or(surface.$name4);)*
                if let Some(s) = self.stiffness {
                    surface.normal_stiffness = Some(s.normal);
                    surface.tangential_stiffness = Some(s.tangential);
                    surface.normal_damping = Some(s.normal_damping);
                    surface.tangential_damping = Some(s.tangential_damping);
                }
            }
        }
    };
}

huygens_kernel::contact_coefficients!(coefficients);

impl Material {
    /// The first number that is out of range: its key and what is wrong.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        check(Self::COEFFICIENTS, self)?;
        self.stiffness.map_or(Ok(()), |s| s.check()).map_err(|problem| ("stiffness", problem))
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

    /// The first number that is out of range: its key and what is wrong.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        self.material().check()
    }
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
                let given = self.given().next().map(|(name, ..)| name);
                if let Some(key) = given.or(self.stiffness.map(|_| "stiffness")) {
                    return Err((key, format!("`{key}` belongs to a pair of `materials`, not of bodies")));
                }
            }
            (None, Some(_)) if self.collide.is_some() => {
                return Err(("collide", "`collide` belongs to a pair of `bodies`, not of materials".into()));
            }
            _ => {}
        }
        self.given().try_for_each(|(name, range, value)| range.check(name, value))?;
        self.stiffness.map_or(Ok(()), |s| s.check()).map_err(|problem| ("stiffness", problem))
    }
}
