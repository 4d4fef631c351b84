//! A ball sinks in a tank of thick oil, and soon as fast as the drag of the oil allows.
//!
//! Run:  cargo run --release --example 33_settling_sphere -p huygens
//! See:  its speed, about half of what Stokes' law gives in a wide tank, since the walls are near.

use huygens::prelude::*;

const RADIUS: f64 = 0.0075;
const WIDTH: f64 = 0.05;
const OIL: f64 = 970.0;
const BALL: f64 = 1120.0;
const VISCOSITY: f64 = 0.6;
const GRAVITY: f64 = 9.81;

/// Share of Stokes' speed that is left in a tube of some width [m] (haberman1958).
fn slowed(width: f64) -> f64 {
    let x = 2.0 * RADIUS / width;
    (1.0 - 2.105 * x + 2.0865 * x.powi(3) - 1.7068 * x.powi(5) + 0.72603 * x.powi(6))
        / (1.0 - 0.75857 * x.powi(5))
}

fn main() -> Result<(), WorldError> {
    let mut world = World::default();
    world.settings_mut().dt = 6e-4;
    let (position, shape) = ([0.0, 0.0, 0.05], Some(Solid::Sphere { radius: RADIUS }));
    let ball = BodySpec { position, shape, density: Some(BALL), ..BodySpec::dynamic("ball") };
    let ball = world.add_body(ball)?;
    // The pressure of rest is left out: the oil has no weight, and the buoyancy of the ball is a load.
    let buoyancy = OIL * GRAVITY * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    let (name, body, force) = ("buoyancy".into(), "ball".into(), [0.0, 0.0, buoyancy].map(DriveSpec::from));
    world.add_force(ForceSpec::Load(LoadSpec { name, body, force, ..LoadSpec::default() }))?;
    let (low, high) = ([-0.5 * WIDTH, -0.5 * WIDTH, 0.0], [0.5 * WIDTH, 0.5 * WIDTH, 0.08]);
    let oil = world.add_fluid(FluidSpec {
        density: OIL,
        viscosity: Some(VISCOSITY),
        sound_speed: Some(1.0),
        smoothing: Some(1.1),
        diffusion: 0.0,
        shifting: Some(ShiftingSpec { strength: 2.0, free_surface: Some(false) }),
        acceleration: [0.0, 0.0, GRAVITY],
        bodies: vec!["ball".into()],
        fills: vec![FluidFillSpec { hydrostatic: false, ..FluidFillSpec::between(low, high) }],
        walls: vec![FluidWallSpec::tank("tank", low, high, &[])],
        ..FluidSpec::new("oil", 0.0025)
    })?;
    world.run(0.3)?;

    let stokes = 2.0 / 9.0 * (BALL - OIL) * GRAVITY * RADIUS * RADIUS / VISCOSITY;
    let speed = -world.body_velocity(ball)?[2];
    // More room means less drag: the tank is between the tube that fits into it and the one around it.
    let right = stokes * slowed(WIDTH)..stokes * slowed(2.0_f64.sqrt() * WIDTH);
    println!("the ball sinks at {speed:.5} m/s; {:.5} to {:.5} m/s are right", right.start, right.end);
    println!("{}", world.fluid_status(oil)?);
    assert!(right.contains(&speed));
    Ok(())
}
