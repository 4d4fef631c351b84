//! Where nodes are and how they move.

use glam::{DQuat, DVec3};
use huygens_core::State;
use huygens_fea::joint::NodeRef;
use huygens_fea::structure::Node;

use super::{NodeMotion, NodeNumbers, StructureId, StructureSet};
use crate::world::{Result, Simulation, World, WorldError};

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

impl StructureSet {
    /// Where each node begins among the numbers of the structure: positions, velocities.
    pub(super) fn starts(nodes: &[Node]) -> Vec<[usize; 2]> {
        let mut at = [0, 0];
        nodes
            .iter()
            .map(|node| {
                let start = at;
                at = [at[0] + node.kind.positions(), at[1] + node.kind.columns()];
                start
            })
            .collect()
    }
}

impl World {
    /// Motion of a node when the model is not built.
    pub(super) fn start_motion(&self, node: NodeRef) -> NodeMotion {
        let set = &self.structures[node.structure as usize];
        let start = &set.made.nodes[node.node as usize];
        match &set.state {
            Some(numbers) => {
                let [q, v] = set.starts[node.node as usize];
                motion(start, &numbers.q[q..], &numbers.v[v..])
            }
            None => {
                let (q, v) = start.numbers();
                motion(start, &q, &v)
            }
        }
    }

    /// Motion of a node.
    pub(in crate::world) fn motion_of_node(&self, node: NodeRef) -> NodeMotion {
        let built = self.simulation.as_ref().and_then(|s| {
            let start = &self.structures[node.structure as usize].made.nodes[node.node as usize];
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

    /// Takes the states of nodes out of a model that is taken apart.
    pub(in crate::world) fn keep_structures(&mut self, simulation: &Simulation) {
        for (k, set) in self.structures.iter_mut().enumerate() {
            let mut numbers = NodeNumbers::default();
            for (n, node) in set.made.nodes.iter().enumerate() {
                let node_ref = NodeRef { structure: k as u32, node: n as u32 };
                let Some([q, v]) = simulation.node_place(node_ref) else { return };
                numbers.q.extend_from_slice(&simulation.state.q[q..][..node.kind.positions()]);
                numbers.v.extend_from_slice(&simulation.state.v[v..][..node.kind.columns()]);
            }
            set.state = Some(numbers);
        }
    }

    /// Puts kept states of nodes into a new model.
    pub(in crate::world) fn restore_structures(
        &self,
        place: impl Fn(NodeRef) -> Option<[usize; 2]>,
        state: &mut State,
    ) {
        for (k, set) in self.structures.iter().enumerate() {
            let Some(numbers) = &set.state else { continue };
            for (n, (node, [q, v])) in set.made.nodes.iter().zip(&set.starts).enumerate() {
                let Some(at) = place(NodeRef { structure: k as u32, node: n as u32 }) else { continue };
                let (wide, columns) = (node.kind.positions(), node.kind.columns());
                state.q[at[0]..][..wide].copy_from_slice(&numbers.q[*q..][..wide]);
                state.v[at[1]..][..columns].copy_from_slice(&numbers.v[*v..][..columns]);
            }
        }
    }

    /// The node of a structure that a word names: its number, or a set of one node.
    pub fn node(&self, structure: StructureId, name: &str) -> Result<NodeRef> {
        let set = self.structure_set(structure)?;
        let node = set.made.find_node(name).map_err(|e| WorldError::Value {
            what: format!("node of structure '{}'", set.spec.name),
            value: format!("'{name}'"),
            expected: e.to_string(),
        })?;
        Ok(NodeRef { structure: structure.0 as u32, node })
    }

    /// Where a node is and how it moves.
    pub fn node_motion(&self, structure: StructureId, name: &str) -> Result<NodeMotion> {
        Ok(self.motion_of_node(self.node(structure, name)?))
    }

    /// Number of nodes of a structure.
    pub fn node_count(&self, structure: StructureId) -> Result<usize> {
        Ok(self.structure_set(structure)?.made.nodes.len())
    }

    /// Motions of all nodes of a structure, in the order of its mesh.
    pub fn node_motions(&self, structure: StructureId) -> Result<Vec<NodeMotion>> {
        let count = self.node_count(structure)? as u32;
        let node = |node| NodeRef { structure: structure.0 as u32, node };
        Ok((0..count).map(|n| self.motion_of_node(node(n))).collect())
    }
}
