//! An aluminium bar of 0.508 m: pulled, pushed aside, under its own weight, twisted.

use huygens::prelude::*;

use super::line::{ROTATING, cantilever, loaded_end_in};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const LENGTH: f64 = 0.508;

fn bar(element: ElementType, length: f64, sides: [f64; 2], load: StructureLoadSpec) -> StructureSpec {
    StructureSpec {
        material: Some(ElasticSpec::new(71.7e9, 0.33, 2810.0)),
        loads: vec![load],
        ..cantilever(element, length, 20, SectionSpec::rectangle(sides[0], sides[1]))
    }
}

pub fn run(_: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let flat = [12.7e-3, 3.175e-3];
    let (still, weight) = ([0.0; 3], [0.0, 0.0, -9.80665]);
    for (element, name) in ROTATING {
        let end = |length, sides, load, gravity| loaded_end_in(bar(element, length, sides, load), gravity, 1);
        let mut near = |what: &str, expected: f64, got: f64| {
            checks.push(Check::value(format!("{name}: {what}"), expected, got, 0.02 * expected));
        };
        let force = |f: [f64; 3]| StructureLoadSpec::force("end", f);
        let pulled = end(LENGTH, flat, force([10.0, 0.0, 0.0]), still)?;
        near("pulled [m]", 1.757103e-6, pulled.position.x - LENGTH);
        let pushed = end(LENGTH, flat, force([0.0, 10.0, 0.0]), still)?;
        near("pushed the stiff way [m]", 1.124546e-2, pushed.position.y);
        let hanging = end(LENGTH, flat, force([0.0; 3]), weight)?;
        near("own weight, thin way [m]", 3.808610e-3, -hanging.position.z);
        for (length, side, degrees) in [(LENGTH, 12.7e-3, 2.951695), (1.0, 0.01, 15.1155)] {
            let twist = StructureLoadSpec::moment("end", [10.0, 0.0, 0.0]);
            let turn = end(length, [side; 2], twist, still)?.rotation;
            near(&format!("twisted, {length} m [°]"), degrees, 2.0 * turn.x.atan2(turn.w).to_degrees());
        }
    }
    Ok(checks)
}
