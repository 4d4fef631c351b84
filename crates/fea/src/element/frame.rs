//! Elements between nodes with axes of their own: what rods and the corotational beam share.
//!
//! The columns of a node are its velocity in world axes and its angular velocity in its own axes. An element names
//! strains, the stresses that go with them and the loads that stresses put on sections; the rest follows here: the
//! stiffness by numbers that carry derivatives, exact, and damping by the rate of strain.

use huygens_kernel::rotation::{exp, log};
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add, sum};
use huygens_kernel::{Mat3, Quat, Scalar, Vec3, three};

use crate::element::dual::{Dual, Real};
use crate::node::turn::Turn;
use crate::section::{SectionMatrix, SectionPlace};
use crate::structure::{Element, Structure};

/// Place [m] of a node and the turn of its axes.
#[derive(Clone, Copy, Debug)]
pub struct RodNode {
    /// Place [m].
    pub place: [f64; 3],
    /// From its axes to those of the world: x, y, z, w.
    pub turn: [f64; 4],
}

/// How a section is fixed to its node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mount {
    /// From the axes of the section to those of the node: x, y, z, w.
    pub turn: [f64; 4],
    /// Centre of the section [m], node axes.
    pub arm: [f64; 3],
}

impl Mount {
    /// The section has the axes of the node and its centre there.
    pub const PLAIN: Self = Self { turn: [0.0, 0.0, 0.0, 1.0], arm: [0.0; 3] };

    /// Inertia of a section [kg·m²] in the axes of its node.
    pub(crate) fn node_inertia(&self, inertia: Mat3) -> Mat3 {
        let turn = Mat3::from_quat(Quat::from_array(self.turn));
        turn * inertia * turn.transpose()
    }

    /// The section has other axes than the node, and its centre there.
    pub fn turned(turn: [f64; 4]) -> Self {
        Self { turn, arm: [0.0; 3] }
    }
}

/// Places [m] and axes of an element's sections, from the state of its nodes.
pub struct Ends<T, const N: usize> {
    /// Places of the sections [m].
    pub places: [[T; 3]; N],
    /// Axes of the sections.
    pub axes: [Turn<T>; N],
    /// Axes of the nodes.
    nodes: [Turn<T>; N],
}

impl<T: Real, const N: usize> Ends<T, N> {
    fn new(mounts: &[Mount; N], places: [[T; 3]; N], nodes: [Turn<T>; N]) -> Self {
        let places = std::array::from_fn(|k| match mounts[k].arm == [0.0; 3] {
            true => places[k],
            false => sum(places[k], nodes[k].apply(mounts[k].arm.map(T::of))),
        });
        let axes = std::array::from_fn(|k| nodes[k].after(Turn(mounts[k].turn.map(T::of))));
        Self { places, axes, nodes }
    }

    /// Forces on the columns from loads on the sections.
    fn columns(&self, mounts: &[Mount; N], loads: &SectionLoads<T, N>) -> [[T; 6]; N] {
        std::array::from_fn(|k| {
            let force = loads.forces[k];
            let mut torque = Turn(mounts[k].turn.map(T::of)).apply(loads.torques[k]);
            if mounts[k].arm != [0.0; 3] {
                torque = sum(torque, cross(mounts[k].arm.map(T::of), self.nodes[k].inverse().apply(force)));
            }
            [force[0], force[1], force[2], torque[0], torque[1], torque[2]]
        })
    }
}

/// What an element does to its sections.
pub struct SectionLoads<T, const N: usize> {
    /// Forces [N], world axes.
    pub forces: [[T; 3]; N],
    /// Torques [N·m], axes of the sections.
    pub torques: [[T; 3]; N],
}

/// Velocity and angular velocity of each node, or the forces that go with them.
pub type FrameColumns<const N: usize> = [[f64; 6]; N];

/// An element on N nodes with S strains.
pub trait FrameElement<const N: usize, const S: usize> {
    /// What strains and loads follow from.
    type State<T: Real>;
    /// How the sections are fixed to the nodes.
    fn mounts(&self) -> &[Mount; N];
    /// The state between the sections.
    fn state<T: Real>(&self, ends: &Ends<T, N>) -> Self::State<T>;
    /// Strains.
    fn strains<T: Real>(&self, state: &Self::State<T>) -> [T; S];
    /// Stresses: derivatives of the energy by the strains; linear in them.
    fn stresses<T: Real>(&self, strains: &[T; S]) -> [T; S];
    /// What stresses do to the sections.
    fn loads<T: Real>(
        &self,
        ends: &Ends<T, N>,
        state: &Self::State<T>,
        stresses: &[T; S],
    ) -> SectionLoads<T, N>;

