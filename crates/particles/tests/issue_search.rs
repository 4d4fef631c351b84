//! The list finds what a search through all pairs finds; restarts with walls that move.

use huygens_exec::Exec;
use huygens_kernel::contact::CompliantMaterial;
use huygens_kernel::{Quat, Vec3};
use huygens_particles::{Grain, GrainSettings, GrainSystem, NearField, Wall, WallDrive};

struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn settings(periodic: [Option<[f64; 2]>; 3]) -> GrainSettings {
    let material = CompliantMaterial {
        young: 1e5,
        friction: 0.4,
        rolling_friction: 1e-4,
        ..CompliantMaterial::default()
    };
    GrainSettings { materials: vec![material], periodic, ..GrainSettings::default() }
}

#[test]
fn the_list_finds_all_that_touch() {
    let mut dice = Dice(1);
    let mut contacts = 0;
    for case in 0..400 {
        let most: f64 = 1.0;
        let ratio: f64 = [1.0, 1.9, 2.1, 5.0, 20.0, 300.0, 1e5][case % 7];
        let axis = |dice: &mut Dice| {
            (dice.roll() < 0.7).then(|| [-3.0 * dice.roll(), 4.0 + 6.0 * dice.roll() * dice.roll()])
        };
        let periodic = [axis(&mut dice), axis(&mut dice), axis(&mut dice)];
        let mut system = GrainSystem::new(settings(periodic)).unwrap();
        let mut grains = Vec::new();
        for k in 0..60 {
            let radius = if k == 0 { most } else { most * ratio.powf(-dice.roll()) };
            let position = Vec3::new(dice.roll(), dice.roll(), dice.roll()) * 9.0 - 4.0;
            system.add(&Grain { position, radius, ..Grain::default() }).unwrap();
            grains.push((position, radius));
        }
        system.update_forces(&Exec::serial(), 1e-6);
        let mut expected = 0;
        for (i, (x, r)) in grains.iter().enumerate() {
            for (y, s) in &grains[..i] {
                let mut d = *x - *y;
                for k in 0..3 {
                    if let Some([_, length]) = periodic[k] {
                        d[k] -= length * (d[k] / length).round();
                    }
                }
                expected += usize::from(d.length() < r + s);
            }
        }
        contacts += expected;
        assert_eq!(system.contact_count(), expected, "case {case} ratio {ratio} {periodic:?}");
    }
    assert!(contacts > 1000);
}

/// A shaken box of grains and dumbbells, with a paddle that turns.
fn shaken(near: bool) -> GrainSystem {
    let mut system = GrainSystem::new(settings([Some([0.0, 0.05]), None, None])).unwrap();
    let shape =
        system.add_clump_shape(&[(Vec3::X * 0.001, 0.002), (Vec3::X * -0.001, 0.0015)], 2500.0, 0).unwrap();
    let mut dice = Dice(7);
    for k in 0..1600 {
        let (x, y, z) = (k % 10, k / 10 % 10, k / 100);
        let position = Vec3::new(f64::from(x), f64::from(y), f64::from(z) + 0.7) * 0.005
            + Vec3::new(dice.roll(), dice.roll(), dice.roll()) * 3e-4;
        let velocity = Vec3::new(dice.roll() - 0.5, dice.roll() - 0.5, -dice.roll());
        if k % 9 == 0 {
            system.add_clump(shape, position, Quat::IDENTITY, velocity, Vec3::Z * 20.0).unwrap();
        } else {
            let radius = 0.001 + 0.0012 * dice.roll();
            system.add(&Grain { position, velocity, radius, ..Grain::default() }).unwrap();
        }
    }
    let shake = WallDrive::Vibration { amplitude: Vec3::Z * 2e-3, frequency: 40.0, phase: 0.3 };
    let low = Vec3::new(-1.0, -0.004, 0.0);
    system.add_wall(Wall::container("box", low, Vec3::new(1.0, 0.055, 0.2)).driven(shake)).unwrap();
    let turn = WallDrive::Rotation { axis: Vec3::X, rate: 30.0, centre: Vec3::new(0.0, 0.025, 0.03) };
    let (low, high) = (Vec3::new(-0.1, 0.015, 0.029), Vec3::new(0.2, 0.035, 0.031));
    system.add_wall(Wall::block("paddle", low, high).driven(turn)).unwrap();
    if near {
        let field = NearField { range: 3e-4, hamaker: 1e-12, least_gap: 1e-6, repulsion: 1e-5, length: 1e-4 };
        system.set_near_field(Some(field)).unwrap();
    }
    system
}

#[test]
fn restarts_threads_and_cuts_give_the_same_bits_with_all_at_once() {
    for near in [false, true] {
        let ex = Exec::serial();
        let mut whole = shaken(near);
        whole.run(&ex, 1e-5, 700).unwrap();
        let mut threads = shaken(near);
        let mut cut = shaken(near);
        threads.run(&Exec::with_threads(2).unwrap(), 1e-5, 700).unwrap();
        for count in [1, 130, 3, 266, 300] {
            cut.run(&ex, 1e-5, count).unwrap();
            let saved = cut.save();
            cut = shaken(near);
            cut.restore(&saved).unwrap();
            assert!(cut.save() == saved, "{count}");
        }
        assert!(whole.wall_contact_count() > 10 && whole.contact_count() > 100);
        assert_eq!(whole.places(), threads.places());
        assert_eq!(whole.places(), cut.places());
        assert!(whole.save() == threads.save());
        assert!(whole.save() == cut.save());
    }
}
