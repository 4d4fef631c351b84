//! Shapes that bodies collide with and are seen by.

use std::fmt;
use std::path::PathBuf;

use huygens_spec::{FrameSpec, Rotation, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

/// What a shape is. The axis of round shapes is their z axis; all are centred on their origin.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum ShapeType {
    /// Ball.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// Ellipsoid.
    Ellipsoid {
        /// Semi-axes along x, y, z [m].
        #[scene(local)]
        radii: [f64; 3],
    },
    /// Block.
    Box {
        /// Edge lengths [m].
        #[scene(local)]
        size: [f64; 3],
    },
    /// Cylinder with hemispheres at its ends.
    Capsule {
        /// Radius [m].
        radius: f64,
        /// Length along z between the spheres [m].
        length: f64,
    },
    /// Cylinder.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length along z [m].
        length: f64,
    },
    /// Cone with its apex at +z.
    Cone {
        /// Radius of the base [m].
        radius: f64,
        /// Length along z [m].
        length: f64,
    },
    /// Block with round edges.
    RoundedBox {
        /// Outer edge lengths [m].
        #[scene(local)]
        size: [f64; 3],
        /// Radius of the round edges [m].
        border: f64,
    },
    /// Cylinder with round edges.
    RoundedCylinder {
        /// Outer radius [m].
        radius: f64,
        /// Outer length along z [m].
        length: f64,
        /// Radius of the round edges [m].
        border: f64,
    },
    /// Convex hull of `points`, or of the points of a mesh `file`.
    Hull(HullSource),
    /// Triangle mesh, counter-clockwise seen from outside: of `points` and `triangles`, or from a `file` (OBJ, STL).
    Mesh {
        /// Where the triangles are from.
        #[tagged(flatten)]
        source: MeshSource,
        /// Cuts a concave mesh into convex hulls that collide in its place.
        decompose: Option<DecomposeSpec>,
    },
    /// Ground below `heights` over a rectangle of edges `size`, or from a `file` of numbers.
    HeightField(GroundSource),
    /// Everything below its plane z = 0.
    HalfSpace,
}

/// A file that a shape is read from.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "file")]
pub struct FileSource {
    /// File of a mesh or hull (OBJ or STL), or of heights (rows of numbers); below the scene's folder.
    #[scene(file = found)]
    pub file: Option<String>,
    /// Metres of one unit of the `file`, or of the numbers that stand in its place. Default: 1.
    pub scale: Option<f64>,
    /// Where the loader of a scene file found `file`; without it `file` is relative to the working folder.
    #[tagged(skip)]
    pub found: Option<PathBuf>,
}

impl FileSource {
    /// A file in units of a metre.
    pub fn of(file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::default() }
    }

    /// Where the file is.
    pub fn path(&self) -> Option<PathBuf> {
        let file = self.file.as_ref()?;
        Some(self.found.clone().unwrap_or_else(|| PathBuf::from(file)))
    }
}

/// Points of a convex hull.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "hull")]
pub struct HullSource {
    /// Points [m].
    #[scene(local)]
    pub points: Option<Vec<[f64; 3]>>,
    /// The file, instead of `points`.
    #[tagged(flatten)]
    pub file: FileSource,
}

/// Triangles of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "mesh")]
pub struct MeshSource {
    /// Points [m].
    #[scene(local)]
    pub points: Option<Vec<[f64; 3]>>,
    /// Triangles: the places of their corners among `points`, counted from 0.
    pub triangles: Option<Vec<[u32; 3]>>,
    /// The file, instead of `points` and `triangles`.
    #[tagged(flatten)]
    pub file: FileSource,
}

impl MeshSource {
    /// Triangles from an OBJ or STL file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { file: FileSource::of(file), ..Self::default() }
    }

    /// Says how long one unit of it is [m].
    #[must_use]
    pub fn scaled(mut self, scale: f64) -> Self {
        self.file.scale = Some(scale);
        self
    }

    /// Triangles over points [m]; they hold places in `points`.
    pub fn lists(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self { points: Some(points), triangles: Some(triangles), ..Self::default() }
    }
}

impl From<&str> for MeshSource {
    fn from(file: &str) -> Self {
        Self::file(file)
    }
}

impl From<String> for MeshSource {
    fn from(file: String) -> Self {
        Self::file(file)
    }
}

/// Heights over a rectangle.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "height field")]
pub struct GroundSource {
    /// Edge lengths of the rectangle along x and y [m].
    pub size: [f64; 2],
    /// Rows of heights [m]: each along x, the rows along y.
    pub heights: Option<Vec<Vec<f64>>>,
    /// The file, instead of `heights`.
    #[tagged(flatten)]
    pub file: FileSource,
}

/// A group of shapes: a number from 0 to 31, or a name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, SceneObject)]
#[serde(untagged)]
pub enum GroupSpec {
    /// By number, 0 to 31; shapes that name no group are in group 0.
    Number(u8),
    /// By name.
    Name(#[scene(text)] String),
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

/// Decomposition of a concave mesh into convex hulls, which are cached in a file next to the mesh.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
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
        Self { resolution: 64, concavity: 0.01, max_hulls: 32, max_vertices: 64 }
    }
}

