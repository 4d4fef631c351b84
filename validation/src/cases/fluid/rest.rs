//! Water at rest.

use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FluidSystem, MarkerLayout, SolidMotion, WallFace};

use super::measure::{Flow, GRAVITY, exec, linear_at};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let depth = 1.0;
    let d = depth / context.full_or_quick(40.0, 20.0);
    let wave = (GRAVITY * depth).sqrt();
    // Nothing flows: it is the squeeze at the floor, here 0.25 %, that has to be small against 1 %.
    let settings = Flow::water(d, 2.0 * wave).settings();
    let layout = MarkerLayout::new(&settings);
    let mut system = FluidSystem::new(settings)?;
    let high = Vec3::new(depth, 0.0, depth);
    let exact = |z: f64| 1000.0 * GRAVITY * (depth - z);
    system.add_points(&layout.fill_region(&Region::Box { low: Vec3::ZERO, high })?, |at| exact(at.z))?;
    let walls = layout.box_walls(Vec3::ZERO, high.with_z(1.2 * depth), &[WallFace::UpperZ])?;
    let tank = system.add_solid("tank", &walls, SolidMotion::default(), false)?;
    let ex = exec(context)?;
    let times = context.full_or_quick(&[5.0, 10.0][..], &[2.5, 5.0]);
    let mut checks = Vec::new();
    for time in times {
        let mut speed = 0.0_f64;
        while system.time() < time - 0.05 {
            system.run_for(&ex, 0.1)?;
            if system.time() > time - 1.05 {
                speed = speed.max(system.range().speed);
            }
        }
        let error = (1..10).map(|k| {
            let z = 0.1 * f64::from(k) * depth;
            let pressure = linear_at(&system, Vec3::new(0.5 * depth, 0.0, z)).map_or(f64::NAN, |at| at.0);
            (pressure - exact(z)).abs() / exact(0.0)
        });
        let error = error.fold(0.0, |a: f64, b| if b > a || b.is_nan() { b } else { a });
        checks.push(Check::error(format!("{time} s: worst pressure / that at the floor"), error, 0.01));
        checks.push(Check::error(
            format!("{time} s: greatest speed in the last second / √(g H)"),
            speed / wave,
            0.01,
        ));
        let [force, _] = system.solid_wrench(tank)?;
        let weight = -1000.0 * GRAVITY * depth * depth;
        checks.push(Check::value(
            format!("{time} s: load of the tank / weight"),
            1.0,
            force.z / weight,
            0.01,
        ));
    }
    Ok(checks)
}
