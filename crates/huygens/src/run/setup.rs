//! Builds the world of a run where a wish to stop is obeyed.

use std::ops::ControlFlow;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use huygens_exec::{Exec, Stop, StopCause};
use huygens_record::{Checkpoint, Manifest, Outcome};

use super::driver::{PROGRESS_INTERVAL, files};
use super::{Event, MANIFEST, Progress, RunError, RunOptions, RunReport, folder};
use crate::scene::LoadedScene;
use crate::spec::{Analysis, Scene};
use crate::world::{ContactStatistics, RainProgress, Result, World};

/// What a run can stop for: the flag of its options, and its wall-clock allowance.
pub(super) fn stop_of(options: &RunOptions, start: Instant) -> std::result::Result<Stop, RunError> {
    let stop = Stop::when(options.stop.clone());
    // An allowance beyond what a clock can tell is none.
    let allowed = options.max_wall_time.and_then(|s| Duration::try_from_secs_f64(s).ok());
    match allowed.and_then(|allowed| start.checked_add(allowed)) {
        Some(deadline) => Ok(stop.by(deadline).map_err(crate::world::WorldError::from)?),
        None => Ok(stop),
    }
}

/// How a run that stopped for this ended.
pub(super) fn outcome_of(cause: StopCause) -> Outcome {
    match cause {
        StopCause::Asked => Outcome::Signal,
        StopCause::Deadline => Outcome::WallTime,
    }
}

/// The world of a scene, ready for its first step; none where it was asked to stop.
///
/// Everything is built on a thread of its own that owns what it works on. Most of the work notices a wish to stop by
/// itself; what does not (a file that is read, a mesh that is cut into pieces) is left behind, which loses nothing: no
/// state exists yet.
pub(super) fn build(
    scene: &LoadedScene,
    options: &RunOptions,
    checkpoint: Option<Checkpoint>,
    (stop, start): (&Stop, Instant),
    progress: &mut dyn FnMut(&Progress<'_>),
) -> std::result::Result<Option<World>, RunError> {
    let (rained, rains) = mpsc::channel::<RainProgress>();
    let (own, wishes, until) = (scene.scene.clone(), options.clone(), stop.clone());
    let work = move || prepare(&own, &wishes, checkpoint, until, &rained);
    let end = options.until.unwrap_or(scene.scene.settings.until);
    let mut shown = Instant::now();
    let mut meanwhile = || {
        let rain = rains.try_iter().last();
        if rain.is_none() && shown.elapsed() < PROGRESS_INTERVAL {
            return;
        }
        shown = Instant::now();
        progress(&Progress {
            event: rain.as_ref().map_or(Event::Preparing, Event::Rain),
            time: 0.0,
            until: end,
            step: 0,
            steps_per_second: 0.0,
            wall_time: start.elapsed().as_secs_f64(),
            remaining: None,
            fluid: None,
        });
    };
    match stop.abandonable_with(work, &mut meanwhile) {
        Ok(Ok(world)) => Ok(Some(world)),
        Ok(Err(error)) if error.is_stopped() => Ok(None),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Ok(None),
    }
}

/// The world of a scene as a run from the start has it before its first step, but without rain.
pub(super) fn rehearsed(scene: &Scene, options: &RunOptions, stop: Stop) -> Result<World> {
    let mut world = configured(scene, options, stop)?;
    world.skip_rain();
    ready(&mut world, None)?;
    Ok(world)
}

fn prepare(
    scene: &Scene,
    options: &RunOptions,
    checkpoint: Option<Checkpoint>,
    stop: Stop,
    rained: &mpsc::Sender<RainProgress>,
) -> Result<World> {
    let mut world = configured(scene, options, stop.clone())?;
    match checkpoint {
        Some(_) => world.skip_rain(),
        None => {
            let mut sent = None::<Instant>;
            world.rain_grains(&mut |rain| {
                if sent.is_none_or(|sent| sent.elapsed() >= PROGRESS_INTERVAL) {
                    sent = Some(Instant::now());
                    // Nobody listens any more where the work was left behind.
                    let _ = rained.send(rain.clone());
                }
                ControlFlow::Continue(())
            })?;
        }
    }
    ready(&mut world, checkpoint.as_ref())?;
    stop.check()?;
    Ok(world)
}

fn configured(scene: &Scene, options: &RunOptions, stop: Stop) -> Result<World> {
    let exec = Exec::with_threads(options.threads.unwrap_or(1))?.with_stop(stop);
    let mut world = World::from_scene_on(scene, exec)?;
    let settings = world.settings_mut();
    settings.until = options.until.unwrap_or(settings.until);
    settings.dt = options.dt.unwrap_or(settings.dt);
    settings.seed = options.seed.unwrap_or(settings.seed);
    settings.output.checkpoint_every = options.checkpoint_every.or(settings.output.checkpoint_every);
    Ok(world)
}

/// Builds the model and puts it where the run begins.
fn ready(world: &mut World, checkpoint: Option<&Checkpoint>) -> Result<()> {
    world.initialize()?;
    if let Some(checkpoint) = checkpoint {
        world.restore(checkpoint)?;
    }
    if matches!(world.settings().analysis, Analysis::Dynamics | Analysis::Kinematics) {
        let until = world.settings().until;
        world.check_until(until)?;
        world.warn_of_length(until);
    }
    Ok(())
}

/// Leaves a folder that says that the run was stopped before its first step; what a run to be continued has got stays.
pub(super) fn stopped(
    scene: &LoadedScene,
    options: &RunOptions,
    (stop, start): (&Stop, Instant),
    resumed_from: Option<u64>,
    mut lock: Option<folder::FolderLock>,
) -> std::result::Result<RunReport, RunError> {
    let outcome = stop.cause().map_or(Outcome::Signal, outcome_of);
    let why = match outcome {
        Outcome::WallTime => "the wall-time limit was reached",
        _ => "stopped by a signal",
    };
    let mut manifest = Manifest {
        version: env!("CARGO_PKG_VERSION").into(),
        scene: Some(scene.path().display().to_string()),
        scene_hash: scene.hash(),
        seed: options.seed.unwrap_or(scene.scene.settings.seed),
        threads: options.threads.unwrap_or(1),
        wall_time: start.elapsed().as_secs_f64(),
        outcome,
        reason: format!("{why} while the model was built, before the first step; start again with --resume"),
        resumed_from,
        ..Manifest::default()
    };
    let path = options.out.join(MANIFEST);
    match resumed_from {
        None => folder::claim(&options.out, options.force, &mut lock)?,
        Some(_) => {
            // The run stays where it was.
            let before = Manifest::read(&path)?;
            (manifest.steps, manifest.simulated_time) = (before.steps, before.simulated_time);
            (manifest.state_hash, manifest.warnings) = (before.state_hash, before.warnings);
            manifest.reason = format!("{why} while the model was built; continue with --resume");
        }
    }
    manifest.files = files(&options.out);
    manifest.write(&path)?;
    let (out, contact) = (options.out.clone(), ContactStatistics::default());
    Ok(RunReport { manifest, out, checkpoint: None, contact })
}
