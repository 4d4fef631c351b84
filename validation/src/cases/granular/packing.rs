//! How dense grains pack that rain into a box.

use huygens_kernel::Vec3;
use huygens_particles::Wall;
use huygens_particles::fill::Region;
use huygens_particles::measure::solid_fraction;

use super::bed::{self, Kind};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const BALLS: Kind = Kind {
    diameter: 2e-3,
    spread: 0.0,
    density: 2500.0,
    young: 1e7,
    friction: 0.0,
    rolling: 0.0,
    restitution: 0.4,
};

pub fn run(context: &Context) -> Result<Vec<Check>> {
    // Friction, and the middle and half width of the published range.
    let kinds = [(0.0, 0.6325, 0.0125), (0.5, 0.595, 0.015)];
    // Without friction grains must be stiff, and quick runs are too short for that.
    let kinds = &kinds[context.full_or_quick(0, 1)..];
    let packed = bed::each(context, kinds, |(friction, ..)| pour(context, *friction))?;
    let mut checks = Vec::new();
    for ((friction, fraction, range), (got, overlap)) in kinds.iter().zip(packed) {
        checks.push(Check::value(format!("μ = {friction}: solid fraction"), *fraction, got, *range));
        checks.push(Check::error(format!("μ = {friction}: mean overlap / radius"), overlap, 0.01));
    }
    Ok(checks)
}

/// Solid fraction of the inner part of a bed, and the mean overlap.
fn pour(context: &Context, friction: f64) -> Result<(f64, f64)> {
    let ex = bed::exec(context)?;
    let balls = Kind { friction, young: context.full_or_quick(1e7, 2e6), ..BALLS };
    let d = balls.diameter;
    let wide = context.full_or_quick(16.0, 8.0) * d;
    let mut system = balls.system([Some([0.0, wide]), Some([0.0, wide]), None])?;
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z))?;
    let high = context.full_or_quick(60.0, 36.0) * d;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(wide, wide, high) };
    balls.fill(&mut system, &ex, region, 0.25)?;
    let step = balls.step(&system, 0.5 * high);
    balls.settle(&mut system, &ex, step, context.full_or_quick(2.0, 0.4))?;
    // Away from the floor, where grains lie in layers, and from the surface.
    let top = system.places().iter().map(|row| row.0[2]).fold(0.0, f64::max);
    let low = Vec3::new(0.0, 0.0, 4.0 * d);
    let region = Region::Box { low, high: Vec3::new(wide, wide, top - 3.0 * d) };
    Ok((solid_fraction(&system, &region)?, bed::overlap(&system)))
}
