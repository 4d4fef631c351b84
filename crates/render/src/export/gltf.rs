//! glTF 2.0 binary files (`.glb`) with animation, for Blender, web pages and slides.
//!
//! Every item with shapes is a node with its name; nodes of the same shape share a mesh. The root node turns the up
//! axis of the recording to +y, as glTF asks for. Time starts at 0 with the first chosen frame.

use std::collections::BTreeMap;
use std::path::Path;

use glam::{DQuat, DVec3, Quat, Vec3};
use huygens_record::Recording;
use huygens_record::recording::{Batch, BatchKind, Frame, Stage};
use serde_json::{Value, json};

use super::error::ExportError;
use super::glb::{Buffers, Geometry};
use super::gltf_tracks::{GroupTracks, Track};
use super::staging::Staging;
use super::tessellation::{Triangles, check_size, ground_square, segments_for, wall_note};
use super::{ExportReport, FrameChoice, Progress, Walk, drawn_as_balls, framing, item_name};
use crate::camera::Framing;
use crate::error::RenderError;
use crate::looks::{Paint, look_name};
use crate::shapes::{Poses, Selection, Shape, local_shape};
use crate::view::View;

/// Most shapes that become nodes: programs that open such files slow down beyond.
pub const NODE_LIMIT: usize = 20_000;
/// Most bytes of animation.
const TRACK_LIMIT: u64 = 1 << 31;

/// Writes one `.glb` file; `view` says by `show`, `hide` and `looks` what is in it.
pub fn write(
    recording: &Recording,
    choice: &FrameChoice,
    view: &View,
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let ending = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    if ending.as_deref() != Some("glb") {
        return Err(ExportError::FileKind { path: path.into(), expected: ".glb" });
    }
    let mut walk = Walk::new(recording, choice, progress)?;
    let stage = recording.stage();
    let framing = framing(stage, &walk.scouts()?, view)?;
    let first = recording.frame(walk.frames[0])?;
    let mut cast = Cast::new(stage, view, &framing, &first)?;
    let mut times: Vec<f32> = Vec::new();
    walk.each(&mut |_, frame| {
        let time = (frame.time - first.time) as f32;
        // Frames too close for single precision cannot both be keys.
        if times.last().is_none_or(|last| time > *last) {
            times.push(time);
            cast.push(frame)?;
        }
        cast.check_limits(times.len())
    })?;
    let (mut staging, name) = Staging::file(path)?;
    let shown = staging.shown(&name);
    let mut notes = std::mem::take(&mut cast.notes);
    notes.extend(left_out(stage));
    let mut document = Some(cast.document(&times)?);
    staging.write(&name, &mut |out| match document.take() {
        Some((buffers, json)) => buffers.write(json, out).map_err(ExportError::write(&shown)),
        None => Ok(()),
    })?;
    staging.finish(&name, notes)
}

/// What glTF nodes cannot show.
fn left_out(stage: &Stage) -> Vec<String> {
    let groups = |used: &dyn Fn(usize) -> bool| -> Vec<String> {
        let used = stage.groups.iter().enumerate().filter(|(number, _)| used(*number));
        used.map(|(_, group)| format!("'{}'", group.name)).collect()
    };
    let lists = [
        ("skins", groups(&|group| stage.skins.iter().any(|skin| skin.group == group))),
        ("tubes", groups(&|group| stage.tubes.iter().any(|tubes| tubes.group == group))),
    ];
    let note = |(what, names): &(&str, Vec<String>)| {
        let names = names.join(", ");
        format!(
            "{what} of {names} change their form and were left out of the glTF file; OBJ and VTK files hold them"
        )
    };
    lists.iter().filter(|(_, names)| !names.is_empty()).map(note).collect()
}

/// A shape of an item, in its frame.
struct Part {
    mesh: usize,
    position: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// Everything that becomes a node.
struct Cast<'a> {
    stage: &'a Stage,
    view: &'a View,
    buffers: Buffers,
    geometries: BTreeMap<GeometryKey, Geometry>,
    materials: Vec<Value>,
    material_keys: BTreeMap<[u32; 6], usize>,
    meshes: Vec<Value>,
    mesh_keys: BTreeMap<(GeometryKey, usize), usize>,
    parts: BTreeMap<(usize, usize), Vec<Part>>,
    groups: Vec<GroupTracks>,
    notes: Vec<String>,
}

