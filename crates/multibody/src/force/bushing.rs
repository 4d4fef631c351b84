//! Bushings: linear 6×6 stiffness and damping between two frames.
//!
//! With $d$ the displacement of B from its rest position in A's axes and $\theta$ the rotation vector of B relative to
//! A (in A's axes), the wrench on B at its point, in A's axes, is $-K(d, \theta) - D(\dot d, \omega_{rel})$; the
//! opposite wrench acts on A at the same point, so momentum is conserved.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::parameter::{BlockId, Invalidates, ItemParameters, ParameterRange, ParameterValue};
use huygens_exec::Exec;
use huygens_kernel::rotation;

use crate::columns::PairColumns;
use crate::joint::Attachment;
use crate::marker::{Marker, MarkerState};
use crate::rows::{TA, TB, Tangent, XA, XB};
use crate::slots::{CHUNK, for_each_item};

/// A bushing between two frames.
#[derive(Clone, Debug)]
pub struct Bushing {
    /// Unique name.
    pub name: String,
    /// Base frame.
    pub a: Attachment,
    /// Follower frame.
    pub b: Attachment,
    /// Stiffness, row-major 6×6: force and torque per displacement [m] and rotation [rad].
    pub stiffness: [[f64; 6]; 6],
    /// Damping, row-major 6×6.
    pub damping: [[f64; 6]; 6],
    /// Force and torque on B in A's axes at rest position [N, N·m].
    pub preload: [f64; 6],
}

/// A 6×6 matrix as four 3×3 blocks: force/displacement, force/rotation, torque/displacement, torque/rotation.
#[derive(Clone, Copy, Debug)]
struct Blocks([DMat3; 4]);

impl Blocks {
    fn new(m: &[[f64; 6]; 6]) -> Self {
        let block = |r: usize, c: usize| {
            DMat3::from_cols_array_2d(&std::array::from_fn(|j| std::array::from_fn(|i| m[r + i][c + j])))
        };
        Self([block(0, 0), block(0, 3), block(3, 0), block(3, 3)])
    }

    fn entry(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.0[row / 3 * 2 + column / 3].col_mut(column % 3)[row % 3]
    }

    fn apply(&self, d: DVec3, t: DVec3) -> (DVec3, DVec3) {
        (self.0[0] * d + self.0[1] * t, self.0[2] * d + self.0[3] * t)
    }

    /// In world axes.
    fn turned(&self, axes: DMat3) -> [DMat3; 4] {
        self.0.map(|m| axes * m * axes.transpose())
    }
}

struct BushingItem {
    name: Subject,
    a: Marker,
    b: Marker,
    columns: PairColumns,
}

/// The parameters of a bushing.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BushingLaw {
    stiffness: Blocks,
    damping: Blocks,
    preload: (DVec3, DVec3),
}

impl BushingLaw {
    pub fn new(bushing: &Bushing) -> Self {
        let p = &bushing.preload;
        Self {
            stiffness: Blocks::new(&bushing.stiffness),
            damping: Blocks::new(&bushing.damping),
            preload: (DVec3::new(p[0], p[1], p[2]), DVec3::new(p[3], p[4], p[5])),
        }
    }

    /// The parameter at a position in the list: both matrices by rows, then the preload.
    fn number(&mut self, place: usize) -> &mut f64 {
        match place {
            0..36 => self.stiffness.entry(place / 6, place % 6),
            36..72 => self.damping.entry(place / 6 - 6, place % 6),
            72..75 => &mut self.preload.0[place - 72],
            _ => &mut self.preload.1[place - 75],
        }
    }
}

/// Names count rows and columns from 1: x, y, z, rotations about x, y, z.
impl ItemParameters for BushingLaw {
    const INVALIDATES: Invalidates = Invalidates::FACTORS;

    fn list(&self) -> Vec<ParameterValue> {
        let mut copy = *self;
        let mut all = Vec::with_capacity(78);
        for place in 0..78 {
            let (row, column) = (place / 6 % 6 + 1, place % 6 + 1);
            let (name, unit) = match place {
                0..36 => (format!("stiffness.{row}.{column}"), "N, N·m per m, rad"),
                36..72 => (format!("damping.{row}.{column}"), "N, N·m per m/s, rad/s"),
                _ => (format!("preload.{column}"), if place < 75 { "N" } else { "N·m" }),
            };
            all.push(ParameterValue::new(name, unit, ParameterRange::Finite, *copy.number(place)));
        }
        all
    }

    fn set(&mut self, place: usize, value: f64) {
        *self.number(place) = value;
    }
}

/// All bushings.
#[derive(Default)]
pub(crate) struct BushingBatch {
    items: Vec<BushingItem>,
    /// Parameters of the items.
    pub laws: BlockId,
}

