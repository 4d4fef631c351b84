//! Force elements as they are written in scene files.

use std::fmt;

use huygens_spec::{PlaceSpec, Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::value::DriveSpec;

/// A force element.
// A bushing holds two matrices; boxing it would burden everyone who writes one for a list that is read once.
#[allow(clippy::large_enum_variant)]
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "force")]
pub enum ForceSpec {
    /// Spring, damper and actuator along the line of two points.
    Spring(SpringSpec),
    /// Spring, damper and actuator along the coordinate of a joint or a shaft, or between two shafts.
    #[tagged(was = "rotational_spring", was = "torsion_spring")]
    CoordinateSpring(CoordinateSpringSpec),
    /// Elastic connection of two frames in all six directions.
    Bushing(BushingSpec),
    /// Force and torque on a body.
    Load(LoadSpec),
    /// Drag of a surrounding medium.
    Drag(DragSpec),
    /// Rope: two points stay within a length of each other.
    Rope(RopeSpec),
    /// Friction between two shafts.
    Clutch(ClutchSpec),
    /// Friction between a shaft, or the bodies of a joint, and ground.
    Brake(BrakeSpec),
}

/// Spring, damper and actuator along the line of two points: tension $k(l - l_0) + c\,\dot l - a$.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "spring")]
pub struct SpringSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// First body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub a: String,
    /// Second body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub b: String,
    /// Point in the frame of A [m].
    #[tagged(default)]
    #[scene(point, carried_by(a))]
    pub point_a: [f64; 3],
    /// Point in the frame of B [m].
    #[tagged(default)]
    #[scene(point, carried_by(b))]
    pub point_b: [f64; 3],
    /// Stiffness [N/m].
    #[tagged(default)]
    pub stiffness: f64,
    /// Damping [N·s/m].
    #[tagged(default)]
    pub damping: f64,
    /// Unstretched length [m]. Default: the initial length.
    pub length: Option<f64>,
    /// Force that pushes the points apart [N].
    pub actuator: Option<DriveSpec>,
}

/// Spring, damper and actuator along a coordinate ξ: $F = -k(\xi - \xi_0) - c\,\dot\xi + a$.
///
/// The coordinate is any one of a joint, an angle or a displacement, or the angle of a shaft, absolute or relative to a
/// second shaft. Along an angle, stiffness is in N·m/rad, damping in N·m·s/rad and the actuator in N·m; along a
/// displacement, in N/m, N·s/m and N.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "spring")]
pub struct CoordinateSpringSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// The joint.
    #[scene(refers(Joints))]
    pub joint: Option<String>,
    /// Coordinate of the joint, such as `angle` or `displacement`. Default: the first one.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// The shaft; instead of `joint`.
    #[tagged(was = "shaft_a")]
    #[scene(refers(Shafts))]
    pub shaft: Option<String>,
    /// Second shaft: the coordinate is the angle of `shaft` relative to it. Default: ground.
    #[tagged(was = "shaft_b")]
    #[scene(refers(Shafts))]
    pub second_shaft: Option<String>,
    /// Stiffness [N·m/rad or N/m].
    #[tagged(default)]
    pub stiffness: f64,
    /// Damping [N·m·s/rad or N·s/m].
    #[tagged(default)]
    pub damping: f64,
    /// Coordinate at which the spring is relaxed [rad or m].
    #[tagged(default, was = "angle")]
    pub rest: f64,
    /// Torque or force along the growing coordinate [N·m or N].
    pub actuator: Option<DriveSpec>,
}

impl CoordinateSpringSpec {
    /// A spring along the first coordinate of a joint.
    pub fn on_joint(joint: impl Into<String>) -> Self {
        Self { joint: Some(joint.into()), ..Self::default() }
    }

    /// A spring between a shaft and the ground.
    pub fn on_shaft(shaft: impl Into<String>) -> Self {
        Self { shaft: Some(shaft.into()), ..Self::default() }
    }
}

