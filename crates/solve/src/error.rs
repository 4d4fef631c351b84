//! Errors of solvers.

use huygens_exec::Stopped;

/// Why a linear, eigenvalue or cone problem could not be solved.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SolveError {
    /// A stop was requested.
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
    /// Two sizes that must agree differ.
    #[error("{what}: expected size {expected}, found {found}")]
    Size {
        /// The argument.
        what: &'static str,
        /// Expected size.
        expected: usize,
        /// Actual size.
        found: usize,
    },
    /// A symmetric matrix that must be positive definite is not.
    #[error("the {what} is not positive definite")]
    Indefinite {
        /// The matrix.
        what: &'static str,
    },
    /// An iteration ended without reaching its tolerance.
    #[error("{what} did not converge in {iterations} iterations (residual {residual:e})")]
    NotConverged {
        /// The iteration.
        what: &'static str,
        /// Number of iterations.
        iterations: usize,
        /// Final residual.
        residual: f64,
    },
    /// Bounds that cross or are NaN.
    #[error("bounds of unknown {index} are not an interval: {lo} to {hi}")]
    Bounds {
        /// The unknown.
        index: usize,
        /// Its lower bound.
        lo: f64,
        /// Its upper bound.
        hi: f64,
    },
    /// A cone with a negative or NaN coefficient, or with limits that cross.
    #[error("cone {index} has invalid coefficients")]
    Cone {
        /// The cone.
        index: usize,
    },
    /// A contact refers to an item that does not exist.
    #[error("contact {contact} refers to item {item}, but there are {count} items")]
    Item {
        /// The contact.
        contact: usize,
        /// The item to which it refers.
        item: u32,
        /// Number of items.
        count: usize,
    },
    /// The solver does not support this problem.
    #[error("{solver} does not support {what}")]
    Unsupported {
        /// The solver.
        solver: &'static str,
        /// What it does not support.
        what: &'static str,
    },
    /// A factorization would need more memory than is available.
    #[error(
        "the factor of {unknowns} unknowns has {values} values and needs {:.1} GiB, but {:.1} GiB are available; use \
         an iterative solver (`newton.solver = {{ type = \"cg\" }}`) or a coarser mesh, or set HUYGENS_MEMORY_GIB if the \
         machine has more",
        gib(*needed), gib(*available)
    )]
    TooLarge {
        /// Unknowns of the matrix.
        unknowns: usize,
        /// Values that the factor stores.
        values: usize,
        /// Memory for the factor and its work space [bytes].
        needed: u64,
        /// Available memory [bytes].
        available: u64,
    },
    /// Memory for a factorization could not be allocated.
    #[error("not enough memory for {what}")]
    Memory {
        /// What needed the memory.
        what: &'static str,
    },
}

fn gib(bytes: u64) -> f64 {
    bytes as f64 / (1u64 << 30) as f64
}
