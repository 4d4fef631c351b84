//! What contacts remember, in rows that go with the list of pairs.
//!
//! A pair has one row for sliding (with the root of the overlap), a second one for rolling and spinning where a
//! law has memory of them, a third one with the impact speed where damping is by hysteresis.

use huygens_exec::lanes::Lanes;
use huygens_kernel::contact::{CompliantModel, CompliantPair, ContactHistory, DampingLaw, ResistanceLaw};

use huygens_kernel::V3;

use crate::row::Row;

/// Which rows a pair has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HistoryLayout {
    /// Rolling and spinning.
    pub turning: bool,
    /// Impact speed.
    pub impact: bool,
}

impl HistoryLayout {
    pub fn new(model: &CompliantModel, pairs: &[CompliantPair]) -> Self {
        let remembers = |law| matches!(law, ResistanceLaw::ElasticPlastic { .. });
        Self {
            turning: pairs.iter().any(|p| {
                remembers(model.rolling) && p.rolling > 0.0 || remembers(model.twisting) && p.spinning > 0.0
            }),
            impact: !matches!(
                model.damping,
                DampingLaw::None | DampingLaw::Viscous | DampingLaw::Restitution
            ),
        }
    }

    /// Rows a pair.
    pub fn width(self) -> usize {
        1 + usize::from(self.turning) + usize::from(self.impact)
    }

    /// The memory of four pairs whose rows start at `at`.
    #[inline(always)]
    pub fn load<L: Lanes>(self, rows: &[Row], at: [usize; 4]) -> ContactHistory<L> {
        let mut out = ContactHistory::empty();
        let [x, y, z, root] = take::<L>(rows, at, 0);
        (out.tangential, out.root) = (V3 { x, y, z }, root);
        if self.turning {
            let [x, y, z, spin] = take::<L>(rows, at, 1);
            (out.rolling, out.twisting) = (V3 { x, y, z }, spin);
        }
        if self.impact {
            [out.impact, ..] = take::<L>(rows, at, self.width() - 1);
        }
        out
    }

    /// The memory of one pair.
    pub fn unpacked(self, rows: &[Row]) -> ContactHistory {
        let mut out = ContactHistory::default();
        let [x, y, z, root] = rows[0].0;
        (out.tangential, out.root) = (V3 { x, y, z }, root);
        if self.turning {
            let [x, y, z, spin] = rows[1].0;
            (out.rolling, out.twisting) = (V3 { x, y, z }, spin);
        }
        if self.impact {
            out.impact = rows[self.width() - 1].0[0];
        }
        out
    }

    /// Writes the memory of the first `count` of four pairs.
    #[inline(always)]
    pub fn store<L: Lanes>(
        self,
        history: &ContactHistory<L>,
        rows: &mut [Row],
        at: [usize; 4],
        count: usize,
    ) {
        let V3 { x, y, z } = history.tangential;
        put(L::transpose([x, y, z, history.root]), rows, at, 0, count);
        if self.turning {
            let V3 { x, y, z } = history.rolling;
            put(L::transpose([x, y, z, history.twisting]), rows, at, 1, count);
        }
        if self.impact {
            let impact = L::transpose([history.impact, L::zero(), L::zero(), L::zero()]);
            put(impact, rows, at, self.width() - 1, count);
        }
    }

    /// The memory seen from the other side of the pair.
    pub fn turn_round(self, rows: &mut [Row]) {
        let [x, y, z, root] = rows[0].0;
        rows[0] = Row([-x, -y, -z, root]);
        if self.turning {
            let [x, y, z, spin] = rows[1].0;
            rows[1] = Row([-x, -y, -z, spin]);
        }
    }
}

#[inline(always)]
fn take<L: Lanes>(rows: &[Row], at: [usize; 4], row: usize) -> [L; 4] {
    L::transpose_in([&rows[at[0] + row].0, &rows[at[1] + row].0, &rows[at[2] + row].0, &rows[at[3] + row].0])
}

#[inline(always)]
fn put<L: Lanes>(values: [L; 4], rows: &mut [Row], at: [usize; 4], row: usize, count: usize) {
    for lane in 0..count {
        values[lane].store(&mut rows[at[lane] + row].0);
    }
}
