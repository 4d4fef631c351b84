//! What can be wrong with the bytes of a recording.

use super::chunk::VERSION;

/// What is wrong with a recording, or with one chunk of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordingDamage {
    /// The first eight bytes are not the magic word.
    #[error("not a Huygens recording (magic bytes missing); a run writes one as run.hrec")]
    NotRecording,
    /// The format version is another one.
    #[error(
        "format version {found}, this program reads versions 1 to {VERSION}; use the program that wrote it, or run the scene again"
    )]
    Version {
        /// Version in the file.
        found: u32,
    },
    /// The file ends before its stage does.
    #[error(
        "it ends before its first part, the stage, is complete; where a run has only just begun, try again shortly"
    )]
    NoStage,
    /// A chunk's header does not match its checksum.
    #[error(
        "a chunk's header was expected here, its checksum does not match; frames before it can be played"
    )]
    HeaderCrc,
    /// A chunk's payload does not match its checksum.
    #[error(
        "checksum of chunk {tag} is {computed:08x}, {stored:08x} is recorded; other chunks can still be played"
    )]
    PayloadCrc {
        /// Tag of the chunk.
        tag: String,
        /// Checksum in the file.
        stored: u32,
        /// Checksum of the bytes read.
        computed: u32,
    },
    /// The table of a chunk of frames does not match its checksum.
    #[error(
        "a table of frames was expected here, its checksum does not match; frames before it can be played"
    )]
    TableCrc,
    /// A chunk ends before what it announces.
    #[error("a chunk is shorter than what it announces")]
    Short,
    /// The file ends within a chunk.
    #[error(
        "cut off: a chunk of {needed} bytes was expected here, {left} are left; frames before it can be played"
    )]
    Cut {
        /// Bytes the chunk needs, as far as they are known.
        needed: u64,
        /// Bytes there are.
        left: u64,
    },
    /// A chunk announces more than this program is willing to read.
    #[error("{found} bytes announced by chunk {tag}, at most {limit} are read")]
    Limit {
        /// Tag of the chunk.
        tag: String,
        /// Announced bytes.
        found: u64,
        /// The limit.
        limit: u64,
    },
    /// Compressed bytes cannot be decompressed.
    #[error("compressed bytes are damaged: {reason}")]
    Zstd {
        /// Why not.
        reason: String,
    },
    /// The stage does not make sense.
    #[error("stage: {reason}")]
    Stage {
        /// What is wrong with it.
        reason: String,
    },
    /// A change of the stage does not make sense.
    #[error("what came and went is damaged: {reason}; frames before it can be played")]
    Change {
        /// What is wrong with it.
        reason: String,
    },
    /// Frames do not make sense.
    #[error("frames: {reason}")]
    Frames {
        /// What is wrong with them.
        reason: String,
    },
    /// The index does not make sense.
    #[error("index: {reason}")]
    Index {
        /// What is wrong with it.
        reason: String,
    },
}
