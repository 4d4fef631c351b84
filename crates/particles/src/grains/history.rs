//! What contacts remember, in rows that go with the list of pairs.
//!
//! A pair has one row for sliding (with the root of the overlap), a second one for rolling and spinning where a
//! law has memory of them, a third one with the impact speed where damping is by hysteresis.

use huygens_exec::lanes::{Lanes, Wide};
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
                remembers(model.rolling) && p.rolling_friction > 0.0
                    || remembers(model.spinning) && p.spinning_friction > 0.0
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

    /// The memory of `N` pairs whose rows start at `at`.
    #[inline(always)]
    pub fn load<const N: usize, W: Wide<N>>(self, rows: &[Row], at: [usize; N]) -> ContactHistory<W> {
        let mut out = ContactHistory::empty();
        let [x, y, z, root] = take::<N, W>(rows, at, 0);
        (out.tangential, out.root) = (V3 { x, y, z }, root);
        if self.turning {
            let [x, y, z, spin] = take::<N, W>(rows, at, 1);
            (out.rolling, out.spinning) = (V3 { x, y, z }, spin);
        }
        if self.impact {
            [out.impact, ..] = take::<N, W>(rows, at, self.width() - 1);
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
            (out.rolling, out.spinning) = (V3 { x, y, z }, spin);
        }
        if self.impact {
            out.impact = rows[self.width() - 1].0[0];
        }
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
        let V3 { x, y, z } = history.tangential;
        put(W::rows([x, y, z, history.root]), rows, at, 0, count);
        if self.turning {
            let V3 { x, y, z } = history.rolling;
            put(W::rows([x, y, z, history.spinning]), rows, at, 1, count);
        }
        if self.impact {
            let impact = W::rows([history.impact, W::zero(), W::zero(), W::zero()]);
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
