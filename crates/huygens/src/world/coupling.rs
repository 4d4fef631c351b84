//! Grains and fluids as sub-systems of the model: who carries their walls, and where their state is.

use std::collections::BTreeSet;
use std::sync::Arc;

use huygens_core::CoreError;
use huygens_core::coupling::{Block, BoundaryId, SubSystem};
use huygens_core::signal::closest_name;
use huygens_fea::element::batch::NodePlace;
use huygens_fea::surface;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::{BodyId, BodyKind, Carrier as Attached, MaterialId, Motion};
use huygens_particles::sph::FluidBlock;
use huygens_particles::{GrainBlock, Mount, ParticleError, WallMotion};

use super::coordinates::Owner;
use super::quantities::{Part, Resolved, Source};
use super::shapes::frame_pose;
use super::{Result, World, WorldError};
use crate::spec::{MountSpec, check_axis};

/// Who moves a wall.
#[derive(Clone, Debug)]
pub(super) enum Carrier {
    /// Nobody.
    Ground,
    /// Functions of time.
    Motion(Box<Motion>),
    /// A body.
    Body(BodyId),
    /// A structure, by its place: every part is a piece of its contact surface.
    Structure(usize),
}

impl Carrier {
    /// The body that carries.
    pub fn body(&self) -> Option<BodyId> {
        match self {
            Self::Body(body) => Some(*body),
            _ => None,
        }
    }
}

/// Names of the parts of a set of grains or of a fluid, by which they are told apart.
#[derive(Default)]
pub(super) struct PartNames(Vec<String>);

impl PartNames {
    /// Gives part `k` of a list, such as `inlets`, a name if it has none, and refuses one that another part has.
    pub fn claim(&mut self, owner: Owner<'_>, noun: &str, k: usize, name: &mut String) -> Result<()> {
        if name.is_empty() {
            *name = format!("{noun}{}", k + 1);
        }
        self.add(owner, &format!("{noun}s.{k}.name"), name)
    }

    /// Refuses a name that another part has.
    pub fn add(&mut self, owner: Owner<'_>, field: &str, name: &str) -> Result<()> {
        if self.0.iter().any(|other| other == name) {
            let problem = format!("there is already a part '{name}'; names must be unique");
            return Err(owner.error(field, problem));
        }
        self.0.push(name.to_owned());
        Ok(())
    }
}

/// A wall or another part of a name that there is not among these.
pub(super) fn missing_part<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> WorldError {
    let suggestion = closest_name(name, names).map(str::to_owned);
    WorldError::Unknown { kind: "wall", name: name.into(), suggestion }
}

impl Owner<'_> {
    /// What the key `field` refers to by a name: `found`, or that there is no such object.
    pub fn refer<T>(&self, field: &str, kind: &str, name: &str, found: Result<T>) -> Result<T> {
        found.map_err(|error| {
            let suggestion = match error {
                WorldError::Unknown { suggestion, .. } => suggestion,
                _ => None,
            };
            self.missing(field, format!("there is no {kind} '{name}'"), suggestion)
        })
    }
}

/// Where functions of time have what starts at `pose`, at `time` [s].
pub(super) fn prescribed(pose: &Pose, motion: &Motion, time: f64) -> WallMotion {
    WallMotion::prescribed(pose, &motion.translation, motion.axis, &motion.angle, time)
}

impl World {
    /// The material that the key `field` of an object names.
    pub(super) fn material_named(&mut self, owner: Owner<'_>, field: &str, name: &str) -> Result<MaterialId> {
        let found = self.material_of(name);
        found.map_err(|near| owner.missing(field, format!("there is no material '{name}'"), near))
    }

    /// Who carries a wall, and its pose in the axes of that.
    pub(super) fn carrier_of(
        &self,
        owner: Owner<'_>,
        path: &dyn Fn(&str) -> String,
        mount: &MountSpec,
        wrong: &dyn Fn((&str, String)) -> WorldError,
    ) -> Result<(Carrier, Pose)> {
        let pose = frame_pose(&mount.frame).map_err(wrong)?;
        match (&mount.body, &mount.motion) {
            (Some(_), Some(_)) => Err(wrong(("motion", "give body or motion, not both".into()))),
            (None, None) => Ok((Carrier::Ground, pose)),
            (None, Some(motion)) => {
                let axis = check_axis(motion.axis).map_err(|e| wrong(("motion", e)))?;
                for f in motion.translation.iter().chain([&motion.angle]) {
                    f.validate().map_err(|e| wrong(("motion", e.to_string())))?;
                }
                let (translation, angle) = (motion.translation.clone(), motion.angle.clone());
                Ok((Carrier::Motion(Box::new(Motion { translation, axis, angle })), pose))
            }
            (Some(name), None) => {
                let anchor = self.lookup().anchor(owner.section, owner.name, &path("body"), name)?;
                let marker = anchor.marker.map(|(position, rotation)| Pose { position, rotation });
                let pose = marker.unwrap_or(Pose::IDENTITY) * pose;
                match anchor.carrier {
                    Attached::Ground => Ok((Carrier::Ground, pose)),
                    Attached::Body(id) => Ok((Carrier::Body(id), pose)),
                    Attached::External(_) => {
                        let noun = owner.section.noun();
                        Err(wrong((
                            "body",
                            format!("walls of {noun} can be attached to bodies, not to nodes"),
                        )))
                    }
                }
            }
        }
    }

