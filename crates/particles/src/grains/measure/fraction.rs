//! How much of a region is solid.

use huygens_kernel::Vec3;

use crate::error::Result;
use crate::fill::Region;
use crate::grains::system::GrainSystem;

/// Volume of the grains in a region over its volume, by [`Region::shared_volume`].
///
/// Overlaps of grains are counted twice. Where the system is periodic, images of its grains count.
pub fn solid_fraction(system: &GrainSystem, region: &Region) -> Result<f64> {
    region.check()?;
    let bounds = region.bounds();
    let mut solid = 0.0;
    for row in system.places() {
        system.for_each_image(row.vector(), row.0[3], bounds, |x| solid += region.shared_volume(x, row.0[3]));
    }
    Ok(solid / region.volume())
}

/// Cells of equal size that fill a box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cells {
    /// Least corner [m].
    pub low: Vec3,
    /// Greatest corner [m].
    pub high: Vec3,
    /// Cells along each axis.
    pub count: [usize; 3],
}

impl Cells {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.count.iter().product()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sides of a cell [m].
    pub fn sides(&self) -> Vec3 {
        (self.high - self.low) / Vec3::from_array(self.count.map(|n| n as f64))
    }

    /// The cell with this place in the list; x goes first.
    pub fn cell(&self, at: usize) -> Region {
        let [nx, ny, _] = self.count;
        let place = Vec3::new((at % nx) as f64, (at / nx % ny) as f64, (at / (nx * ny)) as f64);
        let low = self.low + place * self.sides();
        Region::Box { low, high: low + self.sides() }
    }

    /// The place of the cell with a point.
    pub fn find(&self, x: Vec3) -> Option<usize> {
        let [a, _] = self.range([x, x])?;
        let inside = x.cmpge(self.low) & x.cmplt(self.high);
        inside.all().then(|| a[0] + self.count[0] * (a[1] + self.count[1] * a[2]))
    }

    /// First and last cell along each axis that a box may share.
    fn range(&self, [low, high]: [Vec3; 2]) -> Option<[[usize; 3]; 2]> {
        let place = |x: Vec3| (x - self.low) / self.sides();
        let (first, last) = (place(low), place(high));
        let out = (0..3).any(|k| !(last[k] >= 0.0 && first[k] < self.count[k] as f64));
        (!out).then(|| {
            let clamp = |x: f64, k: usize| (x.max(0.0) as usize).min(self.count[k] - 1);
            [std::array::from_fn(|k| clamp(first[k], k)), std::array::from_fn(|k| clamp(last[k], k))]
        })
    }

    /// Calls `f(place, cell)` for the cells that a box may share.
    pub(super) fn for_each_near(&self, bounds: [Vec3; 2], mut f: impl FnMut(usize, Region)) {
        let Some([first, last]) = self.range(bounds) else { return };
        for k in first[2]..=last[2] {
            for j in first[1]..=last[1] {
                for i in first[0]..=last[0] {
                    let at = i + self.count[0] * (j + self.count[1] * k);
                    f(at, self.cell(at));
                }
            }
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        Region::Box { low: self.low, high: self.high }.check()?;
        match self.is_empty() {
            false => Ok(()),
            true => Err(crate::ParticleError::range("the number of cells", 0.0, "1 or more along each axis")),
        }
    }
}

/// Solid fraction of each cell; see [`solid_fraction`].
pub fn solid_fractions(system: &GrainSystem, cells: &Cells) -> Result<Vec<f64>> {
    cells.check()?;
    let mut solid = vec![0.0; cells.len()];
    for row in system.places() {
        let r = row.0[3];
        system.for_each_image(row.vector(), r, [cells.low, cells.high], |x| {
            cells.for_each_near([x - r, x + r], |at, cell| solid[at] += cell.shared_volume(x, r));
        });
    }
    let volume = cells.sides().element_product();
    solid.iter_mut().for_each(|solid| *solid /= volume);
    Ok(solid)
}
