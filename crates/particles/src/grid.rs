//! Cells in Morton order, in levels of doubled size for particles of different sizes.
//!
//! A particle belongs to the finest level whose cells are as wide as its diameter and the cutoff of the list. The
//! cell of level l is the Morton code of the finest cell without its last 3 l bits, so one sort serves all levels.

use huygens_exec::Exec;

use huygens_kernel::Vec3;

use crate::row::Row;

/// Bits of a cell coordinate.
const BITS: u32 = 21;

/// Particles a piece of loops here.
const CHUNK: usize = 4096;

/// Bounds of no rows.
const NOTHING: [[f64; 4]; 2] = [[f64::INFINITY; 4], [f64::NEG_INFINITY; 4]];

/// Least and greatest numbers of both.
fn joined([a, b]: [[f64; 4]; 2], [c, d]: [[f64; 4]; 2]) -> [[f64; 4]; 2] {
    [std::array::from_fn(|k| a[k].min(c[k])), std::array::from_fn(|k| b[k].max(d[k]))]
}

/// Largest number of levels: the last one has two cells a side, and a search in it finds all.
pub(crate) const LEVELS: usize = BITS as usize;

/// A box whose opposite faces are one, along some axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Periodic {
    /// Least coordinate and length [m] of a periodic axis.
    pub axes: [Option<[f64; 2]>; 3],
}

impl Periodic {
    pub fn any(&self) -> bool {
        self.axes.iter().any(Option::is_some)
    }

    /// Lengths [m]; infinite where nothing is periodic.
    pub fn lengths(&self) -> [f64; 3] {
        self.axes.map(|axis| axis.map_or(f64::INFINITY, |[_, length]| length))
    }

    /// The shortest of the offsets that lead to the same place.
    pub fn nearest(&self, offset: Vec3) -> Vec3 {
        let mut out = offset;
        for (k, axis) in self.axes.iter().enumerate() {
            if let Some([_, length]) = axis {
                out[k] -= length * (out[k] / length).round();
            }
        }
        out
    }

    /// Brings a coordinate into the box.
    pub fn wrap(&self, place: &mut Row) {
        for (x, axis) in place.0.iter_mut().zip(self.axes) {
            if let Some([low, length]) = axis {
                *x -= length * ((*x - low) / length).floor();
                // A tiny negative offset rounds up to the other end.
                if *x >= low + length {
                    *x = low;
                }
            }
        }
    }
}

/// How space is divided.
#[derive(Clone, Copy, Debug, Default)]
struct Division {
    origin: [f64; 3],
    /// Finest cells a metre.
    scale: [f64; 3],
    /// Finest cells along a repeating axis.
    period: [Option<u32>; 3],
    /// Cells to both sides that are as wide as the cutoff: 1, but for a box little wider than the largest particles.
    span: [i32; 3],
}

impl Division {
    fn cell(&self, place: &Row) -> [u32; 3] {
        std::array::from_fn(|k| {
            let c = (place.0[k] - self.origin[k]) * self.scale[k];
            // What is not a number goes to the first cell and is found out elsewhere. Cells far away share the
            // numbers of near ones, so one particle that is lost does not crowd the others.
            match self.period[k] {
                Some(count) => c.clamp(0.0, f64::from(count - 1)) as u32,
                None => (c as u64 & ((1 << BITS) - 1)) as u32,
            }
        })
    }
}

/// Particles of one level of several.
#[derive(Clone, Debug, Default)]
struct Level {
    /// Particles in order; empty where there is one level, which has them all.
    items: Vec<u32>,
    table: CellTable,
}

/// First item of each cell that has some, by open addressing; its code is that of the item.
#[derive(Clone, Debug, Default)]
struct CellTable {
    slots: Vec<u32>,
    mask: usize,
}

const EMPTY: u32 = u32::MAX;

