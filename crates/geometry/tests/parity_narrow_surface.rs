//! Contacts with meshes and height fields: the same as with the bodies they stand for, without bumps at inner edges.

use crate::narrow_support::*;
use glam::{DQuat, DVec2, DVec3};
use huygens_geometry::{Pose, Shape};

/// A flat floor z = 0 of `n` by `n` cells, its vertices shifted at random in the plane and its diagonals in turn.
fn floor(n: usize, size: f64) -> Shape {
    let mut r = random(3);
    let step = size / n as f64;
    let mut vertices = Vec::new();
    for j in 0..=n {
        for i in 0..=n {
            let inner = |k: usize| k > 0 && k < n;
            let shift = |k: usize, x: f64| if inner(k) { 0.3 * (x - 0.5) * step } else { 0.0 };
            let (x, y) = (i as f64 * step - 0.5 * size, j as f64 * step - 0.5 * size);
            vertices.push(DVec3::new(x + shift(i, r()), y + shift(j, r()), 0.0));
        }
    }
    let at = |i: usize, j: usize| (i + (n + 1) * j) as u32;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    Shape::mesh(vertices, triangles).unwrap()
}

/// A box as a mesh of twelve triangles.
fn box_mesh(half: DVec3) -> Shape {
    let vertices: Vec<DVec3> = (0..8)
        .map(|i| half * DVec3::from_array([0, 1, 2].map(|k| if i >> k & 1 == 1 { 1.0 } else { -1.0 })))
        .collect();
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]).collect();
    Shape::mesh(vertices, triangles).unwrap()
}

#[test]
fn a_ball_rolls_over_inner_edges_without_a_bump() {
    let floor = floor(8, 8.0);
    let pose = Pose::new(DVec3::new(0.3, -0.2, 0.1), DQuat::from_rotation_z(0.4));
    let ball = Shape::sphere(0.5).unwrap();
    let mut feature = None;
    for i in 0..4000 {
        let t = i as f64 / 4000.0;
        let x = DVec3::new(6.0 * t - 3.0, 2.0 * (7.0 * t).sin(), 0.6 - 1e-3);
        let points = touch(&ball, &Pose::at(x), &floor, &pose, 0.01);
        assert_eq!(points.len(), 1, "at {x}");
        assert!((points[0].normal + DVec3::Z).length() < 1e-12, "at {x}: {:?}", points[0]);
        assert!((points[0].gap + 1e-3).abs() < 1e-12);
        assert_eq!(*feature.get_or_insert(points[0].feature), points[0].feature);
    }
    // Exactly above a vertex and an edge.
    let Shape::Mesh(mesh) = &floor else { unreachable!() };
    for triangle in mesh.triangles() {
        let [a, b, _] = triangle.map(|v| mesh.vertices()[v as usize]);
        for p in [a, 0.5 * (a + b)] {
            let center = pose.point(p + DVec3::Z * 0.5);
            let points = touch(&ball, &Pose::at(center), &floor, &pose, 0.01);
            assert_eq!(points.len(), 1);
            assert!((points[0].normal + DVec3::Z).length() < 1e-9);
        }
    }
}

#[test]
fn a_ball_touches_a_box_of_triangles_like_a_box() {
    let half = DVec3::new(0.7, 0.5, 0.4);
    let (mesh, cuboid) = (box_mesh(half), Shape::cuboid(half).unwrap());
    let mut r = random(5);
    for _ in 0..2000 {
        let q = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
        let pose = Pose::new(DVec3::new(r(), r(), r()), q);
        let center = pose.point(DVec3::new(r() - 0.5, r() - 0.5, r() - 0.5) * 2.5);
        let ball = Shape::sphere(0.25).unwrap();
        let by_box = touch(&ball, &Pose::at(center), &cuboid, &pose, 0.2);
        let by_mesh = touch(&ball, &Pose::at(center), &mesh, &pose, 0.2);
        // Deep inside, the surface of a mesh is out of reach.
        if by_box.is_empty() || by_box[0].gap < -0.4 {
            continue;
        }
        assert_eq!(by_mesh.len(), 1, "{by_box:?}");
        assert!((by_box[0].gap - by_mesh[0].gap).abs() < 1e-12);
        assert!((by_box[0].normal - by_mesh[0].normal).length() < 1e-6);
    }
}

