//! A drum with lifters, a triangle mesh, turns and carries beads up until they slide and fall.
//!
//! Run:  cargo run --release --example 17_drum -p huygens
//! See:  the mean torque on the drum, and the weight of the beads times the offset of their centre.

use huygens::prelude::*;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let soft = MaterialSpec::elastic("default", 2e6, 0.25);
    world.add_material(MaterialSpec { friction: 0.4, restitution: 0.4, ..soft })?;
    let angle = Function::Polynomial { coefficients: vec![0.0, 4.0] };
    let axis = [0.0, 1.0, 0.0];
    let motion = MotionSpec { axis, angle, ..MotionSpec::default() };
    // The mesh is in millimetres, its axis z; examples/assets/make_drum.py makes it. Two discs that turn with it
    // close it.
    let mesh = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/assets/drum.obj");
    let drum = WallSpec::mesh("drum", MeshSource::file(mesh).scaled(1e-3));
    let drum = drum.along([0.0, -1.0, 0.0]).moved(motion.clone());
    let end = |name: &str, y: f64| {
        let disc = WallSpec::disc(name, 0.062).at([0.0, y, 0.0]);
        disc.along(axis).moved(motion.clone()).visible(false)
    };
    let region = RegionSpec::between([-0.036, -0.016, -0.032], [0.036, 0.016, 0.008]);
    let sizes = Some(SizesSpec::Uniform { least: 2.2e-3, most: 2.5e-3, by: ShareOf::Number });
    let pattern = PatternSpec::Random { solid_fraction: 0.5 };
    let fill = GrainFillSpec { radius: None, sizes, ..GrainFillSpec::new(region, pattern, 2.5e-3, 2500.0) };
    let (rolling, spinning, adhesion) = (ResistanceLaw::None, ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { rolling, spinning, adhesion, ..CompliantModel::default() });
    let walls = vec![drum, end("front", -0.016), end("back", 0.016)];
    let beads =
        world.add_grains(GrainsSpec { laws, walls, fills: vec![fill], ..GrainsSpec::new("beads") })?;

    world.run(0.6)?;
    let (mut torque, mut offset, mut steps) = (0.0, 0.0, 0.0);
    while world.time() < 1.0 - 1e-9 {
        world.step()?;
        for name in ["drum", "front", "back"] {
            torque += world.wall_force(beads, name)?.1[1];
        }
        offset += world.measure_grains("beads", "center")?[0];
        steps += 1.0;
    }
    let weight = 9.81 * world.measure_grains("beads", "mass")?[0];
    let (torque, expected) = (torque / steps, weight * offset / steps);
    let count = world.grain_count(beads)?;
    println!("{count} beads, torque {torque:.4} N·m, weight times offset {expected:.4} N·m");
    let places = world.grain_field(beads, GrainField::Position)?;
    assert!(places.chunks_exact(3).all(|p| p[0].hypot(p[2]) < 0.06));
    assert!((torque / expected - 1.0).abs() < 0.1);
    Ok(())
}
