//! Rigid bounds of coordinates: joint limits and ropes as one-sided rows.

use huygens_core::Subject;
use huygens_core::contract::{Layout, Slots, StateView, UnilateralBatch};
use huygens_exec::Exec;

use crate::joint::coordinate::Combination;
use crate::slots::{for_each_item, push_history};

/// Bounds of one coordinate.
pub(crate) struct LimitItem {
    pub name: Subject,
    pub sum: Combination,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub restitution: f64,
}

/// All rigid bounds; an item has a row for each bound.
#[derive(Default)]
pub(crate) struct LimitRows {
    pub items: Vec<LimitItem>,
    pub history: usize,
    /// Start of each item's history, and the end of the last one.
    starts: Vec<usize>,
}

impl LimitRows {
    /// Adds bounds; the combination must start its history at [`LimitRows::history`].
    pub fn push(&mut self, item: LimitItem) {
        self.history += item.sum.history_len();
        push_history(&mut self.starts, item.sum.history_len());
        self.items.push(item);
    }
}

impl UnilateralBatch for LimitRows {
    fn layout(&self) -> Layout {
        let mut layout = Layout { history: self.history, ..Layout::default() };
        for item in &self.items {
            layout.push(
                &item.sum.blocks,
                usize::from(item.lower.is_some()) + usize::from(item.upper.is_some()),
            );
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn evaluate(&self, ex: &Exec, x: &StateView<'_>, history: &[f64], slots: &Slots, values: &mut [f64]) {
        for_each_item(ex, &slots.values, values, |i, slot| {
            let (item, rows, n) = (&self.items[i], slots.rows[i], slots.columns[i]);
            let bounds = item.lower.map(|b| (b, 1.0)).into_iter().chain(item.upper.map(|b| (b, -1.0)));
            for (r, (bound, sign)) in bounds.enumerate() {
                let (head, jacobian) = slot.split_at_mut(3 * rows);
                let jacobian = &mut jacobian[r * n..][..n];
                let m = item.sum.evaluate(x, history, Some(jacobian));
                jacobian.iter_mut().for_each(|j| *j *= sign);
                head[r] = sign * (m.value - bound);
                head[rows + r] = sign * m.rate;
                head[2 * rows + r] = -sign * m.bias;
            }
        });
    }

    fn restitution(&self, item: usize, _row: usize) -> f64 {
        self.items[item].restitution
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(&Exec::serial(), &self.starts, history, |i, own| {
            self.items[i].sum.remember(x, 0.0, true, own);
        });
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(ex, &self.starts, history, |i, own| self.items[i].sum.remember(x, 0.0, false, own));
    }
}
