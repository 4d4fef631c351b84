//! Shafts.

use huygens_spec::SceneObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A shaft with one rotation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct ShaftSpec {
    /// Unique name.
    #[serde(default)]
    #[scene(name)]
    pub name: String,
    /// Moment of inertia [kg·m²].
    pub inertia: f64,
    /// Angle at the start [rad].
    #[serde(default)]
    pub angle: f64,
    /// Speed at the start [rad/s].
    #[serde(default)]
    pub speed: f64,
}
