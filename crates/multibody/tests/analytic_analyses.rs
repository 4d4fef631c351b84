//! Kinematics, statics and modes with closed forms.

use std::f64::consts::TAU;

use crate::common::*;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::analysis::{self, Kinematics, StaticsSettings, equilibrium, linearize};
use huygens_core::function::Function;
use huygens_core::integrator::Integrator;
use huygens_core::{CoreError, State, System};
use huygens_exec::Exec;
use huygens_multibody::*;

const CRANK: f64 = 0.3;
const ROD: f64 = 0.8;

/// A slider–crank driven by the angle φ(t) = 0.4 + 3 t + 0.5 t²; with revolute joints everywhere three rows are
/// redundant, with a cylindrical and a ball joint none.
fn driven_slider_crank(redundant: bool) -> (Mechanism, BodyId, CouplingId) {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let phi = 0.4f64;
    let tip = DVec3::new(phi.cos(), phi.sin(), 0.0) * CRANK;
    let lean = DQuat::from_rotation_z(-(CRANK * phi.sin() / ROD).asin());
    let end = tip + lean * DVec3::X * ROD;
    let crank = assembly.add_body(rod("crank", 1.0, CRANK, tip * 0.5, DQuat::from_rotation_z(phi))).unwrap();
    let link = assembly.add_body(rod("rod", 1.0, ROD, (tip + end) * 0.5, lean)).unwrap();
    let piston = assembly.add_body(rod("piston", 2.0, 0.1, end, DQuat::IDENTITY)).unwrap();
    let (pin, wrist) = match redundant {
        true => (JointKind::Revolute, JointKind::Revolute),
        false => (JointKind::Cylindrical, JointKind::Spherical),
    };
    // The joint's frames coincide at angle zero: the ground frame looks along x, the crank's along its own x.
    let main = Joint {
        name: "main".into(),
        kind: JointKind::Revolute,
        a: Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
        b: Attachment { position: DVec3::X * (-0.5 * CRANK), ..Attachment::origin(crank) },
        limits: vec![],
    };
    let main = assembly.add_joint(main).unwrap();
    joint_at(&mut assembly, "pin", pin, [Some(crank), Some(link)], tip, DVec3::Z);
    joint_at(&mut assembly, "wrist", wrist, [Some(link), Some(piston)], end, DVec3::Z);
    joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(piston)], end, DVec3::X);
    let motor = Coupling {
        name: "motor".into(),
        label: "motor",
        terms: vec![(CoordinateRef::Joint(main, 0), 1.0)],
        target: CouplingTarget::Position(Function::Polynomial { coefficients: vec![phi, 3.0, 0.5] }),
        teeth: None,
    };
    let motor = assembly.add_coupling(motor).unwrap();
    (build(&assembly), piston, motor)
}

#[test]
fn a_driven_slider_crank_moves_as_its_geometry_says() {
    for redundant in [false, true] {
        let (mechanism, piston, motor) = driven_slider_crank(redundant);
        let mut state = State::new(&mechanism.model);
        let mut kinematics = Kinematics::new(mechanism.model.clone(), Exec::serial(), &mut state).unwrap();
        let mut system = System::new(mechanism.model.clone(), Exec::serial());
        for k in 1..=60 {
            let t = 0.05 * f64::from(k);
            kinematics.advance(&mut state, t).unwrap();
            let (phi, w, alpha) = (0.4 + 3.0 * t + 0.5 * t * t, 3.0 + t, 1.0);
            // x = r cos φ + u, u² = l² − r² sin² φ, differentiated twice.
            let (s, c) = phi.sin_cos();
            let u = (ROD * ROD - CRANK * CRANK * s * s).sqrt();
            let du = -CRANK * CRANK * s * c / u;
            let ddu = (-CRANK * CRANK * (c * c - s * s) - du * du) / u;
            let (dx, ddx) = (-CRANK * s + du, -CRANK * c + ddu);
            let read = |system: &mut System, quantity| {
                let m = Measurement::Body { body: piston, quantity, point: DVec3::ZERO, component: 0 };
                measure(system, &mechanism, &state, &m)
            };
            close(read(&mut system, BodyQuantity::Position), CRANK * c + u, 1e-10, "position");
            close(read(&mut system, BodyQuantity::Velocity), dx * w, 1e-8, "velocity");
            let acceleration = ddx * w * w + dx * alpha;
            close(read(&mut system, BodyQuantity::Acceleration), acceleration, 1e-7, "acceleration");
            // The motor's power is the rate of the kinetic energy (no gravity): checked by differences.
            let power = measure(&mut system, &mechanism, &state, &Measurement::CouplingEffort(motor)) * w;
            let rate: f64 = {
                let mut f = vec![0.0; state.v.len()];
                system.load(&state);
                system.add_inertia_force(&mut f);
                f.iter().zip(&state.v).map(|(f, v)| f * v).sum()
            };
            close(power, rate, 1e-7 * (1.0 + rate.abs()), "power of the motor");
        }
    }
}

