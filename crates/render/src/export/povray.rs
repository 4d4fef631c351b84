//! POV-Ray scenes: `povray scene.ini` renders all frames, `povray scene.ini +SF3 +EF3` the third.

use std::fmt::Write as _;
use std::path::Path;

use glam::{DMat3, DQuat, DVec3, Vec3};
use huygens_record::Recording;
use huygens_record::recording::{BatchKind, Frame, Stage};

use super::error::ExportError;
use super::staging::Staging;
use super::tessellation::{Triangles, check_size, faces_up, segments_for, wall_note};
use super::{ExportReport, FrameChoice, Progress, Walk, framing, item_name};
use crate::camera::{Camera, Framing, sun_direction};
use crate::error::RenderError;
use crate::fields::Coloring;
use crate::looks::{Finish, Paint};
use crate::shapes::{Poses, Selection, Shape, for_each_shape};
use crate::view::View;

/// Writes a scene with the camera, lights and colours of a render description into a folder.
///
/// Files: `scene.ini` (size and number of frames), `scene.pov`, `meshes.inc`, and `frame_00001.inc` … for each frame.
pub fn write(
    recording: &Recording,
    choice: &FrameChoice,
    view: &View,
    folder: &Path,
    progress: &mut Progress<'_>,
) -> Result<ExportReport, ExportError> {
    view.check()?;
    let mut walk = Walk::new(recording, choice, progress)?;
    let stage = recording.stage();
    let scouts = walk.scouts()?;
    let framing = framing(stage, &scouts, view)?;
    let of_scouts: Vec<&Frame> = scouts.iter().collect();
    let coloring = view.color_by.as_ref().map(|c| Coloring::new(stage, &of_scouts, c)).transpose()?;
    let mut staging = Staging::new(folder)?;
    let mut notes = Vec::new();
    let mut count = 0;
    walk.each(&mut |number, frame| {
        let camera = framing.camera(stage, frame, view)?;
        let mut scene = Scene::new(stage, frame, view, &framing, coloring.as_ref());
        scene.camera(&camera);
        scene.lights();
        scene.shapes()?;
        scene.skins()?;
        scene.missing_ground();
        notes.extend(scene.notes);
        count = number + 1;
        staging.write_bytes(&format!("frame_{count:05}.inc"), scene.text.as_bytes())
    })?;
    notes.sort_unstable();
    notes.dedup();
    staging.write_bytes("meshes.inc", meshes(stage).as_bytes())?;
    staging.write_bytes("scene.pov", main_file(stage, view).as_bytes())?;
    staging.write_bytes("scene.ini", settings(view, count).as_bytes())?;
    staging.finish("scene.ini", notes)
}

fn settings(view: &View, count: usize) -> String {
    let [width, height] = view.size;
    format!(
        "Input_File_Name=scene.pov\nWidth={width}\nHeight={height}\nAntialias=On\nAntialias_Threshold=0.1\n\
         Output_File_Type=N\nDisplay=Off\nInitial_Frame=1\nFinal_Frame={count}\n"
    )
}

fn main_file(stage: &Stage, view: &View) -> String {
    let horizon = view.sky.background.unwrap_or(view.sky.horizon).linear();
    let zenith = view.sky.background.unwrap_or(view.sky.zenith).linear();
    let up = view.camera.up.unwrap_or(stage.up.map(f64::from));
    let up = DVec3::from_array(up).normalize_or(DVec3::Z);
    format!(
        "#version 3.7;\nglobal_settings {{ assumed_gamma 1.0 max_trace_level 12 }}\n\
         #include \"meshes.inc\"\n\
         #declare Picture = max(frame_number, 1);\n\
         sky_sphere {{ pigment {{ gradient y color_map {{ [0.5 rgb {}] [1.0 rgb {}] }} scale 2 translate -1 }} {} }}\n\
         #include concat(\"frame_\", str(Picture, -5, 0), \".inc\")\n",
        color(horizon),
        color(zenith),
        // The gradient runs along y; turned so that it runs up.
        matrix(DQuat::from_rotation_arc(DVec3::Y, up), DVec3::ZERO),
    )
}

fn meshes(stage: &Stage) -> String {
    let mut text = String::new();
    for (number, mesh) in stage.meshes.iter().enumerate().filter(|(_, mesh)| !mesh.triangles.is_empty()) {
        let _ = write!(text, "#declare Mesh_{number} = ");
        mesh2(&mut text, &Triangles::of_mesh(mesh), "");
    }
    text
}

/// The text of one frame.
struct Scene<'a> {
    stage: &'a Stage,
    frame: &'a Frame,
    view: &'a View,
    framing: &'a Framing,
    /// Colours of items by field, one entry a group.
    colors: Vec<Option<Vec<Vec3>>>,
    segments: usize,
    /// Whether there is a ground.
    grounded: bool,
    text: String,
    notes: Vec<String>,
}

