//! One-sided and dry laws with closed forms: limits, ropes, clutches, brakes.

mod common;

use common::*;
use glam::{DQuat, DVec3};
use huygens_core::integrator::Integrator;
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };

/// A mass that falls on a vertical slider.
fn slider(limit: Option<Limit>) -> (Mechanism, BodyId) {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("mass", 2.0, 0.3, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let id =
        joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(body)], DVec3::ZERO, DVec3::Z);
    assembly.joint_mut(id).unwrap().limits.extend(limit);
    (build(&assembly), body)
}

fn floor(stiffness: Option<f64>, damping: f64, restitution: f64) -> Limit {
    Limit { coordinate: 0, lower: Some(-1.0), upper: None, stiffness, damping, restitution }
}

/// Dropped from 1 m, it rises to e² and comes to rest; the floor then carries the weight.
#[test]
fn a_rigid_limit_bounces_by_its_restitution() {
    for restitution in [0.0, 0.5, 0.8] {
        let (mechanism, _) = slider(Some(floor(None, 0.0, restitution)));
        let mut stepper = stepper(&mechanism.model, settings(Integrator::Euler));
        let mut state = start(&mut stepper);
        let fall = (2.0 / G).sqrt();
        let mut peak = -1.0f64;
        while state.time < fall * (1.0 + 2.0 * restitution) + 1e-3 {
            stepper.step(&mut state, 1e-4).unwrap();
            if state.time > fall + 1e-3 {
                peak = peak.max(state.q[2]);
            }
            assert!(state.q[2] > -1.0 - 1e-3, "the floor holds");
        }
        close(peak + 1.0, restitution * restitution, 5e-3, "height of the first rebound");
        advance(&mut stepper, &mut state, 2e-4, 40_000);
        close(state.q[2], -1.0, 1e-4, "rest");
        close(state.lambda_unilateral[0], 2.0 * G, 1e-6, "force of the floor");
    }
}

/// A compliant limit without damping gives the speed back and sinks by √(m/k) v at first (k ≫ m g).
#[test]
fn a_compliant_limit_gives_the_energy_back() {
    let stiffness = 1e5;
    let (mechanism, _) = slider(Some(floor(Some(stiffness), 0.0, 0.0)));
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    let (mut peak, mut lowest) = (-1.0f64, 0.0f64);
    let fall = (2.0 / G).sqrt();
    while state.time < 2.2 * fall {
        stepper.step(&mut state, 5e-5).unwrap();
        lowest = lowest.min(state.q[2]);
        if state.time > 1.5 * fall {
            peak = peak.max(state.q[2]);
        }
    }
    // k d²/2 = m g (1 + d)
    let weight = 2.0 * G;
    let depth = (weight + (weight * weight + 2.0 * stiffness * weight).sqrt()) / stiffness;
    close(lowest, -1.0 - depth, 1e-4 * depth.max(1.0), "depth");
    close(peak, 0.0, 1e-3, "height");
}

#[test]
fn a_rigid_rope_stops_the_fall_and_carries_the_weight() {
    for stiffness in [None, Some(1e6)] {
        let mut assembly = Assembly::new(DOWN);
        let body = assembly.add_body(rod("mass", 2.0, 0.3, DVec3::Z * -0.1, DQuat::IDENTITY)).unwrap();
        let rope = Rope {
            name: "rope".into(),
            a: Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
            b: Attachment::origin(body),
            length: 0.6,
            stiffness,
            damping: if stiffness.is_some() { 1e3 } else { 0.0 },
            restitution: 0.0,
        };
        assembly.add_rope(rope).unwrap();
        let mechanism = build(&assembly);
        let mut stepper = stepper(&mechanism.model, settings(Integrator::Euler));
        let mut state = start(&mut stepper);
        let taut = (2.0 * 0.5 / G).sqrt();
        while state.time < 0.95 * taut {
            stepper.step(&mut state, 1e-4).unwrap();
            assert!(state.lambda_unilateral.iter().all(|l| *l == 0.0), "a slack rope does not pull");
        }
        close(state.q[2], -0.1 - 0.5 * G * state.time * state.time, 1e-3, "free fall");
        advance(&mut stepper, &mut state, 1e-4, 10_000);
        close(state.q[2], -0.6, 1e-4, "taut");
        close(state.v[2], 0.0, 1e-3, "at rest");
        if stiffness.is_none() {
            close(state.lambda_unilateral[0], 2.0 * G, 1e-3, "tension");
        }
    }
}

