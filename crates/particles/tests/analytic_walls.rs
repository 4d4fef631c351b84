//! Walls against closed forms: what is touched, how hard, and where grains end up.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::contact::*;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::shapes::cone::Cone;
use huygens_particles::{
    Grain, GrainSettings, GrainSystem, MeshFault, ParticleError, Row, Surface, Wall, WallDrive, WallKey,
    WallMesh, WallMotion, WallSample,
};

/// A spring without anything else: the force is STIFFNESS times the overlap.
const STIFFNESS: f64 = 1e4;

fn spring() -> GrainSettings {
    GrainSettings {
        model: CompliantModel {
            normal: NormalLaw::Hooke { speed: 1.0 },
            damping: DampingLaw::None,
            tangential: TangentialLaw::None,
            rolling: ResistanceLaw::None,
            spinning: ResistanceLaw::None,
            adhesion: AdhesionLaw::None,
            ..CompliantModel::default()
        },
        materials: vec![CompliantMaterial {
            normal_stiffness: Some(STIFFNESS),
            ..CompliantMaterial::default()
        }],
        gravity: Vec3::ZERO,
        ..GrainSettings::default()
    }
}

fn square(half: f64, cells: u32) -> WallMesh {
    let side = cells + 1;
    let at = |i: u32| -half + 2.0 * half * f64::from(i) / f64::from(cells);
    let points = (0..side * side).map(|k| Vec3::new(at(k % side), at(k / side), 0.0)).collect();
    let corner = |i: u32, j: u32| i + j * side;
    let mut triangles = Vec::new();
    for k in 0..cells * cells {
        let (i, j) = (k % cells, k / cells);
        let [a, b, c, d] = [corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)];
        // Diagonals in turn, and triangles turned over in turn: both sides are the same.
        triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, d, c]] } else { [[a, b, d], [d, b, c]] });
    }
    WallMesh::new(points, triangles).unwrap()
}

/// A closed box from −half to half.
fn block(half: Vec3) -> WallMesh {
    let points =
        (0..8).map(|k| half * Vec3::from([0, 1, 2].map(|b| f64::from((k >> b & 1) * 2 - 1)))).collect();
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    WallMesh::new(points, triangles).unwrap()
}

/// Force on a grain of radius 1 about `x`, and the normals of its contacts.
fn felt(wall: &Wall, x: Vec3) -> (Vec3, Vec<Vec3>) {
    let mut system = GrainSystem::new(spring()).unwrap();
    system.add(&Grain { position: x, radius: 1.0, ..Grain::default() }).unwrap();
    system.add_wall(wall.clone()).unwrap();
    system.update_forces(&Exec::serial(), 1e-4);
    (system.forces()[0].vector(), system.wall_contacts().map(|contact| contact.normal).collect())
}

