//! The angle of repose of a heap.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use crate::error::{Result, ranges};
use crate::grains::list::CHUNK;
use crate::grains::system::GrainSystem;

/// The slope of a conical heap or of a flat slope.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Repose {
    /// Angle of the surface with the horizontal [rad].
    pub angle: f64,
    /// Height [m] of the fitted line over the middle or the edge the way is counted from.
    pub height: f64,
    /// Root of the mean square distance of the surface from the line [m].
    pub deviation: f64,
    /// Rings or strips the line was fitted to.
    pub points: usize,
}

/// Sectors of a ring whose tops are averaged.
const SECTORS: usize = 16;

/// How the surface of a heap is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReposeFit {
    /// Width of a ring or strip [m]: some two diameters.
    pub width: f64,
    /// Shares of the height between which the surface counts: foot and tip are round.
    pub heights: [f64; 2],
}

impl ReposeFit {
    /// Rings of this width, heights from 0.15 to 0.85.
    pub fn new(width: f64) -> Self {
        Self { width, heights: [0.15, 0.85] }
    }

    /// Slope of a heap on the floor `floor` [m] along `up`, about the axis through its centre of mass.
    ///
    /// The surface of a ring is the mean over 16 sectors of the highest point of a grain in each; a straight line is
    /// fitted to the rings.
    pub fn heap(&self, system: &GrainSystem, up: Vec3, floor: f64) -> Result<Repose> {
        let (up, places) = (self.check(up)?, system.places());
        if places.is_empty() {
            return Ok(Repose::default());
        }
        let sum = |range: Range<usize>| places[range].iter().map(|row| row.vector()).sum();
        let middle = Exec::serial().sum_vectors(places.len(), CHUNK, sum) / places.len() as f64;
        let side = up.any_orthonormal_vector();
        let front = up.cross(side);
        let tops = places.iter().map(|row| {
            let offset = row.vector() - middle;
            let (x, y) = (offset.dot(side), offset.dot(front));
            let turn = y.atan2(x) / std::f64::consts::TAU + 0.5;
            let sector = ((turn * SECTORS as f64) as usize).min(SECTORS - 1);
            (x.hypot(y), sector, row.vector().dot(up) + row.0[3] - floor)
        });
        Ok(self.fit(tops, SECTORS))
    }

    /// Slope of a surface that falls along `along`, counted from the origin.
    pub fn slope(&self, system: &GrainSystem, up: Vec3, along: Vec3, floor: f64) -> Result<Repose> {
        let up = self.check(up)?;
        let along = (along - up * along.dot(up)).normalize_or_zero();
        let places = system.places();
        let least = |range: Range<usize>| {
            places[range].iter().map(|row| row.vector().dot(along)).fold(f64::INFINITY, f64::min)
        };
        let start = Exec::serial().min(places.len(), CHUNK, least);
        let tops = system.places().iter().map(|row| {
            let x = row.vector();
            (x.dot(along) - start, 0, x.dot(up) + row.0[3] - floor)
        });
        Ok(self.fit(tops, 1))
    }

    fn check(&self, up: Vec3) -> Result<Vec3> {
        let range = ranges("a heap");
        let [low, high] = self.heights;
        range("ring width", self.width, self.width > 0.0 && self.width.is_finite(), "finite and above 0")?;
        range("lower share", low, low >= 0.0 && low < high, "0 or more and below the upper")?;
        range("upper share", high, high <= 1.0, "at most 1")?;
        let unit = up.normalize_or_zero();
        range("upward direction", up.length(), unit != Vec3::ZERO, "finite and above 0").map(|()| unit)
    }

    /// Fits a line to the surface; `tops` are distance, sector and height of the highest points of grains.
    fn fit(&self, tops: impl Iterator<Item = (f64, usize, f64)>, sectors: usize) -> Repose {
        let mut highest: Vec<Vec<f64>> = Vec::new();
        for (distance, sector, height) in tops {
            let ring = (distance / self.width).min(1e6) as usize;
            if highest.len() <= ring {
                highest.resize(ring + 1, vec![0.0; sectors]);
            }
            highest[ring][sector] = highest[ring][sector].max(height);
        }
        let mean = |ring: &Vec<f64>| ring.iter().sum::<f64>() / ring.len() as f64;
        let surface: Vec<f64> = highest.iter().map(mean).collect();
        let top = surface.iter().copied().fold(0.0, f64::max);
        let points: Vec<[f64; 2]> = surface
            .iter()
            .enumerate()
            .filter(|(_, h)| **h >= self.heights[0] * top && **h <= self.heights[1] * top)
            .map(|(k, h)| [(k as f64 + 0.5) * self.width, *h])
            .collect();
        let n = points.len() as f64;
        if points.len() < 2 {
            // A surface without a slope has all its rings at one height.
            return Repose { height: top, points: points.len(), ..Repose::default() };
        }
        let sum = |f: &dyn Fn(&[f64; 2]) -> f64| points.iter().map(f).sum::<f64>();
        let (x, y) = (sum(&|p| p[0]) / n, sum(&|p| p[1]) / n);
        let slope = sum(&|p| (p[0] - x) * (p[1] - y)) / sum(&|p| (p[0] - x).powi(2));
        let square = sum(&|p| (p[1] - y - slope * (p[0] - x)).powi(2)) / n;
        Repose {
            angle: (-slope).atan(),
            height: y - slope * x,
            deviation: square.sqrt(),
            points: points.len(),
        }
    }
}
