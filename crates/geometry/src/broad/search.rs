//! Overlapping boxes among those binned into grids.

use std::ops::Range;

use super::Item;
use super::levels::{Level, Levels};
use crate::Aabb;

/// Everything the search reads.
pub(super) struct Search<'a, Keep> {
    pub(super) levels: &'a Levels,
    pub(super) keys: &'a [(u64, u32)],
    pub(super) items: &'a [Item],
    pub(super) boxes: &'a [Aabb],
    pub(super) keep: &'a Keep,
}

/// Boxes compared with one box at a time.
const BATCH: usize = 32;

/// Those of a batch that overlap it.
type Hits = [u32; BATCH];

/// The items in three neighbouring cells of one grid row; moves forward with the cell it belongs to.
#[derive(Clone, Copy)]
struct Row {
    shift: u64,
    low: usize,
    high: usize,
}

impl<Keep: Fn(u32, u32) -> bool> Search<'_, Keep> {
    /// Pairs whose first item, in the order of the grids, lies in `range`.
    pub(super) fn piece(&self, range: Range<usize>, found: &mut Vec<[u32; 2]>) {
        for (index, level) in self.levels.levels.iter().enumerate() {
            let (start, end) = (level.start.max(range.start), level.end.min(range.end));
            if start < end {
                self.within_level(level, start..end, found);
                self.with_coarser(&self.levels.levels[index + 1..], start..end, found);
            }
        }
        self.with_huge(range, found);
    }

    /// Compares one item with many. Whether boxes overlap is hard to predict for a processor, so hits are collected
    /// without a branch first.
    #[inline]
    fn test(&self, item: &Item, others: &[Item], hits: &mut Hits, found: &mut Vec<[u32; 2]>) {
        for batch in others.chunks(BATCH) {
            let mut count = 0;
            for other in batch {
                hits[count] = other.id;
                count += usize::from(overlap(&item.bounds, &other.bounds));
            }
            for &other in &hits[..count] {
                let pair = [item.id.min(other), item.id.max(other)];
                if (self.keep)(pair[0], pair[1]) {
                    found.push(pair);
                }
            }
        }
    }

    /// Boxes of one grid: the rest of the own row up to the next cell, and the four rows ahead.
    fn within_level(&self, level: &Level, range: Range<usize>, found: &mut Vec<[u32; 2]>) {
        let (row, layer) = (level.sides[0], level.sides[0] * level.sides[1]);
        let mut ahead = [row, layer - row, layer, layer + row].map(|shift| {
            let first = self.keys[range.start].0 + shift - 1;
            let low = range.start + self.keys[range.start..level.end].partition_point(|k| k.0 < first);
            Row { shift, low, high: low }
        });
        let mut hits = [0; BATCH];
        let mut own = Row { shift: 0, low: range.start, high: range.start };
        let mut cell = u64::MAX;
        for i in range {
            let (key, item) = (self.keys[i].0, self.items[i]);
            if key != cell {
                cell = key;
                own.advance(key, &self.keys[..level.end]);
                ahead.iter_mut().for_each(|row| row.advance(key, &self.keys[..level.end]));
            }
            self.test(&item, &self.items[i + 1..own.high], &mut hits, found);
            for row in &ahead {
                self.test(&item, &self.items[row.low..row.high], &mut hits, found);
            }
        }
    }

    /// Boxes of a fine grid with those of coarser ones, a run of boxes in the same fine cell at a time.
    fn with_coarser(&self, coarser: &[Level], range: Range<usize>, found: &mut Vec<[u32; 2]>) {
        let mut start = range.start;
        while start < range.end {
            let key = self.keys[start].0;
            let mut end = start;
            let mut group = Aabb::EMPTY;
            while end < range.end && self.keys[end].0 == key {
                group = group.merged(&self.items[end].bounds);
                end += 1;
            }
            for level in coarser {
                self.group_with_level(&self.items[start..end], &group, level, found);
            }
            start = end;
        }
    }

    fn group_with_level(&self, group: &[Item], bounds: &Aabb, level: &Level, found: &mut Vec<[u32; 2]>) {
        // A box may begin one cell before the group and still reach it.
        let first = level.coordinates(bounds.min).map(|c| c - 1);
        let last = level.coordinates(bounds.max);
        let keys = &self.keys[level.start..level.end];
        let mut hits = [0; BATCH];
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                let low = level.key([first[0], y, z]);
                let high = low + (last[0] - first[0]);
                let begin = keys.partition_point(|k| k.0 < low);
                let count = keys[begin..].iter().take_while(|k| k.0 <= high).count();
                let others = &self.items[level.start + begin..level.start + begin + count];
                group.iter().for_each(|item| self.test(item, others, &mut hits, found));
            }
        }
    }

    fn with_huge(&self, range: Range<usize>, found: &mut Vec<[u32; 2]>) {
        let huge = |id: u32| Item { bounds: self.boxes[id as usize], id };
        let mut hits = [0; BATCH];
        let begin = range.start.min(self.items.len());
        let members = &self.items[begin..range.end.min(self.items.len())];
        for (k, &id) in self.levels.huge.iter().enumerate() {
            let large = huge(id);
            self.test(&large, members, &mut hits, found);
            if range.start == 0 {
                self.levels.huge[..k]
                    .iter()
                    .for_each(|&other| self.test(&large, &[huge(other)], &mut hits, found));
            }
        }
    }
}

impl Row {
    /// Moves to the row of cell `key`; keys only grow.
    #[inline]
    fn advance(&mut self, key: u64, keys: &[(u64, u32)]) {
        let (first, last) = (key + self.shift - 1, key + self.shift + 1);
        while self.low < keys.len() && keys[self.low].0 < first {
            self.low += 1;
        }
        self.high = self.high.max(self.low);
        while self.high < keys.len() && keys[self.high].0 <= last {
            self.high += 1;
        }
    }
}

/// [`Aabb::overlaps`] without branches.
#[inline]
fn overlap(a: &Aabb, b: &Aabb) -> bool {
    (a.min.x <= b.max.x)
        & (b.min.x <= a.max.x)
        & (a.min.y <= b.max.y)
        & (b.min.y <= a.max.y)
        & (a.min.z <= b.max.z)
        & (b.min.z <= a.max.z)
}
