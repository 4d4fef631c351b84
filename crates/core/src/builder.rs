//! The builder: assembles a [`Model`] from parts that are independent of each other.
//!
//! A [`Part`] contributes coordinates and batches: rigid bodies with their joints, flexible structures, constraint
//! fluids. The builder runs the same phases for all of them, in the order of the caller's list:
//!
//! 1. coordinates of all parts,
//! 2. carried frames of all parts, then their points to which parts attach,
//! 3. batches (elements, constraints, rows, states) of all parts, which find the frames of the others through
//!    [`Places`],
//! 4. contact: proxies and exclusions of all parts over one list of materials,
//! 5. sensors of the signal graph.
//!
//! No part is special. The order of the list determines the layout of positions, velocities, rows and history.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use glam::{DMat3, DVec3};

use crate::contact::{
    CompliantLaw, Composite, ContactCallback, ContactMaterial, ContactModel, ContactSettings, ProxySource,
};
use crate::contract::Sensor;
use crate::error::CoreError;
use crate::model::Model;
use crate::signal::SignalGraph;
use crate::subject::{ObjectRef, Subject};

/// The kind of object to which a frame belongs. The set is open: a crate that adds another kind declares its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameKind(pub &'static str);

impl FrameKind {
    /// Rigid bodies, by their index in the arena of bodies.
    pub const BODY: Self = Self("body");
    /// Nodes of structures to which something attaches, by their published number.
    pub const NODE: Self = Self("node");
    /// Pieces of contact surfaces of structures, by structure and piece.
    pub const SURFACE: Self = Self("contact surface");
}

/// Identifies a frame across parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameKey {
    /// Kind of the owner.
    pub kind: FrameKind,
    /// Number within the kind.
    pub item: u32,
    /// Piece of the owner, if it has several frames; otherwise 0.
    pub piece: u32,
}

impl FrameKey {
    /// The frame of a body.
    pub fn body(index: u32) -> Self {
        Self { kind: FrameKind::BODY, item: index, piece: 0 }
    }

    /// The frame of a node.
    pub fn node(number: u32) -> Self {
        Self { kind: FrameKind::NODE, item: number, piece: 0 }
    }

    /// The frame of a piece of a contact surface.
    pub fn surface(structure: u32, piece: u32) -> Self {
        Self { kind: FrameKind::SURFACE, item: structure, piece }
    }
}

impl fmt::Display for FrameKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} number {}", self.kind.0, self.item)?;
        if self.kind == FrameKind::SURFACE {
            write!(f, ", piece {}", self.piece)?;
        }
        Ok(())
    }
}

/// Location of a frame in the model.
#[derive(Clone, Debug, PartialEq)]
pub struct FramePlace {
    /// Global number of the frame.
    pub frame: u32,
    /// Column blocks that move it; none if it is at rest or follows a function of time.
    pub blocks: Vec<u32>,
    /// Origin of the frame in its owner's axes [m]. A body's frame sits at its centre of mass: points given in body
    /// axes are moved by −`offset` into the frame.
    pub offset: DVec3,
    /// Initial origin [m] and axes, world; none where they follow from the state of several blocks.
    pub pose: Option<(DVec3, DMat3)>,
}

/// The reason why a model cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A reference to an object that no part has.
    #[error("{asker} refers to a {kind}{} that does not exist or was removed", number(*.item))]
    Missing {
        /// The referring object, such as `joint of a node 'hook'`.
        asker: Subject,
        /// Kind of the missing object.
        kind: &'static str,
        /// Its number, if it has no name.
        item: Option<u32>,
    },
    /// A part cannot be placed as described.
    #[error("{what}: {reason}")]
    Refused {
        /// The object.
        what: Subject,
        /// Why not.
        reason: String,
    },
    /// No part measures what an input of the signal graph reads.
    #[error("no part measures sensor {sensor} of the signal graph")]
    NoSensor {
        /// Number of the sensor in the graph.
        sensor: usize,
    },
    /// Settings or materials of contact are out of range.
    #[error("contact: {0}")]
    Contact(CoreError),
}

fn number(item: Option<u32>) -> String {
    item.map_or(String::new(), |k| format!(" (number {k})"))
}

impl BuildError {
    /// The object that the error concerns, if any.
    pub fn object(&self) -> Option<ObjectRef> {
        match self {
            Self::Missing { asker: subject, .. } | Self::Refused { what: subject, .. } => {
                subject.about().cloned()
            }
            Self::NoSensor { .. } => None,
            Self::Contact(error) => error.object(),
        }
    }
}

/// Result of building.
pub type Result<T> = std::result::Result<T, BuildError>;

