//! Stages and frames as plain bytes: what files hold before compression, and what the viewer's page receives.
//!
//! Packed stage: u32 length of the JSON, the JSON, zeros up to a multiple of 4, the arrays. Each array of the stage
//! stands in the JSON as `{"offset": …, "len": …, "type": "f32"}` (or `"u32"`): bytes from the start of the arrays,
//! numbers.
//!
//! Packed frame: f64 time, u64 step, u32 scalars, u32 groups, the scalars (f64), then the groups: u32 items, u32 0,
//! and every field as items × components numbers (f32). All little-endian.

use serde::Deserialize;
use serde_json::{Value, json};

use super::stage::{Frame, Stage};

/// Bytes of a packed stage.
pub fn pack_stage(stage: &Stage) -> Result<Vec<u8>, String> {
    stage.check()?;
    let mut arrays = Arrays::default();
    let value = stage_value(stage, &mut arrays)?;
    arrays.packed(&value)
}

/// Stage of packed bytes, checked.
pub fn unpack_stage(bytes: &[u8]) -> Result<Stage, String> {
    let (value, mut arrays) = unpacked(bytes)?;
    let stage = stage_of(&value, &mut arrays)?;
    stage.check()?;
    Ok(stage)
}

/// JSON of a stage, with its arrays apart.
pub(crate) fn stage_value(stage: &Stage, arrays: &mut Arrays) -> Result<Value, String> {
    let mut value = serde_json::to_value(stage).map_err(|error| error.to_string())?;
    for (group, entry) in stage.groups.iter().zip(list(&mut value, "groups")) {
        let values: Vec<Value> = group.constant_values.iter().map(|values| arrays.floats(values)).collect();
        entry["constant_values"] = Value::Array(values);
    }
    for (mesh, entry) in stage.meshes.iter().zip(list(&mut value, "meshes")) {
        entry["vertices"] = arrays.floats(&mesh.vertices);
        entry["triangles"] = arrays.integers(&mesh.triangles);
    }
    for (batch, entry) in stage.batches.iter().zip(list(&mut value, "batches")) {
        entry["items"] = arrays.integers(&batch.items);
        entry["looks"] = arrays.integers(&batch.looks);
        entry["sizes"] = arrays.floats(&batch.sizes);
        entry["positions"] = arrays.floats(&batch.positions);
        entry["rotations"] = arrays.floats(&batch.rotations);
    }
    for (skin, entry) in stage.skins.iter().zip(list(&mut value, "skins")) {
        entry["triangles"] = arrays.integers(&skin.triangles);
    }
    for (tubes, entry) in stage.tubes.iter().zip(list(&mut value, "tubes")) {
        entry["segments"] = arrays.integers(&tubes.segments);
    }
    for (cells, entry) in stage.cells.iter().zip(list(&mut value, "cells")) {
        entry["items"] = arrays.integers(&cells.items);
    }
    Ok(value)
}

/// Inverse of [`stage_value`]; what it says is not checked.
pub(crate) fn stage_of(value: &Value, arrays: &mut ArraysRead<'_>) -> Result<Stage, String> {
    let mut stage = Stage::deserialize(value).map_err(|error| format!("JSON: {error}"))?;
    for (index, group) in stage.groups.iter_mut().enumerate() {
        let values = value["groups"][index]["constant_values"].as_array().map(Vec::as_slice).unwrap_or(&[]);
        group.constant_values = values.iter().map(|entry| arrays.floats(entry)).collect::<Result<_, _>>()?;
    }
    for (index, mesh) in stage.meshes.iter_mut().enumerate() {
        let entry = &value["meshes"][index];
        mesh.vertices = arrays.floats(&entry["vertices"])?;
        mesh.triangles = arrays.integers(&entry["triangles"])?;
    }
    for (index, batch) in stage.batches.iter_mut().enumerate() {
        let entry = &value["batches"][index];
        batch.items = arrays.integers(&entry["items"])?;
        batch.looks = arrays.integers(&entry["looks"])?;
        batch.sizes = arrays.floats(&entry["sizes"])?;
        batch.positions = arrays.floats(&entry["positions"])?;
        batch.rotations = arrays.floats(&entry["rotations"])?;
    }
    for (index, skin) in stage.skins.iter_mut().enumerate() {
        skin.triangles = arrays.integers(&value["skins"][index]["triangles"])?;
    }
    for (index, tubes) in stage.tubes.iter_mut().enumerate() {
        tubes.segments = arrays.integers(&value["tubes"][index]["segments"])?;
    }
    for (index, cells) in stage.cells.iter_mut().enumerate() {
        cells.items = arrays.integers(&value["cells"][index]["items"])?;
    }
    Ok(stage)
}

