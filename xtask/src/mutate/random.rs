//! Random choices that depend on a seed alone.

/// SplitMix64 (steele2014).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    /// A stream of its own for each pair of numbers.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut stream = Self(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        stream.next();
        Self(stream.next())
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, which is not 0.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> Option<&'a T> {
        list.get(self.below(list.len()))
    }
}
