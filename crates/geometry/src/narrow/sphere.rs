//! Contacts of spheres.

use glam::DVec3;

use super::ContactPoint;

/// Two spheres.
pub(super) fn sphere(ra: f64, ca: DVec3, rb: f64, cb: DVec3, envelope: f64, out: &mut Vec<ContactPoint>) {
    let offset = cb - ca;
    let squared = offset.length_squared();
    let reach = ra + rb + envelope;
    if squared >= reach * reach {
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
