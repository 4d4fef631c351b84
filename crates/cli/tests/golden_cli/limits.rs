//! Limits of the machine and of its users: closed pipes, full devices, little memory, folders in use.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use crate::common::{Desk, PENDULUM};
use huygens_record::Outcome;

/// The program with its output somewhere.
fn output_into(desk: &Desk, args: &[&str], stdout: Stdio) -> Output {
    desk.command(args).stdout(stdout).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap()
}

#[test]
fn a_closed_pipe_ends_the_output_and_not_the_run() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "whole", "--quiet"]).expect(0);
    let args = ["run", "scene.toml", "--out", "out", "--until", "3", "--json"];
    let mut child = desk.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.contains("started"), "{first}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let m = desk.manifest("out");
    assert_eq!((m.outcome, m.steps), (Outcome::Completed, 3000));
    assert_eq!(desk.checkpoints("out").len(), 1);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told_by_every_command() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "out", "--quiet"]).expect(0);
    let commands = [
        &["schema"][..],
        &["validate", "scene.toml"],
        &["validate", "scene.toml", "--json"],
        &["info", "out"],
        &["info", "scene.toml"],
        &["examples"],
        &["run", "scene.toml", "--out", "out", "--json"],
        &["bench", "pendulum_chain", "--size", "4", "--steps", "20", "--json"],
    ];
    for args in commands {
        let full = std::fs::File::create("/dev/full").unwrap();
        let done = output_into(&desk, args, full.into());
        let message = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{args:?}: {message}");
        assert!(message.contains("standard output could not be written"), "{args:?}: {message}");
    }
    assert_eq!(desk.manifest("out").outcome, Outcome::Completed);
}

#[test]
fn threads_have_a_bound() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--threads", "5000"]).expect(2).says(&["5000 threads", "4096"]);
    assert!(!desk.path("runs").exists());
}

/// A run that is computing.
fn moving(desk: &Desk) -> Child {
    let args = ["run", "scene.toml", "--out", "out", "--until", "1e6", "--checkpoint-every", "0.5", "--json"];
    let mut child = desk.command(&args).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("\"checkpoint\"")), "the run did not start");
    child
}

#[test]
fn a_folder_is_locked_while_a_run_writes_into_it() {
    let desk = Desk::with(PENDULUM);
    let mut child = moving(&desk);
    let process = format!("process {}", child.id());
    for more in [&["--force"][..], &["--resume"], &[]] {
        let args = [&["run", "scene.toml", "--out", "out"], more].concat();
        desk.run(&args).expect(2).says(&["'out' is in use", &process, "--out"]);
    }
    // The lock goes with the process, whatever ended it.
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(desk.manifest("out").outcome, Outcome::Running);
    let resume =
        ["run", "scene.toml", "--out", "out", "--resume", "--max-wall-time", "0.3", "--until", "1e6"];
    desk.run(&resume).expect(0);
    assert!(desk.manifest("out").files.iter().all(|file| !file.contains("lock")));
}

/// Scenes whose counts need more memory than there is, with the word for what they count.
fn large_scenes() -> Vec<(String, &'static str)> {
    let fill = |count: &str| {
        format!(
            "[[fills]]\nname = \"f\"\ncount = {count}\ndensity = 1000\nspacing = [0.3, 0.3, 0.3]\n\
             shape = {{ type = \"sphere\", radius = 0.1 }}\n"
        )
    };
    let grains = |side: f64| {
        format!(
            "[[grains]]\nname = \"g\"\n[[grains.fills]]\nregion = {{ type = \"box\", low = [0, 0, 0], \
             high = [{side}, {side}, {side}] }}\npattern = {{ type = \"cubic\", spacing = 4e-3 }}\nradius = 1.9e-3\n\
             density = 2500\n"
        )
    };
    let block = |cells: usize| {
        format!(
            "[[structures]]\nname = \"s\"\nelement = \"tetrahedron\"\nmaterial = {{ young = 1e6, poisson = 0.3, \
             density = 1000 }}\ngenerate = {{ type = \"block\", origin = [0, 0, 0], size = [1, 1, 1], \
             cells = [{cells}, {cells}, {cells}] }}\n"
        )
    };
    let fluid = |spacing: f64| {
        format!(
            "[[fluids]]\nname = \"w\"\nspacing = {spacing}\nmax_speed = 2\nbounds = {{ low = [-1, -1, -1], high = [2, 2, 2] }}\n\
             fills = [{{ region = {{ type = \"box\", low = [0, 0, 0], high = [1, 1, 1] }} }}]\n"
        )
    };
    vec![
        (fill("[1000, 1000, 1]"), "bodies"),
        (grains(0.85), "grains"),
        (grains(4.0), "grains"),
        (block(60), "elements"),
        (block(200), "elements"),
        (fluid(0.005), "particles"),
    ]
}

#[cfg(target_os = "linux")]
#[test]
fn counts_are_refused_before_their_memory_is_used() {
    let program = env!("CARGO_BIN_EXE_huygens");
    for (scene, items) in large_scenes() {
        let desk = Desk::with(&scene);
        for command in ["validate scene.toml", "run scene.toml --out out"] {
            let script = format!("ulimit -v 2000000; exec '{program}' {command}");
            let done = Command::new("sh").current_dir(desk.path("")).args(["-c", &script]).output().unwrap();
            let message = String::from_utf8_lossy(&done.stderr).into_owned();
            assert_eq!(done.status.code(), Some(2), "{scene}\n{message}");
            assert!(message.contains(items) && message.contains("GiB"), "{scene}\n{message}");
        }
        assert!(!desk.path("out").exists());
    }
}

/// A mesh of which nothing is known before it is read: what no estimate foresees ends in a message as well.
#[cfg(target_os = "linux")]
#[test]
fn memory_that_runs_out_is_no_abort() {
    let desk = Desk::with(PENDULUM);
    let program = env!("CARGO_BIN_EXE_huygens");
    let text =
        format!("description = \"{}\"\n{}", "x".repeat(60 << 20), PENDULUM.replace("description", "#"));
    desk.write("scene.toml", &text);
    let script = format!("ulimit -v 150000; exec '{program}' validate scene.toml");
    let done = Command::new("sh").current_dir(desk.path("")).args(["-c", &script]).output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(message.contains("out of memory"), "{message}");
}
