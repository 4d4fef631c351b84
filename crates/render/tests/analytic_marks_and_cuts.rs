//! Marks stand where forces and joints are, and a cut leaves what lies behind its plane.

use crate::common::{Bodies, Dice};
use glam::{DQuat, DVec3};
use huygens_exec::Exec;
use huygens_record::recording::{
    BatchKind, Field, Frame, Group, GroupFrame, GroupKind, JointMark, Mesh, Stage,
};
use huygens_render::{Picture, Renderer, Scene, View};

/// Kinds of solids with a size and whether a point about their origin lies inside, told by other formulas than those
/// of the ray tracer.
type Inside = fn(DVec3) -> bool;
const SOLIDS: [(BatchKind, &[f32], Inside); 8] = [
    (BatchKind::Sphere, &[0.8], |p| p.length() < 0.8),
    (BatchKind::Ellipsoid, &[0.9, 0.5, 0.3], |p| (p / DVec3::new(0.9, 0.5, 0.3)).length() < 1.0),
    (BatchKind::Box, &[0.6, 0.4, 0.3], |p| p.x.abs() < 0.6 && p.y.abs() < 0.4 && p.z.abs() < 0.3),
    (BatchKind::Cylinder, &[0.5, 0.6], |p| p.x.hypot(p.y) < 0.5 && p.z.abs() < 0.6),
    (BatchKind::Cone, &[0.6, 0.5], |p| p.z > -0.5 && p.x.hypot(p.y) < 0.6 * (0.5 - p.z)),
    (BatchKind::Capsule, &[0.3, 0.5], |p| {
        let end = DVec3::new(0.0, 0.0, 0.5);
        p.x.hypot(p.y) < 0.3 && p.z.abs() < 0.5 || (p - end).length() < 0.3 || (p + end).length() < 0.3
    }),
    (BatchKind::RoundedBox, &[0.4, 0.3, 0.2, 0.2], |p| {
        (p.abs() - DVec3::new(0.4, 0.3, 0.2)).max(DVec3::ZERO).length() < 0.2
    }),
    (BatchKind::Mesh, &[], |p| p.min_element() > 0.0 && p.x + p.y + p.z < 0.9),
];

fn tetrahedron() -> Mesh {
    Mesh {
        name: "tetrahedron".into(),
        vertices: vec![0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0, 0.9],
        triangles: vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3],
        crease: 0.1,
    }
}

#[test]
fn a_cut_shows_what_lies_behind_its_plane() {
    let mut dice = Dice(11);
    for (kind, size, inside) in SOLIDS {
        let (place, turn) = (dice.point(0.3).as_vec3(), dice.turn().as_quat());
        let mut bodies = Bodies::default();
        bodies.add(kind, size, place.into(), turn.into());
        let (mut stage, frame) = bodies.stage();
        stage.meshes.push(tetrahedron());
        let (mut capped, mut met) = (0, 0);
        for _ in 0..200 {
            let (point, normal) = (dice.point(0.3), dice.point(1.0).normalize_or(DVec3::X));
            let text =
                format!("clip = {{ point = {:?}, normal = {:?} }}", point.to_array(), normal.to_array());
            let scene = Scene::build(&stage, &frame, &View::from_toml(&text).unwrap()).unwrap();
            let origin = 4.0 * dice.point(1.0).normalize_or(DVec3::Y);
            let direction = (place.as_dvec3() + dice.point(0.4) - origin).normalize();
            let turn_back = turn.as_dquat().normalize().inverse();
            let left = |t: f64| {
                let p = origin + t * direction;
                normal.dot(p - point) <= 0.0 && inside(turn_back * (p - place.as_dvec3()))
            };
            // A march in steps too short to lose more than grazing rays.
            let step = 1e-3;
            let first = (2000..6000).map(|i| step * f64::from(i)).find(|t| left(*t));
            let hit = scene.hit(origin, direction);
            match (first, hit) {
                (Some(t), Some(hit)) => {
                    assert!((hit.distance - t).abs() < 2.0 * step, "{kind:?}: {} for {t}", hit.distance);
                    met += 1;
                    if normal.dot(origin + t * direction - point) > -2.0 * step {
                        assert!((hit.normal - normal).length() < 1e-5, "{kind:?}");
                        capped += 1;
                    }
                }
                (None, None) => {}
                (None, Some(hit)) => assert!(!left(hit.distance + 1e-3), "{kind:?} met where nothing is"),
                (Some(t), None) => assert!(!left(t + 0.02), "{kind:?} missed at {t}"),
            }
        }
        assert!(met > 8 && capped > 1, "{kind:?}: {met} met, {capped} cut open");
    }
}

#[test]
fn light_passes_where_something_was_cut_away() {
    // A lid over a plate: without it, the plate is in the sun.
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::Box, &[1.0, 1.0, 0.05], [0.0, 0.0, 0.0]);
    bodies.at(BatchKind::Box, &[1.0, 1.0, 0.05], [0.0, 0.0, 0.6]);
    let (stage, frame) = bodies.stage();
    let middle = |clip: &str| {
        let text = format!(
            "size = [32, 32]\nsky = {{ light = 0 }}\nsun = {{ direction = [0, 0, 1] }}\n\
             camera = {{ position = [4, 0, 0.5], target = [0.5, 0, 0.05], fov_deg = 5 }}\n{clip}"
        );
        let image =
            Picture::render(&Exec::serial(), &stage, &frame, &View::from_toml(&text).unwrap()).unwrap();
        image.pixel(16, 16).unwrap()[0]
    };
    let (shaded, lit) = (middle(""), middle("clip = { point = [0, 0, 0.3], normal = [0, 0, 1] }"));
    assert!(shaded < 10 && lit > 100, "{shaded} {lit}");
}

