//! Transmissions with closed forms: screw, gears and winch on shafts, rack, universal and constant-velocity joints,
//! prescribed trajectory.

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::analysis::Kinematics;
use huygens_core::function::Function;
use huygens_core::integrator::Integrator;
use huygens_core::{State, System};
use huygens_exec::Exec;
use huygens_multibody::*;

const ALPHA: Integrator = Integrator::GeneralizedAlpha { rho: 0.8 };

fn couple(
    assembly: &mut Assembly,
    name: &str,
    terms: &[(CoordinateRef, f64)],
    target: CouplingTarget,
) -> CouplingId {
    let terms = terms.to_vec();
    assembly
        .add_coupling(Coupling { name: name.into(), label: "coupling", terms, target, teeth: None })
        .unwrap()
}

/// A nut on a vertical screw: (m + J (2π/p)²) z̈ = −m g, and z = p θ / 2π.
#[test]
fn a_nut_runs_down_its_screw() {
    let (mass, inertia, pitch) = (2.0, 0.01, 0.3);
    let mut assembly = Assembly::new(DOWN);
    let nut = Body {
        name: "nut".into(),
        mass,
        inertia: DMat3::from_diagonal(DVec3::splat(inertia)),
        ..Body::default()
    };
    let nut = assembly.add_body(nut).unwrap();
    let screw =
        joint_at(&mut assembly, "screw", JointKind::Screw(pitch), [None, Some(nut)], DVec3::ZERO, DVec3::Z);
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    advance(&mut stepper, &mut state, 1e-3, 1000);
    let slope = std::f64::consts::TAU / pitch;
    let fall = -0.5 * mass * G / (mass + inertia * slope * slope);
    close(state.q[2], fall, 1e-9, "height");
    let angle = measure(stepper.system(), &mechanism, &state, &Measurement::Coordinate(screw, 0));
    assert!(angle.abs() > 10.0, "several turns are counted: {angle}");
    close(angle * pitch / std::f64::consts::TAU, fall, 1e-9, "turns");
}

/// A motor torque on one shaft lifts a weight by a gear and a winch: the reduced inertia and load.
#[test]
fn a_geared_winch_lifts_a_weight() {
    let (j1, j2, ratio, drum, mass, torque) = (0.02, 0.5, 5.0, 0.1, 20.0, 6.0);
    let mut assembly = Assembly::new(DOWN);
    let weight = assembly.add_body(rod("weight", mass, 0.2, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let slide =
        joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(weight)], DVec3::ZERO, DVec3::Z);
    let [s1, s2] = [("motor", j1), ("drum", j2)].map(|(name, inertia)| {
        assembly.add_shaft(Shaft { name: name.into(), inertia, angle: 0.0, speed: 0.0 }).unwrap()
    });
    use CoordinateRef::{Joint, Shaft as Angle};
    let gear = couple(&mut assembly, "gear", &[(Angle(s1), 1.0), (Angle(s2), -ratio)], CouplingTarget::Start);
    couple(&mut assembly, "winch", &[(Angle(s2), drum), (Joint(slide, 0), -1.0)], CouplingTarget::Start);
    let push = CoordinateForce {
        name: "torque".into(),
        label: "motor",
        terms: vec![(Angle(s1), 1.0)],
        law: ScalarLaw::Effort(torque.into()),
    };
    assembly.add_coordinate_force(push).unwrap();
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    advance(&mut stepper, &mut state, 1e-3, 500);
    let lever = drum / ratio;
    let acceleration = (torque - mass * G * lever) / (j1 + j2 / (ratio * ratio) + mass * lever * lever);
    let mut read = |m| measure(stepper.system(), &mechanism, &state, &m);
    close(read(Measurement::ShaftSpeed(s1)), 0.5 * acceleration, 1e-8, "motor speed");
    close(read(Measurement::ShaftSpeed(s2)) * ratio, 0.5 * acceleration, 1e-8, "drum speed");
    close(read(Measurement::ShaftAngle(s1)), 0.125 * acceleration, 1e-8, "motor angle");
    close(read(Measurement::Coordinate(slide, 0)), 0.125 * acceleration * lever, 1e-8, "lift");
    close(read(Measurement::CouplingEffort(gear)), j1 * acceleration - torque, 1e-6, "torque of the gear");
}

/// A rack driven by a pinion: x = r θ, and the tooth force accelerates the rack.
#[test]
fn a_pinion_moves_its_rack() {
    let (radius, mass) = (0.25, 3.0);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let pinion = assembly.add_body(rod("pinion", 1.0, 0.5, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let rack = assembly.add_body(rod("rack", mass, 1.0, DVec3::Y * radius, DQuat::IDENTITY)).unwrap();
    let hinge =
        joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(pinion)], DVec3::ZERO, DVec3::Z);
    let slide = joint_at(
        &mut assembly,
        "slide",
        JointKind::Prismatic,
        [None, Some(rack)],
        DVec3::Y * radius,
        DVec3::X,
    );
    use CoordinateRef::Joint;
    let teeth = [(Joint(hinge, 0), radius), (Joint(slide, 0), -1.0)];
    let teeth = couple(&mut assembly, "rack", &teeth, CouplingTarget::Start);
    let turn = Function::Sine { amplitude: 2.0, frequency: 0.5, phase: 0.0, offset: 0.0 };
    couple(&mut assembly, "motor", &[(Joint(hinge, 0), 1.0)], CouplingTarget::Position(turn.clone()));
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    for _ in 0..500 {
        stepper.step(&mut state, 2e-3).unwrap();
        let [angle, _, acceleration] = turn.evaluate(state.time);
        let mut read = |m| measure(stepper.system(), &mechanism, &state, &m);
        close(read(Measurement::Coordinate(slide, 0)), radius * angle, 1e-11, "displacement");
        let force = -read(Measurement::CouplingEffort(teeth));
        close(force, mass * radius * acceleration, 1e-3, "tooth force");
    }
}

