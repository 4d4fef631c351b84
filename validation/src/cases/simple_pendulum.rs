//! IFToMM benchmark library, problem A01: a point mass on a massless bar (closed form in elliptic functions).

use glam::{DMat3, DVec3};
use huygens_multibody::{Assembly, Body};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, largest};

/// Moment of inertia of the point mass [kg·m²]: it lengthens the period by 5e-10 only.
const SPECK: f64 = 1e-9;
/// Step [s].
const STEP: f64 = 1e-4;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("mbd/iftomm/A01_pendulum.csv")?;
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let mass = assembly.add_body(Body {
        name: "mass".into(),
        position: DVec3::new(-1.0, 0.0, 0.0),
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(SPECK)),
        ..Body::default()
    })?;
    add_hinge(&mut assembly, "hinge", [None, Some(mass)], DVec3::ZERO)?;
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for t in table.time()? {
        s.advance_to(*t)?;
        let p = s.position(mass, DVec3::ZERO);
        x.push(p.x);
        y.push(p.y);
    }
    let (rx, ry) = (table.column("x")?, table.column("y")?);
    let distance: Vec<f64> = (0..x.len()).map(|k| (x[k] - rx[k]).hypot(y[k] - ry[k])).collect();
    let time = table.time()?;
    let comparisons =
        [Comparison::sampled("x [m]", time, &x, rx), Comparison::sampled("y [m]", time, &y, ry)];
    context.figures.compare("iftomm_a01_pendulum", "time [s]", &comparisons)?;
    Ok(vec![
        Check::error("position over 10 s, largest error [m]", largest(&distance), 1e-5),
        Check::error("energy drift over 10 s, largest [J]", s.largest_energy_change(), 1e-5),
        s.residual_check(),
    ])
}
