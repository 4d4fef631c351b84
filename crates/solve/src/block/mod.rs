//! Direct solver of saddle-point systems that consist of small dense blocks.
//!
//! The matrix has the form
//! $$\begin{bmatrix} H & C^T \\\\ C & -\varepsilon I \end{bmatrix}$$
//! with one *column block* per item that owns unknowns (a body, a node, a shaft) and one *row block* per set of
//! constraint rows. The block pattern is symmetric; the values need not be. A [`BlockPattern`] is built once,
//! a [`BlockMatrix`] is refilled, and a [`BlockLu`] is factored as often as needed without allocating.
//!
//! Eliminating a body and then the joint that connects it to its parent is the articulated-body recursion
//! (`featherstone2008`): on trees the ordering causes no fill-in and the cost is linear.

mod kernels;
mod lu;
mod matrix;
mod ordering;
mod pattern;

pub use lu::{BlockLu, FactorReport, PivotThresholds, TinyPivot};
pub use matrix::BlockMatrix;
pub use pattern::{BlockKind, BlockPattern};
