//! What is measured of grains: fields over cells, profiles, stresses, flows, mixing.

use glam::DVec3;
use huygens_spec::{Placement, SceneObject, Tagged};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grain_sources::RegionSpec;

/// Most cells or bins of one measure.
pub const MAX_CELLS: usize = 10_000_000;

/// Something measured again and again: a table, written to a CSV file of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(deny_unknown_fields)]
pub struct GrainMeasureSpec {
    /// Name, unique among walls, inlets, outlets and measures of the set; the file is `GRAINS.NAME.csv`.
    #[serde(default)]
    #[scene(text)]
    pub name: String,
    /// What is measured.
    pub quantity: GrainTableSpec,
    /// Interval between tables [s]. Default: that of probes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<f64>,
    /// Whether fields over cells are written for VTK as well.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub vtk: bool,
}

/// Cells of equal size that fill a box along the axes.
#[derive(Clone, Copy, Debug, PartialEq, Tagged, SceneObject)]
#[scene(place_with = Self::place_box)]
#[tagged(object = "lattice of cells")]
pub struct CellsSpec {
    /// Lowest corner [m].
    #[scene(placed)]
    pub low: [f64; 3],
    /// Highest corner [m].
    #[scene(placed)]
    pub high: [f64; 3],
    /// Cells along each axis.
    pub count: [usize; 3],
}

impl CellsSpec {
    fn place_box(&mut self, placement: &Placement) -> Result<(), String> {
        placement.moved_box(&mut self.low, &mut self.high, false);
        Ok(())
    }

    fn check(&self) -> Result<(), (&'static str, String)> {
        let cells = self.count.iter().try_fold(1_usize, |product, n| product.checked_mul(*n));
        match cells {
            Some(1..=MAX_CELLS) => Ok(()),
            _ => Err((
                "cells.count",
                format!("count = {:?} is not allowed; 1 to {MAX_CELLS} cells are", self.count),
            )),
        }
    }
}

/// Which grains are of the first of two kinds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema, SceneObject)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum GrainKind {
    /// Those with a smaller radius [m].
    SmallerThan(f64),
    /// Those of a material.
    Material(#[scene(refers(Materials))] String),
    /// Those with a smaller id, such as the first fill.
    IdBelow(u64),
}

/// What a table of grains holds.
#[derive(Clone, Debug, PartialEq, Tagged, SceneObject)]
#[scene(place_with = Self::place_span)]
#[scene(tagged)]
#[tagged(object = "quantity")]
pub enum GrainTableSpec {
    /// `mean` number of contacts of a grain, `bearing`: that of grains that bear load, `rattlers`: number of the
    /// others.
    Coordination {
        /// Contacts a grain needs to bear load.
        #[tagged(default = bearing)]
        least: usize,
    },
    /// `solid_fraction` of a `region`, or of each of the `cells`.
    SolidFraction {
        /// Where.
        region: Option<RegionSpec>,
        /// A field instead of one number.
        cells: Option<CellsSpec>,
    },
    /// Mean stress, positive in compression: `pressure` and `xx` to `zz` of the contacts, `kinetic_xx` to
    /// `kinetic_zz` of the motion, in a `region` or in each of the `cells`.
    Stress {
        /// Where.
        region: Option<RegionSpec>,
        /// A field instead of one tensor.
        cells: Option<CellsSpec>,
    },
    /// Granular `temperature`, a third of the mean square of the velocity about its mean.
    Temperature {
        /// Region. Default: everywhere.
        region: Option<RegionSpec>,
    },
    /// Means of equal bins along an axis: `at`, `count`, `mass`, velocity `vx`, `vy`, `vz`, angular velocity `wx`,
    /// `wy`, `wz`, and `temperature`.
    VelocityProfile {
        /// Direction.
        #[scene(vector)]
        axis: [f64; 3],
        /// From and to, along the axis from the origin [m].
        span: [f64; 2],
        /// Number of bins.
        bins: usize,
        /// Region. Default: everywhere.
        region: Option<RegionSpec>,
    },
    /// `mass_flow` along the normal through a plane, as the mean over a layer about it.
    MassFlow {
        /// A point of the plane [m].
        #[scene(point)]
        position: [f64; 3],
        /// Direction that counts as positive.
        #[scene(vector)]
        normal: [f64; 3],
        /// Thickness of the layer [m]: some diameters.
        thickness: f64,
        /// Maximum distance from the point within the plane [m]. Default: no limit.
        radius: Option<f64>,
    },
    /// How two kinds are mixed, over cells: `segregation` of Danckwerts (1 apart, 0 alike everywhere), `mixing` of
    /// Lacey (0 apart, 1 as random as chance), `share` of the first kind, `cells` that counted.
    Segregation {
        /// Cells.
        cells: CellsSpec,
        /// Which grains are of the first kind.
        first: GrainKind,
        /// Fewest grains of a cell that counts.
        #[tagged(default = enough)]
        least: usize,
    },
    /// Contacts that carry more than `share` times the mean force: ends `ax` to `bz`, `force`, and the number of
    /// their `chain`.
    ForceChains {
        /// Share of the mean force.
        #[tagged(default = one)]
        share: f64,
    },
}

