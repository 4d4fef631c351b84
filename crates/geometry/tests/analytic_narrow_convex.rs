//! Contacts of convex shapes against brute force and closed forms.

use crate::narrow_support::*;
use glam::{DQuat, DVec3};
use huygens_geometry::{ContactPoint, Pose, Shape};

struct Case {
    a: Shape,
    b: Shape,
    pa: Pose,
    pb: Pose,
}

/// Random pairs of every two kinds; centres `apart` sizes from each other.
fn cases(per_pair: usize, apart: std::ops::Range<f64>) -> Vec<Case> {
    let mut r = random(7);
    let mut list = Vec::new();
    for i in 0..CONVEX_KINDS {
        for j in 0..CONVEX_KINDS {
            for _ in 0..per_pair {
                let a = convex_shape(i, [r(), r(), r()]);
                let b = convex_shape(j, [r(), r(), r()]);
                let mut pose = || rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
                let (qa, qb) = (pose(), pose());
                let direction = qa * qb * DVec3::Z;
                let distance = (apart.start + r() * (apart.end - apart.start))
                    * (a.bounding_radius() + b.bounding_radius());
                let pa = Pose::new(DVec3::new(r(), r(), r()), qa);
                let pb = Pose::new(pa.position + direction * distance, qb);
                list.push(Case { a, b, pa, pb });
            }
        }
    }
    list
}

fn check_sound(points: &[ContactPoint], what: &str) {
    for p in points {
        assert!((p.normal.length() - 1.0).abs() < 1e-12, "{what}: normal {:?}", p.normal);
        let gap = (p.point_b - p.point_a).dot(p.normal);
        assert!((gap - p.gap).abs() < 1e-9, "{what}: gap {} but points say {gap}", p.gap);
        let across = (p.point_b - p.point_a) - p.normal * gap;
        assert!(across.length() < 1e-6, "{what}: points are {} aside of each other", across.length());
        assert!(p.radius_a > 0.0 && p.radius_b > 0.0, "{what}: radii {} {}", p.radius_a, p.radius_b);
    }
    for (i, p) in points.iter().enumerate() {
        assert!(points[..i].iter().all(|q| q.feature != p.feature), "{what}: feature {} twice", p.feature);
    }
    assert!(points.len() <= 4, "{what}: {} points", points.len());
}

/// The separation along the reported normal bounds the distance from below, the reported points from above: where both
/// agree, the distance is right. Overlap has to be the least over all directions besides.
#[test]
fn gaps_are_the_largest_separation_of_all_directions() {
    for case in cases(6, 0.3..1.2) {
        let Case { a, b, pa, pb } = &case;
        let what = format!("{} and {} at {:?}", a.kind_name(), b.kind_name(), pb);
        let envelope = 0.5;
        let points = touch(a, pa, b, pb, envelope);
        check_sound(&points, &what);
        let Some(deepest) = points.iter().min_by(|p, q| p.gap.total_cmp(&q.gap)) else {
            // Brute force finds less than the distance, never more.
            assert!(brute_force_gap(a, pa, b, pb) > envelope - 1e-2, "{what}: no contact");
            continue;
        };
        let gap = deepest.gap;
        let certificate = separation(a, pa, b, pb, deepest.normal);
        // Boxes prefer faces to edges that separate a little more; discs of cylinders are polygons to the clipping.
        let tolerance = if gap > 0.0 { 1e-3 * gap + 1e-7 } else { 1e-5 };
        assert!((certificate - gap).abs() < tolerance, "{what}: {gap}, but {certificate} along its normal");
        if gap < 0.0 {
            let least = brute_force_gap(a, pa, b, pb);
            assert!(gap > least - 2e-3, "{what}: overlap {gap}, but {least} is possible");
        }
    }
}

fn transformed(points: &[ContactPoint], by: &Pose) -> Vec<ContactPoint> {
    points
        .iter()
        .map(|p| ContactPoint {
            point_a: by.point(p.point_a),
            point_b: by.point(p.point_b),
            normal: by.vector(p.normal),
            ..*p
        })
        .collect()
}

/// Largest distance of a point of one list from the other list, in position and normal.
fn difference(p: &[ContactPoint], q: &[ContactPoint]) -> f64 {
    let distance = |x: &ContactPoint, y: &ContactPoint| {
        (x.point_a - y.point_a)
            .length()
            .max((x.point_b - y.point_b).length())
            .max((x.normal - y.normal).length())
    };
    let one_way = |p: &[ContactPoint], q: &[ContactPoint]| {
        p.iter().map(|x| q.iter().map(|y| distance(x, y)).fold(f64::INFINITY, f64::min)).fold(0.0, f64::max)
    };
    one_way(p, q).max(one_way(q, p))
}

