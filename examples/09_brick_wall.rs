//! A ball is shot through a wall of bricks.
//!
//! Run:  cargo run --release --example 09_brick_wall -p huygens
//! See:  the ball comes through, many bricks have moved, and none has sunk into the floor.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.settings_mut().dt = 2e-3;
    // Gauss–Seidel is at its best in stacks and walls; an iteration cap is a choice of accuracy here.
    let rigid = &mut world.settings_mut().contact.rigid;
    (rigid.solver, rigid.max_iterations, rigid.on_failure) = (ConeMethod::Psor, 60, OnFailure::Accept);
    world.add_material(MaterialSpec::rigid("brick", 0.6))?;
    world.add_material(MaterialSpec::rigid("iron", 0.4))?;

    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space().material("brick")))?;
    let ball = BodySpec {
        position: [0.0, -3.0, 0.9],
        velocity: [0.0, 12.0, 1.0],
        density: Some(7800.0),
        ..BodySpec::dynamic("ball")
    };
    let ball = world.add_body(ball.with_shape(ShapeSpec::sphere(0.2).material("iron")))?;
    // Every other course is shifted by half a brick.
    let brick = ShapeSpec::cuboid([0.4, 0.2, 0.2]).material("brick");
    let even = FillSpec::lattice("even", brick.clone(), 1800.0, [-1.8, 0.0, 0.1], [10, 1, 5]);
    let odd = FillSpec::lattice("odd", brick, 1800.0, [-1.6, 0.0, 0.3], [9, 1, 5]);
    let mut bricks = Vec::new();
    for fill in [even, odd] {
        bricks.extend(world.add_fill(FillSpec { spacing: Some([0.4, 1.0, 0.4]), ..fill })?);
    }

    let places =
        |world: &World| bricks.iter().map(|b| world.body_position(*b)).collect::<Result<Vec<_>, _>>();
    let start = places(&world)?;
    world.run(2.0)?;

    let end = places(&world)?;
    let far = |(a, b): &(&[f64; 3], &[f64; 3])| (0..3).map(|k| (a[k] - b[k]).powi(2)).sum::<f64>() > 0.01;
    let moved = start.iter().zip(&end).filter(far).count();
    let [x, y, z] = world.body_position(ball)?;
    println!("ball at [{x:.3}, {y:.3}, {z:.3}] m, {moved} of {} bricks moved", bricks.len());
    println!("{} contacts at the end", world.contacts().len());
    assert!(y > 1.0);
    assert!(moved > 10);
    assert!(end.iter().all(|p| p[2] > 0.08));
    Ok(())
}
