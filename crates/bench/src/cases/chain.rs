//! Pendulum chain: equal rods on revolute joints, straight along +x, released at rest.

use std::f64::consts::FRAC_PI_2;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::LinearSolver;
use huygens_multibody::{Assembly, Attachment, Body, BodyId, Carrier, Joint, JointKind, MultibodyError};

use crate::workload::{Workload, tracked};

/// Length of a rod [m].
const LENGTH: f64 = 0.1;
/// Side of its square section [m].
const WIDTH: f64 = 0.02;
/// Its mass [kg].
const MASS: f64 = 0.1;
/// Gravity along −z [m/s²].
const GRAVITY: f64 = 9.81;

/// Tip of 32 links, axes all y: minimal coordinates integrated with an eighth-order Runge–Kutta method at a
/// relative tolerance of 1e-12; a Lagrangian in absolute angles and an articulated-body code agree to nine digits.
const PLANAR: &[(f64, DVec3)] =
    &[(1.0, DVec3::new(-1.710218419, 0.0, -2.284372710)), (2.0, DVec3::new(-2.759792219, 0.0, -0.776988041))];

/// Tip of 32 links, axes alternating y and z: same source.
const ALTERNATING: &[(f64, DVec3)] = &[
    (1.0, DVec3::new(-1.858216570, 0.588373212, -2.155253071)),
    (2.0, DVec3::new(-2.653926414, 0.172707767, -0.741288319)),
];

/// All hinge axes along y: motion in the x–z plane.
pub fn planar(links: usize) -> Result<Workload, MultibodyError> {
    chain("planar", links, DVec3::new(0.0, 0.0, -GRAVITY), |_| along_y(), PLANAR)
}

/// Hinge axes alternate between y and z, gravity has a sideways part: motion in space.
pub fn alternating(links: usize) -> Result<Workload, MultibodyError> {
    let axis = |i: usize| if i.is_multiple_of(2) { along_y() } else { DQuat::IDENTITY };
    chain("alt3d", links, DVec3::new(0.0, 3.0, -GRAVITY), axis, ALTERNATING)
}

/// Turns z into y.
fn along_y() -> DQuat {
    DQuat::from_rotation_x(-FRAC_PI_2)
}

fn chain(
    variant: &'static str,
    links: usize,
    gravity: DVec3,
    axis: impl Fn(usize) -> DQuat,
    reference: &'static [(f64, DVec3)],
) -> Result<Workload, MultibodyError> {
    let across = MASS * (LENGTH * LENGTH + WIDTH * WIDTH) / 12.0;
    let inertia = DMat3::from_diagonal(DVec3::new(MASS * WIDTH * WIDTH / 6.0, across, across));
    let end = DVec3::new(0.5 * LENGTH, 0.0, 0.0);
    let mut assembly = Assembly::new(gravity);
    let mut last: Option<BodyId> = None;
    for i in 0..links.max(1) {
        let position = DVec3::new(LENGTH * (i as f64 + 0.5), 0.0, 0.0);
        let link = assembly.add_body(Body {
            name: format!("link {}", i + 1),
            position,
            mass: MASS,
            inertia,
            ..Body::default()
        })?;
        let rotation = axis(i);
        let a = match last {
            None => Attachment::ground(DVec3::ZERO, rotation),
            Some(_) => Attachment { carrier: last.into(), position: end, rotation },
        };
        let b = Attachment { carrier: Carrier::Body(link), position: -end, rotation };
        assembly.add_joint(Joint {
            name: format!("hinge {}", i + 1),
            kind: JointKind::Revolute,
            a,
            b,
            limits: vec![],
        })?;
        last = Some(link);
    }
    let count = links.max(1) as f64;
    let (model, tip) = tracked(&assembly, last.expect("a chain has a link"), end)?;
    Ok(Workload {
        case: "pendulum_chain",
        variant,
        size: links.max(1),
        steps: 2000,
        model,
        tip,
        reference: if links == 32 { reference } else { &[] },
        energy_scale: 0.5 * MASS * GRAVITY * LENGTH * count * count,
        linear: LinearSolver::Block,
    })
}
