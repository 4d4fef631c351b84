//! Scene files: TOML or JSON, with expressions, sub-assemblies, and messages that point at the line.
//!
//! The crate `huygens-scene` reads them; here they become worlds, and errors of these worlds get their places in the
//! files.

use huygens_core::CoreError;

pub use huygens_scene::{
    Format, LoadOptions, LoadedScene, MAX_BYTES, MAX_DEPTH, MAX_INCLUDE_DEPTH, MAX_OBJECTS, SceneError,
    SceneFault, ScenePart, load_scene, load_scene_text, spec_from_json,
};

use crate::spec::Section;
use crate::world::{World, WorldError};

/// A scene file that becomes a world.
pub trait SceneWorld {
    /// Builds the world; errors point at the file.
    fn world(&self) -> Result<World, SceneError>;
    /// Puts an error of a world of this scene at the place of the file it comes from; it is the cause of the result.
    fn explain(&self, error: WorldError) -> SceneError;
}

impl SceneWorld for LoadedScene {
    fn world(&self) -> Result<World, SceneError> {
        World::from_scene(&self.scene).map_err(|e| self.explain(e))
    }

    fn explain(&self, error: WorldError) -> SceneError {
        let (object, problem, suggestion) = match &error {
            WorldError::Input { section, name, problem, suggestion, .. } => {
                (Some(format!("{section} '{name}'")), problem.clone(), suggestion.clone())
            }
            WorldError::Setting { key, value, expected } => {
                let problem = format!("{key} = {value} is not allowed; expected {expected}");
                (Some("settings".into()), problem, None)
            }
            other => (None, other.to_string(), None),
        };
        let named = match &error {
            WorldError::Core(core) => core.object(),
            _ => None,
        };
        let named = named.as_ref().map(|o| ScenePart::Named { kind: &o.kind, name: &o.name });
        let found = self.error_at(named.or_else(|| part(&error)), problem);
        let is_input = error.is_input();
        found.of(object).suggesting(suggestion).caused_by(error, is_input)
    }
}

/// The part of a scene that an error of a world is about.
fn part(error: &WorldError) -> Option<ScenePart<'_>> {
    let object = |section, name| Some(ScenePart::Object { section, name, field: None });
    match error {
        WorldError::Input { section, name, field, .. } => {
            Some(ScenePart::Object { section: *section, name, field: field.as_deref() })
        }
        WorldError::Setting { key, .. } => Some(ScenePart::Setting(key)),
        WorldError::LeftBounds { body, .. } => object(Section::Bodies, body),
        WorldError::Grains { grains, .. } => object(Section::Grains, grains),
        WorldError::Fluid { fluid, .. } => object(Section::Fluids, fluid),
        WorldError::Core(core) => setting(core).map(ScenePart::Setting),
        _ => None,
    }
}

/// The setting that an error of the engine is about.
fn setting(error: &CoreError) -> Option<&str> {
    match error {
        CoreError::Parameter { name, .. } => match name.as_str() {
            "rho" | "alpha" | "beta" | "gamma" => Some("integrator"),
            key => Some(key),
        },
        CoreError::Unsupported { integrator, .. } if integrator == "kinematics" => Some("analysis"),
        CoreError::Unsupported { .. } => Some("integrator"),
        _ => None,
    }
}
