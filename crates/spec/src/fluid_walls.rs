//! What bounds a fluid: walls, inlets and outlets.

use huygens_spec::{SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grains::mounted;
use super::value::is_default;
use super::{GroundSource, MeshSource, MountSpec, WallEnds, WallFace, WallShape, WallSide};

/// What a wall of a fluid is.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum FluidWallType {
    /// Box around the fluid, or a block in the fluid with `side = "outside"`.
    Box {
        /// Lowest corner [m], in its own axes.
        #[scene(local)]
        low: [f64; 3],
        /// Highest corner [m], in its own axes.
        #[scene(local)]
        high: [f64; 3],
        /// Where the fluid is.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
        /// Faces that are missing, such as `["+z"]`.
        #[tagged(default, skip_if = Vec::is_empty)]
        open: Vec<WallFace>,
    },
    /// Rectangle in the plane z = 0; fluid is where z > 0.
    Plane {
        /// Edge lengths along x and y [m].
        size: [f64; 2],
    },
    /// Cylinder about z, centred.
    Cylinder {
        /// Radius [m].
        radius: f64,
        /// Length along z [m].
        length: f64,
        /// Where the fluid is.
        #[tagged(default, skip_if = is_default)]
        side: WallSide,
        /// Which ends are closed.
        #[tagged(default, skip_if = is_default)]
        ends: WallEnds,
    },
    /// Ball in the fluid.
    Sphere {
        /// Radius [m].
        radius: f64,
    },
    /// Triangles: of `points` and `triangles`, or from a `file` (OBJ, STL).
    Mesh {
        /// Where the triangles are from.
        #[tagged(flatten)]
        source: MeshSource,
        /// Where the fluid is.
        #[tagged(default = outside, skip_if = is_outside)]
        side: WallSide,
    },
    /// Ground below `heights` over a rectangle of edges `size`, or from a `file` of numbers.
    HeightField(GroundSource),
    /// Markers one by one.
    Points {
        /// The markers [m].
        #[scene(local)]
        points: Vec<[f64; 3]>,
    },
    /// A shape that grains can have, too.
    #[tagged(types)]
    Shape(WallShape),
}

fn outside() -> WallSide {
    WallSide::Outside
}
fn is_outside(side: &WallSide) -> bool {
    *side == WallSide::Outside
}

/// A wall of a fluid: at rest, moved by functions of time, or carried by a body.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "wall")]
pub struct FluidWallSpec {
    /// Name, unique among the walls, bodies, structures, inlets and outlets of the fluid.
    #[tagged(default)]
    #[scene(text)]
    pub name: String,
    /// What it is.
    #[tagged(variant)]
    pub kind: FluidWallType,
    /// Layers of markers. Default: enough to fill the support radius of the kernel.
    #[tagged(except = "points")]
    pub layers: Option<usize>,
    /// Whether fluid slides along it without friction.
    #[tagged(default, skip_if = is_default)]
    pub slip: bool,
    /// Velocity of its surface [m/s] in its own axes, while the wall stays where it is: that of a belt, or of a lid that
    /// moves in its own plane. Weakly compressible.
    #[tagged(default, skip_if = is_default)]
    #[scene(local)]
    pub surface_velocity: [f64; 3],
    /// Where it is, what carries it, and whether it is seen.
    #[tagged(flatten)]
    pub mount: MountSpec,
}

mounted!(FluidWallSpec);

/// What is wrong, and with which key.
type Wrong = (&'static str, String);

impl FluidWallSpec {
    /// A wall at the origin, at rest.
    pub fn new(name: impl Into<String>, kind: FluidWallType) -> Self {
        Self {
            name: name.into(),
            kind,
            layers: None,
            slip: false,
            surface_velocity: [0.0; 3],
            mount: MountSpec::default(),
        }
    }

    /// A box around the fluid, without the faces in `open`.
    pub fn tank(name: impl Into<String>, low: [f64; 3], high: [f64; 3], open: &[WallFace]) -> Self {
        Self::new(name, FluidWallType::Box { low, high, side: WallSide::Inside, open: open.to_vec() })
    }

    /// A block in the fluid between two corners [m].
    pub fn block(name: impl Into<String>, low: [f64; 3], high: [f64; 3]) -> Self {
        Self::new(name, FluidWallType::Box { low, high, side: WallSide::Outside, open: Vec::new() })
    }

    /// A rectangle about `position` [m] with edges `size` [m] and the normal `axis` on the side of the fluid.
    pub fn plane(name: impl Into<String>, position: [f64; 3], axis: [f64; 3], size: [f64; 2]) -> Self {
        Self::new(name, FluidWallType::Plane { size }).at(position).along(axis)
    }

    /// A cylinder of `radius` and `length` [m] along z, around the fluid.
    pub fn cylinder(name: impl Into<String>, radius: f64, length: f64) -> Self {
        let (side, ends) = (WallSide::Inside, WallEnds::Open);
        Self::new(name, FluidWallType::Cylinder { radius, length, side, ends })
    }

    /// Markers one by one [m].
    pub fn points(name: impl Into<String>, points: Vec<[f64; 3]>) -> Self {
        Self::new(name, FluidWallType::Points { points })
    }

    /// Whether it is seen.
    pub fn is_visible(&self) -> bool {
        let hidden = match self.kind {
            FluidWallType::Box { side, .. } => side == WallSide::Inside,
            FluidWallType::Points { .. } => true,
            _ => false,
        };
        self.mount.visible.unwrap_or(!hidden)
    }

    /// The number of layers of markers, if it is given.
    pub fn layers(&self) -> Result<Option<usize>, Wrong> {
        match self.layers {
            Some(layers) if !(1..=100).contains(&layers) => {
                Err(("layers", format!("layers = {layers} is not allowed; 1 to 100 are")))
            }
            layers => Ok(layers),
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