/// A component that contributes coordinates and batches to a model.
///
/// The builder calls the methods in the order of declaration.
pub trait Part: Send + Sync {
    /// Places coordinates.
    fn place_coordinates(&mut self, model: &mut Model) -> Result<()>;
    /// Places carried frames, once the coordinates of all parts are placed.
    fn place_frames(&mut self, _model: &mut Model) -> Result<()> {
        Ok(())
    }
    /// Location of a frame of this part, once all frames are placed; none for frames of others.
    fn frame(&self, _key: FrameKey) -> Option<FramePlace> {
        None
    }
    /// Name in messages of the owner of a frame of this part.
    fn frame_name(&self, _key: FrameKey) -> Option<String> {
        None
    }
    /// Attaches to points of deforming frames ([`Model::attach`]), once the frames of all parts are placed.
    fn attach(&mut self, _model: &mut Model, _places: &Places<'_>) -> Result<()> {
        Ok(())
    }
    /// Places elements, constraints, rows and states; all frames exist.
    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> Result<()>;
    /// Contact frames that move with a frame of this part: whatever is joined there does not collide with them.
    fn contact_frames(&self, _key: FrameKey) -> Vec<u32> {
        Vec::new()
    }
    /// The collision shapes.
    fn contact(&self, _places: &Places<'_>, _materials: &MaterialNumbers) -> Result<Option<PartContact>> {
        Ok(None)
    }
    /// The sensors of the signal graph that this part measures, by their numbers in the graph.
    fn sensors(&self) -> Result<Vec<(usize, Box<dyn Sensor>)>> {
        Ok(Vec::new())
    }
}

/// The frames of all other parts, as seen by one part.
#[derive(Clone, Default)]
pub struct Places<'a> {
    others: Vec<&'a dyn Part>,
}

impl<'a> Places<'a> {
    fn new<'p>(before: &'a [&'p mut (dyn Part + 'p)], after: &'a [&'p mut (dyn Part + 'p)]) -> Self {
        let mut others: Vec<&'a dyn Part> = Vec::with_capacity(before.len() + after.len());
        others.extend(before.iter().chain(after).map(|part| &**part as &dyn Part));
        Self { others }
    }

    fn parts(&self) -> impl Iterator<Item = &'a dyn Part> + '_ {
        self.others.iter().copied()
    }

    /// Location of a frame, if another part has it.
    pub fn find(&self, key: FrameKey) -> Option<FramePlace> {
        self.parts().find_map(|part| part.frame(key))
    }

    /// Location of a frame; `asker` is the requesting object, named in the error message.
    pub fn frame(&self, asker: &Subject, key: FrameKey) -> Result<FramePlace> {
        self.find(key).ok_or_else(|| BuildError::Missing {
            asker: asker.clone(),
            kind: key.kind.0,
            item: Some(key.item),
        })
    }

    /// Name in messages of the owner of a frame.
    pub fn frame_name(&self, key: FrameKey) -> String {
        self.parts().find_map(|part| part.frame_name(key)).unwrap_or_else(|| key.to_string())
    }

    /// Contact frames that move with a frame of another part.
    pub fn contact_frames(&self, key: FrameKey) -> Vec<u32> {
        self.parts().flat_map(|part| part.contact_frames(key)).collect()
    }
}

/// What a [`Part`] contributes to contact.
pub struct PartContact {
    /// Proxies with materials of the contact model.
    pub source: Arc<dyn ProxySource>,
    /// Pairs of frames excluded from contact.
    pub exclusions: Vec<[u32; 2]>,
}

/// Contact set-up for all parts.
#[derive(Clone, Default)]
pub struct ContactSetup {
    /// How contacts are found and resolved.
    pub settings: ContactSettings,
    /// Materials with the keys by which parts name them, such as their index in an arena.
    pub materials: Vec<(u32, ContactMaterial)>,
    /// Properties of material pairs that override the combination rule.
    pub composites: Vec<([u32; 2], Composite)>,
    /// User callbacks; proxies are numbered in the order of the parts and their shapes.
    pub callback: Option<Arc<dyn ContactCallback>>,
    /// A user-defined compliant law, in place of the one that the settings compose.
    pub law: Option<Arc<dyn CompliantLaw>>,
}

/// Numbers of the contact materials in the model, by the keys of the [`ContactSetup`].
#[derive(Clone, Debug, Default)]
pub struct MaterialNumbers {
    numbers: BTreeMap<u32, u16>,
}

impl MaterialNumbers {
    fn new(materials: &[(u32, ContactMaterial)]) -> Result<Self> {
        let mut numbers = BTreeMap::new();
        for (k, (key, _)) in materials.iter().enumerate() {
            let number = u16::try_from(k).map_err(|_| BuildError::Refused {
                what: "contact".into(),
                reason: "there are more than 65,535 materials".into(),
            })?;
            numbers.insert(*key, number);
        }
        Ok(Self { numbers })
    }

    /// Number in the model of the material with a key.
    pub fn find(&self, key: u32) -> Option<u16> {
        self.numbers.get(&key).copied()
    }

