//! Rigid bounds of coordinates: joint limits and ropes as unilateral rows.

use huygens_core::Subject;
use huygens_core::contract::{Layout, Slots, StateView, UnilateralBatch};
use huygens_core::parameter::{
    BlockId, Invalidates, ItemParameters, ParameterRange, ParameterSet, ParameterValue,
};
use huygens_exec::Exec;

use crate::joint::coordinate::Combination;
use crate::slots::{for_each_item, history_owners, push_history};

/// One coordinate with bounds; their values are in the block of the batch.
pub(crate) struct LimitItem {
    pub name: Subject,
    pub sum: Combination,
    /// Number of bounds.
    pub rows: usize,
}

/// Bounds of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LimitBounds {
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub restitution: f64,
}

impl LimitBounds {
    /// Number of bounds.
    pub fn rows(&self) -> usize {
        usize::from(self.lower.is_some()) + usize::from(self.upper.is_some())
    }

    fn number(&mut self, place: usize) -> Option<&mut f64> {
        let bounds = [&mut self.lower, &mut self.upper].into_iter().filter_map(Option::as_mut);
        bounds.chain([&mut self.restitution]).nth(place)
    }
}

impl ItemParameters for LimitBounds {
    const INVALIDATES: Invalidates = Invalidates::FACTORS;

    fn list(&self) -> Vec<ParameterValue> {
        let (unit, range) = ("m or rad", ParameterRange::Finite);
        let lower = self.lower.map(|x| ParameterValue::new("lower", unit, range, x));
        let upper = self.upper.map(|x| ParameterValue::new("upper", unit, range, x));
        let range = ParameterRange::Between(0.0, 1.0);
        let restitution = ParameterValue::new("restitution", "1", range, self.restitution);
        lower.into_iter().chain(upper).chain([restitution]).collect()
    }

    fn set(&mut self, place: usize, value: f64) {
        if let Some(number) = self.number(place) {
            *number = value;
        }
    }

    fn check(&self) -> Result<(), String> {
        match (self.lower, self.upper) {
            (Some(lower), Some(upper)) if lower >= upper => {
                Err(format!("the lower bound {lower} must be below the upper one {upper}"))
            }
            _ => Ok(()),
        }
    }
}

/// All rigid bounds; an item has a row for each bound.
#[derive(Default)]
pub(crate) struct LimitRows {
    pub items: Vec<LimitItem>,
    pub history: usize,
    /// Bounds of the items.
    pub bounds: BlockId,
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
            layout.push(&item.sum.blocks, item.rows);
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.items[item].name.clone()
    }

    fn row_name(&self, parameters: &ParameterSet, item: usize, row: usize) -> String {
        let LimitBounds { lower, upper, .. } = parameters.values::<LimitBounds>(self.bounds)[item];
        match (lower, upper) {
            (Some(lower), _) if row == 0 => format!("at least {lower}"),
            (_, Some(upper)) => format!("at most {upper}"),
            _ => format!("row {row}"),
        }
    }

    fn evaluate(&self, ex: &Exec, x: &StateView<'_>, history: &[f64], slots: &Slots, values: &mut [f64]) {
        let all = x.parameters.values::<LimitBounds>(self.bounds);
        for_each_item(ex, &slots.values, values, |i, slot| {
            let (item, rows, n) = (&self.items[i], slots.rows[i], slots.columns[i]);
            let LimitBounds { lower, upper, .. } = all[i];
            let bounds = lower.map(|b| (b, 1.0)).into_iter().chain(upper.map(|b| (b, -1.0)));
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

    fn restitution(&self, parameters: &ParameterSet, item: usize, _row: usize) -> f64 {
        parameters.values::<LimitBounds>(self.bounds)[item].restitution
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(&Exec::serial(), &self.starts, history, |i, own| {
            self.items[i].sum.remember(x, 0.0, true, own);
        });
    }

    fn history_owners(&self, _layout: &Layout) -> Vec<(String, std::ops::Range<usize>)> {
        history_owners(&self.starts, |item| self.item_name(item).to_string())
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        for_each_item(ex, &self.starts, history, |i, own| self.items[i].sum.remember(x, 0.0, false, own));
    }
}
