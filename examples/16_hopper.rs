//! Beads run out of a hopper through a slit, at a rate that does not depend on how full it is.
//!
//! Run:  cargo run --release --example 16_hopper -p huygens
//! See:  the rates of two halves of the time, and the constant of the law rate = C ρ √g (gap - 1.4 d)^1.5 depth.

use huygens::prelude::*;

const GAP: f64 = 0.012;
const DEPTH: f64 = 0.012;
const SIZE: f64 = 3e-3;
const DENSITY: f64 = 2500.0;

fn plate(name: &str, width: f64, position: [f64; 3], degrees: f64) -> WallSpec {
    let mut plate = WallSpec::rectangle(name, [width, DEPTH]).at(position);
    plate.mount.frame.rotation = Rotation::about([0.0, 1.0, 0.0], f64::to_radians(degrees)).ok();
    plate
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let soft = MaterialSpec::elastic("default", 2e6, 0.22);
    world.add_material(MaterialSpec { friction: 0.3, restitution: 0.5, ..soft })?;
    let (rolling, spinning, adhesion) = (ResistanceLaw::None, ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { rolling, spinning, adhesion, ..CompliantModel::default() });
    let sizes = Some(SizesSpec::Uniform { least: 1.4e-3, most: 1.6e-3, by: ShareOf::Number });
    let region = RegionSpec::between([-0.03, -0.5 * DEPTH, 0.024], [0.03, 0.5 * DEPTH, 0.074]);
    let pattern = PatternSpec::Random { solid_fraction: 0.55 };
    let fill =
        GrainFillSpec { radius: None, sizes, ..GrainFillSpec::new(region, pattern, 0.5 * SIZE, DENSITY) };
    let slope = 0.024 * 2_f64.sqrt();
    let below = PlaneSpec { position: [0.0, 0.0, -0.03], normal: [0.0, 0.0, -1.0] };
    let beads = world.add_grains(GrainsSpec {
        laws,
        periodic: PeriodicSpec { y: Some([-0.5 * DEPTH, 0.5 * DEPTH]), ..PeriodicSpec::default() },
        walls: vec![
            plate("left slope", slope, [-0.018, 0.0, 0.012], 45.0),
            plate("right slope", slope, [0.018, 0.0, 0.012], -45.0),
            plate("left", 0.06, [-0.03, 0.0, 0.054], 90.0),
            plate("right", 0.06, [0.03, 0.0, 0.054], -90.0),
        ],
        fills: vec![fill],
        outlets: vec![OutletSpec { name: "out".into(), plane: Some(below), ..OutletSpec::default() }],
        ..GrainsSpec::new("beads")
    })?;

    let mut gone = Vec::new();
    for until in [0.2, 0.35, 0.5] {
        world.run(until)?;
        gone.push(world.measure_grains("beads/out", "mass")?[0]);
    }
    let (first, second) = ((gone[1] - gone[0]) / 0.15, (gone[2] - gone[1]) / 0.15);
    let bulk = 0.58 * DENSITY;
    let constant = 0.5 * (first + second) / (bulk * 9.81_f64.sqrt() * (GAP - 1.4 * SIZE).powf(1.5) * DEPTH);
    let left = world.grain_count(beads)?;
    println!("{:.1} and {:.1} g/s, C = {constant:.2}; {left} beads are left", 1e3 * first, 1e3 * second);
    assert!((first / second - 1.0).abs() < 0.15);
    assert!(0.8 < constant && constant < 1.4);
    Ok(())
}
