//! Nothing runs without end, nothing is lost: signals, the wall-clock allowance, bounds, and what a failed run leaves.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use huygens_record::Outcome;

use crate::common::{Desk, PENDULUM};

/// Longest time a run may go on after it was asked to stop: far more than the second it should take, on any machine, and
/// far less than what it would need to the end.
const HANG: Duration = Duration::from_secs(20);

/// A solid whose model takes long to build.
const BLOCK: &str = r#"settings.until = 0.001
[[structures]]
name = "block"
element = "tetrahedron"
generate = { type = "block", origin = [0, 0, 0], size = [1, 1, 1], cells = [CELLS, CELLS, CELLS] }
material = { young = 1e6, poisson = 0.3, density = 1000 }
"#;

/// Grains in a box, with steps of their own in much longer steps of the world.
fn grains(settings: &str, young: &str, more: &str) -> String {
    format!(
        r#"[settings]
{settings}
[[materials]]
name = "glass"
young = {young}
poisson = 0.25
friction = 0.4
restitution = 0.5
[[grains]]
name = "heap"
material = "glass"
{more}
[[grains.walls]]
name = "floor"
type = "plane"
axis = [0, 0, 1]
[[grains.fills]]
region = {{ type = "box", low = [0.0, 0.0, 0.01], high = [0.2, 0.2, 0.2] }}
pattern = {{ type = "cubic", spacing = 0.011 }}
radius = 0.005
density = 2500
[[probes]]
of = "heap"
quantity = "center"
"#
    )
}

fn kill(child: &Child, signal: &str) {
    assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
}

/// Waits for the end of a program that was asked to stop; its exit code.
#[track_caller]
fn wait(child: &mut Child) -> Option<i32> {
    let asked = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if asked.elapsed() > HANG {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("the program goes on {HANG:?} after it was asked to stop");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Starts a run and waits for a line of its progress.
fn start_until(desk: &Desk, args: &[&str], event: &str) -> Child {
    let mut child = desk.command(args).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found = lines.by_ref().any(|line| line.unwrap().contains(&format!("\"{event}\"")));
    assert!(found, "no {event}");
    // Its output must stay open, and be taken away.
    std::thread::spawn(move || lines.for_each(drop));
    child
}

#[track_caller]
fn assert_no_parts(desk: &Desk, out: &str) {
    let names = std::fs::read_dir(desk.path(out)).unwrap().flatten().map(|e| e.file_name());
    let names: Vec<String> = names.map(|n| n.to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|n| n.ends_with(".part") || n.ends_with(".tmp")), "{names:?}");
}

#[cfg(unix)]
#[test]
fn signals_are_obeyed_while_a_mesh_becomes_a_model() {
    for (signal, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        let desk = Desk::with(&BLOCK.replace("CELLS", "80"));
        let mut child = desk
            .command(&["run", "scene.toml", "--out", "out", "--quiet"])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(1500));
        kill(&child, signal);
        assert_eq!(wait(&mut child), Some(code));
        let manifest = desk.manifest("out");
        assert_eq!((manifest.outcome, manifest.steps), (Outcome::Signal, 0));
        assert!(manifest.reason.contains("before the first step"), "{}", manifest.reason);
        assert_no_parts(&desk, "out");
        assert!(desk.checkpoints("out").is_empty());
    }
}

#[cfg(unix)]
#[test]
fn two_signals_at_once_are_one_wish() {
    // As `timeout` sends them: to the program and to its group.
    let desk = Desk::with(PENDULUM);
    let args = ["run", "scene.toml", "--out", "out", "--until", "1e6", "--json"];
    let mut child = start_until(&desk, &args, "progress");
    kill(&child, "-TERM");
    kill(&child, "-TERM");
    assert_eq!(wait(&mut child), Some(143));
    assert_eq!(desk.manifest("out").outcome, Outcome::Signal);
    assert_eq!(desk.checkpoints("out").len(), 1);
}

