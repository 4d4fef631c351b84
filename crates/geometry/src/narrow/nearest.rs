//! The point of a convex core nearest to a given point, in closed form.

use glam::{DVec2, DVec3};

use super::core::{Core, Kernel, ellipsoid_curvature};
use super::voronoi::nearest_on_triangle;

/// The nearest point on the surface of a shape.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    /// On the surface.
    pub(super) point: DVec3,
    /// Outward unit normal there, toward (or, from inside, away from) the given point.
    pub(super) normal: DVec3,
    /// Signed distance, negative inside.
    pub(super) distance: f64,
    /// Radius of curvature, infinite where flat, an edge or a corner.
    pub(super) curvature: f64,
}

/// Nearest point of a core with its border; `None` for kernels that have no closed form here.
pub(super) fn nearest(core: &Core<'_>, p: DVec3) -> Option<Nearest> {
    let mut found = match core.kernel {
        Kernel::Point => on_segment(0.0, p),
        Kernel::Segment { half } => on_segment(half, p),
        Kernel::Box { half } => on_box(half, p),
        Kernel::Cylinder { radius, half } => on_cylinder(radius, half, p),
        Kernel::Cone { radius, half } => on_cone(radius, half, p),
        Kernel::Ellipsoid { radii } => on_ellipsoid(radii, p),
        Kernel::Hull(_) | Kernel::Triangle { .. } => return None,
    };
    if core.border > 0.0 {
        found.curvature = core.curvature(found.point, found.normal);
        found.point += found.normal * core.border;
        found.distance -= core.border;
    }
    Some(found)
}

/// Point of a core, without its border, nearest to a point outside.
pub(super) fn nearest_point(core: &Core<'_>, p: DVec3) -> Option<DVec3> {
    if let Kernel::Triangle { corners, .. } = core.kernel {
        return Some(nearest_on_triangle(p, corners).0);
    }
    nearest(&Core { border: 0.0, ..*core }, p).map(|n| n.point)
}

/// Nearest point of a flat profile: the point and normal are in the plane.
struct Profile {
    point: DVec2,
    normal: DVec2,
    distance: f64,
}

fn on_segment(half: f64, p: DVec3) -> Nearest {
    let point = DVec3::new(0.0, 0.0, p.z.clamp(-half, half));
    let offset = p - point;
    let distance = offset.length_squared().sqrt();
    // A point on the axis has no preferred direction.
    let normal = if distance > 0.0 {
        offset / distance
    } else if half > 0.0 {
        DVec3::X
    } else {
        DVec3::Z
    };
    Nearest { point, normal, distance, curvature: f64::INFINITY }
}

pub(super) fn on_box(half: DVec3, p: DVec3) -> Nearest {
    let inner = p.clamp(-half, half);
    let offset = p - inner;
    let squared = offset.length_squared();
    if squared > 0.0 {
        let distance = squared.sqrt();
        return Nearest { point: inner, normal: offset / distance, distance, curvature: f64::INFINITY };
    }
    let depth = half - p.abs();
    let axis = depth.min_position();
    let sign = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    let mut point = p;
    point[axis] = sign * half[axis];
    let normal = DVec3::AXES[axis] * sign;
    Nearest { point, normal, distance: -depth[axis], curvature: f64::INFINITY }
}

/// Nearest point of the rectangle |x| ≤ `half.x`, |y| ≤ `half.y`.
fn on_rectangle(half: DVec2, p: DVec2) -> Profile {
    let inner = p.clamp(-half, half);
    let offset = p - inner;
    let distance = offset.length_squared().sqrt();
    if distance > 0.0 {
        return Profile { point: inner, normal: offset / distance, distance };
    }
    let depth = half - p.abs();
    let sign = |x: f64| if x < 0.0 { -1.0 } else { 1.0 };
    if depth.x < depth.y {
        let s = sign(p.x);
        Profile { point: DVec2::new(s * half.x, p.y), normal: DVec2::new(s, 0.0), distance: -depth.x }
    } else {
        let s = sign(p.y);
        Profile { point: DVec2::new(p.x, s * half.y), normal: DVec2::new(0.0, s), distance: -depth.y }
    }
}

/// Turns a profile about the z axis, at the azimuth of `p`.
fn revolve(profile: Profile, p: DVec3, curvature: f64) -> Nearest {
    let flat = p.truncate();
    let length = flat.length_squared().sqrt();
    let radial = if length > 0.0 { flat / length } else { DVec2::X };
    let turn = |v: DVec2| (radial * v.x).extend(v.y);
    Nearest {
        point: turn(profile.point),
        normal: turn(profile.normal),
        distance: profile.distance,
        curvature,
    }
}

