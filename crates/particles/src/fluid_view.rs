//! How fluids are read: one way for weakly compressible and constraint fluids.

use std::fmt;

use huygens_core::State;
use huygens_geometry::Pose;
use huygens_kernel::Vec3;

use crate::constraint_fluid::FluidPlace;
use crate::sph::{Cells, FluidParticle, FluidSystem, PatchMarker, SolidDraft};

/// Distance in spacings up to which two particles are of one connected body of fluid.
const CONNECTED: f64 = 2.0;

/// A field of all particles of a fluid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FluidField {
    /// Positions [m].
    Position,
    /// Velocities [m/s].
    Velocity,
    /// Densities [kg/m³].
    Density,
    /// Pressures [Pa].
    Pressure,
}

impl FluidField {
    /// Numbers per particle.
    pub fn components(self) -> usize {
        if matches!(self, Self::Density | Self::Pressure) { 1 } else { 3 }
    }
}

/// Status of a fluid.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidStatus {
    /// Its name.
    pub name: String,
    /// Particles.
    pub particles: usize,
    /// Markers of walls, bodies and structures.
    pub markers: usize,
    /// Particles that left the bounds.
    pub lost: u64,
    /// Last step of the fluid [s].
    pub step: f64,
    /// Speed of sound [m/s]; 0 for a constraint fluid.
    pub sound: f64,
    /// Greatest speed [m/s].
    pub speed: f64,
    /// Greatest less least density, over that at rest; for a constraint fluid, greatest excess over that at rest.
    pub compressibility: f64,
}

impl fmt::Display for FluidStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, particles, lost, step, speed, compressibility, .. } = self;
        write!(f, "{name}: {particles} particles, step {step:.2e} s, {speed:.3} m/s, ")?;
        write!(f, "density within {:.2} %", 100.0 * compressibility)?;
        if *lost > 0 { write!(f, ", {lost} lost") } else { Ok(()) }
    }
}

/// A fluid at one state.
#[derive(Clone, Copy)]
pub enum FluidView<'a> {
    /// Particles of a weakly compressible fluid.
    Particles(&'a FluidSystem),
    /// Markers of a constraint fluid, and the acceleration they fall with [m/s²].
    Markers(&'a FluidPlace, &'a State, Vec3),
}

