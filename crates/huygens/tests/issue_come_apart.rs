//! Joints that come apart, limits that cannot be met and bodies that pass through others are noticed and named.

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};
use huygens_core::CoreError;

fn loaded(text: &str) -> World {
    let scene = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    scene.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"))
}

/// Runs for `time` [s]; what happened, and the warnings.
fn run(text: &str, time: f64) -> (Result<(), WorldError>, Vec<String>) {
    let mut world = loaded(text);
    let done = world.run(time);
    (done, world.warnings().to_vec())
}

const INTEGRATORS: [&str; 2] = ["euler", "euler_projected"];

/// Shapes, so that the contact stage takes the step, or none.
fn ball(contact: bool) -> &'static str {
    if contact { "shapes = [{ type = \"sphere\", radius = 0.05 }]" } else { "" }
}

/// A light link between ground and a heavy body: two hinges a metre apart, masses that differ by `ratio`.
fn link(integrator: &str, contact: bool, ratio: f64) -> String {
    let (light, heavy) = (1.0 / ratio.sqrt(), ratio.sqrt());
    let body = |name: &str, x: f64, mass: f64| {
        let inertia = 1e-3 * mass;
        let shapes = ball(contact);
        format!(
            "[[bodies]]\nname = \"{name}\"\nposition = [{x}, 0, 1]\nmass = {mass:e}\n\
             inertia = [{inertia:e}, {inertia:e}, {inertia:e}]\n{shapes}\n"
        )
    };
    let hinge = |name: &str, a: &str, b: &str, x: f64| {
        format!(
            "[[joints]]\nname = \"{name}\"\ntype = \"revolute\"\na = \"{a}\"\nb = \"{b}\"\nposition = [{x}, 0, 1]\n\
             axis = [0, 1, 0]\n"
        )
    };
    format!(
        "settings.dt = 1e-3\nsettings.integrator = {{ type = \"{integrator}\" }}\n{}{}{}{}",
        body("light", 1.0, light),
        body("heavy", 2.0, heavy),
        hinge("root", "ground", "light", 0.0),
        hinge("tip", "light", "heavy", 1.0),
    )
}

fn open(warnings: &[String]) -> Vec<&String> {
    warnings.iter().filter(|w| w.contains("does not hold")).collect()
}

#[test]
fn joints_that_open_under_a_mass_ratio_are_named_once() {
    for contact in [false, true] {
        let mut world = loaded(&link("euler", contact, 1e12));
        world.run(0.5).unwrap_or_else(|e| panic!("{e}"));
        let residual = world.constraint_residual().unwrap();
        assert!(residual > 0.02, "the joints hold, the test shows nothing: {residual}");
        let warnings = world.warnings().to_vec();
        let found = open(&warnings);
        assert!(!found.is_empty(), "contact {contact}: {warnings:?}");
        for joint in ["root", "tip"] {
            let named = found.iter().filter(|w| w.starts_with(&format!("joint '{joint}' "))).count();
            assert!(named <= 1, "{warnings:?}");
        }
        assert!(found.iter().all(|w| w.contains("t = 0.") && w.contains("e-")), "{found:?}");
    }
}

/// The same link with masses that double precision resolves.
#[test]
fn joints_that_hold_are_not_accused() {
    for contact in [false, true] {
        for integrator in INTEGRATORS {
            for ratio in [1.0, 1e3, 1e6] {
                let (done, warnings) = run(&link(integrator, contact, ratio), 1.0);
                done.unwrap_or_else(|e| panic!("{e}"));
                assert!(warnings.is_empty(), "{integrator}, contact {contact}, {ratio}: {warnings:?}");
            }
        }
    }
}

