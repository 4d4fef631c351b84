//! A run that is asked to stop while its picture is made, or while its model is built.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use huygens::run::{Event, Painter, RunOptions, run_scene};
use huygens::{LoadOptions, load_scene};
use huygens_record::Outcome;

const BALL: &str = "[settings]\nuntil = 0.01\n[[bodies]]\nname = \"ball\"\nmass = 1.0\n\
                    shape = { type = \"sphere\", radius = 0.1 }\n";

#[test]
fn a_picture_that_takes_too_long_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, BALL).unwrap();
    let scene = load_scene(&path, &LoadOptions::default()).unwrap();
    let painter = Painter::new(|_, _, _| {
        std::thread::sleep(Duration::from_secs(600));
        Ok::<(), String>(())
    });
    let options = RunOptions { painter: Some(painter), ..RunOptions::new(folder.path().join("out")) };
    let clock = Instant::now();
    let report = run_scene(&scene, &options, &mut |p| {
        if matches!(p.event, Event::Checkpoint(_)) {
            let stop = options.stop.clone();
            std::thread::spawn(move || {
                std::thread::sleep(Duration::from_millis(300));
                stop.store(true, Ordering::Relaxed);
            });
        }
    })
    .unwrap();
    assert!(clock.elapsed() < Duration::from_secs(60));
    assert_eq!(report.outcome(), Outcome::Completed);
    assert!(
        report.manifest.warnings.iter().any(|w| w.contains("the picture could not be made")),
        "{report:?}"
    );
    assert!(!folder.path().join("out/picture.png").exists());
}

#[test]
fn a_run_that_is_stopped_at_once_leaves_a_manifest_and_starts_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, BALL).unwrap();
    let scene = load_scene(&path, &LoadOptions::default()).unwrap();
    let options = RunOptions::new(folder.path().join("out"));
    options.stop.store(true, Ordering::Relaxed);
    let report = run_scene(&scene, &options, &mut |_| {}).unwrap();
    assert_eq!((report.outcome(), report.manifest.steps), (Outcome::Signal, 0));
    assert!(folder.path().join("out/manifest.json").exists());
    options.stop.store(false, Ordering::Relaxed);
    let again = RunOptions { resume: true, ..options };
    assert_eq!(run_scene(&scene, &again, &mut |_| {}).unwrap().outcome(), Outcome::Completed);
}
