//! Geometric queries: ray casts, closest points, overlap and distance.
//!
//! Solids are filled: a ray that starts inside one hits at once. For rays, meshes are two-sided surfaces; for the other
//! queries, closed meshes are solids. A height field is solid below its surface, within its rectangle.

mod distance;
mod point;
mod ray;
mod triangle;

use glam::DVec3;

use crate::{Pose, Shape};

/// The hit of a ray on a shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// Distance from the origin of the ray [m].
    pub distance: f64,
    /// The point, in world coordinates [m].
    pub point: DVec3,
    /// Unit normal of the surface on the side from which the ray comes; opposite to the ray where it starts inside.
    pub normal: DVec3,
}

/// The point of a surface closest to a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoint {
    /// The point on the surface, in world coordinates [m].
    pub point: DVec3,
    /// Unit direction in which the signed distance grows fastest.
    pub normal: DVec3,
    /// Whether the given point lies inside.
    pub inside: bool,
    /// Distance to the surface, negative inside [m].
    pub distance: f64,
}

/// First point of the ray `origin + s direction`, 0 ≤ s ≤ `max` [m], that belongs to the shape.
///
/// The direction need not be a unit vector. A ray with zero direction or non-finite numbers hits nothing.
pub fn ray_cast(shape: &Shape, pose: &Pose, origin: DVec3, direction: DVec3, max: f64) -> Option<RayHit> {
    // Scaling first keeps the square of a huge or tiny direction in range.
    let direction = (direction / direction.abs().max_element()).normalize_or_zero();
    if !(pose.is_finite() && origin.is_finite() && direction != DVec3::ZERO && max >= 0.0) {
        return None;
    }
    let mut first: Option<(f64, DVec3)> = None;
    for (local, part) in shape.parts() {
        let pose = *pose * local;
        let ray = ray::Ray { origin: pose.local_point(origin), direction: pose.local_vector(direction) };
        let reach = first.map_or(max, |(distance, _)| distance);
        if let Some((distance, normal)) = ray.cast(part, reach)
            && first.is_none_or(|(before, _)| distance < before)
        {
            first = Some((distance, pose.vector(normal)));
        }
    }
    first.map(|(distance, normal)| RayHit { distance, point: origin + distance * direction, normal })
}

/// The point of the surface of the shape closest to `point`.
///
/// For a compound, the part with the smallest signed distance decides: exact outside, a lower bound of the depth inside
/// where parts overlap.
pub fn closest_point(shape: &Shape, pose: &Pose, point: DVec3) -> ClosestPoint {
    let nowhere = ClosestPoint { point, normal: DVec3::Z, inside: false, distance: f64::INFINITY };
    let mut closest = nowhere;
    for (local, part) in shape.parts() {
        let pose = *pose * local;
        let near = point::nearest(part, pose.local_point(point));
        if near.distance < closest.distance {
            closest = ClosestPoint {
                point: pose.point(near.point),
                normal: pose.vector(near.normal),
                inside: near.distance < 0.0,
                distance: near.distance,
            };
        }
    }
    closest
}

/// Distance between two shapes [m]; zero where they overlap.
///
/// Exact to rounding where one of them is a sphere or a half-space, otherwise accurate to about 1e-6 of their size. For
/// height fields the surface counts; the solid below it counts only for the centres of other shapes.
pub fn distance(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    if !(pose_a.is_finite() && pose_b.is_finite()) {
        return f64::INFINITY;
    }
    let mut least = f64::INFINITY;
    for (local_a, part_a) in a.parts() {
        for (local_b, part_b) in b.parts() {
            least = least.min(distance::pair(part_a, &(*pose_a * local_a), part_b, &(*pose_b * local_b)));
            if least <= 0.0 {
                return 0.0;
            }
        }
    }
    least
}

/// Whether two shapes share a point, to the accuracy of [`distance`].
pub fn overlap(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> bool {
    if !a.aabb(pose_a).overlaps(&b.aabb(pose_b)) {
        return false;
    }
    distance(a, pose_a, b, pose_b) <= 0.0
}
