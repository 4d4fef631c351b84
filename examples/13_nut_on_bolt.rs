//! A nut turns down a bolt under its own weight: two triangle meshes in contact.
//!
//! Run:  cargo run --release --example 13_nut_on_bolt -p huygens
//! See:  the nut sinks by one pitch of 8 mm for each turn; the thread is steep and oiled, so that it does not lock.

use std::f64::consts::TAU;

use huygens::prelude::*;

const PITCH: f64 = 0.008; // m

/// A mesh in millimetres, made by `make_thread.py`.
fn mesh(file: &str) -> ShapeSpec {
    let path = format!("{}/../../examples/assets/{file}", env!("CARGO_MANIFEST_DIR"));
    ShapeSpec::mesh(MeshSource::file(path).scaled(1e-3)).material("oiled")
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let settings = world.settings_mut();
    (settings.dt, settings.contact.envelope) = (1e-3, Some(2e-4));
    settings.contact.rigid.on_failure = OnFailure::Accept;
    world.add_material(MaterialSpec::rigid("oiled", 0.01))?;
    world.add_body(BodySpec::fixed("bolt").with_shape(mesh("bolt.obj")))?;
    let nut = BodySpec { position: [0.0, 0.0, 0.032], density: Some(7800.0), ..BodySpec::dynamic("nut") };
    let nut = world.add_body(nut.with_shape(mesh("nut.obj")))?;

    let start = world.body_position(nut)?[2];
    let mut turns = 0.0;
    while let Some(h) = world.next_step(0.3) {
        world.advance(h)?;
        turns += h * world.body_angular_velocity(nut)?[2] / TAU;
    }
    let sunk = start - world.body_position(nut)?[2];
    println!("the nut turned {turns:.3} times and sank {:.3} mm", 1e3 * sunk);
    println!("{} contacts at the end", world.contacts().len());
    assert!(turns.abs() > 0.2);
    assert!((sunk - PITCH * turns.abs()).abs() < 1e-3);
    Ok(())
}
