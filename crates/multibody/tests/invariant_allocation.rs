//! A warm step allocates nothing.

use crate::common::*;
use crate::cosserat::{Point, Points};
use glam::{DMat3, DQuat, DVec3};
use huygens_core::contact::{ConeMethod, ContactLaw, ContactSettings, Material};
use huygens_core::integrator::{Integrator, StepControl, StepperSettings};
use huygens_core::signal::{PidSpec, SignalGraphBuilder, SignalSpec};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::*;
use huygens_test_support::allocation_count;

/// A chain of links with a spring, a damper in the first joint and a rigid limit where asked.
fn chain(constrained: bool, limit: bool) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    let mut previous = None;
    for k in 0..8 {
        let position = DVec3::new(0.25 + 0.5 * k as f64, 0.0, 0.0);
        let body = assembly.add_body(rod(&format!("{k}"), 1.0, 0.5, position, DQuat::IDENTITY)).unwrap();
        if constrained {
            let point = DVec3::X * 0.5 * k as f64;
            let bodies = [previous, Some(body)];
            let id = joint_at(&mut assembly, &format!("{k}"), JointKind::Revolute, bodies, point, DVec3::Y);
            if limit {
                let limit = Limit {
                    coordinate: 0,
                    lower: Some(-0.1),
                    upper: Some(0.1),
                    stiffness: None,
                    damping: 0.0,
                    restitution: 0.0,
                };
                assembly.joint_mut(id).unwrap().limits.push(limit);
            }
        }
        previous = Some(body);
    }
    let spring = Spring {
        name: "spring".into(),
        a: Attachment::ground(DVec3::Z * 2.0, DQuat::IDENTITY),
        b: Attachment::origin(previous.unwrap()),
        law: ScalarLaw::Spring { stiffness: 20.0, damping: 0.5, rest: 1.0, actuator: None },
    };
    assembly.add_spring(spring).unwrap();
    build(&assembly)
}

/// A rod turned by a PID controller, a speed motor on a shaft, and a slipping clutch.
fn controlled() -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(rod("rod", 1.0, 1.0, DVec3::X * 0.5, DQuat::IDENTITY)).unwrap();
    let hinge =
        joint_at(&mut assembly, "hinge", JointKind::Revolute, [None, Some(body)], DVec3::ZERO, DVec3::Y);
    let mut signals = SignalGraphBuilder::new();
    signals.add_function("reference", 0.3).unwrap();
    signals.add_sensor("angle", 0).unwrap();
    let pid =
        PidSpec { ki: 5.0, kd: 1.0, filter_time: Some(0.02), ..PidSpec::new("reference", "angle", 30.0) };
    signals.add("torque", SignalSpec::Pid(pid)).unwrap();
    let signals = signals.build().unwrap();
    let [a, b] = ["a", "b"].map(|name| {
        assembly.add_shaft(Shaft { name: name.into(), inertia: 0.1, angle: 0.0, speed: 0.0 }).unwrap()
    });
    let force = |name: &str, terms: &[(CoordinateRef, f64)], law| CoordinateForce {
        name: name.into(),
        label: "force",
        terms: terms.to_vec(),
        law,
    };
    let torque = ScalarLaw::Effort(Drive::Signal(signals.signal("torque").unwrap()));
    assembly.add_coordinate_force(force("motor", &[(CoordinateRef::Joint(hinge, 0), 1.0)], torque)).unwrap();
    let dry = ScalarLaw::Friction { limit: 0.2.into(), stiffness: 100.0, damping: 0.1 };
    let slip = [(CoordinateRef::Shaft(a), 1.0), (CoordinateRef::Shaft(b), -1.0)];
    assembly.add_coordinate_force(force("clutch", &slip, dry)).unwrap();
    let target = CouplingTarget::Speed(3.0.into());
    let terms = vec![(CoordinateRef::Shaft(a), 1.0)];
    assembly
        .add_coupling(Coupling { name: "drive".into(), label: "motor", terms, target, teeth: None })
        .unwrap();
    assembly.build(signals, &[Measurement::Coordinate(hinge, 0)]).unwrap()
}

