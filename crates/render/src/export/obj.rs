//! Wavefront OBJ: all surfaces at one moment.

use std::io::Write;
use std::path::Path;

use glam::Vec3;
use huygens_record::Recording;
use huygens_record::recording::{BatchKind, Frame, Stage};

use super::error::ExportError;
use super::staging::Staging;
use super::tessellation::{Triangles, check_size, segments_for};
use super::{ExportReport, FrameChoice, Progress, Walk, item_name};
use crate::error::RenderError;
use crate::shapes::{Poses, Selection, for_each_shape};
use crate::view::View;

/// Writes shapes, tubes and skins of the frame nearest to `time` [s] in world coordinates [m]; `view` says by `show`
/// and `hide` which.
///
/// Every shape is an object named after its item. Vertices of a skin are the items of its group in their order.
pub fn write(
    recording: &Recording,
    time: f64,
    view: &View,
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    let mut walk = Walk::new(recording, &FrameChoice::At(vec![time]), progress)?;
    let stage = recording.stage();
    let (mut staging, name) = Staging::file(path)?;
    let mut notes = Vec::new();
    let shown = staging.shown(&name);
    let mut lines = Vec::new();
    walk.each(&mut |_, frame| {
        lines = surfaces(stage, frame, view, &mut notes)?;
        Ok(())
    })?;
    staging.write(&name, &mut |out| out.write_all(&lines).map_err(ExportError::write(&shown)))?;
    staging.finish(&name, notes)
}

fn surfaces(
    stage: &Stage,
    frame: &Frame,
    view: &View,
    notes: &mut Vec<String>,
) -> Result<Vec<u8>, ExportError> {
    let mut text = format!("# {} at {:?} s\n", one_line(&stage.name), frame.time).into_bytes();
    let mut next = Next { vertex: 1, normal: 1 };
    let segments = segments_for(stage);
    for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
        check_size(stage, &shape)?;
        let owner = item_name(&stage.groups[shape.group], shape.item);
        if shape.kind == BatchKind::HalfSpace {
            notes.push(format!("the half-space of '{owner}' has no end: left out of the OBJ file"));
            return Ok(());
        }
        let mesh = shape.mesh.and_then(|mesh| stage.meshes.get(mesh));
        let Some(triangles) = Triangles::of_shape(shape.kind, &shape.size, mesh, segments) else {
            return Ok(());
        };
        let place = |v: &Vec3| (shape.position + shape.rotation * v.as_dvec3()).as_vec3();
        let turn = |n: &Vec3| (shape.rotation * n.as_dvec3()).as_vec3();
        let vertices: Vec<Vec3> = triangles.vertices.iter().map(place).collect();
        let normals: Vec<Vec3> = triangles.normals.iter().map(turn).collect();
        next.object(&mut text, &owner, &vertices, Some(&normals), &triangles.corners);
        Ok(())
    })?;
    for (number, skin) in stage.skins.iter().enumerate() {
        let poses = Poses::new(stage, frame, skin.group)?;
        let group = &stage.groups[skin.group];
        let points = (0..poses.count)
            .map(|item| Ok(poses.of(item)?.0.as_vec3()))
            .collect::<Result<Vec<Vec3>, RenderError>>()?;
        let selection = Selection::new(view);
        let drawn = |t: &&[u32]| {
            t.iter().all(|i| (*i as usize) < points.len() && selection.draws(group, *i as usize))
        };
        let corners: Vec<[u32; 3]> =
            skin.triangles.chunks_exact(3).filter(drawn).map(|t| [t[0], t[1], t[2]]).collect();
        next.object(&mut text, &format!("{}_skin_{number}", group.name), &points, None, &corners);
    }
    Ok(text)
}

/// Numbers of the next vertex and normal.
struct Next {
    vertex: usize,
    normal: usize,
}

impl Next {
    fn object(
        &mut self,
        text: &mut Vec<u8>,
        name: &str,
        vertices: &[Vec3],
        normals: Option<&[Vec3]>,
        corners: &[[u32; 3]],
    ) {
        // Writing to memory does not fail.
        let _ = writeln!(text, "o {}", one_line(name));
        for Vec3 { x, y, z } in vertices {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
        }
        for Vec3 { x, y, z } in normals.unwrap_or_default() {
            let _ = writeln!(text, "vn {x:?} {y:?} {z:?}");
        }
        for corner in corners {
            let [a, b, c] = corner.map(|i| i as usize + self.vertex);
            let _ = match normals {
                Some(_) => {
                    let [k, l, m] = corner.map(|i| i as usize + self.normal);
                    writeln!(text, "f {a}//{k} {b}//{l} {c}//{m}")
                }
                None => writeln!(text, "f {a} {b} {c}"),
            };
        }
        self.vertex += vertices.len();
        self.normal += normals.map_or(0, <[Vec3]>::len);
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
