//! Reductions: one value from all items, bit-identical on any number of threads.

use std::ops::Range;

use huygens_kernel::Vec3;

use crate::Exec;

/// Numbers per piece in loops over plain arrays.
const PIECE: usize = 8192;

impl Exec {
    /// Combines the values `of(range)` of fixed chunks of `0..count`; none if there are no items.
    ///
    /// Chunks are combined pairwise in order, in a tree that depends on `count` and `chunk` alone. Up to `chunk` items
    /// the result is that of a plain loop. Nothing is allocated.
    pub fn reduce<T: Send>(
        &self,
        count: usize,
        chunk: usize,
        of: impl Fn(Range<usize>) -> T + Sync,
        join: impl Fn(T, T) -> T + Sync,
    ) -> Option<T> {
        struct Tree<'a, O, J> {
            chunk: usize,
            of: &'a O,
            join: &'a J,
        }
        impl<T: Send, O: Fn(Range<usize>) -> T + Sync, J: Fn(T, T) -> T + Sync> Tree<'_, O, J> {
            fn run(&self, range: Range<usize>, threads: bool) -> T {
                let chunks = range.len().div_ceil(self.chunk);
                if chunks <= 1 {
                    return (self.of)(range);
                }
                let middle = range.start + chunks.div_ceil(2) * self.chunk;
                let (left, right) = (range.start..middle, middle..range.end);
                let (left, right) = match threads {
                    true => crate::pool::join(|| self.run(left, true), || self.run(right, true)),
                    false => (self.run(left, false), self.run(right, false)),
                };
                (self.join)(left, right)
            }
        }
        if count == 0 {
            return None;
        }
        let tree = Tree { chunk: chunk.max(1), of: &of, join: &join };
        Some(match &self.pool {
            Some(_) if count > tree.chunk => self.install(|| tree.run(0..count, true)),
            _ => tree.run(0..count, false),
        })
    }

    /// The maximum of `f(range)` over fixed chunks of `0..count`; −∞ if there are no items. NaN values are ignored.
    pub fn max(&self, count: usize, chunk: usize, f: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.reduce(count, chunk, f, f64::max).unwrap_or(f64::NEG_INFINITY)
    }

    /// The minimum of `f(range)` over fixed chunks of `0..count`; ∞ if there are no items. NaN values are ignored.
    pub fn min(&self, count: usize, chunk: usize, f: impl Fn(Range<usize>) -> f64 + Sync) -> f64 {
        self.reduce(count, chunk, f, f64::min).unwrap_or(f64::INFINITY)
    }

    /// Largest absolute value; 0 if there are no values. NaN values are ignored.
    pub fn max_abs(&self, values: &[f64]) -> f64 {
        let of = |range: Range<usize>| values[range].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        self.max(values.len(), PIECE, of).max(0.0)
    }

    /// Sums vectors `f(range)` over fixed chunks of `0..count`.
    pub fn sum_vectors(&self, count: usize, chunk: usize, f: impl Fn(Range<usize>) -> Vec3 + Sync) -> Vec3 {
        self.reduce(count, chunk, f, |a, b| a + b).unwrap_or(Vec3::ZERO)
    }

    /// Counts: sums whole numbers `f(range)` over chunks of `0..count`.
    pub fn count(&self, count: usize, chunk: usize, f: impl Fn(Range<usize>) -> usize + Sync) -> usize {
        self.reduce(count, chunk, f, |a, b| a + b).unwrap_or(0)
    }

    /// The first i below `count` for which `f(i)` has a value, and that value.
    pub fn find_first<T: Send>(
        &self,
        count: usize,
        chunk: usize,
        f: impl Fn(usize) -> Option<T> + Sync,
    ) -> Option<(usize, T)> {
        let of = |range: Range<usize>| range.into_iter().find_map(|i| f(i).map(|value| (i, value)));
        self.reduce(count, chunk, of, Option::or).flatten()
    }
}
