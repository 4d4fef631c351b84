//! The world: a model that is built object by object and simulated.

mod analyses;
mod bodies;
mod contact;
mod coordinates;
mod coupling;
mod energy;
mod error;
mod extend;
mod fill;
mod fluids;
mod forces;
mod grains;
mod hints;
mod joints;
mod lookup;
mod motion;
mod objects;
mod placement;
mod python_access;
mod quantities;
mod queries;
mod section;
mod shapes;
mod shown;
mod signals;
mod simulation;
mod stage;
mod steer;
mod structures;
mod warnings;
mod watch;

use glam::DVec3;
use huygens_core::Model;
use huygens_core::signal::SignalGraph;
use huygens_exec::{Exec, Stop};
use huygens_multibody::Assembly;

use crate::spec::{Scene, Section, Settings};

use objects::{Objects, SignalDraft};
use simulation::{Evaluator, Motion, Simulation};

pub use contact::{ContactCallback, ContactReport, ContactSide};
pub use error::{Result, WorldError};
pub use extend::BoundaryPlace;
pub use fluids::FluidId;
pub use grains::{ClumpStates, GrainsId};
pub use huygens_core::integrator::ContactStatistics;
pub use huygens_particles::described::GrainTable;
pub use huygens_particles::fill::RainProgress;
pub use huygens_particles::{FluidField, FluidStatus, GrainField};
pub use objects::{ForceId, MotorId, Object};
pub use quantities::{Column, Energy, Quantity, quantity_reference};
pub use queries::{NearestPoint, RayHit};
pub use section::Build;
pub use steer::InputState;
pub use structures::{NodeMotion, SectionForces, SolidStress, StructureId};

/// A world: bodies, joints, motors, forces, signals, grains, fluids and structures, and their state.
///
/// Objects may be added and removed at any time; the model is rebuilt before the next step and bodies, shafts and
/// controllers keep their states.
pub struct World {
    settings: Settings,
    exec: Exec,
    objects: Objects,
    /// What a program adds that no scene describes.
    extensions: extend::Extensions,
    motion: Motion,
    reports: Reports,
    recording: Recording,
}

/// What a run has to tell.
#[derive(Default)]
struct Reports {
    warnings: warnings::Warnings,
    energy: energy::EnergyWatch,
    statistics: ContactStatistics,
}

/// How recordings show the world.
#[derive(Default)]
struct Recording {
    stage_plan: shown::StagePlan,
    /// Render description, with the keys of a scene's `[view]`.
    view: Option<serde_json::Value>,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Settings::default().gravity)
    }
}

impl World {
    /// An empty world in gravity `gravity` [m/s²].
    pub fn new(gravity: [f64; 3]) -> Self {
        Self {
            settings: Settings { gravity, ..Settings::default() },
            exec: Exec::serial(),
            objects: Objects::new(DVec3::from_array(gravity)),
            extensions: extend::Extensions::default(),
            motion: Motion::default(),
            reports: Reports::default(),
            recording: Recording::default(),
        }
    }

    /// Builds the world of a scene whose includes have been resolved.
    pub fn from_scene(scene: &Scene) -> Result<Self> {
        Self::from_scene_on(scene, Exec::serial())
    }

    /// The same as [`World::from_scene`], with loops where `exec` runs them; building ends in an error when it is asked
    /// to stop.
    pub fn from_scene_on(scene: &Scene, exec: Exec) -> Result<Self> {
        let mut world = Self::new(scene.settings.gravity);
        world.exec = exec;
        world.settings = scene.settings.clone();
        world.reports.warnings.silence(&scene.settings.silence);
        world.recording.view = scene.view.clone();
        world.check_settings()?;
        scene.check_references()?;
        for section in Section::in_building_order() {
            world.build_section(section, scene)?;
        }
        world.check_signals()?;
        world.check_probes()?;
        Ok(world)
    }

    /// The world as a scene: the settings and every object in the order they were added. User laws, and what else
    /// a program added of its own, are not part of it.
    pub fn to_scene(&self) -> Scene {
        Scene { settings: self.settings.clone(), view: self.recording.view.clone(), ..self.saved_sections() }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to be changed; the next step uses them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        self.motion.ready = false;
        &mut self.settings
    }

    /// Render description that recordings carry, with the keys of a scene's `[view]`.
    pub fn view(&self) -> Option<&serde_json::Value> {
        self.recording.view.as_ref()
    }

    /// Describes how recordings from now on are shown. The keys are checked where pictures are made.
    pub fn set_view(&mut self, view: Option<serde_json::Value>) {
        self.recording.view = view;
    }

    /// Runs loops on `threads` threads (`0`: all cores). Results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) -> Result<()> {
        self.exec = Exec::with_threads(threads)?.with_stop(self.exec.stop().clone());
        self.renew_stepper()
    }

    /// Sets what asks building, steps and analyses to stop before their end; they are then errors for which
    /// [`WorldError::is_stopped`] holds. Results of work that is not stopped do not depend on it.
    pub fn set_stop(&mut self, stop: Stop) -> Result<()> {
        self.exec = self.exec.clone().with_stop(stop);
        self.renew_stepper()
    }

    /// Number of threads.
    pub fn threads(&self) -> usize {
        self.exec.threads()
    }

    /// Warnings, in order.
    pub fn warnings(&self) -> &[String] {
        self.reports.warnings.texts()
    }

    /// The engine's description of the mechanism.
    pub fn assembly(&self) -> &Assembly {
        &self.objects.assembly
    }

    /// The model, once it is built.
    pub fn model(&self) -> Option<&Model> {
        self.motion.simulation.as_ref().map(|s| &*s.mechanism.model)
    }

    /// The signal graph, once it is built.
    pub fn signal_graph(&self) -> Option<&SignalGraph> {
        self.model().map(Model::signals)
    }
}
