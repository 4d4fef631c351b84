//! Structures as a part of the model that is built.

use std::collections::BTreeMap;

use huygens_core::Model;
use huygens_core::builder::{
    self, FrameKey, FrameKind, FramePlace, MaterialNumbers, Part, PartContact, Places,
};
use huygens_core::contract::Sensor;
use huygens_fea::node::joint::NodeRef;
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_multibody::{Attachment, Carrier};

use crate::spec::Section;
use crate::world::coordinates::Owner;
use crate::world::{Result, Simulation, World};

/// All structures on their way into a model. Others name nodes by their global numbers.
pub(in crate::world) struct Structures {
    part: FlexiblePart,
    /// Place of each global number among the published frames.
    frames: BTreeMap<u32, u32>,
}

impl Structures {
    /// First position and first velocity of a node.
    pub(in crate::world) fn place(&self, node: NodeRef) -> Option<[usize; 2]> {
        self.part.place(node).map(|p| [p.q, p.v])
    }

    pub(in crate::world) fn part(&self) -> &FlexiblePart {
        &self.part
    }

    /// The key of the part behind one of a model; nodes have global numbers there.
    fn key(&self, key: FrameKey) -> FrameKey {
        match key.kind {
            FrameKind::NODE => FrameKey::node(self.frames.get(&key.item).copied().unwrap_or(u32::MAX)),
            _ => key,
        }
    }
}

impl Part for Structures {
    fn place_coordinates(&mut self, model: &mut Model) -> builder::Result<()> {
        self.part.place_coordinates(model)
    }
    fn place_frames(&mut self, model: &mut Model) -> builder::Result<()> {
        self.part.place_frames(model)
    }
    fn frame(&self, key: FrameKey) -> Option<FramePlace> {
        self.part.frame(self.key(key))
    }
    fn frame_name(&self, key: FrameKey) -> Option<String> {
        self.part.frame_name(self.key(key))
    }
    fn attach(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        self.part.attach(model, places)
    }
    fn place_batches(&mut self, model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        self.part.place_batches(model, places)
    }
    fn contact_frames(&self, key: FrameKey) -> Vec<u32> {
        self.part.contact_frames(self.key(key))
    }
    fn contact(
        &self,
        places: &Places<'_>,
        materials: &MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        self.part.contact(places, materials)
    }
    fn sensors(&self) -> builder::Result<Vec<(usize, Box<dyn Sensor>)>> {
        self.part.sensors()
    }
}

impl Simulation {
    /// First position and first velocity of a node.
    pub(in crate::world) fn node_place(&self, node: NodeRef) -> Option<[usize; 2]> {
        self.structures.as_ref()?.place(node)
    }
}

impl World {
    /// All structures, ready to be placed in a model; none where there are none.
    pub(in crate::world) fn prepare_structures(&self) -> Result<Option<Structures>> {
        let Some((_, first)) = self.structures().next() else { return Ok(None) };
        let mut frames = BTreeMap::new();
        let mut published = Vec::new();
        for number in self.attached_nodes() {
            let Some(node) = self.lookup().node_of_key(number) else { continue };
            frames.entry(number).or_insert_with(|| {
                published.push(node);
                published.len() as u32 - 1
            });
        }
        let flexible = Flexible {
            structures: self.objects.structures.iter().map(|s| s.made.clone()).collect(),
            joints: self.objects.structures.iter().flat_map(|s| s.joints.clone()).collect(),
            frames: published,
        };
        let mut part = FlexiblePart::new(flexible).map_err(|e| {
            let (name, problem) = e.into_problem();
            let name = name.as_deref().unwrap_or(&first.name);
            super::make::blame(Owner { section: Section::Structures, name }, problem)
        })?;
        self.touched_structures().into_iter().for_each(|k| part.add_boundary(k));
        Ok(Some(Structures { part, frames }))
    }

    /// The structure whose description has a joint of nodes.
    pub(in crate::world) fn structure_of_joint(&self, joint: &str) -> Option<&str> {
        let set = self.objects.structures.iter().find(|s| s.joints.iter().any(|j| j.name == joint))?;
        Some(&set.spec.name)
    }

    /// Global numbers of the nodes that joints, springs and other things of bodies attach to.
    fn attached_nodes(&self) -> Vec<u32> {
        let mut all = Vec::new();
        let mut see = |at: &Attachment| {
            if let Carrier::External(number) = at.carrier {
                all.push(number);
            }
        };
        let assembly = &self.objects.assembly;
        assembly.joints().iter().for_each(|(_, j)| [&j.a, &j.b].into_iter().for_each(&mut see));
        assembly.springs().iter().for_each(|(_, s)| [&s.a, &s.b].into_iter().for_each(&mut see));
        assembly.ropes().iter().for_each(|(_, s)| [&s.a, &s.b].into_iter().for_each(&mut see));
        assembly.bushings().iter().for_each(|(_, s)| [&s.a, &s.b].into_iter().for_each(&mut see));
        for (_, coupling) in assembly.couplings().iter() {
            coupling.teeth.iter().for_each(|t| [&t.a, &t.b].into_iter().for_each(&mut see));
        }
        all
    }
}
