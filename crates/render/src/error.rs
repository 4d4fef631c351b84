//! What can go wrong on the way to a picture.

use std::io;
use std::path::PathBuf;

use huygens_record::RecordError;

/// Why a picture or a film could not be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A render description cannot be read.
    #[error("render description: {reason}")]
    Description {
        /// Key, place and what was expected.
        reason: String,
    },
    /// A value of a render description makes no sense.
    #[error("render description: `{key}` is {found}; expected {expected}")]
    Value {
        /// Full key, such as `camera.fov_deg`.
        key: String,
        /// What was found.
        found: String,
        /// What would do.
        expected: String,
    },
    /// A render description names something the recording does not hold.
    #[error(
        "render description: `{key}` names '{name}', which the recording does not hold (it has: {})",
        list(present)
    )]
    Missing {
        /// Full key.
        key: String,
        /// The name.
        name: String,
        /// Names there are.
        present: Vec<String>,
    },
    /// Particles have no surface.
    #[error("the surface of '{name}' cannot be made: {reason}")]
    FluidSurface {
        /// Name of the group.
        name: String,
        /// Why.
        reason: String,
    },
    /// The recording contradicts itself.
    #[error("recording: {what}")]
    Stage {
        /// What does not fit.
        what: String,
    },
    /// A place or a rotation is not a number.
    #[error("recording: {item} has no finite place at time {time} s")]
    NonFinite {
        /// Group and item.
        item: String,
        /// Time of the frame [s].
        time: f64,
    },
    /// There is no frame to make a picture of.
    #[error("the recording holds no frame")]
    NoFrames,
    /// The kind of film is not known by its file name.
    #[error("cannot tell the kind of film from '{}'; expected a name that ends in .gif or .mp4", path.display())]
    FilmKind {
        /// The file asked for.
        path: PathBuf,
    },
    /// `ffmpeg` is not there.
    #[error(
        "MP4 films need the program `ffmpeg`, but '{}' was not found; install it (such as `apt install ffmpeg` or \
         `brew install ffmpeg`), or ask for a .gif or a folder of PNG pictures, which need no other program",
        program.display()
    )]
    FfmpegMissing {
        /// The program looked for.
        program: PathBuf,
    },
    /// `ffmpeg` gave up.
    #[error("ffmpeg failed: {message}")]
    Ffmpeg {
        /// Last lines it wrote.
        message: String,
    },
    /// An image could not be encoded.
    #[error("cannot encode '{}': {reason}", path.display())]
    Encode {
        /// The file.
        path: PathBuf,
        /// What the encoder said.
        reason: String,
    },
    /// A file could not be written.
    #[error("cannot write '{}': {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The caller asked to stop; no unfinished file was left behind.
    #[error("stopped after {done} of {total} pictures")]
    Cancelled {
        /// Pictures made.
        done: usize,
        /// Pictures asked for.
        total: usize,
    },
    /// The recording could not be read or a file not written.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl RenderError {
    pub(crate) fn value(key: &str, found: impl ToString, expected: impl ToString) -> Self {
        Self::Value { key: key.into(), found: found.to_string(), expected: expected.to_string() }
    }
}

/// The first few names; a recording may hold a million.
fn list(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let mut text = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        text.push_str(&format!(", … {} more", names.len() - SHOWN));
    }
    if text.is_empty() { "none".into() } else { text }
}
