//! A fluid as a sub-system of a world: bodies and structures in it push it and are pushed.
//!
//! Solids go at constant velocities to where they are expected; their accelerations are the changes of velocity of the
//! step before. The impulse that the fluid gave a solid becomes the mean force on it in this very step, so that momentum
//! is conserved between both.

use huygens_core::Result;
use huygens_core::bytes::{Reader, Writer};
use huygens_core::coupling::{Advance, Block, BoundaryId, Placement, Report, SubSystem, Wrench, between};
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::Vec3;

use super::solid::{SolidId, SolidMotion};
use super::system::FluidSystem;
use crate::error::ParticleError;
use crate::grains::coupled::{Mount, blame, collect_pieces, own_block, read_wrenches, write_wrenches};
use crate::walls::wall::WallMotion;

/// A given step may be so many times the limit while speeds and forces change.
const LENIENT: f64 = 2.0;

/// A wall, body or structure in a coupled fluid.
#[derive(Clone)]
pub struct CoupledSolid {
    /// What moves it.
    pub mount: Mount,
    /// First of its solids in the fluid, one for each part.
    pub first: usize,
    /// Number of its parts.
    pub parts: usize,
    /// Where its parts started; markers of a flow in a plane stay in it.
    pub starts: Vec<Pose>,
    /// From the centre of a fixed body, which its torque is about, to its origin [m]; none where it is no body.
    pub arm: Option<Vec3>,
}

/// A fluid that is coupled to boundaries.
pub struct FluidCoupling {
    /// Name of the fluid.
    pub owner: String,
    /// Boundaries in it.
    pub boundaries: Vec<BoundaryId>,
    /// Walls, bodies and structures in it.
    pub solids: Vec<CoupledSolid>,
    /// Its step [s], where it is given.
    pub step: Option<f64>,
}

/// The state of a coupled fluid.
pub struct FluidBlock {
    /// The fluid.
    pub system: FluidSystem,
    /// Its last step [s].
    pub step: f64,
    /// Mean force [N] and torque [N·m] on each solid over the last step: about its origin, the centre of a body, or the
    /// origin of the world where it has the parts of a boundary.
    pub wrenches: Vec<[Vec3; 2]>,
    /// Mass that has come through each gate [kg], and its flow over the last step [kg/s].
    pub gates: Vec<[f64; 2]>,
}

impl FluidBlock {
    /// Kind of the block of a fluid.
    pub const KIND: &'static str = "fluid";
}

impl Block for FluidBlock {
    fn write(&self, out: &mut Writer) {
        out.float(self.step);
        out.bytes(&self.system.save());
        write_wrenches(&self.wrenches, out);
        out.number(self.gates.len() as u64);
        self.gates.iter().for_each(|gate| out.floats(gate));
    }

    fn read(&mut self, input: &mut Reader<'_>) -> Result<()> {
        self.step = input.float()?;
        let bytes = input.bytes()?;
        self.system.restore(bytes).map_err(|e| input.mismatch(&e.to_string()))?;
        read_wrenches(&mut self.wrenches, input)?;
        input.expect(self.gates.len() as u64, "the number of gates")?;
        for gate in &mut self.gates {
            *gate = input.floats()?;
        }
        Ok(())
    }

    fn copy_from(&mut self, other: &dyn Block) {
        if let Some(other) = (other as &dyn std::any::Any).downcast_ref::<Self>() {
            self.system.clone_from(&other.system);
            self.step = other.step;
            self.wrenches.clone_from(&other.wrenches);
            self.gates.clone_from(&other.gates);
        }
    }

    fn duplicate(&self) -> Option<Box<dyn Block>> {
        let (system, step) = (self.system.clone(), self.step);
        let (wrenches, gates) = (self.wrenches.clone(), self.gates.clone());
        Some(Box::new(Self { system, step, wrenches, gates }))
    }
}

