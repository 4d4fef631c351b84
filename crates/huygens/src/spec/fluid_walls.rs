//! What bounds a fluid: walls, inlets and outlets.

use std::path::PathBuf;

use glam::DVec3;
use huygens_geometry::Pose;
use huygens_spec::{Placement, Rotation, SceneObject, orientation};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MotionSpec, ShapeSpec, ShapeType, WallEnds, WallFace, WallSide};

/// Kind of a wall of a fluid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidWallType {
    /// Box between the corners `low` and `high`: fluid is inside, and faces in `open` are missing; or it is a block in
    /// the fluid, with `side = "outside"`.
    #[default]
    Box,
    /// Rectangle in the plane z = 0, of edges `size` along x and y; fluid is where z > 0.
    Plane,
    /// Cylinder about z, centred: `radius`, `length`, `side`, `ends`.
    Cylinder,
    /// Ball in the fluid: `radius`.
    Sphere,
    /// Triangles: of `points` and `triangles`, or from a `file` (OBJ, STL); `side`, outside if absent.
    Mesh,
    /// Ground below `heights` over a rectangle of edges `size`, or from a `file` of numbers.
    HeightField,
    /// Markers one by one: `points`.
    Points,
}

/// A wall of a fluid: at rest, moved by functions of time, or carried by a body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(carried_by(body), place_with = Self::place_pose)]
#[serde(deny_unknown_fields)]
pub struct FluidWallSpec {
    /// Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: FluidWallType,
    /// Lowest corner of a box [m], in its own axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub low: Option<[f64; 3]>,
    /// Highest corner of a box [m], in its own axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub high: Option<[f64; 3]>,
    /// Edge lengths of a plane or height field [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<[f64; 2]>,
    /// Radius [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Length along z [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Where the fluid is; inside a box or cylinder, outside a mesh if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<WallSide>,
    /// Which ends of a cylinder are closed; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<WallEnds>,
    /// Faces of a box that are missing, such as `["+z"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<WallFace>,
    /// Points of a mesh, or markers [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub points: Option<Vec<[f64; 3]>>,
    /// Triangles of a mesh: the places of their corners among `points`, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
    /// Rows of heights [m]: each along x, the rows along y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heights: Option<Vec<Vec<f64>>>,
    /// File of a mesh (OBJ or STL), or of heights; below the scene's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(file = found)]
    pub file: Option<String>,
    /// Metres of one unit of the `file`, `points` or `heights`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Layers of markers; as many as the kernel reaches over if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layers: Option<usize>,
    /// Whether fluid slides along it without friction.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slip: bool,
    /// Position of its origin [m] in the world, or in the frame of its body.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[scene(point)]
    pub position: [f64; 3],
    /// Orientation in the world, or in the frame of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(placed)]
    pub rotation: Option<Rotation>,
    /// Direction of its z axis, a unit vector; instead of `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(placed)]
    pub axis: Option<[f64; 3]>,
    /// Body that carries it and feels what the fluid does to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(refers(Bodies))]
    pub body: Option<String>,
    /// Prescribed motion from its pose; instead of `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// Whether it is seen; if absent, all are but boxes around the fluid and markers one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// Where the loader of a scene file found `file`; without it `file` is relative to the working folder.
    #[serde(skip)]
    pub found: Option<PathBuf>,
}

fn is_zero(v: &[f64; 3]) -> bool {
    *v == [0.0; 3]
}

