//! A sub-assembly that is turned and moved takes every point and vector of its objects with it.

use std::fs;

use huygens_scene::{LoadOptions, LoadedScene, SceneError, load_scene};
use huygens_spec::{FlowPlane, ForceSpec, RegionSpec};

const PART: &str = r#"
[[bodies]]
name = "ball"
position = [1, 2, 3]
velocity = [1, 0, 0]
density = 500
shapes = [{ type = "sphere", radius = 0.1 }]

[[forces]]
name = "wind"
type = "drag"
body = "ball"
point = [0.1, 0.2, 0.3]
medium_velocity = [4, 5, 6]
linear = 1

[[grains]]
name = "sand"
boundary = { type = "open", low = [1, 2, 3], high = [2, 4, 6] }
fills = [{ region = { type = "box", low = [1, 2, 3], high = [2, 4, 6] }, pattern = { type = "cubic", spacing = 0.5 }, radius = 0.1, density = 1 }]
periodic = { x = [1, 2] }

[[fluids]]
name = "water"
spacing = 0.1
max_speed = 1
plane = "xz"
acceleration = [1, 2, 3]
bounds = { low = [-1, -2, -3], high = [2, 4, 6] }
periodic = { x = [-1, 2] }
fills = [{ region = { type = "box", low = [0, 0, 0], high = [1, 0, 2] } }]

[[signals]]
name = "gauge"
type = "sensor"
sensor = { of = "water", quantity = "pressure", point = [0.5, 0, 0.25] }

[[probes]]
of = "water"
quantity = "pressure"
point = [0.5, 0, 0.25]

[[probes]]
of = "ball"
quantity = "position"
point = [0.5, 0, 0.25]
"#;

fn included(place: &str) -> Result<LoadedScene, SceneError> {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("part.toml"), PART).unwrap();
    let main = format!("[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\n{place}\n");
    fs::write(folder.path().join("main.toml"), main).unwrap();
    load_scene(folder.path().join("main.toml"), &LoadOptions::default())
}

#[track_caller]
fn close(found: [f64; 3], wanted: [f64; 3]) {
    assert!((0..3).all(|k| (found[k] - wanted[k]).abs() < 1e-12), "{found:?} instead of {wanted:?}");
}

/// A quarter turn about z: (x, y, z) becomes (10 − y, 20 + x, 30 + z).
#[test]
fn a_quarter_turn_and_a_shift_are_those_written_by_hand() {
    let place = "position = [10, 20, 30]\nrotation = { axis = [0, 0, 1], angle_deg = 90 }";
    let scene = included(place).unwrap_or_else(|e| panic!("{e}")).scene;
    close(scene.bodies[0].position, [8.0, 21.0, 33.0]);
    close(scene.bodies[0].velocity, [0.0, 1.0, 0.0]);
    let ForceSpec::Drag(wind) = &scene.forces[0] else { panic!("no drag") };
    close(wind.medium_velocity, [-5.0, 4.0, 6.0]);
    close(wind.point.unwrap(), [0.1, 0.2, 0.3]);

    let sand = &scene.grains[0];
    let edge = sand.boundary.as_ref().unwrap();
    close(edge.low, [6.0, 21.0, 33.0]);
    close(edge.high, [8.0, 22.0, 36.0]);
    let Some(RegionSpec::Box { low, high }) = &sand.fills[0].region else { panic!("no box") };
    close(*low, [6.0, 21.0, 33.0]);
    close(*high, [8.0, 22.0, 36.0]);
    assert_eq!(sand.periodic.axes().map(|a| a.1.is_some()), [false, true, false]);
    let [low, high] = sand.periodic.y.unwrap();
    close([low, high, 0.0], [21.0, 22.0, 0.0]);

    let water = &scene.fluids[0];
    assert_eq!(water.plane, Some(FlowPlane::Yz));
    close(water.acceleration, [-2.0, 1.0, 3.0]);
    let bounds = water.bounds.as_ref().unwrap();
    close(bounds.low, [6.0, 19.0, 27.0]);
    close(bounds.high, [12.0, 22.0, 36.0]);
    let [low, high] = water.periodic.y.unwrap();
    close([low, high, 0.0], [19.0, 22.0, 0.0]);

    close(scene.probes[0].point.unwrap(), [10.0, 20.5, 30.25]);
    close(scene.probes[1].point.unwrap(), [0.5, 0.0, 0.25]);
    let signal = serde_json::to_value(&scene.signals[0]).unwrap();
    let point: [f64; 3] = serde_json::from_value(signal["sensor"]["point"].clone()).unwrap();
    close(point, [10.0, 20.5, 30.25]);
}

/// Half a turn about y, which leads the axis along which the fluid repeats backwards.
#[test]
fn intervals_stay_in_order() {
    let place = "position = [10, 20, 30]\nrotation = { axis = [0, 1, 0], angle_deg = 180 }";
    let scene = included(place).unwrap_or_else(|e| panic!("{e}")).scene;
    let water = &scene.fluids[0];
    assert_eq!(water.plane, Some(FlowPlane::Xz));
    let [low, high] = water.periodic.x.unwrap();
    close([low, high, 0.0], [8.0, 11.0, 0.0]);
    close(water.acceleration, [-1.0, 2.0, -3.0]);
    close(scene.probes[0].point.unwrap(), [9.5, 20.0, 29.75]);
}

/// A flow in a plane of the world, or one that repeats along an axis of the world, cannot be turned out of it.
#[test]
fn turns_that_cannot_be_made_are_refused() {
    let error = match included("position = [1, 0, 0]\nrotation = { axis = [0, 0, 1], angle_deg = 30 }") {
        Ok(_) => panic!("the turn was accepted"),
        Err(error) => error,
    };
    let message = error.to_string();
    assert!(message.contains("quarter turns") && message.contains("'sand'"), "{message}");
    assert_eq!(error.line, Some(5), "{message}");
    assert!(error.file.ends_with("main.toml"), "{message}");
}
