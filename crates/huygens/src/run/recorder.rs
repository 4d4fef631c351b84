//! A recording that is written while a world moves.

use std::path::{Path, PathBuf};

use huygens_record::{Frame, RecordError, RecordingSettings, RecordingSummary, RecordingWriter, Stage};

use crate::world::{World, WorldError};

/// Name of the group of bodies.
const BODIES: &str = "bodies";

/// A recording that is written while a world moves: of one [`World::stage`], and of all that comes and goes later.
pub struct Recorder {
    writer: RecordingWriter,
    path: PathBuf,
}

impl Recorder {
    /// Opens the file; with `resume` frames up to that time [s] are kept.
    pub fn open(
        path: &Path,
        stage: &Stage,
        settings: &RecordingSettings,
        resume: Option<f64>,
    ) -> Result<Self, RecordError> {
        let writer = match resume {
            Some(time) => RecordingWriter::resume(path, stage, settings, time)?,
            None => RecordingWriter::create(path, stage, settings)?,
        };
        Ok(Self { writer, path: path.to_owned() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Index of a body of the world, from its item in the recording; none where it is not there any more.
    pub fn body(&self, item: usize) -> Option<usize> {
        self.writer.number_now(BODIES, item)
    }

    /// Keeps a frame of this moment if one is due.
    pub fn offer<E>(&mut self, world: &mut World) -> Result<(), E>
    where
        E: From<WorldError> + From<RecordError>,
    {
        if self.writer.wants(world.time()) { self.keep(world, |_| {}) } else { Ok(()) }
    }

    /// Keeps a frame of this moment, changed by `change`.
    pub fn keep<E>(&mut self, world: &mut World, change: impl FnOnce(&mut Frame)) -> Result<(), E>
    where
        E: From<WorldError> + From<RecordError>,
    {
        if let Some(stage) = world.stage_change()? {
            self.writer.restage(&stage)?;
        }
        let mut frame = self.writer.frame();
        world.record(&mut frame)?;
        change(&mut frame);
        Ok(self.writer.push(frame)?)
    }

    /// Completes the file.
    pub fn finish(self) -> Result<RecordingSummary, RecordError> {
        self.writer.finish()
    }
}
