//! Forces and moments on nodes, along lines and on faces.
//!
//! Loads stay as they are in space, or go with the node. A moment works on the turn of the node: on its axes, on the
//! direction of its slope, or on the rotation $R$ of its gradients $F = R\,S$; their stretch $S$ does not feel it. All are multiplied by a function of time, and by the factor of
//! a static analysis.

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::function::Function;
use huygens_exec::Exec;
use huygens_kernel::corotated::Corotated;
use huygens_kernel::matrix::trace;
use huygens_kernel::rotation::skew;
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};
use huygens_kernel::{Mat3, Quat, Vec3, three};

use crate::element::batch::NodePlace;
use crate::element::dual::{Dual, Real};
use crate::element::quadrature::Gauss;
use crate::mesh::CellKind;
use crate::node::ItemName;
use crate::node::spin::Spin;

/// Items a parallel piece works on.
const CHUNK: usize = 128;

/// Cosine of the angle from which on two directions are opposite: closer, rounding would rule.
const OPPOSITE: f64 = -1.0 + 1e-12;

/// What a node has beside its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeAxes {
    /// Nothing.
    Point,
    /// A slope; `rest` is its direction at the start: loads that go with the node turn by the least turn from there.
    Slope {
        /// Direction at the start.
        rest: Vec3,
    },
    /// Three gradients.
    Gradients,
    /// Axes of its own.
    Frame,
}

/// Force and moment on a node.
#[derive(Clone, Debug)]
pub struct NodeLoad {
    /// The node.
    pub node: NodePlace,
    /// What it has.
    pub axes: NodeAxes,
    /// Force [N]: in world axes, or in those of the node (of its gradients, of its slope at the start) where it goes
    /// with it.
    pub force: Vec3,
    /// Moment [N·m], likewise; nodes without axes, slope or gradients take none.
    pub moment: Vec3,
    /// Force on the slope, or on the gradient along x [N·m], world axes: the share of a force along a line.
    pub slope: Vec3,
    /// Whether force and moment go with the node.
    pub follower: bool,
    /// Factor over time.
    pub function: Function,
    /// Name in messages.
    pub name: ItemName,
}

/// Shares in which a force per length [N/m] goes to places and slopes of the two nodes of a cable or beam 3243:
/// L/2, L²/12, L/2, −L²/12.
pub fn cable_shares(length: f64) -> [f64; 4] {
    let slope = length * length / 12.0;
    [0.5 * length, slope, 0.5 * length, -slope]
}

impl LoadItem for NodeLoad {
    const KIND: &'static str = "load";

    fn name(&self) -> &ItemName {
        &self.name
    }

    fn function(&self) -> &Function {
        &self.function
    }

    fn nodes(&self) -> &[NodePlace] {
        std::slice::from_ref(&self.node)
    }

    fn write_force(&self, q: &[f64], factor: f64, out: &mut [f64]) {
        let (force, moment) = (self.force * factor, self.moment * factor);
        out.fill(0.0);
        if out.len() >= 6 && !matches!(self.axes, NodeAxes::Frame) {
            out[3..6].copy_from_slice(&(self.slope * factor).to_array());
        }
        let q = &q[self.node.q..];
        let mut add = |at: usize, value: Vec3| (0..3).for_each(|k| out[at + k] += value[k]);
        match self.axes {
            NodeAxes::Point => add(0, force),
            NodeAxes::Frame => {
                let axes = Mat3::from_quat(Quat::from_slice(&q[3..]));
                add(0, if self.follower { axes * force } else { force });
                add(3, if self.follower { moment } else { axes.transpose() * moment });
            }
            NodeAxes::Slope { rest } => {
                let load = self.on_slope(Vec3::from_slice(&q[3..]), rest, factor);
                (0..6).for_each(|k| out[k] += load[k].value());
            }
            NodeAxes::Gradients => match gradient_spin(q) {
                Some(spin) => {
                    add(0, if self.follower { spin.rotation * force } else { force });
                    let on_turn = spin.of_moment(self.own_moment(&spin, moment));
                    (0..3).for_each(|k| add(3 + 3 * k, spin.rotation * on_turn.cross(Vec3::AXES[k])));
                }
                None => out.fill(f64::NAN),
            },
        }
    }