fn bearing() -> usize {
    3
}

fn enough() -> usize {
    5
}

fn one() -> f64 {
    1.0
}

impl GrainTableSpec {
    /// The span of a profile lies along its axis, which is turned already.
    fn place_span(&mut self, placement: &Placement) -> Result<(), String> {
        if let Self::VelocityProfile { axis, span, .. } = self {
            let shift = placement.position.dot(DVec3::from_array(*axis).normalize_or_zero());
            span.iter_mut().for_each(|end| *end += shift);
        }
        Ok(())
    }

    /// The first key that is wrong: its path and what is wrong.
    pub fn check(&self) -> Result<(), (&'static str, String)> {
        match self {
            Self::SolidFraction { region, cells } | Self::Stress { region, cells } => {
                if region.is_some() == cells.is_some() {
                    return Err(("region", "a `region` or `cells` are needed, one of the two".into()));
                }
                cells.map_or(Ok(()), |cells| cells.check())
            }
            Self::Segregation { cells, .. } => cells.check(),
            Self::VelocityProfile { bins, .. } if !(1..=MAX_CELLS).contains(bins) => {
                Err(("bins", format!("bins = {bins} is not allowed; 1 to {MAX_CELLS} are")))
            }
            Self::ForceChains { share } if !(*share >= 0.0 && share.is_finite()) => {
                Err(("share", format!("share = {share} is not allowed; a finite number from 0 on is needed")))
            }
            _ => Ok(()),
        }
    }

    /// Its cells, where it is a field.
    pub fn cells(&self) -> Option<&CellsSpec> {
        match self {
            Self::SolidFraction { cells, .. } | Self::Stress { cells, .. } => cells.as_ref(),
            _ => None,
        }
    }

    /// Names and units of its columns; those of positions come first where there are several rows.
    pub fn columns(&self) -> Vec<(&'static str, &'static str)> {
        let mut columns = match self.cells() {
            Some(_) => vec![("x", "m"), ("y", "m"), ("z", "m")],
            None => Vec::new(),
        };
        columns.extend_from_slice(match self {
            Self::Coordination { .. } => &[("mean", "1"), ("bearing", "1"), ("rattlers", "1")],
            Self::SolidFraction { .. } => &[("solid_fraction", "1")],
            Self::Stress { .. } => &STRESS,
            Self::Temperature { .. } => &[("temperature", "m²/s²")],
            Self::VelocityProfile { .. } => &PROFILE,
            Self::MassFlow { .. } => &[("mass_flow", "kg/s")],
            Self::Segregation { .. } => {
                &[("segregation", "1"), ("mixing", "1"), ("share", "1"), ("cells", "1")]
            }
            Self::ForceChains { .. } => &CHAINS,
        });
        columns
    }

    /// Whether it is one row, whose numbers probes can read.
    pub fn is_row(&self) -> bool {
        !matches!(self, Self::VelocityProfile { .. } | Self::ForceChains { .. }) && self.cells().is_none()
    }
}

const STRESS: [(&str, &str); 13] = [
    ("pressure", "Pa"),
    ("xx", "Pa"),
    ("yy", "Pa"),
    ("zz", "Pa"),
    ("xy", "Pa"),
    ("yz", "Pa"),
    ("zx", "Pa"),
    ("kinetic_xx", "Pa"),
    ("kinetic_yy", "Pa"),
    ("kinetic_zz", "Pa"),
    ("kinetic_xy", "Pa"),
    ("kinetic_yz", "Pa"),
    ("kinetic_zx", "Pa"),
];

const PROFILE: [(&str, &str); 10] = [
    ("at", "m"),
    ("count", "1"),
    ("mass", "kg"),
    ("vx", "m/s"),
    ("vy", "m/s"),
    ("vz", "m/s"),
    ("wx", "rad/s"),
    ("wy", "rad/s"),
    ("wz", "rad/s"),
    ("temperature", "m²/s²"),
];

const CHAINS: [(&str, &str); 8] = [
    ("ax", "m"),
    ("ay", "m"),
    ("az", "m"),
    ("bx", "m"),
    ("by", "m"),
    ("bz", "m"),
    ("force", "N"),
    ("chain", "1"),
];
