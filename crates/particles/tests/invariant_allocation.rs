//! What is asked from the allocator once warm.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};
use huygens_test_support::allocation_count;

/// A block of grains that slides as a whole over a floor: the list is made anew again and again, with as many pairs.
#[test]
fn steps_and_new_lists_allocate_nothing_once_warm() {
    let material = CompliantMaterial { friction: 0.0, ..CompliantMaterial::default() };
    let gravity = Vec3::ZERO;
    let settings = GrainSettings { materials: vec![material], gravity, ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings).unwrap();
    for k in 0..5000 {
        let (x, y, z) = (k % 20, k / 20 % 20, k / 400);
        let position = Vec3::new(f64::from(x), f64::from(y), f64::from(z) + 0.5) * 0.00202;
        system.add(&Grain { position, velocity: Vec3::new(0.2, 0.1, 0.0), ..Grain::default() }).unwrap();
    }
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z)).unwrap();
    let ex = Exec::serial();
    system.run(&ex, 1e-5, 2000).unwrap();
    let (builds, before) = (system.list_report().builds, allocation_count());
    system.run(&ex, 1e-5, 1000).unwrap();
    let (builds, asked) = (system.list_report().builds - builds, allocation_count() - before);
    assert!(builds > 5, "{builds} new lists");
    assert_eq!(asked, 0, "{asked} allocations in 1000 steps with {builds} new lists");
}
