//! A compressed sparse column matrix with a fixed pattern.

use crate::{BlockMatrix, SolveError};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};

/// A sparse matrix in compressed column form, refilled from its original entries without allocation.
#[derive(Clone, Debug)]
pub struct SparseMatrix {
    symbolic: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
    /// Where each entry the matrix was made of goes; entries at the same position are summed.
    slots: Vec<usize>,
}

impl SparseMatrix {
    /// A zero matrix with storage for entries at `positions` (row, column), which may repeat.
    pub fn new(rows: usize, columns: usize, positions: &[(usize, usize)]) -> Result<Self, SolveError> {
        for &(r, c) in positions {
            let (what, expected, found) = if r >= rows {
                ("row of a sparse entry", rows, r)
            } else {
                ("column of a sparse entry", columns, c)
            };
            if found >= expected {
                return Err(SolveError::Size { what, expected, found });
            }
        }
        let mut order: Vec<usize> = (0..positions.len()).collect();
        order.sort_by_key(|&k| (positions[k].1, positions[k].0));
        let mut starts = vec![0; columns + 1];
        let mut indices: Vec<usize> = Vec::with_capacity(positions.len());
        let mut slots = vec![0; positions.len()];
        let mut last = None;
        for k in order {
            let (r, c) = positions[k];
            if last != Some((r, c)) {
                indices.push(r);
                starts[c + 1] += 1;
                last = Some((r, c));
            }
            slots[k] = indices.len() - 1;
        }
        (0..columns).for_each(|c| starts[c + 1] += starts[c]);
        let values = vec![0.0; indices.len()];
        let symbolic = SymbolicSparseColMat::new_checked(rows, columns, starts, None, indices);
        Ok(Self { symbolic, values, slots })
    }

    /// A matrix from (row, column, value) entries; repeated positions are summed.
    pub fn from_entries(
        rows: usize,
        columns: usize,
        entries: &[(usize, usize, f64)],
    ) -> Result<Self, SolveError> {
        let positions: Vec<_> = entries.iter().map(|&(r, c, _)| (r, c)).collect();
        let mut matrix = Self::new(rows, columns, &positions)?;
        matrix.fill(entries.iter().map(|e| e.2));
        Ok(matrix)
    }

    /// A matrix with the pattern and the values of a block matrix.
    pub fn from_block(block: &BlockMatrix) -> Result<Self, SolveError> {
        let pattern = block.pattern();
        let mut positions = vec![(0, 0); pattern.value_count()];
        let mut place = |i: usize, j: usize, slot: usize| {
            let (m, n) = (pattern.size(i), pattern.size(j));
            for k in 0..m * n {
                positions[slot + k] = (pattern.offset(i) + k / n, pattern.offset(j) + k % n);
            }
        };
        for i in 0..pattern.block_count() {
            place(i, i, pattern.slot(i, i));
            pattern.couplings(i).for_each(|(j, slot)| place(i, j, slot));
        }
        let mut matrix = Self::new(pattern.dimension(), pattern.dimension(), &positions)?;
        matrix.fill_from_block(block);
        Ok(matrix)
    }

    /// A zero matrix with rows ascending in each column.
    pub(super) fn from_columns(rows: usize, starts: Vec<usize>, indices: Vec<usize>) -> Self {
        let values = vec![0.0; indices.len()];
        let symbolic = SymbolicSparseColMat::new_checked(rows, starts.len() - 1, starts, None, indices);
        Self { symbolic, values, slots: Vec::new() }
    }

    /// Sets the values from entries in the order of the positions given to [`new`](Self::new).
    pub fn fill(&mut self, entries: impl IntoIterator<Item = f64>) {
        self.values.fill(0.0);
        for (slot, value) in self.slots.iter().zip(entries) {
            self.values[*slot] += value;
        }
    }

    /// Takes the values of a block matrix with the pattern from which this matrix was made.
    pub fn fill_from_block(&mut self, block: &BlockMatrix) {
        self.fill(block.values().iter().copied());
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.symbolic.ncols()
    }

    /// Stored values, column by column.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Stored values, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Entries (row, value) of one column.
    pub fn column(&self, c: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.symbolic.col_range(c);
        self.symbolic.row_idx()[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// The product y = A x.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for (c, &x) in x.iter().enumerate().take(self.columns()) {
            self.column(c).for_each(|(r, a)| y[r] += a * x);
        }
    }

    /// The product y = Aᵀ x.
    pub fn mul_transpose(&self, x: &[f64], y: &mut [f64]) {
        for (c, y) in y.iter_mut().enumerate().take(self.columns()) {
            *y = self.column(c).map(|(r, a)| a * x[r]).sum();
        }
    }

    /// The matrix in dense form.
    pub fn to_dense(&self) -> faer::Mat<f64> {
        let mut dense = faer::Mat::zeros(self.rows(), self.columns());
        for c in 0..self.columns() {
            self.column(c).for_each(|(r, a)| dense[(r, c)] = a);
        }
        dense
    }

    pub(super) fn as_faer(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(self.symbolic.as_ref(), &self.values)
    }

    pub(super) fn same_pattern(&self, other: &SymbolicSparseColMat<usize>) -> bool {
        self.symbolic.col_ptr() == other.col_ptr() && self.symbolic.row_idx() == other.row_idx()
    }

    pub(super) fn symbolic(&self) -> &SymbolicSparseColMat<usize> {
        &self.symbolic
    }

    /// First row with a value that is not finite.
    pub(super) fn first_non_finite(&self) -> Option<usize> {
        (0..self.columns()).find_map(|c| self.column(c).find(|(_, a)| !a.is_finite()).map(|(r, _)| r))
    }
}
