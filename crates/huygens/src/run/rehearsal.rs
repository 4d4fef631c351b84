//! Everything that a run does before its first step, and the step itself, without a folder: the check of a scene.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use huygens_core::integrator::Integrator;
use huygens_exec::{Stop, peak_memory};

use super::outputs::Tables;
use super::{RunError, RunOptions, driver, results, setup};
use crate::scene::LoadedScene;
use crate::spec::Analysis;
use crate::world::World;

/// Wall-clock time after which the trial of an analysis is stopped.
const TRIAL: Duration = Duration::from_secs(2);
/// Wall-clock time that steps are measured for.
const MEASURED: Duration = Duration::from_millis(300);
/// Most steps that are measured.
const MEASURED_STEPS: u32 = 20;

/// What is known of a scene before it is run.
#[derive(Clone, Debug, PartialEq)]
pub struct Rehearsal {
    /// Bodies, those of fills included.
    pub bodies: usize,
    /// Shapes that collide.
    pub collision_shapes: usize,
    /// Grains, without those that will rain or enter.
    pub grains: usize,
    /// Particles of fluids.
    pub particles: usize,
    /// Nodes of structures.
    pub nodes: usize,
    /// Elements of structures.
    pub elements: usize,
    /// Degrees of freedom.
    pub degrees_of_freedom: usize,
    /// Redundant constraints.
    pub redundant: Vec<String>,
    /// Largest correction of the initial positions [m or rad].
    pub moved: f64,
    /// The time integrator.
    pub integrator: Integrator,
    /// Warnings of the set-up, and of a first step that fails.
    pub warnings: Vec<String>,
    /// Step size [s].
    pub step: f64,
    /// Number of steps; the least where the step size is controlled. None of an analysis without steps in time.
    pub steps: Option<f64>,
    /// Wall time per step [s], measured over the first few.
    pub seconds_per_step: Option<f64>,
    /// Largest memory of this process so far [bytes].
    pub memory: Option<u64>,
}

impl Rehearsal {
    /// Rough wall time of the run [s]: the measured steps stand for all of them.
    pub fn seconds(&self) -> Option<f64> {
        Some(self.steps? * self.seconds_per_step?)
    }
}

/// Does what [`run_scene`](super::run_scene) does before its first step, and tries that step or the analysis for a few
/// seconds; writes nothing.
///
/// Refuses exactly what a run refuses as input. Grains that are to rain stay away, as they take a simulation of their own.
pub fn rehearse(scene: &LoadedScene, options: &RunOptions) -> Result<Rehearsal, RunError> {
    driver::check(options)?;
    let flag = Arc::new(AtomicBool::new(false));
    let stop = Stop::when(flag.clone());
    let known: Arc<Mutex<Option<(Instant, Rehearsal)>>> = Arc::default();
    let (loaded, wishes, until, told) = (scene.clone(), options.clone(), stop.clone(), known.clone());
    let work = move || {
        let mut world = setup::rehearsed(&loaded.scene, &wishes, until.clone())?;
        check_outputs(&loaded, &mut world)?;
        let mut found = facts(&mut world)?;
        *told.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), found.clone()));
        let tried = attempt(&mut world, &mut found);
        found.memory = peak_memory();
        match tried {
            Ok(()) => Ok(found),
            Err(RunError::World(e)) if e.is_stopped() || until.is_set() => Ok(found),
            Err(error) if error.is_input() => Err(error),
            Err(error) => {
                found.warnings.push(format!("the first step fails: {error}"));
                Ok(found)
            }
        }
    };
    let mut meanwhile = || {
        let known = known.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().is_some_and(|(start, _)| start.elapsed() > TRIAL) {
            flag.store(true, Ordering::Relaxed);
        }
    };
    let done = stop.abandonable_with(work, &mut meanwhile);
    match (done, known.lock().unwrap_or_else(PoisonError::into_inner).take()) {
        (Ok(found), _) => found,
        // The trial does not listen: what was known before it is all.
        (Err(_), Some((_, found))) => Ok(found),
        (Err(stopped), None) => Err(crate::world::WorldError::from(stopped).into()),
    }
}

