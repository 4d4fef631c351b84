//! Twelve ellipsoids as dense as the liquid are carried along by the flow through a square channel.
//!
//! Run:  cargo run --release --example 35_ellipsoids_in_channel -p huygens
//! See:  how far they came, and that liquid, ellipsoids and channel share what drives the flow.

use huygens::prelude::*;

const RADII: [f64; 3] = [0.01, 0.006, 0.006];
const HALF: f64 = 0.024;
const LENGTH: f64 = 0.14;
const PUSH: f64 = 0.8; // m/s², drop of pressure over density
const DENSITY: f64 = 1000.0;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 7.5e-4;
    world.add_material(MaterialSpec::rigid("default", 0.2))?;
    let mut channel = BodySpec::fixed("channel");
    for axis in [[0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]] {
        let wall = ShapeSpec::half_space().at(axis.map(|a| 0.0 - HALF * a));
        channel = channel.with_shape(wall.along(axis));
    }
    let channel = world.add_body(channel)?;
    let (shape, density, count) = (ShapeSpec::ellipsoid(RADII), DENSITY, Some([3, 2, 2]));
    let (position, spacing) = (Some([0.015, -0.0115, -0.0115]), Some([0.024, 0.023, 0.023]));
    let fill = FillSpec { shape, density, count, position, spacing, ..FillSpec::default() };
    let (name, jitter, random_rotation) = ("grain".into(), 0.001, true);
    let grains = world.add_fill(FillSpec { name, jitter, random_rotation, ..fill })?;
    let (low, high, acceleration) = ([0.0, -HALF, -HALF], [LENGTH, HALF, HALF], [PUSH, 0.0, 0.0]);
    let fluid = FluidSpec::new("liquid", 0.004);
    let (viscosity, max_speed, viscous) = (Some(0.1), Some(0.3), ViscousType::Central);
    let shifting = Some(ShiftingSpec { strength: 2.0, free_surface: Some(false) });
    let periodic = PeriodicSpec { x: Some([0.0, LENGTH]), ..PeriodicSpec::default() };
    let fluid = FluidSpec { viscosity, max_speed, viscous, shifting, periodic, acceleration, ..fluid };
    let bodies = (1..=12).map(|k| format!("grain.{k}")).collect();
    let walls = vec![FluidWallSpec::tank("tube", low, high, &[WallFace::LowerX, WallFace::UpperX])];
    let fills = vec![FluidFillSpec::between(low, high)];
    let liquid = world.add_fluid(FluidSpec { bodies, fills, walls, ..fluid })?;
    let drive = PUSH * world.measure_fluid("liquid", "mass", None)?[0];
    let starts: Result<Vec<_>, _> = grains.iter().map(|grain| world.body_position(*grain)).collect();
    let (mut held, mut least) = (0.0, f64::INFINITY);
    while let Some(h) = world.next_step(0.45) {
        world.advance(h)?;
        held += h * (world.fluid_force(liquid, "tube")?.0[0] + world.body_contact_force(channel)?.0[0]);
    }
    let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADII.iter().product::<f64>();
    let mut momentum = world.measure_fluid("liquid", "momentum", None)?[0];
    let speeds = world.fluid_field(liquid, FluidField::Velocity)?;
    let fastest = speeds.chunks(3).map(|v| v[0]).fold(0.0, f64::max);
    for (grain, start) in grains.iter().zip(starts?) {
        let ([x, y, z], speed) = (world.body_position(*grain)?, world.body_velocity(*grain)?[0]);
        momentum += mass * speed;
        least = least.min(x - start[0]);
        assert!(x - start[0] > 0.02 && speed < fastest && y.abs().max(z.abs()) < HALF - RADII[1] + 1e-4);
    }
    println!("all came at least {:.0} mm far; {}", 1e3 * least, world.fluid_status(liquid)?);
    // What drives the flow is what liquid and ellipsoids have and what the channel holds back.
    assert!((momentum + held - drive * world.time()).abs() < 1e-9 * drive);
    Ok(())
}
