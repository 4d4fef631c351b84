//! Values with more than one way to write them: rotations, inertias, driving numbers, frames.

use std::fmt;

use glam::{DMat3, DQuat, DVec3, EulerRot};
use huygens_core::Subject;
use huygens_core::function::Function;
use huygens_geometry::Pose;
use huygens_multibody::check_inertia;
use huygens_spec_macros::Tagged;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

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

/// An inertia tensor about the centre of mass [kg·m²], body axes: `[Ixx, Iyy, Izz]`, three rows, or
/// `{ xx, yy, zz, xy, xz, yz }` with tensor entries off the diagonal ($I_{xy} = -\int xy\,dm$).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(into = "[[f64; 3]; 3]")]
pub struct Inertia(pub DMat3);

impl From<Inertia> for [[f64; 3]; 3] {
    fn from(i: Inertia) -> Self {
        i.0.transpose().to_cols_array_2d()
    }
}

impl Inertia {
    /// Principal moments along the body axes [kg·m²].
    pub fn diagonal(moments: [f64; 3]) -> Self {
        Self(DMat3::from_diagonal(DVec3::from_array(moments)))
    }

    /// Checks symmetry, positivity and the triangle inequality.
    pub fn check(&self) -> Result<(), String> {
        match check_inertia(&Subject::default(), &self.0) {
            Err(huygens_multibody::MultibodyError::Value { value, expected, .. }) => {
                Err(format!("the inertia is not allowed: {value}; {expected}"))
            }
            _ => Ok(()),
        }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "InertiaEntries")]
struct InertiaForm {
    /// Moment about x [kg·m²].
    xx: f64,
    /// Moment about y [kg·m²].
    yy: f64,
    /// Moment about z [kg·m²].
    zz: f64,
    /// Tensor entry xy [kg·m²].
    #[serde(default)]
    xy: f64,
    /// Tensor entry xz [kg·m²].
    #[serde(default)]
    xz: f64,
    /// Tensor entry yz [kg·m²].
    #[serde(default)]
    yz: f64,
}

/// An inertia tensor about the centre of mass, body axes; entries off the diagonal are `Ixy = -∫ x y dm`.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Inertia")]
#[allow(dead_code)]
enum InertiaSchema {
    /// Moments about x, y, z [kg·m²].
    Diagonal([f64; 3]),
    /// Rows of the tensor [kg·m²].
    Rows([[f64; 3]; 3]),
    /// Entries by name.
    Entries(InertiaForm),
}

impl JsonSchema for Inertia {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Inertia".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        InertiaSchema::json_schema(generator)
    }
}

/// A number or a row of three.
enum NumberOrRow {
    Number(f64),
    Row([f64; 3]),
}

impl<'de> Deserialize<'de> for NumberOrRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntryVisitor;
        impl<'de> Visitor<'de> for EntryVisitor {
            type Value = NumberOrRow;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or a row of three numbers")
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<NumberOrRow, E> {
                Ok(NumberOrRow::Number(v))
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<NumberOrRow, E> {
                Ok(NumberOrRow::Number(v as f64))
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<NumberOrRow, E> {
                Ok(NumberOrRow::Number(v as f64))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<NumberOrRow, A::Error> {
                let row = <[f64; 3]>::deserialize(serde::de::value::SeqAccessDeserializer::new(seq))?;
                Ok(NumberOrRow::Row(row))
            }
        }
        deserializer.deserialize_any(EntryVisitor)
    }
}

impl<'de> Deserialize<'de> for Inertia {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InertiaVisitor;
        impl<'de> Visitor<'de> for InertiaVisitor {
            type Value = Inertia;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "an inertia [Ixx, Iyy, Izz], three rows of three numbers, or { xx, yy, zz, xy, xz, yz }",
                )
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Inertia, A::Error> {
                let mut rows = Vec::new();
                while let Some(row) = seq.next_element::<NumberOrRow>()? {
                    rows.push(row);
                    if rows.len() > 3 {
                        return Err(A::Error::invalid_length(rows.len(), &self));
                    }
                }
                match rows.as_slice() {
                    [NumberOrRow::Number(x), NumberOrRow::Number(y), NumberOrRow::Number(z)] => {
                        Ok(Inertia::diagonal([*x, *y, *z]))
                    }
                    [NumberOrRow::Row(a), NumberOrRow::Row(b), NumberOrRow::Row(c)] => {
                        Ok(Inertia(DMat3::from_cols_array_2d(&[*a, *b, *c]).transpose()))
                    }
                    _ => Err(A::Error::invalid_length(rows.len(), &self)),
                }
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Inertia, A::Error> {
                let i = InertiaForm::deserialize(MapAccessDeserializer::new(map))?;
                let rows = [[i.xx, i.xy, i.xz], [i.xy, i.yy, i.yz], [i.xz, i.yz, i.zz]];
                Ok(Inertia(DMat3::from_cols_array_2d(&rows)))
            }
        }
        deserializer.deserialize_any(InertiaVisitor)
    }
}

