//! Room for bodies in fills: as much as their volume, and nothing that markers push at once.

use std::f64::consts::PI;
use std::sync::Arc;

use huygens_geometry::{Pose, Shape, TriangleMesh};
use huygens_kernel::{Quat, Vec3};
use huygens_particles::fill::Region;
use huygens_particles::sph::{FlowSpace, MarkerLayout};

const D: f64 = 0.1;

fn layout(space: FlowSpace) -> MarkerLayout {
    MarkerLayout { spacing: D, layers: 3, space }
}

fn nearest(from: &[Vec3], to: &[Vec3], own: bool) -> f64 {
    let least = |at: &Vec3| {
        let others = to.iter().filter(|other| !own || *other != at);
        others.map(|other| other.distance(*at)).fold(f64::INFINITY, f64::min)
    };
    from.iter().map(least).fold(f64::INFINITY, f64::min)
}

/// An octahedron, as a mesh; its volume is 4/3 r³.
fn octahedron(radius: f64) -> Shape {
    let points: Vec<Vec3> = Vec3::AXES.iter().flat_map(|axis| [*axis * radius, -*axis * radius]).collect();
    let mut triangles = Vec::new();
    for x in [0, 1] {
        for y in [2, 3] {
            for z in [4, 5] {
                let odd = (x + y + z) % 2 == 1;
                triangles.push(if odd { [x, z, y] } else { [x, y, z] });
            }
        }
    }
    Shape::Mesh(Arc::new(TriangleMesh::new(points, triangles).unwrap()))
}

#[test]
fn a_fill_leaves_as_much_room_as_a_body_has() {
    let plane = FlowSpace::Plane { normal: 1 };
    let turned = Quat::from_axis_angle(Vec3::new(1.0, 2.0, 3.0).normalize(), 0.7);
    let in_plane = Quat::from_axis_angle(Vec3::Y, 0.5);
    let off = Vec3::new(0.013, 0.0, -0.037);
    let cuboid = Shape::cuboid(Vec3::new(0.3, 0.2, 0.27)).unwrap();
    let cases = [
        // The sphere of 15 mm in particles of 2 mm, on a point of the lattice and off all.
        (
            FlowSpace::Space,
            Shape::sphere(0.375).unwrap(),
            Quat::IDENTITY,
            Vec3::ZERO,
            4.0 / 3.0 * PI * 3.75_f64.powi(3),
        ),
        (
            FlowSpace::Space,
            Shape::sphere(0.375).unwrap(),
            Quat::IDENTITY,
            off,
            4.0 / 3.0 * PI * 3.75_f64.powi(3),
        ),
        (FlowSpace::Space, cuboid.clone(), turned, off, 8.0 * 3.0 * 2.0 * 2.7),
        (FlowSpace::Space, octahedron(0.5), turned, off, 4.0 / 3.0 * 125.0),
        (plane, Shape::sphere(0.5).unwrap(), Quat::IDENTITY, off, 25.0 * PI),
        (plane, Shape::sphere(0.5).unwrap(), Quat::IDENTITY, Vec3::Y * 0.7, 25.0 * PI),
        (plane, cuboid, in_plane, off, 4.0 * 3.0 * 2.7),
        (plane, Shape::cuboid(Vec3::new(0.4, 0.01, 0.3)).unwrap(), in_plane, off, 4.0 * 4.0 * 3.0),
    ];
    for (space, shape, rotation, offset, cells) in cases {
        let layout = layout(space);
        let [low, high] = match space {
            FlowSpace::Space => [Vec3::splat(-0.8), Vec3::splat(0.8)],
            FlowSpace::Plane { .. } => [Vec3::new(-1.0, 0.0, -1.0), Vec3::new(1.0, 0.0, 1.0)],
        };
        let fluid = layout.fill_region(&Region::Box { low, high }).unwrap();
        let pose = Pose { position: offset, rotation };
        let made = layout.body_markers(&[(pose, shape.clone())], Quat::IDENTITY).unwrap();
        let markers: Vec<Vec3> = made.points.iter().map(|at| space.project(*at)).collect();
        let rest = layout.without_bodies(fluid.clone(), &made.shapes, &markers, &[]);
        let removed = (fluid.len() - rest.len()) as f64;
        assert!((removed - cells).abs() < 1.0 + 0.015 * cells, "{shape:?} {offset}: {removed} {cells}");
        assert!(nearest(&rest, &markers, false) > 0.85 * D, "{shape:?}");
        assert!(nearest(&rest, &rest, true) > 0.85 * D, "{shape:?}");
        assert!(rest.iter().all(|at| space.normal().is_none_or(|normal| at[normal] == 0.0)));
    }
}