    /// Carriers of all walls and solids that sub-systems touch.
    fn touched(&self) -> impl Iterator<Item = &Carrier> {
        let walls = self.objects.grains.iter().flat_map(|(_, s)| &s.walls).map(|w| &w.carrier);
        walls.chain(self.swept_solids().map(|w| &w.carrier))
    }

    /// Bodies that sub-systems touch, in the order in which they are named.
    pub(super) fn touched_bodies(&self) -> Vec<BodyId> {
        let mut bodies = Vec::new();
        for body in self.touched().filter_map(Carrier::body).chain(self.extensions.bodies()) {
            let fixed = self.objects.assembly.body(body).is_none_or(|b| matches!(b.kind, BodyKind::Fixed));
            if !fixed && !bodies.contains(&body) {
                bodies.push(body);
            }
        }
        bodies
    }

    /// Structures that sub-systems touch, by their places.
    pub(super) fn touched_structures(&self) -> BTreeSet<usize> {
        let structure = |carrier: &Carrier| match carrier {
            Carrier::Structure(structure) => Some(*structure),
            _ => None,
        };
        self.touched().filter_map(structure).collect()
    }

    /// What moves a wall with the pose `pose`, for a sub-system that touches `boundaries`.
    pub(super) fn mount(&self, carrier: &Carrier, pose: &Pose, boundaries: &mut Vec<BoundaryId>) -> Mount {
        let mut place = |id: BoundaryId| {
            boundaries.iter().position(|b| *b == id).unwrap_or_else(|| {
                boundaries.push(id);
                boundaries.len() - 1
            })
        };
        match carrier {
            Carrier::Ground => Mount::Ground,
            Carrier::Motion(motion) => {
                let (pose, motion) = (*pose, motion.clone());
                Mount::Course(Arc::new(move |time| prescribed(&pose, &motion, time)))
            }
            Carrier::Body(body) => {
                let part = self.motion.simulation.as_ref().and_then(|s| s.mechanism.boundary_part(*body));
                part.map_or(Mount::Ground, |(id, part)| Mount::Part { boundary: place(id), part })
            }
            Carrier::Structure(structure) => {
                let structures = self.motion.simulation.as_ref().and_then(|s| s.structures.as_ref());
                let id = structures.and_then(|s| s.part().boundary(*structure));
                id.map_or(Mount::Ground, |id| Mount::Parts { boundary: place(id) })
            }
        }
    }

    /// Hands the sub-systems of the world to its stepper.
    pub(super) fn attach_sub_systems(&mut self) -> Result<()> {
        if self.extensions.has_systems() {
            self.refuse_step_control("sub-systems")?;
        }
        let own = self.own_systems()?;
        let grains = self.objects.grains.iter().map(|(_, set)| self.grain_coupling(set));
        let fluids = self.objects.fluids.iter().filter_map(|(_, set)| self.fluid_coupling(set));
        let systems: Vec<Arc<dyn SubSystem>> = grains.chain(fluids).chain(own).collect();
        self.motion.simulation.iter_mut().for_each(|s| s.evaluator().stepper.attach(systems.clone()));
        Ok(())
    }

    /// Puts the state of a sub-system into that of the model.
    pub(super) fn put_block(&mut self, kind: &'static str, owner: &str, block: impl Block) {
        if let Some(blocks) = self.motion.blocks_mut() {
            blocks.insert(kind, owner, Box::new(block));
        }
    }

    /// Takes the state of a sub-system out of that of the model.
    pub(super) fn remove_block(&mut self, kind: &'static str, owner: &str) {
        self.motion.blocks_mut().into_iter().for_each(|blocks| blocks.remove(kind, owner));
    }

    /// Grains of a set as they are; none before they are made.
    pub(super) fn grain_block(&self, name: &str) -> Option<&GrainBlock> {
        self.motion.blocks()?.get(GrainBlock::KIND, name)
    }

    /// The same, to be changed between steps.
    pub(super) fn grain_block_mut(&mut self, name: &str) -> Option<&mut GrainBlock> {
        self.motion.blocks_mut()?.get_mut(GrainBlock::KIND, name)
    }

    /// A weakly compressible fluid as it is; none before it is made.
    pub(super) fn fluid_block(&self, name: &str) -> Option<&FluidBlock> {
        self.motion.blocks()?.get(FluidBlock::KIND, name)
    }

    /// The same, to be changed between steps.
    pub(super) fn fluid_block_mut(&mut self, name: &str) -> Option<&mut FluidBlock> {
        self.motion.blocks_mut()?.get_mut(FluidBlock::KIND, name)
    }

