//! What can go wrong in a solver.

/// Why a linear, eigenvalue or cone problem could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// A pivot vanished where the matrix must be nonsingular.
    #[error("the matrix is singular: zero pivot in block {block}, row {row}")]
    Singular {
        /// Block of the pivot (the row itself where the matrix has no blocks).
        block: usize,
        /// Row inside the block.
        row: usize,
    },
    /// The matrix, or its factor, holds a NaN or an infinity.
    #[error("block {block} of the matrix is not finite")]
    NonFinite {
        /// First block (row of blocks) with a value that is not finite.
        block: usize,
    },
    /// Sizes that must agree do not.
    #[error("{what}: expected size {expected}, found {found}")]
    Size {
        /// Which argument.
        what: &'static str,
        /// Size it should have.
        expected: usize,
        /// Size it has.
        found: usize,
    },
}
