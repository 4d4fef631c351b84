//! A net of cables catches a ball.
//!
//! Run:  cargo run --release --example 22_net -p huygens
//! See:  the ball is caught and thrown up again.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1e-3;
    world.add_material(MaterialSpec::rigid("rubber", 0.6))?;
    let ball = BodySpec { position: [0.03, 0.02, 0.5], density: Some(800.0), ..BodySpec::dynamic("ball") };
    let ball = world.add_body(ball.with_shape(ShapeSpec::sphere(0.15).material("rubber")))?;
    world.add_structure(StructureSpec {
        element: ElementType::Cable,
        generate: Some(GenerateSpec::Net {
            origin: [-0.8, -0.8, 0.0],
            sides: [[1.6, 0.0, 0.0], [0.0, 1.6, 0.0]],
            meshes: [10, 10],
        }),
        section: Some(SectionSpec::circle(0.006)),
        material: Some(ElasticSpec::new(5e6, 0.4, 1000.0)),
        damping: StructureDampingSpec { stiffness: 2e-3, ..StructureDampingSpec::default() },
        fixed: vec![FixedSpec { nodes: "border".into(), hold: vec![NodeColumn::Position] }],
        contact: Some(StructureContactSpec {
            material: Some("rubber".into()),
            ..StructureContactSpec::default()
        }),
        ..StructureSpec::new("net")
    })?;

    let mut lowest = f64::INFINITY;
    while let Some(h) = world.next_step(1.2) {
        world.advance(h)?;
        lowest = lowest.min(world.body_position(ball)?[2]);
    }
    println!("lowest at {lowest:.3} m, at the end {:.3} m", world.body_position(ball)?[2]);
    assert!((-1.0..-0.1).contains(&lowest));
    Ok(())
}
