//! Forces between particles: the hot loop.
//!
//! The pairs of a chunk are first sorted out by distance, four others at once; those that touch are collected and
//! answered by the law four at a time.

use huygens_exec::lanes::{Kernel, LANES, Lanes};
use huygens_kernel::contact::{CompliantModel, CompliantPair, HISTORY_LENGTH, Kinematics, respond};
use huygens_kernel::three;
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};

use crate::fields::{Fields, Row};
use crate::history::HistoryLayout;
use crate::list::{PairChunk, TOUCHING};

/// Touching pairs collected before the law is asked.
const BLOCK: usize = 128;

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
    pub fields: &'a Fields,
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
        let place = &self.fields.place;
        let own = self.first..self.first + self.force.len();
        let mut touches = [Touch::default(); BLOCK + LANES];
        let mut count = 0;
        let mut entry = 0;
        for item in 0..self.force.len() {
            let (start, end) = (self.chunk.starts[item] as usize, self.chunk.starts[item + 1] as usize);
            let [x, y, z, r] = place[self.first + item].0.map(L::of);
            let mut p = start;
            while p < end {
                let lanes = (end - p).min(LANES);
                // The last ones are repeated where there are fewer than four.
                let four: [u32; LANES] =
                    [0, 1, 2, 3].map(|lane: usize| self.chunk.other[p + lane.min(lanes - 1)]);
                let row = |lane: usize| &place[(four[lane] & !TOUCHING) as usize].0;
                let [xj, yj, zj, rj] = L::transpose_in([row(0), row(1), row(2), row(3)]);
                let mut d = [xj - x, yj - y, zj - z];
                if REPEATS {
                    d = nearest_image(d, self.lengths);
                }
                let reach = r + rj;
                let bits = (reach * reach).greater_bits(dot(d, d));
                for lane in 0..lanes {
                    let j = four[lane] & !TOUCHING;
                    let foreign = !own.contains(&(j as usize));
                    if bits >> lane & 1 == 1 {
                        touches[count] = Touch {
                            item: item as u32,
                            other: j,
                            pair: (p + lane) as u32,
                            entry: if foreign { entry } else { OWN },
                        };
                        count += 1;
                        self.chunk.other[p + lane] = j | TOUCHING;
                    } else if four[lane] & TOUCHING != 0 {
                        self.part(p + lane, j, foreign.then_some(entry));
                    }
                    entry += u32::from(foreign);
                }
                p += lanes;
                if count >= BLOCK {
                    self.answer::<L, REPEATS>(&touches[..BLOCK]);
                    touches.copy_within(BLOCK..count, 0);
                    count -= BLOCK;
                }
            }
        }
        self.answer::<L, REPEATS>(&touches[..count]);
    }

    /// A pair that touched does not any more.
    #[cold]
    fn part(&mut self, pair: usize, other: u32, entry: Option<u32>) {
        let width = self.laws.layout.width();
        self.chunk.other[pair] = other;
        self.chunk.history[pair * width..(pair + 1) * width].fill(Row::ZERO);
        if let Some(entry) = entry {
            self.chunk.outbox[entry as usize] = [Row::ZERO; 2];
        }
    }

    #[inline(always)]
    fn answer<L: Lanes, const REPEATS: bool>(&mut self, touches: &[Touch]) {
        for four in touches.chunks(LANES) {
            let count = four.len();
            let lane = |k: usize| four[k.min(count - 1)];
            let touch = [lane(0), lane(1), lane(2), lane(3)];
            self.answer_four::<L, REPEATS>(&touch, count);
        }
    }

    /// Forces of four pairs, of which the first `count` are meant.
    #[inline(always)]
    fn answer_four<L: Lanes, const REPEATS: bool>(&mut self, touch: &[Touch; LANES], count: usize) {
        let fields = self.fields;
        let i: [usize; LANES] = touch.map(|t| self.first + t.item as usize);
        let j: [usize; LANES] = touch.map(|t| t.other as usize);
        let [xi, yi, zi, ri] = rows::<L>(&fields.place, i);
        let [xj, yj, zj, rj] = rows::<L>(&fields.place, j);
        let mut d = [xj - xi, yj - yi, zj - zi];
        if REPEATS {
            d = nearest_image(d, self.lengths);
        }
        let distance = dot(d, d).sqrt().larger(L::of(f64::MIN_POSITIVE));
        let normal = scaled(L::of(1.0) / distance, d);
        let depth = ri + rj - distance;
        let half = L::of(-0.5);
        let (arm_i, arm_j) = (half.mul_add(depth, ri), half.mul_add(depth, rj));
        let [vxi, vyi, vzi, mi] = rows::<L>(&fields.motion, i);
        let [vxj, vyj, vzj, mj] = rows::<L>(&fields.motion, j);
        let [wxi, wyi, wzi, _] = rows::<L>(&fields.spin, i);
        let [wxj, wyj, wzj, _] = rows::<L>(&fields.spin, j);
        let (wi, wj) = ([wxi, wyi, wzi], [wxj, wyj, wzj]);
        let turn = scaled_add(arm_j, wj, scaled(arm_i, wi));
        let slide = cross(turn, normal);
        let one = L::of(1.0);
        let motion = Kinematics {
            depth,
            normal,
            velocity: [vxj - vxi - slide[0], vyj - vyi - slide[1], vzj - vzi - slide[2]],
            angular_velocity: difference(wj, wi),
            effective_mass: one / (mi + mj),
            effective_radius: ri * rj / (ri + rj),
            step: L::of(self.step),
        };
        let width = self.laws.layout.width();
        let at: [usize; LANES] = touch.map(|t| t.pair as usize * width);
        let old = self.laws.layout.load::<L>(&self.chunk.history, at);
        let mut new = [L::zero(); HISTORY_LENGTH];
        let pair = self.coefficients::<L>(i, j);
        let response = respond(&self.laws.model, &pair, &motion, &old, &mut new);
        self.laws.layout.store(&new, &mut self.chunk.history, at, count);
        let force = response.force(normal);
        let couple = response.torque();
        let moment = cross(normal, force);
        let on_i: [L; 3] = three!(k => arm_i.neg_mul_add(moment[k], -couple[k]));
        let on_j: [L; 3] = three!(k => arm_j.neg_mul_add(moment[k], couple[k]));
        let force = L::transpose([force[0], force[1], force[2], L::zero()]);
        let on_i = L::transpose([on_i[0], on_i[1], on_i[2], L::zero()]);
        let on_j = L::transpose([on_j[0], on_j[1], on_j[2], L::zero()]);
        for lane in 0..count {
            let Touch { item, other, entry, .. } = touch[lane];
            let item = item as usize;
            (L::load(&self.force[item].0) - force[lane]).store(&mut self.force[item].0);
            (L::load(&self.torque[item].0) + on_i[lane]).store(&mut self.torque[item].0);
            if entry == OWN {
                let other = other as usize - self.first;
                (L::load(&self.force[other].0) + force[lane]).store(&mut self.force[other].0);
                (L::load(&self.torque[other].0) + on_j[lane]).store(&mut self.torque[other].0);
            } else {
                let out = &mut self.chunk.outbox[entry as usize];
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
        let material = &self.fields.material;
        let pair = |lane: usize| {
            let (a, b) = (material[i[lane]] as usize, material[j[lane]] as usize);
            &self.laws.pairs[a * self.laws.materials + b]
        };
        CompliantPair::joined([pair(0), pair(1), pair(2), pair(3)], |x| L::load(&x))
    }
}

/// Rows of four particles, number by number.
#[inline(always)]
fn rows<L: Lanes>(field: &[Row], at: [usize; LANES]) -> [L; 4] {
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
