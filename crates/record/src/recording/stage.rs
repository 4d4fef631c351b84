//! What stands on the stage of a recording: groups of items and their fields, shapes, meshes, looks.

use serde::{Deserialize, Serialize};

/// Everything that a recording shows, whenever it is there.
///
/// Nothing is ever taken from a stage: items that come later get new places at the end of their groups, and frames
/// tell which of them are there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Name of the run.
    pub name: String,
    /// Program and version that wrote it.
    pub generator: String,
    /// Direction that points up; against gravity where there is one.
    pub up: [f32; 3],
    /// Sets of items, in the order in which frames hold them.
    pub groups: Vec<Group>,
    /// Quantities with one number a frame, in the order in which frames hold them.
    pub scalars: Vec<Scalar>,
    /// Surfaces of triangles that batches refer to.
    pub meshes: Vec<Mesh>,
    /// How surfaces look.
    pub looks: Vec<Look>,
    /// Shapes that move with items of groups.
    pub batches: Vec<Batch>,
    /// Surfaces whose vertices are the items of a group.
    pub skins: Vec<Skin>,
    /// Chains of round segments between items of a group.
    pub tubes: Vec<Tubes>,
    /// Elements between items of a group, with numbers of their own; not drawn.
    #[serde(default)]
    pub cells: Vec<Cells>,
    /// Joints between bodies.
    pub joints: Vec<JointMark>,
    /// Camera, lights and colours asked for by the scene, as the render description writes them.
    pub view: Option<serde_json::Value>,
    /// What tells things of the same name apart in the program that records; not written.
    #[serde(skip)]
    pub keys: StageKeys,
}

/// Numbers of the things on a stage, which no other thing gets as long as a program records; names may be used again.
/// Where a list is empty, names alone say what is what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StageKeys {
    /// One entry per group.
    pub groups: Vec<GroupKeys>,
    /// One number per joint.
    pub joints: Vec<u64>,
}

/// Numbers of a group and of its items.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupKeys {
    /// Number of the group.
    pub group: u64,
    /// One number per item.
    pub items: Vec<u64>,
}

impl Stage {
    /// A frame with the groups and fields of the stage, all empty.
    pub fn blank_frame(&self) -> Frame {
        let group = |group: &Group| GroupFrame { count: 0, fields: vec![Vec::new(); group.fields.len()] };
        Frame { groups: self.groups.iter().map(group).collect(), ..Frame::default() }
    }
}

/// What the items of a group are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// Rigid bodies.
    Bodies,
    /// Grains.
    Particles,
    /// Nodes of flexible parts.
    Nodes,
    /// Fluid markers.
    Markers,
    /// Contacts; their number changes from frame to frame.
    Contacts,
}

/// A set of items with the same fields.
///
/// Names with a meaning: `position` [m, 3], `rotation` [quaternion x y z w, 4], `velocity` [m/s, 3],
/// `angular_velocity` [rad/s, world axes, 3], `radius` [m, 1], `id` [1]; for contacts `position`, `force` [N, 3, on
/// the second body, world axes], `normal` [3, from the first to the second], `gap` [m, 1] and `a`, `b` (items of
/// the group of bodies, −1 for none).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Group {
    /// Unique name.
    pub name: String,
    /// What its items are.
    pub kind: GroupKind,
    /// Names of items; empty where they have none.
    #[serde(default)]
    pub names: Vec<String>,
    /// Fields that frames hold, in that order.
    pub fields: Vec<Field>,
    /// Fields written once, in the order of `constant_values`.
    #[serde(default)]
    pub constants: Vec<Field>,
    /// Values of the constants, one array a field, components of an item side by side.
    #[serde(skip)]
    pub constant_values: Vec<Vec<f32>>,
}

/// One quantity of every item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Field {
    /// Name.
    pub name: String,
    /// Unit, such as `m/s`; empty for pure numbers.
    pub unit: String,
    /// Numbers an item.
    pub components: usize,
}

/// A quantity with one number a frame.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scalar {
    /// Name, such as `energy.kinetic`.
    pub name: String,
    /// Unit.
    pub unit: String,
}

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mesh {
    /// Name.
    pub name: String,
    /// Corner points x y z [m].
    #[serde(skip)]
    pub vertices: Vec<f32>,
    /// Corners of each triangle, counter-clockwise from outside.
    #[serde(skip)]
    pub triangles: Vec<u32>,
    /// Draw without smoothing across edges sharper than this angle [rad].
    pub crease: f32,
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Look {
    /// Name, often that of the material.
    pub name: String,
    /// Red, green, blue (sRGB) and opacity, 0 … 1.
    pub color: [f32; 4],
    /// 0 mirrors, 1 is dull.
    pub roughness: f32,
    /// Whether it looks like a metal.
    pub metal: bool,
}

/// Shapes of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchKind {
    /// Size: radius.
    Sphere,
    /// Size: three semi-axes.
    Ellipsoid,
    /// Size: three half edges.
    Box,
    /// Along z; size: radius, half length of the segment.
    Capsule,
    /// Along z; size: radius, half length.
    Cylinder,
    /// Base at −z, apex at +z; size: radius, half length.
    Cone,
    /// Size: three half edges without the border, border.
    RoundedBox,
    /// Along z; size: radius and half length without the border, border.
    RoundedCylinder,
    /// z ≤ 0; no size.
    HalfSpace,
    /// A mesh; no size.
    Mesh,
}

