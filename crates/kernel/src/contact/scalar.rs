//! The numbers the scalar laws are written in.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A real number of a law: `f64` on the host, `f32` on a device, a dual number where gradients are checked.
pub trait Scalar:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    /// The constant `value`.
    fn of(value: f64) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// Power with a constant exponent.
    fn powf(self, exponent: f64) -> Self;
}

impl Scalar for f64 {
    #[inline]
    fn of(value: f64) -> Self {
        value
    }
    #[inline]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline]
    fn powf(self, exponent: f64) -> Self {
        f64::powf(self, exponent)
    }
}

impl Scalar for f32 {
    #[inline]
    fn of(value: f64) -> Self {
        value as f32
    }
    #[inline]
    fn sqrt(self) -> Self {
        f32::sqrt(self)
    }
    #[inline]
    fn powf(self, exponent: f64) -> Self {
        f32::powf(self, exponent as f32)
    }
}

/// The larger of two numbers (`b` where they do not compare).
#[inline]
pub fn larger<S: Scalar>(a: S, b: S) -> S {
    let mut out = b;
    if a > b {
        out = a;
    }
    out
}

/// The smaller of two numbers (`b` where they do not compare).
#[inline]
pub fn smaller<S: Scalar>(a: S, b: S) -> S {
    let mut out = b;
    if a < b {
        out = a;
    }
    out
}
