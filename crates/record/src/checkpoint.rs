//! The checkpoint file: named chunks of bytes, each checked, the whole checked again.
//!
//! Layout (little-endian):
//!
//! | bytes | content |
//! |---|---|
//! | 8 | magic `HUYGCKPT` |
//! | 4 | format version |
//! | 4 | number of chunks |
//! | 8 | step |
//! | per chunk | name length (u16), name (UTF-8), data length (u64), data, CRC32C of all of these |
//! | 32 | BLAKE3 hash of everything before |
//!
//! No length in a file is believed beyond the bytes that are there, so a damaged file costs no
//! more memory than its own size.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::atomic::replace_file;
use crate::error::{CheckpointDamage, RecordError};

/// First bytes of every checkpoint.
pub const MAGIC: &[u8; 8] = b"HUYGCKPT";
/// The format version this program writes and reads.
pub const VERSION: u32 = 2;
/// Most chunks in one file.
pub const CHUNK_LIMIT: u32 = 65_536;
/// Longest chunk name [bytes].
pub const NAME_LIMIT: usize = 1_024;
/// Checkpoints kept in a folder.
pub const KEPT: usize = 2;

const HASH_LENGTH: usize = 32;
const PREFIX: &str = "checkpoint-";
const SUFFIX: &str = ".hckpt";
/// One fixed name: a write cut short by a crash is overwritten by the next instead of piling up.
const TEMPORARY: &str = ".checkpoint.tmp";

/// A checkpoint read back: its step and its chunks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    step: u64,
    bytes: Vec<u8>,
    chunks: Vec<(String, Range<usize>)>,
}

impl Checkpoint {
    /// Step the checkpoint was written at.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Bytes of a chunk, or an error that lists the chunks there are.
    pub fn chunk(&self, name: &str) -> Result<&[u8], RecordError> {
        self.chunks().find(|(candidate, _)| *candidate == name).map(|(_, bytes)| bytes).ok_or_else(|| {
            RecordError::MissingChunk {
                name: name.to_owned(),
                present: self.chunks.iter().map(|(name, _)| name.clone()).collect(),
            }
        })
    }

    /// All chunks, in the order they were written.
    pub fn chunks(&self) -> impl Iterator<Item = (&str, &[u8])> {
        let bytes = &self.bytes;
        self.chunks.iter().map(|(name, range)| (name.as_str(), &bytes[range.clone()]))
    }

    /// Decodes the bytes of a checkpoint file, checking everything.
    pub fn decode(bytes: Vec<u8>) -> Result<Self, CheckpointDamage> {
        let mut cursor = Cursor { bytes: &bytes, at: 0 };
        if !bytes.starts_with(MAGIC) {
            return Err(CheckpointDamage::NotCheckpoint);
        }
        cursor.at = MAGIC.len();
        let found = u32::from_le_bytes(cursor.array("the format version")?);
        if found != VERSION {
            let supported = VERSION;
            return Err(CheckpointDamage::Version { found, supported });
        }
        let count = u32::from_le_bytes(cursor.array("the number of chunks")?);
        if count > CHUNK_LIMIT {
            let limit = CHUNK_LIMIT;
            return Err(CheckpointDamage::ChunkCount { found: count, limit });
        }
        let step = u64::from_le_bytes(cursor.array("the step")?);
        let mut chunks = Vec::new();
        let mut names = BTreeSet::new();
        for index in 0..count {
            let (name, range) = cursor.chunk(index)?;
            if !names.insert(name.clone()) {
                return Err(CheckpointDamage::DuplicateChunk { name });
            }
            chunks.push((name, range));
        }
        let end = cursor.at;
        let stored: [u8; HASH_LENGTH] = cursor.array("the hash")?;
        let count = (bytes.len() - cursor.at) as u64;
        if count > 0 {
            return Err(CheckpointDamage::TrailingBytes { count });
        }
        if blake3::hash(&bytes[..end]) != blake3::Hash::from(stored) {
            return Err(CheckpointDamage::Hash);
        }
        Ok(Self { step, bytes, chunks })
    }
}

/// Reads fields in order, never past the end.
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn take(&mut self, needed: u64, what: &str) -> Result<&'a [u8], CheckpointDamage> {
        let left = self.bytes.len() - self.at;
        match usize::try_from(needed) {
            Ok(length) if length <= left => {
                let slice = &self.bytes[self.at..self.at + length];
                self.at += length;
                Ok(slice)
            }
            _ => Err(CheckpointDamage::Truncated {
                length: self.bytes.len() as u64,
                what: what.to_owned(),
                at: self.at as u64,
                needed,
                left: left as u64,
            }),
        }
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], CheckpointDamage> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64, what)?);
        Ok(array)
    }

    fn chunk(&mut self, index: u32) -> Result<(String, Range<usize>), CheckpointDamage> {
        let start = self.at;
        let bad_name = CheckpointDamage::ChunkName { index, at: start as u64 };
        let what = format!("name of chunk {index}");
        let name_length = u16::from_le_bytes(self.array(&what)?);
        if name_length == 0 || usize::from(name_length) > NAME_LIMIT {
            return Err(bad_name);
        }
        let name = self.take(u64::from(name_length), &what)?;
        let name = std::str::from_utf8(name).map_err(|_| bad_name)?.to_owned();
        let what = format!("chunk '{name}'");
        let length = u64::from_le_bytes(self.array(&what)?);
        let data = self.at;
        self.take(length, &what)?;
        let end = self.at;
        let computed = crc32c::crc32c(&self.bytes[start..end]);
        let stored = u32::from_le_bytes(self.array(&format!("CRC of chunk '{name}'"))?);
        if stored != computed {
            return Err(CheckpointDamage::ChunkCrc { name, stored, computed });
        }
        Ok((name, data..end))
    }
}

