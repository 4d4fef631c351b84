//! The rows D of a cone problem, and their products.

mod pair;
mod sparse;

pub(crate) use pair::{LANES, PairBatch};
pub use pair::{PairContact, PairRows};
pub use sparse::SparseRows;

use huygens_exec::Exec;

/// Matrix-free rows: density rows of a fluid, for example, read the neighbour list.
pub trait RowOperator: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// y ← D v.
    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]);
    /// f ← f + Dᵀ l. It adds, so that several blocks of rows can share one vector.
    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]);
    /// Writes Σ_c D_rc² a_c of each row, or an approximation, for the diagonal `a` of an inverse inertia; false if it
    /// is not available.
    fn squares(&self, _ex: &Exec, _a: &[f64], _y: &mut [f64]) -> bool {
        false
    }
}

/// One block of consecutive rows.
#[derive(Clone, Copy)]
pub enum RowBlock<'a> {
    /// Contacts between two six-column items.
    Pair(&'a PairRows),
    /// Rows with stored entries: joints, facets.
    Sparse(&'a SparseRows),
    /// Matrix-free rows.
    Operator(&'a dyn RowOperator),
}

impl<'a> RowBlock<'a> {
    /// The block as an operator.
    pub fn operator(&self) -> &'a dyn RowOperator {
        match *self {
            Self::Pair(rows) => rows,
            Self::Sparse(rows) => rows,
            Self::Operator(rows) => rows,
        }
    }
}
