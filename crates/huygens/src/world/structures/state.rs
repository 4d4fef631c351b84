//! Where nodes are and how they move.

use glam::{DQuat, DVec3};
use huygens_core::keep::COORDINATES;
use huygens_fea::node::joint::NodeRef;
use huygens_fea::structure::Node;

use super::{NodeMotion, StructureId};
use crate::world::lookup::Lookup;
use crate::world::{Result, World, WorldError};

/// The motion that the numbers of a node tell. The axes of a node whose gradients are crushed flat stay those of the
/// start.
fn motion(start: &Node, q: &[f64], v: &[f64]) -> NodeMotion {
    NodeMotion {
        position: DVec3::from_slice(q),
        rotation: start.rotation_at(q).unwrap_or(start.rotation),
        velocity: DVec3::from_slice(v),
        angular_velocity: start.angular_velocity_at(q, v).unwrap_or(DVec3::ZERO),
    }
}

impl Lookup<'_> {
    /// Motion of a node when the model is not built: as it was in the last one, or as it starts.
    pub(super) fn start_motion(&self, node: NodeRef) -> NodeMotion {
        let made = &self.objects.structures[node.structure as usize].made;
        let start = &made.nodes[node.node as usize];
        let kept = self.motion.carried.as_ref().and_then(|kept| {
            let numbers = kept.numbers(COORDINATES, &made.node_name(node.node))?;
            let (q, v) = numbers.split_at_checked(start.kind.positions())?;
            (v.len() >= start.kind.columns()).then(|| motion(start, q, v))
        });
        kept.unwrap_or_else(|| {
            let (q, v) = start.numbers();
            motion(start, &q, &v)
        })
    }

    /// Motion of a node.
    pub(in crate::world) fn motion_of_node(&self, node: NodeRef) -> NodeMotion {
        let built = self.motion.simulation.as_ref().and_then(|s| {
            let start = &self.objects.structures[node.structure as usize].made.nodes[node.node as usize];
            let place = s.node_place(node)?;
            Some(motion(start, &s.state.q[place[0]..], &s.state.v[place[1]..]))
        });
        built.unwrap_or_else(|| self.start_motion(node))
    }

    /// Position [m] and rotation of a node.
    pub(in crate::world) fn node_pose(&self, node: NodeRef) -> (DVec3, DQuat) {
        let motion = self.motion_of_node(node);
        (motion.position, motion.rotation)
    }
}

impl World {
    /// The node of a structure that a word names: its number, or a set of one node.
    pub fn node(&self, structure: StructureId, name: &str) -> Result<NodeRef> {
        let set = self.objects.structure_set(structure)?;
        let node = set.made.find_node(name).map_err(|e| WorldError::Value {
            what: format!("node of structure '{}'", set.spec.name),
            value: format!("'{name}'"),
            expected: e.to_string(),
        })?;
        Ok(NodeRef { structure: structure.0 as u32, node })
    }

    /// Where a node is and how it moves.
    pub fn node_motion(&self, structure: StructureId, name: &str) -> Result<NodeMotion> {
        Ok(self.lookup().motion_of_node(self.node(structure, name)?))
    }

    /// Number of nodes of a structure.
    pub fn node_count(&self, structure: StructureId) -> Result<usize> {
        Ok(self.objects.structure_set(structure)?.made.nodes.len())
    }

    /// Motions of all nodes of a structure, in the order of its mesh.
    pub fn node_motions(&self, structure: StructureId) -> Result<Vec<NodeMotion>> {
        let count = self.node_count(structure)? as u32;
        let node = |node| NodeRef { structure: structure.0 as u32, node };
        Ok((0..count).map(|n| self.lookup().motion_of_node(node(n))).collect())
    }
}
