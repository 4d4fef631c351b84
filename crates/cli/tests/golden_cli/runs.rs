//! Runs: results, stops, restarts, failures.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use crate::common::{Desk, PENDULUM, bytes};
use huygens_record::{Outcome, Series};

#[test]
fn a_run_leaves_series_plots_and_a_manifest() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml"]).expect(0);
    let m = desk.manifest("runs/scene");
    assert_eq!((m.outcome, m.steps), (Outcome::Completed, 1000));
    assert!((m.simulated_time - 1.0).abs() < 1e-9);
    for file in ["probes.csv", "probes.svg", "probes.png", "picture.png"] {
        assert!(m.files.iter().any(|f| f == file), "{file} is not among {:?}", m.files);
    }
    let series = Series::read(&desk.path("runs/scene/probes.csv")).unwrap();
    assert_eq!(series.row_count(), 101);
    // The rod's middle swings through a quarter turn in about 0.43 s: it must be low by then.
    let (_, z) = series.column("rod.position.z").unwrap();
    assert!(z.iter().any(|z| *z < -0.49));
    desk.run(&["info", "runs/scene"]).expect(0);
    desk.run(&["plot", "runs/scene", "--columns", "hinge.angle", "--out", "angle.png"]).expect(0);
    assert_eq!(&bytes(&desk.path("angle.png"))[1..4], b"PNG");
}

#[test]
fn a_resumed_run_ends_in_the_same_bits() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "whole", "--quiet"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "half", "--until", "0.5", "--quiet"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "half", "--resume", "--quiet"]).expect(0);
    assert_eq!(desk.manifest("whole").state_hash, desk.manifest("half").state_hash);
    for file in ["probes.csv", "picture.png"] {
        let [whole, half] = ["whole", "half"].map(|out| bytes(&desk.path(out).join(file)));
        assert!(whole == half, "{file} differs");
    }
}

/// An end between two steps cuts the last one. It is no part of the longer run, which is continued from before it.
#[test]
fn a_run_to_a_time_between_steps_is_extended_in_the_same_bits() {
    let ball = "\n[[bodies]]\nname = \"ball\"\nposition = [3, 0, 0.1]\nvelocity = [1, 0, 0]\ndensity = 1000\n\
                shapes = [{ type = \"sphere\", radius = 0.1 }]\n\
                [[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{ type = \"half_space\" }]\n";
    let desk =
        Desk::with(&(PENDULUM.replace("until = 1.0", "until = 0.02\noutput = { every = 0.002 }") + ball));
    desk.run(&["run", "scene.toml", "--out", "whole", "--quiet"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "part", "--until", "0.0105", "--quiet"]).expect(0);
    let m = desk.manifest("part");
    assert!((m.simulated_time - 0.0105).abs() < 1e-12 && m.steps == 11, "{m:?}");
    desk.run(&["run", "scene.toml", "--out", "part", "--resume", "--quiet"]).expect(0);
    assert_eq!(desk.manifest("part").resumed_from, Some(10));
    assert_eq!(desk.manifest("whole").state_hash, desk.manifest("part").state_hash);
    for file in ["probes.csv", "picture.png"] {
        let [whole, part] = ["whole", "part"].map(|out| bytes(&desk.path(out).join(file)));
        assert!(whole == part, "{file} differs");
    }
}

#[test]
fn a_run_is_not_continued_to_a_time_it_has_passed() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "out", "--until", "0.2", "--quiet"]).expect(0);
    let back = ["run", "scene.toml", "--out", "out", "--resume", "--until", "0.1"];
    desk.run(&back).expect(2).says(&["until = 0.1", "0.2 s", "reached"]);
    assert_eq!(desk.manifest("out").outcome, Outcome::Completed);
    desk.run(&["run", "scene.toml", "--out", "out", "--resume", "--until", "0.2"]).expect(0);
}

#[test]
fn a_run_of_more_steps_than_anybody_waits_for_is_told_before() {
    let desk = Desk::with(PENDULUM);
    let done = desk.run(&["run", "scene.toml", "--until", "1e9", "--max-wall-time", "0.3"]).expect(0);
    let done = done.says(&["1.0e12 steps of 0.001 s", "116 days"]);
    let [warned, started] = ["steps of", "running from"].map(|words| done.stderr.find(words).unwrap());
    assert!(warned < started, "{}", done.stderr);
}

