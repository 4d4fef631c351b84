//! Files cut off or changed: they play to the last whole chunk or are refused, and never end in a panic.

use huygens_record::recording::{HEAD_LENGTH, HEADER_LENGTH};
use huygens_record::{Frame, RecordError, Recording, RecordingDamage, RecordingLimits};

use crate::{all_frames, frame_bits, record, small_frame, small_stage};

const LIMITS: RecordingLimits = RecordingLimits { chunk_bytes: 1 << 20, cache_bytes: 1 << 20 };

/// A small file of several chunks, and its frames.
fn sample() -> (Vec<u8>, Vec<Frame>) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("run.hrec");
    let frames: Vec<Frame> = (0..100).map(small_frame).collect();
    record(&path, &small_stage(), &all_frames(), &frames);
    (std::fs::read(&path).expect("read"), frames)
}

/// Ends of all chunks, found by the lengths in their headers.
fn chunk_ends(bytes: &[u8]) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut at = HEAD_LENGTH as usize;
    while at < bytes.len() {
        let stored = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().expect("eight"));
        at += HEADER_LENGTH as usize + stored as usize;
        ends.push(at);
    }
    assert_eq!(at, bytes.len());
    ends
}

#[test]
fn a_file_cut_at_any_byte_plays_to_its_last_whole_chunk() {
    let (bytes, frames) = sample();
    let ends = chunk_ends(&bytes);
    // Stage, four chunks of frames (of 32 at most), index, end.
    assert_eq!(ends.len(), 7);
    for length in 0..bytes.len() {
        let opened = Recording::from_bytes(bytes[..length].to_vec(), LIMITS);
        let whole = ends.iter().filter(|end| **end <= length).count();
        let Ok(recording) = opened else {
            assert_eq!(whole, 0, "cut at {length}: {}", opened.expect_err("an error"));
            continue;
        };
        let expected = [0, 0, 32, 64, 96, 100][whole.min(5)];
        assert_eq!(recording.frame_count(), expected, "cut at {length}");
        assert!(!recording.finished());
        assert_eq!(recording.damage().is_none(), ends.contains(&length), "cut at {length}");
        if ends.contains(&length) && expected > 0 {
            assert_eq!(
                frame_bits(&recording.frame(expected - 1).expect("last")),
                frame_bits(&frames[expected - 1])
            );
        }
    }
    let told = Recording::from_bytes(bytes[..ends[2] + 40].to_vec(), LIMITS).expect("opens");
    let told = told.damage().expect("cut").to_string();
    assert!(told.contains(&format!("byte {}", ends[2])) && told.contains("40 are left"), "{told}");
}

/// Frames that still come out of changed bytes must be the right ones; returns how many do.
fn sound_frames(bytes: Vec<u8>, frames: &[Frame]) -> usize {
    let Ok(recording) = Recording::from_bytes(bytes, LIMITS) else { return 0 };
    let mut sound = 0;
    for index in 0..recording.frame_count() {
        let Ok(frame) = recording.frame(index) else { continue };
        let place =
            frames.iter().position(|original| original.time == frame.time).expect("a time of the original");
        assert_eq!(frame_bits(&frame), frame_bits(&frames[place]), "frame {index}");
        sound += 1;
    }
    sound
}

#[test]
fn a_changed_byte_is_noticed() {
    let (bytes, frames) = sample();
    let ends = chunk_ends(&bytes);
    for at in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at / 3 % 8);
        let sound = sound_frames(changed, &frames);
        // A chunk of frames takes only itself along, or those after it where it cannot be passed; without the index
        // the frames are found by scanning.
        let lost = 100 - sound;
        let in_frames = (ends[0] + HEADER_LENGTH as usize..ends[1]).contains(&at);
        assert!(!in_frames || lost >= 32, "byte {at} of the first chunk: {lost} frames lost");
        assert!(at < ends[4] || lost == 0, "byte {at} of the index: {lost} frames lost");
    }
}

