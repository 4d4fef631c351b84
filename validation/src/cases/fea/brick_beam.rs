//! A wide strip clamped at one end in sudden gravity: the first swing of a series that was made with bricks.

use huygens::prelude::*;

use super::line::cantilever;
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

/// Time and value at which a series is lowest for the first time, between samples by a parabola.
fn first_lowest(time: &[f64], value: &[f64]) -> [f64; 2] {
    let lowest = (1..value.len() - 1).find(|k| value[*k] < value[k - 1] && value[*k] <= value[k + 1]);
    let k = lowest.unwrap_or(value.len() - 1).min(value.len() - 2);
    let h = time[k + 1] - time[k];
    let (slope, bend) = (0.5 * (value[k + 1] - value[k - 1]), value[k + 1] - 2.0 * value[k] + value[k - 1]);
    let shift = -slope / bend;
    [time[k] + shift * h, value[k] + 0.5 * slope * shift]
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("fea/chrono_timeseries/eas_brick_gravity_beam.csv")?;
    let (time, height) = (table.time()?, table.column("tip_z")?);
    let until = 0.6;
    let mut checks = Vec::new();
    // The node of the series lies on the upper face.
    let late: Vec<usize> = (0..time.len()).filter(|k| time[*k] > 0.05 && time[*k] < until).collect();
    let times: Vec<f64> = late.iter().map(|k| time[*k]).collect();
    let tabled: Vec<f64> = late.iter().map(|k| height[*k]).collect();
    let expected = first_lowest(&times, &tabled);
    for (element, name) in [(ElementType::Beam, "corotational"), (ElementType::Rod3, "rod3")] {
        let mut world = World::new([0.0, 0.0, -9.81]);
        world.settings_mut().dt = 1e-3;
        world.settings_mut().integrator = Some(Integrator::Hht { alpha: -0.2 });
        let strip = world.add_structure(StructureSpec {
            material: Some(ElasticSpec::new(2.1e7, 0.3, 500.0)),
            ..cantilever(element, 1.0, 10, SectionSpec::rectangle(0.1, 0.01))
        })?;
        let mut got = Vec::new();
        for t in &times {
            world.run(*t)?;
            let end = world.node_motion(strip, "end")?;
            let up = end.rotation * glam::DVec3::Z;
            got.push(end.position.z + 0.005 + 0.005 * up.z);
        }
        let lowest = first_lowest(&times, &got);
        let depth = 0.02 * (0.01 - expected[1]);
        checks.push(Check::value(format!("{name}: first lowest [m]"), expected[1], lowest[1], depth));
        checks.push(Check::value(
            format!("{name}: its time [s]"),
            expected[0],
            lowest[0],
            0.01 * expected[0],
        ));
        if element == ElementType::Rod3 {
            let shown = Comparison::sampled("tip z [m]", &times, &got, &tabled);
            context.figures.compare("fea_brick_beam", "time [s]", &[shown])?;
        }
    }
    Ok(checks)
}
