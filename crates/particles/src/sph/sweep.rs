//! Goes over the pairs of a chunk: the hot loop of a fluid.
//!
//! One particle meets four others at a time. What a pair does is a [`PairLaw`]; it gives a number of rows to each side.

use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::Vec3;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::sph::pair::FluidSide;

use super::fields::{FluidFields, is_marker, number, slips};
use super::list::{FluidChunk, QUAD};
use super::wall::{WallAnswer, WallMotion};
use crate::row::Row;

/// Padding position: outside every cutoff, and far from overflow when squared.
const NOWHERE: f64 = 1e100;

/// Two more rows a particle, for laws that want them.
pub(crate) type More = [Row; 2];

/// Copies of the particles of a chunk and of its halo.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub place: Vec<Row>,
    pub motion: Vec<Row>,
    pub more: Vec<More>,
}

impl Desk {
    /// Copies what the chunk needs.
    pub fn load(&mut self, chunk: &FluidChunk, fields: &FluidFields, more: &[More], periods: [f64; 3]) {
        copy(&mut self.place, chunk, fields.place.read());
        copy(&mut self.motion, chunk, fields.motion.read());
        if periods != [0.0; 3] {
            for (row, image) in self.place[chunk.count..].iter_mut().zip(chunk.halo.iter().map(|g| g.image()))
            {
                let Some(image) = image else { continue };
                (0..3).for_each(|k| row.0[k] += image[k] * periods[k]);
            }
        }
        self.place.push(Row([NOWHERE, NOWHERE, NOWHERE, 1.0]));
        self.motion.push(Row::ZERO);
        self.more.clear();
        if !more.is_empty() {
            copy(&mut self.more, chunk, more);
            self.more.push([Row::ZERO; 2]);
        }
    }
}

fn copy<T: Copy>(to: &mut Vec<T>, chunk: &FluidChunk, from: &[T]) {
    to.clear();
    to.reserve(chunk.total() + 1);
    to.extend_from_slice(&from[chunk.range()]);
    to.extend(chunk.halo.iter().map(|ghost| from[ghost.index()]));
}

/// One side of a pair, or four.
#[derive(Clone, Copy)]
pub(crate) struct Side<L> {
    /// 1/density.
    pub volume: L,
    pub velocity: [L; 3],
    /// Pressure over the square of the density.
    pub pressure: L,
    pub more: [L; 8],
}

impl<L: Lanes> Side<L> {
    /// What the law of pairs reads.
    #[inline(always)]
    pub fn seen(&self) -> FluidSide<L> {
        FluidSide { volume: self.volume, velocity: self.velocity.into(), pressure: self.pressure }
    }
}

/// How two particles lie.
#[derive(Clone, Copy)]
pub(crate) struct Gap<L> {
    /// From the other to the one.
    pub offset: [L; 3],
    pub square: L,
    pub distance: L,
}

/// What a pair does.
pub(crate) trait PairLaw<const ROWS: usize>: Copy + Sync {
    /// Whether it reads the rows `more`.
    const MORE: bool = false;

    /// Gives the one and the others their rows.
    ///
    /// `WALL` where the one is a marker of a wall: then its first three of `more` are the velocity of the wall, and
    /// the fourth is 0 where the wall slips and 1 elsewhere.
    fn meet<L: Lanes, K: Smoothing, const WALL: bool>(
        &self,
        kernel: &K,
        one: &Side<L>,
        others: &Side<L>,
        gap: &Gap<L>,
    ) -> [[[L; 4]; ROWS]; 2];
}

/// Goes over all pairs of a chunk.
pub(crate) struct Sweep<'a, K, P, const ROWS: usize> {
    pub kernel: K,
    pub law: P,
    pub desk: &'a Desk,
    pub chunk: &'a FluidChunk,
    /// Part of the outbox of the chunk, all zero.
    pub sums: &'a mut [[Row; ROWS]],
    /// Tags and rates of the own particles.
    pub tags: &'a [u32],
    pub rates: &'a [Row],
    /// Angular velocities of all markers by their number; empty where none turns.
    pub spins: &'a [Vec3],
    /// How walls answer: pressure of a marker is found, and put into the fourth number of its first row.
    pub walls: WallAnswer,
}

