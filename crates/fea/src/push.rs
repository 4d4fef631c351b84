//! Forces on nodes that others write into the history of the state, such as what grains did to a structure.
//!
//! A wrench $(F, T)$ on a carried frame, whose motion is $v = \sum_k w_k\dot x_k$ and $\omega = \sum_k A_k\dot x_k$,
//! is the generalized force
//! $$ f_k = w_k F + A_k^T T $$
//! on the columns $\dot x_k$: its power is that of the wrench. The forces stay as they are until they are written anew;
//! as part of the state they are saved with it.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;
use huygens_core::Model;
use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, Layout, MotionMap, Slots, StateView, Weights};
use huygens_exec::Exec;

use crate::batch::NodePlace;
use crate::node::ItemName;

/// Items a parallel piece works on.
const CHUNK: usize = 256;

/// Forces on all nodes of a structure; they are its history, node by node.
pub struct PushBatch {
    of: Arc<Subject>,
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
        Self { of: Arc::new(Subject::object("structure", name)), nodes: nodes.to_vec(), starts, count }
    }

    /// Adds the batch to a model; where the forces stand.
    pub fn place_in(self, model: &mut Model) -> PushPlace {
        let mut blocks: Vec<(u32, usize)> =
            self.nodes.iter().zip(&self.starts).map(|(node, start)| (node.block, *start)).collect();
        blocks.sort_unstable();
        let count = self.count;
        let first = model.add_elements(Arc::new(self)).first_history;
        PushPlace { history: first..first + count, blocks }
    }
}

impl ElementBatch for PushBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.count, ..Layout::default() };
        self.nodes.iter().for_each(|node| layout.push(&[node.block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
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
    /// Blocks, rising, and the first number of each.
    blocks: Vec<(u32, usize)>,
}

impl PushPlace {
    /// The numbers of the history.
    pub fn history(&self) -> Range<usize> {
        self.history.clone()
    }

    /// Adds a wrench on a frame, force [N] and torque [N·m] about its origin, to the forces `out` of all nodes, which are
    /// as many as the numbers of the history. Blocks of other structures are left out.
    pub fn add(&self, map: &MotionMap, force: DVec3, torque: DVec3, out: &mut [f64]) {
        for group in map.groups() {
            let Ok(at) = self.blocks.binary_search_by_key(&group.block, |b| b.0) else { continue };
            let first = self.blocks[at].1 + group.column as usize;
            let share = group.linear * force + group.angular.transpose() * torque;
            out[first..first + 3].iter_mut().zip(share.to_array()).for_each(|(out, f)| *out += f);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DMat3;
    use huygens_core::contract::MotionGroup;

    #[test]
    fn a_push_has_the_power_of_its_wrench() {
        let node = |block, columns| NodePlace { block, columns, ..NodePlace::default() };
        // Blocks need not rise with the nodes.
        let batch = PushBatch::new("rod", &[node(7, 6), node(3, 6)]);
        let place =
            PushPlace { history: 0..batch.count, blocks: vec![(3, batch.starts[1]), (7, batch.starts[0])] };
        let mut map = MotionMap::default();
        let angular = DMat3::from_cols_array(&[0.1, 0.4, -0.3, 0.7, -0.2, 0.5, 0.3, 0.9, -0.6]);
        map.push(MotionGroup { block: 7, column: 0, linear: 0.3, angular });
        map.push(MotionGroup { block: 7, column: 3, linear: 0.0, angular: angular * 2.0 });
        map.push(MotionGroup { block: 3, column: 0, linear: 0.7, angular: -angular });
        let rates: Vec<f64> = (0..12).map(|k| (f64::from(k) * 1.7).sin()).collect();
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for (group, start) in map.groups().iter().zip([0, 3, 6]) {
            let rate = DVec3::from_slice(&rates[start..]);
            velocity += group.linear * rate;
            omega += group.angular * rate;
        }
        let (force, torque) = (DVec3::new(1.0, -2.0, 0.5), DVec3::new(0.3, 0.1, -0.8));
        let mut out = vec![0.0; 12];
        place.add(&map, force, torque, &mut out);
        let power: f64 = out.iter().zip(&rates).map(|(f, v)| f * v).sum();
        assert!((power - force.dot(velocity) - torque.dot(omega)).abs() < 1e-14);
    }
}