/// A 6×6 matrix over displacement [m] and rotation [rad]: six numbers (its diagonal) or six rows of six.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, SceneObject)]
pub struct Matrix6(pub [[f64; 6]; 6]);

impl Matrix6 {
    /// A diagonal matrix.
    pub fn diagonal(d: [f64; 6]) -> Self {
        let mut m = [[0.0; 6]; 6];
        (0..6).for_each(|i| m[i][i] = d[i]);
        Self(m)
    }
}

/// A matrix over three displacements and three rotations.
#[allow(clippy::large_enum_variant)]
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Matrix6")]
#[allow(dead_code)]
enum Matrix6Schema {
    /// The diagonal: x, y, z, rotations about x, y, z.
    Diagonal([f64; 6]),
    /// The rows.
    Rows([[f64; 6]; 6]),
}

impl JsonSchema for Matrix6 {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Matrix6".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Matrix6Schema::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for Matrix6 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RowVisitor;
        enum Row {
            Entry(f64),
            Full([f64; 6]),
        }
        impl<'de> Visitor<'de> for RowVisitor {
            type Value = Row;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number of the diagonal or a row of six numbers")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<Row, E> {
                Ok(Row::Entry(v))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<Row, E> {
                Ok(Row::Entry(v as f64))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<Row, E> {
                Ok(Row::Entry(v as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Row, A::Error> {
                Ok(Row::Full(<[f64; 6]>::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))?))
            }
        }
        impl<'de> Deserialize<'de> for Row {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any(RowVisitor)
            }
        }
        let rows = <[Row; 6]>::deserialize(deserializer)?;
        let mut m = [[0.0; 6]; 6];
        let full = matches!(rows[0], Row::Full(_));
        for (i, row) in rows.into_iter().enumerate() {
            match row {
                Row::Entry(v) if !full => m[i][i] = v,
                Row::Full(row) if full => m[i] = row,
                _ => {
                    return Err(D::Error::custom(
                        "a 6×6 matrix is six numbers (its diagonal) or six rows of six",
                    ));
                }
            }
        }
        Ok(Self(m))
    }
}

/// Elastic connection of two frames; the wrench on B in A's axes is $-K(d, \theta) - D(\dot d, \omega)$ + preload.
///
/// Its place is given as for joints.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[scene(place_with = Self::place_connection)]
#[tagged(object = "bushing")]
pub struct BushingSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Base body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub a: String,
    /// Moved body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub b: String,
    /// Where it is.
    #[tagged(flatten)]
    #[scene(placed)]
    pub place: PlaceSpec,
    /// Stiffness: three entries [N/m], three [N·m/rad]; or 6×6.
    #[tagged(default)]
    pub stiffness: Matrix6,
    /// Damping: three entries [N·s/m], three [N·m·s/rad]; or 6×6.
    #[tagged(default)]
    pub damping: Matrix6,
    /// Force [N] and torque [N·m] on B in A's axes at rest.
    #[tagged(default)]
    pub preload: [f64; 6],
}

impl BushingSpec {
    fn place_connection(&mut self, placement: &Placement) -> Result<(), String> {
        self.place.place(&self.a, &self.b, placement);
        Ok(())
    }
}

/// In which axes a load is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum LoadAxes {
    /// World axes: it keeps its direction.
    #[default]
    World,
    /// Body axes: it follows the body.
    Body,
}

/// Force and torque on a body.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "load")]
pub struct LoadSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Body it acts on: `body` or `body/marker`.
    #[scene(refers(Bodies))]
    pub body: String,
    /// Point in the body frame [m]. Default: the marker, or the origin of the body frame.
    #[scene(local)]
    pub point: Option<[f64; 3]>,
    /// Axes in which force and torque are given.
    #[tagged(default)]
    pub frame: LoadAxes,
    /// Force along three axes [N].
    #[tagged(default)]
    pub force: [DriveSpec; 3],
    /// Torque about three axes [N·m].
    #[tagged(default)]
    pub torque: [DriveSpec; 3],
}