impl CellTable {
    fn place(&self, code: u64) -> usize {
        // Fibonacci hashing: neighbours spread over the table.
        (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & self.mask
    }

    /// Fills the table; `code` gives the cells of `count` items, in order.
    fn fill(&mut self, count: usize, code: impl Fn(usize) -> u64) {
        let new = |k: &usize| *k == 0 || code(*k) != code(k - 1);
        let cells = (0..count).filter(new).count();
        let size = (2 * cells).next_power_of_two();
        self.mask = size - 1;
        self.slots.clear();
        self.slots.resize(size, EMPTY);
        for first in (0..count).filter(new) {
            let mut at = self.place(code(first));
            while self.slots[at] != EMPTY {
                at = (at + 1) & self.mask;
            }
            self.slots[at] = first as u32;
        }
    }

    /// First and last item of a cell.
    #[inline]
    fn find(&self, wanted: u64, count: usize, code: impl Fn(usize) -> u64) -> Option<[u32; 2]> {
        let mut at = self.place(wanted);
        loop {
            let first = self.slots[at];
            if first == EMPTY {
                return None;
            }
            if code(first as usize) == wanted {
                let rest = (first as usize + 1..count).take_while(|k| code(*k) == wanted);
                return Some([first, first + 1 + rest.count() as u32]);
            }
            at = (at + 1) & self.mask;
        }
    }
}

/// Where the particles are.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    division: Division,
    levels: Vec<Level>,
    /// Largest radius of each level [m].
    largest: Vec<f64>,
    /// Morton code and old index, then sorted.
    keys: Vec<(u64, u32)>,
    /// Old index of each particle in the new order.
    pub order: Vec<u32>,
}

impl Grid {
    /// Divides space for particles that see each other up to `reach` [m] between surfaces, and finds their order.
    pub fn arrange(&mut self, ex: &Exec, place: &[Row], reach: f64, periodic: &Periodic) {
        // Least and greatest coordinates and radii.
        let of = |range: std::ops::Range<usize>| {
            place[range].iter().fold(NOTHING, |all, Row(x)| joined(all, [*x, *x]))
        };
        let [low, high] = ex.reduce(place.len(), CHUNK, of, joined).unwrap_or(NOTHING);
        let (least, most) = (low[3], high[3].max(0.0));
        // Nearly equal sizes need one level only.
        let finest = if most <= 2.0 * least { most } else { least * 1.5 };
        let width = 2.0 * finest + reach;
        self.largest.clear();
        self.largest.push(finest);
        let mut cell = width;
        while *self.largest.last().unwrap_or(&most) < most && self.largest.len() < LEVELS {
            cell *= 2.0;
            self.largest.push(0.5 * (cell - reach));
        }
        if let Some(last) = self.largest.last_mut() {
            *last = last.max(most);
        }
        let coarse = 1_u32 << (self.largest.len() - 1);
        for k in 0..3 {
            self.division.origin[k] = low[k];
            self.division.scale[k] = 1.0 / width;
            self.division.period[k] = None;
            self.division.span[k] = 1;
            if let Some([start, length]) = periodic.axes[k] {
                let count = ((length / width) as u32 / coarse * coarse).clamp(coarse, 1 << BITS);
                self.division.origin[k] = start;
                self.division.scale[k] = f64::from(count) / length;
                self.division.period[k] = Some(count);
                let narrow = (width * f64::from(count) / length - 1e-9).ceil();
                self.division.span[k] = (narrow as i32).clamp(1, count as i32);
            }
        }
        self.keys.clear();
        self.keys.resize(place.len(), (0, 0));
        let division = self.division;
        ex.for_each_chunk(&mut self.keys, CHUNK, |c, keys| {
            for (i, key) in keys.iter_mut().enumerate() {
                let i = c * CHUNK + i;
                *key = (morton(division.cell(&place[i])), i as u32);
            }
        });
        ex.sort(&mut self.keys);
        self.order.clear();
        self.order.extend(self.keys.iter().map(|(_, i)| *i));
    }

    /// Fills the cells with particles that are in their new order.
    pub fn fill(&mut self, place: &[Row]) {
        self.levels.resize_with(self.largest.len(), Level::default);
        self.levels.iter_mut().for_each(|level| level.items.clear());
        if self.levels.len() > 1 {
            for (i, Row([.., r])) in place.iter().enumerate() {
                let l = self.level(*r);
                self.levels[l].items.push(i as u32);
            }
        }
        let (keys, one) = (&self.keys, self.levels.len() == 1);
        for (l, Level { items, table }) in self.levels.iter_mut().enumerate() {
            match one {
                true => table.fill(keys.len(), |k| keys[k].0),
                false => table.fill(items.len(), |k| keys[items[k] as usize].0 >> (3 * l)),
            }
        }
    }

