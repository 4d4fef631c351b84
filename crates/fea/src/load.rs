//! Forces and moments on nodes, along lines and on faces.
//!
//! Loads stay as they are in space, or go with the node. All are multiplied by a function of time, and by the factor of
//! a static analysis.

use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::function::Function;
use huygens_exec::Exec;
use huygens_kernel::rotation::skew;
use huygens_kernel::triple::{cross, dot, scaled, scaled_add};
use huygens_kernel::{Mat3, Quat, Vec3, three};

use crate::batch::NodePlace;
use crate::dual::{Dual, Real};
use crate::node::ItemName;

/// Items a parallel piece works on.
const CHUNK: usize = 128;

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

/// Loads on nodes.
pub struct NodeLoads {
    loads: Vec<NodeLoad>,
}

impl NodeLoads {
    /// A batch of loads.
    pub fn new(loads: impl IntoIterator<Item = NodeLoad>) -> Self {
        Self { loads: loads.into_iter().collect() }
    }
}

/// Shares in which a force per length [N/m] goes to places and slopes of the two nodes of a cable or beam 3243:
/// L/2, L²/12, L/2, −L²/12.
pub fn cable_shares(length: f64) -> [f64; 4] {
    let slope = length * length / 12.0;
    [0.5 * length, slope, 0.5 * length, -slope]
}

impl NodeLoad {
    /// Forces on the columns, and where asked minus their derivatives by motion along them; of a load times one.
    fn write(&self, q: &[f64], factor: f64, out: &mut [f64], tangent: Option<(f64, &mut [f64])>) {
        let columns = self.node.columns;
        let (force, moment) = (self.force * factor, self.moment * factor);
        let mut tangent = tangent.map(|(weight, out)| {
            out.fill(0.0);
            BlockWriter { columns, weight, out }
        });
        out.fill(0.0);
        if columns >= 6 && !matches!(self.axes, NodeAxes::Frame) {
            out[3..6].copy_from_slice(&(self.slope * factor).to_array());
        }
        let q = &q[self.node.q..];
        let add = |out: &mut [f64], at: usize, value: Vec3| (0..3).for_each(|k| out[at + k] += value[k]);
        match self.axes {
            NodeAxes::Point => add(out, 0, force),
            NodeAxes::Frame => {
                let axes = Mat3::from_quat(Quat::from_slice(&q[3..]));
                if self.follower {
                    add(out, 0, axes * force);
                    add(out, 3, moment);
                    if let Some(t) = &mut tangent {
                        t.add(0, 3, axes * skew(force));
                    }
                } else {
                    let own = axes.transpose() * moment;
                    add(out, 0, force);
                    add(out, 3, own);
                    if let Some(t) = &mut tangent {
                        t.add(3, 3, -skew(own));
                    }
                }
            }
            NodeAxes::Slope { rest } => {
                let u = Vec3::from_slice(&q[3..]);
                let load = self.on_slope(u, rest, factor);
                (0..6).for_each(|k| out[k] += load[k].value());
                if let Some(t) = &mut tangent {
                    for (k, load) in load.iter().enumerate() {
                        (0..3).for_each(|l| t.out[k * columns + 3 + l] -= t.weight * load.slopes[l]);
                    }
                }
            }
            NodeAxes::Gradients => {
                let g = Mat3::from_cols(
                    Vec3::from_slice(&q[3..]),
                    Vec3::from_slice(&q[6..]),
                    Vec3::from_slice(&q[9..]),
                );
                let m = if self.follower { g * moment } else { moment };
                add(out, 0, if self.follower { g * force } else { force });
                for k in 0..3 {
                    add(out, 3 + 3 * k, m.cross(g.col(k)) * 0.5);
                }
                if let Some(t) = &mut tangent {
                    for k in 0..3 {
                        t.add(3 + 3 * k, 3 + 3 * k, skew(m) * -0.5);
                        for j in (0..3).filter(|_| self.follower) {
                            t.add(3 + 3 * k, 3 + 3 * j, skew(g.col(k)) * (0.5 * moment[j]));
                        }
                        if self.follower {
                            t.add(0, 3 + 3 * k, Mat3::from_diagonal(Vec3::splat(-force[k])));
                        }
                    }
                }
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

/// `v` turned by the least turn from the unit vector `from` to the direction of `to`; not defined where they are
/// opposite.
fn least_turn<T: Real>(from: [T; 3], to: [T; 3], v: [T; 3]) -> [T; 3] {
    let to = scaled(T::of(1.0) / dot(to, to).sqrt(), to);
    let (axis, cosine) = (cross(from, to), dot(from, to));
    let along = dot(axis, v) / (T::of(1.0) + cosine);
    scaled_add(cosine, v, scaled_add(along, axis, cross(axis, v)))
}

/// Adds weighted blocks to a matrix.
struct BlockWriter<'a> {
    columns: usize,
    weight: f64,
    out: &'a mut [f64],
}

impl BlockWriter<'_> {
    fn add(&mut self, row: usize, column: usize, block: Mat3) {
        for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
            self.out[(row + r) * self.columns + column + c] += self.weight * block.col(c)[r];
        }
    }
}

impl ElementBatch for NodeLoads {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.loads.iter().for_each(|load| layout.push(&[load.node.block], 0));
        layout
    }

