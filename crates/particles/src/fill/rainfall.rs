//! Grains that rain on a bed and come to rest.

use std::ops::{ControlFlow, Range};

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::random::Random;
use super::region::Region;
use super::sizes::Sizes;
use super::{Amount, look};
use crate::error::{ParticleError, Result, ranges};
use crate::grains::fields::Grain;
use crate::grains::list::CHUNK;
use crate::grains::system::GrainSystem;

/// When a bed is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settle {
    /// Kinetic energy per grain [J] below which it is.
    pub energy_per_grain: f64,
    /// Steps between looks.
    pub check_every: u64,
    /// Longest time to wait [s].
    pub longest: f64,
}

/// How a bed came to rest, or how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SettleReport {
    /// Kinetic energy per grain [J].
    pub energy_per_grain: f64,
    /// Time since the start [s].
    pub time: f64,
    /// Steps since the start.
    pub steps: u64,
    /// Whether the caller stopped it.
    pub stopped: bool,
}

impl Settle {
    fn check(&self) -> Result<()> {
        let range = ranges("settling");
        let positive = |x: f64| x > 0.0 && x.is_finite();
        range(
            "kinetic energy",
            self.energy_per_grain,
            positive(self.energy_per_grain),
            "finite and above 0",
        )?;
        range("longest time", self.longest, positive(self.longest), "finite and above 0")?;
        range("interval", self.check_every as f64, self.check_every > 0, "finite and above 0")
    }

    /// Runs until the grains are at rest; `progress` may stop it.
    pub fn run(
        &self,
        system: &mut GrainSystem,
        ex: &Exec,
        step: f64,
        mut progress: impl FnMut(&SettleReport) -> ControlFlow<()>,
    ) -> Result<SettleReport> {
        self.check()?;
        check_step(step)?;
        let (time, steps) = (system.time(), system.steps());
        loop {
            ex.check_stop()?;
            system.run(ex, step, self.check_every)?;
            let energy_per_grain = energy_per_grain(ex, system);
            let (time, steps) = (system.time() - time, system.steps() - steps);
            let mut report = SettleReport { energy_per_grain, time, steps, stopped: false };
            if energy_per_grain < self.energy_per_grain {
                return Ok(report);
            }
            if progress(&report).is_break() {
                report.stopped = true;
                return Ok(report);
            }
            if time >= self.longest {
                let wanted = self.energy_per_grain;
                return Err(ParticleError::NotSettled { energy_per_grain, wanted, time });
            }
        }
    }
}

/// Grains that rain in layers on what lies in a region.
///
/// Each layer appears above the highest grain, falls freely for as long as it needs to get there, and the next one
/// appears above what is then highest.
#[derive(Clone, Debug, PartialEq)]
pub struct Rainfall {
    /// Where grains may appear: the inside of the container and as high as it goes.
    pub region: Region,
    /// Their sizes.
    pub sizes: Sizes,
    /// How many.
    pub amount: Amount,
    /// Density [kg/m³].
    pub density: f64,
    /// Index of their material.
    pub material: usize,
    /// Velocity with which they appear [m/s].
    pub velocity: Vec3,
    /// Seed of the random numbers.
    pub seed: u64,
    /// When the bed is at rest.
    pub settle: Settle,
}

/// How rain did, or how far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RainfallReport {
    /// Grains that have rained.
    pub number: u64,
    /// Their mass [kg].
    pub mass: f64,
    /// Layers.
    pub layers: u64,
    /// How it came to rest since the last layer.
    pub settle: SettleReport,
}

/// Most steps in which a layer falls on the one before: more would look like a program that hangs.
const MOST_STEPS: f64 = 1e7;

/// Places tried for a grain before a layer is full.
const TRIES: usize = 200;

