//! Flexible structures in a world: what they are made of, the nodes others attach to, and their states.

mod applies;
mod build;
mod contact;
mod joints;
mod make;
mod quantities;
mod state;
mod view;

use glam::{DQuat, DVec3};
use huygens_fea::node::joint::{NodeJoint, NodeRef};
use huygens_fea::structure::{NodeKind, Structure};

use super::coordinates::Owner;
use super::lookup::Lookup;
use super::{Build, Object, Objects, Result, World, WorldError};
use crate::spec::{NodeJointType, Section, StructureSpec};

pub(super) use build::Structures;
pub use quantities::{SectionForces, SolidStress};
pub(super) use quantities::{StructureQuantity, tables as quantity_tables};

/// Handle of a structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StructureId(usize);

impl StructureId {
    /// Number of the structure, in the order of adding; numbers of removed structures are not used again.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A structure of a world.
pub(super) struct StructureSet {
    spec: StructureSpec,
    made: Structure,
    joints: Vec<NodeJoint>,
    /// Global number of its first node.
    first_node: u32,
    /// Number of its collision shapes.
    proxies: usize,
}

impl StructureSet {
    /// Takes everything out; the place stays, so that handles and numbers of other structures do.
    fn clear(&mut self) {
        let first_node = self.first_node;
        *self = Self {
            spec: StructureSpec::default(),
            made: Structure::default(),
            joints: Vec::new(),
            first_node,
            proxies: 0,
        };
    }

    /// Whether joints prescribe the motion of nodes.
    pub fn has_prescribed_joints(&self) -> bool {
        self.spec.joints.iter().any(|joint| matches!(joint.kind, NodeJointType::Coordinate { .. }))
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.spec.name
    }

    /// What its joints hold it to: names of bodies, of their markers and of nodes.
    pub fn joined_to(&self) -> impl Iterator<Item = &str> {
        self.spec.joints.iter().map(|joint| joint.to.as_str())
    }

    /// Density of its material [kg/m³].
    pub fn density(&self) -> Option<f64> {
        self.spec.material.as_ref().map(|material| material.density)
    }

    /// Whether the structure was removed.
    pub(super) fn is_removed(&self) -> bool {
        self.spec.name.is_empty()
    }

    /// Number of the pieces of its contact surface.
    pub(super) fn piece_count(&self) -> usize {
        self.proxies
    }

    pub(super) fn model(&self) -> &Structure {
        &self.made
    }

    pub(super) fn node_count(&self) -> usize {
        self.made.nodes.len()
    }
}

/// Where a node is and how it moves, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeMotion {
    /// Position [m].
    pub position: DVec3,
    /// Orientation, `world_from_node`: of nodes with gradients the rotation nearest to them, of nodes with a slope the
    /// axes they started with, turned along the line.
    pub rotation: DQuat,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Angular velocity [rad/s], the rate of that rotation; zero for nodes without one.
    pub angular_velocity: DVec3,
}

impl Build for StructureSpec {
    fn build(self, world: &mut World) -> Result<()> {
        world.add_structure(self).map(drop)
    }

    fn all(world: &World) -> impl DoubleEndedIterator<Item = &Self> {
        world.objects.structures.iter().filter(|set| !set.is_removed()).map(|set| &set.spec)
    }

    fn remove(world: &mut World, name: &str) -> Result<()> {
        let id = world.structure(name)?;
        world.objects.structures[id.0].clear();
        Ok(())
    }
}

impl World {
    /// Adds a flexible structure.
    pub fn add_structure(&mut self, mut spec: StructureSpec) -> Result<StructureId> {
        let owner = self.claim(&mut spec)?;
        let owner = Owner { section: Section::Structures, name: &owner };
        let (mut made, warnings) = make::structure(&self.exec, owner, &spec)?;
        let proxies = self.add_surface(owner, &spec, &mut made)?;
        self.suspend();
        let id = StructureId(self.objects.structures.len());
        let last = self.objects.structures.last();
        let first_node = last.map_or(0, |s| s.first_node + s.made.nodes.len() as u32);
        self.objects.structures.push(StructureSet { spec, made, joints: Vec::new(), first_node, proxies });
        self.objects.names.insert(owner.name.to_owned(), Object::Structure(id));
        if let Err(error) = self.add_node_joints(id) {
            self.objects.structures.pop();
            self.objects.names.remove(owner.name);
            return Err(error);
        }
        warnings.iter().for_each(|w| self.reports.warnings.push(format!("structure '{}': {w}", owner.name)));
        Ok(id)
    }

    /// Structures with their descriptions, in the order of adding.
    pub fn structures(&self) -> impl Iterator<Item = (StructureId, &StructureSpec)> {
        let present = self.objects.structures.iter().enumerate().filter(|(_, set)| !set.is_removed());
        present.map(|(k, set)| (StructureId(k), &set.spec))
    }

    /// The engine's nodes and elements of a structure, as they start.
    pub fn structure_model(&self, structure: StructureId) -> Result<&Structure> {
        Ok(&self.objects.structure_set(structure)?.made)
    }
}

impl Objects {
    /// Name of a structure.
    pub(super) fn structure_name(&self, structure: StructureId) -> String {
        self.structures.get(structure.0).map_or(String::new(), |s| s.spec.name.clone())
    }

    pub(super) fn structure_set(&self, structure: StructureId) -> Result<&StructureSet> {
        self.structures.get(structure.0).filter(|set| !set.is_removed()).ok_or_else(|| WorldError::Unknown {
            kind: "structure",
            name: format!("{structure:?}"),
            suggestion: None,
        })
    }
}

impl Lookup<'_> {
    /// The node behind a global number.
    pub(super) fn node_of_key(&self, key: u32) -> Option<NodeRef> {
        let structure = self.objects.structures.partition_point(|s| s.first_node <= key).checked_sub(1)?;
        let set = &self.objects.structures[structure];
        let node = key - set.first_node;
        ((node as usize) < set.made.nodes.len()).then_some(NodeRef { structure: structure as u32, node })
    }

    /// Global number of a node.
    pub(super) fn node_key(&self, node: NodeRef) -> u32 {
        self.objects.structures[node.structure as usize].first_node + node.node
    }

    pub(super) fn node_kind(&self, node: NodeRef) -> NodeKind {
        self.objects.structures[node.structure as usize].made.nodes[node.node as usize].kind
    }
}
