//! Glass beads that flow out of a trough through a slit (a thin slice of the trough, which repeats along it).

use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::{GrainSystem, Outlet, Traffic, Wall, WallMesh, WallMotion, Zone};

use super::bed::{self, GRAVITY, Kind};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

const BEADS: Kind = Kind {
    diameter: 5e-4,
    spread: 0.0,
    // 1.631e-7 kg a bead.
    density: 2492.0,
    young: 1e6,
    friction: 0.15,
    rolling: 0.0,
    restitution: 0.4,
};
/// Gaps [m]; the depth of the trough is found at the first.
const GAPS: [f64; 3] = [3e-3, 2e-3, 1.5e-3];
/// Measured weight per time at the first gap [N/s].
const MEASURED: f64 = 1.41e-2;
/// Depth of the slice and height of the bed over the slit, in diameters.
const SLICE: [f64; 2] = [6.0, 33.0];

pub fn run(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let mut flows = Vec::new();
    for gap in GAPS {
        flows.push(discharge(context, gap)?);
    }
    // Weight per time and depth [N/(s·m)].
    let rates = flows.iter().map(|flow| flow.rate * GRAVITY / (SLICE[0] * BEADS.diameter));
    let rates: Vec<f64> = rates.collect();
    // The depth of the rig is not published: it is found where the rate was measured.
    let depth = MEASURED / rates[0];
    // A straight line through the rates to the power 2/3 has its zero at k d.
    let lifted: Vec<f64> = rates.iter().map(|rate| rate.powf(2.0 / 3.0)).collect();
    let count = GAPS.len() as f64;
    let (x, y) = (GAPS.iter().sum::<f64>() / count, lifted.iter().sum::<f64>() / count);
    let slope = GAPS.iter().zip(&lifted).map(|(g, l)| (g - x) * (l - y)).sum::<f64>()
        / GAPS.iter().map(|g| (g - x).powi(2)).sum::<f64>();
    let dead = (x - y / slope) / BEADS.diameter;
    let mut checks = Vec::new();
    for (k, gap) in GAPS.iter().enumerate() {
        let law = (slope * (gap - dead * BEADS.diameter)).powf(1.5);
        let name =
            format!("{} mm, {:.2} mm deep: rate by (gap − {dead:.2} d)^1.5 [N/s]", 1e3 * gap, 1e3 * depth);
        checks.push(Check::value(name, law * depth, rates[k] * depth, 0.05 * law * depth));
    }
    let overlap = flows.iter().map(|flow| flow.overlap).fold(0.0, f64::max);
    checks.push(Check::error("mean overlap / radius", overlap, 0.01));
    Ok(checks)
}

struct Flow {
    /// Mass per time of the slice [kg/s].
    rate: f64,
    overlap: f64,
}

fn discharge(context: &Context, gap: f64) -> Result<Flow> {
    let ex = bed::exec(context)?;
    let d = BEADS.diameter;
    let [width, height] = SLICE.map(|n| n * d);
    let mut system = BEADS.system([None, Some([0.0, width]), None])?;
    let far = 1.8 * height;
    let upright = strip(Vec3::ZERO, Vec3::Z * far, width)?;
    let sloped = strip(Vec3::X * gap, Vec3::new(gap + far, 0.0, far), width)?;
    system.add_wall(Wall::mesh("upright", Arc::new(upright)))?;
    system.add_wall(Wall::mesh("sloped", Arc::new(sloped)))?;
    let stage = system.add_wall(Wall::plane("stage", Vec3::ZERO, Vec3::Z))?;
    let tall = 1.1 * height;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(gap + tall, width, tall) };
    BEADS.fill_where(&mut system, &ex, region, 0.5, |x| x.z - (x.x - gap) > 0.5 * d * 2.0_f64.sqrt())?;
    let step = BEADS.step(&system, 0.15 * height);
    BEADS.settle(&mut system, &ex, step, 0.15)?;
    let overlap = bed::overlap(&system);
    system.set_wall_motion(stage, WallMotion::along(Vec3::NEG_Z, Vec3::Z))?;
    let zone = Zone::Beyond { point: Vec3::NEG_Z * 2.0 * d, normal: Vec3::NEG_Z };
    let outlets = vec![Outlet { name: "scale".into(), zone }];
    system.set_traffic(Traffic { outlets, interval: 20, ..Traffic::default() })?;
    let whole = bed::masses(&system).sum::<f64>();
    let mut samples: Vec<[f64; 2]> = Vec::new();
    let collected = |system: &GrainSystem| system.traffic().map_or(0.0, |t| t.outlet_counts[0].mass);
    while collected(&system) < 0.5 * whole && system.time() < 8.0 {
        system.run(&ex, step, 100)?;
        if collected(&system) > 0.08 * whole {
            samples.push([system.time(), collected(&system)]);
        }
    }
    // The slope of the straight line.
    let count = samples.len() as f64;
    let mean = |k: usize| samples.iter().map(|s| s[k]).sum::<f64>() / count;
    let (time, mass) = (mean(0), mean(1));
    let top = samples.iter().map(|s| (s[0] - time) * (s[1] - mass)).sum::<f64>();
    let rate = top / samples.iter().map(|s| (s[0] - time).powi(2)).sum::<f64>();
    Ok(Flow { rate, overlap })
}

/// A rectangle between two points of the plane y = 0 [m], along the whole slice and beyond it.
fn strip(a: Vec3, b: Vec3, width: f64) -> Result<WallMesh> {
    let beyond = 2.0 * BEADS.diameter;
    let (near, far) = (Vec3::NEG_Y * beyond, Vec3::Y * (width + beyond));
    Ok(WallMesh::new(vec![a + near, b + near, b + far, a + far], vec![[0, 1, 2], [0, 2, 3]])?)
}
