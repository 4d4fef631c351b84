//! Shapes, placements and independent truths for the tests of the narrow phase.

use glam::{DQuat, DVec3};
use huygens_geometry::narrow::contacts;
use huygens_geometry::{ContactPoint, NarrowScratch, Pose, Shape};

/// All contacts of a pair.
pub fn touch(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, envelope: f64) -> Vec<ContactPoint> {
    let mut out = Vec::new();
    contacts(a, pa, b, pb, envelope, &mut NarrowScratch::new(), &mut out);
    out
}

/// Smallest gap of a pair.
pub fn smallest_gap(points: &[ContactPoint]) -> f64 {
    points.iter().map(|p| p.gap).fold(f64::INFINITY, f64::min)
}

/// A shape of kind `kind` (of ten) whose sizes follow from three numbers in 0..1.
pub fn convex_shape(kind: usize, s: [f64; 3]) -> Shape {
    let size = |x: f64| 0.2 + x;
    let [x, y, z] = s.map(size);
    let half = DVec3::new(x, y, z);
    match kind % 10 {
        0 => Shape::sphere(x),
        1 => Shape::ellipsoid(half),
        2 => Shape::cuboid(half),
        3 => Shape::capsule(x, y),
        4 => Shape::cylinder(x, y),
        5 => Shape::cone(x, y),
        6 => Shape::rounded_box(half, 0.3 * z),
        7 => Shape::rounded_cylinder(x, y, 0.3 * z),
        8 => Shape::hull(&hull_points(half)),
        _ => Shape::hull(&prism_points(x, y)),
    }
    .unwrap()
}

/// Names of the kinds of [`convex_shape`].
pub const CONVEX_KINDS: usize = 10;

fn hull_points(half: DVec3) -> Vec<DVec3> {
    (0..14)
        .map(|i| {
            let t = i as f64;
            half * DVec3::new((1.7 * t).sin(), (2.9 * t + 1.0).sin(), (0.7 * t + 2.0).cos()).normalize()
        })
        .collect()
}

fn prism_points(radius: f64, half: f64) -> Vec<DVec3> {
    (0..12)
        .map(|i| {
            let angle = std::f64::consts::TAU * (i % 6) as f64 / 6.0;
            let z = if i < 6 { -half } else { half };
            DVec3::new(radius * angle.cos(), radius * angle.sin(), z)
        })
        .collect()
}

/// Farthest point of a convex shape along a unit direction, all in its local frame; written apart from the engine.
pub fn support(shape: &Shape, n: DVec3) -> DVec3 {
    let sign = |v: DVec3| DVec3::new(v.x.signum(), v.y.signum(), v.z.signum());
    let radial = |n: DVec3| {
        let flat = DVec3::new(n.x, n.y, 0.0);
        if flat.length() > 0.0 { flat.normalize() } else { DVec3::X }
    };
    match shape {
        Shape::Sphere { radius } => n * *radius,
        Shape::Ellipsoid { radii } => *radii * *radii * n / (*radii * n).length(),
        Shape::Box { half } => sign(n) * *half,
        Shape::Capsule { radius, half_length } => DVec3::Z * half_length * n.z.signum() + n * *radius,
        Shape::Cylinder { radius, half_length } => {
            radial(n) * *radius + DVec3::Z * half_length * n.z.signum()
        }
        Shape::Cone { radius, half_length } => {
            let (rim, apex) = (radial(n) * *radius - DVec3::Z * *half_length, DVec3::Z * *half_length);
            if rim.dot(n) > apex.dot(n) { rim } else { apex }
        }
        Shape::RoundedBox { half, border } => sign(n) * *half + n * *border,
        Shape::RoundedCylinder { radius, half_length, border } => {
            radial(n) * *radius + DVec3::Z * half_length * n.z.signum() + n * *border
        }
        Shape::Hull(hull) => *hull.vertices().iter().max_by(|p, q| p.dot(n).total_cmp(&q.dot(n))).unwrap(),
        _ => unreachable!("not convex"),
    }
}

/// Distance of the supporting planes of two convex shapes along a direction.
pub fn separation(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose, n: DVec3) -> f64 {
    let on_a = pa.point(support(a, pa.local_vector(n)));
    let on_b = pb.point(support(b, pb.local_vector(-n)));
    (on_b - on_a).dot(n)
}

/// Distance of two convex shapes (negative: least overlap) by brute force: the largest separation over a dense set of
/// directions, refined by a pattern search.
pub fn brute_force_gap(a: &Shape, pa: &Pose, b: &Shape, pb: &Pose) -> f64 {
    let count = 500;
    let value = |n: DVec3| separation(a, pa, b, pb, n);
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let mut starts: Vec<(f64, DVec3)> = (0..count)
        .map(|i| {
            let z = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
            let (r, t) = ((1.0 - z * z).sqrt(), golden * i as f64);
            let n = DVec3::new(r * t.cos(), r * t.sin(), z);
            (value(n), n)
        })
        .collect();
    starts.sort_by(|x, y| y.0.total_cmp(&x.0));
    starts.truncate(3);
    let refine = |(mut best, mut n): (f64, DVec3)| {
        let mut step = 0.1;
        while step > 1e-5 {
            let (u, v) = n.any_orthonormal_pair();
            let around = (0..8).map(|k| {
                let angle = std::f64::consts::FRAC_PI_4 * k as f64 + step;
                (n + (u * angle.cos() + v * angle.sin()) * step).normalize()
            });
            let (next, at) = around.map(|m| (value(m), m)).max_by(|x, y| x.0.total_cmp(&y.0)).unwrap();
            if next > best {
                (best, n) = (next, at);
            } else {
                step *= 0.6;
            }
        }
        best
    };
    starts.into_iter().map(refine).fold(f64::NEG_INFINITY, f64::max)
}

/// A unit quaternion from four numbers.
pub fn rotation(q: [f64; 4]) -> DQuat {
    let q = DQuat::from_xyzw(q[0], q[1], q[2], q[3] + 1e-3);
    q.normalize()
}

/// Pseudo-random numbers in 0..1, the same on every run.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64
    }
}
