//! Assignment of boxes to grids and cells.

use glam::DVec3;

use crate::Aabb;

/// Steps per octave in the histogram of sizes.
const STEPS: usize = 8;
/// Largest number of grids; smaller boxes share the finest.
const LEVELS: usize = 40;
/// Largest number of cells per side; boxes beyond share the outermost cells, which costs time but loses no pairs.
const SIDE: i64 = 1 << 18;
/// Number of largest boxes that are compared with all others instead of being binned.
const HUGE: usize = 8;
/// Boxes without a grid: huge ones, and those that overlap nothing.
const NO_LEVEL: u8 = u8::MAX;

/// One grid. A box is binned by its smallest corner, and cells are larger than its boxes, so boxes that overlap lie
/// in the same cell or in neighbours.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// Edge of a cell [m].
    cell: f64,
    origin: DVec3,
    /// Cells per side, with one empty layer at both ends.
    pub(super) sides: [u64; 3],
    /// Key of cell (0, 0, 0).
    pub(super) base: u64,
    /// Items of the level, as a range of all sorted items.
    pub(super) start: usize,
    /// End of that range.
    pub(super) end: usize,
    low: DVec3,
    high: DVec3,
    largest: f64,
    count: usize,
}

impl Level {
    fn new(cell: f64) -> Self {
        let (low, high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        Self {
            cell,
            origin: low,
            sides: [0; 3],
            base: 0,
            start: 0,
            end: 0,
            low,
            high,
            largest: 0.0,
            count: 0,
        }
    }

    /// Cell of a point; points outside the grid fall into its outermost cells.
    pub(super) fn coordinates(&self, point: DVec3) -> [u64; 3] {
        let x = (point - self.origin) / self.cell;
        [0, 1, 2].map(|k| 1 + (x[k].clamp(0.0, (self.sides[k] - 3) as f64) as u64))
    }

    pub(super) fn key(&self, [x, y, z]: [u64; 3]) -> u64 {
        self.base + (z * self.sides[1] + y) * self.sides[0] + x
    }

    /// Sets the grid over the smallest corners seen; around their median if they spread too far.
    fn span(&mut self, corners: impl Fn(usize, &mut Vec<f64>), scratch: &mut Vec<f64>) {
        // No larger than needed, with a margin above rounding errors of cell coordinates.
        self.cell = (self.largest * (1.0 + 1e-6)).max(0.25 * self.cell);
        self.origin = self.low;
        for k in 0..3 {
            let cells = ((self.high[k] - self.low[k]) / self.cell).floor();
            if cells < SIDE as f64 {
                self.sides[k] = cells as u64 + 3;
                continue;
            }
            scratch.clear();
            corners(k, scratch);
            let middle = scratch.len() / 2;
            let median = *scratch.select_nth_unstable_by(middle, f64::total_cmp).1;
            self.origin[k] = self.low[k].max(median - 0.5 * SIDE as f64 * self.cell);
            self.sides[k] = SIDE as u64 + 3;
        }
    }
}

/// The grids of one call.
#[derive(Clone, Debug, Default)]
pub(super) struct Levels {
    /// From fine to coarse.
    pub(super) levels: Vec<Level>,
    /// Boxes compared with all others, in order.
    pub(super) huge: Vec<u32>,
    level_of: Vec<u8>,
    histogram: Vec<u32>,
    keys: u64,
    scratch: Vec<f64>,
}

/// Longest edge of a box; `None` for empty boxes and NaN, which overlap nothing.
fn size(bounds: &Aabb) -> Option<f64> {
    let [x, y, z] = bounds.extent().to_array();
    let size = x.max(y).max(z);
    (bounds.min.cmple(bounds.max).all() && size >= 0.0).then_some(size)
}

/// Rank of a size: its exponent and the first bits of its mantissa, so that sizes of one rank differ by an eighth at
/// most.
fn rank(size: f64) -> usize {
    (size.to_bits() >> (f64::MANTISSA_DIGITS - 1 - STEPS.trailing_zeros())) as usize
}

/// The smallest size above all sizes of a rank.
fn upper(rank: usize) -> f64 {
    f64::from_bits(((rank + 1) as u64) << (f64::MANTISSA_DIGITS - 1 - STEPS.trailing_zeros()))
}

impl Levels {
    /// One more than the largest key.
    pub(super) fn key_count(&self) -> u64 {
        self.keys
    }

    /// Key of box `id`; `None` if it is in no grid.
    pub(super) fn key(&self, id: usize, bounds: &Aabb) -> Option<u64> {
        let level = self.levels.get(self.level_of[id] as usize)?;
        Some(level.key(level.coordinates(bounds.min)))
    }

