//! The rows of joints of nodes, their rates, accelerations and derivatives.

use glam::{DMat3, DVec3};
use huygens_core::Subject;
use huygens_core::contract::{
    ConstraintBatch, Frame, FrameMotion, Layout, NO_BLOCK, RowRequest, Slots, StateView,
};
use huygens_exec::Exec;
use huygens_kernel::rotation::skew;

use super::Rows;
use crate::element::batch::NodePlace;

/// Joints a parallel piece works on.
const CHUNK: usize = 64;

/// A joint in a model.
pub(crate) struct JointItem {
    /// Name in messages.
    pub name: String,
    /// Where its nodes stand.
    pub nodes: Vec<NodePlace>,
    /// Frame and block of the carrier; the ground has none.
    pub carrier: Option<(u32, u32)>,
    /// What is held; places seen from the origin of the carrier's frame.
    pub rows: Vec<Rows>,
}

/// All joints of nodes.
pub(crate) struct JointBatch {
    items: Vec<JointItem>,
}

impl JointBatch {
    pub fn new(items: Vec<JointItem>) -> Self {
        Self { items }
    }
}

/// Numbers of one joint's rows while they are written.
struct Writer<'a> {
    residual: &'a mut [f64],
    rate: &'a mut [f64],
    gamma: &'a mut [f64],
    jacobian: &'a mut [f64],
    columns: usize,
}

impl Writer<'_> {
    fn jacobian(&mut self, row: usize, first: usize, values: DVec3) {
        self.jacobian[row * self.columns + first..][..3].copy_from_slice(&values.to_array());
    }
}

