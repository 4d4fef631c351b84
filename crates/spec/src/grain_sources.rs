//! Where grains come from and where they go: fills, inlets, outlets, the edge of the world.

use huygens_spec::{FrameSpec, Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeshSource;

/// A region of space.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(place_with = Self::place_box)]
#[scene(tagged)]
#[tagged(object = "region")]
pub enum RegionSpec {
    /// Box along the axes.
    Box {
        /// Lowest corner [m].
        #[scene(placed)]
        low: [f64; 3],
        /// Highest corner [m].
        #[scene(placed)]
        high: [f64; 3],
    },
    /// Cylinder.
    Cylinder {
        /// Centre of one end [m].
        #[scene(point)]
        base: [f64; 3],
        /// Direction of its axis, from this end on.
        #[tagged(default = up)]
        #[scene(vector)]
        axis: [f64; 3],
        /// Radius [m].
        radius: f64,
        /// Height [m].
        height: f64,
    },
    /// Ball.
    Sphere {
        /// Centre [m].
        #[scene(point)]
        center: [f64; 3],
        /// Radius [m].
        radius: f64,
    },
    /// Cone, or a part of one between two circles.
    Cone {
        /// Centre of one end [m].
        #[scene(point)]
        base: [f64; 3],
        /// Direction of its axis, from this end on.
        #[tagged(default = up)]
        #[scene(vector)]
        axis: [f64; 3],
        /// Radii at this end and at the other [m]; one may be 0.
        radii: [f64; 2],
        /// Height [m].
        height: f64,
    },
}

fn up() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

impl RegionSpec {
    /// Boxes have their sides along the axes of the world.
    fn place_box(&mut self, placement: &Placement) -> Result<(), String> {
        if let Self::Box { low, high } = self {
            placement.moved_box(low, high, false);
        }
        Ok(())
    }

    /// A box along the axes between two corners [m].
    pub fn between(low: [f64; 3], high: [f64; 3]) -> Self {
        Self::Box { low, high }
    }
}

impl Default for RegionSpec {
    fn default() -> Self {
        Self::between([0.0; 3], [1.0; 3])
    }
}

/// What the shares of a distribution are shares of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// Of the number of grains.
    #[default]
    Number,
    /// Of their mass.
    Mass,
}

