//! Measuring grains: contacts, solid fraction, stress, force chains, velocities, flow, mixing, repose.
//!
//! All is found from the present state; nothing changes it.

mod coordination;
mod fraction;
mod mixing;
mod motion;
mod repose;
mod stress;

pub use coordination::Coordination;
pub use fraction::{Cells, solid_fraction, solid_fractions};
pub use mixing::Mixing;
pub use motion::{FlowMeter, ProfileBin, granular_temperature, mass_flow, velocity_profile};
pub use repose::{Repose, ReposeFit};
pub use stress::{ForceChains, Stress, stress, stresses};
