//! A drop of pressure drives a viscous fluid through a channel between two plates: Poiseuille flow.
//!
//! Run:  cargo run --release --example 32_channel -p huygens
//! See:  how far the speeds are from the parabola of a long channel, and what the plates hold back.

use huygens::prelude::*;

const HEIGHT: f64 = 0.1;
const LENGTH: f64 = 0.2;
/// Drop of pressure over density [m/s²].
const PUSH: f64 = 0.05;
const VISCOSITY: f64 = 1.0;
const DENSITY: f64 = 1000.0;

fn main() -> Result<(), WorldError> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 5e-3;
    let plate = |name: &str, z: f64, up: f64| {
        FluidWallSpec::plane(name, [0.5 * LENGTH, 0.0, z], [0.0, 0.0, up], [LENGTH, 0.02])
    };
    let oil = world.add_fluid(FluidSpec {
        plane: Some(FlowPlane::Xz),
        viscosity: Some(VISCOSITY),
        max_speed: Some(0.07),
        periodic: PeriodicSpec { x: Some([0.0, LENGTH]), ..PeriodicSpec::default() },
        acceleration: [PUSH, 0.0, 0.0],
        fills: vec![FluidFillSpec::between([0.0; 3], [LENGTH, 0.0, HEIGHT])],
        walls: vec![plate("lower", 0.0, 1.0), plate("upper", HEIGHT, -1.0)],
        ..FluidSpec::new("oil", 0.005)
    })?;
    world.run(6.0)?;

    // Steady flow: ν u'' = -G between plates at rest.
    let places = world.fluid_field(oil, FluidField::Position)?;
    let speeds = world.fluid_field(oil, FluidField::Velocity)?;
    let parabola = |z: f64| PUSH * DENSITY / (2.0 * VISCOSITY) * z * (HEIGHT - z);
    let squares = places.chunks(3).zip(speeds.chunks(3)).map(|(x, v)| (v[0] - parabola(x[2])).powi(2));
    let count = world.fluid_count(oil)? as f64;
    let error = (squares.sum::<f64>() / count).sqrt() / parabola(0.5 * HEIGHT);
    let held = world.fluid_force(oil, "lower")?.0[0] + world.fluid_force(oil, "upper")?.0[0];
    let held = held / (PUSH * DENSITY * HEIGHT * LENGTH);
    println!("{:.2} % from the parabola; the plates hold {:.2} %", 100.0 * error, 100.0 * held);
    println!("{}", world.fluid_status(oil)?);
    assert!(error < 0.01 && (held - 1.0).abs() < 0.01);
    Ok(())
}
