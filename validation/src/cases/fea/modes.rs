//! Natural frequencies and buckling loads of a steel bar, 1 m long and 10 mm square, 20 elements.

use huygens::prelude::*;

use super::line::ROTATING;
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const PIECES: usize = 20;

fn bar(element: ElementType) -> StructureSpec {
    StructureSpec {
        section: Some(SectionSpec::rectangle(0.01, 0.01)),
        material: Some(ElasticSpec::new(2.1e11, 0.3, 7850.0)),
        ..StructureSpec::beam("bar", element, [0.0; 3], [1.0, 0.0, 0.0], PIECES)
    }
}

/// Frequencies [Hz] of a structure around one.
fn found(spec: StructureSpec, count: usize, near: f64) -> Result<Vec<f64>> {
    let mut world = World::new([0.0; 3]);
    world.add_structure(spec)?;
    Ok(world.natural_modes(ModesSpec { count, near })?.frequency_hz)
}

fn nearest(found: &[f64], exact: f64) -> f64 {
    let closer = |a: &&f64, b: &&f64| (**a - exact).abs().total_cmp(&(**b - exact).abs());
    found.iter().min_by(closer).copied().unwrap_or(f64::NAN)
}

pub fn frequencies(_: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mut lines = ROTATING.to_vec();
    lines.push((ElementType::Cable, "cable"));
    for (element, name) in lines {
        let clamped = || StructureSpec { fixed: vec![FixedSpec::all("start")], ..bar(element) };
        let mut near = |what: &str, exact: f64, got: f64| {
            checks.push(Check::value(format!("{name}, {what} [Hz]"), exact, got, 5e-3 * exact));
        };
        let got = found(clamped(), 4, 0.0)?;
        near("clamped, first", 8.355166, got[0]);
        near("clamped, first, other plane", 8.355166, got[1]);
        near("clamped, second", 52.36093, got[2]);
        near("clamped, along", 1293.049, nearest(&found(clamped(), 6, 1293.0)?, 1293.049));
        let rigid = if element == ElementType::Cable { 5 } else { 6 };
        let free = found(bar(element), rigid + 2, 0.0)?;
        near("free, first", 53.16601, free[rigid]);
        checks.push(Check::error(
            format!("{name}, free: largest of {rigid} rigid [Hz]"),
            free[rigid - 1],
            0.05,
        ));
    }
    Ok(checks)
}

pub fn buckling(_: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        let mut near = |what: &str, exact: f64, fixed: Vec<FixedSpec>| -> Result<()> {
            let mut world = World::new([0.0; 3]);
            let loads = vec![StructureLoadSpec::force("end", [-10.0, 0.0, 0.0])];
            world.add_structure(StructureSpec { fixed, loads, ..bar(element) })?;
            let got = 10.0 * world.buckling(2)?.factors[0];
            checks.push(Check::value(format!("{name}, {what} [N]"), exact, got, 0.01 * exact));
            Ok(())
        };
        near("clamped and free", 431.795, vec![FixedSpec::all("start")])?;
        let pinned = vec![
            FixedSpec { nodes: "start".into(), hold: vec![NodeColumn::Position, NodeColumn::RotationX] },
            FixedSpec { nodes: "end".into(), hold: vec![NodeColumn::Y, NodeColumn::Z] },
        ];
        near("pinned at both ends", 1727.18, pinned)?;
    }
    Ok(checks)
}
