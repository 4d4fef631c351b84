//! Forces between particles: the hot loop.
//!
//! The pairs of a chunk are first sorted out by distance, four others at once; those that touch are collected and
//! answered by the law four at a time.

use huygens_exec::lanes::{Kernel, LANES, Lanes, prefetch};
use huygens_kernel::contact::{CompliantModel, CompliantPair, Kinematics, respond};
use huygens_kernel::three;
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};

use crate::grains::fields::{Rows, Seen};
use crate::grains::history::HistoryLayout;
use crate::grains::list::{INDEX, PairChunk, TOUCHING};
use crate::row::Row;

/// `[expression of lane; 4]`; a macro, as closures may stay calls.
macro_rules! four {
    ($lane:ident => $expression:expr) => {
        [
            {
                let $lane = 0_usize;
                $expression
            },
            {
                let $lane = 1_usize;
                $expression
            },
            {
                let $lane = 2_usize;
                $expression
            },
            {
                let $lane = 3_usize;
                $expression
            },
        ]
    };
}

/// Touching pairs collected before the law is asked.
const BLOCK: usize = 128;

/// Pairs ahead of which positions are asked for from memory.
const AHEAD: usize = 24;

/// Marks a touching pair whose other is in the same chunk.
const OWN: u32 = u32::MAX;

/// A pair that touches.
#[derive(Clone, Copy, Default)]
struct Touch {
    /// Particle, counted from the start of the chunk.
    item: u32,
    other: u32,
    /// Pair in the chunk.
    pair: u32,
    /// Place in the outbox, or [`OWN`].
    entry: u32,
}

/// Coefficients of the laws for every pair of materials.
#[derive(Clone, Debug)]
pub(crate) struct Laws {
    pub model: CompliantModel,
    /// Row by row, material of one and of the other.
    pub pairs: Vec<CompliantPair>,
    pub materials: usize,
    pub layout: HistoryLayout,
}

/// Contacts of one chunk.
pub(crate) struct ContactPass<'a> {
    pub laws: &'a Laws,
    pub fields: Seen<'a>,
    pub chunk: &'a mut PairChunk,
    pub force: &'a mut [Row],
    pub torque: &'a mut [Row],
    /// First particle of the chunk.
    pub first: usize,
    pub step: f64,
    /// Lengths of a box that repeats; infinite along the other axes.
    pub lengths: [f64; 3],
    pub repeats: bool,
}

impl Kernel for ContactPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        // The usual case is compiled without the branches of the others.
        match self.repeats {
            true => self.contacts::<L, true>(),
            false => self.contacts::<L, false>(),
        }
    }
}

