//! The lower triangle of a symmetric block matrix, with the order in which to eliminate it.

use super::dissection::Graph;
use super::matrix::SparseMatrix;
use crate::{BlockKind, BlockMatrix, BlockPattern, SolveError};
use huygens_exec::Exec;

/// The lower triangle of a block matrix, as [`SparseCholesky`](super::SparseCholesky) reads it.
pub struct SparseLower {
    matrix: SparseMatrix,
    /// Place in the block matrix of each value.
    sources: Vec<u32>,
}

impl SparseLower {
    /// The lower triangle of a matrix with the given pattern, all zero.
    pub fn new(pattern: &BlockPattern) -> Self {
        let (mut starts, mut indices, mut sources) = (vec![0], Vec::new(), Vec::new());
        for j in 0..pattern.block_count() {
            let (n, at, own) = (pattern.size(j), pattern.offset(j), pattern.slot(j, j));
            let below: Vec<usize> = pattern.couplings(j).map(|(i, _)| i).filter(|&i| i > j).collect();
            let below: Vec<(usize, usize)> = below.into_iter().map(|i| (i, pattern.slot(i, j))).collect();
            for c in 0..n {
                for r in c..n {
                    indices.push(at + r);
                    sources.push((own + r * n + c) as u32);
                }
                for &(i, slot) in &below {
                    for r in 0..pattern.size(i) {
                        indices.push(pattern.offset(i) + r);
                        sources.push((slot + r * n + c) as u32);
                    }
                }
                starts.push(indices.len());
            }
        }
        Self { matrix: SparseMatrix::from_columns(pattern.dimension(), starts, indices), sources }
    }

    /// Takes the values of a matrix with the pattern from which this one was made.
    pub fn fill(&mut self, block: &BlockMatrix) {
        let from = block.values();
        self.matrix.values_mut().iter_mut().zip(&self.sources).for_each(|(v, s)| *v = from[*s as usize]);
    }

    /// The matrix; its upper triangle is empty.
    pub fn matrix(&self) -> &SparseMatrix {
        &self.matrix
    }

    /// Unknowns in an order of elimination by nested dissection; constraint rows follow right after the last of
    /// their columns, because their own pivot vanishes before.
    pub fn dissection(pattern: &BlockPattern) -> Vec<usize> {
        Self::dissection_on(&Exec::serial(), pattern).unwrap_or_default()
    }

    /// The same as [`SparseLower::dissection`], but interruptible.
    pub fn dissection_on(ex: &Exec, pattern: &BlockPattern) -> Result<Vec<usize>, SolveError> {
        let count = pattern.block_count();
        let graph = Graph::new((0..count).map(|b| {
            let around = pattern.couplings(b).map(|(other, _)| other as u32).collect::<Vec<_>>();
            (pattern.size(b) as u32, around.into_iter())
        }));
        let mut place = vec![0; count];
        let mut blocks = graph.dissect(ex.stop())?;
        blocks.iter().enumerate().for_each(|(k, &b)| place[b as usize] = k);
        let is_row = |b: usize| pattern.kind(b) == BlockKind::Row;
        let key = |b: &u32| {
            let b = *b as usize;
            let columns = pattern.couplings(b).map(|(other, _)| other).filter(|&o| !is_row(o));
            let last = columns.map(|o| place[o]).max().filter(|_| is_row(b));
            (last.unwrap_or(place[b]), is_row(b), place[b])
        };
        blocks.sort_by_cached_key(key);
        let unknowns = blocks
            .into_iter()
            .flat_map(|b| pattern.offset(b as usize)..pattern.offset(b as usize) + pattern.size(b as usize))
            .collect();
        Ok(unknowns)
    }
}
