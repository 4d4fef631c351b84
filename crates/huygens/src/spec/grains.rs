//! Granular matter: grains, the walls they touch, and how they are moved.

use std::fmt;
use std::path::PathBuf;

use glam::{DMat3, DQuat, DVec3};
use huygens_geometry::Pose;
use huygens_kernel::contact::CompliantModel;
use huygens_particles::Surface;
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

use super::grain_clumps::ClumpSpec;
use super::grain_forces::{GrainDragSpec, NearFieldSpec};
use super::grain_measures::GrainMeasureSpec;
use super::grain_sources::{BoundarySpec, FillMeshSpec, GrainFillSpec, InletSpec, OutletSpec};
use super::value::{Rotation, orientation};
use super::{FrameSpec, MotionSpec, ShapeSpec};

/// Most grains that a scene file may list.
pub const MAX_GRAINS: usize = 10_000_000;
/// Most walls of one set of grains.
pub const MAX_WALLS: usize = 10_000;

/// Granular matter: spheres under the compliant contact law, on fields of their own, and the walls they touch.
///
/// Grains touch one another and the walls of their set. They do not see the shapes of bodies: a body meets them
/// through walls that it carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrainsSpec {
    /// Unique name.
    pub name: String,
    /// Material of grains and walls that name none; `default` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Laws of contact; those of `settings.contact.compliant` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub laws: Option<CompliantModel>,
    /// Longest step of the grains [s], or `"auto"`; every step of the world is cut into equal ones.
    #[serde(skip_serializing_if = "GrainStep::is_auto")]
    pub step: GrainStep,
    /// Greatest speed of impacts that `step = "auto"` counts on [m/s]; from the speeds at the start and the height of
    /// the grains if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Axes along which everything repeats.
    #[serde(skip_serializing_if = "PeriodicSpec::is_none")]
    pub periodic: PeriodicSpec,
    /// Walls.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub walls: Vec<WallSpec>,
    /// Grains, given one by one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub particles: Vec<ParticlesSpec>,
    /// Kinds of clumps, grains of several spheres.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub clumps: Vec<ClumpSpec>,
    /// Regions full of grains.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fills: Vec<GrainFillSpec>,
    /// Where grains appear while time goes on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inlets: Vec<InletSpec>,
    /// Where grains disappear.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub outlets: Vec<OutletSpec>,
    /// Drag of a fluid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drag: Option<GrainDragSpec>,
    /// Forces between grains that are near without touching.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near_field: Option<NearFieldSpec>,
    /// What is measured and written to files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub measures: Vec<GrainMeasureSpec>,
    /// What happens to grains that leave a box; nothing if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<BoundarySpec>,
}

impl GrainsSpec {
    /// Granular matter without grains yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Adds a wall.
    #[must_use]
    pub fn with_wall(mut self, wall: WallSpec) -> Self {
        self.walls.push(wall);
        self
    }

    /// Adds a region full of grains.
    #[must_use]
    pub fn with_fill(mut self, fill: GrainFillSpec) -> Self {
        self.fills.push(fill);
        self
    }

    /// Adds grains.
    #[must_use]
    pub fn with_particles(mut self, particles: ParticlesSpec) -> Self {
        self.particles.push(particles);
        self
    }
}

/// How long the steps of grains or of a fluid are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum GrainStep {
    /// From the Rayleigh time of the grains and the time that contacts last, or from the speed of sound, viscosity and
    /// forces of the fluid.
    #[default]
    Auto,
    /// At most so long [s].
    Seconds(f64),
}

impl GrainStep {
    fn is_auto(&self) -> bool {
        *self == Self::Auto
    }

    /// The length that is given [s].
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Auto => None,
            Self::Seconds(step) => Some(*step),
        }
    }
}

impl From<f64> for GrainStep {
    fn from(seconds: f64) -> Self {
        Self::Seconds(seconds)
    }
}

impl Serialize for GrainStep {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Seconds(step) => serializer.serialize_f64(*step),
        }
    }
}

