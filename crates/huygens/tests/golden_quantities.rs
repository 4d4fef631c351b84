//! The reference page of quantities says what the tables of the engine say, and what they list can be probed.

use std::path::Path;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};
use huygens::world::quantity_reference;

/// Set to write the page instead of comparing it.
const WRITE: &str = "HUYGENS_WRITE_REFERENCE";

#[test]
fn the_page_lists_what_can_be_read() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference/quantities.md");
    let page = quantity_reference();
    if std::env::var_os(WRITE).is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == page,
        "docs/src/reference/quantities.md is not what the tables of quantities say; write it again with\n    \
         {WRITE}=1 cargo test -p huygens golden_quantities"
    );
}

/// Quantities under a title of the page: their name, unit and components.
fn listed(page: &str, title: &str) -> Vec<(String, String, Vec<String>)> {
    let section = page.split("\n## ").find(|s| s.starts_with(title)).unwrap_or_else(|| panic!("{title}"));
    let names = |cell: &str| -> Vec<String> {
        cell.split(',').map(|n| n.trim().trim_matches('`').to_owned()).filter(|n| !n.is_empty()).collect()
    };
    let mut found = Vec::new();
    for row in section.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        found.extend(names(cells[0]).into_iter().map(|name| (name, cells[1].to_owned(), names(cells[2]))));
    }
    found
}

/// A pendulum on a cable, sand on a floor, and water beside them.
fn world() -> World {
    let text = r#"
        bodies = [{ name = "bob", position = [1, 0, 0], mass = 2.0, inertia = [1, 1, 1] }]
        joints = [{ name = "pivot", type = "revolute", a = "ground", b = "bob", axis = [0, 1, 0] }]
        motors = [{ name = "drive", type = "torque", joint = "pivot", drive = 0.5 }]
        forces = [{ name = "coil", type = "spring", a = "ground", b = "bob", point_a = [2, 0, 0], stiffness = 10 }]
        shafts = [{ name = "axle", inertia = 0.1 }]

        [[structures]]
        name = "cable"
        element = "cable"
        generate = { type = "beam", from = [0, 0, 2], to = [1, 0, 2], pieces = 4 }
        section = { type = "circle", radius = 0.002 }
        material = { young = 1e9, poisson = 0.3, density = 100.0 }

        [[materials]]
        name = "glass"
        young = 5e6
        poisson = 0.2

        [[grains]]
        name = "sand"
        material = "glass"
        walls = [{ name = "floor", type = "plane", position = [5, 0, 0] }]
        particles = [{ positions = [[5, 0, 0.01], [5, 0, 0.03]], radius = 0.01, density = 2500 }]

        [[fluids]]
        name = "water"
        spacing = 0.01
        plane = "xz"
        walls = [{ name = "tank", type = "box", low = [8, -0.02, 0], high = [8.1, 0.02, 0.1], open = ["+z", "-y", "+y"] }]
        fills = [{ region = { type = "box", low = [8, 0, 0], high = [8.1, 0, 0.05] } }]
    "#;
    let loaded = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn every_listed_quantity_can_be_probed() {
    let page = quantity_reference();
    let mut world = world();
    let probe = |of: &str, quantity: &str| ProbeSpec {
        name: Some(format!("{of}:{quantity}")),
        ..ProbeSpec::new(of, quantity)
    };
    let at_point = |probe| ProbeSpec { point: Some([8.05, 0.0, 0.02]), ..probe };
    let of_line = |probe| ProbeSpec { element: Some("1".into()), ..probe };
    type Kind<'a> = (&'a str, &'a str, &'a dyn Fn(ProbeSpec) -> ProbeSpec);
    let on_wall = |probe| ProbeSpec { point: Some([8.0, 0.0, 0.02]), ..probe };
    let kinds: [Kind<'_>; 17] = [
        ("Body, or", "bob", &|probe| probe),
        ("Contacts of a body", "bob", &|probe| probe),
        ("Joint", "pivot", &|probe| probe),
        ("Motor", "drive", &|probe| probe),
        ("Spring", "coil", &|probe| probe),
        ("Shaft", "axle", &|probe| probe),
        ("`world`", "world", &|probe| probe),
        ("Contacts of the `world`", "world", &|probe| probe),
        ("Grains", "sand", &|probe| probe),
        ("Wall of grains", "sand/floor", &|probe| probe),
        ("Fluid (", "water", &|probe| probe),
        ("Fluid at a `point`", "water", &at_point),
        ("Wall, body or structure of a fluid", "water/tank", &|probe| probe),
        ("Pressure gauge", "water/tank", &on_wall),
        ("Structure", "cable", &|probe| probe),
        ("Node of a structure", "cable/end", &|probe| probe),
        ("`element` of a line", "cable", &of_line),
    ];
    let mut expected = Vec::new();
    for (title, of, finish) in kinds {
        let rows = listed(&page, title);
        assert!(!rows.is_empty(), "{title}");
        for (k, (name, unit, parts)) in rows.into_iter().enumerate() {
            // A name may be a quantity of a structure and of one of its elements.
            let label = format!("{title} {k} {name}");
            let spec = ProbeSpec { name: Some(label.clone()), ..finish(probe(of, &name)) };
            world.add_probe(spec).unwrap_or_else(|e| panic!("{label}: {e}"));
            let suffixes = match parts.is_empty() {
                true => vec![label],
                false => parts.iter().map(|part| format!("{label}.{part}")).collect(),
            };
            expected.extend(suffixes.into_iter().map(|column| (column, unit.clone())));
        }
    }
    let columns = world.probe_columns().unwrap();
    assert_eq!(columns.len(), expected.len());
    for (column, (name, unit)) in columns.iter().zip(&expected) {
        assert_eq!(&column.name, name);
        assert!(unit.split(" or ").any(|u| u == column.unit), "{name}: {} is not {unit}", column.unit);
    }
    let mut values = Vec::new();
    world.probe_values(&mut values).unwrap();
    let value = |wanted: &str| {
        let k = columns.iter().position(|c| c.name.ends_with(wanted)).unwrap_or_else(|| panic!("{wanted}"));
        values[k]
    };
    // What can be told without the engine.
    assert_eq!(value("position.x"), 1.0);
    assert_eq!(value("count"), 0.0);
    let grain = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
    let mass = columns.iter().position(|c| c.name.starts_with("Grains") && c.name.ends_with("mass")).unwrap();
    assert!((values[mass] / (2.0 * grain) - 1.0).abs() < 1e-12);
}

#[test]
fn a_wrong_name_is_answered_with_those_of_the_table() {
    let world = world();
    let refused = |of: &str, quantity: &str| {
        world.measurements(&SensorSpec::new(of, quantity)).unwrap_err().to_string()
    };
    let error = refused("bob", "positon");
    assert!(error.contains("it has position, velocity,") && error.contains("penetration"), "{error}");
    let error = refused("bob", "rotation.v");
    assert!(error.contains("'rotation' has no component 'v'; it has w, x, y, z"), "{error}");
    let error = refused("axle", "speed.x");
    assert!(error.contains("'speed' is one number; it has no component 'x'"), "{error}");
    let error = refused("pivot", "angel");
    assert!(error.contains("it has angle, angle_rate, reaction_force, reaction_torque"), "{error}");
    let error = refused("sand/floor", "pressure");
    assert!(error.contains("wall 'sand/floor' has no quantity 'pressure'; it has force, torque"), "{error}");
}
