//! Reactions that vanish by the laws of mechanics vanish in every step: Newton's iteration ends when multipliers have
//! settled too, not when positions have.

use crate::common::*;
use glam::{DQuat, DVec3};
use huygens_core::State;
use huygens_core::integrator::{Integrator, Newton, Refresh, StepperSettings};
use huygens_multibody::*;

/// A crank, a rod and a slider in a plane whose normal is `tilt` × z; the pin is at the slider's centre, so that its
/// guide carries no torque. All pins lie in the plane, so that no joint carries a torque.
fn slider_crank(tilt: DQuat) -> Mechanism {
    let mut assembly = Assembly::new(tilt * DVec3::new(0.0, -G, 0.0));
    let angle = std::f64::consts::FRAC_PI_4;
    let tip = DVec3::new(angle.cos(), angle.sin(), 0.0) * 0.2;
    let slope = -(tip.y / 0.5f64).asin();
    let end = tip + DQuat::from_rotation_z(slope) * DVec3::X * 0.5;
    let bar = |name: &str, mass: f64, from: DVec3, to: DVec3, angle: f64| {
        let turn = tilt * DQuat::from_rotation_z(angle);
        rod(name, mass, (to - from).length(), tilt * (0.5 * (from + to)), turn)
    };
    let crank = assembly.add_body(bar("crank", 1.0, DVec3::ZERO, tip, angle)).unwrap();
    let connecting = assembly.add_body(bar("rod", 2.0, tip, end, slope)).unwrap();
    let slider = Body { position: tilt * end, rotation: tilt, ..rod("slider", 3.0, 0.1, DVec3::ZERO, tilt) };
    let slider = assembly.add_body(slider).unwrap();
    let (z, x) = (tilt * DVec3::Z, tilt * DVec3::X);
    joint_at(&mut assembly, "main", JointKind::Revolute, [None, Some(crank)], DVec3::ZERO, z);
    joint_at(&mut assembly, "pin", JointKind::Revolute, [Some(crank), Some(connecting)], tilt * tip, z);
    joint_at(&mut assembly, "guide", JointKind::Prismatic, [None, Some(slider)], tilt * end, x);
    let wrist = [Some(slider), Some(connecting)];
    joint_at(&mut assembly, "wrist", JointKind::PointOnLine, wrist, tilt * end, z);
    build(&assembly)
}

/// Three rods that swing in a plane whose normal is `tilt` × y: their pins carry no torque.
fn chain(tilt: DQuat) -> Mechanism {
    let mut assembly = Assembly::new(tilt * DOWN);
    let mut previous = None;
    for k in 0..3 {
        let place = DVec3::X * (k as f64 + 0.5);
        let body = assembly.add_body(rod(&format!("rod{k}"), 1.0, 1.0, tilt * place, tilt)).unwrap();
        let pin = tilt * (DVec3::X * k as f64);
        let ends = [previous, Some(body)];
        joint_at(&mut assembly, &format!("pin{k}"), JointKind::Revolute, ends, pin, tilt * DVec3::Y);
        previous = Some(body);
    }
    build(&assembly)
}

const INTEGRATORS: [Integrator; 2] =
    [Integrator::Hht { alpha: -0.1 }, Integrator::GeneralizedAlpha { rho: 0.8 }];

/// Rows of the torques that vanish: all rows of joints after those that hold a point.
fn torques(mechanism: &Mechanism, names: &[(&str, usize)]) -> Vec<usize> {
    let mut found = Vec::new();
    for (name, points) in names {
        let rows = 0..mechanism.model.row_count();
        let own: Vec<_> =
            rows.filter(|&r| mechanism.model.constraint_name(r).to_string().contains(name)).collect();
        assert!(own.len() > *points, "{name} has {} rows", own.len());
        found.extend_from_slice(&own[*points..]);
    }
    found
}

