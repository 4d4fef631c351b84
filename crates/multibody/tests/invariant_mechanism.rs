//! What must not change: momentum, energy, and the motion itself under a change of frame or of units.

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::function::Function;
use huygens_core::integrator::Integrator;
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };

/// Units and frame a mechanism is described in.
#[derive(Clone, Copy)]
struct View {
    length: f64,
    mass: f64,
    rotation: DQuat,
    shift: DVec3,
}

const SI: View = View { length: 1.0, mass: 1.0, rotation: DQuat::IDENTITY, shift: DVec3::ZERO };

/// A floating chain of four bodies (revolute, spherical, universal) with a spring across and a motor torque inside.
struct Chain {
    assembly: Assembly,
    bodies: Vec<BodyId>,
    motor: CoordinateForceId,
}

fn chain(view: View, gravity: DVec3) -> Chain {
    let mut random = Random(21);
    let mut assembly = Assembly::new(view.rotation * gravity * view.length);
    let place = |p: DVec3| view.rotation * (p * view.length) + view.shift;
    let mut bodies = Vec::new();
    for k in 0..4 {
        let mut body = random.body(&format!("link{k}"));
        body.position = place(DVec3::X * k as f64 + body.position * 0.2);
        body.rotation = (view.rotation * body.rotation).normalize();
        body.velocity = view.rotation * body.velocity * view.length;
        body.center_of_mass *= view.length;
        body.mass *= view.mass;
        body.inertia *= view.mass * view.length * view.length * 0.1;
        bodies.push(assembly.add_body(body).unwrap());
    }
    let kinds = [JointKind::Revolute, JointKind::Spherical, JointKind::Universal];
    let mut joints = Vec::new();
    for (k, kind) in kinds.into_iter().enumerate() {
        let turn = view.rotation * random.rotation();
        let point = place(DVec3::X * (k as f64 + 0.5) + random.vector() * 0.1);
        let (a, b) =
            (at(&assembly, Some(bodies[k]), point, turn), at(&assembly, Some(bodies[k + 1]), point, turn));
        joints.push(assembly.add_joint(joint(&format!("j{k}"), kind, a, b)).unwrap());
    }
    let spring = Spring {
        name: "spring".into(),
        a: Attachment { position: DVec3::Y * 0.3 * view.length, ..Attachment::origin(bodies[0]) },
        b: Attachment { position: DVec3::Z * 0.2 * view.length, ..Attachment::origin(bodies[3]) },
        law: ScalarLaw::Spring {
            stiffness: 20.0 * view.mass,
            damping: 0.0,
            rest: 2.0 * view.length,
            actuator: None,
        },
    };
    assembly.add_spring(spring).unwrap();
    let torque = 2.0 * view.mass * view.length * view.length;
    let motor = CoordinateForce {
        name: "motor".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Joint(joints[0], 0), 1.0)],
        law: ScalarLaw::Effort(
            Function::Sine { amplitude: torque, frequency: 1.5, phase: 0.3, offset: 0.0 }.into(),
        ),
    };
    let motor = assembly.add_coordinate_force(motor).unwrap();
    Chain { assembly, bodies, motor }
}

/// Linear and angular momentum about the world's origin.
fn momentum(chain: &Chain, mechanism: &Mechanism, state: &State) -> (DVec3, DVec3) {
    let (mut linear, mut angular) = (DVec3::ZERO, DVec3::ZERO);
    for &id in &chain.bodies {
        let body = chain.assembly.body(id).unwrap();
        let v = &state.v[mechanism.body_column(id).unwrap()..];
        let p = DVec3::new(v[0], v[1], v[2]) * body.mass;
        let r = DMat3::from_quat(body_rotation(state, mechanism, id));
        linear += p;
        angular +=
            body_position(state, mechanism, id).cross(p) + r * (body.inertia * DVec3::new(v[3], v[4], v[5]));
    }
    (linear, angular)
}

