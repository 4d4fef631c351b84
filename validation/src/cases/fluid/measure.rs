//! What cases of fluids have in common: threads, values at points, curves, bodies that are free.

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::sph::Rheology;
use huygens_particles::sph::{FlowSpace, FluidSettings, FluidSystem, SolidId, SolidMotion};

use crate::Context;
use crate::error::Result;
use crate::report::Check;

/// The plane of x and z.
pub const PLANE: FlowSpace = FlowSpace::Plane { normal: 1 };

/// Acceleration of gravity [m/s²].
pub const GRAVITY: f64 = 9.81;

/// What the physics of a flow says. Everything else is the default of the engine: no case has numerical settings of its own.
#[derive(Clone, Copy, Debug)]
pub struct Flow {
    /// Space or plane.
    pub space: FlowSpace,
    /// Spacing of particles [m].
    pub spacing: f64,
    /// Density at rest [kg/m³].
    pub density: f64,
    /// Viscosity [Pa·s].
    pub viscosity: f64,
    /// Greatest speed of the flow [m/s]: the speed of sound is ten times it.
    pub fastest: f64,
    /// Gravity and other body forces [m/s²].
    pub gravity: Vec3,
    /// Whether the fluid fills its room; elsewhere air comes in where pressure would fall below zero.
    pub filled: bool,
    /// Least coordinate and length of each periodic axis [m].
    pub periodic: [Option<[f64; 2]>; 3],
}

impl Flow {
    /// Water below air in the plane of x and z, with gravity along z.
    pub fn water(spacing: f64, fastest: f64) -> Self {
        Self {
            space: PLANE,
            spacing,
            density: 1000.0,
            viscosity: 1e-3,
            fastest,
            gravity: Vec3::NEG_Z * GRAVITY,
            filled: false,
            periodic: [None; 3],
        }
    }

    /// Settings with these numbers and the defaults.
    pub fn settings(self) -> FluidSettings {
        FluidSettings {
            space: self.space,
            spacing: self.spacing,
            density: self.density,
            sound: 10.0 * self.fastest,
            gravity: self.gravity,
            tension: self.filled,
            rheology: Rheology::Newtonian { viscosity: self.viscosity },
            periodic: self.periodic,
            ..FluidSettings::default()
        }
    }
}

/// Threads of a run: those asked for, one in quick runs.
pub fn exec(context: &Context) -> Result<Exec> {
    Ok(if context.quick { Exec::serial() } else { Exec::with_threads(context.threads)? })
}

/// Pressure [Pa] and velocity [m/s] at a point of the plane of x and z: of the linear fields that are nearest to those
/// of the particles around it.
///
/// Means would be those of a point farther from a wall.
pub fn linear_at(system: &FluidSystem, point: Vec3) -> Option<(f64, Vec3)> {
    let reach = system.settings().reach();
    // Sums of w, w x, w z, w x², w x z, w z²; and of these first three with each field.
    let mut moments = [0.0; 6];
    let mut fields = [[0.0; 3]; 4];
    for p in system.particles() {
        let offset = p.position - point;
        let (x, z) = (offset.x / reach, offset.z / reach);
        let square = x * x + z * z;
        if square >= 1.0 {
            continue;
        }
        let weight = (1.0 - square).powi(3);
        for (sum, term) in moments.iter_mut().zip([1.0, x, z, x * x, x * z, z * z]) {
            *sum += weight * term;
        }
        for (sums, value) in fields.iter_mut().zip([p.pressure, p.velocity.x, p.velocity.y, p.velocity.z]) {
            for (sum, term) in sums.iter_mut().zip([1.0, x, z]) {
                *sum += weight * term * value;
            }
        }
    }
    let [w, x, z, xx, xz, zz] = moments;
    let matrix = glam::DMat3::from_cols_array(&[w, x, z, x, xx, xz, z, xz, zz]);
    if matrix.determinant().abs() < 1e-6 * w.powi(3) {
        return None;
    }
    let first = matrix.inverse().transpose().x_axis;
    let value = fields.map(|sums| first.dot(sums.into()));
    Some((value[0], Vec3::new(value[1], value[2], value[3])))
}