/// A ball and a contact on its top with a force of 10 N upwards, and a joint at its middle.
fn touched() -> (Stage, Frame) {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::Sphere, &[0.5], [0.0, 0.0, 0.0]);
    bodies.at(BatchKind::Sphere, &[0.5], [0.0, 0.0, 1.0]);
    let (mut stage, mut frame) = bodies.stage();
    let field = |name: &str, components| Field { name: name.into(), unit: String::new(), components };
    stage.groups.push(Group {
        name: "contacts".into(),
        kind: GroupKind::Contacts,
        names: Vec::new(),
        fields: vec![field("position", 3), field("force", 3), field("a", 1), field("b", 1)],
        constants: Vec::new(),
        constant_values: Vec::new(),
    });
    let fields = vec![vec![0.0, 0.0, 0.5], vec![0.0, 0.0, 10.0], vec![0.0], vec![1.0]];
    frame.groups.push(GroupFrame { count: 1, fields });
    stage.joints.push(JointMark {
        name: "pin".into(),
        kind: "revolute".into(),
        a: Some(0),
        b: None,
        position_a: [0.0; 3],
        rotation_a: [0.0, 0.0, 0.0, 1.0],
        position_b: [0.0; 3],
        rotation_b: DQuat::IDENTITY.as_quat().to_array(),
        ..JointMark::default()
    });
    (stage, frame)
}

/// Whether marks change the picture at some points of the world.
fn changed(marks: &str, points: &[DVec3]) -> Vec<bool> {
    let (stage, frame) = touched();
    let view = |marks: &str| {
        let text = format!(
            "size = [300, 300]\nsamples = 2\nlegend = false\npasses = [\"beauty\", \"depth\", \"id\"]\n\
             camera = {{ azimuth_deg = 20 }}\n{marks}"
        );
        View::from_toml(&text).unwrap()
    };
    let (with, without) = (view(marks), view(""));
    let exec = Exec::with_threads(2).unwrap();
    let [a, b] = [&with, &without].map(|view| Picture::passes(&exec, &stage, &frame, view).unwrap());
    assert_eq!(a.images[1..], b.images[1..], "marks are no things");
    let camera = Renderer::new(&stage, &[&frame], &with).unwrap().camera(&frame).unwrap();
    let differs = |point: &DVec3| {
        let (x, y, _) = camera.project(*point);
        let [column, row] = [0.5 + 0.5 * x, 0.5 - 0.5 * y].map(|c| (300.0 * c) as u32);
        let [p, q] = [&a, &b].map(|picture| picture.images[0].1.pixel(column, row).unwrap());
        p.iter().zip(q).map(|(p, q)| p.abs_diff(q)).max().unwrap() > 12
    };
    points.iter().map(differs).collect()
}

#[test]
fn marks_stand_where_forces_and_joints_are_even_inside_things() {
    let up = |z: f64| DVec3::new(0.0, 0.0, z);
    // An arrow of 0.6 m from the contact, inside the upper ball.
    let arrow =
        changed("marks = { contacts = 'arrows', force_scale = 0.06 }", &[up(0.6), up(1.0), up(0.4), up(1.2)]);
    assert_eq!(arrow, [true, true, false, false]);
    // A chain from centre to centre.
    let chain = changed("marks = { contacts = 'chains' }", &[up(0.1), up(0.5), up(0.9), up(-0.2), up(1.2)]);
    assert_eq!(chain, [true, true, true, false, false]);
    let joint = changed("marks = { joints = true }", &[up(0.02), DVec3::new(0.04, 0.0, 0.0), up(0.5)]);
    assert_eq!(joint, [true, true, false]);
    let bounds = changed(
        "marks = { bounds = true }",
        &[DVec3::new(0.5, 0.5, 1.2), DVec3::new(0.5, 0.2, 1.5), up(0.8)],
    );
    assert_eq!(bounds, [true, true, false]);
}

#[test]
fn depths_are_metres_from_the_camera_plane() {
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::Box, &[0.5, 3.0, 3.0], [0.0, 0.0, 0.0]);
    let (stage, frame) = bodies.stage();
    let text = "size = [21, 21]\npasses = ['depth']\n\
                camera = { position = [10, 0, 0], target = [0, 0, 0], fov_deg = 40 }";
    let picture = Picture::passes(&Exec::serial(), &stage, &frame, &View::from_toml(text).unwrap()).unwrap();
    let depths = picture.depths.unwrap();
    // The face of the box is parallel to the camera plane; the corners of the picture show nothing.
    assert!((depths.metres[10 * 21 + 10] - 9.5).abs() < 1e-4);
    assert!((depths.metres[8 * 21 + 13] - 9.5).abs() < 1e-4);
    assert_eq!(depths.metres[0], f32::INFINITY);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("depth.npy");
    depths.write_npy(&path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    assert!(bytes.starts_with(b"\x93NUMPY") && bytes.len() == 192 + 4 * 21 * 21);
    assert!(String::from_utf8_lossy(&bytes[..192]).contains("(21, 21,)"));
}
