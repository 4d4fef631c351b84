//! A soft cable swings with a ball at its end.
//!
//! Run:  cargo run --release --example 21_cable_pendulum -p huygens
//! See:  the sum of all energies stays while the cable stretches and bends.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1e-3;
    world.settings_mut().integrator = Some(Integrator::GeneralizedAlpha { rho: 0.9 });
    let ball = world.add_body(BodySpec {
        position: [1.0, 0.0, 0.0],
        density: Some(2000.0),
        shape: Some(Solid::Sphere { radius: 0.05 }),
        ..BodySpec::dynamic("ball")
    })?;
    let cable = world.add_structure(StructureSpec {
        section: Some(SectionSpec::circle(0.01)),
        material: Some(ElasticSpec::new(2e6, 0.4, 1100.0)),
        fixed: vec![FixedSpec { nodes: "start".into(), hold: vec![NodeColumn::Position] }],
        ..StructureSpec::beam("cable", ElementType::Cable, [0.0; 3], [1.0, 0.0, 0.0], 16)
    })?;
    world.add_joint(JointSpec::new("hook", JointType::Spherical, "cable/end", "ball"))?;

    let start = world.energy()?.total();
    let (mut drift, mut pull) = (0.0f64, 0.0f64);
    while let Some(h) = world.next_step(1.5) {
        world.advance(h)?;
        drift = drift.max((world.energy()?.total() - start).abs());
        pull = pull.max(world.section_forces(cable, 0, 0.5)?.axial_force);
    }
    let end = world.node_motion(cable, "end")?.position.to_array();
    println!("ball at {end:.4?} m, largest pull {pull:.1} N, energy within {drift:.1e} J");
    assert!(world.body_position(ball)?.iter().zip(end).all(|(a, b)| (a - b).abs() < 1e-8));
    assert!(drift < 0.02 * 9.81);
    Ok(())
}
