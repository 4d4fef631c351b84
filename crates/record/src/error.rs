//! The errors of this crate; each says which file, and where in it.

use std::io;
use std::path::{Path, PathBuf};

use crate::recording::RecordingDamage;

/// What can go wrong while writing or reading the files of a run.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file could not be written; whatever stood under its name before is untouched.
    #[error("cannot write '{}': {source}{}", path.display(), disk_full_note(source))]
    Write {
        /// The final name of the file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A file or folder could not be read.
    #[error("cannot read '{}': {source}", path.display())]
    Read {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// A checkpoint file is not one, is of another version, or is damaged.
    #[error("checkpoint '{}' refused: {damage}", path.display())]
    Checkpoint {
        /// The checkpoint file.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        damage: CheckpointDamage,
    },
    /// A folder holds no checkpoint that can be used.
    #[error("no usable checkpoint in '{}'{}", folder.display(), refused_list(refused))]
    NoCheckpoint {
        /// The folder searched.
        folder: PathBuf,
        /// One message for each file that was refused, newest first.
        refused: Vec<String>,
    },
    /// A checkpoint is sound but lacks a chunk the caller needs.
    #[error("checkpoint has no chunk '{name}' (it has: {})", present.join(", "))]
    MissingChunk {
        /// The chunk asked for.
        name: String,
        /// The chunks there are.
        present: Vec<String>,
    },
    /// The chunks given to be saved break a rule of the format.
    #[error("checkpoint chunk '{name}' cannot be saved: {rule}")]
    ChunkRule {
        /// The chunk.
        name: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A time series file is malformed.
    #[error("'{}' line {line}: {fault}", path.display())]
    Series {
        /// The file.
        path: PathBuf,
        /// Line in the file, from 1.
        line: u64,
        /// What is wrong there.
        #[source]
        fault: SeriesFault,
    },
    /// The columns of a time series break a rule of the format.
    #[error("series column '{name}': {rule}")]
    ColumnRule {
        /// The column.
        name: String,
        /// The rule it breaks.
        rule: &'static str,
    },
    /// A row has not as many values as there are columns.
    #[error("series row has {found} values, {expected} columns were declared")]
    RowLength {
        /// Declared columns.
        expected: usize,
        /// Values in the row.
        found: usize,
    },
    /// A column asked for is not in the series.
    #[error("no column '{name}' (there are: {})", present.join(", "))]
    MissingColumn {
        /// The column asked for.
        name: String,
        /// The columns there are.
        present: Vec<String>,
    },
    /// A manifest is not valid JSON of the expected form.
    #[error("manifest '{}': {source}", path.display())]
    Manifest {
        /// The file.
        path: PathBuf,
        /// Position and reason.
        source: serde_json::Error,
    },
    /// A recording is not one, is of another version, or is damaged.
    #[error("recording '{}', byte {at}: {damage}", path.display())]
    Recording {
        /// The file.
        path: PathBuf,
        /// Where in it [bytes].
        at: u64,
        /// What is wrong there.
        #[source]
        damage: RecordingDamage,
    },
    /// A stage or a frame given to be recorded breaks a rule of the format.
    #[error("recording '{}': {rule}", path.display())]
    RecordingRule {
        /// The file.
        path: PathBuf,
        /// The rule it breaks.
        rule: String,
    },
    /// Not even the stage and two frames fit in the size budget of a recording.
    #[error(
        "recording '{}': the stage and two frames take {needed} bytes, the size budget is {budget}; give it more, \
         or record fewer fields",
        path.display()
    )]
    RecordingBudget {
        /// The file.
        path: PathBuf,
        /// The budget [bytes].
        budget: u64,
        /// Bytes it would take.
        needed: u64,
    },
    /// A recording is no longer written, because of an error told before.
    #[error("recording '{}' is no longer written, because of an earlier error", path.display())]
    RecordingStopped {
        /// The file.
        path: PathBuf,
    },
    /// A frame asked for is not in the recording.
    #[error("recording '{}' has {count} frames, frame {frame} (counted from 0) is not among them", path.display())]
    MissingFrame {
        /// The file.
        path: PathBuf,
        /// The frame asked for.
        frame: usize,
        /// Frames there are.
        count: usize,
    },
    /// A group or field asked for is not in the recording.
    #[error("recording '{}' has no {what} '{name}' (there are: {})", path.display(), present.join(", "))]
    MissingField {
        /// The file.
        path: PathBuf,
        /// `group` or `field`.
        what: &'static str,
        /// The name asked for.
        name: String,
        /// The names there are.
        present: Vec<String>,
    },
}

