//! Granular matter: grains, the walls they touch, and how they are moved.

use std::fmt;
use std::path::PathBuf;

use huygens_kernel::contact::CompliantModel;
use huygens_spec::{FrameSpec, Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::de::{Deserializer, Error, Visitor};
use serde::{Deserialize, Serialize};

use super::grain_clumps::ClumpSpec;
use super::grain_forces::{GrainDragSpec, NearFieldSpec};
use super::grain_measures::GrainMeasureSpec;
use super::grain_sources::{BoundarySpec, GrainFillSpec, InletSpec, OutletSpec};
use super::value::is_default;
use super::{MeshSource, MotionSpec, WallShape};

/// Most grains that a scene file may list.
pub const MAX_GRAINS: usize = 10_000_000;
/// Most walls of one set of grains.
pub const MAX_WALLS: usize = 10_000;

/// Granular matter: spheres under the compliant contact law, on fields of their own, and the walls they touch.
///
/// Grains touch one another and the walls of their set. They do not see the shapes of bodies: a body meets them
/// through walls that it carries.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct GrainsSpec {
    /// Unique name.
    #[scene(name)]
    pub name: String,
    /// Material of grains and walls that name none. Default: `default`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Laws of contact; those of `settings.contact.compliant` if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub laws: Option<CompliantModel>,
    /// Longest step of the grains [s], or `"auto"`; every step of the world is cut into equal ones.
    #[serde(skip_serializing_if = "GrainStep::is_auto")]
    pub step: GrainStep,
    /// Maximum impact speed assumed by `step = "auto"` [m/s]. Default: from the initial speeds and the height of the
    /// grains.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<f64>,
    /// Periodic axes.
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
    /// Where grains are inserted during the simulation.
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
    /// What happens to grains that leave a box. Default: nothing.
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
#[derive(Clone, Copy, Debug, Default, PartialEq, SceneObject)]
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

/// Periodic axes: lower and upper bound [m] of each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_periods)]
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

    fn place_periods(&mut self, placement: &Placement) -> Result<(), String> {
        let from = [self.x, self.y, self.z];
        if from.iter().all(Option::is_none) {
            return Ok(());
        }
        let Some(turned) = placement.quarter_turn() else {
            return Err("repeats along axes of the world, so that only quarter turns are possible".into());
        };
        let mut to = [None; 3];
        for (interval, (along, backwards)) in from.into_iter().zip(turned) {
            to[along] = interval.map(|[low, high]| {
                let [low, high] = if backwards { [-high, -low] } else { [low, high] };
                [low + placement.position[along], high + placement.position[along]]
            });
        }
        [self.x, self.y, self.z] = to;
        Ok(())
    }

    /// Refuses a span that does not rise, by its key.
    pub fn check(&self) -> Result<(), (String, String)> {
        let wrong = |span: &[f64; 2]| !(span[0] < span[1] && span.iter().all(|x| x.is_finite()));
        match self.axes().into_iter().find_map(|(name, span)| Some((name, span.filter(wrong)?))) {
            None => Ok(()),
            Some((name, span)) => {
                let problem = format!("{name} = {span:?} is not allowed; [least, greatest] is needed");
                Err((format!("periodic.{name}"), problem))
            }
        }
    }

    /// The three axes with their names.
    pub fn axes(&self) -> [(&'static str, Option<[f64; 2]>); 3] {
        [("x", self.x), ("y", self.y), ("z", self.z)]
    }
}

/// Grains given one by one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct ParticlesSpec {
    /// Centres [m].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(point)]
    pub positions: Vec<[f64; 3]>,
    /// CSV file of `x, y, z, radius` and, if grains move, `vx, vy, vz` [m, m/s]; instead of `positions`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(file = found)]
    pub file: Option<String>,
    /// Where the axes of the `file` lie. Default: those of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(frame = world, when = file.is_some())]
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
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Velocity of each [m/s]; instead of `velocity`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(vector)]
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocity of each [rad/s], world axes. Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(vector)]
    pub angular_velocities: Vec<[f64; 3]>,
    /// Material. Default: that of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
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

