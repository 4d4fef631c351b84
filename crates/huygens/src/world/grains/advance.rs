//! Moves grains through a step of the world.

use glam::{DQuat, DVec3};
use huygens_geometry::Pose;
use huygens_particles::{GrainSystem, WallDrive, WallMotion, WallSample};

use super::GrainSet;
use super::walls::{GrainWall, part_motion};
use crate::world::pieces::PieceSweep;
use crate::world::riders::{Carrier, Sweep, prescribed};
use crate::world::{Result, World};

impl World {
    /// Moves all grains through the next step of `h` [s], and gives the bodies the loads they have in it.
    pub(in crate::world) fn advance_grains(
        &mut self,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> Result<()> {
        for k in 0..self.grains.len() {
            let mut set = self.grains.remove(k);
            let moved = self.advance_set(&mut set, sweeps, pieces, h);
            self.grains.insert(k, set);
            moved?;
        }
        Ok(())
    }

    fn advance_set(
        &mut self,
        set: &mut GrainSet,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> Result<()> {
        let count = set.steps_of(h)?;
        let Some(mut system) = set.system.take() else { return Ok(()) };
        let moved = set
            .walls
            .iter()
            .try_for_each(|wall| match wall.carrier {
                Carrier::Structure(structure) => match pieces.iter().find(|p| p.structure == structure) {
                    Some(sweep) => {
                        let mut parts = wall.parts.clone().zip(&sweep.motions);
                        parts.try_for_each(|(part, motion)| system.set_wall_motion(part, *motion))
                    }
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
                let first = wall.parts.start;
                wall.wrench = sweep.collect(&mut |piece| system.take_wall_impulse(first + piece), h);
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
                    times.map(|t| (t, prescribed(&wall.pose, motion, time + t))).collect();
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
}

/// Origin of a wall, from where its first part is.
fn origin_of(part: &WallMotion, pose: &Pose) -> DVec3 {
    let turn: DQuat = part.rotation * pose.rotation.conjugate();
    part.position - turn * pose.position
}
