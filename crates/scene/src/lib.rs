//! Scene files: TOML or JSON, with expressions, sub-assemblies, and messages that point at the line; knows no engine.
//!
//! Both formats become one tree of values with their places in the text; expressions are evaluated in it and the
//! descriptions of [`huygens_spec`] are read from it. So every message can name file, line, column and object. An engine
//! that builds the scene puts its own errors at their places by [`LoadedScene::error_at`].

mod deserialize;
mod error;
mod expression;
mod json;
mod limits;
mod load;
mod loaded;
mod parameters;
mod toml_file;
mod tree;

pub use error::{SceneError, SceneFault};
pub use limits::{MAX_BYTES, MAX_DEPTH, MAX_INCLUDE_DEPTH, MAX_OBJECTS};
pub use load::{Format, LoadOptions, load_scene, load_scene_text, spec_from_json};
pub use loaded::{LoadedScene, ScenePart};
