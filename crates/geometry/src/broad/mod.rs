//! Broad phase: pairs of boxes that overlap.
//!
//! Boxes are binned into grids and sorted by cell, in the spirit of the parallel spatial subdivision of `mazhar2011`,
//! with one grid for each octave of box size: a box is binned once, in the grid whose cells are just larger than it, so
//! size ratios of 1:1000 cost little. A few very large boxes are compared with all others.

mod bins;
mod levels;
mod search;

use huygens_exec::Exec;

use crate::Aabb;
use bins::{Bins, Shares};
use levels::Levels;

/// Boxes in a piece of parallel work: at most 64 pieces, whatever the number of threads.
fn piece_size(boxes: usize) -> usize {
    boxes.div_ceil(64).max(1024)
}

/// Buckets of a parallel sort: about 64 boxes each.
fn bucket_count(boxes: usize) -> usize {
    (boxes / 64).next_power_of_two()
}

/// A box in the order of the grids.
#[derive(Clone, Copy, Debug)]
struct Item {
    bounds: Aabb,
    id: u32,
}

/// Finds the pairs of boxes that overlap; it keeps only its buffers from call to call.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    levels: Levels,
    cells: Bins<(u64, u32)>,
    sorted: Vec<(u64, u32)>,
    items: Vec<Item>,
    pairs: Bins<[u32; 2]>,
}

impl BroadPhase {
    /// A broad phase with empty buffers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fills `out` with the sorted, unique pairs `[a, b]`, a < b, whose boxes overlap and for which `keep(a, b)` holds.
    /// The list does not depend on the number of threads; memory is allocated only to grow. Boxes with a NaN overlap
    /// nothing.
    pub fn pairs(
        &mut self,
        ex: &Exec,
        boxes: &[Aabb],
        keep: impl Fn(u32, u32) -> bool + Sync,
        out: &mut Vec<[u32; 2]>,
    ) {
        self.levels.choose(boxes);
        self.sort_by_cell(ex, boxes);
        let search = search::Search {
            levels: &self.levels,
            keys: &self.sorted,
            items: &self.items,
            boxes,
            keep: &keep,
        };
        // Pairs leave the search in the order of cells; buckets of the first index put them in order.
        let (buckets, size) = (bucket_count(boxes.len()), piece_size(boxes.len()));
        let shift = boxes.len().next_power_of_two().trailing_zeros() - buckets.trailing_zeros();
        self.pairs.fill(
            ex,
            self.items.len().div_ceil(size).max(1),
            buckets,
            |piece, found| search.piece(piece * size..(piece + 1) * size, found),
            |pair| (pair[0] >> shift) as usize,
        );
        self.pairs.collect(ex, out, sort_pairs);
    }

    fn sort_by_cell(&mut self, ex: &Exec, boxes: &[Aabb]) {
        let levels = &self.levels;
        let (buckets, size) = (bucket_count(boxes.len()), piece_size(boxes.len()));
        let key_bits = u64::BITS - levels.key_count().leading_zeros();
        let shift = key_bits.saturating_sub(buckets.trailing_zeros());
        self.cells.fill(
            ex,
            boxes.len().div_ceil(size).max(1),
            buckets,
            |piece, cells| {
                let end = boxes.len().min((piece + 1) * size);
                for id in (piece * size).min(end)..end {
                    if let Some(key) = levels.key(id, &boxes[id]) {
                        cells.push((key, id as u32));
                    }
                }
            },
            |cell| (cell.0 >> shift) as usize,
        );
        self.cells.collect(ex, &mut self.sorted, |shares, slot| {
            let mut end = 0;
            for share in shares.slices() {
                slot[end..end + share.len()].copy_from_slice(share);
                end += share.len();
            }
            slot.sort_unstable();
        });
        self.levels.locate(&self.sorted);
        self.items.resize(self.sorted.len(), Item { bounds: Aabb::EMPTY, id: 0 });
        let sorted = &self.sorted;
        ex.for_each_chunk(&mut self.items, size, |piece, items| {
            for (item, &(_, id)) in items.iter_mut().zip(&sorted[piece * size..]) {
                *item = Item { bounds: boxes[id as usize], id };
            }
        });
    }
}

/// Counting sort by the first index, of which a bucket has at most 128 in a row, then by the second.
fn sort_pairs(shares: Shares<'_, [u32; 2]>, slot: &mut [[u32; 2]]) {
    let mut starts = [0u32; 129];
    let mask = 127;
    for share in shares.slices() {
        for pair in share {
            starts[(pair[0] & mask) as usize + 1] += 1;
        }
    }
    for k in 0..128 {
        starts[k + 1] += starts[k];
    }
    let mut next = starts;
    for share in shares.slices() {
        for pair in share {
            let place = &mut next[(pair[0] & mask) as usize];
            slot[*place as usize] = *pair;
            *place += 1;
        }
    }
    for run in starts.windows(2) {
        sort_run(&mut slot[run[0] as usize..run[1] as usize]);
    }
}

/// Sorts pairs of one first index. Most runs are short, and counting smaller ones takes no branches.
fn sort_run(run: &mut [[u32; 2]]) {
    match run.len() {
        0 | 1 => {}
        2..=8 => rank::<8>(run),
        9..=16 => rank::<16>(run),
        17..=32 => rank::<32>(run),
        _ => run.sort_unstable_by_key(|pair| pair[1]),
    }
}

/// Puts each of at most `N` pairs behind all that have a smaller second index.
fn rank<const N: usize>(run: &mut [[u32; 2]]) {
    // Signed, because processors compare signed numbers side by side; the order of the offset numbers is the same.
    let signed = |x: u32| (x ^ 1 << 31) as i32;
    let mut seconds = [i32::MAX; N];
    for (second, pair) in seconds.iter_mut().zip(run.iter()) {
        *second = signed(pair[1]);
    }
    for k in 0..run.len() {
        let smaller: i32 = seconds.iter().map(|&other| i32::from(other < seconds[k])).sum();
        run[smaller as usize][1] = seconds[k] as u32 ^ 1 << 31;
    }
}
