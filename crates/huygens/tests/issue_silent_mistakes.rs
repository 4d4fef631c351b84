//! Energy from nowhere, unusual units and solids that do not collide are said; what is right is not accused.

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

fn loaded(text: &str) -> World {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    scene.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn warnings(text: &str, time: f64) -> Vec<String> {
    let mut world = loaded(text);
    world.run(time).unwrap_or_else(|e| panic!("{text}: {e}"));
    world.warnings().to_vec()
}

fn about<'a>(warnings: &'a [String], words: &str) -> Vec<&'a String> {
    warnings.iter().filter(|w| w.contains(words)).collect()
}

const GREW: &str = "the energy grew";

/// A steel ball that falls 15 cm onto steel: an impact lasts 0.2 ms.
fn steel_ball(dt: f64) -> String {
    format!(
        "settings.contact.law = \"compliant\"\nsettings.dt = {dt:e}\n\
         [[materials]]\nname = \"steel\"\nyoung = 2e11\n\
         [[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{{ type = \"half_space\", material = \"steel\" }}]\n\
         [[bodies]]\nname = \"ball\"\nposition = [0, 0, 0.2]\ndensity = 7850\n\
         shapes = [{{ type = \"sphere\", radius = 0.05, material = \"steel\" }}]\n"
    )
}

/// The number of seconds that a warning proposes as a step.
fn proposed(warning: &str) -> f64 {
    let text = warning.split("dt = ").nth(1).and_then(|rest| rest.split(' ').next()).unwrap_or_default();
    text.parse().unwrap_or_else(|_| panic!("no step in: {warning}"))
}

#[test]
fn a_contact_that_the_step_does_not_resolve_is_named_with_a_step_that_does() {
    let coarse = warnings(&steel_ball(1e-3), 0.5);
    let found = about(&coarse, GREW);
    assert_eq!(found.len(), 1, "{coarse:?}");
    // With the step of the warning the ball comes to rest (its restitution is zero) at the static overlap of Hertz,
    // δ = (3 m g / 4 E* √R)^(2/3).
    let mut world = loaded(&steel_ball(proposed(found[0])));
    world.run(0.25).unwrap();
    assert_eq!(world.warnings(), [""; 0], "{}", found[0]);
    let ball = world.body("ball").unwrap();
    let weight = 9.81 * 7850.0 * 4.0 / 3.0 * std::f64::consts::PI * 0.05f64.powi(3);
    let stiffness = 2e11 / (2.0 * (1.0 - 0.3f64 * 0.3));
    let overlap = (0.75 * weight / (stiffness * 0.05f64.sqrt())).powf(2.0 / 3.0);
    let height = world.body_position(ball).unwrap()[2];
    assert!((height - (0.05 - overlap)).abs() < 0.2 * overlap, "{height} {overlap}");
}

/// A mass on a spring with ω = 10⁴ 1/s, or one that a motor or a force drives.
fn spring(integrator: &str, stiffness: f64, more: &str) -> String {
    format!(
        "settings.gravity = [0, 0, 0]\nsettings.integrator = {{ type = \"{integrator}\" }}\n\
         [[bodies]]\nname = \"mass\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [1, 0, 0]\n\
         [[forces]]\nname = \"spring\"\ntype = \"spring\"\na = \"ground\"\nb = \"mass\"\nlength = 0.9\n\
         stiffness = {stiffness:e}\n{more}"
    )
}

#[test]
fn an_explicit_step_beyond_the_period_of_a_spring_is_named() {
    for integrator in ["leapfrog", "rk4"] {
        // ω h = 3.2 and 1: unstable and, for a mean period of many steps, stable.
        let text = spring(integrator, 1e7, "");
        let found = warnings(&text, 8e-3);
        assert_eq!(about(&found, GREW).len(), 1, "{integrator}: {found:?}");
        let text = spring(integrator, 1e6, "");
        assert!(about(&warnings(&text, 0.5), GREW).is_empty(), "{integrator}");
    }
}

