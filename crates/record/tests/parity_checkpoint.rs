//! Checkpoints: round trip, rotation, damage of every kind, a full disk.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use huygens_record::checkpoint::{MAGIC, encode_checkpoint};
use huygens_record::{
    Checkpoint, CheckpointDamage, RecordError, checkpoints_clear, latest_checkpoint, read_checkpoint,
    write_atomic, write_checkpoint,
};

const CHUNKS: &[(&str, &[u8])] =
    &[("state", b"\x00\x01\x02 some bytes of state \xff"), ("empty", b""), ("größe", b"utf-8 name")];

fn encoded(step: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode_checkpoint(&mut bytes, step, CHUNKS).expect("a vector never fills up");
    bytes
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("entry").file_name().into_string().expect("utf-8")).collect();
    names.sort();
    names
}

#[test]
fn chunks_come_back_in_order_and_bit_for_bit() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = write_checkpoint(folder.path(), 12_345, CHUNKS).expect("write");
    assert!(path.ends_with("checkpoint-000000012345.hckpt"));
    let checkpoint = read_checkpoint(&path).expect("read");
    assert_eq!(checkpoint.step(), 12_345);
    assert!(checkpoint.chunks().eq(CHUNKS.iter().copied()));
    assert_eq!(checkpoint.chunk("größe").expect("chunk"), b"utf-8 name");
    let missing = checkpoint.chunk("rng").expect_err("no such chunk").to_string();
    assert!(missing.contains("'rng'") && missing.contains("state"), "{missing}");
}

#[test]
fn the_two_newest_are_kept_and_an_abandoned_future_goes() {
    let folder = tempfile::tempdir().expect("temporary folder");
    for step in [0, 100, 200, 300] {
        write_checkpoint(folder.path(), step, CHUNKS).expect("write");
    }
    let two = |a: u64, b: u64| [a, b].map(|step| format!("checkpoint-{step:012}.hckpt"));
    assert_eq!(names(folder.path()), two(200, 300));
    write_checkpoint(folder.path(), 250, CHUNKS).expect("write");
    assert_eq!(names(folder.path()), two(200, 250));
    write_checkpoint(folder.path(), 250, CHUNKS).expect("writing a step again replaces it");
    assert_eq!(names(folder.path()), two(200, 250));
    checkpoints_clear(folder.path()).expect("clear");
    assert!(names(folder.path()).is_empty());
}

#[test]
fn a_damaged_newest_is_refused_by_name_and_the_previous_used() {
    let folder = tempfile::tempdir().expect("temporary folder");
    write_checkpoint(folder.path(), 1, CHUNKS).expect("write");
    let newest = write_checkpoint(folder.path(), 2, CHUNKS).expect("write");
    let mut bytes = fs::read(&newest).expect("read");
    bytes[45] ^= 0x10;
    fs::write(&newest, &bytes).expect("damage");
    let (checkpoint, path, warnings) = latest_checkpoint(folder.path()).expect("previous");
    assert_eq!((checkpoint.step(), warnings.len()), (1, 1));
    assert!(path.ends_with("checkpoint-000000000001.hckpt"));
    assert!(warnings[0].contains("checkpoint-000000000002.hckpt"), "{warnings:?}");
    assert!(warnings[0].contains("CRC of chunk 'state'"), "{warnings:?}");
    fs::write(&path, b"HUYG").expect("damage");
    let error = latest_checkpoint(folder.path()).expect_err("none left");
    let RecordError::NoCheckpoint { refused, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(refused.len(), 2);
}

#[test]
fn every_flipped_bit_and_every_truncation_is_an_error() {
    let sound = encoded(7);
    assert!(Checkpoint::decode(sound.clone()).is_ok());
    for at in 0..sound.len() {
        for bit in 0..8 {
            let mut bytes = sound.clone();
            bytes[at] ^= 1 << bit;
            assert!(Checkpoint::decode(bytes).is_err(), "bit {bit} of byte {at}");
        }
        let damage = Checkpoint::decode(sound[..at].to_vec()).expect_err("truncated");
        let expected = match at < MAGIC.len() {
            true => damage == CheckpointDamage::NotCheckpoint,
            false => matches!(damage, CheckpointDamage::Truncated { .. }),
        };
        assert!(expected, "{at}: {damage}");
    }
    let mut longer = sound.clone();
    longer.push(0);
    let damage = Checkpoint::decode(longer).expect_err("too long");
    assert_eq!(damage, CheckpointDamage::TrailingBytes { count: 1 });
}

#[test]
fn damage_is_named_precisely() {
    let sound = encoded(7);
    let damaged = |at: usize, with: &[u8]| {
        let mut bytes = sound.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        Checkpoint::decode(bytes).expect_err("damaged")
    };
    assert_eq!(damaged(0, b"X"), CheckpointDamage::NotCheckpoint);
    let found = 9;
    assert_eq!(damaged(8, &[9, 0, 0, 0]), CheckpointDamage::Version { found, supported: 2 });
    assert!(matches!(damaged(12, &[0xff; 4]), CheckpointDamage::ChunkCount { .. }));
    // The step has no checksum of its own: the hash of the file answers for it.
    assert_eq!(damaged(16, &[8]), CheckpointDamage::Hash);
    // A length of 2^64 − 1 for chunk 'state' must be refused, not allocated.
    let huge = damaged(24 + 2 + 5, &[0xff; 8]);
    assert!(matches!(&huge, CheckpointDamage::Truncated { needed: u64::MAX, .. }), "{huge}");
    assert!(huge.to_string().contains("chunk 'state'"), "{huge}");
}

#[test]
fn chunks_that_break_the_rules_are_not_written() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let long = "x".repeat(2000);
    let bad: [&[(&str, &[u8])]; 3] = [&[("", b"")], &[("a", b""), ("a", b"")], &[(&long, b"")]];
    for chunks in bad {
        let error = write_checkpoint(folder.path(), 1, chunks).expect_err("rule");
        assert!(matches!(error, RecordError::ChunkRule { .. }), "{error}");
    }
    assert!(names(folder.path()).is_empty());
}

/// Takes so many bytes, then reports a full disk.
struct FullDisk<'a> {
    out: &'a mut dyn Write,
    left: usize,
}

impl Write for FullDisk<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(self.left);
        if taken == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.left -= taken;
        self.out.write(&bytes[..taken])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[test]
fn a_disk_that_fills_up_anywhere_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("checkpoint-000000000001.hckpt");
    fs::write(&path, encoded(1)).expect("old file");
    let needed = encoded(2).len();
    for left in (0..needed).step_by(5) {
        let error = write_atomic(&path, |out| encode_checkpoint(&mut FullDisk { out, left }, 2, CHUNKS))
            .expect_err("disk full");
        assert!(error.to_string().contains("disk is full"), "{error}");
        assert_eq!(names(folder.path()).len(), 1);
        assert_eq!(read_checkpoint(&path).expect("old file").step(), 1);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_real_full_device_leaves_nothing_behind() {
    let folder = tempfile::tempdir().expect("temporary folder");
    write_checkpoint(folder.path(), 1, CHUNKS).expect("write");
    let before = names(folder.path());
    std::os::unix::fs::symlink("/dev/full", folder.path().join(".checkpoint.tmp")).expect("link");
    let error = write_checkpoint(folder.path(), 2, CHUNKS).expect_err("no space");
    assert!(error.to_string().contains("disk is full"), "{error}");
    assert_eq!(names(folder.path()), before);
}
