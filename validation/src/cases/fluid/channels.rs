//! Flows between plates that start from rest.

use std::f64::consts::PI;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fill::Region;
use huygens_particles::sph::{FlowSpace, FluidSystem, MarkerLayout, SolidMotion, WallFace};

use super::measure::{Flow, exec, orders};
use crate::Context;
use crate::error::{CaseError, Result};
use crate::figure::Comparison;
use crate::report::Check;

/// Terms of the series.
const TERMS: i32 = 60;

/// Velocity at the height z of a channel of the height H, driven by a force from rest (morris1997).
fn driven(force: f64, nu: f64, height: f64, z: f64, t: f64) -> f64 {
    let steady = 0.5 * force / nu * z * (height - z);
    let term = |n: i32| {
        let k = PI * f64::from(2 * n + 1) / height;
        4.0 * force / (nu * height * k.powi(3)) * (k * z).sin() * (-nu * k * k * t).exp()
    };
    steady - (0..TERMS).map(term).sum::<f64>()
}

/// Velocity between a plate at rest and one that moves at the speed 1 (morris1997).
fn dragged(nu: f64, height: f64, z: f64, t: f64) -> f64 {
    let term = |n: i32| {
        let k = PI * f64::from(n) / height;
        let sign = if n % 2 == 0 { 1.0 } else { -1.0 };
        2.0 / (PI * f64::from(n)) * sign * (k * z).sin() * (-nu * k * k * t).exp()
    };
    z / height + (1..TERMS).map(term).sum::<f64>()
}

/// Worst difference of a column of a table from a function of z/H.
fn off_table(context: &Context, file: &str, column: &str, exact: impl Fn(f64) -> f64) -> Result<f64> {
    let table = context.reference.table(file)?;
    let (places, values) = (table.column("z/H")?, table.column(column)?);
    Ok(places.iter().zip(values).map(|(z, v)| (exact(*z) - v).abs()).fold(0.0, f64::max))
}

/// Channel in space from the solution at 1 s on, 500 steps of 2 ms.
pub fn poiseuille(context: &Context) -> Result<Vec<Check>> {
    if context.quick {
        return Err(CaseError::OnlyFull);
    }
    let (d, nu, force, rows) = (0.01, 1e-3, 0.05, 19.0);
    let height = rows * d;
    let size = Vec3::new(0.2, 0.1, height);
    let flow = Flow {
        space: FlowSpace::Space,
        viscosity: 1.0,
        gravity: Vec3::X * force,
        filled: true,
        periodic: [Some([0.0, size.x]), Some([0.0, size.y]), None],
        ..Flow::water(d, 0.125 * force * height * height / nu)
    };
    let settings = flow.settings();
    let layout = MarkerLayout::new(&settings);
    let mut system = FluidSystem::new(settings)?;
    for at in layout.fill_region(&Region::Box { low: Vec3::ZERO, high: size })? {
        system.add(at, Vec3::X * driven(force, nu, height, at.z, 1.0))?;
    }
    let open = [WallFace::LowerX, WallFace::UpperX, WallFace::LowerY, WallFace::UpperY];
    system.add_solid("plates", &layout.box_walls(Vec3::ZERO, size, &open)?, SolidMotion::default(), false)?;
    let ex = exec(context)?;
    let (mut worst, mut spread) = (0.0_f64, 0.0_f64);
    let file = "fsi/poiseuille_transient.csv";
    let mut table = off_table(context, file, "v_t1", |z| driven(force, nu, height, z * height, 1.0))?;
    for step in 1..=500 {
        system.run(&ex, 2e-3, 1)?;
        let [low, high] = system.range().density;
        spread = spread.max((high - low) / 1000.0);
        if step % 10 == 0 {
            let t = 1.0 + 2e-3 * f64::from(step);
            let exact = |z: f64| driven(force, nu, height, z, t);
            let square: f64 = system.particles().map(|p| (p.velocity.x - exact(p.position.z)).powi(2)).sum();
            worst = worst.max((square / system.len() as f64).sqrt() / exact(0.5 * height));
        }
    }
    table = table.max(off_table(context, file, "v_t2", |z| driven(force, nu, height, z * height, 2.0))?);
    Ok(vec![
        Check::error("RMS error / greatest speed, worst of 50", worst, 5e-3),
        Check::error("spread of density, worst of all steps", spread, 1e-4),
        Check::error("series against the table [m/s]", table, 1e-6),
    ])
}

/// A channel 0.2 m high in the plane, with the exact flow at 1 s in it.
struct Channel {
    system: FluidSystem,
    exec: Exec,
}

impl Channel {
    const HEIGHT: f64 = 0.2;
    const NU: f64 = 1e-3;
    const FORCE: f64 = 0.05;

    /// Velocity at the height z at the time t.
    fn exact(z: f64, t: f64) -> f64 {
        driven(Self::FORCE, Self::NU, Self::HEIGHT, z, t)
    }

