//! Sample points that depend only on the pixel and the sample, never on the thread.

use glam::{Vec2, Vec3};

/// Scrambled Sobol' points of one pixel (`burley2020`): evenly spread for every number of samples that is a power of
/// two, and without a pattern shared between pixels.
#[derive(Clone, Copy)]
pub(crate) struct Sampler {
    seed: u32,
    index: u32,
    dimension: u32,
}

impl Sampler {
    pub fn new(pixel: u32, index: u32) -> Self {
        Self { seed: mix(pixel.wrapping_add(0x9e37_79b9)), index, dimension: 0 }
    }

    /// The next pair of coordinates in 0 … 1 (1 excluded).
    #[inline]
    pub fn pair(&mut self) -> Vec2 {
        self.dimension += 1;
        let seed = mix(self.seed ^ self.dimension.wrapping_mul(0x85eb_ca6b));
        let index = owen_scramble(self.index, seed);
        let x = owen_scramble(index.reverse_bits(), mix(seed ^ 0x68bc_21eb));
        let y = owen_scramble(sobol_second(index), mix(seed ^ 0x02e5_be93));
        Vec2::new(unit(x), unit(y))
    }
}

#[inline]
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / (1 << 24) as f32)
}

/// Second coordinate of the Sobol' sequence: the generator matrix is Pascal's triangle modulo two.
#[inline]
fn sobol_second(index: u32) -> u32 {
    let mut value = index;
    value ^= (value & 0xaaaa_aaaa) >> 1;
    value ^= (value & 0xcccc_cccc) >> 2;
    value ^= (value & 0xf0f0_f0f0) >> 4;
    value ^= (value & 0xff00_ff00) >> 8;
    value ^= (value & 0xffff_0000) >> 16;
    value.reverse_bits()
}

/// Nested uniform scrambling of the bits, from the highest on (`laine2011`).
#[inline]
fn owen_scramble(bits: u32, seed: u32) -> u32 {
    let mut value = bits.reverse_bits();
    value = value.wrapping_add(seed);
    value ^= value.wrapping_mul(0x6c50_b47c);
    value ^= value.wrapping_mul(0xb82f_1e52);
    value ^= value.wrapping_mul(0xc7af_e638);
    value ^= value.wrapping_mul(0x8d22_f6e6);
    value.reverse_bits()
}

/// An integer hash with full avalanche (`wellons2018`).
#[inline]
pub(crate) fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// A point of the unit disc, evenly spread, by the concentric map (`shirley1997`).
#[inline]
pub(crate) fn disc(pair: Vec2) -> Vec2 {
    let p = 2.0 * pair - Vec2::ONE;
    if p.x == 0.0 && p.y == 0.0 {
        return Vec2::ZERO;
    }
    let (radius, angle) = if p.x.abs() > p.y.abs() {
        (p.x, std::f32::consts::FRAC_PI_4 * (p.y / p.x))
    } else {
        (p.y, std::f32::consts::FRAC_PI_2 - std::f32::consts::FRAC_PI_4 * (p.x / p.y))
    };
    radius * Vec2::from_angle(angle)
}

/// A direction about the unit vector `normal` with a density of cosine / π.
#[inline]
pub(crate) fn cosine_direction(normal: Vec3, pair: Vec2) -> Vec3 {
    let p = disc(pair);
    let (a, b) = normal.any_orthonormal_pair();
    (a * p.x + b * p.y + normal * (1.0 - p.length_squared()).max(0.0).sqrt()).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A (0, 2)-sequence puts one of 2ᵏ points in each elementary interval of area 2⁻ᵏ.
    #[test]
    fn points_fill_every_elementary_interval() {
        for pixel in [0, 7, 123_456] {
            for (columns, rows) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
                let mut cells = vec![0; 16];
                for index in 0..16 {
                    let p = Sampler::new(pixel, index).pair();
                    cells[(p.x * columns as f32) as usize * rows + (p.y * rows as f32) as usize] += 1;
                }
                assert_eq!(cells, vec![1; 16], "pixel {pixel}, {columns} × {rows}");
            }
        }
    }
}
