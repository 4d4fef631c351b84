//! The Princeton beam (dowell1977): a cantilever loaded aslant, so that it bends both ways and twists.

use std::f64::consts::FRAC_PI_2;

use glam::DVec3;
use huygens::prelude::*;

use super::line::{ROTATING, cantilever, elastic_section, largest, loaded_end};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const LENGTH: f64 = 0.508;

/// End displacement [m] and twist [rad] under a load [N] at an angle; y is the stiff way.
fn bent(element: ElementType, load: f64, angle: f64) -> Result<(DVec3, f64)> {
    let section = elastic_section([2.84191e6, 9.03915e5, 9.03915e5], [3.10380, 2.42873, 36.2794]);
    let force = [0.0, -load * angle.cos(), -load * angle.sin()];
    let spec = StructureSpec {
        loads: vec![StructureLoadSpec::force("end", force)],
        ..cantilever(element, LENGTH, 10, section)
    };
    let end = loaded_end(spec, 10)?;
    let y = end.rotation * DVec3::Y;
    Ok((end.position - DVec3::X * LENGTH, y.y.atan2(y.z) - FRAC_PI_2))
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("fea/beams/princeton_geb.csv")?;
    let [load, angle, twist] = ["P_N", "theta_deg", "twist_rad"].map(|name| table.column(name));
    let (load, angle, twist) = (load?, angle?, twist?);
    let (x, y, z) = (table.column("ux")?, table.column("uy")?, table.column("uz")?);
    let rows = || 0..load.len();
    let mut loads: Vec<f64> = load.to_vec();
    loads.dedup();
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        for force in &loads {
            let these = || rows().filter(|k| load[*k] == *force);
            let most = these().map(|k| DVec3::new(x[k], y[k], z[k]).length()).fold(0.0, f64::max);
            let most_twist = these().map(|k| twist[k].abs()).fold(0.0, f64::max);
            let (mut worst, mut worst_twist): (f64, f64) = (0.0, 0.0);
            for k in these() {
                let (end, turn) = bent(element, *force, angle[k].to_radians())?;
                worst = worst.max(largest(end - DVec3::new(x[k], y[k], z[k])) / most);
                // The twist turns with the sense of the angle.
                worst_twist = worst_twist.max((turn.abs() - twist[k].abs()).abs() / most_twist);
            }
            let what = format!("{name}, {force} N, {} angles: end", these().count());
            checks.push(Check::error(format!("{what} / largest"), worst, 5e-3));
            checks.push(Check::error(format!("{name}, {force} N: twist / largest"), worst_twist, 0.02));
        }
    }
    Ok(checks)
}
