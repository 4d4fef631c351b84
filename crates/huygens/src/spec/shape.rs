//! Shapes that bodies collide with and are seen by.

use std::fmt;
use std::path::PathBuf;

use glam::DQuat;
use huygens_geometry::decomposition::DecompositionSettings;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

use super::value::{Rotation, orientation};

/// Kind of a shape. The axis of round shapes is their z axis; all are centred on their origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShapeType {
    /// Ball: `radius`.
    #[default]
    Sphere,
    /// Ellipsoid: `radii` along x, y, z.
    Ellipsoid,
    /// Block: `size`.
    Box,
    /// Cylinder with half balls at its ends: `radius`, `length` between the balls.
    Capsule,
    /// Cylinder: `radius`, `length`.
    Cylinder,
    /// Cone with its apex at +z: `radius` of the base, `length`.
    Cone,
    /// Block with round edges: outer `size`, radius `border` of the edges.
    RoundedBox,
    /// Cylinder with round edges: outer `radius` and `length`, radius `border` of the edges.
    RoundedCylinder,
    /// Convex hull: of `points`, or of the points of a mesh `file`.
    Hull,
    /// Triangle mesh, counter-clockwise seen from outside: of `points` and `triangles`, or from a `file` (OBJ, STL);
    /// `decompose`.
    Mesh,
    /// Ground below `heights` over a rectangle of edges `size`, or from a `file` of numbers.
    HeightField,
    /// Everything below its plane z = 0.
    HalfSpace,
}

/// A group of shapes: a number from 0 to 31, or a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum GroupSpec {
    /// By number, 0 to 31; shapes that name no group are in group 0.
    Number(u8),
    /// By name.
    Name(String),
}

impl From<u8> for GroupSpec {
    fn from(number: u8) -> Self {
        Self::Number(number)
    }
}

impl From<&str> for GroupSpec {
    fn from(name: &str) -> Self {
        Self::Name(name.into())
    }
}

impl<'de> Deserialize<'de> for GroupSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct GroupVisitor;
        impl Visitor<'_> for GroupVisitor {
            type Value = GroupSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a group, or a number from 0 to 31")
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<GroupSpec, E> {
                u8::try_from(v).ok().filter(|n| *n < 32).map(GroupSpec::Number).ok_or_else(|| {
                    E::custom(format!("the group {v} is not allowed; a number from 0 to 31 is needed"))
                })
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<GroupSpec, E> {
                self.visit_i64(i64::try_from(v).unwrap_or(i64::MAX))
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<GroupSpec, E> {
                Ok(GroupSpec::Name(v.into()))
            }
        }
        deserializer.deserialize_any(GroupVisitor)
    }
}

/// A group of shapes.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Group")]
#[allow(dead_code)]
enum GroupSchema {
    /// Number from 0 to 31.
    Number(#[schemars(range(min = 0, max = 31))] u8),
    /// Name.
    Name(String),
}

impl JsonSchema for GroupSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Group".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GroupSchema::json_schema(generator)
    }
}

/// How a concave mesh is cut into convex hulls; the hulls are kept in a file beside the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DecomposeSpec {
    /// Voxels along the longest side of the mesh, 8 to 256; time grows with its cube.
    pub resolution: u32,
    /// Volume between a part and its hull above which it is cut on, relative to the hull of the mesh; 0 to 1.
    pub concavity: f64,
    /// Most hulls, 1 to 256.
    pub max_hulls: u32,
    /// Most vertices of a hull, 8 to 1024.
    pub max_vertices: u32,
}

impl Default for DecomposeSpec {
    fn default() -> Self {
        let s = DecompositionSettings::default();
        Self {
            resolution: s.resolution,
            concavity: s.concavity,
            max_hulls: s.max_hulls,
            max_vertices: s.max_vertices,
        }
    }
}

impl From<DecomposeSpec> for DecompositionSettings {
    fn from(s: DecomposeSpec) -> Self {
        Self {
            resolution: s.resolution,
            concavity: s.concavity,
            max_hulls: s.max_hulls,
            max_vertices: s.max_vertices,
        }
    }
}

/// A shape of a body: what it collides with, what it is seen by, and where its mass is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShapeSpec {
    /// What it is.
    #[serde(rename = "type")]
    pub kind: ShapeType,
    /// Radius [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Semi-axes of an ellipsoid [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radii: Option<[f64; 3]>,
    /// Edge lengths [m]: three of a box or rounded box, two of a height field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec<f64>>,
    /// Length along z [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Radius of the edges of a rounded shape [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub border: Option<f64>,
    /// Points of a hull or mesh [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
    /// Triangles of a mesh: the places of their corners among `points`, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
    /// File of a mesh or hull (OBJ or STL), or of heights (rows of numbers); below the scene's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Metres of one unit of the `file`, `points` or `heights`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Cuts a concave mesh into convex hulls that collide in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decompose: Option<DecomposeSpec>,
    /// Rows of heights [m]: each along x, the rows along y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f64>>>,
    /// Position in the body frame [m].
    #[serde(default, skip_serializing_if = "is_origin")]
    pub position: [f64; 3],
    /// Orientation in the body frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Direction of its z axis in the body frame, a unit vector; instead of `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Name of its material; `default` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Group it belongs to; group 0 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupSpec>,
    /// Groups it touches; all if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mask: Option<Vec<GroupSpec>>,
    /// Whether it collides; one that does not is only seen.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub collide: bool,
    /// Whether it is seen.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub visible: bool,
    /// Colour, such as `#d55e00`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub color: Option<String>,
    /// Density [kg/m³], if not that of the body. A shape that does not collide has mass only if this is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Where the loader of a scene file found `file`; without it `file` is relative to the working folder.
    #[serde(skip)]
    pub found: Option<PathBuf>,
}

