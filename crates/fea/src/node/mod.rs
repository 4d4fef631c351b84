//! Nodes as coordinates: vectors in space, and places with axes of their own.
//!
//! Mass comes from the elements; here are point masses, and the inertia of rotation that elements give to nodes with
//! axes, as it is constant in those.

pub mod joint;
pub mod mass_damping;
pub(crate) mod spin;
pub mod turn;

use std::sync::Arc;

use huygens_core::Subject;
use huygens_core::contract::{Coordinates, CoordinatesShape, Frame, FrameMotion, ItemKind};
use huygens_exec::Exec;
use huygens_kernel::{Mat3, Quat, Vec3, rotation};

/// Items a parallel chunk works on.
const CHUNK: usize = 256;

/// What a node or element is called in messages.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemName {
    /// What it belongs to, such as `structure 'net'`.
    pub of: Arc<Subject>,
    /// Its number there.
    pub number: u64,
}

impl ItemName {
    /// Such as `node 12 of structure 'net'`.
    pub(crate) fn text(&self, kind: &str) -> Subject {
        Subject::clone(&self.of).map(|of| format!("{kind} {} of {of}", self.number))
    }
}

/// A node of vectors: its place, then its slope or its three gradients.
#[derive(Clone, Debug, PartialEq)]
pub struct VectorNode {
    /// Name in messages.
    pub name: ItemName,
    /// Place [m] and slopes at the start; as many as the nodes of the batch have.
    pub vectors: [Vec3; 4],
    /// Their rates at the start [m/s, 1/s].
    pub rates: [Vec3; 4],
    /// Point mass [kg].
    pub mass: f64,
    /// Whether joints, sensors and contacts can attach to it.
    pub frame: bool,
}

/// Nodes of one to four vectors in space.
pub struct VectorNodes {
    columns: usize,
    nodes: Vec<VectorNode>,
    /// Nodes with a frame.
    frames: Vec<u32>,
    /// Nodes with a point mass.
    masses: Vec<(u32, f64)>,
}

impl VectorNodes {
    /// No nodes yet; `vectors` is 1 for places, 2 for places with a slope, 4 for places with gradients.
    pub fn new(vectors: usize) -> Self {
        debug_assert!((1..=4).contains(&vectors));
        Self { columns: 3 * vectors, nodes: Vec::new(), frames: Vec::new(), masses: Vec::new() }
    }

    /// Adds a node; returns its number in the batch, and that of its frame if it has one.
    pub fn push(&mut self, node: VectorNode) -> (u32, Option<u32>) {
        let item = self.nodes.len() as u32;
        let frame = node.frame.then_some(self.frames.len() as u32);
        if node.frame {
            self.frames.push(item);
        }
        if node.mass > 0.0 {
            self.masses.push((item, node.mass));
        }
        self.nodes.push(node);
        (item, frame)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Columns of a node.
    pub fn columns(&self) -> usize {
        self.columns
    }

    fn add_scaled_masses(&self, x: &[f64], y: &mut [f64]) {
        for &(item, mass) in &self.masses {
            let first = item as usize * self.columns;
            (first..first + 3).for_each(|k| y[k] += mass * x[k]);
        }
    }
}

impl Coordinates for VectorNodes {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape {
            items: self.nodes.len(),
            q_per_item: self.columns,
            v_per_item: self.columns,
            frames: self.frames.len(),
            kind: ItemKind::Node,
        }
    }

