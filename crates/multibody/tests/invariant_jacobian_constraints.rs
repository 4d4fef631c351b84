//! Jacobians, rates, γ and ∂(Cqᵀλ)/∂q of every joint and coupling against central differences along the
//! retraction, at random poses, velocities and multipliers.

use std::sync::Arc;

use crate::common::differences::Probe;
use crate::common::{Random, build, joint};
use glam::DVec3;
use huygens_core::analysis;
use huygens_core::function::{Curve3, Function};
use huygens_multibody::*;

fn sine(amplitude: f64, frequency: f64) -> Function {
    Function::Sine { amplitude, frequency, phase: 0.4, offset: 0.1 }
}

fn motion(random: &mut Random) -> Motion {
    Motion {
        translation: [sine(0.3, 0.5), sine(0.2, 0.7), sine(-0.4, 0.3)],
        axis: random.vector().normalize(),
        angle: sine(0.8, 0.4),
    }
}

fn kinds() -> Vec<JointKind> {
    use JointKind::*;
    let trajectory = Trajectory {
        translation: [sine(0.2, 0.5), sine(0.3, 0.9), sine(0.1, 0.2)],
        axis: DVec3::new(0.6, 0.0, 0.8),
        angle: sine(1.1, 0.6),
    };
    let mut kinds = vec![
        Fixed,
        Revolute,
        Prismatic,
        Cylindrical,
        Spherical,
        Planar,
        Universal,
        ConstantVelocity,
        PointOnLine,
        PointOnPlane,
        ParallelAxes,
        PerpendicularAxes,
        Distance(0.7),
        RevoluteSpherical(0.9),
        RevoluteTranslational(0.3),
        Screw(0.2),
        trajectory,
    ];
    // Every way to lock freedoms.
    kinds.extend((1..64).map(|bits| Generic(std::array::from_fn(|k| bits >> k & 1 == 1))));
    kinds
}

/// What carries the two frames of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Carrier {
    Dynamic,
    Kinematic,
    Ground,
}

const PAIRS: [[Carrier; 2]; 4] = [
    [Carrier::Dynamic, Carrier::Dynamic],
    [Carrier::Ground, Carrier::Dynamic],
    [Carrier::Kinematic, Carrier::Dynamic],
    [Carrier::Dynamic, Carrier::Kinematic],
];

fn carrier(assembly: &mut Assembly, random: &mut Random, carrier: Carrier, name: &str) -> Option<BodyId> {
    let mut body = random.body(name);
    match carrier {
        Carrier::Ground => return None,
        Carrier::Kinematic => body.kind = BodyKind::Kinematic(motion(random)),
        Carrier::Dynamic => {}
    }
    Some(assembly.add_body(body).unwrap())
}

fn pair(random: &mut Random, kind: JointKind, carriers: [Carrier; 2]) -> (Assembly, JointId) {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let a = carrier(&mut assembly, random, carriers[0], "a");
    let b = carrier(&mut assembly, random, carriers[1], "b");
    let (a, b) = (random.attachment(a), random.attachment(b));
    let id = assembly.add_joint(joint("joint", kind, a, b)).unwrap();
    (assembly, id)
}

#[test]
fn joints_of_every_kind_have_exact_derivatives() {
    let mut random = Random(1);
    for kind in kinds() {
        for carriers in PAIRS {
            let (assembly, _) = pair(&mut random, kind.clone(), carriers);
            Probe::new(&format!("{kind:?} {carriers:?}"), &build(&assembly), &mut random).check_rows();
        }
    }
}

/// The Hessian of the distance from a curve is exact on the curve, where a joint is: so the point is put there.
#[test]
fn a_point_on_a_curve_has_exact_derivatives_on_the_curve() {
    let mut random = Random(2);
    let points = (0..8).map(|k| {
        let angle = 0.7 * f64::from(k);
        DVec3::new(angle.cos(), 1.3 * angle.sin(), 0.2 * angle)
    });
    let curve = Arc::new(Curve3::new(points.collect(), false).unwrap());
    for carriers in PAIRS {
        for _ in 0..4 {
            let (assembly, _) = pair(&mut random, JointKind::PointOnCurve(curve.clone()), carriers);
            let mut probe = Probe::new(&format!("curve {carriers:?}"), &build(&assembly), &mut random);
            let v = probe.state.v.clone();
            analysis::assemble(&mut probe.system, &mut probe.state).unwrap();
            probe.state.v = v;
            // The foot point is found to a tolerance, which the differences magnify.
            probe.tolerance = 1e-6;
            probe.check_rows();
        }
    }
}

