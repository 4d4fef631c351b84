//! Bytes of a recording: as they are, and again with checksums made right, so that the fuzzer reaches the parsers
//! behind them; and bytes as the chunk of frames, as the stage, or as a change of the stage of an otherwise sound file.

#![no_main]

use huygens_record::recording::{HEAD_LENGTH, HEADER_LENGTH, MAGIC, VERSION, pack_stage, unpack_stage};
use huygens_record::{Field, Group, GroupKind, Recording, RecordingLimits, Stage};
use libfuzzer_sys::fuzz_target;

/// Small, so that compressed bombs cost little.
const LIMITS: RecordingLimits = RecordingLimits { chunk_bytes: 1 << 20, cache_bytes: 1 << 20 };

fuzz_target!(|bytes: &[u8]| {
    play(bytes.to_vec());
    let mut sealed = bytes.to_vec();
    seal(&mut sealed);
    play(sealed);
    play(file_with(bytes));
    play(file_with(&change(bytes)));
    if let Ok(stage) = unpack_stage(bytes) {
        let again = pack_stage(&stage).expect("a stage that was read can be written");
        assert_eq!(pack_stage(&unpack_stage(&again).expect("and read again")).expect("and written"), again);
    }
});

/// Reads every frame there is; what comes out must fit the stage.
fn play(bytes: Vec<u8>) {
    let Ok(recording) = Recording::from_bytes(bytes, LIMITS) else { return };
    assert!(recording.times().windows(2).all(|pair| pair[0] < pair[1]));
    for index in 0..recording.frame_count() {
        if let Ok(frame) = recording.frame(index) {
            recording.stage().check_frame(&frame).expect("frames fit their stage");
        }
    }
    recording.frame_at(1.0).ok();
}

/// The bytes as a change of the stage, to be sealed.
fn change(bytes: &[u8]) -> Vec<u8> {
    let mut chunk = b"GROW".to_vec();
    chunk.extend([0; 4]);
    chunk.extend((bytes.len() as u64).to_le_bytes());
    chunk.extend((bytes.len() as u64).to_le_bytes());
    chunk.extend([0; 8]);
    chunk.extend(bytes);
    chunk
}

/// A file with a small stage, and the bytes as what follows it, sealed.
fn file_with(bytes: &[u8]) -> Vec<u8> {
    let field = Field { name: "position".to_owned(), unit: "m".to_owned(), components: 3 };
    let group = Group {
        name: "bodies".to_owned(),
        kind: GroupKind::Bodies,
        names: Vec::new(),
        fields: vec![field],
        constants: Vec::new(),
        constant_values: Vec::new(),
    };
    let stage = Stage { up: [0.0, 0.0, 1.0], groups: vec![group], ..Stage::default() };
    let stage = pack_stage(&stage).expect("a sound stage");
    let mut file = MAGIC.to_vec();
    file.extend(VERSION.to_le_bytes());
    file.extend([0; 4]);
    // Not compressed; the checksums come by sealing.
    file.extend(b"STAG");
    file.extend([0; 4]);
    file.extend((stage.len() as u64).to_le_bytes());
    file.extend((stage.len() as u64).to_le_bytes());
    file.extend([0; 8]);
    file.extend(stage);
    file.extend(bytes);
    seal(&mut file);
    file
}

/// Makes the checksums of all chunks, and of the tables of frames (without scalars), right.
fn seal(bytes: &mut [u8]) {
    let header = HEADER_LENGTH as usize;
    let number = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"));
    let mut at = HEAD_LENGTH as usize;
    while at + header <= bytes.len() {
        let stored = usize::try_from(number(bytes, at + 8)).unwrap_or(usize::MAX);
        let start = at + header;
        let end = start.saturating_add(stored).min(bytes.len());
        if &bytes[at..at + 4] == b"FRAM" && end >= start + 8 {
            let frames = (number(bytes, start) & 0xFFFF) as usize;
            let table = start + 8 + 24 * frames;
            if table + 4 <= end {
                let crc = crc32c::crc32c(&bytes[start..table]);
                bytes[table..table + 4].copy_from_slice(&crc.to_le_bytes());
            }
        }
        let crc = crc32c::crc32c(&bytes[start..end]);
        bytes[at + 24..at + 28].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[at..at + 28]);
        bytes[at + 28..at + 32].copy_from_slice(&crc.to_le_bytes());
        at = end;
    }
}