impl<'a> Scene<'a> {
    fn new(
        stage: &'a Stage,
        frame: &'a Frame,
        view: &'a View,
        framing: &'a Framing,
        coloring: Option<&Coloring>,
    ) -> Self {
        let colors = Coloring::of_groups(coloring, stage, frame);
        let text = format!("// time {:?} s\n", frame.time);
        let segments = segments_for(stage);
        let (grounded, notes) = (false, Vec::new());
        Self { stage, frame, view, framing, colors, segments, grounded, text, notes }
    }

    fn camera(&mut self, camera: &Camera) {
        let [width, height] = self.view.size.map(f64::from);
        // All four vectors are given, so that the handedness of POV-Ray does not matter.
        let _ = writeln!(
            self.text,
            "camera {{ perspective location {} direction {} right {} up {} }}",
            vector(camera.eye),
            vector(camera.forward),
            vector(camera.right * (2.0 * camera.tan_half * width / height)),
            vector(camera.up * (2.0 * camera.tan_half)),
        );
    }

    fn lights(&mut self) {
        let view = self.view;
        let sun = view.sun.direction.map(|d| DVec3::from_array(d).normalize_or(DVec3::Z));
        let sun = sun.unwrap_or_else(|| sun_direction(self.framing, &view.camera));
        let distance = 100.0 * self.framing.radius;
        let spread = 2.0 * distance * view.sun.softness_deg.to_radians().tan();
        let across = sun.any_orthonormal_vector();
        let _ = writeln!(
            self.text,
            "light_source {{ {} rgb {} parallel point_at {} area_light {}, {}, 5, 5 adaptive 1 jitter circular }}",
            vector(self.framing.center + sun * distance),
            color(view.sun.color.linear() * view.sun.light),
            vector(self.framing.center),
            vector(across * spread),
            vector(sun.cross(across) * spread),
        );
    }

    fn shapes(&mut self) -> Result<(), RenderError> {
        let (stage, frame, view) = (self.stage, self.frame, self.view);
        for_each_shape(stage, frame, &Selection::new(view), &mut |shape| {
            check_size(stage, &shape)?;
            let paint = Paint::of(stage, view, shape.group, shape.item, shape.look)?;
            self.shape(&shape, paint.colored(self.colors[shape.group].as_ref(), shape.item));
            Ok(())
        })
    }

    fn shape(&mut self, shape: &Shape, paint: Paint) {
        if paint.finish.opacity <= 0.0 {
            return;
        }
        let texture = texture(&paint, self.sky_light());
        let place = matrix(shape.rotation, shape.position);
        let [a, b, c, _] = shape.size;
        let text = &mut self.text;
        let end = format!("{texture} {place} }}");
        let _ = match shape.kind {
            BatchKind::Sphere => writeln!(text, "sphere {{ {}, {a} {texture} }}", vector(shape.position)),
            BatchKind::Ellipsoid => writeln!(text, "sphere {{ 0, 1 scale <{a}, {b}, {c}> {end}"),
            BatchKind::Box => writeln!(text, "box {{ <-{a}, -{b}, -{c}>, <{a}, {b}, {c}> {end}"),
            BatchKind::Cylinder => writeln!(text, "cylinder {{ <0, 0, -{b}>, <0, 0, {b}>, {a} {end}"),
            BatchKind::Cone => writeln!(text, "cone {{ <0, 0, -{b}>, {a}, <0, 0, {b}>, 0 {end}"),
            BatchKind::Capsule if b > 0.0 => {
                // A clear union would show the balls inside the cylinder.
                let join = if paint.finish.opacity < 1.0 { "merge" } else { "union" };
                writeln!(
                    text,
                    "{join} {{ cylinder {{ <0, 0, -{b}>, <0, 0, {b}>, {a} }} sphere {{ <0, 0, -{b}>, {a} }} \
                     sphere {{ <0, 0, {b}>, {a} }} {end}"
                )
            }
            BatchKind::Capsule => writeln!(text, "sphere {{ {}, {a} {texture} }}", vector(shape.position)),
            BatchKind::Mesh => {
                let number = shape.mesh.unwrap_or_default();
                match self.stage.meshes.get(number).is_some_and(|mesh| !mesh.triangles.is_empty()) {
                    true => writeln!(text, "object {{ Mesh_{number} {end}"),
                    false => Ok(()),
                }
            }
            BatchKind::RoundedBox | BatchKind::RoundedCylinder => {
                let triangles = Triangles::of_shape(shape.kind, &shape.size, None, self.segments);
                mesh2(text, &triangles.unwrap_or_default(), &format!("{texture} {place}"));
                Ok(())
            }
            BatchKind::HalfSpace => {
                self.half_space(shape, paint);
                Ok(())
            }
        };
    }

