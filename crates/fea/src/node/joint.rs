//! Joints of nodes: with each other, with bodies and with the ground.
//!
//! Every row is linear in the coordinates of a node and in the axes of the carrier or the coordinates of the other node,
//! so all derivatives are short.
//!
//! Joints of nodes that have a rotation are those of bodies. What is here holds positions, slopes and gradients.

mod rows;

use glam::{DQuat, DVec3};
use huygens_core::function::Function;

use crate::error::{FeaError, NodeUser, Result};
use crate::structure::{NodeKind, Structure, check_index};

pub(crate) use rows::{JointBatch, JointItem};

/// A node of one of several structures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRef {
    /// Structure, in the order of [`Flexible::structures`](crate::part::Flexible::structures).
    pub structure: u32,
    /// Node of it.
    pub node: u32,
}

/// What nodes are joined to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Carrier {
    /// The ground: places and axes are those of the world.
    #[default]
    Ground,
    /// A body, by its number among the bodies: places and axes are those of its frame.
    Body(u32),
    /// A node with a rotation: places and axes are its own.
    Node(NodeRef),
}

/// A slope or gradient of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gradient {
    /// The node.
    pub node: NodeRef,
    /// Along which axis: 0 (x, the slope), 1 or 2.
    pub axis: u8,
}

/// What a joint of nodes holds.
#[derive(Clone, Debug, PartialEq)]
pub enum NodeJointKind {
    /// A node stays at a place of a carrier: three rows.
    Point {
        /// The node.
        node: NodeRef,
        /// What carries the place.
        carrier: Carrier,
        /// The place [m] in the carrier's axes.
        place: DVec3,
    },
    /// Two nodes have the same place: three rows.
    Points {
        /// The nodes.
        nodes: [NodeRef; 2],
    },
    /// Two nodes of one kind have the same place, slope and gradients: a row for each column.
    Equal {
        /// The nodes.
        nodes: [NodeRef; 2],
    },
    /// A slope or gradient keeps a direction of a carrier: two rows.
    Direction {
        /// The gradient.
        gradient: Gradient,
        /// What carries the direction.
        carrier: Carrier,
        /// The direction in the carrier's axes.
        direction: DVec3,
    },
    /// A node with gradients, or with a slope, is clamped to a carrier: three rows for the place, and three for the
    /// section (the gradients along y and z) or two for the slope.
    Clamp {
        /// The node.
        node: NodeRef,
        /// What carries the place and the axes.
        carrier: Carrier,
        /// The place [m] in the carrier's axes.
        place: DVec3,
        /// The node's axes seen from the carrier's.
        rotation: DQuat,
    },
    /// A node turns about an axis of a carrier: three rows for the place, and one that keeps a slope across the axis or
    /// two that keep the gradient along z on it.
    Hinge {
        /// The node.
        node: NodeRef,
        /// What carries the place and the axis.
        carrier: Carrier,
        /// The place [m] in the carrier's axes.
        place: DVec3,
        /// The axis in the carrier's axes.
        axis: DVec3,
    },
    /// Two nodes share their place and turn about a gradient of the first (tasora2016): three rows, and one for each of
    /// the second node's gradients along x and y that it has.
    Hinges {
        /// The nodes.
        nodes: [NodeRef; 2],
        /// The gradient of the first node that is the axis.
        axis: u8,
    },
    /// One coordinate of a node moves as prescribed from where it starts: one row.
    Coordinate {
        /// The node.
        node: NodeRef,
        /// Which coordinate: position, then slope or gradients.
        column: u8,
        /// Displacement over time.
        displacement: Function,
    },
}

/// A joint of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeJoint {
    /// Name, used in messages.
    pub name: String,
    /// What it holds.
    pub kind: NodeJointKind,
}

/// A group of rows of a joint; `node` is 0 or 1, places and axes are those of the carrier's body frame.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Rows {
    /// The node is at a place of the carrier.
    Place { node: usize, place: DVec3 },
    /// Both nodes are at the same place.
    SamePlace,
    /// Both nodes have the same numbers.
    SameNumbers { columns: usize },
    /// A gradient is at right angles to a direction of the carrier.
    AcrossCarrier { node: usize, gradient: usize, axis: DVec3 },
    /// A gradient of the first node is at right angles to one of the second.
    AcrossGradient { gradients: [usize; 2] },
    /// A coordinate of the first node moves from `start` as prescribed.
    Coordinate { column: usize, start: f64, displacement: Function },
}

