//! Forces between particles: the hot loop.
//!
//! The pairs of a chunk are first sorted out by distance, several at once and without regard to whose they are; those
//! that touch are collected and answered by the law, several at a time. A pair gets the same bits however many lanes
//! there are.

use huygens_exec::lanes::{Lanes, Wide, WideKernel};
use huygens_kernel::contact::{CompliantModel, CompliantPair, Kinematics, respond};
use huygens_kernel::triple::{cross, difference, dot, scaled, scaled_add};
use huygens_kernel::{Scalar, three};

use crate::grains::fields::Seen;
use crate::grains::history::HistoryLayout;
use crate::grains::list::{INDEX, PairChunk, TOUCHING};
use crate::row::Row;

/// Touching pairs collected before the law is asked; a multiple of every number of lanes.
const BLOCK: usize = 128;

/// Pairs whose owners are found at once; a multiple of every number of lanes.
const STRIP: usize = 256;

/// Most lanes.
const WIDEST: usize = 8;

/// Pairs ahead of which positions are asked for from memory.
const AHEAD: usize = 24;

/// Marks a touching pair whose other is in the same chunk.
const OWN: u32 = u32::MAX;

/// Pairs that touch.
struct Touches {
    /// Particle, counted from the start of the chunk.
    item: [u32; BLOCK + WIDEST],
    /// Pair in the chunk.
    pair: [u32; BLOCK + WIDEST],
    /// Place in the outbox, or [`OWN`].
    entry: [u32; BLOCK + WIDEST],
    count: usize,
}

/// `N` of the pairs that touch.
#[derive(Clone, Copy)]
struct Group<const N: usize> {
    item: [u32; N],
    pair: [u32; N],
    entry: [u32; N],
}

impl Touches {
    #[inline(always)]
    fn new() -> Self {
        let none = [0; BLOCK + WIDEST];
        Self { item: none, pair: none, entry: none, count: 0 }
    }

    /// Adds those whose bits are set; there is room for all lanes while there are fewer than a block.
    #[inline(always)]
    fn add<const N: usize, W: Wide<N>>(&mut self, all: &Group<N>, bits: u32) {
        put(&mut self.item, self.count, W::packed(&all.item, bits));
        put(&mut self.pair, self.count, W::packed(&all.pair, bits));
        put(&mut self.entry, self.count, W::packed(&all.entry, bits));
        self.count += bits.count_ones() as usize;
    }

    #[inline(always)]
    fn group<const N: usize>(&self, first: usize) -> Group<N> {
        Group {
            item: take(&self.item, first),
            pair: take(&self.pair, first),
            entry: take(&self.entry, first),
        }
    }

    /// Forgets a block.
    #[inline(always)]
    fn drop_block<const N: usize>(&mut self) {
        for list in [&mut self.item, &mut self.pair, &mut self.entry] {
            let rest: [u32; N] = take(list, BLOCK);
            put(list, 0, rest);
        }
        self.count -= BLOCK;
    }
}

// Copies of as many numbers as there are lanes; slices of them would be copied by calls.

#[inline(always)]
fn take<const N: usize>(list: &[u32], first: usize) -> [u32; N] {
    list[first..].first_chunk().copied().unwrap_or([0; N])
}

#[inline(always)]
fn put<const N: usize>(list: &mut [u32], first: usize, values: [u32; N]) {
    if let Some(place) = list[first..].first_chunk_mut() {
        *place = values;
    }
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
    /// Lengths of a periodic box; infinite along the other axes.
    pub lengths: [f64; 3],
    pub repeats: bool,
}

impl WideKernel for ContactPass<'_> {
    type Output = ();

    #[inline(always)]
    fn run<const N: usize, W: Wide<N>>(self) {
        // The usual case is compiled without the branches of the others.
        match self.repeats {
            true => self.contacts::<N, W, true>(),
            false => self.contacts::<N, W, false>(),
        }
    }
}

