//! A problem of bodies, cut into its blocks of rows.

use super::problem::{BodyInverse, ConeProblem};
use super::projection::Cone;
use super::rows::{RowBlock, SparseRows};

/// Slice of the problem that belongs to one block of rows.
#[derive(Clone, Copy)]
pub(crate) struct Share<'a> {
    pub bodies: &'a [BodyInverse],
    pub bias: &'a [f64],
    /// Empty without compliance.
    pub compliance: &'a [f64],
    pub start: &'a [f64],
    pub cones: &'a [Cone],
}

impl<'a> Share<'a> {
    /// Cuts the problem into the shares of its blocks; none where loops over bodies do not apply: H⁻¹ not
    /// made of bodies, applied rows, cones across blocks, contacts with other cones, unequal tangential compliance.
    pub(crate) fn cut(problem: &ConeProblem<'a>, start: &'a [f64]) -> Option<Vec<Self>> {
        let bodies = problem.inverse.bodies()?;
        if 6 * bodies.len() != problem.inverse.dimension() {
            return None;
        }
        let (mut row, mut cone) = (0, 0);
        let mut shares = Vec::with_capacity(problem.rows.len());
        for block in problem.rows {
            let rows = row..row + block.operator().rows();
            let first = cone;
            while row < rows.end {
                row += problem.cones[cone].rows();
                cone += 1;
            }
            if row != rows.end {
                return None;
            }
            let compliance =
                if problem.compliance.is_empty() { &[] } else { &problem.compliance[rows.clone()] };
            let share = Self {
                bodies,
                bias: &problem.bias[rows.clone()],
                compliance,
                start: &start[rows],
                cones: &problem.cones[first..cone],
            };
            share.fits(block).then(|| shares.push(share))?;
        }
        Some(shares)
    }

    fn fits(&self, block: &RowBlock<'_>) -> bool {
        match block {
            RowBlock::Pair(pair) => {
                let width = pair.rows_per_contact();
                pair.first_column().is_multiple_of(6)
                    && self.cones.len() == pair.contact_count()
                    && self.cones.iter().all(|c| c.rows() == width)
                    && self.compliance.chunks_exact(3).all(|e| e[1] == e[2])
            }
            RowBlock::Sparse(_) => true,
            RowBlock::Operator(_) => false,
        }
    }

    /// d H⁻¹ dᵀ of one row.
    pub(crate) fn row_diagonal(&self, rows: &SparseRows, row: usize) -> f64 {
        let mut sum = 0.0;
        for (c, a) in rows.row(row) {
            // Entries of one body meet each other through its block.
            let same = rows.row(row).filter(|&(d, _)| d / 6 == c / 6);
            let mut f = [0.0; 6];
            same.for_each(|(d, b)| f[d % 6] += b);
            sum += a * self.bodies[c / 6].apply(f)[c % 6];
        }
        sum
    }
}
