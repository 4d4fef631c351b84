//! Contacts of spheres with convex shapes.

use glam::DVec3;

use super::core::{Core, Kernel};
use super::nearest::nearest;
use super::{ContactPoint, NarrowScratch, convex};
use crate::{Pose, Shape};

/// Two spheres.
pub(super) fn sphere(ra: f64, ca: DVec3, rb: f64, cb: DVec3, envelope: f64, out: &mut Vec<ContactPoint>) {
    let offset = cb - ca;
    let squared = offset.length_squared();
    let reach = ra + rb + envelope;
    if squared >= reach * reach || reach <= 0.0 || squared.is_nan() {
        return;
    }
    let distance = squared.sqrt();
    // Concentric spheres have no preferred direction: up is as good as any.
    let normal = if distance > 0.0 { offset / distance } else { DVec3::Z };
    out.push(ContactPoint {
        point_a: ca + normal * ra,
        point_b: cb - normal * rb,
        normal,
        gap: distance - ra - rb,
        feature: 0,
        radius_a: ra,
        radius_b: rb,
    });
}

/// Sphere a and any bounded convex shape b.
pub(super) fn convex(
    radius: f64,
    pose: &Pose,
    shape: &Shape,
    pose_b: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let Some(core) = Core::new(shape) else { return };
    let local = pose_b.local_point(pose.position);
    let Some(found) = nearest(&core, local) else {
        let own = Core { kernel: Kernel::Point, border: radius };
        return convex::contacts(own, pose, core, pose_b, envelope, scratch, out);
    };
    let gap = found.distance - radius;
    if gap < envelope {
        let normal = -pose_b.vector(found.normal);
        out.push(ContactPoint {
            point_a: pose.position + normal * radius,
            point_b: pose_b.point(found.point),
            normal,
            gap,
            feature: 0,
            radius_a: radius,
            radius_b: found.curvature,
        });
    }
}
