//! Rays, closest points, distances: against definitions of the shapes written down a second time.

use glam::{DQuat, DVec2, DVec3};
use huygens_geometry::query::{closest_point, distance, overlap, ray_cast};
use huygens_geometry::{Pose, Shape};
use proptest::prelude::*;

/// Whether a local point belongs to a solid: the definitions of the shapes.
fn contains(shape: &Shape, p: DVec3) -> bool {
    let rho = p.x.hypot(p.y);
    match shape {
        Shape::Sphere { radius } => p.length() <= *radius,
        Shape::Ellipsoid { radii } => (p / *radii).length() <= 1.0,
        Shape::Box { half } => p.abs().cmple(*half).all(),
        Shape::Capsule { radius, half_length } => rho.hypot((p.z.abs() - half_length).max(0.0)) <= *radius,
        Shape::Cylinder { radius, half_length } => rho <= *radius && p.z.abs() <= *half_length,
        Shape::Cone { radius, half_length } => {
            p.z >= -half_length && rho <= radius * (half_length - p.z) / (2.0 * half_length)
        }
        Shape::RoundedBox { half, border } => (p.abs() - *half).max(DVec3::ZERO).length() <= *border,
        Shape::RoundedCylinder { radius, half_length, border } => {
            (rho - radius).max(0.0).hypot((p.z.abs() - half_length).max(0.0)) <= *border
        }
        Shape::HalfSpace => p.z <= 0.0,
        Shape::Hull(hull) => hull.triangles().iter().all(|t| {
            let [a, b, c] = t.map(|i| hull.vertices()[i as usize]);
            (b - a).cross(c - a).dot(p - a) <= 0.0
        }),
        Shape::Compound(parts) => parts.iter().any(|(pose, part)| contains(part, pose.local_point(p))),
        Shape::Triangle { corners, border } => {
            // The nearest of many points of the triangle.
            let [a, b, c] = *corners;
            let steps = 200;
            let near = (0..=steps).flat_map(|i| (0..=steps - i).map(move |j| (i, j))).map(|(i, j)| {
                let (s, t) = (i as f64 / steps as f64, j as f64 / steps as f64);
                (a + (b - a) * s + (c - a) * t).distance(p)
            });
            near.fold(f64::INFINITY, f64::min) <= *border
        }
        Shape::Mesh(_) | Shape::HeightField(_) => unreachable!("surfaces have their own tests"),
    }
}

fn vector(range: std::ops::Range<f64>) -> impl Strategy<Value = DVec3> {
    prop::array::uniform3(range).prop_map(DVec3::from)
}

fn convex() -> impl Strategy<Value = Shape> {
    let size = || 0.05..2.0_f64;
    prop_oneof![
        size().prop_map(|radius| Shape::Sphere { radius }),
        vector(0.05..2.0).prop_map(|radii| Shape::Ellipsoid { radii }),
        vector(0.05..2.0).prop_map(|half| Shape::Box { half }),
        (size(), size()).prop_map(|(radius, half_length)| Shape::Capsule { radius, half_length }),
        (size(), size()).prop_map(|(radius, half_length)| Shape::Cylinder { radius, half_length }),
        (size(), size()).prop_map(|(radius, half_length)| Shape::Cone { radius, half_length }),
        (vector(0.05..2.0), size()).prop_map(|(half, border)| Shape::RoundedBox { half, border }),
        (size(), size(), size()).prop_map(|(radius, half_length, border)| Shape::RoundedCylinder {
            radius,
            half_length,
            border
        }),
        prop::collection::vec(vector(-1.0..1.0), 6..30)
            .prop_filter_map("flat", |points| Shape::hull(&points).ok()),
    ]
}

fn pose() -> impl Strategy<Value = Pose> {
    (vector(-3.0..3.0), vector(-3.0..3.0)).prop_map(|(p, turn)| Pose::new(p, DQuat::from_scaled_axis(turn)))
}

