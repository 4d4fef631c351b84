//! Beds of grains, as the cases make them.

use std::ops::ControlFlow;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantMaterial, CompliantModel};
use huygens_particles::fill::{Fill, Pattern, Region, Settle, Sizes};
use huygens_particles::{GrainSettings, GrainSystem};

use crate::Context;
use crate::error::Result;

/// Acceleration of gravity [m/s²].
pub const GRAVITY: f64 = 9.81;

/// Index of the material of walls without friction.
pub const SMOOTH: usize = 1;

/// Grains of one kind.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Mean diameter [m].
    pub diameter: f64,
    /// Greatest difference from the mean, as a share of it.
    pub spread: f64,
    /// Density [kg/m³].
    pub density: f64,
    /// Young's modulus [Pa]: as soft as overlaps of 1 % of the radius allow.
    pub young: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Rolling resistance as a share of the radius.
    pub rolling: f64,
    /// Coefficient of restitution.
    pub restitution: f64,
}

impl Kind {
    /// An empty system of such grains; walls of the material [`SMOOTH`] have no friction.
    pub fn system(&self, periodic: [Option<[f64; 2]>; 3]) -> Result<GrainSystem> {
        self.system_with(CompliantModel::default(), periodic)
    }

    /// The same with other laws.
    pub fn system_with(&self, model: CompliantModel, periodic: [Option<[f64; 2]>; 3]) -> Result<GrainSystem> {
        let material = CompliantMaterial {
            young: self.young,
            friction: self.friction,
            rolling_friction: 0.5 * self.rolling * self.diameter,
            restitution: self.restitution,
            ..CompliantMaterial::default()
        };
        let smooth = CompliantMaterial { friction: 0.0, rolling_friction: 0.0, ..material };
        let gravity = Vec3::new(0.0, 0.0, -GRAVITY);
        let materials = vec![material, smooth];
        Ok(GrainSystem::new(GrainSettings {
            model,
            materials,
            gravity,
            periodic,
            ..GrainSettings::default()
        })?)
    }

    /// Adds grains at random places in a region.
    pub fn fill(&self, system: &mut GrainSystem, ex: &Exec, region: Region, fraction: f64) -> Result<()> {
        self.fill_where(system, ex, region, fraction, |_| true)
    }

    /// The same, without those whose centres are not `wanted`.
    pub fn fill_where(
        &self,
        system: &mut GrainSystem,
        ex: &Exec,
        region: Region,
        fraction: f64,
        wanted: impl Fn(Vec3) -> bool,
    ) -> Result<()> {
        let r = 0.5 * self.diameter;
        let sizes = match self.spread > 0.0 {
            true => Sizes::uniform((1.0 - self.spread) * r, (1.0 + self.spread) * r),
            false => Sizes::constant(r),
        };
        let pattern = Pattern::Random { solid_fraction: fraction };
        let filled = Fill { density: self.density, seed: 7, ..Fill::new(region, pattern, sizes) }.make(ex)?;
        for grain in filled.grains.iter().filter(|grain| wanted(grain.position)) {
            system.add(grain)?;
        }
        Ok(())
    }

    /// A step [s] for impacts from the height `fall` [m]: a twentieth of an impact, a quarter of the Rayleigh time.
    pub fn step(&self, system: &GrainSystem, fall: f64) -> f64 {
        let limit = system.step_limit((2.0 * GRAVITY * fall).sqrt());
        (limit.contact / 20.0).min(limit.rayleigh / 4.0).min(limit.critical / 2.0)
    }

    /// Runs until the grains are at rest: energy of a fall through a small share of the diameter.
    pub fn settle(&self, system: &mut GrainSystem, ex: &Exec, step: f64, longest: f64) -> Result<()> {
        let mass = self.density * std::f64::consts::PI / 6.0 * self.diameter.powi(3);
        let energy_per_grain = 2e-4 * mass * GRAVITY * self.diameter;
        let settle = Settle { energy_per_grain, check_every: 200, longest: 10.0 * longest };
        settle.run(system, ex, step, |report| match report.time < longest {
            true => ControlFlow::Continue(()),
            false => ControlFlow::Break(()),
        })?;
        Ok(())
    }
}

/// Threads of a run: those asked for, one in quick runs.
pub fn exec(context: &Context) -> Result<Exec> {
    Ok(if context.quick { Exec::serial() } else { Exec::with_threads(context.threads)? })
}

/// Runs that do not need each other, at the same time in full runs.
pub fn each<T: Sync, R: Send>(
    context: &Context,
    setups: &[T],
    run: impl Fn(&T) -> Result<R> + Sync,
) -> Result<Vec<R>> {
    if context.quick {
        return setups.iter().map(run).collect();
    }
    std::thread::scope(|scope| {
        let runs: Vec<_> = setups.iter().map(|setup| scope.spawn(|| run(setup))).collect();
        let join = |run: std::thread::ScopedJoinHandle<'_, Result<R>>| match run.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        runs.into_iter().map(join).collect()
    })
}

/// Slope of the straight line nearest to points: mass [kg] over time [s] gives the rate.
pub fn slope(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let top = points.iter().map(|p| (p[0] - x) * (p[1] - y)).sum::<f64>();
    top / points.iter().map(|p| (p[0] - x).powi(2)).sum::<f64>()
}

/// Removes the grains whose centres satisfy `gone`.
pub fn remove(system: &mut GrainSystem, ex: &Exec, gone: impl Fn(Vec3) -> bool) -> Result<()> {
    let ids = system.ids().iter().zip(system.places());
    let ids: Vec<u64> = ids.filter(|(_, row)| gone(row.vector())).map(|(id, _)| *id).collect();
    Ok(system.remove(ex, &ids)?)
}

/// Mean overlap of the grains that touch, as a share of the mean radius.
pub fn overlap(system: &GrainSystem) -> f64 {
    let contacts = system.grain_contacts();
    let radius = system.places().iter().map(|row| row.0[3]).sum::<f64>() / system.len().max(1) as f64;
    contacts.iter().map(|c| c.depth).sum::<f64>() / contacts.len().max(1) as f64 / radius
}

/// Mass [kg] of the grains in the present order.
pub fn masses(system: &GrainSystem) -> impl Iterator<Item = f64> + '_ {
    system.motions().iter().map(|row| 1.0 / row.0[3])
}
