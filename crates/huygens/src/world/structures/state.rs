//! Where nodes are and how they move.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::keep::COORDINATES;
use huygens_fea::joint::NodeRef;
use huygens_fea::structure::{Node, NodeKind};

use super::{NodeMotion, StructureId};
use crate::world::{Result, World, WorldError};

fn vector(x: &[f64], k: usize) -> DVec3 {
    DVec3::from_slice(&x[3 * k..])
}

/// The motion that the numbers of a node tell.
fn motion(start: &Node, q: &[f64], v: &[f64]) -> NodeMotion {
    let (position, velocity) = (vector(q, 0), vector(v, 0));
    let (rotation, angular_velocity) = match start.kind {
        NodeKind::Point => (start.rotation, DVec3::ZERO),
        NodeKind::Slope => {
            let (slope, rate) = (vector(q, 1), vector(v, 1));
            let along = slope.normalize_or(start.rotation * DVec3::X);
            let turn = DQuat::from_rotation_arc(start.rotation * DVec3::X, along);
            let length = slope.length_squared().max(f64::MIN_POSITIVE);
            ((turn * start.rotation).normalize(), slope.cross(rate) / length)
        }
        NodeKind::Gradients => {
            let gradients = [1, 2, 3].map(|k| vector(q, k));
            let x = gradients[0].normalize_or(DVec3::X);
            let z = x.cross(gradients[1]).normalize_or(x.any_orthonormal_vector());
            let axes = DMat3::from_cols(x, z.cross(x), z);
            let spins = (0..3).map(|k| {
                gradients[k].cross(vector(v, k + 1)) / gradients[k].length_squared().max(f64::MIN_POSITIVE)
            });
            (DQuat::from_mat3(&axes), spins.sum::<DVec3>() * 0.5)
        }
        NodeKind::Frame => {
            let rotation = DQuat::from_xyzw(q[3], q[4], q[5], q[6]);
            (rotation, rotation * vector(v, 1))
        }
    };
    NodeMotion { position, rotation, velocity, angular_velocity }
}

impl World {
    /// Motion of a node when the model is not built: as it was in the last one, or as it starts.
    pub(super) fn start_motion(&self, node: NodeRef) -> NodeMotion {
        let made = &self.structures[node.structure as usize].made;
        let start = &made.nodes[node.node as usize];
        let kept = self.carried.as_ref().and_then(|kept| {
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