/// How the radii of grains are distributed.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "distribution of sizes")]
pub enum SizesSpec {
    /// Equally likely between two radii.
    Uniform {
        /// Least radius [m].
        least: f64,
        /// Maximum radius [m].
        most: f64,
        /// What the shares are of.
        #[tagged(default)]
        by: ShareOf,
    },
    /// Gaussian, cut off at two radii.
    Normal {
        /// Mean radius [m].
        mean: f64,
        /// Standard deviation [m].
        deviation: f64,
        /// Least radius [m].
        least: f64,
        /// Maximum radius [m].
        most: f64,
        /// What the shares are of.
        #[tagged(default)]
        by: ShareOf,
    },
    /// The logarithm of the radius is Gaussian, cut off at two radii.
    LogNormal {
        /// Median radius [m].
        median: f64,
        /// Standard deviation of the natural logarithm.
        deviation: f64,
        /// Least radius [m].
        least: f64,
        /// Maximum radius [m].
        most: f64,
        /// What the shares are of.
        #[tagged(default)]
        by: ShareOf,
    },
    /// Grading curve by mass: openings, the diameters that just pass [m], and the shares that pass, 0 to 1.
    Sieves {
        /// Rows `[opening, share that passes]`, rising.
        sieves: Vec<[f64; 2]>,
    },
    /// Graded sand of ASTM C778.
    AstmGradedSand {
        /// All sizes times this.
        #[tagged(default = one)]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// How the grains of a fill are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Tagged, SceneObject)]
#[scene(tagged)]
#[tagged(object = "pattern")]
pub enum PatternSpec {
    /// Cubic lattice in the middle of the region.
    Cubic {
        /// Distance of neighbours [m].
        spacing: f64,
        /// Maximum random offset from the lattice along each axis [m].
        #[tagged(default)]
        jitter: f64,
    },
    /// Hexagonal close packing in the middle of the region.
    Hexagonal {
        /// Distance of neighbours [m].
        spacing: f64,
    },
    /// Random places that keep a distance, till no more find room.
    Poisson {
        /// Minimum gap between surfaces [m].
        #[tagged(default)]
        gap: f64,
    },
    /// Random places, pushed apart; solid fractions up to about 0.60.
    Random {
        /// Volume of the grains over that of the region.
        solid_fraction: f64,
    },
    /// Layers that rain on what lies below, until all are at rest; then time begins.
    Rainfall {
        /// How many grains.
        count: Option<u64>,
        /// Their mass [kg]; instead of `count`.
        mass: Option<f64>,
        /// Kinetic energy per grain [J] below which the bed is at rest. Default: derived from the weight and radius
        /// of the smallest grain.
        energy: Option<f64>,
        /// Longest time to wait for rest [s].
        #[tagged(default = patience)]
        longest: f64,
    },
}

fn patience() -> f64 {
    10.0
}

/// A region full of grains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct GrainFillSpec {
    /// Where; grains lie entirely inside. A fill with a `mesh` needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionSpec>,
    /// A closed mesh that no grain reaches out of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<FillMeshSpec>,
    /// How they are arranged.
    pub pattern: PatternSpec,
    /// Radius of all [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Distribution of radii; instead of `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizesSpec>,
    /// Clumps of this kind, turned at random, instead of grains with `radius` or `sizes` and a `density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(text)]
    pub clump: Option<String>,
    /// Density [kg/m³].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<f64>,
    /// Velocity [m/s].
    #[serde(default)]
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Material. Default: that of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Seed of the random numbers.
    #[serde(default)]
    pub seed: u64,
}

/// A closed mesh to fill, from an OBJ or STL file or of points and triangles.
#[derive(Clone, Debug, Default, PartialEq, Tagged, SceneObject)]
#[tagged(object = "mesh")]
pub struct FillMeshSpec {
    /// Where its triangles are from.
    #[tagged(flatten)]
    pub source: MeshSource,
    /// Where its axes lie. Default: those of the world.
    #[scene(frame = world)]
    pub frame: Option<FrameSpec>,
}

impl FillMeshSpec {
    /// A mesh from an OBJ or STL file.
    pub fn file(file: impl Into<String>) -> Self {
        Self { source: MeshSource::file(file), frame: None }
    }
}

impl GrainFillSpec {
    /// Equal grains of `radius` [m] and `density` [kg/m³].
    pub fn new(region: RegionSpec, pattern: PatternSpec, radius: f64, density: f64) -> Self {
        Self {
            region: Some(region),
            mesh: None,
            pattern,
            radius: Some(radius),
            sizes: None,
            clump: None,
            density: Some(density),
            velocity: [0.0; 3],
            material: None,
            seed: 0,
        }
    }
}

/// Grains that are inserted into a region during the simulation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct InletSpec {
    /// Name, unique among the walls, inlets and outlets of the set.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// Where; grains lie entirely inside when it appears.
    pub region: RegionSpec,
    /// Grains a second [1/s].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<f64>,
    /// Mass a second [kg/s]; instead of `rate`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass_rate: Option<f64>,
    /// Radius of all [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<f64>,
    /// Distribution of radii; instead of `radius`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sizes: Option<SizesSpec>,
    /// Density [kg/m³].
    pub density: f64,
    /// Velocity [m/s].
    #[serde(default)]
    #[scene(vector)]
    pub velocity: [f64; 3],
    /// Material. Default: that of the set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[scene(refers(Materials))]
    pub material: Option<String>,
    /// Number of grains after which it stops.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
    /// Mass after which it stops [kg]; instead of `count`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mass: Option<f64>,
    /// Time at which it starts [s].
    #[serde(default)]
    pub start: f64,
    /// Seed of the random numbers.
    #[serde(default)]
    pub seed: u64,
}

/// A plane that grains go through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct PlaneSpec {
    /// A point of it [m].
    #[scene(point)]
    pub position: [f64; 3],
    /// Its normal, to the far side.
    #[scene(vector)]
    pub normal: [f64; 3],
}

/// Where grains disappear and are counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct OutletSpec {
    /// Name, unique among the walls, inlets and outlets of the set.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// Region that takes centres inside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub region: Option<RegionSpec>,
    /// Plane that takes centres beyond; instead of `region`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<PlaneSpec>,
}

/// What happens to grains that leave a box.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case")]
pub enum BoundaryType {
    /// They are removed and counted.
    #[default]
    Open,
    /// They stop the run.
    Closed,
}

/// The domain boundary of the grains.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_box)]
#[serde(deny_unknown_fields)]
pub struct BoundarySpec {
    /// What happens to grains that leave.
    #[serde(rename = "type")]
    pub kind: BoundaryType,
    /// Lowest corner [m].
    #[scene(placed)]
    pub low: [f64; 3],
    /// Highest corner [m].
    #[scene(placed)]
    pub high: [f64; 3],
}

impl BoundarySpec {
    fn place_box(&mut self, placement: &Placement) -> Result<(), String> {
        placement.moved_box(&mut self.low, &mut self.high, true);
        Ok(())
    }
}