/// Kind, size and mesh of a shape; the last number tells squares of grounds apart.
type GeometryKey = (u8, [u32; 4], Option<usize>, usize);

impl<'a> Cast<'a> {
    fn new(stage: &'a Stage, view: &'a View, framing: &Framing, first: &Frame) -> Result<Self, ExportError> {
        let mut cast = Self {
            stage,
            view,
            buffers: Buffers::default(),
            geometries: BTreeMap::new(),
            materials: Vec::new(),
            material_keys: BTreeMap::new(),
            meshes: Vec::new(),
            mesh_keys: BTreeMap::new(),
            parts: BTreeMap::new(),
            groups: Vec::new(),
            notes: Vec::new(),
        };
        let selection = Selection::new(view);
        for batch in &stage.batches {
            let poses = Poses::new(stage, first, batch.group)?;
            for index in 0..batch.items.len() {
                let item = batch.items[index] as usize;
                if selection.draws(&stage.groups[batch.group], item) {
                    cast.add_shape(batch, index, poses.find(item)?, framing)?;
                }
            }
        }
        for group in 0..stage.groups.len() {
            let items: Vec<usize> =
                cast.parts.keys().filter(|key| key.0 == group).map(|(_, item)| *item).collect();
            if !items.is_empty() {
                cast.groups.push(GroupTracks::new(group, Some(items)));
            } else if drawn_as_balls(stage, group) {
                cast.groups.push(GroupTracks::new(group, None));
            }
        }
        Ok(cast)
    }

    fn add_shape(
        &mut self,
        batch: &Batch,
        index: usize,
        pose: Option<(DVec3, DQuat)>,
        framing: &Framing,
    ) -> Result<(), ExportError> {
        let item = batch.items[index] as usize;
        let shape = local_shape(batch, index);
        check_size(self.stage, &shape)?;
        let (position, rotation) = (shape.position.as_vec3(), shape.rotation.as_quat());
        let material = self.material(batch.group, item, shape.look)?;
        let mesh = if batch.kind == BatchKind::HalfSpace {
            let (place, turn) = pose.unwrap_or((DVec3::ZERO, DQuat::IDENTITY));
            let square = ground_square(framing, place + turn * shape.position, turn * shape.rotation);
            let Some(square) = square else {
                self.notes.push(wall_note(&item_name(&self.stage.groups[batch.group], item)));
                return Ok(());
            };
            let key = (batch.kind as u8, [0; 4], None, 1 + self.meshes.len());
            self.mesh(key, material, || square)
        } else {
            self.shape_mesh(&shape, material)
        };
        let part = Part { mesh, position, rotation, scale: unit_scale(batch.kind, &shape.size) };
        self.parts.entry((batch.group, item)).or_default().push(part);
        Ok(())
    }

    /// The mesh of a shape whose size is partly left to the scale of its node.
    fn shape_mesh(&mut self, shape: &Shape, material: usize) -> usize {
        let (kind, size) = match shape.kind {
            BatchKind::Sphere | BatchKind::Ellipsoid => (BatchKind::Sphere, [1.0, 0.0, 0.0, 0.0]),
            BatchKind::Box => (BatchKind::Box, [1.0, 1.0, 1.0, 0.0]),
            BatchKind::Cylinder | BatchKind::Cone => (shape.kind, [1.0, 1.0, 0.0, 0.0]),
            kind => (kind, shape.size),
        };
        let (stage, segments) = (self.stage, segments_for(self.stage));
        let mesh = shape.mesh.and_then(|mesh| stage.meshes.get(mesh));
        let key = (kind as u8, size.map(f32::to_bits), shape.mesh, 0);
        self.mesh(key, material, || Triangles::of_shape(kind, &size, mesh, segments).unwrap_or_default())
    }

    fn mesh(&mut self, key: GeometryKey, material: usize, make: impl FnOnce() -> Triangles) -> usize {
        if let Some(mesh) = self.mesh_keys.get(&(key, material)) {
            return *mesh;
        }
        let buffers = &mut self.buffers;
        let Geometry { positions, normals, indices } =
            *self.geometries.entry(key).or_insert_with(|| buffers.geometry(&make()));
        self.meshes.push(json!({ "primitives": [{
            "attributes": { "POSITION": positions, "NORMAL": normals }, "indices": indices, "material": material
        }]}));
        self.mesh_keys.insert((key, material), self.meshes.len() - 1);
        self.meshes.len() - 1
    }

