//! A block of jelly falls onto the edge of a step, bends over it and slides off.
//!
//! Run:  cargo run --release --example 26_jelly -p huygens
//! See:  the block wobbles and keeps its volume.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1e-3;
    world.settings_mut().contact.rigid.max_iterations = 1000;
    world.add_material(MaterialSpec::rigid("wet", 0.3))?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("wet")))?;
    let step = BodySpec { position: [-0.3, 0.0, 0.1], ..BodySpec::fixed("step") };
    world.add_body(step.with_shape(ShapeSpec::cuboid([0.6, 0.8, 0.2]).material("wet")))?;
    let jelly = world.add_structure(StructureSpec {
        element: ElementType::Tetrahedron,
        generate: Some(GenerateSpec::Block {
            origin: [-0.15, -0.1, 0.25],
            size: [0.36, 0.2, 0.12],
            cells: [9, 5, 3],
            split: SplitType::Six,
        }),
        material: Some(ElasticSpec::new(3e4, 0.4, 1000.0)),
        damping: StructureDampingSpec { stiffness: 4e-3, ..StructureDampingSpec::default() },
        contact: Some(StructureContactSpec {
            material: Some("wet".into()),
            radius: Some(0.004),
            ..StructureContactSpec::default()
        }),
        ..StructureSpec::new("jelly")
    })?;
    world.run(1.0)?;

    let places: Vec<_> = world.node_motions(jelly)?.iter().map(|m| m.position).collect();
    let volume: f64 = world
        .structure_model(jelly)?
        .elements
        .iter()
        .map(|e| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| places[e.nodes()[k] as usize]);
            (b - a).cross(c - a).dot(d - a) / 6.0
        })
        .sum();
    println!("volume {volume:.6} m³ of 0.008640 m³");
    assert!((volume / 0.00864 - 1.0).abs() < 0.1);
    Ok(())
}
