//! Two bodies on revolute joints against the minimal-coordinate equations.

use glam::{DMat3, DVec3};
use huygens_multibody::{Assembly, Body, BodyId, BodyQuantity};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, ALPHA_CONSERVING, HHT, Simulation, add_hinge, rms};

/// Step [s].
const STEP: f64 = 1e-3;

fn assemble() -> Result<(Assembly, BodyId)> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -10.0, 0.0));
    let mut body = |name: &str, x: f64| {
        assembly.add_body(Body {
            name: name.into(),
            position: DVec3::X * x,
            mass: 1.0,
            inertia: DMat3::IDENTITY,
            ..Body::default()
        })
    };
    let (first, second) = (body("first", 0.5)?, body("second", 1.5)?);
    add_hinge(&mut assembly, "origin", [None, Some(first)], DVec3::ZERO)?;
    add_hinge(&mut assembly, "middle", [Some(first), Some(second)], DVec3::X)?;
    Ok((assembly, second))
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("mbd/analytic/double_pendulum.csv")?;
    let (assembly, body) = assemble()?;
    let mut checks = Vec::new();
    for (name, integrator) in [
        ("generalized-α, ρ = 1", ALPHA_CONSERVING),
        ("generalized-α, ρ = 0.8", ALPHA),
        ("HHT, α = −0.1", HHT),
    ] {
        let mut s = Simulation::new(&assembly, integrator, STEP)?;
        let mut columns = vec![Vec::new(); 4];
        for t in table.time()? {
            s.advance_to(*t)?;
            let (p, v) = (s.position(body, DVec3::ZERO), s.body(body, BodyQuantity::Velocity, DVec3::ZERO));
            [p.x, p.y, v.x, v.y].iter().zip(&mut columns).for_each(|(value, c)| c.push(*value));
        }
        let samples = table.time()?.iter().filter(|t| **t <= 1.0 + 1e-9).count();
        let error = |k: usize, column: &str| -> Result<f64> {
            Ok(rms(&columns[k][..samples], &table.column(column)?[..samples]))
        };
        let (position, velocity) =
            (error(0, "x2")?.max(error(1, "y2")?), error(2, "vx2")?.max(error(3, "vy2")?));
        checks.push(Check::error(format!("{name}: position RMS over 1 s [m]"), position, 1e-5));
        checks.push(Check::error(format!("{name}: velocity RMS over 1 s [m/s]"), velocity, 1e-5));
        let last = columns[0].len() - 1;
        let end =
            |k: usize, column: &str| -> Result<f64> { Ok(columns[k][last] - table.column(column)?[last]) };
        checks.push(Check::error(
            format!("{name}: position at 5 s [m]"),
            end(0, "x2")?.hypot(end(1, "y2")?),
            1e-3,
        ));
        checks.push(s.residual_check());
        if name == "generalized-α, ρ = 1" {
            let time = table.time()?;
            let comparisons = [
                Comparison::sampled("x [m]", time, &columns[0], table.column("x2")?),
                Comparison::sampled("y [m]", time, &columns[1], table.column("y2")?),
                Comparison::sampled("velocity y [m/s]", time, &columns[3], table.column("vy2")?),
            ];
            context.figures.compare("double_pendulum", "time [s]", &comparisons)?;
        }
    }
    Ok(checks)
}
