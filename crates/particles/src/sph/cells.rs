//! Points by cells, for searches that are made now and then: before the first step, or where a probe asks.

use huygens_kernel::Vec3;

/// Points sorted by cells at least as wide as the distance up to which others are looked for.
pub(crate) struct Cells<'a> {
    points: &'a [Vec3],
    periodic: [Option<[f64; 2]>; 3],
    reach: f64,
    /// Width of the cells along each axis [m].
    widths: Vec3,
    /// Cells along each axis that repeats.
    counts: [Option<i64>; 3],
    /// First point of each cell that has some, in `items`.
    cells: Vec<([i64; 3], usize)>,
    items: Vec<u32>,
}

impl<'a> Cells<'a> {
    /// Sorts `points` [m] for searches up to `reach` [m], with the least coordinate and length of axes that repeat.
    pub fn new(points: &'a [Vec3], reach: f64, periodic: [Option<[f64; 2]>; 3]) -> Self {
        let counts = periodic.map(|axis| axis.map(|[_, length]| (length / reach).floor().max(1.0) as i64));
        let widths = Vec3::from_array(std::array::from_fn(|k| match (periodic[k], counts[k]) {
            (Some([_, length]), Some(count)) => length / count as f64,
            _ => reach,
        }));
        let mut sorted =
            Self { points, periodic, reach, widths, counts, cells: Vec::new(), items: Vec::new() };
        let mut all: Vec<([i64; 3], u32)> =
            points.iter().enumerate().map(|(i, at)| (sorted.cell(*at), i as u32)).collect();
        all.sort_unstable();
        for (first, (cell, _)) in all.iter().enumerate() {
            if sorted.cells.last().is_none_or(|(last, _)| last != cell) {
                sorted.cells.push((*cell, first));
            }
        }
        sorted.items = all.into_iter().map(|(_, item)| item).collect();
        sorted
    }

    fn cell(&self, at: Vec3) -> [i64; 3] {
        std::array::from_fn(|k| {
            let low = self.periodic[k].map_or(0.0, |[low, _]| low);
            let cell = ((at[k] - low) / self.widths[k]).floor() as i64;
            self.counts[k].map_or(cell, |count| cell.rem_euclid(count))
        })
    }

    /// From `from` to `to` by the shortest path.
    fn offset(&self, from: Vec3, to: Vec3) -> Vec3 {
        let mut offset = to - from;
        for (k, axis) in self.periodic.iter().enumerate() {
            if let Some([_, length]) = axis {
                offset[k] -= length * (offset[k] / length).round();
            }
        }
        offset
    }

    /// Gives `take` every point nearer to `at` than the distance of searches, and the offset to it from there [m].
    pub fn each_near(&self, at: Vec3, mut take: impl FnMut(usize, Vec3)) {
        let middle = self.cell(at);
        // With fewer than three cells around, neighbours are one.
        let along = |k: usize| {
            let steps = match self.counts[k] {
                Some(1) => 0..=0,
                Some(2) => 0..=1,
                _ => -1..=1,
            };
            let wrap = move |cell: i64| self.counts[k].map_or(cell, |count| cell.rem_euclid(count));
            steps.map(move |step| wrap(middle[k].saturating_add(step)))
        };
        for x in along(0) {
            for y in along(1) {
                for z in along(2) {
                    let found = self.cells.binary_search_by_key(&[x, y, z], |cell| cell.0);
                    let Ok(found) = found else { continue };
                    let last = self.cells.get(found + 1).map_or(self.items.len(), |next| next.1);
                    for item in &self.items[self.cells[found].1..last] {
                        let offset = self.offset(at, self.points[*item as usize]);
                        if offset.length_squared() < self.reach * self.reach {
                            take(*item as usize, offset);
                        }
                    }
                }
            }
        }
    }

    /// The largest set of points that are linked, each to the next by less than the distance of searches: their indices,
    /// rising. Of sets of one size the one with the first point.
    pub fn largest_group(&self) -> Vec<usize> {
        let mut group = vec![usize::MAX; self.points.len()];
        let (mut best, mut most) = (0, 0);
        let mut waiting = Vec::new();
        for first in 0..self.points.len() {
            if group[first] != usize::MAX {
                continue;
            }
            let mut size = 0;
            group[first] = first;
            waiting.push(first);
            while let Some(next) = waiting.pop() {
                size += 1;
                self.each_near(self.points[next], |other, _| {
                    if group[other] == usize::MAX {
                        group[other] = first;
                        waiting.push(other);
                    }
                });
            }
            if size > most {
                (best, most) = (first, size);
            }
        }
        (0..self.points.len()).filter(|i| group[*i] == best).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fill::random::Random;

    #[test]
    fn what_is_near_and_what_is_linked_is_found_as_by_going_through_all_pairs() {
        let mut random = Random::new(5);
        let points: Vec<Vec3> = (0..300).map(|_| random.point([Vec3::splat(-1.0), Vec3::ONE])).collect();
        for (reach, periodic) in [(0.22, [None; 3]), (0.9, [Some([-1.0, 2.0]), None, Some([-1.0, 2.0])])] {
            let cells = Cells::new(&points, reach, periodic);
            let near = |i: usize, j: usize| cells.offset(points[i], points[j]).length() < reach;
            for i in 0..points.len() {
                let mut found = Vec::new();
                cells.each_near(points[i], |j, _| found.push(j));
                found.sort_unstable();
                assert_eq!(found, (0..points.len()).filter(|j| near(i, *j)).collect::<Vec<_>>());
            }
            // Groups by spreading the least index of linked points until nothing changes.
            let mut least: Vec<usize> = (0..points.len()).collect();
            while (0..points.len()).fold(false, |changed, i| {
                let new = (0..points.len()).filter(|j| near(i, *j)).map(|j| least[j]).min().unwrap_or(i);
                let changes = new < least[i];
                least[i] = new;
                changed || changes
            }) {}
            let count = |g: usize| least.iter().filter(|l| **l == g).count();
            let best = (0..points.len()).rev().max_by_key(|g| count(*g)).unwrap_or(0);
            let group: Vec<usize> = (0..points.len()).filter(|i| least[*i] == best).collect();
            assert_eq!(cells.largest_group(), group);
        }
    }
}
