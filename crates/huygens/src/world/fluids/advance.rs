//! Moves fluids through a step of the world.
//!
//! Solids go at constant velocities to where they are expected; their accelerations are the changes of velocity of the
//! step before. The impulse that the fluid gave a body becomes the mean force on it in this very step, so that momentum
//! is conserved between both.

use glam::DVec3;
use huygens_geometry::Pose;
use huygens_particles::ParticleError;
use huygens_particles::WallMotion;
use huygens_particles::fluid::{FluidSettings, FluidSystem, SolidId, SolidMotion};

use super::flow::Flow;
use super::{FluidSet, FluidSolid};
use crate::spec::GrainStep;
use crate::world::pieces::PieceSweep;
use crate::world::riders::{Carrier, Sweep, prescribed};
use crate::world::{Result, World};

/// A given step may be so many times the limit while speeds and forces change.
const LENIENT: f64 = 2.0;

impl FluidSolid {
    /// Sets a part on its way.
    fn start(
        &self,
        system: &mut FluidSystem,
        part: usize,
        motion: SolidMotion,
    ) -> std::result::Result<(), ParticleError> {
        let motion = match (system.settings().space.normal(), self.starts.get(part)) {
            (Some(normal), Some(start)) => motion.in_plane(start, normal),
            _ => motion,
        };
        system.set_solid_motion(SolidId(self.first + part), motion)
    }
}

