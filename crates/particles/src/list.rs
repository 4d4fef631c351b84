//! The list of neighbours: for each particle the others it is paired with, in chunks of particles.
//!
//! A chunk works on its own particles. What its pairs do to particles of other chunks goes to its outbox, from
//! which each chunk takes in a fixed order: the sums do not know the number of threads.

use huygens_exec::Exec;

use crate::clump::ALONE;
use crate::fields::{Fields, Row};
use crate::grid::{Grid, Periodic};
use crate::history::HistoryLayout;
use crate::wall::Wall;
use crate::wall_list::WallChunk;

/// Particles a chunk.
pub(crate) const CHUNK: usize = 2048;

/// Marks a pair that touched in the last step.
pub(crate) const TOUCHING: u32 = 1 << 31;

/// Marks a pair whose other is in another chunk.
pub(crate) const FOREIGN: u32 = 1 << 30;

/// The bits of an index.
pub(crate) const INDEX: u32 = FOREIGN - 1;

/// Entries after the end of a list, so that it can be read in fours.
pub(crate) const PADDING: usize = 3;

/// An entry of another chunk's outbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Incoming {
    pub chunk: u32,
    pub entry: u32,
    /// Particle, counted from the start of its chunk.
    pub item: u32,
}

/// Pairs of the particles of a chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairChunk {
    /// First pair of each particle, and the end.
    pub starts: Vec<u32>,
    /// The other particle; [`TOUCHING`] is set on those that touch.
    pub other: Vec<u32>,
    /// Memory of the pairs.
    pub history: Vec<Row>,
    /// Force on and torque about the others that are in other chunks, in the order of the pairs.
    pub outbox: Vec<[Row; 2]>,
    /// What others have for this chunk.
    pub incoming: Vec<Incoming>,
    /// Contacts with walls.
    pub walls: WallChunk,
    /// Memory of the touching pairs while the list is made anew: the old other, and rows.
    kept: Kept,
}

#[derive(Clone, Debug, Default)]
struct Kept {
    starts: Vec<u32>,
    other: Vec<u32>,
    history: Vec<Row>,
}

impl PairChunk {
    /// Number of pairs.
    pub fn pair_count(&self) -> usize {
        self.other.len().saturating_sub(PADDING)
    }

    /// Pairs that touch.
    pub fn touching(&self) -> impl Iterator<Item = u32> {
        self.other.iter().copied().filter(|other| other & TOUCHING != 0)
    }

    /// Marks the pairs with other chunks and empties the outbox, as after a new list; `c` is the own number.
    pub fn renew_outbox(&mut self, c: usize) {
        let count = self.pair_count();
        let mut foreign = 0;
        for other in &mut self.other[..count] {
            let outside = (*other & INDEX) as usize / CHUNK != c;
            *other = *other & !FOREIGN | if outside { FOREIGN } else { 0 };
            foreign += usize::from(outside);
        }
        self.outbox.clear();
        self.outbox.resize(foreign, [Row::ZERO; 2]);
    }

    /// Puts what touching pairs remember aside.
    fn keep(&mut self, width: usize) {
        self.kept.starts.clear();
        self.kept.other.clear();
        self.kept.history.clear();
        let count = self.touching().count();
        grow(&mut self.kept.other, count);
        grow(&mut self.kept.history, count * width);
        for ends in self.starts.windows(2) {
            self.kept.starts.push(self.kept.other.len() as u32);
            for p in ends[0] as usize..ends[1] as usize {
                if self.other[p] & TOUCHING != 0 {
                    self.kept.other.push(self.other[p] & INDEX);
                    self.kept.history.extend_from_slice(&self.history[p * width..(p + 1) * width]);
                }
            }
        }
        self.kept.starts.push(self.kept.other.len() as u32);
    }
}

/// How the list does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ListReport {
    /// Times it was made.
    pub builds: u64,
    /// Pairs in it.
    pub pairs: usize,
    /// Distance of surfaces [m] up to which pairs are in it.
    pub skin: f64,
    /// Share of the pairs between two chunks.
    pub foreign: f64,
}

