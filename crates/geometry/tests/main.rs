//! The tests of this crate, in one program.

mod analytic_mass;
mod analytic_narrow_convex;
mod analytic_query;
mod golden_mesh_file;
mod invariant_decomposition;
mod invariant_mesh_mutation;
mod invariant_narrow_features;
mod narrow_support;
mod parity_broad;
mod parity_narrow_surface;
