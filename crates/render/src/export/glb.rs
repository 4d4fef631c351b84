//! The binary container of glTF 2.0: a JSON document and one buffer.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::tessellation::Triangles;

/// Numbers of buffer views.
const VERTICES: usize = 0;
const INDICES: usize = 1;
const TRACKS: usize = 2;

/// Numbers of type `f32` or `u32`.
const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// Arrays of a document, by use.
#[derive(Default)]
pub(super) struct Buffers {
    vertices: Vec<u8>,
    indices: Vec<u8>,
    tracks: Vec<u8>,
    pub accessors: Vec<Value>,
}

/// Accessors of the triangles of a mesh.
#[derive(Clone, Copy)]
pub(super) struct Geometry {
    pub positions: usize,
    pub normals: usize,
    pub indices: usize,
}

impl Buffers {
    pub fn geometry(&mut self, triangles: &Triangles) -> Geometry {
        let positions: Vec<[f32; 3]> = triangles.vertices.iter().map(|v| v.to_array()).collect();
        let normals: Vec<[f32; 3]> = triangles.normals.iter().map(|v| v.to_array()).collect();
        let indices: Vec<u8> = triangles.corners.iter().flatten().flat_map(|i| i.to_le_bytes()).collect();
        let count = 3 * triangles.corners.len();
        let at = self.indices.len();
        self.indices.extend(indices);
        let described = json!({
            "bufferView": INDICES, "byteOffset": at, "componentType": UNSIGNED, "count": count, "type": "SCALAR"
        });
        self.accessors.push(described);
        let indices = self.accessors.len() - 1;
        let positions = self.floats(VERTICES, &positions, true);
        let normals = self.floats(VERTICES, &normals, false);
        Geometry { positions, normals, indices }
    }

    /// Keys of an animation; times need their bounds.
    pub fn track<const N: usize>(&mut self, values: &[[f32; N]], bounds: bool) -> usize {
        self.floats(TRACKS, values, bounds)
    }

    fn floats<const N: usize>(&mut self, view: usize, values: &[[f32; N]], bounds: bool) -> usize {
        let bytes = if view == VERTICES { &mut self.vertices } else { &mut self.tracks };
        let at = bytes.len();
        bytes.extend(values.iter().flatten().flat_map(|v| v.to_le_bytes()));
        let mut described = json!({
            "bufferView": view, "byteOffset": at, "componentType": FLOAT, "count": values.len(),
            "type": match N { 1 => "SCALAR", 3 => "VEC3", _ => "VEC4" }
        });
        if bounds {
            let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
                (0..N).map(|i| values.iter().map(|v| v[i]).reduce(pick).unwrap_or(0.0)).collect()
            };
            described["min"] = json!(bound(f32::min));
            described["max"] = json!(bound(f32::max));
        }
        self.accessors.push(described);
        self.accessors.len() - 1
    }

    /// Adds the arrays to a document and writes the file.
    pub fn write(self, mut document: Value, out: &mut dyn Write) -> io::Result<()> {
        let sizes = [self.vertices.len(), self.indices.len(), self.tracks.len()];
        let mut views = Vec::new();
        let mut at = 0;
        // Views without bytes are not allowed: an empty one at the end is left out, others are never empty.
        for (view, size) in sizes.into_iter().enumerate().filter(|(_, size)| *size > 0) {
            let mut described = json!({ "buffer": 0, "byteOffset": at, "byteLength": size });
            match view {
                VERTICES => {
                    described["target"] = json!(34962);
                    described["byteStride"] = json!(12);
                }
                INDICES => described["target"] = json!(34963),
                _ => {}
            }
            views.push(described);
            at += size;
        }
        if at > 0 {
            document["buffers"] = json!([{ "byteLength": at }]);
            document["bufferViews"] = Value::Array(views);
            document["accessors"] = Value::Array(self.accessors);
        }
        let mut text = serde_json::to_vec(&document)?;
        text.resize(text.len().next_multiple_of(4), b' ');
        let size = 12 + 8 + text.len() + if at > 0 { 8 + at } else { 0 };
        let short = |n: usize| {
            u32::try_from(n).map_err(|_| io::Error::new(io::ErrorKind::FileTooLarge, "more than 4 GiB"))
        };
        out.write_all(b"glTF")?;
        out.write_all(&2_u32.to_le_bytes())?;
        out.write_all(&short(size)?.to_le_bytes())?;
        out.write_all(&short(text.len())?.to_le_bytes())?;
        out.write_all(b"JSON")?;
        out.write_all(&text)?;
        if at > 0 {
            out.write_all(&short(at)?.to_le_bytes())?;
            out.write_all(b"BIN\0")?;
            for bytes in [&self.vertices, &self.indices, &self.tracks] {
                out.write_all(bytes)?;
            }
        }
        Ok(())
    }
}
