//! Pairs of particles: in chunks that are blocks of cells, so that a chunk is compact in space.
//!
//! A chunk has the pairs of its own particles with one another and, of those with other chunks, each pair in one of
//! the two: pairs of two fluid particles in the one whose block comes first, pairs of a wall marker and a fluid
//! particle in that of the marker. The particles of others that it needs are its halo. It works on copies of both; what
//! its pairs do to the halo stays in its outbox, from which each chunk takes in a fixed order: sums do not know the
//! number of threads. Indices in a chunk have two bytes.

#![expect(unsafe_code, reason = "rows are seen as the plain numbers they consist of")]

use std::cell::RefCell;

use huygens_exec::Exec;
use huygens_exec::lanes::{InstructionSet, Wide, WideKernel};
use huygens_kernel::Vec3;

use super::fields::{FluidFields, is_marker};
use super::settings::FlowSpace;
use crate::error::{ParticleError, Result};
use crate::in_place::clone_in_place;
use crate::row::Row;
use crate::row::check;
use huygens_core::bytes::{Reader, Writer};

/// Bits of an index in a halo; the rest is the image.
const INDEX_BITS: u32 = 27;
const INDEX: u32 = (1 << INDEX_BITS) - 1;

/// Most particles.
pub(crate) const MOST: usize = INDEX as usize;

/// The image that is not displaced; −s has the code 26 − code(s).
const AT_HOME: u32 = 13;

/// Bits of a cell in a block, and of each coordinate of a block.
const CELL_BITS: u32 = 10;
const BLOCK_BITS: u32 = 18;

/// Cells on each side that a chunk looks into: two cells are as long as the cutoff.
const RIM: i64 = 2;

/// Others a quad, up to which lists are filled.
pub(crate) const QUAD: usize = 4;

/// Most lanes.
const WIDEST: usize = 8;

/// Cell of a particle, and its old index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
pub(crate) struct Key {
    code: u64,
    pub index: u64,
}

impl Key {
    /// Keys in the room of rows, two a row.
    fn in_room(rows: &mut [Row]) -> &mut [Self] {
        // SAFETY: a row is four numbers of eight bytes, a key two; both may have any bits.
        unsafe { std::slice::from_raw_parts_mut(rows.as_mut_ptr().cast(), 2 * rows.len()) }
    }
}

/// A particle of another chunk, or the image of a particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ghost(u32);

impl Ghost {
    fn new(index: usize, image: u32) -> Self {
        // Ordered by index first.
        Self((index as u32) << 5 | image)
    }

    pub fn index(self) -> usize {
        (self.0 >> 5) as usize
    }

    /// Displacement of the image, in periods.
    pub fn image(self) -> Option<[f64; 3]> {
        let code = self.0 & 31;
        let part = |k: u32| f64::from(code / 3_u32.pow(k) % 3) - 1.0;
        (code != AT_HOME).then(|| [part(0), part(1), part(2)])
    }
}

/// A part of another chunk's halo.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Source {
    pub chunk: u32,
    pub from: u32,
    pub to: u32,
}

/// Pairs of a block of cells.
#[derive(Debug, Default)]
pub(crate) struct FluidChunk {
    /// First own particle, and their number.
    pub first: usize,
    pub count: usize,
    pub halo: Vec<Ghost>,
    /// First other of each own particle, and the end; multiples of four.
    pub starts: Vec<u32>,
    /// Others: own ones, then the halo, then a padding particle that fills up quads.
    pub others: Vec<u16>,
    /// First of its particles and halo among those of all chunks: its place in the outbox.
    pub outbox: usize,
    /// Parts of halos, its own among them, that are particles of this chunk.
    pub sources: Vec<Source>,
    /// Pairs in the list.
    pub pairs: usize,
    block: [i64; 3],
}

clone_in_place!(FluidChunk { first, count, halo, starts, others, outbox, sources, pairs, block });

impl FluidChunk {
    /// Particles it works on, without the padding particle.
    pub fn total(&self) -> usize {
        self.count + self.halo.len()
    }

