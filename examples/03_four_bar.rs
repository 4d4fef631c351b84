//! Kinematics of a four-bar linkage: the crank turns at a constant speed, and a point of the coupler draws its curve.
//!
//! Run:  cargo run --release --example 03_four_bar -p huygens
//! See:  the curve closes after one turn, and the bars keep their lengths to rounding.

use std::error::Error;
use std::f64::consts::PI;
use std::ops::ControlFlow;

use huygens::prelude::*;

// Distance of the two fixed pivots and lengths of the bars [m].
const GROUND: f64 = 0.4;
const CRANK: f64 = 0.1;
const COUPLER: f64 = 0.35;
const ROCKER: f64 = 0.25;
const ACROSS: [f64; 3] = [0.0, -1.0, 0.0];

/// An aluminium bar from one point to another.
fn bar(name: &str, from: [f64; 3], to: [f64; 3]) -> Result<BodySpec, String> {
    let (x, z) = (to[0] - from[0], to[2] - from[2]);
    Ok(BodySpec {
        position: [(from[0] + to[0]) / 2.0, 0.0, (from[2] + to[2]) / 2.0],
        rotation: Some(Rotation::about(ACROSS, z.atan2(x))?),
        shape: Some(Solid::Box { size: [x.hypot(z), 0.01, 0.02] }),
        density: Some(2700.0),
        ..BodySpec::dynamic(name)
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let diagonal = GROUND.hypot(CRANK);
    let corner = (COUPLER.powi(2) + diagonal.powi(2) - ROCKER.powi(2)) / (2.0 * COUPLER * diagonal);
    let tilt = corner.acos() - CRANK.atan2(GROUND);
    let (a, b, d) = ([0.0; 3], [0.0, 0.0, CRANK], [GROUND, 0.0, 0.0]);
    let c = [COUPLER * tilt.cos(), 0.0, CRANK + COUPLER * tilt.sin()];

    let mut world = World::new([0.0, 0.0, -9.81]);
    world.add_body(bar("crank", a, b)?)?;
    let markers = [("pen".to_string(), FrameSpec::at([0.0, 0.0, 0.15]))].into();
    world.add_body(BodySpec { markers, ..bar("coupler", b, c)? })?;
    world.add_body(bar("rocker", d, c)?)?;
    world.add_joint(JointSpec::new("a", JointType::Revolute, "ground", "crank").at(a, ACROSS))?;
    world.add_joint(JointSpec::new("b", JointType::Revolute, "crank", "coupler").at(b, ACROSS))?;
    // A pin that slides along its axis keeps the loop free of redundant constraints.
    world.add_joint(JointSpec::new("c", JointType::PointOnLine, "coupler", "rocker").at(c, ACROSS))?;
    world.add_joint(JointSpec::new("d", JointType::Revolute, "ground", "rocker").at(d, ACROSS))?;
    let turning = Function::Ramp { start_value: 0.0, slope: PI, start_time: 0.0, end_time: None };
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Angle, "a", turning))?;
    world.add_probe(ProbeSpec::new("coupler/pen", "position"))?;

    let mut pen = Vec::new();
    world.kinematics(2.0, 5e-3, &mut |world| {
        world.probe_values(&mut pen).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    })?;
    let gap = (0..3).map(|i| (pen[i] - pen[pen.len() - 3 + i]).abs()).fold(0.0, f64::max);
    println!("{} points of the coupler curve, which closes within {gap:.1e} m", pen.len() / 3);
    assert!(pen.len() == 3 * 401 && gap < 1e-9 && world.constraint_residual()? < 1e-10);
    Ok(())
}