/// Directions spread evenly over the sphere (a Fibonacci lattice).
fn directions(count: usize) -> impl Iterator<Item = DVec3> {
    (0..count).map(move |i| {
        let z = 1.0 - (2 * i + 1) as f64 / count as f64;
        let angle = i as f64 * 2.399_963_229_728_653;
        let rho = (1.0 - z * z).sqrt();
        DVec3::new(rho * angle.cos(), rho * angle.sin(), z)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn closest_points_are_closest(shape in convex(), pose in pose(), point in vector(-4.0..4.0)) {
        let found = closest_point(&shape, &pose, point);
        let within = |p: DVec3| contains(&shape, pose.local_point(p));
        prop_assert!((found.normal.length() - 1.0).abs() < 1e-12);
        prop_assert!((point - found.point - found.distance * found.normal).length() < 1e-7, "{found:?}");
        prop_assert!(((point - found.point).length() - found.distance.abs()).abs() < 1e-12);
        if found.distance.abs() > 1e-9 {
            prop_assert_eq!(found.inside, within(point));
        }
        // The point lies on the surface, and no change of side is nearer.
        let middle = pose.point(shape.mass_properties(1.0).unwrap().center);
        prop_assert!(within(found.point.lerp(middle, 1e-7)), "{:?}", found);
        prop_assert!(!within(found.point + 1e-7 * found.normal), "{:?}", found);
        for direction in directions(300) {
            for part in [0.5, 0.999_999] {
                let near = point + part * found.distance.abs() * direction;
                prop_assert!(found.distance.abs() < 1e-6 || within(near) == found.inside, "{found:?} {near}");
            }
        }
    }

    #[test]
    fn rays_hit_first(shape in convex(), pose in pose(), origin in vector(-6.0..6.0), aim in vector(-1.0..1.0), stretch in 0.01..100.0_f64) {
        // Aimed at a point near the middle, so that about half of them hit.
        let target = pose.position + 1.5 * aim;
        let direction = (target - origin) * stretch;
        let (far, steps) = (20.0, 4000);
        let unit = direction.normalize();
        let within = |s: f64| contains(&shape, pose.local_point(origin + s * unit));
        let marched = (0..=steps).map(|i| far * f64::from(i) / f64::from(steps)).find(|s| within(*s));
        let found = ray_cast(&shape, &pose, origin, direction, far);
        match (found, marched) {
            (Some(hit), marched) => {
                // Between two steps of the march there may be a shorter hit, but none is later.
                prop_assert!(marched.is_none_or(|s| hit.distance <= s + 1e-9), "{hit:?} {marched:?}");
                prop_assert!((hit.point - origin - hit.distance * unit).length() < 1e-12);
                prop_assert!((hit.normal.length() - 1.0).abs() < 1e-9 && hit.normal.dot(unit) <= 0.0);
                let surface = closest_point(&shape, &pose, hit.point);
                if hit.distance > 0.0 {
                    prop_assert!(surface.distance.abs() < 1e-9, "{hit:?} is off the surface: {surface:?}");
                    // Nothing solid lies before it.
                    prop_assert!((0..200).all(|i| !within((hit.distance - 1e-7) * f64::from(i) / 200.0)));
                } else {
                    prop_assert!(surface.distance <= 1e-9);
                }
                prop_assert!(ray_cast(&shape, &pose, origin, direction, hit.distance * (1.0 - 1e-9) - 1e-12).is_none());
            }
            (None, marched) => prop_assert!(marched.is_none(), "missed: {marched:?}"),
        }
    }

    #[test]
    fn distances_are_those_of_projections(a in convex(), b in convex(), pose_a in pose(), mut pose_b in pose(), shift in vector(-4.0..4.0)) {
        pose_b.position += shift;
        let found = distance(&a, &pose_a, &b, &pose_b);
        // Projecting back and forth converges to the closest pair of convex sets.
        let mut point = pose_b.position;
        let mut least = f64::INFINITY;
        for _ in 0..20_000 {
            let project = |shape, pose, p| {
                let near = closest_point(shape, pose, p);
                if near.inside { p } else { near.point }
            };
            let on_a = project(&a, &pose_a, point);
            let on_b = project(&b, &pose_b, on_a);
            let length = (on_a - on_b).length();
            if length >= least * (1.0 - 1e-14) || length < 1e-9 {
                least = least.min(length);
                break;
            }
            least = length;
            point = on_b;
        }
        // In touch the projections only creep, so they bound from above.
        prop_assert!(found <= least + 1e-7, "{found} {least}");
        prop_assert!(found >= least - 1e-6 || least < 1e-3, "{found} {least}");
        prop_assert!((found - distance(&b, &pose_b, &a, &pose_a)).abs() <= 1e-6 * found.max(1e-3));
        if found > 1e-6 || least == 0.0 {
            prop_assert_eq!(overlap(&a, &pose_a, &b, &pose_b), found == 0.0);
        }
    }

    #[test]
    fn half_spaces_see_the_lowest_point(shape in convex(), pose in pose(), ground in pose()) {
        let found = distance(&shape, &pose, &Shape::half_space(), &ground);
        let normal = ground.rotation * DVec3::Z;
        // The support point as the limit of closest points to far points below.
        let below = pose.position - 1e7 * normal;
        let lowest = closest_point(&shape, &pose, below).point;
        let height = normal.dot(lowest - ground.position).max(0.0);
        prop_assert!((found - height).abs() < 1e-5, "{found} {height}");
        prop_assert_eq!(overlap(&shape, &pose, &Shape::half_space(), &ground), found == 0.0);
    }

    #[test]
    fn a_mesh_of_a_box_answers_as_the_box(half in vector(0.1..2.0), pose in pose(), point in vector(-4.0..4.0), aim in vector(-1.0..1.0), other in convex(), other_pose in pose(), shift in vector(-4.0..4.0)) {
        let solid = Shape::cuboid(half).unwrap();
        let mesh = box_mesh(half);
        let (a, b) = (closest_point(&solid, &pose, point), closest_point(&mesh, &pose, point));
        prop_assert!((a.distance - b.distance).abs() < 1e-12 && a.inside == b.inside, "{a:?} {b:?}");
        let direction = pose.position + 2.0 * aim - point;
        let hits = [&solid, &mesh].map(|shape| ray_cast(shape, &pose, point, direction, 50.0));
        if let [Some(a), Some(b)] = hits {
            // To a ray the mesh is hollow.
            prop_assert!(a.distance == 0.0 || ((a.distance - b.distance).abs() < 1e-11 && (a.normal - b.normal).length() < 1e-9));
        } else {
            prop_assert!(hits[0].is_none() && hits[1].is_none(), "{hits:?}");
        }
        let moved = Pose::new(other_pose.position + shift, other_pose.rotation);
        let [a, b] = [&solid, &mesh].map(|shape| distance(shape, &pose, &other, &moved));
        prop_assert!((a - b).abs() < 1e-6 * a.max(1e-2), "{a} {b}");
        if let Shape::Box { half } = other {
            let c = distance(&mesh, &pose, &box_mesh(half), &moved);
            prop_assert!((a - c).abs() < 1e-6 * a.max(1e-2), "{a} {c}");
        }
    }

    #[test]
    fn height_fields_answer_as_their_triangles(heights in prop::collection::vec(-1.0..1.0_f64, 20), point in vector(-4.0..4.0), target in vector(-2.0..2.0), pose in pose()) {
        let size = DVec2::new(4.0, 3.0);
        let field = Shape::height_field(5, 4, heights, size).unwrap();
        let Shape::HeightField(ref data) = field else { unreachable!() };
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for t in 0..data.triangle_count() as u32 {
            triangles.push([3 * t, 3 * t + 1, 3 * t + 2]);
            vertices.extend(data.triangle_corners(t));
        }
        let mesh = Shape::mesh(vertices, triangles).unwrap();
        let world = pose.point(point);
        let (a, b) = (closest_point(&field, &pose, world), closest_point(&mesh, &pose, world));
        prop_assert!((a.distance.abs() - b.distance).abs() < 1e-9, "{a:?} {b:?}");
        // Inside is where a ray straight up meets the surface.
        let up = ray_cast(&mesh, &Pose::IDENTITY, point, DVec3::Z, 10.0);
        prop_assert_eq!(a.inside, up.is_some());
        let direction = pose.vector(target - point);
        let hits = [&field, &mesh].map(|shape| ray_cast(shape, &pose, world, direction, 20.0).map(|hit| hit.distance));
        prop_assert_eq!(hits[0].is_some(), hits[1].is_some());
        if let [Some(a), Some(b)] = hits {
            prop_assert!((a - b).abs() < 1e-9, "{a} {b}");
        }
        let ball = Shape::cuboid(DVec3::splat(0.3)).unwrap();
        if !a.inside {
            let [c, d] = [&field, &mesh].map(|shape| distance(shape, &pose, &ball, &Pose::at(world)));
            prop_assert!((c - d).abs() < 1e-6 || c == 0.0, "{c} {d}");
        }
    }
}

fn box_mesh(half: DVec3) -> Shape {
    let corner = |i: i32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)) * 2.0 - 1.0;
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Shape::mesh((0..8).map(|i| corner(i) * half).collect(), triangles).unwrap()
}

