//! Fluids as constraints, in steps that a weakly compressible fluid would cut into a hundred.

use huygens::prelude::*;

use super::dam_front::compare;
use super::measure::{GRAVITY, Trace};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

/// A world with water in the plane of x and z, in a tank that is open above.
fn world(context: &Context, dt: f64, spacing: f64, column: [f64; 2], tank: [f64; 2]) -> Result<World> {
    let mut world = World::new([0.0, 0.0, -GRAVITY]);
    world.settings_mut().dt = dt;
    world.settings_mut().contact.rigid.max_iterations = 50;
    world.set_threads(if context.quick { 1 } else { context.threads })?;
    let high = |[x, z]: [f64; 2]| [x, 0.0, z];
    world.add_fluid(FluidSpec {
        method: FluidMethod::Constraint,
        plane: Some(FlowPlane::Xz),
        walls: vec![FluidWallSpec::tank("tank", [0.0; 3], high(tank), &[WallFace::UpperZ])],
        fills: vec![FluidFillSpec::between([0.0; 3], high(column))],
        ..FluidSpec::new("water", spacing)
    })?;
    Ok(world)
}

/// Water at rest.
pub fn tank(context: &Context) -> Result<Vec<Check>> {
    let (side, cells) = (0.2, context.full_or_quick(40.0, 20.0));
    let dt = context.full_or_quick(5e-4, 1e-3);
    let mut world = world(context, dt, side / cells, [side, side], [side, 1.3 * side])?;
    let (from, until) = context.full_or_quick((2.0, 3.0), (0.4, 0.6));
    world.run(from)?;
    let exact = |z: f64| 1000.0 * GRAVITY * (side - z);
    let (mut worst, mut force, mut steps, mut density, mut speed) = (0.0_f64, 0.0, 0.0, 0.0_f64, 0.0_f64);
    while let Some(h) = world.next_step(until) {
        world.advance(h)?;
        for k in 1..9 {
            let z = 0.1 * f64::from(k) * side;
            let pressure = world.measure_fluid("water", "pressure", Some([0.5 * side, 0.0, z]))?[0];
            worst = worst.max((pressure - exact(z)).abs() / exact(0.0));
        }
        force += world.measure_fluid("water/tank", "force.z", None)?[0];
        density = density.max(world.measure_fluid("water", "compressibility", None)?[0]);
        speed = speed.max(world.measure_fluid("water", "max_speed", None)?[0]);
        steps += 1.0;
    }
    let weight = -1000.0 * GRAVITY * side * side;
    Ok(vec![
        Check::error("worst pressure of a step / that at the floor", worst, 0.03),
        Check::value("mean load of the tank / weight", 1.0, force / steps / weight, 0.005),
        Check::error("greatest excess of density / density", density, 0.01),
        Check::error("greatest speed / √(g H)", speed / (GRAVITY * side).sqrt(), 0.05),
    ])
}

/// The front of a column 2.25 inches wide and twice as high, in a tank without end.
pub fn dam(context: &Context) -> Result<Vec<Check>> {
    let a = 0.05715;
    let (unit, last) = ((a / (2.0 * GRAVITY)).sqrt(), 4.5);
    let (cells, dt) = context.full_or_quick((32.0, 5e-4), (16.0, 1e-3));
    let table = context.reference.table("fsi/dambreak_martin_moyce_a2_25in.csv")?;
    let mut world = world(context, dt, a / cells, [a, 2.0 * a], [8.0 * a, 2.2 * a])?;
    let water = world.fluid("water")?;
    let mut trace = Trace::default();
    trace.push(0.0, 1.0);
    while let Some(h) = world.next_step((last + 0.1) * unit) {
        world.advance(h)?;
        let places = world.fluid_field(water, FluidField::Position)?;
        let front = places.chunks_exact(3).map(|x| x[0]).fold(0.0, f64::max) + 0.5 * a / cells;
        trace.push(world.time() / unit, front / a);
    }
    let (times, places) = (table.column("t*sqrt(2g/a)")?, table.column("Z=x/a")?);
    let mut checks = compare(context, "constraint_dam", &trace, [times, places], last, 0.07)?;
    let lost = world.fluid_status(water)?.compressibility;
    checks.push(Check::error("greatest excess of density / density, at the end", lost, 0.03));
    Ok(checks)
}
