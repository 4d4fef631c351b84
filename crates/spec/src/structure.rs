//! Flexible structures as they are written in scene files: where their nodes come from, what they are made of, what
//! holds them and what acts on them.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use glam::DVec3;
use huygens_spec::{Placement, Rotation, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::force::Matrix6;
use super::function::Function;
use super::value::{Inertia, is_default};

/// Most nodes of one structure.
pub const MAX_NODES: usize = 10_000_000;
/// Most copies of one mesh.
pub const MAX_COPIES: usize = 100_000;

/// A flexible structure: nodes and elements that belong together.
///
/// Joints, springs, ropes, bushings and probes name its nodes as `structure/node`, where the node is its number in the
/// mesh or a set of one node such as `start` or `end`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_up)]
#[serde(deny_unknown_fields, default)]
pub struct StructureSpec {
    /// Unique name.
    #[scene(name)]
    pub name: String,
    /// What lines become, or solids of its shape; other solids become the first element of their shape.
    pub element: ElementType,
    /// A simple mesh; instead of `file`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<GenerateSpec>,
    /// A mesh file, `.msh` of Gmsh or `.inp` of Abaqus; instead of `generate`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(file = found)]
    pub file: Option<String>,
    /// Where the loader found `file`.
    #[serde(skip)]
    pub found: Option<PathBuf>,
    /// Scale factor of the mesh, such as 0.001 for a file in millimetres. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Where the origin of the mesh goes [m].
    #[scene(point)]
    pub position: [f64; 3],
    /// How the mesh is turned.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(rotation = world)]
    pub rotation: Option<Rotation>,
    /// Equal copies of the mesh on a lattice, which become one structure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesSpec>,
    /// Direction that the z axis of sections follows as closely as possible at the start of a line. Default: up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(placed)]
    pub up: Option<[f64; 3]>,
    /// Cross-section of lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<SectionSpec>,
    /// What it is made of; sections given by their numbers need none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<ElasticSpec>,
    /// How cables measure strain. Default: `material`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strain: Option<StrainType>,
    /// Damping of all elements.
    pub damping: StructureDampingSpec,
    /// Velocity of all nodes at the start [m/s].
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Angular velocity of the whole structure about `position` at the start [rad/s].
    #[scene(vector)]
    pub angular_velocity: [f64; 3],
    /// Named node sets, in addition to those of the mesh.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[scene(text)]
    pub node_sets: BTreeMap<String, MeshItems>,
    /// Nodes that do not move.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fixed: Vec<FixedSpec>,
    /// Masses at nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masses: Vec<NodeMassSpec>,
    /// Loads in addition to gravity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub loads: Vec<StructureLoadSpec>,
    /// Joints of nodes, slopes and gradients with bodies, the ground and other nodes. Nodes with a rotation also take
    /// all joints of bodies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<NodeJointSpec>,
    /// Contact surface. Default: no contact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contact: Option<StructureContactSpec>,
    /// Colour `#rrggbb`. Default: chosen by the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub color: Option<String>,
}

impl StructureSpec {
    /// A structure of that name with the default keys.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sections that point nowhere in particular point up.
    fn place_up(&mut self, placement: &Placement) -> Result<(), String> {
        placement.vector(self.up.get_or_insert(DVec3::Z.to_array()));
        Ok(())
    }

    /// A straight line of `pieces` elements from one place to another [m].
    pub fn beam(
        name: impl Into<String>,
        element: ElementType,
        from: [f64; 3],
        to: [f64; 3],
        pieces: usize,
    ) -> Self {
        Self { element, generate: Some(GenerateSpec::Beam { from, to, pieces }), ..Self::new(name) }
    }
}

macro_rules! elements {
    ($($(#[$about:meta])* $element:ident $name:tt,)*) => {
        /// What cells of a mesh become: lines, or solids of one shape.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
        pub enum ElementType {
            $($(#[$about])* #[serde(rename = $name)] $element,)*
        }

        impl ElementType {
            /// All elements.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$element),*];

            /// Its name in scene files, by which the engine knows its kind.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$element => $name,)*
                }
            }
        }
    };
}

// All that an element is and needs is a kind of the engine with this name.
elements! {
    /// ANCF cable: stretch and bending, no twist; nodes have a position and a slope.
    #[default]
    Cable "cable",
    /// ANCF beam 3243: stretch, shear, bending and twist; nodes have a position and three gradients.
    BeamAncf "beam_ancf",
    /// Corotational Euler–Bernoulli beam; nodes have a position and a rotation.
    Beam "beam",
    /// Geometrically exact rod of two nodes with a position and a rotation.
    Rod "rod",
    /// Geometrically exact rod of three nodes with a position and a rotation.
    Rod3 "rod3",
    /// Bar: stretch only; nodes have a position.
    Bar "bar",
    /// Bar that pulls only.
    Rope "rope",
    /// The mesh has no lines: corotational tetrahedra whose nodes have a position.
    Tetrahedron "tetrahedron",
}

/// A simple mesh.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "mesh")]
pub enum GenerateSpec {
    /// A straight line; the sets `start` and `end` hold its ends.
    Beam {
        /// First end [m].
        #[scene(local)]
        from: [f64; 3],
        /// Last end [m].
        #[scene(local)]
        to: [f64; 3],
        /// Number of elements.
        pieces: usize,
    },
    /// A smooth line through points; the sets `start` and `end` hold its ends.
    Polyline {
        /// The points [m].
        #[scene(local)]
        points: Vec<[f64; 3]>,
        /// Elements between two points.
        #[tagged(default = one)]
        pieces: usize,
        /// Whether the last point is joined to the first.
        #[tagged(default)]
        closed: bool,
    },
    /// Lines along two directions that cross; sets `corners`, `border`, `corner_00`, `corner_10`, `corner_01`,
    /// `corner_11`.
    Net {
        /// The first corner [m].
        #[tagged(default)]
        #[scene(local)]
        origin: [f64; 3],
        /// Vectors along the two edges [m].
        #[scene(local)]
        sides: [[f64; 3]; 2],
        /// Number of meshes along each.
        meshes: [usize; 2],
    },
    /// Tetrahedra that fill a box; sets and surfaces `x_min`, `x_max`, `y_min`, `y_max`, `z_min`, `z_max`.
    Block {
        /// The lowest corner [m].
        #[tagged(default)]
        #[scene(local)]
        origin: [f64; 3],
        /// Edges along the axes [m].
        #[scene(local)]
        size: [f64; 3],
        /// Number of cells along each.
        cells: [usize; 3],
        /// How each cell is cut.
        #[tagged(default)]
        split: SplitType,
    },
}

fn one() -> usize {
    1
}

/// How the cells of a block are cut into tetrahedra.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum SplitType {
    /// Five each, in two patterns that alternate.
    Five,
    /// Six each, around a diagonal.
    #[default]
    Six,
}

/// Equal copies on a lattice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct CopiesSpec {
    /// Number along each axis.
    pub count: [usize; 3],
    /// Distance along each axis [m].
    #[scene(local)]
    pub spacing: [f64; 3],
}

/// A cross-section; y and z are its own axes, x goes along the line.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "section", default = "circle")]
pub struct SectionSpec {
    /// Shape.
    #[tagged(variant)]
    pub kind: SectionType,
    /// Place of the section's centre along y and z of the line of nodes [m].
    #[tagged(default)]
    pub offset: [f64; 2],
    /// Turn about the line [rad].
    #[tagged(default)]
    pub angle: f64,
}

impl From<SectionType> for SectionSpec {
    fn from(kind: SectionType) -> Self {
        Self { kind, offset: [0.0; 2], angle: 0.0 }
    }
}

impl SectionSpec {
    /// A full circle [m].
    pub fn circle(radius: f64) -> Self {
        SectionType::Circle { radius }.into()
    }

    /// A rectangle with sizes along y and z [m].
    pub fn rectangle(width: f64, height: f64) -> Self {
        SectionType::Rectangle { width, height }.into()
    }

    /// A ring [m].
    pub fn tube(radius: f64, inner_radius: f64) -> Self {
        SectionType::Tube { radius, inner_radius }.into()
    }
}

/// Shape of a cross-section.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum SectionType {
    /// A full circle.
    Circle {
        /// Radius [m].
        radius: f64,
    },
    /// A rectangle.
    Rectangle {
        /// Size along y [m].
        width: f64,
        /// Size along z [m].
        height: f64,
    },
    /// A ring.
    Tube {
        /// Outer radius [m].
        radius: f64,
        /// Inner radius [m].
        inner_radius: f64,
    },
    /// Stiffness and inertia as they are.
    User {
        /// Stiffness over stretch, shear along y and z, twist, bending about y and z [N, N·m, N·m²].
        stiffness: Matrix6,
        /// Inertia per length over the same motions [kg/m, kg, kg·m].
        inertia: Matrix6,
    },
}

