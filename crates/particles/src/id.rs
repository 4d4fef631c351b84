//! Ids of particles: numbers that stay with them, whoever holds them.
//!
//! An id is given once and never again, also when its particle is gone. Where several ranks make particles, each has a
//! residue class of its own: rank r of n gives r, r + n, r + 2n, … Ids are unique then without a word between ranks,
//! stay small, and go on with another number of ranks above the greatest that was given.

/// Where new ids come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdSource {
    next: u64,
    stride: u64,
}

impl Default for IdSource {
    fn default() -> Self {
        Self::of_rank(0, 1)
    }
}

impl IdSource {
    /// The ids of rank `rank` of `ranks`, from the least on; a number of ranks that does not hold the rank counts as one
    /// more than the rank.
    pub fn of_rank(rank: u64, ranks: u64) -> Self {
        Self { next: rank, stride: ranks.max(rank.saturating_add(1)) }
    }

    /// The ids of rank `rank` of `ranks` that are `bound` or more: what a restart goes on with, on any number of ranks,
    /// where `bound` is the greatest [`IdSource::next`] of all sources before.
    pub fn from_bound(bound: u64, rank: u64, ranks: u64) -> Self {
        let mut source = Self::of_rank(rank, ranks);
        source.skip_below(bound);
        source
    }

    /// A source as it was written.
    pub(crate) fn of_numbers([next, stride]: [u64; 2]) -> Option<Self> {
        (stride > 0).then_some(Self { next, stride })
    }

    /// The id that is given next.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Distance of one id from the one after it.
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// Gives `count` ids.
    pub fn take(&mut self, count: usize) -> IdRun {
        let run = IdRun { next: self.next, stride: self.stride, left: count };
        self.next = self.next.saturating_add(self.stride.saturating_mul(count as u64));
        run
    }

    /// Goes on above an id that came from elsewhere, so that it is not given again.
    pub fn note(&mut self, id: u64) {
        self.skip_below(id.saturating_add(1));
    }

    fn skip_below(&mut self, bound: u64) {
        if self.next < bound {
            let steps = (bound - self.next).div_ceil(self.stride);
            self.next = self.next.saturating_add(steps.saturating_mul(self.stride));
        }
    }
}

/// Ids that were given together, from the least on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdRun {
    next: u64,
    stride: u64,
    left: usize,
}

impl Iterator for IdRun {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        self.left = self.left.checked_sub(1)?;
        let id = self.next;
        self.next = self.next.saturating_add(self.stride);
        Some(id)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for IdRun {}
