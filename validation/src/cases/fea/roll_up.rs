//! A strip of 12 m that an end moment rolls up to a circle.

use std::f64::consts::{PI, TAU};

use huygens::prelude::*;

use super::line::{ROTATING, cantilever, elastic_section, load_path};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

const LENGTH: f64 = 12.0;
/// Moment that closes the circle [N·m]: 2π EI/L.
const MOMENT: f64 = 50.0 * PI / 3.0;

/// The strip of the table: 1 m wide, 0.1 m high, E = 1.2e6 Pa. The moment bends it up.
fn strip(element: ElementType, pieces: usize) -> StructureSpec {
    StructureSpec {
        material: Some(ElasticSpec::new(1.2e6, 0.0, 1.0)),
        loads: vec![StructureLoadSpec::moment("end", [0.0, -MOMENT, 0.0])],
        ..cantilever(element, LENGTH, pieces, SectionSpec::rectangle(1.0, 0.1))
    }
}

/// Way back and way up of the end of an exact arc at a share of the moment.
fn arc(factor: f64) -> [f64; 2] {
    let angle = TAU * factor;
    [LENGTH * (1.0 - angle.sin() / angle), LENGTH * (1.0 - angle.cos()) / angle]
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        let path = load_path(strip(element, 12), [0.0; 3], 20)?;
        // Sides of a polygon stand for the arc, so the end is on it to second order only; turns and the closed circle
        // are exact.
        let off = |(factor, end): &(f64, NodeMotion)| {
            let [back, up] = arc(*factor);
            (LENGTH - end.position.x - back).hypot(end.position.z - up) / LENGTH
        };
        let turned = |(factor, end): &(f64, NodeMotion)| {
            let off = -2.0 * end.rotation.y.atan2(end.rotation.w) - TAU * factor;
            (off - TAU * (off / TAU).round()).abs()
        };
        let worst = |f: &dyn Fn(&(f64, NodeMotion)) -> f64| path.iter().map(f).fold(0.0, f64::max);
        checks.push(Check::error(format!("{name}: end on the load path / length"), worst(&off), 0.01));
        checks.push(Check::error(format!("{name}: turn on the load path [rad]"), worst(&turned), 1e-6));
        let end = path[path.len() - 1].1.position.length() / LENGTH;
        checks.push(Check::error(format!("{name}: end to start of the circle / length"), end, 1e-6));
        if element == ElementType::Rod3 {
            checks.extend(table_check(context, &path)?);
        }
    }
    // Cables are curves of third degree, closer with the fourth power of their number (`fea_order`). A cable bends with
    // one stiffness all ways.
    let cable = StructureSpec {
        section: Some(elastic_section([1.2e5; 3], [100.0; 3])),
        material: None,
        ..strip(ElementType::Cable, 24)
    };
    let path = load_path(cable, [0.0; 3], 20)?;
    let end = path[path.len() - 1].1.position.length() / LENGTH;
    checks.push(Check::error("cable, 24 elements: end to start / length", end, 1e-3));
    Ok(checks)
}

/// The path against the table of shells, where it is at hand.
fn table_check(context: &Context, path: &[(f64, NodeMotion)]) -> Result<Option<Check>> {
    let table = match context.reference.table("fea/shells/sze_3_2_cantilever_moment_exact.csv") {
        Err(CaseError::NoReference { .. }) => return Ok(None),
        other => other?,
    };
    let (factor, back, up) = (table.column("M/Mmax")?, table.column("-Utip")?, table.column("Wtip")?);
    let (factors, ups): (Vec<f64>, Vec<f64>) = path.iter().map(|p| (p.0, p.1.position.z)).unzip();
    let shown = Comparison { label: "way up [m]", got: (&factors, &ups), reference: (factor, up) };
    context.figures.compare("fea_roll_up", "moment / closing moment", &[shown])?;
    let mut worst: f64 = 0.0;
    for k in 1..factor.len() {
        let near = |p: &&(f64, NodeMotion)| (p.0 - factor[k]).abs() < 1e-9;
        let off = path.iter().find(near).map_or(f64::INFINITY, |(_, end)| {
            (LENGTH - end.position.x - back[k]).hypot(end.position.z - up[k]) / LENGTH
        });
        worst = worst.max(off);
    }
    Ok(Some(Check::error("rod3: worst distance from the table / length", worst, 1e-4)))
}
