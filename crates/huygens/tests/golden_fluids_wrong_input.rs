//! Wrong descriptions of fluids, as a user of a scene file meets them: file, line, object, what is expected.

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

const HEAD: &str = "\
settings.dt = 1e-3
bodies = [{ name = \"ball\", density = 500, shape = { type = \"sphere\", radius = 0.02 }, position = [0.1, 0, 0.2] }]
[[fluids]]
name = \"water\"
";

/// Loads a scene, builds it and runs it for a moment: its warnings, or what is wrong.
fn attempt(text: &str) -> Result<Vec<String>, SceneError> {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default())?;
    let mut world = scene.world()?;
    world.run(0.03).map_err(|e| scene.explain(e))?;
    Ok(world.warnings().to_vec())
}

const FILL: &str =
    "fills = [{ region = { type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.05] } }]\nplane = \"xz\"\n";

#[test]
fn each_is_refused_where_it_stands() {
    let wall = |keys: &str| format!("walls = [{{ name = \"w\", {keys} }}]\nspacing = 0.01\n{FILL}");
    let tank = "type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.1], open = [\"+z\"]";
    let fill = |keys: &str| format!("fills = [{{ {keys} }}]\nspacing = 0.01\nplane = \"xz\"\n");
    let cases: Vec<(String, &[&str])> = vec![
        // Numbers.
        (format!("spacing = -0.01\n{FILL}"), &["spacing = -0.01", "positive"]),
        (format!("density = -1000\nspacing = 0.01\n{FILL}"), &["density = -1000", "positive"]),
        (format!("viscosity = -1\nspacing = 0.01\n{FILL}"), &["viscosity = -1"]),
        (format!("sound_speed = 0\nspacing = 0.01\n{FILL}"), &["sound_speed = 0"]),
        (format!("smoothing = 9\nspacing = 0.01\n{FILL}"), &["kernel", "9"]),
        (format!("xsph = -1\nspacing = 0.01\n{FILL}"), &["xsph", "-1"]),
        (format!("step = 0.1\nspacing = 0.01\n{FILL}"), &["a step of 0.1 s", "stable"]),
        (format!("step = \"fast\"\nspacing = 0.01\n{FILL}"), &["\"fast\"", "\"auto\""]),
        (format!("kernel = \"gauss\"\nspacing = 0.01\n{FILL}"), &["gauss", "wendland_c2"]),
        (
            format!(
                "rheology = {{ type = \"bingham\", viscosity = 1, yield_stress = -1, most = 10 }}\nspacing = 0.01\n{FILL}"
            ),
            &["yield stress", "-1"],
        ),
        (
            format!(
                "rheology = {{ type = \"newtonian\", viscosity = 1 }}\nviscosity = 1\nspacing = 0.01\n{FILL}"
            ),
            &["give viscosity or rheology"],
        ),
        (format!("periodic = {{ x = [0, 0.02] }}\nspacing = 0.01\n{FILL}"), &["periodic box"]),
        (
            format!("bounds = {{ low = [1, 0, 0], high = [0, 0, 1] }}\nspacing = 0.01\n{FILL}"),
            &["`low` corner"],
        ),
        // Lines of structures.
        (
            format!(
                "structures = [\"rod\"]\nspacing = 0.01\n{FILL}[[structures]]\nname = \"rod\"\ngenerate = {{ type = \"beam\", \
                 from = [0.05, 0, 0.1], to = [0.05, 0, 0.2], pieces = 2 }}\nsection = {{ type = \"circle\", radius = 0.01 }}\n\
                 material = {{ young = 1e7, density = 1000 }}\ncontact = {{ radius = 1e9 }}\n"
            ),
            &["structure 'rod'", "cells of the spacing", "are allowed"],
        ),
        // Fills.
        (
            fill("region = { type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.004] }"),
            &["0.004 m wide", "0.01 m apart"],
        ),
        (fill("velocity = [1, 0, 0]"), &["`region`", "`mesh`", "`points`"]),
        (
            fill(
                "region = { type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.1] } }, { region = { type = \"box\", low = \
                  [0.05, 0, 0], high = [0.15, 0, 0.1] }",
            ),
            &["overlap those of an earlier fill"],
        ),
        // Walls.
        (wall("type = \"box\", low = [0, 0, 0]"), &["w", "`high`"]),
        (wall("type = \"box\", low = [0, 0, 0], high = [0.1, 0, -0.1]"), &["corner above low"]),
        (wall("type = \"box\", low = [0, 0, 0], high = [0.004, 0, 0.1]"), &["0.004 m wide", "0.01"]),
        (wall("type = \"plane\""), &["`size`"]),
        (wall("type = \"cylinder\", radius = -1, length = 1, axis = [0, 1, 0]"), &["radius = -1"]),
        (
            wall("type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.1], radius = 1"),
            &["has no `radius`"],
        ),
        (wall("type = \"box\", low = [0, 0, 0], high = [0.1, 0, 0.1], body = \"bal\""), &["bal", "ball"]),
        (wall("type = \"points\", points = [[0, 0, -1], [1, 0, -1]]"), &["marker 0", "no other marker"]),
        (wall("type = \"mesh\", file = \"none.stl\""), &["asset folder"]),
        (
            format!(
                "{FILL}walls = [{{ name = \"w\", type = \"box\", side = \"outside\", low = [0.02, 0, 0], high = [0.05, 0, \
                 0.03] }}]\nspacing = 0.01\n"
            ),
            &["overlap a solid", "`carve = true`"],
        ),
        (format!("bodies = [\"bal\"]\nspacing = 0.01\n{FILL}"), &["body 'bal', which does not exist", "ball"]),
        (
            "bodies = [\"ball\"]\nspacing = 0.08\nfills = [{ region = { type = \"box\", low = [0, 0, 0], high = [1, 1, 1] } }]\n".to_owned(),
            &["ball", "0.08"],
        ),
        (format!("structures = [\"gate\"]\nspacing = 0.01\n{FILL}"), &["structure 'gate', which does not exist"]),
        // Gates.
        (
            format!(
                "inlets = [{{ name = \"spout\", center = [0, 0, 1], velocity = [0, 0, 0], along = [1, 0, 0], size = \
                     [0.1, 0.1] }}]\nspacing = 0.01\n{FILL}"
            ),
            &["spout"],
        ),
        (
            format!(
                "outlets = [{{ name = \"drain\", position = [0, 0, 0], normal = [0, 0, 0] }}]\nspacing = 0.01\n{FILL}"
            ),
            &["drain", "direction"],
        ),
        (
            format!("walls = [{{ {tank} }}, {{ name = \"wall1\", {tank} }}]\nspacing = 0.01\n{FILL}"),
            &["already a part 'wall1'"],
        ),
        // On the way.
        (
            format!(
                "bounds = {{ low = [0, 0, 0.003], high = [0.1, 0, 0.1], closed = true }}\nspacing = 0.01\n{FILL}"
            ),
            &["left the closed bounds"],
        ),
        (
            format!(
                "sound_speed = 0.5\nspacing = 0.01\n{}",
                FILL.replace("{ region", "{ hydrostatic = false, region")
            ),
            &["too fast for the speed of sound", "is needed"],
        ),
        (format!("sound_speed = 1e9\nspacing = 0.01\n{FILL}"), &["steps of the fluid", "lower speed of sound"]),
        (format!("step = 1e-12\nspacing = 0.01\n{FILL}"), &["steps of the fluid", "at most 100000"]),
    ];
    for (keys, expected) in cases {
        let text = format!("{HEAD}{keys}");
        let error = match attempt(&text) {
            Ok(warnings) => panic!("this was not refused:\n{text}\n{warnings:?}"),
            Err(error) => error,
        };
        let message = error.to_string();
        for part in expected.iter().chain(&["test.toml", "water"]) {
            assert!(message.contains(part), "{text}\nsays: {message}\nwithout: {part}");
        }
        // What is found out in a run is said of the whole fluid.
        let on_the_way = ["left the closed", "too fast", "steps of the fluid"]
            .iter()
            .any(|part| expected[0].contains(part));
        assert_eq!(error.line, Some(if on_the_way { 3 } else { 5 }), "{text}\n{message}");
    }
}

#[test]
fn what_is_only_doubtful_is_a_warning() {
    let cases: [(&str, &[&str]); 2] = [
        (
            "bounds = { low = [0, 0, 0.003], high = [0.1, 0, 0.1] }\nspacing = 0.01\n",
            &["leave the bounds", "lost"],
        ),
        ("bodies = [\"ball\"]\nspacing = 0.01\nmax_speed = 100\n", &["body 'ball' is light", "dt ="]),
    ];
    for (keys, expected) in cases {
        let text = format!("{HEAD}{keys}{FILL}");
        let warnings = attempt(&text).unwrap_or_else(|e| panic!("{text}\n{e}"));
        let found = warnings.iter().any(|w| expected.iter().all(|part| w.contains(part)));
        assert!(found && warnings.iter().any(|w| w.contains("water")), "{text}\n{warnings:?}");
    }
}

#[test]
fn probes_name_what_is_there() {
    for (probe, expected) in [
        ("of = \"water\"\nquantity = \"preasure\"", "pressure"),
        ("of = \"water\"\nquantity = \"pressure\"", "needs a `point`"),
        ("of = \"water\"\nquantity = \"mass\"\npoint = [0, 0, 0]", "leave `point` out"),
        ("of = \"water/tnk\"\nquantity = \"force\"", "water/tank"),
        ("of = \"water/tank\"\nquantity = \"mass\"", "force, torque"),
    ] {
        let text = format!(
            "{HEAD}spacing = 0.01\nwalls = [{{ name = \"tank\", type = \"plane\", size = [0.1, 0.1] }}]\n{FILL}[[probes]]\n{probe}\n"
        );
        let message = attempt(&text).err().unwrap_or_else(|| panic!("{text}")).to_string();
        assert!(message.contains(expected), "{text}\n{message}");
    }
}

/// What the engine refuses is found at the key that gives it, whatever the message says.
#[test]
fn numbers_that_the_engine_refuses_are_found_by_their_keys() {
    let weakly = [
        ("smoothing", "9"),
        ("artificial", "-1"),
        ("diffusion", "-1"),
        ("xsph", "-1"),
        ("state", "{ type = \"tait\", exponent = -1 }"),
        ("rheology", "{ type = \"power_law\", consistency = -1, exponent = 1, most = 10 }"),
        ("rheology", "{ type = \"bingham\", viscosity = 1, yield_stress = -1, most = 10 }"),
        ("shifting", "{ strength = -1 }"),
        ("density_filter", "{ every = 0 }"),
        ("periodic", "{ x = [0, 0.02] }"),
        ("periodic", "{ y = [0, 1] }"),
    ];
    let constraint = [
        ("smoothing", "9"),
        ("kernel", "\"poly6_spiky\""),
        ("xsph", "-1"),
        ("compliance", "-1"),
        ("stabilization", "2"),
        ("clumping", "{ strength = -1 }"),
        ("clumping", "{ distance = 2 }"),
        ("contact", "{ radius = -1 }"),
        ("periodic", "{ x = [0, 0.02] }"),
        ("periodic", "{ y = [0, 1] }"),
    ];
    let lists = [
        ("", &weakly[..]),
        ("method = \"constraint\"\n", &constraint[..]),
        ("method = \"constraint\"\nlaw = \"spheres\"\n", &[("viscosity", "1")]),
    ];
    for (method, keys) in lists {
        for (key, value) in keys {
            let before = format!("{HEAD}spacing = 0.01\n{method}");
            let text = format!("{before}{key} = {value}\n{FILL}");
            let error = attempt(&text).err().unwrap_or_else(|| panic!("this was not refused:\n{text}"));
            assert_eq!(error.line, Some(before.lines().count() + 1), "{text}\n{error}");
        }
    }
}
