//! Wavefront OBJ: all surfaces at one moment.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use glam::Vec3;
use huygens_record::Recording;
use huygens_record::recording::{Frame, Stage};

use super::error::ExportError;
use super::staging::Staging;
use super::tessellation::{Triangles, check_size, segments_for};
use super::{ExportReport, FrameChoice, Progress, Walk, drawn_as_balls, item_name};
use crate::error::RenderError;
use crate::shapes::{Poses, Selection, for_each_shape};
use crate::view::View;

/// Writes shapes of bodies, tubes and skins of the frame nearest to `time` [s] in world coordinates [m]; `view` says by `show`
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
    let shown = staging.shown(&name);
    let mut notes = Vec::new();
    staging.write(&name, &mut |out| {
        walk.each(&mut |_, frame| {
            let mut file =
                ObjFile { out: &mut *out, path: &shown, text: String::new(), vertices: 0, normals: 0 };
            let _ = writeln!(file.text, "# {} at {:?} s", one_line(&stage.name), frame.time);
            shapes(stage, frame, view, &mut file, &mut notes)?;
            skins(stage, frame, view, &mut file)?;
            Ok(())
        })
    })?;
    staging.finish(&name, notes)
}

fn shapes(
    stage: &Stage,
    frame: &Frame,
    view: &View,
    file: &mut ObjFile<'_>,
    notes: &mut Vec<String>,
) -> Result<(), RenderError> {
    let segments = segments_for(stage);
    let balls: Vec<bool> = (0..stage.groups.len()).map(|group| drawn_as_balls(stage, group)).collect();
    for (group, _) in stage.groups.iter().zip(&balls).filter(|(_, balls)| **balls) {
        notes.push(format!(
            "'{}' are points with a radius: left out of the OBJ file, VTK holds them",
            group.name
        ));
    }
    for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
        if balls[shape.group] {
            return Ok(());
        }
        check_size(stage, &shape)?;
        let owner = item_name(&stage.groups[shape.group], shape.item);
        let mesh = shape.mesh.and_then(|mesh| stage.meshes.get(mesh));
        let Some(triangles) = Triangles::of_shape(shape.kind, &shape.size, mesh, segments) else {
            notes.push(format!("the half-space of '{owner}' has no end: left out of the OBJ file"));
            return Ok(());
        };
        let place = |v: &Vec3| (shape.position + shape.rotation * v.as_dvec3()).as_vec3();
        let turn = |n: &Vec3| (shape.rotation * n.as_dvec3()).as_vec3();
        let vertices: Vec<Vec3> = triangles.vertices.iter().map(place).collect();
        let normals: Vec<Vec3> = triangles.normals.iter().map(turn).collect();
        file.object(&owner, &vertices, Some(&normals), &triangles.corners)
    })
}

fn skins(stage: &Stage, frame: &Frame, view: &View, file: &mut ObjFile<'_>) -> Result<(), RenderError> {
    let selection = Selection::new(view);
    for (number, skin) in stage.skins.iter().enumerate() {
        let poses = Poses::new(stage, frame, skin.group)?;
        let group = &stage.groups[skin.group];
        let points: Vec<Vec3> = poses.places()?.iter().map(|p| p.as_vec3()).collect();
        let corners = selection.skin_corners(group, skin, &poses);
        if !corners.is_empty() {
            file.object(&format!("{}_skin_{number}", group.name), &points, None, &corners)?;
        }
    }
    Ok(())
}

/// A file with objects one after another.
struct ObjFile<'a> {
    out: &'a mut dyn Write,
    path: &'a Path,
    text: String,
    /// Vertices so far.
    vertices: usize,
    /// Normals so far.
    normals: usize,
}

impl ObjFile<'_> {
    fn object(
        &mut self,
        name: &str,
        vertices: &[Vec3],
        normals: Option<&[Vec3]>,
        corners: &[[u32; 3]],
    ) -> Result<(), RenderError> {
        let text = &mut self.text;
        // Writing to a string does not fail.
        let _ = writeln!(text, "o {}", one_line(name));
        for Vec3 { x, y, z } in vertices {
            let _ = writeln!(text, "v {x:?} {y:?} {z:?}");
        }
        for Vec3 { x, y, z } in normals.unwrap_or_default() {
            let _ = writeln!(text, "vn {x:?} {y:?} {z:?}");
        }
        for corner in corners {
            // Numbers start at 1.
            let [a, b, c] = corner.map(|i| i as usize + self.vertices + 1);
            let _ = match normals {
                Some(_) => {
                    let [k, l, m] = corner.map(|i| i as usize + self.normals + 1);
                    writeln!(text, "f {a}//{k} {b}//{l} {c}//{m}")
                }
                None => writeln!(text, "f {a} {b} {c}"),
            };
        }
        self.vertices += vertices.len();
        self.normals += normals.map_or(0, <[Vec3]>::len);
        let failed = |source| RenderError::Write { path: self.path.into(), source };
        self.out.write_all(text.as_bytes()).map_err(failed)?;
        self.text.clear();
        Ok(())
    }
}

fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
