//! Observed orders of the integrators, from the solutions at steps h, h/2 and h/4.

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::integrator::Integrator;
use huygens_multibody::*;

/// A spatial double pendulum: ball joints, full inertia tensors, centres of mass off the line.
fn double_pendulum() -> Mechanism {
    let mut random = Random(31);
    let mut assembly = Assembly::new(DOWN);
    let mut previous = None;
    for k in 0..2 {
        let mut body = random.body(&format!("body{k}"));
        body.position = DVec3::new(0.5 + k as f64, 0.1, 0.2);
        (body.velocity, body.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        body.inertia *= 0.2;
        let body = assembly.add_body(body).unwrap();
        joint_at(
            &mut assembly,
            &format!("ball{k}"),
            JointKind::Spherical,
            [previous, Some(body)],
            DVec3::X * k as f64,
            DVec3::Z,
        );
        previous = Some(body);
    }
    build(&assembly)
}

/// A slider–crank that swings under gravity, its rod between a universal joint and a point on a line.
fn slider_crank() -> Mechanism {
    let mut assembly = Assembly::new(DVec3::new(0.0, -G, 0.0));
    let tilt = 0.6f64;
    let tip = DVec3::new(tilt.cos(), tilt.sin(), 0.0) * 0.4;
    let slide = -(tip.y / 1.0f64).asin();
    let crank = rod("crank", 1.0, 0.4, tip * 0.5, DQuat::from_rotation_z(tilt));
    let crank = assembly.add_body(crank).unwrap();
    let turn = DQuat::from_rotation_z(slide);
    let middle = tip + turn * DVec3::X * 0.5;
    let connecting = assembly.add_body(rod("rod", 2.0, 1.0, middle, turn)).unwrap();
    let end = tip + turn * DVec3::X;
    joint_at(&mut assembly, "main", JointKind::Revolute, [None, Some(crank)], DVec3::ZERO, DVec3::Z);
    joint_at(&mut assembly, "line", JointKind::PointOnLine, [None, Some(connecting)], end, DVec3::X);
    // A universal joint lets the rod turn about z and about its own normal: no row is redundant.
    let frame = DQuat::from_mat3(&DMat3::from_cols(DVec3::Z, turn * DVec3::Y, -(turn * DVec3::X)));
    let (a, b) = (at(&assembly, Some(crank), tip, frame), at(&assembly, Some(connecting), tip, frame));
    assembly.add_joint(joint("pin", JointKind::Universal, a, b)).unwrap();
    build(&assembly)
}

/// A free body on three springs, spinning.
fn sprung_body() -> Mechanism {
    let mut random = Random(32);
    let mut assembly = Assembly::new(DOWN);
    let body = Body { angular_velocity: DVec3::new(2.0, 3.0, -1.0), ..random.body("body") };
    let body = assembly.add_body(body).unwrap();
    for k in 0..3 {
        let spring = Spring {
            name: format!("spring{k}"),
            a: Attachment::ground(random.vector() * 3.0, DQuat::IDENTITY),
            b: Attachment { position: random.vector() * 0.5, ..Attachment::origin(body) },
            law: ScalarLaw::Spring { stiffness: 30.0, damping: 1.0, rest: 1.0, actuator: None },
        };
        assembly.add_spring(spring).unwrap();
    }
    build(&assembly)
}

fn free_body() -> Mechanism {
    let mut random = Random(33);
    let mut assembly = Assembly::new(DOWN);
    let body = Body { angular_velocity: DVec3::new(2.0, 3.0, -1.0), ..random.body("body") };
    assembly.add_body(body).unwrap();
    build(&assembly)
}

/// Orders in position, velocity and multipliers at time `end`.
fn orders(mechanism: &Mechanism, integrator: Integrator, end: f64, h: f64) -> [f64; 3] {
    let states: Vec<State> = (0..3)
        .map(|k| {
            let h = h / f64::from(1 << k);
            run(mechanism, integrator, h, (end / h).round() as usize)
        })
        .collect();
    let order = |read: fn(&State) -> &Vec<f64>| {
        let [a, b, c] = [0, 1, 2].map(|k| read(&states[k]));
        (distance(a, b) / distance(b, c)).log2()
    };
    let orders = [order(|s| &s.q), order(|s| &s.v), order(|s| &s.lambda)];
    println!("{integrator:?}: {orders:.3?}");
    orders
}

#[test]
fn implicit_methods_are_of_second_order_on_constrained_motion() {
    for mechanism in [double_pendulum(), slider_crank()] {
        for integrator in [
            Integrator::GeneralizedAlpha { rho: 0.8 },
            Integrator::GeneralizedAlpha { rho: 0.3 },
            Integrator::Hht { alpha: -0.1 },
            Integrator::Hht { alpha: -0.3 },
            Integrator::Newmark { beta: 0.25, gamma: 0.5 },
        ] {
            let [q, v, lambda] = orders(&mechanism, integrator, 0.4, 4e-3);
            assert!(q >= 1.9 && v >= 1.9, "{integrator:?}: {q} in position, {v} in velocity");
            if matches!(integrator, Integrator::GeneralizedAlpha { .. }) {
                assert!(lambda >= 1.9, "{integrator:?}: {lambda} in the multipliers");
            }
        }
    }
}

#[test]
fn velocity_stepping_is_of_first_order() {
    for integrator in [Integrator::Euler, Integrator::EulerProjected] {
        let [q, v, _] = orders(&double_pendulum(), integrator, 0.4, 1e-3);
        assert!(q > 0.9 && q < 1.3 && v > 0.9 && v < 1.3, "{integrator:?}: {q} {v}");
    }
}

#[test]
fn explicit_methods_keep_their_order_on_the_rotation_group() {
    for mechanism in [free_body(), sprung_body()] {
        for (integrator, expected) in
            [(Integrator::Rk4, 3.8), (Integrator::Heun, 1.9), (Integrator::Leapfrog, 1.9)]
        {
            let [q, v, _] = orders(&mechanism, integrator, 0.8, 1e-2);
            assert!(q >= expected && v >= expected, "{integrator:?}: {q} in position, {v} in velocity");
        }
    }
}

/// The index-3 methods keep Φ = 0 at every step, with default tolerances.
#[test]
fn constraints_stay_closed() {
    for mechanism in [double_pendulum(), slider_crank()] {
        for integrator in [
            Integrator::default(),
            Integrator::Hht { alpha: -0.1 },
            Integrator::Newmark { beta: 0.25, gamma: 0.5 },
            Integrator::EulerProjected,
        ] {
            let settings = huygens_core::integrator::StepperSettings { integrator, ..Default::default() };
            let mut stepper = stepper(&mechanism.model, settings);
            let mut state = start(&mut stepper);
            let mut rows = vec![0.0; state.lambda.len()];
            for _ in 0..500 {
                stepper.step(&mut state, 2e-3).unwrap();
                let system = stepper.system();
                system.load(&state);
                system.update(&state.history);
                system.rows(&state.history, huygens_core::contract::RowRequest::default());
                system.residuals(&mut rows);
                assert!(largest(&rows) < 1e-9, "{integrator:?}: {:e} at {}", largest(&rows), state.time);
            }
        }
    }
}
