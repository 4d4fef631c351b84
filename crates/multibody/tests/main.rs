//! The tests of this crate, in one program.

mod analytic_analyses;
mod analytic_contact;
mod analytic_contact_stack;
mod analytic_forces;
mod analytic_friction;
mod analytic_motion;
mod analytic_transmission;
mod common;
mod convergence_contact;
mod convergence_order;
mod cosserat;
mod face;
mod invariant_allocation;
mod invariant_carriers;
mod invariant_contact;
mod invariant_contact_scene;
mod invariant_failure;
mod invariant_jacobian_constraints;
mod invariant_jacobian_forces;
mod invariant_mechanism;
mod invariant_parameters;
mod invariant_reactions;
mod parity_contact;
mod parity_keep;
mod parity_solvers;
mod parity_state;

use huygens_test_support::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
