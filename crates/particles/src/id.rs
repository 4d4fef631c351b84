//! Ids of particles: numbers that stay with them, whoever holds them.
//!
//! An id is given once and never again, also when its particle is gone. Ids come in blocks of 2³². Where several ranks make
//! particles, rank r of n has the blocks r, r + n, r + 2n, … to itself: ids are unique without a word between ranks, those
//! given together follow each other, and a run goes on with another number of ranks above the greatest that was given. One
//! rank alone has all blocks, and counts.

use std::ops::Range;

/// Ids of a block.
const BLOCK: u64 = 1 << 32;

/// Where new ids come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IdSource {
    next: u64,
    /// Distance of one block from the next of the same rank.
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
        Self { next: rank.saturating_mul(BLOCK), stride: ranks.max(rank.saturating_add(1)) }
    }

    /// The ids of rank `rank` of `ranks` that are `bound` or more: what a restart goes on with, on any number of ranks,
    /// where `bound` is the greatest [`IdSource::next`] of all sources before.
    pub fn from_bound(bound: u64, rank: u64, ranks: u64) -> Self {
        let mut source = Self::of_rank(rank, ranks);
        if source.stride == 1 {
            source.next = bound;
        } else if bound > source.next {
            let blocks = (bound - source.next).div_ceil(BLOCK).div_ceil(source.stride) * source.stride;
            source.next = source.next.saturating_add(blocks.saturating_mul(BLOCK));
        }
        source
    }

    /// A source as it was written.
    pub(crate) fn of_numbers([next, stride]: [u64; 2]) -> Option<Self> {
        (stride > 0).then_some(Self { next, stride })
    }

    /// The least id that is not given yet.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// Number of ranks that share the ids.
    pub fn ranks(&self) -> u64 {
        self.stride
    }

    /// Gives `count` ids that follow each other; at most 2³² of them where there are several ranks.
    pub fn take(&mut self, count: usize) -> Range<u64> {
        let count = count as u64;
        if self.stride > 1 && count > BLOCK - self.next % BLOCK {
            self.next = (self.next / BLOCK).saturating_add(self.stride).saturating_mul(BLOCK);
        }
        let first = self.next;
        self.set_next(first.saturating_add(count));
        first..first.saturating_add(count)
    }

    /// Goes on above an id that came from elsewhere, so that it is not given again; those of other ranks never are.
    pub fn note(&mut self, id: u64) {
        let rank = |id: u64| id / BLOCK % self.stride;
        if id >= self.next && rank(id) == rank(self.next) {
            self.set_next(id.saturating_add(1));
        }
    }

    /// Goes on at an id, or at the next block of this rank where a block has ended before it.
    fn set_next(&mut self, next: u64) {
        let ended = next > self.next && next.is_multiple_of(BLOCK);
        self.next = if ended { next.saturating_add((self.stride - 1).saturating_mul(BLOCK)) } else { next };
    }
}
