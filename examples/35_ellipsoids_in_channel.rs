//! Twelve ellipsoids as dense as the liquid are carried along by the flow through a square channel.
//!
//! Run:  cargo run --release --example 35_ellipsoids_in_channel -p huygens
//! See:  how far they came, how fast they turn, and that liquid, ellipsoids and channel share what drives the flow.

use huygens::prelude::*;

const RADII: [f64; 3] = [0.01, 0.006, 0.006];
const HALF: f64 = 0.024;
const LENGTH: f64 = 0.14;
/// Drop of pressure over density [m/s²].
const PUSH: f64 = 0.8;
const DENSITY: f64 = 1000.0;
const UNTIL: f64 = 0.45;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 7.5e-4;
    world.add_material(MaterialSpec::rigid("default", 0.2))?;
    let mut channel = BodySpec::fixed("channel");
    for (axis, position) in [
        ([0.0, 1.0, 0.0], [0.0, -HALF, 0.0]),
        ([0.0, -1.0, 0.0], [0.0, HALF, 0.0]),
        ([0.0, 0.0, 1.0], [0.0, 0.0, -HALF]),
        ([0.0, 0.0, -1.0], [0.0, 0.0, HALF]),
    ] {
        channel = channel.with_shape(ShapeSpec::half_space().at(position).along(axis));
    }
    let channel = world.add_body(channel)?;
    let grains = world.add_fill(FillSpec {
        name: "grain".into(),
        shape: ShapeSpec::ellipsoid(RADII),
        density: DENSITY,
        count: Some([3, 2, 2]),
        position: Some([0.015, -0.0115, -0.0115]),
        spacing: Some([0.024, 0.023, 0.023]),
        jitter: 0.001,
        random_rotation: true,
        ..FillSpec::default()
    })?;
    let (low, high) = ([0.0, -HALF, -HALF], [LENGTH, HALF, HALF]);
    let liquid = world.add_fluid(FluidSpec {
        viscosity: Some(0.1),
        viscous: ViscousType::Central,
        max_speed: Some(0.3),
        shifting: Some(ShiftingSpec { strength: 2.0, free_surface: false }),
        periodic: PeriodicSpec { x: Some([0.0, LENGTH]), ..PeriodicSpec::default() },
        acceleration: [PUSH, 0.0, 0.0],
        bodies: (1..=12).map(|k| format!("grain.{k}")).collect(),
        fills: vec![FluidFillSpec::between(low, high)],
        walls: vec![FluidWallSpec::tank("tube", low, high, &[WallFace::LowerX, WallFace::UpperX])],
        ..FluidSpec::new("liquid", 0.004)
    })?;
    let drive = PUSH * world.measure_fluid("liquid", "mass", None)?[0];
    let mut starts = Vec::new();
    for grain in &grains {
        starts.push(world.body_position(*grain)?[0]);
    }
    let mut held = 0.0;
    while let Some(h) = world.next_step(UNTIL) {
        world.advance(h)?;
        held += h * (world.fluid_force(liquid, "tube")?.0[0] + world.body_contact_force(channel)?.0[0]);
    }
    let mass = DENSITY * 4.0 / 3.0 * std::f64::consts::PI * RADII.iter().product::<f64>();
    let mut momentum = world.measure_fluid("liquid", "momentum", None)?[0];
    let speeds = world.fluid_field(liquid, FluidField::Velocity)?;
    let fastest = speeds.chunks(3).map(|v| v[0]).fold(0.0, f64::max);
    let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
    for (grain, start) in grains.iter().zip(&starts) {
        let ([x, y, z], speed) = (world.body_position(*grain)?, world.body_velocity(*grain)?[0]);
        momentum += mass * speed;
        (least, most) = (least.min(x - start), most.max(x - start));
        // None is ahead of the fastest liquid, and all are inside.
        assert!(speed < fastest && y.abs().max(z.abs()) < HALF - RADII[1] + 1e-4);
    }
    println!("they came {:.0} to {:.0} mm far", 1e3 * least, 1e3 * most);
    println!("{}", world.fluid_status(liquid)?);
    assert!(least > 0.02);
    // What drives the flow is what liquid and ellipsoids have and what the channel holds back.
    assert!((momentum + held - drive * UNTIL).abs() < 1e-9 * drive);
    Ok(())
}