#[test]
fn a_ball_in_a_groove_touches_both_walls() {
    let vertices = [(-1.0, 1.0), (0.0, 0.0), (1.0, 1.0)]
        .iter()
        .flat_map(|&(x, z)| [DVec3::new(x, -1.0, z), DVec3::new(x, 1.0, z)])
        .collect();
    let groove = Shape::mesh(vertices, vec![[0, 2, 1], [1, 2, 3], [2, 4, 3], [3, 4, 5]]).unwrap();
    let ball = Shape::sphere(0.2).unwrap();
    let center = DVec3::new(0.0, 0.1, 0.2 * 2f64.sqrt());
    let points = touch(&ball, &Pose::at(center), &groove, &Pose::IDENTITY, 1e-3);
    assert_eq!(points.len(), 2);
    for p in points {
        assert!(p.gap.abs() < 1e-12 && (p.normal.z + 0.5f64.sqrt()).abs() < 1e-12);
    }
}

/// On a flat mesh or height field everything touches as on a half-space.
#[test]
fn convex_shapes_touch_a_flat_surface_like_a_half_space() {
    let surfaces = [floor(8, 8.0), Shape::height_field(9, 9, vec![0.0; 81], DVec2::splat(8.0)).unwrap()];
    let mut r = random(11);
    for surface in &surfaces {
        for kind in 0..CONVEX_KINDS {
            for upright in [true, false] {
                for _ in 0..60 {
                    let shape = convex_shape(kind, [r(), r(), r()]);
                    let free = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
                    let q = if upright { DQuat::from_rotation_z(6.0 * r()) } else { free };
                    let mut pose = Pose::new(DVec3::new(4.0 * r() - 2.0, 4.0 * r() - 2.0, 0.0), q);
                    let lowest = shape.aabb(&pose).min.z;
                    pose.position.z = -lowest - 1e-3 + 5e-3 * r();
                    let flat = touch(&shape, &pose, &Shape::HalfSpace, &Pose::IDENTITY, 0.02);
                    let mesh = touch(&shape, &pose, surface, &Pose::IDENTITY, 0.02);
                    let what = format!("{} on {} at {pose:?}", shape.kind_name(), surface.kind_name());
                    assert!(!flat.is_empty() && !mesh.is_empty(), "{what}");
                    assert!(mesh.len() <= 4, "{what}: {} points", mesh.len());
                    for p in &mesh {
                        assert!((p.normal + DVec3::Z).length() < 1e-9, "{what}: ghost normal {}", p.normal);
                        assert!(p.point_b.z.abs() < 1e-9, "{what}");
                    }
                    let (f, m) = (smallest_gap(&flat), smallest_gap(&mesh));
                    assert!((f - m).abs() < 1e-5, "{what}: {m} instead of {f}");
                }
            }
        }
    }
}

#[test]
fn convex_shapes_touch_a_box_of_triangles_like_a_box() {
    let half = DVec3::new(0.9, 0.7, 0.8);
    let (mesh, cuboid) = (box_mesh(half), Shape::cuboid(half).unwrap());
    let mut r = random(13);
    let mut compared = 0;
    for kind in 1..CONVEX_KINDS {
        for _ in 0..100 {
            let shape = convex_shape(kind, [0.3 * r(), 0.3 * r(), 0.3 * r()]);
            let q = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
            let direction = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]) * DVec3::Z;
            let pose = Pose::new(direction * (0.7 + 0.9 * r()), q);
            let by_box = touch(&shape, &pose, &cuboid, &Pose::IDENTITY, 0.1);
            let by_mesh = touch(&shape, &pose, &mesh, &Pose::IDENTITY, 0.1);
            let truth = smallest_gap(&by_box);
            if !(truth > 0.0 && truth < 0.095) {
                continue;
            }
            compared += 1;
            let got = smallest_gap(&by_mesh);
            let what = format!("{} at {pose:?}", shape.kind_name());
            assert!((got - truth).abs() < 2e-3 * truth + 1e-5, "{what}: {got} instead of {truth}");
        }
    }
    assert!(compared > 50, "only {compared} pairs");
}

