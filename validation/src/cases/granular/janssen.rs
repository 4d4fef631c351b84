//! A silo: walls carry what the floor does not.

use std::f64::consts::PI;

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::{Wall, WallMotion};

use super::bed::{self, GRAVITY, Kind};
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

const BEADS: Kind = Kind {
    diameter: 2e-3,
    spread: 0.1,
    density: 2500.0,
    young: 3e6,
    friction: 0.5,
    rolling: 0.0,
    restitution: 0.4,
};
/// Levels at which the stress is found.
const LEVELS: usize = 40;
/// Looks at the bed while the floor sinks.
const LOOKS: u64 = 20;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let ex = bed::exec(context)?;
    let beads = Kind { young: context.full_or_quick(3e6, 1.5e6), ..BEADS };
    let d = beads.diameter;
    let (across, tall) = context.full_or_quick((12.0, 4.5), (7.0, 3.5));
    let (across, tall) = (across * d, across * tall * d);
    let mut system = beads.system([None; 3])?;
    let ends = [Vec3::Z * -across, Vec3::Z * 3.0 * tall];
    let side = system.add_wall(Wall::pipe("side", ends, [0.5 * across; 2]))?;
    let floor = system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z))?;
    let region =
        Region::Cylinder { base: Vec3::ZERO, axis: Vec3::Z, radius: 0.5 * across, height: 1.15 * tall };
    beads.fill(&mut system, &ex, region, 0.5)?;
    let step = beads.step(&system, 0.2 * tall);
    beads.settle(&mut system, &ex, step, context.full_or_quick(0.4, 0.2))?;
    // The floor sinks slowly by a share of a diameter, so that all of the wall carries what it can.
    let speed = 0.01;
    let sinking = WallMotion { velocity: Vec3::NEG_Z * speed, ..WallMotion::along(Vec3::ZERO, Vec3::Z) };
    system.set_wall_motion(floor, sinking)?;
    let looks_apart = (0.05 * d / speed / step) as u64;
    system.run(&ex, step, 10 * looks_apart)?;
    let top = system.places().iter().map(|row| row.0[2]).fold(0.0, f64::max) - d;
    let bottom = |k: usize| top * (1.0 - (k as f64 + 1.0) / LEVELS as f64);
    let (mut stress, mut heaviest) = (vec![0.0; LEVELS], vec![0.0; LEVELS]);
    let area = 0.25 * PI * across * across;
    for _ in 0..LOOKS {
        system.run(&ex, step, looks_apart)?;
        let contacts = system.wall_contact_forces();
        for k in 0..LEVELS {
            let above =
                system.places().iter().zip(bed::masses(&system)).filter(|(row, _)| row.0[2] > bottom(k));
            let weight = GRAVITY * above.map(|(_, mass)| mass).sum::<f64>();
            let held = contacts.iter().filter(|c| c.wall == side && c.point.z > bottom(k));
            stress[k] += (weight - held.map(|c| c.force.z).sum::<f64>()) / area / LOOKS as f64;
            heaviest[k] += weight / area / LOOKS as f64;
        }
    }
    // The slope of the weight in the middle of the bed is ρ g there.
    let (low, high) = (LEVELS / 4, LEVELS - 4);
    let unit_weight = (heaviest[high] - heaviest[low]) / (bottom(low) - bottom(high));
    let depth = |k: usize| heaviest[k] / unit_weight;
    let shape = |length: f64, z: f64| unit_weight * length * (1.0 - (-z / length).exp());
    // Least squares over the length of the exponential, by search.
    let misfit =
        |length: f64| -> f64 { (0..LEVELS).map(|k| (stress[k] - shape(length, depth(k))).powi(2)).sum() };
    let lengths = (1..=2000).map(|i| across * i as f64 * 2e-3);
    let length = lengths.min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(across);
    let ratio = across / (4.0 * BEADS.friction * length);
    let saturated = unit_weight * length;
    let worst = (0..LEVELS).map(|k| (stress[k] - shape(length, depth(k))).abs()).fold(0.0, f64::max);
    let depths: Vec<f64> = (0..LEVELS).map(depth).collect();
    let fitted: Vec<f64> = depths.iter().map(|z| shape(length, *z)).collect();
    let line = Comparison::sampled("stress [Pa]", &depths, &stress, &fitted);
    context.figures.compare("granular_janssen", "depth [m]", &[line])?;
    let mut checks = vec![
        Check::value("ratio of stresses K of the fit", 0.5, ratio, 0.2),
        Check::at_least("weight / load of the floor", 2.0, heaviest[LEVELS - 1] / stress[LEVELS - 1]),
        Check::error("mean overlap / radius", bed::overlap(&system), 0.01),
    ];
    // The silo of quick runs is too narrow for more.
    if !context.quick {
        checks.extend([
            Check::error("worst difference from the exponential / saturated", worst / saturated, 0.1),
            Check::value("stress at the floor / saturated", 1.0, stress[LEVELS - 1] / saturated, 0.1),
        ]);
    }
    Ok(checks)
}
