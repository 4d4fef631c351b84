//! Numbers that shake lattices.

/// A small generator of numbers from −1 to 1, the same on every machine.
pub struct Noise(pub u64);

impl Noise {
    /// The next number.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
