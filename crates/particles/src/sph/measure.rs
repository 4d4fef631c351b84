//! What is asked of a fluid: values at points, its surface, its energy.

use huygens_kernel::Vec3;
use huygens_kernel::sph::StateEquation;

use super::fields::is_marker;
use super::system::FluidSystem;

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
        let settings = &self.settings;
        let (h, dimension, reach) = (settings.length(), settings.space.dimension(), settings.reach());
        let mut sums = (0.0, 0.0, Vec3::ZERO);
        for i in (0..self.fields.len()).filter(|i| !is_marker(self.fields.tag[*i])) {
            let place = self.fields.place[i];
            let mut offset = place.vector() - point;
            for (k, period) in settings.periodic.iter().enumerate() {
                if let Some([_, length]) = period {
                    offset[k] -= length * (offset[k] / length).round();
                }
            }
            let distance = offset.length();
            if distance < reach {
                let volume = place.0[3];
                let weight = volume * settings.kernel.value(dimension, h, distance);
                sums.0 += weight;
                sums.1 += weight * self.fields.motion[i].0[3] / (volume * volume);
                sums.2 += weight * self.fields.motion[i].vector();
            }
        }
        (sums.0 > 0.0).then(|| (sums.1 / sums.0, sums.2 / sums.0))
    }

    /// Height [m] of the surface over a point, along the axis `up`: half a spacing above the highest particle within a
    /// spacing of the line; none where there is none.
    pub fn surface_height(&self, point: Vec3, up: usize) -> Option<f64> {
        let d = self.settings.spacing;
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
        let settings = &self.settings;
        let (mass, rest, sound) = (settings.mass(), settings.density, settings.sound);
        // ∫ p/ρ² dρ from the density at rest.
        let elastic = |density: f64| -> f64 {
            let ratio = density / rest;
            sound
                * sound
                * match settings.state {
                    StateEquation::Tait { exponent } if exponent != 1.0 => {
                        let g = exponent;
                        (ratio.powf(g - 1.0) / (g - 1.0) + 1.0 / ratio - g / (g - 1.0)) / g
                    }
                    _ => ratio.ln() + 1.0 / ratio - 1.0,
                }
        };
        let mut energy = FluidEnergy::default();
        for p in self.particles() {
            energy.kinetic += 0.5 * mass * p.velocity.length_squared();
            energy.potential -= mass * settings.gravity.dot(p.position);
            energy.elastic += mass * elastic(p.density);
        }
        energy
    }
}
