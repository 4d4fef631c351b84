//! Bearing reactions of a helical gear pair under a torque.

use glam::{DQuat, DVec3};
use huygens_multibody::{
    Assembly, Attachment, Body, BodyId, Carrier, CoordinateRef, Coupling, CouplingTarget, Drive, JointKind,
    Load, LoadFrame, Side, ToothContact,
};

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::simulation::{ALPHA, RESIDUAL_BOUND, Simulation, add_hinge, add_joint};

/// Half of the tolerance that goes with the published figures [N].
const TOLERANCE: f64 = 5e-5;

pub fn run(_context: &Context) -> Result<Vec<Check>> {
    let (radius_a, radius_b, torque) = (4.0, 2.0, 1000.0);
    let (pressure, helix) = (20f64.to_radians(), 10f64.to_radians());
    let mut assembly = Assembly::new(DVec3::ZERO);
    let center = DVec3::X * (radius_a + radius_b);
    let mut gear = |name: &str, position: DVec3| -> Result<BodyId> {
        Ok(assembly.add_body(Body { name: name.into(), position, ..Body::default() })?)
    };
    let (a, b) = (gear("A", DVec3::ZERO)?, gear("B", center)?);
    let on_a = add_hinge(&mut assembly, "bearing A", [None, Some(a)], DVec3::ZERO)?;
    let on_b = add_hinge(&mut assembly, "bearing B", [None, Some(b)], center)?;
    add_joint(
        &mut assembly,
        "lock",
        JointKind::Generic([false, false, false, false, false, true]),
        [None, Some(a)],
        DVec3::ZERO,
        DQuat::IDENTITY,
    )?;
    assembly.add_coupling(Coupling {
        name: "teeth".into(),
        label: "gear pair",
        terms: vec![(CoordinateRef::Joint(on_a, 0), radius_a), (CoordinateRef::Joint(on_b, 0), radius_b)],
        target: CouplingTarget::Start,
        teeth: Some(ToothContact {
            a: Attachment::origin(a),
            b: Attachment::origin(b),
            radius_a,
            radius_b,
            radial: pressure.tan() / helix.cos(),
            axial: helix.tan(),
        }),
    })?;
    let zero = || Drive::from(0.0);
    assembly.add_load(Load {
        name: "torque".into(),
        carrier: Carrier::Body(b),
        point: DVec3::ZERO,
        frame: LoadFrame::World,
        force: [zero(), zero(), zero()],
        torque: [zero(), zero(), Drive::from(torque)],
    })?;
    let mut s = Simulation::new(&assembly, ALPHA, 1e-3)?;
    let mut largest_motion = 0.0f64;
    for _ in 0..200 {
        s.step()?;
        largest_motion = largest_motion.max(s.coordinate(on_b, 0)[0].abs());
    }
    let (force, _) = s.reaction(on_b, Side::B);
    Ok(vec![
        Check::value("bearing of B, tangential force [N]", 500.0, force.y.abs(), TOLERANCE),
        Check::value(
            "bearing of B, radial force [N]",
            500.0 * pressure.tan() / helix.cos(),
            force.x.abs(),
            TOLERANCE,
        ),
        Check::value("bearing of B, axial force [N]", 500.0 * helix.tan(), force.z.abs(), TOLERANCE),
        Check::error("motion of the loaded gear, largest [rad]", largest_motion, RESIDUAL_BOUND),
        s.residual_check(),
    ])
}