#[test]
fn deepest_contact_is_the_same_seen_from_either_shape_and_from_anywhere() {
    let deepest = |mut list: Vec<ContactPoint>| {
        list.sort_by(|p, q| p.gap.total_cmp(&q.gap));
        list.truncate(1);
        list
    };
    let motion =
        Pose::new(DVec3::new(3.0, -2.0, 5.0), DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 1.1, -2.0));
    let mut compared = 0;
    for case in cases(4, 0.4..1.1) {
        let Case { a, b, pa, pb } = &case;
        let what = format!("{} and {} at {pb:?}", a.kind_name(), b.kind_name());
        let points = deepest(touch(a, pa, b, pb, 0.1));
        let mirrored: Vec<_> = deepest(touch(b, pb, a, pa, 0.1))
            .into_iter()
            .map(|p| ContactPoint { point_a: p.point_b, point_b: p.point_a, normal: -p.normal, ..p })
            .collect();
        let moved = deepest(touch(a, &(motion * *pa), b, &(motion * *pb), 0.1));
        assert_eq!(
            (points.len(), mirrored.len(), moved.len()),
            (points.len(), points.len(), points.len()),
            "{what}"
        );
        for other in [mirrored, transformed(&moved, &motion.inverse())] {
            let gaps = (smallest_gap(&points), smallest_gap(&other));
            assert!((gaps.0 - gaps.1).abs() < 1e-5 || points.is_empty(), "{what}: {gaps:?}");
            // Curved overlapping shapes are found to the tolerance of an iteration.
            if !points.is_empty() && points[0].gap > 1e-3 {
                compared += 1;
                let shift = difference(&points, &other);
                assert!(shift < 2e-3, "{what}: contact moves by {shift}");
            }
        }
    }
    assert!(compared > 40, "only {compared} compared");
}

#[test]
fn nothing_breaks_where_shapes_coincide_or_touch_exactly() {
    let turns =
        [DQuat::IDENTITY, DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2), DQuat::from_rotation_z(1e-9)];
    for i in 0..CONVEX_KINDS {
        for j in 0..CONVEX_KINDS {
            let (a, b) = (convex_shape(i, [0.3; 3]), convex_shape(j, [0.3; 3]));
            for q in turns {
                for x in [DVec3::ZERO, DVec3::X * 1e-15, DVec3::Z, DVec3::X, DVec3::splat(1e-200)] {
                    let points = touch(&a, &Pose::IDENTITY, &b, &Pose::new(x, q), 0.01);
                    let what = format!("{} and {} at {x} turned by {q}", a.kind_name(), b.kind_name());
                    check_sound(&points, &what);
                    assert!(points.iter().all(|p| p.gap.is_finite()), "{what}");
                    assert!(x.length() > 0.5 || !points.is_empty(), "{what}: no contact");
                }
            }
        }
    }
}

#[test]
fn positions_that_are_not_numbers_give_no_contact() {
    for i in 0..CONVEX_KINDS {
        for j in 0..CONVEX_KINDS {
            let (a, b) = (convex_shape(i, [0.3; 3]), convex_shape(j, [0.3; 3]));
            let nowhere = Pose::new(DVec3::new(f64::NAN, 0.0, 0.0), DQuat::IDENTITY);
            assert!(touch(&a, &Pose::IDENTITY, &b, &nowhere, 0.01).is_empty());
            assert!(touch(&Shape::HalfSpace, &Pose::IDENTITY, &b, &nowhere, 0.01).is_empty());
            let far = Pose::at(DVec3::splat(1e300));
            assert!(touch(&a, &Pose::IDENTITY, &b, &far, 0.01).is_empty());
        }
    }
}

/// Sizes from micrometres to kilometres give the same contacts.
#[test]
fn contacts_scale_with_the_shapes() {
    let scaled = |shape: &Shape, s: f64| match shape {
        Shape::Box { half } => Shape::cuboid(*half * s).unwrap(),
        Shape::Cylinder { radius, half_length } => Shape::cylinder(radius * s, half_length * s).unwrap(),
        Shape::Hull(hull) => {
            Shape::hull(&hull.vertices().iter().map(|p| *p * s).collect::<Vec<_>>()).unwrap()
        }
        Shape::Ellipsoid { radii } => Shape::ellipsoid(*radii * s).unwrap(),
        _ => unreachable!(),
    };
    for case in cases(3, 0.4..1.0) {
        let Case { a, b, pa, pb } = &case;
        let kinds = ["box", "cylinder", "convex hull", "ellipsoid"];
        if !kinds.contains(&a.kind_name()) || !kinds.contains(&b.kind_name()) {
            continue;
        }
        let reference = touch(a, pa, b, pb, 0.1);
        for s in [1e-6, 1e4] {
            let pose = |p: &Pose| Pose::new(p.position * s, p.rotation);
            let points = touch(&scaled(a, s), &pose(pa), &scaled(b, s), &pose(pb), 0.1 * s);
            let what = format!("{} and {} at {pb:?} times {s}", a.kind_name(), b.kind_name());
            assert_eq!(points.len(), reference.len(), "{what}");
            let (x, y) = (smallest_gap(&reference), smallest_gap(&points) / s);
            assert!(points.is_empty() || (x - y).abs() < 1e-6, "{what}: {x} {y}");
        }
    }
}

