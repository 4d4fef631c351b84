//! What grains lose walls get, and bits do not know the number of threads, with walls of all kinds that move.

use std::f64::consts::TAU;
use std::sync::Arc;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::*;
use huygens_particles::{Grain, GrainSettings, GrainSystem, Surface, Wall, WallDrive, WallMesh, WallMotion};

/// A tube about the y axis with blades, open at both ends.
fn tube(radius: f64, half: f64, sides: u32) -> WallMesh {
    let ring = |k: u32| TAU * f64::from(k % sides) / f64::from(sides);
    let at = |k: u32, r: f64, y: f64| Vec3::new(r * ring(k).cos(), y, r * ring(k).sin());
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    let mut quad = |corners: [Vec3; 4]| {
        let first = points.len() as u32;
        points.extend(corners);
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    for k in 0..sides {
        quad([at(k, radius, -half), at(k + 1, radius, -half), at(k + 1, radius, half), at(k, radius, half)]);
        if k % 8 == 0 {
            let inner = 0.8 * radius;
            quad([at(k, radius, -half), at(k, inner, -half), at(k, inner, half), at(k, radius, half)]);
        }
    }
    WallMesh::new(points, triangles).unwrap()
}

const RADIUS: f64 = 0.2;
const HALF: f64 = 0.1;

/// Grains in a turning tube of triangles, between a swinging and a still lid, over a rod.
fn mill(gravity: Vec3) -> GrainSystem {
    let settings = GrainSettings {
        materials: vec![CompliantMaterial {
            young: 1e6,
            rolling_friction: 1e-4,
            spinning_friction: 1e-4,
            ..CompliantMaterial::default()
        }],
        gravity,
        ..GrainSettings::default()
    };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..1500_u32 {
        let [i, j, l] = [k % 15, k / 15 % 9, k / 135].map(f64::from);
        let radius = 0.006 + 0.003 * f64::from(k * 7 % 5) / 5.0;
        let position = Vec3::new(-0.14 + 0.02 * i, -0.085 + 0.02 * j, -0.12 + 0.02 * l);
        let velocity = Vec3::new(f64::from(k * 13 % 7) - 3.0, f64::from(k * 5 % 3) - 1.0, 0.5) * 0.5;
        system.add(&Grain { position, radius, velocity, ..Grain::default() }).unwrap();
    }
    let turn = WallDrive::Rotation { axis: Vec3::Y, rate: 12.0, centre: Vec3::ZERO };
    let swing = WallDrive::Vibration { amplitude: Vec3::Y * 0.004, frequency: 30.0, phase: 0.0 };
    let disc = Surface::Disc { radius: 1.2 * RADIUS };
    let walls = [
        Wall::mesh("tube", Arc::new(tube(RADIUS, HALF + 0.02, 48))).driven(turn),
        Wall::new("lid", disc.clone(), WallMotion::along(Vec3::Y * HALF, -Vec3::Y)).driven(swing),
        Wall::new("back", disc, WallMotion::along(Vec3::Y * -HALF, Vec3::Y)),
        Wall::rod("rod", [Vec3::new(0.1, -HALF, 0.1), Vec3::new(0.1, HALF, 0.1)], 0.02),
        Wall::container("box", Vec3::splat(-0.7), Vec3::splat(0.7)),
    ];
    for wall in walls {
        system.add_wall(wall).unwrap();
    }
    system
}

fn bits(system: &GrainSystem) -> Vec<(u64, [u64; 12])> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    let numbers = rows.map(|((a, b), c)| std::array::from_fn(|k| [a, b, c][k / 4].0[k % 4].to_bits()));
    system.ids().iter().copied().zip(numbers).collect()
}

#[test]
fn bits_do_not_know_threads_or_cuts_when_meshes_turn() {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut alone = mill(gravity);
    alone.run(&Exec::serial(), 2e-5, 3000).unwrap();
    assert!(alone.wall_contact_count() > 50 && alone.contact_count() > 200);
    for threads in [2, 3] {
        let ex = Exec::with_threads(threads).unwrap();
        let mut many = mill(gravity);
        for steps in [1, 999, 2000] {
            many.run(&ex, 2e-5, steps).unwrap();
        }
        assert!(bits(&alone) == bits(&many), "{threads} threads");
    }
}

