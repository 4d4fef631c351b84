//! Vectors and matrices of laws: numbers with names, so that they exist on devices too.

use crate::{Vec3, laws};

#[laws]
mod laws {
    use crate::number::{Scalar, any_positive, fma, negative_fma, select_greater, sqrt, zero};

    /// A vector of any numbers.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct V3<S> {
        /// First component.
        pub x: S,
        /// Second component.
        pub y: S,
        /// Third component.
        pub z: S,
    }

    /// The vector (x, y, z).
    pub fn vector<S: Scalar>(x: S, y: S, z: S) -> V3<S> {
        V3 { x, y, z }
    }

    /// The vector 0.
    pub fn zero_vector<S: Scalar>() -> V3<S> {
        V3 { x: zero(), y: zero(), z: zero() }
    }

    /// $a\cdot b$.
    pub fn dot<S: Scalar>(a: V3<S>, b: V3<S>) -> S {
        fma(a.z, b.z, fma(a.y, b.y, a.x * b.x))
    }

    /// $a\cdot b$, summed from the last component to the first.
    pub fn dot_backwards<S: Scalar>(a: V3<S>, b: V3<S>) -> S {
        fma(a.x, b.x, fma(a.y, b.y, a.z * b.z))
    }

    /// $a\times b$.
    pub fn cross<S: Scalar>(a: V3<S>, b: V3<S>) -> V3<S> {
        V3 {
            x: negative_fma(a.z, b.y, a.y * b.z),
            y: negative_fma(a.x, b.z, a.z * b.x),
            z: negative_fma(a.y, b.x, a.x * b.y),
        }
    }

    /// $a\,b + c$.
    pub fn scaled_add<S: Scalar>(a: S, b: V3<S>, c: V3<S>) -> V3<S> {
        V3 { x: fma(a, b.x, c.x), y: fma(a, b.y, c.y), z: fma(a, b.z, c.z) }
    }

    /// $c - a\,b$.
    pub fn scaled_subtract<S: Scalar>(a: S, b: V3<S>, c: V3<S>) -> V3<S> {
        V3 { x: negative_fma(a, b.x, c.x), y: negative_fma(a, b.y, c.y), z: negative_fma(a, b.z, c.z) }
    }

    /// $a\,b$.
    pub fn scaled<S: Scalar>(a: S, b: V3<S>) -> V3<S> {
        V3 { x: a * b.x, y: a * b.y, z: a * b.z }
    }

    /// $a + b$.
    pub fn sum<S: Scalar>(a: V3<S>, b: V3<S>) -> V3<S> {
        V3 { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z }
    }

    /// $a - b$.
    pub fn difference<S: Scalar>(a: V3<S>, b: V3<S>) -> V3<S> {
        V3 { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z }
    }

    /// $-a$.
    pub fn negated<S: Scalar>(a: V3<S>) -> V3<S> {
        V3 { x: -a.x, y: -a.y, z: -a.z }
    }

    /// $a/b$.
    pub fn divided<S: Scalar>(a: V3<S>, b: S) -> V3<S> {
        V3 { x: a.x / b, y: a.y / b, z: a.z / b }
    }

    /// `yes` where a > b, `no` elsewhere, as of [`select_greater`].
    pub fn select_vector<S: Scalar>(a: S, b: S, yes: V3<S>, no: V3<S>) -> V3<S> {
        V3 {
            x: select_greater(a, b, yes.x, no.x),
            y: select_greater(a, b, yes.y, no.y),
            z: select_greater(a, b, yes.z, no.z),
        }
    }

    /// The vector `v`, or one of the length `most` along it where it is longer.
    pub fn limited<S: Scalar>(v: V3<S>, most: S) -> V3<S> {
        let square = dot(v, v);
        let over = square - most * most;
        let mut out = v;
        if any_positive(over) {
            out = select_vector(over, zero(), scaled(most, divided(v, sqrt(square))), v);
        }
        out
    }

    /// A matrix, row by row.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct M3<S> {
        /// First row.
        pub x: V3<S>,
        /// Second row.
        pub y: V3<S>,
        /// Third row.
        pub z: V3<S>,
    }

    /// $a\,b^T$.
    pub fn outer<S: Scalar>(a: V3<S>, b: V3<S>) -> M3<S> {
        M3 { x: scaled(a.x, b), y: scaled(a.y, b), z: scaled(a.z, b) }
    }

    /// $A + B$.
    pub fn matrix_sum<S: Scalar>(a: M3<S>, b: M3<S>) -> M3<S> {
        M3 { x: sum(a.x, b.x), y: sum(a.y, b.y), z: sum(a.z, b.z) }
    }

    /// $A - B$.
    pub fn matrix_difference<S: Scalar>(a: M3<S>, b: M3<S>) -> M3<S> {
        M3 { x: difference(a.x, b.x), y: difference(a.y, b.y), z: difference(a.z, b.z) }
    }

    /// $a\,B$.
    pub fn matrix_scaled<S: Scalar>(a: S, b: M3<S>) -> M3<S> {
        M3 { x: scaled(a, b.x), y: scaled(a, b.y), z: scaled(a, b.z) }
    }

    /// $A + b\,I$.
    pub fn plus_diagonal<S: Scalar>(a: M3<S>, b: S) -> M3<S> {
        M3 {
            x: V3 { x: a.x.x + b, y: a.x.y, z: a.x.z },
            y: V3 { x: a.y.x, y: a.y.y + b, z: a.y.z },
            z: V3 { x: a.z.x, y: a.z.y, z: a.z.z + b },
        }
    }
}

impl<S: Scalar> V3<S> {
    /// The same as an array.
    #[inline(always)]
    pub fn to_array(self) -> [S; 3] {
        [self.x, self.y, self.z]
    }
}

impl<S: Scalar> M3<S> {
    /// The same as an array of rows.
    #[inline(always)]
    pub fn to_array(self) -> [[S; 3]; 3] {
        [self.x.to_array(), self.y.to_array(), self.z.to_array()]
    }
}

impl<S> From<[S; 3]> for V3<S> {
    #[inline(always)]
    fn from([x, y, z]: [S; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<Vec3> for V3<f64> {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Self { x: v.x, y: v.y, z: v.z }
    }
}

impl From<V3<f64>> for Vec3 {
    #[inline(always)]
    fn from(v: V3<f64>) -> Self {
        Vec3::new(v.x, v.y, v.z)
    }
}