/// A shape of a body: what it collides with, what it is seen by, and where its mass is.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "shape")]
pub struct ShapeSpec {
    /// What it is.
    #[tagged(variant)]
    pub kind: ShapeType,
    /// Where it is in the body frame.
    #[tagged(flatten)]
    #[scene(local)]
    pub frame: FrameSpec,
    /// Name of its material. Default: `default`.
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Group it belongs to. Default: group 0.
    pub group: Option<GroupSpec>,
    /// Groups it touches. Default: all.
    pub mask: Option<Vec<GroupSpec>>,
    /// Whether it collides; one that does not is only seen.
    #[tagged(default = yes, skip_if = is_true)]
    pub collide: bool,
    /// Whether it is seen.
    #[tagged(default = yes, skip_if = is_true)]
    pub visible: bool,
    /// Colour, such as `#d55e00`.
    #[scene(text)]
    pub color: Option<String>,
    /// Density [kg/m³], if not that of the body. A shape that does not collide has mass only if this is given.
    pub density: Option<f64>,
}

fn yes() -> bool {
    true
}
fn is_true(value: &bool) -> bool {
    *value
}

impl From<ShapeType> for ShapeSpec {
    fn from(kind: ShapeType) -> Self {
        Self {
            kind,
            frame: FrameSpec::default(),
            material: None,
            group: None,
            mask: None,
            collide: true,
            visible: true,
            color: None,
            density: None,
        }
    }
}

/// A ball that has no size yet.
impl Default for ShapeSpec {
    fn default() -> Self {
        Self::sphere(0.0)
    }
}

impl ShapeSpec {
    /// Ball of `radius` [m].
    pub fn sphere(radius: f64) -> Self {
        ShapeType::Sphere { radius }.into()
    }

    /// Ellipsoid with semi-axes `radii` [m].
    pub fn ellipsoid(radii: [f64; 3]) -> Self {
        ShapeType::Ellipsoid { radii }.into()
    }

    /// Block with edges `size` [m].
    pub fn cuboid(size: [f64; 3]) -> Self {
        ShapeType::Box { size }.into()
    }

    /// Capsule of `radius`, `length` between its spheres [m].
    pub fn capsule(radius: f64, length: f64) -> Self {
        ShapeType::Capsule { radius, length }.into()
    }

    /// Cylinder of `radius` and `length` [m].
    pub fn cylinder(radius: f64, length: f64) -> Self {
        ShapeType::Cylinder { radius, length }.into()
    }

    /// Cone with a base of `radius`, `length` high [m].
    pub fn cone(radius: f64, length: f64) -> Self {
        ShapeType::Cone { radius, length }.into()
    }

    /// Block with outer edges `size` and round edges of radius `border` [m].
    pub fn rounded_box(size: [f64; 3], border: f64) -> Self {
        ShapeType::RoundedBox { size, border }.into()
    }

    /// Cylinder of outer `radius` and `length` with round edges of radius `border` [m].
    pub fn rounded_cylinder(radius: f64, length: f64, border: f64) -> Self {
        ShapeType::RoundedCylinder { radius, length, border }.into()
    }

    /// Convex hull of points [m].
    pub fn hull(points: Vec<[f64; 3]>) -> Self {
        ShapeType::Hull(HullSource { points: Some(points), ..HullSource::default() }).into()
    }

    /// Triangle mesh from an OBJ or STL file.
    pub fn mesh(source: impl Into<MeshSource>) -> Self {
        ShapeType::Mesh { source: source.into(), decompose: None }.into()
    }

    /// Triangle mesh over points [m]; triangles hold places in `points`, counter-clockwise seen from outside.
    pub fn mesh_of(points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        ShapeType::Mesh { source: MeshSource::lists(points, triangles), decompose: None }.into()
    }

    /// Ground below rows of heights [m] over a rectangle of edges `size` [m].
    pub fn height_field(size: [f64; 2], heights: Vec<Vec<f64>>) -> Self {
        ShapeType::HeightField(GroundSource { size, heights: Some(heights), ..GroundSource::default() })
            .into()
    }

    /// Everything below the plane z = 0 of its frame.
    pub fn half_space() -> Self {
        ShapeType::HalfSpace.into()
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
        self.frame.position = position;
        self
    }

    /// Turns its z axis along `axis` in the body frame.
    #[must_use]
    pub fn along(mut self, axis: [f64; 3]) -> Self {
        self.frame.axis = Some(axis);
        self
    }

    /// Turns it in the body frame.
    #[must_use]
    pub fn turned(mut self, rotation: Rotation) -> Self {
        self.frame.rotation = Some(rotation);
        self
    }

    /// Red, green and blue of `color`.
    pub fn rgb(&self) -> Result<Option<[u8; 3]>, String> {
        self.color.as_deref().map(rgb).transpose()
    }
}

/// Red, green and blue of a colour `#rrggbb`.
pub fn rgb(text: &str) -> Result<[u8; 3], String> {
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
