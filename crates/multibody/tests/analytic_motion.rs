//! Motions with closed forms: pendulum, free rotation, damped oscillation, controlled rotation, redundant loop.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::integrator::{Integrator, StepControl, StepperSettings};
use huygens_core::signal::{PidSpec, SignalGraph, SignalGraphBuilder, SignalSpec};
use huygens_core::{State, analysis};
use huygens_exec::Exec;
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };

/// Arithmetic–geometric mean, for elliptic integrals: the period of a pendulum is 2π√(I/mgd) / agm(1, cos θ₀/2).
fn agm(mut a: f64, mut b: f64) -> f64 {
    while (a - b).abs() > 1e-15 * a {
        (a, b) = (0.5 * (a + b), (a * b).sqrt());
    }
    a
}

/// A rod of 1 kg and 1 m hung by its end, horizontal at the start.
fn pendulum() -> (Mechanism, BodyId, JointId) {
    let mut assembly = Assembly::new(DOWN);
    let body = rod("rod", 1.0, 1.0, DVec3::X * 0.5, DQuat::IDENTITY);
    let body = assembly.add_body(body).unwrap();
    let id = joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
    (build(&assembly), body, id)
}

fn pendulum_period() -> f64 {
    2.0 * PI * (2.0 / (3.0 * G)).sqrt() / agm(1.0, (PI / 4.0).cos())
}

#[test]
fn a_pendulum_keeps_its_period_and_its_reaction() {
    let (mechanism, _, hinge) = pendulum();
    let quarter = pendulum_period() / 4.0;
    close(pendulum_period() / (2.0 * PI * (2.0 / (3.0 * G)).sqrt()), 1.180341, 1e-6, "elliptic factor");
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    let h = quarter / 500.0;
    advance(&mut stepper, &mut state, h, 500);
    let mut read = |state: &State, m: Measurement| measure(stepper.system(), &mechanism, state, &m);
    // At the bottom: angle a quarter turn, ω² = 3g/L, hinge force m g + m ω² L/2.
    close(read(&state, Measurement::Coordinate(hinge, 0)), FRAC_PI_2, 2e-5, "angle at the bottom");
    close(read(&state, Measurement::CoordinateRate(hinge, 0)), (3.0 * G).sqrt(), 1e-4, "speed at the bottom");
    let up = Measurement::ReactionForce(hinge, Side::B, ReactionAxes::World, 2);
    close(read(&state, up), G + 1.5 * G, 1e-3, "reaction at the bottom");
    let down = Measurement::ReactionForce(hinge, Side::A, ReactionAxes::World, 2);
    close(read(&state, down), -2.5 * G, 1e-3, "reaction on ground");
    advance(&mut stepper, &mut state, h, 1500);
    let angle = measure(stepper.system(), &mechanism, &state, &Measurement::Coordinate(hinge, 0));
    close(angle, 0.0, 2e-5, "angle after a period");
}

/// Step control keeps the global error near its tolerance, whatever step the caller asks for.
#[test]
fn step_control_follows_its_tolerance() {
    let (mechanism, _, hinge) = pendulum();
    let quarter = pendulum_period() / 4.0;
    let mut errors = Vec::new();
    let mut counts = Vec::new();
    for tolerance in [1e-6, 1e-7, 1e-8] {
        let control = Some(StepControl { tolerance, min_step: 1e-7, max_step: 0.1 });
        let mut stepper = stepper(&mechanism.model, StepperSettings { control, ..settings(ALPHA) });
        let mut state = start(&mut stepper);
        let mut sizes: Vec<f64> = Vec::new();
        while state.time < quarter - 1e-12 {
            let left = quarter - state.time;
            sizes.push(stepper.step(&mut state, left).unwrap().step_size);
        }
        close(state.time, quarter, 1e-9, "time");
        let angle = measure(stepper.system(), &mechanism, &state, &Measurement::Coordinate(hinge, 0));
        errors.push((angle - FRAC_PI_2).abs());
        counts.push(sizes.len());
        assert!(errors.last().unwrap() < &(3.0 * tolerance * sizes.len() as f64), "{errors:?} {counts:?}");
    }
    assert!(errors[2] < 0.2 * errors[0] && counts[2] > counts[0], "{errors:?} {counts:?}");
}