impl<K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize> Kernel for Sweep<'_, K, P, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { kernel, law, desk, chunk, sums, tags, rates, spins, walls } = self;
        let FluidChunk { starts, others, .. } = chunk;
        for (i, ends) in starts.windows(2).enumerate() {
            let (quads, _) = others[ends[0] as usize..ends[1] as usize].as_chunks::<QUAD>();
            if quads.is_empty() {
                continue;
            }
            if is_marker(tags[i]) {
                let motion = WallMotion {
                    acceleration: rates[i].vector(),
                    spin: spins.get(number(tags[i])).copied().unwrap_or(Vec3::ZERO),
                    slip: slips(tags[i]),
                };
                let (side, pressure) = walls.answer::<L, K>(&kernel, desk, i, quads, &motion);
                meet_all::<L, K, P, ROWS, true>(&kernel, &law, desk, i, &side, quads, sums);
                sums[i][0].0[3] = pressure;
            } else {
                let side = side_of::<L, P, ROWS>(desk, i);
                meet_all::<L, K, P, ROWS, false>(&kernel, &law, desk, i, &side, quads, sums);
            }
        }
    }
}

/// The same four numbers in all lanes.
#[inline(always)]
fn spread<L: Lanes>(row: &Row) -> [L; 4] {
    [L::of(row.0[0]), L::of(row.0[1]), L::of(row.0[2]), L::of(row.0[3])]
}

#[inline(always)]
fn joined<L: Copy>(a: [L; 4], b: [L; 4]) -> [L; 8] {
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}

#[inline(always)]
fn side_of<L: Lanes, P: PairLaw<ROWS>, const ROWS: usize>(desk: &Desk, i: usize) -> Side<L> {
    let volume = L::of(desk.place[i].0[3]);
    let [u, v, w, pressure] = spread(&desk.motion[i]);
    let more = match P::MORE {
        true => joined(spread(&desk.more[i][0]), spread(&desk.more[i][1])),
        false => [L::zero(); 8],
    };
    Side { volume, velocity: [u, v, w], pressure, more }
}

#[inline(always)]
fn meet_all<L: Lanes, K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize, const WALL: bool>(
    kernel: &K,
    law: &P,
    desk: &Desk,
    i: usize,
    one: &Side<L>,
    quads: &[[u16; QUAD]],
    sums: &mut [[Row; ROWS]],
) {
    let (place, motion) = (&desk.place[..sums.len()], &desk.motion[..sums.len()]);
    let [x, y, z, _] = spread::<L>(&place[i]);
    let mut own = [[L::zero(); 4]; ROWS];
    for quad in quads {
        let [a, b, c, d] = [quad[0] as usize, quad[1] as usize, quad[2] as usize, quad[3] as usize];
        let [xs, ys, zs, volume] = L::transpose_in([&place[a].0, &place[b].0, &place[c].0, &place[d].0]);
        let offset = [x - xs, y - ys, z - zs];
        let square = offset[0].mul_add(offset[0], offset[1].mul_add(offset[1], offset[2] * offset[2]));
        let gap = Gap { offset, square, distance: square.sqrt() };
        let [u, v, w, pressure] = L::transpose_in([&motion[a].0, &motion[b].0, &motion[c].0, &motion[d].0]);
        let more = match P::MORE {
            true => {
                let more = &desk.more[..sums.len()];
                let first = L::transpose_in([&more[a][0].0, &more[b][0].0, &more[c][0].0, &more[d][0].0]);
                joined(first, L::transpose_in([&more[a][1].0, &more[b][1].0, &more[c][1].0, &more[d][1].0]))
            }
            false => [L::zero(); 8],
        };
        let others = Side { volume, velocity: [u, v, w], pressure, more };
        let [to_one, to_others] = law.meet::<L, K, WALL>(kernel, one, &others, &gap);
        for row in 0..ROWS {
            for k in 0..4 {
                own[row][k] = own[row][k] + to_one[row][k];
            }
            let rows = L::transpose(to_others[row]);
            for (lane, j) in [a, b, c, d].into_iter().enumerate() {
                let sum = &mut sums[j][row].0;
                (L::load(sum) + rows[lane]).store(sum);
            }
        }
    }
    for row in 0..ROWS {
        let rows = L::transpose(own[row]);
        let sum = &mut sums[i][row].0;
        (L::load(sum) + ((rows[0] + rows[1]) + (rows[2] + rows[3]))).store(sum);
    }
}
