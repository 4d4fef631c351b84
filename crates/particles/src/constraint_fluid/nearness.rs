//! Where fluid is near, cell by cell: markers of dry walls take no part in a step.

use std::collections::HashSet;

use huygens_kernel::Vec3;

use super::settings::ConstraintFluidSettings;

/// Cells that hold fluid or touch one that does.
pub(super) struct Nearness {
    cells: HashSet<[i64; 3]>,
    grid: [Axis; 3],
}

/// Cells along an axis, at least as long as the reach of pairs.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    size: f64,
    /// How many there are where the axis repeats.
    around: Option<i64>,
}

impl Axis {
    fn new(period: Option<[f64; 2]>, reach: f64) -> Self {
        match period {
            None => Self { low: 0.0, size: reach, around: None },
            Some([low, length]) => {
                let count = (length / reach).floor().max(1.0);
                Self { low, size: length / count, around: Some(count as i64) }
            }
        }
    }

    fn wrap(self, cell: i64) -> i64 {
        self.around.map_or(cell, |count| cell.rem_euclid(count))
    }

    fn cell(self, x: f64) -> i64 {
        self.wrap(((x - self.low) / self.size).floor() as i64)
    }
}

impl Nearness {
    /// For the positions of fluid markers, three numbers each.
    pub fn of(settings: &ConstraintFluidSettings, reach: f64, fluid: &[f64]) -> Self {
        let grid = settings.periodic.map(|period| Axis::new(period, reach));
        let mut wet: HashSet<[i64; 3]> = HashSet::new();
        let mut last = None;
        for x in fluid.chunks_exact(3) {
            let cell = std::array::from_fn(|k| grid[k].cell(x[k]));
            // Neighbours by number are mostly neighbours in space.
            if last.replace(cell) != Some(cell) {
                wet.insert(cell);
            }
        }
        let mut cells: HashSet<[i64; 3]> = HashSet::new();
        for cell in wet {
            for n in 0..27 {
                let step = [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1];
                cells.insert(std::array::from_fn(|k| grid[k].wrap(cell[k].saturating_add(step[k]))));
            }
        }
        Self { cells, grid }
    }

    /// Whether fluid may be within reach of a point.
    pub fn holds(&self, point: Vec3) -> bool {
        self.cells.contains(&std::array::from_fn(|k| self.grid[k].cell(point[k])))
    }
}