/// What a wall is. The axis of round walls is their z axis; all are centred on their origin.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum WallType {
    /// The plane z = 0; grains are where z > 0.
    Plane,
    /// Cylinder. An open one around the grains is a thin shell.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length along z [m].
        length: f64,
        /// Where the grains are.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
        /// Which ends are closed.
        #[tagged(default, skip_if = is_default)]
        ends: WallEnds,
    },
    /// Sphere.
    Sphere {
        /// Radius [m].
        radius: f64,
        /// Where the grains are.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
    },
    /// Disc in the plane z = 0, touched from both sides.
    Disc {
        /// Radius [m].
        radius: f64,
    },
    /// Rectangle in the plane z = 0, touched from both sides.
    Rectangle {
        /// Edge lengths along x and y [m].
        size: [f64; 2],
    },
    /// Box.
    Box {
        /// Edge lengths [m].
        #[scene(local)]
        size: [f64; 3],
        /// Where the grains are.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
        /// Faces that are missing, such as `["+z"]`.
        #[tagged(default, skip_if = Vec::is_empty)]
        open: Vec<WallFace>,
    },
    /// Triangles, touched from both sides: of `points` and `triangles`, or from a `file` (OBJ, STL).
    Mesh(MeshSource),
    /// The shapes that its `body` collides with: spheres, boxes, cylinders, capsules, hulls, meshes, half-spaces.
    Body,
    /// The contact surface of the lines of a flexible structure: capsules or spheres.
    Structure {
        /// The structure; its lines are the wall, and feel what the grains do.
        #[scene(refers(Structures))]
        structure: String,
    },
    /// A shape that fluids can have, too.
    #[tagged(types)]
    Shape(WallShape),
}

/// Where the grains or the fluid of a wall are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum WallSide {
    /// Inside.
    #[default]
    Inside,
    /// Outside.
    Outside,
}

/// Which ends of a cylinder or cone discs close.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
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

impl WallEnds {
    /// Whether the end at lower z is closed, and the one at upper z.
    pub fn closed(self) -> [bool; 2] {
        [matches!(self, Self::Lower | Self::Closed), matches!(self, Self::Upper | Self::Closed)]
    }
}

/// A face of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
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
    /// All six.
    pub const ALL: [Self; 6] =
        [Self::LowerX, Self::UpperX, Self::LowerY, Self::UpperY, Self::LowerZ, Self::UpperZ];

    /// Axis 0 to 2, and the sign of its side.
    pub fn side(self) -> (usize, f64) {
        let k = self as usize;
        (k / 2, if k.is_multiple_of(2) { -1.0 } else { 1.0 })
    }
}

/// A wall that grains touch: at rest, moved by functions of time, carried by a body, or a flexible structure.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "wall")]
pub struct WallSpec {
    /// Name, unique among the walls of its grains.
    #[tagged(default)]
    #[scene(text)]
    pub name: String,
    /// What it is.
    #[tagged(variant)]
    pub kind: WallType,
    /// Where it is, what carries it, and whether it is seen.
    #[tagged(flatten, except = "structure")]
    #[scene(when = !matches!(kind, WallType::Structure { .. }))]
    pub mount: MountSpec,
    /// Material. Default: that of the set.
    #[scene(refers(Materials))]
    pub material: Option<String>,
}

/// Where a wall is, what carries it, and whether it is seen.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[scene(carried_by(body), place_with = Self::place_frame)]
#[tagged(object = "wall")]
pub struct MountSpec {
    /// Where it is in the world, or in the frame of its body.
    #[tagged(flatten)]
    #[scene(placed)]
    pub frame: FrameSpec,
    /// Body that carries it and feels what grains or fluid do to it.
    #[scene(refers(Bodies))]
    pub body: Option<String>,
    /// Prescribed motion from its pose; instead of `body`.
    pub motion: Option<MotionSpec>,
    /// Whether it is seen; if absent, all are but those around grains or fluid, markers one by one, and shapes that
    /// are seen as those of their body.
    pub visible: Option<bool>,
}

impl MountSpec {
    fn place_frame(&mut self, placement: &Placement) -> Result<(), String> {
        placement.frame(&mut self.frame);
        Ok(())
    }
}