    fn write_tangent(&self, q: &[f64], factor: f64, tangent: &mut BlockWriter<'_>) {
        let (force, moment) = (self.force * factor, self.moment * factor);
        let q = &q[self.node.q..];
        match self.axes {
            NodeAxes::Point => {}
            NodeAxes::Frame => {
                let axes = Mat3::from_quat(Quat::from_slice(&q[3..]));
                match self.follower {
                    true => tangent.add(0, 3, axes * skew(force)),
                    false => tangent.add(3, 3, -skew(axes.transpose() * moment)),
                }
            }
            NodeAxes::Slope { rest } => {
                let load = self.on_slope(Vec3::from_slice(&q[3..]), rest, factor);
                for (k, load) in load.iter().enumerate() {
                    (0..3).for_each(|l| tangent.add_entry(k, 3 + l, -load.slopes[l]));
                }
            }
            NodeAxes::Gradients => match gradient_spin(q) {
                Some(spin) => self.write_gradient_tangent(&spin, force, moment, tangent),
                None => tangent.out.fill(f64::NAN),
            },
        }
    }
}

/// The gradients of a node taken apart; none where they are turned inside out.
fn gradient_spin(q: &[f64]) -> Option<Spin> {
    let [a, b, c] = [3, 6, 9].map(|k| Vec3::from_slice(&q[k..]));
    Some(Spin::new(&Corotated::new(&Mat3::from_cols(a, b, c))?))
}

impl NodeLoad {
    /// The moment, seen from the axes of the gradients.
    fn own_moment(&self, spin: &Spin, moment: Vec3) -> Vec3 {
        if self.follower { moment } else { spin.rotation.transpose() * moment }
    }

    fn write_gradient_tangent(&self, spin: &Spin, force: Vec3, moment: Vec3, tangent: &mut BlockWriter<'_>) {
        let own = self.own_moment(spin, moment);
        let on_turn = spin.of_moment(own);
        for (j, axis) in (0..9).map(|n| (n / 3, n % 3)) {
            let mut gradient = Mat3::ZERO;
            *gradient.col_mut(j) = Vec3::AXES[axis];
            let (turn, stretch) = spin.changes(&gradient);
            let turned = if self.follower { Vec3::ZERO } else { own.cross(turn) };
            let spread = on_turn * trace(&stretch) - stretch * on_turn;
            let change = spin.of_moment(turned - spread);
            let column = 3 + 3 * j + axis;
            if self.follower {
                tangent.add_vector(0, column, spin.rotation * -turn.cross(force));
            }
            for (k, along) in Vec3::AXES.into_iter().enumerate() {
                let on_gradient = turn.cross(on_turn.cross(along)) + change.cross(along);
                tangent.add_vector(3 + 3 * k, column, spin.rotation * -on_gradient);
            }
        }
    }

    /// Force on the place and on the slope `u`: the moment m is $m\times u/|u|^2$ there.
    fn on_slope(&self, u: Vec3, rest: Vec3, factor: f64) -> [Dual<3>; 6] {
        let of = |x: Vec3| -> [Dual<3>; 3] { three!(k => constant(x[k])) };
        let u: [Dual<3>; 3] = three!(k => Dual::variable(u[k], k));
        let (mut force, mut moment) = (of(self.force * factor), of(self.moment * factor));
        if self.follower {
            let start = of(rest.normalize_or(Vec3::X));
            force = least_turn(start, u, force);
            moment = least_turn(start, u, moment);
        }
        let on_slope = scaled(constant(1.0) / dot(u, u), cross(moment, u));
        [force[0], force[1], force[2], on_slope[0], on_slope[1], on_slope[2]]
    }
}

fn constant(value: f64) -> Dual<3> {
    Dual { value, slopes: [0.0; 3] }
}

