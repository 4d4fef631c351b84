//! Where the markers of walls and bodies go, and the first particles of a fluid.
//!
//! A marker stands for a cell of the spacing: the surface that the fluid feels lies half a spacing outside the
//! outermost markers. Flat walls, tubes, boxes, balls and cylinders have layers that follow their surface; other shapes
//! have points of a lattice.

mod body;
mod fill;
mod line;
mod room;
mod solid;
mod surface;
mod walls;

use huygens_kernel::Vec3;

pub use line::LineMarker;
pub use solid::{MAX_MARKERS, SolidMarkers, WallForm};

use super::settings::{FlowSpace, FluidSettings};
use crate::error::{ParticleError, Result, refusal};

/// Share of the spacing that is rounding.
const ROUNDING: f64 = 1e-6;

/// Most points that are gone through to make markers.
const LIMIT: f64 = 1e9;

/// Distance and depth of markers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MarkerLayout {
    /// Distance of markers [m].
    pub spacing: f64,
    /// Layers of a wall: enough that fluid on it never feels its end.
    pub layers: usize,
    /// Space, or the plane in which all markers lie.
    pub space: FlowSpace,
}

impl MarkerLayout {
    /// The layout that a fluid needs: as many layers as its kernel reaches over.
    pub fn new(settings: &FluidSettings) -> Self {
        let layers = (settings.reach() / settings.spacing - ROUNDING).ceil().max(1.0) as usize;
        Self { spacing: settings.spacing, layers, space: settings.space }
    }

    fn check(&self) -> Result<()> {
        let refuse = refusal("markers");
        if !(self.spacing > 0.0 && self.spacing.is_finite()) {
            return refuse("spacing", self.spacing, "finite and above 0");
        }
        if !(1..=1000).contains(&self.layers) {
            return refuse("number of layers", self.layers as f64, "from 1 to 1000");
        }
        match self.space.normal() {
            Some(normal) if normal > 2 => refuse("normal of the plane", normal as f64, "axis 0, 1 or 2"),
            _ => Ok(()),
        }
    }

    /// Depth [m] of all layers.
    fn depth(&self) -> f64 {
        self.layers as f64 * self.spacing
    }

    /// Direction of the normal of the plane.
    fn plane_normal(&self) -> Option<Vec3> {
        self.space.normal().map(|axis| Vec3::AXES[axis])
    }

    /// Points in the middle of the cells of a box, the first cell in its least corner; in a plane those in the middle
    /// of the box along the normal.
    fn lattice(&self, low: Vec3, high: Vec3) -> Result<Lattice> {
        let d = self.spacing;
        let mut first = low + 0.5 * d;
        let mut counts = [0; 3];
        for k in 0..3 {
            let side = high[k] - low[k];
            if !(side >= 0.0 && side.is_finite() && low[k].is_finite()) {
                return Err(ParticleError::range(
                    "a side of a box of markers",
                    side,
                    "finite and not below 0",
                ));
            }
            counts[k] = (side / d - ROUNDING).ceil().clamp(0.0, LIMIT) as usize;
        }
        if let Some(normal) = self.space.normal() {
            counts[normal] = 1;
            first[normal] = 0.5 * (low[normal] + high[normal]);
        }
        let total: f64 = counts.iter().map(|n| *n as f64).product();
        match total <= LIMIT {
            true => Ok(Lattice { first, spacing: d, counts }),
            false => Err(ParticleError::TooMany { count: total.min(1e18) as usize, limit: LIMIT as usize }),
        }
    }
}

/// Points of a cubic lattice.
#[derive(Clone, Copy, Debug)]
struct Lattice {
    first: Vec3,
    spacing: f64,
    counts: [usize; 3],
}

impl Lattice {
    fn points(self) -> impl Iterator<Item = Vec3> {
        let [nx, ny, nz] = self.counts;
        (0..nz).flat_map(move |k| (0..ny).flat_map(move |j| (0..nx).map(move |i| self.at(i, j, k))))
    }

    fn at(&self, i: usize, j: usize, k: usize) -> Vec3 {
        self.first + self.spacing * Vec3::new(i as f64, j as f64, k as f64)
    }
}

fn refuse_direction(what: &str, value: Vec3) -> ParticleError {
    ParticleError::range(format!("the length of the {what}"), value.length(), "that of a finite direction")
}

/// The direction of a vector.
fn direction(what: &str, value: Vec3) -> Result<Vec3> {
    match value.is_finite() && value.length() > 0.0 {
        true => Ok(value.normalize()),
        false => Err(refuse_direction(what, value)),
    }
}

/// Refuses lengths that are not above 0.
fn positive(what: &str, value: f64) -> Result<f64> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err(ParticleError::range(what, value, "finite and above 0")),
    }
}

/// Refuses points that are not finite.
fn finite(what: &str, value: Vec3) -> Result<Vec3> {
    match value.is_finite() {
        true => Ok(value),
        false => Err(ParticleError::range(what, value.length(), "finite")),
    }
}