#[test]
fn linear_momentum_is_kept_to_rounding_and_angular_momentum_to_second_order() {
    let chain = chain(SI, DVec3::ZERO);
    let mechanism = build(&chain.assembly);
    let scale: f64 = chain.bodies.iter().map(|&b| chain.assembly.body(b).unwrap().mass).sum();
    let drift = |h: f64| {
        let mut stepper = stepper(&mechanism.model, settings(ALPHA));
        let mut state = start(&mut stepper);
        let (p0, l0) = momentum(&chain, &mechanism, &state);
        let (mut linear, mut angular) = (0.0f64, 0.0f64);
        for _ in 0..(1.0 / h).round() as usize {
            stepper.step(&mut state, h).unwrap();
            let (p, l) = momentum(&chain, &mechanism, &state);
            linear = linear.max((p - p0).length());
            angular = angular.max((l - l0).length());
        }
        assert!(linear <= 1e-12 * scale, "linear momentum drifts by {linear:e}");
        angular
    };
    let (coarse, fine) = (drift(4e-3), drift(2e-3));
    assert!(coarse / fine > 3.5, "angular momentum drifts by {coarse:e}, {fine:e} at half the step");
    assert!(fine < 1e-4 * scale);
}

/// Kinetic, gravitational and elastic energy change by the work of the motor alone, to second order.
#[test]
fn energy_changes_by_the_work_of_the_motor() {
    let chain = chain(SI, DOWN);
    let mechanism = build(&chain.assembly);
    let imbalance = |h: f64| {
        let mut stepper = stepper(&mechanism.model, settings(ALPHA));
        let mut state = start(&mut stepper);
        let read = |stepper: &mut huygens_core::integrator::Stepper, state: &State| {
            let system = stepper.system();
            let energy: f64 = energy(system, state).iter().sum();
            let rate = measure(system, &mechanism, state, &Measurement::CoordinateForce(chain.motor, 1));
            let torque = measure(system, &mechanism, state, &Measurement::CoordinateForce(chain.motor, 2));
            (energy, rate * torque)
        };
        let (start_energy, mut power) = read(&mut stepper, &state);
        let (mut work, mut worst) = (0.0, 0.0f64);
        for _ in 0..(0.5 / h).round() as usize {
            stepper.step(&mut state, h).unwrap();
            let (energy, next) = read(&mut stepper, &state);
            work += 0.5 * h * (power + next);
            power = next;
            worst = worst.max((energy - start_energy - work).abs());
        }
        assert!(work.abs() > 0.1, "the motor does work: {work}");
        worst
    };
    let (coarse, fine) = (imbalance(2e-3), imbalance(1e-3));
    assert!(coarse / fine > 3.5, "{coarse:e} {fine:e}");
    assert!(fine < 1e-3, "{fine:e}");
}

#[test]
fn the_motion_does_not_depend_on_where_it_happens() {
    let rotation = DQuat::from_xyzw(0.3, -0.5, 0.1, 0.8).normalize();
    let moved = View { rotation, shift: DVec3::new(2.0, -1.0, 3.0), ..SI };
    let (here, there) = (chain(SI, DOWN), chain(moved, DOWN));
    let (m1, m2) = (build(&here.assembly), build(&there.assembly));
    let (s1, s2) = (run(&m1, ALPHA, 2e-3, 300), run(&m2, ALPHA, 2e-3, 300));
    for &id in &here.bodies {
        let expected = rotation * body_position(&s1, &m1, id) + moved.shift;
        let error = (body_position(&s2, &m2, id) - expected).length();
        assert!(error < 1e-9, "position differs by {error:e}");
        let turned = (rotation * body_rotation(&s1, &m1, id)).dot(body_rotation(&s2, &m2, id)).abs();
        close(turned, 1.0, 1e-12, "rotation");
    }
    assert!(distance(&s1.z, &s2.z) == 0.0 && (s1.time - 0.6).abs() < 1e-12);
}

#[test]
fn the_motion_does_not_depend_on_units() {
    // Millimetre, tonne, second: forces stay newtons.
    let millimetres = View { length: 1e3, mass: 1e-3, ..SI };
    let (si, mm) = (chain(SI, DOWN), chain(millimetres, DOWN));
    let (m1, m2) = (build(&si.assembly), build(&mm.assembly));
    let (s1, s2) = (run(&m1, ALPHA, 2e-3, 300), run(&m2, ALPHA, 2e-3, 300));
    for &id in &si.bodies {
        let (a, b) = (body_position(&s1, &m1, id), body_position(&s2, &m2, id) * 1e-3);
        assert!((a - b).length() < 1e-9 * a.length().max(1.0), "{a} {b}");
        close(body_rotation(&s1, &m1, id).dot(body_rotation(&s2, &m2, id)).abs(), 1.0, 1e-12, "rotation");
    }
}