/// Binary rounding of a time is no information.
#[test]
fn numbers_in_messages_have_no_more_digits_than_mean_something() {
    let stiff = "[settings]\nuntil = 2\n[[bodies]]\nname = \"a\"\nmass = 1\nposition = [1, 0, 0]\n\
                 shape = { type = \"sphere\", radius = 0.1 }\n[[forces]]\ntype = \"spring\"\na = \"ground\"\nb = \"a\"\n\
                 stiffness = 1e15\ndamping = 0\n[[probes]]\nof = \"world\"\nquantity = \"energy\"\n";
    let desk = Desk::with(stiff);
    let done = desk.run(&["run", "scene.toml", "--out", "out"]).expect(3).says(&["diverged at t = 0.0"]);
    let decimals =
        done.stderr.split('.').skip(1).map(|text| text.bytes().take_while(u8::is_ascii_digit).count());
    assert!(decimals.max().unwrap_or(0) <= 9, "{}", done.stderr);
    let huge = PENDULUM.replace("dt = 1e-3", "dt = -1e300");
    let done = Desk::with(&huge).run(&["validate", "scene.toml"]).expect(2).says(&["dt", "1e300"]);
    assert!(!done.stderr.contains("000000"), "{}", done.stderr);
}

#[test]
fn a_run_without_a_recording_leaves_the_same_picture() {
    let desk = Desk::with(PENDULUM);
    let scene = PENDULUM.replace("[settings]", "[settings]\noutput.recording.enabled = false");
    std::fs::write(desk.path("bare.toml"), scene).unwrap();
    desk.run(&["run", "scene.toml", "--out", "recorded", "--quiet"]).expect(0);
    desk.run(&["run", "bare.toml", "--out", "bare", "--quiet"]).expect(0);
    assert!(!desk.path("bare/run.hrec").exists());
    let [recorded, bare] = ["recorded", "bare"].map(|out| bytes(&desk.path(out).join("picture.png")));
    assert!(recorded == bare && &bare[1..4] == b"PNG");
}

#[test]
fn threads_do_not_change_the_bits() {
    let mut scene = String::from("[settings]\ndt = 1e-3\nuntil = 0.02\n");
    for i in 0..400 {
        let a = if i == 0 { "ground".to_string() } else { format!("link{}", i - 1) };
        let x = 0.1 * f64::from(i);
        scene += &format!(
            "[[bodies]]\nname = \"link{i}\"\nposition = [{}, 0.0, 0.0]\nmass = 0.1\nshape = {{ type = \"rod\", length = 0.1 }}\n\
             [[joints]]\nname = \"hinge{i}\"\ntype = \"revolute\"\na = \"{a}\"\nb = \"link{i}\"\nposition = [{x}, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\n",
            x + 0.05
        );
    }
    let desk = Desk::with(&scene);
    desk.run(&["run", "scene.toml", "--out", "one", "--threads", "1"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "two", "--threads", "2"]).expect(0);
    assert_eq!(desk.manifest("two").threads, 2);
    assert_eq!(desk.manifest("one").state_hash, desk.manifest("two").state_hash);
}

#[test]
fn a_diverging_run_leaves_its_last_good_state() {
    let hopeless =
        "until = 1.0\nnewton = { max_iterations = 1, tolerance = 1e-15, acceleration_tolerance = 1e-15 }";
    let desk = Desk::with(&PENDULUM.replace("until = 1.0", hopeless));
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(3).says(&["converge", "last good state"]);
    assert_eq!(desk.manifest("out").outcome, Outcome::Diverged);
    assert_eq!(desk.checkpoints("out").len(), 1);
    assert!(desk.path("out/probes.csv").exists(), "the series so far is complete");
    assert!(!desk.path("out/probes.csv.part").exists());
}

#[test]
fn a_damaged_checkpoint_is_refused_and_the_one_before_is_used() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "whole"]).expect(0);
    let part = ["run", "scene.toml", "--out", "out", "--until", "0.5", "--checkpoint-every", "0.2"];
    desk.run(&part).expect(0);
    let damage = |newest: usize| {
        let file = desk.checkpoints("out").remove(newest);
        let data = bytes(&file);
        std::fs::write(file, &data[..data.len() / 2]).unwrap();
    };
    damage(0);
    desk.run(&["run", "scene.toml", "--out", "out", "--resume"]).expect(0).says(&["refused"]);
    assert_eq!(desk.manifest("out").state_hash, desk.manifest("whole").state_hash);
    (0..desk.checkpoints("out").len()).for_each(damage);
    desk.run(&["run", "scene.toml", "--out", "out", "--resume"]).expect(2).says(&["no usable checkpoint"]);
}

#[test]
fn a_run_of_another_scene_is_not_continued() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "out", "--until", "0.1"]).expect(0);
    desk.write("scene.toml", &PENDULUM.replace("mass = 2.0", "mass = 2.5"));
    desk.run(&["run", "scene.toml", "--out", "out", "--resume"]).expect(2).says(&["changed"]);
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(0);
}

