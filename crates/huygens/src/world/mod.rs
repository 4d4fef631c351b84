//! The world: a model that is built object by object and simulated.

mod analyses;
mod bodies;
mod contact;
mod coordinates;
mod coupling;
mod error;
mod extend;
mod fill;
mod fluids;
mod forces;
mod grains;
mod joints;
mod motion;
mod placement;
mod python_access;
mod quantities;
mod queries;
mod section;
mod shapes;
mod shown;
mod signals;
mod stage;
mod steer;
mod structures;
mod warnings;
mod watch;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use glam::DVec3;
use huygens_core::analysis::AssemblyReport;
use huygens_core::integrator::Stepper;
use huygens_core::keep::KeptState;
use huygens_core::signal::{Inputs, SignalGraph, UserOde, closest_name};
use huygens_core::{Arena, Model, State};
use huygens_exec::{Exec, Stop};
use huygens_multibody::{
    Assembly, BodyId, BushingId, CoordinateForceId, CouplingId, DragId, ForceLaw, JointId, LoadId,
    MaterialId, Mechanism, RopeId, Shaft, ShaftId, SpringId,
};

use crate::spec::{
    BodySpec, ContactPairSpec, CouplingSpec, FillSpec, ForceSpec, JointSpec, MaterialSpec, MotorSpec,
    ProbeSpec, Scene, Section, Settings, ShaftSpec, SignalEntry,
};

pub use contact::{ContactCallback, ContactReport, ContactSide, ContactStatistics};
pub use error::{Result, WorldError};
pub use extend::BoundaryPlace;
pub use fluids::FluidId;
pub use grains::{ClumpStates, GrainsId};
pub use huygens_particles::described::GrainTable;
pub use huygens_particles::fill::RainProgress;
pub use huygens_particles::{FluidField, FluidStatus, GrainField};
pub use quantities::{Column, Energy, Quantity, quantity_reference};
pub use queries::{NearestPoint, RayHit};
pub use section::Build;
pub use steer::InputState;
pub use structures::{NodeMotion, SectionForces, SolidStress, StructureId};

/// Handle of a motor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MotorId {
    /// A motor that prescribes a position or a speed.
    Motion(CouplingId),
    /// A motor that prescribes a torque or a force.
    Effort(CoordinateForceId),
}

/// Handle of a force element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ForceId {
    /// Spring between two points.
    Spring(SpringId),
    /// Rotational or torsion spring, clutch or brake.
    Coordinate(CoordinateForceId),
    /// Bushing.
    Bushing(BushingId),
    /// Applied force and torque.
    Load(LoadId),
    /// Drag.
    Drag(DragId),
    /// Rope.
    Rope(RopeId),
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Object {
    /// A body.
    Body(BodyId),
    /// A joint.
    Joint(JointId),
    /// A motor.
    Motor(MotorId),
    /// A coupling.
    Coupling(CouplingId),
    /// A force element.
    Force(ForceId),
    /// A shaft.
    Shaft(ShaftId),
    /// Granular matter.
    Grains(GrainsId),
    /// A fluid.
    Fluid(FluidId),
    /// A flexible structure.
    Structure(StructureId),
}

impl Object {
    /// Kind of object.
    pub fn section(&self) -> Section {
        match self {
            Object::Body(_) => Section::Bodies,
            Object::Joint(_) => Section::Joints,
            Object::Motor(_) => Section::Motors,
            Object::Coupling(_) => Section::Couplings,
            Object::Force(_) => Section::Forces,
            Object::Shaft(_) => Section::Shafts,
            Object::Grains(_) => Section::Grains,
            Object::Fluid(_) => Section::Fluids,
            Object::Structure(_) => Section::Structures,
        }
    }
}