    fn material(&mut self, group: usize, item: usize, look: Option<usize>) -> Result<usize, RenderError> {
        let paint = Paint::of(self.stage, self.view, group, item, look)?;
        let next = self.materials.len();
        let number = *self.material_keys.entry(paint.key()).or_insert(next);
        if number == next {
            let [r, g, b] = paint.color.to_array();
            let mut material = json!({
                "name": look_name(self.stage, group, look),
                "pbrMetallicRoughness": {
                    "baseColorFactor": [r, g, b, paint.finish.opacity],
                    "metallicFactor": if paint.finish.metal { 1.0 } else { 0.0 },
                    "roughnessFactor": paint.finish.roughness,
                }
            });
            if paint.finish.opacity < 1.0 {
                material["alphaMode"] = json!("BLEND");
            }
            self.materials.push(material);
        }
        Ok(number)
    }

    fn push(&mut self, frame: &Frame) -> Result<(), ExportError> {
        let selection = Selection::new(self.view);
        for group in &mut self.groups {
            group.push(self.stage, frame, &selection)?;
        }
        Ok(())
    }

    fn check_limits(&self, frames: usize) -> Result<(), ExportError> {
        let nodes = |group: &GroupTracks| match group.balls {
            true => group.tracks.len(),
            false => self.parts.iter().filter(|(key, _)| key.0 == group.group).map(|(_, p)| p.len()).sum(),
        };
        // Parts are many and do not change: count once.
        if frames <= 1 || self.groups.iter().any(|group| group.balls) {
            let found: usize = self.groups.iter().map(nodes).sum();
            if found > NODE_LIMIT {
                let most = self.groups.iter().max_by_key(|group| nodes(group));
                let name = most.map_or("", |group| self.stage.groups[group.group].name.as_str());
                return Err(ExportError::TooMany {
                    what: format!("shapes, most of them of group '{name}'"),
                    found: found as u64,
                    limit: NODE_LIMIT as u64,
                    format: "glTF",
                    remedy: "hide that group, or export VTK, which takes millions",
                });
            }
        }
        let tracks: usize = self.groups.iter().map(|group| group.tracks.len()).sum();
        let bytes = tracks as u64 * frames as u64 * 28;
        if bytes > TRACK_LIMIT {
            return Err(ExportError::TooMany {
                what: format!("bytes of animation of {tracks} items at {frames} frames"),
                found: bytes,
                limit: TRACK_LIMIT,
                format: "glTF",
                remedy: "choose fewer frames",
            });
        }
        Ok(())
    }

    fn document(mut self, times: &[f32]) -> Result<(Buffers, Value), RenderError> {
        let groups = std::mem::take(&mut self.groups);
        let parts = std::mem::take(&mut self.parts);
        let mut nodes = Nodes { nodes: vec![Value::Null], children: Vec::new(), animated: Vec::new() };
        for group in &groups {
            let owner = &self.stage.groups[group.group];
            for track in group.tracks.iter().filter(|track| track.appears()) {
                let name = item_name(owner, track.item);
                if group.balls {
                    let material = self.material(track.group, track.item, None)?;
                    let ball = local_ball();
                    let mesh = self.shape_mesh(&ball, material);
                    let part =
                        Part { mesh, position: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };
                    nodes.add(track, &name, std::slice::from_ref(&part));
                } else if let Some(parts) = parts.get(&(track.group, track.item)) {
                    nodes.add(track, &name, parts);
                }
            }
        }
        let up = Vec3::from_array(self.stage.up).normalize_or(Vec3::Z);
        let mut root =
            json!({ "name": self.stage.name, "rotation": quat(Quat::from_rotation_arc(up, Vec3::Y)) });
        if !nodes.children.is_empty() {
            root["children"] = json!(nodes.children);
        }
        nodes.nodes[0] = root;
        let animation = animation(&mut self.buffers, &nodes.animated, times);
        let mut document = json!({
            "asset": { "version": "2.0", "generator": self.stage.generator },
            "scene": 0,
            "scenes": [{ "name": self.stage.name, "nodes": [0] }],
            "nodes": nodes.nodes,
        });
        for (key, list) in [("materials", self.materials), ("meshes", self.meshes)] {
            if !list.is_empty() {
                document[key] = Value::Array(list);
            }
        }
        if let Some(animation) = animation {
            document["animations"] = json!([animation]);
        }
        Ok((self.buffers, document))
    }
}

