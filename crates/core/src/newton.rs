//! The Newton matrix: its pattern, where batches write in it, and its factors.

use huygens_exec::Exec;
use huygens_solve::{BlockMatrix, SolveError};
use huygens_spec::LinearSolver;

use crate::contact::PairTangent;
use crate::linear::{Demand, Factors};
use crate::mass::ConstantMass;
use crate::model::Model;
use crate::scatter::{ScatterItem, block_pattern, scatter};

/// Marks a block or slot that the matrix does not have.
pub(crate) const ABSENT: usize = usize::MAX;

/// The column blocks that the matrix covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Coverage {
    /// All of them.
    #[default]
    All,
    /// Those that elements or constraints touch: the others are block-diagonal and left to the caller.
    Coupled,
}

/// A matrix over column blocks and constraint rows, with its factors.
pub(crate) struct NewtonMatrix {
    /// Number in the matrix of each column block of the model, or [`ABSENT`].
    pub local: Vec<usize>,
    pub element_scatter: Vec<Vec<ScatterItem>>,
    pub constraint_scatter: Vec<Vec<ScatterItem>>,
    /// Slot of the diagonal of each column block of the model, or [`ABSENT`].
    pub column_diagonal: Vec<usize>,
    /// Slots of (a, a), (a, b), (b, a), (b, b) for each pair of blocks in contact.
    pub pair_slots: Vec<[usize; 4]>,
    pub pairs: Vec<[u32; 2]>,
    pub matrix: BlockMatrix,
    pub factors: Factors,
    /// The constant mass of elements in this matrix' places; empty without any.
    mass: Vec<f64>,
    /// Columns of the model that stay at rest, and their places in rows and columns of the matrix, diagonals last.
    fixed: Vec<u32>,
    fixed_places: Vec<usize>,
    fixed_diagonals: Vec<usize>,
    /// Global columns of the covered blocks; empty when all are covered.
    columns: Vec<u32>,
    gathered: Vec<f64>,
    /// Number of covered blocks and columns.
    pub block_count: usize,
    pub column_count: usize,
}

impl NewtonMatrix {
    /// A matrix for `m` in which the pairs of blocks in `pairs` are coupled too.
    pub fn new(
        m: &Model,
        mass: Option<&ConstantMass>,
        coverage: Coverage,
        solver: LinearSolver,
        pairs: &[[u32; 2]],
    ) -> Self {
        let local = local_numbers(m, coverage);
        let covered: Vec<usize> = (0..local.len()).filter(|&b| local[b] != ABSENT).collect();
        let pattern = block_pattern(m, &local, pairs);
        let matrix = BlockMatrix::new(&pattern);
        let factors = Factors::new(&pattern, solver);
        let mut row_block = covered.len();
        let element_scatter = m.elements.iter().map(|e| scatter(m, e, &local, &matrix, None)).collect();
        let constraint_scatter =
            m.constraints.iter().map(|e| scatter(m, e, &local, &matrix, Some(&mut row_block))).collect();
        let slot = |a: usize, b: usize| {
            if local[a] == ABSENT || local[b] == ABSENT { ABSENT } else { matrix.slot(local[a], local[b]) }
        };
        let pair_slots = pairs
            .iter()
            .map(|&[a, b]| {
                let (a, b) = (a as usize, b as usize);
                [slot(a, a), slot(a, b), slot(b, a), slot(b, b)]
            })
            .collect();
        let block_columns = |&b: &usize| m.block_columns[b]..m.block_columns[b] + m.block_sizes[b];
        let column_count = covered.iter().map(|&b| m.block_sizes[b]).sum();
        let columns = if covered.len() == local.len() {
            Vec::new()
        } else {
            covered.iter().flat_map(block_columns).map(|c| c as u32).collect()
        };
        let (fixed_places, fixed_diagonals) = fixed_places(m, &local, &matrix);
        Self {
            mass: mass.map_or(Vec::new(), |mass| mass.values_in(&matrix, &local)),
            fixed: m.fixed.clone(),
            fixed_places,
            fixed_diagonals,
            column_diagonal: (0..local.len()).map(|b| slot(b, b)).collect(),
            element_scatter,
            constraint_scatter,
            pair_slots,
            pairs: pairs.to_vec(),
            factors,
            gathered: Vec::new(),
            block_count: covered.len(),
            column_count,
            columns,
            matrix,
            local,
        }
    }

    /// Adds `scale` × the constant mass of elements.
    pub fn add_mass(&mut self, scale: f64) {
        self.matrix.values_mut().iter_mut().zip(&self.mass).for_each(|(value, m)| *value += scale * m);
    }

