//! Weakly compressible fluids by smoothed particle hydrodynamics.
//!
//! Particles of equal mass carry position, velocity and density. Walls and bodies are markers of the same mass, whose
//! velocity and pressure are found from the fluid near them; they feel the opposite of what they do.

mod cells;
mod coupled;
mod draft;
mod fields;
mod gates;
mod gauge;
mod laws;
mod laws_general;
mod list;
mod loops;
mod markers;
mod measure;
mod model;
mod settings;
mod solid;
mod stability;
mod start;
mod state;
mod sweep;
mod system;
mod wall;

pub(crate) use cells::Cells;
pub(crate) use fields::{FluidFields, is_marker, marker_tag, number};
pub(crate) use list::{FluidChunk, FluidList, QUAD};

pub use coupled::{CoupledSolid, FluidBlock, FluidCoupling};
pub use draft::{FillPlan, SolidDraft};
pub use gates::{Bounds, FluidInlet, FluidOutlet, GateCount};
pub use gauge::PatchMarker;
pub use huygens_spec::{WallFace, WallSide};
pub use list::FluidListReport;
pub use markers::{LineMarker, MAX_MARKERS, MarkerLayout, SolidMarkers, WallForm};
pub use measure::FluidEnergy;
pub use settings::{DensityFilter, FlowSpace, FluidSettings, Shifting, TimeScheme, ViscousForm, WallModel};
pub use solid::{MarkerMotion, SolidId, SolidMotion};
pub use start::{FluidFill, SOUND_RATIO, expected_speed};
pub use system::{FluidParticle, FluidRange, FluidSystem};