/// What is wrong with a checkpoint file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointDamage {
    /// The first eight bytes are not the magic word.
    #[error("not a Huygens checkpoint (magic bytes missing)")]
    NotCheckpoint,
    /// The format version is another one.
    #[error("format version {found}, this program reads version {supported}")]
    Version {
        /// Version in the file.
        found: u32,
        /// Version this program reads.
        supported: u32,
    },
    /// The file ends before what it announces.
    #[error("truncated at byte {length}: {what} at byte {at} needs {needed} bytes, {left} are left")]
    Truncated {
        /// Length of the file [bytes].
        length: u64,
        /// What was being read.
        what: String,
        /// Where it starts [bytes].
        at: u64,
        /// Bytes it announces.
        needed: u64,
        /// Bytes that remain.
        left: u64,
    },
    /// More chunks are announced than the format allows.
    #[error("{found} chunks announced, at most {limit} allowed")]
    ChunkCount {
        /// Announced chunks.
        found: u32,
        /// The limit.
        limit: u32,
    },
    /// A chunk's name is empty, too long or not UTF-8.
    #[error("chunk {index} at byte {at} has no valid name")]
    ChunkName {
        /// Index of the chunk, from 0.
        index: u32,
        /// Where the chunk starts [bytes].
        at: u64,
    },
    /// Two chunks bear the same name.
    #[error("chunk '{name}' appears twice")]
    DuplicateChunk {
        /// The name.
        name: String,
    },
    /// The checksum of a chunk does not match its bytes.
    #[error("CRC of chunk '{name}' is {computed:08x}, {stored:08x} is recorded")]
    ChunkCrc {
        /// The chunk.
        name: String,
        /// Checksum in the file.
        stored: u32,
        /// Checksum of the bytes read.
        computed: u32,
    },
    /// Bytes follow the final hash.
    #[error("{count} bytes too many at the end")]
    TrailingBytes {
        /// How many.
        count: u64,
    },
    /// The whole-file hash does not match.
    #[error("hash of the whole file does not match the recorded one")]
    Hash,
}

/// What is wrong at a line of a time series file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SeriesFault {
    /// The file has no header.
    #[error("the file is empty, a header was expected")]
    Empty,
    /// A row has another number of fields than the header.
    #[error("{found} fields, the header has {expected}")]
    Ragged {
        /// Columns in the header.
        expected: usize,
        /// Fields in the row.
        found: usize,
    },
    /// A field is not a number.
    #[error("column '{column}': '{text}' is not a number")]
    NotNumber {
        /// The column.
        column: String,
        /// The field, shortened.
        text: String,
    },
    /// A name appears twice in the header.
    #[error("column '{column}' appears twice")]
    DuplicateColumn {
        /// The column.
        column: String,
    },
    /// A header field has no name.
    #[error("column {index} has no name")]
    UnnamedColumn {
        /// Position, from 1.
        index: usize,
    },
    /// The header differs from that of the series being continued.
    #[error("header is '{found}', '{expected}' was expected")]
    Header {
        /// Header of the series to be continued.
        expected: String,
        /// Header in the file.
        found: String,
    },
    /// The file is larger than the limits allow.
    #[error("more than {limit} {what}")]
    Limit {
        /// The limit.
        limit: u64,
        /// What is limited.
        what: &'static str,
    },
    /// The text is not readable as CSV.
    #[error("{reason}")]
    Text {
        /// Why not.
        reason: String,
    },
}

impl RecordError {
    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| RecordError::Write { path: path.to_path_buf(), source }
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self + '_ {
        |source| RecordError::Read { path: path.to_path_buf(), source }
    }
}

fn disk_full_note(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; the disk is full, nothing was left under this name and earlier files are untouched"
        }
        _ => "",
    }
}

fn refused_list(refused: &[String]) -> String {
    if refused.is_empty() {
        return String::new();
    }
    format!(": {}", refused.join("; "))
}
