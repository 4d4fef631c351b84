//! Rotations and frames, which have more than one way to be written.

use std::fmt;

use glam::{DQuat, DVec3, EulerRot};
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::{Placement, Tagged};

/// Largest deviation of the length of an axis or quaternion from 1; smaller ones are rounding and are removed.
const LENGTH_TOLERANCE: f64 = 1e-3;

/// Checks that `axis` is a unit vector and removes rounding of its length.
pub fn check_axis(axis: [f64; 3]) -> Result<DVec3, String> {
    let v = DVec3::from_array(axis);
    let length = v.length();
    if !v.is_finite() || length == 0.0 {
        return Err(format!("the axis {axis:?} has no direction"));
    }
    if (length - 1.0).abs() > LENGTH_TOLERANCE {
        let unit = v / length;
        let suggestion = format!("[{:.6}, {:.6}, {:.6}]", unit.x, unit.y, unit.z);
        return Err(format!("the axis has length {length:.6}, but must be a unit vector: use {suggestion}"));
    }
    Ok(v / length)
}

/// A rotation: a unit quaternion `[w, x, y, z]`, or `{ axis, angle }` with `angle` [rad] or `angle_deg`, or
/// `{ euler_deg }`, turns about x, then the new y, then the new z.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "[f64; 4]")]
pub struct Rotation(pub DQuat);

impl From<Rotation> for [f64; 4] {
    fn from(r: Rotation) -> Self {
        [r.0.w, r.0.x, r.0.y, r.0.z]
    }
}

impl From<DQuat> for Rotation {
    fn from(q: DQuat) -> Self {
        Self(q)
    }
}

impl Rotation {
    /// From a quaternion `[w, x, y, z]` of unit length.
    pub fn quaternion(wxyz: [f64; 4]) -> Result<Self, String> {
        let [w, x, y, z] = wxyz;
        let q = DQuat::from_xyzw(x, y, z, w);
        let length = q.length();
        if !length.is_finite() || (length - 1.0).abs() > LENGTH_TOLERANCE {
            return Err(format!(
                "the quaternion [w, x, y, z] = {wxyz:?} has length {length:.6}, but must have length 1"
            ));
        }
        // A quaternion that is already a unit to the last bit must not change, or files would not round-trip.
        Ok(Self(if (length - 1.0).abs() < 1e-15 { q } else { q.normalize() }))
    }

    /// Turn by `angle` [rad] about a unit `axis`.
    pub fn about(axis: [f64; 3], angle: f64) -> Result<Self, String> {
        if !angle.is_finite() {
            return Err(format!("the angle {angle} is not finite"));
        }
        Ok(Self(DQuat::from_axis_angle(check_axis(axis)?, angle)))
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RotationAboutAxis")]
struct RotationForm {
    /// Axis of rotation, a unit vector.
    #[serde(default)]
    axis: Option<[f64; 3]>,
    /// Angle about `axis` [rad].
    #[serde(default)]
    angle: Option<f64>,
    /// Angle about `axis` [°].
    #[serde(default)]
    angle_deg: Option<f64>,
    /// Turns about x, the new y and the new z [°], instead of `axis` and an angle.
    #[serde(default)]
    euler_deg: Option<[f64; 3]>,
}

/// A rotation, in one of several forms.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Rotation")]
#[allow(dead_code)]
enum RotationSchema {
    /// Unit quaternion [w, x, y, z].
    Quaternion([f64; 4]),
    /// Turn about an axis.
    About(RotationForm),
}

impl JsonSchema for Rotation {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Rotation".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        RotationSchema::json_schema(generator)
    }
}

impl RotationForm {
    fn rotation(self) -> Result<Rotation, String> {
        let both = "give one of axis with angle, axis with angle_deg, or euler_deg";
        match (self.axis, self.angle, self.angle_deg, self.euler_deg) {
            (Some(axis), Some(angle), None, None) => Rotation::about(axis, angle),
            (Some(axis), None, Some(angle), None) => Rotation::about(axis, angle.to_radians()),
            (None, None, None, Some([x, y, z])) => {
                Ok(Rotation(DQuat::from_euler(EulerRot::XYZ, x.to_radians(), y.to_radians(), z.to_radians())))
            }
            _ => Err(format!("a rotation needs more or less: {both}")),
        }
    }
}

impl<'de> Deserialize<'de> for Rotation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct RotationVisitor;
        impl<'de> Visitor<'de> for RotationVisitor {
            type Value = Rotation;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quaternion [w, x, y, z] or { axis = [0, 0, 1], angle_deg = 30 }")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Rotation, A::Error> {
                let mut q = [0.0; 4];
                for (i, c) in q.iter_mut().enumerate() {
                    *c = seq.next_element()?.ok_or_else(|| A::Error::invalid_length(i, &self))?;
                }
                if seq.next_element::<f64>()?.is_some() {
                    return Err(A::Error::invalid_length(5, &self));
                }
                Rotation::quaternion(q).map_err(A::Error::custom)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Rotation, A::Error> {
                let form = RotationForm::deserialize(MapAccessDeserializer::new(map))?;
                form.rotation().map_err(A::Error::custom)
            }
        }
        deserializer.deserialize_any(RotationVisitor)
    }
}

