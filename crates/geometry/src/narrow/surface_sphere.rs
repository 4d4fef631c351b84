//! Spheres on surfaces of triangles, without bumps at inner edges.

use glam::DVec3;

use super::voronoi::{Part, nearest_on_triangle, owns, part_name, pseudo_normal};
use super::{ContactPoint, NarrowScratch};
use crate::surface::Surface;
use crate::{Aabb, Pose};

/// The point of one triangle nearest to the centre of a sphere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    triangle: u32,
    part: Part,
    point: DVec3,
    squared: f64,
}

/// A point of a surface nearest to a given point, at least nearer than its surroundings.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) point: DVec3,
    /// Unit, out of the surface.
    pub(super) outward: DVec3,
    /// Negative behind the surface.
    pub(super) distance: f64,
    pub(super) feature: u32,
}

/// Finds the feet of `center` on a surface closer than `reach`: those of every face, edge and corner that is nearest
/// in its surroundings if the centre is outside, the nearest only if it is inside.
pub(super) fn feet<S: Surface>(
    surface: &S,
    center: DVec3,
    reach: f64,
    near: &mut Vec<Near>,
    mut found: impl FnMut(Foot),
) {
    near.clear();
    let region = Aabb::around(center, DVec3::splat(reach));
    surface.each_triangle(&region, |triangle| {
        let (point, part) = nearest_on_triangle(center, surface.triangle(triangle));
        let squared = (center - point).length_squared();
        if squared < reach * reach {
            near.push(Near { triangle, part, point, squared });
        }
    });
    // Faces first, so that edges and corners that coincide with them are the ones to go.
    near.sort_unstable_by_key(|n| (n.part, n.triangle));
    let Some(nearest) = near.iter().copied().reduce(|x, y| if y.squared < x.squared { y } else { x }) else {
        return;
    };
    let pseudo = pseudo_normal(surface, nearest.triangle, nearest.part);
    if pseudo.is_some_and(|n| n.dot(center - nearest.point) < 0.0) {
        return found(nearest.foot(surface, center, reach, -1.0));
    }
    for i in 0..near.len() {
        let Near { triangle, part, point, .. } = near[i];
        let foot = near[i].foot(surface, center, reach, 1.0);
        let in_front = part != Part::Face || (center - point).dot(foot.outward) >= 0.0;
        let twin = |other: &Near| (other.point - point).length_squared() < 1e-12 * reach * reach;
        if in_front && owns(surface, triangle, part, foot.outward) && !near[..i].iter().any(twin) {
            found(foot);
        }
    }
}

impl Near {
    /// The foot of `center` seen from outside (`side` 1) or inside (−1).
    fn foot<S: Surface>(&self, surface: &S, center: DVec3, reach: f64, side: f64) -> Foot {
        let distance = self.squared.sqrt();
        // Rounding blurs the direction from a point on the surface, but not the normal of the surface.
        let outward = if self.part == Part::Face || distance < 1e-9 * reach {
            let pseudo = pseudo_normal(surface, self.triangle, self.part);
            pseudo.unwrap_or(surface.normal(self.triangle)).normalize_or(surface.normal(self.triangle))
        } else {
            (center - self.point) * (side / distance)
        };
        let feature = part_name(surface, self.triangle, self.part, outward);
        Foot { point: self.point, outward, distance: side * distance, feature }
    }
}

/// Sphere a and surface b.
pub(super) fn sphere<S: Surface>(
    radius: f64,
    center: DVec3,
    surface: &S,
    pose: &Pose,
    envelope: f64,
    scratch: &mut NarrowScratch,
    out: &mut Vec<ContactPoint>,
) {
    let local = pose.local_point(center);
    let reach = radius + envelope;
    if !surface.bounds().overlaps(&Aabb::around(local, DVec3::splat(reach))) {
        return;
    }
    feet(surface, local, reach, &mut scratch.near, |foot| {
        let normal = -pose.vector(foot.outward);
        out.push(ContactPoint {
            point_a: center + normal * radius,
            point_b: pose.point(foot.point),
            normal,
            gap: foot.distance - radius,
            feature: foot.feature,
            radius_a: radius,
            radius_b: f64::INFINITY,
        });
    });
}
