//! What a program adds to a world beside the objects of a scene: parts of its own, sub-systems, probes, a contact law.
//!
//! None of it is written to a scene. A world that continues from a checkpoint needs the same additions as the one that
//! wrote it.

use std::any::Any;
use std::sync::Arc;

use huygens_core::builder::Part;
use huygens_core::contact::CompliantLaw;
use huygens_core::coupling::{Block, BoundaryId, SubSystem};
use huygens_multibody::{BodyId, BodyKind};

use super::quantities::{Column, PROBES};
use super::{ContactCallback, Result, Simulation, World, WorldError};

/// A part of a program's own, whose type can be asked for.
pub(super) trait OwnPart: Part + Any {}

impl<T: Part + Any> OwnPart for T {}

/// Where a sub-system touches a body: a part of a boundary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundaryPlace {
    /// The boundary.
    pub boundary: BoundaryId,
    /// The part of it that is the body.
    pub part: usize,
}

type MakeSystem = dyn Fn(&[BoundaryPlace]) -> Arc<dyn SubSystem> + Send + Sync;
type ReadProbe = dyn Fn(&World) -> Result<f64> + Send + Sync;

/// A sub-system of a program's own.
struct OwnSystem {
    bodies: Vec<BodyId>,
    make: Box<MakeSystem>,
    /// Its state at the start, until it is part of that of the world.
    block: Option<Box<dyn Block>>,
}

/// Everything a program added.
#[derive(Default)]
pub(super) struct Extensions {
    pub parts: Vec<(String, Box<dyn OwnPart>)>,
    pub law: Option<Arc<dyn CompliantLaw>>,
    pub callback: Option<Arc<dyn ContactCallback>>,
    systems: Vec<OwnSystem>,
    probes: Vec<(Column, Arc<ReadProbe>)>,
}

impl Extensions {
    /// Bodies that the sub-systems touch.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + '_ {
        self.systems.iter().flat_map(|s| s.bodies.iter().copied())
    }

    /// Whether there are sub-systems.
    pub fn has_systems(&self) -> bool {
        !self.systems.is_empty()
    }

    /// Columns of the probes.
    pub fn columns(&self) -> impl Iterator<Item = &Column> {
        self.probes.iter().map(|(column, _)| column)
    }

    /// Whether nothing was added that does work of its own.
    pub fn do_no_work(&self) -> bool {
        self.parts.is_empty() && self.law.is_none() && self.systems.is_empty()
    }

    /// Whether there is a part of that name.
    pub fn has_part(&self, name: &str) -> bool {
        self.parts.iter().any(|(own, _)| own == name)
    }
}

impl World {
    /// Adds a part of your own: coordinates, force elements, constraints, first-order states.
    ///
    /// Parts stand behind all objects of the world, in the order of adding, and find bodies by
    /// [`FrameKey::body`](huygens_core::builder::FrameKey::body) with the index of their handle. The world calls the
    /// phases of [`Part`] again whenever it rebuilds its model; each must then begin afresh. Coordinates, multipliers
    /// and history keep their numbers by the names of their items, which must therefore be unique. Shapes of contact
    /// belong to bodies and structures; a part that brings some is refused.
    pub fn add_part(&mut self, name: impl Into<String>, part: impl Part + Any) -> Result<()> {
        let name = name.into();
        if name.is_empty() || self.objects.names.contains_key(&name) || self.extensions.has_part(&name) {
            return Err(WorldError::Value {
                what: "name of a part".into(),
                value: format!("\"{name}\""),
                expected: "a name that no other object has".into(),
            });
        }
        self.suspend();
        self.extensions.parts.push((name, Box::new(part)));
        Ok(())
    }

    /// A part of your own, as [`World::add_part`] took it; after [`World::initialize`] it knows where it was placed.
    pub fn part<T: Part + Any>(&self, name: &str) -> Result<&T> {
        let kind = "part";
        let (_, part) = self.extensions.parts.iter().find(|(own, _)| own == name).ok_or_else(|| {
            let names = self.extensions.parts.iter().map(|(own, _)| own.as_str());
            let suggestion = huygens_core::signal::closest_name(name, names).map(str::to_owned);
            WorldError::Unknown { kind, name: name.into(), suggestion }
        })?;
        let part: &dyn Any = &**part;
        part.downcast_ref().ok_or_else(|| WorldError::Value {
            what: format!("type of part '{name}'"),
            value: std::any::type_name::<T>().into(),
            expected: "the type that was added".into(),
        })
    }

