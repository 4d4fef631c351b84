//! How well two kinds of grains are mixed.

use super::fraction::Cells;
use crate::error::Result;
use crate::grains::system::GrainSystem;

/// How two kinds of grains are mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Mixing {
    /// Share of the first kind by number, p.
    pub share: f64,
    /// Cells with enough grains.
    pub cells: usize,
    /// Variance S² of the share over the cells, weighted by their numbers of grains.
    pub variance: f64,
    /// Mixing index of lacey1954, $(S_0^2 - S^2)/(S_0^2 - S_r^2)$ with $S_0^2 = p(1-p)$ and $S_r^2 = S_0^2/\bar n$:
    /// 0 apart, 1 as random as chance.
    pub lacey: f64,
    /// Intensity of segregation of danckwerts1952, $S^2/S_0^2$: 1 apart, 0 alike everywhere.
    pub intensity: f64,
}

impl Mixing {
    /// Mixing of the grains whose present index `first` says are of the first kind with the others, over cells with
    /// at least `least` grains.
    pub fn of(
        system: &GrainSystem,
        cells: &Cells,
        least: usize,
        first: impl Fn(usize) -> bool,
    ) -> Result<Self> {
        cells.check()?;
        let mut counts = vec![[0_usize; 2]; cells.len()];
        for (i, row) in system.places().iter().enumerate() {
            if let Some(at) = cells.find(system.wrapped(row.vector())) {
                counts[at][usize::from(first(i))] += 1;
            }
        }
        counts.retain(|[a, b]| a + b >= least.max(1));
        let number: usize = counts.iter().flatten().sum();
        if number == 0 {
            return Ok(Self::default());
        }
        let share = counts.iter().map(|[_, b]| b).sum::<usize>() as f64 / number as f64;
        let square = |[a, b]: &[usize; 2]| (a + b) as f64 * (*b as f64 / (a + b) as f64 - share).powi(2);
        let variance = counts.iter().map(square).sum::<f64>() / number as f64;
        let apart = share * (1.0 - share);
        let mean = number as f64 / counts.len() as f64;
        let chance = apart / mean;
        let (lacey, intensity) = match apart > chance && apart > 0.0 {
            true => ((apart - variance) / (apart - chance), variance / apart),
            false => (1.0, 0.0),
        };
        Ok(Self { share, cells: counts.len(), variance, lacey, intensity })
    }
}
