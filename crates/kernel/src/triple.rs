//! Arrays of three [`Scalar`]s, for loops; laws use [`V3`](crate::V3), whose functions do the work here too.

use crate::{Scalar, vector};

// Closures may stay calls, and then be compiled without the instruction set of their caller; macros may not.

/// `[expression of i; 3]` for i = 0, 1, 2.
#[macro_export]
macro_rules! three {
    ($i:ident => $expression:expr) => {
        [
            {
                let $i = 0_usize;
                $expression
            },
            {
                let $i = 1_usize;
                $expression
            },
            {
                let $i = 2_usize;
                $expression
            },
        ]
    };
}

/// $a\cdot b$.
#[inline(always)]
pub fn dot<S: Scalar>(a: [S; 3], b: [S; 3]) -> S {
    vector::dot(a.into(), b.into())
}

/// $a\times b$.
#[inline(always)]
pub fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    vector::cross(a.into(), b.into()).to_array()
}

/// $a\,b + c$.
#[inline(always)]
pub fn scaled_add<S: Scalar>(a: S, b: [S; 3], c: [S; 3]) -> [S; 3] {
    vector::scaled_add(a, b.into(), c.into()).to_array()
}

/// $a\,b$.
#[inline(always)]
pub fn scaled<S: Scalar>(a: S, b: [S; 3]) -> [S; 3] {
    vector::scaled(a, b.into()).to_array()
}

/// $a + b$.
#[inline(always)]
pub fn sum<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    vector::sum(a.into(), b.into()).to_array()
}

/// $a - b$.
#[inline(always)]
pub fn difference<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    vector::difference(a.into(), b.into()).to_array()
}