#[test]
fn a_restart_goes_on_when_meshes_turn() {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let mut whole = mill(gravity);
    whole.run(&Exec::serial(), 2e-5, 500).unwrap();
    // Motions that were set on the way are part of the state.
    let shaken = WallDrive::Vibration { amplitude: Vec3::X * 0.002, frequency: 50.0, phase: 0.3 };
    whole.set_wall_drive(3, shaken).unwrap();
    whole.run(&Exec::serial(), 2e-5, 500).unwrap();
    let saved = whole.save();
    let mut restarted = mill(gravity);
    restarted.restore(&saved).unwrap();
    assert!(restarted.save() == saved);
    for system in [&mut whole, &mut restarted] {
        system.run(&Exec::serial(), 2e-5, 700).unwrap();
    }
    assert!(whole.save() == restarted.save());
    assert!(whole.wall_contact_count() > 30);
    assert_eq!(whole.take_wall_impulse(0), restarted.take_wall_impulse(0));
}

#[test]
fn momentum_that_grains_lose_is_what_walls_get() {
    let mut system = mill(Vec3::ZERO);
    let step = 2e-5;
    let momentum = |system: &GrainSystem| -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for ((place, motion), spin) in system.places().iter().zip(system.motions()).zip(system.spins()) {
            let push = motion.vector() / motion.0[3];
            sum[0] += push;
            sum[1] += place.vector().cross(push) + spin.vector() / spin.0[3];
        }
        sum
    };
    // Of all walls, with the torque about the origin of space.
    let wrench = |system: &GrainSystem| -> [Vec3; 2] {
        let mut sum = [Vec3::ZERO; 2];
        for (index, wall) in system.walls().iter().enumerate() {
            let [force, torque] = system.wall_wrench(index);
            sum[0] += force;
            sum[1] += torque + wall.motion.position.cross(force);
        }
        sum
    };
    system.update_forces(&Exec::serial(), step);
    let size = |v: Vec3| -> f64 { v.abs().element_sum() };
    let scale: f64 = system.motions().iter().map(|row| size(row.vector()) / row.0[3]).sum();
    let before = momentum(&system);
    let mut given = [Vec3::ZERO; 2];
    for _ in 0..2000 {
        // By hand.
        let [force, torque] = wrench(&system);
        given[0] += force * (0.5 * step);
        given[1] += torque * (0.5 * step);
        system.run(&Exec::serial(), step, 1).unwrap();
        let [force, torque] = wrench(&system);
        given[0] += force * (0.5 * step);
        given[1] += torque * (0.5 * step);
    }
    let after = momentum(&system);
    let taken: Vec3 = (0..5).map(|wall| system.take_wall_impulse(wall)[0]).sum();
    assert!(size(given[0]) > 1e-3 * scale && size(given[1]) > 1e-4 * scale, "{given:?}");
    assert!(size(after[0] - before[0] + given[0]) < 1e-12 * scale, "{after:?} {before:?} {given:?}");
    assert!(size(after[1] - before[1] + given[1]) < 1e-12 * scale);
    assert!(size(taken - given[0]) < 1e-12 * scale);
}

#[test]
fn what_walls_touch_does_not_depend_on_the_list() {
    // A fresh system with the same grains finds the same contacts with walls as one that runs.
    let mut system = mill(Vec3::new(0.0, 0.0, -9.81));
    for _ in 0..6 {
        system.run(&Exec::serial(), 2e-5, 531).unwrap();
        let mut fresh = GrainSystem::new(GrainSettings::default()).unwrap();
        for (place, id) in system.places().iter().zip(system.ids()) {
            let got = fresh.add(&Grain { position: place.vector(), radius: place.0[3], ..Grain::default() });
            assert!(got.is_ok() && *id < 1500);
        }
        for wall in system.walls() {
            fresh.add_wall(Wall { drive: WallDrive::Fixed, ..wall.clone() }).unwrap();
        }
        fresh.update_forces(&Exec::serial(), 1e-5);
        assert_eq!(fresh.wall_contact_count(), system.wall_contact_count());
    }
    assert!(system.wall_contact_count() > 50);
}

