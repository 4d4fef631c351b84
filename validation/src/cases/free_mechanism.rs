//! Momentum of a chain of three bodies that floats freely: no outer force acts, whatever its joints and spring do.

use glam::{DMat3, DQuat, DVec3};
use huygens_multibody::{Assembly, Body, BodyId, BodyQuantity, JointKind, ScalarLaw, Spring};

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_joint, frame_on};

/// Masses [kg].
const MASS: [f64; 3] = [1.0, 2.5, 0.7];
/// Principal moments of the first body [kg·m²]; the others have them times their mass.
const INERTIA: DVec3 = DVec3::new(0.05, 0.08, 0.1);
/// Simulated time [s].
const END: f64 = 2.0;

fn assemble() -> Result<(Assembly, [BodyId; 3])> {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let mut add = |k: usize| -> Result<BodyId> {
        Ok(assembly.add_body(Body {
            name: format!("body{k}"),
            position: DVec3::X * k as f64,
            rotation: DQuat::from_axis_angle(DVec3::new(0.0, 0.6, 0.8), 0.4 * k as f64),
            velocity: DVec3::new(0.3, -0.2, 0.5 * k as f64),
            angular_velocity: DVec3::new(1.0, 2.0 - k as f64, 0.5),
            mass: MASS[k],
            inertia: DMat3::from_diagonal(INERTIA * MASS[k]),
            ..Body::default()
        })?)
    };
    let bodies = [add(0)?, add(1)?, add(2)?];
    let [a, b, c] = bodies.map(Some);
    add_joint(&mut assembly, "ball", JointKind::Spherical, [a, b], DVec3::X * 0.5, DQuat::IDENTITY)?;
    let turn = DQuat::from_rotation_x(0.7);
    add_joint(&mut assembly, "hinge", JointKind::Revolute, [b, c], DVec3::X * 1.5, turn)?;
    let (from, to) = (
        frame_on(&assembly, a, DVec3::Y * 0.4, turn),
        frame_on(&assembly, c, DVec3::new(2.0, 0.3, 0.1), turn),
    );
    let law = ScalarLaw::Spring { stiffness: 80.0, damping: 0.5, rest: 1.2, actuator: None };
    assembly.add_spring(Spring { name: "spring".into(), a: from, b: to, law })?;
    Ok((assembly, bodies))
}

/// Linear momentum [kg·m/s] and angular momentum about the origin [kg·m²/s].
fn momentum(s: &mut Simulation, bodies: &[BodyId; 3]) -> [DVec3; 2] {
    let mut total = [DVec3::ZERO; 2];
    for (body, mass) in bodies.iter().zip(MASS) {
        let p = s.body(*body, BodyQuantity::Velocity, DVec3::ZERO) * mass;
        let [w, x, y, z] = s.quaternion(*body);
        let own = s.body(*body, BodyQuantity::AngularVelocityBody, DVec3::ZERO) * INERTIA * mass;
        total[0] += p;
        total[1] += s.position(*body, DVec3::ZERO).cross(p) + DQuat::from_xyzw(x, y, z, w) * own;
    }
    total
}

/// Largest relative changes of both momenta with step `h`, and the run.
fn changes(assembly: &Assembly, bodies: &[BodyId; 3], h: f64) -> Result<([f64; 2], Simulation)> {
    let mut s = Simulation::new(assembly, ALPHA, h)?;
    let start = momentum(&mut s, bodies);
    let mut worst = [0.0f64; 2];
    while s.state.time < END - 0.5 * h {
        s.step()?;
        let now = momentum(&mut s, bodies);
        (0..2).for_each(|k| worst[k] = worst[k].max((now[k] - start[k]).length() / start[k].length()));
    }
    Ok((worst, s))
}

pub fn run(_context: &Context) -> Result<Vec<Check>> {
    let (assembly, bodies) = assemble()?;
    let ([linear, coarse], s) = changes(&assembly, &bodies, 2e-3)?;
    let ([finer_linear, fine], _) = changes(&assembly, &bodies, 1e-3)?;
    Ok(vec![
        Check::error("linear momentum over 2 s, relative", linear.max(finer_linear), 1e-12),
        Check::error("angular momentum over 2 s, h = 1e-3, relative", fine, 1e-4),
        Check::at_least("order of the angular momentum's error", 1.9, (coarse / fine).log2()),
        s.residual_check(),
    ])
}