#[test]
fn normals_are_the_slopes_of_distance() {
    let tilted = WallMotion { rotation: Quat::from_rotation_y(0.7), ..WallMotion::along(Vec3::X, Vec3::Y) };
    let solid = |surface| Wall::new("", surface, tilted);
    let walls = [
        solid(Surface::Cylinder { radius: 2.0, span: [-3.0, 3.0], hollow: false }),
        solid(Surface::Cylinder { radius: 3.0, span: [-3.0, 3.0], hollow: true }),
        solid(Cone { radii: [1.0, 2.5], span: [-2.0, 2.0], hollow: false }.into()),
        solid(Cone { radii: [4.0, 2.0], span: [-3.0, 3.0], hollow: true }.into()),
        solid(Surface::Sphere { radius: 2.0, hollow: false }),
        solid(Surface::Sphere { radius: 3.0, hollow: true }),
        solid(Surface::Disc { radius: 1.5 }),
        solid(Surface::Rectangle { half: [1.0, 1.5] }),
        solid(Surface::Box { half: [1.0, 0.7, 1.5], hollow: false }),
        solid(Surface::ClosedCylinder { radius: 1.5, span: [-1.0, 1.5], hollow: false }),
        solid(Surface::Capsule { radius: 0.8, half_length: 1.2 }),
        Wall { motion: tilted, ..Wall::mesh("", Arc::new(block(Vec3::new(1.0, 0.7, 1.5)))) },
    ];
    for wall in &walls {
        let distance = |x: Vec3| 1.0 - felt(wall, x).0.length() / STIFFNESS;
        let mut seen = 0;
        for k in 0..3000 {
            // Points all over a ball of radius 4 (fibonacci spirals of several radii).
            let (z, angle) = (1.0 - (2 * k + 1) as f64 / 3000.0, 2.399963229728653 * k as f64);
            let size = 4.0 * ((k * 7919 % 3000) as f64 / 3000.0).cbrt();
            let flat = (1.0 - z * z).sqrt();
            let x = tilted.position + size * Vec3::new(flat * angle.cos(), flat * angle.sin(), z);
            let (force, normals) = felt(wall, x);
            // Well outside: slopes of the distance jump where the nearest face changes.
            if normals.len() != 1 || !(0.05..0.9).contains(&(force.length() / STIFFNESS)) {
                continue;
            }
            let h = 1e-5;
            let slope =
                Vec3::from(Vec3::AXES.map(|e| (distance(x + h * e) - distance(x - h * e)) / (2.0 * h)));
            let kinks = (slope.length() - 1.0).abs() > 1e-3;
            assert!(
                kinks || slope.distance(force.normalize()) < 1e-5,
                "{:?} {x} {slope} {force}",
                wall.surface
            );
            seen += usize::from(!kinks);
        }
        assert!(seen > 50, "{:?}: {seen}", wall.surface);
    }
}

#[test]
fn hollow_sphere_has_the_radius_of_both() {
    let (r, hollow, depth) = (0.1, 0.25, 1e-3);
    let mut system =
        GrainSystem::new(GrainSettings { gravity: Vec3::ZERO, ..GrainSettings::default() }).unwrap();
    system.add(&Grain { position: Vec3::X * (hollow - r + depth), radius: r, ..Grain::default() }).unwrap();
    let surface = Surface::Sphere { radius: hollow, hollow: true };
    system.add_wall(Wall::new("bowl", surface, WallMotion::default())).unwrap();
    system.update_forces(&Exec::serial(), 1e-5);
    let material = CompliantMaterial::default();
    let young = material.young / (2.0 * (1.0 - material.poisson.powi(2)));
    let joint = r * hollow / (hollow - r);
    let expected = 4.0 / 3.0 * young * joint.sqrt() * depth.powf(1.5);
    assert!((system.forces()[0].0[0] + expected).abs() < 1e-12 * expected);
}

#[test]
fn mesh_is_touched_once_at_faces_edges_and_corners() {
    let block = Wall::mesh("block", Arc::new(block(Vec3::splat(3.0))));
    let out = 3.0 + 0.9;
    let diagonal = 0.9 / 2f64.sqrt();
    let corner = 3.0 + 0.9 / 3f64.sqrt();
    // Over the middle of a face (on its diagonal), over a point of a face, at an edge, at a corner.
    for (x, normal) in [
        (Vec3::new(0.0, 0.0, out), Vec3::Z),
        (Vec3::new(1.0, -2.9, out), Vec3::Z),
        (Vec3::new(-out, 1.0, 0.5), -Vec3::X),
        (Vec3::new(3.0 + diagonal, 0.3, 3.0 + diagonal), Vec3::new(1.0, 0.0, 1.0).normalize()),
        (Vec3::splat(corner), Vec3::ONE.normalize()),
        (Vec3::new(-corner, corner, -corner), Vec3::new(-1.0, 1.0, -1.0).normalize()),
    ] {
        let (force, normals) = felt(&block, x);
        assert_eq!(normals.len(), 1, "{x}");
        assert!(force.distance(normal * 0.1 * STIFFNESS) < 1e-9 * STIFFNESS, "{x} {force}");
    }
    // From inside: a face, two in a valley, three in a corner; never the edge in between.
    for (x, count) in [(Vec3::new(2.1, 0.0, 0.0), 1), (Vec3::new(2.1, -2.1, 0.4), 2), (Vec3::splat(2.1), 3)] {
        let (force, normals) = felt(&block, x);
        assert_eq!(normals.len(), count, "{x}");
        let expected: Vec3 = normals.iter().map(|normal| normal * 0.1 * STIFFNESS).sum();
        assert!(force.distance(expected) < 1e-9 * STIFFNESS && force.dot(x) < 0.0);
    }
    // The far side of a sheet with a thickness is hidden by the near one.
    let sheet = Wall::mesh("sheet", Arc::new(self::block(Vec3::new(3.0, 3.0, 0.02))));
    let (force, normals) = felt(&sheet, Vec3::new(0.7, 0.2, 0.92));
    assert_eq!(normals.len(), 1);
    assert!(force.distance(Vec3::Z * 0.1 * STIFFNESS) < 1e-9 * STIFFNESS);
}

