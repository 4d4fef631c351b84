//! A pendulum that starts horizontally and swings through 180°.
//!
//! Run:  cargo run --release --example 01_pendulum -p huygens
//! See:  the bob is back at its start after one period, which the complete elliptic integral gives in closed form.

use std::f64::consts::{FRAC_PI_4, PI};

use huygens::prelude::*;

const LENGTH: f64 = 1.0; // m
const RADIUS: f64 = 0.05; // m
const GRAVITY: f64 = 9.81; // m/s²

/// K(k) by the arithmetic-geometric mean.
fn elliptic_integral(k: f64) -> f64 {
    let (mut a, mut b) = (1.0, (1.0 - k * k).sqrt());
    while a - b > 1e-15 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    PI / (2.0 * a)
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -GRAVITY]);
    world.settings_mut().dt = 1e-3;
    let bob = world.add_body(BodySpec {
        position: [LENGTH, 0.0, 0.0],
        mass: Some(1.0),
        shape: Some(Solid::Sphere { radius: RADIUS }),
        ..BodySpec::dynamic("bob")
    })?;
    let pivot = JointSpec::new("pivot", JointType::Revolute, "ground", "bob");
    world.add_joint(pivot.at([0.0; 3], [0.0, -1.0, 0.0]))?;

    let gyration = LENGTH.powi(2) + 0.4 * RADIUS.powi(2);
    let period = 4.0 * elliptic_integral(FRAC_PI_4.sin()) * (gyration / (GRAVITY * LENGTH)).sqrt();
    let start = world.energy()?.total();
    let mut drift = 0.0f64;
    while let Some(h) = world.next_step(period) {
        world.advance(h)?;
        drift = drift.max((world.energy()?.total() - start).abs());
    }

    let [x, y, z] = world.body_position(bob)?;
    println!("period {period:.4} s, bob at [{x:.6}, {y:.6}, {z:.6}] m, energy within {drift:.1e} J");
    assert!((x - LENGTH).abs().max(y.abs()).max(z.abs()) < 1e-4);
    assert!(drift < 1e-3 * GRAVITY * LENGTH);
    Ok(())
}
