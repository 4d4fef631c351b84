//! Damping by mass of what nodes carry: point masses, and the inertia of rotation of nodes with axes.
//!
//! $f = -a\,m\,v$ on the place and $-a\,J\omega$ on the axes; elements damp the mass of their own.

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_exec::Exec;
use huygens_kernel::{Mat3, Vec3};

use crate::element::batch::NodePlace;
use crate::node::ItemName;

/// Items a parallel piece works on.
const CHUNK: usize = 256;

/// A node and what it carries.
#[derive(Clone, Debug)]
pub struct DampedNode {
    /// The node.
    pub node: NodePlace,
    /// Weight of the mass [1/s].
    pub weight: f64,
    /// Point mass [kg].
    pub mass: f64,
    /// Inertia of rotation [kg·m²], node axes; zero for nodes without axes.
    pub inertia: Mat3,
    /// Name in messages.
    pub name: ItemName,
}

/// Nodes whose masses are damped.
pub struct DampedNodes {
    nodes: Vec<DampedNode>,
}

impl DampedNodes {
    /// A batch of nodes.
    pub fn new(nodes: impl IntoIterator<Item = DampedNode>) -> Self {
        Self { nodes: nodes.into_iter().collect() }
    }
}

impl DampedNode {
    fn write_force(&self, v: &[f64], out: &mut [f64]) {
        let v = &v[self.node.v..];
        out.fill(0.0);
        (0..3).for_each(|k| out[k] = -self.weight * self.mass * v[k]);
        if self.inertia != Mat3::ZERO {
            let torque = self.inertia * Vec3::from_slice(&v[3..]) * -self.weight;
            out[3..6].copy_from_slice(&torque.to_array());
        }
    }

    fn write_tangent(&self, weight: f64, out: &mut [f64]) {
        let (columns, weight) = (self.node.columns, weight * self.weight);
        out.fill(0.0);
        (0..3).for_each(|k| out[k * (columns + 1)] = weight * self.mass);
        if self.inertia != Mat3::ZERO {
            for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                out[(3 + r) * columns + 3 + c] = weight * self.inertia.col(c)[r];
            }
        }
    }
}

impl ElementBatch for DampedNodes {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.nodes.iter().for_each(|node| layout.push(&[node.node.block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.nodes[item].name.text("damping of node")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| self.nodes[i].write_force(x.v, out));
        if let Some((weights, tangent)) = tangent {
            ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
                self.nodes[i].write_tangent(weights.damping, out);
            });
        }
    }
}
