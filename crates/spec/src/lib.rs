//! Descriptions of the objects of a scene.
//!
//! An object that a user can name is one struct whose fields say what they are: its name, references to other objects,
//! points and vectors of the world, files. [`SceneObject`] is derived from these marks, and from it follow the prefixes
//! of sub-assemblies and their placement, the check of references and the files that belong to a scene.
//! [`sections!`] lists the kinds of objects; the lists of a scene and everything a world does by kind expand it.

extern crate self as huygens_spec;

mod object;
mod path;
mod placement;
mod rotation;
mod section;
pub mod tagged;

pub use huygens_spec_macros::{SceneObject, Tagged};
pub use object::{SceneObject, Texts, Triples, Visitor, VisitorMut};
pub use path::KeyPath;
pub use placement::Placement;
pub use rotation::{FrameSpec, PlaceSpec, Rotation, check_axis, orientation};
pub use section::Section;

/// Name that stands for the resting world in joints, springs and bushings.
pub const GROUND: &str = "ground";

/// Name of the material of shapes that name none; it exists without being described.
pub const DEFAULT_MATERIAL: &str = "default";