#[test]
fn the_allowance_counts_from_the_start_of_the_program() {
    let desk = Desk::with(&BLOCK.replace("CELLS", "80"));
    let clock = Instant::now();
    desk.run(&["run", "scene.toml", "--out", "out", "--max-wall-time", "1"]).expect(0);
    assert!(clock.elapsed() < HANG);
    let manifest = desk.manifest("out");
    assert_eq!((manifest.outcome, manifest.steps), (Outcome::WallTime, 0));
    // There is nothing to lose, nor to continue from: both ways start again.
    desk.run(&["run", "scene.toml", "--out", "out", "--max-wall-time", "1", "--resume"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "out", "--max-wall-time", "1"]).expect(0);
    assert_eq!(desk.manifest("out").outcome, Outcome::WallTime);
}

#[cfg(unix)]
#[test]
fn a_signal_is_obeyed_in_rain() {
    let rain = "pattern = { type = \"rainfall\", count = 20000, longest = 1e6, energy = 1e-30 }";
    let scene = grains("until = 1.0\ndt = 1e-3", "1e7", "")
        .replace("pattern = { type = \"cubic\", spacing = 0.011 }", rain)
        .replace("high = [0.2, 0.2, 0.2]", "high = [0.2, 0.2, 20]");
    let desk = Desk::with(&scene);
    let mut child = start_until(&desk, &["run", "scene.toml", "--out", "out", "--json"], "rain");
    kill(&child, "-TERM");
    assert_eq!(wait(&mut child), Some(143));
    assert_eq!((desk.manifest("out").outcome, desk.manifest("out").steps), (Outcome::Signal, 0));
    assert_no_parts(&desk, "out");
}

#[cfg(unix)]
#[test]
fn a_signal_is_obeyed_in_a_long_step_of_grains_which_is_taken_again() {
    // One step of the world is ninety thousand of the grains: minutes.
    let desk = Desk::with(&grains("until = 10.0\ndt = 0.9", "1e7", "step = 1e-5"));
    let args = ["run", "scene.toml", "--out", "out", "--json"];
    let mut child = start_until(&desk, &args, "started");
    std::thread::sleep(Duration::from_millis(500));
    kill(&child, "-TERM");
    assert_eq!(wait(&mut child), Some(143));
    let manifest = desk.manifest("out");
    assert_eq!((manifest.outcome, manifest.steps, manifest.simulated_time), (Outcome::Signal, 0, 0.0));
    assert_eq!(desk.checkpoints("out").len(), 1);
    // The state from before the step goes on as one that was never disturbed.
    let short = |out: &str, more: &str| {
        let mut args = vec!["run", "scene.toml", "--out", out, "--dt", "1e-3", "--until", "4e-3"];
        args.extend(Some(more).filter(|m| !m.is_empty()));
        desk.run(&args).expect(0);
        desk.manifest(out).state_hash
    };
    assert_eq!(short("out", "--resume"), short("whole", ""));
}

#[test]
fn the_allowance_ends_a_long_step_of_grains() {
    let desk = Desk::with(&grains("until = 10.0\ndt = 0.9", "1e7", "step = 1e-5"));
    let clock = Instant::now();
    desk.run(&["run", "scene.toml", "--out", "out", "--max-wall-time", "2"]).expect(0);
    assert!(clock.elapsed() < HANG);
    assert_eq!(desk.manifest("out").outcome, Outcome::WallTime);
}

#[test]
fn grains_too_stiff_for_the_step_are_refused_with_numbers() {
    let rain = "pattern = { type = \"rainfall\", count = 100 }";
    for young in ["1e20", "1e100"] {
        let filled = grains("until = 0.1\ndt = 1e-3", young, "");
        let rained = filled.replace("pattern = { type = \"cubic\", spacing = 0.011 }", rain);
        for scene in [filled, rained] {
            let desk = Desk::with(&scene);
            let words = [
                "heap",
                "0.001 s would take",
                "steps of the grains",
                "at most 1e5",
                "Young's modulus",
                "`dt`",
            ];
            desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(&words);
            assert!(!desk.path("out").exists(), "nothing was begun");
        }
    }
}

