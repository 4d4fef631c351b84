//! Numbers that carry their derivatives.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::number::{Analytic, Scalar};

/// A number and its derivatives by N variables.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<const N: usize> {
    /// The number.
    pub value: f64,
    /// Its derivatives.
    pub slopes: [f64; N],
}

impl<const N: usize> Dual<N> {
    /// Variable `k` at `value`.
    pub fn variable(value: f64, k: usize) -> Self {
        let mut slopes = [0.0; N];
        slopes[k] = 1.0;
        Self { value, slopes }
    }

    /// A function of this number, from its value and derivative.
    #[inline(always)]
    fn chain(self, value: f64, derivative: f64) -> Self {
        Self { value, slopes: self.slopes.map(|d| derivative * d) }
    }
}

impl<const N: usize> Analytic for Dual<N> {
    fn value(self) -> f64 {
        self.value
    }
    fn sin(self) -> Self {
        self.chain(self.value.sin(), self.value.cos())
    }
    fn cos(self) -> Self {
        self.chain(self.value.cos(), -self.value.sin())
    }
    fn tan(self) -> Self {
        let tangent = self.value.tan();
        self.chain(tangent, 1.0 + tangent * tangent)
    }
    fn exp(self) -> Self {
        self.chain(self.value.exp(), self.value.exp())
    }
    fn exp_m1(self) -> Self {
        self.chain(self.value.exp_m1(), self.value.exp())
    }
    fn ln(self) -> Self {
        self.chain(self.value.ln(), 1.0 / self.value)
    }
    fn atan2(self, x: Self) -> Self {
        let square = self.value * self.value + x.value * x.value;
        let slopes = std::array::from_fn(|k| (x.value * self.slopes[k] - self.value * x.slopes[k]) / square);
        Self { value: self.value.atan2(x.value), slopes }
    }
}

impl<const N: usize> Scalar for Dual<N> {
    #[inline(always)]
    fn of(value: f64) -> Self {
        Self { value, slopes: [0.0; N] }
    }
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, 0.5 / root)
    }
    fn powf(self, exponent: f64) -> Self {
        self.chain(self.value.powf(exponent), exponent * self.value.powf(exponent - 1.0))
    }
    fn where_greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.value > other.value { yes } else { no }
    }
    fn any_positive(self) -> bool {
        self.value > 0.0
    }
}

macro_rules! operator {
    ($trait:ident, $name:ident, |$a:ident, $b:ident| $value:expr, |$k:ident| $slope:expr) => {
        impl<const N: usize> $trait for Dual<N> {
            type Output = Self;
            #[inline(always)]
            // Derivatives of products have sums.
            #[allow(clippy::suspicious_arithmetic_impl)]
            fn $name(self, other: Self) -> Self {
                let ($a, $b) = (self, other);
                Self { value: $value, slopes: std::array::from_fn(|$k| $slope) }
            }
        }
    };
}
operator!(Add, add, |a, b| a.value + b.value, |k| a.slopes[k] + b.slopes[k]);
operator!(Sub, sub, |a, b| a.value - b.value, |k| a.slopes[k] - b.slopes[k]);
operator!(Mul, mul, |a, b| a.value * b.value, |k| a.slopes[k] * b.value + a.value * b.slopes[k]);
operator!(Div, div, |a, b| a.value / b.value, |k| {
    (a.slopes[k] - a.value / b.value * b.slopes[k]) / b.value
});

impl<const N: usize> Neg for Dual<N> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        self.chain(-self.value, -1.0)
    }
}