    fn item_name(&self, item: usize) -> Subject {
        self.nodes[item].name.text("node")
    }

    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (item, node) in self.nodes.iter().enumerate() {
            for k in 0..self.columns {
                q[item * self.columns + k] = node.vectors[k / 3][k % 3];
                v[item * self.columns + k] = node.rates[k / 3][k % 3];
            }
        }
    }

    fn retract(&self, ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        let piece = CHUNK * self.columns;
        ex.for_each_chunk(q, piece, |chunk, q| {
            let first = chunk * piece;
            let (q0, x) = (&q0[first..][..q.len()], &x[first..][..q.len()]);
            q.iter_mut().zip(q0).zip(x).for_each(|((q, q0), x)| *q = q0 + x);
        });
    }

    fn retract_tangent_inverse(&self, _x: &[f64]) -> Option<(usize, Mat3)> {
        None
    }

    fn frames(&self, _ex: &Exec, _time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]) {
        for (frame, item) in out.iter_mut().zip(&self.frames) {
            let first = *item as usize * self.columns;
            *frame = Frame {
                origin: Vec3::from_slice(&q[first..]),
                velocity: Vec3::from_slice(&v[first..]),
                block: first_block + item,
                motion: FrameMotion::Point { columns: self.columns as u8 },
                ..Frame::GROUND
            };
        }
    }

    fn add_inertia_force(&self, _ex: &Exec, _q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_scaled_masses(acceleration, f);
    }

    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        self.add_scaled_masses(x, y);
    }

    fn mass_block(&self, item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        (0..3).for_each(|k| out[k * (self.columns + 1)] = self.nodes[item].mass);
    }

    fn add_bias_tangent(&self, _item: usize, _q: &[f64], _v: &[f64], _damping: f64, _out: &mut [f64]) {}

    fn add_gravity(&self, _ex: &Exec, g: Vec3, _q: &[f64], f: &mut [f64]) {
        for &(item, mass) in &self.masses {
            let first = item as usize * self.columns;
            (0..3).for_each(|k| f[first + k] += mass * g[k]);
        }
    }

    fn energy(&self, _ex: &Exec, g: Vec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        self.masses.iter().fold((0.0, 0.0), |(kinetic, potential), &(item, mass)| {
            let first = item as usize * self.columns;
            let (x, v) = (Vec3::from_slice(&q[first..]), Vec3::from_slice(&v[first..]));
            (kinetic + 0.5 * mass * v.length_squared(), potential - mass * g.dot(x))
        })
    }
}

/// A node with axes of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameNode {
    /// Name in messages.
    pub name: ItemName,
    /// Place [m] at the start.
    pub position: Vec3,
    /// From its axes to those of the world, at the start.
    pub rotation: Quat,
    /// Velocity [m/s] at the start, world axes.
    pub velocity: Vec3,
    /// Angular velocity [rad/s] at the start, node axes.
    pub angular_velocity: Vec3,
    /// Point mass [kg].
    pub mass: f64,
    /// Inertia of rotation [kg·m²], node axes: that of the elements and that of the point mass.
    pub inertia: Mat3,
    /// Whether joints, sensors and contacts can attach to it.
    pub frame: bool,
}

/// Nodes with axes: seven positions (place, quaternion x y z w) and six velocities (of the place in world axes, angular
/// in node axes), as rigid bodies have.
#[derive(Default)]
pub struct FrameNodes {
    nodes: Vec<FrameNode>,
    frames: Vec<u32>,
}

impl FrameNodes {
    /// No nodes yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a node; returns its number in the batch, and that of its frame if it has one.
    pub fn push(&mut self, node: FrameNode) -> (u32, Option<u32>) {
        let item = self.nodes.len() as u32;
        let frame = node.frame.then_some(self.frames.len() as u32);
        if node.frame {
            self.frames.push(item);
        }
        self.nodes.push(node);
        (item, frame)
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

fn quat(x: &[f64]) -> Quat {
    Quat::from_slice(x)
}

impl Coordinates for FrameNodes {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape {
            items: self.nodes.len(),
            q_per_item: 7,
            v_per_item: 6,
            frames: self.frames.len(),
            kind: ItemKind::Node,
        }
    }

    fn item_name(&self, item: usize) -> Subject {
        self.nodes[item].name.text("node")
    }

    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for ((node, q), v) in self.nodes.iter().zip(q.chunks_exact_mut(7)).zip(v.chunks_exact_mut(6)) {
            q[..3].copy_from_slice(&node.position.to_array());
            q[3..].copy_from_slice(&node.rotation.normalize().to_array());
            v[..3].copy_from_slice(&node.velocity.to_array());
            v[3..].copy_from_slice(&node.angular_velocity.to_array());
        }
    }

    fn retract(&self, ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        ex.for_each_chunk(q, 7 * CHUNK, |chunk, q| {
            let first = chunk * CHUNK;
            for (i, q) in q.chunks_exact_mut(7).enumerate() {
                let (from, x) = (&q0[7 * (first + i)..][..7], &x[6 * (first + i)..][..6]);
                (0..3).for_each(|k| q[k] = from[k] + x[k]);
                let turned = (quat(&from[3..]) * rotation::exp(Vec3::from_slice(&x[3..]))).normalize();
                q[3..].copy_from_slice(&turned.to_array());
            }
        });
    }

