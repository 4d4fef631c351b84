//! Surfaces that particles touch: their shapes, how they move, and the nearest points on them.

pub(crate) mod drive;
pub mod facets;
pub(crate) mod mesh;
pub(crate) mod mesh_tree;
pub(crate) mod shape;
pub mod shapes;
pub(crate) mod surface;
pub(crate) mod wall;

pub use drive::{WallDrive, WallKey, WallSample};
pub use facets::{FacetTopology, Facets};
pub use mesh::{MeshReport, WallMesh};
pub use shape::{Shaped, SurfaceShape};
pub use surface::Surface;
pub use wall::{Wall, WallMotion};
