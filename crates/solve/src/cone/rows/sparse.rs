//! Rows with stored entries.

use super::RowOperator;
use huygens_exec::Exec;

/// Rows with stored entries, and the gather lists of their transpose.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    column_count: usize,
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<f64>,
    /// Entries of each column as (row, entry), in the order of rows.
    gather_starts: Vec<u32>,
    gather: Vec<(u32, u32)>,
}

impl SparseRows {
    /// No rows yet, over `column_count` columns.
    pub fn new(column_count: usize) -> Self {
        Self { column_count, starts: vec![0], ..Self::default() }
    }

    /// Removes all rows but keeps the memory.
    pub fn clear(&mut self) {
        self.starts.truncate(1);
        self.columns.clear();
        self.values.clear();
    }

    /// Appends a row of (column, value) entries; entries outside the columns are ignored.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        for (column, value) in entries {
            if column < self.column_count {
                self.columns.push(column as u32);
                self.values.push(value);
            }
        }
        self.starts.push(self.columns.len() as u32);
    }

    /// Entries (column, value) of one row.
    pub fn row(&self, row: usize) -> impl ExactSizeIterator<Item = (usize, f64)> + '_ {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        self.columns[range.clone()].iter().zip(&self.values[range]).map(|(&c, &a)| (c as usize, a))
    }

    /// Number of columns.
    pub fn column_count(&self) -> usize {
        self.column_count
    }

    /// (Dᵀ l) of one column, summed in the order of rows; zero before [`finish`](Self::finish).
    pub(crate) fn column_product(&self, column: usize, l: impl Fn(usize) -> f64) -> f64 {
        if column >= self.column_count || self.gather_starts.is_empty() {
            return 0.0;
        }
        let range = self.gather_starts[column] as usize..self.gather_starts[column + 1] as usize;
        self.gather[range].iter().map(|&(r, e)| self.values[e as usize] * l(r as usize)).sum()
    }

    /// Builds the gather lists; call it after the last [`push`](Self::push).
    pub fn finish(&mut self) {
        self.gather_starts.clear();
        self.gather_starts.resize(self.column_count + 2, 0);
        self.columns.iter().for_each(|&c| self.gather_starts[c as usize + 2] += 1);
        (0..=self.column_count).for_each(|c| self.gather_starts[c + 1] += self.gather_starts[c]);
        self.gather.clear();
        self.gather.resize(self.columns.len(), (0, 0));
        for row in 0..self.starts.len() - 1 {
            for entry in self.starts[row]..self.starts[row + 1] {
                let next = &mut self.gather_starts[self.columns[entry as usize] as usize + 1];
                self.gather[*next as usize] = (row as u32, entry);
                *next += 1;
            }
        }
    }
}

impl RowOperator for SparseRows {
    fn rows(&self) -> usize {
        self.starts.len() - 1
    }

    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, 512, |chunk, y| {
            for (k, y) in y.iter_mut().enumerate() {
                let row = 512 * chunk + k;
                let range = self.starts[row] as usize..self.starts[row + 1] as usize;
                let entries = self.columns[range.clone()].iter().zip(&self.values[range]);
                *y = entries.map(|(&c, a)| a * v[c as usize]).sum();
            }
        });
    }

    fn squares(&self, ex: &Exec, a: &[f64], y: &mut [f64]) -> bool {
        ex.for_each_chunk(y, 512, |chunk, y| {
            for (k, y) in y.iter_mut().enumerate() {
                *y = self.row(512 * chunk + k).map(|(c, d)| d * d * a[c]).sum();
            }
        });
        true
    }

    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        ex.for_each_chunk(&mut f[..self.column_count], 512, |chunk, f| {
            for (k, f) in f.iter_mut().enumerate() {
                *f += self.column_product(512 * chunk + k, |row| l[row]);
            }
        });
    }
}
