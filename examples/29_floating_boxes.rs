//! Three boxes are put into water: one floats high, one floats deep, one sinks.
//!
//! Run:  cargo run --release --example 29_floating_boxes -p huygens
//! See:  they come to rest as deep as their densities say (Archimedes).

use huygens::prelude::*;

const SIDE: f64 = 0.08;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    world.add_material(MaterialSpec::rigid("wood", 0.3))?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("wood")))?;
    let mut boxes = Vec::new();
    for (name, x, z, density) in
        [("light", 0.12, 0.16, 300.0), ("heavy", 0.3, 0.16, 700.0), ("stone", 0.48, 0.14, 2000.0)]
    {
        let body = BodySpec { position: [x, 0.0, z], density: Some(density), ..BodySpec::dynamic(name) };
        let shape = ShapeSpec::cuboid([SIDE, 1.0, SIDE]).material("wood");
        boxes.push(world.add_body(body.with_shape(shape))?);
    }
    let (low, wall) = ([0.0; 3], [0.6, 0.0, 0.3]);
    let water = world.add_fluid(FluidSpec {
        plane: Some(FlowPlane::Xz),
        artificial: 0.1,
        bodies: ["light", "heavy", "stone"].map(String::from).to_vec(),
        fills: vec![FluidFillSpec::between(low, [0.6, 0.0, 0.16])],
        walls: vec![FluidWallSpec::tank("tank", low, wall, &[WallFace::UpperZ])],
        ..FluidSpec::new("water", 0.01)
    })?;
    let volume = 1e-4 * world.fluid_count(water)? as f64;
    world.run(1.0)?;

    // Water and what is below its surface fill the tank up to there.
    let surface = (volume + 2.0 * SIDE * SIDE) / 0.6;
    let mut heights = Vec::new();
    for id in &boxes {
        heights.push(world.body_position(*id)?[2] - surface);
    }
    println!(
        "above the surface: light {:.4} m, heavy {:.4} m, stone {:.4} m",
        heights[0], heights[1], heights[2]
    );
    println!("{}", world.fluid_status(water)?);
    assert!((heights[0] - 0.2 * SIDE).abs() < 0.02 && (heights[1] + 0.2 * SIDE).abs() < 0.02);
    assert!((world.body_position(boxes[2])?[2] - 0.5 * SIDE).abs() < 0.01);
    Ok(())
}
