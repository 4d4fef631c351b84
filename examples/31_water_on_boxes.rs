//! A column of water breaks down and throws over a stack of boxes. Water, boxes and floor are one problem a step.
//!
//! Run:  cargo run --release --example 31_water_on_boxes -p huygens
//! See:  when the front is at the boxes, and how far they are pushed.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 2e-3;
    let rigid = &mut world.settings_mut().contact.rigid;
    (rigid.max_iterations, rigid.on_failure) = (50, OnFailure::Accept);
    world.add_material(MaterialSpec::rigid("wood", 0.4))?;
    let wall = |position: [f64; 3], axis: [f64; 3]| ShapeSpec {
        axis: Some(axis),
        ..ShapeSpec::half_space().material("wood").at(position)
    };
    world.add_body(BodySpec {
        kind: BodyType::Fixed,
        shapes: vec![
            wall([0.0; 3], [0.0, 0.0, 1.0]),
            wall([1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            wall([0.0; 3], [0.0, 1.0, 0.0]),
            wall([0.0, 0.3, 0.0], [0.0, -1.0, 0.0]),
        ],
        ..BodySpec::dynamic("basin")
    })?;
    let mut boxes = Vec::new();
    for (name, position, width) in [
        ("left", [0.55, 0.09, 0.04], 0.08),
        ("right", [0.55, 0.21, 0.04], 0.08),
        ("middle", [0.55, 0.15, 0.12], 0.16),
        ("top", [0.55, 0.15, 0.2], 0.08),
    ] {
        boxes.push(world.add_body(BodySpec {
            position,
            density: Some(400.0),
            shapes: vec![ShapeSpec::cuboid([0.08, width, 0.08]).material("wood")],
            ..BodySpec::dynamic(name)
        })?);
    }
    let water = world.add_fluid(FluidSpec {
        method: FluidMethod::Constraint,
        fills: vec![FluidFillSpec::between([0.0; 3], [0.3; 3])],
        walls: vec![FluidWallSpec::tank("tank", [0.0; 3], [1.0, 0.3, 0.5], &[WallFace::UpperZ])],
        bodies: ["left", "right", "middle", "top"].map(String::from).to_vec(),
        ..FluidSpec::new("water", 0.02)
    })?;
    let mut arrival = None;
    while let Some(step) = world.next_step(0.8) {
        world.advance(step)?;
        let ([force, _, _], _) = world.fluid_force(water, "left")?;
        if arrival.is_none() && force > 1.0 {
            arrival = Some(world.time());
        }
    }
    let arrival = arrival.unwrap_or(f64::NAN);
    println!("the front is there after {arrival:.3} s");
    for body in &boxes {
        println!("a box is pushed by {:.3} m", world.body_position(*body)?[0] - 0.55);
    }
    println!("{}", world.fluid_status(water)?);
    Ok(())
}
