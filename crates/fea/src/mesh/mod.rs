//! Meshes: nodes and cells as files hold them, readers, and generators.

mod error;

use std::collections::BTreeMap;

use glam::DVec3;

pub use error::{MeshError, MeshFault, MeshPlace};

/// Shape of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CellKind {
    /// One node.
    Point,
    /// Two nodes.
    Line2,
    /// Three nodes: first, last, middle.
    Line3,
    /// A triangle.
    Triangle3,
    /// A tetrahedron.
    Tetrahedron4,
}

impl CellKind {
    /// Number of nodes.
    pub fn nodes(self) -> usize {
        match self {
            CellKind::Point => 1,
            CellKind::Line2 => 2,
            CellKind::Line3 | CellKind::Triangle3 => 3,
            CellKind::Tetrahedron4 => 4,
        }
    }

    /// Number of dimensions.
    pub fn dimension(self) -> usize {
        match self {
            CellKind::Point => 0,
            CellKind::Line2 | CellKind::Line3 => 1,
            CellKind::Triangle3 => 2,
            CellKind::Tetrahedron4 => 3,
        }
    }
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its number in the file.
    pub label: u64,
    /// Its shape.
    pub kind: CellKind,
    nodes: [u32; 4],
}

impl Cell {
    /// A cell with these nodes (indices); none where their number does not fit the kind.
    pub fn new(label: u64, kind: CellKind, nodes: &[u32]) -> Option<Self> {
        let mut own = [u32::MAX; 4];
        if nodes.len() != kind.nodes() {
            return None;
        }
        own[..nodes.len()].copy_from_slice(nodes);
        Some(Self { label, kind, nodes: own })
    }

    /// Its nodes (indices).
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.kind.nodes()]
    }
}

/// Nodes, cells and named sets of both.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions of the nodes [m].
    pub nodes: Vec<DVec3>,
    /// Numbers of the nodes in the file.
    pub labels: Vec<u64>,
    /// Cells.
    pub cells: Vec<Cell>,
    /// Named nodes (indices).
    pub node_sets: BTreeMap<String, Vec<u32>>,
    /// Named cells (indices).
    pub cell_sets: BTreeMap<String, Vec<u32>>,
    /// Named surfaces: corners of triangles, counter-clockwise from outside.
    pub surfaces: BTreeMap<String, Vec<[u32; 3]>>,
    /// What was left out or changed, each with its line.
    pub warnings: Vec<String>,
}

/// Volume [m³] of a tetrahedron; below zero where it is inside out.
pub fn tetrahedron_volume(corners: &[DVec3; 4]) -> f64 {
    let [a, b, c] = [corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]];
    a.cross(b).dot(c) / 6.0
}