/// A frame: position and orientation, the latter by `rotation` or by the direction `axis` of its z axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Tagged)]
#[tagged(object = "frame")]
pub struct FrameSpec {
    /// Position of the origin [m].
    #[tagged(default, skip_if = is_origin)]
    pub position: [f64; 3],
    /// Orientation.
    pub rotation: Option<Rotation>,
    /// Direction of the z axis, a unit vector; instead of `rotation`.
    pub axis: Option<[f64; 3]>,
}

fn is_origin(position: &[f64; 3]) -> bool {
    *position == [0.0; 3]
}

impl FrameSpec {
    /// A point with the axes of the world, or of the body.
    pub fn at(position: [f64; 3]) -> Self {
        Self { position, ..Self::default() }
    }

    /// The orientation, from `rotation` or `axis`.
    pub fn orientation(&self) -> Result<DQuat, String> {
        orientation(self.rotation, self.axis)
    }

    /// Position [m] and orientation, or the key that is wrong and what is wrong with it.
    pub fn pose(&self) -> Result<(DVec3, DQuat), (&'static str, String)> {
        let key = if self.axis.is_some() { "axis" } else { "rotation" };
        let rotation = self.orientation().map_err(|e| (key, e))?;
        let position = DVec3::from_array(self.position);
        match position.is_finite() {
            true => Ok((position, rotation)),
            false => Err(("position", "all components must be finite".into())),
        }
    }
}

/// The orientation given by `rotation` or by the direction of the z axis.
pub fn orientation(rotation: Option<Rotation>, axis: Option<[f64; 3]>) -> Result<DQuat, String> {
    match (rotation, axis) {
        (Some(_), Some(_)) => Err("give rotation or axis, not both".into()),
        (Some(r), None) => Ok(r.0),
        (None, Some(axis)) => Ok(huygens_kernel::rotation::from_z_to(check_axis(axis)?)),
        (None, None) => Ok(DQuat::IDENTITY),
    }
}

/// Where two bodies are connected: in the world at the start, for both at once, or by frames in the bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Tagged)]
#[tagged(object = "place")]
pub struct PlaceSpec {
    /// Place in the world at the start [m].
    pub position: Option<[f64; 3]>,
    /// Direction of the z axis in the world at the start, a unit vector.
    pub axis: Option<[f64; 3]>,
    /// Orientation in the world at the start; instead of `axis`.
    pub rotation: Option<Rotation>,
    /// Frame on A, in its body frame.
    pub frame_a: Option<FrameSpec>,
    /// Frame on B, in its body frame.
    pub frame_b: Option<FrameSpec>,
}

impl PlaceSpec {
    /// Turns and moves the place of a connection of `a` and `b`. One that has a position but no orientation has the
    /// axes of the world; frames on the ground are frames of the world, all others move along with their bodies.
    pub fn place(&mut self, a: &String, b: &String, placement: &Placement) {
        self.position.iter_mut().for_each(|p| placement.point(p));
        if self.rotation.is_some() || self.axis.is_some() {
            placement.orient(&mut self.rotation, &mut self.axis);
        } else if self.position.is_some() {
            self.rotation = Some(Rotation(placement.rotation));
        }
        for (body, frame) in [(a, &mut self.frame_a), (b, &mut self.frame_b)] {
            if !placement.is_carried(body) {
                frame.iter_mut().for_each(|f| placement.frame(f));
            }
        }
    }
}