/// Two shafts at an angle β joined at the origin; the second's axis is held by two rows, so none is redundant.
fn bent_shafts(kind: JointKind, beta: f64) -> (Mechanism, JointId) {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let turn = DQuat::from_rotation_x(beta);
    let first = assembly.add_body(rod("first", 1.0, 0.2, DVec3::Z * -0.5, DQuat::IDENTITY)).unwrap();
    let second = assembly.add_body(rod("second", 1.0, 0.2, turn * DVec3::Z * 0.5, turn)).unwrap();
    let bearing = joint_at(
        &mut assembly,
        "bearing",
        JointKind::Revolute,
        [None, Some(first)],
        DVec3::Z * -0.5,
        DVec3::Z,
    );
    let ends = [(first, DVec3::Z * 0.5), (second, DVec3::Z * -0.5)]
        .map(|(body, position)| Attachment { position, ..Attachment::origin(body) });
    assembly.add_joint(joint("cross", kind, ends[0], ends[1])).unwrap();
    let held = Joint {
        name: "held".into(),
        kind: JointKind::ParallelAxes,
        a: Attachment::ground(DVec3::ZERO, turn),
        b: Attachment::origin(second),
        limits: vec![],
    };
    let held = assembly.add_joint(held).unwrap();
    let drive = Function::Polynomial { coefficients: vec![0.0, 2.0, 0.3] };
    let term = [(CoordinateRef::Joint(bearing, 0), 1.0)];
    couple(&mut assembly, "motor", &term, CouplingTarget::Position(drive));
    (build(&assembly), held)
}

/// tan θ₂ = cos β tan θ₁ for a universal joint, θ₂ = θ₁ for a constant-velocity joint.
#[test]
fn universal_and_constant_velocity_joints_transmit_as_they_should() {
    let beta = 0.5f64;
    for kind in [JointKind::Universal, JointKind::ConstantVelocity] {
        let (mechanism, held) = bent_shafts(kind.clone(), beta);
        let mut state = State::new(&mechanism.model);
        let mut kinematics = Kinematics::new(mechanism.model.clone(), Exec::serial(), &mut state).unwrap();
        let mut system = System::new(mechanism.model.clone(), Exec::serial());
        for k in 1..=200 {
            let t = 0.02 * f64::from(k);
            kinematics.advance(&mut state, t).unwrap();
            let (angle, rate) = (2.0 * t + 0.3 * t * t, 2.0 + 0.6 * t);
            let (s, c) = angle.sin_cos();
            let ratio = match kind {
                JointKind::Universal => beta.cos() / (c * c + (beta.cos() * s).powi(2)),
                _ => 1.0,
            };
            let mut read = |m| measure(&mut system, &mechanism, &state, &m);
            close(read(Measurement::CoordinateRate(held, 3)), rate * ratio, 1e-8, "speed");
            let second = read(Measurement::Coordinate(held, 3));
            if matches!(kind, JointKind::Universal) {
                close(second.sin() * c - beta.cos() * s * second.cos(), 0.0, 1e-10, "angle");
            } else {
                close(second, angle, 1e-10, "angle, whole turns counted");
            }
        }
    }
}

/// A body on a prescribed trajectory: place, speed and reaction follow the functions.
#[test]
fn a_trajectory_is_followed() {
    let (mass, inertia) = (2.0, 0.3);
    let path = Function::Sine { amplitude: 0.5, frequency: 1.0, phase: 0.0, offset: 0.0 };
    let turn = Function::StepPoly345 { from: 0.0, to: 2.0, start: 0.0, duration: 1.0 };
    let mut assembly = Assembly::new(DOWN);
    let body = Body {
        name: "tool".into(),
        mass,
        inertia: DMat3::from_diagonal(DVec3::splat(inertia)),
        ..Body::default()
    };
    let body = assembly.add_body(body).unwrap();
    let zero = Function::constant(0.0);
    let kind = JointKind::Trajectory {
        translation: [path.clone(), zero.clone(), zero],
        axis: DVec3::Z,
        angle: turn.clone(),
    };
    let track = assembly
        .add_joint(joint(
            "track",
            kind,
            Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
            Attachment::origin(body),
        ))
        .unwrap();
    let mechanism = build(&assembly);
    let mut stepper = stepper(&mechanism.model, settings(ALPHA));
    let mut state = start(&mut stepper);
    for _ in 0..500 {
        stepper.step(&mut state, 2e-3).unwrap();
        let ([x, _, xx], [angle, _, turning]) = (path.evaluate(state.time), turn.evaluate(state.time));
        close(state.q[0], x, 1e-12, "place");
        let error =
            (body_rotation(&state, &mechanism, body) * DQuat::from_rotation_z(-angle)).to_scaled_axis();
        assert!(error.length() < 1e-10, "{error}");
        let mut read = |m| measure(stepper.system(), &mechanism, &state, &m);
        let force = |c| Measurement::ReactionForce(track, Side::B, ReactionAxes::World, c);
        close(read(force(2)), mass * G, 1e-8, "weight");
        close(read(force(0)), mass * xx, 2e-3, "driving force");
        let torque = read(Measurement::ReactionTorque(track, Side::B, ReactionAxes::World, 2));
        close(torque, inertia * turning, 2e-3, "driving torque");
    }
}
