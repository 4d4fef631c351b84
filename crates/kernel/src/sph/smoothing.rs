//! Smoothing kernels.
//!
//! A kernel is a function W of the distance r with $\int W\,dV = 1$ that is zero beyond its reach. Its gradient with
//! respect to the point at $x$ is $\nabla W = F(r)\,(x - x')$ with $F = W'/r$.

use std::f64::consts::PI;

use crate::laws;

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

/// Any of the kernels: where it does not matter that the choice is made again for each pair.
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

/// Distance, in units of h, below which slopes that are divided by it are bounded.
const CLOSEST: f64 = 1e-6;

#[laws]
mod laws {
    use crate::number::{Scalar, constant, fma, larger, negative_fma, one, select_greater, zero};

    fn above_zero<S: Scalar>(x: S) -> S {
        larger(x, zero())
    }

    /// x⁴ where x is above zero.
    fn fourth<S: Scalar>(x: S) -> S {
        let x = above_zero(x);
        (x * x) * (x * x)
    }

    /// x⁵ where x is above zero.
    fn fifth<S: Scalar>(x: S) -> S {
        let x = above_zero(x);
        x * ((x * x) * (x * x))
    }

    /// Numbers of a smoothing kernel.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct SmoothingNumbers<S = f64> {
        /// One by the length in which distances are measured, h or the reach [1/m].
        pub per_length: S,
        /// Distance from which on it is zero [m].
        pub reach: S,
        /// Factor of W.
        pub norm: S,
        /// Factor of F.
        pub slope: S,
    }

    /// W(r) [1/m³, in the plane 1/m²].
    pub fn smoothing_value<S: Scalar>(
        #[comptime] kernel: SmoothingKernel,
        numbers: &SmoothingNumbers<S>,
        r: S,
    ) -> S {
        match kernel {
            SmoothingKernel::CubicSpline => {
                // (2 - q)³/4 - (1 - q)³, each where it is above zero.
                let q = numbers.per_length * r;
                let a = above_zero(constant::<S>(2.0) - q);
                let b = above_zero(one::<S>() - q);
                numbers.norm * (constant::<S>(0.25) * a * a * a - b * b * b)
            }
            SmoothingKernel::QuinticSpline => {
                let q = numbers.per_length * r;
                let sum = fifth(constant::<S>(3.0) - q) - constant::<S>(6.0) * fifth(constant::<S>(2.0) - q)
                    + constant::<S>(15.0) * fifth(one::<S>() - q);
                numbers.norm * sum
            }
            SmoothingKernel::WendlandC2 => {
                let q = numbers.per_length * r;
                let a = above_zero(one::<S>() - q);
                let square = a * a;
                numbers.norm * (square * square) * fma(constant(4.0), q, one())
            }
            SmoothingKernel::WendlandC4 => {
                let half = numbers.per_length * r;
                let a = above_zero(one::<S>() - half);
                let cube = a * (a * a);
                let tail = fma(fma(constant(35.0 / 3.0), half, constant(6.0)), half, one());
                numbers.norm * (cube * cube) * tail
            }
            SmoothingKernel::Poly6Spiky => {
                let a = above_zero(numbers.reach * numbers.reach - r * r);
                numbers.norm * a * a * a
            }
        }
    }

    /// F(r) = W′(r)/r; finite where r is above zero.
    pub fn smoothing_slope<S: Scalar>(
        #[comptime] kernel: SmoothingKernel,
        numbers: &SmoothingNumbers<S>,
        r: S,
    ) -> S {
        match kernel {
            SmoothingKernel::CubicSpline => {
                let q = numbers.per_length * r;
                let near = constant::<S>(2.25) * q - constant::<S>(3.0);
                let a = above_zero(constant::<S>(2.0) - q);
                let far = constant::<S>(-0.75) * a * a / larger(q, constant(CLOSEST));
                numbers.slope * select_greater(one(), q, near, far)
            }
            SmoothingKernel::QuinticSpline => {
                let q = numbers.per_length * r;
                let sum = fourth(constant::<S>(3.0) - q)
                    - constant::<S>(6.0) * fourth(constant::<S>(2.0) - q)
                    + constant::<S>(15.0) * fourth(one::<S>() - q);
                numbers.slope * sum / larger(q, constant(CLOSEST))
            }
            SmoothingKernel::WendlandC2 => {
                let a = above_zero(negative_fma(numbers.per_length, r, one()));
                numbers.slope * a * (a * a)
            }
            SmoothingKernel::WendlandC4 => {
                let half = numbers.per_length * r;
                let a = above_zero(one::<S>() - half);
                let square = a * a;
                numbers.slope * (a * (square * square)) * fma(constant(5.0), half, one())
            }
            SmoothingKernel::Poly6Spiky => {
                let a = above_zero(numbers.reach - r);
                numbers.slope * a * a / larger(r, constant::<S>(CLOSEST) * numbers.reach)
            }
        }
    }
}