type UserLaw = std::sync::Arc<dyn Fn(f64, Inputs<'_>) -> f64 + Send + Sync>;

/// A block of the signal graph, in the order in which they were added.
#[derive(Clone)]
enum SignalDraft {
    Spec(SignalEntry),
    Law { name: String, inputs: Vec<String>, law: UserLaw },
    Ode { name: String, inputs: Vec<String>, ode: UserOde },
}

impl SignalDraft {
    fn name(&self) -> &str {
        match self {
            Self::Spec(entry) => &entry.name,
            Self::Law { name, .. } | Self::Ode { name, .. } => name,
        }
    }
}

/// The model in motion.
struct Simulation {
    mechanism: Mechanism,
    /// Locked by readers; its evaluation point is the state when `fresh`.
    stepper: Mutex<Evaluator>,
    state: State,
    report: AssemblyReport,
    /// Owner of every collision shape of the model.
    proxy_owners: Vec<ContactSide>,
    probes: Vec<Quantity>,
    structures: Option<structures::Structures>,
}

struct Evaluator {
    stepper: Stepper,
    fresh: bool,
}

/// A world: bodies, joints, motors, forces, signals, grains, fluids and structures, and their state.
///
/// Objects may be added at any time; the model is rebuilt before the next step and bodies, shafts and
/// controllers keep their states.
pub struct World {
    settings: Settings,
    assembly: Assembly,
    exec: Exec,
    names: BTreeMap<String, Object>,
    materials: Vec<(MaterialId, MaterialSpec)>,
    /// Includes the default material once it is used.
    material_ids: BTreeMap<String, MaterialId>,
    bodies: Vec<(BodyId, BodySpec)>,
    /// Fills and the bodies they made.
    fills: Vec<(FillSpec, Range<usize>)>,
    grains: Arena<grains::GrainSet>,
    fluids: Arena<fluids::FluidSet>,
    structures: Vec<structures::StructureSet>,
    contact_pairs: Vec<ContactPairSpec>,
    groups: shapes::Groups,
    geometry: shapes::GeometryCache,
    callback: Option<Arc<dyn ContactCallback>>,
    extensions: extend::Extensions,
    statistics: ContactStatistics,
    joints: Vec<(JointId, JointSpec)>,
    shafts: Vec<(ShaftId, ShaftSpec)>,
    motors: Vec<(MotorId, MotorSpec)>,
    couplings: Vec<(CouplingId, CouplingSpec)>,
    forces: Vec<(ForceId, ForceSpec, Option<ForceLaw>)>,
    signals: Vec<SignalDraft>,
    probes: Vec<ProbeSpec>,
    simulation: Option<Simulation>,
    /// The state of the last model, while a new one is being built.
    carried: Option<KeptState>,
    /// Whether the model, the sub-systems and the settings agree, so that a step needs no look at them.
    ready: bool,
    time: f64,
    warnings: warnings::Warnings,
    stage_plan: shown::StagePlan,
    view: Option<serde_json::Value>,
}

impl Default for World {
    fn default() -> Self {
        Self::new(Settings::default().gravity)
    }
}

impl Build for ShaftSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_shaft(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.shafts.iter().map(|(_, spec)| spec)
    }

    fn count(world: &World) -> usize {
        world.shafts.len()
    }
}

impl Build for ProbeSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_probe(self)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.probes.iter()
    }

    fn count(world: &World) -> usize {
        world.probes.len()
    }
}

