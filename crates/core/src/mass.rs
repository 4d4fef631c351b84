//! The constant mass matrix of elements: mass that nodes share, in addition to the mass blocks of their coordinates.

use glam::DVec3;
use huygens_solve::{BlockKind, BlockMatrix, BlockPattern};

use crate::contract::ItemKind;
use crate::model::Model;
use crate::newton::ABSENT;

/// Sum of the constant element masses, over a range of column blocks.
pub(crate) struct ConstantMass {
    first_block: usize,
    first_column: usize,
    matrix: BlockMatrix,
    /// The same as numbers between vectors, where it is nothing else.
    vectors: Option<VectorMass>,
    /// The matrix times a unit acceleration of all nodes along x, y, z.
    unit_weights: [Vec<f64>; 3],
}

impl ConstantMass {
    /// Collects the mass of all elements; nothing if none has any.
    pub fn new(m: &Model) -> Option<Self> {
        let mut parts = Vec::new();
        for e in &m.elements {
            let mut values = vec![0.0; if e.layout.is_empty() { 0 } else { e.tangent_len() }];
            if e.batch.mass(&e.slots, &mut values) {
                parts.push((e, values));
            }
        }
        let blocks = || parts.iter().flat_map(|(e, _)| e.layout.blocks.iter().map(|&b| b as usize));
        let (first_block, last_block) = (blocks().min()?, blocks().max()?);
        let sizes = &m.block_sizes[first_block..=last_block];
        let number = |b: u32| b - first_block as u32;
        let mut couplings = Vec::new();
        for (e, _) in &parts {
            for item in 0..e.layout.len() {
                let blocks = e.layout.item_blocks(item);
                for (i, &a) in blocks.iter().enumerate() {
                    couplings.extend(blocks[..i].iter().map(|&b| (number(a), number(b))));
                }
            }
        }
        let pattern = BlockPattern::new(sizes, &vec![BlockKind::Column; sizes.len()], &couplings);
        let mut matrix = BlockMatrix::new(&pattern);
        for (e, values) in &parts {
            for item in 0..e.layout.len() {
                let (blocks, n) = (e.layout.item_blocks(item), e.slots.columns[item]);
                let own = &values[e.slots.tangents[item]..e.slots.tangents[item + 1]];
                let mut row = 0;
                for &a in blocks {
                    let mut column = 0;
                    for &b in blocks {
                        let columns = m.block_sizes[b as usize];
                        let out = matrix.block_mut(number(a) as usize, number(b) as usize);
                        for (r, out) in out.chunks_exact_mut(columns).enumerate() {
                            let from = &own[(row + r) * n + column..][..columns];
                            out.iter_mut().zip(from).for_each(|(o, x)| *o += x);
                        }
                        column += columns;
                    }
                    row += m.block_sizes[a as usize];
                }
            }
        }
        let mut mass = Self {
            first_block,
            first_column: m.block_columns[first_block],
            vectors: VectorMass::new(&matrix),
            matrix,
            unit_weights: [const { Vec::new() }; 3],
        };
        mass.unit_weights = std::array::from_fn(|axis| mass.unit_weight(m, axis));
        Some(mass)
    }

