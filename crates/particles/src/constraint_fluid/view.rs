//! What a state says of a fluid.

use std::ops::Range;

use huygens_core::State;
use huygens_exec::Exec;
use huygens_geometry::Pose;
use huygens_kernel::Vec3;
use huygens_kernel::sph::Smoothing;

use super::fluid::FluidPlace;
use super::rows::{FluidRows, HISTORY, Shared, WALL_HISTORY};
use super::settings::ConstraintFluidSettings;
use crate::error::{ParticleError, Result};
use crate::sph::{Cells, FluidParticle, PatchMarker, SolidDraft};

/// Markers a piece of the sums here.
const PIECE: usize = 4096;

/// A marker of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallMarker {
    /// Pressure of the last step [Pa].
    pub pressure: f64,
    /// Density at the start of the last step [kg/m³]; of those without fluid near 0.
    pub density: f64,
}

impl FluidPlace {
    fn ranges(&self) -> [Range<usize>; 3] {
        let Shared { first_q, first_v, count, .. } = &*self.shared;
        let history = self.history..self.history + self.shared.history();
        [*first_q..first_q + 3 * count, *first_v..first_v + 3 * count, history]
    }

    /// Writes the pressures of the start and densities at rest into a new state.
    pub fn start(&self, state: &mut State) {
        let [.., history] = self.ranges();
        let numbers = state.history[history].chunks_exact_mut(HISTORY);
        for (numbers, pressure) in numbers.zip(self.pressures.iter()) {
            numbers.copy_from_slice(&[*pressure, self.shared.settings.density]);
        }
    }

    /// Its settings.
    pub fn settings(&self) -> &ConstraintFluidSettings {
        &self.shared.settings
    }

