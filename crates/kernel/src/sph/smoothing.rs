//! Smoothing kernels.
//!
//! A kernel is a function W of the distance r with $\int W\,dV = 1$ that is zero beyond its reach. Its gradient with
//! respect to the point at $x$ is $\nabla W = F(r)\,(x - x')$ with $F = W'/r$.

use std::f64::consts::PI;

use crate::Scalar;

/// Plane or space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpaceDimension {
    /// Motion in a plane; masses are per length along its normal.
    Two,
    /// Motion in space.
    #[default]
    Three,
}

impl SpaceDimension {
    /// Its number.
    pub fn number(self) -> usize {
        match self {
            Self::Two => 2,
            Self::Three => 3,
        }
    }

    /// Picks the number that belongs to the dimension.
    fn pick(self, two: f64, three: f64) -> f64 {
        match self {
            Self::Two => two,
            Self::Three => three,
        }
    }
}

/// A smoothing kernel with its length h [m] and its norm.
pub trait Smoothing: Copy + Sync {
    /// Distance [m] from which on it is zero.
    fn reach(&self) -> f64;
    /// W(r) [1/m³, in the plane 1/m²].
    fn value<S: Scalar>(&self, r: S) -> S;
    /// F(r) = W′(r)/r; finite where r is above zero.
    fn slope<S: Scalar>(&self, r: S) -> S;
}

/// The kernels there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SmoothingKernel {
    /// Cubic spline, reach 2 h (monaghan1992).
    CubicSpline,
    /// Quintic spline, reach 3 h (morris1997).
    QuinticSpline,
    /// Wendland's function with two continuous derivatives, reach 2 h (wendland1995).
    #[default]
    WendlandC2,
    /// Wendland's function with four continuous derivatives, reach 2 h.
    WendlandC4,
    /// Poly6 for values and spiky for gradients, reach h (muller2003): F is not the slope of W.
    Poly6Spiky,
}

impl SmoothingKernel {
    /// Reach in units of h.
    pub fn reach_ratio(self) -> f64 {
        match self {
            Self::CubicSpline | Self::WendlandC2 | Self::WendlandC4 => 2.0,
            Self::QuinticSpline => 3.0,
            Self::Poly6Spiky => 1.0,
        }
    }

    /// W(r) [1/m³, in the plane 1/m²] with the length `h` [m].
    pub fn value(self, dimension: SpaceDimension, h: f64, r: f64) -> f64 {
        AnySmoothing::new(self, dimension, h).value(r)
    }
}

/// Any of the kernels: where it does not matter that the choice is made anew for each pair.
#[derive(Clone, Copy, Debug)]
pub enum AnySmoothing {
    /// Cubic spline.
    CubicSpline(CubicSpline),
    /// Quintic spline.
    QuinticSpline(QuinticSpline),
    /// Wendland C².
    WendlandC2(WendlandC2),
    /// Wendland C⁴.
    WendlandC4(WendlandC4),
    /// Poly6 and spiky.
    Poly6Spiky(Poly6Spiky),
}

impl AnySmoothing {
    /// The kernel with the length `h` [m].
    pub fn new(kernel: SmoothingKernel, dimension: SpaceDimension, h: f64) -> Self {
        match kernel {
            SmoothingKernel::CubicSpline => Self::CubicSpline(CubicSpline::new(dimension, h)),
            SmoothingKernel::QuinticSpline => Self::QuinticSpline(QuinticSpline::new(dimension, h)),
            SmoothingKernel::WendlandC2 => Self::WendlandC2(WendlandC2::new(dimension, h)),
            SmoothingKernel::WendlandC4 => Self::WendlandC4(WendlandC4::new(dimension, h)),
            SmoothingKernel::Poly6Spiky => Self::Poly6Spiky(Poly6Spiky::new(dimension, h)),
        }
    }
}

macro_rules! each {
    ($any:expr, $kernel:ident => $expression:expr) => {
        match $any {
            AnySmoothing::CubicSpline($kernel) => $expression,
            AnySmoothing::QuinticSpline($kernel) => $expression,
            AnySmoothing::WendlandC2($kernel) => $expression,
            AnySmoothing::WendlandC4($kernel) => $expression,
            AnySmoothing::Poly6Spiky($kernel) => $expression,
        }
    };
}

