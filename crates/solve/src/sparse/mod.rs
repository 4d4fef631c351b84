//! Sparse matrices whose pattern is built once, and direct solvers that reuse their symbolic analysis.

mod direct;
mod matrix;

pub use direct::{SparseCholesky, SparseLu, SparseParallelism};
pub use matrix::SparseMatrix;