fn shaft(assembly: &mut Assembly, name: &str, inertia: f64, speed: f64) -> ShaftId {
    assembly.add_shaft(Shaft { name: name.into(), inertia, angle: 0.0, speed }).unwrap()
}

fn friction(assembly: &mut Assembly, terms: &[(ShaftId, f64)], limit: f64) -> CoordinateForceId {
    let law = ScalarLaw::Friction { limit: limit.into(), stiffness: 2e3, damping: 10.0 };
    let terms = terms.iter().map(|&(s, w)| (CoordinateRef::Shaft(s), w)).collect();
    assembly
        .add_coordinate_force(CoordinateForce { name: "dry".into(), label: "clutch", terms, law })
        .unwrap()
}

/// Slip at constant torque until the speeds meet, then common motion.
#[test]
fn a_clutch_slips_then_sticks() {
    let (j1, j2, torque, speed) = (0.2, 0.3, 4.0, 10.0);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let (a, b) = (shaft(&mut assembly, "a", j1, speed), shaft(&mut assembly, "b", j2, 0.0));
    let clutch = friction(&mut assembly, &[(a, 1.0), (b, -1.0)], torque);
    let mechanism = build(&assembly);
    let meet = speed / (torque / j1 + torque / j2);
    let common = j1 * speed / (j1 + j2);
    for (integrator, tolerance) in [(ALPHA, 0.02), (Integrator::Euler, 0.02)] {
        let mut stepper = stepper(&mechanism.model, settings(integrator));
        let mut state = start(&mut stepper);
        while state.time < 0.9 * meet {
            stepper.step(&mut state, 1e-4).unwrap();
        }
        close(state.v[0], speed - torque / j1 * state.time, tolerance, "driving speed");
        close(state.v[1], torque / j2 * state.time, tolerance, "driven speed");
        let felt = measure(stepper.system(), &mechanism, &state, &Measurement::CoordinateForce(clutch, 2));
        close(felt.abs(), torque, 1e-9, "torque while slipping");
        while state.time < 2.0 * meet {
            stepper.step(&mut state, 1e-4).unwrap();
        }
        close(state.v[0], common, 1e-3, "common speed");
        close(state.v[1], common, 1e-3, "common speed");
        close(j1 * state.v[0] + j2 * state.v[1], j1 * speed, 1e-10, "angular momentum");
    }
}

/// A brake stops a shaft after ω₀ J / τ, at the angle ω₀² J / 2τ, and holds it against a smaller torque.
#[test]
fn a_brake_stops_and_holds() {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let a = shaft(&mut assembly, "a", 0.1, 10.0);
    friction(&mut assembly, &[(a, 1.0)], 3.0);
    let push = CoordinateForce {
        name: "push".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Shaft(a), 1.0)],
        law: ScalarLaw::Effort(1.0.into()),
    };
    assembly.add_coordinate_force(push).unwrap();
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    advance(&mut stepper, &mut state, 1e-4, 10_000);
    close(state.v[0], 0.0, 1e-6, "stopped");
    close(state.q[0], 100.0 * 0.1 / (2.0 * 2.0), 5e-3, "angle");
    let angle = state.q[0];
    advance(&mut stepper, &mut state, 1e-4, 5_000);
    close(state.q[0], angle, 1e-6, "held");
}