/// `v` turned by the least turn from the unit vector `from` to the direction of `to`. Where they are opposite any half
/// turn is least: one about a fixed axis across `from` is taken, without derivatives.
fn least_turn<T: Real>(from: [T; 3], to: [T; 3], v: [T; 3]) -> [T; 3] {
    let to = scaled(T::of(1.0) / dot(to, to).sqrt(), to);
    let (axis, cosine) = (cross(from, to), dot(from, to));
    if cosine.value() < OPPOSITE {
        let across = Vec3::from(from.map(Real::value)).any_orthonormal_vector().to_array().map(T::of);
        return difference(scaled(T::of(2.0) * dot(across, v), across), v);
    }
    let along = dot(axis, v) / (T::of(1.0) + cosine);
    scaled_add(cosine, v, scaled_add(along, axis, cross(axis, v)))
}

/// Adds minus derivatives, weighted, to a matrix.
pub struct BlockWriter<'a> {
    columns: usize,
    weight: f64,
    out: &'a mut [f64],
}

impl BlockWriter<'_> {
    fn add_entry(&mut self, row: usize, column: usize, value: f64) {
        self.out[row * self.columns + column] += self.weight * value;
    }

    fn add_vector(&mut self, row: usize, column: usize, value: Vec3) {
        (0..3).for_each(|k| self.add_entry(row + k, column, value[k]));
    }

    fn add(&mut self, row: usize, column: usize, block: Mat3) {
        (0..3).for_each(|c| self.add_vector(row, column + c, block.col(c)));
    }
}

/// What acts on nodes, times a function of time and the factor of a static analysis.
pub trait LoadItem: Send + Sync {
    /// What it is called in messages.
    const KIND: &'static str;
    /// Name in messages.
    fn name(&self) -> &ItemName;
    /// Factor over time.
    fn function(&self) -> &Function;
    /// Nodes it acts on.
    fn nodes(&self) -> &[NodePlace];
    /// Writes the forces on the columns of all nodes, times `factor`.
    fn write_force(&self, q: &[f64], factor: f64, out: &mut [f64]);
    /// Adds minus their derivatives by motion along the columns to a matrix that is zero.
    fn write_tangent(&self, q: &[f64], factor: f64, tangent: &mut BlockWriter<'_>);
}

/// Loads of one kind.
pub struct Loads<L> {
    loads: Vec<L>,
}

/// Loads on nodes.
pub type NodeLoads = Loads<NodeLoad>;

/// Pressures on faces.
pub type FacePressures = Loads<FacePressure>;

impl<L: LoadItem> Loads<L> {
    /// A batch of loads.
    pub fn new(loads: impl IntoIterator<Item = L>) -> Self {
        Self { loads: loads.into_iter().collect() }
    }
}

impl<L: LoadItem> ElementBatch for Loads<L> {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        for load in &self.loads {
            let blocks: Vec<u32> = load.nodes().iter().map(|node| node.block).collect();
            layout.push(&blocks, 0);
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.loads[item].name().text(L::KIND)
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let factor = |load: &L| load.function().evaluate(x.time)[0] * x.load_factor;
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            self.loads[i].write_force(x.q, factor(&self.loads[i]), out);
        });
        if let Some((weights, tangent)) = tangent {
            ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
                out.fill(0.0);
                let load = &self.loads[i];
                let mut writer = BlockWriter { columns: slots.columns[i], weight: weights.stiffness, out };
                load.write_tangent(x.q, factor(load), &mut writer);
            });
        }
    }
}

/// Pressure on a face; it acts against the normal, which goes with the face.
#[derive(Clone, Debug)]
pub struct FacePressure {
    /// Corners, counter-clockwise from outside, then the middles of edges and of the face.
    nodes: Vec<NodePlace>,
    /// Pressure [Pa].
    pressure: f64,
    /// Factor over time.
    function: Function,
    /// Name in messages.
    name: ItemName,
    /// Points of the integral over the face; none for a triangle of three nodes, where it is known.
    points: Vec<FacePoint>,
}

/// A point of a face: its weight, and the shape function of each node with its derivatives along the face.
#[derive(Clone, Debug)]
struct FacePoint {
    weight: f64,
    shape: Vec<(f64, [f64; 3])>,
}

/// Natural coordinates and weights on a triangle: polynomials up to the fourth degree are exact (dunavant1985).
const TRIANGLE: [(f64, f64); 2] =
    [(0.445_948_490_915_965, 0.111_690_794_839_005_7), (0.091_576_213_509_770_74, 0.054_975_871_827_660_94)];