/// Every coordinate of every joint, driven as a function of time: a position motor.
#[test]
fn coordinates_of_every_joint_have_exact_derivatives() {
    let mut random = Random(3);
    for kind in kinds() {
        for carriers in PAIRS {
            for index in 0..4 {
                let (mut assembly, id) = pair(&mut random, kind.clone(), carriers);
                let motor = Coupling {
                    name: "motor".into(),
                    label: "motor",
                    terms: vec![(CoordinateRef::Joint(id, index), 1.7)],
                    target: CouplingTarget::Position(sine(0.6, 0.8)),
                    teeth: None,
                };
                // A joint has as many coordinates as it accepts motors for.
                if assembly.add_coupling(motor).is_err() {
                    break;
                }
                let name = format!("coordinate {index} of {kind:?} {carriers:?}");
                Probe::new(&name, &build(&assembly), &mut random).check_rows();
            }
        }
    }
}

#[test]
fn a_speed_motor_has_exact_derivatives() {
    let mut random = Random(4);
    for carriers in PAIRS {
        let (mut assembly, id) = pair(&mut random, JointKind::Revolute, carriers);
        let target = CouplingTarget::Speed(Drive::Function(sine(2.0, 0.5)));
        let terms = vec![(CoordinateRef::Joint(id, 0), 1.0)];
        let motor = Coupling { name: "motor".into(), label: "motor", terms, target, teeth: None };
        assembly.add_coupling(motor).unwrap();
        Probe::new("speed motor", &build(&assembly), &mut random).check_rows();
    }
}

/// Two joints on a common carrier, as in a gear box: three bodies, with and without tooth contact.
fn two_joints(random: &mut Random, kinds: [JointKind; 2]) -> (Assembly, [JointId; 2], [BodyId; 3]) {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let bodies = ["case", "a", "b"].map(|name| assembly.add_body(random.body(name)).unwrap());
    let mut index = 0;
    let joints = kinds.map(|kind| {
        index += 1;
        let (case, gear) = (random.attachment(Some(bodies[0])), random.attachment(Some(bodies[index])));
        assembly.add_joint(joint(&format!("j{index}"), kind, case, gear)).unwrap()
    });
    (assembly, joints, bodies)
}

#[test]
fn gears_with_tooth_contact_have_exact_derivatives() {
    let mut random = Random(5);
    // The radial push follows the sign of the tooth force of the step before.
    for multiplier in [0.0, 3.0, -3.0] {
        for teeth in [false, true] {
            let (mut assembly, [j1, j2], [_, a, b]) =
                two_joints(&mut random, [JointKind::Revolute, JointKind::Revolute]);
            let teeth = teeth.then(|| ToothContact {
                a: random.attachment(Some(a)),
                b: random.attachment(Some(b)),
                radius_a: 0.2,
                radius_b: 0.4,
                radial: 0.37,
                axial: 0.18,
            });
            let terms = vec![(CoordinateRef::Joint(j1, 0), 0.2), (CoordinateRef::Joint(j2, 0), 0.4)];
            let target = CouplingTarget::Start;
            assembly
                .add_coupling(Coupling { name: "gear".into(), label: "gear pair", terms, target, teeth })
                .unwrap();
            let mut probe = Probe::new("gear", &build(&assembly), &mut random);
            let kept = probe.state.lambda.clone();
            probe.system.load(&probe.state);
            probe.system.point.lambda.fill(multiplier);
            probe.system.update(&probe.state.history);
            probe.system.commit(&mut probe.state.history);
            probe.state.lambda = kept;
            probe.check_rows();
        }
    }
}

#[test]
fn racks_and_shaft_couplings_have_exact_derivatives() {
    let mut random = Random(6);
    let (mut assembly, [j1, j2], _) = two_joints(&mut random, [JointKind::Revolute, JointKind::Prismatic]);
    let shaft = |name: &str, angle: f64, speed: f64| Shaft { name: name.into(), inertia: 0.3, angle, speed };
    let s1 = assembly.add_shaft(shaft("s1", 0.2, 1.0)).unwrap();
    let s2 = assembly.add_shaft(shaft("s2", -0.7, 2.0)).unwrap();
    let mut couple = |name: &str, terms: Vec<(CoordinateRef, f64)>, target: CouplingTarget| {
        assembly
            .add_coupling(Coupling { name: name.into(), label: "coupling", terms, target, teeth: None })
            .unwrap();
    };
    use CoordinateRef::{Joint, Shaft as Angle};
    couple("rack", vec![(Joint(j1, 0), 0.15), (Joint(j2, 0), -1.0)], CouplingTarget::Start);
    couple("gear", vec![(Angle(s1), 2.0), (Angle(s2), 1.0)], CouplingTarget::Start);
    couple("hub", vec![(Angle(s1), 1.0), (Joint(j1, 0), -1.0)], CouplingTarget::Start);
    couple("winch", vec![(Angle(s2), 0.1), (Joint(j2, 0), 1.0)], CouplingTarget::Start);
    couple("motor", vec![(Angle(s2), 1.0)], CouplingTarget::Speed(Drive::Function(sine(1.0, 0.3))));
    Probe::new("rack and shafts", &build(&assembly), &mut random).check_rows();
}