/// A number that drives a motor or a force: a constant, a function of time, or the value of a signal.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum DriveSpec {
    /// Constant or function of time.
    Function(Function),
    /// Value of a signal.
    Signal {
        /// Name of the signal.
        signal: String,
    },
}

impl DriveSpec {
    /// The value of the signal of that name.
    pub fn signal(name: impl Into<String>) -> Self {
        Self::Signal { signal: name.into() }
    }
}

impl Default for DriveSpec {
    fn default() -> Self {
        Self::Function(Function::constant(0.0))
    }
}

impl From<f64> for DriveSpec {
    fn from(value: f64) -> Self {
        Self::Function(Function::constant(value))
    }
}

impl From<Function> for DriveSpec {
    fn from(function: Function) -> Self {
        Self::Function(function)
    }
}

/// A number that drives a motor or a force.
#[derive(JsonSchema)]
#[schemars(untagged, rename = "Drive")]
#[allow(dead_code)]
enum DriveSchema {
    /// Constant or function of time.
    Function(Function),
    /// Value of a signal.
    Signal {
        /// Name of the signal.
        signal: String,
    },
}

impl JsonSchema for DriveSpec {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Drive".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        DriveSchema::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for DriveSpec {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct DriveVisitor;
        impl<'de> Visitor<'de> for DriveVisitor {
            type Value = DriveSpec;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a number, a function such as { type = \"sine\", amplitude = 1, frequency = 2 }, or { signal = \"name\" }",
                )
            }
            fn visit_f64<E: Error>(self, v: f64) -> Result<DriveSpec, E> {
                Ok(v.into())
            }
            fn visit_i64<E: Error>(self, v: i64) -> Result<DriveSpec, E> {
                Ok((v as f64).into())
            }
            fn visit_u64<E: Error>(self, v: u64) -> Result<DriveSpec, E> {
                Ok((v as f64).into())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DriveSpec, A::Error> {
                let mut entries = serde_json::Map::new();
                while let Some((key, value)) = map.next_entry::<String, serde_json::Value>()? {
                    entries.insert(key, value);
                }
                if let Some(signal) = entries.get("signal") {
                    if let Some(other) = entries.keys().find(|k| *k != "signal") {
                        return Err(A::Error::unknown_field(other, &["signal"]));
                    }
                    let name = signal
                        .as_str()
                        .ok_or_else(|| A::Error::custom("`signal` must be the name of a signal"))?;
                    return Ok(DriveSpec::signal(name));
                }
                Function::deserialize(serde_json::Value::Object(entries))
                    .map(DriveSpec::Function)
                    .map_err(|e| A::Error::custom(e.to_string()))
            }
        }
        deserializer.deserialize_any(DriveVisitor)
    }
}

/// A frame: position and orientation, the latter by `rotation` or by the direction `axis` of its z axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Tagged)]
#[tagged(object = "frame")]
pub struct FrameSpec {
    /// Position of the origin [m].
    #[tagged(default, skip_if = is_default)]
    pub position: [f64; 3],
    /// Orientation.
    pub rotation: Option<Rotation>,
    /// Direction of the z axis, a unit vector; instead of `rotation`.
    pub axis: Option<[f64; 3]>,
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

    /// The pose, or the key that is wrong and what is wrong with it.
    pub fn pose(&self) -> Result<Pose, (&'static str, String)> {
        let key = if self.axis.is_some() { "axis" } else { "rotation" };
        let rotation = self.orientation().map_err(|e| (key, e))?;
        let position = DVec3::from_array(self.position);
        match position.is_finite() {
            true => Ok(Pose { position, rotation }),
            false => Err(("position", "all components must be finite".into())),
        }
    }
}

/// Whether a key has the value that it has when absent.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
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

/// The orientation given by `rotation` or by the direction of the z axis.
pub(crate) fn orientation(rotation: Option<Rotation>, axis: Option<[f64; 3]>) -> Result<DQuat, String> {
    match (rotation, axis) {
        (Some(_), Some(_)) => Err("give rotation or axis, not both".into()),
        (Some(r), None) => Ok(r.0),
        (None, Some(axis)) => Ok(huygens_kernel::rotation::from_z_to(check_axis(axis)?)),
        (None, None) => Ok(DQuat::IDENTITY),
    }
}
