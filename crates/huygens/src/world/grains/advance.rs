//! Moves grains through a step of the world.
//!
//! Bodies go first, under the mean of what grains did to them in the step before; grains follow in equal steps of
//! their own, with walls that go at constant velocity from where their bodies were to where they are.

use std::sync::PoisonError;

use glam::DVec3;
use huygens_core::signal::{InputSpec, SignalGraph, SignalGraphBuilder, SignalSpec};
use huygens_geometry::Pose;
use huygens_multibody::{BodyId, Drive};
use huygens_particles::WallMotion;

use super::GrainSet;
use super::walls::{Carrier, Sweep, part_motion};
use crate::world::{Result, World, WorldError};

/// Poses of the bodies that carry walls at the start of a step.
pub(in crate::world) type Start = Vec<(BodyId, Pose)>;

/// A step of the world.
struct Span {
    /// Time at its start [s].
    start: f64,
    /// Its size [s].
    size: f64,
}

/// What the grains do to a body over a step.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    force: DVec3,
    torque: DVec3,
}

impl World {
    /// Adds the hidden inputs by which grains act on bodies, after all other signals.
    pub(in crate::world) fn add_grain_inputs(&self, builder: &mut SignalGraphBuilder) -> Result<()> {
        for name in self.grains.iter().flat_map(|s| &s.loads).flat_map(|l| &l.signals) {
            let spec = InputSpec { lower: f64::MIN, upper: f64::MAX, ..InputSpec::default() };
            builder.add(name, SignalSpec::<usize>::Input(spec)).map_err(WorldError::of_signal)?;
        }
        Ok(())
    }

    /// Wires these inputs to the loads.
    pub(in crate::world) fn connect_grains(&mut self, graph: &SignalGraph) {
        for load in self.grains.iter().flat_map(|s| &s.loads) {
            let drive = |k: usize| graph.signal(&load.signals[k]).map_or(Drive::from(0.0), Drive::Signal);
            if let Some(made) = self.assembly.load_mut(load.load) {
                made.force = std::array::from_fn(drive);
                made.torque = std::array::from_fn(|k| drive(3 + k));
            }
        }
    }

    /// Poses of the bodies that carry walls.
    pub(in crate::world) fn carrying_bodies(&self) -> Start {
        let mut found: Start = Vec::new();
        for body in self.grains.iter().flat_map(|s| &s.walls).filter_map(|w| w.body()) {
            if found.iter().all(|(known, _)| *known != body)
                && let Some((position, rotation)) = self.body_pose(body)
            {
                found.push((body, Pose { position, rotation }));
            }
        }
        found
    }

    /// Moves all grains through the step that the bodies have done.
    pub(in crate::world) fn advance_grains(&mut self, start: &Start, time: f64, size: f64) -> Result<()> {
        let span = Span { start: time, size };
        for k in 0..self.grains.len() {
            let mut set = self.grains.remove(k);
            let moved = self.advance_set(&mut set, start, &span);
            self.grains.insert(k, set);
            moved?;
        }
        Ok(())
    }