#[test]
fn a_fan_of_a_hundred_triangles_is_touched_once() {
    for height in [0.0, -0.5, -2.0] {
        let rim = |k: u32| TAU * f64::from(k) / 100.0;
        let rim = (0..100).map(|k| Vec3::new(3.0 * rim(k).cos(), 3.0 * rim(k).sin(), height));
        let points = std::iter::once(Vec3::ZERO).chain(rim).collect();
        let triangles = (0..100).map(|k| [0, k + 1, (k + 1) % 100 + 1]).collect();
        let mesh = WallMesh::new(points, triangles).unwrap();
        assert_eq!(mesh.report().open_edges, 100);
        let (force, normals) = felt(&Wall::mesh("fan", Arc::new(mesh)), Vec3::new(0.0, 0.0, 0.9));
        assert_eq!(normals.len(), 1);
        assert!(force.distance(Vec3::Z * 0.1 * STIFFNESS) < 1e-9 * STIFFNESS, "{force}");
    }
}

#[test]
fn triangles_of_a_plane_are_a_plane() {
    // A grain is thrown along the floor: it slides, is spun by friction, and then rolls over many triangles.
    let run = |wall: Wall, steps: u64| {
        let mut settings = GrainSettings::default();
        settings.materials[0].rolling_friction = 0.002;
        settings.materials[0].young = 1e6;
        let mut system = GrainSystem::new(settings).unwrap();
        let grain = Grain {
            position: Vec3::new(-2.5, -1.3, 0.0999),
            radius: 0.1,
            velocity: Vec3::new(2.0, 1.1, 0.0),
            angular_velocity: Vec3::new(0.0, 3.0, 8.0),
            ..Grain::default()
        };
        system.add(&grain).unwrap();
        system.add_wall(wall).unwrap();
        let mut once = true;
        for _ in 0..steps {
            system.run(&Exec::serial(), 1e-4, 1).unwrap();
            once &= system.wall_contact_count() <= 1;
        }
        assert!(once);
        [system.places()[0], system.motions()[0], system.spins()[0]]
    };
    let motion = WallMotion { rotation: Quat::from_rotation_z(0.3), ..WallMotion::default() };
    let mesh = Wall { motion, ..Wall::mesh("floor", Arc::new(square(4.0, 40))) };
    let plane = run(Wall::plane("floor", Vec3::ZERO, Vec3::Z), 12_000);
    let tiles = run(mesh, 12_000);
    assert!(plane[0].0[0] > -1.0, "{:?}", plane[0]);
    for (a, b) in plane.iter().zip(&tiles) {
        assert!(a.vector().distance(b.vector()) < 1e-10 * (1.0 + a.vector().length()), "{a:?} {b:?}");
    }
}

