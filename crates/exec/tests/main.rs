//! The tests of this crate, in one program.

mod invariant_field;
#[cfg(feature = "gpu")]
mod parity_device_laws;
#[cfg(feature = "gpu")]
mod parity_device_laws_fluids;
#[cfg(feature = "gpu")]
mod parity_device_laws_materials;
#[cfg(feature = "gpu")]
mod parity_device_laws_surfaces;
mod parity_lanes;
mod parity_reductions;
#[cfg(feature = "gpu")]
mod probes;
