//! A column of water breaks down and hits a block on the floor of a tank.
//!
//! Run:  cargo run --release --example 28_dam_break_obstacle -p huygens
//! See:  the time at which the front reaches the block, and the force on it.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 1e-3;
    let water = world.add_fluid(FluidSpec {
        artificial: 0.05,
        bounds: Some(FluidBoundsSpec { low: [-0.1; 3], high: [0.9, 0.4, 1.0], closed: false }),
        fills: vec![FluidFillSpec::between([0.0; 3], [0.25, 0.3, 0.25])],
        walls: vec![
            FluidWallSpec::tank("tank", [0.0; 3], [0.8, 0.3, 0.4], &[WallFace::UpperZ]),
            FluidWallSpec::block("block", [0.5, 0.1, 0.0], [0.55, 0.2, 0.1]),
        ],
        ..FluidSpec::new("water", 0.025)
    })?;
    let (mut arrival, mut greatest) = (None, 0.0_f64);
    while let Some(step) = world.next_step(0.6) {
        world.advance(step)?;
        let ([force, _, _], _) = world.fluid_force(water, "block")?;
        greatest = greatest.max(force);
        if arrival.is_none() && force > 1.0 {
            arrival = Some(world.time());
        }
    }
    let arrival = arrival.unwrap_or(f64::NAN);
    println!("the front is there after {arrival:.3} s; the block feels up to {greatest:.1} N");
    println!("{}", world.fluid_status(water)?);
    // Half the length of the dry floor at about twice the speed of a long wave.
    assert!((0.1..0.3).contains(&arrival) && (5.0..200.0).contains(&greatest));
    Ok(())
}
