//! How hard the water of a breaking dam hits a wall.
//!
//! The tables count time in units of √(H/g): their headers say √(H/2g), but then the front would have been faster than
//! 2√(gH), the speed of a front without friction.

use huygens_kernel::Vec3;

use super::dam::Dam;
use super::measure::{GRAVITY, Trace, exec};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

/// Time, in units of √(H/g), over which pressures are averaged.
const WINDOW: f64 = 0.1;

/// A gauge and what it showed.
struct Gauge {
    name: &'static str,
    file: &'static str,
    /// Wall, middle across, and height [m].
    place: [f64; 3],
    /// When the plateau is.
    plateau: [f64; 2],
    /// Bound of the error of the arrival.
    arrival: f64,
}

const LOBOVSKY: Dam =
    Dam { column: [0.6, 0.3], tank: [1.61, 0.6], across: None, spacing: 0.005, obstacle: None };

const LOBOVSKY_GAUGES: [Gauge; 2] = [
    Gauge {
        name: "P1",
        file: "fsi/dambreak_lobovsky_P1.csv",
        place: [1.61, 0.075, 0.003],
        plateau: [3.0, 5.5],
        arrival: 0.02,
    },
    Gauge {
        name: "P3",
        file: "fsi/dambreak_lobovsky_P3.csv",
        place: [1.61, 0.075, 0.03],
        plateau: [3.2, 5.5],
        arrival: 0.02,
    },
];

pub fn lobovsky(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    hit(context, "fluid_dam_lobovsky", &LOBOVSKY, &LOBOVSKY_GAUGES)
}

pub fn lobovsky_wide(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let dam = Dam { across: Some(0.15), spacing: 0.0075, ..LOBOVSKY };
    hit(context, "fluid_dam_lobovsky_3d", &dam, &LOBOVSKY_GAUGES)
}

pub fn buchner(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let tall = 0.6;
    let length = 5.366 * tall;
    let dam = Dam {
        column: [2.0 * tall, tall],
        tank: [length, 1.5 * tall],
        across: None,
        spacing: tall / 60.0,
        obstacle: None,
    };
    let gauge = Gauge {
        name: "P",
        file: "fsi/dambreak_buchner.csv",
        place: [length, 0.0, 0.2 * tall],
        plateau: [3.2, 5.2],
        arrival: 0.03,
    };
    hit(context, "fluid_dam_buchner", &dam, &[gauge])
}

pub fn kleefsman(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let dam = Dam {
        column: [1.228, 0.55],
        tank: [3.22, 1.0],
        across: Some(1.0),
        spacing: 1.0 / 60.0,
        obstacle: Some([Vec3::new(2.42, 0.3, 0.0), Vec3::new(2.58, 0.7, 0.161)]),
    };
    let gauge = Gauge {
        name: "P1",
        file: "fsi/dambreak_kleefsman_P1.csv",
        place: [2.42, 0.5, 0.021],
        plateau: [2.7, 6.0],
        arrival: 0.03,
    };
    hit(context, "fluid_dam_kleefsman", &dam, &[gauge])
}

/// Runs a dam break and compares its gauges.
fn hit(context: &Context, name: &str, dam: &Dam, gauges: &[Gauge]) -> Result<Vec<Check>> {
    let ex = exec(context)?;
    let tall = dam.column[1];
    let (unit, scale) = ((tall / GRAVITY).sqrt(), 1000.0 * GRAVITY * tall);
    let mut run = dam.start()?;
    let across = |y: f64| dam.across.map(|_| y);
    let probes: Vec<_> =
        gauges.iter().map(|g| run.probe(g.place[0], across(g.place[1]), g.place[2])).collect();
    let mut traces = vec![Trace::default(); gauges.len()];
    let last = gauges.iter().map(|g| g.plateau[1]).fold(0.0, f64::max) + WINDOW;
    while run.system.time() < last * unit {
        run.run_for(&ex, 0.0025 * unit)?;
        for (trace, probe) in traces.iter_mut().zip(&probes) {
            trace.push(run.system.time() / unit, run.pressure(probe)? / scale);
        }
    }
    let mut checks = Vec::new();
    for (gauge, raw) in gauges.iter().zip(&traces) {
        let table = context.reference.table(gauge.file)?;
        let measured = Trace {
            time: table.column("t*sqrt(2g/H)")?.to_vec(),
            value: table.column("p/(rho g H)")?.to_vec(),
        };
        // Half of the plateau: the water is there.
        let bound = 0.25;
        let missing =
            || CaseError::NoEvent { what: format!("pressure at {}", gauge.name), time: last * unit };
        let expected = measured.first_above(bound).ok_or_else(missing)?;
        let got = raw.first_above(bound).ok_or_else(missing)?;
        let quantity = format!("{}: arrival t √(g/H)", gauge.name);
        checks.push(Check::value(quantity, expected, got, gauge.arrival * expected));
        let smooth = raw.smooth(WINDOW);
        let [from, to] = gauge.plateau;
        let pairs: Vec<[f64; 2]> = (measured.time.iter().zip(&measured.value))
            .filter(|(t, _)| (from..to).contains(*t))
            .map(|(t, p)| [*p, smooth.at(*t)])
            .collect();
        let count = pairs.len() as f64;
        let mean = pairs.iter().map(|[p, _]| p).sum::<f64>() / count;
        let got_mean = pairs.iter().map(|[_, p]| p).sum::<f64>() / count;
        let square = pairs.iter().map(|[p, q]| (p - q) * (p - q)).sum::<f64>() / count;
        checks.push(Check::error(format!("{}: plateau, RMS / mean", gauge.name), square.sqrt() / mean, 0.15));
        checks.push(Check::value(format!("{}: plateau, mean", gauge.name), mean, got_mean, 0.15 * mean));
        let line = Comparison {
            label: "p/(ρ g H)",
            got: (&smooth.time, &smooth.value),
            reference: (&measured.time, &measured.value),
        };
        context.figures.compare(&format!("{name}_{}", gauge.name), "t √(g/H)", &[line])?;
    }
    Ok(checks)
}
