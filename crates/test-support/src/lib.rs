//! What tests of several crates need: tables of reference data, and a count of allocations.

mod allocation;
mod reference;

pub use allocation::{CountingAllocator, allocation_count};
pub use reference::{reference, reference_folder};
