//! Fields of force, materials and steps as they are given.

use std::sync::Arc;

use crate::beds::{Watch, add_dumbbell, grain, on_floor, settings, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::CompliantMaterial;
use huygens_particles::{Grain, GrainSettings, GrainSystem};

#[test]
fn fields_of_force_are_asked_for_the_time_of_the_positions() {
    let mut system = weightless([None; 3]);
    let mut one = grain(0.0, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X;
    system.add(&one).unwrap();
    let watch = Arc::new(Watch::default());
    system.add_field(watch.clone());
    system.run(&Exec::serial(), 1e-3, 10).unwrap();
    for (time, x) in watch.seen.lock().unwrap().iter() {
        assert!((time - x).abs() < 1e-9, "at {time} s it is asked for where grains are at {x} s");
    }
}

#[test]
fn a_field_like_gravity_moves_clumps_as_gravity_does() {
    let mut system = weightless([None; 3]);
    add_dumbbell(&mut system, Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    system.add_field(Arc::new(Watch { pull: 2.0, ..Watch::default() }));
    system.run(&Exec::serial(), 1e-3, 100).unwrap();
    let speed = system.clumps()[0].velocity.x;
    assert!((speed / 0.2 - 1.0).abs() < 1e-9, "{speed}");
}

#[test]
fn a_field_like_gravity_leaves_held_grains_alone() {
    let mut system = weightless([None; 3]);
    system.add(&Grain { density: f64::INFINITY, ..grain(0.0, 0.0, 0.0, 0.005) }).unwrap();
    system.add_field(Arc::new(Watch { pull: 2.0, ..Watch::default() }));
    system.run(&Exec::serial(), 1e-3, 100).unwrap();
    assert_eq!(system.motions()[0].vector(), Vec3::ZERO);
}

#[test]
fn materials_beyond_a_byte_are_refused_or_kept() {
    let mut materials = vec![CompliantMaterial { young: 1e6, ..CompliantMaterial::default() }; 300];
    materials[299].young = 1e9;
    let Ok(mut system) = GrainSystem::new(GrainSettings { materials, ..settings() }) else { return };
    if system.add(&Grain { material: 299, ..grain(0.0, 0.0, 0.0, 0.005) }).is_ok() {
        let mut stiff = GrainSystem::new(GrainSettings {
            materials: vec![CompliantMaterial { young: 1e9, ..CompliantMaterial::default() }],
            ..settings()
        })
        .unwrap();
        stiff.add(&grain(0.0, 0.0, 0.0, 0.005)).unwrap();
        assert_eq!(system.step_limit(1.0).rayleigh, stiff.step_limit(1.0).rayleigh);
    }
}

#[test]
fn a_step_that_is_none_is_refused() {
    for step in [0.0, -1e-5, f64::NAN, f64::INFINITY] {
        assert!(on_floor().run(&Exec::serial(), step, 3).is_err(), "{step}");
        assert!(weightless([None; 3]).run(&Exec::serial(), step, 3).is_err(), "{step}");
    }
}