#[test]
fn kinematics_of_an_undriven_mechanism_is_refused() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("rod", 1.0, 1.0, DVec3::X * 0.5, DQuat::IDENTITY)).unwrap();
    joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
    let mechanism = build(&assembly);
    let mut state = State::new(&mechanism.model);
    let refused = Kinematics::new(mechanism.model.clone(), Exec::serial(), &mut state);
    assert!(matches!(refused, Err(CoreError::Unsupported { .. })));
}

fn system(mechanism: &Mechanism) -> (System, State) {
    (System::new(mechanism.model.clone(), Exec::serial()), State::new(&mechanism.model))
}

fn spring(assembly: &mut Assembly, name: &str, a: Attachment, b: Attachment, stiffness: f64, rest: f64) {
    let law = ScalarLaw::Spring { stiffness, damping: 2.0, rest, actuator: None };
    assembly.add_spring(Spring { name: name.into(), a, b, law }).unwrap();
}

#[test]
fn a_hanging_mass_stretches_its_spring() {
    let mut assembly = Assembly::new(DOWN);
    let body =
        assembly.add_body(rod("mass", 2.0, 0.3, DVec3::new(0.2, -0.1, -1.0), DQuat::IDENTITY)).unwrap();
    joint_at(
        &mut assembly,
        "upright",
        JointKind::Generic([false, false, false, true, true, true]),
        [None, Some(body)],
        DVec3::ZERO,
        DVec3::Z,
    );
    spring(
        &mut assembly,
        "s",
        Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
        Attachment::origin(body),
        100.0,
        1.0,
    );
    let (mut system, mut state) = system(&build(&assembly));
    let report = equilibrium(&mut system, &mut state, &StaticsSettings::default()).unwrap();
    assert!(report.stable, "{report:?}");
    let expected = [0.0, 0.0, -1.0 - 2.0 * G / 100.0];
    assert!(distance(&state.q[..3], &expected) < 1e-8, "{:?} {report:?}", &state.q[..3]);
}

/// Slider on an axis inclined by 45°, with a spring to the origin: balance along the axis.
#[test]
fn a_slider_with_a_spring_balances_along_its_axis() {
    let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -10.0));
    let axis = DQuat::from_rotation_y(-45f64.to_radians()) * DVec3::Z;
    let body = Body {
        name: "slider".into(),
        position: DVec3::new(0.0, 0.0, -3.0),
        inertia: DMat3::from_diagonal(DVec3::splat(0.1)),
        ..Body::default()
    };
    let body = assembly.add_body(body).unwrap();
    joint_at(
        &mut assembly,
        "slide",
        JointKind::Prismatic,
        [None, Some(body)],
        DVec3::new(0.0, 0.0, -3.0),
        axis,
    );
    spring(
        &mut assembly,
        "tsda",
        Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
        Attachment::origin(body),
        50.0,
        1.5,
    );
    let mechanism = build(&assembly);
    let (mut system, mut state) = system(&mechanism);
    equilibrium(&mut system, &mut state, &StaticsSettings::default()).unwrap();
    let place = |s: f64| DVec3::new(0.0, 0.0, -3.0) + axis * s;
    let unbalanced = |s: f64| {
        let p = place(s);
        let length = p.length();
        (-p / length * 50.0 * (length - 1.5) + DVec3::Z * -10.0).dot(axis)
    };
    let got = (body_position(&state, &mechanism, body) - place(0.0)).dot(axis);
    let (mut low, mut high) = (got - 0.1, got + 0.1);
    assert!(unbalanced(low) > 0.0 && unbalanced(high) < 0.0, "a stable balance is near {got}");
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if unbalanced(middle) > 0.0 { low = middle } else { high = middle }
    }
    close(got, low, 1e-9, "place on the axis");
    // From there the motion starts and stays at rest.
    for integrator in [Integrator::default(), Integrator::Hht { alpha: -0.3 }, Integrator::Euler] {
        let mut stepper = stepper(&mechanism.model, settings(integrator));
        let mut state = state.clone();
        advance(&mut stepper, &mut state, 5e-3, 100);
        assert!(largest(&state.v) < 1e-8, "{integrator:?}: {:?}", state.v);
    }
}

