//! Sparse matrices whose pattern is built once, and direct solvers that reuse their symbolic analysis.

mod direct;
mod dissection;
mod lower;
mod matrix;

pub use direct::{SparseCholesky, SparseLu, SparseParallelism};
pub use lower::SparseLower;
pub use matrix::SparseMatrix;
