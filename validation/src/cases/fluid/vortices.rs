//! Vortices in a periodic square that die away.

use std::f64::consts::PI;

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FluidSystem, MarkerLayout};

use super::measure::{Flow, exec, orders};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

/// Viscosity [m²/s] for Re 100.
const NU: f64 = 0.01;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let counts = context.full_or_quick(&[25.0, 50.0, 100.0][..], &[40.0]);
    let (mut checks, mut errors) = (Vec::new(), Vec::new());
    for count in counts {
        let (rate, error) = decay(context, 1.0 / count)?;
        errors.push((*count, error));
        let name = format!("{count} a side: rate of decay of the energy / 16 π² ν");
        // Only the fine ones are held to what is asked for.
        checks.push(Check::value(name, 1.0, rate, if *count < 40.0 { 0.1 } else { 0.03 }));
    }
    if errors.len() > 2 {
        checks.extend(orders("a side: RMS error of the velocity / that at the start", &errors));
    }
    Ok(checks)
}

/// Rate at which the energy falls, over the exact one; and the error of the velocity at the end.
fn decay(context: &Context, d: f64) -> Result<(f64, f64)> {
    let flow = Flow {
        density: 1.0,
        viscosity: NU,
        gravity: Vec3::ZERO,
        filled: true,
        periodic: [Some([0.0, 1.0]), None, Some([0.0, 1.0])],
        ..Flow::water(d, 1.0)
    };
    let settings = flow.settings();
    let layout = MarkerLayout::new(&settings);
    let mut system = FluidSystem::new(settings)?;
    let velocity = |at: Vec3| {
        let (x, z) = (2.0 * PI * at.x, 2.0 * PI * at.z);
        Vec3::new(-x.cos() * z.sin(), 0.0, x.sin() * z.cos())
    };
    for at in layout.fill_region(&Region::Box { low: Vec3::ZERO, high: Vec3::new(1.0, 0.0, 1.0) })? {
        let pressure = -0.25 * ((4.0 * PI * at.x).cos() + (4.0 * PI * at.z).cos());
        system.add_with_pressure(at, velocity(at), pressure)?;
    }
    let before = system.kinetic_energy();
    let time = 0.8;
    system.run_for(&exec(context)?, time)?;
    let rate = (before / system.kinetic_energy()).ln() / (16.0 * PI * PI * NU * time);
    let left = (-8.0 * PI * PI * NU * time).exp();
    let off = |at: Vec3, v: Vec3| (v - left * velocity(at)).length_squared();
    let square: f64 = system.particles().map(|p| off(p.position, p.velocity)).sum();
    // The mean square of the velocity at the start is 1/2.
    Ok((rate, (2.0 * square / system.len() as f64).sqrt()))
}