/// Boxes and a ball that rest on the ground and on each other.
fn stack(settings: ContactSettings) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    assembly.collision.settings = settings;
    let material = Material { young: 1e6, restitution: 0.1, ..Material::default() };
    let material = assembly.add_material(NamedMaterial { name: "surface".into(), material }).unwrap();
    let mut add = |body: Body, shape: Shape| {
        let body = assembly.add_body(body).unwrap();
        let (pose, group, mask) = (Pose::IDENTITY, 1, u32::MAX);
        assembly.add_shape(CollisionShape { body, shape, pose, material, group, mask }).unwrap();
    };
    add(Body { name: "ground".into(), kind: BodyKind::Fixed, ..Body::default() }, Shape::HalfSpace);
    let half = DVec3::splat(0.1);
    for k in 0..4 {
        let position = DVec3::Z * (0.1 + 0.2 * k as f64);
        let body =
            Body { name: format!("box {k}"), position, inertia: DMat3::IDENTITY * 0.01, ..Body::default() };
        add(body, Shape::Box { half });
    }
    let body = Body { name: "ball".into(), position: DVec3::new(1.0, 0.0, 0.1), ..Body::default() };
    add(body, Shape::Sphere { radius: 0.1 });
    build(&assembly)
}

/// Frames that deform: points that rest on the ground, one that hangs in a joint, and one on a spring.
fn points(law: ContactLaw) -> Mechanism {
    let mut assembly = Assembly::new(DOWN);
    assembly.collision.settings.law = law;
    let material = Material { young: 1e6, ..Material::default() };
    let material = assembly.add_material(NamedMaterial { name: "surface".into(), material }).unwrap();
    let ground = Body { name: "ground".into(), kind: BodyKind::Fixed, ..Body::default() };
    let body = assembly.add_body(ground).unwrap();
    let (pose, group, mask) = (Pose::IDENTITY, 1, u32::MAX);
    let shape = CollisionShape { body, shape: Shape::HalfSpace, pose, material, group, mask };
    assembly.add_shape(shape).unwrap();
    let point = |k: usize| {
        let position = DVec3::new(k as f64, 0.0, if k < 3 { 0.15 } else { 1.0 });
        Point { lame: [2e4, 1.5e4], position, ..Point::default() }
    };
    let on = |key| Attachment {
        carrier: Carrier::External(key),
        position: DVec3::Z * 0.1,
        rotation: DQuat::IDENTITY,
    };
    let hook = |key: u32| Attachment::ground(DVec3::new(f64::from(key), 0.0, 1.1), DQuat::IDENTITY);
    assembly.add_joint(joint("hook", JointKind::Spherical, hook(3), on(3))).unwrap();
    let law = ScalarLaw::Spring { stiffness: 100.0, damping: 1.0, rest: 0.0, actuator: None };
    let a = Attachment { position: DVec3::new(4.0, 0.0, 1.3), ..hook(4) };
    assembly.add_spring(Spring { name: "spring".into(), a, b: on(4), law }).unwrap();
    let mut part = Points::new((0..5).map(point).collect(), Some(material.index()));
    assembly.build_with(Default::default(), &[], &mut [&mut part]).unwrap()
}

fn check(what: &str, mechanism: &Mechanism, settings: StepperSettings) {
    let mut stepper = stepper(&mechanism.model, settings);
    let mut state = start(&mut stepper);
    for _ in 0..200 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let before = allocation_count();
    for _ in 0..200 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    assert_eq!(allocation_count() - before, 0, "{what}");
}

#[test]
fn a_warm_step_allocates_nothing() {
    let with = |integrator| StepperSettings { integrator, ..StepperSettings::default() };
    check("generalized-α", &chain(true, false), with(Integrator::default()));
    check("HHT", &chain(true, false), with(Integrator::Hht { alpha: -0.1 }));
    let control = Some(StepControl { tolerance: 1e-6, min_step: 1e-6, max_step: 0.01 });
    check("step control", &chain(true, false), StepperSettings { control, ..with(Integrator::default()) });
    check("Euler", &chain(true, false), with(Integrator::Euler));
    check("projected Euler", &chain(true, false), with(Integrator::EulerProjected));
    check("Euler with limits", &chain(true, true), with(Integrator::Euler));
    check("generalized-α with controllers", &controlled(), with(Integrator::default()));
    check("Euler with controllers", &controlled(), with(Integrator::Euler));
    check("RK4", &chain(false, false), with(Integrator::Rk4));
    check("leapfrog", &chain(false, false), with(Integrator::Leapfrog));
    let mut contact = ContactSettings::default();
    check("rigid contact, apgd", &stack(contact), with(Integrator::Euler));
    contact.rigid.solver = ConeMethod::Psor;
    check("rigid contact, psor", &stack(contact), with(Integrator::Euler));
    contact.law = ContactLaw::Compliant;
    check("compliant contact", &stack(contact), with(Integrator::Leapfrog));
    check("frames that deform, rigid law", &points(ContactLaw::Rigid), with(Integrator::Euler));
    check("frames that deform, compliant law", &points(ContactLaw::Compliant), with(Integrator::Euler));
}
