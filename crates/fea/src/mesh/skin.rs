//! The boundary of tetrahedra.

use std::collections::HashMap;

use super::{CellKind, Mesh};
use crate::structure::{Element, Structure};

/// Faces of a tetrahedron, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// Triangles that belong to one tetrahedron only, outward, in the order of the tetrahedra, each with the index of its
/// tetrahedron.
pub fn skin(tetrahedra: impl Iterator<Item = [u32; 4]> + Clone) -> Vec<([u32; 3], u32)> {
    let faces = tetrahedra
        .enumerate()
        .flat_map(|(index, corners)| FACES.map(|face| (face.map(|k| corners[k]), index as u32)).into_iter());
    let key = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let mut uses: HashMap<[u32; 3], u32> = HashMap::new();
    faces.clone().for_each(|(face, _)| *uses.entry(key(face)).or_default() += 1);
    faces.filter(|(face, _)| uses[&key(*face)] == 1).collect()
}

impl Structure {
    /// The boundary triangles of its tetrahedra, outward.
    pub fn skin(&self) -> Vec<[u32; 3]> {
        let tetrahedra = self.elements.iter().filter_map(|e| match e {
            Element::Tetrahedron { nodes, .. } => Some(*nodes),
            _ => None,
        });
        skin(tetrahedra).into_iter().map(|(face, _)| face).collect()
    }
}

impl Mesh {
    /// The boundary triangles of its tetrahedra, outward.
    pub fn skin(&self) -> Vec<[u32; 3]> {
        let tetrahedra = self.cells.iter().filter(|c| c.kind == CellKind::Tetrahedron4).map(|c| c.nodes);
        skin(tetrahedra).into_iter().map(|(face, _)| face).collect()
    }
}