#[test]
fn belts_drag_alike_whatever_they_are_made_of() {
    // A belt that stays and one that goes, triangles under the grain included, are the same to it.
    let velocity = Vec3::new(1.5, 0.4, 0.0);
    let run = |wall: Wall, drive: WallDrive| {
        let mut settings = GrainSettings::default();
        settings.materials[0].young = 1e6;
        settings.materials[0].rolling_friction = 0.01;
        let mut system = GrainSystem::new(settings).unwrap();
        system.add(&Grain { position: Vec3::Z * 0.0999, radius: 0.1, ..Grain::default() }).unwrap();
        let motion = WallMotion { velocity, ..wall.motion };
        let belt = system.add_wall(Wall { motion, drive, ..wall }).unwrap();
        system.run(&Exec::serial(), 1e-4, 6000).unwrap();
        let row = system.motions()[0];
        (system.places()[0].vector(), row.vector(), 1.0 / row.0[3], system.wall_work(belt))
    };
    let floor = || Wall::plane("belt", Vec3::ZERO, Vec3::Z);
    let (place, speed, mass, work) = run(floor(), WallDrive::Fixed);
    let others = [
        run(floor(), WallDrive::Velocity),
        run(Wall::mesh("belt", Arc::new(square(4.0, 50))), WallDrive::Velocity),
    ];
    for other in others {
        assert!(other.0.distance(place) + other.1.distance(speed) < 1e-10, "{other:?}");
        assert!((other.3 - work).abs() < 1e-9 * work);
    }
    // The work is the push times the way of the belt: m v · v_belt.
    assert!(
        speed.length() > 0.5 && (work - mass * speed.dot(velocity)).abs() < 1e-9 * work,
        "{speed} {work}"
    );
}

#[test]
fn stack_of_five_has_the_heights_of_the_springs() {
    // F = K δ^1.5 at all contacts: K √R* is the same at the floor and between grains.
    let (stiffness, r, gravity) = (1e7, 0.5_f64, 980.0);
    let grain = stiffness / (0.5 * r).sqrt();
    let floor = 2.0 * stiffness / r.sqrt() - grain;
    let material = |normal_stiffness| CompliantMaterial {
        normal_stiffness: Some(normal_stiffness),
        restitution: 0.1,
        friction: 0.5,
        ..CompliantMaterial::default()
    };
    let walls = [Wall::plane("floor", Vec3::ZERO, Vec3::Z), Wall::mesh("floor", Arc::new(square(3.0, 3)))];
    for wall in walls {
        let settings = GrainSettings {
            materials: vec![material(grain), material(floor)],
            gravity: Vec3::new(0.0, 0.0, -gravity),
            ..GrainSettings::default()
        };
        let mut system = GrainSystem::new(settings).unwrap();
        for k in 0..5 {
            let position = Vec3::Z * (r + (2.0 * r + 0.01) * f64::from(k));
            system.add(&Grain { position, radius: r, density: 1.53, ..Grain::default() }).unwrap();
        }
        system.add_wall(Wall { material: 1, ..wall }).unwrap();
        system.run(&Exec::serial(), 1e-4, 20_000).unwrap();
        let mass = 1.53 * 4.0 / 3.0 * PI * r.powi(3);
        let sinking = |grains: usize| (grains as f64 * mass * gravity / stiffness).powf(2.0 / 3.0);
        let mut low = 0.0;
        for id in 0..5 {
            let at = system.ids().iter().position(|other| *other == id as u64).unwrap();
            low += sinking(5 - id);
            let z = system.places()[at].0[2];
            assert!((z - (r + 2.0 * r * id as f64 - low)).abs() < 1e-6, "{id}: {z}");
            // The rough form of the reference counts one weight at every contact.
            assert!((z - (r + 2.0 * r * id as f64 - sinking(1) * (1 + id) as f64)).abs() < 1e-2);
            assert!(system.places()[at].0[0].abs() + system.places()[at].0[1].abs() < 1e-9);
        }
        assert!((system.wall_wrench(0)[0].z + 5.0 * mass * gravity).abs() < 1e-3 * mass * gravity);
    }
}

#[test]
fn pyramid_stands_with_friction_and_falls_without() {
    let settled = |friction: f64, rolling: f64| {
        let material = CompliantMaterial {
            young: 2e8,
            friction,
            rolling_friction: 0.5 * rolling,
            restitution: 0.2,
            ..CompliantMaterial::default()
        };
        let settings = GrainSettings {
            materials: vec![material],
            gravity: Vec3::new(0.0, 0.0, -980.0),
            ..GrainSettings::default()
        };
        let mut system = GrainSystem::new(settings).unwrap();
        for position in [Vec3::new(-0.5, 0.0, 0.5), Vec3::new(0.5, 0.0, 0.5), Vec3::new(0.0, 0.0, 1.45)] {
            system.add(&Grain { position, radius: 0.5, density: 1.53, ..Grain::default() }).unwrap();
        }
        system.add_wall(Wall::mesh("floor", Arc::new(square(40.0, 4)))).unwrap();
        system.run(&Exec::serial(), 1e-5, 40_000).unwrap();
        let top = system.ids().iter().position(|id| *id == 2).unwrap();
        system.places()[top].0[2]
    };
    assert!(settled(0.5, 0.2) > 1.0);
    let fallen = settled(0.01, 0.0);
    assert!((fallen - 0.5).abs() < 1e-3, "{fallen}");
}

