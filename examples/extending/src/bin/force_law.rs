//! A force law: a spring whose force is the cube of its stretch.
//!
//! Run:  cargo run --release --bin force_law
//! See:  the quarter period is the one that the elliptic integral gives.

use std::sync::Arc;

use huygens::prelude::*;

const MASS: f64 = 2.0;
const STIFFNESS: f64 = 500.0;
const REST: f64 = 1.0;
const AMPLITUDE: f64 = 0.4;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 1e-4;
    let bob = world.add_body(BodySpec {
        position: [REST + AMPLITUDE, 0.0, 0.0],
        mass: Some(MASS),
        inertia: Some(Inertia::diagonal([0.1; 3])),
        ..BodySpec::dynamic("bob")
    })?;
    // ANCHOR: law
    // Force [N] along the growing length: time [s], length [m] and its rate [m/s] come in.
    let cubic = ForceLaw(Arc::new(|_time, length, _rate| -STIFFNESS * (length - REST).powi(3)));
    let spring =
        SpringSpec { name: "spring".into(), a: "ground".into(), b: "bob".into(), ..SpringSpec::default() };
    world.add_force_law(ForceSpec::Spring(spring), cubic)?;
    // ANCHOR_END: law

    // m v²/2 = k (A⁴ − x⁴)/4: the quarter period is √(2m/k)/A times the integral of 1/√(1 − u⁴) from 0 to 1.
    const LEMNISCATE: f64 = 1.311_028_777_146_06;
    let quarter = (2.0 * MASS / STIFFNESS).sqrt() / AMPLITUDE * LEMNISCATE;
    world.run(quarter)?;
    let (stretch, speed) = (world.body_position(bob)?[0] - REST, -world.body_velocity(bob)?[0]);
    let fastest = (STIFFNESS / (2.0 * MASS)).sqrt() * AMPLITUDE.powi(2);
    println!("after a quarter period: stretch {stretch:.2e} m, speed {speed:.8} m/s, expected {fastest:.8}");
    assert!(stretch.abs() < 1e-6 * AMPLITUDE);
    assert!((speed - fastest).abs() < 1e-6 * fastest);
    Ok(())
}