#[test]
fn mutants_are_refused_or_played_without_panic() {
    let (bytes, frames) = sample();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    for _ in 0..4000 {
        let mut mutant = bytes.clone();
        for _ in 0..=next(4) {
            if mutant.is_empty() {
                break;
            }
            let at = next(mutant.len());
            match next(5) {
                0 => mutant[at] = next(256) as u8,
                1 => mutant.truncate(at),
                2 => {
                    let from = next(mutant.len());
                    let block = mutant[from..(from + next(200)).min(mutant.len())].to_vec();
                    mutant.splice(at..at, block);
                }
                3 => drop(mutant.drain(at..(at + next(200)).min(mutant.len()))),
                _ => mutant[at..].iter_mut().take(8).for_each(|byte| *byte = 0xFF),
            }
        }
        sound_frames(mutant, &frames);
    }
}

/// Makes the checksums of all chunks right again, so that what is behind them is reached.
fn reseal(bytes: &mut [u8]) {
    let mut at = HEAD_LENGTH as usize;
    while at + 32 <= bytes.len() {
        let stored = u64::from_le_bytes(bytes[at + 8..at + 16].try_into().expect("eight")) as usize;
        let end = (at + 32).saturating_add(stored).min(bytes.len());
        if &bytes[at..at + 4] == b"FRAM" && end >= at + 40 {
            let count = u32::from_le_bytes(bytes[at + 32..at + 36].try_into().expect("four")) as usize;
            let table = at + 32 + 8 + 32 * count.min(5000);
            if table + 4 <= end {
                let crc = crc32c::crc32c(&bytes[at + 32..table]);
                bytes[table..table + 4].copy_from_slice(&crc.to_le_bytes());
            }
        }
        let crc = crc32c::crc32c(&bytes[at + 32..end]);
        bytes[at + 24..at + 28].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[at..at + 28]);
        bytes[at + 28..at + 32].copy_from_slice(&crc.to_le_bytes());
        at = end;
    }
}

#[test]
fn mutants_with_sound_checksums_end_in_frames_or_errors() {
    let (bytes, _) = sample();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let (mut opened, mut played) = (0, 0);
    for _ in 0..4000 {
        let mut mutant = bytes.clone();
        for _ in 0..=next(3) {
            let at = HEAD_LENGTH as usize + next(bytes.len() - HEAD_LENGTH as usize);
            mutant[at] = [0, 1, 0x7F, 0xFF, next(256) as u8][next(5)];
        }
        reseal(&mut mutant);
        let Ok(recording) = Recording::from_bytes(mutant, LIMITS) else { continue };
        opened += 1;
        for index in 0..recording.frame_count() {
            if let Ok(frame) = recording.frame(index) {
                recording.stage().check_frame(&frame).expect("a frame that fits its stage");
                played += 1;
            }
        }
    }
    assert!(opened > 1000 && played > 10_000, "{opened} opened, {played} frames played: nothing was reached");
}

#[test]
fn files_that_are_no_recordings_are_refused_with_advice() {
    let refused = |bytes: &[u8]| match Recording::from_bytes(bytes.to_vec(), LIMITS).expect_err("refused") {
        RecordError::Recording { damage, .. } => damage,
        other => panic!("{other}"),
    };
    assert_eq!(refused(b"time,x\n0,1\n1,2\n2,3\n"), RecordingDamage::NotRecording);
    assert_eq!(refused(b"x"), RecordingDamage::NotRecording);
    assert_eq!(refused(b""), RecordingDamage::NoStage);
    let (mut bytes, _) = sample();
    bytes[8] = 9;
    assert_eq!(refused(&bytes), RecordingDamage::Version { found: 9 });
    assert!(refused(&bytes).to_string().contains("run the scene again"));
    bytes[8] = 1;
    // A stage that claims to be larger than the limit is not even read.
    bytes[16 + 16..16 + 24].copy_from_slice(&(1u64 << 40).to_le_bytes());
    reseal(&mut bytes);
    assert!(matches!(refused(&bytes), RecordingDamage::Limit { found, .. } if found == 1 << 40));
    let folder = tempfile::tempdir().expect("folder");
    let error = Recording::open(folder.path()).expect_err("a folder").to_string();
    assert!(error.contains("run.hrec"), "{error}");
    let error = Recording::open(&folder.path().join("none.hrec")).expect_err("missing").to_string();
    assert!(error.contains("none.hrec"), "{error}");
}
