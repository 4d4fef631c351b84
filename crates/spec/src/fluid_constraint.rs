//! Fluids as constraints: what only they have, and what they do not know.

use huygens_spec::SceneObject;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fluids::{FluidSpec, FluidWallModel, ViscousType, Wrong};
use super::{FluidScheme, GrainStep, StateSpec};

/// How a fluid is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidMethod {
    /// Smoothed particle hydrodynamics of a fluid that gives in a little: explicit, in steps that sound limits.
    #[default]
    WeaklyCompressible,
    /// Densities are rows of the problem that joints and contacts share: steps are those of the world.
    Constraint,
}

/// The law that keeps the markers of a constraint fluid apart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum FluidLawType {
    /// The density of each marker.
    #[default]
    Density,
    /// Every pair collides as frictionless spheres whose diameter is the spacing.
    Spheres,
}

/// Moves markers apart that have come together; their velocities stay.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct ClumpingSpec {
    /// Strength.
    pub strength: f64,
    /// Exponent.
    pub exponent: i32,
    /// Distance in units of the support radius of the kernel.
    pub distance: f64,
}

impl Default for ClumpingSpec {
    fn default() -> Self {
        Self { strength: 0.1, exponent: 4, distance: 0.2 }
    }
}

/// Markers as spheres of the contact stage: they do not penetrate shapes and feel their friction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields, default)]
pub struct MarkerContactSpec {
    /// Name of their material. Default: the default material.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Radius in spacings: one half where what they touch has no markers, less where it has.
    pub radius: f64,
}

impl Default for MarkerContactSpec {
    fn default() -> Self {
        Self { material: None, radius: 0.5 }
    }
}

impl FluidSpec {
    /// Whether it is a constraint fluid.
    pub fn is_constraint(&self) -> bool {
        self.method == FluidMethod::Constraint
    }

    /// The method, as scene files write it.
    fn method_name(&self) -> &'static str {
        if self.is_constraint() { "constraint" } else { "weakly_compressible" }
    }

    /// Refuses keys that do not belong to the method.
    pub(super) fn check_method(&self) -> Result<(), Wrong> {
        let usual = Self::default();
        let weakly = [
            ("rheology", self.rheology.is_some()),
            ("sound_speed", self.sound_speed.is_some()),
            ("max_speed", self.max_speed.is_some()),
            ("state", self.state != StateSpec::default()),
            ("tension", self.tension != usual.tension),
            ("wall_model", self.wall_model != FluidWallModel::default()),
            ("viscous", self.viscous != ViscousType::default()),
            ("artificial", self.artificial != usual.artificial),
            ("diffusion", self.diffusion != usual.diffusion),
            ("shifting", self.shifting.is_some()),
            ("density_filter", self.density_filter.is_some()),
            ("gradient_correction", self.gradient_correction),
            ("scheme", self.scheme != FluidScheme::default()),
            ("step", self.step != GrainStep::default()),
            ("courant", self.courant.is_some()),
            ("inlets", !self.inlets.is_empty()),
            ("outlets", !self.outlets.is_empty()),
        ];
        let constraint = [
            ("law", self.law.is_some()),
            ("bilateral", self.bilateral.is_some()),
            ("normalized", self.normalized.is_some()),
            ("compliance", self.compliance.is_some()),
            ("stabilization", self.stabilization.is_some()),
            ("clumping", self.clumping.is_some()),
            ("contact", self.contact.is_some()),
        ];
        let others = if self.is_constraint() { &weakly[..] } else { &constraint[..] };
        let refuse = |key: &str, e: String| Err((key.to_owned(), e));
        if let Some((key, _)) = others.iter().find(|(_, given)| *given) {
            let method = self.method_name();
            return refuse(key, format!("`{key}` does not belong to a fluid of method \"{method}\""));
        }
        if !self.is_constraint() {
            return Ok(());
        }
        if self.law == Some(FluidLawType::Spheres) {
            let given = [
                ("bilateral", self.bilateral.is_some()),
                ("normalized", self.normalized.is_some()),
                ("clumping", self.clumping.is_some()),
                ("xsph", self.xsph.is_some()),
            ];
            if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                return refuse(key, format!("`{key}` does not belong to a fluid of law \"spheres\""));
            }
        }
        if self.bounds.is_some_and(|bounds| !bounds.closed) {
            let problem = "markers of a fluid of constraints cannot be taken out; `closed = true` in `bounds` makes it an \
                           error that one leaves";
            return refuse("bounds", problem.into());
        }
        if let Some(k) = self.walls.iter().position(|wall| wall.surface_velocity != [0.0; 3]) {
            let problem = "`surface_velocity` does not belong to a wall of a fluid of method \"constraint\"; move a plate that \
                           is long enough by its `motion`";
            return refuse(&format!("walls.{k}.surface_velocity"), problem.into());
        }
        if let Some(k) = self.walls.iter().position(|wall| wall.slip) {
            let problem = "`slip` does not belong to a wall of a fluid of method \"constraint\": fluid slides along all \
                           walls where its viscosity is 0, and along none where it is above";
            return refuse(&format!("walls.{k}.slip"), problem.into());
        }
        Ok(())
    }
}
