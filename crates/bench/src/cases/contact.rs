//! Contact cases: settled beds of spheres and the brick wall.

use std::time::Instant;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ContactLaw, Material, OnFailure};
use huygens_core::integrator::{Integrator, StepReport, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::{
    Assembly, Body, BodyKind, CollisionShape, MaterialId, MultibodyError, NamedMaterial,
};
use serde::Serialize;

use super::noise::Noise;
use super::overlap::deepest_overlap;
use crate::clock::{Clock, peak_memory};
use crate::error::BenchError;
use crate::report::Line;
use crate::request::Request;

/// Variants of the beds.
pub const BED_VARIANTS: &[&str] = &["settled", "packed", "falling"];

/// One line of results; `None` where a case has no such figure.
#[derive(Clone, Debug, Serialize)]
pub struct ContactLine {
    case: &'static str,
    variant: String,
    pub size: usize,
    tool: &'static str,
    version: &'static str,
    method: String,
    warm_start: bool,
    threads: usize,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    /// Processor time a step [ms].
    ms_per_step: f64,
    /// Wall time a step [ms].
    wall_ms_per_step: f64,
    rate: f64,
    contacts: usize,
    touching: usize,
    /// Largest and mean overlap over the radius.
    penetration_max: Option<f64>,
    penetration_mean: Option<f64>,
    kinetic_energy: f64,
    iterations_per_step: f64,
    residual: f64,
    /// Largest sinking of the top row, largest sideways motion, deepest overlap of two boxes [mm].
    sink_mm: Option<f64>,
    drift_mm: Option<f64>,
    penetration_mm: Option<f64>,
    settle_s: f64,
    peak_rss_mb: Option<f64>,
}

impl std::fmt::Display for ContactLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = format!("{} {}", self.case, self.variant);
        write!(
            f,
            "{name:<22} {:>8}  {:<14} {:>2} thread(s) {:>9.3} ms/step (wall {:.3})  {} contacts, {} touching, {:.1} it/step, \
             residual {:.1e} m/s",
            self.size,
            self.method,
            self.threads,
            self.ms_per_step,
            self.wall_ms_per_step,
            self.contacts,
            self.touching,
            self.iterations_per_step,
            self.residual
        )?;
        if let (Some(most), Some(mean)) = (self.penetration_max, self.penetration_mean) {
            write!(
                f,
                ", overlap {most:.1e} / {mean:.1e} of r, kinetic energy {:.1e} J",
                self.kinetic_energy
            )?;
        }
        if let (Some(sink), Some(drift), Some(deep)) = (self.sink_mm, self.drift_mm, self.penetration_mm) {
            write!(f, ", sink {sink:.3} drift {drift:.3} overlap {deep:.3} mm")?;
        }
        match self.peak_rss_mb {
            Some(memory) => write!(f, ", {memory:.0} MB"),
            None => Ok(()),
        }
    }
}

/// A scene under construction.
struct Scene {
    assembly: Assembly,
    material: MaterialId,
}

impl Scene {
    fn new(material: Material) -> Result<Self, MultibodyError> {
        let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -9.81));
        let material = assembly.add_material(NamedMaterial { name: "surface".into(), material })?;
        Ok(Self { assembly, material })
    }

    fn add(&mut self, body: Body, shape: Shape) -> Result<(), MultibodyError> {
        let body = self.assembly.add_body(body)?;
        let (pose, material) = (Pose::IDENTITY, self.material);
        self.assembly.add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX })
    }

    /// A fixed half-space through `position` with outward normal `normal`.
    fn wall(&mut self, name: &str, position: DVec3, normal: DVec3) -> Result<(), MultibodyError> {
        let rotation = DQuat::from_rotation_arc(DVec3::Z, normal);
        let body = Body { name: name.into(), kind: BodyKind::Fixed, position, rotation, ..Body::default() };
        self.add(body, Shape::HalfSpace)
    }

    fn ball(
        &mut self,
        radius: f64,
        mass: f64,
        position: DVec3,
        velocity: DVec3,
    ) -> Result<(), MultibodyError> {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
        let name = format!("ball {}", self.assembly.bodies().len());
        self.add(
            Body { name, mass, inertia, position, velocity, ..Body::default() },
            Shape::Sphere { radius },
        )
    }
}

