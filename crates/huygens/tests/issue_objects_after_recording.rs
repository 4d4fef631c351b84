//! Objects that come or go while a recording is written are in its frames from then on, and not before.

use std::path::Path;

use huygens::prelude::*;
use huygens::run::Recorder;
use huygens::spec::Section;
use huygens_record::{Frame, Recording, RecordingSettings, Stage};

fn ball(name: &str, x: f64) -> BodySpec {
    BodySpec {
        position: [x, 0.0, 0.0],
        mass: Some(1.0),
        shape: Some(Solid::Sphere { radius: 0.1 }),
        ..BodySpec::dynamic(name)
    }
}

fn first(world: &mut World) -> BodyId {
    let first = world.add_body(ball("first", 1.0)).unwrap();
    world.add_body(ball("second", 2.0)).unwrap();
    world.add_probe(ProbeSpec::new("first", "position.z")).unwrap();
    first
}

/// A body that comes first in the order of names, with what holds it, and a probe.
fn another(world: &mut World) {
    world.add_body(ball("another", 3.0)).unwrap();
    world.add_joint(JointSpec::new("hinge", JointType::Revolute, "ground", "another")).unwrap();
    let spring = SpringSpec {
        name: "spring".into(),
        a: "first".into(),
        b: "another".into(),
        stiffness: 5.0,
        length: Some(1.0),
        ..SpringSpec::default()
    };
    world.add_force(ForceSpec::Spring(spring)).unwrap();
    world.add_probe(ProbeSpec::new("another", "position.x")).unwrap();
}

fn heap(world: &mut World) -> GrainsId {
    let glass = MaterialSpec { restitution: 0.5, friction: 0.5, ..MaterialSpec::elastic("glass", 5e6, 0.2) };
    world.add_material(glass).unwrap();
    let positions = (0..5).map(|k| [0.03 * f64::from(k), 0.0, -1.0]).collect();
    let sand = GrainsSpec { material: Some("glass".into()), ..GrainsSpec::new("sand") };
    world.add_grains(sand.with_particles(ParticlesSpec::spheres(positions, 0.01, 2500.0))).unwrap()
}

fn open(world: &mut World, path: &Path, resume: Option<f64>) -> Recorder {
    let stage = world.stage("balls").unwrap();
    let settings = RecordingSettings { interval: 0.0, ..RecordingSettings::default() };
    Recorder::open(path, &stage, &settings, resume).unwrap()
}

fn run(world: &mut World, recorder: &mut Recorder, until: f64) {
    while let Some(h) = world.next_step(until) {
        world.advance(h).unwrap();
        recorder.offer::<WorldError>(world).unwrap();
    }
}

/// Names of the items of a group that are there.
fn there(stage: &Stage, frame: &Frame, group: &str) -> Vec<String> {
    let Some(place) = stage.groups.iter().position(|g| g.name == group) else { return Vec::new() };
    let items = (0..frame.groups[place].count).filter(|item| frame.groups[place].is_there(*item));
    items.map(|item| stage.groups[place].names.get(item).cloned().unwrap_or_default()).collect()
}

fn color(stage: &Stage, name: &str) -> [f32; 4] {
    let item = stage.groups[0].names.iter().position(|n| n == name).unwrap() as u32;
    let batch = stage.batches.iter().find(|batch| batch.group == 0 && batch.items.contains(&item)).unwrap();
    let shape = batch.items.iter().position(|of| *of == item).unwrap();
    stage.looks[batch.looks[shape] as usize].color
}

