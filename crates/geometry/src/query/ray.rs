//! First hits of rays, in local frames.

use glam::DVec3;

use super::point::nearest;
use super::triangle::ShearedRay;
use crate::surface::Surface;
use crate::{Aabb, HeightField, Hull, Shape, TriangleMesh};

/// A ray with a unit direction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ray {
    pub(super) origin: DVec3,
    pub(super) direction: DVec3,
}

/// Distance along the ray and the normal on its side.
type Hit = Option<(f64, DVec3)>;

impl Ray {
    fn at(&self, distance: f64) -> DVec3 {
        self.origin + distance * self.direction
    }

    /// First hit of a single shape within `max`.
    pub(super) fn cast(&self, shape: &Shape, max: f64) -> Hit {
        let hit = match shape {
            Shape::Sphere { radius } => self.ellipsoid(DVec3::splat(*radius)),
            Shape::Ellipsoid { radii } => self.ellipsoid(*radii),
            Shape::Box { half } => self.cuboid(*half),
            Shape::HalfSpace => self.clip([(DVec3::Z, 0.0)].into_iter()),
            Shape::Hull(hull) => self.hull(hull),
            Shape::Mesh(mesh) => self.mesh(mesh, max),
            Shape::HeightField(field) => self.height_field(field, max),
            Shape::Capsule { .. }
            | Shape::Cylinder { .. }
            | Shape::Cone { .. }
            | Shape::RoundedBox { .. }
            | Shape::RoundedCylinder { .. }
            | Shape::Triangle { .. } => self.convex(shape, max),
            // Compounds are asked part by part; parts of parts do not occur.
            Shape::Compound(parts) => parts
                .iter()
                .filter_map(|(pose, part)| {
                    let local = Self {
                        origin: pose.local_point(self.origin),
                        direction: pose.local_vector(self.direction),
                    };
                    local.cast(part, max).map(|(distance, normal)| (distance, pose.vector(normal)))
                })
                .min_by(|a, b| a.0.total_cmp(&b.0)),
        };
        hit.filter(|(distance, _)| *distance <= max)
    }

    /// In coordinates divided by the radii an ellipsoid is the unit sphere.
    fn ellipsoid(&self, radii: DVec3) -> Hit {
        let (o, d) = (self.origin / radii, self.direction / radii);
        if o.length_squared() <= 1.0 {
            return Some((0.0, -self.direction));
        }
        let (dd, od) = (d.length_squared(), o.dot(d));
        // The squared distance of the line from the centre, without subtracting large numbers.
        let miss = o - d * (od / dd);
        let discriminant = 1.0 - miss.length_squared();
        if od >= 0.0 || discriminant < 0.0 {
            return None;
        }
        let distance = (-od - (dd * discriminant).sqrt()) / dd;
        let normal = ((miss - d * (discriminant / dd).sqrt()) / radii * radii.min_element())
            .normalize_or(-self.direction);
        Some((distance.max(0.0), normal))
    }

    fn cuboid(&self, half: DVec3) -> Hit {
        let planes =
            DVec3::AXES.into_iter().flat_map(|axis| [(axis, axis.dot(half)), (-axis, axis.dot(half))]);
        self.clip(planes)
    }

    fn hull(&self, hull: &Hull) -> Hit {
        let planes = (0..hull.face_count()).map(|face| {
            let normal = hull.face_normals()[face];
            (normal, normal.dot(hull.vertices()[hull.face(face)[0] as usize]))
        });
        self.clip(planes)
    }

    /// Enters the last of the half-spaces n·x ≤ d before it leaves the first.
    fn clip(&self, planes: impl Iterator<Item = (DVec3, f64)>) -> Hit {
        let (mut enter, mut leave, mut normal) = (0.0, f64::INFINITY, -self.direction);
        for (n, d) in planes {
            let (beyond, speed) = (n.dot(self.origin) - d, n.dot(self.direction));
            if speed < 0.0 {
                if -beyond / speed > enter {
                    (enter, normal) = (-beyond / speed, n);
                }
            } else if speed > 0.0 {
                leave = leave.min(-beyond / speed);
            } else if beyond > 0.0 {
                return None;
            }
        }
        (enter <= leave).then_some((enter, normal))
    }