impl World {
    /// Moves all fluids through the next step of `h` [s], and gives the bodies the loads they have in it.
    pub(in crate::world) fn advance_fluids(
        &mut self,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> Result<()> {
        for k in 0..self.fluids.len() {
            let mut set = self.fluids.remove(k);
            let moved = self.advance_fluid(&mut set, sweeps, pieces, h);
            self.fluids.insert(k, set);
            moved?;
        }
        Ok(())
    }

    fn advance_fluid(
        &mut self,
        set: &mut FluidSet,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> Result<()> {
        let mut system = match set.flow.take() {
            Some(Flow::Particles(system)) => system,
            // Markers of constraints move with the model.
            other => {
                set.flow = other;
                return Ok(());
            }
        };
        let moved = set
            .solids
            .iter()
            .try_for_each(|solid| self.move_solid(&mut system, solid, sweeps, pieces, h))
            .and_then(|()| match set.spec.step {
                GrainStep::Auto => system.run_for(&self.exec, h),
                GrainStep::Seconds(step) => {
                    system.check_step(step, LENIENT)?;
                    system.run_for_in(&self.exec, h, step)
                }
            });
        let taken = match moved {
            Ok(count) => {
                set.step = h / count.max(1) as f64;
                self.collect_fluid(set, &mut system, sweeps, pieces, h)
            }
            Err(e) => Err(e),
        };
        let checked = taken.and_then(|()| system.check_speed());
        if checked.is_ok() {
            self.warn_of_fluid(set, &system);
        }
        set.flow = Some(Flow::Particles(system));
        checked.map_err(|e| set.blame(e))
    }

    /// Sets a solid on its way through the step.
    fn move_solid(
        &self,
        system: &mut FluidSystem,
        solid: &FluidSolid,
        sweeps: &[Sweep],
        pieces: &[PieceSweep],
        h: f64,
    ) -> std::result::Result<(), ParticleError> {
        match &solid.carrier {
            Carrier::Ground => Ok(()),
            Carrier::Body(body) => match sweeps.iter().find(|s| s.rider.body == *body) {
                Some(sweep) => {
                    let change = [sweep.velocity_change, sweep.angular_velocity_change];
                    let motion = sweep.of_part(&Pose::IDENTITY, h);
                    solid.start(system, 0, SolidMotion::accelerated(&motion, change, h))
                }
                None => Ok(()),
            },
            Carrier::Motion(motion) => {
                let time = self.time();
                let [from, to] = [time, time + h].map(|t| prescribed(&solid.pose, motion, t));
                let change = [to.velocity - from.velocity, to.angular_velocity - from.angular_velocity];
                let moved = WallMotion::between(&from.pose(), &to.pose(), h);
                solid.start(system, 0, SolidMotion::accelerated(&moved, change, h))
            }
            Carrier::Structure(structure) => {
                let Some(sweep) = pieces.iter().find(|p| p.structure == *structure) else { return Ok(()) };
                let moved = sweep.motions.iter().zip(&sweep.changes).enumerate();
                moved.take(solid.parts.len()).try_for_each(|(k, (motion, change))| {
                    solid.start(system, k, SolidMotion::accelerated(motion, *change, h))
                })
            }
        }
    }

    /// Takes what the fluid did to solids, and sets the loads of bodies to the mean of it.
    fn collect_fluid(
        &mut self,
        set: &mut FluidSet,
        system: &mut FluidSystem,
        sweeps: &[Sweep],
        pieces: &mut [PieceSweep],
        h: f64,
    ) -> std::result::Result<(), ParticleError> {
        let mut pushes = vec![[DVec3::ZERO; 2]; set.loads.len()];
        // A flow in a plane turns nothing out of it, wherever along the normal a body is.
        let axis = set.spec.space().normal().map_or(DVec3::ONE, |normal| DVec3::AXES[normal]);
        for solid in &mut set.solids {
            if let Carrier::Structure(structure) = solid.carrier {
                let Some(sweep) = pieces.iter_mut().find(|p| p.structure == structure) else { continue };
                let first = solid.first;
                // A piece without markers feels nothing; all pieces have a solid.
                let mut take = |k: usize| {
                    let [force, torque] = system.take_solid_impulse(SolidId(first + k)).unwrap_or_default();
                    [force, torque * axis]
                };
                solid.wrench = sweep.collect(&mut take, h);
                continue;
            }
            let [force, mut torque] = system.take_solid_impulse(SolidId(solid.first))?.map(|i| i / h);
            if let Some(body) = solid.carrier.body() {
                let center = self.assembly.body(body).map_or(DVec3::ZERO, |b| b.center_of_mass);
                let arm = match sweeps.iter().find(|s| s.rider.body == body) {
                    Some(sweep) => sweep.middle(DVec3::ZERO) - sweep.middle(center),
                    None => self.body_motion(body).map_or(DVec3::ZERO, |m| m.rotation * -center),
                };
                torque = (torque + arm.cross(force)) * axis;
                if let Some(load) = set.loads.iter().position(|l| l.body == body) {
                    pushes[load][0] += force;
                    pushes[load][1] += torque;
                }
            }
            solid.wrench = [force, torque];
        }
        for (load, push) in set.loads.iter().zip(&pushes) {
            self.push_body(&load.signals, push);
        }
        for (gate, count) in set.gates.iter_mut().zip(system.gate_counts()) {
            *gate = [count.mass, (count.mass - gate[0]) / h];
        }
        Ok(())
    }

    /// Warns once where density varies too much, and once where particles are lost.
    fn warn_of_fluid(&mut self, set: &mut FluidSet, system: &FluidSystem) {
        let (range, name) = (system.range(), &set.spec.name);
        let variation = system.density_variation();
        if !set.warned[0] && variation > FluidSettings::COMPRESSED {
            set.warned[0] = true;
            let sound = system.settings().sound;
            self.warnings.push(format!(
                "fluid '{name}': density varies by {:.1} % at t = {:.4} s, more than {:.0} %; the greatest speed is \
                 {:.3} m/s at a sound speed of {sound:.3} m/s. A greater `sound_speed` (or `max_speed`) makes it stiffer",
                100.0 * variation,
                system.time(),
                100.0 * FluidSettings::COMPRESSED,
                range.speed,
            ));
        }
        if !set.warned[1] && system.lost_count() > 0 {
            set.warned[1] = true;
            self.warnings.push(format!(
                "fluid '{name}': particles leave the bounds, the first at t = {:.4} s; the probe `lost` counts them",
                system.time()
            ));
        }
    }
}
