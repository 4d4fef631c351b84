//! The tests of this crate, in one program.

mod analytic_cone;
mod analytic_eigen;
mod analytic_eigen_sparse;
mod common;
mod interior_scenes;
mod issue_stopping;
mod parity_block_lu;
mod parity_cone_bodies;
mod parity_cone_reference;
mod parity_cone_rolling;
mod parity_interior_point;
mod parity_linear;
