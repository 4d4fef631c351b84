//! What contacts remember, in rows that go with the list of pairs.
//!
//! A pair has those rows of [`MemoryRow`] that its laws need.

use huygens_exec::lanes::{Lanes, Wide};
use huygens_kernel::contact::{CompliantModel, CompliantPair, ContactHistory, MemoryRow};

use crate::row::Row;

/// Which rows a pair has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HistoryLayout {
    kept: [bool; MemoryRow::ALL.len()],
}

/// Does `$make` for each row that a layout keeps, with its number; a macro, as closures may stay calls.
macro_rules! each_row {
    ($layout:expr, |$row:ident, $number:ident| $make:expr) => {
        let mut $number = 0;
        for $row in MemoryRow::ALL {
            if $layout.kept[$row as usize] {
                $make;
                $number += 1;
            }
        }
    };
}

impl HistoryLayout {
    pub fn new(model: &CompliantModel, pairs: &[CompliantPair]) -> Self {
        Self { kept: MemoryRow::ALL.map(|row| model.remembers(row, pairs)) }
    }

    /// Rows per pair.
    #[inline(always)]
    pub fn width(self) -> usize {
        self.kept.iter().map(|kept| usize::from(*kept)).sum()
    }

    /// The memory of `N` pairs whose rows start at `at`.
    #[inline(always)]
    pub fn load<const N: usize, W: Wide<N>>(self, rows: &[Row], at: [usize; N]) -> ContactHistory<W> {
        let mut out = ContactHistory::empty();
        each_row!(self, |row, number| out.set_row(row, take::<N, W>(rows, at, number)));
        out
    }

    /// The memory of one pair.
    pub fn unpacked(self, rows: &[Row]) -> ContactHistory {
        let mut out = ContactHistory::default();
        each_row!(self, |row, number| out.set_row(row, rows[number].0));
        out
    }

    /// Writes the memory of the first `count` of `N` pairs.
    #[inline(always)]
    pub fn store<const N: usize, W: Wide<N>>(
        self,
        history: &ContactHistory<W>,
        rows: &mut [Row],
        at: [usize; N],
        count: usize,
    ) {
        each_row!(self, |row, number| put(W::rows(history.row(row)), rows, at, number, count));
    }

    /// The memory seen from the other side of the pair.
    pub fn turn_round(self, rows: &mut [Row]) {
        each_row!(self, |row, number| rows[number].0 = row.turned_round(rows[number].0));
    }
}

/// Row `row` of each pair, number by number.
#[inline(always)]
fn take<const N: usize, W: Wide<N>>(rows: &[Row], at: [usize; N], row: usize) -> [W; 4] {
    let mut found = [&Row::ZERO.0; N];
    for lane in 0..N {
        found[lane] = &rows[at[lane] + row].0;
    }
    W::columns(found)
}

#[inline(always)]
fn put<const N: usize, L: Lanes>(values: [L; N], rows: &mut [Row], at: [usize; N], row: usize, count: usize) {
    for lane in 0..count {
        values[lane].store(&mut rows[at[lane] + row].0);
    }
}
