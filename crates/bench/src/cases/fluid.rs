//! Fluids: the first moments of a dam break.

use std::sync::Arc;

use huygens_core::contact::{ContactModel, ContactSettings, RigidSettings};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{Model, State};
use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::constraint_fluid::{
    ConstraintFluid, ConstraintFluidSettings, FluidPlace, FluidWall, WallCarrier,
};
use huygens_particles::sph::{FluidSettings, FluidSystem, SolidMotion};
use serde::Serialize;

use crate::clock::{Clock, peak_memory};
use crate::error::BenchError;
use crate::report::Line;
use crate::request::Request;

/// Sides of the tank and of the column of water [m].
const TANK: [f64; 3] = [1.61, 0.6, 0.6];
const COLUMN: [f64; 3] = [0.6, 0.6, 0.3];

/// Length of the kernel in spacings: a particle has some 90 neighbours.
const LENGTH_RATIO: f64 = 1.4;

/// Layers of markers of the walls.
const LAYERS: i64 = 3;

/// One line of results.
#[derive(Clone, Debug, Serialize)]
pub struct FluidLine {
    case: &'static str,
    variant: &'static str,
    pub size: usize,
    tool: &'static str,
    version: &'static str,
    method: &'static str,
    threads: usize,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    ms_per_step: f64,
    wall_ms_per_step: f64,
    /// Fluid particles × steps a processor second.
    rate: f64,
    /// Wall markers.
    markers: usize,
    /// Fluid neighbours within the kernel of a particle in the middle of the water.
    neighbours: usize,
    /// Pairs of the list a fluid particle, each counted once.
    pairs: f64,
    /// Lists made while the clock ran.
    lists: u64,
    /// Of fields and list, by fluid particles and markers together.
    bytes_per_particle: f64,
    /// Least and greatest density over that at rest.
    compression: [f64; 2],
    peak_rss_mb: Option<f64>,
}

impl std::fmt::Display for FluidLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:<22} {:>8}  {:<14} {:>2} thread(s) {:>9.3} ms/step (wall {:.3})  {:.3e} particle-steps a CPU second, {} \
             neighbours, {:.1} pairs and {:.0} bytes a particle, {} lists, density {:.4} to {:.4}",
            self.case,
            self.size,
            self.method,
            self.threads,
            self.ms_per_step,
            self.wall_ms_per_step,
            self.rate,
            self.neighbours,
            self.pairs,
            self.bytes_per_particle,
            self.lists,
            self.compression[0],
            self.compression[1]
        )
    }
}

/// Where the water and the markers of the tank are, and their spacing.
struct Dam {
    spacing: f64,
    water: Vec<Vec3>,
    walls: Vec<Vec3>,
}

impl Dam {
    /// With about `size` particles of water.
    fn new(size: usize) -> Self {
        let volume: f64 = COLUMN.iter().product();
        // Sides are whole numbers of spacings.
        let d = COLUMN[2] / (COLUMN[2] * (size as f64 / volume).cbrt()).round().max(2.0);
        let cells = |sides: [f64; 3]| sides.map(|side| (side / d).round() as i64);
        let at = |[i, j, k]: [i64; 3]| Vec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * d;
        let water = lattice([0; 3], cells(COLUMN)).map(at).collect();
        let [nx, ny, nz] = cells(TANK);
        let inside = |[i, j, k]: [i64; 3]| (0..nx).contains(&i) && (0..ny).contains(&j) && k >= 0;
        let shell = lattice([-LAYERS; 3], [nx + LAYERS, ny + LAYERS, nz]).filter(|cell| !inside(*cell));
        Self { spacing: d, water, walls: shell.map(at).collect() }
    }

