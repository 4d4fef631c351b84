//! Two surfaces of triangles: corners against faces, and edges across edges.
//!
//! Both surfaces act on one side only. Corners are detected up to [`DEPTH`] of the smaller surface's size behind the
//! other; deeper overlap is missed, so bodies made of meshes must not pass through each other in one step.

use glam::DVec3;

use super::patch::{Touch, make_unique};
use super::polygon::name;
use super::surface_sphere::feet;
use super::voronoi::{corner_owns, side_owns};
use super::{ContactPoint, NarrowScratch};
use crate::surface::Surface;
use crate::{Aabb, Pose};

/// Part of the smaller surface's size up to which overlap is seen.
const DEPTH: f64 = 0.05;

/// Box around a box placed by a pose.
fn moved(bounds: &Aabb, pose: &Pose) -> Aabb {
    let (c, h) = (bounds.center(), 0.5 * bounds.extent());
    let half = (pose.vector(DVec3::X) * h.x).abs()
        + (pose.vector(DVec3::Y) * h.y).abs()
        + (pose.vector(DVec3::Z) * h.z).abs();
    Aabb::around(pose.point(c), half)
}

/// Surfaces a and b.
pub(super) fn surfaces<A: Surface, B: Surface>(
    a: &A,
    pose_a: &Pose,
    b: &B,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let size = a.bounds().extent().max_element().min(b.bounds().extent().max_element());
    let reach = envelope.max(DEPTH * size);
    let inverse = pose_b.rotation.conjugate();
    let a_in_b = Pose::new(inverse * (pose_a.position - pose_b.position), inverse * pose_a.rotation);
    let b_in_a = a_in_b.inverse();
    if !b.bounds().enlarged(reach).overlaps(&moved(&a.bounds(), &a_in_b)) {
        return;
    }
    scratch.patch.touches.clear();
    corners(a, b, &a_in_b, reach, envelope, scratch, |foot, p, id| Touch {
        on_a: p,
        on_b: foot.point,
        normal: -foot.outward,
        gap: foot.distance,
        feature: name([1, id, foot.feature, 0]),
    });
    corners(b, a, &b_in_a, reach, envelope, scratch, |foot, p, id| Touch {
        on_a: a_in_b.point(foot.point),
        on_b: a_in_b.point(p),
        normal: a_in_b.vector(foot.outward),
        gap: foot.distance,
        feature: name([2, foot.feature, id, 0]),
    });
    edges(a, b, &a_in_b, reach, envelope, scratch);
    let start = out.len();
    scratch.patch.finish(size, |touch| {
        out.push(ContactPoint {
            point_a: pose_b.point(touch.on_a),
            point_b: pose_b.point(touch.on_b),
            normal: pose_b.vector(touch.normal),
            gap: touch.gap,
            feature: touch.feature,
            radius_a: f64::INFINITY,
            radius_b: f64::INFINITY,
        });
    });
    make_unique(&mut out[start..]);
}

/// Corners of `a` (placed in the frame of `b`) with their feet on `b`.
fn corners<A: Surface, B: Surface>(
    a: &A,
    b: &B,
    a_in_b: &Pose,
    reach: f64,
    envelope: f64,
    scratch: &mut NarrowScratch,
    touch: impl Fn(&super::surface_sphere::Foot, DVec3, u32) -> Touch,
) {
    let region = moved(&b.bounds(), &a_in_b.inverse()).enlarged(reach);
    let found = &mut scratch.corners;
    found.clear();
    a.each_triangle(&region, |t| {
        let p = a.triangle(t);
        found.extend((0..3).map(|k| (a.vertex_id(t, k), t, k as u32, p[k])));
    });
    found.sort_unstable_by_key(|c| (c.0, c.1));
    found.dedup_by_key(|c| c.0);
    let bounds = b.bounds().enlarged(reach);
    for &(id, t, corner, p) in found.iter() {
        let p = a_in_b.point(p);
        if !bounds.contains(p) {
            continue;
        }
        let touches = &mut scratch.patch.touches;
        feet(b, p, reach, &mut scratch.near, |foot| {
            // A corner on the far side of its own surface touches nothing.
            let toward = a_in_b.local_vector(-foot.outward);
            if foot.distance < envelope && corner_owns(a, t, corner as usize, toward, 0.2) {
                touches.push(touch(&foot, p, id));
            }
        });
    }
}