#[test]
fn floor_of_a_box_bears_the_weight() {
    // Half a box of frictionless grains, CGS. They rearrange for seconds whatever their restitution, and the force on
    // the floor trembles: with 200 grains by 3 % after 0.5 s, with 2900 by less than 1 %.
    let (cells, layers, side) = (18, 9, 39.0);
    let material =
        CompliantMaterial { young: 1e8, friction: 0.0, restitution: 0.2, ..CompliantMaterial::default() };
    let settings = GrainSettings {
        materials: vec![material],
        gravity: Vec3::new(0.0, 0.0, -980.0),
        ..GrainSettings::default()
    };
    let mut system = GrainSystem::new(settings).unwrap();
    let count = cells * cells * layers;
    for k in 0..count {
        let [i, j, l] = [k % cells, k / cells % cells, k / cells / cells].map(f64::from);
        let shift = 0.12 * (f64::from(k * 37 % 11) / 11.0 - 0.5);
        let position = Vec3::new(1.6 + 2.1 * i + shift, 1.6 + 2.1 * j - shift, 1.0 + 2.02 * l);
        system.add(&Grain { position, radius: 1.0, density: 2.5, ..Grain::default() }).unwrap();
    }
    // The plate is above the floor of the box, so that it bears everything.
    system.add_wall(Wall::container("box", -Vec3::Z, Vec3::new(side, side, 40.0))).unwrap();
    let motion = WallMotion::along(Vec3::new(0.5 * side, 0.5 * side, 0.0), Vec3::Z);
    let plate = Wall { motion, ..Wall::mesh("plate", Arc::new(square(25.0, 7))) };
    let floor = system.add_wall(plate).unwrap();
    system.run(&Exec::serial(), 1e-4, 4_500).unwrap();
    system.take_wall_impulse(floor);
    system.run(&Exec::serial(), 1e-4, 500).unwrap();
    let weight = f64::from(count) * 2.5 * 4.0 / 3.0 * PI * 980.0;
    let mean = -system.take_wall_impulse(floor)[0].z / 0.05;
    assert!((mean / weight - 1.0).abs() < 0.01, "{mean} {weight}");
}

#[test]
fn a_ball_does_not_feel_the_edges_of_a_flat_mesh() {
    let (radius, young, speed) = (0.01, 1e6, 0.3);
    let material = CompliantMaterial { young, friction: 0.0, ..CompliantMaterial::default() };
    let settings = GrainSettings { materials: vec![material], ..GrainSettings::default() };
    // Along edges and over corners, along diagonals, at a slant; on edges and beside them.
    for (angle, start) in [
        (0.0_f64, Vec3::ZERO),
        (0.25 * PI, Vec3::ZERO),
        (0.75 * PI, Vec3::ZERO),
        (0.0, Vec3::new(0.0, 0.0031, 0.0)),
        (0.41, Vec3::new(0.001, -0.002, 0.0)),
        (2.9, Vec3::new(0.02, 0.0, 0.0)),
    ] {
        let mut system = GrainSystem::new(settings.clone()).unwrap();
        let grain = Grain {
            position: start + Vec3::Z * (0.9995 * radius),
            radius,
            velocity: Vec3::new(angle.cos(), angle.sin(), 0.0) * speed,
            ..Grain::default()
        };
        system.add(&grain).unwrap();
        // Cells of 12.5 mm.
        let floor = system.add_wall(Wall::mesh("floor", Arc::new(square(0.2, 32)))).unwrap();
        // It comes to rest along the normal, and then goes over a dozen edges, less than 10 µm a step.
        system.run(&Exec::serial(), 2e-5, 10_000).unwrap();
        let weight = 9.81 * grain.mass();
        let height = system.places()[0].0[2];
        for _ in 0..5_000 {
            system.run(&Exec::serial(), 2e-5, 1).unwrap();
            let Row([vx, vy, vz, _]) = system.motions()[0];
            let push = system.wall_wrench(floor)[0];
            let along = Vec3::new(vx, vy, 0.0);
            assert!(along.distance(grain.velocity) < 1e-12 * speed, "{angle}: {along} {}", grain.velocity);
            assert!((push.z / -weight - 1.0).abs() < 1e-9 && vz.abs() < 1e-9 * speed, "{angle}: {push} {vz}");
            assert!((system.places()[0].0[2] - height).abs() < 1e-9 * radius);
        }
        assert!(system.places()[0].vector().distance(start) > 0.08);
    }
}

