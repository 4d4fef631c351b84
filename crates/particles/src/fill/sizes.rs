//! Distributions of the sizes of grains.

use std::f64::consts::PI;

use super::random::Random;
use crate::error::{ParticleError, Result, ranges};

/// What the shares of a distribution are shares of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Weighting {
    /// Of the number of grains.
    #[default]
    Number,
    /// Of their mass.
    Mass,
}

/// A point of a grading curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sieve {
    /// Opening, the diameter that just passes [m].
    pub opening: f64,
    /// Share that passes, 0…1.
    pub passing: f64,
}

/// How radii are distributed.
#[derive(Clone, Debug, PartialEq)]
pub enum SizeLaw {
    /// All equal.
    Constant {
        /// Radius [m].
        radius: f64,
    },
    /// Equally likely between two radii.
    Uniform {
        /// Least radius [m].
        least: f64,
        /// Greatest radius [m].
        most: f64,
    },
    /// Gaussian, cut off at two radii.
    Normal {
        /// Mean radius [m] of the whole Gaussian.
        mean: f64,
        /// Standard deviation [m] of the whole Gaussian.
        deviation: f64,
        /// Least radius [m].
        least: f64,
        /// Greatest radius [m].
        most: f64,
    },
    /// The logarithm of the radius is Gaussian, cut off at two radii.
    LogNormal {
        /// Median radius [m] of the whole distribution.
        median: f64,
        /// Standard deviation of the natural logarithm.
        deviation: f64,
        /// Least radius [m].
        least: f64,
        /// Greatest radius [m].
        most: f64,
    },
    /// A grading curve; between two sieves the share grows with the logarithm of the size.
    Sieves(Vec<Sieve>),
}

/// How sizes are distributed, by number or by mass.
#[derive(Clone, Debug, PartialEq)]
pub struct Sizes {
    /// The law.
    pub law: SizeLaw,
    /// What its shares are shares of.
    pub weighting: Weighting,
}

impl Sizes {
    /// All of the radius `radius` [m].
    pub fn constant(radius: f64) -> Self {
        Self { law: SizeLaw::Constant { radius }, weighting: Weighting::Number }
    }

    /// Radii from `least` to `most` [m], equally likely by number.
    pub fn uniform(least: f64, most: f64) -> Self {
        Self { law: SizeLaw::Uniform { least, most }, weighting: Weighting::Number }
    }

    /// A grading curve by mass: openings [m] and shares that pass.
    pub fn sieves(points: &[(f64, f64)]) -> Self {
        let points = points.iter().map(|&(opening, passing)| Sieve { opening, passing }).collect();
        Self { law: SizeLaw::Sieves(points), weighting: Weighting::Mass }
    }

    /// Graded sand of ASTM C778: the middle of its limits, with the 2 % below 150 µm taken as down to 75 µm.
    pub fn astm_graded_sand() -> Self {
        Self::sieves(&[
            (75e-6, 0.0),
            (150e-6, 0.02),
            (300e-6, 0.25),
            (425e-6, 0.70),
            (600e-6, 0.98),
            (1.18e-3, 1.0),
        ])
    }

    /// The same with all sizes times `factor`.
    pub fn scaled(mut self, factor: f64) -> Self {
        match &mut self.law {
            SizeLaw::Constant { radius } => *radius *= factor,
            SizeLaw::Uniform { least, most } => [least, most].into_iter().for_each(|x| *x *= factor),
            SizeLaw::Normal { mean, deviation, least, most } => {
                [mean, deviation, least, most].into_iter().for_each(|x| *x *= factor);
            }
            SizeLaw::LogNormal { median, least, most, .. } => {
                [median, least, most].into_iter().for_each(|x| *x *= factor);
            }
            SizeLaw::Sieves(points) => points.iter_mut().for_each(|point| point.opening *= factor),
        }
        self
    }

