//! What is asked of a fluid: values at points, its surface, its energy.

use std::ops::Range;

use huygens_exec::Exec;
use huygens_kernel::Vec3;

use super::fields::is_marker;
use super::system::FluidSystem;

/// Particles a piece of the sums here.
const PIECE: usize = 4096;

/// Energies of a fluid [J, in the plane J/m].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FluidEnergy {
    /// Of motion.
    pub kinetic: f64,
    /// In the field of gravity, from the origin.
    pub potential: f64,
    /// Of compression.
    pub elastic: f64,
}

impl FluidEnergy {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.kinetic + self.potential + self.elastic
    }
}

impl FluidSystem {
    /// Pressure [Pa] and velocity [m/s] at a point, as the mean of the particles near it by weight of the kernel; none
    /// where there are none.
    pub fn at(&self, point: Vec3) -> Option<(f64, Vec3)> {
        self.at_on(&Exec::serial(), point)
    }

    /// The same as [`FluidSystem::at`], on many threads, with bit-identical results.
    pub fn at_on(&self, ex: &Exec, point: Vec3) -> Option<(f64, Vec3)> {
        let settings = &self.model.settings;
        let (h, dimension, reach) = (settings.length(), settings.space.dimension(), settings.reach());
        let (place, motion, tag) =
            (self.fields.place.read(), self.fields.motion.read(), self.fields.tag.read());
        let of = |range: Range<usize>| {
            let mut sums = (0.0, 0.0, Vec3::ZERO);
            for i in range.filter(|i| !is_marker(tag[*i])) {
                let mut offset = place[i].vector() - point;
                for (k, period) in settings.periodic.iter().enumerate() {
                    if let Some([_, length]) = period {
                        offset[k] -= length * (offset[k] / length).round();
                    }
                }
                let distance = offset.length();
                if distance < reach {
                    let volume = place[i].0[3];
                    let weight = volume * settings.kernel.value(dimension, h, distance);
                    sums.0 += weight;
                    sums.1 += weight * motion[i].0[3] / (volume * volume);
                    sums.2 += weight * motion[i].vector();
                }
            }
            sums
        };
        let sums = ex.reduce(place.len(), PIECE, of, |a, b| (a.0 + b.0, a.1 + b.1, a.2 + b.2))?;
        (sums.0 > 0.0).then(|| (sums.1 / sums.0, sums.2 / sums.0))
    }

    /// Height [m] of the surface over a point, along the axis `up`: half a spacing above the highest particle within a
    /// spacing of the line; none where there is none.
    pub fn surface_height(&self, point: Vec3, up: usize) -> Option<f64> {
        let d = self.model.settings.spacing;
        let near = |at: &Vec3| {
            let mut offset = *at - point;
            offset[up] = 0.0;
            offset.length_squared() < d * d
        };
        let heights = self.particles().map(|p| p.position).filter(near).map(|at| at[up] + 0.5 * d);
        heights.reduce(f64::max)
    }

    /// Energies.
    pub fn energy(&self) -> FluidEnergy {
        self.energy_on(&Exec::serial())
    }

    /// The same as [`FluidSystem::energy`], on many threads, with bit-identical results.
    pub fn energy_on(&self, ex: &Exec) -> FluidEnergy {
        let settings = &self.model.settings;
        let (mass, rest, sound) = (settings.mass(), settings.density, settings.sound);
        let of = |range: Range<usize>| {
            let mut energy = FluidEnergy::default();
            for p in self.particles_in(range) {
                energy.kinetic += 0.5 * mass * p.velocity.length_squared();
                energy.potential -= mass * settings.gravity.dot(p.position);
                energy.elastic += mass * settings.state.energy(rest, sound, p.density);
            }
            energy
        };
        let add = |a: FluidEnergy, b: FluidEnergy| FluidEnergy {
            kinetic: a.kinetic + b.kinetic,
            potential: a.potential + b.potential,
            elastic: a.elastic + b.elastic,
        };
        ex.reduce(self.fields.extent().owned, PIECE, of, add).unwrap_or_default()
    }

    /// Momentum of the fluid [kg·m/s].
    pub fn momentum(&self) -> Vec3 {
        self.momentum_on(&Exec::serial())
    }

    /// The same as [`FluidSystem::momentum`], on many threads, with bit-identical results.
    pub fn momentum_on(&self, ex: &Exec) -> Vec3 {
        let of = |range: Range<usize>| self.particles_in(range).map(|p| p.velocity).sum();
        self.model.settings.mass() * ex.sum_vectors(self.fields.extent().owned, PIECE, of)
    }

    /// Kinetic energy of the fluid [J].
    pub fn kinetic_energy(&self) -> f64 {
        self.kinetic_energy_on(&Exec::serial())
    }

    /// The same as [`FluidSystem::kinetic_energy`], on many threads, with bit-identical results.
    pub fn kinetic_energy_on(&self, ex: &Exec) -> f64 {
        let of = |range: Range<usize>| self.particles_in(range).map(|p| p.velocity.length_squared()).sum();
        0.5 * self.model.settings.mass() * ex.sum(self.fields.extent().owned, PIECE, of)
    }
}