    /// Refuses a step control, which grains and fluids do not know.
    pub(super) fn refuse_step_control(&self, noun: &str) -> Result<()> {
        match self.settings.step_control {
            None => Ok(()),
            Some(_) => Err(WorldError::Setting {
                key: "step_control".into(),
                value: format!("step control of a world with {noun}"),
                expected: format!("a fixed step `dt`, which {noun} subdivide"),
            }),
        }
    }

    /// Grains, fluids and other sub-systems move by forces only.
    pub(super) fn refuse_particles(&self, analysis: &str) -> Result<()> {
        let noun = match (self.objects.grains.is_empty(), self.objects.fluids.is_empty()) {
            (true, true) if self.extensions.has_systems() => "sub-systems",
            (true, true) => return Ok(()),
            (false, _) => "grains",
            (true, false) => "fluids",
        };
        Err(WorldError::Setting {
            key: "analysis".into(),
            value: format!("\"{analysis}\" of a world with {noun}"),
            expected: "\"dynamics\"".into(),
        })
    }

    /// Where a wall with the pose `pose` is now, and how it moves; what a body carries, as the body does.
    pub(super) fn carrier_motion(&self, carrier: &Carrier, pose: &Pose) -> WallMotion {
        match carrier {
            Carrier::Ground | Carrier::Structure(_) => WallMotion::at(pose),
            Carrier::Motion(motion) => prescribed(pose, motion, self.time()),
            Carrier::Body(body) => self.body_motion(*body).map_or_else(
                |_| WallMotion::default(),
                |m| WallMotion {
                    position: m.position,
                    rotation: m.rotation,
                    velocity: m.velocity,
                    angular_velocity: m.angular_velocity,
                },
            ),
        }
    }

    /// Numbers of a quantity of grains or of a fluid, as it was found.
    pub(super) fn numbers_of(&self, found: Resolved) -> Result<Vec<f64>> {
        let parts = found?;
        let number = |part: &Part| match &part.source {
            Source::Grains(quantity) => self.grain_number(quantity),
            Source::Fluid(quantity) => self.fluid_number(quantity),
            _ => 0.0,
        };
        Ok(parts.iter().map(number).collect())
    }

    /// Where the pieces of a structure are, and how they move; none while the model is not built.
    pub(super) fn piece_motions(&self, structure: usize) -> Vec<WallMotion> {
        let count = self.objects.structures.get(structure).map_or(0, |s| s.piece_count());
        let found = self.motion.with_view(|s, view| {
            let first = s.structures.as_ref()?.part().surface_frame(structure)? as usize;
            let motion = |frame: &huygens_core::contract::Frame| WallMotion {
                position: frame.origin,
                rotation: glam::DQuat::from_mat3(&frame.axes).normalize(),
                velocity: frame.velocity,
                angular_velocity: frame.omega,
            };
            Some(view.frames.get(first..first + count)?.iter().map(motion).collect())
        });
        found.flatten().unwrap_or_default()
    }

    /// The structure that a wall names: its place, and the shapes of the pieces of its lines, about their middles with
    /// the axis along z.
    pub(super) fn line_pieces(
        &self,
        owner: Owner<'_>,
        field: &str,
        name: &str,
        wrong: &dyn Fn(String) -> WorldError,
    ) -> Result<(usize, Vec<Shape>)> {
        let index = owner.refer(field, "structure", name, self.structure(name).map(|id| id.index()))?;
        let made = self.objects.structures[index].model();
        let Some(contact) = made.contact else {
            return Err(wrong(format!("structure '{name}' has no contact surface; give it `contact`")));
        };
        let tried = surface::Surface::new(made, contact, &|_| NodePlace::default());
        let tried = tried.map_err(|e| wrong(e.to_string()))?;
        if made.elements.iter().any(|e| !e.is_line()) {
            return Err(wrong(format!(
                "structure '{name}' has solid elements, whose skin {} cannot touch; only lines can be walls",
                owner.section.noun()
            )));
        }
        Ok((index, tried.shapes().to_vec()))
    }
}

/// Puts an error of particles on the grains or the fluid of a name, by the kind of their sub-system.
pub(super) fn blame_on(kind: &'static str, name: &str) -> impl Fn(ParticleError) -> WorldError + use<> {
    let name = name.to_owned();
    move |source| match (source, kind) {
        (ParticleError::Stopped(stopped), _) => stopped.into(),
        (source, GrainBlock::KIND) => WorldError::Grains { grains: name.clone(), source },
        (source, _) => WorldError::Fluid { fluid: name.clone(), source },
    }
}

/// An error of the core as one of the world: that of a sub-system belongs to its grains or fluid.
pub(super) fn of_core(error: CoreError) -> WorldError {
    let CoreError::SubSystem { kind, owner, source } = &error else { return error.into() };
    match source.downcast_ref::<ParticleError>() {
        Some(source) if [GrainBlock::KIND, FluidBlock::KIND].contains(kind) => {
            blame_on(kind, owner)(source.clone())
        }
        _ => error.into(),
    }
}
