//! Thousands of walls: the contacts of a search through all, and memory and state by contact.

use huygens_exec::Exec;
use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Surface, Wall, WallDrive, WallMotion};

/// Grains over a floor of `side`² tiles that swing, with pegs and a plane among them.
fn tiled(side: u32) -> GrainSystem {
    let material = CompliantMaterial { young: 1e6, ..CompliantMaterial::default() };
    let settings = GrainSettings { materials: vec![material], ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..3000_u32 {
        let [i, j, l] = [k % 30, k / 30 % 30, k / 900].map(f64::from);
        let position = Vec3::new(0.021 * i + 0.01, 0.021 * j + 0.01, 0.012 + 0.021 * l);
        let velocity = Vec3::new(f64::from(k * 13 % 7) - 3.0, f64::from(k * 5 % 3) - 1.0, -3.0) * 0.1;
        system.add(&Grain { position, radius: 0.01, velocity, ..Grain::default() }).unwrap();
    }
    let pitch = 0.64 / f64::from(side);
    for k in 0..side * side {
        let at = Vec3::new((f64::from(k % side) + 0.5) * pitch, (f64::from(k / side) + 0.5) * pitch, 0.0);
        let motion = WallMotion {
            position: at,
            rotation: Quat::from_rotation_y(0.1 * f64::from(k % 5) - 0.2),
            ..WallMotion::default()
        };
        let wall = match k % 11 {
            3 => Wall::rod("peg", [at, at + Vec3::Z * 0.02], 0.3 * pitch),
            5 => Wall::new("ball", Surface::Sphere { radius: 0.3 * pitch, hollow: false }, motion),
            _ => Wall::new("tile", Surface::Rectangle { half: [0.5 * pitch; 2] }, motion),
        };
        let phase = f64::from(k % 7);
        let swing = WallDrive::Vibration { amplitude: Vec3::Z * 0.002, frequency: 40.0, phase };
        system.add_wall(if k % 3 == 0 { wall.driven(swing) } else { wall }).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::Z * -0.005, Vec3::Z)).unwrap();
    system.add_wall(Wall::container("box", Vec3::new(0.0, 0.0, -0.1), Vec3::splat(0.64))).unwrap();
    system
}

#[test]
fn every_wall_that_is_touched_is_found() {
    let mut system = tiled(40);
    for _ in 0..5 {
        system.run(&Exec::serial(), 2e-5, 400).unwrap();
        let mut now = system.clone();
        now.update_forces(&Exec::serial(), 2e-5);
        let mut found: Vec<(u64, usize)> = now.wall_contacts().map(|c| (c.grain, c.wall)).collect();
        found.sort_unstable();
        found.dedup();
        // The same by a system with one wall at a time, which has no need to search.
        let mut expected = Vec::new();
        for (index, wall) in now.walls().iter().enumerate() {
            let near = |x: Vec3| x.distance(wall.motion.position) < 0.06 || index >= 1600;
            let ids: Vec<usize> = (0..now.len()).filter(|i| near(now.places()[*i].vector())).collect();
            let mut alone = GrainSystem::new(GrainSettings::default()).unwrap();
            for i in &ids {
                let row = now.places()[*i];
                alone.add(&Grain { position: row.vector(), radius: row.0[3], ..Grain::default() }).unwrap();
            }
            alone.add_wall(Wall { drive: WallDrive::Fixed, ..wall.clone() }).unwrap();
            alone.update_forces(&Exec::serial(), 2e-5);
            expected.extend(alone.wall_contacts().map(|c| (now.ids()[ids[c.grain as usize]], index)));
        }
        expected.sort_unstable();
        expected.dedup();
        assert!(found == expected, "{} found, {} expected", found.len(), expected.len());
    }
    assert!(system.wall_contact_count() > 500);
}

#[test]
fn bits_and_impulses_do_not_know_threads_or_restarts() {
    let mut alone = tiled(30);
    alone.run(&Exec::serial(), 2e-5, 1000).unwrap();
    let saved = alone.save();
    alone.run(&Exec::serial(), 2e-5, 1000).unwrap();
    let mut many = tiled(30);
    many.restore(&saved).unwrap();
    assert!(many.save() == saved);
    many.run(&Exec::with_threads(2).unwrap(), 2e-5, 1000).unwrap();
    assert!(many.save() == alone.save());
    let mut sum = Vec3::ZERO;
    for wall in 0..alone.walls().len() {
        sum += alone.wall_wrench(wall)[0];
        assert_eq!(alone.take_wall_impulse(wall), many.take_wall_impulse(wall));
    }
    assert!(sum.length() > 0.0);
    // Each contact is counted once: what walls get is what all grains together get less, as pairs of grains cancel.
    let mut fresh = alone.clone();
    fresh.update_forces(&Exec::serial(), 2e-5);
    let grains: Vec3 = fresh.forces().iter().map(|row| row.vector()).sum();
    let walls: Vec3 = (0..fresh.walls().len()).map(|wall| fresh.wall_wrench(wall)[0]).sum();
    assert!((walls + grains).length() < 1e-12 * walls.length(), "{walls} {grains}");
}

#[test]
fn walls_that_are_far_take_no_memory() {
    // Ten thousand plates out of reach of all grains.
    let bytes = |far: u32| {
        let mut system = tiled(8);
        for k in 0..far {
            let position = Vec3::new(f64::from(k % 100), f64::from(k / 100), -50.0);
            let motion = WallMotion { position, ..WallMotion::default() };
            system.add_wall(Wall::new("plate", Surface::Rectangle { half: [0.4; 2] }, motion)).unwrap();
        }
        system.run(&Exec::serial(), 2e-5, 200).unwrap();
        let wrenches = system.save().len();
        (system.bytes(), wrenches)
    };
    let (near, saved) = (bytes(0), bytes(10_000));
    // What remains is the box in the tree, and the motion of each wall in the state.
    assert!(saved.0 < near.0 + 10_000 * 160, "{} {}", near.0, saved.0);
    assert!(saved.1 < near.1 + 10_000 * 480, "{} {}", near.1, saved.1);
}