/// How a bed of spheres is made.
pub struct Bed {
    case: &'static str,
    radius: f64,
    density: f64,
    friction: f64,
    spacing: f64,
    young: f64,
    law: ContactLaw,
    /// Step [s].
    h: f64,
    /// Time to come to rest [s].
    settle: f64,
    /// Layers, if the bed is not 20 of them.
    layers: usize,
}

/// Rigid contact.
pub const RIGID: Bed = Bed {
    case: "nsc_settle",
    radius: 0.05,
    density: 2500.0,
    friction: 0.5,
    spacing: 0.11,
    young: 1e7,
    law: ContactLaw::Rigid,
    h: 1e-3,
    settle: 1.5,
    layers: 20,
};

/// Compliant contact of the same spheres.
pub const COMPLIANT: Bed = Bed { case: "smc_settle", law: ContactLaw::Compliant, h: 1e-4, ..RIGID };

/// Rigid contact of lighter spheres.
pub const LIGHT: Bed =
    Bed { case: "sphere_settle", density: 1000.0, friction: 0.3, spacing: 0.105, layers: 10, ..RIGID };

impl Bed {
    /// `count` spheres on a jittered lattice in an open box.
    fn scene(&self, count: usize, packed: bool) -> Result<Scene, MultibodyError> {
        let friction = self.friction;
        let mut scene = Scene::new(Material { friction, young: self.young, ..Material::default() })?;
        let side = ((count as f64 / self.layers as f64).sqrt().round() as usize).max(1);
        // Packed beds start with neighbours just clear of each other and come to rest in few steps.
        let spacing = if packed { 2.0 * self.radius * 1.0005 } else { self.spacing };
        let width = side as f64 * spacing;
        scene.wall("floor", DVec3::ZERO, DVec3::Z)?;
        for (name, position, normal) in [
            ("west", DVec3::ZERO, DVec3::X),
            ("east", DVec3::X * width, DVec3::NEG_X),
            ("south", DVec3::ZERO, DVec3::Y),
            ("north", DVec3::Y * width, DVec3::NEG_Y),
        ] {
            scene.wall(name, position, normal)?;
        }
        let mass = self.density * 4.0 / 3.0 * std::f64::consts::PI * self.radius.powi(3);
        let mut noise = Noise(1);
        let jitter = if packed { 1e-5 } else { 0.0025 };
        for i in 0..count {
            let (layer, cell) = (i / (side * side), i % (side * side));
            let at = DVec3::new(
                (0.5 + (cell % side) as f64) * spacing,
                (0.5 + (cell / side) as f64) * spacing,
                self.radius + layer as f64 * spacing + if packed { 1e-6 } else { 0.01 },
            );
            let shift = DVec3::new(noise.next(), noise.next(), if packed { 0.0 } else { noise.next() });
            scene.ball(self.radius, mass, at + jitter * shift, DVec3::ZERO)?;
        }
        scene.assembly.collision.settings.law = self.law;
        Ok(scene)
    }
}

/// Beyond reach: a case of N iterations does N iterations.
const FIXED: Option<f64> = Some(1e-14);

fn rigid(scene: &mut Scene, request: &Request, iterations: usize, tolerance: Option<f64>) {
    let rigid = &mut scene.assembly.collision.settings.rigid;
    rigid.solver = request.solver;
    rigid.max_iterations = request.iterations.unwrap_or(iterations);
    rigid.tolerance = request.tolerance.or(tolerance);
    rigid.warm_start = request.warm_start;
    rigid.friction = request.friction;
    rigid.on_failure = OnFailure::Accept;
}

