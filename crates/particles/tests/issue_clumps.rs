//! Clumps: runs that are cut, outlets, overlaps, the step, boxes that repeat, memory.

use crate::beds::{add_dumbbell, grain, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::{Outlet, Traffic, Zone};

#[test]
fn clumps_do_not_know_where_a_run_is_cut() {
    for k in 0..40 {
        let turned = 0.37 * f64::from(k);
        let periodic =
            if k % 2 == 0 { [None; 3] } else { [Some([-0.031, 0.0617]), Some([0.007, 0.0433]), None] };
        let made = || {
            let mut system = weightless(periodic);
            let velocity = Vec3::new(turned.cos(), turned.sin(), -0.3 * turned.sin());
            let spin = Vec3::new(40.0 * turned.sin(), 90.0, 70.0);
            add_dumbbell(&mut system, -velocity * 0.01 * turned, velocity, spin);
            system
        };
        let ex = Exec::serial();
        let (mut whole, mut cut) = (made(), made());
        whole.run(&ex, 2e-5, 4_000).unwrap();
        for _ in 0..4_000 {
            cut.run(&ex, 2e-5, 1).unwrap();
        }
        assert_eq!(whole.places(), cut.places());
        assert!(whole.save() == cut.save());
    }
}

#[test]
fn outlets_count_the_whole_of_a_clump() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::X, Vec3::ZERO);
    let mass = system.clump_mass(0).unwrap().0;
    let zone = Zone::Beyond { point: Vec3::X * 0.01, normal: Vec3::X };
    let outlets = vec![Outlet { name: "out".into(), zone }];
    system.set_traffic(Traffic { outlets, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&ex, 1e-4, 200).unwrap();
    assert!(system.is_empty());
    let counted = system.traffic().unwrap().outlet_counts[0].mass;
    assert!((counted / mass - 1.0).abs() < 1e-12, "{counted} of {mass}");
}

#[test]
fn spheres_of_one_clump_may_overlap() {
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    system.check_no_overlap(1e-6).unwrap();
}

#[test]
fn a_clump_of_spheres_allows_no_longer_step_than_one_of_them() {
    let (mut alone, mut joined) = (weightless([None; 3]), weightless([None; 3]));
    alone.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
    add_dumbbell(&mut joined, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    let (one, two) = (alone.step_limit(1.0), joined.step_limit(1.0));
    assert!(two.rayleigh <= one.rayleigh && two.critical <= one.critical, "{one:?} {two:?}");
}

#[test]
fn clumps_stay_in_a_box_that_repeats() {
    let mut system = weightless([Some([0.0, 0.1]), None, Some([-0.05, 0.1])]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::new(3.0, 0.1, -2.0), Vec3::new(0.0, 5.0, 9.0));
    system.run(&Exec::serial(), 1e-4, 10_000).unwrap();
    let clump = system.clumps()[0];
    // It may be out by what grains go between two lists.
    let Vec3 { x, y, z } = clump.position;
    assert!((-0.01..0.11).contains(&x) && (-0.06..0.06).contains(&z), "{clump:?}");
    assert!((y - 0.1).abs() < 1e-9 && clump.velocity == Vec3::new(3.0, 0.1, -2.0), "{clump:?}");
    // 3 m along x is where it started; its spheres are with it.
    assert!((x - 0.1 * (x / 0.1).round()).abs() < 1e-9, "{x}");
    for place in system.places() {
        let off = (place.vector() - clump.position) / Vec3::new(0.1, 1.0, 0.1);
        let arm = (off - Vec3::new(off.x.round(), 0.0, off.z.round())) * Vec3::new(0.1, 1.0, 0.1);
        assert!((arm.length() - 0.004).abs() < 1e-9, "{arm}");
    }
}

#[test]
fn memory_of_clumps_is_counted() {
    let (mut balls, mut pairs) = (weightless([None; 3]), weightless([None; 3]));
    for k in 0..1000 {
        let x = 0.02 * f64::from(k);
        balls.add(&grain(x - 0.004, 0.0, 0.0, 0.005)).unwrap();
        balls.add(&grain(x + 0.004, 0.0, 1.0, 0.005)).unwrap();
        add_dumbbell(&mut pairs, Vec3::X * x, Vec3::ZERO, Vec3::ZERO);
    }
    // A clump has 104 bytes, each sphere says which it is in.
    assert!(pairs.bytes() >= balls.bytes() + 1000 * (104 + 2 * 8));
}
