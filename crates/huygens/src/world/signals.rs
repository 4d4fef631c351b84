//! Signals of a world: the graph of sensors, controllers and user laws, and its wiring to motors and forces.

use std::sync::Arc;

use huygens_core::signal::{Inputs, SignalError, SignalGraph, SignalGraphBuilder, SignalSpec, UserOde};
use huygens_multibody::Measurement;

use super::coordinates::Motor;
use super::forces::Force;
use super::quantities::Source;
use super::{Build, ForceId, MotorId, Result, SignalDraft, World, WorldError};
use crate::spec::{DriveSpec, ForceSpec, Section, SensorSpec, SignalEntry};

impl Build for SignalEntry {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_signal(self)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.signals.iter().filter_map(|draft| match draft {
            SignalDraft::Spec(entry) => Some(entry),
            _ => None,
        })
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        world.objects.signals.retain(|draft| draft.name() != name);
        Ok(())
    }

    /// Laws given by closures too.
    fn names(world: &World) -> Vec<String> {
        world.objects.signals.iter().map(|draft| draft.name().to_owned()).collect()
    }
}

impl World {
    /// Adds a signal. It may read signals that are added later.
    pub fn add_signal(&mut self, entry: SignalEntry) -> Result<()> {
        self.push_signal(SignalDraft::Spec(entry))
    }