    fn new(context: &Context, rows: f64) -> Result<Self> {
        let (height, nu, force) = (Self::HEIGHT, Self::NU, Self::FORCE);
        let d = height / rows;
        let size = Vec3::new(8.0 * d, 0.0, height);
        let flow = Flow {
            viscosity: 1000.0 * nu,
            gravity: Vec3::X * force,
            filled: true,
            periodic: [Some([0.0, size.x]), None, None],
            ..Flow::water(d, 0.125 * force * height * height / nu)
        };
        let settings = flow.settings();
        let layout = MarkerLayout::new(&settings);
        let mut system = FluidSystem::new(settings)?;
        for at in layout.fill_region(&Region::Box { low: Vec3::ZERO, high: size })? {
            system.add(at, Vec3::X * Self::exact(at.z, 1.0))?;
        }
        let walls = layout.box_walls(Vec3::ZERO, size, &[WallFace::LowerX, WallFace::UpperX])?;
        system.add_solid("plates", &walls, SolidMotion::default(), false)?;
        Ok(Self { system, exec: exec(context)? })
    }

    /// RMS error over the greatest speed at the time t, after which it is.
    fn error(&mut self, t: f64) -> Result<f64> {
        self.system.run_for(&self.exec, t - 1.0 - self.system.time())?;
        let off = |z: f64, v: f64| (v - Self::exact(z, t)).powi(2);
        let square: f64 = self.system.particles().map(|p| off(p.position.z, p.velocity.x)).sum();
        Ok((square / self.system.len() as f64).sqrt() / Self::exact(0.5 * Self::HEIGHT, t))
    }
}

/// The same channel in the plane with ever more rows, at 2 s.
pub fn poiseuille_order(context: &Context) -> Result<Vec<Check>> {
    let mut errors = Vec::new();
    for rows in context.full_or_quick(&[10.0, 20.0, 40.0, 80.0][..], &[10.0, 20.0, 40.0]) {
        errors.push((*rows, Channel::new(context, *rows)?.error(2.0)?));
    }
    Ok(orders("rows: RMS error / greatest speed", &errors))
}

/// The same until it is steady, and as long again: shear has torn the first lattice apart by then.
pub fn poiseuille_steady(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for rows in context.full_or_quick(&[20.0, 40.0][..], &[20.0]) {
        let mut channel = Channel::new(context, *rows)?;
        let mut worst = 0.0_f64;
        for second in 2..=40 {
            worst = worst.max(channel.error(f64::from(second))?);
            if second == 20 || second == 40 {
                let name = format!("{rows} rows: worst RMS error / greatest speed until {second} s");
                checks.push(Check::error(name, worst, 0.01));
            }
        }
    }
    Ok(checks)
}

/// Micro channel whose upper plate starts to move.
pub fn couette(context: &Context) -> Result<Vec<Check>> {
    let (height, nu, speed) = (1e-3, 1e-6, 1.25e-5);
    let rows = context.full_or_quick(40, 20);
    let d = height / f64::from(rows);
    let flow = Flow {
        viscosity: 1000.0 * nu,
        gravity: Vec3::ZERO,
        filled: true,
        periodic: [Some([0.0, 8.0 * d]), None, None],
        ..Flow::water(d, speed)
    };
    let settings = flow.settings();
    let layout = MarkerLayout::new(&settings);
    let mut system = FluidSystem::new(settings)?;
    let high = Vec3::new(8.0 * d, 0.0, height);
    system.add_points(&layout.fill_region(&Region::Box { low: Vec3::ZERO, high })?, |_| 0.0)?;
    let sides = [WallFace::LowerX, WallFace::UpperX];
    let lower = layout.box_walls(Vec3::ZERO, high, &[sides[0], sides[1], WallFace::UpperZ])?;
    let upper = layout.box_walls(Vec3::ZERO, high, &[sides[0], sides[1], WallFace::LowerZ])?;
    system.add_solid("lower plate", &lower, SolidMotion::default(), false)?;
    let motion = SolidMotion { velocity: Vec3::X * speed, ..SolidMotion::default() };
    system.add_solid("upper plate", &upper, motion, false)?;
    let ex = exec(context)?;
    let mut checks = Vec::new();
    let mut table = 0.0_f64;
    let (mut heights, mut got, mut exact) = (Vec::new(), Vec::new(), Vec::new());
    for t in [0.0225, 0.045, 0.1125, 0.225, 1.0] {
        system.run_for(&ex, t - system.time())?;
        let off = |z: f64, v: f64| v / speed - dragged(nu, height, z, t);
        let worst = system.particles().map(|p| off(p.position.z, p.velocity.x).abs()).fold(0.0, f64::max);
        checks.push(Check::error(format!("worst difference at {t} s / speed of the plate"), worst, 0.02));
        if t < 1.0 {
            let column = format!("v_t{t}");
            let file = "fsi/couette_transient.csv";
            let series = |z: f64| speed * dragged(nu, height, z * height, t);
            table = table.max(off_table(context, file, &column, series)? / speed);
        }
        if t == 0.045 {
            let mut rows: Vec<[f64; 2]> =
                system.particles().map(|p| [p.position.z / height, p.velocity.x / speed]).collect();
            rows.sort_by(|a, b| a[0].total_cmp(&b[0]));
            heights = rows.iter().map(|row| row[0]).collect();
            got = rows.iter().map(|row| row[1]).collect();
            exact = heights.iter().map(|z| dragged(nu, height, z * height, t)).collect();
        }
    }
    checks.push(Check::error("series against the table / speed of the plate", table, 1e-5));
    let line = Comparison::sampled("u/U at 0.045 s", &heights, &got, &exact);
    context.figures.compare("fluid_couette", "z/H", &[line])?;
    Ok(checks)
}
