//! Forces and moving supports with closed forms: drag, bushing, loads, accelerated and rotating carriers.

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::analysis::{StaticsSettings, equilibrium};
use huygens_core::function::Function;
use huygens_core::integrator::Integrator;
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };

/// A fall with quadratic drag: v = v∞ tanh(g t / v∞), v∞² = m g / c.
#[test]
fn drag_limits_the_speed_of_a_fall() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("stone", 2.0, 0.1, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let drag = Drag {
        name: "air".into(),
        carrier: Carrier::Body(body),
        point: DVec3::ZERO,
        medium_velocity: DVec3::ZERO,
        linear: 0.0,
        quadratic: 0.5,
        angular_linear: 0.0,
        angular_quadratic: 0.0,
    };
    assembly.add_drag(drag).unwrap();
    let mechanism = build(&assembly);
    let top = (2.0 * G / 0.5).sqrt();
    for (integrator, tolerance) in [(Integrator::Rk4, 1e-9), (ALPHA, 1e-5), (Integrator::Leapfrog, 1e-5)] {
        let state = run(&mechanism, integrator, 2e-3, 1000);
        close(state.v[2], -top * (G * 2.0 / top).tanh(), tolerance, "speed");
        close(state.q[2], -top * top / G * (G * 2.0 / top).cosh().ln(), tolerance, "place");
    }
}

/// A body held by a bushing alone: deflection K⁻¹ (m g), turned axes and an off-diagonal term included.
#[test]
fn a_bushing_deflects_by_its_compliance() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("block", 1.0, 0.3, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let axes = DQuat::from_rotation_y(0.7) * DQuat::from_rotation_x(0.4);
    let mut stiffness = [[0.0; 6]; 6];
    (0..6).for_each(|k| stiffness[k][k] = if k < 3 { 1e4 * (1.0 + k as f64) } else { 1e3 });
    (stiffness[0][1], stiffness[1][0]) = (2e3, 2e3);
    let frame = |body: Option<huygens_multibody::BodyId>| Attachment {
        carrier: body.into(),
        position: DVec3::ZERO,
        rotation: axes,
    };
    let bushing = Bushing {
        name: "mount".into(),
        a: frame(None),
        b: frame(Some(body)),
        stiffness,
        damping: [[0.0; 6]; 6],
        preload: [0.0; 6],
    };
    let mount = assembly.add_bushing(bushing).unwrap();
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = State::new(&mechanism.model);
    equilibrium(stepper.system(), &mut state, &StaticsSettings::default()).unwrap();
    let block = DMat3::from_cols_array_2d(&std::array::from_fn(|c| std::array::from_fn(|r| stiffness[r][c])));
    let expected = axes * (block.inverse() * (axes.conjugate() * DOWN));
    let got = body_position(&state, &mechanism, body);
    assert!((got - expected).length() < 1e-12, "{got} {expected}");
    close(measure(stepper.system(), &mechanism, &state, &Measurement::Bushing(mount, 2)), G, 1e-8, "force");
}

/// A pendulum under a support with constant acceleration a leans back by atan(a/g).
#[test]
fn a_pendulum_leans_back_under_an_accelerated_support() {
    let acceleration = 3.0f64;
    let lean = (acceleration / G).atan();
    let mut assembly = Assembly::new(DOWN);
    let zero = || Function::constant(0.0);
    let ride = Function::Polynomial { coefficients: vec![0.0, 0.5, 0.5 * acceleration] };
    let motion = Motion { translation: [ride, zero(), zero()], ..Motion::default() };
    let cart = Body { name: "cart".into(), kind: BodyKind::Kinematic(motion), ..Body::default() };
    let cart = assembly.add_body(cart).unwrap();
    // Along the leaning direction, moving with the cart: it must stay so.
    let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2 + lean);
    let mut pole = rod("pole", 1.0, 1.0, turn * DVec3::X * 0.5, turn);
    pole.velocity = DVec3::X * 0.5;
    let pole = assembly.add_body(pole).unwrap();
    let hinge = joint_at(
        &mut assembly,
        "hinge",
        JointKind::Revolute,
        [Some(cart), Some(pole)],
        DVec3::ZERO,
        DVec3::Y,
    );
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    for _ in 0..500 {
        stepper.step(&mut state, 2e-3).unwrap();
        let mut read = |m| measure(stepper.system(), &mechanism, &state, &m);
        close(read(Measurement::CoordinateRate(hinge, 0)), 0.0, 1e-9, "it keeps its lean");
        let force = |c| Measurement::ReactionForce(hinge, Side::B, ReactionAxes::World, c);
        close(read(force(0)), acceleration, 1e-7, "pull");
        close(read(force(2)), G, 1e-7, "weight");
    }
    let offset = body_position(&state, &mechanism, pole) - (turn * DVec3::X * 0.5);
    close(offset.x, 0.5 + 0.5 * acceleration, 1e-9, "it has gone with the cart");
}

