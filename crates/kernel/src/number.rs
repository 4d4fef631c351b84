//! The numbers that laws are written in, and the functions of them that both hosts and devices have.
//!
//! Laws call the free functions, never the methods: the functions have twins in [`device`](self) under the same names.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number of a law: `f64` on the host, `f32` on a device, several numbers at once in a hot loop, a dual
/// number where gradients are checked.
///
/// Several numbers have no common answer to `a > b`: laws choose by [`Scalar::where_greater`].
pub trait Scalar:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    /// The constant `value`.
    fn of(value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Power with a constant exponent.
    fn powf(self, exponent: f64) -> Self;
    /// `yes` where self > other, `no` elsewhere (also where they do not compare).
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self;

    /// Whether any of the numbers is above zero.
    fn any_positive(self) -> bool;

    /// Whether any of the numbers is greater than its partner.
    #[inline(always)]
    fn any_greater(self, other: Self) -> bool {
        self.where_greater(other, Self::of(1.0), Self::zero()).any_positive()
    }

    /// Whether all of the numbers are greater than their partners.
    #[inline(always)]
    fn all_greater(self, other: Self) -> bool {
        !self.where_greater(other, Self::zero(), Self::of(1.0)).any_positive()
    }

    /// self · b + c; fused where the machine does it.
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        self * b + c
    }

    /// c − self · b; fused where the machine does it.
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        c - self * b
    }

    /// The larger of two numbers (`other` where they do not compare).
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.where_greater(other, self, other)
    }

    /// The smaller of two numbers (`other` where they do not compare).
    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        other.where_greater(self, self, other)
    }

    /// Its size without its sign.
    #[inline(always)]
    fn absolute(self) -> Self {
        self.larger(-self)
    }

    /// 0.
    #[inline(always)]
    fn zero() -> Self {
        Self::of(0.0)
    }
}

macro_rules! float {
    ($type:ident) => {
        impl Scalar for $type {
            #[inline(always)]
            fn of(value: f64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                $type::sqrt(self)
            }
            #[inline(always)]
            fn powf(self, exponent: f64) -> Self {
                $type::powf(self, exponent as $type)
            }
            #[inline(always)]
            fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
                let mut out = no;
                if self > other {
                    out = yes;
                }
                out
            }
            #[inline(always)]
            fn any_positive(self) -> bool {
                self > 0.0
            }
            #[inline(always)]
            fn absolute(self) -> Self {
                self.abs()
            }
        }
    };
}
float!(f32);
float!(f64);