#[test]
fn torques_that_should_vanish_do() {
    // The guide's torque vanishes once the iteration has settled, the others by symmetry. In a plane that is askew,
    // rounding of positions is seen in all of them.
    let askew = DQuat::from_xyzw(0.3, -0.2, 0.5, 0.7).normalize();
    let (usual, fine) = (Newton::default(), Newton { acceleration_tolerance: 1e-11, ..Newton::default() });
    let settings = [
        (DQuat::IDENTITY, usual, 2e-7),
        (askew, usual, 2e-7),
        (DQuat::IDENTITY, fine, 1e-10),
        (askew, fine, 5e-9),
    ];
    let crank = [("main", 3), ("pin", 3), ("guide", 2)];
    let rods = [("pin0", 3), ("pin1", 3), ("pin2", 3)];
    type Case<'a> = (&'a str, fn(DQuat) -> Mechanism, &'a [(&'a str, usize)]);
    let cases: [Case<'_>; 2] = [("slider-crank", slider_crank, &crank), ("chain", chain, &rods)];
    for (name, make, joints) in cases {
        for (tilt, newton, bound) in settings {
            for integrator in INTEGRATORS {
                let mechanism = make(tilt);
                let rows = torques(&mechanism, joints);
                let settings = StepperSettings { integrator, newton, control: None };
                let mut stepper = stepper(&mechanism.model, settings);
                let mut state = start(&mut stepper);
                let (mut torque, mut force) = (0.0f64, 0.0f64);
                for _ in 0..500 {
                    stepper.step(&mut state, 4e-3).unwrap();
                    torque = rows.iter().fold(torque, |m, &r| m.max(state.lambda[r].abs()));
                    force = state.lambda.iter().fold(force, |m, l| m.max(l.abs()));
                }
                println!("{name} {integrator:?}: {torque:.2e} N·m at {force:.2e} N, bound {bound:e}");
                assert!(torque < bound * force, "{name}, {integrator:?}: {torque:e} N·m at {force:e} N");
            }
        }
    }
}

/// A spatial double pendulum: ball joints, full inertia tensors, centres of mass off the line.
fn double_pendulum(tilt: DQuat) -> Mechanism {
    let mut random = Random(31);
    let mut assembly = Assembly::new(tilt * DOWN);
    let mut previous = None;
    for k in 0..2 {
        let mut body = random.body(&format!("body{k}"));
        body.position = DVec3::new(0.5 + k as f64, 0.1, 0.2);
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        body.inertia *= 0.2;
        let body = assembly.add_body(body).unwrap();
        let (name, ends) = (format!("ball{k}"), [previous, Some(body)]);
        joint_at(&mut assembly, &name, JointKind::Spherical, ends, DVec3::X * k as f64, DVec3::Z);
        previous = Some(body);
    }
    build(&assembly)
}

/// Largest error of a reaction in steps of 1 ms, relative to the largest reaction.
fn error_of_reactions(mechanism: &Mechanism, integrator: Integrator, tolerance: f64) -> f64 {
    let newton = Newton { acceleration_tolerance: tolerance, ..Newton::default() };
    let usual = StepperSettings { integrator, newton, control: None };
    let newton = Newton {
        tolerance: 1e-16,
        acceleration_tolerance: 1e-16,
        refresh: Refresh::EveryIteration,
        ..Newton::default()
    };
    let exact = StepperSettings { integrator, newton, control: None };
    let (mut usual, mut exact) = (stepper(&mechanism.model, usual), stepper(&mechanism.model, exact));
    let mut state = start(&mut usual);
    let (mut error, mut force) = (0.0f64, 0.0f64);
    for _ in 0..2000 {
        let mut other: State = state.clone();
        usual.step(&mut state, 1e-3).unwrap();
        exact.step(&mut other, 1e-3).unwrap();
        let differences = state.lambda.iter().zip(&other.lambda).map(|(a, b)| (a - b).abs());
        error = differences.fold(error, f64::max);
        force = state.lambda.iter().fold(force, |m, l| m.max(l.abs()));
    }
    error / force
}

#[test]
fn reactions_are_those_that_more_iterations_would_find() {
    type Tilted = (&'static str, fn(DQuat) -> Mechanism);
    let cases: [Tilted; 3] =
        [("slider-crank", slider_crank), ("chain", chain), ("double pendulum", double_pendulum)];
    for (name, make) in cases {
        for integrator in INTEGRATORS {
            // The estimate of what an iteration leaves may be off by a little.
            for (tolerance, bound) in [(1e-7, 4e-7), (1e-9, 1e-7)] {
                let error = error_of_reactions(&make(DQuat::IDENTITY), integrator, tolerance);
                println!("{name} {integrator:?}: {error:.2e} at a tolerance of {tolerance:e}");
                assert!(error < bound, "{name}, {integrator:?}: {error:e} at a tolerance of {tolerance:e}");
            }
        }
    }
}
