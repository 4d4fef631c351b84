//! Steps a settled bed read from a table (x, y, z, radius) and prints the rate:
//! `settled TABLE WIDTH WARM STEPS [THREADS] [SKIN]`.

use std::error::Error;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{AdhesionLaw, CompliantMaterial, CompliantModel, ResistanceLaw, TangentialLaw};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, table, width, warm, steps, ..] = &arguments[..] else {
        return Err("see the head of the file".into());
    };
    let (width, warm, steps): (f64, u64, u64) = (width.parse()?, warm.parse()?, steps.parse()?);
    let ex = Exec::with_threads(arguments.get(5).map_or(Ok(1), |t| t.parse())?)?;
    let material =
        CompliantMaterial { young: 5e6, poisson: 0.3, friction: 0.5, restitution: 0.5, ..Default::default() };
    let model = CompliantModel {
        tangential: TangentialLaw::History,
        rolling: ResistanceLaw::None,
        twisting: ResistanceLaw::None,
        adhesion: AdhesionLaw::None,
        ..CompliantModel::default()
    };
    let settings = GrainSettings { model, materials: vec![material], ..GrainSettings::default() };
    let mut system = GrainSystem::new(settings)?;
    for line in std::fs::read_to_string(table)?.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let position = Vec3::new(numbers[0], numbers[1], numbers[2]);
        system.add(&Grain { position, radius: numbers[3], ..Grain::default() })?;
    }
    let low =
        system.places().iter().fold(Vec3::INFINITY, |low, row| low.min(row.vector() - Vec3::splat(row.0[3])));
    let high =
        system.places().iter().fold(Vec3::NEG_INFINITY, |h, row| h.max(row.vector() + Vec3::splat(row.0[3])));
    eprintln!("{low} {high}");
    let _ = width;
    for (name, point, normal) in [
        ("floor", Vec3::ZERO, Vec3::Z),
        ("left", Vec3::ZERO, Vec3::X),
        ("right", Vec3::X * width, -Vec3::X),
        ("front", Vec3::ZERO, Vec3::Y),
        ("back", Vec3::Y * width, -Vec3::Y),
    ] {
        system.add_wall(Wall::plane(name, point, normal))?;
    }
    let dt = 1e-5;
    system.run(&ex, dt, warm)?;
    let before = system.list_report();
    let (clock, cpu) = (std::time::Instant::now(), cpu_seconds());
    system.run(&ex, dt, steps)?;
    let (wall, cpu) = (clock.elapsed().as_secs_f64(), cpu_seconds() - cpu);
    let report = system.list_report();
    let n = system.len() as f64;
    println!(
        "{} grains: {:.3e} grain-steps a CPU second ({:.1} ns each), {:.3e} a second; {:.2} contacts, {:.2} pairs a grain, \
         {:.0} % foreign, skin {:.3} mm, {} lists; kinetic energy {:.3e} J; weight on floor {:.6} of {:.6} N; {:.0} bytes a grain",
        n,
        n * steps as f64 / cpu,
        cpu / (n * steps as f64) * 1e9,
        n * steps as f64 / wall,
        2.0 * system.contact_count() as f64 / n,
        report.pairs as f64 / n,
        100.0 * report.foreign,
        1e3 * report.skin,
        report.builds - before.builds,
        system.kinetic_energy(),
        -system.wall_wrench(0)[0].z,
        9.81 * system.motions().iter().map(|row| 1.0 / row.0[3]).sum::<f64>(),
        system.bytes() as f64 / n,
    );
    Ok(())
}

fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks: f64 = [11, 12].iter().filter_map(|k| fields.get(*k)?.parse::<f64>().ok()).sum();
    ticks / 100.0
}
