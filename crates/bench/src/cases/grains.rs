//! Granular matter: settled beds of polydisperse spheres.

use std::path::Path;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{AdhesionLaw, CompliantMaterial, CompliantModel, ResistanceLaw};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};
use serde::Serialize;

use super::noise::Noise;
use crate::clock::{Clock, peak_memory};
use crate::error::BenchError;
use crate::report::Line;
use crate::request::Request;

/// Name of the case.
const CASE: &str = "dem_settle";
/// Step [s].
const STEP: f64 = 1e-5;
/// Radii of a bed that is made here [m].
const RADII: [f64; 2] = [0.45e-3, 0.55e-3];
/// Grains of the bed that larger ones are laid out with.
const TILE: usize = 8000;
/// Time in which a bed made here comes to rest [s].
const SETTLE: f64 = 0.12;

/// One line of results.
#[derive(Clone, Debug, Serialize)]
pub struct GrainLine {
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
    /// Grains × steps a processor second.
    rate: f64,
    /// Pairs of grains that touch, and twice that by the number of grains.
    contacts: usize,
    coordination: f64,
    /// Pairs of the list of neighbours a grain.
    pairs: f64,
    /// Lists of neighbours made while the clock ran.
    lists: u64,
    bytes_per_grain: f64,
    kinetic_energy: f64,
    settle_s: f64,
    peak_rss_mb: Option<f64>,
}

impl std::fmt::Display for GrainLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{:<22} {:>8}  {:<14} {:>2} thread(s) {:>9.3} ms/step (wall {:.3})  {:.3e} grain-steps a CPU second, {} \
             contacts ({:.2} a grain), {:.1} pairs and {:.0} bytes a grain, {} lists",
            format!("{} {}", self.case, self.variant),
            self.size,
            self.method,
            self.threads,
            self.ms_per_step,
            self.wall_ms_per_step,
            self.rate,
            self.contacts,
            self.coordination,
            self.pairs,
            self.bytes_per_grain,
            self.lists
        )
    }
}

/// Grains in an open box.
struct Bed {
    grains: Vec<(Vec3, f64)>,
    /// Sides of the box along x and y [m].
    width: [f64; 2],
    variant: &'static str,
}

impl Bed {
    /// A settled bed of about `size` grains: from the tables of a folder, or made here.
    fn of_size(size: usize, data: Option<&Path>) -> Result<Self, BenchError> {
        match data {
            Some(folder) => Self::of_folder(size, folder),
            None if size <= TILE => Self::settled(size),
            None => Ok(Self::settled(TILE)?.tiled_to(size)),
        }
    }

    /// The table of a folder that has this size, or the one that larger beds are laid out with.
    fn of_folder(size: usize, folder: &Path) -> Result<Self, BenchError> {
        let (own, tile) = (table_name(size), table_name(TILE));
        let (own_path, tile_path) = (folder.join(&own), folder.join(&tile));
        if own_path.exists() {
            return Self::read(&own_path);
        }
        if size <= TILE {
            return Err(BenchError::NoTable { folder: folder.into(), size, expected: vec![own] });
        }
        if !tile_path.exists() {
            return Err(BenchError::NoTable { folder: folder.into(), size, expected: vec![own, tile] });
        }
        Ok(Self::read(&tile_path)?.tiled_to(size))
    }

    /// The bed of a table of x, y, z and radius [m].
    fn read(path: &Path) -> Result<Self, BenchError> {
        let text =
            std::fs::read_to_string(path).map_err(|source| BenchError::Read { path: path.into(), source })?;
        let row = |(k, line): (usize, &str)| {
            let numbers: Option<Vec<f64>> = line.split(',').map(|n| n.trim().parse().ok()).collect();
            match numbers.as_deref() {
                Some(&[x, y, z, radius]) => Ok((Vec3::new(x, y, z), radius)),
                _ => Err(BenchError::TableLine { path: path.into(), line: k + 2 }),
            }
        };
        let grains = text.lines().skip(1).enumerate().map(row).collect::<Result<Vec<_>, _>>()?;
        if grains.is_empty() {
            return Err(BenchError::EmptyTable { path: path.into() });
        }
        let reach = |axis: usize| grains.iter().fold(0.0, |most: f64, (x, r)| most.max(x[axis] + r));
        // Grains press a little into the walls, which stand on round numbers.
        let width = [0, 1].map(|axis| (reach(axis) / 0.25e-3).round() * 0.25e-3);
        Ok(Self { grains, width, variant: "table" })
    }

