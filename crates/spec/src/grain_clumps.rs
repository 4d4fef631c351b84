//! Clumps: grains of several spheres that overlap and move as one rigid body.

use glam::{DQuat, DVec3};
use huygens_spec::{Placement, Rotation, SceneObject};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grains::positive;

/// Most spheres of one clump.
pub const MAX_CLUMP_SPHERES: usize = 10_000;

/// A sphere of a clump.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct ClumpSphere {
    /// Centre in the axes of the clump [m].
    #[scene(local)]
    pub position: [f64; 3],
    /// Radius [m].
    pub radius: f64,
}

/// A kind of clump, and those that are given one by one; fills of the set can name it.
///
/// Mass, centre of mass and inertia are those of the union of its spheres.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_rotations)]
#[serde(deny_unknown_fields)]
pub struct ClumpSpec {
    /// Name, unique among the clumps of the set.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// Its spheres, which may overlap.
    pub spheres: Vec<ClumpSphere>,
    /// Density [kg/m³].
    pub density: f64,
    /// Material. Default: that of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Where the axes of clumps lie [m], one clump each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(point)]
    pub positions: Vec<[f64; 3]>,
    /// Orientation of each. Default: the world's axes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(placed)]
    pub rotations: Vec<Rotation>,
    /// Velocity of the centre of mass of each [m/s]. Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(vector)]
    pub velocities: Vec<[f64; 3]>,
    /// Angular velocity of each [rad/s], world axes. Default: zero.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[scene(vector)]
    pub angular_velocities: Vec<[f64; 3]>,
}

impl ClumpSpec {
    /// A kind of clump of spheres by centre [m] and radius [m].
    pub fn new(name: impl Into<String>, spheres: &[([f64; 3], f64)], density: f64) -> Self {
        let spheres = spheres.iter().map(|&(position, radius)| ClumpSphere { position, radius }).collect();
        Self { name: name.into(), spheres, density, ..Self::default() }
    }

    /// Clumps without an orientation have the axes of the world.
    fn place_rotations(&mut self, placement: &Placement) -> Result<(), String> {
        self.rotations.resize(self.positions.len(), Rotation(DQuat::IDENTITY));
        self.rotations.iter_mut().for_each(|r| *r = placement.turned(r.0));
        Ok(())
    }

    /// Its spheres as the engine takes them.
    pub fn balls(&self) -> Vec<(DVec3, f64)> {
        self.spheres.iter().map(|s| (DVec3::from_array(s.position), s.radius)).collect()
    }

    /// The first key that is wrong: its path and what is wrong.
    pub fn check(&self) -> Result<(), (String, String)> {
        if !(1..=MAX_CLUMP_SPHERES).contains(&self.spheres.len()) {
            let problem =
                format!("{} spheres are not allowed; 1 to {MAX_CLUMP_SPHERES} are", self.spheres.len());
            return Err(("spheres".into(), problem));
        }
        positive("density", self.density)?;
        for (k, sphere) in self.spheres.iter().enumerate() {
            positive("radius", sphere.radius).map_err(|(key, e)| (format!("spheres.{k}.{key}"), e))?;
            if sphere.position.iter().any(|x| !x.is_finite()) {
                return Err((format!("spheres.{k}.position"), "all components must be finite".into()));
            }
        }
        let count = self.positions.len();
        for (key, length) in [
            ("rotations", self.rotations.len()),
            ("velocities", self.velocities.len()),
            ("angular_velocities", self.angular_velocities.len()),
        ] {
            if length != 0 && length != count {
                return Err((key.into(), format!("{length} {key} do not fit {count} positions")));
            }
        }
        let lists = [
            ("positions", &self.positions),
            ("velocities", &self.velocities),
            ("angular_velocities", &self.angular_velocities),
        ];
        for (key, list) in lists {
            if let Some(k) = list.iter().position(|v| v.iter().any(|x| !x.is_finite())) {
                return Err((format!("{key}.{k}"), "all components must be finite".into()));
            }
        }
        Ok(())
    }
}
