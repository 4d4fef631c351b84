//! Many equal bodies on a lattice.

use huygens_spec::{FrameSpec, Rotation, SceneObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ShapeSpec;

/// Most bodies of one fill.
pub const MAX_FILL: usize = 2_000_000;

/// Many equal bodies on a lattice, named `name.1`, `name.2` and so on: along x first, then y, then z.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct FillSpec {
    /// Name that the bodies' names begin with.
    #[serde(default)]
    #[scene(name)]
    pub name: String,
    /// Shape of every body, with its material.
    pub shape: ShapeSpec,
    /// Density [kg/m³].
    pub density: f64,
    /// Bodies along x, y and z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<[u32; 3]>,
    /// Position of the first body [m]; the others follow along +x, +y and +z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub position: Option<[f64; 3]>,
    /// Lowest and highest corner of a region to fill [m], instead of `count` and `position`; shapes stay inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub region: Option<[[f64; 3]; 2]>,
    /// Frame that positions, lattice and orientations are given in. Default: the world's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(frame = world)]
    pub frame: Option<FrameSpec>,
    /// Spacing along x, y and z [m]. Default: the extent of the shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub spacing: Option<[f64; 3]>,
    /// Largest random displacement along each axis [m].
    #[serde(default)]
    pub jitter: f64,
    /// Orientation of every body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(local)]
    pub rotation: Option<Rotation>,
    /// Whether every body is turned at random instead.
    #[serde(default)]
    pub random_rotation: bool,
    /// Velocity of every body [m/s], world axes.
    #[serde(default)]
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Seed of the random numbers.
    #[serde(default)]
    pub seed: u64,
}

impl FillSpec {
    /// `count` bodies along x, y and z, the first at `position` [m].
    pub fn lattice(
        name: impl Into<String>,
        shape: ShapeSpec,
        density: f64,
        position: [f64; 3],
        count: [u32; 3],
    ) -> Self {
        Self {
            name: name.into(),
            shape,
            density,
            count: Some(count),
            position: Some(position),
            ..Self::default()
        }
    }
}
