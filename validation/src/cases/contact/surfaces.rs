//! Meshes, hulls and height fields: rebound in every pairing, rest without jitter, rolling without bumps.

use std::collections::BTreeMap;

use glam::{DQuat, DVec2, DVec3};
use huygens_core::contact::{ContactLaw, Material};
use huygens_core::integrator::Integrator;
use huygens_geometry::Shape;
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::Body;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Scene, ball_inertia, box_inertia};

/// A ball of triangles: an icosahedron with every face divided in four, `times` times.
fn icosphere(radius: f64, times: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let t = 0.5 * (1.0 + 5f64.sqrt());
    let mut vertices: Vec<DVec3> = [
        [-1.0, t, 0.0],
        [1.0, t, 0.0],
        [-1.0, -t, 0.0],
        [1.0, -t, 0.0],
        [0.0, -1.0, t],
        [0.0, 1.0, t],
        [0.0, -1.0, -t],
        [0.0, 1.0, -t],
        [t, 0.0, -1.0],
        [t, 0.0, 1.0],
        [-t, 0.0, -1.0],
        [-t, 0.0, 1.0],
    ]
    .map(|p| DVec3::from_array(p).normalize() * radius)
    .to_vec();
    let mut triangles: Vec<[u32; 3]> = vec![
        [0, 11, 5],
        [0, 5, 1],
        [0, 1, 7],
        [0, 7, 10],
        [0, 10, 11],
        [1, 5, 9],
        [5, 11, 4],
        [11, 10, 2],
        [10, 7, 6],
        [7, 1, 8],
        [3, 9, 4],
        [3, 4, 2],
        [3, 2, 6],
        [3, 6, 8],
        [3, 8, 9],
        [4, 9, 5],
        [2, 4, 11],
        [6, 2, 10],
        [8, 6, 7],
        [9, 8, 1],
    ];
    for _ in 0..times {
        let mut middles = BTreeMap::new();
        let mut finer = Vec::with_capacity(4 * triangles.len());
        for [a, b, c] in triangles {
            let mut middle = |i: u32, j: u32| {
                *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                    let point = (vertices[i as usize] + vertices[j as usize]).normalize() * radius;
                    vertices.push(point);
                    vertices.len() as u32 - 1
                })
            };
            let (ab, bc, ca) = (middle(a, b), middle(b, c), middle(c, a));
            finer.extend([[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]);
        }
        triangles = finer;
    }
    (vertices, triangles)
}

/// Two balls of radius 0.5 m meet at ±1 m/s, each as a primitive, a mesh or a hull.
pub fn pairings(_: &Context) -> Result<Vec<Check>> {
    let (vertices, triangles) = icosphere(0.5, 2);
    let kinds = [
        ("sphere", Shape::sphere(0.5)?),
        ("mesh", Shape::mesh(vertices.clone(), triangles)?),
        ("hull", Shape::hull(&vertices)?),
    ];
    let mut checks = Vec::new();
    let material = Material { young: 2e5, restitution: 0.5, ..Material::default() };
    for (name_a, a) in &kinds {
        for (name_b, b) in &kinds {
            for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
                let (mut scene, integrator, h) = match law {
                    ContactLaw::Rigid => {
                        (Scene::rigid(DVec3::ZERO, material, 1e-9)?, Integrator::Euler, 1e-3)
                    }
                    ContactLaw::Compliant => (
                        Scene::compliant(DVec3::ZERO, material, CompliantModel::default())?,
                        Integrator::Leapfrog,
                        1e-4,
                    ),
                };
                let mut ball = |shape: &Shape, side: f64| {
                    let body = Body {
                        inertia: ball_inertia(0.5, 1.0),
                        position: DVec3::X * 0.55 * side,
                        velocity: DVec3::X * -side,
                        ..Body::default()
                    };
                    scene.add(body, shape.clone())
                };
                let (left, right) = (ball(a, -1.0)?, ball(b, 1.0)?);
                let mut run = scene.start(integrator, h)?;
                run.advance_to(0.3)?;
                let apart = (run.velocity(right).x - run.velocity(left).x) / 2.0;
                let name = format!("{name_a} and {name_b}, {law:?}: rebound speed [m/s]").to_lowercase();
                // Faceted balls meet off their centres and turn.
                checks.push(if *name_a == "sphere" || *name_b == "sphere" {
                    Check::value(name, 0.5, apart, 2e-3)
                } else {
                    Check::at_least(name, 0.05, apart)
                });
            }
        }
    }
    Ok(checks)
}

/// A flat plate of 2 n² triangles in the plane z = 0, not aligned with the direction of rolling.
fn plate(half: f64, n: usize) -> Result<Shape> {
    let at = |k: usize| half * (2.0 * k as f64 / n as f64 - 1.0);
    let vertices = (0..=n).flat_map(|j| (0..=n).map(move |i| DVec3::new(at(i), at(j), 0.0))).collect();
    let index = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Ok(Shape::mesh(vertices, triangles)?)
}

