//! A cable hinged at one end falls from the horizontal.

use glam::DVec3;
use huygens::prelude::*;

use super::line::section;
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

/// Which cable of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// EA = 1000 N, the stiffness of its square section.
    A,
    /// EA = 1e5 N: nearly inextensible.
    B,
}

const PIECES: usize = 64;
/// Where the tables were made with steps so much shorter that they still move with the step [m].
const TOLERANCE: f64 = 1e-4;

pub fn run(context: &Context, set: Set) -> Result<Vec<Check>> {
    let table = context.reference.markdown_table("fea/cable_pendulum.md")?;
    let column = |what: &str| table.column(&format!("{set:?} {what}"));
    let time = table.time()?;
    let (tip_x, tip_y) = (column("tip x")?, column("tip y")?);
    let (mid_x, mid_y) = (column("mid x")?, column("mid y")?);
    let stretch = if set == Set::A { 1e3 } else { 1e5 };
    let bending = 1e7 * 0.01_f64.powi(4) / 12.0;
    let mut world = World::new([0.0, -9.81, 0.0]);
    world.settings_mut().dt = 1e-4;
    world.settings_mut().integrator = Some(Integrator::GeneralizedAlpha { rho: 0.9 });
    let cable = world.add_structure(StructureSpec {
        section: Some(section([stretch; 3], [bending; 3], 0.1, [1e-6; 3])),
        fixed: vec![FixedSpec { nodes: "start".into(), hold: vec![NodeColumn::Position] }],
        ..StructureSpec::beam("cable", ElementType::Cable, [0.0; 3], [1.0, 0.0, 0.0], PIECES)
    })?;
    let energy = world.energy()?.total();
    let until = context.full_or_quick(2.0, 1.0);
    let (mut worst, mut worst_mid, mut at_one): (f64, f64, f64) = (0.0, 0.0, f64::NAN);
    let (mut times, mut ys, mut ys_table) = (Vec::new(), Vec::new(), Vec::new());
    for (k, t) in time.iter().enumerate().take_while(|(_, t)| **t < until + 1e-9) {
        world.run(*t)?;
        let nodes = world.node_motions(cable)?;
        let (tip, middle) = (nodes[PIECES].position, nodes[PIECES / 2].position);
        let off = (tip - DVec3::new(tip_x[k], tip_y[k], 0.0)).length();
        worst = worst.max(off);
        worst_mid = worst_mid.max((middle - DVec3::new(mid_x[k], mid_y[k], 0.0)).length());
        if (t - 1.0).abs() < 1e-9 {
            at_one = off;
        }
        times.push(*t);
        ys.push(tip.y);
        ys_table.push(tip_y[k]);
    }
    let name = format!("fea_cable_pendulum_{}", if set == Set::A { "a" } else { "b" });
    let shown = Comparison::sampled("tip y [m]", &times, &ys, &ys_table);
    context.figures.compare(&name, "time [s]", &[shown])?;
    let drift = (world.energy()?.total() - energy) / (0.1 * 9.81 * 0.5);
    Ok(vec![
        Check::error("tip at 1 s, 64 elements, h = 1e-4 s [m]", at_one, TOLERANCE),
        Check::error(format!("tip, worst until {until} s [m]"), worst, TOLERANCE),
        Check::error(format!("middle, worst until {until} s [m]"), worst_mid, TOLERANCE),
        Check::error(format!("energy at {until} s / half weight × length"), drift, 1e-3),
    ])
}
