//! Granular matter: flows, heaps and loads of many grains against measurements and their scaling laws.

mod bed;
mod beverloo;
mod column;
mod janssen;
mod packing;
mod repose;
mod slit;

use super::Case;

/// All cases of granular matter.
pub fn cases() -> Vec<Case> {
    vec![
        Case::new("granular_column", "collapse of columns in a channel: run-out", column::run)
            .from("fits to experiments (lube2005)"),
        Case::new("granular_janssen", "stress in a silo saturates", janssen::run)
            .from("balance of forces on slices (janssen1895)"),
        Case::new("granular_beverloo", "flow through a hole in a flat floor", beverloo::run)
            .from("fit to experiments (beverloo1961)"),
        Case::new("granular_slit_gaps", "glass beads through a slit: rates at four gaps", slit::gaps)
            .from("measurement at 3 mm; scaling (gap − k d)^1.5"),
        Case::new("granular_slit_rigid", "glass beads through a slit: both laws of contact", slit::rigid)
            .from("the rigid law of the bodies"),
        Case::new("granular_repose", "angle of heaps", repose::run)
            .from("fit to experiments and simulations (zhou2002)"),
        Case::new("granular_packing", "solid fraction of poured grains", packing::run)
            .from("published ranges"),
    ]
}