#[test]
fn a_fast_grain_hits_a_triangle_in_time_or_passes_it_whole() {
    // One triangle, r = 0.5, z = 4, v = −10⁴, g = 980, K = 10¹¹ (CGS).
    let shot = |step: f64, steps: u64| {
        let material = CompliantMaterial { normal_stiffness: Some(1e11), ..CompliantMaterial::default() };
        let settings = GrainSettings {
            materials: vec![material],
            gravity: Vec3::new(0.0, 0.0, -980.0),
            ..GrainSettings::default()
        };
        let mut system = GrainSystem::new(settings).unwrap();
        let grain = Grain {
            position: Vec3::new(0.1, -0.2, 4.0),
            velocity: Vec3::new(0.0, 0.0, -1e4),
            radius: 0.5,
            density: 1.53,
            ..Grain::default()
        };
        system.add(&grain).unwrap();
        let points = [[-10.0, -10.0, 0.0], [10.0, -10.0, 0.0], [0.0, 10.0, 0.0]].map(Vec3::from);
        let mesh = WallMesh::new(points.to_vec(), vec![[0, 1, 2]]).unwrap();
        let wall = system.add_wall(Wall::mesh("facet", Arc::new(mesh))).unwrap();
        let mut hit = f64::INFINITY;
        for _ in 0..steps {
            system.run(&Exec::serial(), step, 1).unwrap();
            if system.wall_wrench(wall)[0] != Vec3::ZERO {
                hit = hit.min(system.time());
            }
        }
        (hit, system.motions()[0].0[2], system.places()[0].0[2])
    };
    let expected = ((1e8 + 2.0 * 980.0 * 3.5_f64).sqrt() - 1e4) / 980.0;
    let (hit, speed, _) = shot(1e-7, 10_000);
    assert!((hit - expected).abs() < 1e-6, "{hit} {expected}");
    assert!(speed > 0.0);
    // A step in which it goes three radii: it is not caught on the other side.
    let (hit, speed, height) = shot(1.5e-4, 10);
    assert!(hit.is_infinite() && speed < -1e4 && height < -10.0, "{hit} {speed} {height}");
    // A step in which it goes a diameter still sees the triangle in time.
    let (hit, ..) = shot(1e-4, 10);
    assert!((hit - expected).abs() < 1e-4, "{hit}");
}

#[test]
fn a_turning_drum_drags_a_grain() {
    let (radius, r, rate, friction) = (1.0, 0.05, 20.0, 0.3);
    let mut settings = GrainSettings::default();
    settings.materials[0].friction = friction;
    settings.materials[0].young = 1e7;
    let drums = [
        Wall::drum("drum", [-Vec3::Y, Vec3::Y], radius),
        Wall::pipe("pipe", [-Vec3::Y, Vec3::Y], [radius, radius]),
    ];
    for drum in drums {
        let mut system = GrainSystem::new(settings.clone()).unwrap();
        let depth = 2.4e-4;
        let position = Vec3::Z * -(radius - r + depth);
        system.add(&Grain { position, radius: r, ..Grain::default() }).unwrap();
        let drive = WallDrive::Rotation { axis: Vec3::Y, rate, centre: Vec3::ZERO };
        let wall = system.add_wall(drum.driven(drive)).unwrap();
        let (step, steps) = (1e-5, 5_000);
        system.run(&Exec::serial(), step, steps).unwrap();
        let (time, mass) = (step * steps as f64, 1.0 / system.motions()[0].0[3]);
        // Slipping all the time: friction is μ times what the wall bears.
        let [linear, angular] = system.take_wall_impulse(wall);
        let speed = system.motions()[0].0[0];
        // The bottom of the drum goes to −x.
        assert!((speed + friction * 9.81 * time).abs() < 0.03 * friction * 9.81 * time, "{speed}");
        let slowed = friction * mass * 9.81 * time * radius;
        assert!((angular.y + slowed).abs() < 0.03 * slowed, "{angular} {slowed}");
        assert!((linear.z + mass * 9.81 * time).abs() < 0.03 * mass * 9.81 * time);
        // A round wall that turns about its axis is always where it was: the list stays.
        assert!(system.list_report().builds < 40);
        assert!((system.walls()[wall].motion.angular_velocity - Vec3::Y * rate).length() < 1e-12);
    }
}