impl JointItem {
    fn carrier_frame<'a>(&self, x: &StateView<'a>) -> &'a Frame {
        self.carrier.map_or(&Frame::GROUND, |(frame, _)| &x.frames[frame as usize])
    }

    /// First column of a node among those of the joint.
    fn first(&self, node: usize) -> usize {
        self.nodes[..node].iter().map(|n| n.columns).sum()
    }

    fn carrier_first(&self) -> usize {
        self.first(self.nodes.len())
    }

    /// A vector of a node and its rate; 0 is the place, then come slope or gradients.
    fn vector(&self, x: &StateView<'_>, node: usize, vector: usize) -> (DVec3, DVec3) {
        let place = &self.nodes[node];
        let at = |from: &[f64], first: usize| DVec3::from_slice(&from[first + 3 * vector..]);
        (at(x.q, place.q), at(x.v, place.v))
    }

    fn write(&self, x: &StateView<'_>, out: &mut Writer<'_>) {
        let mut row = 0;
        for rows in &self.rows {
            self.write_rows(x, rows, row, out);
            row += rows.count();
        }
    }

    fn write_rows(&self, x: &StateView<'_>, rows: &Rows, row: usize, out: &mut Writer<'_>) {
        let frame = self.carrier_frame(x);
        let (first, moved) = (self.carrier_first(), frame.motion == FrameMotion::Rigid);
        match rows {
            &Rows::Place { node, place } => {
                let (r, v) = self.vector(x, node, 0);
                let arm = frame.axes * place;
                let swing = frame.omega.cross(arm);
                let value = r - frame.origin - arm;
                let rate = v - frame.velocity - swing;
                let gamma = frame.acceleration_bias + frame.alpha_bias.cross(arm) + frame.omega.cross(swing);
                let turn = frame.axes * skew(place);
                for k in 0..3 {
                    [out.residual[row + k], out.rate[row + k], out.gamma[row + k]] =
                        [value[k], rate[k], gamma[k]];
                    out.jacobian(row + k, self.first(node), DVec3::AXES[k]);
                    if moved {
                        out.jacobian(row + k, first, -DVec3::AXES[k]);
                        out.jacobian(row + k, first + 3, turn.row(k));
                    }
                }
            }
            Rows::SamePlace => self.write_same(x, 3, row, out),
            Rows::SameNumbers { columns } => self.write_same(x, *columns, row, out),
            &Rows::AcrossCarrier { node, gradient, axis } => {
                let (g, g_rate) = self.vector(x, node, 1 + gradient);
                let a = frame.axes * axis;
                let swing = frame.omega.cross(a);
                let bend = frame.alpha_bias.cross(a) + frame.omega.cross(swing);
                out.residual[row] = g.dot(a);
                out.rate[row] = g_rate.dot(a) + g.dot(swing);
                out.gamma[row] = -(2.0 * g_rate.dot(swing) + g.dot(bend));
                out.jacobian(row, self.first(node) + 3 * (1 + gradient), a);
                if moved {
                    out.jacobian(row, first + 3, axis.cross(frame.axes.transpose() * g));
                }
            }
            &Rows::AcrossGradient { gradients } => {
                let (a, a_rate) = self.vector(x, 0, 1 + gradients[0]);
                let (b, b_rate) = self.vector(x, 1, 1 + gradients[1]);
                out.residual[row] = a.dot(b);
                out.rate[row] = a_rate.dot(b) + a.dot(b_rate);
                out.gamma[row] = -2.0 * a_rate.dot(b_rate);
                out.jacobian(row, 3 * (1 + gradients[0]), b);
                out.jacobian(row, self.first(1) + 3 * (1 + gradients[1]), a);
            }
            Rows::Coordinate { column, start, displacement } => {
                let [value, rate, acceleration] = displacement.evaluate(x.time);
                let node = &self.nodes[0];
                out.residual[row] = x.q[node.q + column] - start - value;
                out.rate[row] = x.v[node.v + column] - rate;
                out.gamma[row] = acceleration;
                out.jacobian[row * out.columns + column] = 1.0;
            }
        }
    }

    fn write_same(&self, x: &StateView<'_>, columns: usize, row: usize, out: &mut Writer<'_>) {
        let [a, b] = [&self.nodes[0], &self.nodes[1]];
        for k in 0..columns {
            out.residual[row + k] = x.q[a.q + k] - x.q[b.q + k];
            out.rate[row + k] = x.v[a.v + k] - x.v[b.v + k];
            out.gamma[row + k] = 0.0;
            out.jacobian[(row + k) * out.columns + k] = 1.0;
            out.jacobian[(row + k) * out.columns + a.columns + k] = -1.0;
        }
    }

    /// Adds the derivative of $C_q^T\lambda$ times `scale`.
    fn add_tangent(&self, x: &StateView<'_>, lambda: &[f64], scale: f64, columns: usize, out: &mut [f64]) {
        let frame = self.carrier_frame(x);
        let (first, moved) = (self.carrier_first() + 3, frame.motion == FrameMotion::Rigid);
        let mut add = |row: usize, column: usize, m: DMat3| {
            for (c, values) in m.to_cols_array_2d().iter().enumerate() {
                for (r, value) in values.iter().enumerate() {
                    out[(row + r) * columns + column + c] += scale * value;
                }
            }
        };
        let back = frame.axes.transpose();
        let mut row = 0;
        for rows in &self.rows {
            match *rows {
                Rows::Place { place, .. } if moved => {
                    // The torque −s × Rᵀλ turns with the axes it is written in.
                    let force = DVec3::from_slice(&lambda[row..]);
                    add(first, first, -(skew(place) * skew(back * force)));
                }
                Rows::AcrossCarrier { node, gradient, axis } if moved => {
                    let (g, _) = self.vector(x, node, 1 + gradient);
                    let at = self.first(node) + 3 * (1 + gradient);
                    let (l, turn) = (lambda[row], skew(axis));
                    add(at, first, -(frame.axes * turn) * l);
                    add(first, at, turn * back * l);
                    add(first, first, turn * skew(back * g) * l);
                }
                Rows::AcrossGradient { gradients } => {
                    let at = [3 * (1 + gradients[0]), self.first(1) + 3 * (1 + gradients[1])];
                    add(at[0], at[1], DMat3::IDENTITY * lambda[row]);
                    add(at[1], at[0], DMat3::IDENTITY * lambda[row]);
                }
                _ => {}
            }
            row += rows.count();
        }
    }
}

