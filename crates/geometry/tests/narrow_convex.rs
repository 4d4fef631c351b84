//! Contacts of convex shapes against brute force and closed forms.

mod narrow_support;

use glam::{DQuat, DVec3};
use huygens_geometry::{ContactPoint, Pose, Shape};
use narrow_support::*;

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
