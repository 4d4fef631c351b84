//! Where spheres are, so that new ones find room.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use huygens_kernel::Vec3;

/// Mixes the coordinates of a cell.
#[derive(Clone, Debug, Default)]
struct CellHasher(u64);

impl Hasher for CellHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_i32(i32::from(*b)));
    }

    fn write_i32(&mut self, x: i32) {
        self.0 = (self.0.rotate_left(23) ^ x as u32 as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 ^= self.0 >> 29;
    }
}

/// Spheres whose diameters are at most the width of the cells.
#[derive(Clone, Debug)]
struct Level {
    width: f64,
    /// Only looked up, never gone through.
    cells: HashMap<(i32, i32, i32), Vec<u32>, BuildHasherDefault<CellHasher>>,
}

/// Spheres that take up room.
#[derive(Clone, Debug)]
pub(crate) struct Room {
    spheres: Vec<(Vec3, f64)>,
    levels: Vec<Level>,
}

impl Room {
    /// Room for spheres of radii from `least` to `most`.
    pub fn new(least: f64, most: f64) -> Self {
        // Cells much finer than the largest spheres would be too many about one of them.
        let mut widths = vec![(3.0 * least.min(most)).max(0.5 * most)];
        while *widths.last().unwrap_or(&most) < 2.0 * most {
            widths.push(2.0 * widths.last().unwrap_or(&most));
        }
        let level = |width| Level { width, cells: HashMap::default() };
        Self { spheres: Vec::new(), levels: widths.into_iter().map(level).collect() }
    }

    pub fn add(&mut self, centre: Vec3, radius: f64) {
        let last = self.levels.len() - 1;
        let level = self.levels.iter().position(|level| 2.0 * radius <= level.width).unwrap_or(last);
        let level = &mut self.levels[level];
        let [i, j, k] = (centre / level.width).floor().to_array().map(|x| x as i32);
        level.cells.entry((i, j, k)).or_default().push(self.spheres.len() as u32);
        self.spheres.push((centre, radius));
    }

    /// The first sphere nearer than `gap` to a sphere, and by how much it is too near [m].
    pub fn hit(&self, centre: Vec3, radius: f64, gap: f64) -> Option<(usize, f64)> {
        self.nearer(centre, radius, gap, |other| radius + other + gap, |_| false)
    }

    /// The first sphere but those that `may` overlap a sphere by more than `share` of the sum of radii, and the
    /// overlap [m].
    pub fn hit_beyond(
        &self,
        centre: Vec3,
        radius: f64,
        share: f64,
        may: impl Fn(usize) -> bool,
    ) -> Option<(usize, f64)> {
        let least = |other| (1.0 - share) * (radius + other);
        let (at, _) = self.nearer(centre, radius, 0.0, least, may)?;
        let (other, size) = self.spheres[at];
        Some((at, radius + size - other.distance(centre)))
    }

    /// The first sphere nearer than `least(its radius)`, and by how much.
    fn nearer(
        &self,
        centre: Vec3,
        radius: f64,
        gap: f64,
        least: impl Fn(f64) -> f64,
        may: impl Fn(usize) -> bool,
    ) -> Option<(usize, f64)> {
        for level in self.levels.iter().filter(|level| !level.cells.is_empty()) {
            let reach = radius + 0.5 * level.width + gap;
            let low = ((centre - reach) / level.width).floor().to_array().map(|x| x as i32);
            let high = ((centre + reach) / level.width).floor().to_array().map(|x| x as i32);
            for k in low[2]..=high[2] {
                for j in low[1]..=high[1] {
                    for i in low[0]..=high[0] {
                        for &at in level.cells.get(&(i, j, k)).into_iter().flatten() {
                            let (other, size) = self.spheres[at as usize];
                            let free = least(size);
                            let square = other.distance_squared(centre);
                            if square < free * free && !may(at as usize) {
                                return Some((at as usize, free - square.sqrt()));
                            }
                        }
                    }
                }
            }
        }
        None
    }
}
