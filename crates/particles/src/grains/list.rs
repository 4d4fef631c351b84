//! The list of neighbours: for each particle the others it is paired with, in chunks of particles.
//!
//! A chunk works on its own particles. What its pairs do to particles of other chunks goes to its outbox, from
//! which each chunk takes in a fixed order: the sums do not know the number of threads.

use huygens_exec::Exec;

use crate::grains::clump::ALONE;
use crate::grains::fields::GrainFields;
use crate::grains::history::HistoryLayout;
use crate::grains::walls::list::{KeptWalls, WallChunk, WallSearch};
use crate::grid::{Grid, Periodic, Ranges};
use crate::in_place::clone_in_place;
use crate::row::Row;

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

impl Incoming {
    /// The entry; the chunks are given with the number of the first of them.
    #[inline(always)]
    pub fn find<'a>(&self, (chunks, first): (&'a [PairChunk], usize)) -> &'a [Row; 2] {
        &chunks[self.chunk as usize - first].outbox.as_chunks().0[self.entry as usize]
    }
}

/// Pairs of the particles of a chunk.
#[derive(Debug, Default)]
pub(crate) struct PairChunk {
    /// First pair of each particle, and the end.
    pub starts: Vec<u32>,
    /// The other particle; [`TOUCHING`] is set on those that touch.
    pub other: Vec<u32>,
    /// Memory of the pairs.
    pub history: Vec<Row>,
    /// Force on and torque about the others that are in other chunks, two rows a pair.
    outbox: Vec<Row>,
    /// Number of pairs with other chunks.
    foreign: usize,
    /// What others have for this chunk.
    pub incoming: Vec<Incoming>,
    /// First and last of the chunks that have pairs with particles of this one; it is among them.
    pub sources: [usize; 2],
    /// Contacts with walls.
    pub walls: WallChunk,
    kept: Kept,
    near: Vec<Ranges>,
}

clone_in_place!(PairChunk { starts, other, history, outbox, foreign, incoming, sources, walls, kept, near });

/// What touching pairs remember while the list is rebuilt.
#[derive(Clone, Debug, Default)]
struct Kept {
    starts: Vec<u32>,
    /// The old other.
    other: Vec<u32>,
    /// In the room of the outbox, which is empty meanwhile.
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

    /// What a pair with another chunk does to the other.
    #[inline(always)]
    pub fn outgoing(&mut self, entry: usize) -> &mut [Row; 2] {
        &mut self.outbox.as_chunks_mut().0[entry]
    }

    /// Marks the pairs with other chunks and empties the outbox, as after a new list; `c` is the own number.
    pub fn renew_outbox(&mut self, c: usize) {
        let count = self.pair_count();
        self.foreign = 0;
        for other in &mut self.other[..count] {
            let outside = (*other & INDEX) as usize / CHUNK != c;
            *other = *other & !FOREIGN | if outside { FOREIGN } else { 0 };
            self.foreign += usize::from(outside);
        }
        self.other.truncate(count);
        self.pad(c);
        self.empty_outbox();
    }

    /// Ends the list with own particles, which may be read at any time.
    fn pad(&mut self, c: usize) {
        self.other.extend([(c * CHUNK) as u32; PADDING]);
    }

    fn empty_outbox(&mut self) {
        self.outbox.clear();
        grow(&mut self.outbox, 2 * self.foreign);
        self.outbox.resize(2 * self.foreign, Row::ZERO);
    }

