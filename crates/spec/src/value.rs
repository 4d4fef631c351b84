//! Values with more than one way to write them: inertias and driving numbers.

use std::fmt;

use glam::{DMat3, DVec3};
use huygens_spec::SceneObject;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::function::Function;

/// An inertia tensor about the centre of mass [kg·m²], body axes: `[Ixx, Iyy, Izz]`, three rows, or
/// `{ xx, yy, zz, xy, xz, yz }` with tensor entries off the diagonal ($I_{xy} = -\int xy\,dm$).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, SceneObject)]
#[serde(into = "[[f64; 3]; 3]")]
pub struct Inertia(#[scene(local)] pub DMat3);

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
#[derive(Clone, Debug, PartialEq, Serialize, SceneObject)]
#[serde(untagged)]
pub enum DriveSpec {
    /// Constant or function of time.
    Function(Function),
    /// Value of a signal.
    Signal {
        /// Name of the signal.
        #[scene(refers(Signals))]
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

/// Whether a key has the value that it has when absent.
pub(super) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