impl Smoothing for AnySmoothing {
    fn reach(&self) -> f64 {
        each!(self, kernel => kernel.reach())
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        each!(self, kernel => kernel.value(r))
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        each!(self, kernel => kernel.slope(r))
    }
}

/// h² or h³.
fn volume(dimension: SpaceDimension, h: f64) -> f64 {
    h.powi(dimension.number() as i32)
}

#[inline(always)]
fn above_zero<S: Scalar>(x: S) -> S {
    x.larger(S::zero())
}

/// Distance, in units of h, below which slopes that are divided by it are bounded.
const CLOSEST: f64 = 1e-6;

/// x⁴ where x is above zero.
#[inline(always)]
fn fourth<S: Scalar>(x: S) -> S {
    let x = above_zero(x);
    (x * x) * (x * x)
}

/// x⁵ where x is above zero.
#[inline(always)]
fn fifth<S: Scalar>(x: S) -> S {
    let x = above_zero(x);
    x * ((x * x) * (x * x))
}

/// Cubic spline: with q = r/h, $W = \alpha\,(1 - \tfrac32 q^2 + \tfrac34 q^3)$ for q < 1, $\tfrac{\alpha}{4}(2 - q)^3$ for
/// q < 2.
#[derive(Clone, Copy, Debug)]
pub struct CubicSpline {
    per_length: f64,
    reach: f64,
    norm: f64,
    slope: f64,
}

impl CubicSpline {
    /// With the length `h` [m].
    pub fn new(dimension: SpaceDimension, h: f64) -> Self {
        let norm = dimension.pick(10.0 / (7.0 * PI), 1.0 / PI) / volume(dimension, h);
        Self { per_length: 1.0 / h, reach: 2.0 * h, norm, slope: norm / (h * h) }
    }
}

impl Smoothing for CubicSpline {
    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        // (2 - q)³/4 - (1 - q)³, each where it is above zero.
        let q = S::of(self.per_length) * r;
        let (a, b) = (above_zero(S::of(2.0) - q), above_zero(S::of(1.0) - q));
        S::of(self.norm) * (S::of(0.25) * a * a * a - b * b * b)
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        let q = S::of(self.per_length) * r;
        let near = S::of(2.25) * q - S::of(3.0);
        let a = above_zero(S::of(2.0) - q);
        let far = S::of(-0.75) * a * a / q.larger(S::of(CLOSEST));
        S::of(self.slope) * S::of(1.0).where_greater(q, near, far)
    }
}

/// Quintic spline: $W = \alpha\,[(3-q)_+^5 - 6(2-q)_+^5 + 15(1-q)_+^5]$.
#[derive(Clone, Copy, Debug)]
pub struct QuinticSpline {
    per_length: f64,
    reach: f64,
    norm: f64,
    slope: f64,
}

impl QuinticSpline {
    /// With the length `h` [m].
    pub fn new(dimension: SpaceDimension, h: f64) -> Self {
        let norm = dimension.pick(7.0 / (478.0 * PI), 1.0 / (120.0 * PI)) / volume(dimension, h);
        Self { per_length: 1.0 / h, reach: 3.0 * h, norm, slope: -5.0 * norm / (h * h) }
    }
}

impl Smoothing for QuinticSpline {
    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        let q = S::of(self.per_length) * r;
        let sum =
            fifth(S::of(3.0) - q) - S::of(6.0) * fifth(S::of(2.0) - q) + S::of(15.0) * fifth(S::of(1.0) - q);
        S::of(self.norm) * sum
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        let q = S::of(self.per_length) * r;
        let sum = fourth(S::of(3.0) - q) - S::of(6.0) * fourth(S::of(2.0) - q)
            + S::of(15.0) * fourth(S::of(1.0) - q);
        S::of(self.slope) * sum / q.larger(S::of(CLOSEST))
    }
}

