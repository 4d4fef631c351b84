//! Ten thousand balls, boxes and capsules fall into a bin.
//!
//! Run:  cargo run --release --example 10_pile -p huygens            the first quarter of a second
//!       cargo run --release --example 10_pile -p huygens -- 1.0     until that time [s]
//! See:  the lower bodies lie on the floor while the rest still falls; from 0.9 s on it carries their weight of 50 kN.

use huygens::prelude::*;

/// Bodies 0.2 m apart in the bin between two heights [m].
fn layer(
    name: &str,
    shape: ShapeSpec,
    density: f64,
    [low, high]: [f64; 2],
    jitter: f64,
    seed: u64,
) -> FillSpec {
    let region = Some([[-2.0, -2.0, low], [2.0, 2.0, high]]);
    let spacing = Some([0.2; 3]);
    FillSpec { name: name.into(), shape, density, region, spacing, jitter, seed, ..FillSpec::default() }
}

fn main() -> Result<(), WorldError> {
    let until = std::env::args().nth(1).and_then(|time| time.parse().ok()).unwrap_or(0.25);
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.set_threads(0)?;
    let settings = world.settings_mut();
    (settings.dt, settings.bounds) = (2.5e-3, Some([[-3.0, -3.0, -1.0], [3.0, 3.0, 12.0]]));
    let rigid = &mut settings.contact.rigid;
    (rigid.solver, rigid.max_iterations, rigid.on_failure) = (ConeMethod::Psor, 30, OnFailure::Accept);
    world.add_material(MaterialSpec::rigid("default", 0.4))?;
    let floor = world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space()))?;
    let mut walls = BodySpec::fixed("walls");
    for side in [-2.1, 2.1] {
        let along_y = ShapeSpec::cuboid([0.2, 4.4, 12.0]).at([side, 0.0, 6.0]);
        let along_x = ShapeSpec::cuboid([4.4, 0.2, 12.0]).at([0.0, side, 6.0]);
        walls = walls.with_shape(along_y).with_shape(along_x);
    }
    world.add_body(walls)?;

    let mut bodies = Vec::new();
    let (ball, cuboid) = (ShapeSpec::sphere(0.09), ShapeSpec::cuboid([0.15, 0.12, 0.09]));
    bodies.extend(world.add_fill(layer("ball", ball, 250.0, [0.05, 1.85], 0.005, 0))?);
    bodies.extend(world.add_fill(layer("box", cuboid, 250.0, [1.85, 3.65], 0.02, 1))?);
    let capsules = layer("capsule", ShapeSpec::capsule(0.04, 0.08), 500.0, [3.65, 5.05], 0.015, 2);
    bodies.extend(world.add_fill(FillSpec { random_rotation: true, ..capsules })?);
    world.run(until)?;

    let contacts = world.contacts().len();
    let [_, _, lift] = world.body_contact_force(floor)?.0;
    println!("{} bodies, {contacts} contacts, {:.2} kN on the floor", bodies.len(), -lift / 1e3);
    assert!(contacts > 1000);
    assert!(lift < 0.0);
    assert!(until < 0.9 || (-lift - 50.5e3).abs() < 0.1 * 50.5e3);
    for body in bodies {
        let [x, y, z] = world.body_position(body)?;
        assert!(x.abs() < 2.0 && y.abs() < 2.0 && z > 0.0);
    }
    Ok(())
}
