//! Moves grains through a step of the world.
//!
//! Grains go first, in equal steps of their own, while bodies that carry walls go to where they are expected:
//! $x_n + h\,v_n + \tfrac{h}{2}(v_n - v_{n-1})$. The bodies follow under the mean of what the grains did to them in
//! this very step. Walls start where they were left, so that they never jump; the small error of one expectation is
//! part of the next. For a body on a spring of grains this loses energy like a damping ratio of $(\omega h)^3/4$.

use std::sync::PoisonError;

use glam::{DQuat, DVec3};
use huygens_core::signal::{InputSpec, SignalGraph, SignalGraphBuilder, SignalSpec};
use huygens_geometry::Pose;
use huygens_kernel::rotation;
use huygens_multibody::{BodyId, BodyKind, Drive};
use huygens_particles::{GrainSystem, WallDrive, WallMotion, WallSample};

use super::GrainSet;
use super::pieces::PieceSweep;
use super::walls::{Carrier, GrainWall, part_motion};
use crate::world::{Result, World, WorldError};

/// A body that carries walls, as the grains see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct Rider {
    pub body: BodyId,
    /// Where its walls were left.
    pub pose: Pose,
    /// Its velocity [m/s] and angular velocity [rad/s] a step ago.
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

/// A body on its way through a step.
struct Sweep {
    rider: Rider,
    to: Pose,
}

impl Sweep {
    /// Where a part of the body starts, and the velocities that bring it to the end in `h` [s].
    fn of_part(&self, pose: &Pose, h: f64) -> WallMotion {
        let (from, to) = (self.rider.pose * *pose, self.to * *pose);
        let turn = rotation::log((to.rotation * from.rotation.conjugate()).normalize());
        WallMotion {
            position: from.position,
            rotation: from.rotation.normalize(),
            velocity: (to.position - from.position) / h,
            angular_velocity: turn / h,
        }
    }

    /// A point of the body in the middle of the step.
    fn middle(&self, point: DVec3) -> DVec3 {
        let at = |pose: &Pose| pose.position + pose.rotation * point;
        0.5 * (at(&self.rider.pose) + at(&self.to))
    }
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

    /// Finds the bodies that carry walls and may move, where they are.
    pub(super) fn find_riders(&mut self) -> Result<()> {
        let mut riders: Vec<Rider> = Vec::new();
        for body in self.grains.iter().flat_map(|s| &s.walls).filter_map(GrainWall::body) {
            let fixed = self.assembly.body(body).is_none_or(|b| matches!(b.kind, BodyKind::Fixed));
            if fixed || riders.iter().any(|r| r.body == body) {
                continue;
            }
            let m = self.body_motion(body)?;
            let pose = Pose { position: m.position, rotation: m.rotation };
            let (velocity, angular_velocity) = (m.velocity, m.angular_velocity);
            riders.push(Rider { body, pose, velocity, angular_velocity });
        }
        self.riders = Some(riders);
        self.find_piece_riders();
        Ok(())
    }

    /// Where the riders go in the next `h` [s]; they are left there.
    fn sweep_riders(&mut self, h: f64) -> Result<Vec<Sweep>> {
        let mut riders = self.riders.take().unwrap_or_default();
        let mut sweeps = Vec::with_capacity(riders.len());
        for rider in &mut riders {
            let m = self.body_motion(rider.body)?;
            let way = h * (1.5 * m.velocity - 0.5 * rider.velocity);
            let turn = h * (1.5 * m.angular_velocity - 0.5 * rider.angular_velocity);
            let to =
                Pose { position: m.position + way, rotation: (rotation::exp(turn) * m.rotation).normalize() };
            sweeps.push(Sweep { rider: *rider, to });
            (rider.velocity, rider.angular_velocity, rider.pose) = (m.velocity, m.angular_velocity, to);
        }
        self.riders = Some(riders);
        Ok(sweeps)
    }

    /// Moves all grains through the next step of `h` [s], and gives the bodies the loads they have in it.
    pub(in crate::world) fn advance_grains(&mut self, h: f64) -> Result<()> {
        if self.grains.is_empty() {
            return Ok(());
        }
        let sweeps = self.sweep_riders(h)?;
        let mut pieces = self.sweep_pieces(h);
        for k in 0..self.grains.len() {
            let mut set = self.grains.remove(k);
            let moved = self.advance_set(&mut set, &sweeps, &mut pieces, h);
            self.grains.insert(k, set);
            moved?;
        }
        self.push_structures(pieces);
        Ok(())
    }

