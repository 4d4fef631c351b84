//! Motors as they are written in scene files.

use huygens_spec::{SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::value::DriveSpec;

/// What a motor prescribes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum MotorType {
    /// The angle [rad], by a function of time.
    #[default]
    Angle,
    /// The displacement [m], by a function of time.
    Position,
    /// The speed [rad/s or m/s].
    Speed,
    /// The torque [N·m].
    Torque,
    /// The force [N].
    Force,
}

/// A motor on a joint coordinate or a shaft.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "motor")]
pub struct MotorSpec {
    /// Unique name.
    #[tagged(default)]
    #[scene(name)]
    pub name: String,
    /// What it prescribes.
    #[tagged(rename = "type")]
    pub kind: MotorType,
    /// Joint it acts on.
    #[scene(refers(Joints))]
    pub joint: Option<String>,
    /// Coordinate of the joint. Default: the first one.
    #[scene(text)]
    pub coordinate: Option<String>,
    /// Shaft it acts on; instead of `joint`.
    #[scene(refers(Shafts))]
    pub shaft: Option<String>,
    /// The prescribed angle [rad], displacement [m], speed, torque [N·m] or force [N].
    pub drive: DriveSpec,
}

impl MotorSpec {
    /// A motor on the first coordinate of a joint.
    pub fn on_joint(
        name: impl Into<String>,
        kind: MotorType,
        joint: impl Into<String>,
        drive: impl Into<DriveSpec>,
    ) -> Self {
        let joint = Some(joint.into());
        Self { name: name.into(), kind, joint, drive: drive.into(), ..Self::default() }
    }

    /// A motor on a shaft.
    pub fn on_shaft(
        name: impl Into<String>,
        kind: MotorType,
        shaft: impl Into<String>,
        drive: impl Into<DriveSpec>,
    ) -> Self {
        let shaft = Some(shaft.into());
        Self { name: name.into(), kind, shaft, drive: drive.into(), ..Self::default() }
    }
}