#[test]
fn work_of_motors_and_forces_is_no_energy_from_nowhere() {
    let load = "[[forces]]\nname = \"push\"\ntype = \"load\"\nbody = \"mass\"\n\
                force = [{ type = \"sine\", amplitude = 100, frequency = 50 }, 0, 0]\n";
    // Resonance: ω = 314 1/s.
    assert!(about(&warnings(&spring("generalized_alpha", 98_696.0, load), 1.0), GREW).is_empty());
    for (kind, drive) in [
        ("speed", "20"),
        ("angle", "{ type = \"step_cycloidal\", from = 0, to = 3, start = 0.1, duration = 0.02 }"),
        ("torque", "5"),
    ] {
        for integrator in ["generalized_alpha", "euler"] {
            let text = format!(
                "settings.integrator = {{ type = \"{integrator}\" }}\n\
                 [[bodies]]\nname = \"arm\"\nmass = 2\nposition = [0.5, 0, 0]\nshape = {{ type = \"rod\", length = 1 }}\n\
                 [[joints]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = \"arm\"\naxis = [0, 0, 1]\n\
                 position = [0, 0, 0]\n\
                 [[motors]]\nname = \"drive\"\ntype = \"{kind}\"\njoint = \"hinge\"\ndrive = {drive}\n"
            );
            let found = warnings(&text, 0.5);
            assert!(about(&found, GREW).is_empty(), "{kind} {integrator}: {found:?}");
        }
    }
}

#[test]
fn a_body_that_starts_inside_another_is_said_to_overlap_only() {
    let found =
        warnings(&ball("1000", "shapes").replace("position = [0, 0, 1]", "position = [0, 0, -0.05]"), 1.0);
    assert_eq!(about(&found, "overlap deeply").len(), 1, "{found:?}");
    assert!(about(&found, GREW).is_empty(), "{found:?}");
}

#[test]
fn bodies_that_are_pushed_apart_at_the_start_are_not_accused() {
    let mut text = String::from(
        "settings.dt = 2e-3\n[[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{ type = \"half_space\" }]\n",
    );
    for k in 0..6 {
        let z = 0.0499 + 0.0997 * f64::from(k);
        text += &format!(
            "[[bodies]]\nname = \"box{k}\"\nposition = [0, 0, {z}]\ndensity = 500\n\
             shapes = [{{ type = \"box\", size = [0.1, 0.1, 0.1] }}]\n"
        );
    }
    let found = warnings(&text, 0.5);
    assert!(about(&found, GREW).is_empty(), "{found:?}");
}

const FLOOR: &str = "[[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{ type = \"half_space\" }]\n";

fn ball(density: &str, key: &str) -> String {
    let sphere = "{ type = \"sphere\", radius = 0.1 }";
    let solid = if key == "shape" { format!("shape = {sphere}") } else { format!("shapes = [{sphere}]") };
    format!("{FLOOR}[[bodies]]\nname = \"ball\"\nposition = [0, 0, 1]\ndensity = {density}\n{solid}\n")
}

#[test]
fn other_units_are_hinted_at() {
    for (density, unit) in
        [("7.85e-9", "t/mm³, write 7850"), ("7.85e-6", "kg/mm³, write 7850"), ("1e6", "unusual")]
    {
        let found = warnings(&ball(density, "shapes"), 0.01);
        assert_eq!(about(&found, unit).len(), 1, "{density}: {found:?}");
        assert!(found[0].starts_with("body 'ball': density"), "{found:?}");
    }
    for density in ["1.2", "19300"] {
        assert_eq!(warnings(&ball(density, "shapes"), 0.01), [""; 0]);
    }
    let gravity = format!("settings.gravity = [0, 0, -9810]\n{}", ball("1000", "shapes"));
    assert_eq!(about(&warnings(&gravity, 1e-3), "not in mm").len(), 1);
    let limited = |limits: &str| {
        format!(
            "[[bodies]]\nname = \"arm\"\nmass = 1\nposition = [0.5, 0, 0]\nshape = {{ type = \"rod\", length = 1 }}\n\
             [[joints]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = \"arm\"\naxis = [0, 1, 0]\n\
             position = [0, 0, 0]\nlimits = [{limits}]\n"
        )
    };
    let found = warnings(&limited("{ lower = -30, upper = 30 }"), 0.01);
    assert_eq!(about(&found, "lower_deg").len(), 1, "{found:?}");
    assert_eq!(warnings(&limited("{ lower_deg = -30, upper_deg = 30 }"), 0.01), [""; 0]);
}