    fn item_name(&self, item: usize) -> String {
        self.loads[item].name.text("load")
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
        let factor = |load: &NodeLoad| load.function.evaluate(x.time)[0] * x.load_factor;
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            self.loads[i].write(x.q, factor(&self.loads[i]), out, None);
        });
        if let Some((weights, tangent)) = tangent {
            ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
                let mut force = [0.0; 12];
                let load = &self.loads[i];
                let force = &mut force[..load.node.columns];
                load.write(x.q, factor(load), force, Some((weights.stiffness, out)));
            });
        }
    }
}

/// Pressure on a triangle of three nodes; it acts against the normal, which goes with the triangle.
#[derive(Clone, Debug)]
pub struct FacePressure {
    /// Corners, counter-clockwise from outside.
    pub nodes: [NodePlace; 3],
    /// Pressure [Pa].
    pub pressure: f64,
    /// Factor over time.
    pub function: Function,
    /// Name in messages.
    pub name: ItemName,
}

/// Pressures on faces.
pub struct FacePressures {
    faces: Vec<FacePressure>,
}

impl FacePressures {
    /// A batch of pressures.
    pub fn new(faces: impl IntoIterator<Item = FacePressure>) -> Self {
        Self { faces: faces.into_iter().collect() }
    }

    fn corners(&self, item: usize, x: &StateView<'_>) -> ([Vec3; 3], f64) {
        let face = &self.faces[item];
        let factor = face.function.evaluate(x.time)[0] * x.load_factor;
        (face.nodes.map(|node| Vec3::from_slice(&x.q[node.q..])), face.pressure * factor / 6.0)
    }
}

impl ElementBatch for FacePressures {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.faces.iter().for_each(|face| layout.push(&face.nodes.map(|node| node.block), 0));
        layout
    }

    fn item_name(&self, item: usize) -> String {
        self.faces[item].name.text("pressure on face")
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
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            let ([a, b, c], pressure) = self.corners(i, x);
            let force = (b - a).cross(c - a) * -pressure;
            out.fill(0.0);
            let mut first = 0;
            for node in &self.faces[i].nodes {
                out[first..first + 3].copy_from_slice(&force.to_array());
                first += node.columns;
            }
        });
        if let Some((weights, tangent)) = tangent {
            ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
                let ([a, b, c], pressure) = self.corners(i, x);
                out.fill(0.0);
                let weight = weights.stiffness * pressure;
                let mut writer = BlockWriter { columns: slots.columns[i], weight, out };
                // d((b − a) × (c − a)) by each corner.
                let blocks = [skew(c - b), skew(a - c), skew(b - a)];
                let widths = self.faces[i].nodes.map(|node| node.columns);
                let firsts = [0, widths[0], widths[0] + widths[1]];
                for row in firsts {
                    firsts.iter().zip(blocks).for_each(|(&column, block)| writer.add(row, column, block));
                }
            });
        }
    }
}