fn stepper(scene: &Scene, threads: usize, law: ContactLaw) -> Result<(Stepper, State), BenchError> {
    let mechanism = scene.assembly.build(SignalGraph::default(), &[])?;
    let integrator = if law == ContactLaw::Rigid { Integrator::Euler } else { Integrator::Leapfrog };
    let settings = StepperSettings { integrator, ..StepperSettings::default() };
    let state = State::new(&mechanism.model);
    Ok((Stepper::new(mechanism.model, Exec::with_threads(threads)?, settings)?, state))
}

/// Lets a bed come to rest and times the steps of it.
pub fn settled_bed(bed: &Bed, size: usize, request: &Request) -> Result<Line, BenchError> {
    let packed = request.variant == "packed";
    let mut scene = bed.scene(size, packed)?;
    rigid(&mut scene, &Request { warm_start: true, ..request.clone() }, 50, FIXED);
    let started = Instant::now();
    let (mut settling, mut state) = stepper(&scene, 0, bed.law)?;
    // Spheres fall by their distance from each other within 45 ms; later all of them collide and slide.
    let time = match request.variant.as_str() {
        "packed" => 20.0 * bed.h,
        "falling" => 0.2,
        _ => bed.settle,
    };
    while state.time < time {
        settling.step(&mut state, bed.h)?;
    }
    drop(settling);
    let settle_s = started.elapsed().as_secs_f64();
    rigid(&mut scene, request, 50, FIXED);
    let (mut stepper, _) = stepper(&scene, request.threads, bed.law)?;
    let steps = request.steps.unwrap_or(if size > 50_000 { 20 } else { 50 });
    let (mut wall_s, mut cpu_s) = (f64::INFINITY, f64::INFINITY);
    // The first step with another stepper fills its memory; it is not timed.
    let mut report = stepper.step(&mut state, bed.h)?;
    let mut iterations = 0;
    for _ in 0..request.repeat.max(1) {
        iterations = 0;
        let clock = Clock::start();
        for _ in 0..steps {
            report = stepper.step(&mut state, bed.h)?;
            iterations += report.contact_iterations;
        }
        let (wall, cpu) = clock.stop();
        if cpu < cpu_s {
            (wall_s, cpu_s) = (wall, cpu);
        }
    }
    let overlaps: Vec<f64> =
        stepper.contacts().iter().filter(|c| c.gap < 0.0).map(|c| -c.gap / bed.radius).collect();
    let mass = bed.density * 4.0 / 3.0 * std::f64::consts::PI * bed.radius.powi(3);
    let mut line = line(bed.case, request, &report, steps, wall_s, cpu_s, size);
    line.variant = if request.variant.is_empty() { "settled".into() } else { request.variant.clone() };
    line.method = method(bed.law, request);
    line.touching = overlaps.len();
    line.penetration_max = Some(overlaps.iter().fold(0.0, |m: f64, o| m.max(*o)));
    line.penetration_mean = Some(overlaps.iter().sum::<f64>() / overlaps.len().max(1) as f64);
    line.kinetic_energy = state
        .v
        .chunks_exact(6)
        .map(|v| {
            let (v, w) = (DVec3::from_slice(v), DVec3::from_slice(&v[3..]));
            0.5 * mass * (v.length_squared() + 0.4 * bed.radius * bed.radius * w.length_squared())
        })
        .sum();
    line.iterations_per_step = iterations as f64 / steps as f64;
    line.settle_s = settle_s;
    Ok(line.into())
}

fn method(law: ContactLaw, request: &Request) -> String {
    if law == ContactLaw::Compliant {
        return "hertz, history".into();
    }
    let name = request.solver.name();
    request.iterations.map_or(name.into(), |n| format!("{name} {n}"))
}

const BRICK: DVec3 = DVec3::new(0.2, 0.1, 0.1);
const COLUMNS: usize = 25;
const ROWS: usize = 20;

fn brick_place(row: usize, column: usize) -> DVec3 {
    let offset = if row % 2 == 1 { 0.1005 } else { 0.0 };
    DVec3::new(0.2 + 0.402 * column as f64 + offset, 0.0, 0.1 + 0.2 * row as f64)
}