impl ContactPass<'_> {
    #[inline(always)]
    fn contacts<L: Lanes, const REPEATS: bool>(mut self) {
        self.force.fill(Row::ZERO);
        self.torque.fill(Row::ZERO);
        let place = self.fields.place;
        let width = self.laws.layout.width();
        let mut touches = [Touch::default(); BLOCK + LANES];
        let mut count = 0;
        let mut entry = 0;
        for item in 0..self.force.len() {
            let (start, end) = (self.chunk.starts[item] as usize, self.chunk.starts[item + 1] as usize);
            let Row([x, y, z, r]) = place[self.first + item];
            let (x, y, z, r) = (L::of(x), L::of(y), L::of(z), L::of(r));
            let mut p = start;
            while p < end {
                // The list goes on a little after its end.
                let Some(&four) = self.chunk.other[p..].first_chunk::<LANES>() else { break };
                if let Some(ahead) = self.chunk.other.get(p + AHEAD..p + AHEAD + LANES) {
                    for other in ahead {
                        prefetch(&place[(other & INDEX) as usize]);
                    }
                }
                let [xj, yj, zj, rj] = L::transpose_in([
                    &place[(four[0] & INDEX) as usize].0,
                    &place[(four[1] & INDEX) as usize].0,
                    &place[(four[2] & INDEX) as usize].0,
                    &place[(four[3] & INDEX) as usize].0,
                ]);
                let mut d = [xj - x, yj - y, zj - z];
                if REPEATS {
                    d = nearest_image(d, self.lengths);
                }
                let reach = r + rj;
                let own = (1_u32 << (end - p).min(LANES)) - 1;
                let touching = (reach * reach).greater_bits(dot(d, d)) & own;
                let before = flags(&four, 31) & own;
                let foreign = flags(&four, 30) & own;
                if touching != before {
                    self.change(p, touching, before, foreign, entry);
                }
                let mut left = touching;
                while left != 0 {
                    let lane = left.trailing_zeros();
                    let bit = 1 << lane;
                    let in_outbox = entry + (foreign & (bit - 1)).count_ones();
                    touches[count] = Touch {
                        item: item as u32,
                        other: four[lane as usize] & INDEX,
                        pair: p as u32 + lane,
                        entry: if foreign & bit != 0 { in_outbox } else { OWN },
                    };
                    prefetch(&self.chunk.history[touches[count].pair as usize * width]);
                    prefetch(&self.fields.motion[touches[count].other as usize]);
                    prefetch(&self.fields.spin[touches[count].other as usize]);
                    count += 1;
                    left &= left - 1;
                }
                entry += foreign.count_ones();
                p += LANES;
                if count >= BLOCK {
                    self.answer::<L, REPEATS>(&touches[..BLOCK]);
                    touches.copy_within(BLOCK..count, 0);
                    count -= BLOCK;
                }
            }
        }
        self.answer::<L, REPEATS>(&touches[..count]);
    }

    /// Some of the pairs from `pair` on began to touch, or ceased to.
    #[cold]
    fn change(&mut self, pair: usize, touching: u32, before: u32, foreign: u32, entry: u32) {
        let width = self.laws.layout.width();
        for lane in 0..LANES {
            let (bit, pair) = (1 << lane, pair + lane);
            if touching & bit != 0 {
                self.chunk.other[pair] |= TOUCHING;
            } else if before & bit != 0 {
                self.chunk.other[pair] &= !TOUCHING;
                self.chunk.history[pair * width..(pair + 1) * width].fill(Row::ZERO);
                if foreign & bit != 0 {
                    let entry = entry + (foreign & (bit - 1)).count_ones();
                    *self.chunk.outgoing(entry as usize) = [Row::ZERO; 2];
                }
            }
        }
    }

    #[inline(always)]
    fn answer<L: Lanes, const REPEATS: bool>(&mut self, touches: &[Touch]) {
        let (fours, rest) = touches.as_chunks::<LANES>();
        for four in fours {
            self.answer_four::<L, REPEATS>(four, LANES);
        }
        if let Some(&last) = rest.last() {
            let mut four = [last; LANES];
            four[..rest.len()].copy_from_slice(rest);
            self.answer_four::<L, REPEATS>(&four, rest.len());
        }
    }

    /// Forces of four pairs, of which the first `count` are meant.
    #[inline(always)]
    fn answer_four<L: Lanes, const REPEATS: bool>(&mut self, touch: &[Touch; LANES], count: usize) {
        let fields = self.fields;
        let first = self.first;
        let i: [usize; LANES] = four!(lane => first + touch[lane].item as usize);
        let j: [usize; LANES] = four!(lane => touch[lane].other as usize);
        let [xi, yi, zi, ri] = rows::<L>(fields.place, i);
        let [xj, yj, zj, rj] = rows::<L>(fields.place, j);
        let [vxi, vyi, vzi, mi] = rows::<L>(fields.motion, i);
        let [vxj, vyj, vzj, mj] = rows::<L>(fields.motion, j);
        let mut d = [xj - xi, yj - yi, zj - zi];
        if REPEATS {
            d = nearest_image(d, self.lengths);
        }
        // Two grains with one centre part along z.
        let square = dot(d, d);
        d[2] = square.where_greater(L::zero(), d[2], L::of(f64::MIN_POSITIVE.sqrt()));
        let distance = square.larger(L::of(f64::MIN_POSITIVE)).sqrt();
        // One division gives three reciprocals.
        let (masses, radii) = (mi + mj, ri + rj);
        let product = masses * radii;
        let inverse = L::of(1.0) / (distance * product);
        let normal = scaled(inverse * product, d);
        let depth = radii - distance;
        let half = L::of(-0.5);
        let (arm_i, arm_j) = (half.mul_add(depth, ri), half.mul_add(depth, rj));
        let [wxi, wyi, wzi, _] = rows::<L>(fields.spin, i);
        let [wxj, wyj, wzj, _] = rows::<L>(fields.spin, j);
        let (wi, wj) = ([wxi, wyi, wzi], [wxj, wyj, wzj]);
        let slide = cross(scaled_add(arm_j, wj, scaled(arm_i, wi)), normal);
        // Forces are found from velocities in the middle of the step: they are its mean.
        let velocity = [vxj - vxi - slide[0], vyj - vyi - slide[1], vzj - vzi - slide[2]];
        let motion = Kinematics {
            depth,
            normal: normal.into(),
            velocity: velocity.into(),
            mean_velocity: velocity.into(),
            angular_velocity: difference(wj, wi).into(),
            effective_mass: inverse * (distance * radii),
            effective_radius: ri * rj * (inverse * (distance * masses)),
            step: L::of(self.step),
        };
        let width = self.laws.layout.width();
        let at: [usize; LANES] = four!(lane => touch[lane].pair as usize * width);
        let old = self.laws.layout.load::<L>(&self.chunk.history, at);
        let pair = self.coefficients::<L>(i, j);
        let response = respond(&self.laws.model, &pair, &motion, &old);
        self.laws.layout.store(&response.history, &mut self.chunk.history, at, count);
        let force = response.force(normal.into()).to_array();
        let couple = response.torque().to_array();
        let moment = cross(normal, force);
        let on_i: [L; 3] = three!(k => arm_i.neg_mul_add(moment[k], -couple[k]));
        let on_j: [L; 3] = three!(k => arm_j.neg_mul_add(moment[k], couple[k]));
        let force = L::transpose([force[0], force[1], force[2], L::zero()]);
        let on_i = L::transpose([on_i[0], on_i[1], on_i[2], L::zero()]);
        let on_j = L::transpose([on_j[0], on_j[1], on_j[2], L::zero()]);
        for lane in 0..count {
            let Touch { item, other, entry, .. } = touch[lane];
            let (f, t) = (&mut self.force[item as usize].0, &mut self.torque[item as usize].0);
            (L::load(f) - force[lane]).store(f);
            (L::load(t) + on_i[lane]).store(t);
            if entry == OWN {
                let other = other as usize - first;
                let (f, t) = (&mut self.force[other].0, &mut self.torque[other].0);
                (L::load(f) + force[lane]).store(f);
                (L::load(t) + on_j[lane]).store(t);
            } else {
                let out = self.chunk.outgoing(entry as usize);
                force[lane].store(&mut out[0].0);
                on_j[lane].store(&mut out[1].0);
            }
        }
    }

    #[inline(always)]
    fn coefficients<L: Lanes>(&self, i: [usize; LANES], j: [usize; LANES]) -> CompliantPair<L> {
        if self.laws.materials == 1 {
            return CompliantPair::uniform(&self.laws.pairs[0]);
        }
        let material = self.fields.material;
        let pair = |lane: usize| {
            let (a, b) = (material[i[lane]] as usize, material[j[lane]] as usize);
            &self.laws.pairs[a * self.laws.materials + b]
        };
        CompliantPair::joined([pair(0), pair(1), pair(2), pair(3)], |x| L::load(&x))
    }
}

/// Bit `bit` of each of four numbers.
#[inline(always)]
fn flags(x: &[u32; LANES], bit: u32) -> u32 {
    (x[0] >> bit & 1) | (x[1] >> bit & 1) << 1 | (x[2] >> bit & 1) << 2 | (x[3] >> bit & 1) << 3
}

/// Rows of four particles, number by number.
#[inline(always)]
fn rows<L: Lanes>(field: Rows<'_>, at: [usize; LANES]) -> [L; 4] {
    L::transpose_in([&field[at[0]].0, &field[at[1]].0, &field[at[2]].0, &field[at[3]].0])
}

/// Offsets to the nearest image; both particles are at most a little outside the box.
#[inline(always)]
fn nearest_image<L: Lanes>(d: [L; 3], lengths: [f64; 3]) -> [L; 3] {
    three!(k => {
        let (length, half) = (L::of(lengths[k]), L::of(0.5 * lengths[k]));
        let d = d[k];
        let d = d.where_greater(half, d - length, d);
        (-half).where_greater(d, d + length, d)
    })
}