impl Rows {
    /// Number of rows.
    pub fn count(&self) -> usize {
        match self {
            Rows::Place { .. } | Rows::SamePlace => 3,
            Rows::SameNumbers { columns } => *columns,
            Rows::AcrossCarrier { .. } | Rows::AcrossGradient { .. } | Rows::Coordinate { .. } => 1,
        }
    }
}

/// A joint as rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct JointPlan {
    /// One node or two.
    pub nodes: Vec<NodeRef>,
    /// What they are joined to.
    pub carrier: Carrier,
    /// What is held.
    pub rows: Vec<Rows>,
}

impl NodeJoint {
    /// Two nodes that share their place.
    pub(crate) fn pin(structure: u32, nodes: [u32; 2], name: String) -> Self {
        Self { name, kind: NodeJointKind::Points { nodes: nodes.map(|node| NodeRef { structure, node }) } }
    }

    /// The rows, or what does not fit.
    pub(crate) fn plan(&self, structures: &[Structure]) -> Result<JointPlan> {
        let finder = Finder { joint: &self.name, structures };
        let ground = Carrier::Ground;
        let plan = match self.kind.clone() {
            NodeJointKind::Point { node, carrier, place } => {
                finder.kind(node)?;
                JointPlan { nodes: vec![node], carrier, rows: vec![Rows::Place { node: 0, place }] }
            }
            NodeJointKind::Points { nodes } => {
                nodes.iter().try_for_each(|&n| finder.kind(n).map(drop))?;
                JointPlan { nodes: nodes.to_vec(), carrier: ground, rows: vec![Rows::SamePlace] }
            }
            NodeJointKind::Equal { nodes } => {
                let [a, b] = [finder.kind(nodes[0])?, finder.kind(nodes[1])?];
                if a != b || a == NodeKind::Frame {
                    let expected = "two nodes of one kind that have no rotation (join those like bodies)";
                    return Err(finder.unfit(nodes[1], expected.into(), b));
                }
                let rows = vec![Rows::SameNumbers { columns: a.columns() }];
                JointPlan { nodes: nodes.to_vec(), carrier: ground, rows }
            }
            NodeJointKind::Direction { gradient, carrier, direction } => {
                finder.gradient(gradient.node, gradient.axis)?;
                let direction = finder.unit("direction", direction)?;
                let (a, b) = direction.any_orthonormal_pair();
                let row = |axis| Rows::AcrossCarrier { node: 0, gradient: gradient.axis.into(), axis };
                JointPlan { nodes: vec![gradient.node], carrier, rows: vec![row(a), row(b)] }
            }
            NodeJointKind::Clamp { node, carrier, place, rotation } => {
                let kind = finder.gradient(node, 0)?;
                let row = |gradient, axis| Rows::AcrossCarrier { node: 0, gradient, axis: rotation * axis };
                let mut rows = vec![Rows::Place { node: 0, place }];
                if kind == NodeKind::Gradients {
                    // The section is held; the slope along x may differ by the shear.
                    rows.extend([row(1, DVec3::X), row(2, DVec3::X), row(1, DVec3::Z)]);
                } else {
                    rows.extend([row(0, DVec3::Y), row(0, DVec3::Z)]);
                }
                JointPlan { nodes: vec![node], carrier, rows }
            }
            NodeJointKind::Hinge { node, carrier, place, axis } => {
                let kind = finder.gradient(node, 0)?;
                let axis = finder.unit("axis", axis)?;
                let mut rows = vec![Rows::Place { node: 0, place }];
                let row = |gradient, axis| Rows::AcrossCarrier { node: 0, gradient, axis };
                if kind == NodeKind::Gradients {
                    let (a, b) = axis.any_orthonormal_pair();
                    rows.extend([row(2, a), row(2, b)]);
                } else {
                    rows.push(row(0, axis));
                }
                JointPlan { nodes: vec![node], carrier, rows }
            }
            NodeJointKind::Hinges { nodes, axis } => {
                finder.gradient(nodes[0], axis)?;
                let kind = finder.gradient(nodes[1], 0)?;
                let mut rows = vec![Rows::SamePlace];
                let gradients = if kind == NodeKind::Gradients { 2 } else { 1 };
                rows.extend((0..gradients).map(|k| Rows::AcrossGradient { gradients: [axis.into(), k] }));
                JointPlan { nodes: nodes.to_vec(), carrier: ground, rows }
            }
            NodeJointKind::Coordinate { node, column, displacement } => {
                let kind = finder.kind(node)?;
                let free = if kind == NodeKind::Frame { 3 } else { kind.columns() };
                check_index(&format!("joint '{}'", self.name), "coordinate", column.into(), free)?;
                let column = usize::from(column);
                let start = finder.node(node)?.numbers().0[column];
                let rows = vec![Rows::Coordinate { column, start, displacement }];
                JointPlan { nodes: vec![node], carrier: ground, rows }
            }
        };
        finder.check(&plan)?;
        Ok(plan)
    }
}

