//! Moving a world through time, and reading and changing its state.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use glam::DVec3;
use huygens_core::analysis::{self, AssemblyReport, Kinematics, StaticsReport, StaticsSettings};
use huygens_core::builder::{BuildError, ContactSetup, ModelBuilder, Part};
use huygens_core::bytes::{Reader, Writer};
use huygens_core::integrator::{AlphaParameters, Integrator, Newton, StepReport, Stepper, StepperSettings};
use huygens_core::keep::KeptState;
use huygens_core::{CoreError, Model, State, System};
use huygens_multibody::{BodyKind, JointId, Measurement, MechanismPart, ReactionAxes, Side};
use huygens_record::Checkpoint;
use huygens_solve::Modes;

use super::coupling::of_core;
use super::quantities::{Energy, Source, WorldRead};
use super::watch::{about_assembly, about_redundancy, automatic};
use super::{Evaluator, Result, Simulation, World, WorldError};
use crate::spec::{Section, WarningKind, given, shown};

/// Chunk of a checkpoint that names the objects of the world.
const OBJECTS: &str = "objects";
/// Steps of a run above which there is a warning before it.
const MANY_STEPS: f64 = 1e9;
/// Steps per second of very small models.
const FAST: f64 = 1e5;
/// Correction of the initial velocities above which assembly warns [m/s or rad/s].
const NOTABLE_CHANGE: f64 = 1e-6;

