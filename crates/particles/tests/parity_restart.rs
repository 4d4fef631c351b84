//! A state saved and restored goes on with the same bits; one that does not fit is refused.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{Grain, GrainSettings, GrainSystem, ParticleError, Wall};

fn falling(count: usize) -> GrainSystem {
    let material = CompliantMaterial { young: 1e6, rolling_friction: 1e-4, ..CompliantMaterial::default() };
    let settings = GrainSettings { materials: vec![material], ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..count {
        let radius = 0.004 + 0.002 * ((k * 7919) % 100) as f64 / 100.0;
        let position = Vec3::new((k % 8) as f64, (k / 8 % 8) as f64, 1.0 + (k / 64) as f64) * 0.011
            + Vec3::X * radius * 0.1;
        let velocity = Vec3::new(0.3, -0.2, -1.0 - 0.4 * (k / 64) as f64);
        system.add(&Grain { position, radius, velocity, ..Grain::default() }).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    system.add_wall(Wall::plane("side", Vec3::X * 0.1, -Vec3::X)).unwrap();
    system
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    let ex = Exec::serial();
    let mut whole = falling(1500);
    whole.run(&ex, 2e-5, 1000).unwrap();
    let saved = whole.save();
    let mut restarted = falling(1500);
    restarted.restore(&saved).unwrap();
    assert!(restarted.save() == saved);
    assert!(whole.contact_count() > 300 && whole.list_report().builds > 2);
    for system in [&mut whole, &mut restarted] {
        system.run(&ex, 2e-5, 400).unwrap();
    }
    assert!(whole.save() == restarted.save());
    assert_eq!(whole.wall_wrench(0), restarted.wall_wrench(0));
}

#[test]
fn bytes_that_are_no_state_are_refused() {
    let mut system = falling(100);
    system.run(&Exec::serial(), 2e-5, 50).unwrap();
    let good = system.save();
    let refused = |bytes: &[u8]| {
        let mut system = falling(100);
        let before = system.save();
        assert!(matches!(system.restore(bytes), Err(ParticleError::State { .. })));
        assert!(system.save() == before);
    };
    for cut in [0, 7, 100, good.len() / 2, good.len() - 1] {
        refused(&good[..cut]);
    }
    refused(&[&good[..], &[0]].concat());
    // Lengths and indices that lie.
    for at in (0..good.len() - 8).step_by(977) {
        let mut bad = good.clone();
        bad[at..at + 8].fill(0xff);
        let mut system = falling(100);
        let _ = system.restore(&bad);
    }
    let mut other = falling(100);
    other.add_wall(Wall::plane("lid", Vec3::Z, -Vec3::Z)).unwrap();
    assert!(other.restore(&good).is_err());
}
