//! Which parts of structures hang together, and which of them nothing holds.

use super::FlexiblePart;
use crate::joint::{Carrier, NodeRef};

/// Nodes that hang together through elements and joints, and that nothing else holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Floating {
    /// The nodes, in order.
    pub nodes: Vec<NodeRef>,
    /// What they are called in messages, such as `structure 'net'` or `40 nodes of structure 'net' from node 3 on`.
    pub name: String,
}

/// Sets of numbers that are joined step by step; the smallest member stands for a set.
struct Groups(Vec<u32>);

impl Groups {
    fn of(&mut self, mut member: u32) -> u32 {
        while self.0[member as usize] != member {
            let above = self.0[member as usize];
            self.0[member as usize] = self.0[above as usize];
            member = above;
        }
        member
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

impl FlexiblePart {
    /// The parts that no support and no joint with the ground or a body holds; `held` says whether something else, such
    /// as a joint of bodies, holds a node. A part that is held may still be able to move.
    pub fn floating(&self, held: &dyn Fn(NodeRef) -> bool) -> Vec<Floating> {
        let structures = &self.flexible.structures;
        let mut first = vec![0];
        structures.iter().for_each(|s| first.push(first[first.len() - 1] + s.nodes.len() as u32));
        let number = |at: NodeRef| first[at.structure as usize] + at.node;
        let mut groups = Groups((0..first[structures.len()]).collect());
        let mut supported = vec![false; groups.0.len()];
        for (index, structure) in structures.iter().enumerate() {
            let at = |node: u32| first[index] + node;
            for element in &structure.elements {
                let nodes = element.nodes();
                nodes[1..].iter().for_each(|&n| groups.join(at(nodes[0]), at(n)));
            }
            for fixed in &structure.fixed {
                fixed.nodes.iter().for_each(|&n| supported[at(n) as usize] = true);
            }
        }
        for (_, plan) in &self.plans {
            plan.nodes[1..].iter().for_each(|&n| groups.join(number(plan.nodes[0]), number(n)));
            let prescribed = plan.rows.iter().any(|row| matches!(row, crate::joint::Rows::Coordinate { .. }));
            match plan.carrier {
                Carrier::Node(at) => groups.join(number(plan.nodes[0]), number(at)),
                Carrier::Body(_) => supported[number(plan.nodes[0]) as usize] = true,
                Carrier::Ground if plan.nodes.len() == 1 || prescribed => {
                    supported[number(plan.nodes[0]) as usize] = true;
                }
                Carrier::Ground => {}
            }
        }
        let nodes: Vec<NodeRef> = self.each_node().collect();
        let mut free = vec![true; nodes.len()];
        for (n, &at) in nodes.iter().enumerate() {
            if supported[n] || held(at) {
                free[groups.of(n as u32) as usize] = false;
            }
        }
        let mut parts: std::collections::BTreeMap<u32, Vec<NodeRef>> = Default::default();
        for (n, &at) in nodes.iter().enumerate() {
            let group = groups.of(n as u32);
            if free[group as usize] {
                parts.entry(group).or_default().push(at);
            }
        }
        parts.into_values().map(|nodes| Floating { name: self.part_name(&nodes), nodes }).collect()
    }

    fn part_name(&self, nodes: &[NodeRef]) -> String {
        let mut structures: Vec<u32> = nodes.iter().map(|at| at.structure).collect();
        structures.dedup();
        let one = |&index: &u32| {
            let structure = &self.flexible.structures[index as usize];
            let own: Vec<_> = nodes.iter().filter(|at| at.structure == index).collect();
            match own.len() {
                n if n == structure.nodes.len() => format!("structure '{}'", structure.name),
                1 => structure.node_name(own[0].node),
                n => format!("{n} nodes with {}", structure.node_name(own[0].node)),
            }
        };
        structures.iter().map(one).collect::<Vec<_>>().join(" and ")
    }
}