#[test]
fn foreign_files_and_stopped_runs_are_not_destroyed() {
    let desk = Desk::with(PENDULUM);
    desk.run(&["run", "scene.toml", "--out", "."]).expect(2).says(&["not from a run"]);
    desk.run(&["run", "scene.toml", "--out", "out", "--until", "1e6", "--max-wall-time", "0.3"]).expect(0);
    assert_eq!(desk.manifest("out").outcome, Outcome::WallTime);
    desk.run(&["run", "scene.toml", "--out", "out"]).expect(2).says(&["--resume", "--force"]);
    desk.run(&["run", "scene.toml", "--out", "out", "--force"]).expect(0);
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_leaves_no_file_under_its_final_name() {
    let desk = Desk::with(PENDULUM);
    std::fs::create_dir(desk.path("out")).unwrap();
    // Rows go to a device that is always full.
    std::os::unix::fs::symlink("/dev/full", desk.path("out/probes.csv.part")).unwrap();
    desk.run(&["run", "scene.toml", "--out", "out", "--force"])
        .expect(2)
        .says(&["probes.csv", "disk is full"]);
    assert!(!desk.path("out/probes.csv").exists());
}

#[cfg(unix)]
#[test]
fn a_file_limit_stops_the_run_with_a_message() {
    let desk = Desk::with(PENDULUM);
    let program = env!("CARGO_BIN_EXE_huygens");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{program}' run scene.toml --out out");
    let done = Command::new("sh").current_dir(desk.path("")).args(["-c", &script]).output().unwrap();
    let message = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(2), "{message}");
    assert!(message.contains("cannot write") && !message.contains("panicked"), "{message}");
}

#[cfg(unix)]
#[test]
fn signals_write_a_checkpoint_and_stop() {
    for (name, code) in [("-INT", 130), ("-TERM", 143)] {
        let desk = Desk::with(PENDULUM);
        let args = ["run", "scene.toml", "--out", "out", "--until", "1e6", "--json"];
        let mut child = desk.command(&args).stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let moving = |line: &str| line.contains("\"progress\"");
        assert!(lines.by_ref().any(|line| moving(&line.unwrap())), "the run did not start");
        Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
        let rest: Vec<String> = lines.map(|line| line.unwrap()).collect();
        assert_eq!(child.wait().unwrap().code(), Some(code), "{rest:?}");
        assert!(rest.last().unwrap().contains("\"finished\""));
        assert_eq!(desk.manifest("out").outcome, Outcome::Signal);
        assert!(!desk.checkpoints("out").is_empty());
        let again =
            ["run", "scene.toml", "--out", "out", "--until", "1e6", "--resume", "--max-wall-time", "0.1"];
        desk.run(&again).expect(0);
        assert!(desk.manifest("out").resumed_from.is_some());
    }
}

#[test]
fn bench_prints_one_json_line() {
    let desk = Desk::new();
    let done = desk.run(&["bench", "pendulum_chain", "--size", "4", "--steps", "20", "--json"]).expect(0);
    assert_eq!(done.stdout.lines().count(), 1);
    let line: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!((line["size"].as_u64(), line["steps"].as_u64()), (Some(4), Some(20)));
    assert!(line["energy_drift_max"].as_f64().unwrap() < 1e-3);
}

#[test]
fn the_schema_is_json_and_knows_the_keys() {
    let done = Desk::new().run(&["schema"]).expect(0);
    let schema: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert!(schema["properties"]["bodies"].is_object());
}

#[test]
fn contact_is_summed_up_and_a_lost_body_ends_the_run() {
    let scene = "[settings]\nuntil = 0.5\nbounds = [[-1, -1, -1], [1, 1, 1]]\n\
                 contact = { rigid = { max_iterations = 1, tolerance = 1e-12 } }\n\
                 [[bodies]]\nname = \"floor\"\nkind = \"fixed\"\nshapes = [{ type = \"half_space\" }]\n\
                 [[fills]]\nname = \"box\"\nshape = { type = \"box\", size = [0.2, 0.2, 0.2] }\ndensity = 500\n\
                 count = [1, 1, 3]\nposition = [0, 0, 0.1]\n";
    let desk = Desk::with(scene);
    desk.run(&["run", "scene.toml"]).expect(0);
    let m = desk.manifest("runs/scene");
    let missed: Vec<&String> =
        m.warnings.iter().filter(|w| w.contains("did not reach its tolerance")).collect();
    assert_eq!(missed.len(), 1, "{:?}", m.warnings);

    let desk =
        Desk::with(&scene.replace("position = [0, 0, 0.1]", "position = [0, 0, 0.1]\nvelocity = [9, 0, 0]"));
    desk.run(&["run", "scene.toml"]).expect(3);
    let m = desk.manifest("runs/scene");
    assert_eq!(m.outcome, Outcome::Diverged);
    assert!(m.reason.contains("body 'box.") && m.reason.contains("left the bounds"), "{}", m.reason);
}
