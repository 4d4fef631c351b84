//! Distance between two shapes.

use glam::DVec3;
use parry3d_f64::math::Pose as ParryPose;
use parry3d_f64::query::gjk::{CsoPoint, GJKResult, VoronoiSimplex, closest_points};
use parry3d_f64::shape::SupportMap;

use super::point::nearest;
use super::triangle;
use crate::surface::Surface;
use crate::{Aabb, Pose, Shape, TriangleMesh};

/// Distance of two shapes that are no compounds; zero or less where they overlap.
pub(super) fn pair(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose) -> f64 {
    let b_in_a = pose_a.inverse() * *pose_b;
    match (a, b) {
        (_, Shape::Sphere { radius }) => nearest(a, b_in_a.position).distance - radius,
        (Shape::Sphere { radius }, _) => nearest(b, b_in_a.inverse().position).distance - radius,
        (Shape::HalfSpace, _) => above_plane(b, &b_in_a),
        (_, Shape::HalfSpace) => above_plane(a, &b_in_a.inverse()),
        _ => match (Triangles::of(a), Triangles::of(b)) {
            (None, None) => convex(&Core::of(a), &Core::of(b), &b_in_a),
            (Some(surface), None) => surface.to_solid(b, &b_in_a),
            (None, Some(surface)) => surface.to_solid(a, &b_in_a.inverse()),
            (Some(one), Some(other)) => one.to_surface(&other, &b_in_a),
        },
    }
}

/// Lowest z of a shape above the plane z = 0.
fn above_plane(shape: &Shape, pose: &Pose) -> f64 {
    let down = pose.local_vector(-DVec3::Z);
    let lowest = |points: &[DVec3]| points.iter().map(|p| pose.point(*p).z).fold(f64::INFINITY, f64::min);
    match shape {
        Shape::HalfSpace => {
            // Two half-spaces are apart only back to back.
            let opposite = (pose.rotation * DVec3::Z + DVec3::Z).length() < 1e-12;
            if opposite { pose.position.z.max(0.0) } else { 0.0 }
        }
        Shape::Mesh(mesh) => lowest(mesh.vertices()),
        Shape::HeightField(field) => {
            let (nx, ny) = field.samples();
            let samples = (0..ny).flat_map(|j| (0..nx).map(move |i| (i, j)));
            samples.map(|(i, j)| pose.point(field.sample(i, j)).z).fold(f64::INFINITY, f64::min)
        }
        _ => {
            let core = Core::of(shape);
            pose.point(core.support(down)).z - core.border
        }
    }
}

/// A convex set, and how far it is grown on all sides.
struct Core<'a> {
    set: ConvexSet<'a>,
    border: f64,
}

enum ConvexSet<'a> {
    Segment(f64),
    Shape(&'a Shape),
    Triangle([DVec3; 3]),
}

impl<'a> Core<'a> {
    fn of(shape: &'a Shape) -> Self {
        let (set, border) = match shape {
            Shape::Sphere { radius } => (ConvexSet::Segment(0.0), *radius),
            Shape::Capsule { radius, half_length } => (ConvexSet::Segment(*half_length), *radius),
            Shape::RoundedBox { border, .. } | Shape::RoundedCylinder { border, .. } => {
                (ConvexSet::Shape(shape), *border)
            }
            _ => (ConvexSet::Shape(shape), 0.0),
        };
        Self { set, border }
    }

    fn of_triangle(corners: [DVec3; 3]) -> Self {
        Self { set: ConvexSet::Triangle(corners), border: 0.0 }
    }

