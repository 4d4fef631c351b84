//! Contacts with half-spaces; the half-space is a.

use glam::{DMat3, DVec3};

use super::core::{Core, Kernel};
use super::polygon::{Candidate, ClipScratch, reduce};
use super::{ContactPoint, NarrowScratch};
use crate::surface::Surface;
use crate::{Pose, Shape, TriangleMesh};

/// A half-space in world coordinates.
#[derive(Clone, Copy)]
struct Plane {
    normal: DVec3,
    origin: DVec3,
}

impl Plane {
    fn new(pose: &Pose) -> Self {
        Self { normal: pose.vector(DVec3::Z), origin: pose.position }
    }

    fn height(&self, point: DVec3) -> f64 {
        (point - self.origin).dot(self.normal)
    }

    fn contact(&self, point_b: DVec3, gap: f64, feature: u32, radius_b: f64) -> ContactPoint {
        ContactPoint {
            point_a: point_b - self.normal * gap,
            point_b,
            normal: self.normal,
            gap,
            feature,
            radius_a: f64::INFINITY,
            radius_b,
        }
    }
}

/// Half-space and sphere.
pub(super) fn sphere(plane: &Pose, radius: f64, center: DVec3, envelope: f64, out: &mut Vec<ContactPoint>) {
    let plane = Plane::new(plane);
    let gap = plane.height(center) - radius;
    if gap < envelope {
        out.push(plane.contact(center - plane.normal * radius, gap, 0, radius));
    }
}

/// Half-space and box: the corners within the envelope, of the face that looks down.
pub(super) fn cuboid(plane: &Pose, half: DVec3, pose: &Pose, envelope: f64, out: &mut Vec<ContactPoint>) {
    let plane = Plane::new(plane);
    let axes = DMat3::from_quat(pose.rotation);
    let up = axes.transpose() * plane.normal;
    let height = plane.height(pose.position);
    if height - up.abs().dot(half) >= envelope {
        return;
    }
    let face = up.abs().max_position();
    let down = if up[face] > 0.0 { 0 } else { 1 };
    for corner in 0..8u32 {
        if corner >> face & 1 != down {
            continue;
        }
        let sign = DVec3::from_array([0, 1, 2].map(|k| if corner >> k & 1 == 1 { 1.0 } else { -1.0 }));
        let arm = sign * half;
        let gap = height + up.dot(arm);
        if gap < envelope {
            out.push(plane.contact(pose.position + axes * arm, gap, corner, f64::INFINITY));
        }
    }
}

/// Half-space and any bounded convex shape: the corners of the feature that looks down, and the lowest point.
pub(super) fn convex(
    plane: &Pose,
    shape: &Shape,
    pose: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let Some(core) = Core::new(shape) else { return };
    let plane = Plane::new(plane);
    let down = pose.local_vector(-plane.normal);
    let lowest = core.support(down);
    // Heights of local points: offset − down·p.
    let offset = plane.height(pose.position);
    let lowest_gap = offset - down.dot(lowest) - core.border;
    if lowest_gap >= envelope {
        return;
    }
    let clip = &mut scratch.convex.clip;
    clip.candidates.clear();
    let candidate = |p: DVec3, feature: u32| Candidate {
        on_a: p,
        on_b: p,
        gap: offset - down.dot(p) - core.border,
        feature,
    };
    if let Kernel::Hull(hull) = core.kernel {
        clip.candidates.extend(hull.vertices().iter().zip(0..).map(|(&p, v)| candidate(p, v)));
    } else {
        let ClipScratch { b, candidates, .. } = clip;
        core.feature(down, b);
        candidates.extend(b.points.iter().zip(1..).map(|(&p, k)| candidate(p, k + 16 * b.id)));
    }
    clip.candidates.retain(|c| c.gap < envelope);
    let found = clip.candidates.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    reduce(&mut clip.candidates, down);
    if lowest_gap < found - 1e-6 * core.size() {
        if clip.candidates.len() == 4 {
            clip.drop_shallowest();
        }
        clip.candidates.push(candidate(lowest, 0));
    }
    out.extend(clip.candidates.iter().map(|c| {
        let point = pose.point(c.on_b) - plane.normal * core.border;
        plane.contact(point, c.gap, c.feature, core.curvature(c.on_b, down))
    }));
}

/// Half-space and mesh: four of the vertices within the envelope, the deepest among them.
pub(super) fn mesh(
    plane: &Pose,
    mesh: &TriangleMesh,
    pose: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let plane = Plane::new(plane);
    let up = pose.local_vector(plane.normal);
    let offset = plane.height(pose.position);
    let vertices = &mut scratch.ids;
    vertices.clear();
    let touches = |node: &parry3d_f64::partitioning::BvhNode| {
        let (low, high) = (node.mins(), node.maxs());
        let lowest = DVec3::select(up.cmpgt(DVec3::ZERO), low, high);
        offset + up.dot(lowest) < envelope
    };
    for t in mesh.tree().bvh().leaves(touches) {
        vertices.extend([0, 1, 2].map(|corner| mesh.vertex_id(t, corner)));
    }
    vertices.sort_unstable();
    vertices.dedup();
    let candidates = &mut scratch.convex.clip.candidates;
    candidates.clear();
    candidates.extend(vertices.iter().map(|&v| {
        let p = mesh.vertices()[v as usize];
        Candidate { on_a: p, on_b: p, gap: offset + up.dot(p), feature: v }
    }));
    candidates.retain(|c| c.gap < envelope);
    reduce(candidates, up);
    out.extend(candidates.iter().map(|c| plane.contact(pose.point(c.on_b), c.gap, c.feature, f64::INFINITY)));
}
