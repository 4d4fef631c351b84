//! Bodies that the fluid carries.
//!
//! Where a body is wholly in a closed box of fluid, gravity on the fluid only adds a pressure that lifts the body by
//! the weight of the fluid it displaces. So it is left out, and the body has its weight less this.

use std::f64::consts::PI;

use huygens_geometry::{Pose, Shape};
use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FlowSpace, FluidSettings, FluidSystem, MarkerLayout, SolidMotion, WallFace};

use super::measure::{Flow, FreeBody, GRAVITY, exec};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;

/// Where a body starts, and what it is.
struct Start<'a> {
    shape: &'a Shape,
    at: Vec3,
    mass: f64,
    inertia: f64,
    weight: Vec3,
}

/// A closed or open tank with a body in it.
fn tank(
    settings: FluidSettings,
    size: Vec3,
    open: &[WallFace],
    level: f64,
    start: Start<'_>,
) -> Result<(FluidSystem, FreeBody)> {
    let layout = MarkerLayout::new(&settings);
    let (rest, gravity) = (settings.density, settings.gravity);
    let mut system = FluidSystem::new(settings)?;
    let body: Vec<Vec3> = layout.solid_shape(start.shape)?;
    let fill = layout.fill_region(&Region::Box { low: Vec3::ZERO, high: size.with_z(level) })?;
    let walls = layout.box_walls(Vec3::ZERO, size, open)?;
    let pose = Pose { position: start.at, ..Pose::IDENTITY };
    let markers: Vec<Vec3> = body.iter().map(|at| start.at + *at).collect();
    let fill = layout.without_bodies(fill, &[(pose, start.shape.clone())], &markers, &walls);
    system.add_points(&fill, |at| rest * -gravity.z * (level - at.z))?;
    system.add_solid("tank", &walls, SolidMotion::default(), false)?;
    let motion = SolidMotion { position: start.at, ..SolidMotion::default() };
    let solid = system.add_solid("body", &body, motion, false)?;
    let Start { mass, inertia, weight, .. } = start;
    Ok((system, FreeBody { solid, mass, inertia, weight, motion }))
}

/// Greatest speed on the way down [m/s].
fn settle(context: &Context, system: &mut FluidSystem, body: &mut FreeBody, time: f64) -> Result<f64> {
    let ex = exec(context)?;
    let mut most = 0.0_f64;
    let mut slow = 0.0;
    while system.time() < time {
        let step = body.step(system, &ex)?;
        // Sound shakes the body: a mean over some hundredths of the way.
        slow += (step / (0.01 * time)).min(1.0) * (-body.motion.velocity.z - slow);
        most = most.max(slow);
    }
    Ok(most)
}

/// A disc in a channel of 2 by 6 cm.
pub fn disc(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let (diameter, rest, density, viscosity) = (2.5e-3, 1000.0, 1250.0, 0.01);
    // Fluid is displaced past it a little faster than it falls.
    let flow = Flow { viscosity, gravity: Vec3::ZERO, filled: true, ..Flow::water(2.5e-4, 0.1) };
    let settings = flow.settings();
    let area = 0.25 * PI * diameter * diameter;
    let shape = Shape::sphere(0.5 * diameter)?;
    let start = Start {
        shape: &shape,
        at: Vec3::new(0.01, 0.0, 0.04),
        mass: density * area,
        inertia: density * area * diameter * diameter / 8.0,
        weight: Vec3::NEG_Z * (density - rest) * area * GRAVITY,
    };
    let size = Vec3::new(0.02, 0.0, 0.06);
    let (mut system, mut body) = tank(settings, size, &[], size.z, start)?;
    let speed = settle(context, &mut system, &mut body, 0.5)?;
    // Whose density is in it is not told. With that of the fluid it would stand for a drag coefficient of 2.0, less than
    // the 2.2 of a cylinder without walls at that Re (dennis1970): so it is that of the disc.
    let reynolds = density * speed * diameter / viscosity;
    Ok(vec![Check::value("greatest Re, with the density of the disc", 17.4, reynolds, 0.03 * 17.4)])
}

/// A sphere of 15 mm in a box of 100 by 100 by 160 mm: the first of four oils.
pub fn sphere(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let (diameter, rest, density, viscosity, free) = (0.015_f64, 970.0, 1120.0, 0.373, 0.038);
    let flow = Flow {
        space: FlowSpace::Space,
        density: rest,
        viscosity,
        gravity: Vec3::ZERO,
        filled: true,
        // Viscous pressures are those of a faster flow: √(ν v / r).
        ..Flow::water(2e-3, 0.06)
    };
    let settings = flow.settings();
    let volume = PI / 6.0 * diameter.powi(3);
    let shape = Shape::sphere(0.5 * diameter)?;
    let start = Start {
        shape: &shape,
        at: Vec3::new(0.05, 0.05, 0.12 + 0.5 * diameter),
        mass: density * volume,
        inertia: 0.1 * density * volume * diameter * diameter,
        weight: Vec3::NEG_Z * (density - rest) * volume * GRAVITY,
    };
    let size = Vec3::new(0.1, 0.1, 0.16);
    let (mut system, mut body) = tank(settings, size, &[], size.z, start)?;
    let speed = settle(context, &mut system, &mut body, 1.6)?;
    Ok(vec![Check::value("greatest speed / that without walls", 0.947, speed / free, 0.05 * 0.947)])
}

/// A box half as dense as water, let go a little too high.
pub fn floating(context: &Context) -> Result<Vec<Check>> {
    // A box that is not much wider than high would turn over.
    let (side, wide, ratio) = (0.2, 0.4, 0.5);
    let d = side / context.full_or_quick(20.0, 10.0);
    let size = Vec3::new(1.2, 0.0, 0.7);
    let level = 0.4;
    let settings = Flow::water(d, (2.0 * GRAVITY * level).sqrt()).settings();
    let shape = Shape::cuboid(0.5 * Vec3::new(wide, side, side))?;
    let mass = ratio * 1000.0 * wide * side;
    let start = Start {
        shape: &shape,
        at: Vec3::new(0.5 * size.x, 0.0, level + 0.1 * side),
        mass,
        inertia: mass * (side * side + wide * wide) / 12.0,
        weight: Vec3::NEG_Z * mass * GRAVITY,
    };
    let (mut system, mut body) = tank(settings, size, &[WallFace::UpperZ], level, start)?;
    let ex = exec(context)?;
    let time = context.full_or_quick(8.0, 5.0);
    let mut sums = [0.0; 2];
    while system.time() < time {
        let step = body.step(&mut system, &ex)?;
        if system.time() > time - 1.5 {
            sums[0] += step;
            sums[1] += step * (body.motion.position.z - 0.5 * side);
        }
    }
    let bottom = sums[1] / sums[0];
    // The level follows from the area of the water and of the box below it.
    let area = system.len() as f64 * d * d;
    let surface = (area - wide * bottom) / (size.x - wide);
    let draught = surface - bottom;
    let expected = ratio * side;
    Ok(vec![Check::value("draught [m]", expected, draught, 0.02 * expected)])
}
