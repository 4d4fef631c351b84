//! Runs a contact benchmark case in Rapier, on one thread, and prints one JSON line.

mod box_overlap;
mod clock;
mod scene;

use clap::{Parser, ValueEnum};
use rapier3d_f64::glamx::DVec3;
use rapier3d_f64::math::Pose;
use serde::Serialize;

use clock::Clock;
use scene::Scene;

/// Command line; the same as that of the other peers.
#[derive(Parser)]
struct Options {
    #[arg(value_enum)]
    case: Case,
    /// Variant of brick_wall.
    #[arg(long, value_enum, default_value_t = Variant::Static)]
    variant: Variant,
    /// Spheres of sphere_settle, a cube of a whole number.
    #[arg(long, default_value_t = 1000)]
    size: usize,
    /// Frequency of the contact springs [Hz], if not Rapier's own.
    #[arg(long)]
    frequency: Option<f64>,
    /// Timed steps, if not those of the case.
    #[arg(long)]
    steps: Option<usize>,
    /// Untimed steps before, if not those of the case.
    #[arg(long)]
    settle_steps: Option<usize>,
    /// Runs, of which the fastest counts.
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Also write the final poses to this file: x y z and the quaternion w x y z, a body a line.
    #[arg(long)]
    poses: Option<std::path::PathBuf>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
#[value(rename_all = "snake_case")]
enum Case {
    BrickWall,
    SphereSettle,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Variant {
    Static,
    Hit,
}

/// The line printed.
#[derive(Default, Serialize)]
struct Line {
    case: &'static str,
    variant: &'static str,
    size: usize,
    tool: &'static str,
    version: &'static str,
    method: String,
    threads: usize,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    ms_per_step: f64,
    contacts: usize,
    touching: Option<usize>,
    penetration_max: Option<f64>,
    penetration_mean: Option<f64>,
    kinetic_energy: f64,
    residual: Option<f64>,
    sink_mm: Option<f64>,
    sink_mean_mm: Option<f64>,
    drift_mm: Option<f64>,
    penetration_mm: Option<f64>,
    peak_rss_mb: Option<f64>,
}

fn main() -> std::process::ExitCode {
    let options = Options::parse();
    match run(&options).and_then(|line| serde_json::to_string(&line).map_err(|e| e.to_string())) {
        Ok(line) => {
            println!("{line}");
            std::process::ExitCode::SUCCESS
        }
        Err(complaint) => {
            eprintln!("{complaint}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<Line, String> {
    let side = (options.size as f64).cbrt().round() as usize;
    if options.case == Case::SphereSettle && (side == 0 || side.pow(3) != options.size) {
        return Err(format!("{} spheres do not make a cube", options.size));
    }
    let build = || match options.case {
        Case::BrickWall => scene::brick_wall(options.variant == Variant::Hit, options.frequency),
        Case::SphereSettle => scene::sphere_settle(side, options.frequency),
    };
    let (settle_steps, steps) = match options.case {
        Case::BrickWall => (0, 1000),
        Case::SphereSettle => (2000, 200),
    };
    let (settle_steps, steps) =
        (options.settle_steps.unwrap_or(settle_steps), options.steps.unwrap_or(steps));

    let (mut wall_s, mut cpu_s, mut last) = (f64::INFINITY, f64::INFINITY, None);
    for _ in 0..options.repeat.max(1) {
        let mut scene = build();
        (0..settle_steps).for_each(|_| scene.world.step());
        let clock = Clock::start();
        (0..steps).for_each(|_| scene.world.step());
        let (wall, cpu) = clock.stop();
        if cpu < cpu_s {
            (wall_s, cpu_s) = (wall, cpu);
        }
        last = Some(scene);
    }
    let end = last.ok_or("there was no run")?;
    let poses = end.poses();
    if !poses.iter().all(|pose| pose.translation.is_finite()) {
        return Err("rapier diverged".into());
    }
    if let Some(path) = &options.poses {
        write_poses(path, &poses).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let line = Line {
        size: poses.len(),
        tool: "rapier",
        version: "0.36.1",
        method: options.frequency.map_or("default".into(), |frequency| format!("{frequency} Hz")),
        threads: 1,
        steps,
        wall_s,
        cpu_s,
        ms_per_step: 1e3 * cpu_s / steps as f64,
        contacts: end.contact_count(),
        kinetic_energy: end.kinetic_energy(),
        peak_rss_mb: clock::peak_memory(),
        ..Line::default()
    };
    Ok(match options.case {
        Case::BrickWall => wall_line(line, options.variant, &build(), &poses),
        Case::SphereSettle => bed_line(line, side, &poses),
    })
}

fn write_poses(path: &std::path::Path, poses: &[Pose]) -> std::io::Result<()> {
    let row = |pose: &Pose| {
        let (p, q) = (pose.translation, pose.rotation);
        format!("{:e} {:e} {:e} {:e} {:e} {:e} {:e}\n", p.x, p.y, p.z, q.w, q.x, q.y, q.z)
    };
    std::fs::write(path, poses.iter().map(row).collect::<String>())
}

/// Largest and mean sink of the top row, largest sideways drift of any box, deepest overlap of two boxes.
fn wall_line(line: Line, variant: Variant, start: &Scene, poses: &[Pose]) -> Line {
    let moved: Vec<DVec3> =
        start.poses().iter().zip(poses).map(|(from, to)| to.translation - from.translation).collect();
    let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(f64::NEG_INFINITY, f64::max);
    let top_row = &moved[moved.len() - scene::WALL.0..];
    Line {
        case: "brick_wall",
        variant: if variant == Variant::Hit { "hit" } else { "static" },
        sink_mm: Some(1e3 * largest(&mut top_row.iter().map(|d| -d.z))),
        sink_mean_mm: Some(1e3 * top_row.iter().map(|d| -d.z).sum::<f64>() / top_row.len() as f64),
        drift_mm: Some(1e3 * largest(&mut moved.iter().map(|d| d.truncate().length()))),
        penetration_mm: Some(1e3 * box_overlap::deepest_overlap(scene::BOX_HALF, poses)),
        ..line
    }
}

/// Largest and mean overlap of touching spheres and walls, over the radius.
fn bed_line(line: Line, side: usize, poses: &[Pose]) -> Line {
    let radius = scene::SPHERE_RADIUS;
    let walls = scene::walls(side);
    let mut overlaps = Vec::new();
    for (i, a) in poses.iter().enumerate() {
        let with_walls = walls.iter().map(|(point, normal)| radius - (a.translation - point).dot(*normal));
        let with_others =
            poses[i + 1..].iter().map(|b| 2.0 * radius - (a.translation - b.translation).length());
        overlaps.extend(with_walls.chain(with_others).filter(|&depth| depth > 0.0));
    }
    let touching = overlaps.len();
    let mean = if touching == 0 { 0.0 } else { overlaps.iter().sum::<f64>() / touching as f64 };
    Line {
        case: "sphere_settle",
        touching: Some(touching),
        penetration_max: Some(overlaps.iter().fold(0.0, |most: f64, &depth| most.max(depth)) / radius),
        penetration_mean: Some(mean / radius),
        ..line
    }
}
