//! A recording that is written while a world moves.

use std::path::{Path, PathBuf};
use std::sync::{MutexGuard, PoisonError};

use huygens::prelude::*;
use huygens::run::{RECORDING, Recorder};
use huygens_record::{RecordingSettings, RecordingSummary};
use huygens_render::View;
use pyo3::prelude::*;

use crate::core::Core;
use crate::error::{model_error, render_error};

/// What is asked of a recording.
pub struct RecordingWish {
    /// The file, or a folder for one with the name that runs give it.
    pub path: PathBuf,
    /// Interval of frames [s]; that of the settings if not given.
    pub every: Option<f64>,
    /// Most megabytes of the file; those of the settings if not given.
    pub budget_mb: Option<f64>,
    /// End of the motion [s], which an interval that is not given depends on; that of the settings if not given.
    pub until: Option<f64>,
    /// Name of the run.
    pub name: String,
    /// Render description; that of the world if not given.
    pub view: Option<serde_json::Value>,
    /// Whether to go on with a file that is there.
    pub resume: bool,
}

impl RecordingWish {
    /// Reads a render description, to refuse a wrong one before the run.
    pub fn view(py: Python<'_>, text: Option<&str>) -> PyResult<Option<serde_json::Value>> {
        let Some(text) = text else { return Ok(None) };
        View::from_json(text).map_err(|e| render_error(py, &e))?;
        serde_json::from_str(text).map(Some).map_err(|e| model_error(py, e.to_string()))
    }

    fn settings(&self, world: &World) -> Result<RecordingSettings, WorldError> {
        let mut settings = world.settings().clone();
        let recording = &mut settings.output.recording;
        recording.every = self.every.or(recording.every);
        recording.budget_mb = self.budget_mb.unwrap_or(recording.budget_mb);
        let budget_bytes = Some((recording.budget_mb * 1e6) as u64);
        settings.until = self.until.map_or(settings.until, |until| (until - world.time()).max(0.0));
        settings.check()?;
        let interval = settings.recording_interval();
        Ok(RecordingSettings { interval, budget_bytes, ..RecordingSettings::default() })
    }
}

/// The recording of a run's folder, or the file itself.
pub fn recording_path(path: PathBuf) -> PathBuf {
    if path.is_dir() { path.join(RECORDING) } else { path }
}

/// Opens the file; the first frame is taken when the world starts to move.
fn open(world: &mut World, wish: RecordingWish) -> Result<Recorder, WorldError> {
    let settings = wish.settings(world)?;
    let mut stage = world.stage(&wish.name)?;
    stage.view = wish.view.or(stage.view);
    let resume = wish.resume.then(|| world.time());
    Ok(Recorder::open(&recording_path(wish.path), &stage, &settings, resume)?)
}

/// Writes the last moment and completes the file, which is also done when the last moment cannot be had.
fn finish(mut recorder: Recorder, world: &mut World) -> Result<RecordingSummary, WorldError> {
    let last: Result<(), WorldError> = recorder.keep(world, |_| {});
    let summary = recorder.finish()?;
    last.map(|()| summary)
}

/// Whoever looks at the recorder has taken the world out of its cell, so that nobody waits for the lock: a law that
/// would is refused the world.
impl Core {
    pub(crate) fn recorder(&self) -> MutexGuard<'_, Option<Recorder>> {
        self.recorder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a recording; `false` where one is under way.
    pub(crate) fn record_into(&self, world: &mut World, wish: RecordingWish) -> Result<bool, WorldError> {
        let mut recorder = self.recorder();
        if recorder.is_some() {
            return Ok(false);
        }
        *recorder = Some(open(world, wish)?);
        Ok(true)
    }

    /// Ends the recording, if there is one.
    pub(crate) fn end_recording(&self, world: &mut World) -> Result<Option<RecordingSummary>, WorldError> {
        let recorder = self.recorder().take();
        recorder.map(|recorder| finish(recorder, world)).transpose()
    }

    /// File of the recording under way.
    pub(crate) fn recording_file(&self) -> Option<PathBuf> {
        self.recorder().as_ref().map(|recorder| recorder.path().to_owned())
    }

    /// Refuses what a recording under way could not show.
    pub(crate) fn refuse_while_recorded(&self, py: Python<'_>, what: &str) -> PyResult<()> {
        match self.read(py, |_| Ok(self.recording_file()))? {
            Some(path) => Err(while_recorded(py, what, &path)),
            None => Ok(()),
        }
    }

    /// Keeps the start of a motion: probe rows and a frame.
    pub(crate) fn keep_start(&self, world: &mut World) -> Result<(), WorldError> {
        self.record().start(world)?;
        self.keep_frame(world)
    }

    /// Keeps what is due after a step that began at `before` [s].
    pub(crate) fn keep_step(&self, world: &mut World, before: f64) -> Result<(), WorldError> {
        self.record().observe(world, before)?;
        self.keep_frame(world)
    }

    fn keep_frame(&self, world: &mut World) -> Result<(), WorldError> {
        let mut recorder = self.recorder();
        let kept = recorder.as_mut().map_or(Ok(()), |recorder| recorder.offer(world));
        if let Err(WorldError::Record(_)) = kept {
            // A file that cannot be written would only fail again.
            *recorder = None;
        }
        kept
    }
}

/// The world is recorded, which does not allow for this.
pub fn while_recorded(py: Python<'_>, what: &str, path: &Path) -> PyErr {
    let message = format!(
        "the world is being recorded into '{}', which does not allow for {what}; call stop_recording() first",
        path.display()
    );
    model_error(py, message)
}