#[test]
fn memory_of_walls_outlives_new_lists() {
    // Grains hold on a slope by the memory of friction and rolling, while another one flies about.
    let run = |visitor: bool| {
        let material =
            CompliantMaterial { young: 1e6, rolling_friction: 3e-3, ..CompliantMaterial::default() };
        let gravity = Vec3::new(9.81 * 0.25, 0.0, -9.81);
        let settings = GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() };
        let mut system = GrainSystem::new(settings).unwrap();
        for k in 0..1200 {
            let [i, j] = [k % 40, k / 40].map(f64::from);
            let position = Vec3::new(0.021 * i - 0.41, 0.021 * j - 0.31, 0.00999);
            system.add(&Grain { position, radius: 0.01, ..Grain::default() }).unwrap();
        }
        if visitor {
            let (position, velocity) = (Vec3::new(-0.6, -0.4, 0.05), Vec3::new(5.0, 4.0, 1.0));
            system.add(&Grain { position, velocity, radius: 0.01, ..Grain::default() }).unwrap();
        }
        let points =
            (0..36).map(|k| Vec3::new(f64::from(k % 6) - 2.5, f64::from(k / 6) - 2.5, 0.0)).collect();
        let cells = (0..36).filter(|k| k % 6 < 5 && k / 6 < 5);
        let triangles = cells.flat_map(|k| [[k, k + 1, k + 7], [k, k + 7, k + 6]]).collect();
        system.add_wall(Wall::mesh("slope", Arc::new(WallMesh::new(points, triangles).unwrap()))).unwrap();
        system.run(&Exec::serial(), 1e-4, 1500).unwrap();
        let mut rows = bits(&system);
        rows.sort_unstable();
        rows.truncate(1200);
        (rows, system.list_report().builds, system.kinetic_energy())
    };
    let (alone, few, energy) = run(false);
    let (visited, many, _) = run(true);
    assert!(many > few + 10 && energy < 1e-6, "{few} {many} {energy}");
    assert!(alone == visited);
}

#[test]
fn springs_of_a_mesh_give_energy_back() {
    // A tube with lids and blades: faces, edges, corners and valleys are touched again and again.
    let settings = GrainSettings {
        model: CompliantModel {
            damping: DampingLaw::None,
            tangential: TangentialLaw::None,
            rolling: ResistanceLaw::None,
            spinning: ResistanceLaw::None,
            ..CompliantModel::default()
        },
        materials: vec![CompliantMaterial { young: 1e8, ..CompliantMaterial::default() }],
        gravity: Vec3::ZERO,
        ..GrainSettings::default()
    };
    for sides in [12, 48, 96] {
        let mut system = GrainSystem::new(settings.clone()).unwrap();
        for k in 0..8_u32 {
            let signs = [0, 1, 2].map(|bit| f64::from(k >> bit & 1) - 0.5);
            let velocity = Vec3::new(0.7 + 0.1 * f64::from(k), 0.37, 0.2 - 0.3 * f64::from(k));
            let grain =
                Grain { position: 0.06 * Vec3::from(signs), radius: 0.01, velocity, ..Grain::default() };
            system.add(&grain).unwrap();
        }
        system.add_wall(Wall::mesh("tube", Arc::new(tube(RADIUS, HALF, sides)))).unwrap();
        let disc = Surface::Disc { radius: 1.2 * RADIUS };
        for y in [-HALF, HALF] {
            let motion = WallMotion::along(Vec3::Y * y, Vec3::Y);
            system.add_wall(Wall::new("lid", disc.clone(), motion)).unwrap();
        }
        let (before, mut seen) = (system.kinetic_energy(), 0);
        for _ in 0..50 {
            system.run(&Exec::serial(), 4e-6, 2000).unwrap();
            if system.wall_contact_count() == 0 && system.contact_count() == 0 {
                let change = system.kinetic_energy() / before - 1.0;
                assert!(change.abs() < 1e-3, "{sides} sides: {change}");
                seen += 1;
            }
        }
        let inside = |place: &huygens_particles::Row| place.vector().length() < RADIUS + HALF;
        assert!(seen > 10 && system.places().iter().all(inside));
    }
}
