//! The corotational beam: small strains of Euler and Bernoulli in a frame that goes with the beam (felippa2005).
//!
//! The frame has its x axis from node to node and its y axis between those of the two sections. Seen from it, the beam
//! stretches by $l - L$ and its sections turn by $\theta_k = \log(E^T A_k)$; the energy is that of a linear beam. The
//! forces are the exact derivatives of this energy, the turning of the frame included, and the stiffness is exact too.

use huygens_kernel::triple::{cross, difference, dot, scaled, sum};
use huygens_kernel::{Mat3, Quat, three};

use crate::element::dual::Real;
use crate::element::frame::{Ends, FrameElement, Mount, RodNode, SectionLoads, log_of_matrix, mounts, plain};
use crate::node::turn::tangent_inverse;
use crate::section::SectionValues;

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamCorotational {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch EA, the mean of both ends [N].
    pub stretch: f64,
    /// Stiffness of twist and bending at both ends: GJ, EI about y and z [N·m²]; between them it changes evenly.
    pub bending: [[f64; 3]; 2],
    /// How the sections are fixed to the nodes; at rest both have their x axis along the beam, and the same y axis.
    pub mounts: [Mount; 2],
    /// Mass per length at both ends [kg/m].
    pub density: [f64; 2],
    /// Inertia of rotation per length at both ends [kg·m], section axes.
    pub inertia: [Mat3; 2],
}

impl BeamCorotational {
    /// The element that is at rest with its nodes as they are; `sections` are those of its ends. Stiffness that is not
    /// diagonal and shear are left out.
    pub fn new(nodes: &[RodNode; 2], sections: &[SectionValues; 2]) -> Self {
        let places = sections.map(|section| section.place);
        let arms = mounts(nodes, places, false).map(|mount| mount.arm);
        let centered = [0, 1].map(|k| Mount { arm: arms[k], ..Mount::PLAIN });
        let ends = plain(&centered, nodes);
        // Axes of the line between the centres, not of that between the nodes.
        let between = [0, 1].map(|k| RodNode { place: ends.places[k], turn: nodes[k].turn });
        let first = mounts(&between, [places[0]; 2], false)[0].turn;
        let axes = Quat::from_array(nodes[0].turn) * Quat::from_array(first);
        let d = difference(ends.places[1], ends.places[0]);
        Self {
            length: dot(d, d).sqrt(),
            stretch: 0.5 * (sections[0].stretch[0] + sections[1].stretch[0]),
            bending: sections.map(|section| section.bending),
            mounts: [0, 1].map(|k| Mount {
                turn: (Quat::from_array(nodes[k].turn).inverse() * axes).to_array(),
                arm: arms[k],
            }),
            density: sections.map(|section| section.mass),
            inertia: sections.map(|section| section.inertia),
        }
    }

    /// Inertia of rotation that the element gives to its nodes [kg·m²], node axes.
    pub fn node_inertia(&self) -> [Mat3; 2] {
        [0, 1].map(|k| self.mounts[k].node_inertia(self.inertia[k] * (0.5 * self.length)))
    }

    /// Constant mass of places [kg]: each number stands for a diagonal block. That of sections beside the nodes counts
    /// as if it were at the nodes.
    pub fn mass(&self) -> [[f64; 2]; 2] {
        let unit = self.length / 12.0;
        let [a, b] = self.density;
        [[unit * (3.0 * a + b), unit * (a + b)], [unit * (a + b), unit * (a + 3.0 * b)]]
    }
}

/// What strains and loads follow from, all in the axes of the frame.
pub struct BeamState<T> {
    /// Axes of the frame.
    frame: [[T; 3]; 3],
    length: T,
    /// y axes of the sections.
    y: [[T; 3]; 2],
    /// Turns of the sections [rad].
    turns: [[T; 3]; 2],
}

impl<T: Real> BeamState<T> {
    fn to_world(&self, v: [T; 3]) -> [T; 3] {
        three!(i => self.frame[0][i] * v[0] + self.frame[1][i] * v[1] + self.frame[2][i] * v[2])
    }
}

impl FrameElement<2, 7> for BeamCorotational {
    type State<T: Real> = BeamState<T>;

    fn mounts(&self) -> &[Mount; 2] {
        &self.mounts
    }

    fn state<T: Real>(&self, ends: &Ends<T, 2>) -> BeamState<T> {
        let axes = ends.axes.map(|section| {
            three!(i => {
                let mut axis = [T::zero(); 3];
                axis[i] = T::of(1.0);
                section.apply(axis)
            })
        });
        let d = difference(ends.places[1], ends.places[0]);
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
        BeamState { frame, length, y, turns }
    }

    /// Longer by, and the turns of both sections.
    fn strains<T: Real>(&self, state: &BeamState<T>) -> [T; 7] {
        let [[a, b, c], [d, e, f]] = state.turns;
        [state.length - T::of(self.length), a, b, c, d, e, f]
    }

    /// Pull, and the moments that go with the turns of the sections.
    fn stresses<T: Real>(&self, strains: &[T; 7]) -> [T; 7] {
        let l = self.length;
        let [by, ax, ay, az, bx, by_y, bz] = *strains;
        let [first, second] = self.bending;
        let twist = T::of(0.5 * (first[0] + second[0]) / l) * (bx - ax);
        // Linear beams with an EI that changes evenly from p to q: (3 p + q)/L, (p + q)/L, (p + 3 q)/L.
        let bend =
            |p: f64, q: f64, near: T, far: T| T::of((3.0 * p + q) / l) * near + T::of((p + q) / l) * far;
        [
            T::of(self.stretch / l) * by,
            -twist,
            bend(first[1], second[1], ay, by_y),
            bend(first[2], second[2], az, bz),
            twist,
            bend(second[1], first[1], by_y, ay),
            bend(second[2], first[2], bz, az),
        ]
    }

    fn loads<T: Real>(
        &self,
        ends: &Ends<T, 2>,
        state: &BeamState<T>,
        stresses: &[T; 7],
    ) -> SectionLoads<T, 2> {
        let pull = stresses[0];
        // Moments that go with turns relative to the frame.
        let moments = [0, 1].map(|k| {
            let moment = three!(i => stresses[1 + 3 * k + i]);
            tangent_inverse(state.turns[k], moment, false)
        });
        let total = sum(moments[0], moments[1]);
        let half = T::of(0.5);
        // The turn of the frame: about x it follows the sections, about y and z the nodes.
        let mean: [T; 2] = [half * (state.y[0][0] + state.y[1][0]), half * (state.y[0][1] + state.y[1][1])];
        let about_x = total[0] / mean[1];
        let side = [pull, -(total[2] / state.length), (about_x * mean[0] + total[1]) / state.length];
        let force = state.to_world(side);
        let torques = [0, 1].map(|k| {
            let [yx, yy, _] = state.y[k];
            let share = half * about_x;
            let local = [moments[k][0] - share * yy, moments[k][1] + share * yx, moments[k][2]];
            ends.axes[k].inverse().apply(state.to_world(scaled(T::of(-1.0), local)))
        });
        SectionLoads { forces: [force, scaled(T::of(-1.0), force)], torques }
    }
}