impl BushingBatch {
    pub fn push(&mut self, bushing: &Bushing, a: Marker, b: Marker, columns: PairColumns) {
        self.items.push(BushingItem { name: Subject::object("bushing", &bushing.name), a, b, columns });
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Force and torque on B at its point, world axes.
    pub fn wrench(&self, item: usize, x: &StateView<'_>) -> (DVec3, DVec3) {
        let i = &self.items[item];
        self.laws(x)[item].wrench(&i.a.at(x), &i.b.at(x))
    }

    fn laws<'a>(&self, x: &StateView<'a>) -> &'a [BushingLaw] {
        x.parameters.values(self.laws)
    }
}

impl BushingLaw {
    fn deflection(a: &MarkerState<'_>, b: &MarkerState<'_>) -> (DVec3, DVec3) {
        let back = a.axes.transpose();
        (back * (b.point - a.point), rotation::log(DQuat::from_mat3(&(back * b.axes)).normalize()))
    }

    fn wrench(&self, a: &MarkerState<'_>, b: &MarkerState<'_>) -> (DVec3, DVec3) {
        let back = a.axes.transpose();
        let (d, t) = Self::deflection(a, b);
        let slip = back * (b.velocity - a.velocity - a.omega.cross(b.point - a.point));
        let spin = back * (b.omega - a.omega);
        let (kf, kt) = self.stiffness.apply(d, t);
        let (cf, ct) = self.damping.apply(slip, spin);
        (a.axes * (self.preload.0 - kf - cf), a.axes * (self.preload.1 - kt - ct))
    }

    /// −∂(wrench)/∂(variations) weighted; the geometric part of the finite rotation is neglected; Newton's iterations
    /// absorb it.
    fn tangent(&self, a: &MarkerState<'_>, b: &MarkerState<'_>, w: &Weights) -> Tangent {
        let (k, c) = (self.stiffness.turned(a.axes), self.damping.turned(a.axes));
        let m: [DMat3; 4] = std::array::from_fn(|i| k[i] * w.stiffness + c[i] * w.damping);
        let (e, r) = (rotation::skew(b.point - a.carrier.origin), rotation::skew(b.arm));
        // Relative displacement and rotation caused by the four variations.
        let moved = [-DMat3::IDENTITY, e, DMat3::IDENTITY, -r];
        let turned = [DMat3::ZERO, -DMat3::IDENTITY, DMat3::ZERO, DMat3::IDENTITY];
        let mut t = [[DMat3::ZERO; 4]; 4];
        for j in 0..4 {
            let force = m[0] * moved[j] + m[1] * turned[j];
            let torque = m[2] * moved[j] + m[3] * turned[j];
            t[XB][j] += force;
            t[TB][j] += torque + r * force;
            t[XA][j] -= force;
            t[TA][j] -= torque + e * force;
        }
        t
    }
}

impl ElementBatch for BushingBatch {
    fn does_work(&self, x: &StateView<'_>) -> bool {
        self.laws(x).iter().any(|law| law.preload != (DVec3::ZERO, DVec3::ZERO))
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        for item in &self.items {
            layout.push(&item.columns.blocks(), 0);
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
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
        let laws = self.laws(x);
        for_each_item(ex, &slots.values, values, |i, slot| {
            let item = &self.items[i];
            let (a, b) = (item.a.at(x), item.b.at(x));
            let (force, torque) = laws[i].wrench(&a, &b);
            let at_a = b.point - a.carrier.origin;
            let w = [-force, -torque - at_a.cross(force), force, torque + b.arm.cross(force)];
            item.columns.store_row(x, a.carrier, b.carrier, &w, slot);
        });
        let Some((w, tangents)) = tangent else { return };
        for_each_item(ex, &slots.tangents, tangents, |i, slot| {
            let item = &self.items[i];
            let (a, b) = (item.a.at(x), item.b.at(x));
            let t = laws[i].tangent(&a, &b, w);
            item.columns.store_tangent(x, [a.carrier, b.carrier], &t, [DVec3::ZERO; 2], 1.0, slot);
        });
    }

    fn energy(&self, ex: &Exec, x: &StateView<'_>, _history: &[f64]) -> f64 {
        let laws = self.laws(x);
        let one = |k: usize| {
            let (d, t) = BushingLaw::deflection(&self.items[k].a.at(x), &self.items[k].b.at(x));
            let (f, m) = laws[k].stiffness.apply(d, t);
            0.5 * (d.dot(f) + t.dot(m))
        };
        ex.sum(self.items.len(), CHUNK, |items| items.map(one).sum())
    }
}
