//! IFToMM benchmark library, problem A02: N four-bar linkages in a row.
//!
//! All joints are revolute joints in space, so that most rows are redundant, and the mechanism goes through
//! positions with all bars in line, where more freedoms appear.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};
use huygens_multibody::{Assembly, BodyId};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, largest, rod};

/// Step [s].
const STEP: f64 = 1e-3;

fn assemble(windows: usize) -> Result<(Assembly, BodyId)> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let upright = DQuat::from_rotation_z(FRAC_PI_2);
    let mut verticals = Vec::new();
    for i in 0..=windows {
        let foot = DVec3::X * i as f64;
        let mut bar = rod(&format!("vertical{i}"), 1.0, 1.0, foot + DVec3::Y * 0.5, upright);
        bar.velocity = DVec3::X * 0.5;
        bar.angular_velocity = -DVec3::Z;
        let bar = assembly.add_body(bar)?;
        add_hinge(&mut assembly, &format!("foot{i}"), [None, Some(bar)], foot)?;
        verticals.push(bar);
    }
    for i in 0..windows {
        let left = DVec3::new(i as f64, 1.0, 0.0);
        let mut bar = rod(&format!("horizontal{i}"), 1.0, 1.0, left + DVec3::X * 0.5, DQuat::IDENTITY);
        bar.velocity = DVec3::X;
        let bar = assembly.add_body(bar)?;
        add_hinge(&mut assembly, &format!("left{i}"), [Some(verticals[i]), Some(bar)], left)?;
        add_hinge(&mut assembly, &format!("right{i}"), [Some(verticals[i + 1]), Some(bar)], left + DVec3::X)?;
    }
    Ok((assembly, verticals[0]))
}

pub fn run(context: &Context, windows: usize) -> Result<Vec<Check>> {
    let table = context.reference.table(&format!("mbd/iftomm/A02_nfourbar_N{windows}.csv"))?;
    let (assembly, first) = assemble(windows)?;
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    let last = context.full_or_quick(10.0, if windows > 10 { 2.0 } else { 10.0 });
    let time: Vec<f64> = table.time()?.iter().copied().filter(|t| *t <= last + 1e-9).collect();
    let (mut x, mut y) = (Vec::new(), Vec::new());
    for t in &time {
        s.advance_to(*t)?;
        let p = s.position(first, DVec3::X * 0.5);
        x.push(p.x);
        y.push(p.y);
    }
    let (rx, ry) = (&table.column("B0x")?[..x.len()], &table.column("B0y")?[..x.len()]);
    let distance: Vec<f64> = (0..x.len()).map(|k| (x[k] - rx[k]).hypot(y[k] - ry[k])).collect();
    let comparisons =
        [Comparison::sampled("B0 x [m]", &time, &x, rx), Comparison::sampled("B0 y [m]", &time, &y, ry)];
    context.figures.compare(&format!("iftomm_a02_four_bar_n{windows}"), "time [s]", &comparisons)?;
    // The scale of the kinetic energy: what the bars gain between the highest and the lowest position.
    let scale = 2.0 * ((windows as f64 + 1.0) / 2.0 + windows as f64) * 9.81;
    Ok(vec![
        Check::error(format!("position of B0 over {last} s, largest error [m]"), largest(&distance), 1e-3),
        Check::error("energy drift / kinetic scale, largest", s.largest_energy_change() / scale, 1e-3),
        s.residual_check(),
    ])
}
