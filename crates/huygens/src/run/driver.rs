//! The run itself.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use huygens_exec::Stop;
use huygens_record::{Checkpoint, Manifest, Outcome, RecordingSettings};

use super::journey::{Companion, crossed, travel};
use super::outputs::{Tables, checkpoint};
use super::recorder::Recorder;
use super::steering::Helm;
use super::{
    Event, FluidPace, MANIFEST, PICTURE, Progress, RECORDING, RunError, RunOptions, RunReport, folder,
    results, setup,
};
use crate::scene::LoadedScene;
use crate::spec::Analysis;
use crate::world::{FluidStatus, World, WorldError};

/// Wall-clock interval of progress messages.
pub(super) const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);
/// Wall-clock time after which a checkpoint is due, whatever the simulated time.
const CHECKPOINT_WALL: Duration = Duration::from_secs(600);

/// Runs a scene and writes its results into a folder.
pub fn run_scene(
    scene: &LoadedScene,
    options: &RunOptions,
    progress: &mut dyn FnMut(&Progress<'_>),
) -> Result<RunReport, RunError> {
    check(options)?;
    let start = options.started.unwrap_or_else(Instant::now);
    let stop = setup::stop_of(options, start)?;
    let found = match options.resume {
        true => folder::resumption(&options.out, &scene.hash())?,
        false => {
            folder::check_free(&options.out, options.force)?;
            folder::Resumption::default()
        }
    };
    let folder::Resumption { mut lock, checkpoint, mut warnings } = found;
    let resumed_from = checkpoint.as_ref().map(Checkpoint::step);
    let Some(mut world) = setup::build(scene, options, checkpoint, (&stop, start), progress)? else {
        return setup::stopped(scene, options, (&stop, start), resumed_from, lock);
    };
    warnings.splice(0..0, world.warnings().iter().cloned());
    if resumed_from.is_none() {
        folder::claim(&options.out, options.force, &mut lock)?;
    }
    let tables = Tables::open(&world, &options.out, resumed_from.map(|_| world.time()))?;
    let manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").into(),
        scene: Some(scene.path().display().to_string()),
        scene_hash: scene.hash(),
        seed: world.state().map_or(0, |s| s.seed),
        threads: world.threads(),
        resumed_from,
        warnings,
        ..Manifest::default()
    };
    let recorder = open_recording(scene, &mut world, &options.out, resumed_from.is_some())?;
    let until = world.settings().until;
    let clock = Clock { start, shown: Instant::now(), saved: Instant::now() };
    let first_step = world.step_count();
    let first_time = world.time();
    let saved_at = (first_time, resumed_from);
    let run = Run {
        scene,
        options,
        progress,
        tables,
        recorder,
        manifest,
        until,
        clock,
        first_step,
        first_time,
        saved_at,
        path: None,
        path_time: f64::NEG_INFINITY,
        is_cut: false,
        stop,
        helm: Helm::default(),
        _lock: lock,
    };
    run.go(&mut world)
}

/// The recording of a run, or its continuation.
fn open_recording(
    scene: &LoadedScene,
    world: &mut World,
    folder: &Path,
    resumed: bool,
) -> Result<Option<Recorder>, RunError> {
    let spec = world.settings().output.recording.clone();
    let path = folder.join(RECORDING);
    if !spec.enabled {
        let _ = std::fs::remove_file(path);
        return Ok(None);
    }
    let stage = world.stage(&title(scene))?;
    let settings = RecordingSettings {
        interval: world.settings().recording_interval(),
        budget_bytes: Some((spec.budget_mb * 1e6) as u64),
        ..RecordingSettings::default()
    };
    let resume = resumed.then(|| world.time());
    Ok(Some(Recorder::open(&path, &stage, &settings, resume)?))
}

/// The first line of the scene's description, or the name of its file in words.
pub(super) fn title(scene: &LoadedScene) -> String {
    let described = scene.scene.description.as_deref().and_then(|d| d.lines().find(|l| !l.trim().is_empty()));
    if let Some(line) = described {
        return line.trim().trim_end_matches('.').to_owned();
    }
    let stem = scene.path().file_stem().map(|s| s.to_string_lossy().into_owned()).unwrap_or_default();
    let words = stem.trim_start_matches(|c: char| c.is_ascii_digit() || c == '_').replace('_', " ");
    let mut letters = words.chars();
    letters.next().map_or(stem, |first| first.to_uppercase().chain(letters).collect())
}

pub(super) fn check(options: &RunOptions) -> Result<(), RunError> {
    let positive = |option, value: Option<f64>| match value {
        Some(v) if !(v > 0.0 && v.is_finite()) => {
            Err(RunError::Option { option, value: v.to_string(), expected: "a positive finite number" })
        }
        _ => Ok(()),
    };
    positive("--dt", options.dt)?;
    positive("--until", options.until)?;
    positive("--checkpoint-every", options.checkpoint_every)?;
    positive("--max-wall-time", options.max_wall_time)
}