/// A number that has angles and exponentials as well: not lanes, for which the machine has no instructions.
pub trait Analytic: Scalar {
    /// The plain number, without what it carries along; for checks, not for laws.
    fn value(self) -> f64;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// $e^x$.
    fn exp(self) -> Self;
    /// $e^x - 1$, to all digits where x is small.
    fn exp_m1(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Angle of the point (`x`, self) in the plane.
    fn atan2(self, x: Self) -> Self;
}

macro_rules! analytic {
    ($type:ident) => {
        impl Analytic for $type {
            #[inline(always)]
            fn value(self) -> f64 {
                f64::from(self)
            }
            #[inline(always)]
            fn sin(self) -> Self {
                $type::sin(self)
            }
            #[inline(always)]
            fn cos(self) -> Self {
                $type::cos(self)
            }
            #[inline(always)]
            fn tan(self) -> Self {
                $type::tan(self)
            }
            #[inline(always)]
            fn exp(self) -> Self {
                $type::exp(self)
            }
            #[inline(always)]
            fn exp_m1(self) -> Self {
                $type::exp_m1(self)
            }
            #[inline(always)]
            fn ln(self) -> Self {
                $type::ln(self)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                $type::atan2(self, x)
            }
        }
    };
}
analytic!(f32);
analytic!(f64);

/// The constant `value`.
#[inline(always)]
pub fn constant<S: Scalar>(value: f64) -> S {
    S::of(value)
}

/// 0.
#[inline(always)]
pub fn zero<S: Scalar>() -> S {
    S::zero()
}

/// 1.
#[inline(always)]
pub fn one<S: Scalar>() -> S {
    S::of(1.0)
}

/// Square root.
#[inline(always)]
pub fn sqrt<S: Scalar>(x: S) -> S {
    x.sqrt()
}

/// $x^p$ with a constant `exponent` p.
#[inline(always)]
pub fn power<S: Scalar>(x: S, exponent: f64) -> S {
    x.powf(exponent)
}

/// $a\,b + c$; fused where the machine does it.
#[inline(always)]
pub fn fma<S: Scalar>(a: S, b: S, c: S) -> S {
    a.mul_add(b, c)
}

/// $c - a\,b$; fused where the machine does it.
#[inline(always)]
pub fn negative_fma<S: Scalar>(a: S, b: S, c: S) -> S {
    a.neg_mul_add(b, c)
}

/// `yes` where a > b, `no` elsewhere (also where they do not compare). Both are evaluated.
#[inline(always)]
pub fn select_greater<S: Scalar>(a: S, b: S, yes: S, no: S) -> S {
    a.where_greater(b, yes, no)
}

/// $|x|$.
#[inline(always)]
pub fn absolute<S: Scalar>(x: S) -> S {
    x.absolute()
}

/// `x`, but at least `low` and at most `high`; what is not a number stays so.
#[inline(always)]
pub fn clamped<S: Scalar>(x: S, low: S, high: S) -> S {
    let raised = low.where_greater(x, low, x);
    raised.where_greater(high, high, raised)
}

/// Whether `x` is above zero, for several numbers whether any of them is.
///
/// For branches that save work, such as a root that most contacts do not need: numbers that are not above zero must
/// get the same result on either branch.
#[inline(always)]
pub fn any_positive<S: Scalar>(x: S) -> bool {
    x.any_positive()
}

/// Whether a > b, for several numbers whether any of them is greater than its partner; see [`any_positive`].
#[inline(always)]
pub fn any_greater<S: Scalar>(a: S, b: S) -> bool {
    a.any_greater(b)
}

/// Whether a > b, for several numbers whether all of them are greater than their partners.
#[inline(always)]
pub fn all_greater<S: Scalar>(a: S, b: S) -> bool {
    a.all_greater(b)
}

/// The larger of two numbers (`b` where they do not compare).
#[inline(always)]
pub fn larger<S: Scalar>(a: S, b: S) -> S {
    a.larger(b)
}

/// The smaller of two numbers (`b` where they do not compare).
#[inline(always)]
pub fn smaller<S: Scalar>(a: S, b: S) -> S {
    a.smaller(b)
}

/// Sine.
#[inline(always)]
pub fn sin<S: Analytic>(x: S) -> S {
    x.sin()
}

/// Cosine.
#[inline(always)]
pub fn cos<S: Analytic>(x: S) -> S {
    x.cos()
}

/// Tangent.
#[inline(always)]
pub fn tan<S: Analytic>(x: S) -> S {
    x.tan()
}

/// $e^x$.
#[inline(always)]
pub fn exp<S: Analytic>(x: S) -> S {
    x.exp()
}

/// $e^x - 1$, to all digits where x is small.
#[inline(always)]
pub fn exp_m1<S: Analytic>(x: S) -> S {
    x.exp_m1()
}

/// Natural logarithm.
#[inline(always)]
pub fn ln<S: Analytic>(x: S) -> S {
    x.ln()
}

/// Angle of the point (`x`, `y`) in the plane.
#[inline(always)]
pub fn atan2<S: Analytic>(y: S, x: S) -> S {
    y.atan2(x)
}

/// The same functions on devices, over CubeCL's `Float`.
#[cfg(feature = "gpu")]
#[allow(missing_docs)]
pub mod device {
    use cubecl::prelude::*;

    pub use cubecl::prelude::{Float as Scalar, Float as Analytic};

    /// The constant `value`.
    ///
    /// Written by hand, as CubeCL's own constructor rounds constants to `f32`.
    pub fn constant<F: Float>(value: f64) -> F {
        F::from(value).expect("every f64 has a nearest Float")
    }

    pub mod constant {
        use cubecl::prelude::*;

        pub fn expand<F: Float>(scope: &mut Scope, value: f64) -> NativeExpand<F> {
            NativeExpand::from_lit(scope, value)
        }
    }

    #[cube]
    pub fn zero<F: Float>() -> F {
        constant::<F>(0.0)
    }

    #[cube]
    pub fn one<F: Float>() -> F {
        constant::<F>(1.0)
    }

    #[cube]
    pub fn sqrt<F: Float>(x: F) -> F {
        x.sqrt()
    }