/// JSON of packed bytes, and what its arrays are read from.
pub(crate) fn unpacked(bytes: &[u8]) -> Result<(Value, ArraysRead<'_>), String> {
    let (length, rest) = bytes.split_first_chunk::<4>().ok_or("shorter than its head")?;
    let length = u32::from_le_bytes(*length) as usize;
    let text = rest
        .get(..length)
        .ok_or_else(|| format!("{length} bytes of JSON announced, {} are there", rest.len()))?;
    let value: Value = serde_json::from_slice(text).map_err(|error| format!("JSON: {error}"))?;
    let start = (4 + length).next_multiple_of(4).min(bytes.len());
    Ok((value, ArraysRead { bytes: &bytes[start..], left: bytes.len() - start }))
}

fn list<'a>(value: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    value[key].as_array_mut().map(|list| list.iter_mut()).into_iter().flatten()
}

/// Arrays, one behind the other.
#[derive(Default)]
pub(crate) struct Arrays {
    bytes: Vec<u8>,
}

impl Arrays {
    /// The packed bytes: JSON, and behind it the arrays it refers to.
    pub fn packed(self, value: &Value) -> Result<Vec<u8>, String> {
        let text = serde_json::to_vec(value).map_err(|error| error.to_string())?;
        let length =
            u32::try_from(text.len()).map_err(|_| format!("{} bytes of JSON are too many", text.len()))?;
        let mut bytes = Vec::with_capacity(8 + text.len() + self.bytes.len());
        bytes.extend(length.to_le_bytes());
        bytes.extend(text);
        bytes.resize(bytes.len().next_multiple_of(4), 0);
        bytes.extend(self.bytes);
        Ok(bytes)
    }

    fn floats(&mut self, values: &[f32]) -> Value {
        let offset = self.bytes.len();
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        json!({ "offset": offset, "len": values.len(), "type": "f32" })
    }

    pub fn integers(&mut self, values: &[u32]) -> Value {
        let offset = self.bytes.len();
        self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
        json!({ "offset": offset, "len": values.len(), "type": "u32" })
    }
}

/// Arrays of packed bytes; together they may not hold more than the bytes that are there.
pub(crate) struct ArraysRead<'a> {
    bytes: &'a [u8],
    left: usize,
}

impl<'a> ArraysRead<'a> {
    fn floats(&mut self, entry: &Value) -> Result<Vec<f32>, String> {
        Ok(self.words(entry, "f32")?.map(f32::from_le_bytes).collect())
    }

    pub fn integers(&mut self, entry: &Value) -> Result<Vec<u32>, String> {
        Ok(self.words(entry, "u32")?.map(u32::from_le_bytes).collect())
    }

    fn words(
        &mut self,
        entry: &Value,
        kind: &str,
    ) -> Result<impl Iterator<Item = [u8; 4]> + use<'a>, String> {
        let number = |key: &str| entry[key].as_u64().and_then(|value| usize::try_from(value).ok());
        let range = match (number("offset"), number("len"), entry["type"].as_str()) {
            (Some(offset), Some(length), Some(found)) if found == kind => length
                .checked_mul(4)
                .filter(|size| *size <= self.left)
                .and_then(|size| Some(offset..offset.checked_add(size)?)),
            _ => None,
        };
        let words = range.and_then(|range| self.bytes.get(range));
        let words = words.ok_or_else(|| format!("array {entry} is not one of {kind} within its bytes"))?;
        self.left -= words.len();
        Ok(words.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]))
    }
}

/// What a frame holds beside the arrays of its groups.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FrameHead {
    pub time: f64,
    pub step: u64,
    pub scalars: Vec<f64>,
}

/// Numbers an item of each group: how the words of a frame lie.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    pub widths: Vec<usize>,
    pub scalars: usize,
}

/// Replaces `words` by the groups of a frame as words: count, 0, fields.
pub(crate) fn body_words(frame: &Frame, words: &mut Vec<u32>) {
    words.clear();
    for group in &frame.groups {
        words.extend([group.count as u32, 0]);
        for field in &group.fields {
            words.extend(field.iter().map(|value| value.to_bits()));
        }
    }
}

/// Packed frame of a head and the words of its groups.
pub(crate) fn packed_frame(groups: usize, head: &FrameHead, words: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(24 + 8 * head.scalars.len() + 4 * words.len());
    bytes.extend(head.time.to_le_bytes());
    bytes.extend(head.step.to_le_bytes());
    bytes.extend((head.scalars.len() as u32).to_le_bytes());
    bytes.extend((groups as u32).to_le_bytes());
    head.scalars.iter().for_each(|scalar| bytes.extend(scalar.to_le_bytes()));
    words.iter().for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes
}

/// Bytes of a packed frame; it must pass [`Stage::check_frame`].
pub fn pack_frame(frame: &Frame) -> Vec<u8> {
    let mut words = Vec::new();
    body_words(frame, &mut words);
    let head = FrameHead { time: frame.time, step: frame.step, scalars: frame.scalars.clone() };
    packed_frame(frame.groups.len(), &head, &words)
}