    /// Takes the fixed columns out of the assembled matrix: their rows and columns keep the diagonal alone.
    pub fn separate_fixed(&mut self) {
        let values = self.matrix.values_mut();
        self.fixed_places.iter().for_each(|&k| values[k] = 0.0);
        for &k in &self.fixed_diagonals {
            if values[k] <= 0.0 || !values[k].is_finite() {
                values[k] = 1.0;
            }
        }
    }

    /// Whether only some column blocks are covered.
    pub fn is_partial(&self) -> bool {
        self.block_count < self.local.len()
    }

    /// Adds a tangent between two column blocks of the model.
    pub fn add_pair(&mut self, i: u32, j: u32, tangent: &PairTangent<'_>) {
        let slot = if i == j {
            self.column_diagonal[i as usize]
        } else {
            let Ok(at) = self.pairs.binary_search(&[i.min(j), i.max(j)]) else { return };
            self.pair_slots[at][if i < j { 1 } else { 2 }]
        };
        if slot != ABSENT {
            let width = self.matrix.pattern().size(self.local[j as usize]);
            let values = &mut self.matrix.values_mut()[slot..];
            tangent.for_each(|r, c, x| values[r * width + c] += x);
        }
    }

    /// Whether a velocity column of the model is covered.
    pub fn covers_column(&self, column: usize) -> bool {
        !self.is_partial() || self.columns.binary_search(&(column as u32)).is_ok()
    }

    /// y ← S x over all velocity columns, then rows; zero in columns that are not covered.
    pub fn product(&self, x: &[f64], y: &mut [f64]) {
        if !self.is_partial() {
            return self.matrix.mul(x, y);
        }
        let rows = x.len() - (self.matrix.pattern().dimension() - self.column_count);
        let covered = self.columns.iter().map(|&c| x[c as usize]);
        let local: Vec<f64> = covered.chain(x[rows..].iter().copied()).collect();
        let mut product = vec![0.0; local.len()];
        self.matrix.mul(&local, &mut product);
        y.fill(0.0);
        for (&c, value) in self.columns.iter().zip(&product) {
            y[c as usize] = *value;
        }
        y[rows..].copy_from_slice(&product[self.column_count..]);
    }

    /// Solves in place; `b` holds all velocity columns, then rows. Columns that are not covered stay.
    pub fn solve(&mut self, ex: &Exec, b: &mut [f64], demand: Demand) -> Result<(), SolveError> {
        self.fixed.iter().for_each(|&c| b[c as usize] = 0.0);
        if !self.is_partial() {
            return self.factors.solve(ex, &self.matrix, b, demand);
        }
        let rows = b.len() - (self.matrix.pattern().dimension() - self.column_count);
        let rows = rows..b.len();
        self.gathered.clear();
        self.gathered.extend(self.columns.iter().map(|&c| b[c as usize]));
        self.gathered.extend_from_slice(&b[rows.clone()]);
        let result = self.factors.solve(ex, &self.matrix, &mut self.gathered, demand);
        for (&c, x) in self.columns.iter().zip(&self.gathered) {
            b[c as usize] = *x;
        }
        b[rows].copy_from_slice(&self.gathered[self.column_count..]);
        result
    }
}

/// Places of the fixed columns' rows and columns without the diagonal, and of their diagonals.
fn fixed_places(m: &Model, local: &[usize], matrix: &BlockMatrix) -> (Vec<usize>, Vec<usize>) {
    let (mut places, mut diagonals) = (Vec::new(), Vec::new());
    for &column in &m.fixed {
        let block = m.block_columns.partition_point(|&first| first <= column as usize) - 1;
        let (i, k) = (local[block], column as usize - m.block_columns[block]);
        if i == ABSENT {
            continue;
        }
        let pattern = matrix.pattern();
        let (n, own) = (pattern.size(i), matrix.slot(i, i));
        diagonals.push(own + k * n + k);
        places.extend((0..n).filter(|&c| c != k).flat_map(|c| [own + k * n + c, own + c * n + k]));
        for (j, across) in pattern.couplings(i) {
            let (other, down) = (pattern.size(j), matrix.slot(j, i));
            places.extend((0..other).flat_map(|c| [across + k * other + c, down + c * n + k]));
        }
    }
    (places, diagonals)
}

fn local_numbers(m: &Model, coverage: Coverage) -> Vec<usize> {
    let count = m.block_sizes.len();
    if coverage == Coverage::All {
        return (0..count).collect();
    }
    let mut local = vec![ABSENT; count];
    let mut mark = |blocks: &[u32]| blocks.iter().for_each(|&b| local[b as usize] = 0);
    m.elements.iter().for_each(|e| mark(&e.layout.blocks));
    m.constraints.iter().for_each(|e| mark(&e.layout.blocks));
    for (next, number) in local.iter_mut().filter(|n| **n != ABSENT).enumerate() {
        *number = next;
    }
    local
}
