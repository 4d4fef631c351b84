//! Contacts with half-spaces; the half-space is a.

use glam::{DMat3, DVec3};

use super::ContactPoint;
use crate::Pose;

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
    let down = -(axes.transpose() * plane.normal);
    let face = down.abs().max_position();
    for corner in 0..8u32 {
        let sign = DVec3::from_array([0, 1, 2].map(|k| if corner >> k & 1 == 1 { 1.0 } else { -1.0 }));
        if sign[face] * down[face] < 0.0 {
            continue;
        }
        let point = pose.position + axes * (sign * half);
        let gap = plane.height(point);
        if gap < envelope {
            out.push(plane.contact(point, gap, corner, f64::INFINITY));
        }
    }
}
