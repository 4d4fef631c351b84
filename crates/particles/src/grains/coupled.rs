//! Grains as a sub-system of a world: bodies and structures carry their walls and feel them.

use std::ops::Range;
use std::sync::Arc;

use huygens_core::bytes::{Reader, Writer};
use huygens_core::coupling::{
    Advance, Block, BoundaryId, BoundaryMotion, Placement, Report, SubSystem, Wrench, between,
};
use huygens_core::{CoreError, Result, SharedError};
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::{Quat, Vec3};

use crate::error::ParticleError;
use crate::grains::items::GrainItem;
use crate::grains::model::GrainSettings;
use crate::grains::step_choice::StepChoice;
use crate::grains::system::{GrainSystem, grain_steps};
use crate::walls::drive::{WallDrive, WallSample};
use crate::walls::wall::WallMotion;

/// A motion that is a function of time [s].
pub type Course = Arc<dyn Fn(f64) -> WallMotion + Send + Sync>;

/// What moves a wall of grains, or a solid in a fluid.
#[derive(Clone)]
pub enum Mount {
    /// Nothing.
    Ground,
    /// A function of time.
    Course(Course),
    /// A part of a boundary.
    Part {
        /// Place among the boundaries of the sub-system.
        boundary: usize,
        /// The part.
        part: usize,
    },
    /// All parts of a boundary, each a part of the wall.
    Parts {
        /// Place among the boundaries of the sub-system.
        boundary: usize,
    },
    /// The vertices of a boundary of facets; the wall has one part, whose surface they span.
    Facets {
        /// Place among the boundaries of the sub-system.
        boundary: usize,
    },
}

impl WallMotion {
    pub(crate) fn of_placement(p: &Placement) -> Self {
        Self { position: p.position, rotation: p.rotation, velocity: p.velocity, angular_velocity: p.omega }
    }

    pub(crate) fn placement(&self) -> Placement {
        Placement {
            position: self.position,
            rotation: self.rotation,
            velocity: self.velocity,
            omega: self.angular_velocity,
        }
    }
}

/// A wall of coupled grains.
#[derive(Clone)]
pub struct CoupledWall {
    /// What moves it.
    pub mount: Mount,
    /// Its pose in the axes of what moves it.
    pub pose: Pose,
    /// Poses of its parts in its own axes.
    pub surfaces: Vec<Pose>,
    /// Its parts among the walls of the grains.
    pub parts: Range<usize>,
}

/// Grains that are coupled to boundaries.
pub struct GrainCoupling {
    /// Name of the grains.
    pub owner: String,
    /// Boundaries that carry their walls.
    pub boundaries: Vec<BoundaryId>,
    /// Their walls.
    pub walls: Vec<CoupledWall>,
}

/// The state of coupled grains.
pub struct GrainBlock {
    /// The grains.
    pub system: GrainSystem,
    /// Their longest step [s].
    pub step: f64,
    /// Mean force [N] and torque [N·m] on each wall over the last step: about its origin, or about the origin of the
    /// world where it has the parts of a boundary.
    pub wrenches: Vec<[Vec3; 2]>,
}

impl GrainBlock {
    /// Kind of the block of grains.
    pub const KIND: &'static str = "grains";

    /// Makes the grains ready for steps of the world of `dt` [s]: changed settings, grains and clumps that wait, and a step
    /// that is `given` [s] or chosen for the relative speed `speed` [m/s] where it is not chosen yet; that choice. With
    /// `fresh`, for a system that has just been made, overlaps of more than this share of the sum of radii are refused and
    /// forces are found, so that they can be read before the first step.
    pub fn prepare(
        &mut self,
        ex: &Exec,
        dt: f64,
        (given, speed): (Option<f64>, Option<f64>),
        settings: GrainSettings,
        waiting: &[GrainItem],
        fresh: Option<f64>,
    ) -> std::result::Result<Option<StepChoice>, ParticleError> {
        if fresh.is_none() {
            self.system.set_gravity(settings.gravity);
            self.system.change_laws(settings.model, settings.materials, settings.pairs)?;
        }
        waiting.iter().try_for_each(|item| self.system.add_item(item))?;
        if let Some(share) = fresh {
            self.system.check_no_overlap_on(ex, share)?;
        }
        let choice = self.step.is_infinite().then(|| self.system.choose_step(given, speed, dt));
        self.step = choice.map_or(self.step, |choice| choice.step);
        if fresh.is_some() {
            let count = self.steps_of(dt)?;
            self.system.update_forces(ex, dt / count as f64);
        }
        Ok(choice)
    }

