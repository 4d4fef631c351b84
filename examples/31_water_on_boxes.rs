//! A column of water breaks down and throws over a stack of boxes. Water, boxes and floor are one problem a step.
//!
//! Run:  cargo run --release --example 31_water_on_boxes -p huygens
//! See:  when the front is at the boxes, how far the lowest are pushed, and that the highest have come down.

use huygens::prelude::*;

const SIDE: f64 = 0.075;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1.25e-3;
    let rigid = &mut world.settings_mut().contact.rigid;
    (rigid.max_iterations, rigid.on_failure) = (40, OnFailure::Accept);
    world.add_material(MaterialSpec::rigid("wood", 0.4))?;
    let wall = |position: [f64; 3], axis: [f64; 3]| {
        ShapeSpec::half_space().material("wood").at(position).along(axis)
    };
    world.add_body(BodySpec {
        kind: BodyType::Fixed,
        shapes: vec![
            wall([0.0; 3], [0.0, 0.0, 1.0]),
            wall([0.9, 0.0, 0.0], [-1.0, 0.0, 0.0]),
            wall([0.0; 3], [0.0, 1.0, 0.0]),
            wall([0.0, 0.2, 0.0], [0.0, -1.0, 0.0]),
        ],
        ..BodySpec::dynamic("basin")
    })?;
    let mut boxes = Vec::new();
    for (height, z) in [("low", 0.0375), ("middle", 0.1125), ("high", 0.1875)] {
        for (side, y) in [("left", 0.055), ("right", 0.145)] {
            let name = format!("{height}_{side}");
            let id = world.add_body(BodySpec {
                position: [0.5, y, z],
                density: Some(400.0),
                shapes: vec![ShapeSpec::cuboid([SIDE; 3]).material("wood")],
                ..BodySpec::dynamic(name.clone())
            })?;
            boxes.push((name, id));
        }
    }
    let water = world.add_fluid(FluidSpec {
        method: FluidMethod::Constraint,
        fills: vec![FluidFillSpec::between([0.0; 3], [0.25, 0.2, 0.3])],
        walls: vec![FluidWallSpec::tank("tank", [0.0; 3], [0.9, 0.2, 0.35], &[WallFace::UpperZ])],
        bodies: boxes.iter().map(|(name, _)| name.clone()).collect(),
        ..FluidSpec::new("water", 0.025)
    })?;
    let mut arrival = None;
    while let Some(step) = world.next_step(0.5) {
        world.advance(step)?;
        let ([force, _, _], _) = world.fluid_force(water, "low_left")?;
        if arrival.is_none() && force > 1.0 {
            arrival = Some(world.time());
        }
    }
    let arrival = arrival.unwrap_or(f64::NAN);
    let mut places = Vec::new();
    for (_, id) in &boxes {
        places.push(world.body_position(*id)?);
    }
    let pushed = places[..2].iter().map(|place| place[0] - 0.5).fold(f64::INFINITY, f64::min);
    let highest = places.iter().map(|place| place[2]).fold(0.0, f64::max);
    println!("the front is there after {arrival:.3} s; the lowest boxes are pushed by {pushed:.3} m");
    println!("the highest box is now at {highest:.3} m; it was at {:.3} m", 2.5 * SIDE);
    let status = world.fluid_status(water)?;
    println!("{status}");
    // Over 0.21 m at less than twice the speed of a long wave.
    assert!(arrival > 0.21 / (2.0 * (9.81_f64 * 0.3).sqrt()) && arrival < 0.25, "{arrival}");
    // They stand at the far wall, and no box stands on two others.
    assert!(pushed > 0.3 && pushed < 0.4 - 0.4 * SIDE, "{pushed}");
    assert!(highest < 2.0 * SIDE, "{highest}");
    assert!(status.compressibility < 0.03, "{status}");
    Ok(())
}