    /// Weakly compressible.
    fn compressible(&self, length_ratio: f64) -> Result<FluidSystem, BenchError> {
        let settings = FluidSettings {
            spacing: self.spacing,
            length_ratio,
            sound: 10.0 * (2.0 * 9.81 * COLUMN[2]).sqrt(),
            artificial: 0.1,
            ..FluidSettings::default()
        };
        let density = settings.density;
        let mut system = FluidSystem::new(settings)?;
        system.add_points(&self.water, |at| density * 9.81 * (COLUMN[2] - at.z))?;
        system.add_solid("tank", &self.walls, SolidMotion::default(), false)?;
        Ok(system)
    }

    /// Of constraints, in a model of its own.
    fn constrained(&self, iterations: usize) -> Result<(Arc<Model>, FluidPlace), BenchError> {
        let settings =
            ConstraintFluidSettings { spacing: self.spacing, ..ConstraintFluidSettings::default() };
        let mut fluid = ConstraintFluid::new("water", settings)?;
        for at in &self.water {
            fluid.add_with_pressure(*at, Vec3::ZERO, 1000.0 * 9.81 * (COLUMN[2] - at.z))?;
        }
        let carrier = WallCarrier::World;
        fluid.add_wall(FluidWall { name: "tank".into(), points: self.walls.clone(), carrier })?;
        let mut model = Model::new(Vec3::new(0.0, 0.0, -9.81));
        let place = fluid.place(&mut model);
        let rigid = RigidSettings {
            max_iterations: iterations,
            tolerance: Some(f64::MIN_POSITIVE),
            ..RigidSettings::default()
        };
        model.set_contact(ContactModel::new(ContactSettings { rigid, ..ContactSettings::default() }))?;
        Ok((Arc::new(model), place))
    }
}

fn lattice(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let plane = move |k| (low[1]..high[1]).flat_map(move |j| (low[0]..high[0]).map(move |i| [i, j, k]));
    (low[2]..high[2]).flat_map(plane)
}

/// Weakly compressible water, from the moment the dam is gone.
pub fn dam_break(request: &Request, size: usize) -> Result<Line, BenchError> {
    let dam = Dam::new(size);
    let (mut system, markers) = (dam.compressible(LENGTH_RATIO)?, dam.walls.len());
    let ex = Exec::with_threads(request.threads)?;
    let count = system.len() as f64;
    // A step of 5e-5 s at a spacing of 1 cm: 1000 steps are the first 50 ms.
    let step = 5e-3 * system.settings().spacing;
    let steps = request.steps.unwrap_or(if system.len() < 1_000_000 { 1000 } else { 20 });
    system.run(&ex, step, 2)?;
    let (mut wall_s, mut cpu_s, mut lists) = (f64::INFINITY, f64::INFINITY, 0);
    for _ in 0..request.repeat.max(1) {
        let before = system.list_report().builds;
        let clock = Clock::start();
        system.run(&ex, step, steps as u64)?;
        let (wall, cpu) = clock.stop();
        if cpu < cpu_s {
            (wall_s, cpu_s, lists) = (wall, cpu, system.list_report().builds - before);
        }
    }
    let rest = system.settings().density;
    let middle = Vec3::new(0.3, 0.3, 0.12);
    let nearest = system
        .particles()
        .map(|p| p.position)
        .min_by(|a, b| a.distance_squared(middle).total_cmp(&b.distance_squared(middle)));
    let nearest = nearest.unwrap_or(middle);
    let reach = system.settings().reach();
    let near = system.particles().filter(|p| p.position.distance(nearest) < reach).count();
    let line = FluidLine {
        case: "sph_dambreak",
        variant: "",
        size: system.len(),
        tool: "huygens",
        version: env!("CARGO_PKG_VERSION"),
        method: "wcsph, leapfrog",
        threads: ex.threads(),
        steps,
        wall_s,
        cpu_s,
        ms_per_step: 1e3 * cpu_s / steps as f64,
        wall_ms_per_step: 1e3 * wall_s / steps as f64,
        rate: count * steps as f64 / cpu_s,
        markers,
        neighbours: near.saturating_sub(1),
        pairs: system.list_report().pairs as f64 / count,
        lists,
        bytes_per_particle: system.bytes() as f64 / (system.len() + markers) as f64,
        compression: system.range().density.map(|density| density / rest),
        peak_rss_mb: peak_memory(),
    };
    Ok(line.into())
}

