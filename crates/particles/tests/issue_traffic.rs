//! Inlets, outlets and flow meters.

use crate::beds::{grain, weightless};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fill::{Region, Sizes};
use huygens_particles::measure::FlowMeter;
use huygens_particles::{Inlet, Outlet, ParticleError, Rate, Traffic, Zone};

#[test]
fn a_flow_meter_sees_grains_that_go_round_across_the_flow() {
    let mut system = weightless([None, Some([0.0, 0.1]), None]);
    for k in 0..50 {
        let mut one = grain(0.011 * f64::from(k), 0.002 * f64::from(k), 0.05, 0.005);
        one.velocity = Vec3::new(0.0, 1.0, -1.0);
        system.add(&one).unwrap();
    }
    let mut meter = FlowMeter::new(Vec3::ZERO, -Vec3::Z, f64::INFINITY).unwrap();
    for _ in 0..10 {
        meter.look(&system);
        system.run(&Exec::serial(), 1e-4, 100).unwrap();
    }
    meter.look(&system);
    assert_eq!(meter.forward, 50);
}

#[test]
fn an_outlet_takes_grains_by_their_place_in_the_box() {
    let mut system = weightless([Some([0.0, 0.1]), None, None]);
    let mut one = grain(0.0995, 0.0, 0.0, 0.005);
    one.velocity = Vec3::X * 0.1;
    system.add(&one).unwrap();
    let zone =
        Zone::Inside(Region::Box { low: Vec3::new(0.0, -1.0, -1.0), high: Vec3::new(0.0002, 1.0, 1.0) });
    let outlets = vec![Outlet { name: "out".into(), zone }];
    system.set_traffic(Traffic { outlets, interval: 1, ..Traffic::default() }).unwrap();
    system.run(&Exec::serial(), 1e-5, 700).unwrap();
    assert!(system.is_empty());
}

#[test]
fn a_flow_meter_forgets_grains_that_left() {
    let ex = Exec::serial();
    let mut system = weightless([None; 3]);
    let mut meter = FlowMeter::new(Vec3::ZERO, Vec3::X, f64::INFINITY).unwrap();
    for k in 0..300 {
        let ids = system.insert(&ex, &[grain(0.0, 0.0, 0.0, 0.005)]).unwrap();
        meter.look(&system);
        system.remove(&ex, &[ids.start]).unwrap();
        assert_eq!(ids.start, k);
    }
    assert!(meter.bytes() < 2000, "{}", meter.bytes());
}

fn spout(rate: Rate, density: f64) -> Traffic {
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::splat(0.1) };
    let inlet = Inlet { density, ..Inlet::new("spout", region, rate, Sizes::constant(0.005)) };
    Traffic { inlets: vec![inlet], interval: 10, ..Traffic::default() }
}

#[test]
fn an_inlet_that_cannot_give_what_it_should_says_what_it_can() {
    // Every 1 ms a region of 1 l: 1414 balls of 0.52 ml as closely as they can lie, 1.85 kg.
    for (rate, most) in [(Rate::Number(1e300), 1.414e6), (Rate::Mass(1e12), 1851.2)] {
        let mut system = weightless([None; 3]);
        system.set_traffic(spout(rate, 2500.0)).unwrap();
        let error = system.run(&Exec::serial(), 1e-4, 20).unwrap_err();
        let ParticleError::InletRate { ref name, most: told, .. } = error else { panic!("{error}") };
        assert!(name == "spout" && (told / most - 1.0).abs() < 1e-3, "{error}");
    }
    for density in [f64::INFINITY, f64::NAN, 0.0] {
        let mut system = weightless([None; 3]);
        let error = system.set_traffic(spout(Rate::Number(10.0), density)).unwrap_err();
        assert!(error.to_string().contains("density of inlet 'spout'"), "{error}");
    }
}