/// The list of neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct PairList {
    pub chunks: Vec<PairChunk>,
    pub grid: Grid,
    pub report: ListReport,
    pub layout: HistoryLayout,
    pub scratch: Vec<Row>,
    /// Index in the old list of each particle, where some came or went since; else empty.
    pub old_index: Vec<u32>,
}

impl PairList {
    /// Sorts the particles and makes the list of those whose surfaces may come nearer than `range` [m] while none
    /// moves by more than half of `skin` [m].
    ///
    /// `walls` are the walls, and the distance [m] up to which they are in it.
    pub fn build(
        &mut self,
        ex: &Exec,
        fields: &mut Fields,
        walls: (&[Wall], f64),
        skin: f64,
        range: f64,
        periodic: &Periodic,
    ) {
        let layout = self.layout;
        let width = layout.width();
        ex.for_each_chunk(&mut self.chunks, 1, |_, chunk| chunk[0].keep(width));
        if periodic.any() {
            fields.place.iter_mut().for_each(|place| periodic.wrap(place));
        }
        self.grid.arrange(ex, &fields.place, skin + range, periodic);
        fields.reorder(ex, &self.grid.order, &mut self.scratch);
        if !self.old_index.is_empty() {
            let old = std::mem::take(&mut self.old_index);
            self.grid.order.iter_mut().for_each(|i| *i = old[*i as usize]);
        }
        fields.moved.fill([0.0; 3]);
        self.grid.fill(&fields.place);
        // The memory put aside is read while new pairs are written.
        let kept: Vec<Kept> = self.chunks.iter_mut().map(|chunk| std::mem::take(&mut chunk.kept)).collect();
        let kept_walls: Vec<_> = self.chunks.iter_mut().map(|chunk| chunk.walls.take_kept()).collect();
        self.chunks.resize_with(fields.len().div_ceil(CHUNK), PairChunk::default);
        let lengths = periodic.lengths();
        let (grid, fields) = (&self.grid, &*fields);
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            fill(&mut chunk[0], c, grid, fields, skin + range, lengths);
            recall(&mut chunk[0], c, &grid.order, &kept, layout);
            let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
            let (place, motion) = (&fields.place[own.clone()], &fields.motion[own.clone()]);
            chunk[0].walls.fill(walls.0, place, motion, walls.1);
            chunk[0].walls.recall(&grid.order[own], &kept_walls, CHUNK, width);
        });
        for ((chunk, kept), kept_walls) in self.chunks.iter_mut().zip(kept).zip(kept_walls) {
            chunk.kept = kept;
            chunk.walls.give_kept(kept_walls);
        }
        self.address();
        let pairs = self.chunks.iter().map(PairChunk::pair_count).sum();
        let foreign: usize = self.chunks.iter().map(|chunk| chunk.outbox.len()).sum();
        self.report = ListReport {
            builds: self.report.builds + 1,
            pairs,
            skin,
            foreign: foreign as f64 / (pairs.max(1)) as f64,
        };
    }

    /// Finds the walls near the grains anew, up to the distance `reach` [m]; the grains stay as they are.
    pub fn build_walls(&mut self, ex: &Exec, fields: &Fields, walls: &[Wall], reach: f64) {
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
            let (place, motion) = (&fields.place[own.clone()], &fields.motion[own]);
            chunk[0].walls.fill(walls, place, motion, reach);
        });
    }

    /// Tells each chunk what the others have for it.
    pub fn address(&mut self) {
        for c in 0..self.chunks.len() {
            self.chunks[c].incoming.clear();
        }
        for c in 0..self.chunks.len() {
            let mut entry = 0;
            for p in 0..self.chunks[c].pair_count() {
                let other = self.chunks[c].other[p];
                if other & FOREIGN != 0 {
                    let j = (other & INDEX) as usize;
                    let incoming = Incoming { chunk: c as u32, entry, item: (j % CHUNK) as u32 };
                    self.chunks[j / CHUNK].incoming.push(incoming);
                    entry += 1;
                }
            }
        }
    }

    /// Bytes the list takes.
    pub fn bytes(&self) -> usize {
        let of = |chunk: &PairChunk| {
            4 * (chunk.starts.capacity() + chunk.other.capacity())
                + 32 * (chunk.history.capacity() + chunk.kept.history.capacity())
                + 4 * (chunk.kept.starts.capacity() + chunk.kept.other.capacity())
                + 64 * chunk.outbox.capacity()
                + 12 * chunk.incoming.capacity()
                + chunk.walls.bytes()
        };
        self.chunks.iter().map(of).sum::<usize>() + 32 * self.scratch.capacity() + self.grid.bytes()
    }
}