impl SubSystem for FluidCoupling {
    fn kind(&self) -> &'static str {
        FluidBlock::KIND
    }

    fn owner(&self) -> &str {
        &self.owner
    }

    fn boundaries(&self) -> &[BoundaryId] {
        &self.boundaries
    }

    fn advance(
        &self,
        ex: &Exec,
        call: &Advance<'_>,
        block: &mut dyn Block,
        wrenches: &mut [&mut [Wrench]],
    ) -> Result<Report> {
        let block = own_block::<FluidBlock>(self, block)?;
        let count = self.run(ex, call, &mut block.system).map_err(|e| blame(self, e))?;
        block.step = call.h / count.max(1) as f64;
        for (solid, wrench) in self.solids.iter().zip(&mut block.wrenches) {
            *wrench = solid.collect(call, &mut block.system, wrenches).map_err(|e| blame(self, e))?;
        }
        for (gate, count) in block.gates.iter_mut().zip(block.system.gate_counts()) {
            *gate = [count.mass, (count.mass - gate[0]) / call.h];
        }
        block.system.check_speed().map_err(|e| blame(self, e))?;
        Ok(Report { substeps: count })
    }

    fn energy(&self, ex: &Exec, block: &dyn Block) -> [f64; 3] {
        let block = (block as &dyn std::any::Any).downcast_ref::<FluidBlock>();
        block.map_or([0.0; 3], |b| {
            let e = b.system.energy_on(ex);
            [e.kinetic, e.potential, e.elastic]
        })
    }
}

impl FluidCoupling {
    /// Moves solids and fluid; the number of steps.
    fn run(
        &self,
        ex: &Exec,
        call: &Advance<'_>,
        system: &mut FluidSystem,
    ) -> std::result::Result<u64, ParticleError> {
        self.solids.iter().try_for_each(|solid| solid.start(call, system))?;
        match self.step {
            None => system.run_for(ex, call.h),
            Some(step) => {
                system.check_step(step, LENIENT)?;
                system.run_for_in(ex, call.h, step)
            }
        }
    }
}

fn accelerated(start: &Placement, change: [Vec3; 2], h: f64) -> SolidMotion {
    SolidMotion::accelerated(&WallMotion::of_placement(start), change, h)
}

impl CoupledSolid {
    /// Sets a part on its way.
    fn set(
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

    /// Sets the solid on its way through a step.
    fn start(&self, call: &Advance<'_>, system: &mut FluidSystem) -> std::result::Result<(), ParticleError> {
        let h = call.h;
        match &self.mount {
            Mount::Ground => Ok(()),
            Mount::Course(course) => {
                let [from, to] = [call.time, call.time + h].map(|t| course(t).placement());
                let change = [to.velocity - from.velocity, to.omega - from.omega];
                self.set(system, 0, accelerated(&between(&from, &to, h), change, h))
            }
            Mount::Part { boundary, part } => {
                let motion = &call.motion[*boundary];
                self.set(system, 0, accelerated(&motion.start[*part], motion.change[*part], h))
            }
            Mount::Parts { boundary } => {
                let motion = &call.motion[*boundary];
                let parts = motion.start.iter().zip(motion.change).take(self.parts).enumerate();
                for (part, (start, change)) in parts {
                    self.set(system, part, accelerated(start, *change, h))?;
                }
                Ok(())
            }
            Mount::Facets { .. } => Err(ParticleError::FluidFacets),
        }
    }

    /// Takes what the fluid did to the solid: its mean wrench, and that on the boundary that moves it.
    fn collect(
        &self,
        call: &Advance<'_>,
        system: &mut FluidSystem,
        wrenches: &mut [&mut [Wrench]],
    ) -> std::result::Result<[Vec3; 2], ParticleError> {
        // A flow in a plane turns nothing out of it, wherever along the normal a body is.
        let axis = system.settings().space.normal().map_or(Vec3::ONE, |normal| Vec3::AXES[normal]);
        if let Mount::Parts { boundary } = self.mount {
            return Ok(collect_pieces(call, boundary, wrenches, |k| {
                // A piece without markers feels nothing; all pieces have a solid.
                let impulse = system.take_solid_impulse(SolidId(self.first + k));
                let [force, torque] = impulse.unwrap_or_default();
                [force, torque * axis]
            }));
        }
        let [force, mut torque] = system.take_solid_impulse(SolidId(self.first))?.map(|i| i / call.h);
        if let Mount::Part { boundary, part } = self.mount {
            let motion = &call.motion[boundary];
            let arm = motion.middle(part, Vec3::ZERO) - motion.middle(part, motion.center(part));
            torque = (torque + arm.cross(force)) * axis;
            wrenches[boundary][part] += Wrench { force, torque };
        } else if let Some(arm) = self.arm {
            torque = (torque + arm.cross(force)) * axis;
        }
        Ok([force, torque])
    }
}