#[test]
fn what_comes_during_a_recording_is_seen_from_then_on() {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let first = first(&mut world);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let before = world.stage("balls").unwrap();
    let mut recorder = open(&mut world, &path, None);
    recorder.offer::<WorldError>(&mut world).unwrap();
    run(&mut world, &mut recorder, 0.02);
    another(&mut world);
    run(&mut world, &mut recorder, 0.04);
    let sand = heap(&mut world);
    run(&mut world, &mut recorder, 0.06);
    // Grains by hand, of a set whose grains do not come and go by themselves.
    let ids =
        world.add_particles(sand, &ParticlesSpec::spheres(vec![[0.5, 0.0, 0.0]], 0.02, 2500.0)).unwrap();
    run(&mut world, &mut recorder, 0.07);
    world.remove_particles(sand, &[0, 2]).unwrap();
    run(&mut world, &mut recorder, 0.08);
    let last = world.body_position(first).unwrap();
    recorder.finish().unwrap();
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());
    assert_eq!((ids.start, ids.end), (5, 6));

    let recording = Recording::open(&path).unwrap();
    let stage = recording.stage();
    let groups: Vec<&str> = stage.groups.iter().map(|g| g.name.as_str()).collect();
    assert_eq!(groups, ["bodies", "lines", "sand"]);
    assert_eq!(stage.groups[0].names, ["first", "second", "another"]);
    for name in ["first", "second"] {
        assert_eq!(color(stage, name), color(&before, name));
        assert_ne!(color(stage, name), color(stage, "another"));
    }
    let scalar = |name: &str| stage.scalars.iter().position(|s| s.name == name).unwrap();
    for (index, time) in recording.times().iter().enumerate() {
        let frame = recording.frame(index).unwrap();
        let came = *time > 0.02 + 1e-9;
        let bodies = there(stage, &frame, "bodies");
        let expected: &[&str] = if came { &["first", "second", "another"] } else { &["first", "second"] };
        assert_eq!(bodies, expected, "at {time} s");
        assert_eq!(there(stage, &frame, "lines").len(), if came { 2 } else { 0 }, "at {time} s");
        let joints: Vec<_> = stage.joints.iter().filter(|joint| joint.is_there(*time)).collect();
        assert_eq!(joints.len(), usize::from(came), "at {time} s");
        assert!(joints.iter().all(|joint| (joint.a, joint.b) == (None, Some(2))));
        let value = frame.scalars[scalar("another.position.x")];
        assert!(if came { (value - 3.0).abs() < 0.01 } else { value.is_nan() }, "{value} at {time} s");
        assert!(frame.scalars[scalar("first.position.z")].is_finite());
        let grains = there(stage, &frame, "sand").len();
        let in_phase = [0.04, 0.06, 0.07].iter().filter(|end| *time > **end + 1e-9).count();
        assert_eq!(grains, [0, 5, 6, 4][in_phase], "at {time} s");
        if in_phase == 3 {
            // Grains keep their numbers and radii; those taken out have left.
            let sand = &frame.groups[2];
            let left: Vec<usize> = (0..sand.count).filter(|grain| sand.is_there(*grain)).collect();
            assert_eq!(left, [1, 3, 4, 5]);
            assert_eq!(stage.groups[2].constant_values[0][4..], [0.01, 0.02]);
            assert_eq!(sand.fields[0][15], 0.5);
        }
    }
    let position = recording.field(recording.frame_count() - 1, "bodies", "position").unwrap();
    assert!((0..3).all(|k| position[k] == last[k] as f32));
    assert_eq!((position[6], position.len()), (3.0, 9));
    let early = recording.field(0, "bodies", "position").unwrap();
    assert!(early[..6].iter().all(|x| x.is_finite()) && early[6..].iter().all(|x| x.is_nan()));
}

