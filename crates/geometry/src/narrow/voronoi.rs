//! The nearest part of a triangle, and the directions that belong to an edge or a corner of a surface.

use glam::DVec3;

use crate::surface::Surface;

/// Sine of the angle by which a direction may leave the region of an edge or corner.
const TOLERANCE: f64 = 1e-6;

/// Part of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Face,
    /// From corner `i` to corner `i + 1`.
    Side(usize),
    Corner(usize),
}

/// Point of the triangle nearest to `p`, and the part it lies on.
pub(super) fn nearest_on_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> (DVec3, Part) {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(ap), ac.dot(ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Part::Corner(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(bp), ac.dot(bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Part::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Part::Side(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(cp), ac.dot(cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Part::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Part::Side(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * w, Part::Side(1));
    }
    let scale = 1.0 / (va + vb + vc);
    (a + ab * (vb * scale) + ac * (vc * scale), Part::Face)
}

/// Direction in the plane of a triangle from a side into the triangle, of length one.
fn into_triangle<S: Surface>(surface: &S, t: u32, side: usize) -> DVec3 {
    let corners = surface.triangle(t);
    let edge = corners[(side + 1) % 3] - corners[side];
    surface.normal(t).cross(edge).normalize_or_zero()
}

/// The side of `t` adjacent to triangle `other`.
fn shared_side<S: Surface>(surface: &S, t: u32, other: u32) -> Option<usize> {
    (0..3).find(|&side| surface.neighbor(t, side) == Some(other))
}

/// Whether the outward `direction` (unit) at a side of a triangle stays off both faces that meet there: then the side
/// is nearest, and not a ridge inside a flat or hollow part of the surface.
pub(super) fn side_owns<S: Surface>(surface: &S, t: u32, side: usize, direction: DVec3) -> bool {
    if direction.dot(into_triangle(surface, t, side)) > TOLERANCE {
        return false;
    }
    let Some(other) = surface.neighbor(t, side) else { return true };
    let Some(other_side) = shared_side(surface, other, t) else { return true };
    direction.dot(into_triangle(surface, other, other_side)) <= TOLERANCE
}

/// Whether the outward `direction` (unit) at a corner points away from all edges that meet there, up to an angle given
/// by its sine.
pub(super) fn corner_owns<S: Surface>(
    surface: &S,
    t: u32,
    corner: usize,
    direction: DVec3,
    tolerance: f64,
) -> bool {
    let origin = surface.triangle(t)[corner];
    !surface.any_vertex_neighbor(t, corner, |p| {
        let edge = p - origin;
        direction.dot(edge) > tolerance * edge.length_squared().sqrt()
    })
}

/// Whether the outward `direction` belongs to this part of a triangle.
pub(super) fn owns<S: Surface>(surface: &S, t: u32, part: Part, direction: DVec3) -> bool {
    match part {
        Part::Face => direction.dot(surface.normal(t)) > 0.0,
        Part::Side(side) => side_owns(surface, t, side, direction),
        Part::Corner(corner) => corner_owns(surface, t, corner, direction, TOLERANCE),
    }
}

/// Normal that distinguishes outside from inside at a part of a triangle; `None` at the border of an open surface,
/// which has no inside.
pub(super) fn pseudo_normal<S: Surface>(surface: &S, t: u32, part: Part) -> Option<DVec3> {
    match part {
        Part::Face => Some(surface.normal(t)),
        Part::Side(side) => Some(surface.normal(t) + surface.normal(surface.neighbor(t, side)?)),
        Part::Corner(corner) => surface.vertex_normal(t, corner),
    }
}

/// Name of a part of a surface: flat patches, edges and vertices never share one.
pub(super) fn part_name<S: Surface>(surface: &S, t: u32, part: Part, direction: DVec3) -> u32 {
    const EDGE: u32 = 1 << 30;
    const VERTEX: u32 = 2 << 30;
    if direction.dot(surface.normal(t)) > 1.0 - 1e-9 {
        return surface.patch(t);
    }
    match part {
        Part::Face => surface.patch(t),
        Part::Side(side) => EDGE | surface.edge_id(t, side),
        Part::Corner(corner) => VERTEX | surface.vertex_id(t, corner),
    }
}
