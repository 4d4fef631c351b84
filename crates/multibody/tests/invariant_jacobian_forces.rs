//! Tangents of force elements against central differences of the generalized force.
//!
//! The damping tangent is exact everywhere. The stiffness tangent leaves out how damping forces change when
//! positions change at fixed velocity, so it is compared where there are none: at rest, or without damping.

use crate::common;
use std::sync::Arc;

use crate::common::differences::Probe;
use crate::common::{Random, build, joint};
use glam::{DQuat, DVec3};
use huygens_core::function::Function;
use huygens_multibody::*;

fn pair(random: &mut Random) -> (Assembly, [BodyId; 2]) {
    let mut assembly = Assembly::new(common::DOWN);
    let bodies = ["a", "b"].map(|name| assembly.add_body(random.body(name)).unwrap());
    (assembly, bodies)
}

/// Both tangents: stiffness at rest, damping in motion.
fn check(name: &str, assembly: &Assembly, random: &mut Random) {
    let mut probe = Probe::new(name, &build(assembly), random);
    probe.check_damping();
    probe.state.v.fill(0.0);
    probe.check_stiffness();
}

fn laws() -> Vec<(&'static str, ScalarLaw)> {
    let user = |t: f64, x: f64, v: f64| 3.0 * t - 7.0 * x * x * x - (0.4 + x * x) * v;
    vec![
        (
            "spring",
            ScalarLaw::Spring {
                stiffness: 12.0,
                damping: 0.7,
                rest: 0.3,
                actuator: Some(
                    Function::Sine { amplitude: 5.0, frequency: 0.4, phase: 0.3, offset: 0.0 }.into(),
                ),
            },
        ),
        ("user law", ScalarLaw::User(ForceLaw(Arc::new(user)))),
        ("effort", ScalarLaw::Effort(Drive::from(4.0))),
        ("limit", ScalarLaw::Limit { lower: Some(-9.0), upper: Some(-8.0), stiffness: 12.0, damping: 0.1 }),
        ("sticking", ScalarLaw::Friction { limit: 1e3.into(), stiffness: 30.0, damping: 0.3 }),
    ]
}

#[test]
fn forces_along_lengths_and_joint_coordinates_have_exact_tangents() {
    let mut random = Random(11);
    for (name, law) in laws() {
        let (mut assembly, [a, b]) = pair(&mut random);
        let (a, b) = (random.attachment(Some(a)), random.attachment(Some(b)));
        assembly.add_spring(Spring { name: "s".into(), a, b, law: law.clone() }).unwrap();
        check(&format!("{name} along a length"), &assembly, &mut random);
        for kind in [JointKind::Revolute, JointKind::Cylindrical, JointKind::Universal, JointKind::Planar] {
            let (mut assembly, [a, b]) = pair(&mut random);
            let (a, b) = (random.attachment(Some(a)), random.attachment(Some(b)));
            let id = assembly.add_joint(joint("j", kind.clone(), a, b)).unwrap();
            let mut terms = vec![(CoordinateRef::Joint(id, 0), 1.3)];
            if !matches!(kind, JointKind::Revolute) {
                terms.push((CoordinateRef::Joint(id, 1), -0.8));
            }
            let force = CoordinateForce { name: "f".into(), label: "force", terms, law: law.clone() };
            assembly.add_coordinate_force(force).unwrap();
            check(&format!("{name} along {kind:?}"), &assembly, &mut random);
        }
    }
}

/// A clutch that has left its anchor pulls with a constant force, whose direction still turns.
#[test]
fn a_slipping_friction_has_an_exact_tangent() {
    let mut random = Random(12);
    let (mut assembly, [a, b]) = pair(&mut random);
    let (a, b) = (random.attachment(Some(a)), random.attachment(Some(b)));
    let law = ScalarLaw::Friction { limit: 5.0.into(), stiffness: 1e3, damping: 0.0 };
    assembly.add_spring(Spring { name: "s".into(), a, b, law }).unwrap();
    let mut probe = Probe::new("slipping", &build(&assembly), &mut random);
    // The length is the history's second number: move the anchor far away.
    let anchor = probe.state.history.len() - 1;
    probe.state.history[anchor] += 1.0;
    probe.state.v.fill(0.0);
    probe.check_stiffness();
}

