//! Convex shapes on surfaces of triangles.
//!
//! Each triangle near the shape is a convex pair of its own. Its normal has to belong to the part of the surface it
//! starts from: a direction that an inner edge of a flat or hollow part cannot have is replaced by the normal of the
//! face, so that shapes slide over such edges.

use glam::DVec3;

use super::convex::{Pair, WITNESS, Witness};
use super::core::{Core, Kernel};
use super::patch::{Touch, make_unique};
use super::polygon::{ClipScratch, name};
use super::voronoi::{Part, nearest_on_triangle, owns};
use super::{ContactPoint, NarrowScratch};
use crate::surface::Surface;
use crate::{Pose, Shape};

/// Convex shape a (no sphere) and surface b.
pub(super) fn convex<S: Surface>(
    shape: &Shape,
    pose: &Pose,
    surface: &S,
    surface_pose: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let Some(core) = Core::new(shape) else { return };
    let inverse = surface_pose.rotation.conjugate();
    let in_surface = Pose::new(inverse * (pose.position - surface_pose.position), inverse * pose.rotation);
    let region = shape.aabb(&in_surface).enlarged(envelope);
    if !in_surface.is_finite() || !surface.bounds().overlaps(&region) {
        return;
    }
    let mut triangles = std::mem::take(&mut scratch.ids);
    triangles.clear();
    surface.each_triangle(&region, |t| triangles.push(t));
    triangles.sort_unstable();
    scratch.patch.touches.clear();
    for &t in &triangles {
        touch_triangle(core, &in_surface, surface, t, envelope, scratch);
    }
    scratch.ids = triangles;
    let start = out.len();
    let size = core.size();
    scratch.patch.finish(size, |touch| {
        let direction = -surface_pose.vector(touch.normal);
        let local = in_surface.local_point(touch.on_a);
        let outward = in_surface.local_vector(touch.normal);
        out.push(ContactPoint {
            point_a: surface_pose.point(touch.on_a),
            point_b: surface_pose.point(touch.on_b),
            normal: -direction,
            gap: touch.gap,
            feature: touch.feature,
            radius_a: core.curvature(local - outward * core.border, outward),
            radius_b: f64::INFINITY,
        });
    });
    make_unique(&mut out[start..]);
}

/// Contacts with one triangle, in the frame of the surface.
fn touch_triangle<S: Surface>(
    core: Core<'_>,
    in_surface: &Pose,
    surface: &S,
    t: u32,
    envelope: f64,
    scratch: &mut NarrowScratch,
) {
    let corners = surface.triangle(t);
    let normal = surface.normal(t);
    let local_normal = in_surface.local_vector(normal);
    let height = |p: DVec3| (in_surface.point(p) - corners[0]).dot(normal);
    let reach = envelope + core.border;
    if height(core.support(-local_normal)) >= reach || height(core.support(local_normal)) <= -core.border {
        return;
    }
    // In the frame of the shape, so that nothing cancels far from the origin of a large surface.
    let local = corners.map(|c| in_surface.local_point(c));
    let patch = surface.patch(t);
    let level = |n: u32| (surface.normal(n) - normal).length_squared() < 1e-12;
    let inner = (0..3).map(|side| u32::from(surface.neighbor(t, side).is_some_and(level)) << side).sum();
    let kernel = Kernel::Triangle { corners: local, normal: local_normal, id: t, patch, inner };
    let triangle = Core { kernel, border: 0.0 };
    let pair = Pair { a: core, b: triangle, b_in_a: Pose::IDENTITY };
    let in_front = height(core.center()) >= 0.0;
    let Some(normal) = settle(&pair, surface, t, in_surface, in_front, reach, scratch) else { return };
    for c in &scratch.convex.clip.candidates {
        let on_a = c.on_a + normal * core.border;
        let feature = if c.feature == WITNESS { name([WITNESS, t, 0, 0]) } else { c.feature };
        scratch.patch.touches.push(Touch {
            on_a: in_surface.point(on_a),
            on_b: in_surface.point(c.on_b),
            normal: in_surface.vector(normal),
            gap: c.gap - core.border,
            feature,
        });
    }
}