/// One line of results of a fluid of constraints.
#[derive(Clone, Debug, Serialize)]
pub struct ConstraintLine {
    case: &'static str,
    pub size: usize,
    tool: &'static str,
    version: &'static str,
    method: &'static str,
    threads: usize,
    steps: usize,
    iterations: usize,
    /// Of the fastest window.
    ms_per_step: f64,
    wall_ms_per_step: f64,
    /// Of weakly compressible steps of the same water, timed in turn with the windows.
    compressible_ms_per_step: f64,
    /// The one over the other.
    ratio: f64,
    /// Longest steps [s] of both.
    step_s: [f64; 2],
    /// Greatest excess of density, as a part of that at rest.
    compression: f64,
    peak_rss_mb: Option<f64>,
}

impl std::fmt::Display for ConstraintLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:<22} {:>8}  {:<14} {:>2} thread(s) {:>9.3} ms/step (wall {:.3}) with {} iterations: {:.2} weakly \
             compressible steps of {:.3} ms; steps of {:.2e} and {:.2e} s, density up to {:.2e} above that at rest",
            self.case,
            self.size,
            self.method,
            self.threads,
            self.ms_per_step,
            self.wall_ms_per_step,
            self.iterations,
            self.ratio,
            self.compressible_ms_per_step,
            self.step_s[0],
            self.step_s[1],
            self.compression
        )
    }
}

/// Water of constraints, and weakly compressible steps in turn with it.
pub fn constraint_dam_break(request: &Request, size: usize) -> Result<Line, BenchError> {
    let dam = Dam::new(size);
    let ex = Exec::with_threads(request.threads)?;
    let mut system = dam.compressible(FluidSettings::default().length_ratio)?;
    let iterations = request.iterations.unwrap_or(20);
    let (model, place) = dam.constrained(iterations)?;
    let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
    let mut stepper = Stepper::new(model.clone(), ex.clone(), settings)?;
    let mut state = State::new(&model);
    place.start(&mut state);
    let steps = request.steps.unwrap_or(20);
    system.refresh(&ex)?;
    // A tenth of the spacing at the speed of a fall from the height of the water.
    let step = 0.1 * dam.spacing / (2.0 * 9.81 * COLUMN[2]).sqrt();
    let small = system.step_limit();
    let (mut best, mut other) = ([f64::INFINITY; 2], f64::INFINITY);
    for window in 0..=request.repeat.max(1) {
        let clock = Clock::start();
        for _ in 0..steps {
            stepper.step(&mut state, step)?;
        }
        let (wall, cpu) = clock.stop();
        // As long a time on the clock.
        let count = 10 * steps as u64;
        let clock = Clock::start();
        system.run(&ex, small, count)?;
        let (_, rest) = clock.stop();
        // The first window warms up.
        if window > 0 {
            if cpu < best[1] {
                best = [wall, cpu];
            }
            other = other.min(rest / count as f64);
        }
    }
    let [wall_ms_per_step, ms_per_step] = best.map(|time| 1e3 * time / steps as f64);
    let line = ConstraintLine {
        case: "constraint_dambreak",
        size: place.len(),
        tool: "huygens",
        version: env!("CARGO_PKG_VERSION"),
        method: "constraint",
        threads: ex.threads(),
        steps,
        iterations,
        ms_per_step,
        wall_ms_per_step,
        compressible_ms_per_step: 1e3 * other,
        ratio: ms_per_step / (1e3 * other),
        step_s: [step, small],
        compression: place.compression(&state),
        peak_rss_mb: peak_memory(),
    };
    Ok(line.into())
}
