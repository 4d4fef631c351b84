//! What a fluid is made of, and how both kinds are read: one way for views, probes and recordings.

use glam::DVec3;
use huygens_core::State;
use huygens_particles::constraint_fluid::{ConstraintFluid, FluidPlace};
use huygens_particles::sph::{FluidParticle, FluidSystem};

use super::FluidSet;
use crate::world::World;

/// What moves a fluid.
pub(super) enum Flow {
    /// Particles in steps of their own: a sub-system, whose state is a block.
    Particles,
    /// Markers in the model, with rows of its cone problem.
    Markers(Markers),
}

/// A constraint fluid.
pub(super) struct Markers {
    /// As it goes into a model.
    pub fluid: ConstraintFluid,
    /// Where it is in the model; none while there is none.
    pub place: Option<FluidPlace>,
}

/// A fluid at the state of the world.
pub(super) enum Reading<'a> {
    Particles(&'a FluidSystem),
    /// Markers, and the acceleration they fall with [m/s²].
    Markers(&'a FluidPlace, &'a State, DVec3),
}

impl FluidSet {
    /// The fluid at the state of its world; none while it is not built.
    pub(super) fn reading<'a>(&'a self, world: &'a World) -> Option<Reading<'a>> {
        match self.flow.as_ref()? {
            Flow::Particles => Some(Reading::Particles(&world.fluid_block(&self.spec.name)?.system)),
            Flow::Markers(markers) => {
                Some(Reading::Markers(markers.place.as_ref()?, world.state()?, self.pull))
            }
        }
    }
}

impl Reading<'_> {
    /// Number of particles.
    pub fn len(&self) -> usize {
        match self {
            Self::Particles(system) => system.len(),
            Self::Markers(place, ..) => place.len(),
        }
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
            Self::Markers(place, state, _) => place
                .markers(state)
                .enumerate()
                .map(|(number, m)| FluidParticle {
                    number,
                    position: m.position,
                    velocity: m.velocity,
                    density: m.density,
                    pressure: m.pressure,
                })
                .collect(),
        }
    }

    /// Pressure [Pa] and velocity [m/s] at a point; none where there is no fluid.
    pub fn at(&self, point: DVec3) -> Option<(f64, DVec3)> {
        match self {
            Self::Particles(system) => system.at(point),
            Self::Markers(place, state, _) => place.at(state, point),
        }
    }

    /// Height of the surface over or below a point along the axis that gravity is nearest to [m].
    pub fn surface_height(&self, point: DVec3) -> Option<f64> {
        let gravity = self.gravity().abs();
        let up = (0..3).fold(2, |up, k| if gravity[k] > gravity[up] { k } else { up });
        match self {
            Self::Particles(system) => system.surface_height(point, up),
            Self::Markers(place, state, _) => place.surface_height(state, point, up),
        }
    }

    fn gravity(&self) -> DVec3 {
        match self {
            Self::Particles(system) => system.settings().gravity,
            Self::Markers(_, _, pull) => *pull,
        }
    }

    /// Momentum [kg·m/s].
    pub fn momentum(&self) -> DVec3 {
        match self {
            Self::Particles(system) => system.momentum(),
            Self::Markers(place, state, _) => place.momentum(state),
        }
    }

    /// Centre of mass [m].
    pub fn center(&self) -> DVec3 {
        let count = (self.len() as f64).max(1.0);
        match self {
            Self::Particles(system) => system.particles().map(|p| p.position).sum::<DVec3>() / count,
            Self::Markers(place, state, _) => place.markers(state).map(|m| m.position).sum::<DVec3>() / count,
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

    /// Speed of sound [m/s]; 0 for constraints.
    pub fn sound(&self) -> f64 {
        match self {
            Self::Particles(system) => system.settings().sound,
            Self::Markers(..) => 0.0,
        }
    }

    /// Particles that left the bounds and were taken out.
    pub fn lost(&self) -> u64 {
        match self {
            Self::Particles(system) => system.lost_count(),
            Self::Markers(..) => 0,
        }
    }

    /// Particles that went through a gate.
    pub fn gate_count(&self, gate: usize) -> f64 {
        match self {
            Self::Particles(system) => system.gate_counts().get(gate).map_or(0.0, |c| c.particles as f64),
            Self::Markers(..) => 0.0,
        }
    }
}
