//! The geometrically exact rod with two nodes: stretch, shear, bending and twist at any rotation (simo1985).
//!
//! The rotation between the two sections, $\psi = \log(A_1^T A_2)$, is shared evenly along the rod, so that strains do
//! not change when the rod turns as a whole (crisfield1999). They are taken in the middle: $\Gamma = A_m^T(x_2 -
//! x_1)/L$ with $A_m = A_1\exp(\psi/2)$, and $K = \psi/L$, both less their values at rest.

use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};
use huygens_kernel::{Scalar, three};

use crate::dual::{Dual, Real};
use crate::turn::{Turn, tangent, tangent_inverse};

/// Place [m] of a node and the turn of its axes.
#[derive(Clone, Copy, Debug)]
pub struct RodNode {
    /// Place [m].
    pub place: [f64; 3],
    /// From its axes to those of the world: x, y, z, w.
    pub turn: [f64; 4],
}

impl RodNode {
    /// Places and turns of two nodes as variables: the columns.
    pub(crate) fn variables(nodes: &[Self; 2]) -> ([[Dual<12>; 3]; 2], [Turn<Dual<12>>; 2]) {
        let places = [0, 1].map(|k| three!(i => Dual::variable(nodes[k].place[i], 6 * k + i)));
        let turns = [0, 1].map(|k| {
            let turn = Turn(nodes[k].turn.map(Dual::of));
            turn.after(Turn::exp(three!(i => Dual::variable(0.0, 6 * k + 3 + i))))
        });
        (places, turns)
    }
}

/// Columns of the element: velocity of a node in world axes, angular velocity in its own axes, for both nodes.
pub type RodColumns = [f64; 12];

/// One element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Length at rest [m].
    pub length: f64,
    /// Stiffness of stretch and shear: EA, GA along y and z [N].
    pub stretch: [f64; 3],
    /// Stiffness of twist and bending: GJ, EI about y and z [N·m²].
    pub bending: [f64; 3],
    /// Turns from the axes of the sections to those of the nodes.
    pub sections: [[f64; 4]; 2],
    /// Strains at rest.
    pub rest: [[f64; 3]; 2],
}

impl Rod {
    /// The element that is at rest with its nodes as they are; `sections` are the axes of the sections seen from those
    /// of the nodes, their x along the rod.
    pub fn new(nodes: &[RodNode; 2], sections: [[f64; 4]; 2], stretch: [f64; 3], bending: [f64; 3]) -> Self {
        let d = difference(nodes[1].place, nodes[0].place);
        let length = dot(d, d).sqrt();
        let mut rod = Self { length, stretch, bending, sections, rest: [[0.0; 3]; 2] };
        let state = rod.state(nodes.map(|node| node.place), nodes.map(|node| Turn(node.turn)));
        rod.rest = state.strains;
        rod
    }

    /// Elastic energy [J], and the forces on the columns.
    pub fn force(&self, nodes: &[RodNode; 2]) -> (f64, RodColumns) {
        let state = self.state(nodes.map(|node| node.place), nodes.map(|node| Turn(node.turn)));
        let [gamma, kappa] = state.strains;
        let [n, m] = self.resultants(&state.strains);
        let twice: f64 = (0..3).map(|k| gamma[k] * n[k] + kappa[k] * m[k]).sum();
        (0.5 * self.length * twice, self.columns(&state))
    }

    /// Stiffness: minus the derivative of the forces by motion along the columns, row by row.
    pub fn stiffness(&self, nodes: &[RodNode; 2]) -> [[f64; 12]; 12] {
        let (places, turns) = RodNode::variables(nodes);
        let forces = self.columns(&self.state(places, turns));
        forces.map(|force| force.slopes.map(|slope| -slope))
    }

    /// Force and moment in the axes of the middle.
    fn resultants<T: Real>(&self, strains: &[[T; 3]; 2]) -> [[T; 3]; 2] {
        [
            three!(k => T::of(self.stretch[k]) * strains[0][k]),
            three!(k => T::of(self.bending[k]) * strains[1][k]),
        ]
    }

    fn state<T: Real>(&self, places: [[T; 3]; 2], turns: [Turn<T>; 2]) -> State<T> {
        let sections = self.sections.map(|s| Turn(s.map(T::of)));
        let [first, second] = [turns[0].after(sections[0]), turns[1].after(sections[1])];
        let psi = first.inverse().after(second).log();
        let half = scaled(T::of(0.5), psi);
        let middle = first.after(Turn::exp(half));
        let along = scaled(T::of(1.0 / self.length), difference(places[1], places[0]));
        let g = middle.inverse().apply(along);
        let kappa = scaled(T::of(1.0 / self.length), psi);
        let [rest_gamma, rest_kappa] = self.rest;
        let strains =
            [three!(k => g[k] - T::of(rest_gamma[k])), three!(k => kappa[k] - T::of(rest_kappa[k]))];
        State { psi, middle, g, strains }
    }

    fn columns<T: Real>(&self, state: &State<T>) -> [T; 12] {
        let [n, m] = self.resultants(&state.strains);
        let pull = state.middle.apply(n);
        let half = scaled(T::of(0.5), state.psi);
        let on_middle = scaled(T::of(self.length), cross(n, state.g));
        let on_psi = scaled_add(T::of(0.5), tangent(half, on_middle, true), m);
        let back = Turn::exp(half).apply(on_middle);
        let first = difference(tangent_inverse(state.psi, on_psi, false), back);
        let second = scaled(T::of(-1.0), tangent_inverse(state.psi, on_psi, true));
        let sections = self.sections.map(|s| Turn(s.map(T::of)));
        let (first, second) = (sections[0].apply(first), sections[1].apply(second));
        let push = scaled(T::of(-1.0), pull);
        let parts = [pull, first, push, second];
        std::array::from_fn(|k| parts[k / 3][k % 3])
    }
}

/// What the forces follow from.
struct State<T> {
    psi: [T; 3],
    middle: Turn<T>,
    /// Change of place per length in the axes of the middle.
    g: [T; 3],
    strains: [[T; 3]; 2],
}