/// Refuses what the files of a run would refuse.
fn check_outputs(scene: &LoadedScene, world: &mut World) -> Result<(), RunError> {
    Tables::check(world)?;
    if world.settings().output.recording.enabled {
        let stage = world.stage(&driver::title(scene))?;
        let mut frame = stage.blank_frame();
        world.record(&mut frame)?;
    }
    Ok(())
}

fn facts(world: &mut World) -> Result<Rehearsal, RunError> {
    let report = world.initialize()?;
    let structures: Vec<_> = world.structures().map(|(id, _)| id).collect();
    let (mut nodes, mut elements) = (0, 0);
    for id in structures {
        let model = world.structure_model(id)?;
        nodes += model.nodes.len();
        elements += model.elements.len();
    }
    let sets: Vec<_> = world.grain_sets().map(|(id, _)| id).collect();
    let grains = sets.into_iter().map(|id| world.grain_count(id)).sum::<Result<usize, _>>()?;
    let (until, step) = (world.settings().until, world.longest_step());
    let steps = match world.settings().analysis {
        Analysis::Dynamics => Some((until / step - 1e-9).ceil().max(0.0)),
        Analysis::Kinematics => Some((until / world.settings().dt - 1e-9).ceil().max(0.0) + 1.0),
        Analysis::Statics | Analysis::Modes | Analysis::Buckling => None,
    };
    Ok(Rehearsal {
        bodies: world.bodies().len(),
        collision_shapes: world.assembly().collision.shapes().len(),
        grains,
        particles: world.fluid_statuses().iter().map(|status| status.particles).sum(),
        nodes,
        elements,
        degrees_of_freedom: report.degrees_of_freedom,
        redundant: report.redundant,
        moved: report.moved,
        integrator: world.integrator()?,
        warnings: world.warnings().to_vec(),
        step,
        steps,
        seconds_per_step: None,
        memory: None,
    })
}

/// The first steps, or the analysis.
fn attempt(world: &mut World, found: &mut Rehearsal) -> Result<(), RunError> {
    let (until, dt) = (world.settings().until, world.settings().dt);
    match world.settings().analysis {
        Analysis::Dynamics => {
            let start = Instant::now();
            let mut measured = start;
            for k in 0..MEASURED_STEPS {
                let Some(h) = world.next_step(until) else { break };
                match world.advance(h) {
                    Ok(_) => {}
                    Err(e) if k == 0 || e.is_stopped() => return Err(e.into()),
                    // What fails later is no input, but the run.
                    Err(e) => {
                        found.warnings.push(format!("step {} fails: {e}", k + 1));
                        break;
                    }
                }
                // The first step sets up what the others find.
                found.seconds_per_step = Some(match k {
                    0 => measured.elapsed().as_secs_f64(),
                    _ => measured.elapsed().as_secs_f64() / f64::from(k),
                });
                if k == 0 {
                    measured = Instant::now();
                }
                if start.elapsed() > MEASURED {
                    break;
                }
            }
            Ok(())
        }
        Analysis::Kinematics => {
            let now = world.time();
            Ok(world.kinematics(now, dt, &mut |_| ControlFlow::Break(()))?)
        }
        Analysis::Statics => statics(world),
        Analysis::Modes => {
            statics(world)?;
            results::check_modes(world)
        }
        Analysis::Buckling => {
            let count = world.settings().modes.unwrap_or_default().count;
            Ok(world.buckling(count).map(drop)?)
        }
    }
}

fn statics(world: &mut World) -> Result<(), RunError> {
    match world.has_load_path() {
        true => Ok(world.load_path(&mut |_, _| ControlFlow::Continue(())).map(drop)?),
        false => Ok(world.equilibrium().map(drop)?),
    }
}