    /// Strains of the element at these nodes.
    fn strains_at(&self, nodes: &[RodNode; N]) -> [f64; S] {
        self.strains(&self.state(&plain(self.mounts(), nodes)))
    }

    /// Elastic energy [J].
    fn energy(&self, nodes: &[RodNode; N]) -> f64 {
        let strains = self.strains_at(nodes);
        0.5 * product(&strains, &self.stresses(&strains))
    }

    /// Elastic energy [J], and the forces on the columns.
    fn force(&self, nodes: &[RodNode; N]) -> (f64, FrameColumns<N>) {
        let ends = plain(self.mounts(), nodes);
        let state = self.state(&ends);
        let strains = self.strains(&state);
        let stresses = self.stresses(&strains);
        let loads = self.loads(&ends, &state, &stresses);
        (0.5 * product(&strains, &stresses), ends.columns(self.mounts(), &loads))
    }

    /// Forces on the columns where stress follows the rate of strain by `time` [s].
    fn force_damped(&self, nodes: &[RodNode; N], velocity: &FrameColumns<N>, time: f64) -> FrameColumns<N> {
        let ends = plain(self.mounts(), nodes);
        let state = self.state(&ends);
        let moving = self.strains(&self.state(&directed(self.mounts(), nodes, velocity)));
        let stresses = self.stresses(&moving.map(|strain| strain.value + time * strain.slopes[0]));
        ends.columns(self.mounts(), &self.loads(&ends, &state, &stresses))
    }

    /// Stiffness: minus the derivative of the forces by motion along the C = 6 N columns, row by row; and the matrix
    /// of damping $B^T C\,B$ for stress that follows strain by one second.
    fn matrices<const C: usize>(&self, nodes: &[RodNode; N]) -> ([[f64; C]; C], [[f64; C]; C]) {
        let ends = variables::<N, C>(self.mounts(), nodes);
        let state = self.state(&ends);
        let strains = self.strains(&state);
        let stresses = self.stresses(&strains);
        let forces = ends.columns(self.mounts(), &self.loads(&ends, &state, &stresses));
        let stiffness = std::array::from_fn(|i| forces[i / 6][i % 6].slopes.map(|slope| -slope));
        let mut damping = [[0.0; C]; C];
        for (strain, stress) in strains.iter().zip(&stresses) {
            for (row, b) in damping.iter_mut().zip(strain.slopes) {
                (0..C).for_each(|j| row[j] += b * stress.slopes[j]);
            }
        }
        (stiffness, damping)
    }

    /// Stiffness: minus the derivative of the forces by motion along the columns, row by row.
    fn stiffness<const C: usize>(&self, nodes: &[RodNode; N]) -> [[f64; C]; C] {
        self.force_and_stiffness(nodes).1
    }

    /// Forces on the columns and stiffness in one pass.
    fn force_and_stiffness<const C: usize>(&self, nodes: &[RodNode; N]) -> (FrameColumns<N>, [[f64; C]; C]) {
        let ends = variables::<N, C>(self.mounts(), nodes);
        let state = self.state(&ends);
        let stresses = self.stresses(&self.strains(&state));
        let forces = ends.columns(self.mounts(), &self.loads(&ends, &state, &stresses));
        let stiffness = std::array::from_fn(|i| forces[i / 6][i % 6].slopes.map(|slope| -slope));
        (forces.map(|node| node.map(|force| force.value)), stiffness)
    }
}