    /// Its part of the outbox, where each particle has `rows` rows.
    pub fn outbox_range(&self, rows: usize) -> std::ops::Range<usize> {
        rows * self.outbox..rows * (self.outbox + self.total() + 1)
    }

    pub fn range(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
}

/// How the list does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FluidListReport {
    /// Times it was made.
    pub builds: u64,
    /// Pairs in it.
    pub pairs: usize,
    /// Chunks.
    pub chunks: usize,
    /// Particles in halos for each particle.
    pub halo: f64,
}

/// Cells of equal size, in blocks.
#[derive(Clone, Debug, Default)]
struct Lattice {
    low: Vec3,
    cell: Vec3,
    /// Cells of a block.
    sides: [i64; 3],
    rim: [i64; 3],
    /// Cells along axes that repeat.
    cycle: [Option<i64>; 3],
}

impl Lattice {
    fn new(space: FlowSpace, periodic: &[Option<[f64; 2]>; 3], reach: f64) -> Self {
        let mut lattice = Self {
            low: Vec3::ZERO,
            cell: Vec3::splat(0.5 * reach),
            sides: [10; 3],
            rim: [RIM; 3],
            cycle: [None; 3],
        };
        if let Some(normal) = space.normal() {
            lattice.sides = [32; 3];
            lattice.sides[normal] = 1;
            lattice.rim[normal] = 0;
        }
        for (k, period) in periodic.iter().enumerate() {
            let Some([low, length]) = period else { continue };
            let count = (length / lattice.cell[k]).floor().max(1.0);
            lattice.low[k] = *low;
            lattice.cell[k] = length / count;
            lattice.cycle[k] = Some(count as i64);
        }
        lattice
    }

    /// The cell of a point, if it is not too far away.
    fn cell_of(&self, x: &Row) -> Option<[i64; 3]> {
        let mut cell = [0; 3];
        for k in (0..3).filter(|k| self.rim[*k] > 0) {
            let at = ((x.0[k] - self.low[k]) / self.cell[k]).floor();
            // Not a number is refused too.
            if at.is_nan() || at.abs() >= (1_i64 << (BLOCK_BITS - 1)) as f64 {
                return None;
            }
            cell[k] = at as i64;
            if let Some(count) = self.cycle[k] {
                // A point that was wrapped may lie on the upper end by rounding.
                cell[k] = cell[k].clamp(0, count - 1);
            }
        }
        Some(cell)
    }

    fn block_of(&self, cell: [i64; 3]) -> [i64; 3] {
        std::array::from_fn(|k| cell[k].div_euclid(self.sides[k]))
    }

    /// Number of a cell in its block.
    fn place_in_block(&self, cell: [i64; 3]) -> u64 {
        let [x, y, z] = std::array::from_fn(|k| cell[k].rem_euclid(self.sides[k]));
        (x + self.sides[0] * (y + self.sides[1] * z)) as u64
    }

    fn key(&self, cell: [i64; 3]) -> u64 {
        block_code(self.block_of(cell)) << CELL_BITS | self.place_in_block(cell)
    }
}

/// Blocks near one another have codes near one another.
fn block_code(block: [i64; 3]) -> u64 {
    let spread = |x: i64| {
        let mut x = (x + (1 << (BLOCK_BITS - 1))) as u64;
        x = (x | x << 32) & 0x1f_0000_0000_ffff;
        x = (x | x << 16) & 0x1f_0000_ff00_00ff;
        x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
        x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
        (x | x << 2) & 0x1249_2492_4924_9249
    };
    spread(block[0]) | spread(block[1]) << 1 | spread(block[2]) << 2
}

/// The list of pairs.
#[derive(Debug, Default)]
pub(crate) struct FluidList {
    pub chunks: Vec<FluidChunk>,
    /// Sums of the particles and the halo of each chunk, and of the padding particle; also room for sorting.
    pub outbox: Vec<Row>,
    pub report: FluidListReport,
    lattice: Lattice,
    /// Code of the block of each chunk.
    codes: Vec<u64>,
    /// Chunks of the old list, whose room is used again.
    spare: Vec<FluidChunk>,
}

clone_in_place!(FluidList { chunks, outbox, report, lattice, codes, spare });

