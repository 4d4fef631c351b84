//! Parallel writes of batch items into their slots.

use huygens_core::contract::{Frame, StateView};
use huygens_exec::Exec;

use crate::columns::PairColumns;
use crate::rows::Row;

/// Items per parallel chunk.
pub(crate) const CHUNK: usize = 128;

/// Calls `f(i, slot)` for every item; `starts` holds the start of each slot and the end of the last one.
pub(crate) fn for_each_item(
    ex: &Exec,
    starts: &[usize],
    data: &mut [f64],
    f: impl Fn(usize, &mut [f64]) + Sync,
) {
    ex.for_each_slot(starts, data, CHUNK, f);
}

/// Registers `len` history numbers for the next item of a batch; [`for_each_item`] then uses `starts`.
pub(crate) fn push_history(starts: &mut Vec<usize>, len: usize) {
    let end = starts.last().copied().unwrap_or(0);
    if starts.is_empty() {
        starts.push(0);
    }
    starts.push(end + len);
}

/// The items with history and where it is stored; `starts` as in [`for_each_item`].
pub(crate) fn history_owners(
    starts: &[usize],
    name: impl Fn(usize) -> String,
) -> Vec<(String, std::ops::Range<usize>)> {
    let own = starts.windows(2).enumerate().map(|(item, ends)| (item, ends[0]..ends[1]));
    own.filter(|(_, own)| !own.is_empty()).map(|(item, own)| (name(item), own)).collect()
}

/// The value slot of a constraint item: residuals, rates, γ, Jacobian.
pub(crate) struct Item<'a> {
    slot: &'a mut [f64],
    rows: usize,
    columns: usize,
    next: usize,
}

impl<'a> Item<'a> {
    pub fn new(slot: &'a mut [f64], rows: usize, columns: usize) -> Self {
        Self { slot, rows, columns, next: 0 }
    }

    /// Writes the next row of a constraint between two carriers.
    #[inline]
    pub fn push(&mut self, x: &StateView<'_>, pair: &PairColumns, a: &Frame, b: &Frame, row: &Row) {
        let (r, n) = (self.next, self.columns);
        self.slot[r] = row.value;
        self.slot[self.rows + r] = row.rate;
        self.slot[2 * self.rows + r] = -row.bias;
        pair.store_row(x, a, b, &row.w, &mut self.slot[3 * self.rows + r * n..][..n]);
        self.next += 1;
    }
}