/// A quantity over time.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Times.
    pub time: Vec<f64>,
    /// Values.
    pub value: Vec<f64>,
}

impl Trace {
    /// Adds a value.
    pub fn push(&mut self, time: f64, value: f64) {
        self.time.push(time);
        self.value.push(value);
    }

    /// Value at a time, between samples by a straight line.
    pub fn at(&self, time: f64) -> f64 {
        let next = self.time.partition_point(|t| *t < time).clamp(1, self.time.len().max(2) - 1);
        let (a, b) = (next - 1, next);
        let share = ((time - self.time[a]) / (self.time[b] - self.time[a])).clamp(0.0, 1.0);
        self.value[a] + share * (self.value[b] - self.value[a])
    }

    /// Means over a width of time about each sample.
    pub fn smooth(&self, width: f64) -> Self {
        let mean = |t: f64| {
            let from = self.time.partition_point(|s| *s < t - 0.5 * width);
            let to = self.time.partition_point(|s| *s <= t + 0.5 * width);
            self.value[from..to].iter().sum::<f64>() / (to - from).max(1) as f64
        };
        Self { time: self.time.clone(), value: self.time.iter().map(|t| mean(*t)).collect() }
    }

    /// First time at which the value is above a bound.
    pub fn first_above(&self, bound: f64) -> Option<f64> {
        self.value.iter().position(|value| *value > bound).map(|k| self.time[k])
    }
}

/// Errors at ever finer resolutions, each with its count of particles along a side, and the order that all of them show.
///
/// The order is the slope of the straight line that fits the logarithms best.
pub fn orders(what: &str, errors: &[(f64, f64)]) -> Vec<Check> {
    let mut checks: Vec<Check> =
        errors.iter().map(|(count, error)| Check::error(format!("{count} {what}"), *error, 0.1)).collect();
    let points: Vec<[f64; 2]> = errors.iter().map(|(count, error)| [count.ln(), error.ln()]).collect();
    let number = points.len() as f64;
    let mean = [0, 1].map(|k| points.iter().map(|p| p[k]).sum::<f64>() / number);
    let both: f64 = points.iter().map(|p| (p[0] - mean[0]) * (p[1] - mean[1])).sum();
    let square: f64 = points.iter().map(|p| (p[0] - mean[0]).powi(2)).sum();
    checks.push(Check::at_least("observed order in the spacing", 1.0, -both / square));
    checks
}

/// A rigid body that only the fluid and its weight move.
pub struct FreeBody {
    /// Its markers.
    pub solid: SolidId,
    /// Mass [kg, in the plane kg/m].
    pub mass: f64,
    /// Moment of inertia about any axis [kg·m²].
    pub inertia: f64,
    /// Its weight, less what of the buoyancy is not computed [N].
    pub weight: Vec3,
    /// How it moves.
    pub motion: SolidMotion,
}

impl FreeBody {
    /// One step: fluid and body in turn.
    pub fn step(&mut self, system: &mut FluidSystem, ex: &Exec) -> Result<f64> {
        system.refresh(ex)?;
        let step = system.step_limit();
        system.run(ex, step, 1)?;
        let [push, turn] = system.take_solid_impulse(self.solid)?;
        let old = self.motion;
        let velocity = old.velocity + (push + self.weight * step) / self.mass;
        let angular_velocity = old.angular_velocity + turn / self.inertia;
        let turned = huygens_kernel::rotation::exp(old.angular_velocity * step) * old.rotation;
        self.motion = SolidMotion {
            position: old.position + old.velocity * step,
            rotation: turned.normalize(),
            velocity,
            angular_velocity,
            acceleration: (velocity - old.velocity) / step,
            angular_acceleration: (angular_velocity - old.angular_velocity) / step,
        };
        system.set_solid_motion(self.solid, self.motion)?;
        Ok(step)
    }
}
