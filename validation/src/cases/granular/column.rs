//! Columns of grains in a channel that collapse when the gate goes.

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::{GrainSystem, Wall, WallMotion};

use super::bed::{self, Kind};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const SAND: Kind = Kind {
    diameter: 2e-3,
    spread: 0.1,
    density: 2500.0,
    young: 4e6,
    friction: 0.5,
    rolling: 0.2,
    restitution: 0.4,
};
/// Depth of the slice in diameters, in full and quick runs.
const DEPTH: [f64; 2] = [6.0, 4.0];

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    // Aspect ratio and length of the column in diameters.
    let columns = context.full_or_quick(&[(0.5, 30.0), (1.0, 20.0), (4.0, 10.0)][..], &[(1.0, 14.0)]);
    let runs = bed::each(context, columns, |(aspect, length)| collapse(context, *aspect, *length))?;
    for ((aspect, _), (run_out, overlap)) in columns.iter().zip(runs) {
        let expected = if *aspect < 2.3 { 1.2 * aspect } else { 1.9 * aspect.powf(2.0 / 3.0) };
        let tolerance = 0.15 * expected;
        checks.push(Check::value(format!("a = {aspect}: run-out / length"), expected, run_out, tolerance));
        checks.push(Check::error(format!("a = {aspect}: mean overlap / radius"), overlap, 0.01));
    }
    Ok(checks)
}

/// Run-out over the length of the column, and the mean overlap before.
fn collapse(context: &Context, aspect: f64, length: f64) -> Result<(f64, f64)> {
    let ex = bed::exec(context)?;
    let d = SAND.diameter;
    let (length, width, height) =
        (length * d, context.full_or_quick(DEPTH[0], DEPTH[1]) * d, aspect * length * d);
    let pause = 0.3;
    let mut system = SAND.system([None, Some([0.0, width]), None])?;
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z))?;
    system.add_wall(Wall::plane("back", Vec3::ZERO, Vec3::X))?;
    let gate = system.add_wall(Wall::plane("gate", Vec3::X * length, Vec3::NEG_X))?;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(length, width, 1.25 * height + 2.0 * d) };
    SAND.fill(&mut system, &ex, region, 0.5)?;
    let step = SAND.step(&system, 0.25 * height);
    SAND.settle(&mut system, &ex, step, pause)?;
    bed::remove(&mut system, &ex, |x| x.z > height - 0.5 * d)?;
    SAND.settle(&mut system, &ex, step, 0.4 * pause)?;
    let overlap = bed::overlap(&system);
    system.set_wall_motion(gate, WallMotion::along(Vec3::X * 100.0 * length, Vec3::NEG_X))?;
    SAND.settle(&mut system, &ex, step, 10.0 * (height / bed::GRAVITY).sqrt())?;
    Ok((front(&system, width) / length - 1.0, overlap))
}

/// Where the deposit ends [m]: from there on, grains cover less than half of the floor.
fn front(system: &GrainSystem, width: f64) -> f64 {
    let d = SAND.diameter;
    let mut cover: Vec<f64> = Vec::new();
    for row in system.places() {
        let strip = (row.0[0].max(0.0) / d).min(1e5) as usize;
        if cover.len() <= strip {
            cover.resize(strip + 1, 0.0);
        }
        cover[strip] += std::f64::consts::PI * row.0[3] * row.0[3] / (width * d);
    }
    // Between the middles of the last strip with more and the first with less.
    let end = cover.iter().position(|c| *c < 0.5).unwrap_or(cover.len());
    let (more, less) = (if end > 0 { cover[end - 1] } else { 1.0 }, cover.get(end).copied().unwrap_or(0.0));
    d * (end as f64 - 0.5 + (more - 0.5) / (more - less))
}
