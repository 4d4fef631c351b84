//! Joints of nodes: with each other, with bodies and with the ground.
//!
//! Joints of nodes that have a rotation are those of bodies. What is here holds positions, slopes and gradients.

use glam::{DQuat, DVec3};
use huygens_core::function::Function;

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
    /// A body, by the number the caller gave it: places and axes are those of its frame, at the centre of mass.
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
    /// gradients or two for the slope.
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
    /// A node turns about an axis of a carrier: three rows for the place, one for the slope along x, and with
    /// gradients one more for that along y; the node's z axis is the axis.
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