/// A linear elastic material.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct ElasticSpec {
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    #[serde(default)]
    pub poisson: f64,
    /// Density [kg/m³].
    pub density: f64,
}

impl ElasticSpec {
    /// Young's modulus [Pa], Poisson's ratio and density [kg/m³].
    pub fn new(young: f64, poisson: f64, density: f64) -> Self {
        Self { young, poisson, density }
    }
}

/// How cables measure strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum StrainType {
    /// Stretch, and turn per unstretched length.
    #[default]
    Material,
    /// Strain of Green, and the curvature of the line in space.
    Green,
}

/// Damping of elements: $f = -a M v - b K v$, and stress that follows the rate of strain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct StructureDampingSpec {
    /// Weight a of the mass [1/s].
    pub mass: f64,
    /// Weight b of the stiffness [s].
    pub stiffness: f64,
    /// Time by which stress follows the rate of strain [s].
    pub structural: f64,
}

/// Nodes or elements of a structure: a set, a number, or a list of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, SceneObject)]
#[serde(transparent)]
pub struct MeshItems(#[scene(text)] pub Vec<String>);

impl From<&str> for MeshItems {
    fn from(name: &str) -> Self {
        Self(vec![name.into()])
    }
}

impl fmt::Display for MeshItems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// Nodes or elements of a structure.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "MeshItems")]
#[allow(dead_code)]
enum MeshItemsSchema {
    /// A set.
    Set(String),
    /// A number of the mesh.
    Number(u64),
    /// Several.
    List(Vec<MeshItemSchema>),
}

/// One item of a list of nodes or elements.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "MeshItem")]
#[allow(dead_code)]
enum MeshItemSchema {
    /// A set.
    Set(String),
    /// A number of the mesh.
    Number(u64),
}

impl JsonSchema for MeshItems {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "MeshItems".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        MeshItemsSchema::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for MeshItems {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = MeshItems;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a set, a number of the mesh, or a list of these")
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<MeshItems, E> {
                Ok(v.into())
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<MeshItems, E> {
                Ok(MeshItems(vec![v.to_string()]))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<MeshItems, E> {
                Ok(MeshItems(vec![v.to_string()]))
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<MeshItems, E> {
                Ok(MeshItems(vec![v.to_string()]))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<MeshItems, A::Error> {
                let mut all = Vec::new();
                while let Some(MeshItems(some)) = seq.next_element()? {
                    all.extend(some);
                }
                Ok(MeshItems(all))
            }
        }
        deserializer.deserialize_any(ItemsVisitor)
    }
}

/// Nodes of which some coordinates do not move.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct FixedSpec {
    /// The nodes.
    pub nodes: MeshItems,
    /// The coordinates that are held. Default: all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hold: Vec<NodeColumn>,
}

impl FixedSpec {
    /// All coordinates of some nodes.
    pub fn all(nodes: &str) -> Self {
        Self { nodes: nodes.into(), hold: Vec::new() }
    }
}

/// Coordinates of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum NodeColumn {
    /// Position along x.
    X,
    /// Position along y.
    Y,
    /// Position along z.
    Z,
    /// All of the position.
    Position,
    /// Rotation about all axes; nodes with a rotation.
    Rotation,
    /// Rotation about the x axis of the node.
    RotationX,
    /// Rotation about the y axis of the node.
    RotationY,
    /// Rotation about the z axis of the node.
    RotationZ,
    /// The slope along the line, direction and length; nodes with a slope or gradients.
    Slope,
    /// All gradients; nodes with gradients.
    Gradients,
}

/// A mass at nodes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct NodeMassSpec {
    /// The nodes; each has all of the mass.
    pub nodes: MeshItems,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia in the axes of the node [kg·m²]; only nodes with a rotation take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<Inertia>,
}

/// What acts on nodes, on lines or on a surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct StructureLoadSpec {
    /// Nodes that `force` and `moment` act on; each has all of the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<MeshItems>,
    /// Force [N].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub force: Option<[f64; 3]>,
    /// Moment [N·m].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub moment: Option<[f64; 3]>,
    /// Elements that `force_per_length` acts on: a set, a number, or `all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elements: Option<MeshItems>,
    /// Force per length of lines [N/m].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub force_per_length: Option<[f64; 3]>,
    /// Surface of tetrahedra that `pressure` acts on: a surface of the mesh, or `skin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub surface: Option<String>,
    /// Pressure against the surface [Pa].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure: Option<f64>,
    /// Whether forces and moments turn with the nodes or elements; pressures always do.
    pub follower: bool,
    /// Factor over time. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<Function>,
}