/// Nodes with their tracks.
struct Nodes<'a> {
    nodes: Vec<Value>,
    /// Children of the root.
    children: Vec<usize>,
    animated: Vec<(usize, &'a Track, Vec3)>,
}

impl<'a> Nodes<'a> {
    fn add(&mut self, track: &'a Track, name: &str, parts: &[Part]) {
        let number = self.nodes.len();
        self.children.push(number);
        let mut node = json!({ "name": name });
        let mut scale = Vec3::ONE;
        let alone = match parts {
            [part] if part.position == Vec3::ZERO && part.rotation == Quat::IDENTITY => Some(part),
            _ => None,
        };
        if let Some(part) = alone {
            node["mesh"] = json!(part.mesh);
            scale = part.scale;
        } else {
            node["children"] = json!((number + 1..=number + parts.len()).collect::<Vec<_>>());
        }
        pose(&mut node, track.positions[0], track.rotations[0], scale * track.scales[0]);
        self.nodes.push(node);
        if alone.is_none() {
            for part in parts {
                let mut node = json!({ "mesh": part.mesh });
                pose(&mut node, part.position, part.rotation, part.scale);
                self.nodes.push(node);
            }
        }
        self.animated.push((number, track, scale));
    }
}

fn pose(node: &mut Value, position: Vec3, rotation: Quat, scale: Vec3) {
    if position != Vec3::ZERO {
        node["translation"] = json!(position.to_array());
    }
    if rotation != Quat::IDENTITY {
        node["rotation"] = quat(rotation);
    }
    if scale != Vec3::ONE {
        node["scale"] = json!(scale.to_array());
    }
}

fn quat(rotation: Quat) -> Value {
    json!(rotation.to_array())
}

/// Channels of everything that changes; none if nothing does.
fn animation(buffers: &mut Buffers, animated: &[(usize, &Track, Vec3)], times: &[f32]) -> Option<Value> {
    let still = animated.iter().all(|(_, track, _)| !track.moves() && !track.turns() && !track.grows());
    if still {
        return None;
    }
    let keys: Vec<[f32; 1]> = times.iter().map(|time| [*time]).collect();
    let input = buffers.track(&keys, true);
    let (mut samplers, mut channels) = (Vec::new(), Vec::new());
    let mut add = |node: usize, path: &str, output: usize, steps: bool| {
        let interpolation = if steps { "STEP" } else { "LINEAR" };
        channels.push(json!({ "sampler": samplers.len(), "target": { "node": node, "path": path } }));
        samplers.push(json!({ "input": input, "output": output, "interpolation": interpolation }));
    };
    for (node, track, scale) in animated {
        if track.moves() {
            let values: Vec<[f32; 3]> = track.positions.iter().map(|p| p.to_array()).collect();
            add(*node, "translation", buffers.track(&values, false), false);
        }
        if track.turns() {
            let values: Vec<[f32; 4]> = track.rotations.iter().map(|r| r.to_array()).collect();
            add(*node, "rotation", buffers.track(&values, false), false);
        }
        if track.grows() {
            let values: Vec<[f32; 3]> = track.scales.iter().map(|s| (*scale * *s).to_array()).collect();
            // Things that come and go do so at once.
            let steps = track.scales.contains(&0.0);
            add(*node, "scale", buffers.track(&values, false), steps);
        }
    }
    Some(json!({ "name": "run", "samplers": samplers, "channels": channels }))
}

/// A ball of radius 1.
fn local_ball() -> Shape {
    Shape {
        kind: BatchKind::Sphere,
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
        size: [1.0, 0.0, 0.0, 0.0],
        group: 0,
        item: 0,
        look: None,
        mesh: None,
    }
}

/// Scale of the node of a shape whose mesh has the size 1.
fn unit_scale(kind: BatchKind, [a, b, c, _]: &[f32; 4]) -> Vec3 {
    match kind {
        BatchKind::Sphere => Vec3::splat(*a),
        BatchKind::Ellipsoid | BatchKind::Box => Vec3::new(*a, *b, *c),
        BatchKind::Cylinder | BatchKind::Cone => Vec3::new(*a, *a, *b),
        _ => Vec3::ONE,
    }
}
