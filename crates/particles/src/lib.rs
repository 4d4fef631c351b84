//! Particle systems on struct-of-arrays fields.
//!
//! [`GrainSystem`] is granular matter: spheres under penalty contact, by the laws of
//! [`huygens_kernel::contact`], with walls that may move and be pushed back.
//!
//! All loops go over fixed chunks of particles that lie near one another in space, so the same system gives the
//! same bits on any number of threads.

pub mod constraint_fluid;
pub mod described;
mod error;
pub mod fill;
mod fluid_view;
mod fluid_watch;
mod grains;
mod grid;
mod id;
mod in_place;
mod row;
pub mod sph;
mod walls;

pub use error::{MeshFault, ParticleError};
pub use fluid_view::{FluidField, FluidStatus, FluidView};
pub use fluid_watch::{DensityWatch, crowding_warning};
pub use grains::*;
pub use id::IdSource;
pub use row::Row;
pub use walls::{
    FacetTopology, Facets, MeshReport, Shaped, Surface, SurfaceShape, Wall, WallDrive, WallKey, WallMesh,
    WallMotion, WallSample, facets, shapes,
};