struct Clock {
    start: Instant,
    shown: Instant,
    saved: Instant,
}

/// A run under way.
struct Run<'a> {
    scene: &'a LoadedScene,
    options: &'a RunOptions,
    progress: &'a mut dyn FnMut(&Progress<'_>),
    tables: Tables,
    recorder: Option<Recorder>,
    manifest: Manifest,
    until: f64,
    clock: Clock,
    first_step: u64,
    first_time: f64,
    /// Time and step of the last checkpoint.
    saved_at: (f64, Option<u64>),
    path: Option<PathBuf>,
    /// Time of the last frame of a load path.
    path_time: f64,
    /// Whether the last step was cut to end at `until`.
    is_cut: bool,
    stop: Stop,
    helm: Helm,
    _lock: Option<folder::FolderLock>,
}

/// Of dynamics: steering and the wish to stop before a step, then rows and frames, then progress and checkpoints.
impl Companion for Run<'_> {
    type Stop = Outcome;
    type Error = RunError;

    fn before_step(&mut self, world: &mut World, h: f64) -> Result<ControlFlow<Outcome>, RunError> {
        if let Some(steering) = &self.options.steering {
            let recorder = self.recorder.as_ref();
            self.helm.before_step(&**steering, world, h, recorder, &|| self.stop.is_set())?;
        }
        if let Some(outcome) = self.interrupted() {
            return Ok(ControlFlow::Break(outcome));
        }
        // A cut step is no part of a longer run: what continues this one starts before it.
        self.is_cut = world.settings().step_control.is_none() && h < world.longest_step();
        if self.is_cut {
            self.save(world)?;
        }
        Ok(ControlFlow::Continue(()))
    }

    fn observe(&mut self, world: &mut World, before: f64) -> Result<(), RunError> {
        if before > f64::NEG_INFINITY {
            self.tables.observe(world, before)?;
        } else if self.manifest.resumed_from.is_none() {
            // A resumed run finds the row of its first moment in the files.
            self.tables.write(world)?;
        }
        self.offer_frame(world)
    }

    fn after_step(&mut self, world: &mut World, before: f64) -> Result<ControlFlow<Outcome>, RunError> {
        self.show_progress(world);
        let every = world.settings().output.checkpoint_every;
        let due = every.is_some_and(|every| crossed(every, before, world.time()));
        if self.is_cut {
            return Ok(ControlFlow::Continue(()));
        }
        if due || self.clock.saved.elapsed() >= CHECKPOINT_WALL {
            self.save(world)?;
        }
        Ok(ControlFlow::Continue(()))
    }
}

