//! Flow out of a silo through a hole in its flat floor.

use std::f64::consts::TAU;
use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::measure::solid_fraction;
use huygens_particles::{GrainSystem, Outlet, Traffic, Wall, WallMesh, WallMotion, Zone};

use super::bed::{self, GRAVITY, Kind};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

const BEADS: Kind = Kind {
    diameter: 2e-3,
    spread: 0.1,
    density: 2500.0,
    young: 3.5e6,
    // Glass, as in tests of direct shear.
    friction: 0.18,
    rolling: 0.0,
    restitution: 0.4,
};
/// Factor of the law, and the width of the empty ring at the rim in diameters.
const LAW: (f64, f64) = (0.58, 1.4);
/// Rate [kg/s] of the last hole at a bulk density of 1500 kg/m³, as published.
const PUBLISHED: f64 = 0.10572;
/// The holes, in diameters.
const HOLES: [f64; 3] = [6.0, 8.0, 10.0];
/// Diameter of the silo in holes: its side does not matter above 2.5 (nedderman1982).
const WIDER: f64 = 2.6;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let d = BEADS.diameter;
    let mut checks = Vec::new();
    let mut points = Vec::new();
    // A half of one run scatters by some 4 %: the change is the mean of the three.
    let (mut change, mut heights) = (0.0, Vec::new());
    for (hole, flow) in HOLES.iter().zip(bed::each(context, &HOLES, |hole| discharge(context, hole * d))?) {
        let hole = hole * d;
        let name = format!("hole of {:.0} mm", 1e3 * hole);
        let law = LAW.0 * flow.density * GRAVITY.sqrt() * (hole - LAW.1 * d).powf(2.5);
        checks.push(Check::value(format!("{name}: rate [kg/s]"), law, flow.rate, 0.1 * law));
        let [high, middle, low] = flow.heights.map(|h| h / hole);
        heights.push(format!("{high:.1}, {middle:.1}, {low:.1} D"));
        change += flow.halves[1] / flow.halves[0] / HOLES.len() as f64;
        checks.push(Check::error(format!("{name}: mean overlap / radius"), flow.overlap, 0.01));
        points.push([(hole - LAW.1 * d).ln(), (flow.rate / flow.density).ln()]);
        if hole == HOLES[2] * d {
            let scaled = flow.rate * 1500.0 / flow.density;
            let name = format!("{name}: rate at a bulk density of 1500 kg/m³ [kg/s]");
            checks.push(Check::value(name, PUBLISHED, scaled, 0.1 * PUBLISHED));
        }
    }
    let name = format!("rate at low / at high fill, mean of the holes ({})", heights.join("; "));
    checks.push(Check::value(name, 1.0, change, 0.03));
    checks.push(Check::value("exponent of D − 1.4 d", 2.5, bed::slope(&points), 0.25));
    Ok(checks)
}

struct Flow {
    /// Mean rate [kg/s].
    rate: f64,
    /// Rates in the first and the second half of the time [kg/s].
    halves: [f64; 2],
    /// Height [m] of the bed over the hole at the start, in the middle and at the end.
    heights: [f64; 3],
    /// Bulk density before the hole opens [kg/m³].
    density: f64,
    overlap: f64,
}

/// Fills a silo, opens the hole `hole` [m], and measures while the bed over the hole is higher than 1.5 holes.
fn discharge(context: &Context, hole: f64) -> Result<Flow> {
    let ex = bed::exec(context)?;
    let d = BEADS.diameter;
    let across = WIDER * hole;
    let tall = 1.5 * hole + 22.0 * d;
    let mut system = BEADS.system([None; 3])?;
    system.add_wall(Wall::pipe("side", [Vec3::ZERO, Vec3::Z * 3.0 * tall], [0.5 * across; 2]))?;
    system.add_wall(Wall::mesh("floor", Arc::new(ring(0.5 * hole, 0.55 * across)?)))?;
    let plug = system.add_wall(Wall::plane("plug", Vec3::ZERO, Vec3::Z))?;
    let cylinder =
        |radius, low, height| Region::Cylinder { base: Vec3::Z * low, axis: Vec3::Z, radius, height };
    BEADS.fill(&mut system, &ex, cylinder(0.5 * across, 0.0, 1.15 * tall), 0.5)?;
    let step = BEADS.step(&system, 0.1 * tall);
    BEADS.settle(&mut system, &ex, step, 0.2)?;
    let overlap = bed::overlap(&system);
    let inside = cylinder(0.5 * across - 3.0 * d, 2.0 * d, 0.6 * tall);
    let density = BEADS.density * solid_fraction(&system, &inside)?;
    system.set_wall_motion(plug, WallMotion::along(Vec3::NEG_Z, Vec3::Z))?;
    let below = Zone::Beyond { point: Vec3::NEG_Z * 2.0 * d, normal: Vec3::NEG_Z };
    let outlet = Outlet { name: "below".into(), zone: below };
    system.set_traffic(Traffic { outlets: vec![outlet], interval: 20, ..Traffic::default() })?;
    // Until the flow is steady.
    system.run(&ex, step, (4.0 * (hole / GRAVITY).sqrt() / step) as u64)?;
    let look = |system: &GrainSystem| {
        let out = system.traffic().map_or(0.0, |t| t.outlet_counts[0].mass);
        ([system.time(), out], surface(system, 0.5 * hole))
    };
    let mut samples = vec![look(&system)];
    let longest = system.time() + 4.0;
    while samples[samples.len() - 1].1 > 1.5 * hole && system.time() < longest {
        system.run(&ex, step, 100)?;
        samples.push(look(&system));
    }
    let points: Vec<[f64; 2]> = samples.iter().map(|s| s.0).collect();
    let (middle, end) = (samples.len() / 2, samples.len() - 1);
    let halves = [bed::slope(&points[..=middle]), bed::slope(&points[middle..])];
    let heights = [0, middle, end].map(|k| samples[k].1);
    Ok(Flow { rate: bed::slope(&points), halves, heights, density, overlap })
}

/// Height [m] of the surface near the axis: the mean over 8 sectors.
fn surface(system: &GrainSystem, radius: f64) -> f64 {
    let mut tops = [0.0; 8];
    for row in system.places().iter().filter(|row| row.0[0].hypot(row.0[1]) < radius) {
        let turn = row.0[1].atan2(row.0[0]) / TAU + 0.5;
        let top: &mut f64 = &mut tops[((8.0 * turn) as usize).min(7)];
        *top = top.max(row.0[2] + row.0[3]);
    }
    tops.iter().sum::<f64>() / 8.0
}

/// A flat ring about the z axis between two radii [m].
fn ring(inner: f64, outer: f64) -> Result<WallMesh> {
    const SIDES: u32 = 48;
    let corner = |k: u32, r: f64| {
        let turn = TAU * f64::from(k) / f64::from(SIDES);
        Vec3::new(r * turn.cos(), r * turn.sin(), 0.0)
    };
    let points = (0..SIDES).flat_map(|k| [corner(k, inner), corner(k, outer)]).collect();
    let triangles = (0..SIDES).flat_map(|k| {
        let (a, b) = (2 * k, 2 * ((k + 1) % SIDES));
        [[a, a + 1, b + 1], [a, b + 1, b]]
    });
    Ok(WallMesh::new(points, triangles.collect())?)
}
