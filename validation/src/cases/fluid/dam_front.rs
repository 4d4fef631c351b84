//! How fast the front of a breaking dam runs.

use super::dam::Dam;
use super::measure::{GRAVITY, Trace, exec};
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

/// A column 2.25 inches wide and twice as high, in a tank without end.
pub fn martin(context: &Context) -> Result<Vec<Check>> {
    let a = 0.05715;
    let dam = Dam {
        column: [a, 2.0 * a],
        tank: [16.0 * a, 2.2 * a],
        across: None,
        spacing: a / context.full_or_quick(40.0, 20.0),
        obstacle: None,
    };
    let table = context.reference.table("fsi/dambreak_martin_moyce_a2_25in.csv")?;
    let last = context.full_or_quick(9.3, 5.2);
    front(context, "fluid_dam_martin", &dam, table.column("t*sqrt(2g/a)")?, table.column("Z=x/a")?, last)
}

/// A column 14.6 cm wide and twice as high, in a tank four times as long.
pub fn koshizuka(context: &Context) -> Result<Vec<Check>> {
    let a = 0.146;
    let dam = Dam {
        column: [a, 2.0 * a],
        tank: [4.0 * a, 2.2 * a],
        across: None,
        spacing: a / context.full_or_quick(40.0, 20.0),
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
    // Before this the gate is in the way.
    let late = |t: f64| t > 1.0 && t < last;
    let off: Vec<f64> = (times.iter().zip(places))
        .filter(|(t, _)| late(**t))
        .map(|(t, place)| trace.at(*t) / place - 1.0)
        .collect();
    let worst = off.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
    let mean = off.iter().sum::<f64>() / off.len() as f64;
    let line = Comparison { label: "x/a", got: (&trace.time, &trace.value), reference: (times, places) };
    context.figures.compare(name, "t √(2g/a)", &[line])?;
    Ok(vec![
        Check::error("place of the front: worst difference / place", worst, 0.05),
        Check::error("place of the front: mean difference / place", mean, 0.05),
    ])
}
