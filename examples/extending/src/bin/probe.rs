//! A probe: the angular momentum of a tumbling body, which no built-in quantity gives.
//!
//! Run:  cargo run --release --bin probe
//! See:  the body tumbles about its middle axis while its angular momentum in world axes stays.

use glam::{DMat3, DQuat, DVec3};
use huygens::prelude::*;

const MOMENTS: [f64; 3] = [0.02, 0.03, 0.04];
const SPIN: [f64; 3] = [0.01, 5.0, 0.02];

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 1e-3;
    let body = world.add_body(BodySpec {
        mass: Some(1.0),
        inertia: Some(Inertia::diagonal(MOMENTS)),
        angular_velocity: Some(SPIN),
        ..BodySpec::dynamic("block")
    })?;
    world.add_probe(ProbeSpec {
        of: Some("block".into()),
        quantity: Some("angular_velocity.y".into()),
        ..ProbeSpec::default()
    })?;
    let turn = move |world: &World| -> Result<DMat3, WorldError> {
        let [w, x, y, z] = world.body_rotation(body)?;
        Ok(DMat3::from_quat(DQuat::from_xyzw(x, y, z, w)))
    };
    // ANCHOR: probe
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate() {
        world.add_user_probe(format!("angular_momentum.{axis}"), "kg·m²/s", move |world| {
            let turn = turn(world)?;
            let inertia = turn * DMat3::from_diagonal(DVec3::from_array(MOMENTS)) * turn.transpose();
            Ok((inertia * DVec3::from_array(world.body_angular_velocity(body)?))[k])
        })?;
    }
    world.add_user_probe("middle_axis", "1", move |world| Ok(turn(world)?.y_axis.y))?;
    // ANCHOR_END: probe

    let columns = world.probe_columns()?;
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names[1..4], ["angular_momentum.x", "angular_momentum.y", "angular_momentum.z"]);
    let expected = DVec3::from_array(MOMENTS) * DVec3::from_array(SPIN);
    let (mut lowest, mut drift, mut row) = (1.0f64, 0.0f64, Vec::new());
    while let Some(step) = world.next_step(10.0) {
        world.advance(step)?;
        row.clear();
        world.probe_values(&mut row)?;
        drift = drift.max(DVec3::from_slice(&row[1..]).distance(expected));
        lowest = lowest.min(row[4]);
    }
    println!("the middle axis turned to {lowest:.4}; angular momentum drifted by {drift:.2e} kg·m²/s");
    assert!(lowest < -0.99);
    assert!(drift < 1e-5 * expected.length());
    Ok(())
}
