//! All joints that are made of [`Primitive`] rows.

use glam::{DMat3, DVec3};
use huygens_core::Subject;
use huygens_core::contract::{ConstraintBatch, Layout, RowRequest, Slots, StateView};
use huygens_exec::Exec;

use crate::columns::PairColumns;
use crate::joint::Primitive;
use crate::marker::{Marker, MarkerState};
use crate::rows::{self, PointFunction, Row, TA, TB, Tangent};
use crate::slots::{Item, for_each_item, history_owners, push_history};

/// One joint as the batch sees it.
pub(crate) struct JointItem {
    pub name: String,
    pub a: Marker,
    pub b: Marker,
    pub primitives: Vec<Primitive>,
    pub columns: PairColumns,
    /// Start of the joint's history (curve parameters) in the batch.
    pub history: usize,
}

/// Joints; every item couples two carriers.
#[derive(Default)]
pub(crate) struct JointBatch {
    items: Vec<JointItem>,
    history: usize,
    /// Start of each joint's history, and the end of the last one.
    starts: Vec<usize>,
}

impl JointBatch {
    /// Adds a joint between two carriers.
    pub fn push(
        &mut self,
        name: String,
        a: Marker,
        b: Marker,
        primitives: Vec<Primitive>,
        columns: PairColumns,
    ) {
        let curves = primitives.iter().filter(|p| matches!(p, Primitive::Curve(_))).count();
        self.items.push(JointItem { name, a, b, primitives, columns, history: self.history });
        self.history += curves;
        push_history(&mut self.starts, curves);
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Constraint wrench (force, torque about the marker's point, world axes) on carrier A and on carrier B.
    pub fn wrench(
        &self,
        item: usize,
        x: &StateView<'_>,
        history: &[f64],
        lambda: &[f64],
    ) -> [(DVec3, DVec3); 2] {
        let joint = &self.items[item];
        let (a, b) = (joint.a.at(x), joint.b.at(x));
        let mut total = [DVec3::ZERO; 4];
        let mut row = 0;
        joint.for_each_row::<false>(&a, &b, &history[joint.history.min(history.len())..], |r| {
            (0..4).for_each(|k| total[k] -= r.w[k] * lambda[row]);
            row += 1;
        });
        [(total[0], total[1] - a.arm.cross(total[0])), (total[2], total[3] - b.arm.cross(total[2]))]
    }

    /// Markers of a joint at a state.
    pub fn markers(&self, item: usize) -> (&Marker, &Marker) {
        (&self.items[item].a, &self.items[item].b)
    }
}

impl JointItem {
    #[inline]
    fn for_each_row<const MOTION: bool>(
        &self,
        a: &MarkerState<'_>,
        b: &MarkerState<'_>,
        history: &[f64],
        mut f: impl FnMut(Row),
    ) {
        let mut memory = history.iter();
        for primitive in &self.primitives {
            match primitive {
                Primitive::Point => DVec3::AXES.iter().for_each(|&e| f(rows::point::<MOTION>(a, b, e))),
                Primitive::AxisDot(i, j) => f(rows::axis_dot::<MOTION>(a, b, *i, *j)),
                Primitive::EqualTwist => {
                    let mut row = rows::axis_dot::<MOTION>(a, b, 0, 1);
                    row.add(&rows::axis_dot::<MOTION>(a, b, 1, 0), -1.0);
                    f(row);
                }
                Primitive::Coordinate(k, at) => {
                    let p = PointFunction::coordinate(rows::relative_point(a, b), *k);
                    let mut row = rows::point_function::<MOTION>(a, b, &p);
                    row.value -= at;
                    f(row);
                }
                Primitive::CoordinateInB(k, at) => {
                    let p = PointFunction::coordinate(rows::relative_point(b, a), *k);
                    let mut row = rows::point_function::<MOTION>(b, a, &p).swapped();
                    row.value -= at;
                    f(row);
                }
                Primitive::Distance(length) => {
                    let p = PointFunction::distance(rows::relative_point(a, b));
                    let mut row = rows::point_function::<MOTION>(a, b, &p);
                    row.value -= length;
                    f(row);
                }
                Primitive::Curve(curve) => {
                    let p = rows::relative_point(a, b);
                    let s = curve.closest(p, memory.next().copied().unwrap_or(0.0));
                    for p in PointFunction::off_curve(p, curve, s) {
                        f(rows::point_function::<MOTION>(a, b, &p));
                    }
                }
            }
        }
    }

    /// Tangent and total torques of all rows with the joint's multipliers.
    fn tangent(
        &self,
        a: &MarkerState<'_>,
        b: &MarkerState<'_>,
        history: &[f64],
        l: &[f64],
    ) -> (Tangent, [DVec3; 2]) {
        let mut t = [[DMat3::ZERO; 4]; 4];
        let (mut row, mut memory) = (0, history.iter());
        for primitive in &self.primitives {
            let l = &l[row..];
            match primitive {
                Primitive::Point => rows::point_tangent(a, b, DVec3::new(l[0], l[1], l[2]), &mut t),
                Primitive::AxisDot(i, j) => rows::axis_dot_tangent(a, b, *i, *j, l[0], &mut t),
                Primitive::EqualTwist => {
                    rows::axis_dot_tangent(a, b, 0, 1, l[0], &mut t);
                    rows::axis_dot_tangent(a, b, 1, 0, -l[0], &mut t);
                }
                Primitive::Coordinate(k, _) => {
                    let p = PointFunction::coordinate(rows::relative_point(a, b), *k);
                    rows::point_function_tangent(a, b, &p, l[0], &mut t);
                }
                Primitive::CoordinateInB(k, _) => {
                    let p = PointFunction::coordinate(rows::relative_point(b, a), *k);
                    let mut other = [[DMat3::ZERO; 4]; 4];
                    rows::point_function_tangent(b, a, &p, l[0], &mut other);
                    let other = rows::swap_tangent(&other);
                    (0..16).for_each(|k| t[k / 4][k % 4] += other[k / 4][k % 4]);
                }
                Primitive::Distance(_) => {
                    let p = PointFunction::distance(rows::relative_point(a, b));
                    rows::point_function_tangent(a, b, &p, l[0], &mut t);
                }
                Primitive::Curve(curve) => {
                    let p = rows::relative_point(a, b);
                    let s = curve.closest(p, memory.next().copied().unwrap_or(0.0));
                    for (p, l) in PointFunction::off_curve(p, curve, s).iter().zip(l) {
                        rows::point_function_tangent(a, b, p, *l, &mut t);
                    }
                }
            }
            row += primitive.rows();
        }
        let (mut torque, mut row) = ([DVec3::ZERO; 2], 0);
        self.for_each_row::<false>(a, b, history, |r| {
            torque[0] += r.w[TA] * l[row];
            torque[1] += r.w[TB] * l[row];
            row += 1;
        });
        (t, torque)
    }
}

impl ConstraintBatch for JointBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.history, ..Layout::default() };
        for joint in &self.items {
            layout.push(&joint.columns.blocks(), joint.primitives.iter().map(Primitive::rows).sum());
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        Subject::object("joint", &self.items[item].name)
    }

