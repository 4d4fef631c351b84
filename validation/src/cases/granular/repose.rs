//! Heaps that stay on a plate when the grains beyond its edge run off.

use std::sync::Arc;

use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantModel, ResistanceLaw};
use huygens_particles::fill::Region;
use huygens_particles::{GrainSystem, Outlet, Traffic, Wall, WallMesh, WallMotion, Zone};

use super::bed::{self, GRAVITY, Kind, SMOOTH};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

/// Glass; friction, rolling resistance and diameter change.
const BALLS: Kind = Kind {
    diameter: 2e-3,
    spread: 0.0,
    density: 2500.0,
    young: 2e6,
    friction: 0.4,
    rolling: 0.0,
    restitution: 0.4,
};
/// Friction, rolling resistance [mm] and diameter [mm], the same for grains and walls.
const HEAPS: [[f64; 3]; 4] = [[0.4, 0.05, 2.0], [0.3, 0.05, 2.0], [0.4, 0.1, 2.0], [0.4, 0.05, 5.0]];
/// Length of the plate, width of the outlet beyond it, depth of the slice and height of the first bed, in diameters.
const PLATE: [f64; 4] = [26.0, 8.0, 10.0, 17.0];

pub fn run(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let mut checks = Vec::new();
    let angles = bed::each(context, &HEAPS, |[friction, rolling, size]| {
        let (diameter, share) = (1e-3 * size, 2.0 * rolling / size);
        heap(context, Kind { friction: *friction, rolling: share, diameter, young: 1e6 * size, ..BALLS })
    })?;
    for ([friction, rolling, size], angle) in HEAPS.iter().zip(angles) {
        let expected = 68.61 * friction.powf(0.49) * rolling.powf(0.18) * size.powf(-0.2);
        let name = format!("μ = {friction}, rolling {rolling} mm, d = {size} mm: angle [°]");
        checks.push(Check::value(name, expected, angle, 2.0));
    }
    checks.push(Check::error("no friction: angle [°]", flat(context)?, 2.0));
    Ok(checks)
}

/// Angle of the heap on the plate [°].
fn heap(context: &Context, balls: Kind) -> Result<f64> {
    let ex = bed::exec(context)?;
    let d = balls.diameter;
    let [length, outlet, depth, height] = PLATE.map(|n| n * d);
    let mut system = slice(&balls, depth)?;
    let beyond = 2.0 * d;
    let corners = [
        Vec3::new(-beyond, -beyond, 0.0),
        Vec3::new(length, -beyond, 0.0),
        Vec3::new(length, depth + beyond, 0.0),
        Vec3::new(-beyond, depth + beyond, 0.0),
    ];
    let plate = WallMesh::new(corners.to_vec(), vec![[0, 1, 2], [0, 2, 3]])?;
    system.add_wall(Wall::mesh("plate", Arc::new(plate)))?;
    let side = Wall::plane("side", Vec3::X * (length + outlet), Vec3::NEG_X);
    system.add_wall(Wall { material: SMOOTH, ..side })?;
    let plug = system.add_wall(Wall::plane("plug", Vec3::ZERO, Vec3::Z))?;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(length + outlet, depth, 1.15 * height) };
    balls.fill(&mut system, &ex, region, 0.5)?;
    let step = balls.step(&system, 0.15 * height);
    let time = (height / GRAVITY).sqrt();
    balls.settle(&mut system, &ex, step, 3.0 * time)?;
    system.set_wall_motion(plug, WallMotion::along(Vec3::NEG_Z, Vec3::Z))?;
    let below = Zone::Beyond { point: Vec3::NEG_Z * 2.0 * d, normal: Vec3::NEG_Z };
    let outlets = vec![Outlet { name: "below".into(), zone: below }];
    system.set_traffic(Traffic { outlets, interval: 20, ..Traffic::default() })?;
    system.run(&ex, step, (8.0 * time / step) as u64)?;
    balls.settle(&mut system, &ex, step, 20.0 * time)?;
    Ok(angle(&system, d, [0.15 * length, 0.85 * length]))
}

/// Angle [°] of the surface in a closed box, from a step of grains without friction.
fn flat(context: &Context) -> Result<f64> {
    let ex = bed::exec(context)?;
    // Different sizes do not lie in layers, and bounces keep them moving until the surface is level.
    let balls = Kind { friction: 0.0, spread: 0.1, restitution: 0.9, ..BALLS };
    let d = balls.diameter;
    let [length, _, depth, height] = PLATE.map(|n| n * d);
    let mut system = slice(&balls, depth)?;
    system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z))?;
    system.add_wall(Wall::plane("side", Vec3::X * length, Vec3::NEG_X))?;
    let region = Region::Box { low: Vec3::ZERO, high: Vec3::new(0.5 * length, depth, height) };
    balls.fill(&mut system, &ex, region, 0.5)?;
    let step = balls.step(&system, height);
    balls.settle(&mut system, &ex, step, 60.0 * (height / GRAVITY).sqrt())?;
    Ok(angle(&system, d, [0.0, length]))
}

/// An empty slice that repeats, with a wall in the plane of symmetry of the heap; rolling resistance is a constant
/// couple.
fn slice(balls: &Kind, depth: f64) -> Result<GrainSystem> {
    let model =
        CompliantModel { rolling: ResistanceLaw::Constant { rate: 0.1 }, ..CompliantModel::default() };
    let mut system = balls.system_with(model, [None, Some([0.0, depth]), None])?;
    system.add_wall(Wall { material: SMOOTH, ..Wall::plane("middle", Vec3::ZERO, Vec3::X) })?;
    Ok(system)
}

/// Angle [°] of the surface where x is between `span`: a line through twice the mean height of slices 2 d wide, which
/// is their height where they are equally dense.
fn angle(system: &GrainSystem, d: f64, span: [f64; 2]) -> f64 {
    let width = 2.0 * d;
    let count = ((span[1] - span[0]) / width) as usize;
    let slices = (0..count).map(|k| span[0] + k as f64 * width);
    let points = slices.map(|low| {
        let inside = system.places().iter().filter(|row| row.0[0] >= low && row.0[0] < low + width);
        let (number, sum) = inside.fold((0.0, 0.0), |(number, sum), row| (number + 1.0, sum + row.0[2]));
        [low + 0.5 * width, if number > 0.0 { 2.0 * sum / number } else { 0.0 }]
    });
    let points: Vec<[f64; 2]> = points.collect();
    (-bed::slope(&points)).atan().to_degrees()
}
