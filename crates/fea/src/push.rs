//! Forces on nodes that others write into the history of the state, such as what grains did to a structure.
//!
//! A wrench $(F, T)$ on a carried frame, whose motion is $v = \sum_k v_k\dot x_k$ and $\omega = \sum_k\omega_k\dot x_k$,
//! is the generalized force
//! $$ f_k = v_k\cdot F + \omega_k\cdot T $$
//! on the columns $\dot x_k$: its power is that of the wrench. The forces stay as they are until they are written anew;
//! as part of the state they are saved with it.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use huygens_core::Model;
use huygens_core::carrier::Twist;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_exec::Exec;

use crate::batch::NodePlace;
use crate::node::ItemName;

/// Items a parallel piece works on.
const CHUNK: usize = 256;

/// Forces on all nodes of a structure; they are its history, node by node.
pub struct PushBatch {
    of: Arc<str>,
    nodes: Vec<NodePlace>,
    /// First number of each node in the history.
    starts: Vec<usize>,
    count: usize,
}

impl PushBatch {
    /// Forces on the nodes of the structure called `name`.
    pub fn new(name: &str, nodes: &[NodePlace]) -> Self {
        let (mut count, mut starts) = (0, Vec::with_capacity(nodes.len()));
        for node in nodes {
            starts.push(count);
            count += node.columns;
        }
        Self { of: format!("structure '{name}'").into(), nodes: nodes.to_vec(), starts, count }
    }

    /// Adds the batch to a model; where the forces stand.
    pub fn place_in(self, model: &mut Model) -> PushPlace {
        let place = |(node, start): (&NodePlace, &usize)| (node.v as u32, node.columns as u32, *start);
        let mut columns: Vec<_> = self.nodes.iter().zip(&self.starts).map(place).collect();
        columns.sort_unstable();
        let count = self.count;
        let first = model.add_elements(Arc::new(self)).first_history;
        PushPlace { history: first..first + count, columns }
    }
}

impl ElementBatch for PushBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.count, ..Layout::default() };
        self.nodes.iter().for_each(|node| layout.push(&[node.block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> String {
        ItemName { of: self.of.clone(), number: item as u64 }.text("push on node")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        _x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            out.copy_from_slice(&history[self.starts[i]..][..out.len()]);
        });
        if let Some((_, tangent)) = tangent {
            tangent.fill(0.0);
        }
    }
}

/// Where the forces on the nodes of a structure stand in the history of the state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushPlace {
    history: Range<usize>,
    /// First column, rising, number of columns and first number of each node.
    columns: Vec<(u32, u32, usize)>,
}

impl PushPlace {
    /// The numbers of the history.
    pub fn history(&self) -> Range<usize> {
        self.history.clone()
    }

    /// Adds a wrench on a frame, force [N] and torque [N·m] about its origin, to the forces `out` of all nodes, which are
    /// as many as the numbers of the history; `columns` move the frame with `twists`. Columns of other structures are left
    /// out.
    pub fn add(&self, columns: &[u32], twists: &[Twist], force: DVec3, torque: DVec3, out: &mut [f64]) {
        for (&column, twist) in columns.iter().zip(twists) {
            let after = self.columns.partition_point(|(first, ..)| *first <= column);
            let Some(&(first, count, start)) = after.checked_sub(1).map(|k| &self.columns[k]) else {
                continue;
            };
            if column - first < count {
                out[start + (column - first) as usize] += twist.power(force, torque);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_has_the_power_of_its_wrench() {
        let node = |v, columns| NodePlace { v, columns, ..NodePlace::default() };
        // Columns need not rise with the nodes.
        let batch = PushBatch::new("rod", &[node(20, 6), node(3, 6)]);
        let columns = vec![(3, 6, batch.starts[1]), (20, 6, batch.starts[0])];
        let place = PushPlace { history: 0..batch.count, columns };
        // The last two belong to others.
        let columns = [20, 21, 22, 23, 24, 25, 3, 4, 5, 9, 40];
        let number = |k: usize| (k as f64 * 1.7).sin();
        let vector = |k: usize| DVec3::new(number(k), number(k + 50), number(k + 90));
        let twist = |k: usize| Twist { velocity: vector(k), omega: vector(k + 200) };
        let twists: Vec<Twist> = (0..columns.len()).map(twist).collect();
        let rates: Vec<f64> = (0..12).map(number).collect();
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for (twist, rate) in twists[..9].iter().zip(&rates) {
            velocity += twist.velocity * *rate;
            omega += twist.omega * *rate;
        }
        let (force, torque) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.8));
        let mut out = vec![0.0; 12];
        place.add(&columns, &twists, force, torque, &mut out);
        let power: f64 = out.iter().zip(&rates).map(|(f, v)| f * v).sum();
        assert!((power - force.dot(velocity) - torque.dot(omega)).abs() < 1e-14);
    }
}