#[test]
fn drives_are_exact_in_time() {
    let key =
        |time, z, angle| WallKey { time, position: Vec3::Z * z, rotation: Quat::from_rotation_y(angle) };
    let sample = |time: f64| WallSample {
        time,
        motion: WallMotion {
            position: Vec3::Y * (0.2 * time),
            rotation: Quat::from_rotation_x(0.9 * time),
            velocity: Vec3::Y * 0.2,
            angular_velocity: Vec3::X * 0.9,
        },
    };
    let start = WallMotion {
        position: Vec3::new(1.0, 0.0, 0.0),
        velocity: Vec3::new(0.0, 0.5, 0.0),
        angular_velocity: Vec3::new(0.0, 0.0, 2.0),
        ..WallMotion::default()
    };
    type Expected = fn(f64) -> (Vec3, Vec3, f64);
    let drives: [(WallDrive, Expected); 5] = [
        (WallDrive::Velocity, |t| (Vec3::new(1.0, 0.5 * t, 0.0), Vec3::Y * 0.5, 2.0 * t)),
        (WallDrive::Rotation { axis: Vec3::Z * 7.0, rate: 3.0, centre: Vec3::ZERO }, |t| {
            let (s, c) = (3.0 * t).sin_cos();
            (Vec3::new(c, s, 0.0), Vec3::new(-3.0 * s, 3.0 * c, 0.0), 3.0 * t)
        }),
        (WallDrive::Vibration { amplitude: Vec3::Z * 0.1, frequency: 5.0, phase: 0.4 }, |t| {
            let (s, c) = (TAU * 5.0 * t + 0.4).sin_cos();
            (Vec3::new(1.0, 0.0, 0.1 * s), Vec3::Z * (0.1 * TAU * 5.0 * c), 0.0)
        }),
        (WallDrive::Script([key(0.0, 0.0, 0.0), key(1.0, 2.0, 0.5), key(2.0, 2.0, 0.5)].into()), |t| {
            (Vec3::Z * 2.0 * t.min(1.0), Vec3::Z * if t < 1.0 { 2.0 } else { 0.0 }, 0.5 * t.min(1.0))
        }),
        // Unlike a script it does not stop at its end.
        (WallDrive::Track([sample(0.0), sample(0.487)].into()), |t| {
            (Vec3::new(0.0, 0.2 * t, 0.0), Vec3::Y * 0.2, 0.9 * t)
        }),
    ];
    for (drive, expected) in drives {
        let mut system = GrainSystem::new(spring()).unwrap();
        system.add(&Grain { position: Vec3::Z * 90.0, ..Grain::default() }).unwrap();
        let wall = Wall::new("wall", Surface::Disc { radius: 1.0 }, start);
        let wall = system.add_wall(wall.driven(drive.clone())).unwrap();
        for _ in 0..3 {
            system.run(&Exec::serial(), 1e-3, 487).unwrap();
            let motion = system.walls()[wall].motion;
            let (position, velocity, angle) = expected(system.time());
            assert!(motion.position.distance(position) < 1e-12, "{drive:?} {motion:?} {position}");
            assert!(motion.velocity.distance(velocity) < 1e-11, "{drive:?}");
            let turned = 2.0 * motion.rotation.w.abs().acos();
            let same =
                (turned - angle.rem_euclid(TAU)).abs().min((TAU - turned - angle.rem_euclid(TAU)).abs());
            assert!(same < 1e-7, "{drive:?} {turned} {angle}");
        }
    }
}

