//! The tests of this crate, in one program.

mod analytic_hits;
mod analytic_light;
mod analytic_marks_and_cuts;
mod common;
mod golden_films;
mod invariant_absent_items;
mod parity_pictures;
