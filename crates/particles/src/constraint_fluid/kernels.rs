//! The loops over the pairs of a chunk, four at a time.
//!
//! A chunk has each of its pairs once. What a pair does to a marker of another chunk is summed here and handed over by
//! [`Pairs`](super::pairs::Pairs) in a fixed order. Closures may stay calls, and then be compiled without the instruction
//! set of their caller: there are none in here.

use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::V3;
use huygens_kernel::sph::Smoothing;
use huygens_kernel::sph::constraint::{
    clumping_strength, density_push, density_rate, pair_push, pair_rate, smoothed_slip,
};
use huygens_kernel::vector::{dot_backwards, scaled, sum};

use crate::row::Row;
use crate::sph::{FluidChunk, QUAD};

/// What all loops read.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub chunk: &'a FluidChunk,
    /// Markers of the chunk, of its halo, and one that is nowhere.
    pub place: &'a [Row],
}

impl<'a> Around<'a> {
    /// Partners of an own marker, in quads, and the place of the first among all partners.
    #[inline(always)]
    fn quads(&self, i: usize) -> (&'a [[u16; QUAD]], usize) {
        let (from, to) = (self.chunk.starts[i] as usize, self.chunk.starts[i + 1] as usize);
        (self.chunk.others[from..to].as_chunks::<QUAD>().0, from / QUAD)
    }
}

#[inline(always)]
fn spread<L: Lanes>(row: &Row) -> [L; 4] {
    [L::of(row.0[0]), L::of(row.0[1]), L::of(row.0[2]), L::of(row.0[3])]
}

/// Numbers of four others.
#[inline(always)]
fn four<L: Lanes>(numbers: &[f64], quad: &[u16; QUAD]) -> L {
    let [a, b, c, d] = *quad;
    L::load(&[numbers[a as usize], numbers[b as usize], numbers[c as usize], numbers[d as usize]])
}

/// Adds a number to each of four others.
#[inline(always)]
fn give<L: Lanes>(value: L, quad: &[u16; QUAD], sums: &mut [f64]) {
    let value = value.to_array();
    sums[quad[0] as usize] += value[0];
    sums[quad[1] as usize] += value[1];
    sums[quad[2] as usize] += value[2];
    sums[quad[3] as usize] += value[3];
}

/// From the others to the one.
#[inline(always)]
fn offsets<L: Lanes>(place: &[Row], one: &[L; 4], quad: &[u16; QUAD]) -> V3<L> {
    let [a, b, c, d] = [quad[0] as usize, quad[1] as usize, quad[2] as usize, quad[3] as usize];
    let [x, y, z, _] = L::transpose_in([&place[a].0, &place[b].0, &place[c].0, &place[d].0]);
    V3 { x: one[0] - x, y: one[1] - y, z: one[2] - z }
}

/// Length of offsets.
#[inline(always)]
fn length<L: Lanes>(offset: V3<L>) -> L {
    dot_backwards(offset, offset).sqrt()
}

/// The vector of a row.
#[inline(always)]
fn vector(row: &Row) -> V3<f64> {
    V3 { x: row.0[0], y: row.0[1], z: row.0[2] }
}

#[inline(always)]
fn no_sum<L: Lanes>() -> V3<L> {
    V3 { x: L::zero(), y: L::zero(), z: L::zero() }
}

/// Adds vectors to one and takes them from the others.
#[inline(always)]
fn push<L: Lanes>(own: &mut V3<L>, force: V3<L>, quad: &[u16; QUAD], sums: &mut [Row]) {
    *own = sum(*own, force);
    let rows = L::transpose([force.x, force.y, force.z, L::zero()]);
    for (j, row) in quad.iter().zip(rows) {
        let sum = &mut sums[*j as usize].0;
        (L::load(sum) - row).store(sum);
    }
}

#[inline(always)]
fn add_own<L: Lanes>(own: V3<L>, sum: &mut Row) {
    for (sum, own) in sum.0.iter_mut().zip(own.to_array()) {
        *sum += own.total();
    }
}

/// Sums W and makes the coefficient of each pair, `scale` × F.
pub(super) struct Measure<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub scale: f64,
    pub weights: &'a mut [f32],
    pub sums: &'a mut [f64],
}

impl<K: Smoothing> Kernel for Measure<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, kernel, scale, weights, sums } = self;
        let (weights, scale) = (weights.as_chunks_mut::<QUAD>().0, L::of(scale));
        for i in 0..around.chunk.count {
            let one = spread::<L>(&around.place[i]);
            let (quads, first) = around.quads(i);
            let mut own = L::zero();
            for (quad, weight) in quads.iter().zip(&mut weights[first..]) {
                let offset = offsets(around.place, &one, quad);
                let distance = length(offset);
                let slope = (scale * kernel.slope(distance)).to_array();
                *weight = [slope[0] as f32, slope[1] as f32, slope[2] as f32, slope[3] as f32];
                let value = kernel.value(distance);
                own = own + value;
                give(value, quad, sums);
            }
            sums[i] += own.total();
        }
    }
}