impl StructureLoadSpec {
    /// A force on nodes [N].
    pub fn force(nodes: &str, force: [f64; 3]) -> Self {
        Self { nodes: Some(nodes.into()), force: Some(force), ..Self::default() }
    }

    /// A moment on nodes [N·m].
    pub fn moment(nodes: &str, moment: [f64; 3]) -> Self {
        Self { nodes: Some(nodes.into()), moment: Some(moment), ..Self::default() }
    }
}

/// A joint of a node with a body, the ground or another node.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "joint")]
pub struct NodeJointSpec {
    /// Name, used in messages. Default: made of the structure and the node.
    #[tagged(default, skip_if = String::is_empty)]
    #[scene(name)]
    pub name: String,
    /// What it holds.
    #[tagged(variant)]
    pub kind: NodeJointType,
    /// The node: a number or a set of one node.
    pub node: MeshItems,
    /// What it is joined to: `ground`, a body, `body/marker`, or a node `structure/node`. The place is that of the node
    /// at the start.
    #[tagged(default = ground, except = "coordinate")]
    #[scene(refers(Bodies, Structures))]
    pub to: String,
}

fn ground() -> String {
    super::GROUND.into()
}

impl NodeJointSpec {
    /// A joint of a node with `to`.
    pub fn new(kind: NodeJointType, node: &str, to: &str) -> Self {
        Self { name: String::new(), kind, node: node.into(), to: to.into() }
    }
}