/// Writes the bytes of a checkpoint file to any writer.
///
/// Fails with `InvalidInput` where the chunks break the limits of the format.
pub fn encode_checkpoint(out: &mut dyn Write, step: u64, chunks: &[(&str, &[u8])]) -> io::Result<()> {
    check_chunks(chunks).map_err(|error| io::Error::new(io::ErrorKind::InvalidInput, error.to_string()))?;
    let mut out = Hashed { out, hasher: blake3::Hasher::new() };
    out.put(MAGIC)?;
    out.put(&VERSION.to_le_bytes())?;
    out.put(&(chunks.len() as u32).to_le_bytes())?;
    out.put(&step.to_le_bytes())?;
    for (name, data) in chunks {
        let mut head = Vec::with_capacity(name.len() + 10);
        head.extend_from_slice(&(name.len() as u16).to_le_bytes());
        head.extend_from_slice(name.as_bytes());
        head.extend_from_slice(&(data.len() as u64).to_le_bytes());
        let crc = crc32c::crc32c_append(crc32c::crc32c(&head), data);
        out.put(&head)?;
        out.put(data)?;
        out.put(&crc.to_le_bytes())?;
    }
    let hash = out.hasher.finalize();
    out.out.write_all(hash.as_bytes())
}

struct Hashed<'a> {
    out: &'a mut dyn Write,
    hasher: blake3::Hasher,
}

impl Hashed<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.out.write_all(bytes)
    }
}

fn check_chunks(chunks: &[(&str, &[u8])]) -> Result<(), RecordError> {
    let broken = |name: &str, rule| {
        let name = name.to_owned();
        Err(RecordError::ChunkRule { name, rule })
    };
    if chunks.len() > CHUNK_LIMIT as usize {
        return broken("", "more than 65536 chunks");
    }
    let mut names = BTreeSet::new();
    for (name, _) in chunks {
        if name.is_empty() {
            return broken(name, "a chunk needs a name");
        }
        if name.len() > NAME_LIMIT {
            return broken(name, "its name is longer than 1024 bytes");
        }
        if !names.insert(*name) {
            return broken(name, "its name appears twice");
        }
    }
    Ok(())
}

/// Saves a checkpoint as `checkpoint-<step>.hckpt` and keeps the two newest of the folder.
///
/// Checkpoints of later steps are removed: a run that writes step *n* has left their history
/// behind (they were refused as damaged, or belong to an earlier run). On any error the folder
/// keeps the checkpoints it had.
pub fn write_checkpoint(folder: &Path, step: u64, chunks: &[(&str, &[u8])]) -> Result<PathBuf, RecordError> {
    check_chunks(chunks)?;
    fs::create_dir_all(folder).map_err(RecordError::write(folder))?;
    let path = folder.join(format!("{PREFIX}{step:012}{SUFFIX}"));
    replace_file(&path, &folder.join(TEMPORARY), |out| encode_checkpoint(out, step, chunks))?;
    let others = checkpoint_files(folder)?.into_iter().filter(|(other, _)| *other != step);
    let (later, earlier): (Vec<_>, Vec<_>) = others.partition(|(other, _)| *other > step);
    for (_, old) in later.iter().chain(earlier.iter().skip(KEPT - 1)) {
        fs::remove_file(old).map_err(RecordError::write(old))?;
    }
    Ok(path)
}

/// Reads and checks one checkpoint.
pub fn read_checkpoint(path: &Path) -> Result<Checkpoint, RecordError> {
    let metadata = fs::metadata(path).map_err(RecordError::read(path))?;
    if !metadata.is_file() {
        let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
        return Err(RecordError::read(path)(source));
    }
    let bytes = fs::read(path).map_err(RecordError::read(path))?;
    Checkpoint::decode(bytes).map_err(|damage| RecordError::Checkpoint { path: path.to_path_buf(), damage })
}

/// The newest sound checkpoint of a folder, its path, and a warning for each newer one refused.
pub fn latest_checkpoint(folder: &Path) -> Result<(Checkpoint, PathBuf, Vec<String>), RecordError> {
    let mut warnings = Vec::new();
    for (_, path) in checkpoint_files(folder)? {
        match read_checkpoint(&path) {
            Ok(checkpoint) => return Ok((checkpoint, path, warnings)),
            Err(error) => warnings.push(error.to_string()),
        }
    }
    Err(RecordError::NoCheckpoint { folder: folder.to_path_buf(), refused: warnings })
}

/// Removes every checkpoint of a folder, as a run that starts from the beginning must: otherwise
/// a later resume could fall back on another run's state. A folder that is not there is empty.
pub fn checkpoints_clear(folder: &Path) -> Result<(), RecordError> {
    if !folder.exists() {
        return Ok(());
    }
    for (_, path) in checkpoint_files(folder)? {
        fs::remove_file(&path).map_err(RecordError::write(&path))?;
    }
    let temporary = folder.join(TEMPORARY);
    match fs::remove_file(&temporary) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(RecordError::write(&temporary)(error)),
        _ => Ok(()),
    }
}

/// Checkpoint files of a folder with the step in their names, newest first.
fn checkpoint_files(folder: &Path) -> Result<Vec<(u64, PathBuf)>, RecordError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(RecordError::read(folder))? {
        let entry = entry.map_err(RecordError::read(folder))?;
        let name = entry.file_name();
        let step = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX))
            .filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|digits| digits.parse::<u64>().ok());
        if let Some(step) = step {
            files.push((step, entry.path()));
        }
    }
    files.sort_by(|a, b| b.cmp(a));
    Ok(files)
}