    fn row_name(&self, item: usize, mut row: usize) -> String {
        for primitive in &self.items[item].primitives {
            if row < primitive.rows() {
                return primitive.row_name(row);
            }
            row -= primitive.rows();
        }
        format!("row {row}")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        let motion = request.rate || request.gamma;
        for_each_item(ex, &slots.values, values, |i, slot| {
            let joint = &self.items[i];
            let mut out = Item::new(slot, slots.rows[i], slots.columns[i]);
            let history = &history[joint.history..];
            if motion {
                let (a, b) = (joint.a.at(x), joint.b.at(x));
                joint.for_each_row::<true>(&a, &b, history, |row| {
                    out.push(x, &joint.columns, a.carrier, b.carrier, &row)
                });
            } else {
                let (a, b) = (joint.a.pose_at(x), joint.b.pose_at(x));
                joint.for_each_row::<false>(&a, &b, history, |row| {
                    out.push(x, &joint.columns, a.carrier, b.carrier, &row)
                });
            }
        });
    }

    fn tangent(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        lambda: &[f64],
        stiffness: f64,
        slots: &Slots,
        tangent: &mut [f64],
    ) {
        let first = slots.first_row.first().copied().unwrap_or(0);
        for_each_item(ex, &slots.tangents, tangent, |i, slot| {
            let joint = &self.items[i];
            let (a, b) = (joint.a.pose_at(x), joint.b.pose_at(x));
            let l = &lambda[slots.first_row[i] - first..][..slots.rows[i]];
            let (t, torque) = joint.tangent(&a, &b, &history[joint.history..], l);
            joint.columns.store_tangent(x, [a.carrier, b.carrier], &t, torque, stiffness, slot);
        });
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        self.store_curve_parameters(&Exec::serial(), x, history, true);
    }

    fn history_owners(&self, _layout: &Layout) -> Vec<(String, std::ops::Range<usize>)> {
        history_owners(&self.starts, |item| self.item_name(item).to_string())
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        self.store_curve_parameters(ex, x, history, false);
    }
}

impl JointBatch {
    fn store_curve_parameters(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64], first: bool) {
        for_each_item(ex, &self.starts, history, |i, own| {
            let joint = &self.items[i];
            let curves = joint.primitives.iter().filter_map(|p| match p {
                Primitive::Curve(curve) => Some(curve),
                _ => None,
            });
            for (curve, slot) in curves.zip(own) {
                let p = rows::relative_point(&joint.a.at(x), &joint.b.at(x));
                *slot = if first { curve.closest_global(p) } else { curve.closest(p, *slot) };
            }
        });
    }
}
