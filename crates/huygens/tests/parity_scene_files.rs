//! Scene files: examples, sub-assemblies, expressions, and the same numbers as a world built in code.

use std::fs;
use std::path::{Path, PathBuf};

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn world(name: &str) -> (LoadedScene, World) {
    let loaded = load_scene(example(name), &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let world = loaded.world().unwrap_or_else(|e| panic!("{e}"));
    (loaded, world)
}

/// Value of a probe column.
fn probe(world: &mut World, name: &str) -> f64 {
    let mut values = Vec::new();
    world.probe_values(&mut values).unwrap();
    let columns = world.probe_columns().unwrap();
    let k = columns.iter().position(|c| c.name == name).unwrap_or_else(|| panic!("no {name} in {columns:?}"));
    values[k]
}

#[test]
fn pendulum_keeps_its_energy_and_its_period() {
    let (_, mut world) = world("01_pendulum.toml");
    assert!(world.warnings().is_empty());
    let energy = probe(&mut world, "world.energy");
    // T = 4 K(sin²(θ/2)) √(I/(m g l)) with I = m(l² + 2r²/5) and K(1/2) = 1.8540746773.
    let period = 4.0 * 1.854_074_677_301_372 * ((1.0 + 0.4 * 0.05 * 0.05) / 9.81f64).sqrt();
    world.run(period).unwrap();
    assert!(probe(&mut world, "bob.position.x") > 1.0 - 1e-6);
    assert!((probe(&mut world, "world.energy") - energy).abs() < 1e-4 * 9.81);
    assert!(world.constraint_residual().unwrap() < 1e-9);
}

#[test]
fn slider_crank_reaches_its_speed_and_stays_closed() {
    let (_, mut world) = world("02_slider_crank.toml");
    let report = world.initialize().unwrap();
    assert_eq!((report.degrees_of_freedom, report.redundant.len()), (0, 0), "{report:?}");
    world.run(1.0).unwrap();
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
    let bearing = world.joint("main_bearing").unwrap();
    let (angle, rate) = (world.joint_coordinate(bearing, 0).unwrap(), world.joint_rate(bearing, 0).unwrap());
    // The step of the speed from 0 to 4π within 0.5 s covers half the distance of the full speed.
    let turned = std::f64::consts::PI + 4.0 * std::f64::consts::PI * 0.5;
    assert!((rate - 4.0 * std::f64::consts::PI).abs() < 1e-6);
    assert!((angle - turned).abs() < 1e-5, "{angle} {turned}");
    let crank = 50f64.to_radians() + angle;
    let place = 0.15 * crank.cos() + (0.4f64.powi(2) - (0.15 * crank.sin()).powi(2)).sqrt();
    let piston = world.body("piston").unwrap();
    assert!((world.body_position(piston).unwrap()[0] - place).abs() < 1e-9);
}

#[test]
fn four_bar_kinematics_closes_its_loop() {
    let (loaded, mut world) = world("03_four_bar.toml");
    assert_eq!(loaded.scene.settings.analysis, Analysis::Kinematics);
    let mut rows = 0;
    let coupler = world.body("coupler").unwrap();
    let start = world.body_position(coupler).unwrap();
    world
        .kinematics(2.0, 0.005, &mut |w| {
            rows += 1;
            assert!(w.constraint_residual().unwrap() < 1e-9);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(rows, 401);
    // Two seconds are one turn: the coupler is back where it was.
    let end = world.body_position(coupler).unwrap();
    assert!((0..3).all(|k| (end[k] - start[k]).abs() < 1e-9), "{start:?} {end:?}");
}

#[test]
fn robot_arm_follows_its_references() {
    let (_, mut world) = world("04_robot_arm.toml");
    let mut worst = 0.0f64;
    world
        .run_with(3.0, &mut |w| {
            for joint in ["shoulder", "elbow"] {
                let (reference, id) =
                    (w.signal(&format!("{joint}_reference")).unwrap(), w.joint(joint).unwrap());
                worst = worst.max((w.joint_coordinate(id, 0).unwrap() - reference).abs());
            }
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert!(worst < 0.02, "{worst}");
    assert!((probe(&mut world, "elbow.angle") + 90f64.to_radians()).abs() < 1e-3);
}

#[test]
fn driveline_engages_and_stops() {
    let (_, mut world) = world("05_driveline.toml");
    world.run(2.4).unwrap();
    let (engine, input) = (probe(&mut world, "engine.speed"), probe(&mut world, "input.speed"));
    let drum = probe(&mut world, "bearing.angle_rate");
    // Momentum through clutch and gear: ω (J₁ + J₂ + (J₃ + J_drum)/i²) = J₁ ω₀.
    let expected = 0.2 * 100.0 / (0.2 + 0.02 + (0.1 + 0.5 * 20.0 * 0.09) / 9.0);
    assert!((engine - expected).abs() < 0.05, "{engine} {expected}");
    assert!((input - engine).abs() < 0.05 && (input - 3.0 * drum).abs() < 1e-6, "{input} {drum}");
    world.run(4.0).unwrap();
    assert!(probe(&mut world, "bearing.angle_rate").abs() < 0.05);
}

#[test]
fn limits_and_rope_hold() {
    let (_, mut world) = world("06_limits_and_rope.toml");
    let (hinge, weight) = (world.joint("hinge").unwrap(), world.body("weight").unwrap());
    let (mut low, mut high, mut deep) = (0.0f64, 0.0f64, 0.0f64);
    world
        .run_with(3.0, &mut |w| {
            let angle = w.joint_coordinate(hinge, 0).unwrap().to_degrees();
            (low, high) = (low.min(angle), high.max(angle));
            deep = deep.min(w.body_position(weight).unwrap()[2]);
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    assert!((59.5..60.5).contains(&high) && (-10.5..-9.0).contains(&low), "{low} {high}");
    assert!((-1.01..-0.99).contains(&deep), "{deep}");
}

/// The pendulum of the first example, built in code.
fn pendulum() -> World {
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.settings_mut().until = 5.0;
    world
        .add_body(BodySpec {
            position: [1.0, 0.0, 0.0],
            shape: Some(Solid::Sphere { radius: 0.05 }),
            mass: Some(1.0),
            ..BodySpec::dynamic("bob")
        })
        .unwrap();
    world
        .add_joint(
            JointSpec::new("pivot", JointType::Revolute, "ground", "bob").at([0.0; 3], [0.0, -1.0, 0.0]),
        )
        .unwrap();
    world
}

#[test]
fn a_scene_and_the_same_world_in_code_have_the_same_bits() {
    let (loaded, mut from_file) = world("01_pendulum.toml");
    let mut in_code = pendulum();
    from_file.run(0.5).unwrap();
    in_code.run(0.5).unwrap();
    assert_eq!(from_file.state_hash(), in_code.state_hash());
    // Through TOML, JSON and back.
    let text = serde_json::to_string(&loaded.scene).unwrap();
    let again = load_scene_text("again.json", &text, Format::Json, &LoadOptions::default()).unwrap();
    assert_eq!(again.scene, loaded.scene);
    assert_eq!(again.hash(), loaded.hash());
    let mut scene = from_file.to_scene();
    scene.probes.clear();
    let mut copied = World::from_scene(&scene).unwrap();
    copied.run(0.5).unwrap();
    assert_eq!(copied.state_hash(), in_code.state_hash());
}

const ARM: &str = r#"
parameters = { length = 1.0, mass = "=2*length" }
[[bodies]]
name = "link"
position = ["=length/2", 0, 0]
mass = "=mass"
shape = { type = "rod", length = "=length" }
markers.tip = { position = ["=length/2", 0, 0] }
[[joints]]
name = "hinge"
type = "universal"
a = "ground"
b = "link"
position = [0, 0, 0]
axis = [0, 0.6, 0.8]
[[forces]]
name = "spring"
type = "spring"
a = "ground"
b = "link/tip"
point_a = [0.2, 0.3, 0.4]
stiffness = 30
length = 0.3
[[signals]]
name = "height"
type = "sensor"
sensor = { of = "link/tip", quantity = "position.z" }
[[probes]]
signal = "height"
"#;

#[test]
fn sub_assemblies_take_parameters_prefix_and_place() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("arm.toml"), ARM).unwrap();
    let main = r#"
settings.gravity = [0, 0, 0]
[[include]]
file = "arm.toml"
prefix = "left."
parameters = { length = 0.5 }
[[include]]
file = "arm.toml"
prefix = "right."
position = [3, -1, 2]
rotation = { axis = [0.6, 0, 0.8], angle_deg = 70 }
parameters.length = 0.5
"#;
    fs::write(folder.path().join("main.toml"), main).unwrap();
    let loaded = load_scene(folder.path().join("main.toml"), &LoadOptions::default()).unwrap();
    assert_eq!(loaded.files().count(), 3);
    let mut world = loaded.world().unwrap();
    world.run(0.5).unwrap();
    let (left, right) = (world.body("left.link").unwrap(), world.body("right.link").unwrap());
    assert_eq!(loaded.scene.bodies[0].mass, Some(1.0));
    // Without gravity the right arm moves as the left one, seen from its own place.
    let turn = Rotation::about([0.6, 0.0, 0.8], 70f64.to_radians()).unwrap().0;
    let here = glam::DVec3::from_array(world.body_position(left).unwrap());
    let there = glam::DVec3::from_array(world.body_position(right).unwrap());
    assert!(here.distance(glam::DVec3::new(0.25, 0.0, 0.0)) > 0.05, "it must have moved: {here}");
    let miss = (glam::DVec3::new(3.0, -1.0, 2.0) + turn * here).distance(there);
    assert!(miss < 1e-7, "{miss}");
    let columns = world.probe_columns().unwrap();
    assert_eq!(columns.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["left.height", "right.height"]);
}

#[test]
fn parameters_can_be_replaced() {
    let options = LoadOptions { parameters: [("length".to_owned(), 2.0)].into(), ..LoadOptions::default() };
    let loaded = load_scene_text("arm.toml", ARM, Format::Toml, &options).unwrap();
    assert_eq!(loaded.scene.bodies[0].mass, Some(4.0));
    assert_eq!(loaded.scene.bodies[0].position, [1.0, 0.0, 0.0]);
}

#[test]
fn objects_are_found_by_the_names_they_get_when_they_are_built() {
    let text = r#"
[[bodies]]
name = "ball"
mass = 1
inertia = [1, 1, 1]
[[bodies]]
density = 1000
shape = { type = "sphere", radius = 0.1 }
[[fills]]
name = "heap"
shape = { type = "sphere", radius = 0.1 }
density = 1000
count = [2, 1, 1]
position = [0, 0, 5]
[[joints]]
name = "slide"
type = "prismatic"
a = "ground"
b = "heap.2"
position = [0, 0, 5]
[[probes]]
of = "body2"
quantity = "position.z"
"#;
    let loaded = load_scene_text("scene.toml", text, Format::Toml, &LoadOptions::default()).unwrap();
    let world = loaded.world().unwrap_or_else(|e| panic!("{e}"));
    assert!(world.body("heap.2").is_ok() && world.body("body2").is_ok());
}