    /// A bed that falls from a lattice here.
    fn settled(size: usize) -> Result<Self, BenchError> {
        let spacing = 2.1 * RADII[1];
        let side = ((size as f64 / 22.0).sqrt().ceil() as usize).max(1);
        let width = side as f64 * spacing;
        let mut noise = Noise(1);
        let grains = (0..size).map(|i| {
            let cell = [i % side, i / side % side, i / (side * side)].map(|n| (n as f64 + 0.5) * spacing);
            let radius = 0.5 * (RADII[0] + RADII[1] + noise.next() * (RADII[1] - RADII[0]));
            let shake = 0.04 * RADII[1] * Vec3::new(noise.next(), noise.next(), noise.next());
            (Vec3::from_array(cell) + shake, radius)
        });
        let mut bed = Self { grains: grains.collect(), width: [width; 2], variant: "made" };
        let mut system = bed.system()?;
        let ex = Exec::with_threads(0)?;
        system.run(&ex, STEP, (SETTLE / STEP) as u64)?;
        bed.grains = system.places().iter().map(|row| (row.vector(), row.0[3])).collect();
        Ok(bed)
    }

    /// As many images of the bed as come nearest to `size` grains.
    fn tiled_to(self, size: usize) -> Self {
        let tiles = (size as f64 / self.grains.len() as f64).round().max(1.0);
        let across = tiles.sqrt().floor().max(1.0);
        self.tiled([across as usize, (tiles / across).round() as usize])
    }

    /// The bed beside its mirror images, over and over.
    fn tiled(self, [across, along]: [usize; 2]) -> Self {
        let mut grains = Vec::with_capacity(self.grains.len() * across * along);
        for j in 0..along {
            for i in 0..across {
                grains.extend(self.grains.iter().map(|(place, radius)| {
                    let image = |x: f64, k: usize, width: f64| {
                        k as f64 * width + if k.is_multiple_of(2) { x } else { width - x }
                    };
                    let (x, y) = (image(place.x, i, self.width[0]), image(place.y, j, self.width[1]));
                    (Vec3::new(x, y, place.z), *radius)
                }));
            }
        }
        let width = [self.width[0] * across as f64, self.width[1] * along as f64];
        Self { grains, width, variant: "tiled" }
    }

    fn system(&self) -> Result<GrainSystem, BenchError> {
        let material = CompliantMaterial {
            young: 5e6,
            poisson: 0.3,
            friction: 0.5,
            restitution: 0.5,
            ..CompliantMaterial::default()
        };
        let model = CompliantModel {
            rolling: ResistanceLaw::None,
            spinning: ResistanceLaw::None,
            adhesion: AdhesionLaw::None,
            ..CompliantModel::default()
        };
        let settings = GrainSettings { model, materials: vec![material], ..GrainSettings::default() };
        let mut system = GrainSystem::new(settings)?;
        for (position, radius) in &self.grains {
            system.add(&Grain {
                position: *position,
                radius: *radius,
                density: 2500.0,
                ..Grain::default()
            })?;
        }
        for (name, point, normal) in [
            ("floor", Vec3::ZERO, Vec3::Z),
            ("west", Vec3::ZERO, Vec3::X),
            ("east", Vec3::X * self.width[0], Vec3::NEG_X),
            ("south", Vec3::ZERO, Vec3::Y),
            ("north", Vec3::Y * self.width[1], Vec3::NEG_Y),
        ] {
            system.add_wall(Wall::plane(name, point, normal))?;
        }
        Ok(system)
    }
}

/// File with a settled bed of this size.
fn table_name(size: usize) -> String {
    format!("dem_settled_{size}.csv")
}

/// Times the steps of a bed that has come to rest.
pub fn settled_bed(request: &Request, size: usize) -> Result<Line, BenchError> {
    let made = Clock::start();
    let bed = Bed::of_size(size, request.data.as_deref())?;
    let mut system = bed.system()?;
    let (settle_s, _) = made.stop();
    let size = system.len();
    let (warm, steps) = match size {
        0..20_000 => (500, 500),
        20_000..1_000_000 => (500, 100),
        _ => (100, 20),
    };
    let steps = request.steps.unwrap_or(steps);
    let ex = Exec::with_threads(request.threads)?;
    system.run(&ex, STEP, warm)?;
    let (mut wall_s, mut cpu_s, mut lists) = (f64::INFINITY, f64::INFINITY, 0);
    for _ in 0..request.repeat.max(1) {
        let before = system.list_report().builds;
        let clock = Clock::start();
        system.run(&ex, STEP, steps as u64)?;
        let (wall, cpu) = clock.stop();
        if cpu < cpu_s {
            (wall_s, cpu_s, lists) = (wall, cpu, system.list_report().builds - before);
        }
    }
    let (count, contacts) = (size as f64, system.contact_count());
    let line = GrainLine {
        case: CASE,
        variant: bed.variant,
        size,
        tool: "huygens",
        version: env!("CARGO_PKG_VERSION"),
        method: "hertz, history",
        threads: ex.threads(),
        steps,
        wall_s,
        cpu_s,
        ms_per_step: 1e3 * cpu_s / steps as f64,
        wall_ms_per_step: 1e3 * wall_s / steps as f64,
        rate: count * steps as f64 / cpu_s,
        contacts,
        coordination: 2.0 * contacts as f64 / count,
        pairs: system.list_report().pairs as f64 / count,
        lists,
        bytes_per_grain: system.bytes() as f64 / count,
        kinetic_energy: system.kinetic_energy(),
        settle_s,
        peak_rss_mb: peak_memory(),
    };
    Ok(line.into())
}
