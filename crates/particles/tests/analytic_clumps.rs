//! Clumps move as rigid bodies do.

use huygens_exec::Exec;
use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{GrainSettings, GrainSystem, Wall};

fn system(gravity: Vec3) -> GrainSystem {
    let material = CompliantMaterial { young: 1e6, friction: 0.4, ..CompliantMaterial::default() };
    GrainSystem::new(GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() })
        .unwrap()
}

const PEBBLE: [(Vec3, f64); 4] = [
    (Vec3::ZERO, 0.01),
    (Vec3::new(0.008, 0.0, 0.0), 0.008),
    (Vec3::new(0.0, 0.006, 0.003), 0.007),
    (Vec3::new(-0.004, -0.003, 0.006), 0.006),
];

#[test]
fn a_free_clump_keeps_energy_and_angular_momentum() {
    let mut flight = system(Vec3::ZERO);
    let shape = flight.add_clump_shape(&PEBBLE, 2500.0, 0).unwrap();
    let spin = Vec3::new(30.0, -12.0, 45.0);
    flight.add_clump(shape, Vec3::X, Quat::IDENTITY, Vec3::new(1.0, 0.5, 0.0), spin).unwrap();
    let (before, energy) = (flight.clumps()[0], flight.kinetic_energy());
    // The angular velocity wanders, so the body is no symmetric one.
    let mut wandered = 0.0_f64;
    let drift = |step: f64, flight: &mut GrainSystem, wandered: &mut f64| {
        let mut worst = 0.0_f64;
        for _ in 0..50 {
            flight.run(&Exec::serial(), step, (0.004 / step) as u64).unwrap();
            worst = worst.max((flight.kinetic_energy() / energy - 1.0).abs());
            *wandered =
                wandered.max((flight.clump_angular_velocity(0).unwrap() - spin).length() / spin.length());
        }
        worst
    };
    let coarse = drift(2e-4, &mut flight.clone(), &mut wandered);
    let fine = drift(1e-4, &mut flight, &mut wandered);
    assert!(wandered > 0.1 && coarse < 1e-3 && coarse / fine > 3.5, "{wandered} {coarse} {fine}");
    let after = flight.clumps()[0];
    assert_eq!(after.angular_momentum, before.angular_momentum);
    assert!((after.position - before.position - before.velocity * 0.2).length() < 1e-12);
}

#[test]
fn clumps_fall_come_to_rest_and_weigh_what_they_weigh() {
    let ex = Exec::serial();
    let mut heap = system(Vec3::new(0.0, 0.0, -9.81));
    let shape = heap.add_clump_shape(&PEBBLE, 2500.0, 0).unwrap();
    let floor = heap.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    for k in 0..30 {
        let position = Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64 + 0.7) * 0.035;
        let turn = Quat::from_axis_angle(Vec3::new(1.0, k as f64, 0.3).normalize(), 0.7 * k as f64);
        heap.add_clump(shape, position, turn, Vec3::ZERO, Vec3::ZERO).unwrap();
    }
    // Without rolling resistance the last pebbles rock to and fro for some 3 s.
    heap.run(&ex, 4e-5, 80_000).unwrap();
    let weight = 9.81 * 30.0 * heap.clump_mass(0).unwrap().0;
    assert!(heap.kinetic_energy() < 1e-8 * weight * 0.01, "{}", heap.kinetic_energy());
    let borne = -heap.wall_wrench(floor)[0].z;
    assert!((borne / weight - 1.0).abs() < 1e-5, "{borne} {weight}");
    // Saved and restored in the middle, on several threads: the same bits.
    let saved = heap.save();
    let mut other = heap.clone();
    other.run(&Exec::with_threads(2).unwrap(), 4e-5, 300).unwrap();
    heap.restore(&saved).unwrap();
    heap.run(&ex, 4e-5, 300).unwrap();
    assert!(heap.save() == other.save());
}

#[test]
fn the_momentum_of_clumps_in_a_periodic_box_stays() {
    let material = CompliantMaterial { young: 1e6, ..CompliantMaterial::default() };
    let settings = GrainSettings {
        materials: vec![material],
        gravity: Vec3::ZERO,
        periodic: [Some([0.0, 0.1]); 3],
        ..GrainSettings::default()
    };
    let mut gas = GrainSystem::new(settings).unwrap();
    let shape = gas.add_clump_shape(&PEBBLE, 2500.0, 0).unwrap();
    for k in 0..27 {
        let position = Vec3::new((k % 3) as f64, (k / 3 % 3) as f64, (k / 9) as f64) * 0.0333;
        let velocity =
            Vec3::new((k * 7 % 5) as f64 - 2.0, (k * 3 % 7) as f64 - 3.0, (k * 5 % 3) as f64 - 1.0);
        gas.add_clump(shape, position, Quat::IDENTITY, velocity, velocity * 20.0).unwrap();
    }
    let momentum = |gas: &GrainSystem| -> Vec3 { gas.clumps().iter().map(|c| c.velocity).sum() };
    let before = momentum(&gas);
    gas.run(&Exec::serial(), 2e-5, 3000).unwrap();
    assert!(gas.list_report().builds > 5);
    assert!((momentum(&gas) - before).length() < 1e-11);
}