impl World {
    /// An empty world in gravity `gravity` [m/s²].
    pub fn new(gravity: [f64; 3]) -> Self {
        Self {
            settings: Settings { gravity, ..Settings::default() },
            assembly: Assembly::new(DVec3::from_array(gravity)),
            exec: Exec::serial(),
            names: BTreeMap::new(),
            materials: Vec::new(),
            material_ids: BTreeMap::new(),
            bodies: Vec::new(),
            fills: Vec::new(),
            grains: Arena::default(),
            fluids: Arena::default(),
            structures: Vec::new(),
            contact_pairs: Vec::new(),
            groups: shapes::Groups::default(),
            geometry: BTreeMap::new(),
            callback: None,
            extensions: extend::Extensions::default(),
            statistics: ContactStatistics::default(),
            joints: Vec::new(),
            shafts: Vec::new(),
            motors: Vec::new(),
            couplings: Vec::new(),
            forces: Vec::new(),
            signals: Vec::new(),
            probes: Vec::new(),
            simulation: None,
            carried: None,
            ready: false,
            time: 0.0,
            warnings: warnings::Warnings::default(),
            stage_plan: shown::StagePlan::default(),
            view: None,
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
        world.view = scene.view.clone();
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
        Scene { settings: self.settings.clone(), view: self.view.clone(), ..self.saved_sections() }
    }

    /// The settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The settings, to be changed; the next step uses them.
    pub fn settings_mut(&mut self) -> &mut Settings {
        self.ready = false;
        &mut self.settings
    }

    /// Render description that recordings carry, with the keys of a scene's `[view]`.
    pub fn view(&self) -> Option<&serde_json::Value> {
        self.view.as_ref()
    }

    /// Describes how recordings from now on are shown. The keys are checked where pictures are made.
    pub fn set_view(&mut self, view: Option<serde_json::Value>) {
        self.view = view;
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
        self.warnings.texts()
    }

    /// What a name stands for.
    pub fn object(&self, name: &str) -> Option<Object> {
        self.names.get(name).copied()
    }

    /// Handle of the body of that name.
    pub fn body(&self, name: &str) -> Result<BodyId> {
        match self.names.get(name) {
            Some(Object::Body(id)) => Ok(*id),
            _ => Err(self.unknown("body", name, |o| matches!(o, Object::Body(_)))),
        }
    }

    /// Handle of the joint of that name.
    pub fn joint(&self, name: &str) -> Result<JointId> {
        match self.names.get(name) {
            Some(Object::Joint(id)) => Ok(*id),
            _ => Err(self.unknown("joint", name, |o| matches!(o, Object::Joint(_)))),
        }
    }

    /// Handle of the shaft of that name.
    pub fn shaft(&self, name: &str) -> Result<ShaftId> {
        match self.names.get(name) {
            Some(Object::Shaft(id)) => Ok(*id),
            _ => Err(self.unknown("shaft", name, |o| matches!(o, Object::Shaft(_)))),
        }
    }

    /// Bodies with their descriptions, in the order they were added.
    pub fn bodies(&self) -> &[(BodyId, BodySpec)] {
        &self.bodies
    }

    /// Joints with their descriptions, in the order they were added.
    pub fn joints(&self) -> &[(JointId, JointSpec)] {
        &self.joints
    }

    /// Shafts with their descriptions, in the order they were added.
    pub fn shafts(&self) -> &[(ShaftId, ShaftSpec)] {
        &self.shafts
    }

    /// Motors with their descriptions, in the order they were added.
    pub fn motors(&self) -> &[(MotorId, MotorSpec)] {
        &self.motors
    }

    /// Couplings with their descriptions, in the order they were added.
    pub fn couplings(&self) -> &[(CouplingId, CouplingSpec)] {
        &self.couplings
    }

    /// Force elements with their descriptions, in the order they were added.
    pub fn forces(&self) -> impl Iterator<Item = (ForceId, &ForceSpec)> {
        self.forces.iter().map(|(id, spec, _)| (*id, spec))
    }

    /// Probes in the order they were added.
    pub fn probes(&self) -> &[ProbeSpec] {
        &self.probes
    }

    /// The engine's description of the mechanism.
    pub fn assembly(&self) -> &Assembly {
        &self.assembly
    }

    fn unknown(&self, kind: &'static str, name: &str, like: impl Fn(&Object) -> bool) -> WorldError {
        WorldError::Unknown { kind, name: name.into(), suggestion: self.suggest(name, like) }
    }

    fn suggest(&self, name: &str, like: impl Fn(&Object) -> bool) -> Option<String> {
        let candidates = self.names.iter().filter(|(_, o)| like(o)).map(|(n, _)| n.as_str());
        closest_name(name, candidates).map(str::to_owned)
    }

    /// Adds a shaft.
    pub fn add_shaft(&mut self, mut spec: ShaftSpec) -> Result<ShaftId> {
        self.claim(&mut spec)?;
        self.suspend();
        let shaft =
            Shaft { name: spec.name.clone(), inertia: spec.inertia, angle: spec.angle, speed: spec.speed };
        let id = self
            .assembly
            .add_shaft(shaft)
            .map_err(|e| WorldError::of_engine(Section::Shafts, &spec.name, e))?;
        self.names.insert(spec.name.clone(), Object::Shaft(id));
        self.shafts.push((id, spec));
        Ok(id)
    }

    /// Adds a quantity to be written to a time series.
    pub fn add_probe(&mut self, spec: ProbeSpec) -> Result<()> {
        self.probes.push(spec);
        self.ready = false;
        let result = self.refresh_probes();
        if result.is_err() {
            self.probes.pop();
        }
        result
    }

    /// The model, once it is built.
    pub fn model(&self) -> Option<&Model> {
        self.simulation.as_ref().map(|s| &*s.mechanism.model)
    }

    /// The signal graph, once it is built.
    pub fn signal_graph(&self) -> Option<&SignalGraph> {
        self.model().map(Model::signals)
    }
}
