//! Three balls of different restitution are dropped on a floor.
//!
//! Run:  cargo run --release --example 07_dropped_ball -p huygens
//! See:  the ball of clay stays where it falls, that of rubber comes back to 0.8² of its height, that of steel
//!       bounces longest.

use huygens::prelude::*;

const HEIGHT: f64 = 1.0; // m
const RADIUS: f64 = 0.1; // m
const BALLS: [(&str, f64, f64, f64); 3] =
    [("clay", 0.0, 1800.0, -0.5), ("rubber", 0.8, 1100.0, 0.0), ("steel", 0.95, 7800.0, 0.5)];

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    // Where two materials meet, the lesser restitution counts: the floor takes nothing.
    world.add_material(MaterialSpec { restitution: 1.0, ..MaterialSpec::rigid("floor", 0.5) })?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("floor")))?;
    let mut balls = Vec::new();
    for (name, restitution, density, x) in BALLS {
        world.add_material(MaterialSpec { restitution, ..MaterialSpec::new(name) })?;
        let ball = BodySpec {
            position: [x, 0.0, HEIGHT + RADIUS],
            density: Some(density),
            ..BodySpec::dynamic(name)
        };
        balls.push(world.add_body(ball.with_shape(ShapeSpec::sphere(RADIUS).material(name)))?);
    }

    let fall = (2.0 * HEIGHT / 9.81).sqrt();
    let (mut tops, mut lowest) = ([0.0f64; 3], HEIGHT);
    while let Some(h) = world.next_step(3.0) {
        world.advance(h)?;
        for ((ball, top), (_, restitution, ..)) in balls.iter().zip(&mut tops).zip(BALLS) {
            let height = world.body_position(*ball)?[2] - RADIUS;
            lowest = lowest.min(height);
            // The first rebound takes twice the restitution times the time of the fall.
            if world.time() > fall + 0.02 && world.time() < fall * (1.0 + 2.0 * restitution) + 0.02 {
                *top = top.max(height);
            }
        }
    }
    for ((name, restitution, ..), top) in BALLS.iter().zip(tops) {
        println!("{name} comes back to {top:.4} m");
        assert!((top - restitution * restitution * HEIGHT).abs() < 0.01);
    }
    assert!(lowest > -1e-3);
    Ok(())
}