fn product<const S: usize>(a: &[f64; S], b: &[f64; S]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn plain<const N: usize>(mounts: &[Mount; N], nodes: &[RodNode; N]) -> Ends<f64, N> {
    Ends::new(mounts, nodes.map(|node| node.place), nodes.map(|node| Turn(node.turn)))
}

/// Places and turns of the nodes as variables: the columns.
fn variables<const N: usize, const C: usize>(mounts: &[Mount; N], nodes: &[RodNode; N]) -> Ends<Dual<C>, N> {
    let places = std::array::from_fn(|k| three!(i => Dual::variable(nodes[k].place[i], 6 * k + i)));
    let turns = std::array::from_fn(|k| {
        let turn = Turn(nodes[k].turn.map(Dual::of));
        turn.after(Turn::exp(three!(i => Dual::variable(0.0, 6 * k + 3 + i))))
    });
    Ends::new(mounts, places, turns)
}

/// Places and turns of the nodes with one derivative: by time.
fn directed<const N: usize>(
    mounts: &[Mount; N],
    nodes: &[RodNode; N],
    velocity: &FrameColumns<N>,
) -> Ends<Dual<1>, N> {
    let along = |value: f64, slope: f64| Dual { value, slopes: [slope] };
    let places = std::array::from_fn(|k| three!(i => along(nodes[k].place[i], velocity[k][i])));
    let turns = std::array::from_fn(|k| {
        let turn = Turn(nodes[k].turn.map(Dual::of));
        turn.after(Turn::exp(three!(i => along(0.0, velocity[k][3 + i]))))
    });
    Ends::new(mounts, places, turns)
}

/// How the sections of a beam are fixed to its nodes. The x axis of the sections goes along the line between the
/// centres, or with `own_axes` is that of the node, where the two are less than 45° apart; y follows the node's.
pub fn mounts<const N: usize>(nodes: &[RodNode; N], places: [SectionPlace; N], own_axes: bool) -> [Mount; N] {
    let line = Vec3::from(difference(nodes[N - 1].place, nodes[0].place)).normalize_or(Vec3::X);
    std::array::from_fn(|k| {
        let node = Quat::from_array(nodes[k].turn);
        let along = match own_axes && (node * Vec3::X).dot(line) > std::f64::consts::FRAC_1_SQRT_2 {
            true => Quat::IDENTITY,
            false => node.inverse() * line_axes(line, node),
        };
        let [y, z] = places[k].offset;
        Mount {
            turn: (along * Quat::from_rotation_x(places[k].angle)).to_array(),
            arm: (along * Vec3::new(0.0, y, z)).to_array(),
        }
    })
}

/// Axes with x along a line and y as near as can be to that of a node.
pub fn line_axes(line: Vec3, node: Quat) -> Quat {
    let hint = [node * Vec3::Y, node * Vec3::Z, node * Vec3::X]
        .into_iter()
        .find(|hint| line.cross(*hint).length_squared() > 0.01)
        .unwrap_or(Vec3::Y);
    let z = line.cross(hint).normalize();
    Quat::from_mat3(&Mat3::from_cols(line, z.cross(line), z))
}

/// Rotation vector [rad] of a matrix, row by row; below π.
pub(crate) fn log_of_matrix<T: Real>(m: &[[T; 3]; 3]) -> [T; 3] {
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

/// Stress of a section: its own stiffness, and where it is not diagonal the rest.
pub(crate) fn section_stress<T: Real>(
    stiffness: &[f64; 6],
    coupling: &Option<[[f64; 6]; 6]>,
    weight: f64,
    strain: &[T; 6],
) -> [T; 6] {
    std::array::from_fn(|i| {
        let mut stress = T::of(weight * stiffness[i]) * strain[i];
        if let Some(coupling) = coupling {
            (0..6).for_each(|j| stress = stress + T::of(weight * coupling[i][j]) * strain[j]);
        }
        stress
    })
}

/// $a + s\,b$.
pub(crate) fn added<T: Real>(a: [T; 3], s: T, b: [T; 3]) -> [T; 3] {
    scaled_add(s, b, a)
}

/// Nodes from positions as the state holds them: place, then quaternion.
pub(crate) fn read_nodes<const N: usize>(q: &[f64]) -> [RodNode; N] {
    std::array::from_fn(|k| RodNode {
        place: std::array::from_fn(|i| q[7 * k + i]),
        turn: std::array::from_fn(|i| q[7 * k + 3 + i]),
    })
}

/// Implements [`Element`](super::batch::Element) for an element between nodes with axes: its nodes, columns and positions,
/// and what differs from one to the next.
macro_rules! frame_element {
    ($type:ty, $nodes:literal, $columns:literal, $positions:literal, { $($own:tt)* }) => {
        impl $crate::element::batch::Element for $type {
            const NODES: usize = $nodes;
            const POSITIONS: usize = 7;
            const COLUMNS: usize = 6;
            type Numbers = [f64; $positions];

            fn evaluate(
                &self,
                at: &$crate::element::batch::ElementState<'_>,
                _memory: &mut [f64],
                force: &mut [f64],
                tangent: Option<(&huygens_core::contract::Weights, &mut [f64])>,
            ) {
                let nodes = $crate::element::frame::read_nodes::<$nodes>(at.q);
                let damped = at.structural != 0.0;
                if damped {
                    let velocity = std::array::from_fn(|k| std::array::from_fn(|i| at.v[6 * k + i]));
                    let damped = self.force_damped(&nodes, &velocity, at.structural);
                    force.copy_from_slice(damped.as_flattened());
                }
                let Some((weights, out)) = tangent else {
                    if !damped {
                        force.copy_from_slice(self.force(&nodes).1.as_flattened());
                    }
                    return;
                };
                if damped && weights.damping != 0.0 {
                    let (stiffness, damping) = self.matrices::<$columns>(&nodes);
                    let both = stiffness.as_flattened().iter().zip(damping.as_flattened());
                    return out.iter_mut().zip(both).for_each(|(out, (k, d))| {
                        *out = weights.stiffness * k + weights.damping * at.structural * d;
                    });
                }
                // The values beside the derivatives are the force.
                let (own, stiffness) = self.force_and_stiffness::<$columns>(&nodes);
                if !damped {
                    force.copy_from_slice(own.as_flattened());
                }
                let all = stiffness.as_flattened();
                out.iter_mut().zip(all).for_each(|(out, k)| *out = weights.stiffness * k);
            }

            fn stored_energy(&self, q: &[f64], _memory: &[f64]) -> f64 {
                self.energy(&$crate::element::frame::read_nodes(q))
            }

            fn for_each_mass(&self, f: impl FnMut(usize, usize, f64)) {
                $crate::element::batch::spread_mass(&self.mass(), 6, f);
            }

            fn node_inertia(&self) -> Vec<huygens_kernel::Mat3> {
                self.node_inertia().to_vec()
            }

            $($own)*
        }
    };
}
pub(crate) use frame_element;

/// Most turn [rad] between neighbouring sections: at π it is not defined any more.
const MOST_TURN: f64 = 3.0;

/// A fault where the turn [rad] from one section to the next is too large.
pub(crate) fn turn_fault(from: Turn<f64>, to: Turn<f64>) -> Option<(&'static str, f64)> {
    let psi = from.inverse().after(to).log();
    let angle = dot(psi, psi).sqrt();
    let what = "rotates too far between two nodes (angle in rad; use more elements)";
    (angle > MOST_TURN).then_some((what, angle))
}

/// Forces in the first and the last section of an element, from what it does to them.
pub(crate) fn end_forces<const S: usize>(
    element: &impl FrameElement<2, S>,
    nodes: &[RodNode; 2],
) -> [[f64; 6]; 2] {
    let ends = plain(element.mounts(), nodes);
    let state = element.state(&ends);
    let loads = element.loads(&ends, &state, &element.stresses(&element.strains(&state)));
    [(0, 1.0), (1, -1.0)].map(|(k, sign)| {
        let (force, torque) = (ends.axes[k].inverse().apply(loads.forces[k]), loads.torques[k]);
        std::array::from_fn(|i| sign * if i < 3 { force[i] } else { torque[i - 3] })
    })
}

pub(crate) fn section_axes(node: &RodNode, mount: &Mount) -> Quat {
    Quat::from_array(node.turn) * Quat::from_array(mount.turn)
}

pub(crate) fn center(node: &RodNode, mount: &Mount) -> Vec3 {
    Vec3::from(node.place) + Quat::from_array(node.turn) * Vec3::from(mount.arm)
}

pub(crate) fn between(a: Quat, b: Quat, t: f64) -> Quat {
    a * exp(log(a.inverse() * b) * t)
}

/// Strains that go with forces in a section.
pub(crate) fn strain_of(
    stiffness: &[f64; 6],
    coupling: &Option<SectionMatrix>,
    force: &[f64; 6],
) -> [f64; 6] {
    let Some(coupling) = coupling else {
        return std::array::from_fn(|k| if stiffness[k] > 0.0 { force[k] / stiffness[k] } else { 0.0 });
    };
    let (mut a, mut b) = (*coupling, *force);
    (0..6).for_each(|k| a[k][k] += stiffness[k]);
    for k in 0..6 {
        for i in k + 1..6 {
            let factor = a[i][k] / a[k][k];
            (k..6).for_each(|j| a[i][j] -= factor * a[k][j]);
            b[i] -= factor * b[k];
        }
    }
    for k in (0..6).rev() {
        b[k] = (b[k] - (k + 1..6).map(|j| a[k][j] * b[j]).sum::<f64>()) / a[k][k];
    }
    b
}

pub(crate) fn mixed(a: &[f64; 6], b: &[f64; 6], t: f64) -> [f64; 6] {
    std::array::from_fn(|k| a[k] + t * (b[k] - a[k]))
}

pub(crate) fn work(strain: &[f64; 6], force: &[f64; 6]) -> f64 {
    0.5 * strain.iter().zip(force).map(|(e, f)| e * f).sum::<f64>()
}

/// The nodes of an element between nodes with axes, as they start.
pub(crate) fn rest_nodes<const N: usize>(of: &Structure, element: &Element) -> [RodNode; N] {
    std::array::from_fn(|k| {
        let node = &of.nodes[element.nodes()[k] as usize];
        RodNode { place: node.position.to_array(), turn: node.rotation.normalize().to_array() }
    })
}