#[test]
fn a_billion_grains_are_counted_and_not_made() {
    let scene = grains("until = 0.1", "1e7", "")
        .replace("spacing = 0.011", "spacing = 1.9e-4")
        .replace("radius = 0.005", "radius = 9e-5");
    let desk = Desk::with(&scene);
    let clock = Instant::now();
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(&[
        "about 1.1e9 grains",
        "GiB",
        "10000000",
    ]);
    assert!(clock.elapsed() < HANG);
}

#[test]
fn a_factor_larger_than_the_memory_is_refused_first() {
    let desk = Desk::with(&BLOCK.replace("CELLS", "20"));
    let run = |gib: &str| {
        let mut command = desk.command(&["run", "scene.toml", "--out", "out", "--quiet"]);
        let done = command.env("HUYGENS_MEMORY_GIB", gib).output().unwrap();
        (
            done.status.code(),
            String::from_utf8_lossy(&done.stderr).split_whitespace().collect::<Vec<_>>().join(" "),
        )
    };
    let (code, message) = run("0.12");
    assert_eq!(code, Some(2), "{message}");
    for words in ["27783 unknowns", "values and needs", "GiB", "are available", "cg"] {
        assert!(message.replace(['│', '×', ' '], "").contains(&words.replace(' ', "")), "{words}: {message}");
    }
    assert_eq!(run("4").0, Some(0));
}

/// A fluid that is hurled at a wall, much faster than its speed of sound allows.
const SPLASH: &str = r#"[settings]
until = 0.1
dt = 5e-4
output = { recording = { every = 0.01 } }
[[fluids]]
name = "water"
spacing = 0.01
sound_speed = 10
periodic = { x = [0, 0.12], y = [0, 0.12] }
[[fluids.fills]]
region = { type = "box", low = [0, 0, 0], high = [0.12, 0.12, 0.06] }
velocity = [SPEED, 0, 0]
[[fluids.walls]]
name = "bed"
type = "plane"
position = [0.06, 0.06, 0]
axis = [0, 0, 1]
size = [0.12, 0.12]
[[probes]]
of = "water"
quantity = "momentum.x"
"#;

/// Runs a scene that diverges, and looks at what it leaves; the step of the last good state.
fn diverges(scene: &str) -> u64 {
    let desk = Desk::with(scene);
    let first = desk
        .run(&["run", "scene.toml", "--out", "out"])
        .expect(3)
        .says(&["diverged", "last good state is in"]);
    let manifest = desk.manifest("out");
    assert_eq!(manifest.outcome, Outcome::Diverged);
    assert_eq!(desk.checkpoints("out").len().min(1), 1);
    assert_no_parts(&desk, "out");
    assert!(desk.path("out/probes.csv").exists() && desk.path("out/run.hrec").exists());
    desk.run(&["info", "out"]).expect(0);
    // The same end from there.
    let again = desk.run(&["run", "scene.toml", "--out", "out", "--resume"]).expect(3);
    let told = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(
        told(&first.stderr.replace("running from", "")).split("diverged at").nth(1).map(str::to_owned),
        told(&again.stderr.replace("running from", "")).split("diverged at").nth(1).map(str::to_owned)
    );
    assert_eq!(desk.manifest("out").state_hash, manifest.state_hash);
    assert_eq!(desk.manifest("out").resumed_from, Some(manifest.steps));
    assert_no_parts(&desk, "out");
    manifest.steps
}

#[test]
fn a_fluid_that_fails_at_once_leaves_its_start() {
    assert_eq!(diverges(&SPLASH.replace("SPEED", "500.0")), 0);
}

#[test]
fn grains_that_leave_a_closed_box_leave_the_last_good_state() {
    let closed = "boundary = { type = \"closed\", low = [-1, -1, 0.012], high = [1, 1, 1] }";
    let scene = grains("until = 1.0\ndt = 5e-3", "1e7", closed);
    assert!(diverges(&scene) > 0);
}

#[test]
fn a_mechanism_that_fails_at_its_first_step_leaves_its_start() {
    let hopeless =
        "until = 1.0\nnewton = { max_iterations = 1, tolerance = 1e-15, acceleration_tolerance = 1e-15 }";
    assert_eq!(diverges(&PENDULUM.replace("until = 1.0", hopeless)), 0);
}