/// What is wrong, and with which key.
type Wrong = (&'static str, String);

impl FluidWallSpec {
    fn of(kind: FluidWallType, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), ..Self::default() }
    }

    /// A box around the fluid, without its upper face if `open`.
    pub fn tank(name: impl Into<String>, low: [f64; 3], high: [f64; 3], open: &[WallFace]) -> Self {
        let of = Self::of(FluidWallType::Box, name);
        Self { low: Some(low), high: Some(high), open: open.to_vec(), ..of }
    }

    /// A block in the fluid between two corners [m].
    pub fn block(name: impl Into<String>, low: [f64; 3], high: [f64; 3]) -> Self {
        Self { side: Some(WallSide::Outside), ..Self::tank(name, low, high, &[]) }
    }

    /// A rectangle about `position` [m] with edges `size` [m] and the normal `axis` on the side of the fluid.
    pub fn plane(name: impl Into<String>, position: [f64; 3], axis: [f64; 3], size: [f64; 2]) -> Self {
        Self { position, axis: Some(axis), size: Some(size), ..Self::of(FluidWallType::Plane, name) }
    }

    /// A cylinder of `radius` and `length` [m] along z, around the fluid.
    pub fn cylinder(name: impl Into<String>, radius: f64, length: f64) -> Self {
        Self { radius: Some(radius), length: Some(length), ..Self::of(FluidWallType::Cylinder, name) }
    }

    /// Markers one by one [m].
    pub fn points(name: impl Into<String>, points: Vec<[f64; 3]>) -> Self {
        Self { points: Some(points), ..Self::of(FluidWallType::Points, name) }
    }

    /// Lets a body carry it.
    #[must_use]
    pub fn on(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Name of the kind, as scene files write it.
    pub fn kind_name(&self) -> String {
        serde_json::to_value(self.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Where the fluid is.
    pub fn fluid_side(&self) -> WallSide {
        let usual = match self.kind {
            FluidWallType::Box | FluidWallType::Cylinder => WallSide::Inside,
            _ => WallSide::Outside,
        };
        self.side.unwrap_or(usual)
    }

    fn place_pose(&mut self, placement: &Placement) -> Result<(), String> {
        placement.orient(&mut self.rotation, &mut self.axis);
        Ok(())
    }

    /// Whether it is seen.
    pub fn is_visible(&self) -> bool {
        let hidden = match self.kind {
            FluidWallType::Box => self.fluid_side() == WallSide::Inside,
            FluidWallType::Points => true,
            _ => false,
        };
        self.visible.unwrap_or(!hidden)
    }

    /// Its pose in the world, or in the frame of its body.
    pub fn pose(&self) -> Result<Pose, Wrong> {
        let key = if self.axis.is_some() { "axis" } else { "rotation" };
        let rotation = orientation(self.rotation, self.axis).map_err(|e| (key, e))?;
        let position = DVec3::from_array(self.position);
        match position.is_finite() {
            true => Ok(Pose { position, rotation }),
            false => Err(("position", "all components must be finite".into())),
        }
    }

    /// Refuses keys that do not belong to the kind.
    pub fn check(&self) -> Result<(), Wrong> {
        use FluidWallType as T;
        let k = self.kind;
        for (key, given, belongs) in [
            ("low", self.low.is_some(), k == T::Box),
            ("high", self.high.is_some(), k == T::Box),
            ("size", self.size.is_some(), matches!(k, T::Plane | T::HeightField)),
            ("radius", self.radius.is_some(), matches!(k, T::Cylinder | T::Sphere)),
            ("length", self.length.is_some(), k == T::Cylinder),
            ("side", self.side.is_some(), matches!(k, T::Box | T::Cylinder | T::Mesh)),
            ("ends", self.ends.is_some(), k == T::Cylinder),
            ("open", !self.open.is_empty(), k == T::Box),
            ("points", self.points.is_some(), matches!(k, T::Mesh | T::Points)),
            ("triangles", self.triangles.is_some(), k == T::Mesh),
            ("heights", self.heights.is_some(), k == T::HeightField),
            ("file", self.file.is_some(), matches!(k, T::Mesh | T::HeightField)),
            ("scale", self.scale.is_some(), matches!(k, T::Mesh | T::HeightField)),
            ("layers", self.layers.is_some(), k != T::Points),
        ] {
            if given && !belongs {
                return Err((key, format!("`{key}` does not belong to a {}", self.kind_name())));
            }
        }
        if let Some(layers) = self.layers.filter(|n| !(1..=100).contains(n)) {
            return Err(("layers", format!("layers = {layers} is not allowed; 1 to 100 are")));
        }
        if !self.open.is_empty() && self.fluid_side() == WallSide::Outside {
            return Err(("open", "a block in the fluid has no open faces".into()));
        }
        Ok(())
    }

    /// A length that its kind needs [m].
    pub fn length_of(&self, key: &'static str, value: Option<f64>) -> Result<f64, Wrong> {
        match value {
            Some(x) if x > 0.0 && x.is_finite() => Ok(x),
            Some(x) => Err((key, format!("{key} = {x} is not allowed; a positive finite number is needed"))),
            None => Err((key, format!("a {} needs `{key}`", self.kind_name()))),
        }
    }

    /// The corners of a box [m].
    pub fn corners(&self) -> Result<[DVec3; 2], Wrong> {
        let (Some(low), Some(high)) = (self.low, self.high) else {
            let key = if self.low.is_none() { "low" } else { "high" };
            return Err((key, format!("a box needs `{key}`")));
        };
        let (low, high) = (DVec3::from_array(low), DVec3::from_array(high));
        match low.is_finite() && high.is_finite() && low.cmple(high).all() {
            true => Ok([low, high]),
            false => {
                Err(("high", format!("high = {high} is not allowed; a corner above low = {low} is needed")))
            }
        }
    }

    /// Which ends of a cylinder are closed: the one at lower z, and the one at upper z.
    pub fn closed_ends(&self) -> [bool; 2] {
        let ends = self.ends.unwrap_or_default();
        [
            matches!(ends, WallEnds::Lower | WallEnds::Closed),
            matches!(ends, WallEnds::Upper | WallEnds::Closed),
        ]
    }

    /// A mesh or height field, as a shape.
    pub(crate) fn shape(&self) -> ShapeSpec {
        let kind = match self.kind {
            FluidWallType::HeightField => ShapeType::HeightField,
            _ => ShapeType::Mesh,
        };
        ShapeSpec {
            kind,
            points: self.points.clone(),
            triangles: self.triangles.clone(),
            heights: self.heights.clone(),
            size: self.size.map(|size| size.to_vec()),
            file: self.file.clone(),
            scale: self.scale,
            found: self.found.clone(),
            ..ShapeSpec::default()
        }
    }
}

/// A rectangle through which fluid comes in at a constant velocity.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct FluidInletSpec {
    /// Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// Centre [m].
    #[scene(point)]
    pub center: [f64; 3],
    /// Velocity [m/s], normal to the rectangle.
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Direction of one side of the rectangle, normal to the velocity.
    #[scene(vector)]
    pub along: [f64; 3],
    /// Length of this side and of the other [m]; in a plane the second is not used.
    pub size: [f64; 2],
}

/// A plane through which fluid goes out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct FluidOutletSpec {
    /// Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// A point of the plane [m].
    #[scene(point)]
    pub position: [f64; 3],
    /// Direction out of the fluid.
    #[scene(vector)]
    pub normal: [f64; 3],
}
