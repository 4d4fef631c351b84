//! What is seen of a run: its recording, pictures, exports, the viewer.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};

use crate::common::{Desk, PENDULUM, bytes};
use huygens_record::{Recording, Series};

fn pendulum(recording: &str) -> Desk {
    Desk::with(&PENDULUM.replace("until = 1.0\n", &format!("until = 1.0\noutput.recording = {recording}\n")))
}

#[test]
fn a_recording_holds_what_the_run_computed() {
    let desk = pendulum("{ every = 0.1 }");
    desk.run(&["run", "scene.toml", "--out", "out", "--quiet"]).expect(0);
    let recording = Recording::open(&desk.path("out/run.hrec")).unwrap();
    assert!(recording.finished());
    assert_eq!(recording.frame_count(), 11);
    let series = Series::read(&desk.path("out/probes.csv")).unwrap();
    for (k, time) in recording.times().iter().enumerate() {
        assert!((time - 0.1 * k as f64).abs() < 1e-9, "{time}");
        let frame = recording.frame(k).unwrap();
        let energy = recording.stage().scalars.iter().position(|s| s.name == "world.energy").unwrap();
        assert_eq!(frame.scalars[energy], series.column("world.energy").unwrap().1[10 * k]);
        for (i, axis) in ["x", "y", "z"].iter().enumerate() {
            let (_, values) = series.column(&format!("rod.position.{axis}")).unwrap();
            assert_eq!(frame.groups[0].fields[0][i], values[10 * k] as f32);
        }
    }
    let info = desk.run(&["info", "out"]).expect(0).stdout;
    assert!(info.contains("11 frames from 0 to 1 s"), "{info}");
}

#[test]
fn a_resumed_run_has_the_same_recording() {
    let desk = pendulum("{ every = 0.05 }");
    desk.run(&["run", "scene.toml", "--out", "whole", "--quiet"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "half", "--until", "0.52", "--quiet"]).expect(0);
    desk.run(&["run", "scene.toml", "--out", "half", "--resume", "--quiet"]).expect(0);
    let open = |out: &str| Recording::open(&desk.path(out).join("run.hrec")).unwrap();
    let (whole, half) = (open("whole"), open("half"));
    // The run that stopped at 0.52 s also kept its last moment.
    let kept: Vec<usize> =
        (0..half.frame_count()).filter(|k| (half.times()[*k] - 0.52).abs() > 1e-6).collect();
    assert_eq!((kept.len(), half.frame_count()), (whole.frame_count(), whole.frame_count() + 1));
    for (k, i) in kept.into_iter().enumerate() {
        assert_eq!(whole.frame(k).unwrap(), half.frame(i).unwrap());
    }
}

#[test]
fn pictures_films_and_exports_are_made() {
    let desk = pendulum("{ every = 0.25 }");
    desk.run(&["run", "scene.toml", "--out", "out", "--quiet"]).expect(0);
    let small = ["--size", "96x64", "--samples", "2", "--quiet"];
    let with = |args: &[&str]| desk.run(&[args, &small].concat()).expect(0);
    with(&["render", "out", "--out", "pictures", "--frames", "3", "--color-by", "velocity"]);
    for k in 1..=3 {
        assert_eq!(&bytes(&desk.path(&format!("pictures/frame_{k:05}.png")))[1..4], b"PNG");
    }
    with(&["render", "out", "--film", "film.gif", "--rate", "4"]);
    assert_eq!(&bytes(&desk.path("film.gif"))[..3], b"GIF");
    let formats =
        ["--html", "a.html", "--vtk", "vtk", "--gltf", "a.glb", "--povray", "pov", "--npz", "a.npz"];
    desk.run(&[&["export", "out", "--quiet", "--csv", "a.csv", "--obj", "a.obj"], &formats[..]].concat())
        .expect(0);
    for file in ["a.html", "vtk/scene.pvd", "a.glb", "pov/scene.ini", "a.npz", "a.csv", "a.obj"] {
        assert!(!bytes(&desk.path(file)).is_empty(), "{file}");
    }
    desk.run(&["render", "out", "--film", "film.avi"]).expect(2).says(&["film.avi", ".gif", ".mp4"]);
    desk.run(&["render", "out", "--out", "p", "--size", "wide"]).expect(2).says(&["wide", "1280x720"]);
    desk.run(&["render", "out", "--out", "p", "--color-by", "pressure"])
        .expect(2)
        .says(&["pressure", "velocity"]);
    desk.run(&["export", "out"]).expect(2).says(&["--html"]);
    desk.run(&["export", "out", "--html", "c.html", "--time", "0.5"]).expect(2).says(&["--from"]);
    let whole = bytes(&desk.path("a.html")).len();
    desk.run(&["export", "out", "--html", "c.html", "--from", "0.5", "--quiet"]).expect(0);
    assert!(bytes(&desk.path("c.html")).len() < whole);
    desk.run(&["export", "out", "--csv", "b.csv", "--field", "bodies.mass"])
        .expect(2)
        .says(&["mass", "position"]);
    assert!(!desk.path("b.csv").exists());
}

