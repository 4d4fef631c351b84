//! Small vectors of [`Scalar`]s, for laws that run on several numbers at once.

use crate::Scalar;

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
    a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
}

/// $a\times b$.
#[inline(always)]
pub fn cross<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    [
        a[2].neg_mul_add(b[1], a[1] * b[2]),
        a[0].neg_mul_add(b[2], a[2] * b[0]),
        a[1].neg_mul_add(b[0], a[0] * b[1]),
    ]
}

/// $a\,b + c$.
#[inline(always)]
pub fn scaled_add<S: Scalar>(a: S, b: [S; 3], c: [S; 3]) -> [S; 3] {
    three!(i => a.mul_add(b[i], c[i]))
}

/// $a\,b$.
#[inline(always)]
pub fn scaled<S: Scalar>(a: S, b: [S; 3]) -> [S; 3] {
    three!(i => a * b[i])
}

/// $a + b$.
#[inline(always)]
pub fn sum<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    three!(i => a[i] + b[i])
}

/// $a - b$.
#[inline(always)]
pub fn difference<S: Scalar>(a: [S; 3], b: [S; 3]) -> [S; 3] {
    three!(i => a[i] - b[i])
}