#[test]
fn a_static_problem_with_a_free_motion_is_refused_by_name() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("sledge", 1.0, 1.0, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    joint_at(&mut assembly, "rail", JointKind::Prismatic, [None, Some(body)], DVec3::ZERO, DVec3::X);
    let (mut system, mut state) = system(&build(&assembly));
    let refused = equilibrium(&mut system, &mut state, &StaticsSettings::default());
    assert!(
        matches!(&refused, Err(e @ CoreError::FreeMotion { .. }) if e.to_string().contains("sledge")),
        "{refused:?}"
    );
    let mut assembly = Assembly::new(DOWN);
    assembly.add_body(rod("stone", 1.0, 1.0, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let mechanism = build(&assembly);
    let (mut system, mut state) =
        (System::new(mechanism.model.clone(), Exec::serial()), State::new(&mechanism.model));
    let refused = equilibrium(&mut system, &mut state, &StaticsSettings::default());
    assert!(matches!(&refused, Err(e) if e.to_string().contains("stone")), "{refused:?}");
}

#[test]
fn a_mechanism_that_cannot_close_names_its_joints() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("bar", 1.0, 1.0, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    for (name, x) in [("left (west)", -1.0), ("right", 1.0)] {
        let b = Attachment { position: DVec3::X * 0.5 * x, ..Attachment::origin(body) };
        let a = Attachment::ground(DVec3::X * x, DQuat::IDENTITY);
        assembly.add_joint(joint(name, JointKind::Spherical, a, b)).unwrap();
    }
    let (mut system, mut state) = system(&build(&assembly));
    match analysis::assemble(&mut system, &mut state) {
        Err(CoreError::CannotAssemble { misfits, .. }) => {
            let named: Vec<&str> = misfits.iter().map(|m| m.constraint.as_str()).collect();
            assert!(named.contains(&"joint 'left (west)'") && named.contains(&"joint 'right'"), "{named:?}");
            let objects: Vec<_> = misfits.iter().filter_map(|m| m.constraint.about()).collect();
            assert!(objects.iter().any(|o| o.kind == "joint" && o.name == "left (west)"), "{objects:?}");
            // The least-squares place leaves half a metre at each end.
            close(misfits[0].residual, 0.5, 0.3, "misfit");
        }
        other => panic!("{other:?}"),
    }
}

/// Two equal masses on three equal springs along a line: ω² = k/m and 3 k/m, with modal damping.
#[test]
fn two_masses_have_their_two_frequencies() {
    let (mass, stiffness) = (2.0, 50.0);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let bodies = [1.0, 2.0].map(|x| {
        let body = rod(&format!("{x}"), mass, 0.1, DVec3::X * x, DQuat::IDENTITY);
        let body = assembly.add_body(body).unwrap();
        joint_at(
            &mut assembly,
            &format!("{x}"),
            JointKind::Prismatic,
            [None, Some(body)],
            DVec3::X * x,
            DVec3::X,
        );
        Attachment::origin(body)
    });
    let wall = |x: f64| Attachment::ground(DVec3::X * x, DQuat::IDENTITY);
    spring(&mut assembly, "1", wall(0.0), bodies[0], stiffness, 1.0);
    spring(&mut assembly, "2", bodies[0], bodies[1], stiffness, 1.0);
    spring(&mut assembly, "3", bodies[1], wall(3.0), stiffness, 1.0);
    let (mut system, mut state) = system(&build(&assembly));
    equilibrium(&mut system, &mut state, &StaticsSettings::default()).unwrap();
    let linear = linearize(&mut system, &state);
    let expected = [(stiffness / mass).sqrt(), (3.0 * stiffness / mass).sqrt()].map(|w| w / TAU);
    let undamped = linear.undamped_modes().unwrap();
    assert_eq!(undamped.frequency_hz.len(), 2);
    assert!(distance(&undamped.frequency_hz, &expected) < 1e-9, "{:?}", undamped.frequency_hz);
    let damped = linear.modes().unwrap();
    // c = 2 in each spring: ζ = c/(2 m ω) k-proportional.
    for (k, s) in damped.eigenvalues.iter().enumerate().filter(|(_, s)| s.im > 0.0) {
        let omega = (s.re * s.re + s.im * s.im).sqrt();
        close(damped.damping_ratio[k], 2.0 * omega / (2.0 * stiffness), 1e-9, "damping ratio");
        assert!(expected.iter().any(|f| (f * TAU - omega).abs() < 1e-8), "{omega}");
    }
}

/// A rod hung by its end: ω² = 3 g / 2 L; upright it falls with the same exponent.
#[test]
fn a_pendulum_has_its_frequency_hanging_and_its_exponent_standing() {
    for (sign, stable) in [(-1.0, true), (1.0, false)] {
        let mut assembly = Assembly::new(DOWN);
        let turn = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
        let body = assembly.add_body(rod("rod", 1.5, 1.0, DVec3::Z * 0.5 * sign, turn)).unwrap();
        joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
        let (mut system, mut state) = system(&build(&assembly));
        let report = equilibrium(&mut system, &mut state, &StaticsSettings::default()).unwrap();
        assert_eq!(report.stable, stable);
        close(largest(&state.lambda), 1.5 * G, 1e-7, "reaction");
        let modes = linearize(&mut system, &state).modes().unwrap();
        let expected = (1.5 * G).sqrt();
        assert_eq!(modes.eigenvalues.len(), 2);
        let top = modes.eigenvalues.iter().fold(0.0f64, |m, s| m.max(if stable { s.im } else { s.re }));
        close(top, expected, 1e-6, "exponent");
    }
}

/// A pair of helical gears, A locked, a torque on B: tangential, radial and axial tooth forces at B's bearing.
#[test]
fn a_gear_pair_loads_its_bearings() {
    let (ra, rb, torque): (f64, f64, f64) = (4.0, 2.0, 1000.0);
    let (alpha, beta) = (20f64.to_radians(), 10f64.to_radians());
    for sign in [1.0, -1.0] {
        let mut assembly = Assembly::new(DVec3::ZERO);
        let a = assembly.add_body(rod("a", 1.0, 1.0, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
        let b = assembly.add_body(rod("b", 1.0, 1.0, DVec3::X * (ra + rb), DQuat::IDENTITY)).unwrap();
        let ja = joint_at(&mut assembly, "ja", JointKind::Revolute, [None, Some(a)], DVec3::ZERO, DVec3::Z);
        let jb = joint_at(
            &mut assembly,
            "jb",
            JointKind::Revolute,
            [None, Some(b)],
            DVec3::X * (ra + rb),
            DVec3::Z,
        );
        let couple = |assembly: &mut Assembly, name: &str, terms, target, teeth| {
            assembly
                .add_coupling(Coupling { name: name.into(), label: "gear pair", terms, target, teeth })
                .unwrap()
        };
        let hold = CouplingTarget::Position(Function::constant(0.0));
        couple(&mut assembly, "lock", vec![(CoordinateRef::Joint(ja, 0), 1.0)], hold, None);
        let teeth = ToothContact {
            a: Attachment::origin(a),
            b: Attachment::origin(b),
            radius_a: ra,
            radius_b: rb,
            radial: alpha.tan() / beta.cos(),
            axial: beta.tan(),
        };
        let terms = vec![(CoordinateRef::Joint(ja, 0), ra), (CoordinateRef::Joint(jb, 0), rb)];
        let gear = couple(&mut assembly, "gear", terms, CouplingTarget::Start, Some(teeth));
        let load = Load {
            name: "torque".into(),
            carrier: Carrier::Body(b),
            point: DVec3::ZERO,
            frame: LoadFrame::World,
            force: [0.0, 0.0, 0.0].map(Drive::from),
            torque: [0.0, 0.0, sign * torque].map(Drive::from),
        };
        assembly.add_load(load).unwrap();
        let mechanism = build(&assembly);
        let mut stepper = stepper(&mechanism.model, settings(Integrator::default()));
        let mut state = start(&mut stepper);
        advance(&mut stepper, &mut state, 1e-3, 20);
        let mut read = |m: Measurement| measure(stepper.system(), &mechanism, &state, &m);
        let bearing =
            [0, 1, 2].map(|k| read(Measurement::ReactionForce(jb, Side::B, ReactionAxes::World, k)));
        close(read(Measurement::Coordinate(jb, 0)), 0.0, 1e-9, "B does not turn");
        close(read(Measurement::CouplingEffort(gear)).abs(), 500.0, 1e-4, "tooth force");
        // Teeth push the gears apart whatever the torque's sign.
        close(bearing[0], -184.7925, 1e-4, "radial force on B");
        close(bearing[2].abs(), 88.1635, 1e-4, "axial force");
        close(bearing[1].abs(), 500.0, 1e-4, "tangential force");
    }
}