/// Makes room for `count` items with little to spare: a list has millions.
fn grow<T>(items: &mut Vec<T>, count: usize) {
    if items.capacity() < count {
        items.reserve_exact(count + count / 16 - items.len());
    }
}

/// Gives back room that is far too much.
fn trim<T>(items: &mut Vec<T>) {
    if items.capacity() > items.len() + items.len() / 4 {
        items.shrink_to(items.len() + items.len() / 16);
    }
}

/// Finds the pairs of a chunk.
fn fill(chunk: &mut PairChunk, c: usize, grid: &Grid, fields: &Fields, skin: f64, lengths: [f64; 3]) {
    let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
    let mut search = grid.search();
    let member = &fields.member;
    let mut foreign = 0;
    chunk.starts.clear();
    chunk.other.clear();
    chunk.starts.push(0);
    for i in own.clone() {
        let Row([x, y, z, r]) = fields.place[i];
        let held = fields.motion[i].0[3] == 0.0;
        search.for_each(i, r, |j| {
            let Row([xj, yj, zj, rj]) = fields.place[j as usize];
            let d = [xj - x, yj - y, zj - z];
            let mut square = 0.0;
            for k in 0..3 {
                let d = d[k].abs();
                let d = d.min(lengths[k] - d);
                square += d * d;
            }
            let reach = r + rj + skin;
            let together = member.get(i).is_some_and(|m| m[0] != ALONE && m[0] == member[j as usize][0]);
            if square < reach * reach && !together && !(held && fields.motion[j as usize].0[3] == 0.0) {
                let outside = !own.contains(&(j as usize));
                chunk.other.push(if outside { j | FOREIGN } else { j });
                foreign += usize::from(outside);
            }
        });
        chunk.starts.push(chunk.other.len() as u32);
    }
    chunk.other.extend([0; PADDING]);
    trim(&mut chunk.other);
    chunk.outbox.clear();
    grow(&mut chunk.outbox, foreign);
    chunk.outbox.resize(foreign, [Row::ZERO; 2]);
}

/// Gives the pairs of a chunk what they remembered in the old list.
fn recall(chunk: &mut PairChunk, c: usize, order: &[u32], kept: &[Kept], layout: HistoryLayout) {
    let width = layout.width();
    chunk.history.clear();
    grow(&mut chunk.history, chunk.other.len() * width);
    chunk.history.resize(chunk.pair_count() * width, Row::ZERO);
    let found = |owner: u32, other: u32| -> Option<(&Kept, usize)> {
        let kept = kept.get(owner as usize / CHUNK)?;
        let item = owner as usize % CHUNK;
        let [first, end] = [*kept.starts.get(item)?, *kept.starts.get(item + 1)?];
        let at = kept.other[first as usize..end as usize].iter().position(|o| *o == other)?;
        Some((kept, first as usize + at))
    };
    for item in 0..chunk.starts.len() - 1 {
        let i = order[c * CHUNK + item];
        for p in chunk.starts[item] as usize..chunk.starts[item + 1] as usize {
            let j = order[(chunk.other[p] & INDEX) as usize];
            let (memory, swapped) = match found(i, j) {
                Some(memory) => (memory, false),
                None => match found(j, i) {
                    Some(memory) => (memory, true),
                    None => continue,
                },
            };
            let rows = &mut chunk.history[p * width..(p + 1) * width];
            rows.copy_from_slice(&memory.0.history[memory.1 * width..(memory.1 + 1) * width]);
            if swapped {
                layout.turn_round(rows);
            }
            chunk.other[p] |= TOUCHING;
        }
    }
}