    /// The distribution in the form radii are drawn from.
    pub fn table(&self) -> Result<SizeTable> {
        let range = ranges("sizes");
        let positive = |x: f64| x > 0.0 && x.is_finite();
        let ends = |least: f64, most: f64| {
            range("least radius", least, positive(least), "finite and above 0")?;
            range("greatest radius", most, most > least && most.is_finite(), "finite and above the least")
        };
        let mut table = SizeTable::default();
        match &self.law {
            SizeLaw::Constant { radius } => {
                range("radius", *radius, positive(*radius), "finite and above 0")?;
                table.push([*radius; 2], 1.0, Weighting::Number);
            }
            SizeLaw::Uniform { least, most } => {
                ends(*least, *most)?;
                table.density([*least, *most], self.weighting, |_| 1.0);
            }
            SizeLaw::Normal { mean, deviation, least, most } => {
                ends(*least, *most)?;
                range("standard deviation", *deviation, positive(*deviation), "finite and above 0")?;
                table.density([*least, *most], self.weighting, |r| gauss((r - mean) / deviation));
            }
            SizeLaw::LogNormal { median, deviation, least, most } => {
                ends(*least, *most)?;
                range("median", *median, positive(*median), "finite and above 0")?;
                range("standard deviation", *deviation, positive(*deviation), "finite and above 0")?;
                let density = |r: f64| gauss((r / median).ln() / deviation) / r;
                table.density([*least, *most], self.weighting, density);
            }
            SizeLaw::Sieves(points) => {
                range("number of sieves", points.len() as f64, points.len() > 1, "2 or more")?;
                let (first, last) = (points[0], points[points.len() - 1]);
                range("smallest opening", first.opening, positive(first.opening), "finite and above 0")?;
                range("share passing the smallest sieve", first.passing, first.passing == 0.0, "0")?;
                range("share passing the largest sieve", last.passing, last.passing == 1.0, "1")?;
                for pair in points.windows(2) {
                    let [a, b] = [pair[0], pair[1]];
                    range("opening", b.opening, b.opening > a.opening && b.opening.is_finite(), "rising")?;
                    range(
                        "passing share",
                        b.passing,
                        b.passing >= a.passing,
                        "not falling with the opening",
                    )?;
                    let (radii, share) = ([0.5 * a.opening, 0.5 * b.opening], b.passing - a.passing);
                    if share > 0.0 {
                        let log = share / (b.opening / a.opening).ln();
                        table.density_of(radii, self.weighting, 64, |r| log / r);
                    }
                }
            }
        }
        table.close()
    }
}

fn gauss(x: f64) -> f64 {
    (-0.5 * x * x).exp()
}

/// Cells of radii with the numbers of grains in them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SizeTable {
    /// Least and greatest radius of each cell [m]; equally likely between.
    cells: Vec<[f64; 2]>,
    /// Share of the grains up to the end of each cell.
    sums: Vec<f64>,
}

impl SizeTable {
    fn push(&mut self, cell: [f64; 2], share: f64, weighting: Weighting) {
        let number = match weighting {
            Weighting::Number => share,
            Weighting::Mass => share / cubic_mean(cell),
        };
        self.cells.push(cell);
        self.sums.push(self.sums.last().unwrap_or(&0.0) + number);
    }

    fn density(&mut self, ends: [f64; 2], weighting: Weighting, f: impl Fn(f64) -> f64) {
        self.density_of(ends, weighting, 2048, f);
    }

    /// Adds cells with the density `f` by radius, equal steps of its logarithm.
    fn density_of(
        &mut self,
        [least, most]: [f64; 2],
        weighting: Weighting,
        count: usize,
        f: impl Fn(f64) -> f64,
    ) {
        let edge = |k: usize| match k == count {
            true => most,
            false => least * (most / least).powf(k as f64 / count as f64),
        };
        for k in 0..count {
            let cell = [edge(k), edge(k + 1)];
            // Simpson's rule.
            let mean = (f(cell[0]) + 4.0 * f(0.5 * (cell[0] + cell[1])) + f(cell[1])) / 6.0;
            self.push(cell, mean * (cell[1] - cell[0]), weighting);
        }
    }

    fn close(mut self) -> Result<Self> {
        let total = *self.sums.last().unwrap_or(&0.0);
        if !(total > 0.0 && total.is_finite()) {
            let what = "the share of sizes between the least and the greatest radius";
            return Err(ParticleError::range(what, total, "above 0"));
        }
        self.sums.iter_mut().for_each(|sum| *sum /= total);
        Ok(self)
    }

    /// Least radius [m].
    pub fn least(&self) -> f64 {
        self.cells.first().map_or(0.0, |cell| cell[0])
    }

    /// Greatest radius [m].
    pub fn most(&self) -> f64 {
        self.cells.last().map_or(0.0, |cell| cell[1])
    }

    /// Mean radius [m] by number.
    pub fn mean_radius(&self) -> f64 {
        self.mean(|cell| 0.5 * (cell[0] + cell[1]))
    }