fn face_points(kind: CellKind) -> Vec<FacePoint> {
    let point = |x: f64, y: f64, weight: f64| FacePoint { weight, shape: kind.shape([x, y, 0.0]) };
    if kind == CellKind::Triangle6 {
        let corner = |(a, w): (f64, f64)| {
            let b = 1.0 - 2.0 * a;
            [point(a, a, w), point(b, a, w), point(a, b, w)]
        };
        return TRIANGLE.into_iter().flat_map(corner).collect();
    }
    let line = Gauss::Three.points().iter().map(|(t, w)| (2.0 * t - 1.0, 2.0 * w));
    line.clone().flat_map(|(x, a)| line.clone().map(move |(y, b)| point(x, y, a * b))).collect()
}

impl FacePressure {
    /// A pressure [Pa] on a face of 3, 4, 6, 8 or 9 nodes: corners counter-clockwise from outside, then the middles of
    /// edges and of the face.
    pub fn new(nodes: Vec<NodePlace>, pressure: f64, function: Function, name: ItemName) -> Self {
        let kind = CellKind::face(nodes.len()).filter(|kind| *kind != CellKind::Triangle3);
        let points = kind.map_or(Vec::new(), face_points);
        Self { nodes, pressure, function, name, points }
    }

    fn place(&self, q: &[f64], k: usize) -> Vec3 {
        Vec3::from_slice(&q[self.nodes[k].q..])
    }

    fn corners(&self, q: &[f64]) -> [Vec3; 3] {
        [0, 1, 2].map(|k| self.place(q, k))
    }

    /// First column of each node.
    fn firsts(&self) -> impl Iterator<Item = usize> + '_ {
        self.nodes.iter().scan(0, |next, node| {
            let first = *next;
            *next += node.columns;
            Some(first)
        })
    }

    /// Derivatives of the place by both natural coordinates at a point.
    fn along(&self, q: &[f64], point: &FacePoint) -> [Vec3; 2] {
        [0, 1].map(|d| point.shape.iter().enumerate().map(|(k, (_, by))| self.place(q, k) * by[d]).sum())
    }
}

impl LoadItem for FacePressure {
    const KIND: &'static str = "pressure on face";

    fn name(&self) -> &ItemName {
        &self.name
    }

    fn function(&self) -> &Function {
        &self.function
    }

    fn nodes(&self) -> &[NodePlace] {
        &self.nodes
    }

    fn write_force(&self, q: &[f64], factor: f64, out: &mut [f64]) {
        out.fill(0.0);
        if self.points.is_empty() {
            let [a, b, c] = self.corners(q);
            let force = (b - a).cross(c - a) * (-factor * self.pressure / 6.0);
            return self.firsts().for_each(|first| out[first..first + 3].copy_from_slice(&force.to_array()));
        }
        for point in &self.points {
            let [u, w] = self.along(q, point);
            let force = u.cross(w) * (-factor * self.pressure * point.weight);
            for (first, (share, _)) in self.firsts().zip(&point.shape) {
                (0..3).for_each(|k| out[first + k] += share * force[k]);
            }
        }
    }

    fn write_tangent(&self, q: &[f64], factor: f64, tangent: &mut BlockWriter<'_>) {
        if self.points.is_empty() {
            let [a, b, c] = self.corners(q);
            let share = factor * self.pressure / 6.0;
            // d((b − a) × (c − a)) by each corner.
            let blocks = [skew(c - b), skew(a - c), skew(b - a)].map(|block| block * share);
            for row in self.firsts() {
                self.firsts().zip(blocks).for_each(|(column, block)| tangent.add(row, column, block));
            }
            return;
        }
        for point in &self.points {
            let [u, w] = self.along(q, point).map(skew);
            let weight = factor * self.pressure * point.weight;
            for (column, (_, by)) in self.firsts().zip(&point.shape) {
                let block = (u * by[1] - w * by[0]) * weight;
                for (row, (share, _)) in self.firsts().zip(&point.shape) {
                    tangent.add(row, column, block * *share);
                }
            }
        }
    }
}