impl FluidList {
    /// Sorts the particles and makes the list of all pairs closer than the cutoff `reach` [m].
    pub fn build(
        &mut self,
        ex: &Exec,
        fields: &mut FluidFields,
        space: FlowSpace,
        periodic: &[Option<[f64; 2]>; 3],
        reach: f64,
    ) -> Result<()> {
        self.lattice = Lattice::new(space, periodic, reach);
        // The outbox is empty meanwhile: its room is that for sorting.
        let mut room = std::mem::take(&mut self.outbox);
        let count = fields.len();
        if room.len() < count + count.div_ceil(2) {
            room.resize(count + count.div_ceil(2), Row::ZERO);
        }
        let (scratch, keys) = room.split_at_mut(count);
        let keys = &mut Key::in_room(keys)[..count];
        self.sort(ex, fields, periodic, keys, scratch)?;
        self.make_chunks(keys);
        let (lattice, keys, codes) = (&self.lattice, &*keys, &self.codes);
        let instructions = InstructionSet::detect();
        let firsts: Vec<(usize, usize)> = self.chunks.iter().map(|c| (c.first, c.count)).collect();
        let fields = &*fields;
        let periods = std::array::from_fn(|k| periodic[k].map_or(0.0, |p| p[1]));
        ex.for_each_chunk(&mut self.chunks, 1, |c, chunk| {
            DESK.with_borrow_mut(|desk| {
                desk.gather(&Around { lattice, keys, codes, firsts: &firsts, fields, periods }, &chunk[0], c);
                let tags = &fields.tag.read()[chunk[0].range()];
                desk.pair(&mut chunk[0], lattice, tags, reach, instructions);
            });
        });
        self.outbox = room;
        if let Some(dense) = self.chunks.iter().find(|c| c.total() >= usize::from(u16::MAX)) {
            let at = fields.place.read()[dense.first].vector();
            return Err(ParticleError::TooDense { at: at.to_array(), count: dense.total() });
        }
        self.address();
        self.report(self.report.builds + 1, fields.len());
        Ok(())
    }

    /// Brings the particles into the order of blocks and cells.
    fn sort(
        &self,
        ex: &Exec,
        fields: &mut FluidFields,
        periodic: &[Option<[f64; 2]>; 3],
        keys: &mut [Key],
        scratch: &mut [Row],
    ) -> Result<()> {
        let lattice = &self.lattice;
        for (k, period) in periodic.iter().enumerate() {
            let Some([low, length]) = period else { continue };
            for place in fields.place.write() {
                place.0[k] -= length * ((place.0[k] - low) / length).floor();
            }
        }
        const PIECE: usize = 4096;
        let place = fields.place.read();
        ex.for_each_chunk(keys, PIECE, |c, keys| {
            for (k, key) in keys.iter_mut().enumerate() {
                let i = c * PIECE + k;
                let code = lattice.cell_of(&place[i]).map_or(u64::MAX, |cell| lattice.key(cell));
                *key = Key { code, index: i as u64 };
            }
        });
        ex.sort(keys);
        if let Some(&Key { code: u64::MAX, index }) = keys.last() {
            return Err(fields.lost(index as usize));
        }
        fields.reorder(ex, keys, scratch);
        Ok(())
    }

    fn make_chunks(&mut self, keys: &[Key]) {
        self.spare.append(&mut self.chunks);
        self.codes.clear();
        let mut first = 0;
        for run in keys.chunk_by(|a, b| a.code >> CELL_BITS == b.code >> CELL_BITS) {
            let code = run[0].code >> CELL_BITS;
            self.codes.push(code);
            let mut chunk = self.spare.pop().unwrap_or_default();
            (chunk.first, chunk.count, chunk.block) = (first, run.len(), decode(code));
            chunk.sources.clear();
            self.chunks.push(chunk);
            first += run.len();
        }
        // Room of blocks that are gone is kept for the next list, not for ever.
        self.spare.truncate(self.chunks.len() / 4);
    }

