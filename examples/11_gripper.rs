//! A gripper with two jaws closes on a box and lifts it: joints, motors and contact in one solve.
//!
//! Run:  cargo run --release --example 11_gripper -p huygens
//! See:  the box leaves the floor with the carriage at t = 1 s, and hangs between the jaws by friction alone: together
//!       they carry its weight of 39 N.

use huygens::prelude::*;

fn step(to: f64, start: f64, duration: f64) -> DriveSpec {
    Function::StepPoly345 { from: 0.0, to, start, duration }.into()
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.add_material(MaterialSpec::rigid("rubber", 0.8))?;
    world.add_body(BodySpec::fixed("floor").with_shape(ShapeSpec::half_space()))?;
    let cuboid = ShapeSpec::cuboid([0.2; 3]).material("rubber");
    let cuboid = world.add_body(BodySpec {
        position: [0.01, 0.0, 0.1],
        density: Some(500.0),
        shapes: vec![cuboid],
        ..BodySpec::dynamic("box")
    })?;
    world.add_body(BodySpec {
        position: [0.0, 0.0, 0.45],
        mass: Some(5.0),
        shapes: vec![ShapeSpec::cuboid([0.6, 0.1, 0.06])],
        ..BodySpec::dynamic("carriage")
    })?;
    let lift = JointSpec::new("lift", JointType::Prismatic, "ground", "carriage");
    world.add_joint(lift.at([0.0, 0.0, 0.45], [0.0, 0.0, 1.0]))?;
    let mut jaws = Vec::new();
    for (name, x) in [("left", -0.2), ("right", 0.2)] {
        jaws.push(world.add_body(BodySpec {
            position: [x, 0.0, 0.25],
            mass: Some(1.0),
            shapes: vec![ShapeSpec::cuboid([0.04, 0.12, 0.34]).material("rubber")],
            ..BodySpec::dynamic(name)
        })?);
        let joint = JointSpec::new(format!("{name}_slide"), JointType::Prismatic, "carriage", name);
        world.add_joint(joint.at([x, 0.0, 0.45], [-x / 0.2, 0.0, 0.0]))?;
    }
    world.add_motor(MotorSpec::on_joint("hoist", MotorType::Position, "lift", step(0.4, 1.0, 1.0)))?;
    world.add_motor(MotorSpec::on_joint("grip", MotorType::Force, "left_slide", step(120.0, 0.1, 0.3)))?;
    // A rack and pinion between the jaws: both close by the same way.
    let term = |joint: &str, weight| LinearTerm { joint: Some(joint.into()), weight, ..Default::default() };
    let terms = vec![term("left_slide", 1.0), term("right_slide", -1.0)];
    world.add_coupling(CouplingSpec::Linear(LinearCouplingSpec { name: "jaws".into(), terms }))?;
    world.run(3.0)?;

    let weight = 500.0 * 0.2f64.powi(3) * 9.81;
    let forces: Vec<[f64; 3]> = jaws.iter().map(|jaw| world.pair_contact_force(cuboid, *jaw)).collect();
    let (height, lift) = (world.body_position(cuboid)?[2], forces[0][2] + forces[1][2]);
    println!("box at {height:.4} m, jaws lift {:.2} N and {:.2} N", forces[0][2], forces[1][2]);
    assert!((height - 0.5).abs() < 2e-3);
    assert!(forces.iter().all(|force| (force[0].abs() - 60.0).abs() < 0.6));
    assert!((lift - weight).abs() < 0.01 * weight);
    Ok(())
}