    /// Mean volume of a grain [m³] by number.
    pub fn mean_volume(&self) -> f64 {
        4.0 / 3.0 * PI * self.mean(cubic_mean)
    }

    fn mean(&self, of: impl Fn([f64; 2]) -> f64) -> f64 {
        let mut before = 0.0;
        let mut mean = 0.0;
        for (cell, sum) in self.cells.iter().zip(&self.sums) {
            mean += (sum - before) * of(*cell);
            before = *sum;
        }
        mean
    }

    pub(crate) fn draw(&self, random: &mut Random) -> f64 {
        let u = random.unit();
        let at = self.sums.partition_point(|sum| *sum <= u).min(self.cells.len() - 1);
        let [least, most] = self.cells[at];
        let before = if at == 0 { 0.0 } else { self.sums[at - 1] };
        let share = (u - before) / (self.sums[at] - before);
        (least + (most - least) * share).clamp(least, most)
    }
}

/// Mean of r³ where r is equally likely.
fn cubic_mean([a, b]: [f64; 2]) -> f64 {
    0.25 * (a + b) * (a * a + b * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(sizes: &Sizes, count: usize) -> Vec<f64> {
        let table = sizes.table().unwrap();
        let mut random = Random::new(11);
        (0..count).map(|_| table.draw(&mut random)).collect()
    }

    #[test]
    fn moments_are_those_of_the_laws() {
        let moments = |radii: &[f64]| {
            let mean = radii.iter().sum::<f64>() / radii.len() as f64;
            let square = radii.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / radii.len() as f64;
            [mean, square.sqrt()]
        };
        let near = |a: f64, b: f64, share: f64| assert!((a / b - 1.0).abs() < share, "{a} {b}");
        let [mean, deviation] = moments(&drawn(&Sizes::uniform(1.0, 3.0), 100_000));
        near(mean, 2.0, 0.005);
        near(deviation, 2.0 / 12.0_f64.sqrt(), 0.01);
        let law = SizeLaw::Normal { mean: 2.0, deviation: 0.2, least: 1.0, most: 3.0 };
        let [mean, deviation] = moments(&drawn(&Sizes { law, weighting: Weighting::Number }, 100_000));
        near(mean, 2.0, 0.002);
        near(deviation, 0.2, 0.01);
        // By mass 1, a log-normal is by number one about exp(-3 σ²) (hatch1929).
        let law = SizeLaw::LogNormal { median: 1.0, deviation: 0.3, least: 0.1, most: 8.0 };
        let logs: Vec<f64> =
            drawn(&Sizes { law, weighting: Weighting::Mass }, 100_000).iter().map(|r| r.ln()).collect();
        let [mean, deviation] = moments(&logs);
        near(mean, -3.0 * 0.09, 0.02);
        near(deviation, 0.3, 0.01);
        // Uniform by mass: numbers as r⁻³, mean 2 a b / (a + b).
        let sizes = Sizes { weighting: Weighting::Mass, ..Sizes::uniform(1.0, 2.0) };
        near(moments(&drawn(&sizes, 100_000))[0], 4.0 / 3.0, 0.005);
        near(sizes.table().unwrap().mean_radius(), 4.0 / 3.0, 1e-6);
    }

    #[test]
    fn graded_sand_passes_its_sieves() {
        let radii = drawn(&Sizes::astm_graded_sand(), 400_000);
        let whole: f64 = radii.iter().map(|r| r.powi(3)).sum();
        let limits = [
            (1.18e-3, 1.0, 1.0),
            (600e-6, 0.96, 1.0),
            (425e-6, 0.65, 0.75),
            (300e-6, 0.20, 0.30),
            (150e-6, 0.0, 0.04),
        ];
        for (opening, least, most) in limits {
            let passing: f64 =
                radii.iter().filter(|r| 2.0 * **r <= opening).map(|r| r.powi(3)).sum::<f64>() / whole;
            assert!(passing >= least - 1e-12 && passing <= most, "{opening}: {passing}");
        }
        let middle: f64 =
            radii.iter().filter(|r| 2.0 * **r <= 300e-6).map(|r| r.powi(3)).sum::<f64>() / whole;
        assert!((middle - 0.25).abs() < 0.01, "{middle}");
        assert!(Sizes::uniform(-1.0, 2.0).table().is_err());
        assert!(Sizes::sieves(&[(1e-3, 0.0), (5e-4, 1.0)]).table().is_err());
    }
}
