//! Pixels depend on the scene only, and the camera holds it.

use crate::common::{Bodies, Dice};
use glam::DVec3;
use huygens_exec::Exec;
use huygens_record::recording::BatchKind;
use huygens_render::{Framing, Pass, Picture, View};

fn heap(count: usize) -> Bodies {
    let mut dice = Dice(3);
    let mut bodies = Bodies::default();
    bodies.at(BatchKind::HalfSpace, &[], [0.0; 3]);
    for index in 0..count {
        let place = (dice.point(1.0) + DVec3::Z).as_vec3().into();
        let turn = dice.turn().as_quat().into();
        match index % 3 {
            0 => bodies.add(BatchKind::Box, &[0.1, 0.08, 0.06], place, turn),
            1 => bodies.add(BatchKind::RoundedCylinder, &[0.06, 0.05, 0.03], place, turn),
            _ => bodies.add(BatchKind::Sphere, &[0.1], place, turn),
        };
        bodies.moving([0.1 * index as f32, 0.0, 0.0]);
    }
    bodies
}

#[test]
fn pixels_are_the_same_on_any_number_of_threads() {
    let (stage, frame) = heap(200).stage();
    let text = r#"
        size = [96, 64]
        samples = 4
        time = true
        passes = ["beauty", "depth", "normal", "id"]
        depth_of_field = { aperture = 0.05 }
        color_by = { field = "speed" }
        looks = [{ name = "item_1*", opacity = 0.5 }, { name = "item_2*", metal = true }]
    "#;
    let view = View::from_toml(text).unwrap();
    let serial = Picture::passes(&Exec::serial(), &stage, &frame, &view).unwrap();
    assert_eq!(serial.images.iter().map(|i| i.0).collect::<Vec<_>>(), view.passes);
    for threads in [2, 3] {
        let exec = Exec::with_threads(threads).unwrap();
        let parallel = Picture::passes(&exec, &stage, &frame, &view).unwrap();
        assert!(parallel == serial, "{threads} threads");
    }
}

/// Largest coordinates of the balls on the picture, 1 at its edge, and how many lie outside.
fn extent(view: &View, bodies: &Bodies, balls: &[(DVec3, f64)]) -> (f64, f64) {
    let (stage, frame) = bodies.stage();
    let camera = Framing::of(&stage, &[&frame], view).unwrap().camera(&stage, &frame, view).unwrap();
    let aspect = f64::from(view.size[0]) / f64::from(view.size[1]);
    let mut most = (0.0_f64, 0.0_f64);
    for (center, radius) in balls {
        // Points on the ball, not only its middle.
        for side in [camera.right, -camera.right, camera.up, -camera.up] {
            let (x, y, depth) = camera.project(*center + *radius * side);
            assert!(depth > 0.0);
            most = (most.0.max(x.abs() / aspect), most.1.max(y.abs()));
        }
    }
    most
}

#[test]
fn the_camera_holds_the_moving_things_and_little_else() {
    let mut dice = Dice(5);
    for size in [[640, 360], [360, 640]] {
        let mut bodies = Bodies::default();
        let mut balls = Vec::new();
        for _ in 0..300 {
            let center = (dice.point(1.0) * DVec3::new(3.0, 1.0, 0.5)).as_vec3();
            bodies.at(BatchKind::Sphere, &[0.05], center.into()).moving([1.0, 0.0, 0.0]);
            balls.push((center.as_dvec3(), 0.05));
        }
        // A large floor at rest, a ground, and one grain that flew off.
        bodies.at(BatchKind::Box, &[500.0, 500.0, 0.1], [0.0, 0.0, -0.6]);
        bodies.at(BatchKind::HalfSpace, &[], [0.0, 0.0, -0.5]);
        bodies.at(BatchKind::Sphere, &[0.05], [0.0, 0.0, 900.0]).moving([0.0, 0.0, 1.0]);
        let view = View { size, ..View::default() };
        let (x, y) = extent(&view, &bodies, &balls);
        assert!(x <= 1.0 && y <= 1.0, "{size:?}: cut off, {x} {y}");
        assert!(x.max(y) > 0.85, "{size:?}: too far away, {x} {y}");
        let turning = View::from_json(r#"{ "camera": { "orbit_deg_per_s": 30 } }"#).unwrap();
        let (x, y) = extent(&View { size, ..turning }, &bodies, &balls);
        assert!(x <= 1.0 && y <= 1.0, "{size:?}: cut off while turning, {x} {y}");
    }
}

#[test]
fn a_followed_body_is_in_the_middle_and_keyframes_are_met() {
    let (stage, frame) = heap(20).stage();
    let view = View::from_json(r#"{ "camera": { "follow": "item_7" } }"#).unwrap();
    let framing = Framing::of(&stage, &[&frame], &view).unwrap();
    let camera = framing.camera(&stage, &frame, &view).unwrap();
    let place: Vec<f64> = frame.groups[0].fields[0][21..24].iter().map(|c| f64::from(*c)).collect();
    let (x, y, _) = camera.project(DVec3::from_slice(&place));
    assert!(x.abs() < 1e-9 && y.abs() < 1e-9);

    let text = r#"{ "camera": { "path": [
        { "time": 0, "position": [5, 0, 1], "target": [0, 0, 0] },
        { "time": 2, "position": [0, 5, 1], "fov_deg": 50 },
        { "time": 4, "position": [-5, 0, 1] } ] } }"#;
    let view = View::from_json(text).unwrap();
    let eye = |time: f64| {
        let frame = huygens_record::recording::Frame { time, ..frame.clone() };
        framing.camera(&stage, &frame, &view).unwrap().eye
    };
    assert_eq!(eye(-1.0), DVec3::new(5.0, 0.0, 1.0));
    assert!((eye(2.0) - DVec3::new(0.0, 5.0, 1.0)).length() < 1e-12);
    assert_eq!(eye(9.0), DVec3::new(-5.0, 0.0, 1.0));
    // Smooth through a key: the velocity does not jump.
    let speed = |t: f64| (eye(t + 1e-4) - eye(t - 1e-4)) / 2e-4;
    assert!((speed(1.999) - speed(2.001)).length() < 0.02);
}

#[test]
fn hidden_things_are_not_drawn() {
    let (stage, frame) = heap(30).stage();
    let ids = |view: &str| {
        let mut view = View::from_json(view).unwrap();
        (view.size, view.passes) = ([160, 120], vec![Pass::Id]);
        let image = Picture::render(&Exec::serial(), &stage, &frame, &view).unwrap();
        let mut ids: Vec<u8> = image.pixels.chunks_exact(4).map(|p| p[0]).collect();
        ids.sort();
        ids.dedup();
        ids
    };
    let all = ids("{}");
    assert!(all.contains(&1) && all.contains(&2) && all.len() > 20);
    assert!(!ids(r#"{ "hide": ["item_1"] }"#).contains(&2));
    assert_eq!(ids(r#"{ "show": ["item_3"] }"#), [0, 4]);
    assert!(!ids(r#"{ "ground": { "show": false } }"#).contains(&1));
}