/// Sums W times a number of the other.
pub(super) struct Blend<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub input: &'a [f64],
    pub sums: &'a mut [f64],
}

impl<K: Smoothing> Kernel for Blend<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, kernel, input, sums } = self;
        for i in 0..around.chunk.count {
            let one = spread::<L>(&around.place[i]);
            let mut own = L::zero();
            for quad in around.quads(i).0 {
                let offset = offsets(around.place, &one, quad);
                let value = kernel.value(length(offset));
                own = own + value * four(input, quad);
                give(value * L::of(input[i]), quad, sums);
            }
            sums[i] += own.total();
        }
    }
}

/// Adds $\sum_j c_{ij}\,r_j$ to the row of every marker; `input` is r of the chunk, of its halo, and zero.
#[inline(always)]
fn weigh<L: Lanes>(chunk: &FluidChunk, weights: &[f32], input: &[Row], sums: &mut [Row]) {
    let weights = weights.as_chunks::<QUAD>().0;
    let input = &input[..sums.len()];
    let around = Around { chunk, place: input };
    for i in 0..chunk.count {
        let one = L::load(&input[i].0);
        let (quads, first) = around.quads(i);
        // Four sums, so that none waits for another.
        let mut own = [L::zero(); QUAD];
        for (quad, weight) in quads.iter().zip(&weights[first..]) {
            for k in 0..QUAD {
                let (j, weight) = (quad[k] as usize, L::of(f64::from(weight[k])));
                own[k] = weight.mul_add(L::load(&input[j].0), own[k]);
                let sum = &mut sums[j].0;
                weight.mul_add(one, L::load(sum)).store(sum);
            }
        }
        let sum = &mut sums[i].0;
        (L::load(sum) + (own[0] + own[1]) + (own[2] + own[3])).store(sum);
    }
}

#[inline(always)]
fn product(a: &[f64; 4], b: &[f64; 4]) -> f64 {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// What products with densities read beside their input.
#[derive(Clone, Copy)]
pub(super) struct Densities<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f32],
    /// $(X, C) = \sum_j c_{ij} (x_j, 1)$ of the chunk and of its halo.
    pub moments: &'a [Row],
}

/// Sums $(X, C)$ of the chunk and of its halo.
pub(super) struct Moments<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f32],
    pub room: &'a mut Vec<Row>,
    pub out: &'a mut [Row],
}

impl Kernel for Moments<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around: Around { chunk, place }, weights, room, out } = self;
        for x in &place[..chunk.total()] {
            room.push(Row([x.0[0], x.0[1], x.0[2], 1.0]));
        }
        room.push(Row::ZERO);
        weigh::<L>(chunk, weights, room, out);
    }
}

/// $\sum_j c_{ij}\,x_{ij}\cdot u_{ij}$ of the chunk and of its halo, multiplied out as told at
/// [`Pairs`](super::pairs::Pairs).
pub(super) struct Rate<'a> {
    pub densities: Densities<'a>,
    /// Of all markers.
    pub velocities: &'a [Row],
    pub room: &'a mut Vec<Row>,
    /// As many as places, all zero.
    pub sums: &'a mut [Row],
    pub out: &'a mut Vec<f64>,
}

impl Kernel for Rate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { densities, velocities, room, sums, out } = self;
        let Densities { around: Around { chunk, place }, weights, moments } = densities;
        for (u, x) in velocities[chunk.range()].iter().zip(place) {
            room.push(Row([u.0[0], u.0[1], u.0[2], product(&u.0, &x.0)]));
        }
        for (ghost, x) in chunk.halo.iter().zip(&place[chunk.count..]) {
            let u = &velocities[ghost.index()];
            room.push(Row([u.0[0], u.0[1], u.0[2], product(&u.0, &x.0)]));
        }
        room.push(Row::ZERO);
        weigh::<L>(chunk, weights, room, sums);
        for (((u, x), z), m) in room.iter().zip(&place[..chunk.total()]).zip(sums).zip(moments) {
            out.push(density_rate(u.0[3], m.0[3], product(&u.0, &m.0), product(&x.0, &z.0), z.0[3]));
        }
    }
}

/// $\sum_j c_{ij} (l_i + l_j)\,x_{ij}$ of the chunk and of its halo, multiplied out likewise.
pub(super) struct Push<'a> {
    pub densities: Densities<'a>,
    /// Of all markers.
    pub multipliers: &'a [f64],
    pub room: &'a mut Vec<Row>,
    /// As many as places, all zero.
    pub sums: &'a mut [Row],
}

