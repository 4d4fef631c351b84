//! A driveline: an engine shaft takes a load along through a clutch and a gear, and at the end a brake stops it.
//!
//! Run:  cargo run --release --example 05_driveline -p huygens
//! See:  the clutch slips until the shafts run together at the speed that the angular momentum gives; the drum turns
//!       at a third of it, and the brake stops everything.

use huygens::prelude::*;

/// A torque that grows smoothly [N·m].
fn engaging(to: f64, start: f64, duration: f64) -> DriveSpec {
    Function::StepPoly345 { from: 0.0, to, start, duration }.into()
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let shaft = |name: &str, inertia, speed| ShaftSpec { name: name.into(), inertia, angle: 0.0, speed };
    let engine = world.add_shaft(shaft("engine", 0.2, 100.0))?;
    let input = world.add_shaft(shaft("input", 0.02, 0.0))?;
    world.add_shaft(shaft("output", 0.1, 0.0))?;
    world.add_body(BodySpec {
        position: [0.0, 0.0, 0.5],
        mass: Some(20.0),
        shape: Some(Solid::Cylinder { radius: 0.3, length: 0.2, axis: [0.0, 0.0, 1.0] }),
        ..BodySpec::dynamic("drum")
    })?;
    let bearing = JointSpec::new("bearing", JointType::Revolute, "ground", "drum");
    let bearing = world.add_joint(bearing.at([0.0, 0.0, 0.5], [0.0, 0.0, 1.0]))?;
    let (a, b) = ("input".into(), "output".into());
    let gear = ShaftGearSpec { name: "gear".into(), shaft_a: a, shaft_b: b, ratio: 3.0 };
    world.add_coupling(CouplingSpec::ShaftGear(gear))?;
    let (shaft, joint) = ("output".into(), "bearing".into());
    let hub = ShaftJointSpec { name: "hub".into(), shaft, joint, coordinate: None, ratio: 1.0 };
    world.add_coupling(CouplingSpec::ShaftJoint(hub))?;
    let (name, torque) = ("clutch".into(), engaging(30.0, 0.5, 0.3));
    let (shaft_a, shaft_b) = ("engine".into(), "input".into());
    let clutch = ClutchSpec { name, shaft_a, shaft_b, torque, stiffness: 1e4, damping: 20.0 };
    world.add_force(ForceSpec::Clutch(clutch))?;
    let (name, joint, torque) = ("brake".into(), Some("bearing".into()), engaging(80.0, 2.5, 0.2));
    let brake = BrakeSpec { name, joint, torque, stiffness: 1e4, damping: 100.0, ..BrakeSpec::default() };
    world.add_force(ForceSpec::Brake(brake))?;
    world.run(2.5)?;

    let load = 0.02 + (0.1 + 0.5 * 20.0 * 0.3f64.powi(2)) / 3f64.powi(2);
    let together = 100.0 * 0.2 / (0.2 + load);
    let (speed, drum) = (world.shaft_motion(engine)?.1, world.joint_rate(bearing, 0)?);
    println!("engine {speed:.2} rad/s, drum {drum:.2} rad/s, expected {together:.2} and a third of it");
    assert!((speed - together).abs() < 0.01 * together);
    assert!((3.0 * drum - world.shaft_motion(input)?.1).abs() < 1e-6);

    world.run(4.0)?;
    let rest = world.joint_rate(bearing, 0)?;
    println!("after braking: {rest:.4} rad/s");
    assert!(rest.abs() < 1e-3);
    Ok(())
}
