//! A ball mill: steel balls tumble in a turning drum and strike the powder between them, eight times smaller.
//!
//! Run:  cargo run --release --example 18_ball_mill -p huygens
//! See:  the mean power that the mill takes: of the weight beside the axis, and of the spin that the charge gains.

use huygens::prelude::*;

const SPEED: f64 = 6.0; // rad/s

/// Angular momentum of the charge about the axis [kg·m²/s].
fn spin(world: &mut World, charge: GrainsId) -> Result<f64, WorldError> {
    let x = world.grain_field(charge, GrainField::Position)?;
    let v = world.grain_field(charge, GrainField::Velocity)?;
    let w = world.grain_field(charge, GrainField::AngularVelocity)?;
    let (m, r) =
        (world.grain_field(charge, GrainField::Mass)?, world.grain_field(charge, GrainField::Radius)?);
    let of = |i: usize| {
        let k = 3 * i;
        m[i] * (x[k + 2] * v[k] - x[k] * v[k + 2] + 0.4 * r[i] * r[i] * w[k + 1])
    };
    Ok((0..m.len()).map(of).sum())
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let steel = MaterialSpec { friction: 0.3, restitution: 0.6, ..MaterialSpec::elastic("steel", 5e6, 0.3) };
    world.add_material(steel)?;
    let powder =
        MaterialSpec { friction: 0.5, restitution: 0.3, ..MaterialSpec::elastic("powder", 2e6, 0.25) };
    world.add_material(powder)?;
    let axis = [0.0, 1.0, 0.0];
    let angle = Function::Polynomial { coefficients: vec![0.0, SPEED] };
    let (side, ends) = (WallSide::Inside, WallEnds::Closed);
    let drum = WallSpec::new("drum", WallType::Cylinder { radius: 0.1, length: 0.05, side, ends });
    let drum = drum.along(axis).moved(MotionSpec { axis, angle, ..MotionSpec::default() });
    let places = [[-0.05, -0.01], [0.0, -0.01], [0.05, -0.01], [-0.025, 0.035], [0.025, 0.035], [0.0, 0.075]];
    let places = places.map(|[x, z]| [x, 0.0, z]).to_vec();
    let balls =
        ParticlesSpec { material: Some("steel".into()), ..ParticlesSpec::spheres(places, 0.02, 7800.0) };
    let region = RegionSpec::between([-0.075, -0.025, -0.06], [0.075, 0.025, -0.032]);
    let pattern = PatternSpec::Random { solid_fraction: 0.5 };
    let powder = GrainFillSpec {
        material: Some("powder".into()),
        ..GrainFillSpec::new(region, pattern, 2.5e-3, 2500.0)
    };
    let (rolling, twisting, adhesion) = (ResistanceLaw::None, ResistanceLaw::None, AdhesionLaw::None);
    let charge = world.add_grains(GrainsSpec {
        material: Some("steel".into()),
        laws: Some(CompliantModel { rolling, twisting, adhesion, ..CompliantModel::default() }),
        walls: vec![drum],
        particles: vec![balls],
        fills: vec![powder],
        ..GrainsSpec::new("charge")
    })?;

    world.run(0.3)?;
    let start = spin(&mut world, charge)?;
    let (mut torque, mut offset, mut steps) = (0.0, 0.0, 0.0);
    while world.time() < 0.6 - 1e-9 {
        world.step()?;
        torque += world.wall_force(charge, "drum")?.1[1];
        offset += world.measure_grains("charge", "center")?[0];
        steps += 1.0;
    }
    let weight = 9.81 * world.measure_grains("charge", "mass")?[0];
    let (power, lifted) = (-SPEED * torque / steps, -SPEED * weight * offset / steps);
    let gained = SPEED * (spin(&mut world, charge)? - start) / 0.3;
    let grains = world.grain_count(charge)? - 6;
    println!(
        "{grains} grains and 6 balls, power {power:.2} W: {lifted:.2} W of weight, {gained:.2} W of spin"
    );
    assert!(power > 1.0 && ((lifted + gained) / power - 1.0).abs() < 0.01);
    Ok(())
}
