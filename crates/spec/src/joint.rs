//! Joints as they are written in scene files.

use huygens_spec::{PlaceSpec, Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::function::Function;

/// What a joint fixes. Its z axis is the main axis.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
pub enum JointType {
    /// No relative motion.
    Fixed,
    /// Rotation about z; coordinate `angle`.
    #[default]
    Revolute,
    /// Translation along z; coordinate `displacement`.
    Prismatic,
    /// Rotation about and translation along z; coordinates `angle`, `displacement`.
    Cylindrical,
    /// Rotation about the common point.
    Spherical,
    /// Translation in the x–y plane and rotation about z; coordinates `x`, `y`, `angle`.
    Planar,
    /// Rotation about x of A and y of B; coordinates `angle_a`, `angle_b`.
    Universal,
    /// Two rotations with equal speeds of both shafts along z.
    ConstantVelocity,
    /// B's point stays on A's z axis; coordinate `displacement`.
    PointOnLine,
    /// B's point stays in A's x–y plane; coordinates `x`, `y`.
    PointOnPlane,
    /// B's point stays on the spline through `points`.
    PointOnCurve {
        /// Points of the curve in A's axes [m].
        #[scene(local)]
        points: Vec<[f64; 3]>,
        /// Whether the curve is closed.
        #[tagged(default)]
        closed: bool,
    },
    /// The z axes stay parallel; coordinates `x`, `y`, `z`, `angle`.
    ParallelAxes,
    /// A's z axis stays perpendicular to B's z axis.
    PerpendicularAxes,
    /// The two points keep their distance `length`.
    Distance {
        /// Distance of the points [m]. Default: that at the start.
        length: Option<f64>,
    },
    /// A massless link of `length` with a revolute joint at A and a spherical joint at B.
    RevoluteSpherical {
        /// Length of the link [m]. Default: the distance of the points at the start.
        length: Option<f64>,
    },
    /// A massless link with a revolute joint at A that slides along B's x axis at `offset`.
    RevoluteTranslational {
        /// Distance of the link from B's x axis [m].
        #[tagged(default)]
        offset: f64,
    },
    /// Rotation about z coupled to translation along z by `pitch`; coordinates `angle`, `displacement`.
    Screw {
        /// Displacement per turn [m].
        pitch: f64,
    },
    /// The freedoms in `lock` are fixed; coordinates `x`, `y`, `z` where free, and `angle` about z if it is the
    /// only free rotation.
    Generic {
        /// Freedoms that are fixed.
        lock: Vec<Freedom>,
    },
    /// B follows a motion given in A's axes by `translation`, `motion_axis` and `angle`.
    Trajectory {
        /// Displacement along A's axes [m], functions of time.
        #[tagged(default)]
        translation: [Function; 3],
        /// Axis of the rotation in A's axes, a unit vector.
        #[tagged(default = z_axis)]
        #[scene(local)]
        motion_axis: [f64; 3],
        /// Angle about the axis [rad], a function of time.
        #[tagged(default)]
        angle: Function,
    },
}

fn z_axis() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

/// A freedom of a generic joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum Freedom {
    /// Translation along x of A.
    X,
    /// Translation along y of A.
    Y,
    /// Translation along z of A.
    Z,
    /// Rotation about x.
    Rx,
    /// Rotation about y.
    Ry,
    /// Rotation about z.
    Rz,
}

/// Bounds of a joint coordinate.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "limit")]
pub struct LimitSpec {
    /// Name of the coordinate. Default: the first of the joint.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// Lower bound [m or rad].
    pub lower: Option<f64>,
    /// Upper bound [m or rad].
    pub upper: Option<f64>,
    /// Lower bound [°]; instead of `lower`.
    pub lower_deg: Option<f64>,
    /// Upper bound [°]; instead of `upper`.
    pub upper_deg: Option<f64>,
    /// Stiffness beyond the bound [N/m or N·m/rad]; without it the bound is rigid and needs the `euler`
    /// integrators.
    pub stiffness: Option<f64>,
    /// Damping beyond a compliant bound [N·s/m or N·m·s/rad].
    #[tagged(default)]
    pub damping: f64,
    /// Coefficient of restitution of a rigid bound, 0 to 1.
    #[tagged(default)]
    pub restitution: f64,
}

/// A joint between two bodies, or a body and ground.
///
/// Its place is given in the world at the start by `position` and `axis` or `rotation`, for both bodies at once, or
/// by frames in the bodies (`frame_a`, `frame_b`, or markers as `body/marker`). A side without a frame of its own
/// takes the place of the other one.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[scene(place_with = Self::place_connection)]
#[tagged(object = "joint")]
pub struct JointSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// What it fixes.
    #[tagged(variant)]
    pub kind: JointType,
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
    /// Whether the two bodies may touch; bodies that a joint connects do not.
    #[tagged(default, skip_if = std::ops::Not::not)]
    pub collide: bool,
    /// Bounds of its coordinates.
    #[tagged(default, skip_if = Vec::is_empty)]
    pub limits: Vec<LimitSpec>,
}

impl JointSpec {
    /// A joint of a kind between `a` and `b`.
    pub fn new(name: impl Into<String>, kind: JointType, a: impl Into<String>, b: impl Into<String>) -> Self {
        Self { name: name.into(), kind, a: a.into(), b: b.into(), ..Self::default() }
    }

    /// Puts the joint at a place in the world [m], its z axis along `axis`.
    #[must_use]
    pub fn at(mut self, position: [f64; 3], axis: [f64; 3]) -> Self {
        self.place = PlaceSpec { position: Some(position), axis: Some(axis), ..self.place };
        self
    }

    /// Turns the joint's z axis along `axis` in the world.
    #[must_use]
    pub fn along(mut self, axis: [f64; 3]) -> Self {
        self.place.axis = Some(axis);
        self
    }

    fn place_connection(&mut self, placement: &Placement) -> Result<(), String> {
        self.place.place(&self.a, &self.b, placement);
        Ok(())
    }
}
