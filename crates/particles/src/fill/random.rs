//! Random numbers that repeat.

use huygens_kernel::{Quat, Vec3};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A seeded source of numbers.
#[derive(Clone, Debug)]
pub struct Random(ChaCha8Rng);

impl Random {
    /// The source of a seed.
    pub fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// The `stream`-th independent source of a seed.
    pub fn stream(seed: u64, stream: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Self(rng)
    }

    /// A number from 0 to below 1.
    pub fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A number from `low` to `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    /// A point of the box from `low` to `high`.
    pub fn point(&mut self, [low, high]: [Vec3; 2]) -> Vec3 {
        let [x, y, z] = std::array::from_fn(|k| self.between(low[k], high[k]));
        Vec3::new(x, y, z)
    }

    /// A direction, all equally likely (Archimedes: z is uniform).
    pub fn direction(&mut self) -> Vec3 {
        let z = self.between(-1.0, 1.0);
        let (sin, cos) = self.between(0.0, std::f64::consts::TAU).sin_cos();
        let flat = (1.0 - z * z).max(0.0).sqrt();
        Vec3::new(flat * cos, flat * sin, z)
    }

    /// A rotation, all equally likely (shoemake1992).
    pub fn rotation(&mut self) -> Quat {
        let (u, a, b) =
            (self.unit(), std::f64::consts::TAU * self.unit(), std::f64::consts::TAU * self.unit());
        let (r, s) = ((1.0 - u).sqrt(), u.sqrt());
        Quat::from_xyzw(r * a.sin(), r * a.cos(), s * b.sin(), s * b.cos()).normalize()
    }
}