    /// Point of the core, without border, farthest along a direction.
    fn support(&self, d: DVec3) -> DVec3 {
        let on_box =
            |half: &DVec3| DVec3::new(half.x.copysign(d.x), half.y.copysign(d.y), half.z.copysign(d.z));
        let on_disc = |radius: f64| d.with_z(0.0).normalize_or_zero() * radius;
        match &self.set {
            ConvexSet::Segment(half) => DVec3::new(0.0, 0.0, half.copysign(d.z)),
            ConvexSet::Triangle(corners) => {
                let [a, b, c] = corners.map(|p| p.dot(d));
                corners[if a >= b && a >= c { 0 } else { 1 + usize::from(c > b) }]
            }
            ConvexSet::Shape(Shape::Box { half } | Shape::RoundedBox { half, .. }) => on_box(half),
            ConvexSet::Shape(Shape::Ellipsoid { radii }) => *radii * (*radii * d).normalize_or(DVec3::Z),
            ConvexSet::Shape(
                Shape::Cylinder { radius, half_length } | Shape::RoundedCylinder { radius, half_length, .. },
            ) => on_disc(*radius) + DVec3::Z * half_length.copysign(d.z),
            ConvexSet::Shape(Shape::Cone { radius, half_length }) => {
                let (apex, rim) = (DVec3::Z * *half_length, on_disc(*radius) - DVec3::Z * *half_length);
                if apex.dot(d) > rim.dot(d) { apex } else { rim }
            }
            ConvexSet::Shape(Shape::Hull(hull)) => hull.vertices()[hull.support(d) as usize],
            ConvexSet::Shape(_) => DVec3::ZERO,
        }
    }

    /// Closest point of the core with its border.
    fn project(&self, p: DVec3) -> DVec3 {
        match &self.set {
            ConvexSet::Segment(half) => {
                let on_axis = DVec3::new(0.0, 0.0, p.z.clamp(-half, *half));
                on_axis + (p - on_axis).clamp_length_max(self.border)
            }
            ConvexSet::Triangle(corners) => triangle::closest(*corners, p).0,
            ConvexSet::Shape(shape) => {
                let near = nearest(shape, p);
                if near.distance > 0.0 { near.point } else { p }
            }
        }
    }

    fn size(&self) -> f64 {
        let extent = |axis: DVec3| self.support(axis).abs().max(self.support(-axis).abs()).max_element();
        extent(DVec3::X).max(extent(DVec3::Y)).max(extent(DVec3::Z))
    }
}

/// A core in coordinates divided by `unit` [m], for the tolerances of the algorithm are absolute.
struct Scaled<'a> {
    core: &'a Core<'a>,
    unit: f64,
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, direction: DVec3) -> DVec3 {
        self.core.support(direction) / self.unit
    }
}

/// Distance of two convex solids by GJK between their cores.
fn convex(a: &Core<'_>, b: &Core<'_>, b_in_a: &Pose) -> f64 {
    let unit = a.size().max(b.size()).max(f64::MIN_POSITIVE);
    let (scaled_a, scaled_b) = (Scaled { core: a, unit }, Scaled { core: b, unit });
    let position = b_in_a.position / unit;
    if !position.is_finite() {
        return f64::INFINITY;
    }
    let pose = ParryPose::from_parts(position, b_in_a.rotation);
    let mut simplex = VoronoiSimplex::new();
    let first = (-position).normalize_or(DVec3::X);
    simplex.reset(CsoPoint::from_shapes(&pose, &scaled_a, &scaled_b, first));
    match closest_points(&pose, &scaled_a, &scaled_b, f64::MAX, true, &mut simplex) {
        GJKResult::Intersection => 0.0,
        GJKResult::ClosestPoints(on_a, on_b, _) => {
            let between = (on_b - on_a) * unit;
            if between.length() <= a.border + b.border {
                return 0.0;
            }
            // Between round shapes it stops at about 1e-5 of the distance.
            polished(a, b, b_in_a, on_a * unit + a.border * between.normalize_or_zero())
        }
        // It gave up after its number of iterations: round shapes nearly in touch.
        GJKResult::NoIntersection(_) | GJKResult::Proximity(_) => {
            polished(a, b, b_in_a, a.project(b_in_a.position))
        }
    }
}