impl ContactPass<'_> {
    #[inline(always)]
    fn contacts<const N: usize, W: Wide<N>, const REPEATS: bool>(mut self) {
        self.force.fill(Row::ZERO);
        self.torque.fill(Row::ZERO);
        let pairs = self.chunk.starts.get(self.force.len()).map_or(0, |end| *end as usize);
        let mut owners = [0; STRIP + WIDEST];
        let mut touches = Touches::new();
        let (mut item, mut entry) = (0, 0);
        for strip in (0..pairs).step_by(STRIP) {
            let end = (strip + STRIP).min(pairs);
            item = self.find_owners(&mut owners, item, strip, end);
            for p in (strip..end).step_by(N) {
                let own = u32::MAX >> (32 - (end - p).min(N));
                entry = self.sort_out::<N, W, REPEATS>(p, own, &owners[p - strip..], entry, &mut touches);
                if touches.count >= BLOCK {
                    for first in (0..BLOCK).step_by(N) {
                        self.answer::<N, W, REPEATS>(&touches.group(first), N);
                    }
                    touches.drop_block::<N>();
                }
            }
        }
        for first in (0..touches.count).step_by(N) {
            let count = (touches.count - first).min(N);
            let mut group = touches.group(first);
            // The last one is repeated, and what comes of it dropped.
            for lane in count..N {
                group.item[lane] = group.item[count - 1];
                group.pair[lane] = group.pair[count - 1];
            }
            self.answer::<N, W, REPEATS>(&group, count);
        }
    }

    /// Whose the pairs from `strip` to `end` are; `item` is the first particle that may have one of them, as is the
    /// result for those that follow.
    #[inline(always)]
    fn find_owners(
        &self,
        owners: &mut [u32; STRIP + WIDEST],
        mut item: usize,
        strip: usize,
        end: usize,
    ) -> usize {
        let mut p = strip;
        while p < end {
            let last = self.chunk.starts[item + 1] as usize;
            // Beyond the last pair of a particle those of the next are written over. Few have more than eight.
            loop {
                put(owners, p - strip, [item as u32; WIDEST]);
                p += WIDEST;
                if p >= last.min(end) {
                    break;
                }
            }
            p = last.min(end);
            item += usize::from(last <= end);
        }
        item
    }

    /// Finds out which of the pairs from `p` on touch, of which those in the bits `own` are meant. `entry` is the next
    /// place in the outbox, as is the result.
    #[inline(always)]
    fn sort_out<const N: usize, W: Wide<N>, const REPEATS: bool>(
        &mut self,
        p: usize,
        own: u32,
        owners: &[u32],
        entry: u32,
        touches: &mut Touches,
    ) -> u32 {
        let fields = self.fields;
        let mut listed = [self.first as u32; N];
        match self.chunk.other[p..].first_chunk::<N>() {
            Some(all) => listed = *all,
            None => {
                let rest = &self.chunk.other[p..];
                listed.iter_mut().zip(rest).for_each(|(listed, other)| *listed = *other);
            }
        }
        if let Some(ahead) = self.chunk.other.get(p + AHEAD..p + AHEAD + N) {
            for other in ahead {
                fields.place.prefetch((other & INDEX) as usize);
            }
        }
        let mut all = Group { item: take(owners, 0), pair: [0; N], entry: [0; N] };
        let (mut i, mut j, mut marks) = ([0; N], [0; N], [0; N]);
        for lane in 0..N {
            i[lane] = self.first as u32 + all.item[lane];
            j[lane] = listed[lane] & INDEX;
            // FOREIGN is the bit below the highest.
            marks[lane] = listed[lane] << 1;
            all.pair[lane] = (p + lane) as u32;
        }
        let [xi, yi, zi, ri] = fields.pick(i).place::<W>();
        let [xj, yj, zj, rj] = fields.pick(j).place::<W>();
        let mut d = [xj - xi, yj - yi, zj - zi];
        if REPEATS {
            d = nearest_image(d, self.lengths);
        }
        let reach = ri + rj;
        let touching = (reach * reach).above(dot(d, d)) & own;
        let before = W::highest_bits(&listed) & own;
        let foreign = W::highest_bits(&marks) & own;
        if touching != before {
            self.change(p, touching, before, foreign, entry);
        }
        for lane in 0..N {
            fields.motion.prefetch(j[lane] as usize);
            fields.spin.prefetch(j[lane] as usize);
        }
        all.entry = W::counted(foreign, entry, OWN);
        touches.add::<N, W>(&all, touching);
        entry + foreign.count_ones()
    }

    /// Some of the pairs from `pair` on began to touch, or ceased to.
    #[cold]
    #[inline(never)]
    fn change(&mut self, pair: usize, touching: u32, before: u32, foreign: u32, entry: u32) {
        let width = self.laws.layout.width();
        for lane in 0..WIDEST {
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

    /// Forces of `N` pairs, of which the first `count` are meant.
    #[inline(always)]
    fn answer<const N: usize, W: Wide<N>, const REPEATS: bool>(&mut self, touch: &Group<N>, count: usize) {
        let first = self.first;
        let width = self.laws.layout.width();
        let (mut i, mut j, mut at) = ([0; N], [0; N], [0; N]);
        for lane in 0..N {
            let pair = touch.pair[lane] as usize;
            i[lane] = first as u32 + touch.item[lane];
            j[lane] = self.chunk.other[pair] & INDEX;
            at[lane] = pair * width;
        }
        let (i, j) = (self.fields.pick(i), self.fields.pick(j));
        let [xi, yi, zi, ri] = i.place::<W>();
        let [xj, yj, zj, rj] = j.place::<W>();
        let [vxi, vyi, vzi, mi] = i.motion::<W>();
        let [vxj, vyj, vzj, mj] = j.motion::<W>();
        let mut d = [xj - xi, yj - yi, zj - zi];
        if REPEATS {
            d = nearest_image(d, self.lengths);
        }
        // Two grains with one centre part along z.
        let square = dot(d, d);
        d[2] = square.where_greater(W::zero(), d[2], W::of(f64::MIN_POSITIVE.sqrt()));
        let distance = square.larger(W::of(f64::MIN_POSITIVE)).sqrt();
        // One division gives three reciprocals.
        let (masses, radii) = (mi + mj, ri + rj);
        let product = masses * radii;
        let inverse = W::of(1.0) / (distance * product);
        let normal = scaled(inverse * product, d);
        let depth = radii - distance;
        let half = W::of(-0.5);
        let (arm_i, arm_j) = (half.mul_add(depth, ri), half.mul_add(depth, rj));
        let [wxi, wyi, wzi, _] = i.spin::<W>();
        let [wxj, wyj, wzj, _] = j.spin::<W>();
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
            step: W::of(self.step),
        };
        let old = self.laws.layout.load::<N, W>(&self.chunk.history, at);
        let pair = self.coefficients::<N, W>(&i.at, &j.at);
        let response = respond(&self.laws.model, &pair, &motion, &old);
        self.laws.layout.store::<N, W>(&response.history, &mut self.chunk.history, at, count);
        let force = response.force(normal.into()).to_array();
        let couple = response.torque().to_array();
        let moment = cross(normal, force);
        let on_i: [W; 3] = three!(k => arm_i.neg_mul_add(moment[k], -couple[k]));
        let on_j: [W; 3] = three!(k => arm_j.neg_mul_add(moment[k], couple[k]));
        let force = W::rows([force[0], force[1], force[2], W::zero()]);
        let on_i = W::rows([on_i[0], on_i[1], on_i[2], W::zero()]);
        let on_j = W::rows([on_j[0], on_j[1], on_j[2], W::zero()]);
        // One length for both, so that an index is checked once.
        let (forces, torques) = (&mut *self.force, &mut *self.torque);
        let torques = &mut torques[..forces.len()];
        for lane in 0..count {
            let (item, entry) = (touch.item[lane] as usize, touch.entry[lane]);
            let (f, t) = (&mut forces[item].0, &mut torques[item].0);
            (W::Row::load(f) - force[lane]).store(f);
            (W::Row::load(t) + on_i[lane]).store(t);
            if entry == OWN {
                let other = j.at[lane] as usize - first;
                let (f, t) = (&mut forces[other].0, &mut torques[other].0);
                (W::Row::load(f) + force[lane]).store(f);
                (W::Row::load(t) + on_j[lane]).store(t);
            } else {
                let out = self.chunk.outgoing(entry as usize);
                force[lane].store(&mut out[0].0);
                on_j[lane].store(&mut out[1].0);
            }
        }
    }

    #[inline(always)]
    fn coefficients<const N: usize, W: Wide<N>>(&self, i: &[u32; N], j: &[u32; N]) -> CompliantPair<W> {
        let pairs = &self.laws.pairs;
        if self.laws.materials == 1 {
            return CompliantPair::uniform(&pairs[0]);
        }
        let material = self.fields.material;
        let mut found = [&pairs[0]; N];
        for lane in 0..N {
            let (a, b) = (material[i[lane] as usize] as usize, material[j[lane] as usize] as usize);
            found[lane] = &pairs[a * self.laws.materials + b];
        }
        CompliantPair::joined(found, |x| W::of_array(&x))
    }
}

/// Offsets to the nearest image; both particles are at most a little outside the box.
#[inline(always)]
fn nearest_image<L: Scalar>(d: [L; 3], lengths: [f64; 3]) -> [L; 3] {
    three!(k => {
        let (length, half) = (L::of(lengths[k]), L::of(0.5 * lengths[k]));
        let d = d[k];
        let d = d.where_greater(half, d - length, d);
        (-half).where_greater(d, d + length, d)
    })
}