impl<'de> Deserialize<'de> for GrainStep {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct StepVisitor;
        impl Visitor<'_> for StepVisitor {
            type Value = GrainStep;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a step in seconds, or \"auto\"")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<GrainStep, E> {
                Ok(GrainStep::Seconds(v))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<GrainStep, E> {
                Ok(GrainStep::Seconds(v as f64))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<GrainStep, E> {
                Ok(GrainStep::Seconds(v as f64))
            }
            fn visit_str<E: Error>(self, v: &str) -> Result<GrainStep, E> {
                match v {
                    "auto" => Ok(GrainStep::Auto),
                    other => Err(E::custom(format!(
                        "step = \"{other}\" is not allowed; a step in seconds or \"auto\" is needed"
                    ))),
                }
            }
        }
        deserializer.deserialize_any(StepVisitor)
    }
}

/// How long the steps of grains or of a fluid are.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "GrainStep")]
#[allow(dead_code)]
enum GrainStepSchema {
    /// Longest step [s].
    Seconds(f64),
    /// As long as grains or fluid allow.
    Auto(AutoSchema),
}

/// The word that leaves the choice to the engine.
#[derive(JsonSchema)]
#[schemars(rename_all = "snake_case", rename = "Auto")]
#[allow(dead_code)]
enum AutoSchema {
    Auto,
}

impl JsonSchema for GrainStep {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "GrainStep".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        GrainStepSchema::json_schema(generator)
    }
}

/// Axes along which everything repeats: least and greatest coordinate [m] of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PeriodicSpec {
    /// Along x [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub x: Option<[f64; 2]>,
    /// Along y [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub y: Option<[f64; 2]>,
    /// Along z [m].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

impl PeriodicSpec {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    /// The three axes with their names.
    pub fn axes(&self) -> [(&'static str, Option<[f64; 2]>); 3] {
        [("x", self.x), ("y", self.y), ("z", self.z)]
    }
}

/// Grains given one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ParticlesSpec {
    /// Centres [m].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub positions: Vec<[f64; 3]>,
    /// CSV file of `x, y, z, radius` and, if grains move, `vx, vy, vz` [m, m/s]; instead of `positions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where the axes of the `file` lie; those of the world if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frame: Option<FrameSpec>,
    /// Radius of all [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Radius of each [m]; instead of `radius`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub radii: Vec<f64>,
    /// Density [kg/m³].
    pub density: f64,
    /// Velocity of all [m/s].
    #[serde(default, skip_serializing_if = "is_zero")]
    pub velocity: [f64; 3],
    /// Velocity of each [m/s]; instead of `velocity`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocity of each [rad/s], world axes; zero if absent.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub angular_velocities: Vec<[f64; 3]>,
    /// Material; that of the set if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Where the loader of a scene file found `file`; without it `file` is relative to the working folder.
    #[serde(skip)]
    pub found: Option<PathBuf>,
}

fn is_zero(v: &[f64; 3]) -> bool {
    *v == [0.0; 3]
}

impl ParticlesSpec {
    /// Grains of one radius [m] and density [kg/m³], at rest.
    pub fn spheres(positions: Vec<[f64; 3]>, radius: f64, density: f64) -> Self {
        Self { positions, radius: Some(radius), density, ..Self::default() }
    }

    /// The first key that is wrong: its path and what is wrong.
    pub fn check(&self) -> Result<(), (String, String)> {
        let count = self.positions.len();
        match (self.radius, self.radii.len()) {
            (None, 0) => return Err(("positions".into(), "grains need a `radius`, or `radii`".into())),
            (Some(_), 1..) => return Err(("radii".into(), "give radius or radii, not both".into())),
            (Some(radius), 0) => positive("radius", radius)?,
            (None, _) => {}
        }
        for (key, length) in [
            ("radii", self.radii.len()),
            ("velocities", self.velocities.len()),
            ("angular_velocities", self.angular_velocities.len()),
        ] {
            if length != 0 && length != count {
                return Err((key.into(), format!("{length} {key} do not fit {count} positions")));
            }
        }
        if !self.velocities.is_empty() && !is_zero(&self.velocity) {
            return Err(("velocities".into(), "give velocity or velocities, not both".into()));
        }
        positive("density", self.density)?;
        for (k, radius) in self.radii.iter().enumerate() {
            positive("radius", *radius).map_err(|(_, e)| (format!("radii.{k}"), e))?;
        }
        let lists = [
            ("positions", &self.positions[..]),
            ("velocities", &self.velocities[..]),
            ("angular_velocities", &self.angular_velocities[..]),
            ("velocity", std::slice::from_ref(&self.velocity)),
        ];
        for (key, list) in lists {
            if let Some(k) = list.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
                return Err((format!("{key}.{k}"), "all components must be finite".into()));
            }
        }
        Ok(())
    }

    /// Radius of grain `k` [m].
    pub fn radius_of(&self, k: usize) -> f64 {
        self.radii.get(k).copied().or(self.radius).unwrap_or_default()
    }
}