impl FluidView<'_> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Particles(system) => system.len(),
            Self::Markers(place, ..) => place.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Mass of a particle [kg, in the plane kg/m].
    pub fn particle_mass(&self) -> f64 {
        match self {
            Self::Particles(system) => system.settings().mass(),
            Self::Markers(place, ..) => place.settings().mass(),
        }
    }

    /// All particles in the order of their numbers.
    pub fn particles(&self) -> Vec<FluidParticle> {
        match self {
            Self::Particles(system) => {
                let mut particles: Vec<_> = system.particles().collect();
                particles.sort_unstable_by_key(|p| p.number);
                particles
            }
            Self::Markers(place, state, _) => place.markers(state).collect(),
        }
    }

    /// Pressure [Pa] and velocity [m/s] at a point; none where there is no fluid.
    pub fn at(&self, point: Vec3) -> Option<(f64, Vec3)> {
        match self {
            Self::Particles(system) => system.at(point),
            Self::Markers(place, state, _) => place.at(state, point),
        }
    }

    /// Height of the surface over or below a point along the axis that gravity is nearest to [m].
    pub fn surface_height(&self, point: Vec3) -> Option<f64> {
        let gravity = self.gravity().abs();
        let up = (0..3).fold(2, |up, k| if gravity[k] > gravity[up] { k } else { up });
        match self {
            Self::Particles(system) => system.surface_height(point, up),
            Self::Markers(place, state, _) => place.surface_height(state, point, up),
        }
    }

    /// Least and greatest coordinates [m] of the largest connected body of fluid; none without particles.
    ///
    /// Particles nearer than two spacings to one another are connected, so that spray does not count; the ends are half a
    /// spacing beyond the outermost particles.
    pub fn ends(&self) -> Option<[Vec3; 2]> {
        let (spacing, periodic) = match self {
            Self::Particles(system) => (system.settings().spacing, system.settings().periodic),
            Self::Markers(place, ..) => (place.settings().spacing, place.settings().periodic),
        };
        let points: Vec<Vec3> = self.particles().iter().map(|p| p.position).collect();
        let group = Cells::new(&points, CONNECTED * spacing, periodic).largest_group();
        let corners = group.into_iter().map(|k| [points[k] - 0.5 * spacing, points[k] + 0.5 * spacing]);
        corners.reduce(|[low, high], [a, b]| [low.min(a), high.max(b)])
    }

    /// Mean pressure [Pa] on the surface of a patch of a solid whose parts are at poses; 0 where it is dry.
    pub fn patch_pressure(&self, solid: &SolidDraft, poses: &[Pose], patch: &[PatchMarker]) -> f64 {
        match self {
            Self::Particles(system) => system.patch_pressure(solid.first, patch).unwrap_or(0.0),
            Self::Markers(place, state, pull) => place.patch_pressure(state, patch, (solid, poses), *pull),
        }
    }

    fn gravity(&self) -> Vec3 {
        match self {
            Self::Particles(system) => system.settings().gravity,
            Self::Markers(_, _, pull) => *pull,
        }
    }

    /// Momentum [kg·m/s].
    pub fn momentum(&self) -> Vec3 {
        match self {
            Self::Particles(system) => system.momentum(),
            Self::Markers(place, state, _) => place.momentum(state),
        }
    }

    /// Centre of mass [m].
    pub fn center(&self) -> Vec3 {
        let count = (self.len() as f64).max(1.0);
        match self {
            Self::Particles(system) => system.particles().map(|p| p.position).sum::<Vec3>() / count,
            Self::Markers(place, state, _) => place.markers(state).map(|m| m.position).sum::<Vec3>() / count,
        }
    }

    /// Kinetic energy, potential energy in gravity and energy of compression [J].
    pub fn energy(&self) -> [f64; 3] {
        match self {
            Self::Particles(system) => {
                let e = system.energy();
                [e.kinetic, e.potential, e.elastic]
            }
            Self::Markers(place, state, pull) => {
                let mass = self.particle_mass() * self.len() as f64;
                [place.kinetic_energy(state), -mass * pull.dot(self.center()), 0.0]
            }
        }
    }

    /// Least and greatest density [kg/m³], the second below the first where there are no particles.
    pub fn density_range(&self) -> [f64; 2] {
        match self {
            Self::Particles(system) => system.range().density,
            Self::Markers(place, state, _) => place.density_range(state),
        }
    }

    /// How far densities are from that at rest, as a part of it. Markers of constraints at a surface have few neighbours,
    /// so that of them only what is above counts.
    pub fn compressibility(&self) -> f64 {
        match self {
            Self::Particles(system) => match system.range().density {
                [low, high] if low <= high => (high - low) / system.settings().density,
                _ => 0.0,
            },
            Self::Markers(place, state, _) => place.compression(state),
        }
    }

    /// Greatest speed [m/s].
    pub fn speed(&self) -> f64 {
        match self {
            Self::Particles(system) => system.range().speed,
            Self::Markers(place, state, _) => place.max_speed(state),
        }
    }

    /// The particles in steps of their own, unless it is a constraint fluid.
    fn system(&self) -> Option<&FluidSystem> {
        match self {
            Self::Particles(system) => Some(system),
            Self::Markers(..) => None,
        }
    }

    /// Speed of sound [m/s]; 0 for constraints.
    pub fn sound(&self) -> f64 {
        self.system().map_or(0.0, |system| system.settings().sound)
    }

    /// Particles that left the bounds and were taken out.
    pub fn lost(&self) -> u64 {
        self.system().map_or(0, |system| system.lost_count())
    }

    /// Particles that went through a gate.
    pub fn gate_count(&self, gate: usize) -> f64 {
        let counts = self.system().map(|system| system.gate_counts()).unwrap_or_default();
        counts.get(gate).map_or(0.0, |count| count.particles as f64)
    }

    /// One field of all particles in the order of their numbers, the components of a particle side by side.
    pub fn field(&self, field: FluidField) -> Vec<f64> {
        let particles = self.particles();
        let mut out = Vec::with_capacity(particles.len() * field.components());
        for p in particles {
            match field {
                FluidField::Position => out.extend(p.position.to_array()),
                FluidField::Velocity => out.extend(p.velocity.to_array()),
                FluidField::Density => out.push(p.density),
                FluidField::Pressure => out.push(p.pressure),
            }
        }
        out
    }

    /// Status of the fluid of a name, whose last step was so long [s] and which has so many markers of solids.
    pub fn status(&self, name: &str, step: f64, markers: usize) -> FluidStatus {
        let (name, particles, lost, sound) = (name.to_owned(), self.len(), self.lost(), self.sound());
        let [speed, compressibility] = match particles {
            0 => [0.0; 2],
            _ => [self.speed(), self.compressibility()],
        };
        FluidStatus { name, particles, markers, lost, step, sound, speed, compressibility }
    }

    /// What to say, in words, of particles that have left the bounds.
    pub fn loss_warning(&self) -> Option<String> {
        let system = self.system().filter(|system| system.lost_count() > 0)?;
        let time = system.time();
        Some(format!(
            "particles leave the bounds, the first at t = {time:.4} s; the probe `lost` counts them"
        ))
    }
}
