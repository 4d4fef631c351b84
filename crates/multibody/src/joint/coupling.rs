//! Rows on coordinates: motors, gears, racks, belts, screws, shaft gears.
//!
//! $\Phi = \sum_i c_i\xi_i - \xi_0 - r(t)$ with joint or shaft coordinates $\xi_i$ and a reference $r$: nothing, a
//! function of time, or a first-order state that integrates a speed.

use huygens_core::Subject;
use huygens_core::contract::{ConstraintBatch, Layout, RowRequest, Slots, StateBlock, StateView};
use huygens_core::function::Function;
use huygens_exec::Exec;

use crate::drive::Drive;
use crate::joint::coordinate::Combination;
use crate::slots::{for_each_item, push_history};

/// What the sum of coordinates must follow.
#[derive(Clone, Debug)]
pub(crate) enum Reference {
    /// Its value at the start.
    Start,
    /// A function of time.
    Function(Function),
    /// Its value at the start plus the state `z[index]`, whose rate is the drive.
    Speed(usize, Drive),
}

/// One coupling row.
pub(crate) struct CouplingItem {
    pub name: Subject,
    pub sum: Combination,
    pub reference: Reference,
}

/// All coupling rows.
#[derive(Default)]
pub(crate) struct CouplingBatch {
    pub items: Vec<CouplingItem>,
    pub history: usize,
    /// Start of each item's history, and the end of the last one.
    pub starts: Vec<usize>,
    /// First global row, known once the model has placed the batch.
    pub first_row: usize,
}

impl CouplingBatch {
    /// Adds a row; its combination must start its history at [`CouplingBatch::history`].
    pub fn push(&mut self, item: CouplingItem) {
        self.history += item.sum.history_len() + 1;
        push_history(&mut self.starts, item.sum.history_len() + 1);
        self.items.push(item);
    }

    fn start(&self, item: &CouplingItem, history: &[f64]) -> f64 {
        history.get(item.sum.history + item.sum.history_len()).copied().unwrap_or(0.0)
    }
}

impl ConstraintBatch for CouplingBatch {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.history, ..Layout::default() };
        self.items.iter().for_each(|item| layout.push(&item.sum.blocks, 1));
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn row_name(&self, _item: usize, _row: usize) -> String {
        "coordinate".into()
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        _request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        for_each_item(ex, &slots.values, values, |i, slot| {
            let item = &self.items[i];
            let (head, jacobian) = slot.split_at_mut(3);
            let mut m = item.sum.evaluate(x, history, Some(jacobian));
            match &item.reference {
                Reference::Start => m.value -= self.start(item, history),
                Reference::Function(f) => {
                    let [value, rate, acceleration] = f.evaluate(x.time);
                    m.value -= value;
                    m.rate -= rate;
                    m.bias -= acceleration;
                }
                Reference::Speed(z, drive) => {
                    m.value -= self.start(item, history) + x.z[*z];
                    m.rate -= drive.value(x);
                    m.bias -= drive.rate(x);
                }
            }
            head.copy_from_slice(&[m.value, m.rate, -m.bias]);
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
        for_each_item(ex, &slots.tangents, tangent, |i, slot| {
            self.items[i].sum.add_tangent(x, history, stiffness * lambda[i], slot);
        });
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(&Exec::serial(), &self.starts, history, |i, own| {
            let sum = &self.items[i].sum;
            sum.remember(x, 0.0, true, own);
            own[sum.history_len()] = sum.evaluate_own(x, own, None).value;
        });
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(ex, &self.starts, history, |i, own| {
            let multiplier = x.lambda.get(self.first_row + i).copied().unwrap_or(0.0);
            self.items[i].sum.remember(x, multiplier, false, own);
        });
    }
}

/// The integrated speeds of all speed motors.
pub(crate) struct SpeedReferences(pub Vec<Drive>);

impl StateBlock for SpeedReferences {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn initialize(&self, z: &mut [f64]) {
        z.fill(0.0);
    }

    fn rate(&self, x: &StateView<'_>, _z: &[f64], z_rate: &mut [f64]) {
        self.0.iter().zip(z_rate).for_each(|(drive, rate)| *rate = drive.value(x));
    }
}