    /// Number of fluid markers.
    pub fn len(&self) -> usize {
        self.shared.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Refuses a state in which a marker is outside a box [m]; the normal of a flow in a plane has no bounds.
    pub fn check_bounds(&self, state: &State, [low, high]: [Vec3; 2]) -> Result<()> {
        let normal = self.settings().space.normal();
        let outside =
            |x: Vec3| (0..3).filter(|k| Some(*k) != normal).any(|k| !(low[k]..=high[k]).contains(&x[k]));
        match self.markers(state).find(|marker| outside(marker.position)) {
            None => Ok(()),
            Some(FluidParticle { number, position, .. }) => {
                Err(ParticleError::MarkerEscaped { number, at: position.to_array(), time: state.time })
            }
        }
    }

    /// The rows of the fluid, as the model knows them.
    pub fn rows(&self) -> FluidRows {
        FluidRows { shared: self.shared.clone() }
    }

    /// Fluid markers, in the order they were added.
    pub fn markers<'a>(&'a self, state: &'a State) -> impl ExactSizeIterator<Item = FluidParticle> + 'a {
        self.markers_in(state, 0..self.len())
    }

    fn markers_in<'a>(
        &'a self,
        state: &'a State,
        range: Range<usize>,
    ) -> impl ExactSizeIterator<Item = FluidParticle> + 'a {
        range.map(move |k| {
            let (q, v) = (self.shared.first_q + 3 * k, self.shared.first_v + 3 * k);
            let history = self.history + HISTORY * k;
            FluidParticle {
                number: k,
                position: Vec3::from_slice(&state.q[q..q + 3]),
                velocity: Vec3::from_slice(&state.v[v..v + 3]),
                pressure: state.history[history],
                density: state.history[history + 1],
            }
        })
    }

    /// Pressure [Pa] and velocity [m/s] at a point, as the mean of the fluid markers near it by weight of the kernel;
    /// none where there are none.
    pub fn at(&self, state: &State, point: Vec3) -> Option<(f64, Vec3)> {
        let (settings, mut sums) = (&self.shared.settings, (0.0, 0.0, Vec3::ZERO));
        let (kernel, reach) = (settings.smoothing(), settings.reach());
        for marker in self.markers(state) {
            let mut offset = marker.position - point;
            for (k, period) in settings.periodic.iter().enumerate() {
                if let Some([_, length]) = period {
                    offset[k] -= length * (offset[k] / length).round();
                }
            }
            let distance = offset.length();
            if distance < reach {
                let weight = kernel.value(distance);
                sums.0 += weight;
                sums.1 += weight * marker.pressure;
                sums.2 += weight * marker.velocity;
            }
        }
        (sums.0 > 0.0).then(|| (sums.1 / sums.0, sums.2 / sums.0))
    }

    /// Height [m] of the surface over a point, along the axis `up`: half a spacing above the highest marker within a
    /// spacing of the line; none where there is none.
    pub fn surface_height(&self, state: &State, point: Vec3, up: usize) -> Option<f64> {
        let d = self.shared.settings.spacing;
        let near = |at: &Vec3| {
            let mut offset = *at - point;
            offset[up] = 0.0;
            offset.length_squared() < d * d
        };
        let heights = self.markers(state).map(|m| m.position).filter(near).map(|at| at[up] + 0.5 * d);
        heights.reduce(f64::max)
    }

    /// Markers of all walls, in the order they were added.
    pub fn wall_markers<'a>(&'a self, state: &'a State) -> impl ExactSizeIterator<Item = WallMarker> + 'a {
        (0..self.shared.wall_of.len()).map(move |k| {
            let history = self.history + HISTORY * (self.len() + k);
            WallMarker { pressure: state.history[history], density: state.history[history + 1] }
        })
    }

    /// Mean pressure [Pa] of the last step on the surface of a patch of a solid whose parts are at poses, in an
    /// acceleration [m/s²]; 0 where it is dry.
    ///
    /// Rows of walls share the load with those of the fluid near them, so that their multipliers are no pressures. That at
    /// a point x of the surface is the mean of the fluid, brought there: $\sum_f W (p_f + \rho g\cdot(x - x_f))/\sum_f W$
    /// (adami2012).
    pub fn patch_pressure(
        &self,
        state: &State,
        patch: &[PatchMarker],
        (solid, poses): (&SolidDraft, &[Pose]),
        acceleration: Vec3,
    ) -> f64 {
        let settings = &self.shared.settings;
        let (kernel, reach) = (settings.smoothing(), settings.reach());
        let surface = |found: &PatchMarker| {
            let out = found.normal * (0.5 * settings.spacing);
            poses.get(found.part).map(|pose| pose.point(solid.parts[found.part][found.marker] + out))
        };
        let weights = patch.iter().filter_map(|found| Some((surface(found)?, found.weight)));
        let places: Vec<(Vec3, f64)> =
            weights.map(|(at, weight)| (settings.space.project(at), weight)).collect();
        let points: Vec<Vec3> = places.iter().map(|place| place.0).collect();
        let near = Cells::new(&points, reach, settings.periodic);
        let mut sums = vec![[0.0; 2]; points.len()];
        for marker in self.markers(state) {
            near.each_near(marker.position, |k, offset| {
                let weight = kernel.value(offset.length());
                let lift = settings.density * acceleration.dot(offset);
                sums[k][0] += weight;
                sums[k][1] += weight * (marker.pressure + lift);
            });
        }
        let mean = |[weight, sum]: &[f64; 2]| if *weight > 0.0 { sum / weight } else { 0.0 };
        places.iter().zip(&sums).map(|((_, weight), sums)| weight * mean(sums)).sum()
    }

    /// Force on a wall [N] and torque [N·m] about the origin of its carrier over the last step, world axes.
    pub fn wall_wrench(&self, state: &State, wall: usize) -> Option<[Vec3; 2]> {
        let first = self.history + HISTORY * (self.len() + self.shared.wall_of.len()) + WALL_HISTORY * wall;
        let numbers = state.history.get(first..first + WALL_HISTORY)?;
        (wall < self.shared.walls.len())
            .then(|| [Vec3::from_slice(&numbers[..3]), Vec3::from_slice(&numbers[3..])])
    }

    /// Momentum of the fluid [kg·m/s].
    pub fn momentum(&self, state: &State) -> Vec3 {
        let of = |range: Range<usize>| self.markers_in(state, range).map(|m| m.velocity).sum();
        self.shared.settings.mass() * Exec::serial().sum_vectors(self.len(), PIECE, of)
    }

    /// Least and greatest density [kg/m³] at the start of the last step; the second below the first where there are no
    /// markers.
    pub fn density_range(&self, state: &State) -> [f64; 2] {
        let densities = self.markers(state).map(|m| m.density);
        densities.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], d| [low.min(d), high.max(d)])
    }

    /// Greatest speed [m/s].
    pub fn max_speed(&self, state: &State) -> f64 {
        self.markers(state).map(|m| m.velocity.length_squared()).fold(0.0, f64::max).sqrt()
    }

    /// Kinetic energy of the fluid [J].
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        let of =
            |range: Range<usize>| self.markers_in(state, range).map(|m| m.velocity.length_squared()).sum();
        0.5 * self.shared.settings.mass() * Exec::serial().sum(self.len(), PIECE, of)
    }

    /// Greatest excess of density over that at rest, as a part of it, at the start of the last step.
    pub fn compression(&self, state: &State) -> f64 {
        let rest = self.shared.settings.density;
        self.markers(state).map(|m| m.density / rest - 1.0).fold(0.0, f64::max)
    }
}
