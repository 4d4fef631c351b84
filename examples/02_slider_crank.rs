//! A slider-crank: a motor brings the crank to two turns a second, the piston slides along x.
//!
//! Run:  cargo run --release --example 02_slider_crank -p huygens
//! See:  the piston is where the triangle of crank and rod puts it; the motor torque swings with the piston.

use std::error::Error;
use std::f64::consts::PI;

use huygens::prelude::*;

const CRANK: f64 = 0.15; // m
const ROD: f64 = 0.4; // m
const ACROSS: [f64; 3] = [0.0, -1.0, 0.0];

/// A steel part turned by `angle` [rad] in the plane of motion.
fn part(name: &str, position: [f64; 3], angle: f64, shape: Solid) -> Result<BodySpec, String> {
    let rotation = Some(Rotation::about(ACROSS, angle)?);
    Ok(BodySpec { position, rotation, shape: Some(shape), density: Some(7800.0), ..BodySpec::dynamic(name) })
}

fn main() -> Result<(), Box<dyn Error>> {
    let start = 50f64.to_radians();
    let lean = (CRANK * start.sin() / ROD).asin();
    let pin = [CRANK * start.cos(), 0.0, CRANK * start.sin()];
    let wrist = [pin[0] + ROD * lean.cos(), 0.0, 0.0];
    let middle = [(pin[0] + wrist[0]) / 2.0, 0.0, pin[2] / 2.0];

    let mut world = World::new([0.0, 0.0, -9.81]);
    world.add_body(part("crank", pin.map(|c| c / 2.0), start, Solid::Box { size: [CRANK, 0.03, 0.04] })?)?;
    world.add_body(part("rod", middle, -lean, Solid::Box { size: [ROD, 0.02, 0.03] })?)?;
    let cylinder = Solid::Cylinder { radius: 0.05, length: 0.08, axis: [1.0, 0.0, 0.0] };
    let piston = world.add_body(part("piston", wrist, 0.0, cylinder)?)?;
    let joint = JointSpec::new;
    let main = world
        .add_joint(joint("main_bearing", JointType::Revolute, "ground", "crank").at([0.0; 3], ACROSS))?;
    world.add_joint(joint("crank_pin", JointType::Revolute, "crank", "rod").at(pin, ACROSS))?;
    // The wrist pin may slide along its axis, so that no joint fixes what another has fixed already.
    world.add_joint(joint("wrist_pin", JointType::PointOnLine, "rod", "piston").at(wrist, ACROSS))?;
    world.add_joint(
        joint("cylinder", JointType::Prismatic, "ground", "piston").at([0.0; 3], [1.0, 0.0, 0.0]),
    )?;
    let speed = Function::StepPoly345 { from: 0.0, to: 4.0 * PI, start: 0.0, duration: 0.5 };
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Speed, "main_bearing", speed))?;
    let motor_torque = world.measurements(&SensorSpec::new("motor", "torque"))?[0].clone();

    let (mut error, mut least, mut most) = (0.0f64, f64::INFINITY, f64::NEG_INFINITY);
    while let Some(h) = world.next_step(2.0) {
        world.advance(h)?;
        let (sin, cos) = (start + world.joint_coordinate(main, 0)?).sin_cos();
        let triangle = CRANK * cos + (ROD.powi(2) - (CRANK * sin).powi(2)).sqrt();
        error = error.max((world.body_position(piston)?[0] - triangle).abs());
        let torque = world.measure(&motor_torque)?;
        (least, most) = (least.min(torque), most.max(torque));
    }
    println!("piston within {error:.1e} m of the triangle; motor torque {least:.1} to {most:.1} N·m");
    assert!(error < 1e-8);
    assert!(least < 0.0 && most > 0.0);
    Ok(())
}