/// An outward edge of a surface: the side of a triangle, in the frame of b.
struct Edge {
    from: DVec3,
    along: DVec3,
    outward: DVec3,
}

impl Edge {
    fn new<S: Surface>(surface: &S, t: u32, side: usize) -> Self {
        let p = surface.triangle(t);
        let across = surface.neighbor(t, side).map_or(DVec3::ZERO, |n| surface.normal(n));
        Self { from: p[side], along: p[(side + 1) % 3] - p[side], outward: surface.normal(t) + across }
    }

    fn moved(&self, pose: &Pose) -> Self {
        Self {
            from: pose.point(self.from),
            along: pose.vector(self.along),
            outward: pose.vector(self.outward),
        }
    }
}

/// Whether an edge is seen from triangle `t`: once from its two, always at a border.
fn leads<S: Surface>(surface: &S, t: u32, side: usize) -> bool {
    surface.neighbor(t, side).is_none_or(|n| t < n)
}

/// Edges of `a` across edges of `b`.
fn edges<A: Surface, B: Surface>(
    a: &A,
    b: &B,
    a_in_b: &Pose,
    reach: f64,
    envelope: f64,
    scratch: &mut NarrowScratch,
) {
    let region = moved(&b.bounds(), &a_in_b.inverse()).enlarged(reach);
    let ids = &mut scratch.ids;
    ids.clear();
    a.each_triangle(&region, |t| ids.push(t));
    ids.sort_unstable();
    let touches = &mut scratch.patch.touches;
    for &ta in ids.iter() {
        let corners = a.triangle(ta).map(|p| a_in_b.point(p));
        let around = Aabb::of_points(corners).enlarged(reach);
        b.each_triangle(&around, |tb| {
            for side_a in (0..3).filter(|&side| leads(a, ta, side)) {
                let edge_a = Edge::new(a, ta, side_a).moved(a_in_b);
                for side_b in (0..3).filter(|&side| leads(b, tb, side)) {
                    let edge_b = Edge::new(b, tb, side_b);
                    let Some(mut touch) = across(&edge_a, &edge_b, reach, envelope) else { continue };
                    let owned = side_owns(b, tb, side_b, -touch.normal)
                        && side_owns(a, ta, side_a, a_in_b.local_vector(touch.normal));
                    if owned {
                        touch.feature = name([3, a.edge_id(ta, side_a), b.edge_id(tb, side_b), 0]);
                        touches.push(touch);
                    }
                }
            }
        });
    }
}

/// Contact of two edges whose closest points lie between their ends.
fn across(a: &Edge, b: &Edge, reach: f64, envelope: f64) -> Option<Touch> {
    let cross = a.along.cross(b.along);
    let (la, lb) = (a.along.length_squared(), b.along.length_squared());
    let squared = cross.length_squared();
    if squared < 1e-6 * la * lb {
        return None;
    }
    let r = b.from - a.from;
    let s = r.cross(b.along).dot(cross) / squared;
    let t = r.cross(a.along).dot(cross) / squared;
    if !(0.0..=1.0).contains(&s) || !(0.0..=1.0).contains(&t) {
        return None;
    }
    let mut normal = cross / squared.sqrt();
    if normal.dot(a.outward) - normal.dot(b.outward) < 0.0 {
        normal = -normal;
    }
    let (on_a, on_b) = (a.from + a.along * s, b.from + b.along * t);
    let gap = (on_b - on_a).dot(normal);
    (gap < envelope && gap > -reach).then_some(Touch { on_a, on_b, normal, gap, feature: 0 })
}