impl BatchKind {
    /// Numbers that give the size of one shape.
    pub fn size_len(self) -> usize {
        match self {
            Self::Sphere => 1,
            Self::Ellipsoid | Self::Box | Self::RoundedCylinder => 3,
            Self::Capsule | Self::Cylinder | Self::Cone => 2,
            Self::RoundedBox => 4,
            Self::HalfSpace | Self::Mesh => 0,
        }
    }
}

/// Shapes of one kind that move with items of one group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Kind of shape.
    pub kind: BatchKind,
    /// Index of the group.
    pub group: usize,
    /// Index of the mesh, for [`BatchKind::Mesh`].
    #[serde(default)]
    pub mesh: Option<usize>,
    /// Whether drawn but not touched.
    #[serde(default)]
    pub visual: bool,
    /// Item of each shape.
    #[serde(skip)]
    pub items: Vec<u32>,
    /// Look of each shape.
    #[serde(skip)]
    pub looks: Vec<u32>,
    /// Sizes, [`BatchKind::size_len`] numbers a shape.
    #[serde(skip)]
    pub sizes: Vec<f32>,
    /// Place of each shape in the frame of its item [m]; empty where all are at the origin.
    #[serde(skip)]
    pub positions: Vec<f32>,
    /// Rotation x y z w of each shape in the frame of its item; empty where none is turned.
    #[serde(skip)]
    pub rotations: Vec<f32>,
}

/// A surface whose vertices are the items of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// Index of the group.
    pub group: usize,
    /// Index of the look.
    pub look: usize,
    /// Items at the corners of each triangle.
    #[serde(skip)]
    pub triangles: Vec<u32>,
}

/// Round segments between items of a group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tubes {
    /// Index of the group.
    pub group: usize,
    /// Index of the look.
    pub look: usize,
    /// Radius [m].
    pub radius: f32,
    /// Items at the ends of each segment.
    #[serde(skip)]
    pub segments: Vec<u32>,
}

/// Elements between items of a group. Each is an item of another group, whose fields are its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cells {
    /// Index of the group of the corners.
    pub group: usize,
    /// Index of the group whose items are the elements.
    pub elements: usize,
    /// Corners of each: 2 of a line, 3 of a line with its middle last, 4 of a tetrahedron, or as `vtk` says.
    pub corners: usize,
    /// What they are as VTK counts cells, with corners in its order, where their number does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vtk: Option<u8>,
    /// Items at the corners of each element.
    #[serde(skip)]
    pub items: Vec<u32>,
}

/// A joint: a frame on each of its bodies, there from `since` until `until`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JointMark {
    /// Name.
    pub name: String,
    /// Kind, such as `revolute`.
    pub kind: String,
    /// Item of the first body, or none for the ground.
    pub a: Option<u32>,
    /// Item of the second body, or none for the ground.
    pub b: Option<u32>,
    /// Place in the frame of the first body [m].
    pub position_a: [f32; 3],
    /// Rotation x y z w in the frame of the first body.
    pub rotation_a: [f32; 4],
    /// Place in the frame of the second body [m].
    pub position_b: [f32; 3],
    /// Rotation x y z w in the frame of the second body.
    pub rotation_b: [f32; 4],
    /// Time from which on it is there [s]; from the beginning where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<f64>,
    /// Time from which on it is gone [s]; never where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<f64>,
}

impl JointMark {
    /// Whether it is there at a time [s].
    pub fn is_there(&self, time: f64) -> bool {
        self.since.is_none_or(|since| time >= since) && self.until.is_none_or(|until| time < until)
    }
}

/// Items at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Frame {
    /// Time [s].
    pub time: f64,
    /// Steps done.
    pub step: u64,
    /// One number a scalar of the stage.
    pub scalars: Vec<f64>,
    /// One entry a group of the stage.
    pub groups: Vec<GroupFrame>,
}

/// Items of one group at one moment. All numbers of an item that is not there are [`ABSENT`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GroupFrame {
    /// Number of items.
    pub count: usize,
    /// One array a field of the group, components of an item side by side.
    pub fields: Vec<Vec<f32>>,
}

/// Stands for each number of an item that is not there.
pub const ABSENT: f32 = f32::NAN;

impl GroupFrame {
    /// Whether an item is there: counted, and with a number to begin with.
    pub fn is_there(&self, item: usize) -> bool {
        let first = self.fields.iter().find(|field| !field.is_empty());
        let number = first.and_then(|field| field.get(item * (field.len() / self.count.max(1))));
        item < self.count && number.is_none_or(|number| !number.is_nan())
    }

    /// Number of items that are there.
    pub fn present(&self) -> usize {
        (0..self.count).filter(|item| self.is_there(*item)).count()
    }
}
