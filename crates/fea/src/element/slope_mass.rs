//! Consistent mass of lines whose slopes are directions of nodes with axes.
//!
//! A line $r = \sum_i N_i\,y_i$ runs through the places $x_k$ of its nodes with the slopes $A_k e_k$, unit vectors that
//! turn with them. Its kinetic energy is $\tfrac12\sum_{ij} m_{ij}\,\dot y_i\cdot\dot y_j$ with constant
//! $m_{ij} = \int\rho N_i N_j\,ds$; in the columns of the nodes $\dot y = \dot x$ or $A\,(\omega\times e)$. What couples
//! two places is constant in world axes, what couples a slope with itself is an inertia of rotation
//! $m\,(I - e\,e^T)$, constant in the axes of the node. The rest, places with slopes and slope with slope, turns with the
//! nodes and is here, with the terms of velocity that go with it:
//! $$ f_i = \sum_j m_{ij}\,\ddot y_j,\qquad \ddot y = A\,\bigl(\alpha\times e + \omega\times(\omega\times e)\bigr),
//! \qquad \tau_i = e_i\times A_i^T f_i. $$
//! The energy does not change when the line is moved or turned as a whole, so momentum and angular momentum are those
//! of the line.

use glam::DVec3;
use huygens_core::contract::{InertiaWeights, Slots, TurningInertia};
use huygens_kernel::rotation::skew;
use huygens_kernel::{Mat3, Quat, Vec3};

use super::batch::NodePlace;

/// The part of the mass of a line with two nodes that turns with them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlopeMass {
    /// Direction of the slope at each node, node axes.
    pub axes: [Vec3; 2],
    /// Mass between the place and the slope of the first node and those of the second [kg, kg·m, kg·m²]; zero between
    /// places and between a slope and itself.
    pub mass: [[f64; 4]; 4],
}

/// Where the vectors of a line are: the axes of both nodes, and the directions in world axes.
struct Turned {
    axes: [Mat3; 2],
}

impl SlopeMass {
    /// Keeps of a whole mass matrix what turns with the nodes.
    pub fn new(axes: [Vec3; 2], mut mass: [[f64; 4]; 4]) -> Self {
        for (i, j) in [(0, 0), (0, 2), (2, 0), (2, 2), (1, 1), (3, 3)] {
            mass[i][j] = 0.0;
        }
        Self { axes, mass }
    }

    fn turned(&self, turns: [&[f64]; 2]) -> Turned {
        Turned { axes: turns.map(|q| Mat3::from_quat(Quat::from_slice(q))) }
    }

    /// Forces on both nodes from the rates of the vectors: place and moment about the node, in its axes, of each.
    fn pull_back(&self, at: &Turned, forces: &[Vec3; 4]) -> [Vec3; 4] {
        let moment = |k: usize| self.axes[k].cross(at.axes[k].transpose() * forces[2 * k + 1]);
        [forces[0], moment(0), forces[2], moment(1)]
    }

    fn forces(&self, rates: &[Vec3; 4]) -> [Vec3; 4] {
        self.mass.map(|row| row.iter().zip(rates).map(|(m, rate)| *rate * *m).sum())
    }

    /// Second rates of the vectors; `v` and `a` are velocity, angular velocity and their rates of each node.
    fn accelerations(&self, at: &Turned, v: Option<[&[f64]; 2]>, a: [&[f64]; 2]) -> [Vec3; 4] {
        let slope = |k: usize| at.axes[k] * self.turning(k, v, Vec3::from_slice(&a[k][3..]));
        [Vec3::from_slice(a[0]), slope(0), Vec3::from_slice(a[1]), slope(1)]
    }

    /// $\alpha\times e + \omega\times(\omega\times e)$ in the axes of a node.
    fn turning(&self, k: usize, v: Option<[&[f64]; 2]>, alpha: Vec3) -> Vec3 {
        let omega = v.map_or(Vec3::ZERO, |v| Vec3::from_slice(&v[k][3..]));
        alpha.cross(self.axes[k]) + omega.cross(omega.cross(self.axes[k]))
    }

    /// Product of this mass with velocities of both nodes, six columns each; `q` are their positions, seven each.
    pub(crate) fn product(&self, q: &[f64], v: &[f64]) -> [Vec3; 4] {
        let at = self.turned([&q[3..7], &q[10..14]]);
        self.pull_back(&at, &self.forces(&self.accelerations(&at, None, [&v[..6], &v[6..]])))
    }

    /// Adds the mass over the columns of both nodes, times a weight, to a matrix of 12 columns.
    pub(crate) fn add_matrix(&self, q: &[f64], weight: f64, out: &mut [f64]) {
        for column in 0..12 {
            let mut unit = [0.0; 12];
            unit[column] = weight;
            for (i, part) in self.product(q, &unit).into_iter().enumerate() {
                (0..3).for_each(|r| out[(3 * i + r) * 12 + column] += part[r]);
            }
        }
    }
}

/// The turning masses of a batch.
#[derive(Default)]
pub(crate) struct SlopeMasses {
    items: Vec<Option<(SlopeMass, [NodePlace; 2])>>,
}

impl SlopeMasses {
    /// Adds that of the next item, if it has one.
    pub fn push(&mut self, mass: Option<SlopeMass>, nodes: &[NodePlace]) {
        let nodes = <[NodePlace; 2]>::try_from(nodes).ok();
        self.items.push(mass.zip(nodes));
    }