    /// Items of level `l` in a cell.
    #[inline]
    fn cell(&self, l: usize, code: u64) -> Option<[u32; 2]> {
        let Level { items, table } = &self.levels[l];
        match self.levels.len() {
            1 => table.find(code, self.keys.len(), |k| self.keys[k].0),
            _ => table.find(code, items.len(), |k| self.keys[items[k] as usize].0 >> (3 * l)),
        }
    }

    /// Bytes.
    pub fn bytes(&self) -> usize {
        let levels = self.levels.iter().map(|l| 4 * (l.items.capacity() + l.table.slots.capacity()));
        16 * self.keys.capacity() + 4 * self.order.capacity() + levels.sum::<usize>()
    }

    /// Level of a particle with this radius.
    fn level(&self, radius: f64) -> usize {
        self.largest.iter().position(|most| radius <= *most).unwrap_or(self.largest.len() - 1)
    }

    /// A search that remembers the cells of the particle before, in `near`.
    pub fn search<'a>(&'a self, near: &'a mut Vec<Ranges>) -> Search<'a> {
        near.resize_with(self.levels.len(), Ranges::default);
        near.iter_mut().for_each(|ranges| ranges.cell = u64::MAX);
        Search { grid: self, near }
    }
}

/// Ranges of items around a cell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranges {
    cell: u64,
    items: Vec<[u32; 2]>,
}

/// Finds the candidates near particles.
pub(crate) struct Search<'a> {
    grid: &'a Grid,
    /// For each level.
    near: &'a mut [Ranges],
}

impl Search<'_> {
    /// Calls `f(j)` for all particles j that may be near particle i of radius `radius` and that i is to be paired
    /// with: those of coarser levels, and the later ones of its own. Each pair is found from one side.
    #[inline]
    pub fn for_each(&mut self, i: usize, radius: f64, mut f: impl FnMut(u32)) {
        let own = self.grid.level(radius);
        let one = self.grid.levels.len() == 1;
        let code = self.grid.keys[i].0;
        for l in own..self.grid.levels.len() {
            let level = &self.grid.levels[l];
            let cell = code >> (3 * l);
            let near = &mut self.near[l];
            if near.cell != cell {
                near.cell = cell;
                around(self.grid, l, cell, &mut near.items);
            }
            for &[first, end] in &near.items {
                if one {
                    (first.max(i as u32 + 1)..end).for_each(&mut f);
                    continue;
                }
                for &j in &level.items[first as usize..end as usize] {
                    if l > own || j > i as u32 {
                        f(j);
                    }
                }
            }
        }
    }
}

/// Ranges of items in the cells about a cell (27 as a rule), in order, each once.
fn around(grid: &Grid, l: usize, cell: u64, ranges: &mut Vec<[u32; 2]>) {
    ranges.clear();
    let centre = unmorton(cell);
    let most = ((1_u32 << BITS) - 1) >> l;
    let along = |k: usize, step: i32| -> u32 {
        let c = centre[k] as i32 + step;
        match grid.division.period[k] {
            Some(count) => c.rem_euclid((count >> l) as i32) as u32,
            None => c as u32 & most,
        }
    };
    let [sx, sy, sz] = grid.division.span;
    for dz in -sz..=sz {
        for dy in -sy..=sy {
            for dx in -sx..=sx {
                ranges.extend(grid.cell(l, morton([along(0, dx), along(1, dy), along(2, dz)])));
            }
        }
    }
    ranges.sort_unstable();
    // Where there are few cells along an axis they come by from both sides.
    ranges.dedup();
}

/// Bits of the three coordinates in turn.
fn morton([x, y, z]: [u32; 3]) -> u64 {
    spread(x) | spread(y) << 1 | spread(z) << 2
}

fn unmorton(code: u64) -> [u32; 3] {
    [gather(code), gather(code >> 1), gather(code >> 2)]
}

fn spread(x: u32) -> u64 {
    let mut x = u64::from(x) & 0x1f_ffff;
    x = (x | x << 32) & 0x001f_0000_0000_ffff;
    x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}

fn gather(x: u64) -> u32 {
    let mut x = x & 0x1249_2492_4924_9249;
    x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
    x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
    x = (x | x >> 8) & 0x001f_0000_ff00_00ff;
    x = (x | x >> 16) & 0x001f_0000_0000_ffff;
    ((x | x >> 32) & 0x1f_ffff) as u32
}
