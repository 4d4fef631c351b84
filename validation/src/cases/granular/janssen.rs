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
    // Heights in diameters of the silo.
    let heights = context.full_or_quick(&[3.0, 5.0][..], &[3.5]);
    let profiles = bed::each(context, heights, |tall| Profile::of(context, *tall))?;
    let mut checks = Vec::new();
    for (height, profile) in heights.iter().zip(&profiles) {
        let name = format!("{height} D high");
        let fit = &profile.fit;
        checks.push(Check::value(format!("{name}: ratio of stresses K of the fit"), 0.5, fit.ratio, 0.2));
        checks.push(Check::error(format!("{name}: mean overlap / radius"), profile.overlap, 0.01));
        // The silo of quick runs is too narrow for more.
        if context.quick {
            let share = profile.weight[LEVELS - 1] / profile.stress[LEVELS - 1];
            checks.push(Check::at_least(format!("{name}: weight / load of the floor"), 2.0, share));
        } else {
            let off = format!("{name}: worst difference from the exponential / saturated");
            checks.push(Check::error(off, fit.worst / fit.saturated, 0.1));
        }
    }
    if let [low, high] = &profiles[..] {
        // What one law for both heights says of their floors: the load hardly grows, the weight does.
        let length = 0.5 * (low.fit.length + high.fit.length);
        let part = |profile: &Profile| 1.0 - (-profile.fit.depth(profile, LEVELS - 1) / length).exp();
        let expected = part(high) / part(low);
        let floor = |profile: &Profile| profile.stress[LEVELS - 1] / profile.fit.unit_weight;
        let name = "load of the floor, 5 D / 3 D high";
        checks.push(Check::value(name, expected, floor(high) / floor(low), 0.1 * expected));
        let depths: Vec<f64> = (0..LEVELS).map(|k| high.fit.depth(high, k)).collect();
        let fitted: Vec<f64> = depths.iter().map(|z| high.fit.shape(*z)).collect();
        let line = Comparison::sampled("stress [Pa]", &depths, &high.stress, &fitted);
        context.figures.compare("granular_janssen", "depth [m]", &[line])?;
    }
    Ok(checks)
}

/// What is found in a silo.
struct Profile {
    /// Mean vertical stress at the levels, downwards [Pa].
    stress: Vec<f64>,
    /// Weight above the levels over the area [Pa].
    weight: Vec<f64>,
    overlap: f64,
    fit: Fit,
}

/// σ = w L (1 − exp(−z / L)).
struct Fit {
    /// Weight of a volume w [N/m³].
    unit_weight: f64,
    /// L = D / (4 μ K) [m].
    length: f64,
    /// K.
    ratio: f64,
    /// w L [Pa].
    saturated: f64,
    /// Greatest difference [Pa].
    worst: f64,
}

impl Fit {
    /// Least squares over the length, by search.
    fn new(stress: &[f64], weight: &[f64], height: f64, across: f64) -> Self {
        // The slope of the weight in the middle of the bed is that of a volume there.
        let (low, high) = (LEVELS / 4, LEVELS - 4);
        let unit_weight = (weight[high] - weight[low]) / ((high - low) as f64 / LEVELS as f64 * height);
        let shape = |length: f64, z: f64| unit_weight * length * (1.0 - (-z / length).exp());
        let off = |length: f64, k: usize| (stress[k] - shape(length, weight[k] / unit_weight)).abs();
        let misfit = |length: f64| -> f64 { (0..LEVELS).map(|k| off(length, k).powi(2)).sum() };
        let lengths = (1..=2000).map(|i| across * f64::from(i) * 2e-3);
        let length = lengths.min_by(|a, b| misfit(*a).total_cmp(&misfit(*b))).unwrap_or(across);
        let worst = (0..LEVELS).map(|k| off(length, k)).fold(0.0, f64::max);
        let ratio = across / (4.0 * BEADS.friction * length);
        Self { unit_weight, length, ratio, saturated: unit_weight * length, worst }
    }

    fn shape(&self, z: f64) -> f64 {
        self.saturated * (1.0 - (-z / self.length).exp())
    }

    /// Depth of a level [m], by the weight above it.
    fn depth(&self, profile: &Profile, level: usize) -> f64 {
        profile.weight[level] / self.unit_weight
    }
}

impl Profile {
    /// Of a bed as high as `tall` diameters of the silo.
    fn of(context: &Context, tall: f64) -> Result<Self> {
        let ex = bed::exec(context)?;
        let beads = Kind { young: context.full_or_quick(3e6, 1.5e6), ..BEADS };
        let d = beads.diameter;
        let across = context.full_or_quick(14.0, 7.0) * d;
        let tall = tall * across;
        let mut system = beads.system([None; 3])?;
        let ends = [Vec3::Z * -across, Vec3::Z * 3.0 * tall];
        let side = system.add_wall(Wall::pipe("side", ends, [0.5 * across; 2]))?;
        let floor = system.add_wall(Wall::plane("floor", Vec3::ZERO, Vec3::Z))?;
        let region =
            Region::Cylinder { base: Vec3::ZERO, axis: Vec3::Z, radius: 0.5 * across, height: 1.15 * tall };
        beads.fill(&mut system, &ex, region, 0.5)?;
        let step = beads.step(&system, 0.1 * tall);
        beads.settle(&mut system, &ex, step, context.full_or_quick(0.3, 0.2))?;
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
        let fit = Fit::new(&stress, &heaviest, top, across);
        Ok(Self { stress, weight: heaviest, overlap: bed::overlap(&system), fit })
    }
}