fn on_cylinder(radius: f64, half: f64, p: DVec3) -> Nearest {
    let across = DVec2::new(p.truncate().length_squared().sqrt(), p.z);
    let profile = on_rectangle(DVec2::new(radius, half), across);
    let curvature = if profile.normal.y == 0.0 { radius } else { f64::INFINITY };
    revolve(profile, p, curvature)
}

fn on_cone(radius: f64, half: f64, p: DVec3) -> Nearest {
    let q = DVec2::new(p.truncate().length_squared().sqrt(), p.z);
    let (rim, apex) = (DVec2::new(radius, -half), DVec2::new(0.0, half));
    let slope = (apex - rim).normalize();
    let outward = DVec2::new(slope.y, -slope.x);
    let (below, beside) = (-half - q.y, (q - rim).dot(outward));
    if below <= 0.0 && beside <= 0.0 {
        let on_base = below > beside;
        let profile = if on_base {
            Profile { point: DVec2::new(q.x, -half), normal: DVec2::NEG_Y, distance: below }
        } else {
            Profile { point: q - outward * beside, normal: outward, distance: beside }
        };
        let curvature = if on_base { f64::INFINITY } else { profile.point.x / outward.x };
        return revolve(profile, p, positive_or_flat(curvature));
    }
    let on_base = DVec2::new(q.x.min(radius), -half);
    let along = (q - rim).dot(slope).clamp(0.0, (apex - rim).length());
    let on_side = rim + slope * along;
    let nearer_base = (q - on_base).length_squared() <= (q - on_side).length_squared();
    let point = if nearer_base { on_base } else { on_side };
    let offset = q - point;
    let distance = offset.length_squared().sqrt();
    let smooth = !nearer_base && along > 0.0 && point.x > 0.0;
    let curvature = if smooth { positive_or_flat(point.x / outward.x) } else { f64::INFINITY };
    revolve(Profile { point, normal: offset / distance, distance }, p, curvature)
}

fn positive_or_flat(radius: f64) -> f64 {
    if radius > 0.0 { radius } else { f64::INFINITY }
}

/// Nearest point of an ellipsoid, by the root of Eberly's function
/// $\sum_i (e_i y_i / (t + e_i^2))^2 = 1$ on its convex branch, where Newton's method never overshoots (`eberly2013`).
pub(super) fn on_ellipsoid(radii: DVec3, p: DVec3) -> Nearest {
    let scale = radii.max_element();
    let (e, y) = (radii / scale, p.abs() / scale);
    let smallest = e.min_position();
    let least = e[smallest];
    // With s = t + least², the denominators are sums of terms that are not negative: nothing cancels.
    let excess = (e - least) * (e + least);
    let ratios = |s: f64| {
        DVec3::from_array([0, 1, 2].map(|i| if y[i] > 0.0 { e[i] * y[i] / (s + excess[i]) } else { 0.0 }))
    };
    let start = [0, 1, 2].map(|i| e[i] * y[i] - excess[i]).into_iter().fold(0.0, f64::max);
    let mut x;
    if start == 0.0 {
        // The plane of symmetry across the shortest axis, near the centre: the nearest point is off the plane.
        x = DVec3::from_array([0, 1, 2].map(|i| if excess[i] > 0.0 { e[i] * y[i] / excess[i] } else { 0.0 }));
        if x.length_squared() < 1.0 {
            x[smallest] = (1.0 - x.length_squared()).sqrt();
        } else {
            x = root(ratios, &excess, start);
        }
    } else {
        x = root(ratios, &excess, start);
    }
    // `x` is the point on the unit sphere the ellipsoid is stretched from.
    x /= x.length_squared().sqrt();
    let sign = p.map(|v| if v < 0.0 { -1.0 } else { 1.0 });
    let point = x * radii * sign;
    let gradient = x / e * sign;
    let normal = gradient / gradient.length_squared().sqrt();
    let distance = (p - point).dot(normal);
    Nearest { point, normal, distance, curvature: ellipsoid_curvature(radii, point) }
}

/// The ratios at the root, by Newton's method from the left.
fn root(ratios: impl Fn(f64) -> DVec3, excess: &DVec3, start: f64) -> DVec3 {
    let mut s = start;
    let mut x = ratios(s.max(f64::MIN_POSITIVE));
    for _ in 0..60 {
        let squares = x * x;
        let value = squares.element_sum() - 1.0;
        let slope = 2.0 * (squares / (*excess + s).max(DVec3::splat(f64::MIN_POSITIVE))).element_sum();
        let step = value / slope;
        if step <= 1e-16 * s || step.is_nan() {
            break;
        }
        s += step;
        x = ratios(s);
    }
    x
}
