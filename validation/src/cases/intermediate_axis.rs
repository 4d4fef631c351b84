//! Torque-free rotation about the intermediate axis: flips at times given by elliptic functions.

use glam::{DMat3, DVec3};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Assembly, Body, BodyId, BodyQuantity};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA_CONSERVING, Simulation, largest};

/// Principal moments [kg·m²].
const INERTIA: DVec3 = DVec3::new(1.0, 2.0, 3.0);
/// Full period of the angular velocity [s] (elliptic integral).
const PERIOD: f64 = 10.532110248;
/// Step [s].
const STEP: f64 = 1e-3;

fn assemble() -> Result<(Assembly, BodyId)> {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let body = assembly.add_body(Body {
        name: "body".into(),
        angular_velocity: DVec3::new(0.01, 5.0, 0.0),
        inertia: DMat3::from_diagonal(INERTIA),
        ..Body::default()
    })?;
    Ok((assembly, body))
}

/// Angular momentum in body axes [kg·m²/s].
fn momentum(s: &mut Simulation, body: BodyId) -> DVec3 {
    INERTIA * s.body(body, BodyQuantity::AngularVelocityBody, DVec3::ZERO)
}

/// Spin about the intermediate axis and its rate by Euler's equation, with the given sign.
fn spin(s: &mut Simulation, body: BodyId, sign: f64) -> [f64; 2] {
    let w = s.body(body, BodyQuantity::AngularVelocityBody, DVec3::ZERO);
    [sign * w.y, sign * (INERTIA.z - INERTIA.x) / INERTIA.y * w.z * w.x]
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let (assembly, body) = assemble()?;
    let mut checks = Vec::new();
    for (name, integrator, bound) in [
        ("Runge–Kutta", Integrator::Rk4, 1e-6),
        // The trapezoidal rule does not conserve rotational energy exactly; only the flips are checked to 0.5 %.
        ("generalized-α", ALPHA_CONSERVING, f64::NAN),
    ] {
        let mut s = Simulation::new(&assembly, integrator, STEP)?;
        let start = momentum(&mut s, body).length();
        let kinetic = s.energy();
        let first = s.time_of_rise("the first flip", 8.0, |s| spin(s, body, -1.0))?;
        let second = s.time_of_rise("the second flip", 12.0, |s| spin(s, body, 1.0))?;
        let third = s.time_of_rise("the third flip", 18.0, |s| spin(s, body, -1.0))?;
        checks.push(Check::value(format!("{name}: full period [s]"), PERIOD, third - first, 5e-3 * PERIOD));
        let flip = second - first;
        checks.push(Check::value(
            format!("{name}: time between flips [s]"),
            0.5 * PERIOD,
            flip,
            2.5e-3 * PERIOD,
        ));
        s.advance_to(20.0)?;
        if bound.is_finite() {
            let drift = (momentum(&mut s, body).length() - start).abs() / start;
            checks.push(Check::error(format!("{name}: |L| over 20 s, relative"), drift, bound));
            let energy = s.largest_energy_change() / kinetic;
            checks.push(Check::error(format!("{name}: energy over 20 s, relative"), energy, bound));
        }
    }
    if let Ok(table) = context.reference.table("mbd/analytic/intermediate_axis.csv") {
        checks.push(whole_motion(context, &assembly, body, &table)?);
    }
    Ok(checks)
}

fn whole_motion(
    context: &Context,
    assembly: &Assembly,
    body: BodyId,
    table: &crate::reference::Table,
) -> Result<Check> {
    let mut s = Simulation::new(assembly, Integrator::Rk4, STEP)?;
    let mut columns = vec![Vec::new(); 3];
    let exact = [table.column("w1")?, table.column("w2")?, table.column("w3")?];
    let mut errors = Vec::new();
    for (row, t) in table.time()?.iter().enumerate() {
        s.advance_to(*t)?;
        let w = s.body(body, BodyQuantity::AngularVelocityBody, DVec3::ZERO);
        errors.push((w - DVec3::from_array(exact.map(|column| column[row]))).length());
        (0..3).for_each(|k| columns[k].push(w[k]));
    }
    let labels = ["ω1 [rad/s]", "ω2 [rad/s]", "ω3 [rad/s]"];
    let comparisons: Vec<Comparison<'_>> = (0..3)
        .map(|k| Ok(Comparison::sampled(labels[k], table.time()?, &columns[k], exact[k])))
        .collect::<Result<_>>()?;
    context.figures.compare("intermediate_axis", "time [s]", &comparisons)?;
    Ok(Check::error("Runge–Kutta: ω over 20 s, largest error [rad/s]", largest(&errors), 1e-5))
}