#[test]
fn cubes_of_triangles_rest_on_each_other_and_on_the_ground() {
    let (big, small) = (box_mesh(DVec3::splat(1.0)), box_mesh(DVec3::splat(0.5)));
    for (angle, overhang) in [(0.0, 0.0), (0.3, 0.1), (std::f64::consts::FRAC_PI_4, 0.8)] {
        let pose = Pose::new(DVec3::new(overhang, 0.02, 1.499), DQuat::from_rotation_z(angle));
        for swapped in [false, true] {
            let points = if swapped {
                touch(&small, &pose, &big, &Pose::IDENTITY, 0.01)
            } else {
                touch(&big, &Pose::IDENTITY, &small, &pose, 0.01)
            };
            assert_eq!(points.len(), 4, "turned by {angle}");
            let center = points.iter().map(|p| p.point_a).sum::<DVec3>() / 4.0;
            let up = if swapped { -1.0 } else { 1.0 };
            for p in &points {
                assert!((p.normal - DVec3::Z * up).length() < 1e-9, "{:?}", p.normal);
                assert!((p.gap + 1e-3).abs() < 1e-9);
                assert!((p.point_a - center).length() > 0.1);
            }
        }
    }
    let pose = Pose::new(DVec3::new(0.0, 0.0, 0.4995), DQuat::from_rotation_z(0.3));
    let points = touch(&Shape::HalfSpace, &Pose::IDENTITY, &small, &pose, 0.01);
    assert_eq!(points.len(), 4);
    assert!(points.iter().all(|p| (p.gap + 5e-4).abs() < 1e-12 && p.normal == DVec3::Z));
}

#[test]
fn a_height_field_is_the_mesh_of_its_triangles() {
    let (nx, ny, size) = (7, 6, DVec2::new(3.0, 2.5));
    let mut r = random(17);
    let heights: Vec<f64> = (0..nx * ny).map(|_| 0.3 * r()).collect();
    let field = Shape::height_field(nx, ny, heights, size).unwrap();
    let Shape::HeightField(data) = &field else { unreachable!() };
    let vertices = (0..nx * ny).map(|k| data.sample(k % nx, k / nx)).collect();
    let mut triangles = Vec::new();
    for j in 0..ny - 1 {
        for i in 0..nx - 1 {
            let k = (i + nx * j) as u32;
            let n = nx as u32;
            triangles.extend([[k, k + 1, k + n + 1], [k, k + n + 1, k + n]]);
        }
    }
    let mesh = Shape::mesh(vertices, triangles).unwrap();
    let ground = Pose::new(DVec3::new(0.1, 0.2, 0.3), DQuat::from_rotation_y(0.2));
    for kind in 0..CONVEX_KINDS {
        for _ in 0..60 {
            let shape = convex_shape(kind, [0.1 * r(), 0.1 * r(), 0.1 * r()]);
            let q = rotation([r() - 0.5, r() - 0.5, r() - 0.5, r() - 0.5]);
            let x = DVec3::new(2.0 * r() - 1.0, 2.0 * r() - 1.0, 0.2 + 0.4 * r());
            let pose = Pose::new(ground.point(x), q);
            let (f, m) =
                (touch(&shape, &pose, &field, &ground, 0.05), touch(&shape, &pose, &mesh, &ground, 0.05));
            assert_eq!(f.len(), m.len(), "{} at {pose:?}", shape.kind_name());
            assert!((smallest_gap(&f) - smallest_gap(&m)).abs() < 1e-9 || f.is_empty());
        }
    }
}
