//! The values of a block matrix.

use super::pattern::BlockPattern;

/// Values of a matrix with a [`BlockPattern`]: diagonal blocks and both blocks of each coupling, row-major.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pattern: BlockPattern,
    values: Vec<f64>,
}

impl BlockMatrix {
    /// A zero matrix with the given pattern.
    pub fn new(pattern: &BlockPattern) -> Self {
        Self { pattern: pattern.clone(), values: vec![0.0; pattern.value_count()] }
    }

    /// The pattern.
    pub fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    /// Sets all values to zero.
    pub fn clear(&mut self) {
        self.values.fill(0.0);
    }

    /// Offset of block (i, j), row-major, in [`values`](Self::values).
    ///
    /// # Panics
    /// When the pattern has no such block.
    pub fn slot(&self, i: usize, j: usize) -> usize {
        self.pattern.slot(i, j)
    }

    /// All values.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// All values, mutable.
    pub fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
    }

    /// Block (i, j), row-major.
    ///
    /// # Panics
    /// When the pattern has no such block.
    pub fn block(&self, i: usize, j: usize) -> &[f64] {
        let slot = self.slot(i, j);
        &self.values[slot..slot + self.pattern.size(i) * self.pattern.size(j)]
    }

    /// Block (i, j), row-major, mutable.
    ///
    /// # Panics
    /// When the pattern has no such block.
    pub fn block_mut(&mut self, i: usize, j: usize) -> &mut [f64] {
        let slot = self.slot(i, j);
        let area = self.pattern.size(i) * self.pattern.size(j);
        &mut self.values[slot..slot + area]
    }

    /// The product y = A x.
    ///
    /// # Panics
    /// When `x` or `y` is shorter than the dimension of the matrix.
    pub fn mul(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..self.pattern.block_count() {
            let (n, at) = (self.pattern.size(i), self.pattern.offset(i));
            y[at..at + n].fill(0.0);
            self.add_row_product(i, x, &mut y[at..at + n]);
        }
    }

    /// y ← y + A x.
    ///
    /// # Panics
    /// When `x` or `y` is shorter than the dimension of the matrix.
    pub fn mul_add(&self, x: &[f64], y: &mut [f64]) {
        for i in 0..self.pattern.block_count() {
            let (n, at) = (self.pattern.size(i), self.pattern.offset(i));
            self.add_row_product(i, x, &mut y[at..at + n]);
        }
    }

    fn add_row_product(&self, i: usize, x: &[f64], out: &mut [f64]) {
        let (n, at) = (self.pattern.size(i), self.pattern.offset(i));
        let diagonal = self.pattern.data.diagonals[i] as usize;
        add_product(&self.values[diagonal..], &x[at..at + n], out);
        for (j, slot) in self.pattern.couplings(i) {
            let from = self.pattern.offset(j);
            add_product(&self.values[slot..], &x[from..from + self.pattern.size(j)], out);
        }
    }

    /// First block row with a value that is not finite.
    pub(super) fn first_non_finite(&self) -> Option<usize> {
        let bad = |slot: usize, area: usize| self.values[slot..slot + area].iter().any(|x| !x.is_finite());
        (0..self.pattern.block_count()).find(|&i| {
            let n = self.pattern.size(i);
            bad(self.pattern.data.diagonals[i] as usize, n * n)
                || self.pattern.couplings(i).any(|(j, slot)| bad(slot, n * self.pattern.size(j)))
        })
    }
}

fn add_product(block: &[f64], x: &[f64], y: &mut [f64]) {
    if x.is_empty() {
        return;
    }
    for (row, out) in block.chunks_exact(x.len()).zip(y) {
        *out += row.iter().zip(x).map(|(a, b)| a * b).sum::<f64>();
    }
}