#[test]
fn compliant_limits_and_ropes_have_exact_tangents() {
    let mut random = Random(13);
    for (lower, upper) in [(Some(2.0), None), (None, Some(-2.0))] {
        let (mut assembly, [a, b]) = pair(&mut random);
        let (a, b) = (random.attachment(Some(a)), random.attachment(Some(b)));
        let mut limited = joint("j", JointKind::Prismatic, a, b);
        limited.limits = vec![Limit {
            coordinate: 0,
            lower,
            upper,
            stiffness: Some(40.0),
            damping: 0.2,
            restitution: 0.0,
        }];
        assembly.add_joint(limited).unwrap();
        check("limit", &assembly, &mut random);
    }
    let (mut assembly, [a, b]) = pair(&mut random);
    let (a, b) = (random.attachment(Some(a)), random.attachment(Some(b)));
    let rope =
        Rope { name: "r".into(), a, b, length: 0.1, stiffness: Some(30.0), damping: 0.3, restitution: 0.0 };
    assembly.add_rope(rope).unwrap();
    check("rope", &assembly, &mut random);
}

#[test]
fn loads_and_drag_have_exact_tangents() {
    let mut random = Random(14);
    let drives = |random: &mut Random| {
        [random.unit() * 5.0, random.unit() * 5.0, random.unit() * 5.0].map(Drive::from)
    };
    for frame in [LoadFrame::World, LoadFrame::Body] {
        let (mut assembly, [a, _]) = pair(&mut random);
        let (point, force, torque) = (random.vector(), drives(&mut random), drives(&mut random));
        assembly
            .add_load(Load { name: "l".into(), carrier: Carrier::Body(a), point, frame, force, torque })
            .unwrap();
        check(&format!("load in {frame:?} axes"), &assembly, &mut random);
    }
    let (mut assembly, [a, _]) = pair(&mut random);
    let drag = Drag {
        name: "d".into(),
        carrier: Carrier::Body(a),
        point: random.vector(),
        medium_velocity: random.vector() * 3.0,
        linear: 0.8,
        quadratic: 1.3,
        angular_linear: 0.2,
        angular_quadratic: 0.5,
    };
    assembly.add_drag(drag).unwrap();
    check("drag", &assembly, &mut random);
}

fn random_matrix(random: &mut Random) -> [[f64; 6]; 6] {
    std::array::from_fn(|_| std::array::from_fn(|_| random.unit() * 10.0))
}

/// The stiffness of a bushing leaves out the geometric part of large rotations: exact where its frames coincide.
#[test]
fn a_bushing_has_an_exact_tangent_at_rest_and_exact_damping_everywhere() {
    let mut random = Random(15);
    let (stiffness, damping) = (random_matrix(&mut random), random_matrix(&mut random));
    let bushing = |a: Attachment, b: Attachment| Bushing {
        name: "b".into(),
        a,
        b,
        stiffness,
        damping,
        preload: [0.0; 6],
    };
    let (mut assembly, [a, b]) = pair(&mut random);
    let (fa, fb) = (random.attachment(Some(a)), random.attachment(Some(b)));
    assembly.add_bushing(bushing(fa, fb)).unwrap();
    Probe::new("bushing", &build(&assembly), &mut random).check_damping();
    // B moved so that the frames coincide.
    let (ba, bb) = (assembly.body(a).unwrap().clone(), assembly.body_mut(b).unwrap());
    bb.rotation = (ba.rotation * fa.rotation * fb.rotation.conjugate()).normalize();
    bb.position = ba.position + ba.rotation * fa.position - bb.rotation * fb.position;
    check("bushing at rest", &assembly, &mut random);
}

#[test]
fn a_bushing_to_ground_has_an_exact_tangent_at_rest() {
    let mut random = Random(16);
    let (mut assembly, [a, _]) = pair(&mut random);
    let stiffness = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 100.0 } else { 0.0 }));
    let ba = assembly.body(a).unwrap();
    let ground = Attachment::ground(ba.position + ba.rotation * DVec3::X, ba.rotation);
    let own = Attachment { carrier: Carrier::Body(a), position: DVec3::X, rotation: DQuat::IDENTITY };
    let (damping, preload) = ([[0.0; 6]; 6], [0.0; 6]);
    let bushing = Bushing { name: "b".into(), a: ground, b: own, stiffness, damping, preload };
    assembly.add_bushing(bushing).unwrap();
    let mut probe = Probe::new("bushing to ground", &build(&assembly), &mut random);
    probe.state.v.fill(0.0);
    probe.check_stiffness();
}
