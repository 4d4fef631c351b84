//! The tests of this crate, in one program.

mod analytic_cone_solvers;
mod analytic_function_curve;
mod analytic_function_kinds;
mod analytic_load_path;
mod analytic_materials;
mod analytic_overlap;
mod analytic_signal_dynamics;
mod golden_function_files;
mod invariant_commit;
mod invariant_one_cone_problem;
mod invariant_signal_allocation;
mod invariant_signal_graph;
mod issue_contact_defaults;

use huygens_test_support::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