    /// Puts what touching pairs remember aside.
    fn keep(&mut self, width: usize) {
        self.kept.starts.clear();
        self.kept.other.clear();
        self.kept.history = std::mem::take(&mut self.outbox);
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

/// A chunk that has all that others have for it after the chunk `last`, from `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ready {
    pub last: usize,
    pub chunk: usize,
    pub first: usize,
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
#[derive(Debug, Default)]
pub(crate) struct PairList {
    pub chunks: Vec<PairChunk>,
    pub grid: Grid,
    pub report: ListReport,
    pub layout: HistoryLayout,
    /// Memory put aside, by old chunk.
    kept: Vec<(Kept, KeptWalls)>,
    /// Chunks in the order in which they have all that others have for them, when others are worked on in order.
    pub ready: Vec<Ready>,
    /// Index in the old list of each particle, where some came or went since; else empty.
    pub old_index: Vec<u32>,
}

clone_in_place!(PairList { chunks, grid, report, layout, kept, ready, old_index });

impl PairList {
    /// No pairs yet.
    pub fn new(layout: HistoryLayout) -> Self {
        Self { layout, ..Self::default() }
    }

    /// Sorts the particles and makes the list of those whose surfaces may come nearer than `range` [m] while none
    /// moves by more than half of `skin` [m].
    ///
    /// `walls` says which walls are in it.
    pub fn build(
        &mut self,
        ex: &Exec,
        fields: &mut GrainFields,
        walls: WallSearch<'_>,
        skin: f64,
        range: f64,
        periodic: &Periodic,
    ) {
        let layout = self.layout;
        let width = layout.width();
        ex.for_each_chunk(&mut self.chunks, 1, |_, chunk| chunk[0].keep(width));
        if periodic.any() {
            fields.place.write().iter_mut().for_each(|place| periodic.wrap(place));
        }
        self.grid.arrange(ex, fields.place.read(), skin + range, periodic);
        fields.reorder(ex, &self.grid.order);
        if !self.old_index.is_empty() {
            let old = std::mem::take(&mut self.old_index);
            self.grid.order.iter_mut().for_each(|i| *i = old[*i as usize]);
        }
        fields.moved.fill([0.0; 3]);
        self.grid.fill(fields.place.read());
        // The memory put aside is read while new pairs are written.
        let mut kept = std::mem::take(&mut self.kept);
        kept.extend(self.chunks.iter_mut().map(|c| (std::mem::take(&mut c.kept), c.walls.take_kept())));
        self.chunks.resize_with(fields.len().div_ceil(CHUNK), PairChunk::default);
        let lengths = periodic.lengths();
        let (grid, fields) = (&self.grid, &*fields);
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            fill(&mut chunk[0], c, grid, fields, skin + range, lengths);
            recall(&mut chunk[0], c, &grid.order, &kept, layout);
            let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
            let (place, motion) = (&fields.place.read()[own.clone()], &fields.motion.read()[own.clone()]);
            chunk[0].walls.fill(walls, place, motion);
            let kept = |c: usize| kept.get(c).map(|kept| &kept.1);
            chunk[0].walls.recall(&grid.order[own], kept, CHUNK, width);
        });
        for (chunk, (kept, kept_walls)) in self.chunks.iter_mut().zip(kept.drain(..)) {
            chunk.kept = kept;
            chunk.outbox = std::mem::take(&mut chunk.kept.history);
            chunk.walls.give_kept(kept_walls);
        }
        self.kept = kept;
        ex.for_each_chunk(&mut self.chunks, 1, |_, chunk| chunk[0].empty_outbox());
        self.address();
        let chunks = &self.chunks;
        let pairs = ex.count(chunks.len(), 64, |range| chunks[range].iter().map(PairChunk::pair_count).sum());
        let foreign = ex.count(chunks.len(), 64, |range| chunks[range].iter().map(|c| c.foreign).sum());
        self.report = ListReport {
            builds: self.report.builds + 1,
            pairs,
            skin,
            foreign: foreign as f64 / (pairs.max(1)) as f64,
        };
    }