/// Torque-free symmetric body: R(t) = exp(t L/I₁) exp(t (ω₃ − L₃/I₁) e₃).
#[test]
fn a_free_symmetric_body_precesses() {
    let (across, along) = (2.0, 3.5);
    let omega = DVec3::new(0.7, -0.4, 3.0);
    let body = Body {
        name: "top".into(),
        inertia: DMat3::from_diagonal(DVec3::new(across, across, along)),
        angular_velocity: omega,
        velocity: DVec3::new(1.0, 2.0, 3.0),
        ..Body::default()
    };
    let mut assembly = Assembly::new(DVec3::ZERO);
    let id = assembly.add_body(body).unwrap();
    let mechanism = build(&assembly);
    let t = 1.5;
    let momentum = DVec3::new(across * omega.x, across * omega.y, along * omega.z);
    let spin = (omega.z - momentum.z / across) * t;
    let expected = DQuat::from_scaled_axis(momentum / across * t) * DQuat::from_rotation_z(spin);
    for (integrator, tolerance) in
        [(Integrator::Rk4, 1e-10), (Integrator::Leapfrog, 1e-5), (ALPHA, 1e-5), (Integrator::Euler, 2e-2)]
    {
        let state = run(&mechanism, integrator, 1e-3, 1500);
        let error = (body_rotation(&state, &mechanism, id) * expected.conjugate()).to_scaled_axis().length();
        assert!(error.min(2.0 * PI - error) < tolerance, "{integrator:?}: {error:e}");
        let end = DVec3::new(1.0, 2.0, 3.0) * t;
        assert!((body_position(&state, &mechanism, id) - end).length() < 1e-10);
    }
}

/// m z̈ + c ż + k (z − z₀) = −m g on a slider, from rest.
#[test]
fn a_damped_oscillator_follows_its_closed_form() {
    let (mass, stiffness, damping) = (2.0, 80.0, 3.0);
    let mut assembly = Assembly::new(DOWN);
    let body = rod("mass", mass, 0.3, DVec3::Z * -1.0, DQuat::IDENTITY);
    let body = assembly.add_body(body).unwrap();
    let slide =
        joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(body)], DVec3::ZERO, DVec3::Z);
    let law = ScalarLaw::Spring { stiffness, damping, rest: 1.0, actuator: None };
    let ground = Attachment::ground(DVec3::ZERO, DQuat::IDENTITY);
    let spring = assembly
        .add_spring(Spring { name: "s".into(), a: ground, b: Attachment::origin(body), law })
        .unwrap();
    let mechanism = build(&assembly);
    let (decay, natural) = (damping / (2.0 * mass), (stiffness / mass).sqrt());
    let damped = (natural * natural - decay * decay).sqrt();
    let sag = mass * G / stiffness;
    let expected = |t: f64| {
        let swing = (damped * t).cos() + decay / damped * (damped * t).sin();
        -1.0 - sag * (1.0 - (-decay * t).exp() * swing)
    };
    for (integrator, tolerance) in
        [(ALPHA, 5e-6), (Integrator::Hht { alpha: -0.1 }, 5e-6), (Integrator::Euler, 5e-3)]
    {
        let mut stepper = stepper(&mechanism.model, settings(integrator));
        let mut state = start(&mut stepper);
        for _ in 0..1000 {
            stepper.step(&mut state, 1e-3).unwrap();
            close(state.q[2], expected(state.time), tolerance, "height");
        }
        let mut read = |m: Measurement| measure(stepper.system(), &mechanism, &state, &m);
        let (length, rate) = (read(Measurement::Spring(spring, 0)), read(Measurement::Spring(spring, 1)));
        close(length, -state.q[2], 1e-12, "length");
        close(
            read(Measurement::Spring(spring, 2)),
            -stiffness * (length - 1.0) - damping * rate,
            1e-9,
            "force",
        );
        close(read(Measurement::CoordinateRate(slide, 0)), -rate, 1e-12, "slider");
    }
}

/// A wheel turned by a controller.
fn wheel(gravity: DVec3, signals: SignalGraph) -> (Mechanism, JointId) {
    let mut assembly = Assembly::new(gravity);
    let body = assembly.add_body(rod("wheel", 3.0, 2.0, DVec3::X * 0.25, DQuat::IDENTITY)).unwrap();
    let hinge =
        joint_at(&mut assembly, "axle", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
    let motor = CoordinateForce {
        name: "motor".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Joint(hinge, 0), 1.0)],
        law: ScalarLaw::Effort(Drive::Signal(signals.signal("torque").unwrap())),
    };
    assembly.add_coordinate_force(motor).unwrap();
    let sensors = [Measurement::Coordinate(hinge, 0), Measurement::CoordinateRate(hinge, 0)];
    (assembly.build(signals, &sensors).unwrap(), hinge)
}

/// J θ̈ = k_p (r − θ) − k_d θ̇.
#[test]
fn a_feedback_motor_makes_a_second_order_system() {
    let mut signals = SignalGraphBuilder::new();
    signals.add_sensor("angle", 0).unwrap();
    signals.add_sensor("rate", 1).unwrap();
    let (kp, kd, reference) = (50.0, 6.0, 0.8);
    let law = SignalSpec::Sum {
        inputs: vec!["angle".into(), "rate".into()],
        weights: Some(vec![-kp, -kd]),
        offset: kp * reference,
    };
    signals.add("torque", law).unwrap();
    let (mechanism, hinge) = wheel(DVec3::ZERO, signals.build().unwrap());
    let inertia = 3.0 * 4.0 / 12.0 + 3.0 * 0.0625;
    let (decay, natural) = (kd / (2.0 * inertia), f64::sqrt(kp / inertia));
    let damped = (natural * natural - decay * decay).sqrt();
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    for _ in 0..1000 {
        stepper.step(&mut state, 1e-3).unwrap();
        let t = state.time;
        let swing = (damped * t).cos() + decay / damped * (damped * t).sin();
        let expected = reference * (1.0 - (-decay * t).exp() * swing);
        let angle = measure(stepper.system(), &mechanism, &state, &Measurement::Coordinate(hinge, 0));
        close(angle, expected, 5e-5, "angle");
    }
}