/// Builds the part of a wall that walls of grains and of fluids share.
macro_rules! mounted {
    ($wall:ident) => {
        impl $wall {
            /// Puts it at a place [m].
            #[must_use]
            pub fn at(mut self, position: [f64; 3]) -> Self {
                self.mount.frame.position = position;
                self
            }

            /// Turns its z axis along `axis`.
            #[must_use]
            pub fn along(mut self, axis: [f64; 3]) -> Self {
                self.mount.frame.axis = Some(axis);
                self
            }

            /// Lets a body carry it.
            #[must_use]
            pub fn on(mut self, body: impl Into<String>) -> Self {
                self.mount.body = Some(body.into());
                self
            }

            /// Moves it from its pose.
            #[must_use]
            pub fn moved(mut self, motion: $crate::MotionSpec) -> Self {
                self.mount.motion = Some(motion);
                self
            }

            /// Says whether it is seen.
            #[must_use]
            pub fn visible(mut self, visible: bool) -> Self {
                self.mount.visible = Some(visible);
                self
            }

            /// Turns it.
            #[must_use]
            pub fn turned(mut self, rotation: $crate::Rotation) -> Self {
                self.mount.frame.rotation = Some(rotation);
                self
            }
        }
    };
}
pub(super) use mounted;

mounted!(WallSpec);

impl WallSpec {
    /// A wall at the origin, at rest.
    pub fn new(name: impl Into<String>, kind: WallType) -> Self {
        Self { name: name.into(), kind, mount: MountSpec::default(), material: None }
    }

    /// The plane through `position` [m] with the normal `axis` on the side of the grains.
    pub fn plane(name: impl Into<String>, position: [f64; 3], axis: [f64; 3]) -> Self {
        Self::new(name, WallType::Plane).at(position).along(axis)
    }

    /// A cylinder of `radius` and `length` [m] along z around the grains.
    pub fn cylinder(name: impl Into<String>, radius: f64, length: f64) -> Self {
        let (side, ends) = (WallSide::Inside, WallEnds::Open);
        Self::new(name, WallType::Cylinder { radius, length, side, ends })
    }

    /// A cone of `radii` at its lower and upper end and `length` [m] along z around the grains.
    pub fn cone(name: impl Into<String>, radii: [f64; 2], length: f64) -> Self {
        let (side, ends) = (WallSide::Inside, WallEnds::Open);
        Self::new(name, WallShape::Cone { radii, length, side, ends }.into())
    }

    /// A sphere of `radius` [m] around the grains.
    pub fn sphere(name: impl Into<String>, radius: f64) -> Self {
        Self::new(name, WallType::Sphere { radius, side: WallSide::Inside })
    }

    /// A disc of `radius` [m].
    pub fn disc(name: impl Into<String>, radius: f64) -> Self {
        Self::new(name, WallType::Disc { radius })
    }

    /// A rectangle of edges `size` [m].
    pub fn rectangle(name: impl Into<String>, size: [f64; 2]) -> Self {
        Self::new(name, WallType::Rectangle { size })
    }

    /// Triangles from an OBJ or STL file.
    pub fn mesh(name: impl Into<String>, source: impl Into<MeshSource>) -> Self {
        Self::new(name, WallType::Mesh(source.into()))
    }

    /// Triangles over points [m]; they hold places in `points`.
    pub fn mesh_of(name: impl Into<String>, points: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Self {
        Self::new(name, WallType::Mesh(MeshSource::lists(points, triangles)))
    }

    /// The shapes of a body.
    pub fn body(name: impl Into<String>, body: impl Into<String>) -> Self {
        Self::new(name, WallType::Body).on(body)
    }

    /// The lines of a flexible structure, which needs `contact`.
    pub fn structure(name: impl Into<String>, structure: impl Into<String>) -> Self {
        Self::new(name, WallType::Structure { structure: structure.into() })
    }

    /// A box of edges `size` [m] around the grains, without the faces in `open`.
    pub fn cuboid(name: impl Into<String>, size: [f64; 3], open: &[WallFace]) -> Self {
        Self::new(name, WallType::Box { size, side: WallSide::Inside, open: open.to_vec() })
    }

    /// Gives it a material by name.
    #[must_use]
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Whether it is seen.
    pub fn is_visible(&self) -> bool {
        let around = match self.kind {
            WallType::Box { side, .. } | WallType::Sphere { side, .. } => side == WallSide::Inside,
            WallType::Body => true,
            // Structures are drawn themselves.
            WallType::Structure { .. } => return false,
            _ => false,
        };
        self.mount.visible.unwrap_or(!around)
    }
}