    /// Tells each chunk which parts of halos are its own particles.
    fn address(&mut self) {
        let mut outbox = 0;
        for chunk in &mut self.chunks {
            chunk.outbox = outbox;
            outbox += chunk.total() + 1;
        }
        for c in 0..self.chunks.len() {
            let mut from = 0;
            while from < self.chunks[c].halo.len() {
                let halo = &self.chunks[c].halo;
                let index = halo[from].index();
                let target = self.chunks.partition_point(|chunk| chunk.first <= index) - 1;
                let end = self.chunks[target].range().end;
                let to = from + halo[from..].partition_point(|ghost| ghost.index() < end);
                let source = Source { chunk: c as u32, from: from as u32, to: to as u32 };
                self.chunks[target].sources.push(source);
                from = to;
            }
        }
    }

    /// Makes room for `rows` rows a particle; what is in it is old.
    pub fn size_outbox(&mut self, rows: usize) {
        let end = self.chunks.last().map_or(0, |chunk| chunk.outbox_range(rows).end);
        if self.outbox.capacity() < end {
            // Little to spare: there may be millions.
            self.outbox.clear();
            self.outbox.reserve_exact(end + end / 16);
        }
        self.outbox.resize(end, Row::ZERO);
    }

    fn report(&mut self, builds: u64, particles: usize) {
        // Chunks are blocks of cells: few, and their numbers are whole.
        let halo: usize = self.chunks.iter().map(|c| c.halo.len()).sum();
        self.report = FluidListReport {
            builds,
            pairs: self.chunks.iter().map(|c| c.pairs).sum(),
            chunks: self.chunks.len(),
            halo: halo as f64 / particles.max(1) as f64,
        };
    }

    /// Writes what a restart needs: lists cannot be made again from where particles are now.
    pub fn save(&self, out: &mut Writer) {
        out.number(self.report.builds);
        out.number(self.chunks.len() as u64);
        for chunk in &self.chunks {
            [chunk.first, chunk.count, chunk.pairs].iter().for_each(|x| out.number(*x as u64));
            out.list(&chunk.halo, |ghost| ghost.0.to_le_bytes());
            out.list(&chunk.starts, |x| x.to_le_bytes());
            out.list(&chunk.others, |x| x.to_le_bytes());
        }
    }

    /// Reads what [`save`](Self::save) wrote for `count` particles, or for any number where that is too large.
    pub fn restore(&mut self, input: &mut Reader<'_>, count: usize) -> Result<()> {
        let builds = input.number()?;
        let chunks = input.number()? as usize;
        self.chunks.clear();
        let mut next = 0;
        for _ in 0..chunks {
            let [first, own, pairs] =
                [input.number()? as usize, input.number()? as usize, input.number()? as usize];
            let word = |b: &[u8]| u32::from_le_bytes(b.try_into().unwrap_or_default());
            let chunk = FluidChunk {
                first,
                count: own,
                pairs,
                halo: input.list(4, |b| Ghost(word(b)))?,
                starts: input.list(4, word)?,
                others: input.list(2, |b| u16::from_le_bytes(b.try_into().unwrap_or_default()))?,
                ..FluidChunk::default()
            };
            let total = chunk.halo.len().saturating_add(own);
            check(first == next && own > 0 && total < usize::from(u16::MAX), "a chunk that is not one")?;
            next += own;
            let ends = chunk.starts.len() == own + 1 && chunk.starts.is_sorted() && chunk.starts[0] == 0;
            let quads = ends && chunk.starts.iter().all(|x| (*x as usize).is_multiple_of(QUAD));
            check(quads && chunk.starts[own] as usize == chunk.others.len(), "a list that is not one")?;
            check(chunk.others.iter().all(|x| usize::from(*x) <= total), "a pair without a partner")?;
            check(
                chunk.halo.is_sorted() && chunk.halo.iter().all(|g| g.0 & 31 < 27),
                "a halo that is not one",
            )?;
            self.chunks.push(chunk);
        }
        let fits = count == usize::MAX || next == count;
        check(fits, "chunks that do not fit the particles")?;
        let inside = |chunk: &FluidChunk| chunk.halo.iter().all(|ghost| ghost.index() < next);
        check(self.chunks.iter().all(inside), "a halo of particles that are not there")?;
        self.address();
        self.report(builds, next);
        Ok(())
    }