/// A ball rolls across edges and corners of a flat triangulated floor.
pub fn rolling(context: &Context) -> Result<Vec<Check>> {
    let n = 21;
    let floors = [
        ("mesh", plate(2.0, n)?),
        ("height field", Shape::height_field(n + 1, n + 1, vec![0.0; (n + 1) * (n + 1)], DVec2::splat(4.0))?),
    ];
    let mut checks = Vec::new();
    for (name, floor) in &floors {
        for direction in [DVec3::X, DVec3::new(0.8, 0.6, 0.0), DVec3::new(0.5f64.sqrt(), 0.5f64.sqrt(), 0.0)]
        {
            let mut scene = Scene::rigid(GRAVITY, Material::default(), 1e-11)?;
            scene.fixed(floor.clone(), DVec3::ZERO, DQuat::IDENTITY)?;
            let radius = 0.1;
            let body = Body {
                inertia: ball_inertia(radius, 1.0),
                position: -1.5 * direction + DVec3::Z * radius,
                velocity: direction,
                angular_velocity: DVec3::Z.cross(direction) / radius,
                ..Body::default()
            };
            let ball = scene.add(body, Shape::sphere(radius)?)?;
            let mut run = scene.start(Integrator::Euler, 1e-3)?;
            // The ball first sinks to the resting overlap.
            run.advance_to(0.3)?;
            let mut noise = 0.0f64;
            run.watch_to(context.full_or_quick(3.0, 1.0), |run| {
                noise = noise.max(run.velocity(ball).z.abs());
                Ok(())
            })?;
            let towards = format!("({:.2}, {:.2})", direction.x, direction.y);
            checks.push(Check::error(
                format!("{name}, towards {towards}: vertical speed [m/s]"),
                noise,
                1e-6,
            ));
            let speed = run.velocity(ball).length();
            checks.push(Check::value(
                format!("{name}, towards {towards}: speed at the end [m/s]"),
                1.0,
                speed,
                1e-6,
            ));
        }
    }
    Ok(checks)
}

/// A box of triangles.
fn box_mesh(half: DVec3, n: usize) -> Result<Shape> {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut places = BTreeMap::new();
    let mut triangles = Vec::new();
    let at = |k: usize| 2.0 * k as f64 / n as f64 - 1.0;
    let mut vertex = |p: DVec3, vertices: &mut Vec<DVec3>| {
        let key = (p * n as f64).round().to_array().map(|x| x as i64);
        *places.entry(key).or_insert_with(|| {
            vertices.push(p * half);
            vertices.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let point = |i: usize, j: usize| {
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, at(i), at(j));
                DVec3::from_array(p)
            };
            for i in 0..n {
                for j in 0..n {
                    let corners = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
                    let [a, b, c, d] = corners.map(|p| vertex(p, &mut vertices));
                    let outwards = [[a, b, c], [a, c, d]];
                    let inwards = [[a, c, b], [a, d, c]];
                    triangles.extend(if side > 0.0 { outwards } else { inwards });
                }
            }
        }
    }
    Ok(Shape::mesh(vertices, triangles)?)
}

/// A box made of triangles settles on flat floors of every kind and lies still.
pub fn resting(context: &Context) -> Result<Vec<Check>> {
    let half = DVec3::new(0.2, 0.15, 0.1);
    let n = 11;
    let floors = [
        ("half-space", Shape::HalfSpace, 0.0),
        ("box", Shape::cuboid(DVec3::new(1.0, 1.0, 0.1))?, -0.1),
        ("mesh", plate(1.0, n)?, 0.0),
        (
            "height field",
            Shape::height_field(n + 1, n + 1, vec![0.0; (n + 1) * (n + 1)], DVec2::splat(2.0))?,
            0.0,
        ),
    ];
    let bodies = [("mesh", box_mesh(half, 4)?), ("box", Shape::cuboid(half)?)];
    let mut checks = Vec::new();
    for (floor_name, floor, level) in &floors {
        for (name, shape) in &bodies {
            let mut scene = Scene::rigid(GRAVITY, Material::default(), 1e-9)?;
            scene.fixed(floor.clone(), DVec3::Z * *level, DQuat::IDENTITY)?;
            let body = Body {
                inertia: box_inertia(half, 1.0),
                position: DVec3::new(0.013, 0.021, 0.1 + 0.05),
                rotation: DQuat::from_euler(glam::EulerRot::ZYX, 0.3, 0.1, 0.05),
                ..Body::default()
            };
            let id = scene.add(body, shape.clone())?;
            let mut run = scene.start(Integrator::Euler, 1e-3)?;
            run.advance_to(1.5)?;
            let mut noise = 0.0f64;
            run.watch_to(context.full_or_quick(3.0, 2.0), |run| {
                noise = noise.max(run.largest_velocity());
                Ok(())
            })?;
            let name = format!("{name} on {floor_name}");
            checks.push(Check::error(format!("{name}: velocity once settled [m/s, rad/s]"), noise, 1e-6));
            checks.push(Check::value(format!("{name}: height [m]"), 0.1, run.position(id).z, 1e-4));
        }
    }
    Ok(checks)
}