    /// Adds a memoryless law `y = f(t, inputs)` of other signals.
    pub fn add_user_signal(
        &mut self,
        name: impl Into<String>,
        inputs: &[&str],
        law: impl Fn(f64, Inputs<'_>) -> f64 + Send + Sync + 'static,
    ) -> Result<()> {
        let inputs = inputs.iter().map(|i| (*i).to_owned()).collect();
        self.push_signal(SignalDraft::Law { name: name.into(), inputs, law: Arc::new(law) })
    }

    /// Adds a first-order system `ż = f(t, inputs, z)` given by closures.
    pub fn add_user_ode(&mut self, name: impl Into<String>, inputs: &[&str], ode: UserOde) -> Result<()> {
        let inputs = inputs.iter().map(|i| (*i).to_owned()).collect();
        self.push_signal(SignalDraft::Ode { name: name.into(), inputs, ode })
    }

    fn push_signal(&mut self, draft: SignalDraft) -> Result<()> {
        if draft.name().is_empty() {
            return Err(WorldError::of_signal(SignalError::EmptyName));
        }
        if self.objects.signals.iter().any(|s| s.name() == draft.name()) {
            let problem = "there is already a signal of that name; names must be unique";
            return Err(WorldError::input(Section::Signals, draft.name(), Some("name"), problem));
        }
        self.let_go(draft.name())?;
        self.suspend();
        self.objects.signals.push(draft);
        Ok(())
    }

    /// Names of all signals, in the order of adding.
    pub fn signal_names(&self) -> impl Iterator<Item = &str> {
        self.objects.signals.iter().map(SignalDraft::name)
    }

    /// The graph, and the measurements its sensors read.
    pub(super) fn build_signals(&self) -> Result<(SignalGraph, Vec<Measurement>)> {
        let mut builder = SignalGraphBuilder::new();
        let mut sensors = Vec::new();
        for draft in &self.objects.signals {
            match draft {
                SignalDraft::Spec(entry) => {
                    let spec: SignalSpec<usize> =
                        entry.signal.clone().try_map_sensor(|sensor| -> Result<usize> {
                            sensors.push(self.sensor(&entry.name, &sensor)?);
                            Ok(sensors.len() - 1)
                        })?;
                    builder.add(&entry.name, spec).map_err(WorldError::of_signal)?;
                }
                SignalDraft::Law { name, inputs, law } => {
                    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
                    let law = law.clone();
                    builder.add_user(name, &inputs, move |t, i| law(t, i)).map_err(WorldError::of_signal)?;
                }
                SignalDraft::Ode { name, inputs, ode } => {
                    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
                    builder.add_user_ode(name, &inputs, ode.clone()).map_err(WorldError::of_signal)?;
                }
            }
        }
        Ok((builder.build().map_err(WorldError::of_signal)?, sensors))
    }

    fn sensor(&self, signal: &str, spec: &SensorSpec) -> Result<Measurement> {
        let fail = |problem: String, suggestion| WorldError::Input {
            section: Section::Signals,
            name: signal.into(),
            field: Some("sensor".into()),
            problem,
            suggestion,
        };
        let parts = self.resolve(spec).map_err(|e| fail(e.problem, e.suggestion))?;
        match parts.as_slice() {
            [part] => match &part.source {
                Source::Measurement(m) => Ok(m.clone()),
                Source::Contact(_) => Err(fail("a sensor cannot measure contacts; a probe can".into(), None)),
                Source::Grains(_) => Err(fail("a sensor cannot measure grains; a probe can".into(), None)),
                Source::Fluid(_) => Err(fail("a sensor cannot measure fluids; a probe can".into(), None)),
                _ => Err(fail("a sensor measures an object, not the world".into(), None)),
            },
            _ => Err(fail(
                format!(
                    "'{}' is a vector; a sensor needs a component such as '{}.x'",
                    spec.quantity, spec.quantity
                ),
                None,
            )),
        }
    }

    pub(super) fn check_signals(&self) -> Result<()> {
        let (graph, _) = self.build_signals()?;
        for (_, spec) in &self.objects.motors {
            self.lookup().motor(spec, Some(&graph))?;
        }
        for (_, spec, law) in &self.objects.forces {
            self.lookup().force(spec, law.as_ref(), Some(&graph))?;
        }
        Ok(())
    }

    /// Wires the signals of the graph to the motors and forces that follow them.
    pub(super) fn connect_signals(&mut self, graph: &SignalGraph) -> Result<()> {
        for i in 0..self.objects.motors.len() {
            let (id, spec) = &self.objects.motors[i];
            if !is_signal(&spec.drive) {
                continue;
            }
            match (*id, self.lookup().motor(spec, Some(graph))?) {
                (MotorId::Motion(id), Motor::Motion(made)) => {
                    self.objects
                        .assembly
                        .coupling_mut(id)
                        .into_iter()
                        .for_each(|c| c.target = made.target.clone());
                }
                (MotorId::Effort(id), Motor::Effort(made)) => {
                    self.objects
                        .assembly
                        .coordinate_force_mut(id)
                        .into_iter()
                        .for_each(|c| c.law = made.law.clone());
                }
                _ => {}
            }
        }
        for i in 0..self.objects.forces.len() {
            let (id, spec, law) = &self.objects.forces[i];
            if !follows_signal(spec) {
                continue;
            }
            match (*id, self.lookup().force(spec, law.as_ref(), Some(graph))?) {
                (ForceId::Spring(id), Force::Spring(made)) => {
                    self.objects.assembly.spring_mut(id).into_iter().for_each(|s| s.law = made.law.clone());
                }
                (ForceId::Coordinate(id), Force::Coordinate(made)) => {
                    self.objects
                        .assembly
                        .coordinate_force_mut(id)
                        .into_iter()
                        .for_each(|s| s.law = made.law.clone());
                }
                (ForceId::Load(id), Force::Load(made)) => {
                    self.objects.assembly.load_mut(id).into_iter().for_each(|s| *s = (*made).clone());
                }
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_signal(drive: &DriveSpec) -> bool {
    matches!(drive, DriveSpec::Signal { .. })
}

fn follows_signal(spec: &ForceSpec) -> bool {
    match spec {
        ForceSpec::Spring(s) => s.actuator.as_ref().is_some_and(is_signal),
        ForceSpec::CoordinateSpring(s) => s.actuator.as_ref().is_some_and(is_signal),
        ForceSpec::Load(s) => s.force.iter().chain(&s.torque).any(is_signal),
        ForceSpec::Clutch(s) => is_signal(&s.torque),
        ForceSpec::Brake(s) => is_signal(&s.torque),
        _ => false,
    }
}
