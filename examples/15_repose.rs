//! A tube full of beads is lifted; they flow out and lie in a heap, whose slope is the angle of repose.
//!
//! Run:  cargo run --release --example 15_repose -p huygens
//! See:  the slope of the heap, and that the floor carries all beads.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let surface =
        MaterialSpec { friction: 0.5, restitution: 0.4, ..MaterialSpec::elastic("default", 2e6, 0.22) };
    world.add_material(MaterialSpec { rolling_friction: 3e-4, ..surface })?;
    let (still, rise) = (Function::constant(0.0), Function::Polynomial { coefficients: vec![0.0, 0.08] });
    let lift = MotionSpec { translation: [still.clone(), still, rise], ..MotionSpec::default() };
    let tube = WallSpec::cylinder("tube", 0.016, 0.1).at([0.0, 0.0, 0.05]).moved(lift);
    let axis = [0.0, 0.0, 1.0];
    let region = RegionSpec::Cylinder { base: [0.0; 3], axis, radius: 0.016, height: 0.07 };
    let sizes = Some(SizesSpec::Uniform { least: 1.9e-3, most: 2.0e-3, by: ShareOf::Number });
    let pattern = PatternSpec::Cubic { spacing: 4.2e-3, jitter: 4e-5 };
    let fill = GrainFillSpec { radius: None, sizes, ..GrainFillSpec::new(region, pattern, 2e-3, 2500.0) };
    let (spinning, adhesion) = (ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { spinning, adhesion, ..CompliantModel::default() });
    let spec = GrainsSpec { laws, ..GrainsSpec::new("beads") };
    let spec = spec.with_wall(WallSpec::plane("floor", [0.0; 3], axis)).with_wall(tube).with_fill(fill);
    let beads = world.add_grains(spec)?;
    world.run(1.0)?;

    // The centre of a cone lies at a quarter of its height, and half of it within half of its radius.
    let (places, masses) =
        (world.grain_field(beads, GrainField::Position)?, world.grain_field(beads, GrainField::Mass)?);
    let count = masses.len() as f64;
    let height = places.chunks_exact(3).map(|p| p[2]).sum::<f64>() / count;
    let mut distances: Vec<f64> = places.chunks_exact(3).map(|p| p[0].hypot(p[1])).collect();
    distances.sort_by(f64::total_cmp);
    let distance = distances[distances.len() / 2];
    let slope = (2.0 * height / distance).atan().to_degrees();
    let load = -world.wall_force(beads, "floor")?.0[2];
    println!("{count} beads, slope of the heap {slope:.1}°, {load:.3} N on the floor");
    assert!(12.0 < slope && slope < 35.0);
    assert!((load / (9.81 * masses.iter().sum::<f64>()) - 1.0).abs() < 0.02);
    Ok(())
}
