//! The boundary of cells.

use std::collections::HashMap;

use super::{CellKind, Faces, Mesh};
use crate::structure::Structure;

/// Faces that belong to one cell only, outward, in the order of the cells, and the index of the cell of each.
pub fn skin<'a>(cells: impl Iterator<Item = (CellKind, &'a [u32])> + Clone) -> (Faces, Vec<u32>) {
    // A face is the same whichever cell lists it: its corners in rising order tell it.
    let key = |face: &[usize], nodes: &[u32]| {
        let corners = if matches!(face.len(), 3 | 6) { 3 } else { 4 };
        let mut out = [u32::MAX; 4];
        out[..corners].iter_mut().zip(face).for_each(|(out, &k)| *out = nodes[k]);
        out.sort_unstable();
        out
    };
    let mut uses: HashMap<[u32; 4], u32> = HashMap::new();
    for (kind, nodes) in cells.clone() {
        kind.faces().iter().for_each(|face| *uses.entry(key(face, nodes)).or_default() += 1);
    }
    let (mut faces, mut owners, mut own) = (Faces::new(), Vec::new(), Vec::new());
    for (index, (kind, nodes)) in cells.enumerate() {
        for face in kind.faces().iter().filter(|face| uses[&key(face, nodes)] == 1) {
            own.clear();
            own.extend(face.iter().map(|&k| nodes[k]));
            faces.push(&own);
            owners.push(index as u32);
        }
    }
    (faces, owners)
}

impl Structure {
    /// The boundary of its solids and its surfaces, outward.
    pub fn skin(&self) -> Faces {
        skin(self.elements.iter().map(|e| (e.kind().cell(), e.nodes()))).0
    }
}

impl Mesh {
    /// The boundary of its solid cells, outward.
    pub fn skin(&self) -> Faces {
        let solids = self.cells.iter().filter(|c| c.kind.dimension() == 3);
        skin(solids.map(|c| (c.kind, c.nodes()))).0
    }
}