    fn advance_set(
        &mut self,
        set: &mut GrainSet,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> Result<()> {
        let Some(mut system) = set.system.take() else { return Ok(()) };
        let count = set.steps_of(h);
        let moved = set
            .walls
            .iter()
            .try_for_each(|wall| match wall.carrier {
                Carrier::Structure(structure) => match pieces.iter().find(|p| p.structure == structure) {
                    Some(sweep) => sweep.start(&mut system, wall.parts.clone()),
                    None => Ok(()),
                },
                _ => self.move_wall(&mut system, wall, sweeps, h, count),
            })
            .and_then(|()| system.run(&self.exec, h / count as f64, count));
        if moved.is_ok() {
            self.collect_loads(set, &mut system, sweeps, h);
            for wall in &mut set.walls {
                let Carrier::Structure(structure) = wall.carrier else { continue };
                let Some(sweep) = pieces.iter_mut().find(|p| p.structure == structure) else { continue };
                wall.wrench = sweep.collect(&mut system, wall.parts.clone(), h);
            }
        }
        set.system = Some(system);
        moved.map_err(|e| set.blame(e))
    }

    /// Sets a wall on its way through the step.
    fn move_wall(
        &self,
        system: &mut GrainSystem,
        wall: &GrainWall,
        sweeps: &[Sweep],
        h: f64,
        count: u64,
    ) -> std::result::Result<(), huygens_particles::ParticleError> {
        let parts = wall.parts.clone().zip(&wall.surfaces);
        match &wall.carrier {
            // Pieces of structures start on their own.
            Carrier::Ground | Carrier::Structure(_) => {}
            Carrier::Body(body) => {
                let Some(sweep) = sweeps.iter().find(|s| s.rider.body == *body) else { return Ok(()) };
                for (part, (pose, _)) in parts {
                    system.set_wall_motion(part, sweep.of_part(&(wall.pose * *pose), h))?;
                }
            }
            Carrier::Motion(motion) => {
                let time = self.time();
                let times = (0..=count).map(|k| h * k as f64 / count as f64);
                let motions: Vec<(f64, WallMotion)> =
                    times.map(|t| (t, wall.prescribed(motion, time + t))).collect();
                for (part, (pose, _)) in parts {
                    let sample = |(time, motion): &(f64, WallMotion)| WallSample {
                        time: *time,
                        motion: part_motion(motion, pose),
                    };
                    system.set_wall_drive(part, WallDrive::Track(motions.iter().map(sample).collect()))?;
                }
            }
        }
        Ok(())
    }

    /// Takes what the grains did to walls, and sets the loads of bodies to the mean of it.
    fn collect_loads(&mut self, set: &mut GrainSet, system: &mut GrainSystem, sweeps: &[Sweep], h: f64) {
        let mut pushes = vec![[DVec3::ZERO; 2]; set.loads.len()];
        for wall in set.walls.iter_mut().filter(|w| !matches!(w.carrier, Carrier::Structure(_))) {
            wall.wrench = [DVec3::ZERO; 2];
            let Some(first) = wall.surfaces.first() else { continue };
            let origin = origin_of(&system.walls()[wall.parts.start].motion, &first.0);
            let carrier = wall.body();
            let load = set.loads.iter().position(|l| Some(l.body) == carrier);
            for (part, (pose, _)) in wall.parts.clone().zip(&wall.surfaces) {
                let [force, torque] = system.take_wall_impulse(part).map(|i| i / h);
                let arm = system.walls()[part].motion.position - origin;
                wall.wrench[0] += force;
                wall.wrench[1] += torque + arm.cross(force);
                let Some(load) = load else { continue };
                let Some(sweep) = sweeps.iter().find(|s| Some(s.rider.body) == carrier) else { continue };
                let center = self.assembly.body(sweep.rider.body).map_or(DVec3::ZERO, |b| b.center_of_mass);
                let arm = sweep.middle((wall.pose * *pose).position) - sweep.middle(center);
                pushes[load][0] += force;
                pushes[load][1] += torque + arm.cross(force);
            }
        }
        for (load, push) in set.loads.iter().zip(&pushes) {
            self.push_body(&load.signals, push);
        }
    }

    /// Sets the hidden inputs of a load: force and torque about the centre of mass.
    fn push_body(&mut self, signals: &[String; 6], push: &[DVec3; 2]) {
        let numbers = push.map(|v| v.to_array());
        for (name, value) in signals.iter().zip(numbers.iter().flatten()) {
            let place = self.signal_graph().and_then(|g| g.signal(name).ok().map(|id| g.states(id).start));
            let (Some(place), Some(s)) = (place, self.simulation.as_mut()) else { continue };
            if s.state.z[place] != *value {
                s.state.z[place] = *value;
                s.state.accelerations_ready = false;
                s.stepper.get_mut().unwrap_or_else(PoisonError::into_inner).fresh = false;
            }
        }
    }
}

/// Origin of a wall, from where its first part is.
fn origin_of(part: &WallMotion, pose: &Pose) -> DVec3 {
    let turn: DQuat = part.rotation * pose.rotation.conjugate();
    part.position - turn * pose.position
}