    fn advance_set(&mut self, set: &mut GrainSet, start: &Start, span: &Span) -> Result<()> {
        let Some(mut system) = set.system.take() else { return Ok(()) };
        let count = (span.size / set.step - 1e-9).ceil().max(1.0) as u64;
        let step = span.size / count as f64;
        let sweeps: Vec<Option<Sweep>> =
            set.walls.iter().map(|w| self.sweep(w.body(), &w.pose, start, span)).collect();
        let moving: Vec<usize> = (0..set.walls.len())
            .filter(|w| sweeps[*w].is_some() || matches!(set.walls[*w].carrier, Carrier::Motion(_)))
            .collect();
        let mut pushes = vec![Push::default(); set.loads.len()];
        let mut result = Ok(());
        if moving.is_empty() && set.loads.is_empty() {
            result = system.run(&self.exec, step, count);
        } else {
            for k in 1..=count {
                let t = span.size * k as f64 / count as f64;
                for w in &moving {
                    let wall = &set.walls[*w];
                    let motion = match (&sweeps[*w], &wall.carrier) {
                        (Some(sweep), _) => sweep.at(t),
                        (None, Carrier::Motion(motion)) => wall.prescribed(motion, span.start + t),
                        _ => continue,
                    };
                    for (part, (pose, _)) in wall.parts.clone().zip(&wall.surfaces) {
                        system.set_wall_motion(part, part_motion(&motion, pose));
                    }
                }
                result = system.run(&self.exec, step, 1);
                if result.is_err() {
                    break;
                }
                for (load, push) in set.loads.iter().zip(&mut pushes) {
                    self.add_push(set, &system, load.body, start, span, t, push);
                }
            }
        }
        for wall in &mut set.walls {
            let origin = wall_origin(&system, wall.parts.start, &wall.surfaces[0].0);
            wall.wrench = [DVec3::ZERO; 2];
            for part in wall.parts.clone() {
                let [force, torque] = system.wall_wrench(part);
                let arm = system.walls()[part].motion.position - origin;
                wall.wrench[0] += force;
                wall.wrench[1] += torque + arm.cross(force);
            }
        }
        set.system = Some(system);
        result.map_err(|e| set.blame(e))?;
        let share = 1.0 / count as f64;
        for (load, push) in set.loads.iter().zip(&pushes) {
            self.push_body(&load.signals, push, share);
        }
        Ok(())
    }

    /// How the wall at `pose` in a body goes through the step; none where nothing moves it.
    fn sweep(&self, body: Option<BodyId>, pose: &Pose, start: &Start, span: &Span) -> Option<Sweep> {
        let body = body?;
        let from = start.iter().find(|(id, _)| *id == body)?.1;
        let (position, rotation) = self.body_pose(body)?;
        let to = Pose { position, rotation };
        (from != to).then(|| Sweep::between(from * *pose, to * *pose, span.size))
    }

    /// Adds what the grains do to a body at `t` [s] after the start of the step, about its centre of mass.
    #[allow(clippy::too_many_arguments)]
    fn add_push(
        &self,
        set: &GrainSet,
        system: &huygens_particles::GrainSystem,
        body: BodyId,
        start: &Start,
        span: &Span,
        t: f64,
        push: &mut Push,
    ) {
        let center = self.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
        let local = Pose { position: center, rotation: glam::DQuat::IDENTITY };
        let center = match self.sweep(Some(body), &local, start, span) {
            Some(sweep) => sweep.at(t).position,
            None => self.body_pose(body).map_or(DVec3::ZERO, |(p, r)| p + r * center),
        };
        for wall in set.walls.iter().filter(|w| w.body() == Some(body)) {
            for part in wall.parts.clone() {
                let [force, torque] = system.wall_wrench(part);
                let arm = system.walls()[part].motion.position - center;
                push.force += force;
                push.torque += torque + arm.cross(force);
            }
        }
    }

    /// Sets the hidden inputs of a load.
    fn push_body(&mut self, signals: &[String; 6], push: &Push, share: f64) {
        let numbers = [push.force.to_array(), push.torque.to_array()];
        for (name, value) in signals.iter().zip(numbers.iter().flatten()) {
            let place = self.signal_graph().and_then(|g| g.signal(name).ok().map(|id| g.states(id).start));
            let (Some(place), Some(s)) = (place, self.simulation.as_mut()) else { continue };
            let value = share * value;
            if s.state.z[place] != value {
                s.state.z[place] = value;
                s.state.accelerations_ready = false;
                s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
            }
        }
    }
}

/// Origin of a wall, from where its first part is.
fn wall_origin(system: &huygens_particles::GrainSystem, part: usize, pose: &Pose) -> DVec3 {
    let motion: WallMotion = system.walls()[part].motion;
    let turn = motion.rotation * pose.rotation.conjugate();
    motion.position - turn * pose.position
}