pub(super) fn positive(key: &str, value: f64) -> Result<(), (String, String)> {
    match value > 0.0 && value.is_finite() {
        true => Ok(()),
        false => {
            Err((key.into(), format!("{key} = {value} is not allowed; a positive finite number is needed")))
        }
    }
}

/// Kind of a wall. The axis of round walls is their z axis; all are centred on their origin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WallType {
    /// The plane z = 0; grains are where z > 0.
    #[default]
    Plane,
    /// Cylinder: `radius`, `length`, `side`, `ends`. An open one around the grains is a thin shell.
    Cylinder,
    /// Cone: `radii` at its lower and upper end, `length`, `side`, `ends`. One around the grains is a thin shell.
    Cone,
    /// Sphere: `radius`, `side`.
    Sphere,
    /// Disc in the plane z = 0, touched from both sides: `radius`.
    Disc,
    /// Rectangle in the plane z = 0, touched from both sides: `size` along x and y.
    Rectangle,
    /// Box: `size`, `side`; faces in `open` are missing.
    Box,
    /// Triangles, touched from both sides: of `points` and `triangles`, or from a `file` (OBJ, STL).
    Mesh,
    /// The shapes that its `body` collides with: balls, boxes, cylinders, capsules, hulls, meshes, half-spaces.
    Body,
    /// The contact surface of the lines of its `structure`: capsules or balls.
    Structure,
}

/// Where the grains of a wall are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WallSide {
    /// Inside.
    #[default]
    Inside,
    /// Outside.
    Outside,
}

/// Which ends of a cylinder or cone discs close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WallEnds {
    /// None.
    #[default]
    Open,
    /// The one at lower z.
    Lower,
    /// The one at upper z.
    Upper,
    /// Both.
    Closed,
}

/// A face of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum WallFace {
    /// At least x.
    #[serde(rename = "-x")]
    LowerX,
    /// At greatest x.
    #[serde(rename = "+x")]
    UpperX,
    /// At least y.
    #[serde(rename = "-y")]
    LowerY,
    /// At greatest y.
    #[serde(rename = "+y")]
    UpperY,
    /// At least z.
    #[serde(rename = "-z")]
    LowerZ,
    /// At greatest z.
    #[serde(rename = "+z")]
    UpperZ,
}

impl WallFace {
    const ALL: [Self; 6] =
        [Self::LowerX, Self::UpperX, Self::LowerY, Self::UpperY, Self::LowerZ, Self::UpperZ];

    /// Axis 0 to 2, and the sign of its side.
    fn side(self) -> (usize, f64) {
        let k = self as usize;
        (k / 2, if k.is_multiple_of(2) { -1.0 } else { 1.0 })
    }
}