    /// Bytes it takes.
    pub fn bytes(&self) -> usize {
        let of = |c: &FluidChunk| {
            4 * (c.halo.capacity() + c.starts.capacity())
                + 2 * c.others.capacity()
                + 12 * c.sources.capacity()
                + size_of::<FluidChunk>()
        };
        self.chunks.iter().map(of).sum::<usize>() + 32 * self.outbox.capacity()
    }
}

/// The block of a code.
fn decode(code: u64) -> [i64; 3] {
    let gather = |x: u64| {
        let mut x = x & 0x1249_2492_4924_9249;
        x = (x | x >> 2) & 0x10c3_0c30_c30c_30c3;
        x = (x | x >> 4) & 0x100f_00f0_0f00_f00f;
        x = (x | x >> 8) & 0x1f_0000_ff00_00ff;
        x = (x | x >> 16) & 0x1f_0000_0000_ffff;
        ((x | x >> 32) & 0x1f_ffff) as i64 - (1 << (BLOCK_BITS - 1))
    };
    [gather(code), gather(code >> 1), gather(code >> 2)]
}

/// What a chunk looks into.
struct Around<'a> {
    lattice: &'a Lattice,
    keys: &'a [Key],
    codes: &'a [u64],
    firsts: &'a [(usize, usize)],
    fields: &'a FluidFields,
    periods: [f64; 3],
}

thread_local! {
    static DESK: RefCell<Desk> = RefCell::new(Desk::default());
}

/// Particles in and around a block, in the order of their cells: rows of cells along x are in one piece.
#[derive(Default)]
struct Desk {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
    /// An own fluid particle is paired with those of higher rank.
    rank: Vec<f64>,
    /// 1 for fluid.
    fluid: Vec<f64>,
    ghost: Vec<Ghost>,
    /// First particle of each cell around, and the end.
    starts: Vec<u32>,
    /// Highest rank in each cell, and whether there is fluid in it.
    highest: Vec<f64>,
    wet: Vec<f64>,
    /// Place of each own particle here.
    own: Vec<u32>,
    lists: Vec<u32>,
    used: Vec<(Ghost, u32)>,
    /// Index in the chunk of each particle here.
    renamed: Vec<u16>,
}

/// Where the cells of a row were found last: the next cell of the same block begins where the one before it ended.
#[derive(Default)]
struct Walk {
    block: Option<[i64; 3]>,
    source: Option<usize>,
    at: usize,
    /// Number in its block of the cell that comes next.
    next: u64,
}

/// Marks particles that no pair uses.
const UNUSED: u16 = u16::MAX;

impl Desk {
    fn gather(&mut self, around: &Around<'_>, chunk: &FluidChunk, c: usize) {
        let Around { lattice, .. } = *around;
        self.x.clear();
        self.y.clear();
        self.z.clear();
        self.rank.clear();
        self.fluid.clear();
        self.ghost.clear();
        self.starts.clear();
        self.highest.clear();
        self.wet.clear();
        self.own.clear();
        let low: [i64; 3] = std::array::from_fn(|k| chunk.block[k] * lattice.sides[k] - lattice.rim[k]);
        let high: [i64; 3] = std::array::from_fn(|k| low[k] + lattice.sides[k] + 2 * lattice.rim[k]);
        for z in low[2]..high[2] {
            for y in low[1]..high[1] {
                let mut walk = Walk::default();
                for x in low[0]..high[0] {
                    let from = self.x.len();
                    self.starts.push(from as u32);
                    self.gather_cell(around, [x, y, z], chunk, c, &mut walk);
                    self.highest.push(self.rank[from..].iter().copied().fold(0.0, f64::max));
                    self.wet.push(self.fluid[from..].iter().copied().fold(0.0, f64::max));
                }
            }
        }
        self.starts.push(self.x.len() as u32);
    }