#[test]
fn a_recording_that_grew_is_continued_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, parts) = (folder.path().join("whole.hrec"), folder.path().join("parts.hrec"));
    let mut saved = Vec::new();
    for path in [&whole, &parts] {
        let mut world = World::new([0.0, 0.0, -9.81]);
        first(&mut world);
        let mut recorder = open(&mut world, path, None);
        recorder.offer::<WorldError>(&mut world).unwrap();
        run(&mut world, &mut recorder, 0.02);
        another(&mut world);
        run(&mut world, &mut recorder, 0.03);
        saved = world.save().unwrap();
        run(&mut world, &mut recorder, 0.035);
        heap(&mut world);
        run(&mut world, &mut recorder, 0.05);
        recorder.finish().unwrap();
    }
    // A program that starts again from the checkpoint adds what was there then.
    let mut world = World::new([0.0, 0.0, -9.81]);
    first(&mut world);
    another(&mut world);
    world.restore_chunks(|name| saved.iter().find(|(n, _)| *n == name).map(|(_, bytes)| &bytes[..])).unwrap();
    let time = world.time();
    let mut recorder = open(&mut world, &parts, Some(time));
    run(&mut world, &mut recorder, 0.035);
    heap(&mut world);
    run(&mut world, &mut recorder, 0.05);
    recorder.finish().unwrap();

    let [whole, parts] = [whole, parts].map(|path| Recording::open(&path).unwrap());
    assert_eq!(whole.times(), parts.times());
    let names = |recording: &Recording| -> Vec<Vec<String>> {
        recording.stage().groups.iter().map(|group| group.names.clone()).collect()
    };
    assert_eq!(names(&whole), names(&parts));
    for frame in 0..whole.frame_count() {
        let bits = |recording: &Recording| -> Vec<u32> {
            let frame = recording.frame(frame).unwrap();
            let numbers = frame.groups.iter().flat_map(|group| group.fields.iter().flatten());
            numbers.map(|x| x.to_bits()).collect()
        };
        assert_eq!(bits(&whole), bits(&parts), "frame {frame}");
    }
}

#[test]
fn what_goes_during_a_recording_is_not_seen_from_then_on() {
    let mut world = World::new([0.0, 0.0, -9.81]);
    first(&mut world);
    another(&mut world);
    heap(&mut world);
    let cable = StructureSpec {
        section: Some(SectionSpec::circle(0.01)),
        material: Some(ElasticSpec::new(2e6, 0.3, 1000.0)),
        fixed: vec![FixedSpec::all("start")],
        ..StructureSpec::beam("cable", ElementType::Cable, [0.0, 5.0, 0.0], [1.0, 5.0, 0.0], 2)
    };
    world.add_structure(cable).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.hrec");
    let mut recorder = open(&mut world, &path, None);
    recorder.offer::<WorldError>(&mut world).unwrap();
    run(&mut world, &mut recorder, 0.01);
    for (section, name) in [
        (Section::Probes, "another.position.x"),
        (Section::Forces, "spring"),
        (Section::Joints, "hinge"),
        (Section::Bodies, "another"),
    ] {
        world.remove(section, name).unwrap();
    }
    run(&mut world, &mut recorder, 0.02);
    world.remove(Section::Grains, "sand").unwrap();
    world.remove(Section::Structures, "cable").unwrap();
    run(&mut world, &mut recorder, 0.03);
    // Another body of an old name is another item.
    world.add_body(ball("another", -3.0)).unwrap();
    run(&mut world, &mut recorder, 0.04);
    recorder.finish().unwrap();
    assert!(world.warnings().is_empty(), "{:?}", world.warnings());

    let recording = Recording::open(&path).unwrap();
    let stage = recording.stage();
    let bodies = |frame: &Frame| there(stage, frame, "bodies").len();
    let grains = |frame: &Frame| there(stage, frame, "sand").len();
    let frame = |time: f64| recording.frame_at(time).unwrap();
    let counts = [0.005, 0.015, 0.025, 0.035].map(|time| {
        let frame = frame(time);
        (bodies(&frame), there(stage, &frame, "lines").len(), grains(&frame))
    });
    assert_eq!(counts, [(3, 2, 5), (2, 0, 5), (2, 0, 0), (3, 0, 0)]);
    let nodes = stage.groups.iter().position(|g| g.name.starts_with("cable")).unwrap();
    let seen = |time: f64| {
        let group = &frame(time).groups[nodes];
        (0..group.count).filter(|item| group.is_there(*item)).count()
    };
    assert_eq!([0.015, 0.025].map(seen), [3, 0]);
    let place = stage.groups[0].names.len() - 1;
    let x = |time: f64| frame(time).groups[0].fields[0][3 * place];
    assert!(x(0.005).is_nan() && (x(0.035) + 3.0).abs() < 1e-6, "{:?}", stage.groups[0].names);
}
