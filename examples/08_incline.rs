//! Two blocks on a slope: the friction of one is above the tangent of the slope, that of the other below.
//!
//! Run:  cargo run --release --example 08_incline -p huygens
//! See:  the rough block stays, the smooth one slides with g (sin 20° - 0.25 cos 20°) = 1.05 m/s².

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let (sin, cos) = 20f64.to_radians().sin_cos(); // tan 20° = 0.364
    let turn = Rotation::about([0.0, 1.0, 0.0], 20f64.to_radians()).ok();
    let mut world = World::new([0.0, 0.0, -9.81]);
    for (name, friction) in [("slope", 1.0), ("rough", 0.4), ("smooth", 0.25)] {
        world.add_material(MaterialSpec::rigid(name, friction))?;
    }
    let slope = BodySpec { rotation: turn, ..BodySpec::fixed("slope") };
    let slope = world.add_body(slope.with_shape(ShapeSpec::half_space().material("slope")))?;
    let mut add_block = |name: &str, y| {
        let block = BodySpec {
            position: [0.1 * sin, y, 0.1 * cos],
            rotation: turn,
            density: Some(600.0),
            ..BodySpec::dynamic(name)
        };
        world.add_body(block.with_shape(ShapeSpec::cuboid([0.3, 0.3, 0.2]).material(name)))
    };
    let (rough, smooth) = (add_block("rough", -0.3)?, add_block("smooth", 0.3)?);
    world.run(1.0)?;

    let slid = |position: [f64; 3]| (position[0] - 0.1 * sin) * cos - (position[2] - 0.1 * cos) * sin;
    let rough = slid(world.body_position(rough)?);
    let force = world.pair_contact_force(smooth, slope);
    let smooth = slid(world.body_position(smooth)?);
    let (normal, friction) = (force[0] * sin + force[2] * cos, force[2] * sin - force[0] * cos);
    println!(
        "rough slid {:.3} mm, smooth {smooth:.4} m, held by {normal:.2} N and {friction:.2} N",
        1e3 * rough
    );
    let pressure = 600.0 * 0.3 * 0.3 * 0.2 * 9.81 * cos;
    assert!(rough.abs() < 1e-3);
    assert!((smooth - 9.81 * (sin - 0.25 * cos) / 2.0).abs() < 5e-3);
    assert!((normal - pressure).abs() < 0.01 * pressure);
    assert!((friction - 0.25 * pressure).abs() < 0.01 * pressure);
    Ok(())
}
