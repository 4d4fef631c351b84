//! Boxes that repeat: grains that go round them, and boxes too narrow for what is in them.

use crate::beds::{grain, settings, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::{Boundary, GrainSettings, GrainSystem, NearField, Traffic};

#[test]
fn a_grain_that_goes_round_a_box_that_repeats_has_not_left_it() {
    let mut system = weightless([Some([0.0, 0.1]), None, None]);
    let mut one = grain(0.099, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X;
    system.add(&one).unwrap();
    let (low, high) = (Vec3::new(0.0, -1.0, -1.0), Vec3::new(0.1, 1.0, 1.0));
    let boundary = Some(Boundary::Closed { low, high });
    system.set_traffic(Traffic { boundary, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&Exec::serial(), 1e-5, 500).unwrap();
}

#[test]
fn boxes_that_cannot_repeat_are_refused() {
    for axis in [[0.0, 0.0], [0.0, -1.0], [0.0, f64::NAN], [f64::NAN, 1.0], [0.0, f64::INFINITY]] {
        let periodic = [Some(axis), None, None];
        assert!(GrainSystem::new(GrainSettings { periodic, ..settings() }).is_err(), "{axis:?}");
    }
}

/// Force on the grain with the id 0.
fn first_force(system: &mut GrainSystem) -> Vec3 {
    system.update_forces(&Exec::serial(), 1e-6);
    let at = system.ids().iter().position(|id| *id == 0).unwrap();
    system.forces()[at].vector()
}

#[test]
fn a_narrow_box_pushes_from_both_sides_or_is_refused() {
    // Two grains, each of which touches the other on both sides.
    let mut system = weightless([Some([0.0, 0.019]), None, None]);
    let added =
        system.add(&grain(0.005, 0.0, 0.0, 0.005)).and_then(|_| system.add(&grain(0.0145, 0.0, 0.0, 0.005)));
    if added.is_err() {
        return;
    }
    let force = first_force(&mut system);
    assert!(force.length() < 1e-9, "{force}");
}

#[test]
fn small_grains_in_a_box_little_wider_than_the_largest_touch() {
    let mut system = weightless([Some([0.0, 0.0102]), None, None]);
    system.add(&grain(0.002_54, 0.0, 0.0, 0.0015)).unwrap();
    system.add(&grain(0.005_11, 0.0, 0.0, 0.0015)).unwrap();
    system.add(&grain(0.0, 0.5, 0.0, 0.001)).unwrap();
    if system.add(&grain(0.0, 1.0, 0.0, 0.005)).is_err() {
        return;
    }
    assert!(first_force(&mut system).x < -1e-6);
    assert_eq!(system.contact_count(), 1);
}

#[test]
fn a_near_field_that_reaches_round_a_box_is_refused() {
    let near = |range| NearField { range, hamaker: 0.0, least_gap: 1e-9, repulsion: 1e-3, length: 1e-3 };
    let mut system = weightless([Some([0.0, 0.03]), None, None]);
    system.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
    system.set_near_field(Some(near(0.004))).unwrap();
    assert!(system.set_near_field(Some(near(0.006))).is_err());
    let error = system.add(&grain(0.0, 1.0, 0.0, 0.0056)).unwrap_err().to_string();
    assert!(error.contains("range of the near field"), "{error}");
}
