//! Particle systems on struct-of-arrays fields.
//!
//! [`GrainSystem`] is granular matter: spheres under penalty contact, by the laws of
//! [`huygens_kernel::contact`], with walls that may move and be pushed back.
//!
//! All loops go over fixed chunks of particles that lie near one another in space, so the same system gives the
//! same bits on any number of threads.

mod change;
mod clump;
pub mod constraint_fluid;
mod contacts;
mod coupled;
mod energy;
mod error;
pub mod facets;
mod fields;
pub mod fill;
pub mod fluid;
mod grid;
mod history;
mod in_place;
mod limits;
mod list;
pub mod measure;
mod mesh_tree;
mod motion;
mod state;
mod step_choice;
mod surface;
mod surroundings;
mod system;
mod system_facets;
mod system_walls;
mod traffic;
mod wall;
mod wall_contacts;
mod wall_drive;
mod wall_finder;
mod wall_list;
mod wall_mesh;
mod wall_state;

pub use clump::Clump;
pub use coupled::{CoupledWall, Course, GrainBlock, GrainCoupling, Mount};
pub use energy::Energy;
pub use error::{MeshFault, ParticleError};
pub use facets::{FacetTopology, Facets};
pub use fields::{Grain, Row};
pub use limits::StepLimit;
pub use list::ListReport;
pub use step_choice::StepChoice;
pub use surface::Surface;
pub use surroundings::{Drag, DragLaw, Flow, ForceField, GrainAt, NearField};
pub use system::{GrainContact, GrainSettings, GrainSystem, MOST_GRAIN_STEPS, WallContactForce, grain_steps};
pub use system_walls::WallContact;
pub use traffic::{Boundary, Inlet, InletCount, Outlet, OutletCount, Rate, Traffic, Zone};
pub use wall::{Wall, WallMotion};
pub use wall_drive::{WallDrive, WallKey, WallSample};
pub use wall_mesh::{MeshReport, WallMesh};
