//! Faces at rest: four points far apart, with names that last.

use crate::narrow_support::*;
use glam::{DQuat, DVec3};
use huygens_geometry::{ContactPoint, Pose, Shape};

fn slab() -> Shape {
    Shape::cuboid(DVec3::new(2.0, 1.5, 0.5)).unwrap()
}

fn prism() -> Shape {
    convex_shape(9, [0.4; 3])
}

fn quad_mesh() -> Shape {
    let vertices = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(|(x, y)| DVec3::new(x, y, 0.5));
    Shape::mesh(vertices.to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap()
}

/// Pairs at rest: the lower shape at the origin with its top at z = 0.5, and the upper at its place.
fn resting() -> Vec<(Shape, Shape, Pose)> {
    let cube = || Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let at = |x: f64, y: f64, z: f64, turn: f64| Pose::new(DVec3::new(x, y, z), DQuat::from_rotation_z(turn));
    vec![
        (cube(), cube(), at(0.0, 0.0, 1.0, 0.0)),
        (cube(), cube(), at(0.5, 0.0, 1.0, 0.0)),
        (cube(), cube(), at(0.1, 0.2, 1.0, 0.7)),
        (slab(), cube(), at(0.3, 0.2, 1.0, 0.3)),
        (slab(), prism(), at(0.3, 0.2, 1.1, 0.3)),
        (prism(), prism(), Pose::new(DVec3::new(0.0, 0.0, 1.2), DQuat::from_rotation_z(0.2))),
        (slab(), Shape::cylinder(0.5, 0.5).unwrap(), at(0.3, 0.2, 1.0, 0.3)),
        (slab(), Shape::rounded_box(DVec3::splat(0.4), 0.1).unwrap(), at(0.3, 0.2, 1.0, 0.3)),
        (slab(), Shape::cone(0.5, 0.5).unwrap(), at(0.3, 0.2, 1.0, 0.3)),
        (quad_mesh(), cube(), at(0.3, 0.2, 1.0, 0.3)),
        (quad_mesh(), prism(), at(0.3, 0.2, 1.1, 0.3)),
        (quad_mesh(), Shape::cylinder(0.5, 0.5).unwrap(), at(0.3, 0.2, 1.0, 0.3)),
    ]
}

fn names(points: &[ContactPoint]) -> Vec<u32> {
    let mut names: Vec<u32> = points.iter().map(|p| p.feature).collect();
    names.sort_unstable();
    names
}

#[test]
fn faces_at_rest_keep_four_points_and_their_names() {
    let mut r = random(23);
    for (lower, upper, place) in resting() {
        let what = format!("{} on {}", upper.kind_name(), lower.kind_name());
        for height in [-1e-4, 1e-4] {
            let place = Pose::new(place.position + DVec3::Z * height, place.rotation);
            let reference = touch(&lower, &Pose::IDENTITY, &upper, &place, 0.01);
            assert_eq!(reference.len(), 4, "{what}");
            let center = reference.iter().map(|p| p.point_b).sum::<DVec3>() / 4.0;
            for p in &reference {
                assert!(
                    (p.normal - DVec3::Z).length() < 1e-9 && (p.gap - height).abs() < 1e-9,
                    "{what}: {p:?}"
                );
                assert!((p.point_b - center).length() > 0.2, "{what}: points are not spread out");
            }
            let expected = names(&reference);
            assert!(expected.windows(2).all(|w| w[0] != w[1]), "{what}: a name twice");
            for _ in 0..40 {
                let mut small = || 2e-6 * (r() - 0.5);
                let shift = DVec3::new(small(), small(), small());
                let turn = DQuat::from_scaled_axis(DVec3::new(small(), small(), small()));
                let moved = Pose::new(place.position + shift, turn * place.rotation);
                let points = touch(&lower, &Pose::IDENTITY, &upper, &moved, 0.01);
                assert_eq!(names(&points), expected, "{what} moved by {shift}");
            }
        }
    }
}

#[test]
fn round_shapes_lie_on_two_points() {
    let lying = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    let supports = [
        (Shape::HalfSpace, Pose::at(DVec3::Z * 0.5)),
        (slab(), Pose::IDENTITY),
        (quad_mesh(), Pose::IDENTITY),
    ];
    for (support, place) in supports {
        for shape in [
            Shape::capsule(0.3, 0.6).unwrap(),
            Shape::cylinder(0.3, 0.6).unwrap(),
            Shape::rounded_cylinder(0.2, 0.6, 0.1).unwrap(),
        ] {
            let what = format!("{} on {}", shape.kind_name(), support.kind_name());
            let pose = Pose::new(DVec3::new(0.2, 0.1, 0.8 - 1e-4), lying);
            let points = touch(&support, &place, &shape, &pose, 0.01);
            assert_eq!(points.len(), 2, "{what}");
            assert!((points[0].point_b - points[1].point_b).length() > 1.19, "{what}");
            for p in points {
                assert!((p.gap + 1e-4).abs() < 1e-9 && (p.normal - DVec3::Z).length() < 1e-9, "{what}");
                assert!((p.radius_b - 0.3).abs() < 1e-12, "{what}: radius {}", p.radius_b);
            }
        }
    }
    let capsule = Shape::capsule(0.3, 0.6).unwrap();
    let parallel = touch(&capsule, &Pose::IDENTITY, &capsule, &Pose::at(DVec3::new(0.59, 0.0, 0.3)), 0.01);
    assert_eq!(parallel.len(), 2);
    assert!(parallel.iter().all(|p| (p.gap + 0.01).abs() < 1e-12 && (p.normal - DVec3::X).length() < 1e-12));
    let crossed = touch(&capsule, &Pose::IDENTITY, &capsule, &Pose::new(DVec3::Y * 0.59, lying), 0.01);
    assert_eq!(crossed.len(), 1);
    assert!((crossed[0].gap + 0.01).abs() < 1e-12);
}
