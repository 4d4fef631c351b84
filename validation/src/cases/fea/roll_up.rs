//! A strip of 12 m that an end moment rolls up to a circle.

use std::f64::consts::{PI, TAU};

use huygens::prelude::*;

use super::line::{ROTATING, cantilever, load_path};
use crate::Context;
use crate::error::Result;
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
        let off = |(factor, end): &(f64, NodeMotion)| {
            let [back, up] = arc(*factor);
            (LENGTH - end.position.x - back).hypot(end.position.z - up) / LENGTH
        };
        let worst = path.iter().map(off).fold(0.0, f64::max);
        checks.push(Check::error(format!("{name}: arcs of the load path / length"), worst, 1e-6));
        let end = path[path.len() - 1].1.position.length() / LENGTH;
        checks.push(Check::error(format!("{name}: end to start of the circle / length"), end, 1e-6));
        if element == ElementType::Rod
            && let Ok(table) = context.reference.table("fea/shells/sze_3_2_cantilever_moment_exact.csv")
        {
            let (factor, up) = (table.column("M/Mmax")?, table.column("Wtip")?);
            let factors: Vec<f64> = path.iter().map(|p| p.0).collect();
            let ups: Vec<f64> = path.iter().map(|p| p.1.position.z).collect();
            let shown = Comparison { label: "way up [m]", got: (&factors, &ups), reference: (factor, up) };
            context.figures.compare("fea_roll_up", "moment / closing moment", &[shown])?;
            let tabled = factor.iter().zip(table.column("-Utip")?).zip(up).skip(1);
            let differ = tabled.map(|((f, back), up)| {
                let exact = arc(*f);
                (exact[0] - back).hypot(exact[1] - up) / LENGTH
            });
            checks.push(Check::error("table and closed form / length", differ.fold(0.0, f64::max), 1e-6));
        }
    }
    // Cables are curves of third degree: close, and closer with the fourth power of their number (`fea_order`).
    let path = load_path(strip(ElementType::Cable, 48), [0.0; 3], 20)?;
    let end = path[path.len() - 1].1.position.length() / LENGTH;
    checks.push(Check::error("cable, 48 elements: end to start / length", end, 1e-3));
    Ok(checks)
}
