//! Meshes: nodes and cells as files hold them, readers, and generators.

mod abaqus;
mod cell;
mod error;
mod generate;
mod gmsh;
mod shape;
mod skin;
mod strands;
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Read;
use std::path::Path;

use glam::DVec3;
use huygens_geometry::input_file;

use crate::element::tetrahedron::is_flat;

pub use abaqus::read_abaqus;
pub use cell::{Cell, CellKind, Faces, NodeList};
pub use error::{MeshError, MeshFault, MeshPlace};
pub use generate::BlockSplit;
pub use gmsh::read_gmsh;
pub use shape::MOST_NODES;
pub use skin::skin;

/// Largest mesh that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file.
    pub bytes: u64,
    /// Nodes.
    pub nodes: usize,
    /// Cells.
    pub cells: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: 1 << 30, nodes: 10_000_000, cells: 40_000_000 }
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
    /// Named surfaces: their faces, counter-clockwise from outside.
    pub surfaces: BTreeMap<String, Faces>,
    /// What was left out or changed, each with its line.
    pub warnings: Vec<String>,
}

impl Mesh {
    /// Reads a file: `.msh` of Gmsh or `.inp` of Abaqus.
    pub fn read(path: &Path, limits: &Limits) -> Result<Mesh, MeshError> {
        let file = path.display().to_string();
        let error = |fault| MeshError { file: file.clone(), place: MeshPlace::File, fault };
        let unread = |e: std::io::Error| error(MeshFault::Read { reason: e.to_string() });
        let mut bytes = Vec::new();
        let source = input_file::open(path).map_err(unread)?;
        source.take(limits.bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(unread)?;
        let found = bytes.len() as u64;
        if found > limits.bytes {
            return Err(error(MeshFault::Count { what: "bytes", found, limit: limits.bytes }));
        }
        let ending = path.extension().map(|e| e.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        match ending.as_str() {
            "msh" => read_gmsh(&file, &bytes, limits),
            "inp" => read_abaqus(&file, &bytes, limits),
            _ => Err(error(MeshFault::Unsupported {
                what: format!("a mesh file that ends in '.{ending}'"),
                instead: "give a .msh file of Gmsh or an .inp file of Abaqus",
            })),
        }
    }

    /// Adds a set of cells, the set of their nodes, and its cells that are surfaces as a surface, under one name.
    pub(crate) fn add_cell_set(&mut self, name: String, cells: Vec<u32>) {
        let nodes: BTreeSet<u32> =
            cells.iter().flat_map(|&c| self.cells[c as usize].nodes().iter().copied()).collect();
        let surfaces = cells.iter().map(|&c| &self.cells[c as usize]).filter(|c| c.kind.dimension() == 2);
        let faces: Faces = surfaces.map(Cell::nodes).collect();
        if !faces.is_empty() {
            self.surfaces.insert(name.clone(), faces);
        }
        self.node_sets.insert(name.clone(), nodes.into_iter().collect());
        self.cell_sets.insert(name, cells);
    }

    /// Turns tetrahedra that are inside out if all of them are; refuses them if some are, and flat ones.
    pub(crate) fn orient(&mut self) -> Result<(), MeshFault> {
        let mut signs = [0, 0];
        for cell in self.cells.iter().filter(|c| c.kind == CellKind::Tetrahedron4) {
            let corners = self.corners(cell);
            if is_flat(&corners) {
                return Err(self.volume_fault(cell, 0.0));
            }
            signs[usize::from(tetrahedron_volume(&corners) < 0.0)] += 1;
        }
        let [right, inverted] = signs;
        if inverted == 0 {
            return Ok(());
        }
        for index in 0..self.cells.len() {
            let cell = &self.cells[index];
            if cell.kind != CellKind::Tetrahedron4 {
                continue;
            }
            let volume = tetrahedron_volume(&self.corners(cell));
            if right > 0 && volume < 0.0 {
                return Err(self.volume_fault(cell, volume));
            }
            if right == 0 {
                self.cells[index].nodes_mut().swap(2, 3);
            }
        }
        self.warnings
            .push(format!("all {inverted} tetrahedra were inside out; two nodes of each were exchanged"));
        Ok(())
    }

    /// Places of the first four nodes of a cell.
    fn corners(&self, cell: &Cell) -> [DVec3; 4] {
        std::array::from_fn(|k| self.nodes[cell.nodes()[k] as usize])
    }

    fn volume_fault(&self, cell: &Cell, volume: f64) -> MeshFault {
        let nodes = cell.nodes().iter().map(|&n| self.labels[n as usize]).collect();
        MeshFault::Volume { label: cell.label, nodes, volume }
    }
}

/// Volume [m³] of a tetrahedron; below zero where it is inside out.
pub fn tetrahedron_volume(corners: &[DVec3; 4]) -> f64 {
    let [a, b, c] = [corners[1] - corners[0], corners[2] - corners[0], corners[3] - corners[0]];
    a.cross(b).dot(c) / 6.0
}