/// What a joint of a node holds.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum NodeJointType {
    /// The place.
    Point,
    /// Place and direction: of a slope its direction, of gradients all directions; of two nodes everything.
    Clamp,
    /// The place, and that the slope turns about `axis` only.
    Hinge {
        /// Axis of the hinge in the world at the start, a unit vector; of a hinge with a body or the ground.
        #[scene(vector)]
        axis: Option<[f64; 3]>,
        /// Which gradient of the first node is the axis of a hinge of two nodes: 0 is the slope along the line, 1 and 2
        /// are those across.
        gradient: Option<u8>,
    },
    /// The direction of a slope or gradient.
    Direction {
        /// World direction at the start that is kept, a unit vector. Default: that of the gradient.
        #[scene(vector)]
        axis: Option<[f64; 3]>,
        /// Which gradient it holds: 0 is the slope along the line, 1 and 2 are those across.
        #[tagged(default, skip_if = is_default)]
        gradient: u8,
    },
    /// One coordinate moves as prescribed.
    Coordinate {
        /// Which coordinate: 0, 1, 2 are x, y, z; then the slope or the gradients.
        coordinate: u8,
        /// Its displacement over time [m].
        displacement: Function,
    },
}

/// How a structure touches.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct StructureContactSpec {
    /// Contact material. Default: the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Contact radius of lines and of their spheres [m]. Default: that of the section. Of skins the border around the
    /// triangles.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Contact geometry. Default: capsules of lines and the skin of tetrahedra.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shape: Option<StructureContactType>,
    /// Capsules or spheres along each element of a line. Default: 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<usize>,
    /// Whether the structure touches itself.
    pub self_contact: bool,
}

/// What of a structure touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum StructureContactType {
    /// Capsules along lines.
    #[default]
    Capsules,
    /// Rows of spheres along lines.
    Spheres,
    /// The triangles around tetrahedra.
    Skin,
}
