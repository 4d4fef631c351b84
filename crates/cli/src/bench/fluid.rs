//! Fluids: the first moments of a dam break.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_particles::fluid::{FluidSettings, FluidSystem, SolidMotion};
use serde::Serialize;

use super::clock::{Clock, peak_memory};
use crate::error::CliError;

/// The cases, with what they are.
pub const CASES: &[(&str, &str)] = &[(
    "sph_dambreak",
    "dam break in a tank of 1.61 x 0.6 x 0.6 m, weakly compressible; --size fluid particles",
)];

/// Sides of the tank and of the column of water [m].
const TANK: [f64; 3] = [1.61, 0.6, 0.6];
const COLUMN: [f64; 3] = [0.6, 0.6, 0.3];

/// Length of the kernel in spacings: a particle has some 90 neighbours.
const LENGTH_RATIO: f64 = 1.4;

/// Layers of markers of the walls.
const LAYERS: i64 = 3;

/// What is asked of a benchmark of fluids.
pub struct FluidRequest {
    /// Threads of the timed steps.
    pub threads: usize,
    /// Timed steps, if not those of the case.
    pub steps: Option<usize>,
    /// Timed windows, of which the fastest counts.
    pub repeat: usize,
}

/// One line of results.
#[derive(Clone, Debug, Serialize)]
pub struct FluidLine {
    case: &'static str,
    variant: &'static str,
    size: usize,
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

/// The dam with about `size` particles of water; it, and the number of markers.
fn dam(size: usize) -> Result<(FluidSystem, usize), CliError> {
    let volume: f64 = COLUMN.iter().product();
    // Sides are whole numbers of spacings.
    let d = COLUMN[2] / (COLUMN[2] * (size as f64 / volume).cbrt()).round().max(2.0);
    let sound = 10.0 * (2.0 * 9.81 * COLUMN[2]).sqrt();
    let settings = FluidSettings {
        spacing: d,
        length_ratio: LENGTH_RATIO,
        sound,
        artificial: 0.1,
        ..FluidSettings::default()
    };
    let density = settings.density;
    let mut system = FluidSystem::new(settings)?;
    let cells = |sides: [f64; 3]| sides.map(|side| (side / d).round() as i64);
    let at = |[i, j, k]: [i64; 3]| Vec3::new(i as f64 + 0.5, j as f64 + 0.5, k as f64 + 0.5) * d;
    let [nx, ny, nz] = cells(COLUMN);
    for cell in lattice([0; 3], [nx, ny, nz]) {
        let place = at(cell);
        system.add_with_pressure(place, Vec3::ZERO, density * 9.81 * (COLUMN[2] - place.z))?;
    }
    let [nx, ny, nz] = cells(TANK);
    let inside = |[i, j, k]: [i64; 3]| (0..nx).contains(&i) && (0..ny).contains(&j) && k >= 0;
    let shell = lattice([-LAYERS; 3], [nx + LAYERS, ny + LAYERS, nz]).filter(|cell| !inside(*cell));
    let walls: Vec<Vec3> = shell.map(at).collect();
    system.add_solid("tank", &walls, SolidMotion::default(), false)?;
    Ok((system, walls.len()))
}

fn lattice(low: [i64; 3], high: [i64; 3]) -> impl Iterator<Item = [i64; 3]> {
    let plane = move |k| (low[1]..high[1]).flat_map(move |j| (low[0]..high[0]).map(move |i| [i, j, k]));
    (low[2]..high[2]).flat_map(plane)
}

/// Runs a case; `None` for an unknown name.
pub fn run(case: &str, size: usize, request: &FluidRequest) -> Option<Result<FluidLine, CliError>> {
    (case == CASES[0].0).then(|| dam_break(size, request))
}

fn dam_break(size: usize, request: &FluidRequest) -> Result<FluidLine, CliError> {
    let (mut system, markers) = dam(size)?;
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
    Ok(FluidLine {
        case: CASES[0].0,
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
    })
}
