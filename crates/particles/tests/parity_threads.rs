//! The list finds every contact, sizes from 1 to 20 included, and bits do not know the number of threads.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};

/// Numbers in 0…1 that repeat.
fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut x = seed;
    move || {
        x = x.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (x >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Side of the box [m]; small grains need less room.
fn side(count: usize, ratio: f64) -> f64 {
    0.02 * (count as f64).cbrt() / ratio.powf(0.4)
}

/// Grains of sizes 1 : `ratio` thrown into a box, with or without walls.
fn thrown(count: usize, ratio: f64, periodic: bool) -> GrainSystem {
    let mut random = random(7);
    let side = side(count, ratio);
    let settings = GrainSettings {
        materials: vec![CompliantMaterial { young: 1e6, ..CompliantMaterial::default() }],
        periodic: if periodic { [Some([0.0, side]); 3] } else { [None; 3] },
        gravity: if periodic { Vec3::ZERO } else { Vec3::new(0.0, 0.0, -9.81) },
        ..GrainSettings::default()
    };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..count {
        let radius = if k % 50 == 0 { 0.01 } else { 0.01 / (1.0 + (ratio - 1.0) * random()) };
        let [x, y, z] = std::array::from_fn(|_| random() * side);
        let [u, v, w] = std::array::from_fn(|_| 4.0 * (random() - 0.5));
        let (position, velocity) = (Vec3::new(x, y, z), Vec3::new(u, v, w));
        system.add(&Grain { position, radius, velocity, ..Grain::default() }).unwrap();
    }
    if !periodic {
        for axis in Vec3::AXES {
            system.add_wall(Wall::plane("low", Vec3::ZERO, axis)).unwrap();
            system.add_wall(Wall::plane("high", Vec3::splat(side), -axis)).unwrap();
        }
    }
    system
}

fn bits(system: &GrainSystem) -> Vec<(u64, [u64; 12])> {
    let rows = system.places().iter().zip(system.motions()).zip(system.spins());
    let numbers = rows.map(|((a, b), c)| std::array::from_fn(|k| [a, b, c][k / 4].0[k % 4].to_bits()));
    system.ids().iter().copied().zip(numbers).collect()
}

#[test]
fn every_pair_that_overlaps_is_found() {
    for (ratio, periodic) in [(1.0, false), (1.5, true), (20.0, false), (20.0, true)] {
        let mut system = thrown(1500, ratio, periodic);
        system.run(&Exec::serial(), 2e-5, 20).unwrap();
        let side = side(1500, ratio);
        let places = system.places();
        let mut overlapping = 0;
        for (i, a) in places.iter().enumerate() {
            for b in &places[..i] {
                let mut d = a.vector() - b.vector();
                if periodic {
                    d -= (d / side).round() * side;
                }
                overlapping += usize::from(d.length() < a.0[3] + b.0[3]);
            }
        }
        assert!(
            overlapping > 30 && system.list_report().builds > 1,
            "{overlapping} {:?}",
            system.list_report()
        );
        assert_eq!(system.contact_count(), overlapping, "sizes 1 : {ratio}, periodic {periodic}");
    }
}

#[test]
fn bits_do_not_know_the_number_of_threads_or_where_runs_are_cut() {
    for (ratio, periodic) in [(1.5, false), (20.0, true)] {
        let mut alone = thrown(9000, ratio, periodic);
        alone.run(&Exec::serial(), 2e-5, 50).unwrap();
        for threads in [2, 3] {
            let ex = Exec::with_threads(threads).unwrap();
            let mut many = thrown(9000, ratio, periodic);
            for steps in [1, 19, 30] {
                many.run(&ex, 2e-5, steps).unwrap();
            }
            assert!(bits(&alone) == bits(&many), "{threads} threads, sizes 1 : {ratio}");
        }
    }
}

#[test]
fn momentum_of_a_periodic_box_stays() {
    let mut system = thrown(3000, 3.0, true);
    let momentum =
        |system: &GrainSystem| -> Vec3 { system.motions().iter().map(|row| row.vector() / row.0[3]).sum() };
    let size: f64 = system.motions().iter().map(|row| row.vector().length() / row.0[3]).sum();
    let before = momentum(&system);
    system.run(&Exec::serial(), 2e-5, 400).unwrap();
    assert!(system.contact_count() > 500);
    assert!((momentum(&system) - before).length() < 1e-13 * size);
}