    /// Nothing where no item has any.
    pub fn or_none(self) -> Option<Self> {
        self.items.iter().any(Option::is_some).then_some(self)
    }

    fn each(&self) -> impl Iterator<Item = &(SlopeMass, [NodePlace; 2])> {
        self.items.iter().flatten()
    }
}

fn turns<'a>(q: &'a [f64], nodes: &[NodePlace; 2]) -> [&'a [f64]; 2] {
    nodes.map(|node| &q[node.q + 3..][..4])
}

fn columns<'a>(v: &'a [f64], nodes: &[NodePlace; 2]) -> [&'a [f64]; 2] {
    nodes.map(|node| &v[node.v..][..6])
}

fn add(f: &mut [f64], nodes: &[NodePlace; 2], parts: [Vec3; 4], sign: f64) {
    for (part, first) in parts.into_iter().zip([nodes[0].v, nodes[0].v + 3, nodes[1].v, nodes[1].v + 3]) {
        (0..3).for_each(|k| f[first + k] += sign * part[k]);
    }
}

impl TurningInertia for SlopeMasses {
    fn add_force(&self, q: &[f64], v: Option<&[f64]>, acceleration: &[f64], f: &mut [f64]) {
        for (mass, nodes) in self.each() {
            let at = mass.turned(turns(q, nodes));
            let v = v.map(|v| columns(v, nodes));
            let rates = mass.accelerations(&at, v, columns(acceleration, nodes));
            add(f, nodes, mass.pull_back(&at, &mass.forces(&rates)), 1.0);
        }
    }

    fn add_gravity(&self, gravity: DVec3, q: &[f64], f: &mut [f64]) {
        if gravity == DVec3::ZERO {
            return;
        }
        for (mass, nodes) in self.each() {
            let at = mass.turned(turns(q, nodes));
            let forces = mass.forces(&[gravity, Vec3::ZERO, gravity, Vec3::ZERO]);
            // That on the places is part of the constant mass.
            let [_, first, _, second] = mass.pull_back(&at, &forces);
            add(f, nodes, [Vec3::ZERO, first, Vec3::ZERO, second], 1.0);
        }
    }

    fn add_tangent(
        &self,
        q: &[f64],
        v: &[f64],
        acceleration: &[f64],
        gravity: DVec3,
        weights: &InertiaWeights,
        slots: &Slots,
        out: &mut [f64],
    ) {
        for (item, entry) in self.items.iter().enumerate() {
            let Some((mass, nodes)) = entry else { continue };
            let (columns_of_item, out) =
                (slots.columns[item], &mut out[slots.tangents[item]..slots.tangents[item + 1]]);
            let at = mass.turned(turns(q, nodes));
            let (v, a) = (columns(v, nodes), columns(acceleration, nodes));
            // By what the second rate of each vector changes with motion of its own node.
            let change = |i: usize| {
                let (k, e) = (i / 2, mass.axes[i / 2]);
                if i % 2 == 0 {
                    return Mat3::from_diagonal(Vec3::splat(weights.mass));
                }
                let (omega, alpha) = (Vec3::from_slice(&v[k][3..]), Vec3::from_slice(&a[k][3..]));
                let by_alpha = skew(e) * -weights.mass;
                let by_omega = (skew(omega.cross(e)) + skew(omega) * skew(e)) * -weights.damping;
                let by_turn = skew(mass.turning(k, Some(v), alpha)) * -weights.stiffness;
                at.axes[k] * (by_alpha + by_omega + by_turn)
            };
            let changes = [0, 1, 2, 3].map(change);
            let first = [0, 3, nodes[0].columns, nodes[0].columns + 3];
            let mut put = |i: usize, j: usize, block: Mat3| {
                for (r, c) in (0..9).map(|n| (n / 3, n % 3)) {
                    out[(first[i] + r) * columns_of_item + first[j] + c] += block.col(c)[r];
                }
            };
            for i in 0..4 {
                for j in (0..4).filter(|&j| mass.mass[i][j] != 0.0) {
                    let block = changes[j] * mass.mass[i][j];
                    let k = i / 2;
                    put(
                        i,
                        j,
                        if i % 2 == 0 { block } else { skew(mass.axes[k]) * at.axes[k].transpose() * block },
                    );
                }
            }
            // The moment of a force on a slope changes as the node turns; weight acts like an acceleration.
            let mut rates = mass.accelerations(&at, Some(v), a);
            rates[0] -= gravity;
            rates[2] -= gravity;
            let forces = mass.forces(&rates);
            for k in 0..2 {
                let own = at.axes[k].transpose() * forces[2 * k + 1];
                put(2 * k + 1, 2 * k + 1, skew(mass.axes[k]) * skew(own) * weights.stiffness);
            }
        }
    }

    fn energy(&self, gravity: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        self.each().fold((0.0, 0.0), |(kinetic, potential), (mass, nodes)| {
            let at = mass.turned(turns(q, nodes));
            let rates = mass.accelerations(&at, None, columns(v, nodes));
            let momenta = mass.forces(&rates);
            let moving: f64 = momenta.iter().zip(rates).map(|(p, rate)| p.dot(rate)).sum();
            let hanging: f64 = [0, 1]
                .map(|k| {
                    let [first, _, second, _] = mass.mass[2 * k + 1];
                    (first + second) * gravity.dot(at.axes[k] * mass.axes[k])
                })
                .iter()
                .sum();
            (kinetic + 0.5 * moving, potential - hanging)
        })
    }
}
