//! What a state says of a fluid.

use huygens_core::State;
use huygens_kernel::Vec3;

use super::fluid::FluidPlace;
use super::rows::{HISTORY, WALL_HISTORY};

/// A fluid marker.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConstraintMarker {
    /// Position [m].
    pub position: Vec3,
    /// Velocity [m/s].
    pub velocity: Vec3,
    /// Pressure of the last step [Pa].
    pub pressure: f64,
    /// Density at the start of the last step [kg/m³].
    pub density: f64,
}

/// A marker of a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WallMarker {
    /// Pressure of the last step [Pa].
    pub pressure: f64,
    /// Density at the start of the last step [kg/m³]; of those without fluid near 0.
    pub density: f64,
}

impl FluidPlace {
    /// Number of fluid markers.
    pub fn len(&self) -> usize {
        self.shared.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fluid markers, in the order they were added.
    pub fn markers<'a>(&'a self, state: &'a State) -> impl ExactSizeIterator<Item = ConstraintMarker> + 'a {
        (0..self.len()).map(move |k| {
            let (q, v) = (self.shared.first_q + 3 * k, self.shared.first_v + 3 * k);
            let history = self.history + HISTORY * k;
            ConstraintMarker {
                position: Vec3::from_slice(&state.q[q..q + 3]),
                velocity: Vec3::from_slice(&state.v[v..v + 3]),
                pressure: state.history[history],
                density: state.history[history + 1],
            }
        })
    }

    /// Markers of all walls, in the order they were added.
    pub fn wall_markers<'a>(&'a self, state: &'a State) -> impl ExactSizeIterator<Item = WallMarker> + 'a {
        (0..self.shared.wall_of.len()).map(move |k| {
            let history = self.history + HISTORY * (self.len() + k);
            WallMarker { pressure: state.history[history], density: state.history[history + 1] }
        })
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
        self.shared.settings.mass() * self.markers(state).map(|m| m.velocity).sum::<Vec3>()
    }

    /// Kinetic energy of the fluid [J].
    pub fn kinetic_energy(&self, state: &State) -> f64 {
        0.5 * self.shared.settings.mass()
            * self.markers(state).map(|m| m.velocity.length_squared()).sum::<f64>()
    }

    /// Greatest excess of density over that at rest, as a part of it, at the start of the last step.
    pub fn compression(&self, state: &State) -> f64 {
        let rest = self.shared.settings.density;
        self.markers(state).map(|m| m.density / rest - 1.0).fold(0.0, f64::max)
    }
}
