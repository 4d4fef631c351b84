//! Flat walls, boxes and tubes.

use std::f64::consts::PI;

use huygens_kernel::Vec3;
use huygens_spec::{WallFace, WallSide};

use super::{MarkerLayout, ROUNDING, direction, finite, positive};
use crate::error::{ParticleError, Result};

impl MarkerLayout {
    /// Walls of a box that holds fluid: all cells around it as deep as the layers go, but none beyond the faces that are
    /// `open`. In a plane the box is a rectangle, and its sides along the normal have no walls.
    ///
    /// Where a side is no multiple of the spacing, markers along it are a little nearer or farther. There are
    /// $\prod(n_k + l\,w_k) - \prod n_k$ with $n_k$ cells a side, l layers and $w_k$ faces that are not open.
    pub fn box_walls(&self, low: Vec3, high: Vec3, open: &[WallFace]) -> Result<Vec<Vec3>> {
        self.check()?;
        let mut axes: [Vec<(f64, bool)>; 3] = Default::default();
        for (k, axis) in axes.iter_mut().enumerate() {
            if self.space.normal() == Some(k) {
                finite("a corner of a box", low + high)?;
                axis.push((0.5 * (low[k] + high[k]), true));
                continue;
            }
            let [has_low, has_high] = [2 * k, 2 * k + 1].map(|face| !open.contains(&WallFace::ALL[face]));
            *axis = self.box_axis(low[k], high[k], has_low, has_high)?;
        }
        let [xs, ys, zs] = &axes;
        let mut markers = Vec::new();
        for (z, z_in) in zs {
            for (y, y_in) in ys {
                let row = xs.iter().filter(|(_, x_in)| !(*x_in && *y_in && *z_in));
                markers.extend(row.map(|(x, _)| Vec3::new(*x, *y, *z)));
            }
        }
        Ok(markers)
    }

    /// Places along an axis of a box, and whether they are within it.
    fn box_axis(&self, low: f64, high: f64, has_low: bool, has_high: bool) -> Result<Vec<(f64, bool)>> {
        let d = self.spacing;
        let side = positive("a side of a box of walls [m]", high - low)?;
        if side < 0.5 * d {
            return Err(ParticleError::FluidGap {
                what: "a box of walls".into(),
                gap: side,
                spacing: d,
                fits: 0,
            });
        }
        let rows = rows(side, d);
        let pitch = side / rows as f64;
        let beyond = |has: bool| 0..if has { self.layers } else { 0 };
        let below = beyond(has_low).rev().map(|k| (low - (k as f64 + 0.5) * d, false));
        let within = (0..rows).map(|k| (low + (k as f64 + 0.5) * pitch, true));
        let above = beyond(has_high).map(|k| (high + (k as f64 + 0.5) * d, false));
        Ok(below.chain(within).chain(above).collect())
    }

    /// A flat wall behind a rectangle about `point` [m] whose `normal` points to the fluid; `along` is the direction of
    /// one side and `half` are half of this side and of the other [m]. In a plane the second is not used.
    pub fn plane_wall(&self, point: Vec3, normal: Vec3, along: Vec3, half: [f64; 2]) -> Result<Vec<Vec3>> {
        self.check()?;
        let point = finite("a point of a wall", point)?;
        let normal = direction("normal of a wall", normal)?;
        let along = direction("side of a wall", along - normal * along.dot(normal))?;
        if let Some(off) = self.plane_normal()
            && (normal.dot(off).abs() > 1e-9 || along.dot(off).abs() > 1e-9)
        {
            return Err(ParticleError::range(
                "the share of the directions of a wall along the normal of the plane",
                normal.dot(off).abs().max(along.dot(off).abs()),
                "0",
            ));
        }
        let across = normal.cross(along);
        let [ours, others] = half.map(|half| {
            let rows = rows(2.0 * half, self.spacing);
            (0..rows).map(move |k| half * ((2 * k + 1) as f64 / rows as f64 - 1.0))
        });
        positive("half a side of a wall [m]", half[0])?;
        let others: Vec<f64> = match self.plane_normal() {
            Some(_) => vec![0.0],
            None => {
                positive("half a side of a wall [m]", half[1])?;
                others.collect()
            }
        };
        let ours: Vec<f64> = ours.collect();
        let mut markers = Vec::with_capacity(self.layers * ours.len() * others.len());
        for k in 0..self.layers {
            let layer = point - normal * ((k as f64 + 0.5) * self.spacing);
            for y in &others {
                markers.extend(ours.iter().map(|x| layer + along * *x + across * *y));
            }
        }
        Ok(markers)
    }

