//! Three boxes are put into water: one floats high, one floats deep, one sinks.
//!
//! Run:  cargo run --release --example 29_floating_boxes -p huygens
//! See:  they come to rest as deep as their densities say (Archimedes).

use huygens::prelude::*;

const HEIGHT: f64 = 0.08;
/// Width of the tank [m].
const WIDTH: f64 = 0.6;
/// Metres of the boxes that are drawn; the flow in the plane meets one metre of them.
const SEEN: f64 = 0.04;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 5e-4;
    world.add_material(MaterialSpec::rigid("wood", 0.3))?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("wood")))?;
    // Boxes that float are wider than high: else they would lie over.
    let (mut boxes, mut draughts, mut below) = (Vec::new(), Vec::new(), 0.0);
    for (name, density, wide, x, z) in [
        ("light", 300.0_f64, 0.12, 0.11, 0.19),
        ("heavy", 700.0, 0.12, 0.49, 0.16),
        ("stone", 2000.0, 0.08, 0.3, 0.12),
    ] {
        let body =
            BodySpec { position: [x, 0.0, z], density: Some(density / SEEN), ..BodySpec::dynamic(name) };
        let shape = ShapeSpec::cuboid([wide, SEEN, HEIGHT]).material("wood");
        boxes.push(world.add_body(body.with_shape(shape))?);
        draughts.push((density / 1000.0).min(1.0) * HEIGHT);
        below += wide * (density / 1000.0).min(1.0) * HEIGHT;
    }
    let open = [WallFace::UpperZ, WallFace::LowerY, WallFace::UpperY];
    let tank = FluidWallSpec::tank("tank", [0.0, -0.5 * SEEN, 0.0], [WIDTH, 0.5 * SEEN, 0.24], &open);
    let water = world.add_fluid(FluidSpec {
        plane: Some(FlowPlane::Xz),
        artificial: 0.2,
        bodies: ["light", "heavy", "stone"].map(String::from).to_vec(),
        fills: vec![FluidFillSpec::between([0.0; 3], [WIDTH, 0.0, 0.16])],
        walls: vec![tank.visible(true)],
        ..FluidSpec::new("water", 0.01)
    })?;
    let volume = 1e-4 * world.fluid_count(water)? as f64;
    world.run(1.5)?;
    // The mean over a swing of the water.
    let (mut heights, mut count) = ([0.0; 3], 0.0);
    while let Some(h) = world.next_step(2.5) {
        world.advance(h)?;
        for (height, id) in heights.iter_mut().zip(&boxes) {
            *height += world.body_position(*id)?[2];
        }
        count += 1.0;
    }

    // Water and what is below its surface fill the tank up to there.
    let surface = (volume + below) / WIDTH;
    println!("{}", world.fluid_status(water)?);
    for (height, draught) in heights.iter().zip(&draughts).take(2) {
        let deep = surface - height / count + 0.5 * HEIGHT;
        println!("a box is {:.1} mm deep in the water; {:.1} mm are right", 1e3 * deep, 1e3 * draught);
        assert!((deep / draught - 1.0).abs() < 0.03);
    }
    assert!((heights[2] / count - 0.5 * HEIGHT).abs() < 1e-3);
    Ok(())
}
