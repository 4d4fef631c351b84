//! Markers of cables and beams.

use std::f64::consts::PI;

use huygens_kernel::Vec3;

use super::walls::{radii_within, rows};
use super::{MarkerLayout, finite, positive};
use crate::error::{ParticleError, Result};

/// A marker of a line, and what carries it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineMarker {
    /// Position [m].
    pub position: Vec3,
    /// Number of the piece of the line, between its points `segment` and `segment + 1`.
    pub segment: usize,
    /// Share of the way along this piece, from 0 to 1.
    pub share: f64,
    /// Offset [m] from the line, normal to it.
    pub offset: Vec3,
}

impl MarkerLayout {
    /// Markers of a cable or a beam of a radius [m] along points [m].
    ///
    /// One up to 0.75 spacings thick is a row of markers: the fluid feels it a spacing thick. Thicker ones have rings (in
    /// a plane: rows) from half a spacing below their surface inwards. Cross-sections are as far apart as the spacing, as
    /// nearly as the length allows.
    pub fn line_markers(&self, points: &[Vec3], radius: f64) -> Result<Vec<LineMarker>> {
        self.check()?;
        positive("the radius of a line [m]", radius)?;
        for point in points {
            finite("a point of a line", *point)?;
        }
        let lengths: Vec<f64> = points.windows(2).map(|pair| pair[0].distance(pair[1])).collect();
        let whole: f64 = lengths.iter().sum();
        if whole < 0.5 * self.spacing {
            return Err(ParticleError::FluidGap {
                what: "the length of a line".into(),
                gap: whole,
                spacing: self.spacing,
                fits: 0,
            });
        }
        let count = rows(whole, self.spacing);
        let pitch = whole / count as f64;
        let mut markers = Vec::new();
        let (mut segment, mut passed) = (0, 0.0);
        let mut side = Vec3::ZERO;
        for k in 0..count {
            let at = (k as f64 + 0.5) * pitch;
            while segment + 1 < lengths.len() && (at > passed + lengths[segment] || lengths[segment] == 0.0) {
                passed += lengths[segment];
                segment += 1;
            }
            let share = ((at - passed) / lengths[segment]).clamp(0.0, 1.0);
            let along = (points[segment + 1] - points[segment]).normalize_or(Vec3::X);
            let centre = points[segment].lerp(points[segment + 1], share);
            // The direction of the first marker of a ring is carried along, so that rings do not turn about the line.
            side = (side - along * side.dot(along)).normalize_or(self.side_of(along));
            for offset in self.section(along, side, radius, k) {
                markers.push(LineMarker { position: centre + offset, segment, share, offset });
            }
        }
        Ok(markers)
    }

    fn side_of(&self, along: Vec3) -> Vec3 {
        match self.plane_normal() {
            Some(normal) => normal.cross(along).normalize_or(Vec3::X),
            None => along.any_orthonormal_vector(),
        }
    }

    /// Offsets of the markers of a cross-section.
    fn section(&self, along: Vec3, side: Vec3, radius: f64, row: usize) -> Vec<Vec3> {
        let d = self.spacing;
        if radius <= 0.75 * d {
            return vec![Vec3::ZERO];
        }
        if self.plane_normal().is_some() {
            let count = rows(2.0 * radius, d);
            let place = |k: usize| radius * ((2 * k + 1) as f64 / count as f64 - 1.0);
            let near = |x: &f64| radius - x.abs() < self.depth();
            return (0..count).map(place).filter(near).map(|x| side * x).collect();
        }
        let other = along.cross(side);
        let turn = if row.is_multiple_of(2) { 0.0 } else { 0.5 };
        let mut offsets = Vec::new();
        for r in radii_within(radius, d).into_iter().take(self.layers) {
            let count = if r == 0.0 { 1 } else { rows(2.0 * PI * r, d) };
            offsets.extend((0..count).map(|k| {
                let (sin, cos) = (2.0 * PI * (k as f64 + turn) / count as f64).sin_cos();
                r * (side * cos + other * sin)
            }));
        }
        offsets
    }
}
