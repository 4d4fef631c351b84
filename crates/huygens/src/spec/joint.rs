//! Joints as they are written in scene files.

use huygens_core::function::Function;
use huygens_spec::{FrameSpec, Placement, Rotation, SceneObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a joint fixes. Its z axis is the main axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
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
    PointOnCurve,
    /// The z axes stay parallel; coordinates `x`, `y`, `z`, `angle`.
    ParallelAxes,
    /// A's z axis stays perpendicular to B's z axis.
    PerpendicularAxes,
    /// The two points keep their distance `length`.
    Distance,
    /// A massless link of `length` with a revolute joint at A and a ball at B.
    RevoluteSpherical,
    /// A massless link with a revolute joint at A that slides along B's x axis at `offset`.
    RevoluteTranslational,
    /// Rotation about z coupled to translation along z by `pitch`; coordinates `angle`, `displacement`.
    Screw,
    /// The freedoms in `lock` are fixed; coordinates `x`, `y`, `z` where free, and `angle` about z if it is the
    /// only free rotation.
    Generic,
    /// B follows a motion given in A's axes by `translation`, `motion_axis` and `angle`.
    Trajectory,
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
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct LimitSpec {
    /// Name of the coordinate; the joint's first one if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub coordinate: Option<String>,
    /// Lower bound [m or rad].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<f64>,
    /// Upper bound [m or rad].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<f64>,
    /// Lower bound [°]; instead of `lower`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower_deg: Option<f64>,
    /// Upper bound [°]; instead of `upper`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper_deg: Option<f64>,
    /// Stiffness beyond the bound [N/m or N·m/rad]; without it the bound is rigid and needs the `euler`
    /// integrators.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stiffness: Option<f64>,
    /// Damping beyond a compliant bound [N·s/m or N·m·s/rad].
    pub damping: f64,
    /// Coefficient of restitution of a rigid bound, 0 to 1.
    pub restitution: f64,
}

/// A joint between two bodies, or a body and ground.
///
/// Its place is given in the world at the start by `position` and `axis` or `rotation`, for both bodies at once, or
/// by frames in the bodies (`frame_a`, `frame_b`, or markers as `body/marker`). A side without a frame of its own
/// takes the place of the other one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_pose)]
#[serde(deny_unknown_fields)]
pub struct JointSpec {
    /// Unique name.
    #[serde(default)]
    #[scene(name)]
    pub name: String,
    /// What it fixes.
    #[serde(rename = "type")]
    pub kind: JointType,
    /// Base body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub a: String,
    /// Moved body: `body`, `body/marker` or `ground`.
    #[scene(refers(Bodies, Structures))]
    pub b: String,
    /// Place in the world at the start [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(point)]
    pub position: Option<[f64; 3]>,
    /// Direction of the joint's z axis in the world at the start, a unit vector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(placed)]
    pub axis: Option<[f64; 3]>,
    /// Orientation in the world at the start; instead of `axis`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(placed)]
    pub rotation: Option<Rotation>,
    /// Frame on A, in its body frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(frame, carried_by(a))]
    pub frame_a: Option<FrameSpec>,
    /// Frame on B, in its body frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(frame, carried_by(b))]
    pub frame_b: Option<FrameSpec>,
    /// Length of a `distance` or `revolute_spherical` joint [m]; the distance at the start if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
    /// Offset of a `revolute_translational` joint [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<f64>,
    /// Pitch of a `screw` [m per turn].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pitch: Option<f64>,
    /// Freedoms that a `generic` joint fixes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<Vec<Freedom>>,
    /// Points of the curve of a `point_on_curve` joint in A's axes [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub points: Option<Vec<[f64; 3]>>,
    /// Whether the curve is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
    /// Displacement of a `trajectory` along A's axes [m], functions of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translation: Option<[Function; 3]>,
    /// Axis of the rotation of a `trajectory` in A's axes, a unit vector; z if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub motion_axis: Option<[f64; 3]>,
    /// Angle of a `trajectory` [rad], a function of time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub angle: Option<Function>,
    /// Whether the two bodies may touch; bodies that a joint connects do not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub collide: bool,
    /// Bounds of its coordinates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
        self.position = Some(position);
        self.axis = Some(axis);
        self
    }

    fn place_pose(&mut self, placement: &Placement) -> Result<(), String> {
        place_pose(placement, self.position, &mut self.rotation, &mut self.axis);
        Ok(())
    }
}

/// Turns the orientation of a connection; one at a place without an orientation has the axes of the world.
pub(super) fn place_pose(
    placement: &Placement,
    position: Option<[f64; 3]>,
    rotation: &mut Option<Rotation>,
    axis: &mut Option<[f64; 3]>,
) {
    if rotation.is_some() || axis.is_some() {
        placement.orient(rotation, axis);
    } else if position.is_some() {
        *rotation = Some(Rotation(placement.rotation));
    }
}