    /// Number of equal steps of the grains in `h` [s]; refuses endlessly many.
    pub fn steps_of(&self, h: f64) -> std::result::Result<u64, ParticleError> {
        grain_steps(h, self.step)
    }
}

impl Block for GrainBlock {
    fn write(&self, out: &mut Writer) {
        out.float(self.step);
        out.bytes(&self.system.save());
        write_wrenches(&self.wrenches, out);
    }

    fn read(&mut self, input: &mut Reader<'_>) -> Result<()> {
        self.step = input.float()?;
        let bytes = input.bytes()?;
        self.system.restore(bytes).map_err(|e| input.mismatch(&e.to_string()))?;
        read_wrenches(&mut self.wrenches, input)
    }

    fn copy_from(&mut self, other: &dyn Block) {
        if let Some(other) = (other as &dyn std::any::Any).downcast_ref::<Self>() {
            self.system.clone_from(&other.system);
            self.step = other.step;
            self.wrenches.clone_from(&other.wrenches);
        }
    }

    fn duplicate(&self) -> Option<Box<dyn Block>> {
        let (system, step, wrenches) = (self.system.clone(), self.step, self.wrenches.clone());
        Some(Box::new(Self { system, step, wrenches }))
    }
}

pub(crate) fn write_wrenches(wrenches: &[[Vec3; 2]], out: &mut Writer) {
    out.number(wrenches.len() as u64);
    wrenches.iter().flatten().for_each(|v| out.vector(*v));
}

pub(crate) fn read_wrenches(wrenches: &mut [[Vec3; 2]], input: &mut Reader<'_>) -> Result<()> {
    input.expect(wrenches.len() as u64, "the number of walls")?;
    for wrench in wrenches {
        *wrench = [input.vector()?, input.vector()?];
    }
    Ok(())
}

impl SubSystem for GrainCoupling {
    fn kind(&self) -> &'static str {
        GrainBlock::KIND
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
        let block = own_block::<GrainBlock>(self, block)?;
        let count = block.steps_of(call.h).map_err(|e| blame(self, e))?;
        let moved = self
            .walls
            .iter()
            .try_for_each(|wall| wall.start(call, count, &mut block.system))
            .and_then(|()| block.system.run(ex, call.h / count as f64, count));
        moved.map_err(|e| blame(self, e))?;
        for (wall, wrench) in self.walls.iter().zip(&mut block.wrenches) {
            *wrench = wall.collect(call, &mut block.system, wrenches);
        }
        Ok(Report { substeps: count })
    }

    fn energy(&self, ex: &Exec, block: &dyn Block) -> [f64; 3] {
        let block = (block as &dyn std::any::Any).downcast_ref::<GrainBlock>();
        block.map_or([0.0; 3], |b| {
            let system = &b.system;
            [system.kinetic_energy_on(ex), system.potential_energy_on(ex), system.elastic_energy_on(ex)]
        })
    }
}

/// The block of a sub-system, which has the type that it gave it.
pub(crate) fn own_block<'a, B: Block>(system: &dyn SubSystem, block: &'a mut dyn Block) -> Result<&'a mut B> {
    let block: &mut dyn std::any::Any = block;
    block.downcast_mut().ok_or_else(|| CoreError::StateMismatch {
        reason: format!("the block of {} '{}' belongs to something else", system.kind(), system.owner()),
    })
}

/// Puts an error on a sub-system.
pub(crate) fn blame(system: &dyn SubSystem, error: ParticleError) -> CoreError {
    if let ParticleError::Stopped(stopped) = error {
        return stopped.into();
    }
    let (kind, owner) = (system.kind(), system.owner().to_owned());
    CoreError::SubSystem { kind, owner, source: SharedError::new(error) }
}

/// How a surface with the pose `pose` in the axes of a part moves in a step.
fn carried(motion: &BoundaryMotion<'_>, part: usize, pose: &Pose) -> WallMotion {
    let at = |p: &Placement| {
        let placed = Pose { position: p.position, rotation: p.rotation } * *pose;
        Placement { position: placed.position, rotation: placed.rotation, ..*p }
    };
    WallMotion::of_placement(&between(&at(&motion.start[part]), &at(&motion.end[part]), motion.h))
}

