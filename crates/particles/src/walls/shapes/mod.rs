//! Shapes that walls of grains and walls of fluids have alike.
//!
//! A new one is a file here, its module, and a line in [`shaped_wall`], besides its keys in
//! [`WallShape`](huygens_spec::WallShape).

pub mod cone;

use std::f64::consts::TAU;

use huygens_geometry::{Pose, TriangleMesh};
use huygens_kernel::Vec3;
use huygens_spec::{WallShape, WallSide};

use super::Surface;
use crate::described::Wrong;

/// Sides of a round shape in pictures and before markers.
pub const SIDES: u32 = 64;

/// The wall that a description says; otherwise the key that is wrong, and what is wrong with it.
pub fn shaped_wall(shape: &WallShape) -> Result<ShapedWall, Wrong> {
    match shape {
        WallShape::Cone { radii, length, side, ends } => cone::wall(*radii, *length, *side, *ends),
    }
}

/// A wall of grains or of a fluid, in its own axes.
#[derive(Clone, Debug)]
pub struct ShapedWall {
    /// The surfaces that grains touch and pictures show.
    pub surfaces: Vec<(Pose, Surface)>,
    /// Points [m] of the triangles.
    pub points: Vec<Vec3>,
    /// Triangles over all of it, counter-clockwise seen from outside; markers of fluids are behind them.
    pub triangles: Vec<[u32; 3]>,
    /// Where the particles are.
    pub side: WallSide,
}

impl ShapedWall {
    /// Its triangles, and the side of them on which the fluid is. Where it has a rim they are counter-clockwise seen from
    /// the fluid.
    pub fn mesh(&self) -> Result<(TriangleMesh, WallSide), Wrong> {
        // Circles that are points: one place for all their corners, and triangles without area.
        let points: Vec<Vec3> = self.points.iter().map(|at| *at + Vec3::ZERO).collect();
        let has_area = |t: &&[u32; 3]| {
            let [a, b, c] = t.map(|k| points[k as usize]);
            !TriangleMesh::is_degenerate(a, b, c)
        };
        let triangles: Vec<[u32; 3]> = self.triangles.iter().filter(has_area).copied().collect();
        let mesh =
            |triangles| TriangleMesh::new(points.clone(), triangles).map_err(|e| ("type", e.to_string()));
        let made = mesh(triangles.clone())?;
        match (self.side, made.is_closed()) {
            (WallSide::Outside, _) => Ok((made, WallSide::Outside)),
            (WallSide::Inside, true) => Ok((made, WallSide::Inside)),
            (WallSide::Inside, false) => {
                let turned = triangles.into_iter().map(|[a, b, c]| [a, c, b]).collect();
                Ok((mesh(turned)?, WallSide::Outside))
            }
        }
    }
}

/// Points on circles about the z axis, of `[radius, z]` each, and triangles between every two, counter-clockwise seen from
/// outside where z rises.
pub fn bands(circles: &[[f64; 2]]) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let ring = |&[radius, z]: &[f64; 2]| {
        (0..SIDES).map(move |k| {
            let angle = TAU * f64::from(k) / f64::from(SIDES);
            Vec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
    };
    let points = circles.iter().flat_map(ring).collect();
    let last = circles.len().saturating_sub(1) as u32;
    let band = |b: u32| {
        (0..SIDES).flat_map(move |k| {
            let (next, low, high) = ((k + 1) % SIDES, b * SIDES, (b + 1) * SIDES);
            [[low + k, low + next, high + next], [low + k, high + next, high + k]]
        })
    };
    (points, (0..last).flat_map(band).collect())
}

/// A positive length [m], or what is wrong with it.
pub(crate) fn length(key: &'static str, value: f64) -> Result<f64, Wrong> {
    match value > 0.0 && value.is_finite() {
        true => Ok(value),
        false => Err((key, format!("{key} = {value} is not allowed; a positive finite number is needed"))),
    }
}