impl Run<'_> {
    fn go(mut self, world: &mut World) -> Result<RunReport, RunError> {
        self.write_manifest(world, Outcome::Running, "")?;
        for warning in self.manifest.warnings.clone() {
            self.tell(world, Event::Warning(&warning));
        }
        self.tell(world, Event::Started);
        let ended = match world.settings().analysis {
            Analysis::Dynamics => travel(world, self.until, &mut self).map(|ended| match ended {
                ControlFlow::Continue(()) => Outcome::Completed,
                ControlFlow::Break(outcome) => outcome,
            }),
            Analysis::Kinematics => self.kinematics(world),
            Analysis::Statics => self.statics(world),
            Analysis::Modes => match self.statics(world) {
                Ok(Outcome::Completed) => {
                    results::modes(world, &self.options.out).map(|()| Outcome::Completed)
                }
                other => other,
            },
            Analysis::Buckling => results::buckling(world, &self.options.out).and_then(|()| self.rest(world)),
        };
        match ended {
            Ok(outcome) => self.end(world, outcome),
            // The step that was given up is taken again by --resume. Whatever failed while it was, failed for that.
            Err(RunError::World(e)) if e.is_stopped() || self.stop.is_set() => {
                let outcome = self.interrupted().unwrap_or(Outcome::Signal);
                self.end(world, outcome)
            }
            Err(error) => Err(self.fail(world, error)),
        }
    }

    fn kinematics(&mut self, world: &mut World) -> Result<Outcome, RunError> {
        let (until, dt) = (self.until, world.settings().dt);
        let (mut stopped, mut failed, mut before) = (None, None, f64::NEG_INFINITY);
        world.kinematics(until, dt, &mut |world| {
            stopped = self.interrupted();
            let written = self.tables.observe(world, before).and_then(|()| self.offer_frame(world));
            before = world.time();
            self.show_progress(world);
            failed = written.err();
            flow(stopped.is_none() && failed.is_none())
        })?;
        failed.map_or(Ok(stopped.unwrap_or(Outcome::Completed)), Err)
    }

    /// The equilibrium; of structures along a load path, with a row and a frame for each step.
    fn statics(&mut self, world: &mut World) -> Result<Outcome, RunError> {
        if !world.has_load_path() {
            let report = world.equilibrium()?;
            results::statics(world, &self.options.out, &report.into())?;
            return self.rest(world);
        }
        let mut path = results::PathFile::create(world, &self.options.out)?;
        let (mut stopped, mut failed) = (None, None);
        let done = world.load_path(&mut |world, factor| {
            stopped = self.interrupted();
            let written = path.row(world, factor).and_then(|()| self.record_path(world, factor));
            self.show_progress(world);
            failed = written.err();
            flow(stopped.is_none() && failed.is_none())
        });
        path.finish(&title(self.scene))?;
        let report = done?;
        if let Some(error) = failed {
            return Err(error);
        }
        results::statics(world, &self.options.out, &report.into())?;
        self.tables.write(world)?;
        Ok(stopped.unwrap_or(Outcome::Completed))
    }

    /// Keeps a frame of this moment if one is due.
    fn offer_frame(&mut self, world: &mut World) -> Result<(), RunError> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.offer(world))
    }

    /// Keeps a frame of this moment.
    fn keep_frame(&mut self, world: &mut World) -> Result<(), RunError> {
        self.recorder.as_mut().map_or(Ok(()), |recorder| recorder.keep(world, |_| {}))
    }

    /// A frame whose time is the load factor; a path by arc length may go back, so frames are numbered then.
    fn record_path(&mut self, world: &mut World, factor: f64) -> Result<(), RunError> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        self.path_time = if factor > self.path_time { factor } else { self.path_time + 1e-6 };
        recorder.keep(world, |frame| frame.time = self.path_time)
    }

    /// One row at the equilibrium.
    fn rest(&mut self, world: &mut World) -> Result<Outcome, RunError> {
        self.tables.write(world)?;
        self.keep_frame(world)?;
        Ok(Outcome::Completed)
    }

    fn interrupted(&self) -> Option<Outcome> {
        self.stop.cause().map(setup::outcome_of)
    }

    /// Shows progress when it is due.
    fn show_progress(&mut self, world: &World) {
        if self.clock.shown.elapsed() >= PROGRESS_INTERVAL {
            self.clock.shown = Instant::now();
            self.tell(world, Event::Advanced);
        }
    }

    fn save(&mut self, world: &mut World) -> Result<(), RunError> {
        let path = checkpoint(world, &mut self.tables, &self.options.out)?;
        self.clock.saved = Instant::now();
        self.saved_at = (world.time(), Some(world.step_count()));
        self.tell(world, Event::Checkpoint(&path));
        self.path = Some(path);
        Ok(())
    }

    /// Passes on what the world has to say at the end.
    fn warn(&mut self, world: &mut World) {
        world.warn_about_contact();
        for warning in world.warnings() {
            if !self.manifest.warnings.contains(warning) {
                self.tell(world, Event::Warning(warning));
                self.manifest.warnings.push(warning.clone());
            }
        }
    }

    /// Makes the picture of the last moment; a run is no worse without one.
    fn paint(&mut self, world: &mut World) -> Result<(), RunError> {
        let Some(painter) = self.options.painter.clone() else { return Ok(()) };
        let stage = world.stage(&title(self.scene))?;
        let mut frame = stage.blank_frame();
        world.record(&mut frame)?;
        let path = self.options.out.join(PICTURE);
        let painted = self.stop.abandonable(move || (painter.0)(&stage, &frame, &path));
        if let Err(reason) = painted.unwrap_or_else(|_| Err("the program was asked to stop".into())) {
            let warning = format!("the picture could not be made: {reason}");
            self.tell(world, Event::Warning(&warning));
            self.manifest.warnings.push(warning);
        }
        Ok(())
    }

    /// Writes the last moment and completes the file.
    fn finish_recording(&mut self, world: &mut World) -> Result<(), RunError> {
        if matches!(world.settings().analysis, Analysis::Dynamics) {
            self.keep_frame(world)?;
        }
        if let Some(recorder) = self.recorder.take() {
            recorder.finish()?;
        }
        Ok(())
    }

    /// Leaves a finished or interrupted run as it should be found.
    fn end(mut self, world: &mut World, outcome: Outcome) -> Result<RunReport, RunError> {
        let moves = matches!(world.settings().analysis, Analysis::Dynamics);
        if moves && !self.is_cut && self.saved_at.1 != Some(world.step_count()) {
            self.save(world)?;
        }
        self.finish_recording(world)?;
        self.tell(world, Event::Advanced);
        self.warn(world);
        let reason = match outcome {
            Outcome::Signal => "stopped by a signal; continue with --resume",
            Outcome::WallTime => "the wall-time limit is reached; continue with --resume",
            _ => "",
        };
        if outcome == Outcome::Completed {
            let tables = std::mem::replace(&mut self.tables, Tables::none());
            let series = tables.finish()?;
            results::plots(&title(self.scene), &series)?;
            self.paint(world)?;
        } else {
            self.tables.sync()?;
        }
        self.write_manifest(world, outcome, reason)?;
        let contact = *world.contact_statistics();
        Ok(RunReport {
            manifest: self.manifest,
            out: self.options.out.clone(),
            checkpoint: self.path,
            contact,
        })
    }

    /// Keeps the last good state and says why the run ended.
    ///
    /// A step that fails leaves the whole world as it was before, so the state of now is the last good one, also before
    /// the first step. The files get their final names: nothing is left half written.
    fn fail(mut self, world: &mut World, error: RunError) -> RunError {
        let source = match error {
            // What stops a run that has got going is the simulation, however the same thing would be called at its start.
            RunError::World(e) if diverges(&e) || world.step_count() > self.first_step => e,
            other => {
                let _ = self.write_manifest(world, Outcome::Failed, &other.to_string());
                return other;
            }
        };
        self.warn(world);
        let saved = self.save(world);
        // A file that cannot be completed keeps no other from being so, nor from being told why the run ended.
        let recorded = self.finish_recording(world);
        let tables = std::mem::replace(&mut self.tables, Tables::none());
        let finished = tables.finish().map(|_| ()).map_err(RunError::from);
        let written = self.write_manifest(world, Outcome::Diverged, &source.to_string());
        match saved.and(recorded).and(finished).and(written) {
            Ok(()) => RunError::Diverged {
                source: Box::new(source),
                time: world.time(),
                step: world.step_count(),
                checkpoint: self.path,
            },
            Err(e) => e,
        }
    }

    fn write_manifest(&mut self, world: &World, outcome: Outcome, reason: &str) -> Result<(), RunError> {
        let m = &mut self.manifest;
        m.outcome = outcome;
        m.reason = reason.into();
        m.steps = world.step_count();
        m.simulated_time = world.time();
        m.wall_time = self.clock.start.elapsed().as_secs_f64();
        m.state_hash = world.state_hash();
        m.files = if outcome == Outcome::Running { Vec::new() } else { files(&self.options.out) };
        m.write(&self.options.out.join(MANIFEST))?;
        Ok(())
    }

    fn tell(&mut self, world: &World, event: Event<'_>) {
        let wall_time = self.clock.start.elapsed().as_secs_f64();
        let done = world.time() - self.first_time;
        let steps = world.step_count().saturating_sub(self.first_step) as f64;
        (self.progress)(&Progress {
            event,
            time: world.time(),
            until: self.until,
            step: world.step_count(),
            steps_per_second: if wall_time > 0.0 { steps / wall_time } else { 0.0 },
            wall_time,
            remaining: (done > 0.0).then(|| wall_time / done * (self.until - world.time()).max(0.0)),
            fluid: pace(world),
        });
    }
}

