//! Where fluid is near, cell by cell: markers of dry walls take no part in a step.

use huygens_kernel::Vec3;

use super::settings::ConstraintFluidSettings;

/// Most cells of the box about the fluid. In a larger one, where single markers are far away from the others, every wall
/// counts as near.
const MOST_CELLS: f64 = 1e7;

/// Cells of the box about the fluid, one more on each side, that hold fluid or touch one that does.
pub(super) struct Nearness {
    near: Vec<bool>,
    /// Along each axis.
    axes: [Axis; 3],
}

/// Cells along an axis, as long as the cutoff of pairs.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    size: f64,
    count: usize,
    /// Whether the axis is periodic: all of it is near then, where the other axes are.
    repeats: bool,
}

impl Axis {
    /// The cell of a coordinate, if it is in the box.
    fn cell(self, x: f64) -> Option<usize> {
        if self.repeats {
            return Some(0);
        }
        let at = ((x - self.low) / self.size).floor();
        (at >= 0.0 && at < self.count as f64).then_some(at as usize)
    }
}

impl Nearness {
    /// For the positions of fluid markers, three numbers each.
    pub fn of(settings: &ConstraintFluidSettings, reach: f64, fluid: &[f64]) -> Self {
        let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
        for x in fluid.chunks_exact(3) {
            for (end, x) in ends.iter_mut().zip(x) {
                *end = [end[0].min(*x), end[1].max(*x)];
            }
        }
        let mut cells = 1.0;
        let axes = std::array::from_fn(|k| {
            let repeats = settings.periodic[k].is_some();
            let count = if repeats { 1.0 } else { ((ends[k][1] - ends[k][0]) / reach).floor() + 3.0 };
            cells *= count;
            Axis { low: ends[k][0] - reach, size: reach, count: count as usize, repeats }
        });
        // Not a number is refused too.
        let mut nearness = Self { near: Vec::new(), axes };
        if cells.is_nan() || cells > MOST_CELLS || fluid.is_empty() {
            return nearness;
        }
        let mut wet = vec![false; cells as usize];
        for x in fluid.chunks_exact(3) {
            if let Some(cell) = nearness.cell(Vec3::from_slice(x)) {
                wet[cell] = true;
            }
        }
        let mut stride = 1;
        for axis in axes {
            wet = widened(&wet, stride, axis.count);
            stride *= axis.count;
        }
        nearness.near = wet;
        nearness
    }

    fn cell(&self, point: Vec3) -> Option<usize> {
        let [x, y, z] = self.axes;
        let [i, j, k] = [x.cell(point.x)?, y.cell(point.y)?, z.cell(point.z)?];
        Some(i + x.count * (j + y.count * k))
    }

    /// Whether fluid may be within the cutoff of a point.
    pub fn holds(&self, point: Vec3) -> bool {
        self.near.is_empty() || self.cell(point).is_some_and(|cell| self.near[cell])
    }
}

/// Cells that are set or have a neighbour that is, along an axis of `count` cells that lie `stride` apart.
fn widened(cells: &[bool], stride: usize, count: usize) -> Vec<bool> {
    let mut out = cells.to_vec();
    for (cell, _) in cells.iter().enumerate().filter(|(_, set)| **set) {
        let place = cell / stride % count;
        if place > 0 {
            out[cell - stride] = true;
        }
        if place + 1 < count {
            out[cell + stride] = true;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What holds and what does not, against distances; nothing within the cutoff is ever left out.
    #[test]
    fn near_is_what_fluid_can_reach() {
        let settings = ConstraintFluidSettings::default();
        let reach = 0.5;
        let fluid = [0.0, 0.0, 0.0, 3.0, 0.1, -0.2, 3.2, 5.0, 0.4];
        let near = Nearness::of(&settings, reach, &fluid);
        let (mut held, mut left) = (0, 0);
        for n in 0..40_000 {
            let point = Vec3::new(f64::from(n % 40), f64::from(n / 40 % 40), f64::from(n / 1600)) * 0.25
                - Vec3::new(2.0, 2.0, 3.0);
            let nearest =
                fluid.chunks_exact(3).map(|x| Vec3::from_slice(x).distance(point)).fold(1e9, f64::min);
            let holds = near.holds(point);
            assert!(holds || nearest > reach, "{point}");
            assert!(!holds || nearest < 2.0 * reach * 3.0_f64.sqrt(), "{point}");
            if holds { held += 1 } else { left += 1 }
        }
        assert!(held > 50 && left > 10_000, "{held} {left}");
    }

    /// One marker far away, or none, must not make a box of endless cells.
    #[test]
    fn far_markers_make_all_near() {
        let settings = ConstraintFluidSettings::default();
        assert!(Nearness::of(&settings, 0.02, &[0.0, 0.0, 0.0, 1e9, 1e9, 1e9]).holds(Vec3::ONE));
        assert!(Nearness::of(&settings, 0.02, &[f64::NAN, 0.0, 0.0]).holds(Vec3::ONE));
        assert!(Nearness::of(&settings, 0.02, &[]).holds(Vec3::ONE));
    }
}
