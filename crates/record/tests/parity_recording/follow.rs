//! Recordings read while they grow, taken up again after a restart, and what is told when they cannot be written.

use std::time::{Duration, Instant};

use huygens_record::{Frame, RecordError, Recording, RecordingChange, RecordingSettings, RecordingWriter};

use crate::{all_frames, assert_frames, record, small_frame, small_stage};

/// Refreshes until the recording has so many frames; a minute is far more than any machine needs.
fn wait_for(recording: &mut Recording, frames: usize) -> RecordingChange {
    let start = Instant::now();
    let mut last = RecordingChange::None;
    while recording.frame_count() < frames {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{} frames after a minute",
            recording.frame_count()
        );
        std::thread::sleep(Duration::from_millis(20));
        match recording.refresh().expect("refresh") {
            RecordingChange::None => {}
            change => last = change,
        }
    }
    last
}

#[test]
fn a_reader_follows_a_growing_file() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let frames: Vec<Frame> = (0..45).map(small_frame).collect();
    let mut writer = RecordingWriter::create(&path, &small_stage(), &all_frames()).expect("create");
    let mut recording = Recording::open(&path).expect("opens");
    assert_eq!((recording.frame_count(), recording.finished()), (0, false));
    // Frames by ones and twos, so that parts continue segments.
    for (from, to) in [(0, 1), (1, 2), (2, 4), (4, 5), (5, 45)] {
        frames[from..to].iter().for_each(|frame| writer.push(frame.clone()).expect("push"));
        assert_eq!(wait_for(&mut recording, to), RecordingChange::Grown);
        assert_frames(&recording, &frames[..to]);
    }
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::None);
    writer.finish().expect("finish");
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::Grown);
    assert!(recording.finished());
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::None);
    assert_frames(&recording, &frames);
    assert_frames(&Recording::open(&path).expect("opens"), &frames);

    // A new run under the same name.
    record(&path, &small_stage(), &all_frames(), &frames[..7]);
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::Replaced);
    assert_frames(&recording, &frames[..7]);
}

#[test]
fn a_reader_notices_that_frames_were_thinned_out() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let settings = RecordingSettings { budget_bytes: Some(40_000), ..all_frames() };
    let mut writer = RecordingWriter::create(&path, &small_stage(), &settings).expect("create");
    let mut recording = Recording::open(&path).expect("opens");
    (0..64).for_each(|number| writer.push(small_frame(number)).expect("push"));
    wait_for(&mut recording, 64);
    (64..2000)
        .filter(|number| number % 2 == 0)
        .for_each(|number| writer.push(small_frame(number)).expect("push"));
    let summary = writer.finish().expect("finish");
    assert!(summary.thinned > 0, "{summary:?}");
    assert_eq!(recording.refresh().expect("refresh"), RecordingChange::Replaced);
    assert_eq!((recording.frame_count(), recording.generation()), (summary.frames, summary.thinned));
}

#[test]
fn a_run_taken_up_again_leaves_the_same_recording() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let frames: Vec<Frame> = (0..120).map(small_frame).collect();
    record(&path, &small_stage(), &all_frames(), &frames[..90]);
    // Cut off within its last chunks, as by a crash, and restarted from an earlier checkpoint.
    let bytes = std::fs::read(&path).expect("read");
    std::fs::write(&path, &bytes[..bytes.len() - 2000]).expect("write");
    let known = Recording::open(&path).expect("opens").frame_count();
    assert!((32..90).contains(&known), "{known}");
    let mut writer =
        RecordingWriter::resume(&path, &small_stage(), &all_frames(), frames[20].time).expect("resume");
    assert!(!writer.wants(frames[20].time) && writer.wants(frames[21].time));
    frames[21..].iter().for_each(|frame| writer.push(frame.clone()).expect("push"));
    writer.finish().expect("finish");
    assert_frames(&Recording::open(&path).expect("opens"), &frames);

    let mut other = small_stage();
    other.name = "other".to_owned();
    let error =
        RecordingWriter::resume(&path, &other, &all_frames(), 1.0).expect_err("another stage").to_string();
    assert!(error.contains("another stage"), "{error}");
    assert_frames(&Recording::open(&path).expect("untouched"), &frames);
}

#[test]
fn frames_not_later_than_the_last_are_ignored() {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let frames: Vec<Frame> = [0, 1, 1, 0, 2].map(small_frame).to_vec();
    record(&path, &small_stage(), &all_frames(), &frames);
    assert_frames(&Recording::open(&path).expect("opens"), &[0, 1, 2].map(small_frame));
}

#[test]
fn errors_of_the_thread_that_writes_are_told() {
    let folder = tempfile::tempdir().expect("folder");
    let below = folder.path().join("below");
    std::fs::create_dir(&below).expect("folder");
    let path = below.join("run.hrec");
    let mut writer = RecordingWriter::create(&path, &small_stage(), &all_frames()).expect("create");
    std::fs::remove_dir_all(&below).expect("remove");
    let mut number = 0;
    let error = loop {
        if let Err(error) = writer.push(small_frame(number)) {
            break error;
        }
        number += 1;
        assert!(number < 1_000_000, "nothing told");
    };
    assert!(matches!(&error, RecordError::Write { path: told, .. } if *told == path), "{error}");
    assert!(matches!(writer.push(small_frame(number)), Err(RecordError::RecordingStopped { .. })));
    assert!(matches!(writer.finish(), Err(RecordError::RecordingStopped { .. })));

    let missing = folder.path().join("none").join("run.hrec");
    assert!(matches!(
        RecordingWriter::create(&missing, &small_stage(), &all_frames()),
        Err(RecordError::Write { .. })
    ));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = std::path::Path::new("/dev/full");
    let error = RecordingWriter::create(full, &small_stage(), &all_frames()).expect_err("full").to_string();
    assert!(error.contains("the disk is full"), "{error}");
}