/// The integral of a PID controller ends at the torque that holds the weight.
#[test]
fn a_pid_motor_holds_a_weight_without_error() {
    let mut signals = SignalGraphBuilder::new();
    signals.add_function("reference", 0.5).unwrap();
    signals.add_sensor("angle", 0).unwrap();
    signals.add_sensor("rate", 1).unwrap();
    let pid = PidSpec {
        ki: 400.0,
        kd: 30.0,
        filter_time: Some(0.01),
        initial_error: 0.5,
        ..PidSpec::new("reference", "angle", 200.0)
    };
    signals.add("torque", SignalSpec::Pid(pid)).unwrap();
    let signals = signals.build().unwrap();
    let torque = signals.signal("torque").unwrap();
    let (mechanism, hinge) = wheel(DOWN, signals);
    for integrator in [ALPHA, Integrator::Euler] {
        let mut stepper = stepper(&mechanism.model, settings(integrator));
        let mut state = start(&mut stepper);
        advance(&mut stepper, &mut state, 2e-3, 6000);
        let angle = measure(stepper.system(), &mechanism, &state, &Measurement::Coordinate(hinge, 0));
        close(angle, 0.5, 1e-6, "angle");
        // A positive angle about y lowers the rod's +x end.
        let weight = 3.0 * G * 0.25 * 0.5f64.cos();
        close(stepper.system().signals()[torque.index()], -weight, 1e-3, "torque");
    }
}

/// A parallelogram of three bars with four revolute joints in space: three rows are redundant.
/// θ̈ = −(W/I) cos θ with W = 2 m g L, I = 5/3 m L².
#[test]
fn a_redundant_four_bar_is_named_and_moves_right() {
    let mut assembly = Assembly::new(DVec3::new(0.0, -G, 0.0));
    let up = DQuat::from_rotation_z(FRAC_PI_2);
    let bar = |assembly: &mut Assembly, name: &str, at: DVec3, turn: DQuat, v: DVec3, w: f64| {
        let mut body = rod(name, 1.0, 1.0, at, turn);
        (body.velocity, body.angular_velocity) = (v, DVec3::Z * w);
        assembly.add_body(body).unwrap()
    };
    let left = bar(&mut assembly, "left", DVec3::new(0.0, 0.5, 0.0), up, DVec3::X * 0.5, -1.0);
    let top = bar(&mut assembly, "top", DVec3::new(0.5, 1.0, 0.0), DQuat::IDENTITY, DVec3::X, 0.0);
    let right = bar(&mut assembly, "right", DVec3::new(1.0, 0.5, 0.0), up, DVec3::X * 0.5, -1.0);
    let points = [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0), (1.0, 0.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let pairs = [[None, Some(left)], [Some(left), Some(top)], [Some(top), Some(right)], [None, Some(right)]];
    for (k, (pair, point)) in pairs.into_iter().zip(points).enumerate() {
        joint_at(&mut assembly, &format!("hinge{k}"), JointKind::Revolute, pair, point, DVec3::Z);
    }
    let mechanism = build(&assembly);
    let mut stepper = huygens_core::integrator::Stepper::new(
        mechanism.model.clone(),
        Exec::serial(),
        StepperSettings::default(),
    )
    .unwrap();
    let mut state = State::new(&mechanism.model);
    let report = analysis::assemble(stepper.system(), &mut state).unwrap();
    assert_eq!(report.degrees_of_freedom, 1, "{report:?}");
    assert_eq!(report.redundant.len(), 3, "{report:?}");
    assert!(report.redundant.iter().all(|name| name.contains("hinge")), "{report:?}");
    // The reference by RK4 in one coordinate.
    let slope = |y: [f64; 2]| [y[1], -(2.0 * G / (5.0 / 3.0)) * y[0].cos()];
    let mut y = [FRAC_PI_2, -1.0];
    let h = 1e-3;
    for _ in 0..1500 {
        stepper.step(&mut state, h).unwrap();
        let add = |a: [f64; 2], b: [f64; 2], s: f64| [a[0] + s * b[0], a[1] + s * b[1]];
        let k1 = slope(y);
        let k2 = slope(add(y, k1, 0.5 * h));
        let k3 = slope(add(y, k2, 0.5 * h));
        let k4 = slope(add(y, k3, h));
        (0..2).for_each(|i| y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        let middle = body_position(&state, &mechanism, top);
        let expected = DVec3::new(y[0].cos() + 0.5, y[0].sin(), 0.0);
        assert!((middle - expected).length() < 1e-4, "{middle} {expected} at {}", state.time);
    }
    assert!(y[0] < -0.5, "it has passed the flat position: {}", y[0]);
    assert!(state.lambda.iter().all(|l| l.abs() < 1e3), "reactions stay bounded");
}