fn yes() -> bool {
    true
}
fn is_true(value: &bool) -> bool {
    *value
}
fn is_origin(position: &[f64; 3]) -> bool {
    *position == [0.0; 3]
}

impl Default for ShapeSpec {
    fn default() -> Self {
        Self {
            kind: ShapeType::Sphere,
            radius: None,
            radii: None,
            size: None,
            length: None,
            border: None,
            points: None,
            triangles: None,
            file: None,
            scale: None,
            decompose: None,
            heights: None,
            position: [0.0; 3],
            rotation: None,
            axis: None,
            material: None,
            group: None,
            mask: None,
            collide: true,
            visible: true,
            color: None,
            density: None,
            found: None,
        }
    }
}

impl ShapeSpec {
    fn of(kind: ShapeType) -> Self {
        Self { kind, ..Self::default() }
    }

    /// Ball of `radius` [m].
    pub fn sphere(radius: f64) -> Self {
        Self { radius: Some(radius), ..Self::of(ShapeType::Sphere) }
    }

    /// Ellipsoid with semi-axes `radii` [m].
    pub fn ellipsoid(radii: [f64; 3]) -> Self {
        Self { radii: Some(radii), ..Self::of(ShapeType::Ellipsoid) }
    }

    /// Block with edges `size` [m].
    pub fn cuboid(size: [f64; 3]) -> Self {
        Self { size: Some(size.to_vec()), ..Self::of(ShapeType::Box) }
    }

    /// Capsule of `radius`, `length` between its balls [m].
    pub fn capsule(radius: f64, length: f64) -> Self {
        Self { radius: Some(radius), length: Some(length), ..Self::of(ShapeType::Capsule) }
    }

    /// Cylinder of `radius` and `length` [m].
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Self { radius: Some(radius), length: Some(length), ..Self::of(ShapeType::Cylinder) }
    }

    /// Cone with a base of `radius`, `length` high [m].
    pub fn cone(radius: f64, length: f64) -> Self {
        Self { radius: Some(radius), length: Some(length), ..Self::of(ShapeType::Cone) }
    }

    /// Block with outer edges `size` and round edges of radius `border` [m].
    pub fn rounded_box(size: [f64; 3], border: f64) -> Self {
        Self { size: Some(size.to_vec()), border: Some(border), ..Self::of(ShapeType::RoundedBox) }
    }

    /// Cylinder of outer `radius` and `length` with round edges of radius `border` [m].
    pub fn rounded_cylinder(radius: f64, length: f64, border: f64) -> Self {
        Self {
            radius: Some(radius),
            length: Some(length),
            border: Some(border),
            ..Self::of(ShapeType::RoundedCylinder)
        }
    }

    /// Convex hull of points [m].
    pub fn hull(points: Vec<[f64; 3]>) -> Self {
        Self { points: Some(points), ..Self::of(ShapeType::Hull) }
    }

    /// Triangle mesh from an OBJ or STL file.
    pub fn mesh(file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::of(ShapeType::Mesh) }
    }

    /// Triangle mesh over points [m]; triangles hold places in `points`, counter-clockwise seen from outside.
    pub fn mesh_of(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self { points: Some(points), triangles: Some(triangles), ..Self::of(ShapeType::Mesh) }
    }

    /// Ground below rows of heights [m] over a rectangle of edges `size` [m].
    pub fn height_field(size: [f64; 2], heights: Vec<Vec<f64>>) -> Self {
        Self { size: Some(size.to_vec()), heights: Some(heights), ..Self::of(ShapeType::HeightField) }
    }

    /// Everything below the plane z = 0 of its frame.
    pub fn half_space() -> Self {
        Self::of(ShapeType::HalfSpace)
    }

    /// Gives it a material by name.
    #[must_use]
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Puts it at a place in the body frame [m].
    #[must_use]
    pub fn at(mut self, position: [f64; 3]) -> Self {
        self.position = position;
        self
    }

    /// Its orientation in the body frame, from `rotation` or `axis`.
    pub fn orientation(&self) -> Result<DQuat, String> {
        orientation(self.rotation, self.axis)
    }

    /// Name of the kind, as scene files write it.
    pub fn kind_name(&self) -> String {
        serde_json::to_value(self.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Red, green and blue of `color`.
    pub fn rgb(&self) -> Result<Option<[u8; 3]>, String> {
        self.color.as_deref().map(rgb).transpose()
    }
}

/// Red, green and blue of a colour `#rrggbb`.
pub(crate) fn rgb(text: &str) -> Result<[u8; 3], String> {
    let number = text
        .strip_prefix('#')
        .filter(|hex| hex.len() == 6 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
    match number {
        Some(n) => Ok([(n >> 16) as u8, (n >> 8) as u8, n as u8]),
        None => {
            Err(format!("color = \"{text}\" is not a colour; write it as \"#rrggbb\", such as \"#d55e00\""))
        }
    }
}