/// Ellipsoid distances to twelve digits, computed by alternating projections.
#[test]
fn ellipsoid_distances_are_exact() {
    let check = |v: &[f64]| {
        let pose = |k: usize| {
            let q = DQuat::from_rotation_z(v[k + 3])
                * DQuat::from_rotation_y(v[k + 4])
                * DQuat::from_rotation_x(v[k + 5]);
            Pose::new(DVec3::from_slice(&v[k + 6..]), q)
        };
        let shape = |k: usize| Shape::ellipsoid(DVec3::from_slice(&v[k..])).unwrap();
        let points = touch(&shape(0), &pose(0), &shape(9), &pose(9), 1e3);
        assert_eq!(points.len(), 1);
        assert!((points[0].gap - v[18]).abs() < 1e-8, "{} instead of {}", points[0].gap, v[18]);
        assert!((points[0].point_a - DVec3::from_slice(&v[19..])).length() < 1e-8);
        assert!((points[0].point_b - DVec3::from_slice(&v[22..])).length() < 1e-8);
    };
    check(&[
        1.0,
        2.0,
        3.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        2.0,
        1.0,
        0.5,
        0.0,
        0.0,
        0.0,
        4.0,
        3.0,
        2.0,
        2.09707906003,
        0.493633009932,
        1.45286968615,
        1.43442317064,
        2.12836076217,
        2.65570982677,
        1.9622312382,
    ]);
    check(&[
        0.1,
        0.05,
        0.06,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.0,
        0.1,
        0.05,
        0.06,
        0.3,
        0.2,
        0.1,
        0.15,
        0.1,
        0.05,
        0.0307155281682,
        0.0664621408906,
        0.031111446203,
        0.0248192339928,
        0.0794627016763,
        0.0554541015598,
        0.0383049382788,
    ]);
    let Some(path) = huygens_test_support::reference("contact/ellipsoid_distances.csv") else { return };
    let text = std::fs::read_to_string(path).unwrap();
    for line in text.lines().filter(|l| !l.starts_with(['#', 'a'])) {
        check(&line.split(',').map(|x| x.trim().parse().unwrap()).collect::<Vec<f64>>());
    }
}

#[test]
fn half_spaces_touch_the_lowest_points() {
    let mut r = random(29);
    let ground = Pose::new(DVec3::new(0.3, 0.1, -0.2), rotation([0.2, -0.3, 0.1, 0.9]));
    let up = ground.vector(DVec3::Z);
    for kind in 0..CONVEX_KINDS {
        for _ in 0..100 {
            let shape = convex_shape(kind, [r(), r(), r()]);
            let q = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
            let pose = Pose::new(DVec3::new(r(), r(), r()), q);
            let lowest = pose.point(support(&shape, pose.local_vector(-up)));
            let truth = (lowest - ground.position).dot(up);
            let points = touch(&Shape::HalfSpace, &ground, &shape, &pose, 0.3);
            let what = format!("{} at {pose:?}", shape.kind_name());
            check_sound(&points, &what);
            assert_eq!(points.is_empty(), truth >= 0.3, "{what}");
            if !points.is_empty() {
                // The rim of a disc is a polygon where that is as low.
                assert!((smallest_gap(&points) - truth).abs() < 2e-6, "{what}");
                assert!(points.iter().all(|p| p.normal == up && p.gap < 0.3), "{what}");
            }
        }
    }
}

#[test]
fn a_compound_touches_with_all_its_parts() {
    let ball = Shape::sphere(0.1).unwrap();
    let places = [DVec3::new(-0.5, -0.5, 0.1), DVec3::new(0.5, -0.5, 0.1), DVec3::new(0.0, 0.5, 0.1)];
    let parts = places.iter().map(|&x| (Pose::at(x), ball.clone())).collect();
    let tripod = Shape::compound(parts).unwrap();
    let floor = Shape::cuboid(DVec3::new(2.0, 2.0, 0.5)).unwrap();
    let below = Pose::at(DVec3::Z * -0.499);
    let points = touch(&tripod, &Pose::IDENTITY, &floor, &below, 0.01);
    check_sound(&points, "tripod on floor");
    assert_eq!(points.len(), 3);
    assert!(points.iter().all(|p| (p.gap + 1e-3).abs() < 1e-12 && p.normal == -DVec3::Z));
    let mirrored = touch(&floor, &below, &tripod, &Pose::IDENTITY, 0.01);
    assert!(mirrored.iter().all(|p| p.normal == DVec3::Z) && mirrored.len() == 3);
    let twins = touch(&tripod, &Pose::IDENTITY, &tripod, &Pose::at(DVec3::Z * 0.199), 0.01);
    check_sound(&twins, "tripod on tripod");
    assert_eq!(twins.len(), 3);
}
