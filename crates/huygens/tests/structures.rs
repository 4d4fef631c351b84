//! Flexible structures through worlds and scene files: cables, beams, rods, solids, joints of their nodes, probes,
//! restart, recordings.

use std::f64::consts::PI;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const LENGTH: f64 = 1.0;

fn steel() -> ElasticSpec {
    ElasticSpec::new(2.1e11, 0.3, 7850.0)
}

fn world_of(text: &str) -> World {
    let loaded = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"))
}

const CABLE_PENDULUM: &str = r#"
[settings]
dt = 1e-3
until = 0.5
integrator = { type = "generalized_alpha", rho = 0.9 }

[[bodies]]
name = "ball"
position = [1.0, 0, 0]
mass = 1.0
shape = { type = "sphere", radius = 0.02 }

[[structures]]
name = "cable"
element = "cable"
generate = { type = "beam", from = [0, 0, 0], to = [1, 0, 0], pieces = 8 }
section = { type = "circle", radius = 0.002 }
material = { young = 1e9, poisson = 0.3, density = 100.0 }
fixed = [{ nodes = "start", hold = ["position"] }]

[[joints]]
name = "hook"
type = "spherical"
a = "cable/end"
b = "ball"

[[probes]]
of = "cable/end"
quantity = "position"

[[probes]]
of = "world"
quantity = "energy"
"#;

#[test]
fn a_light_cable_with_a_heavy_ball_swings_like_a_pendulum() {
    let mut world = world_of(CABLE_PENDULUM);
    let ball = world.body("ball").unwrap();
    let cable = world.structure("cable").unwrap();
    let start = world.energy().unwrap().total();
    world.run(0.5).unwrap();
    let [x, y, z] = world.body_position(ball).unwrap();
    let end = world.node_motion(cable, "end").unwrap();
    assert!((end.position - glam::DVec3::new(x, y, z)).length() < 1e-9, "{end:?}");
    // A point pendulum of 1 m from the horizontal, by the elliptic function: cos θ = 0.62... after 0.5 s.
    let (mut angle, mut rate, h) = (0.0f64, 0.0f64, 1e-5);
    for _ in 0..50_000 {
        rate += 0.5 * h * 9.81 * angle.cos();
        angle += h * rate;
        rate += 0.5 * h * 9.81 * angle.cos();
    }
    assert!((x - angle.cos()).abs() < 4e-3 && (z + angle.sin()).abs() < 4e-3, "{x} {z} {angle}");
    assert!(y.abs() < 1e-9);
    let now = world.energy().unwrap().total();
    assert!((now - start).abs() < 2e-3 * 9.81, "{start} {now}");
}