    fn retract_tangent_inverse(&self, x: &[f64]) -> Option<(usize, Mat3)> {
        let x = Vec3::from_slice(&x[3..]);
        (x != Vec3::ZERO).then(|| (3, rotation::tangent_inverse(x)))
    }

    fn frames(&self, _ex: &Exec, _time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]) {
        for (frame, item) in out.iter_mut().zip(&self.frames) {
            let (q, v) = (&q[7 * *item as usize..][..7], &v[6 * *item as usize..][..6]);
            let axes = Mat3::from_quat(quat(&q[3..]));
            *frame = Frame {
                origin: Vec3::from_slice(q),
                axes,
                velocity: Vec3::from_slice(v),
                omega: axes * Vec3::from_slice(&v[3..]),
                acceleration_bias: Vec3::ZERO,
                alpha_bias: Vec3::ZERO,
                block: first_block + item,
                motion: FrameMotion::Rigid,
            };
        }
    }

    fn add_inertia_force(&self, ex: &Exec, _q: &[f64], v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        ex.for_each_chunk(f, 6 * CHUNK, |chunk, f| {
            for (i, f) in f.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + i;
                let (v, a) = (&v[6 * item..][..6], &acceleration[6 * item..][..6]);
                let node = &self.nodes[item];
                let omega = Vec3::from_slice(&v[3..]);
                let torque = node.inertia * Vec3::from_slice(&a[3..]) + omega.cross(node.inertia * omega);
                (0..3).for_each(|k| f[k] += node.mass * a[k]);
                (0..3).for_each(|k| f[3 + k] += torque[k]);
            }
        });
    }

    fn add_mass_product(&self, ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, 6 * CHUNK, |chunk, y| {
            for (i, y) in y.chunks_exact_mut(6).enumerate() {
                let item = chunk * CHUNK + i;
                let (x, node) = (&x[6 * item..][..6], &self.nodes[item]);
                let turned = node.inertia * Vec3::from_slice(&x[3..]);
                (0..3).for_each(|k| y[k] += node.mass * x[k]);
                (0..3).for_each(|k| y[3 + k] += turned[k]);
            }
        });
    }

    fn mass_block(&self, item: usize, _q: &[f64], out: &mut [f64]) {
        let node = &self.nodes[item];
        out.fill(0.0);
        (0..3).for_each(|k| out[7 * k] = node.mass);
        add_rotation_block(out, node.inertia);
    }

    fn add_bias_tangent(&self, item: usize, _q: &[f64], v: &[f64], damping: f64, out: &mut [f64]) {
        // ∂(ω × Jω)/∂ω = ω̃J − (Jω)~
        let (inertia, omega) = (self.nodes[item].inertia, Vec3::from_slice(&v[3..]));
        let tangent = rotation::skew(omega) * inertia - rotation::skew(inertia * omega);
        add_rotation_block(out, tangent * damping);
    }

    fn add_gravity(&self, ex: &Exec, g: Vec3, _q: &[f64], f: &mut [f64]) {
        if g == Vec3::ZERO {
            return;
        }
        ex.for_each_chunk(f, 6 * CHUNK, |chunk, f| {
            for (i, f) in f.chunks_exact_mut(6).enumerate() {
                let mass = self.nodes[chunk * CHUNK + i].mass;
                (0..3).for_each(|k| f[k] += mass * g[k]);
            }
        });
    }

    fn energy(&self, ex: &Exec, g: Vec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let sum = |one: &(dyn Fn(usize) -> f64 + Sync)| {
            ex.sum(self.nodes.len(), CHUNK, |range| range.map(one).sum())
        };
        let kinetic = sum(&|item| {
            let (node, v) = (&self.nodes[item], &v[6 * item..][..6]);
            let omega = Vec3::from_slice(&v[3..]);
            0.5 * (node.mass * Vec3::from_slice(v).length_squared() + omega.dot(node.inertia * omega))
        });
        let potential = sum(&|item| -self.nodes[item].mass * g.dot(Vec3::from_slice(&q[7 * item..])));
        (kinetic, potential)
    }
}

/// Adds a 3×3 matrix to the rotation part of a row-major 6×6 block.
fn add_rotation_block(out: &mut [f64], m: Mat3) {
    for (c, column) in m.to_cols_array_2d().iter().enumerate() {
        for (r, value) in column.iter().enumerate() {
            out[6 * (3 + r) + 3 + c] += value;
        }
    }
}
