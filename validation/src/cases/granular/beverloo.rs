//! Flow out of a silo through a hole in its flat floor.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::{GrainSystem, Outlet, Traffic, Wall, WallMesh, WallMotion, Zone};

use super::bed::{self, GRAVITY, Kind};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

const BEADS: Kind = Kind {
    diameter: 2e-3,
    spread: 0.1,
    density: 2500.0,
    young: 2e6,
    friction: 0.5,
    rolling: 0.0,
    restitution: 0.4,
};
/// Factor of the law, and the width of the empty ring at the rim in diameters.
const LAW: (f64, f64) = (0.58, 1.4);

pub fn run(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let d = BEADS.diameter;
    let mut checks = Vec::new();
    let mut points = Vec::new();
    for hole in [6.0, 8.0, 10.0] {
        let hole = hole * d;
        let flow = discharge(context, hole)?;
        let name = format!("hole of {:.0} mm", 1e3 * hole);
        let law = LAW.0 * flow.density * GRAVITY.sqrt() * (hole - LAW.1 * d).powf(2.5);
        checks.push(Check::value(format!("{name}: rate [kg/s]"), law, flow.rate, 0.1 * law));
        let change = flow.halves[1] / flow.halves[0];
        checks.push(Check::value(format!("{name}: rate at low / at high fill"), 1.0, change, 0.03));
        checks.push(Check::error(format!("{name}: mean overlap / radius"), flow.overlap, 0.01));
        points.push([(hole - LAW.1 * d).ln(), (flow.rate / flow.density).ln()]);
    }
    if let [first, .., last] = points[..] {
        let exponent = (last[1] - first[1]) / (last[0] - first[0]);
        checks.push(Check::value("exponent of D − 1.4 d", 2.5, exponent, 0.25));
    }
    Ok(checks)
}

struct Flow {
    /// Mean rate [kg/s].
    rate: f64,
    /// Rates in the first and the second half of the time [kg/s].
    halves: [f64; 2],
    /// Bulk density before the hole opens [kg/m³].
    density: f64,
    overlap: f64,
}

/// Fills a silo, opens the hole `hole` [m], and measures while the bed is higher than 1.5 holes.
fn discharge(context: &Context, hole: f64) -> Result<Flow> {
    let ex = bed::exec(context)?;
    let d = BEADS.diameter;
    let across = 22.0 * d;
    let tall = (1.5 * hole).max(0.5 * across) + 14.0 * d;
    let mut system = BEADS.system([None; 3])?;
    system.add_wall(Wall::pipe("side", [Vec3::ZERO, Vec3::Z * 3.0 * tall], [0.5 * across; 2]))?;
    system.add_wall(Wall::mesh("floor", Arc::new(ring(0.5 * hole, 0.55 * across)?)))?;
    let plug = system.add_wall(Wall::plane("plug", Vec3::ZERO, Vec3::Z))?;
    let region =
        Region::Cylinder { base: Vec3::ZERO, axis: Vec3::Z, radius: 0.5 * across, height: 1.15 * tall };
    BEADS.fill(&mut system, &ex, region, 0.5)?;
    let step = BEADS.step(&system, 0.15 * tall);
    BEADS.settle(&mut system, &ex, step, 0.25)?;
    let overlap = bed::overlap(&system);
    let area = 0.25 * PI * across * across;
    // Bulk density of the inner part, away from the surface.
    let half = 0.5 * tall;
    let inner = system.places().iter().zip(bed::masses(&system)).filter(|(row, _)| row.0[2] < half);
    let density = inner.map(|(_, mass)| mass).sum::<f64>() / (area * half);
    system.set_wall_motion(plug, WallMotion::along(Vec3::NEG_Z, Vec3::Z))?;
    let below = Zone::Beyond { point: Vec3::NEG_Z * 2.0 * d, normal: Vec3::NEG_Z };
    let outlet = Outlet { name: "below".into(), zone: below };
    system.set_traffic(Traffic { outlets: vec![outlet], interval: 20, ..Traffic::default() })?;
    let out = |system: &GrainSystem| system.traffic().map_or(0.0, |t| t.outlet_counts[0].mass);
    // Until the flow is steady.
    system.run(&ex, step, (2.0 * (hole / GRAVITY).sqrt() / step) as u64)?;
    let mass = |system: &GrainSystem| bed::masses(system).sum::<f64>();
    let least = density * area * (1.5 * hole).max(0.5 * across);
    let (start, first) = (system.time(), out(&system));
    let mut samples = vec![[0.0, 0.0]];
    while mass(&system) > least && system.time() - start < 3.0 {
        system.run(&ex, step, 100)?;
        samples.push([system.time() - start, out(&system) - first]);
    }
    let (middle, end) = (samples[samples.len() / 2], samples[samples.len() - 1]);
    let halves = [middle[1] / middle[0], (end[1] - middle[1]) / (end[0] - middle[0])];
    Ok(Flow { rate: end[1] / end[0], halves, density, overlap })
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