/// "Motion is right" is only said of rows that are redundant by their directions.
#[test]
fn rows_that_masses_hide_are_not_called_redundant() {
    for contact in [false, true] {
        let mut world = loaded(&link("euler", contact, 1e16));
        world.initialize().unwrap();
        let warnings = world.warnings().to_vec();
        assert!(warnings.iter().all(|w| !w.contains("motion is correct")), "{warnings:?}");
        assert!(warnings.iter().any(|w| w.contains("masses") && w.contains("joint 'tip'")), "{warnings:?}");
        // It comes apart: a warning or an error names a joint.
        let done = world.run(0.5);
        let text = format!("{:?} {:?}", done.map_err(|e| e.to_string()), open(world.warnings()));
        assert!(text.contains("joint 'root'") || text.contains("joint 'tip'"), "{text}");
    }
    // Two hinges on one axis: five rows too many, whatever the masses.
    let door = "[[bodies]]\nname = \"door\"\nmass = 1\ninertia = [1, 1, 1]\n\
        [[joints]]\nname = \"low\"\ntype = \"revolute\"\na = \"ground\"\nb = \"door\"\nposition = [0, 0, 0]\naxis = [0, 0, 1]\n\
        [[joints]]\nname = \"high\"\ntype = \"revolute\"\na = \"ground\"\nb = \"door\"\nposition = [0, 0, 1]\naxis = [0, 0, 1]\n";
    let mut world = loaded(door);
    assert_eq!(world.initialize().unwrap().redundant.len(), 5);
    assert!(world.warnings()[0].contains("5 redundant") && world.warnings()[0].contains("motion is correct"));
}

/// A motor that turns its body by 10 rad in every step.
#[test]
fn a_motor_that_tears_its_hinge_ends_the_run() {
    for contact in [false, true] {
        let text = format!(
            "settings.dt = 1e-3\nsettings.integrator = {{ type = \"euler\" }}\n\
             [[bodies]]\nname = \"rotor\"\nposition = [0, 0, 1]\nmass = 8\ninertia = [0.05, 0.05, 0.05]\n{}\n\
             [[joints]]\nname = \"bearing\"\ntype = \"revolute\"\na = \"ground\"\nb = \"rotor\"\nposition = [0, 0, 1]\n\
             axis = [0, 1, 0]\n[[motors]]\nname = \"drive\"\ntype = \"speed\"\njoint = \"bearing\"\ndrive = 1e4\n",
            ball(contact)
        );
        let (done, _) = run(&text, 0.5);
        let error = done.expect_err("the run went on");
        assert!(!error.is_input(), "{error}");
        let message = error.to_string();
        assert!(matches!(error, WorldError::Core(CoreError::ComeApart { .. })), "{message}");
        assert!(message.contains("motor 'drive'") || message.contains("joint 'bearing'"), "{message}");
    }
}

/// A rotor at 0.2 rad a step, arms of a metre, and a motor whose target jumps: fast, but right.
#[test]
fn fast_motion_is_not_accused() {
    for contact in [false, true] {
        for integrator in INTEGRATORS {
            let text = format!(
                "settings.dt = 1e-3\nsettings.gravity = [0, 0, 0]\nsettings.integrator = {{ type = \"{integrator}\" }}\n\
                 [[bodies]]\nname = \"blade\"\nposition = [1, 0, 0]\nvelocity = [0, 200, 0]\nangular_velocity = [0, 0, 200]\n\
                 mass = 1\ninertia = [0.1, 0.1, 0.1]\n{}\n\
                 [[joints]]\nname = \"bearing\"\ntype = \"revolute\"\na = \"ground\"\nb = \"blade\"\nposition = [0, 0, 0]\n\
                 axis = [0, 0, 1]\n\
                 [[bodies]]\nname = \"slider\"\nposition = [0, 5, 0]\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n\
                 [[joints]]\nname = \"rail\"\ntype = \"prismatic\"\na = \"ground\"\nb = \"slider\"\nposition = [0, 5, 0]\n\
                 axis = [1, 0, 0]\n[[motors]]\nname = \"shift\"\ntype = \"position\"\njoint = \"rail\"\n\
                 drive = {{ type = \"step_poly345\", from = 0, to = 2, start = 0.05, duration = 0.004 }}\n",
                ball(contact)
            );
            let (done, warnings) = run(&text, 0.3);
            done.unwrap_or_else(|e| panic!("{integrator}, contact {contact}: {e}"));
            assert!(warnings.is_empty(), "{integrator}, contact {contact}: {warnings:?}");
        }
    }
}

fn slider(integrator: &str, contact: bool, more: &str) -> String {
    format!(
        "settings.dt = 1e-3\nsettings.integrator = {{ type = \"{integrator}\" }}\n\
         [[bodies]]\nname = \"slider\"\nposition = [0, 0, 1]\nmass = 8\ninertia = [0.05, 0.05, 0.05]\n{}\n\
         [[joints]]\nname = \"rail\"\ntype = \"prismatic\"\na = \"ground\"\nb = \"slider\"\naxis = [0, 0, 1]\n{more}",
        ball(contact)
    )
}

