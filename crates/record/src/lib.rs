//! Files a run leaves behind: recordings, chunked checkpoints, CSV series, the manifest.
//!
//! Nothing here knows physics: callers hand over named bytes, named columns of numbers and
//! groups of shapes. Every file appears under its final name only when it is complete,
//! except the recording, which can be watched while it grows.

pub mod atomic;
pub mod checkpoint;
mod error;
pub mod manifest;
pub mod recording;
pub mod series;

pub use atomic::write_atomic;
pub use checkpoint::{Checkpoint, checkpoints_clear, latest_checkpoint, read_checkpoint, write_checkpoint};
pub use error::{CheckpointDamage, RecordError, SeriesFault};
pub use manifest::{Manifest, Outcome};
pub use recording::{
    ABSENT, Batch, BatchKind, Cells, Field, Frame, Group, GroupFrame, GroupKeys, GroupKind, JointMark, Look,
    Mesh, Recording, RecordingChange, RecordingDamage, RecordingLimits, RecordingSettings, RecordingSummary,
    RecordingWriter, Scalar, Skin, Stage, StageKeys, Tubes,
};
pub use series::{Column, Series, SeriesWriter, check_columns};