#[test]
fn compounds_answer_by_parts() {
    let ball = Shape::sphere(1.0).unwrap();
    let pair = Shape::compound(vec![
        (Pose::at(DVec3::X * 3.0), ball.clone()),
        (Pose::at(DVec3::X * -3.0), ball.clone()),
    ])
    .unwrap();
    let pose = Pose::at(DVec3::Y);
    let hit = ray_cast(&pair, &pose, DVec3::new(10.0, 1.0, 0.0), -DVec3::X, 100.0).unwrap();
    assert!((hit.distance - 6.0).abs() < 1e-14 && hit.normal == DVec3::X);
    let near = closest_point(&pair, &pose, DVec3::new(-3.5, 1.0, 0.0));
    assert!(near.inside && (near.distance + 0.5).abs() < 1e-14 && near.point == DVec3::new(-4.0, 1.0, 0.0));
    assert!((distance(&pair, &pose, &ball, &Pose::at(DVec3::new(0.0, 1.0, 0.0))) - 1.0).abs() < 1e-14);
    assert!(overlap(&pair, &pose, &pair, &Pose::at(DVec3::new(6.5, 1.0, 0.0))));
    assert!(!overlap(&pair, &pose, &pair, &Pose::at(DVec3::new(0.0, 4.0, 0.0))));
}