impl CoupledWall {
    /// Sets the wall on its way through a step that the grains cut into `count`.
    fn start(
        &self,
        call: &Advance<'_>,
        count: u64,
        system: &mut GrainSystem,
    ) -> std::result::Result<(), ParticleError> {
        let mut parts = self.parts.clone().zip(&self.surfaces);
        match &self.mount {
            Mount::Ground => Ok(()),
            Mount::Course(course) => {
                let time = |k: u64| call.h * k as f64 / count as f64;
                let motions: Vec<(f64, WallMotion)> =
                    (0..=count).map(|k| (time(k), course(call.time + time(k)))).collect();
                parts.try_for_each(|(part, pose)| {
                    let sample =
                        |(time, m): &(f64, WallMotion)| WallSample { time: *time, motion: m.part(pose) };
                    system.set_wall_drive(part, WallDrive::Track(motions.iter().map(sample).collect()))
                })
            }
            Mount::Part { boundary, part } => {
                let motion = &call.motion[*boundary];
                parts.try_for_each(|(wall, pose)| {
                    system.set_wall_motion(wall, carried(motion, *part, &(self.pose * *pose)))
                })
            }
            Mount::Parts { boundary } => {
                let mut starts = self.parts.clone().zip(call.motion[*boundary].start);
                starts.try_for_each(|(wall, start)| {
                    system.set_wall_motion(wall, WallMotion::of_placement(start))
                })
            }
            Mount::Facets { boundary } => {
                let motion = &call.motion[*boundary];
                let [start, end] = [motion.start, motion.end]
                    .map(|vertices| vertices.iter().map(|v| v.position).collect::<Vec<_>>());
                system.set_facet_motion(self.parts.start, &start, &end, call.h)
            }
        }
    }

    /// Takes what the grains did to the wall: its mean wrench, and that on the boundary that carries it.
    fn collect(
        &self,
        call: &Advance<'_>,
        system: &mut GrainSystem,
        wrenches: &mut [&mut [Wrench]],
    ) -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        if let Mount::Facets { boundary } = self.mount {
            let mut impulses = vec![Vec3::ZERO; wrenches[boundary].len()];
            // The wall was set on its way with as many vertices.
            let _ = system.take_vertex_impulses(self.parts.start, &mut impulses);
            for (wrench, impulse) in wrenches[boundary].iter_mut().zip(&impulses) {
                *wrench += Wrench { force: *impulse / call.h, torque: Vec3::ZERO };
            }
            return system.take_wall_impulse(self.parts.start).map(|i| i / call.h);
        }
        if let Mount::Parts { boundary } = self.mount {
            let first = self.parts.start;
            return collect_pieces(call, boundary, wrenches, |k| system.take_wall_impulse(first + k));
        }
        let Some(first) = self.surfaces.first() else { return sum };
        let origin = origin_of(&system.walls()[self.parts.start].motion, first);
        for (part, pose) in self.parts.clone().zip(&self.surfaces) {
            let [force, torque] = system.take_wall_impulse(part).map(|i| i / call.h);
            let arm = system.walls()[part].motion.position - origin;
            sum[0] += force;
            sum[1] += torque + arm.cross(force);
            if let Mount::Part { boundary, part } = self.mount {
                let motion = &call.motion[boundary];
                let at = motion.middle(part, (self.pose * *pose).position);
                let arm = at - motion.middle(part, motion.center(part));
                wrenches[boundary][part] += Wrench { force, torque: torque + arm.cross(force) };
            }
        }
        sum
    }
}

/// Takes the impulse on each piece of a boundary: adds its mean wrench to the boundary, and sums up all, the torque about the
/// origin of the world.
pub(crate) fn collect_pieces(
    call: &Advance<'_>,
    boundary: usize,
    wrenches: &mut [&mut [Wrench]],
    mut impulse: impl FnMut(usize) -> [Vec3; 2],
) -> [Vec3; 2] {
    let mut sum = [Vec3::ZERO; 2];
    for (k, start) in call.motion[boundary].start.iter().enumerate() {
        let [force, torque] = impulse(k).map(|i| i / call.h);
        if force == Vec3::ZERO && torque == Vec3::ZERO {
            continue;
        }
        let middle = start.position + start.velocity * (0.5 * call.h);
        sum[0] += force;
        sum[1] += torque + middle.cross(force);
        wrenches[boundary][k] += Wrench { force, torque };
    }
    sum
}

/// Origin of a wall, from where its first part is.
fn origin_of(part: &WallMotion, pose: &Pose) -> Vec3 {
    let turn: Quat = part.rotation * pose.rotation.conjugate();
    part.position - turn * pose.position
}
