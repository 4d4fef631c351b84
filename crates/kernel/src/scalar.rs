//! The numbers the laws are written in.

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
        }
    };
}
float!(f32);
float!(f64);
