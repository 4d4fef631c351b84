//! A problem of bodies, cut into its blocks of rows.

use std::ops::Range;

use super::problem::{BodyInverse, ConeProblem};
use super::projection::{Cone, FrictionLaw};
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
    pub friction: FrictionLaw,
}

/// Where the rows and cones of each block of a problem lie.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cut {
    blocks: Vec<[Range<usize>; 2]>,
}

impl Cut {
    /// Cuts a problem into its blocks; false where loops over bodies do not apply: H⁻¹ that does not consist of bodies,
    /// applied rows, cones across blocks, contacts with other cones, unequal tangential compliance.
    pub(crate) fn set(&mut self, problem: &ConeProblem<'_>) -> bool {
        self.blocks.clear();
        cut(problem, |rows, cones| self.blocks.push([rows, cones])).is_ok()
    }

    /// The share of each block, in order.
    pub(crate) fn shares<'a>(
        &'a self,
        problem: &'a ConeProblem<'_>,
        start: &'a [f64],
    ) -> impl Iterator<Item = Share<'a>> {
        let bodies = problem.inverse.bodies().unwrap_or_default();
        self.blocks.iter().map(move |[rows, cones]| Share {
            bodies,
            bias: &problem.bias[rows.clone()],
            compliance: problem.compliance.get(rows.clone()).unwrap_or_default(),
            start: &start[rows.clone()],
            cones: &problem.cones[cones.clone()],
            friction: problem.friction,
        })
    }
}

/// Hands the rows and cones of each block to `take`; returns the reason where loops over bodies do not apply.
pub(crate) fn cut(
    problem: &ConeProblem<'_>,
    mut take: impl FnMut(Range<usize>, Range<usize>),
) -> Result<(), &'static str> {
    if problem.inverse.bodies().is_none_or(|b| 6 * b.len() != problem.inverse.dimension()) {
        return Err("an inverse inertia that does not consist of single bodies");
    }
    let (mut row, mut cone) = (0, 0);
    for block in problem.rows {
        let (rows, first) = (row..row + block.operator().rows(), cone);
        while let Some(next) = problem.cones.get(cone).filter(|_| row < rows.end) {
            row += next.rows();
            cone += 1;
        }
        let cones = first..cone;
        if row != rows.end {
            return Err("cones that extend over several blocks of rows");
        }
        fits(block, &problem.cones[cones.clone()], problem.compliance.get(rows.clone()))?;
        take(rows, cones);
    }
    Ok(())
}

/// Whether loops over bodies apply to a block; compliance is none where the problem has none.
fn fits(block: &RowBlock<'_>, cones: &[Cone], compliance: Option<&[f64]>) -> Result<(), &'static str> {
    let RowBlock::Pair(pair) = block else {
        return match block {
            RowBlock::Operator(_) => Err("matrix-free rows without entries"),
            _ => Ok(()),
        };
    };
    let width = pair.rows_per_contact();
    if !pair.first_column().is_multiple_of(6) {
        return Err("columns of bodies that do not start at a multiple of six");
    }
    if cones.len() != pair.contact_count() || cones.iter().any(|c| c.rows() != width) {
        return Err("contacts with cones of another size");
    }
    match compliance.unwrap_or_default().chunks_exact(3).all(|e| e[1] == e[2]) {
        true => Ok(()),
        false => Err("contacts with unequal tangential compliance"),
    }
}

impl Share<'_> {
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
