//! Vortices in a periodic square that die away.

use std::f64::consts::PI;

use huygens_kernel::Vec3;
use huygens_kernel::sph::{Rheology, StateEquation};
use huygens_particles::fill::Region;
use huygens_particles::fluid::{FluidSettings, FluidSystem, MarkerLayout, Shifting};

use super::measure::{PLANE, exec};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

/// Viscosity [m²/s] for Re 100.
const NU: f64 = 0.01;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let counts = context.full_or_quick(&[25.0, 50.0, 100.0][..], &[40.0]);
    let mut checks = Vec::new();
    let mut errors = Vec::new();
    for count in counts {
        let rate = decay(context, 1.0 / count)?;
        errors.push((rate - 1.0).abs());
        let name = format!("{count} a side: rate of decay of the energy / 16 π² ν");
        // Only the fine ones are held to what is asked for.
        checks.push(Check::value(name, 1.0, rate, if *count < 40.0 { 0.1 } else { 0.03 }));
    }
    Ok(checks)
}

/// Rate at which the energy falls, over the exact one.
fn decay(context: &Context, d: f64) -> Result<f64> {
    let settings = FluidSettings {
        space: PLANE,
        spacing: d,
        sound: 10.0,
        gravity: Vec3::ZERO,
        density: 1.0,
        rheology: Rheology::Newtonian { viscosity: NU },
        state: StateEquation::Linear,
        shifting: Some(Shifting { strength: 2.0, free_surface: false }),
        periodic: [Some([0.0, 1.0]), None, Some([0.0, 1.0])],
        ..FluidSettings::default()
    };
    let layout = MarkerLayout::new(&settings);
    let mut system = FluidSystem::new(settings)?;
    for at in layout.fill_region(&Region::Box { low: Vec3::ZERO, high: Vec3::new(1.0, 0.0, 1.0) })? {
        let (x, z) = (2.0 * PI * at.x, 2.0 * PI * at.z);
        let pressure = -0.25 * ((2.0 * x).cos() + (2.0 * z).cos());
        let velocity = Vec3::new(-x.cos() * z.sin(), 0.0, x.sin() * z.cos());
        system.add_with_pressure(at, velocity, pressure)?;
    }
    let before = system.kinetic_energy();
    let time = 0.8;
    system.run_for(&exec(context)?, time)?;
    Ok((before / system.kinetic_energy()).ln() / (16.0 * PI * PI * NU * time))
}