impl Rainfall {
    /// Lets it rain, then runs until the bed is at rest; `progress` may stop it.
    pub fn run(
        &self,
        system: &mut GrainSystem,
        ex: &Exec,
        step: f64,
        mut progress: impl FnMut(&RainfallReport) -> ControlFlow<()>,
    ) -> Result<RainfallReport> {
        self.region.check()?;
        self.amount.check("rainfall")?;
        self.settle.check()?;
        check_step(step)?;
        let sizes = self.sizes.table()?;
        let gravity = system.gravity();
        let Some(up) = (-gravity).try_normalize() else {
            let what = "the gravity of rainfall";
            return Err(ParticleError::range(what, gravity.length(), "above 0"));
        };
        let ends = heights(&self.region, up);
        let thickness = 6.0 * sizes.most();
        let gap = 0.5 * sizes.most();
        // v t + g t² / 2 = way of the highest grain of a layer.
        let (speed, g) = ((-self.velocity.dot(up)).max(0.0), gravity.length());
        let fall = ((speed * speed + 2.0 * g * (thickness + gap)).sqrt() - speed) / g;
        let fall_steps = (fall / step).ceil().max(1.0);
        if fall_steps > MOST_STEPS {
            return Err(ParticleError::GrainSteps { time: fall, count: fall_steps, step, most: MOST_STEPS });
        }
        let fall_steps = fall_steps as u64;
        let mut random = Random::new(self.seed);
        let mut report = RainfallReport::default();
        let mut waited = 0.0;
        while !self.amount.reached(report.number, report.mass) {
            let low = top(ex, system, &self.region, up).map_or(ends[0], |top| top.max(ends[0]) + gap);
            let layer = [low, (low + thickness).min(ends[1])];
            let before = report.number;
            if layer[1] - layer[0] >= 2.0 * sizes.most() {
                self.layer(system, ex, up, layer, &mut random, &mut report)?;
            }
            let mut steps = fall_steps;
            if report.number == before {
                if waited >= self.settle.longest {
                    return Err(ParticleError::NoRoom {
                        number: report.number,
                        mass: report.mass,
                        time: waited,
                    });
                }
                steps = self.settle.check_every;
                waited += step * steps as f64;
            } else {
                waited = 0.0;
                report.layers += 1;
            }
            system.run(ex, step, steps)?;
            report.settle.energy_per_grain = energy_per_grain(ex, system);
            if progress(&report).is_break() {
                report.settle.stopped = true;
                return Ok(report);
            }
        }
        report.settle = self
            .settle
            .run(system, ex, step, |settle| progress(&RainfallReport { settle: *settle, ..report }))?;
        Ok(report)
    }

    /// Adds a layer between two heights, as dense as chance makes it.
    fn layer(
        &self,
        system: &mut GrainSystem,
        ex: &Exec,
        up: Vec3,
        layer: [f64; 2],
        random: &mut Random,
        report: &mut RainfallReport,
    ) -> Result<()> {
        let sizes = self.sizes.table()?;
        let mut bounds = self.region.bounds();
        // Layers across an axis need not look elsewhere.
        if let Some(k) = (0..3).find(|k| up[*k].abs() > 1.0 - 1e-9) {
            let ends = [layer[0] * up[k].signum(), layer[1] * up[k].signum()];
            bounds[0][k] = ends[0].min(ends[1]);
            bounds[1][k] = ends[0].max(ends[1]);
        }
        let mut room = system.room(bounds, &sizes);
        let mut grains = Vec::new();
        while !self.amount.reached(report.number, report.mass) {
            look(ex, grains.len())?;
            let radius = sizes.draw(random);
            let free = |x: &Vec3| {
                let height = x.dot(up);
                height - radius >= layer[0]
                    && height + radius <= layer[1] + 1e-9 * radius
                    && self.region.clearance(*x) >= radius
                    && room.is_free(*x, radius)
                    && system.is_off_walls(*x, radius)
            };
            let Some(position) = (0..TRIES).map(|_| random.point(bounds)).find(free) else { break };
            room.add(position, radius);
            let grain = Grain {
                position,
                radius,
                density: self.density,
                velocity: self.velocity,
                angular_velocity: Vec3::ZERO,
                material: self.material,
            };
            report.number += 1;
            report.mass += grain.mass();
            grains.push(grain);
        }
        system.insert(ex, &grains)?;
        Ok(())
    }
}

fn check_step(step: f64) -> Result<()> {
    match step > 0.0 && step.is_finite() {
        true => Ok(()),
        false => Err(ParticleError::range("the step", step, "finite and above 0")),
    }
}

fn energy_per_grain(ex: &Exec, system: &GrainSystem) -> f64 {
    system.kinetic_energy_on(ex) / system.len().max(1) as f64
}

/// Least and greatest height of a region, by the corners of its box unless `up` is an axis of it.
fn heights(region: &Region, up: Vec3) -> [f64; 2] {
    let [low, high] = region.bounds();
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for corner in 0..8 {
        let pick = |k: usize| if corner >> k & 1 == 1 { high[k] } else { low[k] };
        let height = Vec3::new(pick(0), pick(1), pick(2)).dot(up);
        (least, most) = (least.min(height), most.max(height));
    }
    [least, most]
}

/// Height of the highest grain that reaches into a region.
fn top(ex: &Exec, system: &GrainSystem, region: &Region, up: Vec3) -> Option<f64> {
    let places = system.places();
    let of = |range: Range<usize>| {
        let inside =
            places[range].iter().filter(|row| region.clearance(system.wrapped(row.vector())) > -row.0[3]);
        inside.map(|row| row.vector().dot(up) + row.0[3]).fold(f64::NEG_INFINITY, f64::max)
    };
    let top = ex.max(places.len(), CHUNK, of);
    (top > f64::NEG_INFINITY).then_some(top)
}