    /// Wall of a tube or of a post from `base` [m] along `axis`, in rings. `ends` says which ends have a floor, at
    /// `base` and at the other end; a floor reaches under the whole wall. In a plane it is a circle about `base`.
    pub fn cylinder_wall(
        &self,
        base: Vec3,
        axis: Vec3,
        radius: f64,
        height: f64,
        side: WallSide,
        ends: [bool; 2],
    ) -> Result<Vec<Vec3>> {
        self.check()?;
        let (base, axis) = (finite("the base of a cylinder", base)?, direction("axis of a cylinder", axis)?);
        let (radius, d) = (positive("the radius of a cylinder [m]", radius)?, self.spacing);
        if radius < 0.5 * d {
            let what = "a cylinder".into();
            return Err(ParticleError::FluidGap { what, gap: 2.0 * radius, spacing: d, fits: 0 });
        }
        let radii: Vec<f64> = match side {
            WallSide::Inside => (0..self.layers).map(|k| radius + (k as f64 + 0.5) * d).collect(),
            WallSide::Outside => radii_within(radius, d).into_iter().take(self.layers).collect(),
        };
        if let Some(normal) = self.plane_normal() {
            if axis.dot(normal).abs() < 1.0 - 1e-9 {
                return Err(ParticleError::range(
                    "the share of the axis of a cylinder along the normal of the plane",
                    axis.dot(normal).abs(),
                    "1",
                ));
            }
            return Ok(radii.iter().flat_map(|r| ring(base, axis, *r, d, 0.0)).collect());
        }
        positive("the height of a cylinder [m]", height)?;
        let rows = rows(height, d);
        let mut markers = Vec::new();
        let mut slice = |at: f64, radii: &[f64], row: usize| {
            // Every other ring is turned by half a step, so that no seams run along the wall.
            let turn = if row.is_multiple_of(2) { 0.0 } else { 0.5 };
            markers.extend(radii.iter().flat_map(|r| ring(base + axis * at, axis, *r, d, turn)));
        };
        for k in 0..rows {
            slice(height * (k as f64 + 0.5) / rows as f64, &radii, k);
        }
        let mut floor = radii_within(radius, d);
        if side == WallSide::Inside {
            floor.extend(&radii);
        }
        for k in 0..self.layers {
            let beyond = (k as f64 + 0.5) * d;
            // A post is closed by what it is filled with.
            let inward = if side == WallSide::Inside { beyond } else { -beyond };
            let kept: Vec<f64> =
                floor.iter().copied().filter(|r| side == WallSide::Inside || !radii.contains(r)).collect();
            if ends[0] {
                slice(-inward, &kept, k);
            }
            if ends[1] {
                slice(height + inward, &kept, k);
            }
        }
        Ok(markers)
    }
}

/// Rows of cells on a length, as near to the spacing as can be.
pub(super) fn rows(length: f64, spacing: f64) -> usize {
    (length / spacing + ROUNDING).round().clamp(1.0, super::LIMIT) as usize
}

/// Radii of rings that fill a circle from half a spacing below its rim; 0 for a marker in the middle.
pub(super) fn radii_within(radius: f64, spacing: f64) -> Vec<f64> {
    let mut radii = Vec::new();
    let mut r = radius - 0.5 * spacing;
    while r >= 0.3 * spacing {
        radii.push(r);
        r -= spacing;
    }
    if radii.last().is_none_or(|last| *last >= 0.6 * spacing) {
        radii.push(0.0);
    }
    radii
}

/// Markers on a circle, turned by a share of their distance.
pub(super) fn ring(centre: Vec3, axis: Vec3, radius: f64, spacing: f64, turn: f64) -> Vec<Vec3> {
    if radius < ROUNDING * spacing {
        return vec![centre];
    }
    let count = rows(2.0 * PI * radius, spacing);
    let (u, v) = axis.any_orthonormal_pair();
    let at = |k: usize| {
        let (sin, cos) = (2.0 * PI * (k as f64 + turn) / count as f64).sin_cos();
        centre + radius * (u * cos + v * sin)
    };
    (0..count).map(at).collect()
}