/// Whether an analysis goes on.
fn flow(on: bool) -> ControlFlow<()> {
    if on { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}

/// Whether an error of a step is one of the simulation, also of its first step.
fn diverges(error: &WorldError) -> bool {
    let simulated = matches!(
        error,
        WorldError::LeftBounds { .. }
            | WorldError::Grains { .. }
            | WorldError::Fluid { .. }
            | WorldError::Core(_)
    );
    simulated && (matches!(error, WorldError::LeftBounds { .. }) || !error.is_input())
}

/// How the fluids of a world do.
fn pace(world: &World) -> Option<FluidPace> {
    let worst = |a: FluidPace, b: FluidPace| FluidPace {
        step: a.step.min(b.step),
        compressibility: a.compressibility.max(b.compressibility),
        lost: a.lost + b.lost,
    };
    let of = |s: FluidStatus| FluidPace { step: s.step, compressibility: s.compressibility, lost: s.lost };
    world.fluid_statuses().into_iter().map(of).reduce(worst)
}

/// Files of a run's folder, relative to it, checkpoints included.
pub(super) fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for (part, prefix) in [(folder.to_path_buf(), ""), (folder.join(super::CHECKPOINTS), "checkpoints/")] {
        for entry in std::fs::read_dir(part).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() && name != MANIFEST && !name.starts_with('.') {
                found.push(format!("{prefix}{name}"));
            }
        }
    }
    found.sort();
    found
}