/// A wall that grains touch: at rest, moved by functions of time, carried by a body, or a flexible structure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WallSpec {
    /// Name, unique among the walls of its grains.
    #[serde(default)]
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: WallType,
    /// Radius [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Radii of a cone at its lower and upper end [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radii: Option<[f64; 2]>,
    /// Length along z [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Edge lengths [m]: two of a rectangle, three of a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Vec<f64>>,
    /// Where the grains of a cylinder, cone, sphere or box are; inside if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<WallSide>,
    /// Which ends of a cylinder or cone are closed; none if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends: Option<WallEnds>,
    /// Faces of a box that are missing, such as `["+z"]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<WallFace>,
    /// Points of a mesh [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
    /// Triangles of a mesh: the places of their corners among `points`, counted from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub triangles: Option<Vec<[u32; 3]>>,
    /// File of a mesh (OBJ or STL); below the scene's folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Metres of one unit of the `file` or `points`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<f64>,
    /// Position of its origin [m] in the world, or in the frame of its body.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub position: [f64; 3],
    /// Orientation in the world, or in the frame of its body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<Rotation>,
    /// Direction of its z axis, a unit vector; instead of `rotation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Material; that of the set if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Body that carries it and feels what the grains do to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Flexible structure of a wall of type `structure`: its lines are the wall, and feel what the grains do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structure: Option<String>,
    /// Prescribed motion from its pose; instead of `body`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub motion: Option<MotionSpec>,
    /// Whether it is seen; if absent, all are but boxes and spheres around the grains, and shapes that are seen as
    /// those of their body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visible: Option<bool>,
    /// Where the loader of a scene file found `file`; without it `file` is relative to the working folder.
    #[serde(skip)]
    pub found: Option<PathBuf>,
}

type Part = (Pose, Surface);