    fn gather_cell(
        &mut self,
        around: &Around<'_>,
        mut cell: [i64; 3],
        chunk: &FluidChunk,
        c: usize,
        walk: &mut Walk,
    ) {
        let Around { lattice, keys, codes, firsts, fields, periods } = *around;
        let mut image = [0_i64; 3];
        for k in 0..3 {
            if let Some(count) = lattice.cycle[k] {
                image[k] = cell[k].div_euclid(count);
                cell[k] = cell[k].rem_euclid(count);
            }
        }
        if image.iter().any(|k| k.abs() > 1) {
            return;
        }
        let block = lattice.block_of(cell);
        let wanted = lattice.place_in_block(cell);
        let in_block = |key: &Key| key.code & ((1 << CELL_BITS) - 1);
        if walk.block != Some(block) || walk.next != wanted {
            let source = if block == chunk.block { Ok(c) } else { codes.binary_search(&block_code(block)) };
            walk.block = Some(block);
            walk.source = source.ok();
            walk.at = source.map_or(0, |source| {
                let (first, count) = firsts[source];
                first + keys[first..first + count].partition_point(|key| in_block(key) < wanted)
            });
        }
        walk.next = wanted + 1;
        let Some(source) = walk.source else { return };
        let (first, count) = firsts[source];
        let code = (image[0] + 1 + 3 * (image[1] + 1) + 9 * (image[2] + 1)) as u32;
        let own = source == c && code == AT_HOME;
        let mine = source > c || source == c && code > AT_HOME;
        let shift: [f64; 3] = std::array::from_fn(|k| image[k] as f64 * periods[k]);
        while walk.at < first + count && in_block(&keys[walk.at]) == wanted {
            let i = walk.at;
            walk.at += 1;
            let Row([x, y, z, _]) = fields.place.read()[i];
            let fluid = !is_marker(fields.tag.read()[i]);
            let rank = match (own, mine) {
                (true, _) => self.x.len() as f64 + 1.0,
                (false, true) => f64::INFINITY,
                (false, false) => 0.0,
            };
            if own {
                self.own.push(self.x.len() as u32);
            }
            self.x.push(x + shift[0]);
            self.y.push(y + shift[1]);
            self.z.push(z + shift[2]);
            self.rank.push(if fluid { rank } else { 0.0 });
            self.fluid.push(f64::from(u8::from(fluid)));
            self.ghost.push(Ghost::new(i, code));
        }
    }

    /// Finds the pairs of the chunk, and the halo they need.
    fn pair(
        &mut self,
        chunk: &mut FluidChunk,
        lattice: &Lattice,
        tags: &[u32],
        reach: f64,
        instructions: InstructionSet,
    ) {
        // Several are looked at together, also at the end.
        for values in [&mut self.x, &mut self.y, &mut self.z, &mut self.rank, &mut self.fluid] {
            values.extend([0.0; WIDEST - 1]);
        }
        chunk.starts.clear();
        chunk.starts.push(0);
        self.lists.clear();
        chunk.pairs =
            instructions.run_wide(Search { desk: self, lattice, tags, starts: &mut chunk.starts, reach });
        self.rename(chunk);
    }

    /// Leaves out particles no pair needs, and gives the others their index in the chunk.
    fn rename(&mut self, chunk: &mut FluidChunk) {
        self.renamed.clear();
        self.renamed.resize(self.ghost.len(), UNUSED);
        for (k, at) in self.own.iter().enumerate() {
            self.renamed[*at as usize] = k as u16;
        }
        self.used.clear();
        for other in &self.lists {
            if *other != NOWHERE && self.renamed[*other as usize] == UNUSED {
                self.renamed[*other as usize] = 0;
                self.used.push((self.ghost[*other as usize], *other));
            }
        }
        self.used.sort_unstable();
        chunk.halo.clear();
        for (k, (ghost, at)) in self.used.iter().enumerate() {
            self.renamed[*at as usize] = (chunk.count + k) as u16;
            chunk.halo.push(*ghost);
        }
        let nowhere = chunk.total() as u16;
        chunk.others.clear();
        if chunk.others.capacity() > 2 * self.lists.len() {
            chunk.others.shrink_to(self.lists.len() + self.lists.len() / 16);
        }
        if chunk.others.capacity() < self.lists.len() {
            chunk.others.reserve_exact(self.lists.len() + self.lists.len() / 16);
        }
        let renamed = &self.renamed;
        let name = |other: &u32| if *other == NOWHERE { nowhere } else { renamed[*other as usize] };
        chunk.others.extend(self.lists.iter().map(name));
    }
}

