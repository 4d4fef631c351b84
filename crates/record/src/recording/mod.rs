//! Recordings: what a run looked like, frame by frame, in one file that grows while the run computes.
//!
//! A file starts with 16 bytes: magic, u32 version, u32 how often frames were thinned out to keep the size budget.
//! Chunks follow, each with a header of 32 bytes: tag (4), flags (u32, bit 0: compressed by Zstandard), stored bytes
//! (u64), raw bytes (u64), CRC32C of the stored bytes, CRC32C of the 28 bytes before. First comes `STAG`, the
//! [`Stage`]; then `FRAM`, chunks of frames; a finished file ends with `INDX`, the index, and `TAIL`, which says
//! where the index is. Tags not known are skipped. A file cut off anywhere plays to its last whole chunk.

mod check;
mod chunk;
mod damage;
mod index;
mod pack;
mod predict;
mod reader;
mod schedule;
mod source;
mod stage;
mod storage;
mod writer;
mod zstd;

pub use chunk::{HEAD_LENGTH, HEADER_LENGTH, MAGIC, VERSION};
pub use damage::RecordingDamage;
pub use pack::{pack_frame, pack_stage, unpack_stage};
pub use reader::{Recording, RecordingChange, RecordingLimits};
pub use stage::{
    Batch, BatchKind, Cells, Field, Frame, Group, GroupFrame, GroupKind, JointMark, Look, Mesh, Scalar, Skin,
    Stage, Tubes,
};
pub use writer::{RecordingSettings, RecordingSummary, RecordingWriter};
