//! The 45° bend (bathe1979): an arc of radius 100 in, pushed out of its plane.

use std::f64::consts::FRAC_PI_4;

use glam::DVec3;
use huygens::prelude::*;

use super::line::{ROTATING, elastic_section, largest, loaded_end};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const RADIUS: f64 = 100.0;
const PIECES: u32 = 16;

fn place(k: u32) -> DVec3 {
    let angle = FRAC_PI_4 * f64::from(k) / f64::from(PIECES);
    DVec3::new(angle.sin(), 1.0 - angle.cos(), 0.0) * RADIUS
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("fea/beams/bathe_45deg_bend.csv")?;
    let (twist, load) = (table.column("GJ")?, table.column("P_lb")?);
    let (x, y, z) = (table.column("ux")?, table.column("uy")?, table.column("uz")?);
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        let mut worst: f64 = 0.0;
        for k in 0..load.len() {
            let section =
                elastic_section([1e7, 4.1666667e6, 4.1666667e6], [twist[k], 8.333333e5, 8.333333e5]);
            let points = (0..=PIECES).map(|k| place(k).to_array()).collect();
            let spec = StructureSpec {
                element,
                generate: Some(GenerateSpec::Polyline { points, pieces: 1, closed: false }),
                section: Some(section),
                fixed: vec![FixedSpec::all("start")],
                loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, load[k]])],
                ..StructureSpec::new("bend")
            };
            let moved = loaded_end(spec, 10)?.position - place(PIECES);
            let expected = DVec3::new(x[k], y[k], z[k]);
            worst = worst.max(largest((moved - expected) / expected));
        }
        let what = format!("{name}: worst component of {} loads, relative", load.len());
        checks.push(Check::error(what, worst, 2e-3));
    }
    Ok(checks)
}
