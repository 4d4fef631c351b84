//! The size budget is kept by dropping every second frame, and frames stay evenly spaced.

use huygens_record::{
    Frame, Group, GroupFrame, GroupKind, RecordError, Recording, RecordingSettings, RecordingSummary,
    RecordingWriter, Stage,
};

use crate::{field, frame_bits, small_stage};

const GRAINS: usize = 500;

fn grains() -> Stage {
    let group = Group {
        name: "grains".to_owned(),
        kind: GroupKind::Particles,
        names: Vec::new(),
        fields: vec![field("position", 3)],
        constants: Vec::new(),
        constant_values: Vec::new(),
    };
    Stage { groups: vec![group], up: [0.0, 0.0, 1.0], ..Stage::default() }
}

fn grains_at(time: f64, mut frame: Frame) -> Frame {
    frame.time = time;
    let group = &mut frame.groups[0];
    group.count = GRAINS;
    group.fields[0].extend((0..3 * GRAINS).map(|index| (time * (1.0 + index as f64)).sin() as f32));
    frame
}

/// Runs steps of `dt` and records what is wanted, and the end.
fn run(path: &std::path::Path, settings: &RecordingSettings, dt: f64, steps: usize) -> RecordingSummary {
    let mut writer = RecordingWriter::create(path, &grains(), settings).expect("create");
    for step in 0..=steps {
        let time = step as f64 * dt;
        if writer.wants(time) || step == steps {
            let frame = writer.frame();
            writer.push(grains_at(time, frame)).expect("push");
        }
    }
    writer.finish().expect("finish")
}

#[test]
fn files_stay_within_the_budget_with_frames_evenly_spaced() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    // A grid wider than the steps, one that does not fit them, one narrower than them, and every frame offered.
    for (interval, dt) in [(0.01, 0.001), (1.0 / 60.0, 0.0021), (0.001, 0.004), (0.0, 0.01)] {
        let settings =
            RecordingSettings { interval, budget_bytes: Some(200_000), ..RecordingSettings::default() };
        let steps = (4.0 / dt) as usize;
        let summary = run(&path, &settings, dt, steps);
        let length = std::fs::metadata(&path).expect("file").len();
        assert!(length <= 200_000 && length == summary.bytes && length > 60_000, "{length} bytes");
        assert!(summary.thinned >= 2, "{summary:?}");
        let recording = Recording::open(&path).expect("opens");
        let times = recording.times();
        assert_eq!((times.len(), recording.generation()), (summary.frames, summary.thinned));
        assert!(times[0] == 0.0 && times[times.len() - 1] > 4.0 - 2.0 * summary.interval);
        // All but the last, which is recorded though not due.
        let gaps: Vec<f64> = times[..times.len() - 1].windows(2).map(|pair| pair[1] - pair[0]).collect();
        for gap in &gaps {
            assert!(
                (gap - summary.interval).abs() <= 1.01 * dt,
                "interval {interval}, {summary:?}: {gaps:?}"
            );
        }
        for index in (0..times.len()).step_by(5) {
            let empty =
                Frame { groups: vec![GroupFrame { count: 0, fields: vec![vec![]] }], ..Frame::default() };
            let expected = grains_at(times[index], empty);
            assert_eq!(frame_bits(&recording.frame(index).expect("frame")), frame_bits(&expected));
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 1, "a temporary file was left");
    }
}

#[test]
fn a_budget_too_small_for_two_frames_is_an_error() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let settings = RecordingSettings { budget_bytes: Some(5_000), ..RecordingSettings::default() };
    let mut writer = RecordingWriter::create(&path, &grains(), &settings).expect("create");
    let mut outcome = Ok(());
    for step in 0..200 {
        let frame = writer.frame();
        outcome = writer.push(grains_at(step as f64, frame));
        if outcome.is_err() {
            break;
        }
    }
    let error = outcome.and_then(|()| writer.finish().map(drop)).expect_err("too small");
    assert!(matches!(error, RecordError::RecordingBudget { budget: 5_000, .. }), "{error}");
}

#[test]
fn buffers_serve_again() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let settings = RecordingSettings { interval: 0.0, queue_frames: 3, ..RecordingSettings::default() };
    let mut writer = RecordingWriter::create(&path, &grains(), &settings).expect("create");
    let mut places = std::collections::BTreeSet::new();
    for step in 0..200 {
        let frame = writer.frame();
        assert_eq!(frame.groups[0].fields[0].capacity() >= 3 * GRAINS, step >= 4, "step {step}");
        let frame = grains_at(step as f64, frame);
        places.insert(frame.groups[0].fields[0].as_ptr() as usize);
        writer.push(frame).expect("push");
    }
    assert!(places.len() <= 4, "{} buffers", places.len());
    // Buffers that are taken and dropped must not make the writer wait for ever.
    for _ in 0..20 {
        drop(writer.frame());
    }
    assert_eq!(writer.finish().expect("finish").frames, 200);
    assert!(
        RecordingWriter::create(&path, &small_stage(), &RecordingSettings { interval: -1.0, ..settings })
            .is_err()
    );
}