    /// Chooses grids for `boxes` and assigns each box to one.
    pub(super) fn choose(&mut self, boxes: &[Aabb]) {
        self.histogram.clear();
        self.histogram.resize(rank(f64::INFINITY) + 1, 0);
        let (mut lowest, mut highest) = (usize::MAX, 0);
        for bounds in boxes {
            if let Some(size) = size(bounds) {
                let rank = rank(size);
                self.histogram[rank] += 1;
                (lowest, highest) = (lowest.min(rank), highest.max(rank));
            }
        }
        self.levels.clear();
        self.huge.clear();
        self.keys = 0;
        self.level_of.clear();
        self.level_of.resize(boxes.len(), NO_LEVEL);
        if lowest > highest {
            return;
        }
        let largest = self.largest_with_grid(lowest, highest);
        if let Some(largest) = largest {
            self.make_grids(lowest, largest);
        }
        self.assign(boxes, largest);
        self.number(boxes);
    }

    /// Largest rank that gets a grid: the few boxes above it are huge.
    fn largest_with_grid(&self, lowest: usize, highest: usize) -> Option<usize> {
        let mut above = 0;
        let infinite = rank(f64::INFINITY);
        (lowest..=highest).rev().find(|&r| {
            above += self.histogram[r] as usize;
            // The rank below infinity has no finite size above it.
            above > HUGE && r + 1 < infinite
        })
    }

    /// One grid per octave; octaves begin such that cells are only slightly larger than most boxes.
    fn make_grids(&mut self, lowest: usize, largest: usize) {
        let mut weights = [0u64; STEPS];
        for r in lowest..=largest {
            weights[r % STEPS] += u64::from(self.histogram[r]);
        }
        // Cost of a phase: cell volume over box volume, summed over the boxes.
        let cost = |phase: usize| -> f64 {
            (0..STEPS)
                .map(|r| {
                    weights[r] as f64 * 2f64.powf(3.0 * ((phase + STEPS - r) % STEPS) as f64 / STEPS as f64)
                })
                .sum()
        };
        let phase = (0..STEPS).min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(0);
        let mut top = largest + (phase + STEPS - largest % STEPS) % STEPS;
        while self.levels.len() < LEVELS {
            self.levels.push(Level::new(upper(top)));
            if top < lowest + STEPS {
                break;
            }
            top -= STEPS;
        }
        self.levels.reverse();
    }

    fn assign(&mut self, boxes: &[Aabb], largest: Option<usize>) {
        // The first level whose cells exceed the size, by rank relative to the finest level.
        let finest = self.levels.first().map_or(0, |l| rank(l.cell) - 1);
        for (id, bounds) in boxes.iter().enumerate() {
            let Some(size) = size(bounds) else { continue };
            let rank = rank(size);
            if largest.is_none_or(|largest| rank > largest) {
                self.huge.push(id as u32);
                continue;
            }
            let index = (rank.saturating_sub(finest)).div_ceil(STEPS);
            let level = &mut self.levels[index];
            self.level_of[id] = index as u8;
            level.low = level.low.min(bounds.min);
            level.high = level.high.max(bounds.min);
            level.largest = level.largest.max(size);
            level.count += 1;
        }
    }

    /// Drops empty grids and numbers the cells of the others.
    fn number(&mut self, boxes: &[Aabb]) {
        let mut new_index = [NO_LEVEL; LEVELS];
        let mut next = 0;
        for (index, level) in self.levels.iter().enumerate() {
            if level.count > 0 {
                new_index[index] = next;
                next += 1;
            }
        }
        for level in &mut self.level_of {
            *level = new_index.get(*level as usize).copied().unwrap_or(NO_LEVEL);
        }
        self.levels.retain(|level| level.count > 0);
        let level_of = &self.level_of;
        for (index, level) in self.levels.iter_mut().enumerate() {
            let corners = |axis: usize, out: &mut Vec<f64>| {
                let members = boxes.iter().zip(level_of).filter(|(_, l)| **l as usize == index);
                out.extend(members.map(|(b, _)| b.min[axis]));
            };
            level.span(corners, &mut self.scratch);
            level.base = self.keys;
            self.keys += level.sides.iter().product::<u64>();
        }
    }

    /// Finds the range of each level among the sorted keys.
    pub(super) fn locate(&mut self, sorted: &[(u64, u32)]) {
        let mut start = 0;
        for level in &mut self.levels {
            (level.start, level.end) = (start, start + level.count);
            start = level.end;
        }
        debug_assert_eq!(start, sorted.len());
    }
}
