//! A step that fails says so and leaves the state as it was.

use std::sync::Arc;

use crate::common::*;
use glam::{DQuat, DVec3};
use huygens_core::function::Function;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{CoreError, State};
use huygens_exec::Exec;
use huygens_multibody::*;

const IMPLICIT: [Integrator; 3] = [
    Integrator::GeneralizedAlpha { rho: 0.8 },
    Integrator::Hht { alpha: -0.1 },
    Integrator::Newmark { beta: 0.25, gamma: 0.5 },
];

/// Two bodies on springs to ground; the law of the second breaks after 10 ms.
fn breaking(value: f64) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    for (k, name) in ["sound", "broken"].into_iter().enumerate() {
        let position = DVec3::new(k as f64, 0.0, -1.0);
        let body = assembly.add_body(rod(name, 1.0, 0.5, position, DQuat::IDENTITY)).unwrap();
        let law = move |t: f64, x: f64, _: f64| if k == 1 && t > 0.0101 { value } else { -100.0 * (x - 1.0) };
        let spring = Spring {
            name: name.into(),
            a: Attachment::ground(DVec3::X * k as f64, DQuat::IDENTITY),
            b: Attachment::origin(body),
            law: ScalarLaw::User(ForceLaw(Arc::new(law))),
        };
        assembly.add_spring(spring).unwrap();
    }
    build(&assembly)
}

/// Two shafts; the torque on the second breaks after 10 ms. It has no tangent, so only the motion shows it.
fn breaking_shaft(value: f64) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    for (k, name) in ["sound", "broken"].into_iter().enumerate() {
        let shaft = Shaft { name: name.into(), inertia: 0.1, angle: 0.0, speed: 1.0 };
        let shaft = assembly.add_shaft(shaft).unwrap();
        let torque = move |t: f64| if k == 1 && t > 0.0101 { value } else { 1.0 };
        let push = CoordinateForce {
            name: name.into(),
            label: "motor",
            terms: vec![(CoordinateRef::Shaft(shaft), 1.0)],
            law: ScalarLaw::Effort(Function::custom("torque", torque).into()),
        };
        assembly.add_coordinate_force(push).unwrap();
    }
    build(&assembly)
}

/// Steps until one fails; checks that the state did not change, not even its place in memory (others may look into
/// its vectors), and returns the error.
fn failure(mechanism: &Mechanism, integrator: Integrator, h: f64) -> CoreError {
    let settings = StepperSettings { integrator, ..StepperSettings::default() };
    let mut stepper = Stepper::new(mechanism.model.clone(), Exec::serial(), settings).unwrap();
    let mut state = start(&mut stepper);
    for _ in 0..100 {
        let before = state.clone();
        let place = |s: &State| (s.q.as_ptr(), s.v.as_ptr());
        let at = place(&state);
        if let Err(error) = stepper.step(&mut state, h) {
            assert_eq!(place(&state), at, "{integrator:?}: the vectors were replaced");
            assert_eq!(state, before, "{integrator:?}: the state changed");
            return error;
        }
    }
    panic!("{integrator:?}: no step failed");
}

#[test]
fn a_number_that_is_not_finite_stops_the_run_and_names_the_body() {
    for value in [f64::NAN, f64::INFINITY] {
        let others = [
            Integrator::Euler,
            Integrator::EulerProjected,
            Integrator::Rk4,
            Integrator::Heun,
            Integrator::Leapfrog,
        ];
        for integrator in IMPLICIT.into_iter().chain(others) {
            for mechanism in [breaking(value), breaking_shaft(value)] {
                let error = failure(&mechanism, integrator, 1e-3);
                let named = error.object().is_some_and(|object| object.name.contains("broken"));
                assert!(named, "{integrator:?}: {error}");
                let text = error.to_string();
                assert!(text.contains("not finite"), "{integrator:?}: {text}");
                assert!(text.contains("broken") && !text.contains("sound"), "{integrator:?}: {text}");
            }
        }
    }
}

/// A slider driven by two functions that agree at first and part later.
#[test]
fn motors_that_contradict_each_other_are_reported() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("slider", 1.0, 0.5, DVec3::ZERO, DQuat::IDENTITY)).unwrap();
    let slide =
        joint_at(&mut assembly, "slide", JointKind::Prismatic, [None, Some(body)], DVec3::ZERO, DVec3::X);
    for (name, sign) in [("one", 1.0), ("other", -1.0)] {
        let parting = Function::StepPoly345 { from: 0.0, to: sign, start: 0.01, duration: 0.05 };
        let motor = Coupling {
            name: name.into(),
            label: "motor",
            terms: vec![(CoordinateRef::Joint(slide, 0), 1.0)],
            target: CouplingTarget::Position(parting),
            teeth: None,
        };
        assembly.add_coupling(motor).unwrap();
    }
    let mechanism = build(&assembly);
    for integrator in IMPLICIT {
        let error = failure(&mechanism, integrator, 1e-3);
        assert!(matches!(error, CoreError::NotConverged { .. }), "{integrator:?}: {error}");
        assert!(error.to_string().contains("motor"), "{integrator:?}: {error}");
        assert_eq!(error.object().map(|o| o.kind).as_deref(), Some("motor"), "{integrator:?}: {error}");
    }
}

#[test]
fn wrong_settings_are_refused() {
    let (mechanism, free) = (breaking(0.0), breaking(0.0));
    let mut stepper = stepper(&free.model, StepperSettings::default());
    let mut state = start(&mut stepper);
    for h in [0.0, -1e-3, f64::NAN, f64::INFINITY] {
        assert!(matches!(stepper.step(&mut state, h), Err(CoreError::Parameter { .. })));
    }
    for integrator in [
        Integrator::GeneralizedAlpha { rho: 1.5 },
        Integrator::Hht { alpha: 0.2 },
        Integrator::Newmark { beta: 0.0, gamma: 0.5 },
    ] {
        let settings = StepperSettings { integrator, ..StepperSettings::default() };
        let refused = Stepper::new(mechanism.model.clone(), Exec::serial(), settings);
        assert!(matches!(refused, Err(CoreError::Parameter { .. })), "{integrator:?}");
    }
}

#[test]
fn explicit_methods_refuse_constraints_and_smooth_ones_rigid_limits() {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("rod", 1.0, 1.0, DVec3::X * 0.5, DQuat::IDENTITY)).unwrap();
    let id = joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
    let refused = |assembly: &Assembly, integrator| {
        let settings = StepperSettings { integrator, ..StepperSettings::default() };
        let model = build(assembly).model;
        matches!(Stepper::new(model, Exec::serial(), settings), Err(CoreError::Unsupported { .. }))
    };
    assert!(refused(&assembly, Integrator::Rk4) && !refused(&assembly, Integrator::Euler));
    assert!(!refused(&assembly, Integrator::default()));
    let limit = Limit {
        coordinate: 0,
        lower: None,
        upper: Some(1.0),
        stiffness: None,
        damping: 0.0,
        restitution: 0.0,
    };
    assembly.joint_mut(id).unwrap().limits.push(limit);
    assert!(refused(&assembly, Integrator::default()) && !refused(&assembly, Integrator::Euler));
    assembly.joint_mut(id).unwrap().limits[0].stiffness = Some(1e4);
    assert!(!refused(&assembly, Integrator::default()));
}
