//! A ball mill: steel balls tumble in a turning drum and strike the powder between them, eight times smaller.
//!
//! Run:  cargo run --release --example 18_ball_mill -p huygens
//! See:  the mean power that the mill takes: of the weight beside the axis, and of the spin that the charge gains.

use huygens::prelude::*;

const SPEED: f64 = 6.0; // rad/s

/// Angular momentum of the charge about the axis [kg·m²/s].
fn spin(world: &mut World, charge: GrainsId) -> Result<f64, WorldError> {
    use GrainField::{AngularVelocity, Mass, Position, Radius, Velocity};
    let mut field = |field| world.grain_field(charge, field);
    let (x, v, w) = (field(Position)?, field(Velocity)?, field(AngularVelocity)?);
    let (m, r) = (field(Mass)?, field(Radius)?);
    let rows = x.chunks(3).zip(v.chunks(3)).zip(w.chunks(3)).zip(m.iter().zip(&r));
    Ok(rows.map(|(((x, v), w), (m, r))| m * (x[2] * v[0] - x[0] * v[2] + 0.4 * r * r * w[1])).sum())
}

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0, 0.0, -9.81]);
    let steel = MaterialSpec::elastic("steel", 5e6, 0.3);
    world.add_material(MaterialSpec { friction: 0.3, restitution: 0.6, ..steel })?;
    let powder = MaterialSpec::elastic("powder", 2e6, 0.25);
    world.add_material(MaterialSpec { friction: 0.5, restitution: 0.3, ..powder })?;
    let axis = [0.0, 1.0, 0.0];
    let angle = Function::Polynomial { coefficients: vec![0.0, SPEED] };
    let (side, ends) = (WallSide::Inside, WallEnds::Closed);
    let drum = WallSpec::new("drum", WallType::Cylinder { radius: 0.1, length: 0.05, side, ends });
    let drum = drum.along(axis).moved(MotionSpec { axis, angle, ..MotionSpec::default() });
    let places = [[-0.05, -0.01], [0.0, -0.01], [0.05, -0.01], [-0.025, 0.035], [0.025, 0.035], [0.0, 0.075]];
    let places = places.map(|[x, z]| [x, 0.0, z]).to_vec();
    let balls = ParticlesSpec::spheres(places, 0.02, 7800.0);
    let region = RegionSpec::between([-0.075, -0.025, -0.06], [0.075, 0.025, -0.032]);
    let pattern = PatternSpec::Random { solid_fraction: 0.5 };
    let powder = GrainFillSpec::new(region, pattern, 2.5e-3, 2500.0);
    let (rolling, spinning, adhesion) = (ResistanceLaw::None, ResistanceLaw::None, AdhesionLaw::None);
    let laws = Some(CompliantModel { rolling, spinning, adhesion, ..CompliantModel::default() });
    let particles = vec![ParticlesSpec { material: Some("steel".into()), ..balls }];
    let fills = vec![GrainFillSpec { material: Some("powder".into()), ..powder }];
    let charge = GrainsSpec { laws, walls: vec![drum], particles, fills, ..GrainsSpec::new("charge") };
    let charge = world.add_grains(GrainsSpec { material: Some("steel".into()), ..charge })?;

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
    println!("{grains} grains, 6 balls, {power:.2} W: {lifted:.2} W of weight, {gained:.2} W of spin");
    assert!(power > 1.0 && ((lifted + gained) / power - 1.0).abs() < 0.01);
    Ok(())
}