/// Drag of a medium: $F = -(c_1 + c_2|v|)v$, $T = -(d_1 + d_2|\omega|)\omega$.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "drag")]
pub struct DragSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Body it acts on: `body` or `body/marker`.
    #[scene(refers(Bodies))]
    pub body: String,
    /// Point in the body frame [m]. Default: the marker, or the centre of mass.
    #[scene(local)]
    pub point: Option<[f64; 3]>,
    /// Velocity of the medium [m/s].
    #[tagged(default)]
    #[scene(vector)]
    pub medium_velocity: [f64; 3],
    /// $c_1$ [N·s/m].
    #[tagged(default)]
    pub linear: f64,
    /// $c_2$ [N·s²/m²].
    #[tagged(default)]
    pub quadratic: f64,
    /// $d_1$ [N·m·s/rad].
    #[tagged(default)]
    pub angular_linear: f64,
    /// $d_2$ [N·m·s²/rad²].
    #[tagged(default)]
    pub angular_quadratic: f64,
}

/// Rope: two points stay within a length of each other.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "rope")]
pub struct RopeSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// First body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub a: String,
    /// Second body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub b: String,
    /// Point in the frame of A [m].
    #[tagged(default)]
    #[scene(point, carried_by(a))]
    pub point_a: [f64; 3],
    /// Point in the frame of B [m].
    #[tagged(default)]
    #[scene(point, carried_by(b))]
    pub point_b: [f64; 3],
    /// Length [m].
    pub length: f64,
    /// Stiffness when taut [N/m]; without it the rope is rigid and needs the `euler` integrators.
    pub stiffness: Option<f64>,
    /// Damping of a compliant rope when taut [N·s/m].
    #[tagged(default)]
    pub damping: f64,
    /// Coefficient of restitution when a rigid rope becomes taut, 0 to 1.
    #[tagged(default)]
    pub restitution: f64,
}

/// Friction between two shafts: a stiff spring while sticking, up to the torque limit.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "clutch")]
pub struct ClutchSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// First shaft.
    #[scene(refers(Shafts))]
    pub shaft_a: String,
    /// Second shaft.
    #[scene(refers(Shafts))]
    pub shaft_b: String,
    /// Largest torque [N·m]: a constant, a function of time or a signal.
    pub torque: DriveSpec,
    /// Stiffness while sticking [N·m/rad].
    #[tagged(default = friction_stiffness)]
    pub stiffness: f64,
    /// Damping while sticking [N·m·s/rad].
    #[tagged(default)]
    pub damping: f64,
}

impl Default for ClutchSpec {
    fn default() -> Self {
        let (name, torque, damping) = (String::new(), DriveSpec::default(), 0.0);
        Self {
            name,
            shaft_a: String::new(),
            shaft_b: String::new(),
            torque,
            stiffness: friction_stiffness(),
            damping,
        }
    }
}

/// Friction between a shaft, or the bodies of a joint, and ground.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "brake")]
pub struct BrakeSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// Shaft that is braked.
    #[scene(refers(Shafts))]
    pub shaft: Option<String>,
    /// Joint that is braked; instead of `shaft`.
    #[scene(refers(Joints))]
    pub joint: Option<String>,
    /// Coordinate of the joint. Default: the first one.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// Largest torque [N·m] or force [N]: a constant, a function of time or a signal.
    pub torque: DriveSpec,
    /// Stiffness while sticking [N·m/rad or N/m].
    #[tagged(default = friction_stiffness)]
    pub stiffness: f64,
    /// Damping while sticking [N·m·s/rad or N·s/m].
    #[tagged(default)]
    pub damping: f64,
}

impl Default for BrakeSpec {
    fn default() -> Self {
        let (name, torque, damping) = (String::new(), DriveSpec::default(), 0.0);
        Self {
            name,
            shaft: None,
            joint: None,
            coordinate: None,
            torque,
            stiffness: friction_stiffness(),
            damping,
        }
    }
}

fn friction_stiffness() -> f64 {
    1e4
}