/// Chooses the normal of the contact with a triangle (from the shape to it, in the frame of the shape) and leaves its
/// points in the buffer of candidates.
fn settle<S: Surface>(
    pair: &Pair<'_>,
    surface: &S,
    t: u32,
    in_surface: &Pose,
    in_front: bool,
    reach: f64,
    scratch: &mut NarrowScratch,
) -> Option<DVec3> {
    let Kernel::Triangle { corners, normal, inner, .. } = pair.b.kernel else { return None };
    let face = face_witness(pair, normal, corners);
    let lowest = (pair.a.support(-normal) - corners[0]).dot(normal);
    if in_front {
        pair.manifold(&face, reach, &mut scratch.convex.clip);
        // Nothing but the face of a triangle inside a flat patch can be touched.
        if inner == 0b111 || face_decides(pair, lowest, face.gap, &scratch.convex.clip) {
            return Some(-normal);
        }
    } else if inner == 0b111 {
        return None;
    }
    let found = pair.witness(reach, &mut scratch.convex)?;
    let front = -found.normal.dot(normal);
    let outward = -in_surface.vector(found.normal);
    let owned = || match part_at(found.on_b, corners) {
        Part::Face => false,
        part => front > -1e-3 && owns(surface, t, part, outward),
    };
    let witness = if front < 1.0 - 1e-9 && owned() {
        found
    } else if front < 0.0 && (found.gap > 0.0 || !in_front) {
        // From behind only what overlaps and has most of itself in front.
        return None;
    } else {
        face
    };
    pair.manifold(&witness, reach, &mut scratch.convex.clip);
    Some(witness.normal)
}

/// Whether the normal of the face is that of the contact without a search: the lowest point lies over the triangle
/// (to a thousandth), and no way out over a side is shorter than the overlap.
fn face_decides(pair: &Pair<'_>, lowest: f64, over: f64, clip: &ClipScratch) -> bool {
    let Kernel::Triangle { corners, normal, inner, .. } = pair.b.kernel else { return false };
    let attained = clip.deepest.min(over);
    if attained > lowest + 1e-3 * lowest.abs() + 1e-7 * pair.a.size() {
        return false;
    }
    lowest >= 0.0
        || (0..3).all(|side| {
            let edge = corners[(side + 1) % 3] - corners[side];
            let inward = normal.cross(edge).normalize_or_zero();
            let way_out =
                clip.candidates.iter().map(|c| (c.on_b - corners[side]).dot(inward)).fold(0.0, f64::max);
            inner >> side & 1 == 1 || way_out >= -lowest
        })
}

/// The lowest point of the shape over the face of a triangle; infinitely far if it is not over this triangle.
fn face_witness(pair: &Pair<'_>, normal: DVec3, corners: [DVec3; 3]) -> Witness {
    let on_a = pair.a.support(-normal);
    let gap = (on_a - corners[0]).dot(normal);
    let on_b = on_a - normal * gap;
    let (nearest, _) = nearest_on_triangle(on_b, corners);
    let over = (nearest - on_b).length_squared() < 1e-12 * (corners[1] - corners[0]).length_squared();
    Witness { on_a, on_b, normal: -normal, gap: if over { gap } else { f64::INFINITY } }
}

/// The part of a triangle a point of it lies on; close to a side counts as on it.
fn part_at(point: DVec3, [a, b, c]: [DVec3; 3]) -> Part {
    let (u, v, w) = (b - a, c - a, point - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let scale = 1.0 / (uu * vv - uv * uv);
    let second = (vv * w.dot(u) - uv * w.dot(v)) * scale;
    let third = (uu * w.dot(v) - uv * w.dot(u)) * scale;
    let weights = [1.0 - second - third, second, third];
    let away = weights.map(|x| x < 1e-4);
    match away {
        [false, true, true] => Part::Corner(0),
        [true, false, true] => Part::Corner(1),
        [true, true, false] => Part::Corner(2),
        [_, _, true] => Part::Side(0),
        [true, _, _] => Part::Side(1),
        [_, true, _] => Part::Side(2),
        _ => Part::Face,
    }
}
