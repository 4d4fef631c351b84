//! The tests of this crate, in one program.

mod analytic_clumps;
mod analytic_constraint_fluid;
mod analytic_facets;
mod analytic_fill;
mod analytic_fluid;
mod analytic_impact;
mod analytic_markers;
mod analytic_measure;
mod analytic_room;
mod analytic_shaped_walls;
mod analytic_step_choice;
mod analytic_surroundings;
mod analytic_walls;
mod beds;
mod convergence_impact;
mod invariant_allocation;
mod invariant_constraint_fluid;
mod invariant_coupling;
mod invariant_energy;
mod invariant_facets;
mod invariant_facets_allocation;
mod invariant_flexible;
mod invariant_fluid;
mod invariant_ids;
mod invariant_many_walls;
mod invariant_walls;
mod issue_clumps;
mod issue_fields;
mod issue_neighbours;
mod issue_periodic_boxes;
mod issue_search;
mod issue_states;
mod issue_stopping;
mod issue_traffic;
mod issue_walls;
mod parity_lanes;
mod parity_law;
mod parity_memory;
mod parity_restart;
mod parity_threads;
mod parity_traffic;

use huygens_test_support::CountingAllocator;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;
