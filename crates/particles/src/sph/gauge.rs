//! Pressure gauges on walls, bodies and structures: a mean over the markers of a patch of the surface.

use huygens_kernel::Vec3;

use super::cells::Cells;
use super::draft::SolidDraft;
use super::settings::WallModel;
use super::solid::SolidId;
use super::system::FluidSystem;
use crate::error::Result;

/// Length in spacings over which the markers about one say where the surface is.
const AROUND: f64 = 2.0;

/// Least offset, in spacings, of the mean of the markers about one from it, where it is at a surface: half a spacing in a
/// flat wall.
const ONE_SIDED: f64 = 0.2;

/// Greatest distance of a gauge from the surface, in spacings.
const NEAR: f64 = 1.0;

/// A marker of a patch of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PatchMarker {
    /// Part of the solid, and the marker in it.
    pub part: usize,
    /// Number of the marker in the part.
    pub marker: usize,
    /// Weight in the mean; those of a patch sum to 1.
    pub weight: f64,
    /// Normal of the surface there, towards the fluid, in the axes of the part; 0 where a row of markers has no side.
    pub normal: Vec3,
}

impl SolidDraft {
    /// Markers of the surface about a point [m] where the solid is when the fluid is made, up to `radius` [m] along the
    /// surface, at least half a spacing. Those at the edge count in part, over a spacing. None where the point is farther
    /// than a spacing from the surface.
    ///
    /// The surface is half a spacing outside the markers that have others on one side only; of a row of markers, all count.
    pub fn patch(&self, point: Vec3, radius: f64, spacing: f64) -> Vec<PatchMarker> {
        let d = spacing;
        let radius = radius.max(0.5 * d);
        let reach = radius + 0.5 * d + (NEAR + 0.5) * d + AROUND * d;
        let mut near = Vec::new();
        for (part, (markers, start)) in self.parts.iter().zip(&self.starts).enumerate() {
            let placed =
                markers.iter().enumerate().map(|(marker, local)| (start.point(*local), part, marker));
            near.extend(placed.filter(|(at, ..)| at.distance_squared(point) < reach * reach));
        }
        let places: Vec<Vec3> = near.iter().map(|(at, ..)| *at).collect();
        let cells = Cells::new(&places, AROUND * d, [None; 3]);
        // Towards where there are no markers; its length says how one-sided they are.
        let side = |at: Vec3| {
            let (mut sum, mut weights) = (Vec3::ZERO, 0.0);
            cells.each_near(at, |_, offset| {
                let weight = 1.0 - offset.length() / (AROUND * d);
                sum -= weight * offset;
                weights += if offset == Vec3::ZERO { 0.0 } else { weight };
            });
            if weights > 0.0 { sum / weights } else { Vec3::ZERO }
        };
        let weigh = |along: f64| ((radius + 0.5 * d - along) / d).clamp(0.0, 1.0);
        let (mut of_surface, mut of_rows) = (Vec::new(), Vec::new());
        for (at, part, marker) in near {
            let (offset, side) = (point - at, side(at));
            let turn = self.starts[part].rotation.inverse();
            if side.length() >= ONE_SIDED * d {
                let normal = side.normalize();
                let height = offset.dot(normal) - 0.5 * d;
                let weight = weigh((offset.length_squared() - offset.dot(normal).powi(2)).max(0.0).sqrt());
                if height.abs() <= NEAR * d && weight > 0.0 {
                    of_surface.push(PatchMarker { part, marker, weight, normal: turn * normal });
                }
            } else if offset.length() <= radius + (NEAR + 0.5) * d {
                of_rows.push(PatchMarker {
                    part,
                    marker,
                    weight: weigh(offset.length() - 0.5 * d),
                    normal: Vec3::ZERO,
                });
            }
        }
        let mut patch = if of_surface.is_empty() { of_rows } else { of_surface };
        let sum: f64 = patch.iter().map(|marker| marker.weight).sum();
        if sum <= 0.0 {
            return Vec::new();
        }
        patch.iter_mut().for_each(|marker| marker.weight /= sum);
        patch
    }
}

impl FluidSystem {
    /// Mean pressure [Pa] on the surface of a patch of a solid whose first part is `first`; 0 where it is dry.
    pub fn patch_pressure(&self, first: usize, patch: &[PatchMarker]) -> Result<f64> {
        let settings = self.settings();
        let mut mean = 0.0;
        for PatchMarker { part, marker, weight, normal } in patch {
            let id = SolidId(first + part);
            let pressure = self.marker_forces(id)?[*marker].0[3];
            // Balanced walls have the pressure at the marker, half a spacing behind the surface.
            let lift = match settings.walls {
                WallModel::Balanced if pressure != 0.0 => {
                    let (acceleration, rotation) = self.solids.get(id)?.carried(*marker);
                    let up = rotation * *normal * (0.5 * settings.spacing);
                    settings.density * (settings.gravity - acceleration).dot(up)
                }
                _ => 0.0,
            };
            mean += weight * (pressure + lift);
        }
        Ok(mean)
    }
}