#[test]
fn a_solid_that_does_not_collide_above_a_floor_is_hinted_at() {
    let found = warnings(&ball("1000", "shape"), 0.01);
    assert_eq!(about(&found, "body 'ball' falls through").len(), 1, "{found:?}");
    let held = "[[forces]]\nname = \"rope\"\ntype = \"rope\"\na = \"ground\"\nb = \"ball\"\nlength = 2\n";
    assert_eq!(warnings(&format!("{}{held}", ball("1000", "shape")), 0.01), [""; 0]);
}

#[test]
fn kinds_of_warnings_are_silenced() {
    let text = format!("settings.silence = [\"hints\"]\n{}", ball("7.85e-9", "shapes"));
    assert_eq!(warnings(&text, 0.01), [""; 0]);
    let funnel = "[[grains]]\nname = \"sand\"\nwalls = [{ name = \"funnel\", type = \"mesh\", \
                  points = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles = [[0, 1, 2]] }]\n";
    assert_eq!(about(loaded(funnel).warnings(), "open mesh").len(), 1);
    let silent = format!("settings.silence = [\"open_mesh\"]\n{funnel}");
    assert_eq!(loaded(&silent).warnings(), [""; 0]);
}

#[test]
fn the_default_integrator_supports_every_combination_of_parts() {
    let parts = [
        (
            "limits",
            "[[joints]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = \"one\"\naxis = [0, 1, 0]\n\
                    position = [0, 0, 1]\nlimits = [{ lower_deg = -30, upper_deg = 30 }]\n",
        ),
        ("rope", "[[forces]]\nname = \"rope\"\ntype = \"rope\"\na = \"ground\"\nb = \"two\"\nlength = 3\n"),
        ("floor", FLOOR),
        (
            "motor",
            "[[joints]]\nname = \"slide\"\ntype = \"prismatic\"\na = \"ground\"\nb = \"three\"\naxis = [1, 0, 0]\n\
                   position = [0, 2, 1]\n[[motors]]\nname = \"drive\"\ntype = \"speed\"\njoint = \"slide\"\ndrive = 1\n",
        ),
        (
            "beam",
            "[[structures]]\nname = \"beam\"\nelement = \"beam\"\n\
                  generate = { type = \"beam\", from = [0, 5, 1], to = [1, 5, 1], pieces = 2 }\n\
                  section = { type = \"circle\", radius = 0.01 }\n\
                  material = { young = 1e9, poisson = 0.3, density = 1000 }\n\
                  fixed = [{ nodes = \"start\" }]\n",
        ),
    ];
    let body = |name: &str, y: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1\nposition = [0.5, {y}, 1]\n\
             shapes = [{{ type = \"sphere\", radius = 0.1 }}]\n"
        )
    };
    let bare = |name: &str, y: f64| {
        format!(
            "[[bodies]]\nname = \"{name}\"\nmass = 1\nposition = [0.5, {y}, 1]\nshape = {{ type = \"sphere\", radius = 0.1 }}\n"
        )
    };
    for law in ["none", "rigid", "compliant"] {
        for chosen in 0..1 << parts.len() {
            let mut text = match law {
                "none" => format!("{}{}{}", bare("one", 0.0), bare("two", 1.0), bare("three", 2.0)),
                law => format!(
                    "settings.contact.law = \"{law}\"\n{}{}{}",
                    body("one", 0.0),
                    body("two", 1.0),
                    body("three", 2.0)
                ),
            };
            let mut names = vec![law];
            for (_, (name, part)) in parts.iter().enumerate().filter(|(k, _)| chosen >> k & 1 == 1) {
                names.push(name);
                text += part;
            }
            let mut world = loaded(&text);
            world.run(2e-3).unwrap_or_else(|e| panic!("{names:?}: {e}"));
        }
    }
}

#[test]
fn step_control_of_a_method_without_an_estimate_is_refused() {
    let text = format!(
        "settings.step_control = {{ tolerance = 1e-6, min_step = 1e-6, max_step = 1e-3 }}\n{}",
        ball("1000", "shapes")
    );
    let error = loaded(&text).initialize().map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("step control of euler") && error.contains("generalized_alpha"), "{error}");
}

