//! Shape functions of cells.
//!
//! Natural coordinates run from 0 to 1 over lines, triangles and tetrahedra (where they and their sum stay within), and
//! from −1 to 1 over quadrilaterals and hexahedra.

use super::cell::CellKind;
use crate::element::dual::{Dual, Real};

/// Natural coordinates of the nodes of the hexahedron with 27, in the order of VTK; those with 8 and 20 are its first.
const HEXAHEDRON: [[i8; 3]; 27] = [
    [-1, -1, -1],
    [1, -1, -1],
    [1, 1, -1],
    [-1, 1, -1],
    [-1, -1, 1],
    [1, -1, 1],
    [1, 1, 1],
    [-1, 1, 1],
    [0, -1, -1],
    [1, 0, -1],
    [0, 1, -1],
    [-1, 0, -1],
    [0, -1, 1],
    [1, 0, 1],
    [0, 1, 1],
    [-1, 0, 1],
    [-1, -1, 0],
    [1, -1, 0],
    [1, 1, 0],
    [-1, 1, 0],
    [-1, 0, 0],
    [1, 0, 0],
    [0, -1, 0],
    [0, 1, 0],
    [0, 0, -1],
    [0, 0, 1],
    [0, 0, 0],
];

/// The same of the quadrilateral with nine nodes.
const QUADRILATERAL: [[i8; 3]; 9] =
    [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, -1, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, 0, 0]];

/// Ends of the edges of a triangle and of a tetrahedron, in the order of their middles.
const EDGES: [[usize; 2]; 6] = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];

/// Most nodes of a cell.
pub const MOST_NODES: usize = 27;

fn values<T: Real>(kind: CellKind, at: [T; 3]) -> [T; MOST_NODES] {
    let mut out = [T::zero(); MOST_NODES];
    let (one, half) = (T::of(1.0), T::of(0.5));
    let of = |x: i8| T::of(f64::from(x));
    // Product over the directions of the cell, linear or through the middle.
    let linear = |node: &[i8; 3], d: usize| (0..d).fold(one, |n, k| n * (half * (one + at[k] * of(node[k]))));
    let quadratic = |node: &[i8; 3], d: usize| {
        (0..d).fold(one, |n, k| {
            let x = at[k];
            n * if node[k] == 0 { one - x * x } else { half * x * (x + of(node[k])) }
        })
    };
    let serendipity = |node: &[i8; 3], d: usize| match (0..d).find(|&k| node[k] == 0) {
        // The middle of an edge along direction k.
        Some(k) => {
            let across = (0..d).filter(|&j| j != k);
            across.fold(one - at[k] * at[k], |n, j| n * (half * (one + at[j] * of(node[j]))))
        }
        None => {
            let sum = (0..d).fold(T::of(1.0 - d as f64), |sum, k| sum + at[k] * of(node[k]));
            linear(node, d) * sum
        }
    };
    // Shares of the corners of a simplex.
    let simplex = |d: usize| {
        let rest = (0..d).fold(one, |rest, k| rest - at[k]);
        [rest, at[0], at[1], at[2]]
    };
    let mut with_middles = |d: usize| {
        let share = simplex(d);
        let (corners, edges) = (d + 1, if d == 2 { 3 } else { 6 });
        (0..corners).for_each(|k| out[k] = share[k] * (T::of(2.0) * share[k] - one));
        (0..edges).for_each(|k| {
            let [a, b] = EDGES[k];
            out[corners + k] = T::of(4.0) * share[a] * share[b];
        });
    };
    match kind {
        CellKind::Point => out[0] = one,
        CellKind::Line2 => out[..2].copy_from_slice(&[one - at[0], at[0]]),
        CellKind::Line3 => {
            let t = at[0];
            let two = T::of(2.0);
            out[..3].copy_from_slice(&[
                (one - t) * (one - two * t),
                T::of(4.0) * t * (one - t),
                t * (two * t - one),
            ]);
        }
        CellKind::Triangle3 => out[..3].copy_from_slice(&simplex(2)[..3]),
        CellKind::Tetrahedron4 => out[..4].copy_from_slice(&simplex(3)),
        CellKind::Triangle6 => with_middles(2),
        CellKind::Tetrahedron10 => with_middles(3),
        CellKind::Quadrilateral4 => (0..4).for_each(|k| out[k] = linear(&QUADRILATERAL[k], 2)),
        CellKind::Quadrilateral8 => (0..8).for_each(|k| out[k] = serendipity(&QUADRILATERAL[k], 2)),
        CellKind::Quadrilateral9 => (0..9).for_each(|k| out[k] = quadratic(&QUADRILATERAL[k], 2)),
        CellKind::Hexahedron8 => (0..8).for_each(|k| out[k] = linear(&HEXAHEDRON[k], 3)),
        CellKind::Hexahedron20 => (0..20).for_each(|k| out[k] = serendipity(&HEXAHEDRON[k], 3)),
        CellKind::Hexahedron27 => (0..27).for_each(|k| out[k] = quadratic(&HEXAHEDRON[k], 3)),
    }
    out
}

impl CellKind {
    /// Value of each node's shape function at natural coordinates, and its derivatives by them.
    pub fn shape(self, at: [f64; 3]) -> Vec<(f64, [f64; 3])> {
        let at: [Dual<3>; 3] = std::array::from_fn(|k| Dual::variable(at[k], k));
        values(self, at)[..self.nodes()].iter().map(|n| (n.value, n.slopes)).collect()
    }
}
