//! The loops over the pairs of a chunk, four at a time.
//!
//! A chunk has each of its pairs once. What a pair does to a marker of another chunk is summed here and handed over by
//! [`Pairs`](super::pairs::Pairs) in a fixed order.

use huygens_exec::lanes::{Kernel, Lanes};
use huygens_kernel::sph::Smoothing;

use crate::fields::Row;
use crate::fluid::{FluidChunk, QUAD};

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

#[inline(always)]
fn four(rows: &[Row], quad: &[u16; QUAD]) -> [[f64; 4]; 4] {
    [rows[quad[0] as usize].0, rows[quad[1] as usize].0, rows[quad[2] as usize].0, rows[quad[3] as usize].0]
}

/// From the others to the one.
#[inline(always)]
fn offsets<L: Lanes>(place: &[Row], one: &[L; 4], quad: &[u16; QUAD]) -> [L; 3] {
    let rows = four(place, quad);
    let [x, y, z, _] = L::transpose_in([&rows[0], &rows[1], &rows[2], &rows[3]]);
    [one[0] - x, one[1] - y, one[2] - z]
}

#[inline(always)]
fn dot<L: Lanes>(a: [L; 3], b: [L; 3]) -> L {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// Adds vectors to one and takes them from the others.
#[inline(always)]
fn push<L: Lanes>(own: &mut [L; 3], force: [L; 3], quad: &[u16; QUAD], sums: &mut [Row]) {
    (0..3).for_each(|k| own[k] = own[k] + force[k]);
    let rows = L::transpose([force[0], force[1], force[2], L::zero()]);
    for (lane, j) in quad.iter().enumerate() {
        let sum = &mut sums[*j as usize].0;
        (L::load(sum) - rows[lane]).store(sum);
    }
}

#[inline(always)]
fn add_own<L: Lanes>(own: [L; 3], sum: &mut Row) {
    (0..3).for_each(|k| sum.0[k] += own[k].total());
}

/// Sums W and makes the coefficient of each pair, `scale` × F.
pub(super) struct Measure<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub scale: f64,
    pub weights: &'a mut [f64],
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
                let distance = dot(offset, offset).sqrt();
                (scale * kernel.slope(distance)).store(weight);
                let value = kernel.value(distance);
                own = own + value;
                let value = value.to_array();
                (0..QUAD).for_each(|lane| sums[quad[lane] as usize] += value[lane]);
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
                let value = kernel.value(dot(offset, offset).sqrt());
                let others = quad.map(|j| input[j as usize]);
                own = own + value * L::load(&others);
                let value = value.to_array();
                (0..QUAD).for_each(|lane| sums[quad[lane] as usize] += value[lane] * input[i]);
            }
            sums[i] += own.total();
        }
    }
}

/// $\sum_j c_{ij}\,x_{ij}\cdot(u_i - u_j)$ of every marker.
pub(super) struct Rate<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f64],
    pub input: &'a [Row],
    pub sums: &'a mut [f64],
}

impl Kernel for Rate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, weights, input, sums } = self;
        let weights = weights.as_chunks::<QUAD>().0;
        let place = &around.place[..sums.len()];
        let input = &input[..sums.len()];
        for i in 0..around.chunk.count {
            let (one, own_velocity) = (spread::<L>(&place[i]), spread::<L>(&input[i]));
            let (quads, first) = around.quads(i);
            let mut own = L::zero();
            for (quad, weight) in quads.iter().zip(&weights[first..]) {
                let offset = offsets(place, &one, quad);
                let slip = offsets(input, &own_velocity, quad);
                let value = L::load(weight) * dot(offset, slip);
                own = own + value;
                let value = value.to_array();
                (0..QUAD).for_each(|lane| sums[quad[lane] as usize] += value[lane]);
            }
            sums[i] += own.total();
        }
    }
}

/// $\sum_j c_{ij}(l_i + l_j)\,x_{ij}$ of every marker.
pub(super) struct Push<'a> {
    pub around: Around<'a>,
    pub weights: &'a [f64],
    pub input: &'a [f64],
    pub sums: &'a mut [Row],
}

impl Kernel for Push<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self) {
        let Self { around, weights, input, sums } = self;
        let weights = weights.as_chunks::<QUAD>().0;
        let place = &around.place[..sums.len()];
        let input = &input[..sums.len()];
        for i in 0..around.chunk.count {
            let (one, own_pressure) = (spread::<L>(&place[i]), L::of(input[i]));
            let (quads, first) = around.quads(i);
            let mut own = [L::zero(); 3];
            for (quad, weight) in quads.iter().zip(&weights[first..]) {
                let offset = offsets(place, &one, quad);
                let others = quad.map(|j| input[j as usize]);
                let strength = L::load(weight) * (own_pressure + L::load(&others));
                push(&mut own, offset.map(|x| strength * x), quad, sums);
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
                (L::load(&weights[first + k]) * dot(offset, slip)).store(&mut out[first + k]);
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
            let mut own = [L::zero(); 3];
            for (k, quad) in quads.iter().enumerate() {
                let offset = offsets(around.place, &one, quad);
                let strength = L::load(&weights[first + k]) * L::load(&input[first + k]);
                push(&mut own, offset.map(|x| strength * x), quad, sums);
            }
            add_own(own, &mut sums[i]);
        }
    }
}

/// $\sum_j c_{ij}\,(W_{ij}/W_q)^n\,x_{ij}$ of every marker.
pub(super) struct Spread<'a, K> {
    pub around: Around<'a>,
    pub kernel: K,
    pub weights: &'a [f64],
    /// 1/W(Δq).
    pub per_value: f64,
    pub exponent: i32,
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
            let mut own = [L::zero(); 3];
            for (k, quad) in quads.iter().enumerate() {
                let offset = offsets(around.place, &one, quad);
                let ratio = L::of(per_value) * kernel.value(dot(offset, offset).sqrt());
                let mut strength = L::load(&weights[first + k]);
                (0..exponent).for_each(|_| strength = strength * ratio);
                push(&mut own, offset.map(|x| strength * x), quad, sums);
            }
            add_own(own, &mut sums[i]);
        }
    }
}
