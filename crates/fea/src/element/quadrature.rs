//! Points and weights of Gauss on the interval from 0 to 1.

/// Places and weights; with n points polynomials up to the degree 2 n − 1 are integrated exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gauss {
    /// One point.
    One,
    /// Two points.
    Two,
    /// Three points.
    Three,
    /// Four points.
    Four,
    /// Five points.
    Five,
}

impl Gauss {
    /// Place and weight of each point.
    pub const fn points(self) -> &'static [(f64, f64)] {
        match self {
            Self::One => &[(0.5, 1.0)],
            Self::Two => &[(0.211_324_865_405_187_1, 0.5), (0.788_675_134_594_812_9, 0.5)],
            Self::Three => &[
                (0.112_701_665_379_258_31, 5.0 / 18.0),
                (0.5, 8.0 / 18.0),
                (0.887_298_334_620_741_7, 5.0 / 18.0),
            ],
            Self::Four => &[
                (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
                (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
                (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
                (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
            ],
            Self::Five => &[
                (0.046_910_077_030_668_004, 0.118_463_442_528_094_54),
                (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
                (0.5, 0.284_444_444_444_444_44),
                (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
                (0.953_089_922_969_332, 0.118_463_442_528_094_54),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Gauss;

    #[test]
    fn polynomials_are_integrated_exactly() {
        let all = [Gauss::One, Gauss::Two, Gauss::Three, Gauss::Four, Gauss::Five];
        for (n, gauss) in all.into_iter().enumerate() {
            for degree in 0..2 * (n as i32 + 1) {
                let sum: f64 = gauss.points().iter().map(|(x, w)| w * x.powi(degree)).sum();
                assert!((sum - 1.0 / f64::from(degree + 1)).abs() < 1e-15, "{gauss:?}, degree {degree}");
            }
        }
    }
}