/// A mass on a spring along a turning arm: at r = k l / (k − m ω²) it turns along.
#[test]
fn a_mass_on_a_turning_arm_finds_its_radius() {
    let (mass, stiffness, rest, speed) = (2.0, 200.0, 0.5, 4.0);
    let radius = stiffness * rest / (stiffness - mass * speed * speed);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let angle = Function::Ramp { start_value: 0.0, slope: speed, start_time: 0.0, end_time: None };
    let motion = Motion { axis: DVec3::Z, angle, ..Motion::default() };
    let arm = Body { name: "arm".into(), kind: BodyKind::Kinematic(motion), ..Body::default() };
    let arm = assembly.add_body(arm).unwrap();
    let mut bead = rod("bead", mass, 0.1, DVec3::X * radius, DQuat::IDENTITY);
    (bead.velocity, bead.angular_velocity) = (DVec3::Y * speed * radius, DVec3::Z * speed);
    let bead = assembly.add_body(bead).unwrap();
    let slide = joint_at(
        &mut assembly,
        "slide",
        JointKind::Prismatic,
        [Some(arm), Some(bead)],
        DVec3::ZERO,
        DVec3::X,
    );
    let spring = Spring {
        name: "spring".into(),
        a: Attachment::origin(arm),
        b: Attachment::origin(bead),
        law: ScalarLaw::Spring { stiffness, damping: 5.0, rest, actuator: None },
    };
    assembly.add_spring(spring).unwrap();
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    let mut previous = 0.0;
    for k in [250, 1000] {
        advance(&mut stepper, &mut state, 1e-3, k);
        let place = body_position(&state, &mechanism, bead);
        close(place.length(), radius, 1e-5, "radius");
        let along = DVec3::new((speed * state.time).cos(), (speed * state.time).sin(), 0.0);
        close(place.dot(along), radius, 1e-5, "it turns with the arm");
        let rate = measure(stepper.system(), &mechanism, &state, &Measurement::CoordinateRate(slide, 0));
        close(rate, 0.0, 1e-4, "it does not slide");
        assert!(state.time > previous);
        previous = state.time;
    }
}

/// A thrust that follows the body: a free body under a constant force and torque in its own axes turns
/// at τt/J and its velocity is the integral of the turning thrust.
#[test]
fn a_following_thrust_turns_with_the_body() {
    let (mass, inertia, thrust, torque) = (2.0, 0.5, 3.0, 0.8);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let body = Body {
        name: "craft".into(),
        mass,
        inertia: DMat3::from_diagonal(DVec3::splat(inertia)),
        ..Body::default()
    };
    let body = assembly.add_body(body).unwrap();
    let load = Load {
        name: "engine".into(),
        carrier: Carrier::Body(body),
        point: DVec3::ZERO,
        frame: LoadFrame::Body,
        force: [thrust, 0.0, 0.0].map(Drive::from),
        torque: [0.0, 0.0, torque].map(Drive::from),
    };
    assembly.add_load(load).unwrap();
    let mechanism = build(&assembly);
    let end = 1.5;
    // Simpson's rule for ∫ (cos φ, sin φ) dt with φ = τ t² / 2J.
    let phase = |t: f64| 0.5 * torque / inertia * t * t;
    let n = 2000;
    let velocity = (0..=n).fold(DVec3::ZERO, |sum, k| {
        let t = end * f64::from(k) / f64::from(n);
        let weight = if k == 0 || k == n { 1.0 } else { 2.0 + 2.0 * f64::from(k % 2) };
        sum + DVec3::new(phase(t).cos(), phase(t).sin(), 0.0) * weight * end / (3.0 * f64::from(n))
    }) * (thrust / mass);
    for (integrator, tolerance) in [(Integrator::Rk4, 1e-10), (ALPHA, 1e-5), (Integrator::Euler, 5e-3)] {
        let state = run(&mechanism, integrator, 1e-3, 1500);
        let got = DVec3::new(state.v[0], state.v[1], state.v[2]);
        assert!((got - velocity).length() < tolerance, "{integrator:?}: {got} {velocity}");
        close(state.v[5], torque / inertia * end, 1e-9, "spin");
    }
}
