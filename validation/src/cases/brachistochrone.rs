//! A bead on a curve: the cycloid of fastest descent, and the straight chute between the same points.

use std::f64::consts::PI;
use std::sync::Arc;

use glam::{DQuat, DVec3};
use huygens_core::function::Curve3;
use huygens_multibody::{Assembly, Body, BodyQuantity, JointKind};

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_joint};

/// Acceleration of gravity [m/s²].
const G: f64 = 9.81;
/// Step [s].
const STEP: f64 = 1e-4;

/// Time from rest at the origin to the vertical line x = π, and the run.
fn descent(points: Vec<DVec3>) -> Result<(f64, Simulation)> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -G, 0.0));
    let bead = assembly.add_body(Body { name: "bead".into(), ..Body::default() })?;
    let curve = JointKind::PointOnCurve(Arc::new(Curve3::new(points, false)?));
    add_joint(&mut assembly, "wire", curve, [None, Some(bead)], DVec3::ZERO, DQuat::IDENTITY)?;
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    let time = s.time_of_rise("arrival", 3.0, |s| {
        let velocity = s.body(bead, BodyQuantity::Velocity, DVec3::ZERO);
        [s.position(bead, DVec3::ZERO).x - PI, velocity.x]
    })?;
    Ok((time, s))
}

pub fn run(_context: &Context) -> Result<Vec<Check>> {
    // The cycloid continues beyond its lowest point, so that the bead does not end on the spline's free end.
    let count = 200;
    let cycloid = (0..=count).map(|k| {
        let phi = 1.1 * PI * f64::from(k) / f64::from(count);
        DVec3::new(phi - phi.sin(), phi.cos() - 1.0, 0.0)
    });
    let (fast, s) = descent(cycloid.collect())?;
    let expected = PI / G.sqrt();
    let mut checks = vec![
        Check::value("cycloid: time of descent [s]", expected, fast, 1e-3 * expected),
        Check::error("cycloid: energy drift, largest [J]", s.largest_energy_change(), 1e-3),
        s.residual_check(),
    ];
    let (slow, s) = descent(vec![DVec3::ZERO, DVec3::new(PI, -2.0, 0.0)])?;
    let expected = ((PI * PI + 4.0) / G).sqrt();
    checks.extend([
        Check::value("chute: time of descent [s]", expected, slow, 1e-3 * expected),
        Check::error("chute: energy drift, largest [J]", s.largest_energy_change(), 1e-3),
        s.residual_check(),
    ]);
    Ok(checks)
}