/// Looks nodes up for a joint.
struct Finder<'a> {
    joint: &'a str,
    structures: &'a [Structure],
}

impl Finder<'_> {
    fn object(&self) -> String {
        format!("joint '{}'", self.joint)
    }

    fn node(&self, at: NodeRef) -> Result<&crate::structure::Node> {
        check_index(&self.object(), "structure", at.structure, self.structures.len())?;
        let structure = &self.structures[at.structure as usize];
        check_index(&self.object(), "node", at.node, structure.nodes.len())?;
        Ok(&structure.nodes[at.node as usize])
    }

    fn kind(&self, at: NodeRef) -> Result<NodeKind> {
        Ok(self.node(at)?.kind)
    }

    /// The kind of a node that has this gradient.
    fn gradient(&self, at: NodeRef, axis: u8) -> Result<NodeKind> {
        let kind = self.kind(at)?;
        if usize::from(axis) < kind.slopes() {
            return Ok(kind);
        }
        let needed = if axis == 0 { "a node with a slope" } else { "a node with three gradients" };
        let hint = if kind == NodeKind::Frame { " (join nodes with a rotation like bodies)" } else { "" };
        Err(self.unfit(at, format!("{needed}{hint}"), kind))
    }

    fn unfit(&self, at: NodeRef, expected: String, found: NodeKind) -> FeaError {
        let structure = &self.structures[at.structure as usize];
        let (user, node) = (NodeUser::Joint, structure.node_name(at.node));
        let problem = FeaError::NodeKind { user, object: self.object(), node, expected, found: found.name() };
        problem.of(&structure.name)
    }

    fn unit(&self, what: &str, axis: DVec3) -> Result<DVec3> {
        axis.try_normalize().ok_or_else(|| FeaError::Mismatch {
            what: self.object(),
            reason: format!("its {what} is {axis}; a direction is needed"),
        })
    }

    fn check(&self, plan: &JointPlan) -> Result<()> {
        let twice = plan.nodes.len() == 2 && plan.nodes[0] == plan.nodes[1];
        if let Carrier::Node(at) = plan.carrier {
            let kind = self.kind(at)?;
            if kind != NodeKind::Frame {
                return Err(self.unfit(at, "a carrier with a rotation".into(), kind));
            }
        }
        if twice || plan.nodes.iter().any(|&n| plan.carrier == Carrier::Node(n)) {
            let structure = &self.structures[plan.nodes[0].structure as usize];
            let node = structure.node_name(plan.nodes[0].node);
            let reason = format!("it joins {node} to itself");
            return Err(FeaError::Mismatch { what: self.object(), reason }.of(&structure.name));
        }
        let finite = plan.rows.iter().all(|row| match row {
            Rows::Place { place, .. } => place.is_finite(),
            Rows::AcrossCarrier { axis, .. } => axis.is_finite(),
            _ => true,
        });
        if !finite {
            let reason = "its place and axes must be finite".into();
            return Err(FeaError::Mismatch { what: self.object(), reason });
        }
        Ok(())
    }
}
