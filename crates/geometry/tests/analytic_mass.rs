//! Mass properties: closed forms, sums over voxels, and meshes of shapes against the shapes.

use std::f64::consts::PI;

use glam::{DMat3, DQuat, DVec2, DVec3};
use huygens_geometry::{GeometryError, MassProperties, Pose, Shape};
use proptest::prelude::*;

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

fn same(a: &MassProperties, b: &MassProperties, tolerance: f64) -> bool {
    let size = b.inertia.to_cols_array().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let length = (size / b.mass).sqrt();
    let apart = (a.inertia - b.inertia).to_cols_array();
    close(a.mass, b.mass, tolerance)
        && (a.center - b.center).length() <= tolerance * (length + b.center.length())
        && apart.iter().all(|x| x.abs() <= tolerance * size)
}

/// Unit box with corners at 0 and 1, outwards.
fn cube() -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let vertices = (0..8).map(|i| DVec3::new((i & 1) as f64, (i >> 1 & 1) as f64, (i >> 2) as f64)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (vertices, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

fn scaled(size: DVec3) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let (vertices, triangles) = cube();
    (vertices.iter().map(|v| (*v - 0.5) * size).collect(), triangles)
}

#[test]
fn textbook_values() {
    let rho = 3.0;
    let check = |shape: Result<Shape, GeometryError>, mass: f64, center: f64, inertia: [f64; 3]| {
        let shape = shape.unwrap();
        let found = shape.mass_properties(rho).unwrap();
        let center = DVec3::new(0.0, 0.0, center);
        let inertia = DMat3::from_diagonal(inertia.into());
        let expected = MassProperties { mass, center, inertia };
        assert!(same(&found, &expected, 1e-14), "{shape:?}: {found:?}, not {expected:?}");
    };
    let m = rho * 4.0 / 3.0 * PI * 8.0;
    check(Shape::sphere(2.0), m, 0.0, [0.4 * m * 4.0; 3]);
    let m = rho * 4.0 / 3.0 * PI * 6.0;
    let fifth = m / 5.0;
    check(Shape::ellipsoid(DVec3::new(1.0, 2.0, 3.0)), m, 0.0, [13.0 * fifth, 10.0 * fifth, 5.0 * fifth]);
    let m = rho * 48.0;
    let third = m / 3.0;
    check(Shape::cuboid(DVec3::new(1.0, 2.0, 3.0)), m, 0.0, [13.0 * third, 10.0 * third, 5.0 * third]);
    let m = rho * PI * 4.0 * 6.0;
    let across = m * (3.0 * 4.0 + 36.0) / 12.0;
    check(Shape::cylinder(2.0, 3.0), m, 0.0, [across, across, 0.5 * m * 4.0]);
    let m = rho * PI * 4.0 * 6.0 / 3.0;
    let across = m * (3.0 / 20.0 * 4.0 + 3.0 / 80.0 * 36.0);
    check(Shape::cone(2.0, 3.0), m, -1.5, [across, across, 0.3 * m * 4.0]);
    // A cylinder and two half balls, each with its centre 3/8 of the radius beyond the end.
    let (bar, ball) = (rho * PI * 4.0 * 6.0, rho * 4.0 / 3.0 * PI * 8.0);
    let offset = 3.0 + 3.0 / 8.0 * 2.0;
    let half_balls = ball * (83.0 / 320.0 * 4.0 + offset * offset);
    let across = bar * (3.0 * 4.0 + 36.0) / 12.0 + half_balls;
    check(Shape::capsule(2.0, 3.0), bar + ball, 0.0, [across, across, 0.5 * bar * 4.0 + 0.4 * ball * 4.0]);
}

/// Gauss–Legendre nodes and weights on [0, 1].
const GAUSS: [(f64, f64); 5] = [
    (0.046_910_077_030_668_0, 0.118_463_442_528_094_5),
    (0.230_765_344_947_158_4, 0.239_314_335_249_683_2),
    (0.5, 0.284_444_444_444_444_4),
    (0.769_234_655_052_841_6, 0.239_314_335_249_683_2),
    (0.953_089_922_969_332, 0.118_463_442_528_094_5),
];

/// Moments of the body of revolution with radius ρ(z) between ±`end`: V, ∫z², ∫ρ² (exact to the quadrature).
fn revolved(end: f64, breaks: &[f64], radius: impl Fn(f64) -> f64) -> [f64; 3] {
    let mut sums = [0.0; 3];
    for pair in breaks.windows(2) {
        let pieces = 400;
        let width = (pair[1] - pair[0]) / pieces as f64;
        for piece in 0..pieces {
            for (node, weight) in GAUSS {
                let z = pair[0] + (piece as f64 + node) * width;
                let r2 = radius(z).powi(2);
                let area = weight * width * PI * r2;
                sums = [sums[0] + area, sums[1] + area * z * z, sums[2] + area * r2 / 2.0];
            }
        }
    }
    assert!(breaks.iter().all(|z| z.abs() <= end));
    sums
}

#[test]
fn rounded_cylinder_against_quadrature() {
    for (radius, half, border) in [(1.3, 0.7, 0.4), (0.2, 1.0, 0.9), (2.0, 0.1, 0.01)] {
        let end = half + border;
        let profile = |z: f64| {
            let beyond: f64 = f64::max(z.abs() - half, 0.0);
            radius + (border * border - beyond * beyond).max(0.0).sqrt()
        };
        let [volume, along, polar] = revolved(end, &[-end, -half, half, end], profile);
        let found = Shape::rounded_cylinder(radius, half, border).unwrap().mass_properties(1.0).unwrap();
        let across = along + polar / 2.0;
        let inertia = DMat3::from_diagonal(DVec3::new(across, across, polar));
        let expected = MassProperties { mass: volume, center: DVec3::ZERO, inertia };
        // The square root at the ends limits the quadrature.
        assert!(same(&found, &expected, 1e-6), "{found:?}, not {expected:?}");
    }
}

#[test]
fn rounded_box_against_quadrature() {
    // The cross section at x is a rounded rectangle whose border follows from the distance beyond the core.
    let (half, border) = (DVec3::new(0.5, 0.8, 1.1), 0.3);
    let mut sums = [0.0; 4];
    let pieces = 2000;
    for (from, to) in [(0.0, half.x), (half.x, half.x + border)] {
        let width = (to - from) / pieces as f64;
        for piece in 0..pieces {
            for (node, weight) in GAUSS {
                let x = from + (piece as f64 + node) * width;
                let r = (border * border - (x - half.x).max(0.0).powi(2)).max(0.0).sqrt();
                let [area, yy, zz] = rounded_rectangle(half.y, half.z, r);
                let weight = 2.0 * weight * width;
                sums[0] += weight * area;
                sums[1] += weight * area * x * x;
                sums[2] += weight * yy;
                sums[3] += weight * zz;
            }
        }
    }
    let [mass, xx, yy, zz] = sums;
    let inertia = DMat3::from_diagonal(DVec3::new(yy + zz, zz + xx, xx + yy));
    let expected = MassProperties { mass, center: DVec3::ZERO, inertia };
    let found = Shape::rounded_box(half, border).unwrap().mass_properties(1.0).unwrap();
    assert!(same(&found, &expected, 1e-6), "{found:?}, not {expected:?}");
}

/// Area, ∫y² and ∫z² of a rectangle of half edges b, c grown by r, summed over strips.
fn rounded_rectangle(b: f64, c: f64, r: f64) -> [f64; 3] {
    let strip = |y: f64| c + (r * r - (y - b).max(0.0).powi(2)).max(0.0).sqrt();
    let mut sums = [0.0; 3];
    for (from, to, pieces) in [(0.0, b, 1), (b, b + r, 12)] {
        let width = (to - from) / pieces as f64;
        for piece in 0..pieces {
            for (node, weight) in GAUSS {
                // Substituting t² from the outer end takes the square root out of the integrand.
                let t = (piece as f64 + node) / pieces as f64;
                let (y, stretch) = if r > 0.0 && from == b {
                    (to - r * t * t, 2.0 * t)
                } else {
                    (from + t * (to - from), 1.0)
                };
                let weight = 2.0 * weight * width * stretch;
                let top = strip(y);
                sums[0] += weight * 2.0 * top;
                sums[1] += weight * 2.0 * top * y * y;
                sums[2] += weight * 2.0 / 3.0 * top.powi(3);
            }
        }
    }
    sums
}

#[test]
fn a_border_of_almost_nothing_is_the_core() {
    let half = DVec3::new(0.3, 0.5, 0.9);
    let rounded = Shape::rounded_box(half, 1e-15).unwrap().mass_properties(2.0).unwrap();
    assert!(same(&rounded, &Shape::cuboid(half).unwrap().mass_properties(2.0).unwrap(), 1e-13));
    // A core of almost nothing is the ball.
    let rounded = Shape::rounded_box(half * 1e-15, 0.7).unwrap().mass_properties(2.0).unwrap();
    assert!(same(&rounded, &Shape::sphere(0.7).unwrap().mass_properties(2.0).unwrap(), 1e-13));
}

#[test]
fn meshes_and_hulls_of_a_box_are_the_box() {
    let size = DVec3::new(0.2, 1.5, 3.0);
    let shape = Shape::cuboid(size / 2.0).unwrap().mass_properties(7.0).unwrap();
    let (vertices, triangles) = scaled(size);
    let hull = Shape::hull(&vertices).unwrap().mass_properties(7.0).unwrap();
    let mesh = Shape::mesh(vertices, triangles).unwrap().mass_properties(7.0).unwrap();
    assert!(same(&mesh, &shape, 1e-14), "{mesh:?}");
    assert!(same(&hull, &shape, 1e-14), "{hull:?}");
}

/// An L of three unit cubes: concave, its centre off every axis of the parts.
fn three_cubes() -> [Pose; 3] {
    [DVec3::ZERO, DVec3::X, DVec3::Y].map(|p| Pose::at(p + 0.5))
}

#[test]
fn a_concave_mesh_is_the_sum_of_its_parts() {
    let outline =
        [[0, 0], [2, 0], [2, 1], [1, 1], [1, 2], [0, 2]].map(|[x, y]| DVec2::new(x as f64, y as f64));
    let mut vertices: Vec<DVec3> = outline.iter().map(|p| p.extend(0.0)).collect();
    vertices.extend(outline.iter().map(|p| p.extend(1.0)));
    let caps = [[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 5]];
    let mut triangles: Vec<[u32; 3]> = caps.iter().map(|&[a, b, c]| [a + 6, b + 6, c + 6]).collect();
    triangles.extend(caps.iter().map(|&[a, b, c]| [a, c, b]));
    for i in 0..6 {
        let j = (i + 1) % 6;
        triangles.extend([[i, j, j + 6], [i, j + 6, i + 6]]);
    }
    let mesh = Shape::mesh(vertices, triangles).unwrap().mass_properties(2.0).unwrap();
    let cube = Shape::cuboid(DVec3::splat(0.5)).unwrap();
    let parts = three_cubes().map(|pose| (pose, cube.clone()));
    let compound = Shape::compound(parts.to_vec()).unwrap().mass_properties(2.0).unwrap();
    assert!(same(&mesh, &compound, 1e-14), "{mesh:?}, not {compound:?}");
    assert!(close(mesh.mass, 6.0, 1e-14) && (mesh.center.x - 5.0 / 6.0).abs() < 1e-14);
}

#[test]
fn wrong_meshes_are_refused() {
    let (vertices, triangles) = cube();
    let refused = |triangles: &[[u32; 3]]| {
        let shape = Shape::mesh(vertices.clone(), triangles.to_vec()).unwrap();
        shape.mass_properties(1.0).unwrap_err()
    };
    let open = refused(&triangles[1..]);
    assert!(matches!(open, GeometryError::OpenMesh { triangles: 1, .. }), "{open}");
    let inverted: Vec<_> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    assert!(
        matches!(refused(&inverted), GeometryError::InvertedMesh { volume } if (volume + 1.0).abs() < 1e-14)
    );
    assert!(refused(&inverted).to_string().contains("flip"));
    let mut twisted = triangles.clone();
    twisted[3].swap(0, 1);
    assert!(matches!(refused(&twisted), GeometryError::OpenMesh { triangles: 2, .. }));
    let mut fin = triangles.clone();
    fin.push([0, 1, 7]);
    assert!(matches!(refused(&fin), GeometryError::NonManifoldMesh { triangles: 3, .. }));
    assert!(matches!(refused(&[[0, 1, 2], [2, 1, 0]]), GeometryError::ZeroVolume { .. }));
}

#[test]
fn other_wrong_input_is_refused() {
    let ball = Shape::sphere(1.0).unwrap();
    for density in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(ball.mass_properties(density), Err(GeometryError::Density { .. })));
    }
    assert!(matches!(Shape::half_space().mass_properties(1.0), Err(GeometryError::NoVolume { .. })));
    let ground = Shape::height_field(2, 2, vec![0.0; 4], DVec2::ONE).unwrap();
    assert!(matches!(ground.mass_properties(1.0), Err(GeometryError::NoVolume { .. })));
    for radius in [1e-120, 1e120] {
        let ball = Shape::sphere(radius).unwrap();
        assert!(matches!(ball.mass_properties(1.0), Err(GeometryError::MassRange { .. })));
    }
}

proptest! {
    #[test]
    fn a_moved_mesh_has_moved_properties(
        size in prop::array::uniform3(0.01..10.0_f64),
        position in prop::array::uniform3(-5.0..5.0_f64),
        turn in prop::array::uniform3(-3.0..3.0_f64),
    ) {
        let pose = Pose::new(position.into(), DQuat::from_scaled_axis(turn.into()));
        // A tetrahedron has no symmetry that could hide a mistake.
        let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.2, 1.0)].map(|p| p * DVec3::from(size));
        let faces = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        let still = Shape::mesh(corners.to_vec(), faces.clone()).unwrap().mass_properties(1.0).unwrap();
        let moved: Vec<DVec3> = corners.iter().map(|p| pose.point(*p)).collect();
        let moved = Shape::mesh(moved, faces).unwrap().mass_properties(1.0).unwrap();
        let combined = MassProperties::combine(&[(pose, still)]);
        prop_assert!(same(&moved, &combined, 1e-9), "{moved:?}, not {combined:?}");
        prop_assert!(close(still.mass, size.iter().product::<f64>() / 6.0, 1e-13));
        prop_assert!((still.center - corners.iter().sum::<DVec3>() / 4.0).length() < 1e-13 * DVec3::from(size).length());
    }
}
