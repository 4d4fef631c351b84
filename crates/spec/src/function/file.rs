//! How functions look in scene files: an object with a `type`, or a bare number.

use std::fmt;

use schemars::{Schema, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde::{Serialize, Serializer};

use super::Function;

/// Adds the shorthand to the derived schema, which lists the kinds under `oneOf`.
pub(super) fn allow_number(schema: &mut Schema) {
    let number = json_schema!({ "type": "number", "description": "Shorthand for a constant." }).to_value();
    if let Some(kinds) = schema.get_mut("oneOf").and_then(|kinds| kinds.as_array_mut()) {
        kinds.insert(0, number);
    }
}

impl Serialize for Function {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // The inherent method made by `serde(remote = "Self")`, not this one.
        Function::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Function {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FunctionVisitor)
    }
}

struct FunctionVisitor;

impl<'de> Visitor<'de> for FunctionVisitor {
    type Value = Function;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number or a function such as { type = \"sine\", amplitude = 1, frequency = 2 }")
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Function, E> {
        let function = Function::constant(value);
        function.validate().map_err(E::custom)?;
        Ok(function)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Function, E> {
        Ok(Function::constant(value as f64))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Function, E> {
        Ok(Function::constant(value as f64))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Function, A::Error> {
        let function = Function::deserialize(MapAccessDeserializer::new(map))?;
        function.validate().map_err(A::Error::custom)?;
        Ok(function)
    }
}
