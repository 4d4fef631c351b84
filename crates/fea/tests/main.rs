//! The tests of this crate, in one program.

mod analytic_elements;
mod analytic_mesh_generators;
mod analytic_modes;
mod analytic_motion;
mod analytic_part;
mod analytic_rod;
mod analytic_solids;
mod analytic_statics;
mod analytic_structure_statics;
mod golden_beam_ancf;
mod golden_beams;
mod golden_cable;
mod golden_mesh_files;
mod invariant_batches;
mod invariant_beam_mass;
mod invariant_builder;
mod invariant_contact;
mod invariant_new_kinds;
mod kinds;
mod line;
mod motion;
