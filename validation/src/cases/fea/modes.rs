//! Natural frequencies and buckling loads of a steel bar, 1 m long and 10 mm square.

use huygens::prelude::*;

use super::line::ROTATING;
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const PIECES: usize = 20;

fn bar(element: ElementType, pieces: usize) -> StructureSpec {
    StructureSpec {
        section: Some(SectionSpec::rectangle(0.01, 0.01)),
        material: Some(ElasticSpec::new(2.1e11, 0.3, 7850.0)),
        ..StructureSpec::beam("bar", element, [0.0; 3], [1.0, 0.0, 0.0], pieces)
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

/// Clamped at its start. A cable is held by a joint that leaves the length of its slope free: held altogether, the
/// slope would allow no strain where it is clamped.
fn clamped(element: ElementType, pieces: usize) -> StructureSpec {
    let bar = bar(element, pieces);
    if element == ElementType::Cable {
        return StructureSpec {
            joints: vec![NodeJointSpec::new(NodeJointType::Clamp, "start", "ground")],
            ..bar
        };
    }
    StructureSpec { fixed: vec![FixedSpec::all("start")], ..bar }
}

pub fn frequencies(_: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    // Two-node rods are of second order; 20 of them are 0.56 % off in the second frequency.
    let lines = [
        (ElementType::Beam, "corotational", PIECES),
        (ElementType::Rod, "rod", 2 * PIECES),
        (ElementType::Rod3, "rod3", PIECES),
        (ElementType::Cable, "cable", PIECES),
    ];
    for (element, name, pieces) in lines {
        let mut near = |what: &str, exact: f64, got: f64| {
            checks.push(Check::value(format!("{name} ({pieces}), {what} [Hz]"), exact, got, 5e-3 * exact));
        };
        let clamped = || clamped(element, pieces);
        let got = found(clamped(), 4, 0.0)?;
        near("clamped, first", 8.355166, got[0]);
        near("clamped, first, other plane", 8.355166, got[1]);
        near("clamped, second", 52.36093, got[2]);
        near("clamped, along", 1293.049, nearest(&found(clamped(), 6, 1293.0)?, 1293.049));
        let rigid = if element == ElementType::Cable { 5 } else { 6 };
        let free = found(bar(element, pieces), rigid + 2, 0.0)?;
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
            world.add_structure(StructureSpec { fixed, loads, ..bar(element, PIECES) })?;
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
