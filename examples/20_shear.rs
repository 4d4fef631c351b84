//! A lid slides over grains in a box without ends and shears them; they are fast above and slow below.
//!
//! Run:  cargo run --release --example 20_shear -p huygens
//! See:  the profile of the speed, and the share of the load on the floor that it drags along.

use huygens::prelude::*;

const SPEED: f64 = 0.5; // m/s

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let (friction, restitution, rolling_friction) = (0.8, 0.3, 5e-4);
    let soft = MaterialSpec::elastic("default", 5e6, 0.25);
    world.add_material(MaterialSpec { friction, restitution, rolling_friction, ..soft })?;
    // The lid goes with the carriage, and up and down as the grains let it.
    let (still, slide) = (Function::constant(0.0), Function::Polynomial { coefficients: vec![0.0, SPEED] });
    let motion = MotionSpec { translation: [slide, still.clone(), still], ..MotionSpec::default() };
    let (kind, carriage) = (BodyType::Kinematic, BodySpec::dynamic("carriage"));
    world.add_body(BodySpec { kind, position: [0.0, 0.0, 0.06], motion: Some(motion), ..carriage })?;
    let (inertia, lid) = (Some(Inertia::diagonal([1e-4; 3])), BodySpec::dynamic("lid"));
    world.add_body(BodySpec { position: [0.0, 0.0, 0.022], mass: Some(0.2), inertia, ..lid })?;
    let up = [0.0, 0.0, 1.0];
    let guide = JointSpec::new("guide", JointType::Prismatic, "carriage", "lid").at([0.0, 0.0, 0.022], up);
    world.add_joint(guide)?;
    let region = RegionSpec::between([-0.02, -0.012, 0.0], [0.02, 0.012, 0.022]);
    let sizes = Some(SizesSpec::Uniform { least: 1.5e-3, most: 1.8e-3, by: ShareOf::Number });
    let pattern = PatternSpec::Random { solid_fraction: 0.55 };
    let fill = GrainFillSpec { radius: None, sizes, ..GrainFillSpec::new(region, pattern, 1.5e-3, 2500.0) };
    let (spinning, adhesion) = (ResistanceLaw::None, AdhesionLaw::None);
    let lid = WallSpec::plane("lid", [0.0; 3], [0.0, 0.0, -1.0]).on("lid");
    let grains = world.add_grains(GrainsSpec {
        laws: Some(CompliantModel { spinning, adhesion, ..CompliantModel::default() }),
        periodic: PeriodicSpec { x: Some([-0.02, 0.02]), y: Some([-0.012, 0.012]), z: None },
        walls: vec![WallSpec::plane("floor", [0.0; 3], up), lid.visible(false)],
        fills: vec![fill],
        ..GrainsSpec::new("grains")
    })?;

    world.run(0.4)?;
    let table = GrainTableSpec::VelocityProfile { axis: up, span: [0.0, 0.021], bins: 6, region: None };
    let (mut profile, mut dragged, mut looks) = ([0.0; 6], [0.0; 3], 0.0);
    while world.time() < 0.7 - 1e-9 {
        world.run(world.time() + 0.01)?;
        let speeds = world.grain_table(grains, &table)?.column("vx").unwrap_or_default();
        profile.iter_mut().zip(speeds).for_each(|(sum, speed)| *sum += speed);
        let force = world.wall_force(grains, "floor")?.0;
        dragged.iter_mut().zip(force).for_each(|(sum, f)| *sum += f);
        looks += 1.0;
    }
    let profile = profile.map(|sum| sum / looks);
    for (k, speed) in profile.iter().enumerate() {
        println!("z = {:5.2} mm  {:6.1} mm/s", 3.5 * k as f64 + 1.75, 1e3 * speed);
    }
    println!("friction on the floor {:.2} of the load", -dragged[0] / dragged[2]);
    assert!(profile.is_sorted() && profile[5] < SPEED);
    Ok(())
}