/// A wall of bricks that stands, or that a heavy ball hits.
pub fn brick_wall(request: &Request) -> Result<Line, BenchError> {
    let hit = request.variant == "hit";
    const H: f64 = 1e-3;
    let mut scene = Scene::new(Material { friction: 0.5, ..Material::default() })?;
    scene.wall("ground", DVec3::ZERO, DVec3::Z)?;
    let mass = 16.0;
    let s = BRICK * BRICK * (mass / 3.0);
    let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
    for row in 0..ROWS {
        for column in 0..COLUMNS {
            let name = format!("brick {row} {column}");
            let position = brick_place(row, column);
            let body = Body { name, mass, inertia, position, ..Body::default() };
            scene.add(body, Shape::Box { half: BRICK })?;
        }
    }
    if hit {
        scene.ball(0.5, 1000.0, DVec3::new(5.0, -2.0, 2.0), DVec3::new(0.0, 15.0, 0.0))?;
    }
    // What every user gets: the default tolerance and number of iterations.
    rigid(&mut scene, request, 100, None);
    let (mut stepper, mut state) = stepper(&scene, request.threads, ContactLaw::Rigid)?;
    let steps = request.steps.unwrap_or(1000);
    let (mut report, mut iterations) = (StepReport::default(), 0);
    let clock = Clock::start();
    for _ in 0..steps {
        report = stepper.step(&mut state, H)?;
        iterations += report.contact_iterations;
    }
    let (wall_s, cpu_s) = clock.stop();
    let mut line = line("brick_wall", request, &report, steps, wall_s, cpu_s, ROWS * COLUMNS);
    line.variant = if hit { "hit".into() } else { "static".into() };
    line.iterations_per_step = iterations as f64 / steps as f64;
    let place = |i: usize| (DVec3::from_slice(&state.q[7 * i..]), DQuat::from_slice(&state.q[7 * i + 3..]));
    let (mut sink, mut drift) = (0.0f64, 0.0f64);
    for i in 0..ROWS * COLUMNS {
        let moved = place(i).0 - brick_place(i / COLUMNS, i % COLUMNS);
        drift = drift.max(moved.truncate().length());
        if i / COLUMNS == ROWS - 1 {
            sink = sink.max(-moved.z);
        }
    }
    let poses: Vec<(DVec3, DQuat)> = (0..ROWS * COLUMNS).map(place).collect();
    line.penetration_mm = Some(1e3 * deepest_overlap(BRICK, &poses));
    line.sink_mm = Some(1e3 * sink);
    line.drift_mm = Some(1e3 * drift);
    line.touching = stepper.contacts().iter().filter(|c| c.gap <= 0.0).count();
    let kinetic = |v: &[f64]| {
        let (v, w) = (DVec3::from_slice(v), DVec3::from_slice(&v[3..]));
        0.5 * (mass * v.length_squared() + w.dot(inertia * w))
    };
    line.kinetic_energy = state.v.chunks_exact(6).take(ROWS * COLUMNS).map(kinetic).sum();
    Ok(line.into())
}

fn line(
    case: &'static str,
    request: &Request,
    report: &StepReport,
    steps: usize,
    wall_s: f64,
    cpu_s: f64,
    size: usize,
) -> ContactLine {
    ContactLine {
        case,
        variant: String::new(),
        size,
        tool: "huygens",
        version: env!("CARGO_PKG_VERSION"),
        method: method(ContactLaw::Rigid, request),
        warm_start: request.warm_start,
        threads: request.threads,
        steps,
        wall_s,
        cpu_s,
        ms_per_step: 1e3 * cpu_s / steps as f64,
        wall_ms_per_step: 1e3 * wall_s / steps as f64,
        rate: (size * steps) as f64 / cpu_s,
        contacts: report.contacts,
        touching: 0,
        penetration_max: None,
        penetration_mean: None,
        kinetic_energy: 0.0,
        iterations_per_step: 0.0,
        residual: report.contact_residual,
        sink_mm: None,
        drift_mm: None,
        penetration_mm: None,
        settle_s: 0.0,
        peak_rss_mb: peak_memory(),
    }
}
