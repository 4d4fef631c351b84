//! Objects and probes that come or go while a recording is written leave it whole.

use huygens::prelude::*;
use huygens::run::Recorder;
use huygens_record::{Recording, RecordingSettings};

fn ball(name: &str, x: f64) -> BodySpec {
    BodySpec {
        position: [x, 0.0, 0.0],
        mass: Some(1.0),
        shape: Some(Solid::Sphere { radius: 0.1 }),
        ..BodySpec::dynamic(name)
    }
}

#[test]
fn a_recording_goes_on_when_a_body_and_a_probe_are_added() {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let first = world.add_body(ball("first", 1.0)).unwrap();
    world.add_probe(ProbeSpec::new("first", "position.z")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let stage = world.stage("two balls").unwrap();
    let settings = RecordingSettings { interval: 0.01, ..RecordingSettings::default() };
    let mut recorder = Recorder::open(&path, &stage, &settings, None).unwrap();
    let mut expected = Vec::new();
    let mut run = |world: &mut World, until: f64| {
        while let Some(h) = world.next_step(until) {
            world.advance(h).unwrap();
            recorder.keep::<WorldError>(world, |_| {}).unwrap();
            expected.push(world.body_position(first).unwrap()[2]);
        }
    };
    run(&mut world, 0.02);
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
    // The new body comes first in the order of names, the new probe last in that of columns.
    world.add_body(ball("another", 3.0)).unwrap();
    world.add_probe(ProbeSpec::new("another", "position.x")).unwrap();
    run(&mut world, 0.04);
    recorder.finish().unwrap();

    let recording = Recording::open(&path).unwrap();
    assert_eq!(recording.times().len(), expected.len());
    for (frame, z) in expected.iter().enumerate() {
        let position = recording.field(frame, "bodies", "position").unwrap();
        assert_eq!(position.len(), 3);
        assert_eq!(position[0], 1.0);
        assert!((f64::from(position[2]) - z).abs() < 1e-6);
    }
    let [warning] = world.warnings() else { panic!("{:?}", world.warnings()) };
    assert!(warning.starts_with("'another' came after the recording began"), "{warning}");
}