impl World {
    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.motion.time()
    }

    /// Steps done since the start.
    pub fn step_count(&self) -> u64 {
        self.motion.step_count()
    }

    pub(super) fn check_settings(&self) -> Result<()> {
        self.settings.check()?;
        Ok(self.settings.contact.check()?)
    }

    fn stepper_settings(&self, model: &Model) -> StepperSettings {
        let s = &self.settings;
        let integrator = s.integrator.unwrap_or_else(|| automatic(model));
        let newton = Newton { solver: self.linear_solver(), ..s.newton };
        StepperSettings { integrator, newton, control: s.step_control }
    }

    /// The time integrator: that of the settings, or one that suits the model; the model is built if it is
    /// not.
    pub fn integrator(&mut self) -> Result<Integrator> {
        let given = self.settings.integrator;
        let s = self.running()?;
        Ok(given.unwrap_or_else(|| automatic(&s.mechanism.model)))
    }

    /// Takes the model apart before a change: what belongs to each object is kept for the next one. The descriptions of
    /// bodies, shafts and joint angles follow the state, since what is added next may refer to where they are.
    pub(super) fn suspend(&mut self) {
        self.motion.ready = false;
        let Some(simulation) = self.motion.simulation.take() else { return };
        for (id, _) in &self.objects.bodies {
            let Some(body) = self.objects.assembly.body_mut(*id) else { continue };
            let pose = simulation.body_motion(*id, body.center_of_mass);
            if let Some(pose) = pose.filter(|_| matches!(body.kind, BodyKind::Dynamic)) {
                body.position = pose.position;
                body.rotation = pose.rotation;
                body.velocity = pose.velocity;
                body.angular_velocity = pose.rotation.inverse() * pose.angular_velocity;
            }
        }
        for (id, _) in &self.objects.shafts {
            if let (Some((q, v)), Some(shaft)) =
                (simulation.mechanism.shaft_place(*id), self.objects.assembly.shaft_mut(*id))
            {
                (shaft.angle, shaft.speed) = (simulation.state.q[q], simulation.state.v[v]);
            }
        }
        for (id, _) in &self.objects.joints {
            let names =
                self.objects.assembly.joint(*id).map(|j| j.kind.coordinate_names()).unwrap_or_default();
            for (k, _) in names.iter().enumerate().filter(|(_, n)| n.starts_with("angle")) {
                let mut evaluator = simulation.evaluate();
                let view = evaluator.stepper.system().view(&simulation.state.history);
                let angle = simulation.mechanism.measure(&view, &Measurement::Coordinate(*id, k));
                self.objects.assembly.set_start_angle(*id, k, angle);
            }
        }
        self.motion.time = simulation.state.time;
        self.motion.carried = Some(KeptState::take(&simulation.mechanism.model, simulation.state));
    }

    /// Builds the model and assembles consistent initial conditions, unless that is done already.
    ///
    /// Redundant constraints and corrections of the initial state are reported in [`World::warnings`].
    pub fn initialize(&mut self) -> Result<AssemblyReport> {
        self.make_ready()?;
        Ok(self.motion.simulation.as_ref().map(|s| s.report.clone()).unwrap_or_default())
    }

    fn make_ready(&mut self) -> Result<()> {
        if self.motion.ready {
            return Ok(());
        }
        self.reports.energy.restart();
        self.reports.warnings.silence(&self.settings.silence);
        self.initialize_bodies()?;
        self.prepare_grains()?;
        self.prepare_fluids()?;
        self.attach_sub_systems()?;
        self.motion.ready = true;
        Ok(())
    }

    pub(super) fn initialize_bodies(&mut self) -> Result<()> {
        let gravity = DVec3::from_array(self.settings.gravity);
        let contact = self.settings.contact;
        let settings = self.motion.simulation.as_ref().map(|s| self.stepper_settings(&s.mechanism.model));
        if let (Some(s), Some(settings)) = (&mut self.motion.simulation, settings) {
            let same_model = s.mechanism.model.gravity() == gravity
                && s.mechanism.model.contact().is_none_or(|c| *c.settings() == contact);
            let evaluator = s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
            let changed = *evaluator.stepper.settings() != settings;
            if same_model && !changed {
                return Ok(());
            }
            if same_model {
                self.settings.check()?;
                check_step_control(&settings)?;
                let stepper = Stepper::new(s.mechanism.model.clone(), self.exec.clone(), settings)?;
                *evaluator = Evaluator { stepper, fresh: false };
                s.state.disturb();
                evaluator.stepper.initialize(&mut s.state, self.settings.dt)?;
                return Ok(());
            }
            self.suspend();
        }
        self.build(gravity)
    }

    fn build(&mut self, gravity: DVec3) -> Result<()> {
        self.check_settings()?;
        self.check_constraint_fluids()?;
        let (graph, sensors) = self.build_signals()?;
        self.connect_signals(&graph)?;
        let probes = self.probe_quantities()?;
        self.objects.assembly.gravity = gravity;
        self.objects.assembly.boundary_bodies = self.touched_bodies();
        let proxy_owners = self.proxy_owners();
        self.prepare_contact(&proxy_owners)?;
        let mut structures = self.prepare_structures()?;
        let mut fluids = self.constraint_fluids();
        // Bodies first, so that their coordinates and rows keep their places whatever else there is.
        let mut bodies = MechanismPart::new(&self.objects.assembly, &sensors);
        let mut parts: Vec<&mut dyn Part> = vec![&mut bodies];
        parts.extend(structures.iter_mut().map(|s| s as &mut dyn Part));
        parts.extend(fluids.iter_mut().map(|(_, fluid)| fluid as &mut dyn Part));
        parts.extend(self.extensions.parts.iter_mut().map(|(_, part)| &mut **part as &mut dyn Part));
        let law = self.extensions.law.clone();
        let contact = ContactSetup { law, ..self.objects.assembly.contact_setup() };
        let built = ModelBuilder::new(gravity).signals(graph).contact(contact).build(&mut parts);
        let model = built.map_err(|e| self.of_build(e))?;
        check_shapes(&model, proxy_owners.len())?;
        let mechanism = bodies.into_mechanism(model);
        let model = mechanism.model.clone();
        let settings = self.stepper_settings(&model);
        check_step_control(&settings)?;
        let mut stepper = Stepper::new(model.clone(), self.exec.clone(), settings)?;
        let mut state = State::new(&model);
        (state.time, state.seed) = (self.motion.time, self.settings.seed);
        self.settle_fluids(&fluids, &mut state);
        if let Some(kept) = &self.motion.carried {
            kept.restore(stepper.system(), &mut state);
        }
        let report = if self.settings.assemble {
            analysis::assemble(stepper.system(), &mut state)?
        } else {
            analysis::check_start(stepper.system(), &mut state)?
        };
        stepper.initialize(&mut state, self.settings.dt)?;
        state.step = self.motion.carried.as_ref().map_or(0, |kept| kept.step);
        state.check_finite(&model)?;
        self.warn_about(&report);
        self.motion.gone.clear();
        let first = match self.motion.carried.take() {
            Some(kept) => {
                state.blocks = kept.blocks;
                false
            }
            None => true,
        };
        let stepper = Mutex::new(Evaluator { stepper, fresh: false });
        self.motion.simulation =
            Some(Simulation { mechanism, stepper, state, report, proxy_owners, probes, structures });
        self.give_hints();
        if first {
            self.warn_about_overlaps();
        }
        Ok(())
    }

    fn warn_about(&mut self, report: &AssemblyReport) {
        let mut new = Vec::new();
        new.extend(about_assembly(report));
        // Bodies at rest under a motor that starts at speed are no mistake, nor is the error of the integrator in the
        // velocities of a model rebuilt; velocities that were given are.
        let rest =
            |b: &huygens_multibody::Body| b.velocity == DVec3::ZERO && b.angular_velocity == DVec3::ZERO;
        let at_rest = self.objects.assembly.bodies().iter().all(|(_, b)| rest(b));
        if report.velocity_change > NOTABLE_CHANGE && !at_rest && self.motion.carried.is_none() {
            new.push(format!(
                "the initial velocities violated the joints and were changed by up to {:.3e} (m/s or rad/s)",
                report.velocity_change
            ));
        }
        if !report.redundant.is_empty() {
            new.push(about_redundancy(report));
        }
        new.into_iter().for_each(|text| self.reports.warnings.push_of(WarningKind::Joints, text));
    }

    /// Puts an error of building the model on the object it names.
    fn of_build(&self, error: BuildError) -> WorldError {
        let name = error.object().map(|object| object.name).unwrap_or_default();
        if self.extensions.has_part(&name) {
            return WorldError::Build(error);
        }
        // Joints of nodes are described in the structure that owns the node.
        let (section, name) = match (self.objects.names.get(&name), self.structure_of_joint(&name)) {
            (None, Some(structure)) => (Section::Structures, structure),
            (owner, _) => (owner.map_or(Section::Bodies, |o| o.section()), name.as_str()),
        };
        WorldError::of_engine(section, name, error.into())
    }

    pub(super) fn refresh_probes(&mut self) -> Result<()> {
        if self.motion.simulation.is_some() {
            let probes = self.probe_quantities()?;
            self.motion.simulation.iter_mut().for_each(|s| s.probes = probes.clone());
        }
        Ok(())
    }

    pub(super) fn running(&mut self) -> Result<&mut Simulation> {
        self.make_ready()?;
        Ok(self.motion.simulation.as_mut().expect("initialize made it"))
    }

    /// Advances by one step of the settings' `dt` (or what the step control chooses).
    pub fn step(&mut self) -> Result<StepReport> {
        let dt = self.settings.dt;
        self.advance(dt)
    }

    /// Advances by one step of at most `dt` [s].
    ///
    /// Grains and fluids advance first, in sub-steps, then bodies under the resulting loads. On an error the world
    /// is as it was before.
    pub fn advance(&mut self, dt: f64) -> Result<StepReport> {
        self.make_ready()?;
        self.begin_energy_watch();
        let s = self.running()?;
        let evaluator = s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
        evaluator.fresh = false;
        let explicit = World::is_explicit(&evaluator.stepper.settings().integrator);
        let report = evaluator.stepper.step(&mut s.state, dt);
        let findings = evaluator.stepper.take_findings();
        self.warn_of(findings);
        let report = report.map_err(|e| of_core(self.blame(e)))?;
        if let Err(error) = self.check_bounds().and_then(|()| self.check_markers()) {
            let s = self.running()?;
            let evaluator = s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
            evaluator.fresh = false;
            evaluator.stepper.roll_back(&mut s.state)?;
            return Err(error);
        }
        let time = self.time();
        self.reports.statistics.record(&report, time, explicit);
        self.watch_energy(report.critical_step);
        self.warn_of_fluids();
        Ok(report)
    }

    /// Size of the next step on the way to `until` [s]; none if that is reached.
    ///
    /// The last step is cut to end there; a rest that is only rounding neither shortens it nor adds one.
    pub fn next_step(&self, until: f64) -> Option<f64> {
        let rest = until - self.time();
        let dt = self.longest_step();
        let rounding = self.rounding(until);
        if rest <= rounding {
            None
        } else if rest < dt - rounding {
            Some(rest)
        } else {
            Some(dt)
        }
    }

    /// The size of a step that nothing cuts [s].
    pub(crate) fn longest_step(&self) -> f64 {
        match &self.settings.step_control {
            Some(control) => control.max_step,
            None => self.settings.dt,
        }
    }

    /// What rounding may do to a time near `until` [s].
    fn rounding(&self, until: f64) -> f64 {
        1e-9 * self.longest_step() + 4.0 * f64::EPSILON * until.abs()
    }

    /// Refuses an end that is no number, or that the world has passed.
    pub(crate) fn check_until(&self, until: f64) -> Result<()> {
        let refused = |expected: String| {
            Err(WorldError::Value { what: "until".into(), value: until.to_string(), expected })
        };
        if !until.is_finite() {
            return refused("a finite time".into());
        }
        match until < self.time() - self.rounding(until) {
            true => refused(format!("a time from {} s on, which the world has reached,", shown(self.time()))),
            false => Ok(()),
        }
    }

    /// Warns of a run to `until` [s] that would take more steps than anybody waits for.
    pub(crate) fn warn_of_length(&mut self, until: f64) {
        let step = self.longest_step();
        let steps = (until - self.time()) / step;
        if steps > MANY_STEPS {
            let hours = steps / FAST / 3600.0;
            let span =
                if hours < 48.0 { format!("{hours:.0} hours") } else { format!("{:.0} days", hours / 24.0) };
            self.reports.warnings.push(format!(
                "{steps:.1e} steps of {} s lead to {} s: about {span} at {FAST:.0e} steps per second, which only the \
                 smallest models reach; check `until` and `dt`",
                given(step),
                given(until)
            ));
        }
    }

    /// The whole state, once the model is built.
    pub fn state(&self) -> Option<&State> {
        self.motion.simulation.as_ref().map(|s| &s.state)
    }

    /// Hash of the whole state, in hexadecimal; empty before the model is built.
    pub fn state_hash(&self) -> String {
        let Some(Ok(chunks)) = self.state().map(State::to_chunks) else { return String::new() };
        let mut hasher = blake3::Hasher::new();
        for (name, bytes) in chunks {
            hasher.update(name.as_bytes());
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(&bytes);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// The state as named byte strings, for a checkpoint.
    pub fn save(&mut self) -> Result<Vec<(&'static str, Vec<u8>)>> {
        let mut chunks = self.running()?.state.to_chunks()?;
        let mut objects = Writer::default();
        let names = self.object_names();
        objects.number(names.len() as u64);
        names.iter().for_each(|name| objects.bytes(name.as_bytes()));
        chunks.push((OBJECTS, objects.into_bytes()));
        Ok(chunks)
    }

    /// Writes a checkpoint into a folder and returns its path.
    pub fn write_checkpoint(&mut self, folder: &Path) -> Result<PathBuf> {
        let chunks = self.save()?;
        let borrowed: Vec<(&str, &[u8])> = chunks.iter().map(|(n, b)| (*n, b.as_slice())).collect();
        Ok(huygens_record::checkpoint::write_checkpoint(folder, self.step_count(), &borrowed)?)
    }

    /// Continues from a checkpoint of the same model.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<()> {
        self.restore_chunks(|name| checkpoint.chunk(name).ok())
    }

    /// Continues from the named byte strings of [`World::save`].
    pub fn restore_chunks<'a>(&mut self, find: impl Fn(&str) -> Option<&'a [u8]>) -> Result<()> {
        self.make_ready()?;
        self.check_objects(find(OBJECTS))?;
        let s = self.running()?;
        let state = s.state.restored(&s.mechanism.model, find)?;
        state.check_finite(&s.mechanism.model)?;
        s.state.copy_numbers_from(&state);
        s.state.blocks = state.blocks;
        self.renew_stepper()?;
        let s = self.motion.simulation.as_mut().expect("it runs");
        let changes = s.state.parameters.clone();
        s.evaluator().stepper.apply_changes(&changes)?;
        self.reports.energy.restart();
        Ok(())
    }

    /// Names of all objects, those of the program's own parts included.
    fn object_names(&self) -> BTreeSet<&str> {
        let parts = self.extensions.parts.iter().map(|(name, _)| name.as_str());
        self.objects.names.keys().map(String::as_str).chain(parts).collect()
    }

    /// Refuses a saved state of other objects, by the name of the first that differs.
    fn check_objects(&self, saved: Option<&[u8]>) -> Result<()> {
        let mismatch = |reason: String| WorldError::from(CoreError::StateMismatch { reason });
        let mut input =
            Reader::new(saved.ok_or_else(|| mismatch("its objects are missing".into()))?, "objects");
        let mut names = BTreeSet::new();
        for _ in 0..input.number()? {
            names.insert(String::from_utf8_lossy(input.bytes()?).into_owned());
        }
        input.end()?;
        let own = self.object_names();
        if let Some(name) = names.iter().find(|name| !own.contains(name.as_str())) {
            return Err(mismatch(format!("it has '{name}', which is not here")));
        }
        match own.iter().find(|name| !names.contains(**name)) {
            Some(name) => Err(mismatch(format!("it has no '{name}'"))),
            None => Ok(()),
        }
    }

    /// Rebuilds the work space; the state stays.
    pub(super) fn renew_stepper(&mut self) -> Result<()> {
        let exec = self.exec.clone();
        let settings = self.motion.simulation.as_ref().map(|s| self.stepper_settings(&s.mechanism.model));
        if let (Some(s), Some(settings)) = (&mut self.motion.simulation, settings) {
            let stepper = Stepper::new(s.mechanism.model.clone(), exec, settings)?;
            s.stepper = Mutex::new(Evaluator { stepper, fresh: false });
        }
        self.attach_sub_systems()
    }

    /// A measured number; the model is built if it is not.
    pub fn measure(&mut self, measurement: &Measurement) -> Result<f64> {
        self.initialize()?;
        self.read(measurement)
    }

    /// A measured number of a model that is built.
    pub fn read(&self, measurement: &Measurement) -> Result<f64> {
        self.motion
            .with_view(|s, view| {
                s.mechanism.check(measurement).map_err(|e| self.of_build(e.into()))?;
                Ok(s.mechanism.measure(view, measurement))
            })
            .unwrap_or_else(not_built)
    }

    /// Appends the values of all probes like [`World::probe_values`], and refuses those that are not finite: they have
    /// overflowed. Fluids, measures of grains and probes of the program's own may be without a value.
    pub fn probe_row(&mut self, out: &mut Vec<f64>) -> Result<()> {
        let first = out.len();
        self.probe_values(out)?;
        let (time, step) = (self.time(), self.step_count());
        let Some(s) = &self.motion.simulation else { return Ok(()) };
        let own = s.probes.iter().map(|probe| (&probe.column, probe.source.may_be_empty()));
        let columns = own.chain(self.extensions.columns().map(|column| (column, true)));
        for (value, (column, may_be_empty)) in out[first..].iter().zip(columns) {
            if !(value.is_finite() || value.is_nan() && may_be_empty) {
                let what = format!("probe '{}'", column.name).into();
                return Err(CoreError::NonFinite { what, time, step }.into());
            }
        }
        Ok(())
    }

    /// Appends the values of all probes, in the order of [`World::probe_columns`]; NaN for those without a value, such as
    /// the pressure where there is no fluid.
    pub fn probe_values(&mut self, out: &mut Vec<f64>) -> Result<()> {
        self.initialize()?;
        let Some(s) = &self.motion.simulation else { return Ok(()) };
        let needs = |wanted: fn(&Source) -> bool| s.probes.iter().any(|p| wanted(&p.source));
        let contacts = if needs(|s| matches!(s, Source::Contact { .. })) { s.contacts() } else { Vec::new() };
        let needs_of_world = |wanted: fn(&WorldRead) -> bool| {
            s.probes.iter().any(|p| matches!(p.source, Source::World(row) if wanted(&row.read)))
        };
        let wants_residual = needs_of_world(|read| matches!(read, WorldRead::Residual));
        let residual = if wants_residual { s.residual() } else { 0.0 };
        let mut evaluator = s.evaluate();
        let particles = evaluator.stepper.sub_system_energy(&s.state);
        let system = evaluator.stepper.system();
        let energy = if needs_of_world(|read| matches!(read, WorldRead::Energy(_))) {
            let energy = system.energy(&s.state.history);
            std::array::from_fn(|k| energy[k] + particles[k])
        } else {
            [0.0; 3]
        };
        let view = system.view(&s.state.history);
        out.extend(s.probes.iter().map(|p| match &p.source {
            Source::Measurement(m) => s.mechanism.measure(&view, m),
            Source::Signal(i) => view.signals[*i],
            Source::World(row) => match row.read {
                WorldRead::Energy(read) => read(&energy),
                WorldRead::Residual => residual,
            },
            Source::Grains(quantity) => self.grain_number(quantity),
            Source::Fluid(quantity) => self.fluid_number(quantity),
            Source::Structure(quantity) => self.structure_number(quantity),
            Source::Contact(q) => q.value(&contacts, |body| {
                let frame = s.mechanism.body_frame(body).and_then(|f| view.frames.get(f));
                frame.map_or(DVec3::ZERO, |f| f.origin)
            }),
        }));
        drop(evaluator);
        self.user_probe_values(out)
    }

    /// Value of a signal.
    pub fn signal(&mut self, name: &str) -> Result<f64> {
        self.initialize()?;
        let graph = self.signal_graph().map(|g| g.signal(name));
        match graph {
            Some(Ok(id)) => Ok(self.motion.with_view(|_, view| view.signals[id.index()]).unwrap_or(0.0)),
            _ => Err(WorldError::Unknown {
                kind: "signal",
                name: name.into(),
                suggestion: huygens_core::signal::closest_name(name, self.signal_names()).map(str::to_owned),
            }),
        }
    }

    /// Kinetic, gravitational and elastic energy [J].
    pub fn energy(&mut self) -> Result<Energy> {
        let s = self.running()?;
        let mut evaluator = s.evaluate();
        let grains = evaluator.stepper.sub_system_energy(&s.state);
        let [kinetic, potential, elastic] = evaluator.stepper.system().energy(&s.state.history);
        Ok(Energy {
            kinetic: kinetic + grains[0],
            potential: potential + grains[1],
            elastic: elastic + grains[2],
        })
    }

    /// Largest residual of the joints and couplings [m or rad].
    pub fn constraint_residual(&mut self) -> Result<f64> {
        Ok(self.running()?.residual())
    }

    /// Coordinate `k` of a joint [m or rad].
    pub fn joint_coordinate(&mut self, joint: JointId, k: usize) -> Result<f64> {
        self.measure(&Measurement::Coordinate(joint, k))
    }

    /// Rate of coordinate `k` of a joint [m/s or rad/s].
    pub fn joint_rate(&mut self, joint: JointId, k: usize) -> Result<f64> {
        self.measure(&Measurement::CoordinateRate(joint, k))
    }

    /// Reaction force [N] and torque about the joint point [N·m] of a joint.
    pub fn joint_reaction(
        &mut self,
        joint: JointId,
        side: Side,
        axes: ReactionAxes,
    ) -> Result<([f64; 3], [f64; 3])> {
        let (mut force, mut torque) = ([0.0; 3], [0.0; 3]);
        for k in 0..3 {
            force[k] = self.measure(&Measurement::ReactionForce(joint, side, axes, k))?;
            torque[k] = self.measure(&Measurement::ReactionTorque(joint, side, axes, k))?;
        }
        Ok((force, torque))
    }

    /// Moves the world to a static equilibrium near its state.
    pub fn equilibrium(&mut self) -> Result<StaticsReport> {
        self.refuse_particles("statics")?;
        let (exec, dt) = (self.exec.clone(), self.settings.dt);
        let s = self.running()?;
        let mut system = System::new(s.mechanism.model.clone(), exec);
        let report = analysis::equilibrium(&mut system, &mut s.state, &StaticsSettings::default())?;
        s.state.disturb();
        let evaluator = s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner);
        evaluator.fresh = false;
        evaluator.stepper.initialize(&mut s.state, dt)?;
        self.reports.energy.restart();
        Ok(report)
    }

    /// Frequencies, damping and shapes of small motions about the current state.
    pub fn modes(&mut self) -> Result<Modes> {
        self.refuse_particles("modes")?;
        let exec = self.exec.clone();
        let s = self.running()?;
        let mut system = System::new(s.mechanism.model.clone(), exec);
        Ok(analysis::linearize(&mut system, &s.state).modes()?)
    }

    /// Kinematics of a mechanism that motors drive completely: calls `at_time` at the start and every `dt` [s].
    pub fn kinematics(
        &mut self,
        until: f64,
        dt: f64,
        at_time: &mut dyn FnMut(&mut World) -> ControlFlow<()>,
    ) -> Result<()> {
        if !(dt > 0.0 && dt.is_finite() && until.is_finite()) {
            return Err(WorldError::Value {
                what: "dt, until".into(),
                value: format!("{dt}, {until}"),
                expected: "a positive step and a finite end".into(),
            });
        }
        self.refuse_particles("kinematics")?;
        self.check_until(until)?;
        let exec = self.exec.clone();
        let s = self.running()?;
        let start = s.state.time;
        let mut model = s.mechanism.model.clone();
        let mut kinematics = Kinematics::new(model.clone(), exec, &mut s.state)?;
        let steps = ((until - start) / dt - 1e-9).ceil().max(0.0) as u64;
        for k in 0..=steps {
            let exec = self.exec.clone();
            let s = self.running()?;
            if !Arc::ptr_eq(&model, &s.mechanism.model) {
                // The callback changed the model.
                model = s.mechanism.model.clone();
                kinematics = Kinematics::new(model.clone(), exec, &mut s.state)?;
            }
            if k > 0 {
                kinematics.advance(&mut s.state, (start + k as f64 * dt).min(until))?;
                s.state.check_finite(&s.mechanism.model)?;
            }
            s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
            if at_time(self).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }
}

/// Refuses step control of methods that have no estimate of their error.
fn check_step_control(settings: &StepperSettings) -> Result<()> {
    if settings.control.is_none() || AlphaParameters::of(&settings.integrator).is_some() {
        return Ok(());
    }
    Err(WorldError::Setting {
        key: "step_control".into(),
        value: format!("step control of {}", settings.integrator.name()),
        expected: "generalized_alpha, hht or newmark, which estimate their error, or a fixed step `dt`"
            .into(),
    })
}

fn not_built<T>() -> Result<T> {
    Err(WorldError::Value {
        what: "reading".into(),
        value: "a world whose model is not built".into(),
        expected: "initialize()".into(),
    })
}

/// Refuses shapes of contact that belong to no object of the world: reports could not name them.
fn check_shapes(model: &Model, owned: usize) -> Result<()> {
    match model.contact().map_or(owned, |contact| contact.proxies().len()) {
        count if count == owned => Ok(()),
        count => Err(WorldError::Value {
            what: "shapes of contact that parts of your own bring".into(),
            value: count.saturating_sub(owned).to_string(),
            expected: "none; shapes belong to bodies and structures".into(),
        }),
    }
}