#[test]
fn ellipsoids_in_their_hard_places() {
    // On the axes and planes of symmetry the closest point may leave the plane; thin discs and needles.
    for radii in [[3.0, 2.0, 1.0], [1.0, 1.0, 1.0], [5.0, 5.0, 1e-3], [1e-3, 1e-3, 5.0], [2.0, 1.0, 1.0]] {
        let radii = DVec3::from(radii);
        let shape = Shape::ellipsoid(radii).unwrap();
        for p in [
            [0.0, 0.0, 0.0],
            [0.1, 0.0, 0.0],
            [0.0, 0.5, 0.0],
            [0.0, 0.0, 0.4],
            [2.9, 0.0, 0.0],
            [9.0, 0.0, 0.0],
            [0.0, 7.0, 1e-300],
            [0.3, 0.3, 0.0],
            [1e-17, 0.0, 1e-9],
        ] {
            let p = DVec3::from(p);
            let found = closest_point(&shape, &Pose::IDENTITY, p);
            assert!(((found.point / radii).length() - 1.0).abs() < 1e-12, "{radii} {p}: {found:?}");
            // No point of a fine net of the surface is closer.
            let least = directions(20_000).map(|d| (d * radii - p).length()).fold(f64::INFINITY, f64::min);
            assert!(found.distance.abs() <= least + 1e-12, "{radii} {p}: {found:?} {least}");
        }
    }
}

#[test]
fn queries_scale_with_the_unit() {
    let (a, b) = (Shape::cylinder(1.0, 2.0).unwrap(), Shape::cone(0.7, 0.4).unwrap());
    let turn = DQuat::from_scaled_axis(DVec3::new(0.4, -0.8, 0.3));
    let reference = distance(&a, &Pose::IDENTITY, &b, &Pose::new(DVec3::new(2.5, 1.0, 0.5), turn));
    assert!(reference > 0.5);
    for unit in [1e-9, 1e-3, 1e6] {
        let (a, b) =
            (Shape::cylinder(unit, 2.0 * unit).unwrap(), Shape::cone(0.7 * unit, 0.4 * unit).unwrap());
        let pose = Pose::new(DVec3::new(2.5, 1.0, 0.5) * unit, turn);
        assert!((distance(&a, &Pose::IDENTITY, &b, &pose) / unit - reference).abs() < 1e-6);
        let hit = ray_cast(&a, &Pose::IDENTITY, DVec3::X * (5.0 * unit), -DVec3::X, f64::INFINITY).unwrap();
        assert!((hit.distance / unit - 4.0).abs() < 1e-12);
    }
}

#[test]
fn numbers_that_are_not_finite_hit_nothing() {
    let shapes = [Shape::cylinder(1.0, 1.0).unwrap(), box_mesh(DVec3::ONE), Shape::half_space()];
    let broken = Pose::at(DVec3::new(f64::NAN, 0.0, 0.0));
    for a in &shapes {
        assert!(ray_cast(a, &Pose::IDENTITY, DVec3::splat(f64::NAN), DVec3::X, 1.0).is_none());
        assert!(ray_cast(a, &Pose::IDENTITY, DVec3::Z * 5.0, DVec3::ZERO, 1.0).is_none());
        assert!(ray_cast(a, &Pose::IDENTITY, DVec3::Z * 5.0, -DVec3::Z * 1e300, f64::INFINITY).is_some());
        assert!(ray_cast(a, &broken, DVec3::Z * 5.0, -DVec3::Z, 9.0).is_none());
        for b in &shapes {
            assert_eq!(distance(a, &broken, b, &Pose::IDENTITY), f64::INFINITY);
        }
    }
}