#[test]
fn a_fast_piston_finds_the_grains_at_rest() {
    // Grains at rest without gravity do not outdate the list: the walls must.
    let walls = [
        Wall::plane("plane", Vec3::X * -0.2, Vec3::X),
        Wall::mesh("mesh", Arc::new(square(1.0, 4))),
        Wall::new("disc", Surface::Disc { radius: 1.0 }, WallMotion::default()),
    ];
    for wall in walls {
        let mut system = GrainSystem::new(spring()).unwrap();
        system.add(&Grain { radius: 0.01, ..Grain::default() }).unwrap();
        let motion = WallMotion::along(Vec3::X * -0.2, Vec3::X);
        let wall = system.add_wall(Wall { motion, ..wall }).unwrap();
        let going = WallMotion { velocity: Vec3::X * 4.0, ..motion };
        system.set_wall_motion(wall, going).unwrap();
        system.run(&Exec::serial(), 1e-5, 4_700).unwrap();
        assert!(system.motions()[0].0[0] == 0.0);
        system.run(&Exec::serial(), 1e-5, 1_000).unwrap();
        // A spring throws it away at twice the speed.
        let speed = system.motions()[0].0[0];
        assert!((speed - 8.0).abs() < 1e-3, "{speed}");
    }
}

#[test]
fn broken_meshes_and_drives_are_refused() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, 2.0 * Vec3::X].to_vec();
    let refused =
        |points: &[Vec3], triangles: &[[u32; 3]]| match WallMesh::new(points.into(), triangles.into()) {
            Err(ParticleError::Mesh(fault)) => fault,
            other => panic!("{other:?}"),
        };
    assert!(matches!(refused(&corners, &[]), MeshFault::Count { count: 0, .. }));
    assert_eq!(refused(&corners, &[[0, 1, 2], [0, 1, 4]]), MeshFault::Index { triangle: 1, points: 4 });
    assert_eq!(refused(&[Vec3::NAN], &[[0, 0, 0]]), MeshFault::NotFinite { point: 0 });
    assert_eq!(refused(&corners, &[[0, 1, 3], [0, 0, 1]]), MeshFault::Flat { count: 2 });
    let mesh = WallMesh::new(corners, vec![[0, 1, 2], [0, 1, 3]]).unwrap();
    assert_eq!((mesh.report().triangles, mesh.report().dropped, mesh.report().open_edges), (1, 1, 3));
    // A closed box whose points are repeated for every triangle is closed, and has a hole without one of them.
    let block = block(Vec3::ONE);
    let loose: Vec<Vec3> =
        block.triangles().iter().flatten().map(|corner| block.points()[*corner as usize]).collect();
    let triangles: Vec<[u32; 3]> = (0..12).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    assert!(WallMesh::new(loose.clone(), triangles.clone()).unwrap().report().is_closed());
    assert_eq!(WallMesh::new(loose, triangles[1..].to_vec()).unwrap().report().open_edges, 3);

    let mut system = GrainSystem::new(spring()).unwrap();
    let still = || Wall::plane("floor", Vec3::ZERO, Vec3::Z);
    let drives = [
        WallDrive::Rotation { axis: Vec3::ZERO, rate: 1.0, centre: Vec3::ZERO },
        WallDrive::Vibration { amplitude: Vec3::Z, frequency: f64::NAN, phase: 0.0 },
        WallDrive::Script([].into()),
        WallDrive::Track([].into()),
    ];
    for drive in drives {
        assert!(matches!(system.add_wall(still().driven(drive)), Err(ParticleError::Range { .. })));
    }
    let unknown = ParticleError::UnknownWall { index: 3, count: 0 };
    assert_eq!(system.set_wall_motion(3, WallMotion::default()), Err(unknown));
    assert!(system.add_wall(Wall::container("box", Vec3::ONE, Vec3::ZERO)).is_err());
}
