//! What can go wrong on the way to a file of another program.

use std::io;
use std::path::{Path, PathBuf};

use huygens_record::RecordError;

use crate::error::RenderError;

/// Why a recording could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// There is nothing to export.
    #[error("'{}' holds no frame yet; record one, or wait for the run to write it", path.display())]
    NoFrames {
        /// The recording.
        path: PathBuf,
    },
    /// A time lies outside the recording.
    #[error("there is no frame at {time} s; choose a time from {first} s to {last} s")]
    Time {
        /// Time asked for [s].
        time: f64,
        /// First time of the recording [s].
        first: f64,
        /// Last time of the recording [s].
        last: f64,
    },
    /// No frame was chosen.
    #[error("the choice of times holds none of the {count} frames; they lie between {first} s and {last} s")]
    NothingChosen {
        /// First time of the recording [s].
        first: f64,
        /// Last time of the recording [s].
        last: f64,
        /// Frames of the recording.
        count: usize,
    },
    /// A group, field or scalar is not in the recording.
    #[error("the recording has no {what} '{name}' (it has: {})", present.join(", "))]
    Missing {
        /// `group`, `field of group '…'` or `item of group '…'`.
        what: String,
        /// The name asked for.
        name: String,
        /// Names there are.
        present: Vec<String>,
    },
    /// Fields of different items cannot share the rows of one table.
    #[error(
        "'{first}' and '{second}' have different rows: a CSV file takes fields of one group and the same items; write \
         a file for each, or an NPZ file, which takes any"
    )]
    MixedRows {
        /// Group and field.
        first: String,
        /// Group and field that do not go with it.
        second: String,
    },
    /// The format, or sense, sets a limit.
    #[error("{what}: {found} are more than the {limit} that {format} files can carry; {remedy}")]
    TooMany {
        /// What there is too much of, by name.
        what: String,
        /// How much there is.
        found: u64,
        /// How much fits.
        limit: u64,
        /// The format.
        format: &'static str,
        /// What helps.
        remedy: &'static str,
    },
    /// The file name does not say what is meant.
    #[error("cannot tell the kind of file from '{}'; expected a name that ends in {expected}", path.display())]
    FileKind {
        /// The file asked for.
        path: PathBuf,
        /// Endings that are known.
        expected: &'static str,
    },
    /// A file or folder could not be written.
    #[error("cannot write '{}': {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The caller asked to stop; nothing was left behind.
    #[error("stopped after {done} of {total} frames")]
    Cancelled {
        /// Frames done.
        done: usize,
        /// Frames asked for.
        total: usize,
    },
    /// Shapes cannot be placed, or a render description cannot be met.
    #[error(transparent)]
    Render(#[from] RenderError),
    /// The recording could not be read.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl ExportError {
    /// Names the file of an error of the operating system.
    pub(super) fn write(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        move |source| Self::Write { path: path.into(), source }
    }
}