/// Projects back and forth from a point of a; each step shortens the distance.
fn polished(a: &Core<'_>, b: &Core<'_>, b_in_a: &Pose, mut on_a: DVec3) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..1000 {
        let on_b = b_in_a.point(b.project(b_in_a.local_point(on_a)));
        on_a = a.project(on_b);
        let distance = (on_b - on_a).length();
        if distance >= least * (1.0 - 1e-13) {
            return least.min(distance);
        }
        least = distance;
    }
    least
}

/// A surface of triangles and the shape it belongs to.
struct Triangles<'a> {
    shape: &'a Shape,
}

impl<'a> Triangles<'a> {
    fn of(shape: &'a Shape) -> Option<Self> {
        matches!(shape, Shape::Mesh(_) | Shape::HeightField(_)).then_some(Self { shape })
    }

    fn triangle(&self, t: u32) -> [DVec3; 3] {
        match self.shape {
            Shape::Mesh(mesh) => mesh.triangle(t),
            Shape::HeightField(field) => field.triangle(t),
            _ => [DVec3::ZERO; 3],
        }
    }

    fn count(&self) -> u32 {
        match self.shape {
            Shape::Mesh(mesh) => mesh.triangles().len() as u32,
            Shape::HeightField(field) => field.triangle_count() as u32,
            _ => 0,
        }
    }

    /// Least of `distance` over triangles, given a box around the other set; nothing if none is below `most`.
    fn least(&self, around: &Aabb, most: f64, distance: impl Fn([DVec3; 3]) -> f64) -> f64 {
        match self.shape {
            Shape::Mesh(mesh) => least_in_tree(mesh, around, most, distance),
            Shape::HeightField(field) => {
                let mut least = most;
                if !most.is_finite() {
                    (0..self.count()).for_each(|t| least = least.min(distance(field.triangle(t))));
                    return least;
                }
                field.each_triangle(&around.enlarged(most), |t| {
                    if least > 0.0 {
                        least = least.min(distance(field.triangle(t)));
                    }
                });
                least
            }
            _ => most,
        }
    }

    fn to_solid(&self, solid: &Shape, pose: &Pose) -> f64 {
        // Some point of the solid is this far from the surface, or inside it.
        let core = Core::of(solid);
        let some_point = pose.point(core.support(DVec3::Z));
        let bound = nearest(self.shape, some_point).distance;
        if bound <= 0.0 {
            return 0.0;
        }
        let around = solid.aabb(pose);
        let most = bound * (1.0 + 1e-9);
        self.least(&around, most, |corners| convex(&Core::of_triangle(corners), &core, pose)).min(bound)
    }

    fn to_surface(&self, other: &Self, other_in_self: &Pose) -> f64 {
        if self.count() < other.count() {
            return other.to_surface(self, &other_in_self.inverse());
        }
        let mut least = f64::INFINITY;
        for t in 0..other.count() {
            let corners = other.triangle(t).map(|p| other_in_self.point(p));
            let bound = nearest(self.shape, corners[0]).distance;
            if bound <= 0.0 {
                return 0.0;
            }
            least = least.min(bound);
            let around = Aabb::of_points(corners);
            let core = Core::of_triangle(corners);
            least = self
                .least(&around, least, |own| convex(&Core::of_triangle(own), &core, &Pose::IDENTITY))
                .min(least);
            if least <= 0.0 {
                return 0.0;
            }
        }
        // The larger surface may lie wholly inside the other.
        let inner = nearest(other.shape, other_in_self.local_point(self.triangle(0)[0])).distance;
        if inner <= 0.0 { 0.0 } else { least.min(inner) }
    }
}

fn least_in_tree(mesh: &TriangleMesh, around: &Aabb, most: f64, distance: impl Fn([DVec3; 3]) -> f64) -> f64 {
    let apart = |low: DVec3, high: DVec3| (low - around.max).max(around.min - high).max(DVec3::ZERO).length();
    let found = mesh.tree().bvh().find_best(
        most,
        |node, _| apart(node.mins(), node.maxs()),
        |t, _| Some(distance(mesh.triangle(t))),
    );
    found.map_or(most, |(_, distance)| distance)
}
