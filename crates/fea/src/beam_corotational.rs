//! The corotational beam: small strains of Euler and Bernoulli in a frame that goes with the beam (felippa2005).
//!
//! The frame has its x axis from node to node and its y axis between those of the two sections. Seen from it, the beam
//! stretches by $l - L$ and its sections turn by $\theta_k = \log(E^T A_k)$; the energy is that of a linear beam. The
//! forces are the exact derivatives of this energy, the turning of the frame included, and the stiffness is exact too.

use huygens_kernel::three;
use huygens_kernel::triple::{cross, difference, dot, scaled, sum};

use crate::dual::Real;
use crate::rod::{RodColumns, RodNode};
use crate::turn::{Turn, tangent_inverse};

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamCorotational {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch EA [N].
    pub stretch: f64,
    /// Stiffness of twist and bending: GJ, EI about y and z [N·m²].
    pub bending: [f64; 3],
    /// Turns from the axes of the sections, x along the beam at rest, to those of the nodes.
    pub sections: [[f64; 4]; 2],
}

/// What the forces follow from, all in the axes of the frame.
struct State<T> {
    /// Axes of the frame.
    frame: [[T; 3]; 3],
    length: T,
    /// y axes of the sections.
    y: [[T; 3]; 2],
    /// Turns of the sections [rad].
    turns: [[T; 3]; 2],
}

impl BeamCorotational {
    /// Elastic energy [J], and the forces on the columns.
    pub fn force(&self, nodes: &[RodNode; 2]) -> (f64, RodColumns) {
        let turns = nodes.map(|node| Turn(node.turn));
        let state = self.state(nodes.map(|node| node.place), turns);
        let (pull, moments) = self.resultants(&state);
        let turning: f64 = (0..2).map(|k| dot(moments[k], state.turns[k])).sum();
        (0.5 * (pull * (state.length - self.length) + turning), self.columns(&state, turns))
    }

    /// Stiffness: minus the derivative of the forces by motion along the columns, row by row.
    pub fn stiffness(&self, nodes: &[RodNode; 2]) -> [[f64; 12]; 12] {
        let (places, turns) = RodNode::variables(nodes);
        let forces = self.columns(&self.state(places, turns), turns);
        forces.map(|force| force.slopes.map(|slope| -slope))
    }

    fn state<T: Real>(&self, places: [[T; 3]; 2], turns: [Turn<T>; 2]) -> State<T> {
        let axes = [0, 1].map(|k| {
            let section = turns[k].after(Turn(self.sections[k].map(T::of)));
            three!(i => {
                let mut axis = [T::zero(); 3];
                axis[i] = T::of(1.0);
                section.apply(axis)
            })
        });
        let d = difference(places[1], places[0]);
        let length = dot(d, d).sqrt();
        let x = scaled(T::of(1.0) / length, d);
        let between = sum(axes[0][1], axes[1][1]);
        let across = cross(x, between);
        let z = scaled(T::of(1.0) / dot(across, across).sqrt(), across);
        let frame = [x, cross(z, x), z];
        let turns = axes.map(|axes| {
            let seen: [[T; 3]; 3] = three!(i => three!(j => dot(frame[i], axes[j])));
            log_of_matrix(&seen)
        });
        let y = axes.map(|axes| three!(i => dot(frame[i], axes[1])));
        State { frame, length, y, turns }
    }

    /// Pull, and the moments that go with the turns of the sections.
    fn resultants<T: Real>(&self, state: &State<T>) -> (T, [[T; 3]; 2]) {
        let l = self.length;
        let pull = T::of(self.stretch / l) * (state.length - T::of(l));
        let [a, b] = state.turns;
        let twist = T::of(self.bending[0] / l) * (b[0] - a[0]);
        let bend =
            |k: usize, near: T, far: T| T::of(self.bending[k] / l) * (T::of(4.0) * near + T::of(2.0) * far);
        let moments = [
            [-twist, bend(1, a[1], b[1]), bend(2, a[2], b[2])],
            [twist, bend(1, b[1], a[1]), bend(2, b[2], a[2])],
        ];
        (pull, moments)
    }

    fn columns<T: Real>(&self, state: &State<T>, turns: [Turn<T>; 2]) -> [T; 12] {
        let (pull, moments) = self.resultants(state);
        // Moments that go with turns relative to the frame.
        let moments = [0, 1].map(|k| tangent_inverse(state.turns[k], moments[k], false));
        let total = sum(moments[0], moments[1]);
        let half = T::of(0.5);
        // The turn of the frame: about x it follows the sections, about y and z the nodes.
        let mean: [T; 2] = [half * (state.y[0][0] + state.y[1][0]), half * (state.y[0][1] + state.y[1][1])];
        let about_x = total[0] / mean[1];
        let side = [pull, -(total[2] / state.length), (about_x * mean[0] + total[1]) / state.length];
        let to_world = |v: [T; 3]| -> [T; 3] {
            three!(i => state.frame[0][i] * v[0] + state.frame[1][i] * v[1] + state.frame[2][i] * v[2])
        };
        let force = to_world(side);
        let torques = [0, 1].map(|k| {
            let [yx, yy, _] = state.y[k];
            let share = half * about_x;
            let local = [moments[k][0] - share * yy, moments[k][1] + share * yx, moments[k][2]];
            turns[k].inverse().apply(to_world(scaled(T::of(-1.0), local)))
        });
        let parts = [force, torques[0], scaled(T::of(-1.0), force), torques[1]];
        std::array::from_fn(|k| parts[k / 3][k % 3])
    }
}

/// Rotation vector [rad] of a matrix, row by row; below π.
fn log_of_matrix<T: Real>(m: &[[T; 3]; 3]) -> [T; 3] {
    let half = T::of(0.5);
    let v = [half * (m[2][1] - m[1][2]), half * (m[0][2] - m[2][0]), half * (m[1][0] - m[0][1])];
    let square = dot(v, v);
    let cosine = half * (m[0][0] + m[1][1] + m[2][2] - T::of(1.0));
    let factor = if square.value() < 1e-4 && cosine.value() > 0.0 {
        // asin(s)/s by powers of s².
        let s = square;
        T::of(1.0)
            + s * (T::of(1.0 / 6.0)
                + s * (T::of(3.0 / 40.0) + s * (T::of(5.0 / 112.0) + s * T::of(35.0 / 1152.0))))
    } else {
        let sine = square.sqrt();
        sine.atan2(cosine) / sine
    };
    scaled(factor, v)
}