impl Kernel for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { densities, multipliers, room, sums } = self;
        let Densities { around: Around { chunk, place }, weights, moments } = densities;
        for (l, x) in multipliers[chunk.range()].iter().zip(place) {
            room.push(Row([*l * x.0[0], *l * x.0[1], *l * x.0[2], *l]));
        }
        for (ghost, x) in chunk.halo.iter().zip(&place[chunk.count..]) {
            let l = multipliers[ghost.index()];
            room.push(Row([l * x.0[0], l * x.0[1], l * x.0[2], l]));
        }
        room.push(Row::ZERO);
        weigh::<L>(chunk, weights, room, sums);
        for (((z, x), l), m) in sums.iter_mut().zip(&place[..chunk.total()]).zip(&*room).zip(moments) {
            let V3 { x, y, z: last } =
                density_push(l.0[3], vector(l), vector(x), vector(m), m.0[3], vector(z), z.0[3]);
            *z = Row([x, y, last, 0.0]);
        }
    }
}

/// $\sum_j W_{ij}(u_i - u_j)$ of every marker, walls left out.
pub(super) struct Smooth<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub input: &'a [Row],
    /// Whether each own marker is one of a wall.
    pub is_wall: &'a dyn Fn(usize) -> bool,
    pub sums: &'a mut [Row],
}

impl<K: Smoothing> Kernel for Smooth<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, kernel, input, is_wall, sums } = self;
        for i in 0..around.chunk.count {
            if is_wall(i) {
                continue;
            }
            let (one, own_velocity) = (spread::<L>(&around.place[i]), spread::<L>(&input[i]));
            let mut own = no_sum::<L>();
            for quad in around.quads(i).0 {
                let offset = offsets(around.place, &one, quad);
                let slip = offsets(input, &own_velocity, quad);
                let value = kernel.value(length(offset));
                push(&mut own, smoothed_slip(value, slip), quad, sums);
            }
            add_own(own, &mut sums[i]);
        }
    }
}

/// $c_{ij}\,x_{ij}\cdot(u_i - u_j)$ of every pair.
pub(super) struct PairRate<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f64],
    pub input: &'a [Row],
    pub out: &'a mut [f64],
}

impl Kernel for PairRate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, weights, input, out } = self;
        let (weights, out) = (weights.as_chunks::<QUAD>().0, out.as_chunks_mut::<QUAD>().0);
        for i in 0..around.chunk.count {
            let (one, own_velocity) = (spread::<L>(&around.place[i]), spread::<L>(&input[i]));
            let (quads, first) = around.quads(i);
            for (k, quad) in quads.iter().enumerate() {
                let offset = offsets(around.place, &one, quad);
                let slip = offsets(input, &own_velocity, quad);
                pair_rate(L::load(&weights[first + k]), offset, slip).store(&mut out[first + k]);
            }
        }
    }
}

/// $c_{ij}\,l_{ij}\,x_{ij}$ of every pair, summed for every marker.
pub(super) struct PairPush<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f64],
    pub input: &'a [f64],
    pub sums: &'a mut [Row],
}

impl Kernel for PairPush<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, weights, input, sums } = self;
        let (weights, input) = (weights.as_chunks::<QUAD>().0, input.as_chunks::<QUAD>().0);
        for i in 0..around.chunk.count {
            let one = spread::<L>(&around.place[i]);
            let (quads, first) = around.quads(i);
            let mut own = no_sum::<L>();
            for (k, quad) in quads.iter().enumerate() {
                let offset = offsets(around.place, &one, quad);
                let force = pair_push(L::load(&weights[first + k]), L::load(&input[first + k]), offset);
                push(&mut own, force, quad, sums);
            }
            add_own(own, &mut sums[i]);
        }
    }
}

/// $\sum_j c_{ij}\,(W_{ij}/W_q)^n\,x_{ij}$ of every marker.
pub(super) struct Spread<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub weights: &'a [f32],
    /// 1/W(Δq).
    pub per_value: f64,
    pub exponent: u32,
    pub sums: &'a mut [Row],
}

impl<K: Smoothing> Kernel for Spread<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, kernel, weights, per_value, exponent, sums } = self;
        let weights = weights.as_chunks::<QUAD>().0;
        for i in 0..around.chunk.count {
            let one = spread::<L>(&around.place[i]);
            let (quads, first) = around.quads(i);
            let mut own = no_sum::<L>();
            for (quad, weight) in quads.iter().zip(&weights[first..]) {
                let offset = offsets(around.place, &one, quad);
                let ratio = L::of(per_value) * kernel.value(length(offset));
                let [a, b, c, d] = *weight;
                let weight = L::load(&[a.into(), b.into(), c.into(), d.into()]);
                let strength = clumping_strength(weight, ratio, exponent);
                push(&mut own, scaled(strength, offset), quad, sums);
            }
            add_own(own, &mut sums[i]);
        }
    }
}
