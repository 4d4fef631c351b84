//! Recordings: what a run looked like, frame by frame, in one file that grows while the run computes.
//!
//! A file starts with 16 bytes: magic, u32 version, u32 how often frames were thinned out to keep the size budget.
//! Chunks follow, each with a header of 32 bytes: tag (4), flags (u32, bit 0: compressed by Zstandard), stored bytes
//! (u64), raw bytes (u64), CRC32C of the stored bytes, CRC32C of the 28 bytes before. First comes `STAG`, the
//! [`Stage`]; then `FRAM`, chunks of frames, and `GROW` where things come or go; a finished file ends with `INDX`, the
//! index, and `TAIL`, which says where the index is. Tags not known are skipped. A file cut off anywhere plays to its
//! last whole chunk.
//!
//! Frames hold what is there when they are written, and nothing else. A `GROW` adds to the stage what is new and says
//! where on the stage the items of the frames after it belong. Readers show one stage, which holds everything that is
//! ever there, and frames in which all numbers of an item are [`ABSENT`] while it is not.

mod cast;
mod check;
mod chunk;
mod damage;
mod growth;
mod index;
mod pack;
mod places;
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
    ABSENT, Batch, BatchKind, Cells, Field, Frame, Group, GroupFrame, GroupKeys, GroupKind, JointMark, Look,
    Mesh, Scalar, Skin, Stage, StageKeys, Tubes,
};
pub use writer::{RecordingSettings, RecordingSummary, RecordingWriter};
