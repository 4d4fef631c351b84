//! Statics, load paths, frequencies and buckling loads of structures on which no load acts, or hardly any: what rounding
//! leaves of the forces is no reason to fail.

use std::f64::consts::PI;
use std::ops::ControlFlow;

use huygens::prelude::*;
use huygens::scene::{Format, load_scene_text};

/// A tenth of a newton bends these beams by a few micrometres: a typical load.
const TYPICAL: f64 = 0.1;
const LOADS: [f64; 4] = [0.0, 1e-12 * TYPICAL, 1e-8 * TYPICAL, 1e-5 * TYPICAL];
const LINES: [&str; 5] = ["beam_ancf", "cable", "rod", "rod3", "beam"];

fn world_of(text: &str) -> World {
    let loaded = load_scene_text("test.toml", text, Format::Toml, &LoadOptions::default());
    loaded.unwrap_or_else(|e| panic!("{e}")).world().unwrap_or_else(|e| panic!("{e}"))
}

fn loads(nodes: &str, force: f64) -> String {
    match force {
        0.0 => String::new(),
        _ => format!("loads = [{{ nodes = \"{nodes}\", force = [0, 0, {force:e}] }}]"),
    }
}

/// A clamped block of tetrahedra, far from the origin, where rounding is worse.
fn block(force: f64, settings: &str) -> String {
    format!(
        r#"
settings.gravity = [0, 0, 0]
{settings}
[[structures]]
name = "block"
element = "tetrahedron"
generate = {{ type = "block", origin = [7.3, -3.1, 12.9], size = [0.6, 0.02, 0.005], cells = [6, 1, 1] }}
material = {{ young = 7e10, poisson = 0.3, density = 2700 }}
fixed = [{{ nodes = "x_min" }}]
{}"#,
        loads("x_max", force)
    )
}

/// A clamped line that is askew, 0.7 m long and 20 mm square.
fn line(element: &str, force: f64, settings: &str) -> String {
    format!(
        r#"
settings.gravity = [0, 0, 0]
{settings}
[[structures]]
name = "line"
element = "{element}"
generate = {{ type = "beam", from = [7.3, -3.1, 12.9], to = [7.9, -2.8, 12.7], pieces = 8 }}
section = {{ type = "rectangle", width = 0.02, height = 0.02 }}
material = {{ young = 2.1e11, poisson = 0.3, density = 7850 }}
fixed = [{{ nodes = "start" }}]
{}"#,
        loads("end", force)
    )
}

/// Two bars that hold a point, which stays in their plane.
fn truss(force: f64, settings: &str) -> String {
    format!(
        r#"
settings.gravity = [0, 0, 0]
{settings}
[[structures]]
name = "truss"
element = "bar"
generate = {{ type = "polyline", points = [[7.3, -3.1, 12.9], [7.7, -3.1, 13.6], [8.3, -3.1, 12.8]] }}
node_sets = {{ top = [2] }}
section = {{ type = "circle", radius = 0.01 }}
material = {{ young = 2.1e11, poisson = 0.3, density = 7850 }}
fixed = [{{ nodes = "start" }}, {{ nodes = "end" }}, {{ nodes = "top", hold = ["y"] }}]
{}"#,
        loads("top", force)
    )
}

type Scene<'a> = (String, Box<dyn Fn(f64, &str) -> String + 'a>);

fn scenes() -> Vec<Scene<'static>> {
    let mut all: Vec<Scene<'static>> =
        vec![("tetrahedron".into(), Box::new(block)), ("bar".into(), Box::new(truss))];
    for element in LINES {
        all.push((element.into(), Box::new(move |force, settings| line(element, force, settings))));
    }
    all
}

fn follow(world: &mut World, what: &str) -> f64 {
    let mut last = 0.0;
    let done = world.load_path(&mut |_, factor| {
        last = factor;
        ControlFlow::Continue(())
    });
    done.unwrap_or_else(|e| panic!("{what}: {e}"));
    last
}

#[test]
fn load_paths_end_at_the_full_load() {
    for (name, scene) in scenes() {
        for force in LOADS {
            for path in ["{ steps = 3 }", "{ type = \"arc_length\", steps = 3 }"] {
                if force == 0.0 && path.contains("arc") {
                    // Without a load there is no arc to follow, which is said.
                    continue;
                }
                let settings = format!("settings.analysis = \"statics\"\nsettings.load_path = {path}");
                let what = format!("{name} with {force:e} N, {path}");
                assert_eq!(follow(&mut world_of(&scene(force, &settings)), &what), 1.0, "{what}");
            }
        }
    }
}

#[test]
fn searches_for_equilibrium_and_modes_work_without_load() {
    for (name, scene) in scenes() {
        let mut loaded = world_of(&scene(TYPICAL, "settings.analysis = \"modes\""));
        follow(&mut loaded, &name);
        let count = 3;
        let wanted = loaded.natural_modes(ModesSpec { count, near: 0.0 }).unwrap().frequency_hz;
        for force in LOADS {
            let what = format!("{name} with {force:e} N");
            let mut world = world_of(&scene(force, "settings.analysis = \"modes\""));
            follow(&mut world, &what);
            world.equilibrium().unwrap_or_else(|e| panic!("{what}: {e}"));
            let modes = world.natural_modes(ModesSpec { count, near: 0.0 });
            let found = modes.unwrap_or_else(|e| panic!("{what}: {e}")).frequency_hz;
            for (f, w) in found.iter().zip(&wanted) {
                assert!((f / w - 1.0).abs() < 1e-5, "{what}: {found:?} instead of {wanted:?}");
            }
        }
    }
}

/// The frequencies are those of the theory of beams, for elements that are exact enough.
#[test]
fn unloaded_lines_have_the_frequencies_of_beams() {
    let (length, side) = (0.7f64, 0.02);
    let wave = (2.1e11f64 / 7850.0).sqrt() * side / 12f64.sqrt();
    let exact = 1.875_104_068_7f64.powi(2) / (2.0 * PI) * wave / (length * length);
    for element in LINES {
        let mut world = world_of(&line(element, 0.0, "settings.analysis = \"modes\""));
        follow(&mut world, element);
        let found = world.natural_modes(ModesSpec { count: 2, near: 0.0 }).unwrap().frequency_hz;
        for f in &found {
            assert!((f / exact - 1.0).abs() < 0.02, "{element}: {found:?} instead of {exact}");
        }
    }
}

/// The load factor goes with one over the load, however small it is.
#[test]
fn buckling_loads_do_not_depend_on_the_size_of_the_load() {
    for (name, scene) in scenes().into_iter().filter(|(name, _)| name != "bar") {
        let load = |force: f64| {
            let mut world = world_of(&scene(force, "settings.analysis = \"buckling\""));
            let factors =
                world.buckling(1).unwrap_or_else(|e| panic!("{name} with {force:e} N: {e}")).factors;
            force * factors[0].abs()
        };
        let wanted = load(-TYPICAL);
        for force in &LOADS[1..] {
            let found = load(-force);
            assert!(
                (found / wanted - 1.0).abs() < 1e-3,
                "{name} with {force:e} N: {found} instead of {wanted}"
            );
        }
    }
}