    #[cube]
    pub fn power<F: Float>(x: F, #[comptime] exponent: f64) -> F {
        x.powf(constant::<F>(exponent))
    }

    #[cube]
    pub fn fma<F: Float>(a: F, b: F, c: F) -> F {
        cubecl::prelude::fma(a, b, c)
    }

    #[cube]
    pub fn negative_fma<F: Float>(a: F, b: F, c: F) -> F {
        cubecl::prelude::fma(-a, b, c)
    }

    #[cube]
    pub fn select_greater<F: Float>(a: F, b: F, yes: F, no: F) -> F {
        select(a > b, yes, no)
    }

    #[cube]
    pub fn absolute<F: Float>(x: F) -> F {
        x.abs()
    }

    #[cube]
    pub fn clamped<F: Float>(x: F, low: F, high: F) -> F {
        let raised = select(low > x, low, x);
        select(raised > high, high, raised)
    }

    #[cube]
    pub fn any_positive<F: Float>(x: F) -> bool {
        x > constant::<F>(0.0)
    }

    #[cube]
    pub fn any_greater<F: Float>(a: F, b: F) -> bool {
        a > b
    }

    #[cube]
    pub fn all_greater<F: Float>(a: F, b: F) -> bool {
        a > b
    }

    #[cube]
    pub fn larger<F: Float>(a: F, b: F) -> F {
        select(a > b, a, b)
    }

    #[cube]
    pub fn smaller<F: Float>(a: F, b: F) -> F {
        select(b > a, a, b)
    }

    #[cube]
    pub fn sin<F: Float>(x: F) -> F {
        x.sin()
    }

    #[cube]
    pub fn cos<F: Float>(x: F) -> F {
        x.cos()
    }

    #[cube]
    pub fn tan<F: Float>(x: F) -> F {
        x.tan()
    }

    #[cube]
    pub fn exp<F: Float>(x: F) -> F {
        x.exp()
    }

    /// $e^x - 1$, to single precision: a series near zero, where the difference cancels.
    #[cube]
    pub fn exp_m1<F: Float>(x: F) -> F {
        let one = constant::<F>(1.0);
        let eighth = one + x * constant::<F>(1.0 / 8.0);
        let seventh = one + x * constant::<F>(1.0 / 7.0) * eighth;
        let sixth = one + x * constant::<F>(1.0 / 6.0) * seventh;
        let fifth = one + x * constant::<F>(1.0 / 5.0) * sixth;
        let fourth = one + x * constant::<F>(1.0 / 4.0) * fifth;
        let third = one + x * constant::<F>(1.0 / 3.0) * fourth;
        let second = one + x * constant::<F>(1.0 / 2.0) * third;
        let size = select(x < constant::<F>(0.0), -x, x);
        select(size < constant::<F>(0.5), x * second, x.exp() - one)
    }

    #[cube]
    pub fn ln<F: Float>(x: F) -> F {
        x.ln()
    }

    /// Angle of the point (`x`, `y`), to single precision.
    ///
    /// Written out (moshier1989), as devices may be off by thousands of roundings in their own function.
    #[cube]
    pub fn atan2<F: Float>(y: F, x: F) -> F {
        let zero = constant::<F>(0.0);
        let wide = select(x < zero, -x, x);
        let high = select(y < zero, -y, y);
        let steep = high > wide;
        let long = select(steep, high, wide);
        let short = select(steep, wide, high);
        // Both may be zero.
        let ratio = short / select(long > zero, long, constant::<F>(1.0));
        let upper = ratio > constant::<F>(0.414_213_562_373_095);
        let shifted = (ratio - constant::<F>(1.0)) / (ratio + constant::<F>(1.0));
        let t = select(upper, shifted, ratio);
        let square = t * t;
        let tail = ((constant::<F>(8.053_744_495_38e-2) * square - constant::<F>(1.387_768_560_32e-1))
            * square
            + constant::<F>(1.997_771_064_78e-1))
            * square
            - constant::<F>(3.333_294_915_39e-1);
        let low = tail * square * t + t;
        let first = select(upper, low + constant::<F>(std::f64::consts::FRAC_PI_4), low);
        let half = select(steep, constant::<F>(std::f64::consts::FRAC_PI_2) - first, first);
        let whole = select(x < zero, constant::<F>(std::f64::consts::PI) - half, half);
        select(y < zero, -whole, whole)
    }
}