/// Finds the others of all own particles of a chunk.
struct Search<'a> {
    desk: &'a mut Desk,
    lattice: &'a Lattice,
    tags: &'a [u32],
    starts: &'a mut Vec<u32>,
    reach: f64,
}

impl WideKernel for Search<'_> {
    type Output = usize;

    #[inline(always)]
    fn run<const N: usize, W: Wide<N>>(self) -> usize {
        let Self { desk, lattice, tags, starts, reach } = self;
        let Desk { x, y, z, rank, fluid, starts: cells, highest, wet, own, lists, .. } = desk;
        let sides = lattice.sides.map(|side| side as usize);
        let rim = lattice.rim.map(|rim| rim as usize);
        let wide = [sides[0] + 2 * rim[0], sides[1] + 2 * rim[1]];
        let row = |y: usize, z: usize| wide[0] * (y + wide[1] * z);
        let square = W::of(reach * reach);
        let (mut next, mut pairs) = (0, 0);
        // Others found so far; the list is longer, so that all lanes can be written.
        let mut found = 0;
        for cell in 0..sides[0] * sides[1] * sides[2] {
            let [cx, cy, cz] = [cell % sides[0], cell / sides[0] % sides[1], cell / (sides[0] * sides[1])];
            let end = cells[row(cy + rim[1], cz + rim[2]) + cx + rim[0] + 1];
            while next < own.len() && own[next] < end {
                let i = own[next] as usize;
                let at = [W::of(x[i]), W::of(y[i]), W::of(z[i])];
                // Ranks start at one.
                let (ranks, highest, own_rank) = if is_marker(tags[next]) {
                    (&*fluid, &*wet, 0.0)
                } else {
                    (&*rank, &*highest, i as f64 + 1.0)
                };
                let above = W::of(own_rank);
                let first = found;
                for run in 0..(2 * rim[1] + 1) * (2 * rim[2] + 1) {
                    let row = row(cy + run % (2 * rim[1] + 1), cz + run / (2 * rim[1] + 1)) + cx;
                    // Cells at the ends of the run that have no partner are left out.
                    let (mut from, mut to) = (row, row + 2 * rim[0] + 1);
                    while from < to && highest[from] <= own_rank {
                        from += 1;
                    }
                    while from < to && highest[to - 1] <= own_rank {
                        to -= 1;
                    }
                    let (mut k, to) = (cells[from] as usize, cells[to] as usize);
                    let most = found + to.saturating_sub(k) + WIDEST + QUAD;
                    if lists.len() < most {
                        lists.resize(2 * most, NOWHERE);
                    }
                    while k < to {
                        let (Some(xs), Some(ys), Some(zs), Some(ranks)) = (
                            x[k..].first_chunk::<N>(),
                            y[k..].first_chunk::<N>(),
                            z[k..].first_chunk::<N>(),
                            ranks[k..].first_chunk::<N>(),
                        ) else {
                            break;
                        };
                        let d = [W::of_array(xs) - at[0], W::of_array(ys) - at[1], W::of_array(zs) - at[2]];
                        let apart = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
                        let mut bits = square.above(apart) & W::of_array(ranks).above(above);
                        // Those after the end belong to another run.
                        bits &= u32::MAX >> (32 - (to - k).min(N));
                        let mut here = [0; N];
                        for lane in 0..N {
                            here[lane] = (k + lane) as u32;
                        }
                        if let Some(room) = lists[found..].first_chunk_mut() {
                            *room = W::packed(&here, bits);
                        }
                        found += bits.count_ones() as usize;
                        k += N;
                    }
                }
                pairs += found - first;
                let end = found.next_multiple_of(QUAD);
                lists[found..end].fill(NOWHERE);
                found = end;
                starts.push(found as u32);
                next += 1;
            }
        }
        lists.truncate(found);
        pairs
    }
}

/// Fills up quads while a list is made.
const NOWHERE: u32 = u32::MAX;
