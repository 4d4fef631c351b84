//! What the state says about nodes and structures.

use glam::{DQuat, DVec3};

use super::FlexiblePart;
use crate::node::joint::NodeRef;
use crate::output::{SolidState, Station};
use crate::structure::{Node, NodeKind};

impl FlexiblePart {
    /// Vector `k` of a node in `from`, the positions or velocities of the model: its place first.
    fn vector(from: &[f64], first: usize, k: usize) -> Option<DVec3> {
        Some(DVec3::from_slice(from.get(first + 3 * k..first + 3 * k + 3)?))
    }

    fn kind(&self, at: NodeRef) -> Option<NodeKind> {
        Some(self.node(at)?.kind)
    }

    /// Position [m] of a node; none for one that does not exist or is not placed.
    pub fn position(&self, q: &[f64], at: NodeRef) -> Option<DVec3> {
        Self::vector(q, self.place(at)?.q, 0)
    }

    /// Velocity [m/s] of a node, world axes.
    pub fn velocity(&self, v: &[f64], at: NodeRef) -> Option<DVec3> {
        Self::vector(v, self.place(at)?.v, 0)
    }

    /// Slope, or gradient along axis 0, 1 or 2, of a node that has it.
    pub fn gradient(&self, q: &[f64], at: NodeRef, axis: usize) -> Option<DVec3> {
        let count = self.kind(at)?.slopes();
        Self::vector(q, self.place(at)?.q, 1 + axis).filter(|_| axis < count)
    }

    fn node(&self, at: NodeRef) -> Option<&Node> {
        self.flexible.structures.get(at.structure as usize)?.nodes.get(at.node as usize)
    }

    /// Axes of a node, `world_from_node`; see [`Node::rotation_at`].
    pub fn rotation(&self, q: &[f64], at: NodeRef) -> Option<DQuat> {
        self.node(at)?.rotation_at(q.get(self.place(at)?.q..)?)
    }

    /// Angular velocity [rad/s] of a node, world axes; see [`Node::angular_velocity_at`].
    pub fn angular_velocity(&self, q: &[f64], v: &[f64], at: NodeRef) -> Option<DVec3> {
        let place = self.place(at)?;
        self.node(at)?.angular_velocity_at(q.get(place.q..)?, v.get(place.v..)?)
    }

    /// Elastic energy [J] of an element at the positions `q` of the model; `history` is that of the state.
    pub fn element_energy(&self, q: &[f64], history: &[f64], structure: u32, element: u32) -> Option<f64> {
        self.batches.energy(structure, element, q, history)
    }

    /// Place, strains and section forces at `t` along a line, from 0 at its first node to 1 at its last; none for solids.
    pub fn station(&self, q: &[f64], structure: u32, element: u32, t: f64) -> Option<Station> {
        self.batches.station(structure, element, q, t)
    }

    /// Strain and stress of a solid; none for lines and for inverted elements. `history` is that of the state.
    pub fn solid_state(
        &self,
        q: &[f64],
        history: &[f64],
        structure: u32,
        element: u32,
    ) -> Option<SolidState> {
        self.batches.solid_state(structure, element, q, history)
    }

    /// Elastic energy [J] of a structure at the positions `q` of the model; `history` is that of the state.
    pub fn elastic_energy(&self, q: &[f64], history: &[f64], structure: u32) -> Option<f64> {
        let elements = self.built.get(structure as usize)?.len() as u32;
        (0..elements).map(|element| self.element_energy(q, history, structure, element)).sum()
    }
}