impl<S: Scalar> SmoothingNumbers<S> {
    /// The same numbers for every number of `S`.
    #[inline(always)]
    pub fn uniform(of: &SmoothingNumbers) -> Self {
        Self {
            per_length: S::of(of.per_length),
            reach: S::of(of.reach),
            norm: S::of(of.norm),
            slope: S::of(of.slope),
        }
    }
}

impl SmoothingNumbers {
    /// Those of `kernel` with the length `h` [m].
    pub fn new(kernel: SmoothingKernel, dimension: SpaceDimension, h: f64) -> Self {
        let volume = h.powi(dimension.number() as i32);
        let reach = kernel.reach_ratio() * h;
        match kernel {
            SmoothingKernel::CubicSpline => {
                let norm = dimension.pick(10.0 / (7.0 * PI), 1.0 / PI) / volume;
                Self { per_length: 1.0 / h, reach, norm, slope: norm / (h * h) }
            }
            SmoothingKernel::QuinticSpline => {
                let norm = dimension.pick(7.0 / (478.0 * PI), 1.0 / (120.0 * PI)) / volume;
                Self { per_length: 1.0 / h, reach, norm, slope: -5.0 * norm / (h * h) }
            }
            SmoothingKernel::WendlandC2 => {
                let norm = dimension.pick(7.0 / (4.0 * PI), 21.0 / (16.0 * PI)) / volume;
                Self { per_length: 0.5 / h, reach, norm, slope: -5.0 * norm / (h * h) }
            }
            SmoothingKernel::WendlandC4 => {
                let norm = dimension.pick(9.0 / (4.0 * PI), 495.0 / (256.0 * PI)) / volume;
                Self { per_length: 0.5 / h, reach, norm, slope: -14.0 / 3.0 * norm / (h * h) }
            }
            SmoothingKernel::Poly6Spiky => {
                let norm = dimension.pick(4.0 / (PI * h.powi(8)), 315.0 / (64.0 * PI * h.powi(9)));
                let slope = dimension.pick(-30.0 / (PI * h.powi(5)), -45.0 / (PI * h.powi(6)));
                Self { per_length: 1.0 / h, reach, norm, slope }
            }
        }
    }
}

/// A kernel whose kind the compiler knows.
macro_rules! kernel {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name(SmoothingNumbers);

        impl $name {
            /// With the length `h` [m].
            pub fn new(dimension: SpaceDimension, h: f64) -> Self {
                Self(SmoothingNumbers::new(SmoothingKernel::$name, dimension, h))
            }
        }

        impl Smoothing for $name {
            fn reach(&self) -> f64 {
                self.0.reach
            }

            #[inline(always)]
            fn value<S: Scalar>(&self, r: S) -> S {
                smoothing_value(SmoothingKernel::$name, &SmoothingNumbers::uniform(&self.0), r)
            }

            #[inline(always)]
            fn slope<S: Scalar>(&self, r: S) -> S {
                smoothing_slope(SmoothingKernel::$name, &SmoothingNumbers::uniform(&self.0), r)
            }
        }
    };
}

kernel! {
    /// Cubic spline: with q = r/h, $W = \alpha\,(1 - \tfrac32 q^2 + \tfrac34 q^3)$ for q < 1,
    /// $\tfrac{\alpha}{4}(2 - q)^3$ for q < 2.
    CubicSpline
}
kernel! {
    /// Quintic spline: $W = \alpha\,[(3-q)_+^5 - 6(2-q)_+^5 + 15(1-q)_+^5]$.
    QuinticSpline
}
kernel! {
    /// Wendland's C² function: $W = \alpha\,(1 - \tfrac q2)^4 (1 + 2q)$, $F = -\tfrac{5\alpha}{h^2}(1 - \tfrac q2)^3$.
    WendlandC2
}
kernel! {
    /// Wendland's C⁴ function: $W = \alpha\,(1 - \tfrac q2)^6 (1 + 3q + \tfrac{35}{12}q^2)$,
    /// $F = -\tfrac{14\alpha}{3h^2}(1 - \tfrac q2)^5(1 + \tfrac52 q)$.
    WendlandC4
}
kernel! {
    /// Poly6 $W = \alpha\,(h^2 - r^2)^3$ with the gradient of the spiky kernel, $F = -\beta\,(h - r)^2/r$.
    Poly6Spiky
}