    /// Number in the model of the material with a key; `asker` is the requesting object, named in the error message.
    pub fn number(&self, asker: &Subject, key: u32) -> Result<u16> {
        self.find(key).ok_or_else(|| BuildError::Missing {
            asker: asker.clone(),
            kind: "material",
            item: Some(key),
        })
    }
}

/// Builds a [`Model`] from [`Part`]s.
///
/// ```
/// use glam::DVec3;
/// use huygens_core::builder::ModelBuilder;
///
/// let model = ModelBuilder::new(DVec3::NEG_Z * 9.81).build(&mut []).unwrap();
/// assert_eq!(model.velocity_count(), 0);
/// ```
#[derive(Default)]
pub struct ModelBuilder {
    gravity: DVec3,
    signals: SignalGraph,
    contact: ContactSetup,
}

impl ModelBuilder {
    /// A builder with the gravitational acceleration `gravity` [m/s²], without signals and materials.
    pub fn new(gravity: DVec3) -> Self {
        Self { gravity, ..Self::default() }
    }

    /// Takes the signal graph; the parts provide the sensors that it reads.
    pub fn signals(self, signals: SignalGraph) -> Self {
        Self { signals, ..self }
    }

    /// Takes settings and materials of contact.
    pub fn contact(self, contact: ContactSetup) -> Self {
        Self { contact, ..self }
    }

    /// Builds the model of `parts`, in their order.
    pub fn build<'p>(self, parts: &mut [&'p mut (dyn Part + 'p)]) -> Result<Model> {
        let mut model = Model::new(self.gravity);
        let sensor_count = self.signals.sensor_count();
        // States of parts come after those of the graph.
        model.set_signal_graph(self.signals);
        parts.iter_mut().try_for_each(|part| part.place_coordinates(&mut model))?;
        parts.iter_mut().try_for_each(|part| part.place_frames(&mut model))?;
        for_each_part(parts, |part, places| part.attach(&mut model, places))?;
        for_each_part(parts, |part, places| part.place_batches(&mut model, places))?;
        place_contact(&mut model, self.contact, parts)?;
        model.set_sensors(collect_sensors(sensor_count, parts)?);
        Ok(model)
    }
}

/// Calls `f` with every part and the frames of the others.
fn for_each_part<'p>(
    parts: &mut [&'p mut (dyn Part + 'p)],
    mut f: impl FnMut(&mut (dyn Part + 'p), &Places<'_>) -> Result<()>,
) -> Result<()> {
    for k in 0..parts.len() {
        let (before, rest) = parts.split_at_mut(k);
        if let Some((part, after)) = rest.split_first_mut() {
            f(&mut **part, &Places::new(before, after))?;
        }
    }
    Ok(())
}

/// Proxies and exclusions of all parts.
fn place_contact<'p>(
    model: &mut Model,
    setup: ContactSetup,
    parts: &[&'p mut (dyn Part + 'p)],
) -> Result<()> {
    let numbers = MaterialNumbers::new(&setup.materials)?;
    let mut contacts = Vec::new();
    for (k, part) in parts.iter().enumerate() {
        let places = Places::new(&parts[..k], &parts[k + 1..]);
        contacts.extend(part.contact(&places, &numbers)?);
    }
    if contacts.is_empty() && !model.has_row_sources() {
        return Ok(());
    }
    let mut contact = ContactModel::new(setup.settings);
    contact.add_materials(setup.materials.into_iter().map(|m| m.1)).map_err(BuildError::Contact)?;
    for ([a, b], composite) in &setup.composites {
        let number = |key: u32| numbers.number(&"a pair of materials".into(), key);
        contact.set_composite(number(*a)?, number(*b)?, *composite);
    }
    contacts.iter().for_each(|part| contact.add_proxies(part.source.clone()));
    contact.set_exclusions(contacts.iter().flat_map(|part| part.exclusions.iter().copied()));
    if let Some(callback) = setup.callback {
        contact.set_callback(callback);
    }
    if let Some(law) = setup.law {
        contact.set_user_law(law);
    }
    model.set_contact(contact).map_err(BuildError::Contact)
}

/// The sensors of all parts, in the order of the graph.
fn collect_sensors<'p>(count: usize, parts: &[&'p mut (dyn Part + 'p)]) -> Result<Vec<Box<dyn Sensor>>> {
    let mut all: Vec<Option<Box<dyn Sensor>>> = Vec::new();
    all.resize_with(count, || None);
    for part in parts {
        for (number, sensor) in part.sensors()? {
            if number >= all.len() {
                all.resize_with(number + 1, || None);
            }
            if all[number].replace(sensor).is_some() {
                return Err(BuildError::Refused {
                    what: format!("sensor {number} of the signal graph").into(),
                    reason: "two parts measure it".into(),
                });
            }
        }
    }
    all.into_iter().enumerate().map(|(sensor, s)| s.ok_or(BuildError::NoSensor { sensor })).collect()
}
