//! Forces on grains that are no contacts: drag of a fluid, attraction and repulsion at a distance.

use huygens_spec::{SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a fluid flows.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "flow")]
pub enum FlowSpec {
    /// The same everywhere.
    Uniform {
        /// Velocity [m/s].
        #[scene(vector)]
        velocity: [f64; 3],
    },
    /// Shear: zero at a point, growing along `gradient`.
    Shear {
        /// A point where the fluid rests [m].
        #[scene(point)]
        rest: [f64; 3],
        /// Gradient of the speed [1/s].
        #[scene(vector)]
        gradient: [f64; 3],
        /// Direction of the flow, a unit vector.
        #[scene(vector)]
        direction: [f64; 3],
    },
    /// Rotation as of a solid.
    Rotation {
        /// A point of the axis [m].
        #[scene(point)]
        center: [f64; 3],
        /// Angular velocity [rad/s].
        #[scene(vector)]
        rate: [f64; 3],
    },
}

impl Default for FlowSpec {
    fn default() -> Self {
        Self::Uniform { velocity: [0.0; 3] }
    }
}

/// Law of drag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum GrainDragLaw {
    /// Stokes: slow flow.
    #[default]
    Stokes,
    /// Schiller and Naumann; needs the `density` of the fluid.
    SchillerNaumann,
}

/// Drag of a fluid that the grains do not change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct GrainDragSpec {
    /// Law.
    #[serde(default)]
    pub law: GrainDragLaw,
    /// Viscosity of the fluid [Pa·s].
    pub viscosity: f64,
    /// Density of the fluid [kg/m³].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// How it flows. Default: at rest.
    #[serde(default)]
    pub flow: FlowSpec,
}

/// Forces between grains whose surfaces are near: attraction of van der Waals and a repulsion that fades.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct NearFieldSpec {
    /// Gap beyond which there is no force [m].
    pub range: f64,
    /// Hamaker's constant [J]; 0 for no attraction.
    #[serde(default)]
    pub hamaker: f64,
    /// Least gap of the attraction [m]. Default: 4e-10.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_gap: Option<f64>,
    /// Repulsion at touch [N]; 0 for none.
    #[serde(default)]
    pub repulsion: f64,
    /// Length over which the repulsion fades [m]. Default: a fifth of `range`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub length: Option<f64>,
}
