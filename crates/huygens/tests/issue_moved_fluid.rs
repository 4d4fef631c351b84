//! A fluid of a sub-assembly that is turned and moved is found where its probe looks for it.

use std::fs;

use huygens::prelude::*;

const PART: &str = r#"
[[fluids]]
name = "water"
spacing = 0.1
max_speed = 1
plane = "xz"
acceleration = [1, 2, 3]
bounds = { low = [-1, -2, -3], high = [2, 4, 6] }
periodic = { x = [-1, 2] }
fills = [{ region = { type = "box", low = [0, 0, 0], high = [1, 0, 2] } }]

[[probes]]
of = "water"
quantity = "velocity"
point = [0.5, 0, 0.25]
"#;

/// The moved fluid is found where its probe looks for it, and flows the way its acceleration points.
#[test]
fn the_probe_of_a_moved_fluid_measures_it() {
    let run = |place: &str| {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("part.toml"), PART).unwrap();
        let main = format!(
            "settings.gravity = [0, 0, 0]\n[[include]]\nfile = \"part.toml\"\nprefix = \"left.\"\n{place}\n"
        );
        fs::write(folder.path().join("main.toml"), main).unwrap();
        let loaded = load_scene(folder.path().join("main.toml"), &LoadOptions::default());
        let mut world = loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"));
        world.run(0.01).unwrap();
        let mut values = Vec::new();
        world.probe_values(&mut values).unwrap();
        [values[0], values[1], values[2]]
    };
    let here = run("");
    assert!(here[0] > 0.005, "the fluid does not flow: {here:?}");
    let there = run("position = [10, 20, 30]\nrotation = { axis = [0, 0, 1], angle_deg = 90 }");
    assert!((there[1] - here[0]).abs() < 1e-6 && (there[2] - here[2]).abs() < 1e-6, "{here:?} {there:?}");
}