#[test]
fn limits_of_one_coordinate_that_contradict_each_other_are_refused() {
    let text = slider("euler", true, "limits = [{ lower = 0.5, upper = 1 }, { lower = -2, upper = -1 }]\n");
    let scene = load_scene_text("test.toml", &text, Format::Toml, &LoadOptions::default()).unwrap();
    let error = match scene.world() {
        Ok(_) => panic!("the limits were accepted"),
        Err(error) => error,
    };
    let message = error.to_string();
    for words in ["joint 'rail'", "limits 1 and 2", "at least 0.5", "at most -1"] {
        assert!(message.contains(words), "{message}");
    }
    assert_eq!(error.line, Some(15), "{message}");
    // Springs may well push against each other.
    let soft = "limits = [{ lower = 0.5, stiffness = 1e3 }, { upper = -1, stiffness = 1e3 }]\n";
    loaded(&slider("euler", false, soft));
}

/// A limit against a rope: only the motion shows that both cannot be met.
#[test]
fn limits_that_stay_violated_are_named() {
    let rope = "[[forces]]\nname = \"leash\"\ntype = \"rope\"\na = \"ground\"\nb = \"slider\"\npoint_a = [0, 0, 0]\nlength = 0.5\n";
    for contact in [false, true] {
        for integrator in INTEGRATORS {
            let text = slider(integrator, contact, &format!("limits = [{{ lower = 0.5 }}]\n{rope}"));
            let (done, warnings) = run(&text, 4.0);
            // Exact elimination finds no solution at all, iterations one in between.
            let found = match done {
                Err(error) => error.to_string(),
                Ok(()) => {
                    let stay: Vec<String> =
                        warnings.iter().filter(|w| w.starts_with("limits stay violated")).cloned().collect();
                    assert_eq!(stay.len(), 1, "{integrator}, contact {contact}: {warnings:?}");
                    stay.concat()
                }
            };
            for words in ["limit of joint 'rail' (at least 0.5)", "rope 'leash' (at most 0.5)", "contradict"]
            {
                assert!(found.contains(words), "{integrator}, contact {contact}: {found}");
            }
            // A start beyond a limit is pushed back, slowly, and that is no contradiction.
            let (done, warnings) = run(&slider(integrator, contact, "limits = [{ lower = 0.5 }]\n"), 2.0);
            done.unwrap_or_else(|e| panic!("{e}"));
            assert!(warnings.is_empty(), "{integrator}, contact {contact}: {warnings:?}");
        }
    }
}

fn falling(dt: f64, floor: &str, more: &str) -> String {
    format!(
        "settings.dt = {dt}\n[[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{floor}]\n\
         [[bodies]]\nname = \"ball\"\nposition = [0, 0, 1]\ndensity = 1000\nshapes = [{{ type = \"sphere\", radius = 0.1 }}]\n{more}\n"
    )
}

const FLOORS: [&str; 2] =
    ["{ type = \"half_space\" }", "{ type = \"box\", size = [10, 10, 0.02], position = [0, 0, -0.01] }"];

#[test]
fn a_body_that_passes_a_floor_within_a_step_is_named() {
    for floor in FLOORS {
        let (done, warnings) = run(&falling(1.0, floor, ""), 3.0);
        done.unwrap_or_else(|e| panic!("{e}"));
        let found: Vec<&String> = warnings.iter().filter(|w| w.contains("passed into")).collect();
        assert_eq!(found.len(), 1, "{warnings:?}");
        for words in ["body 'ball'", "body 'floor'", "t = 1.0", "9.810e0 m/s", "1.0e-2 s"] {
            assert!(found[0].contains(words), "{words}: {found:?}");
        }
        // The step it asks for does.
        let (done, warnings) = run(&falling(0.01, floor, ""), 3.0);
        done.unwrap_or_else(|e| panic!("{e}"));
        assert!(warnings.iter().all(|w| !w.contains("passed into")), "{warnings:?}");
    }
}

/// Fast bodies that touch nothing, or that touch as they should.
#[test]
fn fast_bodies_that_pass_nothing_are_not_accused() {
    for (velocity, seconds) in [("[300, 0, 0]", 0.2), ("[0, 0, -300]", 0.2), ("[200, 0, -200]", 0.2)] {
        for floor in FLOORS {
            let text = falling(1e-3, floor, &format!("velocity = {velocity}"));
            let (done, warnings) = run(&text, seconds);
            done.unwrap_or_else(|e| panic!("{e}"));
            assert!(warnings.iter().all(|w| !w.contains("passed into")), "{velocity}: {warnings:?}");
        }
    }
}