    /// Adds a system with steps of its own that touches `bodies`, with its state at the start.
    ///
    /// `make` gives the system; it is called whenever the world rebuilds its model, with a place for each body, in the
    /// same order. Name each boundary once in [`SubSystem::boundaries`]; all bodies share one.
    pub fn add_sub_system<S: SubSystem + 'static>(
        &mut self,
        bodies: &[BodyId],
        block: impl Block,
        make: impl Fn(&[BoundaryPlace]) -> S + Send + Sync + 'static,
    ) -> Result<()> {
        for id in bodies {
            let body = self.objects.assembly.body(*id).ok_or_else(|| WorldError::Unknown {
                kind: "body",
                name: format!("{id:?}"),
                suggestion: None,
            })?;
            if matches!(body.kind, BodyKind::Fixed) {
                return Err(WorldError::Value {
                    what: "body that a sub-system touches".into(),
                    value: format!("'{}', which is fixed", body.name),
                    expected: "a dynamic or kinematic body".into(),
                });
            }
        }
        self.suspend();
        self.extensions.systems.push(OwnSystem {
            bodies: bodies.to_vec(),
            make: Box::new(move |places| Arc::new(make(places))),
            block: Some(Box::new(block)),
        });
        Ok(())
    }

    /// The sub-systems of the program for the model as it is; their blocks are in the state afterwards.
    pub(super) fn own_systems(&mut self) -> Result<Vec<Arc<dyn SubSystem>>> {
        let Some(s) = &mut self.motion.simulation else { return Ok(Vec::new()) };
        let mut made: Vec<Arc<dyn SubSystem>> = Vec::new();
        for own in &mut self.extensions.systems {
            let system = (own.make)(&places(s, &own.bodies)?);
            let (kind, owner) = (system.kind(), system.owner());
            let taken = s.state.blocks.contains(kind, owner);
            if let Some(block) = own.block.take_if(|_| !taken) {
                s.state.blocks.insert(kind, owner, block);
            }
            if own.block.is_some() || made.iter().any(|m| (m.kind(), m.owner()) == (kind, owner)) {
                return Err(WorldError::Value {
                    what: "sub-system".into(),
                    value: format!("{kind} '{owner}'"),
                    expected: "a kind and an owner that no other sub-system has".into(),
                });
            }
            made.push(system);
        }
        Ok(made)
    }

    /// Adds a probe of your own: a number that `read` takes from the world, recorded and written beside the others.
    pub fn add_user_probe(
        &mut self,
        name: impl Into<String>,
        unit: &'static str,
        read: impl Fn(&World) -> Result<f64> + Send + Sync + 'static,
    ) -> Result<()> {
        let column = Column { name: name.into(), unit, file: PROBES.into() };
        if column.name.is_empty() || self.probe_columns()?.contains(&column) {
            return Err(WorldError::Value {
                what: "name of a probe".into(),
                value: format!("\"{}\"", column.name),
                expected: "a name that no other probe has".into(),
            });
        }
        self.extensions.probes.push((column, Arc::new(read)));
        Ok(())
    }

    /// Appends the values of the program's own probes.
    pub(super) fn user_probe_values(&self, out: &mut Vec<f64>) -> Result<()> {
        for (_, read) in &self.extensions.probes {
            out.push(read(self)?);
        }
        Ok(())
    }

    /// Takes a compliant contact law of your own in place of the one that the settings compose, or none. The settings
    /// must name the compliant law. Grains and fluids keep the laws of their own.
    pub fn set_contact_law(&mut self, law: Option<Arc<dyn CompliantLaw>>) {
        self.suspend();
        self.extensions.law = law;
    }
}

/// Where sub-systems touch bodies.
fn places(simulation: &Simulation, bodies: &[BodyId]) -> Result<Vec<BoundaryPlace>> {
    let place = |id: &BodyId| {
        let (boundary, part) = simulation.mechanism.boundary_part(*id)?;
        Some(BoundaryPlace { boundary, part })
    };
    bodies
        .iter()
        .map(|id| {
            place(id).ok_or_else(|| WorldError::Unknown {
                kind: "body",
                name: format!("{id:?}"),
                suggestion: None,
            })
        })
        .collect()
}
