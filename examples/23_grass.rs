//! A ball rolls through grass: every blade is a beam that bends under it and stands up again.
//!
//! Run:  cargo run --release --example 23_grass -p huygens
//! See:  the blades slow the ball down.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1e-3;
    world.settings_mut().contact.rigid.max_iterations = 3000;
    world.add_material(MaterialSpec::rigid("plant", 0.2))?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("plant")))?;
    let ball = BodySpec {
        position: [-0.3, 0.0, 0.121],
        velocity: [2.0, 0.0, 0.0],
        angular_velocity: Some([0.0, 16.67, 0.0]),
        density: Some(300.0),
        ..BodySpec::dynamic("ball")
    };
    let ball = world.add_body(ball.with_shape(ShapeSpec::sphere(0.12).material("plant")))?;
    let grass = world.add_structure(StructureSpec {
        copies: Some(CopiesSpec { count: [8, 7, 1], spacing: [0.08, 0.04, 0.0] }),
        section: Some(SectionSpec::circle(0.003)),
        material: Some(ElasticSpec::new(1.5e7, 0.3, 700.0)),
        damping: StructureDampingSpec { stiffness: 5e-3, ..StructureDampingSpec::default() },
        fixed: vec![FixedSpec::all("start")],
        contact: Some(StructureContactSpec {
            material: Some("plant".into()),
            ..StructureContactSpec::default()
        }),
        ..StructureSpec::beam("grass", ElementType::Beam, [0.0, -0.12, 0.005], [0.0, -0.12, 0.155], 4)
    })?;

    let mut most = 0.0f64;
    while let Some(h) = world.next_step(0.8) {
        world.advance(h)?;
        most = most.max(world.structure_energy(grass)?);
    }
    let (place, speed) = (world.body_position(ball)?[0], world.body_velocity(ball)?[0]);
    println!("ball at {place:.3} m with {speed:.3} m/s; the grass held up to {most:.2e} J");
    assert!(speed < 1.6 && most > 1e-3);
    Ok(())
}
