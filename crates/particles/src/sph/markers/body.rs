//! Markers that fill the shapes of bodies.

use std::f64::consts::PI;

use huygens_geometry::{Pose, Shape, query};
use huygens_kernel::Vec3;

use super::walls::{radii_within, ring, rows};
use super::{MarkerLayout, ROUNDING};
use crate::error::{MeshFault, ParticleError, Result};

/// Angle between two points of a spiral that fills a ball evenly: π (3 − √5).
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653;

impl MarkerLayout {
    /// Markers of a body, in the frame of its shape; in a plane those of the cut through the origin.
    ///
    /// Markers stand for cells of the spacing, so that the surface that the fluid feels is half a spacing outside the
    /// outermost ones. Where a body is thicker than all layers on both sides it is hollow (and
    /// [`MarkerLayout::without_bodies`] takes the fluid out of it); else the volume of its markers
    /// compares to that of the shape so:
    /// - boxes, discs and cylinders: equal, but for the rounding of their sides to whole numbers of cells (sides of n
    ///   cells are off by 1/(2n) at most) and of rings to whole numbers of markers;
    /// - balls: shells of $4\pi r^2/d^2$ markers, off by $\frac{\pi}{3}$ of a marker per shell and the middle;
    /// - all others: the points of a lattice that are inside, off by about the square root of the number of cells that
    ///   the surface cuts.
    ///
    /// Mass and inertia of a body are those it is given, not those of its markers.
    pub fn solid_shape(&self, shape: &Shape) -> Result<Vec<Vec3>> {
        self.check()?;
        let markers = match shape {
            Shape::HalfSpace | Shape::HeightField(_) => {
                return Err(ParticleError::range(
                    format!("the size of a {} that is to be filled with markers", shape.kind_name()),
                    f64::INFINITY,
                    "finite; take `plane_wall` or `heightmap_wall`",
                ));
            }
            Shape::Mesh(mesh) if !mesh.is_closed() => {
                let open = (0..mesh.edges().len()).filter(|edge| mesh.edge_triangle_count(*edge) == 1);
                return Err(ParticleError::Mesh(MeshFault::Open { edges: open.count() }));
            }
            Shape::Sphere { radius } => self.ball(*radius),
            Shape::Box { half } => self.brick(*half),
            Shape::Cylinder { radius, half_length } => match self.space.normal() {
                Some(2) => self.disc(*radius),
                Some(_) => self.brick(Vec3::new(*radius, *radius, *half_length)),
                None => self.rod(*radius, *half_length),
            },
            _ => self.cells_within(shape)?,
        };
        match markers.is_empty() {
            false => Ok(markers),
            true => {
                let bounds = shape.aabb(&Pose::IDENTITY);
                let gap = (0..3).filter(|k| self.space.normal() != Some(*k)).map(|k| bounds.extent()[k]);
                let gap = gap.fold(f64::INFINITY, f64::min);
                let what = format!("a {}", shape.kind_name());
                Err(ParticleError::FluidGap { what, gap, spacing: self.spacing, fits: 0 })
            }
        }
    }

    fn disc(&self, radius: f64) -> Vec<Vec3> {
        if radius < 0.5 * self.spacing {
            return Vec::new();
        }
        let axis = self.plane_normal().unwrap_or(Vec3::Z);
        let radii = radii_within(radius, self.spacing).into_iter().take(self.layers);
        radii.flat_map(|r| ring(Vec3::ZERO, axis, r, self.spacing, 0.0)).collect()
    }

    fn ball(&self, radius: f64) -> Vec<Vec3> {
        if self.space.normal().is_some() {
            return self.disc(radius);
        }
        let d = self.spacing;
        if radius < 0.5 * d {
            return Vec::new();
        }
        let mut markers = Vec::new();
        for r in radii_within(radius, d).into_iter().take(self.layers) {
            let count = (4.0 * PI * r * r / (d * d)).round().max(1.0) as usize;
            if count == 1 {
                markers.push(Vec3::ZERO);
                continue;
            }
            // Few points are spread better by their own angles than by a spiral.
            if count == 2 {
                markers.extend([Vec3::Z * r, Vec3::NEG_Z * r]);
                continue;
            }
            markers.extend((0..count).map(|k| {
                let z = 1.0 - (2 * k + 1) as f64 / count as f64;
                let (sin, cos) = (GOLDEN_ANGLE * k as f64).sin_cos();
                let wide = (1.0 - z * z).max(0.0).sqrt();
                r * Vec3::new(wide * cos, wide * sin, z)
            }));
        }
        markers
    }

    fn brick(&self, half: Vec3) -> Vec<Vec3> {
        let d = self.spacing;
        let mut axes: [Vec<f64>; 3] = Default::default();
        for (k, axis) in axes.iter_mut().enumerate() {
            if self.space.normal() == Some(k) {
                axis.push(0.0);
            } else if 2.0 * half[k] >= 0.5 * d {
                let count = rows(2.0 * half[k], d);
                axis.extend((0..count).map(|i| half[k] * ((2 * i + 1) as f64 / count as f64 - 1.0)));
            }
        }
        let near = |at: &Vec3| {
            (0..3).any(|k| {
                self.space.normal() != Some(k) && half[k] - at[k].abs() < self.depth() * (1.0 - ROUNDING)
            })
        };
        let [xs, ys, zs] = &axes;
        let mut markers = Vec::new();
        for z in zs {
            for y in ys {
                markers.extend(xs.iter().map(|x| Vec3::new(*x, *y, *z)).filter(near));
            }
        }
        markers
    }

    fn rod(&self, radius: f64, half_length: f64) -> Vec<Vec3> {
        let d = self.spacing;
        if radius < 0.5 * d || 2.0 * half_length < 0.5 * d {
            return Vec::new();
        }
        let count = rows(2.0 * half_length, d);
        let radii = radii_within(radius, d);
        let mut markers = Vec::new();
        for k in 0..count {
            let z = half_length * ((2 * k + 1) as f64 / count as f64 - 1.0);
            let end = half_length - z.abs() < self.depth() * (1.0 - ROUNDING);
            let kept = if end { radii.len() } else { self.layers.min(radii.len()) };
            let turn = if k.is_multiple_of(2) { 0.0 } else { 0.5 };
            markers.extend(radii[..kept].iter().flat_map(|r| ring(Vec3::Z * z, Vec3::Z, *r, d, turn)));
        }
        markers
    }

    /// Points of a lattice about the middle of the shape that are inside, as deep as the layers go.
    fn cells_within(&self, shape: &Shape) -> Result<Vec<Vec3>> {
        let bounds = shape.aabb(&Pose::IDENTITY);
        let d = self.spacing;
        let mut centre = bounds.center();
        if let Some(normal) = self.space.normal() {
            centre[normal] = 0.0;
        }
        // Cells on both sides of the middle, or one in it, as they fill the box best.
        let half = bounds.extent().map(|side| 0.5 * d * rows(side, d) as f64);
        let lattice = self.lattice(centre - half, centre + half)?;
        let kept = |at: &Vec3| {
            let distance = query::closest_point(shape, &Pose::IDENTITY, *at).distance;
            distance < ROUNDING * d && distance > -self.depth()
        };
        Ok(lattice.points().filter(kept).collect())
    }
}