impl ConstraintBatch for JointBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        for item in &self.items {
            let carrier = item.carrier.map_or(NO_BLOCK, |(_, block)| block);
            let blocks: Vec<_> = item.nodes.iter().map(|n| n.block).chain([carrier]).collect();
            layout.push(&blocks, item.rows.iter().map(Rows::count).sum());
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("joint", &self.items[item].name)
    }

    fn row_name(&self, item: usize, row: usize) -> String {
        let mut left = row;
        for rows in &self.items[item].rows {
            if left >= rows.count() {
                left -= rows.count();
                continue;
            }
            return match rows {
                Rows::Place { .. } | Rows::SamePlace => format!("place along {}", ["x", "y", "z"][left]),
                Rows::SameNumbers { .. } => format!("coordinate {left}"),
                Rows::AcrossCarrier { gradient, .. } => format!("gradient {gradient} across an axis"),
                Rows::AcrossGradient { gradients: [a, b] } => format!("gradient {a} across gradient {b}"),
                Rows::Coordinate { column, .. } => format!("prescribed coordinate {column}"),
            };
        }
        format!("row {row}")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        _request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| {
            out.fill(0.0);
            let rows = slots.rows[i];
            let (residual, out) = out.split_at_mut(rows);
            let (rate, out) = out.split_at_mut(rows);
            let (gamma, jacobian) = out.split_at_mut(rows);
            let columns = slots.columns[i];
            self.items[i].write(x, &mut Writer { residual, rate, gamma, jacobian, columns });
        });
    }

    fn tangent(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        lambda: &[f64],
        stiffness: f64,
        slots: &Slots,
        tangent: &mut [f64],
    ) {
        let start = slots.first_row.first().copied().unwrap_or_default();
        ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
            out.fill(0.0);
            let lambda = &lambda[slots.first_row[i] - start..][..slots.rows[i]];
            self.items[i].add_tangent(x, lambda, stiffness, slots.columns[i], out);
        });
    }
}

#[cfg(test)]
mod tests {
    use glam::DQuat;
    use huygens_core::function::Function;

    use super::*;

    /// A node with a slope, one with gradients and a carrier with a rotation, one after the other.
    const SLOPE: NodePlace = NodePlace { block: 0, q: 0, v: 0, columns: 6 };
    const GRADIENTS: NodePlace = NodePlace { block: 1, q: 6, v: 6, columns: 12 };
    const CARRIER: usize = 18;
    const STEP: f64 = 1e-5;

    fn numbers(count: usize, seed: f64) -> Vec<f64> {
        (0..count).map(|k| (seed + 1.7 * k as f64).sin()).collect()
    }

    fn start() -> (Vec<f64>, Vec<f64>) {
        let mut q = numbers(CARRIER + 7, 0.3);
        let turn = DQuat::from_slice(&q[CARRIER + 3..]).normalize();
        q[CARRIER + 3..].copy_from_slice(&turn.to_array());
        (q, numbers(CARRIER + 6, 2.0))
    }

    /// Positions after a small motion along the columns.
    fn moved(q: &[f64], x: &[f64]) -> Vec<f64> {
        let mut out = q.to_vec();
        (0..CARRIER + 3).for_each(|k| out[k] += x[k]);
        let turn = DQuat::from_scaled_axis(DVec3::from_slice(&x[CARRIER + 3..]));
        let turned = DQuat::from_slice(&q[CARRIER + 3..]) * turn;
        out[CARRIER + 3..].copy_from_slice(&turned.to_array());
        out
    }

