//! Signals and probes as they are written in scene files.

use huygens_spec::{SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::signal::SignalSpec;
use super::structure::MeshItems;

/// Which body of a joint a reaction acts on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum SideName {
    /// The base body.
    A,
    /// The moved body.
    #[default]
    B,
}

/// Axes in which a reaction is given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum Axes {
    /// The joint frame on body A.
    #[default]
    Joint,
    /// The world.
    World,
}

/// A measured number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct SensorSpec {
    /// Name of a body (`body` or `body/marker`), joint, motor, coupling, force or shaft.
    #[scene(refers(any))]
    pub of: String,
    /// The quantity, such as `position.x`, `angle`, `angle_rate`, `reaction_force.z`, `torque` or `speed`.
    #[scene(text)]
    pub quantity: String,
    /// Point of a body in its frame [m]. Default: the marker, or the origin.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(point, carried_by(of))]
    pub point: Option<[f64; 3]>,
    /// Body a joint's reaction acts on.
    #[serde(default)]
    pub side: SideName,
    /// Axes of a joint's reaction.
    #[serde(default)]
    pub axes: Axes,
}

impl SensorSpec {
    /// The quantity of an object.
    pub fn new(of: impl Into<String>, quantity: impl Into<String>) -> Self {
        Self { of: of.into(), quantity: quantity.into(), ..Self::default() }
    }
}

/// A named signal.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[tagged(object = "signal")]
pub struct SignalEntry {
    /// Unique name among the signals.
    #[scene(name)]
    pub name: String,
    /// What it is made of.
    #[tagged(variant)]
    pub signal: SignalSpec<SensorSpec>,
}

/// A quantity written to a time series: of an object, of the world, or of a signal.
///
/// A vector quantity without a component, such as `position`, becomes one column for each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(label = Self::label)]
#[serde(deny_unknown_fields, default)]
pub struct ProbeSpec {
    /// Name of its columns. Default: made of `of` and `quantity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(name)]
    pub name: Option<String>,
    /// Name of a body (`body` or `body/marker`), joint, motor, coupling, force, shaft, structure or node of one
    /// (`structure/node`), or `world`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(any))]
    pub of: Option<String>,
    /// The quantity; of the world: `energy`, `kinetic_energy`, `potential_energy`, `elastic_energy`,
    /// `constraint_residual`, `contact_count`, `contact_force`, `penetration`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub quantity: Option<String>,
    /// Name of a signal; instead of `of` and `quantity`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Signals))]
    pub signal: Option<String>,
    /// Point of a body in its frame [m]; the marker, or the origin, if absent. Point in the world of a quantity of a fluid,
    /// or of the pressure on a wall or body of it, where that is at the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(point, carried_by(of))]
    pub point: Option<[f64; 3]>,
    /// Radius of a pressure gauge on a wall or body of a fluid [m]. Default: half a spacing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Body a joint's reaction acts on.
    pub side: SideName,
    /// Axes of a joint's reaction.
    pub axes: Axes,
    /// Second body of a contact quantity: only contacts with it count.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(refers(Bodies, Structures))]
    pub with: Option<String>,
    /// Element of a structure: its number in the mesh, or a set of one element.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element: Option<MeshItems>,
    /// Place along the element of a line, from 0 to 1. Default: the middle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<f64>,
    /// Time series it goes to, the name of a CSV file without its ending. Default: `probes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub file: Option<String>,
}

impl ProbeSpec {
    /// The quantity of an object.
    pub fn new(of: impl Into<String>, quantity: impl Into<String>) -> Self {
        Self { of: Some(of.into()), quantity: Some(quantity.into()), ..Self::default() }
    }

    /// The value of a signal.
    pub fn signal(name: impl Into<String>) -> Self {
        Self { signal: Some(name.into()), ..Self::default() }
    }

    /// What its columns are called: its name, its signal, or object and quantity.
    pub fn label(&self) -> String {
        match (&self.name, &self.signal) {
            (Some(name), _) => name.clone(),
            (None, Some(signal)) => signal.clone(),
            (None, None) => {
                let with = self.with.as_ref().map_or(String::new(), |w| format!("-{w}"));
                let quantity = self.quantity.as_deref().unwrap_or("");
                let element = self.element.as_ref().map_or(String::new(), |e| format!(":{e}"));
                format!("{}{element}{with}.{quantity}", self.of.as_deref().unwrap_or(""))
            }
        }
    }
}