    /// The signed distance of a convex solid is a convex function along a line, so Newton's method
    /// from outside approaches the first crossing from one side and never passes it.
    fn convex(&self, shape: &Shape, max: f64) -> Hit {
        let reach = shape.bounding_radius();
        let middle = -self.origin.dot(self.direction);
        // Begin near the shape, where the numbers have the digits.
        let mut distance = (middle - reach * (1.0 + 1e-9)).max(0.0);
        let tolerance = 4.0 * f64::EPSILON * (reach + self.origin.length());
        let mut normal = -self.direction;
        for _ in 0..200 {
            if distance > max || distance > middle + reach {
                return None;
            }
            let near = nearest(shape, self.at(distance));
            if near.distance <= tolerance {
                // On an edge, rounding may name a face that looks away; the one seen last is met.
                let seen = near.normal.dot(self.direction) < 0.0 && distance > 0.0;
                return Some((distance, if seen { near.normal } else { normal }));
            }
            normal = near.normal;
            let speed = -normal.dot(self.direction);
            if speed <= 0.0 {
                return None;
            }
            distance += near.distance / speed;
        }
        // A ray that only grazes the surface.
        None
    }

    fn mesh(&self, mesh: &TriangleMesh, max: f64) -> Hit {
        let sheared = ShearedRay::new(self.origin, self.direction);
        let limit = if max < f64::MAX { max.next_up() } else { f64::MAX };
        // Boxes without thickness are missed by rounding.
        let slack = 1e-12 * mesh.local_aabb().extent().length();
        let (t, distance) = mesh.tree().bvh().find_best(
            limit,
            |node, best| {
                let bounds = Aabb::new(node.mins(), node.maxs()).enlarged(slack);
                self.crossing(&bounds, best).map_or(f64::MAX, |(start, _)| start)
            },
            |t, _| sheared.cast(mesh.triangle(t)),
        )?;
        Some((distance, self.facing(mesh.normal(t))))
    }

    fn facing(&self, normal: DVec3) -> DVec3 {
        if normal.dot(self.direction) > 0.0 { -normal } else { normal }
    }

    /// Walks along the ray in pieces about as long as a cell is wide.
    fn height_field(&self, field: &HeightField, max: f64) -> Hit {
        let bounds = field.local_aabb();
        let slack = 1e-9 * bounds.extent().length();
        let bounds = bounds.enlarged(slack);
        let (start, end) = self.crossing(&bounds, max)?;
        let (nx, ny) = field.samples();
        let size = field.size();
        let flat = self.direction.truncate().abs() * (end - start);
        let cells = (flat.x / size.x * nx as f64).max(flat.y / size.y * ny as f64);
        // At most about one piece a cell: start and end lie within the rectangle.
        let pieces = (cells.ceil() as usize).clamp(1, 2 * (nx + ny));
        let sheared = ShearedRay::new(self.origin, self.direction);
        let mut best: Hit = None;
        for piece in 0..pieces {
            let step = |i: usize| start + (end - start) * (i as f64 / pieces as f64);
            let region = Aabb::of_points([self.at(step(piece)), self.at(step(piece + 1))]).enlarged(slack);
            field.each_triangle(&region, |t| {
                if let Some(distance) = sheared.cast(field.triangle(t))
                    && best.is_none_or(|(before, _)| distance < before)
                {
                    best = Some((distance, self.facing(field.normal(t))));
                }
            });
            // A hit beyond this piece may yet be beaten in the next.
            if best.is_some_and(|(distance, _)| distance <= step(piece + 1)) {
                break;
            }
        }
        best
    }

    /// Part of the ray within a box.
    fn crossing(&self, bounds: &Aabb, max: f64) -> Option<(f64, f64)> {
        let (mut start, mut end) = (0.0_f64, max);
        for axis in 0..3 {
            let (o, d) = (self.origin[axis], self.direction[axis]);
            if d == 0.0 {
                if o < bounds.min[axis] || o > bounds.max[axis] {
                    return None;
                }
                continue;
            }
            let (a, b) = ((bounds.min[axis] - o) / d, (bounds.max[axis] - o) / d);
            start = start.max(a.min(b));
            end = end.min(a.max(b));
        }
        (start <= end && end.is_finite()).then_some((start, end))
    }
}