    fn half_space(&mut self, shape: &Shape, mut paint: Paint) {
        if !faces_up(self.framing, shape.rotation) {
            let owner = item_name(&self.stage.groups[shape.group], shape.item);
            self.notes.push(wall_note(&owner));
            return;
        }
        if self.view.ground.show == Some(false) {
            return;
        }
        paint.color = self.view.ground.color.map_or(paint.color, |c| c.linear());
        paint.finish.opacity = 1.0;
        let normal = shape.rotation * DVec3::Z;
        self.plane(normal, normal.dot(shape.position), &paint);
    }

    /// A ground below everything, where the description asks for one and the recording has none.
    fn missing_ground(&mut self) {
        if self.view.ground.show == Some(true) && !self.grounded {
            let mut paint = Paint::of_added_ground();
            paint.color = self.view.ground.color.map_or(paint.color, |c| c.linear());
            self.plane(self.framing.up, self.framing.floor, &paint);
        }
    }

    fn plane(&mut self, normal: DVec3, height: f64, paint: &Paint) {
        self.grounded = true;
        let texture = texture(paint, self.sky_light());
        let _ = writeln!(self.text, "plane {{ {}, {height:?} {texture} }}", vector(normal));
    }

    fn skins(&mut self) -> Result<(), RenderError> {
        for skin in &self.stage.skins {
            let poses = Poses::new(self.stage, self.frame, skin.group)?;
            let points: Vec<Vec3> = poses.places()?.iter().map(|p| p.as_vec3()).collect();
            let group = &self.stage.groups[skin.group];
            let corners = Selection::new(self.view).skin_corners(group, skin, &poses).as_flattened().to_vec();
            let Some(item) = corners.first() else { continue };
            let triangles = Triangles::of_skin(&points, &corners);
            if self.colors[skin.group].is_some() {
                let note = format!("the skin of '{}' keeps its look: only shapes show the field", group.name);
                self.notes.push(note);
            }
            let paint = Paint::of(self.stage, self.view, skin.group, *item as usize, Some(skin.look))?;
            let texture = texture(&paint, self.sky_light());
            mesh2(&mut self.text, &triangles, &texture);
        }
        Ok(())
    }

    /// Even light from all around that stands for the sky.
    fn sky_light(&self) -> Vec3 {
        let sky = &self.view.sky;
        0.5 * (sky.zenith.linear() + sky.horizon.linear()) * sky.light
    }
}

fn texture(paint: &Paint, sky: Vec3) -> String {
    let Finish { roughness, metal, opacity } = paint.finish;
    let gloss = (1.0 - roughness).powi(2);
    let size = (0.25 * roughness * roughness).max(0.0005);
    let shine = match metal {
        true => format!("diffuse 0.45 metallic specular 0.7 roughness {size} reflection {{ 0.35 metallic }}"),
        false => format!("diffuse 0.8 specular {} roughness {size}", 0.5 * gloss),
    };
    format!(
        "texture {{ pigment {{ rgb {} transmit {} }} finish {{ ambient rgb {} {shine} }} }}",
        color(paint.color),
        1.0 - opacity,
        // Things hide part of the sky from each other.
        color(0.75 * sky),
    )
}

fn mesh2(text: &mut String, triangles: &Triangles, ending: &str) {
    let list = |values: &[Vec3]| {
        let mut out = String::new();
        for Vec3 { x, y, z } in values {
            let _ = write!(out, ", <{x:?}, {y:?}, {z:?}>");
        }
        out
    };
    let count = triangles.vertices.len();
    let _ = write!(
        text,
        "mesh2 {{ vertex_vectors {{ {count}{} }}\nnormal_vectors {{ {count}{} }}\nface_indices {{ {}",
        list(&triangles.vertices),
        list(&triangles.normals),
        triangles.corners.len()
    );
    for [a, b, c] in &triangles.corners {
        let _ = write!(text, ", <{a}, {b}, {c}>");
    }
    let _ = writeln!(text, " }} {ending} }}");
}

fn vector(DVec3 { x, y, z }: DVec3) -> String {
    format!("<{x:?}, {y:?}, {z:?}>")
}

fn color(Vec3 { x, y, z }: Vec3) -> String {
    format!("<{x:?}, {y:?}, {z:?}>")
}

/// POV-Ray multiplies rows: the images of the axes, then the place.
fn matrix(rotation: DQuat, position: DVec3) -> String {
    let axes = DMat3::from_quat(rotation);
    let rows = [axes.x_axis, axes.y_axis, axes.z_axis, position];
    let numbers: Vec<String> = rows.iter().flat_map(|r| r.to_array()).map(|n| format!("{n:?}")).collect();
    format!("matrix <{}>", numbers.join(", "))
}