#[test]
fn a_run_without_a_recording_cannot_be_seen() {
    let desk = pendulum("{ enabled = false }");
    desk.run(&["run", "scene.toml", "--out", "out", "--quiet"]).expect(0);
    assert!(!desk.path("out/run.hrec").exists());
    for command in
        [&["render", "out", "--out", "p"][..], &["export", "out", "--html", "a.html"], &["view", "out"]]
    {
        desk.run(command).expect(2).says(&["run.hrec"]);
    }
    desk.write(
        "scene.toml",
        &PENDULUM.replace("dt = 1e-3", "dt = 1e-3\noutput.recording = { budget_mb = 0 }"),
    );
    desk.run(&["run", "scene.toml", "--out", "new"]).expect(2).says(&["budget_mb", "megabytes"]);
    desk.write("scene.toml", &format!("{PENDULUM}\n[view]\ncamera = {{ fov = 30 }}\n"));
    for command in ["run", "validate"] {
        desk.run(&[command, "scene.toml"]).expect(2).says(&["scene.toml", "[view]", "fov"]);
    }
    desk.write("broken.hrec", "HUYGREC\nnonsense");
    desk.run(&["render", "broken.hrec", "--out", "p"]).expect(2).says(&["broken.hrec"]);
}

#[test]
fn a_run_that_cannot_be_shown_is_not_begun() {
    let desk = Desk::with(PENDULUM);
    let busy = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = busy.local_addr().unwrap().port().to_string();
    desk.run(&["run", "scene.toml", "--out", "out", "--view", "--port", &port])
        .expect(2)
        .says(&[&port, "in use"]);
    assert!(!desk.path("out").exists());
    let desk = pendulum("{ enabled = false }");
    desk.run(&["run", "scene.toml", "--out", "out", "--view"]).expect(2).says(&["--view", "recording"]);
    assert!(!desk.path("out").exists());
}

#[test]
fn probes_and_energies_are_plotted() {
    let desk = pendulum("{ every = 0.05 }");
    desk.run(&["run", "scene.toml", "--out", "out", "--quiet"]).expect(0);
    let svg = |args: &[&str], file: &str| {
        let said = desk.run(&[&["plot"], args].concat()).expect(0).stdout;
        assert!(said.trim_end().ends_with(file), "{said}");
        String::from_utf8(bytes(&desk.path(file))).unwrap()
    };
    assert!(svg(&["out"], "out/probes.svg").contains("hinge.angle"));
    let energy = svg(&["out", "--energy", "--out", "energy.svg"], "energy.svg");
    for name in ["kinetic", "potential", "elastic", "total"] {
        assert!(energy.contains(name), "{name}");
    }
    svg(&["out/run.hrec"], "out/scalars.svg");
    // Not a probe, but in the recording.
    svg(&["out", "--columns", "kinetic energy,hinge.angle", "--out", "two.svg"], "two.svg");
    desk.run(&["plot", "out", "--columns", "pressure"]).expect(2).says(&["pressure", "kinetic energy"]);
    desk.run(&["plot", "out", "--energy", "--out", "energy.png"]).expect(0);
    assert_eq!(&bytes(&desk.path("energy.png"))[1..4], b"PNG");

    let without = PENDULUM.split("[[probes]]").next().unwrap();
    desk.write("scene.toml", without);
    desk.run(&["run", "scene.toml", "--out", "bare", "--quiet"]).expect(0);
    assert!(svg(&["bare"], "bare/energy.svg").contains("total"));

    // Energy is conserved: the curve drawn as their total is the sum, and stays.
    let series = Series::of_scalars(&Recording::open(&desk.path("out/run.hrec")).unwrap());
    let mut sum = series.clone();
    sum.add_sum("total energy", &["kinetic energy", "potential energy"]).unwrap();
    let (column, total) = sum.column("total energy").unwrap();
    assert_eq!((column.unit.as_str(), total.len()), ("J", series.row_count()));
    let kinetic = series.column("kinetic energy").unwrap().1.iter().fold(0.0, |a: f64, b| a.max(*b));
    assert!(total.iter().all(|e| (e - total[0]).abs() < 1e-3 * kinetic));
}

#[cfg(unix)]
#[test]
fn a_run_is_shown_while_it_computes() {
    let desk = Desk::with(PENDULUM);
    let args = ["run", "scene.toml", "--out", "out", "--until", "1e6", "--view"];
    let mut child = desk.command(&args).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let line = lines.by_ref().find_map(|l| l.ok().filter(|l| l.contains("http://"))).expect("an address");
    let url = line.split_whitespace().find(|w| w.starts_with("http://")).unwrap();
    let (place, token) = url.trim_start_matches("http://").split_once("/?token=").unwrap();
    let ask = |token: &str| {
        let mut stream = TcpStream::connect(place).unwrap();
        let request = format!(
            "GET /api/stage HTTP/1.1\r\nHost: {place}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        String::from_utf8_lossy(&answer).into_owned()
    };
    let answer = ask(token);
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"rod\""), "{answer}");
    assert!(ask("guess").starts_with("HTTP/1.1 401"));
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(lines);
}