    fn unit_weight(&self, m: &Model, axis: usize) -> Vec<f64> {
        let count = self.matrix.pattern().dimension();
        let mut unit = vec![0.0; count];
        for e in m.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other && e.shape.v_per_item >= 3) {
            for first in e.v_range().step_by(e.shape.v_per_item) {
                if let Some(x) = first.checked_sub(self.first_column).and_then(|c| unit.get_mut(c + axis)) {
                    *x = 1.0;
                }
            }
        }
        let mut weight = vec![0.0; count];
        self.matrix.mul(&unit, &mut weight);
        weight
    }

    fn columns(&self) -> std::ops::Range<usize> {
        self.first_column..self.first_column + self.matrix.pattern().dimension()
    }

    /// y ← y + M x.
    pub fn add_product(&self, x: &[f64], y: &mut [f64]) {
        let (x, y) = (&x[self.columns()], &mut y[self.columns()]);
        match &self.vectors {
            Some(vectors) => vectors.add_product(x, y),
            None => self.matrix.mul_add(x, y),
        }
    }

    /// Adds the weight in gravity `g`.
    pub fn add_weight(&self, g: DVec3, f: &mut [f64]) {
        for (axis, weight) in self.unit_weights.iter().enumerate().filter(|(axis, _)| g[*axis] != 0.0) {
            f[self.columns()].iter_mut().zip(weight).for_each(|(f, w)| *f += g[axis] * w);
        }
    }

    /// Kinetic and potential energy [J]: the weight is linear in the positions.
    pub fn energy(&self, m: &Model, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let mut momentum = vec![0.0; self.matrix.pattern().dimension()];
        self.matrix.mul(&v[self.columns()], &mut momentum);
        let kinetic = 0.5 * momentum.iter().zip(&v[self.columns()]).map(|(p, v)| p * v).sum::<f64>();
        let mut potential = 0.0;
        for e in m.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other) {
            let (nq, nv) = (e.shape.q_per_item, e.shape.v_per_item);
            let linear = if nq == nv { nv } else { 3 };
            for item in 0..e.shape.items {
                let Some(first) = (e.v + item * nv).checked_sub(self.first_column) else { continue };
                for k in 0..linear {
                    for (axis, weight) in self.unit_weights.iter().enumerate() {
                        if let Some(w) = weight.get(first + k) {
                            potential -= g[axis] * w * q[e.q + item * nq + k];
                        }
                    }
                }
            }
        }
        (kinetic, potential)
    }

    /// Calls `f(column, mass)` for the diagonal.
    pub fn for_each_diagonal(&self, mut f: impl FnMut(usize, f64)) {
        let pattern = self.matrix.pattern();
        for b in 0..pattern.block_count() {
            let (n, block) = (pattern.size(b), self.matrix.block(b, b));
            (0..n).for_each(|k| f(self.first_column + pattern.offset(b) + k, block[k * n + k]));
        }
    }

    /// The values in the places of another matrix; `local` gives the number there of each block of the model.
    pub fn values_in(&self, other: &BlockMatrix, local: &[usize]) -> Vec<f64> {
        let mut out = vec![0.0; other.values().len()];
        let pattern = self.matrix.pattern();
        let mut copy = |i: usize, j: usize| {
            let (a, b) = (local[self.first_block + i], local[self.first_block + j]);
            if a != ABSENT && b != ABSENT {
                let from = self.matrix.block(i, j);
                out[other.slot(a, b)..][..from.len()].copy_from_slice(from);
            }
        };
        for i in 0..pattern.block_count() {
            copy(i, i);
            pattern.couplings(i).for_each(|(j, _)| copy(i, j));
        }
        out
    }
}

/// A mass matrix whose every three by three block is a number times the unit matrix, row by row: the consistent mass of
/// all elements that interpolate vectors.
struct VectorMass {
    /// Start of each row, and the end of the last one.
    starts: Vec<u32>,
    /// First column and value of every entry.
    entries: Vec<(u32, f64)>,
}

impl VectorMass {
    /// The entries of `matrix`, if it has that form.
    fn new(matrix: &BlockMatrix) -> Option<Self> {
        let pattern = matrix.pattern();
        let mut out = Self { starts: vec![0], entries: Vec::new() };
        for i in 0..pattern.block_count() {
            let mut blocks: Vec<usize> = pattern.couplings(i).map(|(j, _)| j).chain([i]).collect();
            blocks.sort_unstable();
            if !pattern.size(i).is_multiple_of(3) {
                return None;
            }
            for row in (0..pattern.size(i)).step_by(3) {
                for &j in &blocks {
                    let (n, block) = (pattern.size(j), matrix.block(i, j));
                    for column in (0..n).step_by(3) {
                        let at = |r: usize, c: usize| block.get((row + r) * n + column + c).copied();
                        let value = at(0, 0)?;
                        for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                            if column + c >= n || at(r, c)? != if r == c { value } else { 0.0 } {
                                return None;
                            }
                        }
                        if value != 0.0 {
                            out.entries.push(((pattern.offset(j) + column) as u32, value));
                        }
                    }
                }
                out.starts.push(out.entries.len() as u32);
            }
        }
        Some(out)
    }

    /// y ← y + M x.
    fn add_product(&self, x: &[f64], y: &mut [f64]) {
        for (range, y) in self.starts.windows(2).zip(y.chunks_exact_mut(3)) {
            let (mut a, mut b, mut c) = (y[0], y[1], y[2]);
            for &(column, value) in &self.entries[range[0] as usize..range[1] as usize] {
                let x = &x[column as usize..column as usize + 3];
                a += value * x[0];
                b += value * x[1];
                c += value * x[2];
            }
            y.copy_from_slice(&[a, b, c]);
        }
    }
}
