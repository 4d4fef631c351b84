//! Where grains come from and where they go: fills, inlets, outlets, the edge of the world.

use glam::DVec3;
use huygens_particles::fill::{Amount, Pattern, Region, Sieve, SizeLaw, Sizes, Weighting};
use huygens_particles::{Boundary, Rate, Zone};
use huygens_spec::{FrameSpec, Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::MeshSource;

/// A region of space.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[scene(place_with = Self::place_box)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
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
        #[serde(default = "up")]
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
        #[serde(default = "up")]
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

    /// The region as the engine takes it.
    pub fn region(&self) -> Region {
        let v = DVec3::from_array;
        match *self {
            Self::Box { low, high } => Region::Box { low: v(low), high: v(high) },
            Self::Cylinder { base, axis, radius, height } => {
                Region::Cylinder { base: v(base), axis: v(axis), radius, height }
            }
            Self::Sphere { center, radius } => Region::Sphere { centre: v(center), radius },
            Self::Cone { base, axis, radii, height } => {
                Region::Frustum { base: v(base), axis: v(axis), radii, height }
            }
        }
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum SizesSpec {
    /// Equally likely between two radii.
    Uniform {
        /// Least radius [m].
        least: f64,
        /// Maximum radius [m].
        most: f64,
        /// What the shares are of.
        #[serde(default)]
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
        #[serde(default)]
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
        #[serde(default)]
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
        #[serde(default = "one")]
        scale: f64,
    },
}

fn one() -> f64 {
    1.0
}

impl SizesSpec {
    /// The sizes as the engine takes them.
    pub fn sizes(&self) -> Sizes {
        let law = |law, by: ShareOf| Sizes {
            law,
            weighting: match by {
                ShareOf::Number => Weighting::Number,
                ShareOf::Mass => Weighting::Mass,
            },
        };
        match *self {
            Self::Uniform { least, most, by } => law(SizeLaw::Uniform { least, most }, by),
            Self::Normal { mean, deviation, least, most, by } => {
                law(SizeLaw::Normal { mean, deviation, least, most }, by)
            }
            Self::LogNormal { median, deviation, least, most, by } => {
                law(SizeLaw::LogNormal { median, deviation, least, most }, by)
            }
            Self::Sieves { ref sieves } => {
                let sieve = |[opening, passing]: &[f64; 2]| Sieve { opening: *opening, passing: *passing };
                law(SizeLaw::Sieves(sieves.iter().map(sieve).collect()), ShareOf::Mass)
            }
            Self::AstmGradedSand { scale } => Sizes::astm_graded_sand().scaled(scale),
        }
    }
}

/// The sizes of a `radius` or of `sizes`, whichever is given.
fn sizes_of(radius: Option<f64>, sizes: Option<&SizesSpec>) -> Result<Sizes, (&'static str, String)> {
    match (radius, sizes) {
        (Some(radius), None) => Ok(Sizes::constant(radius)),
        (None, Some(sizes)) => Ok(sizes.sizes()),
        (Some(_), Some(_)) => Err(("sizes", "give radius or sizes, not both".into())),
        (None, None) => Err(("radius", "grains need a `radius`, or `sizes`".into())),
    }
}

/// How the grains of a fill are arranged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum PatternSpec {
    /// Cubic lattice in the middle of the region.
    Cubic {
        /// Distance of neighbours [m].
        spacing: f64,
        /// Maximum random offset from the lattice along each axis [m].
        #[serde(default)]
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
        #[serde(default)]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<u64>,
        /// Their mass [kg]; instead of `count`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mass: Option<f64>,
        /// Kinetic energy per grain [J] below which the bed is at rest. Default: derived from the weight and radius
        /// of the smallest grain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        energy: Option<f64>,
        /// Longest time to wait for rest [s].
        #[serde(default = "patience")]
        longest: f64,
    },
}

fn patience() -> f64 {
    10.0
}

impl PatternSpec {
    /// The pattern as the engine takes it; none of rain.
    pub fn pattern(&self) -> Option<Pattern> {
        Some(match *self {
            Self::Cubic { spacing, jitter } => Pattern::Cubic { spacing, jitter },
            Self::Hexagonal { spacing } => Pattern::Hexagonal { spacing },
            Self::Poisson { gap } => Pattern::Poisson { gap },
            Self::Random { solid_fraction } => Pattern::Random { solid_fraction },
            Self::Rainfall { .. } => return None,
        })
    }
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

    /// Its sizes.
    pub fn size_law(&self) -> Result<Sizes, (&'static str, String)> {
        sizes_of(self.radius, self.sizes.as_ref())
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

impl InletSpec {
    /// Its sizes.
    pub fn size_law(&self) -> Result<Sizes, (&'static str, String)> {
        sizes_of(self.radius, self.sizes.as_ref())
    }

    /// How fast it works.
    pub fn speed(&self) -> Result<Rate, (&'static str, String)> {
        match (self.rate, self.mass_rate) {
            (Some(rate), None) => Ok(Rate::Number(rate)),
            (None, Some(rate)) => Ok(Rate::Mass(rate)),
            (Some(_), Some(_)) => Err(("mass_rate", "give rate or mass_rate, not both".into())),
            (None, None) => Err(("rate", "an inlet needs a `rate` [1/s], or a `mass_rate` [kg/s]".into())),
        }
    }

    /// After how much it stops.
    pub fn limit(&self) -> Result<Option<Amount>, (&'static str, String)> {
        match (self.count, self.mass) {
            (Some(_), Some(_)) => Err(("mass", "give count or mass, not both".into())),
            (count, mass) => Ok(count.map(Amount::Number).or(mass.map(Amount::Mass))),
        }
    }
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

impl OutletSpec {
    /// Where it takes grains away.
    pub fn zone(&self) -> Result<Zone, (&'static str, String)> {
        match (&self.region, &self.plane) {
            (Some(region), None) => Ok(Zone::Inside(region.region())),
            (None, Some(plane)) => Ok(Zone::Beyond {
                point: DVec3::from_array(plane.position),
                normal: DVec3::from_array(plane.normal),
            }),
            _ => Err(("region", "an outlet needs a `region`, or a `plane`".into())),
        }
    }
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

    /// The boundary as the engine takes it.
    pub fn boundary(&self) -> Boundary {
        let (low, high) = (DVec3::from_array(self.low), DVec3::from_array(self.high));
        match self.kind {
            BoundaryType::Open => Boundary::Open { low, high },
            BoundaryType::Closed => Boundary::Closed { low, high },
        }
    }
}
