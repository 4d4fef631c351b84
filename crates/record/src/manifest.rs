//! The manifest: what ran, with what, and how it ended.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::atomic::write_atomic;
use crate::error::RecordError;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It has not ended, or was killed without a chance to say so.
    #[default]
    Running,
    /// It reached its end time.
    Completed,
    /// A signal stopped it; a checkpoint was written.
    Signal,
    /// It used up its wall-clock allowance; a checkpoint was written.
    WallTime,
    /// The simulation diverged; the last good state was written.
    Diverged,
    /// It stopped on another error.
    Failed,
}

/// The content of `manifest.json`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Manifest {
    /// Version of the program.
    pub version: String,
    /// Scene file as given by the user, if there was one.
    #[serde(default)]
    pub scene: Option<String>,
    /// Hash of the scene with everything it includes, in hexadecimal.
    pub scene_hash: String,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Threads used.
    pub threads: usize,
    /// Steps taken since the start of the simulation, earlier runs included.
    pub steps: u64,
    /// Simulated time reached [s].
    pub simulated_time: f64,
    /// Wall-clock time of this run [s].
    pub wall_time: f64,
    /// Hash of the final state, in hexadecimal.
    pub state_hash: String,
    /// How the run ended.
    pub outcome: Outcome,
    /// The reason in words, where the outcome needs one.
    #[serde(default)]
    pub reason: String,
    /// Step of the checkpoint the run was resumed from.
    #[serde(default)]
    pub resumed_from: Option<u64>,
    /// Warnings given during the run, in order.
    #[serde(default)]
    pub warnings: Vec<String>,
    /// Files the run left, relative to the folder of the manifest.
    #[serde(default)]
    pub files: Vec<String>,
}

impl Manifest {
    /// Whether the run reached its end time.
    pub fn finished(&self) -> bool {
        self.outcome == Outcome::Completed
    }

    /// Writes the manifest as indented JSON, atomically.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let text = serde_json::to_string_pretty(self)
            .map_err(|source| RecordError::Manifest { path: path.to_path_buf(), source })?;
        write_atomic(path, |out| {
            out.write_all(text.as_bytes())?;
            out.write_all(b"\n")
        })
    }

    /// Reads a manifest.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let text = fs::read(path).map_err(RecordError::read(path))?;
        serde_json::from_slice(&text)
            .map_err(|source| RecordError::Manifest { path: path.to_path_buf(), source })
    }
}
