//! A robot arm with two joints: PID controllers drive torque motors along smooth steps, against gravity.
//!
//! Run:  cargo run --release --example 04_robot_arm -p huygens
//! See:  both joint angles follow their references within two hundredths of a radian.

use huygens::prelude::*;

type Outcome = Result<(), WorldError>;

/// A rod along x of `[length, radius, mass]` [m, m, kg].
fn rod(name: &str, middle: f64, [length, radius, mass]: [f64; 3]) -> BodySpec {
    let shape = Some(Solid::Rod { length, radius: Some(radius), axis: [1.0, 0.0, 0.0] });
    BodySpec { position: [middle, 0.0, 0.0], mass: Some(mass), shape, ..BodySpec::dynamic(name) }
}

/// Lets a torque motor bring a joint along `step` [rad]; settings are `[kp, ki, kd, limit, start of the integral]`.
fn control(world: &mut World, joint: &str, step: Function, settings: [f64; 5]) -> Outcome {
    let [kp, ki, kd, limit, held] = settings;
    let name = |what: &str| format!("{joint}_{what}");
    let mut pid = PidSpec::new(name("reference"), name("angle"), kp);
    (pid.ki, pid.kd, pid.filter_time) = (ki, kd, Some(0.005));
    (pid.lower, pid.upper, pid.initial_integral) = (Some(-limit), Some(limit), held);
    let mut add = |what, signal| world.add_signal(SignalEntry { name: name(what), signal });
    add("reference", SignalSpec::Function { function: step, input: None })?;
    add("angle", SignalSpec::Sensor { sensor: SensorSpec::new(joint, "angle") })?;
    add("torque", SignalSpec::Pid(pid))?;
    let drive = DriveSpec::signal(name("torque"));
    world.add_motor(MotorSpec::on_joint(name("motor"), MotorType::Torque, joint, drive)).map(|_| ())
}

fn main() -> Outcome {
    let mut world = World::new([0.0, 0.0, -9.81]);
    world.add_body(rod("upper", 0.25, [0.5, 0.03, 3.0]))?;
    world.add_body(rod("lower", 0.7, [0.4, 0.025, 2.0]))?;
    let (joint, axis) = (JointSpec::new, [0.0, -1.0, 0.0]);
    world.add_joint(joint("shoulder", JointType::Revolute, "ground", "upper").at([0.0; 3], axis))?;
    world.add_joint(joint("elbow", JointType::Revolute, "upper", "lower").at([0.5, 0.0, 0.0], axis))?;
    let step =
        |to: f64, start| Function::StepPoly345 { from: 0.0, to: to.to_radians(), start, duration: 1.0 };
    // The integral terms start at the torques that hold the arm's weight.
    let weight = [9.81 * (3.0 * 0.25 + 2.0 * 0.7), 9.81 * 2.0 * 0.2];
    control(&mut world, "shoulder", step(60.0, 0.2), [800.0, 2000.0, 80.0, 80.0, weight[0]])?;
    control(&mut world, "elbow", step(-90.0, 0.6), [200.0, 600.0, 15.0, 20.0, weight[1]])?;

    let mut error = [0.0f64; 2];
    while let Some(h) = world.next_step(3.0) {
        world.advance(h)?;
        for (error, joint) in error.iter_mut().zip(["shoulder", "elbow"]) {
            let [wanted, is] = ["reference", "angle"].map(|what| world.signal(&format!("{joint}_{what}")));
            *error = error.max((wanted? - is?).abs());
        }
    }
    println!("largest error: shoulder {:.4} rad, elbow {:.4} rad", error[0], error[1]);
    assert!(error[0].max(error[1]) < 0.02);
    assert!((world.signal("shoulder_angle")? - 60f64.to_radians()).abs() < 2e-3);
    assert!((world.signal("elbow_angle")? + 90f64.to_radians()).abs() < 2e-3);
    Ok(())
}