    /// Finds the walls near the grains again; the grains stay as they are.
    pub fn build_walls(&mut self, ex: &Exec, fields: &GrainFields, walls: WallSearch<'_>) {
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
            let (place, motion) = (&fields.place.read()[own.clone()], &fields.motion.read()[own]);
            chunk[0].walls.fill(walls, place, motion);
        });
    }

    /// Tells each chunk what the others have for it.
    pub fn address(&mut self) {
        for (c, chunk) in self.chunks.iter_mut().enumerate() {
            chunk.incoming.clear();
            chunk.sources = [c; 2];
        }
        for c in 0..self.chunks.len() {
            let mut entry = 0;
            for p in 0..self.chunks[c].pair_count() {
                let other = self.chunks[c].other[p];
                if other & FOREIGN != 0 {
                    let j = (other & INDEX) as usize;
                    let incoming = Incoming { chunk: c as u32, entry, item: (j % CHUNK) as u32 };
                    let target = &mut self.chunks[j / CHUNK];
                    target.incoming.push(incoming);
                    let [first, last] = target.sources;
                    target.sources = [first.min(c), last.max(c)];
                    entry += 1;
                }
            }
        }
        self.ready.clear();
        self.ready.extend(self.chunks.iter().enumerate().map(|(chunk, PairChunk { sources, .. })| Ready {
            last: sources[1],
            first: sources[0],
            chunk,
        }));
        self.ready.sort_unstable();
    }

    /// Bytes the list takes.
    pub fn bytes(&self) -> usize {
        let of = |chunk: &PairChunk| {
            4 * (chunk.starts.capacity() + chunk.other.capacity())
                + 32 * (chunk.history.capacity() + chunk.outbox.capacity())
                + 4 * (chunk.kept.starts.capacity() + chunk.kept.other.capacity())
                + 12 * chunk.incoming.capacity()
                + chunk.walls.bytes()
        };
        self.chunks.iter().map(of).sum::<usize>() + self.grid.bytes()
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
fn fill(chunk: &mut PairChunk, c: usize, grid: &Grid, fields: &GrainFields, skin: f64, lengths: [f64; 3]) {
    let own = c * CHUNK..((c + 1) * CHUNK).min(fields.len());
    let mut near = std::mem::take(&mut chunk.near);
    let mut search = grid.search(&mut near);
    let (place, motion, member) = (fields.place.read(), fields.motion.read(), fields.member.read());
    let mut foreign = 0;
    chunk.starts.clear();
    chunk.other.clear();
    chunk.starts.push(0);
    for i in own.clone() {
        let Row([x, y, z, r]) = place[i];
        let held = motion[i].0[3] == 0.0;
        search.for_each(i, r, |j| {
            let Row([xj, yj, zj, rj]) = place[j as usize];
            let d = [xj - x, yj - y, zj - z];
            let mut square = 0.0;
            for k in 0..3 {
                let d = d[k].abs();
                let d = d.min(lengths[k] - d);
                square += d * d;
            }
            let reach = r + rj + skin;
            let together = member.get(i).is_some_and(|m| m[0] != ALONE && m[0] == member[j as usize][0]);
            if square < reach * reach && !together && !(held && motion[j as usize].0[3] == 0.0) {
                let outside = !own.contains(&(j as usize));
                chunk.other.push(if outside { j | FOREIGN } else { j });
                foreign += usize::from(outside);
            }
        });
        chunk.starts.push(chunk.other.len() as u32);
    }
    chunk.near = near;
    chunk.foreign = foreign;
    chunk.pad(c);
    trim(&mut chunk.other);
}

/// Gives the pairs of a chunk what they remembered in the old list.
fn recall(chunk: &mut PairChunk, c: usize, order: &[u32], kept: &[(Kept, KeptWalls)], layout: HistoryLayout) {
    let width = layout.width();
    chunk.history.clear();
    grow(&mut chunk.history, chunk.other.len() * width);
    chunk.history.resize(chunk.pair_count() * width, Row::ZERO);
    let found = |owner: u32, other: u32| -> Option<(&Kept, usize)> {
        let (kept, _) = kept.get(owner as usize / CHUNK)?;
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
