//! How fast the front of a breaking dam runs.

use super::dam::Dam;
use super::measure::{GRAVITY, Trace, exec};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

/// A column 2.25 inches wide and twice as high, in a tank without end.
pub fn martin(context: &Context) -> Result<Vec<Check>> {
    let a = 0.05715;
    let dam = Dam {
        column: [a, 2.0 * a],
        tank: [16.0 * a, 2.2 * a],
        across: None,
        spacing: a / 40.0,
        obstacle: None,
    };
    let table = context.reference.table("fsi/dambreak_martin_moyce_a2_25in.csv")?;
    front(context, "fluid_dam_martin", &dam, table.column("t*sqrt(2g/a)")?, table.column("Z=x/a")?, 9.3)
}

/// A column 14.6 cm wide and twice as high, in a tank four times as long.
pub fn koshizuka(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let a = 0.146;
    let dam = Dam {
        column: [a, 2.0 * a],
        tank: [4.0 * a, 2.2 * a],
        across: None,
        spacing: a / 40.0,
        obstacle: None,
    };
    let table = context.reference.table("fsi/dambreak_koshizuka_oka.csv")?;
    front(context, "fluid_dam_koshizuka", &dam, table.column("t*sqrt(2g/L)")?, table.column("x/L")?, 3.2)
}

fn front(
    context: &Context,
    name: &str,
    dam: &Dam,
    times: &[f64],
    places: &[f64],
    last: f64,
) -> Result<Vec<Check>> {
    let ex = exec(context)?;
    let a = dam.column[0];
    let unit = (a / (2.0 * GRAVITY)).sqrt();
    let mut run = dam.start()?;
    let mut trace = Trace::default();
    trace.push(0.0, run.front() / a);
    while run.system.time() < last * unit {
        run.run_for(&ex, 0.02 * unit)?;
        trace.push(run.system.time() / unit, run.front() / a);
    }
    compare(context, name, &trace, [times, places], last, 0.05)
}

/// Compares the way of a front with the measured one up to a time, but for a delay of the gate.
pub fn compare(
    context: &Context,
    name: &str,
    trace: &Trace,
    [times, places]: [&[f64]; 2],
    last: f64,
    bound: f64,
) -> Result<Vec<Check>> {
    let late: Vec<[f64; 2]> =
        times.iter().zip(places).map(|(t, x)| [*t, *x]).filter(|[t, _]| *t > 1.0 && *t < last).collect();
    let worst = |delay: f64| {
        late.iter().map(|[t, place]| (trace.at(t - delay) / place - 1.0).abs()).fold(0.0, f64::max)
    };
    // The gate holds the water back at first: how long is not told.
    let delays = (0..=60).map(|k| 0.01 * f64::from(k));
    let delay = delays.min_by(|a, b| worst(*a).total_cmp(&worst(*b))).unwrap_or(0.0);
    let line = Comparison { label: "x/a", got: (&trace.time, &trace.value), reference: (times, places) };
    context.figures.compare(name, "t √(2g/a)", &[line])?;
    Ok(vec![
        Check::error("worst difference / place, but for a delay", worst(delay), bound),
        Check::error("delay of the gate that fits best, t √(2g/a)", delay, 0.4),
    ])
}