impl WallSpec {
    fn of(kind: WallType, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), ..Self::default() }
    }

    /// The plane through `position` [m] with the normal `axis` on the side of the grains.
    pub fn plane(name: impl Into<String>, position: [f64; 3], axis: [f64; 3]) -> Self {
        Self { position, axis: Some(axis), ..Self::of(WallType::Plane, name) }
    }

    /// A cylinder of `radius` and `length` [m] along z.
    pub fn cylinder(name: impl Into<String>, radius: f64, length: f64) -> Self {
        Self { radius: Some(radius), length: Some(length), ..Self::of(WallType::Cylinder, name) }
    }

    /// A cone of `radii` at its lower and upper end and `length` [m] along z.
    pub fn cone(name: impl Into<String>, radii: [f64; 2], length: f64) -> Self {
        Self { radii: Some(radii), length: Some(length), ..Self::of(WallType::Cone, name) }
    }

    /// A sphere of `radius` [m].
    pub fn sphere(name: impl Into<String>, radius: f64) -> Self {
        Self { radius: Some(radius), ..Self::of(WallType::Sphere, name) }
    }

    /// A disc of `radius` [m].
    pub fn disc(name: impl Into<String>, radius: f64) -> Self {
        Self { radius: Some(radius), ..Self::of(WallType::Disc, name) }
    }

    /// A rectangle of edges `size` [m].
    pub fn rectangle(name: impl Into<String>, size: [f64; 2]) -> Self {
        Self { size: Some(size.to_vec()), ..Self::of(WallType::Rectangle, name) }
    }

    /// Triangles from an OBJ or STL file.
    pub fn mesh(name: impl Into<String>, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..Self::of(WallType::Mesh, name) }
    }

    /// Triangles over points [m]; they hold places in `points`.
    pub fn mesh_of(name: impl Into<String>, points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self { points: Some(points), triangles: Some(triangles), ..Self::of(WallType::Mesh, name) }
    }

    /// The shapes of a body.
    pub fn body(name: impl Into<String>, body: impl Into<String>) -> Self {
        Self { body: Some(body.into()), ..Self::of(WallType::Body, name) }
    }

    /// The lines of a flexible structure, which needs `contact`.
    pub fn structure(name: impl Into<String>, structure: impl Into<String>) -> Self {
        Self { structure: Some(structure.into()), ..Self::of(WallType::Structure, name) }
    }

    /// A box of edges `size` [m] around the grains.
    pub fn cuboid(name: impl Into<String>, size: [f64; 3]) -> Self {
        Self { size: Some(size.to_vec()), ..Self::of(WallType::Box, name) }
    }

    /// Puts it at a place [m].
    #[must_use]
    pub fn at(mut self, position: [f64; 3]) -> Self {
        self.position = position;
        self
    }

    /// Leaves out faces of a box.
    #[must_use]
    pub fn open(mut self, faces: &[WallFace]) -> Self {
        self.open = faces.to_vec();
        self
    }

    /// Gives it a material by name.
    #[must_use]
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Lets a body carry it.
    #[must_use]
    pub fn on(mut self, body: impl Into<String>) -> Self {
        self.body = Some(body.into());
        self
    }

    /// Whether it is seen.
    pub fn is_visible(&self) -> bool {
        let around = match self.kind {
            WallType::Box | WallType::Sphere => self.side.unwrap_or_default() == WallSide::Inside,
            WallType::Body => true,
            // Structures are drawn themselves.
            WallType::Structure => return false,
            _ => false,
        };
        self.visible.unwrap_or(!around)
    }

    /// Its pose in the world, or in the frame of its body.
    pub fn pose(&self) -> Result<Pose, (&'static str, String)> {
        let key = if self.axis.is_some() { "axis" } else { "rotation" };
        let rotation = orientation(self.rotation, self.axis).map_err(|e| (key, e))?;
        let position = DVec3::from_array(self.position);
        match position.is_finite() {
            true => Ok(Pose { position, rotation }),
            false => Err(("position", "all components must be finite".into())),
        }
    }

    /// Name of the kind, as scene files write it.
    pub fn kind_name(&self) -> String {
        serde_json::to_value(self.kind).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Refuses keys that do not belong to the kind.
    fn check_keys(&self) -> Result<(), (&'static str, String)> {
        use WallType as T;
        let k = self.kind;
        for (key, given, belongs) in [
            ("radius", self.radius.is_some(), matches!(k, T::Cylinder | T::Sphere | T::Disc)),
            ("radii", self.radii.is_some(), k == T::Cone),
            ("length", self.length.is_some(), matches!(k, T::Cylinder | T::Cone)),
            ("size", self.size.is_some(), matches!(k, T::Rectangle | T::Box)),
            ("side", self.side.is_some(), matches!(k, T::Cylinder | T::Cone | T::Sphere | T::Box)),
            ("ends", self.ends.is_some(), matches!(k, T::Cylinder | T::Cone)),
            ("open", !self.open.is_empty(), k == T::Box),
            ("points", self.points.is_some(), k == T::Mesh),
            ("triangles", self.triangles.is_some(), k == T::Mesh),
            ("file", self.file.is_some(), k == T::Mesh),
            ("scale", self.scale.is_some(), k == T::Mesh),
            ("structure", self.structure.is_some(), k == T::Structure),
            ("position", self.position != [0.0; 3], k != T::Structure),
            ("rotation", self.rotation.is_some(), k != T::Structure),
            ("axis", self.axis.is_some(), k != T::Structure),
            ("body", self.body.is_some(), k != T::Structure),
            ("motion", self.motion.is_some(), k != T::Structure),
            ("visible", self.visible.is_some(), k != T::Structure),
        ] {
            if given && !belongs {
                return Err((key, format!("`{key}` does not belong to a {}", self.kind_name())));
            }
        }
        Ok(())
    }

    fn length_of(&self, key: &'static str, value: Option<f64>) -> Result<f64, (&'static str, String)> {
        match value {
            Some(x) if x > 0.0 && x.is_finite() => Ok(x),
            Some(x) => Err((key, format!("{key} = {x} is not allowed; a positive finite number is needed"))),
            None => Err((key, format!("a {} needs `{key}`", self.kind_name()))),
        }
    }

    fn sizes<const N: usize>(&self) -> Result<[f64; N], (&'static str, String)> {
        let wrong = || {
            let given = self.size.clone().unwrap_or_default();
            ("size", format!("a {} needs {N} positive lengths as `size`, not {given:?}", self.kind_name()))
        };
        let size: [f64; N] = self.size.as_deref().unwrap_or(&[]).try_into().map_err(|_| wrong())?;
        if size.iter().all(|x| *x > 0.0 && x.is_finite()) { Ok(size) } else { Err(wrong()) }
    }

    /// The mesh, as a shape.
    pub(crate) fn mesh_shape(&self) -> ShapeSpec {
        let (points, triangles) = (self.points.clone(), self.triangles.clone());
        let (file, scale, found) = (self.file.clone(), self.scale, self.found.clone());
        FillMeshSpec { points, triangles, file, scale, found, frame: None }.shape()
    }

    /// The surfaces it is made of, in its own axes; none of a mesh, of the shapes of a body, or of a structure.
    pub fn parts(&self) -> Result<Vec<Part>, (&'static str, String)> {
        self.check_keys()?;
        let hollow = self.side.unwrap_or_default() == WallSide::Inside;
        let one = |surface| vec![(Pose::IDENTITY, surface)];
        Ok(match self.kind {
            WallType::Plane => one(Surface::Plane),
            WallType::Sphere => {
                one(Surface::Sphere { radius: self.length_of("radius", self.radius)?, hollow })
            }
            WallType::Disc => one(Surface::Disc { radius: self.length_of("radius", self.radius)? }),
            WallType::Rectangle => {
                one(Surface::Rectangle { half: self.sizes::<2>()?.map(|edge| 0.5 * edge) })
            }
            WallType::Cylinder => {
                let radius = self.length_of("radius", self.radius)?;
                match (self.ends.unwrap_or_default(), self.length) {
                    (WallEnds::Closed, length) => {
                        let half = 0.5 * self.length_of("length", length)?;
                        one(Surface::ClosedCylinder { radius, span: [-half, half], hollow })
                    }
                    _ => self.round([radius; 2], |span| Surface::Cylinder { radius, span, hollow })?,
                }
            }
            WallType::Cone => {
                let radii = self.radii.unwrap_or([0.0; 2]);
                let fine = radii.iter().all(|r| *r >= 0.0 && r.is_finite()) && radii[0] + radii[1] > 0.0;
                if !fine {
                    let problem =
                        "a cone needs `radii` at its lower and upper end, zero or more, not both zero";
                    return Err(("radii", problem.into()));
                }
                self.round(radii, |span| Surface::Cone { radii, span, hollow })?
            }
            WallType::Box => {
                let half = self.sizes::<3>()?.map(|edge| 0.5 * edge);
                match self.open.is_empty() {
                    true => one(Surface::Box { half, hollow }),
                    false if hollow => box_faces(half, &self.open),
                    false => return Err(("open", "a box that is full has no open faces".into())),
                }
            }
            WallType::Mesh | WallType::Body | WallType::Structure => Vec::new(),
        })
    }

    /// A round wall with its ends.
    fn round(
        &self,
        radii: [f64; 2],
        side: impl Fn([f64; 2]) -> Surface,
    ) -> Result<Vec<Part>, (&'static str, String)> {
        let half = 0.5 * self.length_of("length", self.length)?;
        let mut parts = vec![(Pose::IDENTITY, side([-half, half]))];
        let ends = self.ends.unwrap_or_default();
        let closed = [
            matches!(ends, WallEnds::Lower | WallEnds::Closed),
            matches!(ends, WallEnds::Upper | WallEnds::Closed),
        ];
        for (k, z) in [-half, half].into_iter().enumerate() {
            if closed[k] && radii[k] > 0.0 {
                let pose = Pose { position: DVec3::Z * z, rotation: DQuat::IDENTITY };
                parts.push((pose, Surface::Disc { radius: radii[k] }));
            }
        }
        Ok(parts)
    }
}

/// Faces of a box that is open.
pub(crate) fn box_faces(half: [f64; 3], open: &[WallFace]) -> Vec<Part> {
    let face = |face: &WallFace| {
        let (axis, sign) = face.side();
        let along = |k: usize| DVec3::from_array(std::array::from_fn(|c| f64::from(u8::from(c == k % 3))));
        let (x, z) = (along(axis + 1), -sign * along(axis));
        let rotation = DQuat::from_mat3(&DMat3::from_cols(x, z.cross(x), z));
        let position = sign * half[axis] * along(axis);
        let surface = Surface::Rectangle { half: [half[(axis + 1) % 3], half[(axis + 2) % 3]] };
        (Pose { position, rotation }, surface)
    };
    WallFace::ALL.iter().filter(|f| !open.contains(f)).map(face).collect()
}