    fn with_view<T>(q: &[f64], v: &[f64], time: f64, f: impl FnOnce(&StateView<'_>) -> T) -> T {
        let axes = DMat3::from_quat(DQuat::from_slice(&q[CARRIER + 3..]));
        let frames = [Frame {
            origin: DVec3::from_slice(&q[CARRIER..]),
            axes,
            velocity: DVec3::from_slice(&v[CARRIER..]),
            omega: axes * DVec3::from_slice(&v[CARRIER + 3..]),
            block: 2,
            motion: FrameMotion::Rigid,
            ..Frame::GROUND
        }];
        f(&StateView {
            time,
            q,
            v,
            acceleration: &[],
            z: &[],
            z_rate: &[],
            lambda: &[],
            signals: &[],
            history: &[],
            frames: &frames,
            twists: Default::default(),
            load_factor: 1.0,
            parameters: huygens_core::parameter::ParameterSet::empty(),
        })
    }

    /// All kinds of rows over all three, as one joint each; every joint touches all 24 columns.
    fn joints() -> Vec<JointItem> {
        let place = DVec3::new(0.3, -0.8, 0.5);
        let axis = DVec3::new(0.6, 0.0, 0.8);
        let displacement = Function::Sine { amplitude: 0.7, frequency: 0.9, phase: 0.4, offset: 0.1 };
        let groups = vec![
            vec![Rows::Place { node: 1, place }, Rows::Place { node: 0, place: -place }],
            vec![Rows::SamePlace],
            vec![Rows::SameNumbers { columns: 6 }],
            vec![Rows::SamePlace, Rows::AcrossCarrier { node: 1, gradient: 2, axis }],
            vec![
                Rows::AcrossCarrier { node: 0, gradient: 0, axis },
                Rows::AcrossGradient { gradients: [0, 1] },
            ],
            vec![Rows::Coordinate { column: 4, start: 0.2, displacement }],
        ];
        let item = |rows| JointItem {
            name: "all".into(),
            nodes: vec![SLOPE, GRADIENTS],
            carrier: Some((0, 2)),
            rows,
        };
        groups.into_iter().map(item).collect()
    }

    fn written(item: &JointItem, x: &StateView<'_>) -> [Vec<f64>; 4] {
        let rows: usize = item.rows.iter().map(Rows::count).sum();
        let mut out = [vec![0.0; rows], vec![0.0; rows], vec![0.0; rows], vec![0.0; rows * 24]];
        let [residual, rate, gamma, jacobian] = &mut out;
        item.write(x, &mut Writer { residual, rate, gamma, jacobian, columns: 24 });
        out
    }

    #[test]
    fn jacobians_rates_and_accelerations_are_derivatives_of_the_rows() {
        let (q, v) = start();
        for (number, item) in joints().iter().enumerate() {
            let [residual, rate, gamma, jacobian] = with_view(&q, &v, 0.4, |x| written(item, x));
            assert!(residual.iter().any(|r| r.abs() > 1e-3));
            for column in 0..24 {
                let mut x = vec![0.0; 24];
                let mut at = |step: f64| {
                    x[column] = step;
                    with_view(&moved(&q, &x), &v, 0.4, |x| written(item, x))[0].clone()
                };
                let (after, before) = (at(STEP), at(-STEP));
                for row in 0..residual.len() {
                    let found = (after[row] - before[row]) / (2.0 * STEP);
                    let wanted = jacobian[24 * row + column];
                    assert!(
                        (found - wanted).abs() < 1e-9,
                        "joint {number} row {row} column {column}: {found} {wanted}"
                    );
                }
            }
            // Along the motion with these velocities and no acceleration of any column.
            let along = |step: f64| {
                let x: Vec<_> = v.iter().map(|v| v * step).collect();
                with_view(&moved(&q, &x), &v, 0.4 + step, |x| written(item, x))
            };
            let (after, before) = (along(STEP), along(-STEP));
            for row in 0..residual.len() {
                let found = (after[0][row] - before[0][row]) / (2.0 * STEP);
                assert!((found - rate[row]).abs() < 1e-8, "joint {number} row {row}: {found} {}", rate[row]);
                let found = (after[1][row] - before[1][row]) / (2.0 * STEP);
                assert!(
                    (found + gamma[row]).abs() < 1e-8,
                    "joint {number} row {row}: {found} {}",
                    -gamma[row]
                );
            }
        }
    }

    #[test]
    fn the_tangent_is_the_derivative_of_the_reactions() {
        let (q, v) = start();
        for (number, item) in joints().iter().enumerate() {
            let count: usize = item.rows.iter().map(Rows::count).sum();
            let lambda = numbers(count, 5.0);
            let reactions = |q: &[f64]| -> Vec<f64> {
                let [.., jacobian] = with_view(q, &v, 0.4, |x| written(item, x));
                let sum =
                    |column: usize| (0..count).map(|row| jacobian[24 * row + column] * lambda[row]).sum();
                (0..24).map(sum).collect()
            };
            let mut tangent = vec![0.0; 24 * 24];
            with_view(&q, &v, 0.4, |x| item.add_tangent(x, &lambda, 3.0, 24, &mut tangent));
            for column in 0..24 {
                let mut x = vec![0.0; 24];
                x[column] = STEP;
                let after = reactions(&moved(&q, &x));
                x[column] = -STEP;
                let before = reactions(&moved(&q, &x));
                for row in 0..24 {
                    let found = 3.0 * (after[row] - before[row]) / (2.0 * STEP);
                    let wanted = tangent[24 * row + column];
                    assert!(
                        (found - wanted).abs() < 1e-8,
                        "joint {number} at {row}, {column}: {found} {wanted}"
                    );
                }
            }
        }
    }
}
