//! The heavy top of Lie-group integrators (bruls2010): 150 rad/s about its axis on a ball joint.

use glam::{DMat3, DQuat, DVec3};
use huygens_multibody::{Assembly, Body, BodyId, BodyQuantity, JointKind};

use crate::Context;
use crate::error::Result;
use crate::figure::{Comparison, Errors};
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_joint};

/// Step at which the bound holds [s].
const STEP: f64 = 5e-5;
/// Centre of mass at 1 s and 2 s [m] (Runge–Kutta with h = 1e-5).
const EXACT: [(f64, DVec3); 2] = [
    (1.0, DVec3::new(0.17334396, 0.64008859, -0.74849079)),
    (2.0, DVec3::new(-0.15041682, -0.72416559, -0.67302227)),
];

fn assemble() -> Result<(Assembly, BodyId)> {
    let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -9.81));
    let omega = DVec3::new(0.0, 150.0, -4.61538);
    let top = assembly.add_body(Body {
        name: "top".into(),
        position: DVec3::Y,
        velocity: omega.cross(DVec3::Y),
        angular_velocity: omega,
        mass: 15.0,
        inertia: DMat3::from_diagonal(DVec3::new(0.234375, 0.46875, 0.234375)),
        ..Body::default()
    })?;
    add_joint(&mut assembly, "tip", JointKind::Spherical, [None, Some(top)], DVec3::ZERO, DQuat::IDENTITY)?;
    Ok((assembly, top))
}

/// Error of the centre of mass at 1 s [m].
fn error_at_1_s(assembly: &Assembly, top: BodyId, step: f64) -> Result<f64> {
    let mut s = Simulation::new(assembly, ALPHA, step)?;
    s.advance_to(1.0)?;
    Ok((s.position(top, DVec3::ZERO) - EXACT[0].1).length())
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let (assembly, top) = assemble()?;
    let mut checks = Vec::new();
    let steps = [2e-4, 1e-4, 5e-5];
    let mut errors = Vec::new();
    for h in steps {
        errors.push(error_at_1_s(&assembly, top, h)?);
    }
    for k in 1..steps.len() {
        let order = (errors[k - 1] / errors[k]).log2();
        checks.push(Check::at_least(
            format!("order from h = {:.0e} to {:.0e}", steps[k - 1], steps[k]),
            1.9,
            order,
        ));
    }
    let line = Errors { label: "generalized-α, ρ = 0.8".into(), steps: steps.to_vec(), errors };
    context
        .figures
        .convergence("heavy_top_order", &[("error of the centre of mass at 1 s [m]", vec![line])])?;
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    for (t, exact) in EXACT {
        s.advance_to(t)?;
        let error = (s.position(top, DVec3::ZERO) - exact).length();
        checks.push(Check::error(format!("centre of mass at {t} s, h = {STEP:.0e} [m]"), error, 1e-4));
    }
    let spin = s.body(top, BodyQuantity::AngularVelocityBody, DVec3::ZERO).y;
    checks.push(Check::value("spin at 2 s [rad/s]", 150.0, spin, 1e-6));
    checks.push(s.residual_check());
    if let Ok(table) = context.reference.table("mbd/analytic/heavy_top.csv") {
        checks.push(whole_motion(context, &assembly, top, &table)?);
    }
    Ok(checks)
}

fn whole_motion(
    context: &Context,
    assembly: &Assembly,
    top: BodyId,
    table: &crate::reference::Table,
) -> Result<Check> {
    let mut s = Simulation::new(assembly, ALPHA, STEP)?;
    let mut columns = vec![Vec::new(); 3];
    let mut worst = 0.0f64;
    let exact = [table.column("x")?, table.column("y")?, table.column("z")?];
    for (row, t) in table.time()?.iter().enumerate() {
        s.advance_to(*t)?;
        let p = s.position(top, DVec3::ZERO);
        worst = worst.max((p - DVec3::from_array(exact.map(|column| column[row]))).length());
        (0..3).for_each(|k| columns[k].push(p[k]));
    }
    let labels = ["x [m]", "y [m]", "z [m]"];
    let comparisons: Vec<Comparison<'_>> = (0..3)
        .map(|k| Ok(Comparison::sampled(labels[k], table.time()?, &columns[k], exact[k])))
        .collect::<Result<_>>()?;
    context.figures.compare("heavy_top", "time [s]", &comparisons)?;
    Ok(Check::error("centre of mass over 2 s, largest error [m]", worst, 1e-4))
}