#[test]
fn assembly_says_how_far_bodies_were_moved() {
    let text = "settings.gravity = [0, 0, 0]\n\
        [[bodies]]\nname = \"a\"\nmass = 1\nshape = { type = \"sphere\", radius = 0.1 }\n\
        [[bodies]]\nname = \"b\"\nposition = [5, 0, 0]\nmass = 3\nshape = { type = \"sphere\", radius = 0.1 }\n\
        [[joints]]\ntype = \"spherical\"\na = \"a\"\nb = \"b\"\nframe_a = { position = [0, 0, 0] }\n\
        frame_b = { position = [0, 0, 0] }\n";
    let mut world = loaded(text);
    let report = world.initialize().unwrap();
    // In the mass metric the bodies meet at their centre of mass, 3.75 m from the first.
    let moved: Vec<(&str, f64)> = report.displaced.iter().map(|m| (m.what.as_str(), m.distance)).collect();
    assert_eq!(moved.len(), 2, "{moved:?}");
    assert!(moved[0].0 == "body 'a'" && (moved[0].1 - 3.75).abs() < 1e-9, "{moved:?}");
    assert!(moved[1].0 == "body 'b'" && (moved[1].1 - 1.25).abs() < 1e-9, "{moved:?}");
    let text = &world.warnings()[0];
    assert!(text.contains("body 'a' by 3.7500 m, body 'b' by 1.2500 m"), "{text}");
}

#[test]
fn an_energy_that_overflows_is_said() {
    let text = format!(
        "settings.gravity = [0, 0, -1e200]\nsettings.contact.law = \"compliant\"\n{}",
        ball("1000", "shapes")
    );
    let found = warnings(&text, 0.1);
    assert_eq!(about(&found, "the energy is not finite").len(), 1, "{found:?}");
}

#[test]
fn quantities_that_do_not_exist_and_numbers_that_are_none_are_said_in_sentences() {
    let mut world = loaded(&ball("1000", "shapes"));
    let ball = world.body("ball").unwrap();
    let error = world.measurements(&SensorSpec::new("ball", "positon")).map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("body 'ball' has no quantity 'positon'; it has "), "{error}");
    assert!(error.ends_with("; did you mean 'position'?"), "{error}");
    let error = world.measurements(&SensorSpec::new("ball", "omega")).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("; did you mean 'angular_velocity'?"), "{error}");
    let error = world.set_body_velocity(ball, [f64::NAN, 0.0, 0.0]).unwrap_err().to_string();
    assert_eq!(error, "velocity = [NaN, 0.0, 0.0] is not allowed; expected finite numbers");
}

#[test]
fn a_diverged_model_without_constraints_names_a_body() {
    let text = "[[bodies]]\nname = \"mass\"\nmass = 1\nposition = [1, 0, 0]\n\
        shape = { type = \"sphere\", radius = 0.1 }\n\
        [[forces]]\ntype = \"spring\"\na = \"ground\"\nb = \"mass\"\nstiffness = 1e15\n";
    let error = loaded(text).run(2.0).expect_err("a period of 0.2 µs").to_string();
    assert!(
        error.contains("body 'mass' is still corrected by") && !error.contains("no constraint"),
        "{error}"
    );
}
