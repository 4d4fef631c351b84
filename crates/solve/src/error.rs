//! What can go wrong in a solver.

use huygens_exec::Stopped;

/// Why a linear, eigenvalue or cone problem could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// The work was asked to stop.
    #[error(transparent)]
    Stopped(#[from] Stopped),
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
    /// A symmetric matrix that must be positive definite is not.
    #[error("the {what} is not positive definite")]
    Indefinite {
        /// Which matrix.
        what: &'static str,
    },
    /// An iteration ended without reaching its tolerance.
    #[error("{what} did not converge in {iterations} iterations (residual {residual:e})")]
    NotConverged {
        /// Which iteration.
        what: &'static str,
        /// Iterations done.
        iterations: usize,
        /// Residual at the end.
        residual: f64,
    },
    /// Bounds that cross or are not numbers.
    #[error("bounds of unknown {index} are not an interval: {lo} to {hi}")]
    Bounds {
        /// The unknown.
        index: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
    },
    /// A cone with a coefficient that is negative or not a number, or limits that cross.
    #[error("cone {index} has coefficients without meaning")]
    Cone {
        /// The cone.
        index: usize,
    },
    /// A contact with an item that does not exist.
    #[error("contact {contact} touches item {item} of {count}")]
    Item {
        /// The contact.
        contact: usize,
        /// The item it names.
        item: u32,
        /// Number of items.
        count: usize,
    },
    /// The solver does not know how to handle this problem.
    #[error("{solver} does not support {what}")]
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// What it cannot do.
        what: &'static str,
    },
    /// A factorization would take more memory than there is.
    #[error(
        "the factor of {unknowns} unknowns has {values} values and needs {:.1} GiB, but {:.1} GiB can be had; take an \
         iterative solver (`newton.solver = {{ type = \"cg\" }}`) or a coarser mesh, or set HUYGENS_MEMORY_GIB where the \
         machine has more",
        gib(*needed), gib(*available)
    )]
    TooLarge {
        /// Unknowns of the matrix.
        unknowns: usize,
        /// Values that the factor stores.
        values: usize,
        /// Memory of the factor and of the work on it [bytes].
        needed: u64,
        /// Memory that can be had [bytes].
        available: u64,
    },
    /// Memory for a factorization could not be had.
    #[error("not enough memory for {what}")]
    Memory {
        /// What needed it.
        what: &'static str,
    },
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}