/// Wendland's C² function: $W = \alpha\,(1 - \tfrac q2)^4 (1 + 2q)$, $F = -\tfrac{5\alpha}{h^2}(1 - \tfrac q2)^3$.
#[derive(Clone, Copy, Debug)]
pub struct WendlandC2 {
    per_reach: f64,
    reach: f64,
    norm: f64,
    slope: f64,
}

impl WendlandC2 {
    /// With the length `h` [m].
    pub fn new(dimension: SpaceDimension, h: f64) -> Self {
        let norm = dimension.pick(7.0 / (4.0 * PI), 21.0 / (16.0 * PI)) / volume(dimension, h);
        Self { per_reach: 0.5 / h, reach: 2.0 * h, norm, slope: -5.0 * norm / (h * h) }
    }
}

impl Smoothing for WendlandC2 {
    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        let q = S::of(self.per_reach) * r;
        let a = above_zero(S::of(1.0) - q);
        let square = a * a;
        S::of(self.norm) * (square * square) * S::of(4.0).mul_add(q, S::of(1.0))
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        let a = above_zero(S::of(self.per_reach).neg_mul_add(r, S::of(1.0)));
        S::of(self.slope) * a * (a * a)
    }
}

/// Wendland's C⁴ function: $W = \alpha\,(1 - \tfrac q2)^6 (1 + 3q + \tfrac{35}{12}q^2)$,
/// $F = -\tfrac{14\alpha}{3h^2}(1 - \tfrac q2)^5(1 + \tfrac52 q)$.
#[derive(Clone, Copy, Debug)]
pub struct WendlandC4 {
    per_reach: f64,
    reach: f64,
    norm: f64,
    slope: f64,
}

impl WendlandC4 {
    /// With the length `h` [m].
    pub fn new(dimension: SpaceDimension, h: f64) -> Self {
        let norm = dimension.pick(9.0 / (4.0 * PI), 495.0 / (256.0 * PI)) / volume(dimension, h);
        Self { per_reach: 0.5 / h, reach: 2.0 * h, norm, slope: -14.0 / 3.0 * norm / (h * h) }
    }
}

impl Smoothing for WendlandC4 {
    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        let half = S::of(self.per_reach) * r;
        let a = above_zero(S::of(1.0) - half);
        let cube = a * (a * a);
        let tail = S::of(35.0 / 3.0).mul_add(half, S::of(6.0)).mul_add(half, S::of(1.0));
        S::of(self.norm) * (cube * cube) * tail
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        let half = S::of(self.per_reach) * r;
        let a = above_zero(S::of(1.0) - half);
        let square = a * a;
        S::of(self.slope) * (a * (square * square)) * S::of(5.0).mul_add(half, S::of(1.0))
    }
}

/// Poly6 $W = \alpha\,(h^2 - r^2)^3$ with the gradient of the spiky kernel, $F = -\beta\,(h - r)^2/r$.
#[derive(Clone, Copy, Debug)]
pub struct Poly6Spiky {
    reach: f64,
    norm: f64,
    slope: f64,
}

impl Poly6Spiky {
    /// With the length `h` [m].
    pub fn new(dimension: SpaceDimension, h: f64) -> Self {
        let norm = dimension.pick(4.0 / (PI * h.powi(8)), 315.0 / (64.0 * PI * h.powi(9)));
        let slope = dimension.pick(-30.0 / (PI * h.powi(5)), -45.0 / (PI * h.powi(6)));
        Self { reach: h, norm, slope }
    }
}

impl Smoothing for Poly6Spiky {
    fn reach(&self) -> f64 {
        self.reach
    }

    #[inline(always)]
    fn value<S: Scalar>(&self, r: S) -> S {
        let a = above_zero(S::of(self.reach * self.reach) - r * r);
        S::of(self.norm) * a * a * a
    }

    #[inline(always)]
    fn slope<S: Scalar>(&self, r: S) -> S {
        let a = above_zero(S::of(self.reach) - r);
        S::of(self.slope) * a * a / r.larger(S::of(CLOSEST * self.reach))
    }
}
