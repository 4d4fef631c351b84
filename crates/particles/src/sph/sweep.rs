//! Goes over the pairs of a chunk: the hot loop of a fluid.
//!
//! One particle meets as many others at a time as there are lanes. What a pair does is a [`PairLaw`]; it gives a number of
//! rows to each side. The sums of the one are summed over the lanes at the end, so that their bits depend on how many
//! there are.

use huygens_exec::lanes::{Lanes, Wide, WideKernel};
use huygens_kernel::sph::Smoothing;
use huygens_kernel::{Scalar, Vec3};

use super::fields::{FluidFields, is_marker, number, slips};
use super::list::FluidChunk;
use super::wall::{WallAnswer, WallMotion};
use crate::row::Row;

/// Where nobody is: beyond every reach, and far from overflow when squared.
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
        copy(&mut self.place, chunk, &fields.place);
        copy(&mut self.motion, chunk, &fields.motion);
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
    fn meet<L: Scalar, K: Smoothing, const WALL: bool>(
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

impl<K: Smoothing, P: PairLaw<ROWS>, const ROWS: usize> WideKernel for Sweep<'_, K, P, ROWS> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, W: Wide<N>>(self) {
        let Self { kernel, law, desk, chunk, sums, tags, rates, spins, walls } = self;
        let FluidChunk { starts, others, .. } = chunk;
        for (i, ends) in starts.windows(2).enumerate() {
            let others = &others[ends[0] as usize..ends[1] as usize];
            if others.is_empty() {
                continue;
            }
            if is_marker(tags[i]) {
                let motion = WallMotion {
                    acceleration: rates[i].vector(),
                    spin: spins.get(number(tags[i])).copied().unwrap_or(Vec3::ZERO),
                    slip: slips(tags[i]),
                };
                let (side, pressure) = walls.answer::<N, W, K>(&kernel, desk, i, others, &motion);
                meet_all::<N, W, K, P, ROWS, true>(&kernel, &law, desk, i, &side, others, sums);
                sums[i][0].0[3] = pressure;
            } else {
                let side = side_of::<W, P, ROWS>(desk, i);
                meet_all::<N, W, K, P, ROWS, false>(&kernel, &law, desk, i, &side, others, sums);
            }
        }
    }
}

/// The others from `first` on, as many as there are lanes, with the one that is nowhere in the place of those missing.
#[inline(always)]
pub(super) fn group<const N: usize>(others: &[u16], first: usize, nowhere: usize) -> [usize; N] {
    let mut out = [nowhere; N];
    let rest = &others[first..];
    match rest.first_chunk::<N>() {
        Some(all) => {
            for lane in 0..N {
                out[lane] = all[lane] as usize;
            }
        }
        None => out.iter_mut().zip(rest).for_each(|(out, other)| *out = *other as usize),
    }
    out
}

/// Rows number by number: component c holds number c of each.
macro_rules! columns {
    ($W:ident, $N:ident, $lane:ident => $row:expr) => {{
        let mut rows = [&Row::ZERO.0; $N];
        for $lane in 0..$N {
            rows[$lane] = &$row.0;
        }
        $W::columns(rows)
    }};
}
pub(super) use columns;

/// The same four numbers in all lanes.
#[inline(always)]
fn spread<L: Scalar>(row: &Row) -> [L; 4] {
    [L::of(row.0[0]), L::of(row.0[1]), L::of(row.0[2]), L::of(row.0[3])]
}

#[inline(always)]
fn joined<L: Copy>(a: [L; 4], b: [L; 4]) -> [L; 8] {
    [a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]]
}

#[inline(always)]
fn side_of<L: Scalar, P: PairLaw<ROWS>, const ROWS: usize>(desk: &Desk, i: usize) -> Side<L> {
    let volume = L::of(desk.place[i].0[3]);
    let [u, v, w, pressure] = spread(&desk.motion[i]);
    let more = match P::MORE {
        true => joined(spread(&desk.more[i][0]), spread(&desk.more[i][1])),
        false => [L::zero(); 8],
    };
    Side { volume, velocity: [u, v, w], pressure, more }
}

#[inline(always)]
fn meet_all<
    const N: usize,
    W: Wide<N>,
    K: Smoothing,
    P: PairLaw<ROWS>,
    const ROWS: usize,
    const WALL: bool,
>(
    kernel: &K,
    law: &P,
    desk: &Desk,
    i: usize,
    one: &Side<W>,
    others: &[u16],
    sums: &mut [[Row; ROWS]],
) {
    let (place, motion) = (&desk.place[..sums.len()], &desk.motion[..sums.len()]);
    let [x, y, z, _] = spread::<W>(&place[i]);
    let mut own = [[W::zero(); 4]; ROWS];
    for first in (0..others.len()).step_by(N) {
        let at = group::<N>(others, first, sums.len() - 1);
        let [xs, ys, zs, volume] = columns!(W, N, lane => place[at[lane]]);
        let offset = [x - xs, y - ys, z - zs];
        let square = offset[0].mul_add(offset[0], offset[1].mul_add(offset[1], offset[2] * offset[2]));
        let gap = Gap { offset, square, distance: square.sqrt() };
        let [u, v, w, pressure] = columns!(W, N, lane => motion[at[lane]]);
        let more = match P::MORE {
            true => {
                let more = &desk.more[..sums.len()];
                joined(columns!(W, N, lane => more[at[lane]][0]), columns!(W, N, lane => more[at[lane]][1]))
            }
            false => [W::zero(); 8],
        };
        let side = Side { volume, velocity: [u, v, w], pressure, more };
        let [to_one, to_others] = law.meet::<W, K, WALL>(kernel, one, &side, &gap);
        for row in 0..ROWS {
            for k in 0..4 {
                own[row][k] = own[row][k] + to_one[row][k];
            }
            let rows = W::rows(to_others[row]);
            for lane in 0..N {
                let sum = &mut sums[at[lane]][row].0;
                (W::Row::load(sum) + rows[lane]).store(sum);
            }
        }
    }
    for row in 0..ROWS {
        let sum = &mut sums[i][row].0;
        (W::Row::load(sum) + W::row_total(own[row])).store(sum);
    }
}
