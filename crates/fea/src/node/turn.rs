//! Finite rotations of numbers that may carry derivatives.

use huygens_kernel::three;
use huygens_kernel::triple::{cross, dot, scaled, scaled_add, sum};

use crate::element::dual::Real;

/// Square of an angle [rad²] below which series are used.
const SMALL: f64 = 1e-2;

/// A unit quaternion: x, y, z, w.
#[derive(Clone, Copy, Debug)]
pub struct Turn<T>(pub [T; 4]);

impl<T: Real> Turn<T> {
    /// The rotation of a rotation vector [rad].
    pub fn exp(x: [T; 3]) -> Self {
        let square = dot(x, x);
        let (half_sine, cosine) = if square.value() < SMALL {
            let s = square * T::of(0.25);
            // sin(n/2)/n and cos(n/2) by powers of (n/2)².
            let sine = series(s, &[1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0, 1.0 / 362_880.0]);
            let cosine =
                series(s, &[1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0]);
            (T::of(0.5) * sine, cosine)
        } else {
            let n = square.sqrt();
            let half = T::of(0.5) * n;
            (half.sin() / n, half.cos())
        };
        let [a, b, c] = scaled(half_sine, x);
        Self([a, b, c, cosine])
    }

    /// The rotation vector [rad], not longer than π.
    pub fn log(self) -> [T; 3] {
        let Self([x, y, z, w]) = self;
        let sign = if w.value() < 0.0 { T::of(-1.0) } else { T::of(1.0) };
        let (v, w) = (scaled(sign, [x, y, z]), sign * w);
        let square = dot(v, v);
        let factor = if square.value() < 1e-4 {
            // 2 asin(s)/s by powers of s².
            let tail = [1.0, 1.0 / 6.0, 3.0 / 40.0, 5.0 / 112.0, 35.0 / 1152.0];
            T::of(2.0) * series(square, &tail)
        } else {
            let s = square.sqrt();
            T::of(2.0) * s.atan2(w) / s
        };
        scaled(factor, v)
    }

    /// First the other, then this.
    pub fn after(self, other: Self) -> Self {
        let (Self([a, b, c, p]), Self([d, e, f, q])) = (self, other);
        let (u, v) = ([a, b, c], [d, e, f]);
        let vector = sum(scaled_add(p, v, scaled(q, u)), cross(u, v));
        Self([vector[0], vector[1], vector[2], p * q - dot(u, v)])
    }

    /// Back.
    pub fn inverse(self) -> Self {
        let Self([x, y, z, w]) = self;
        Self([-x, -y, -z, w])
    }

    /// A vector turned.
    pub fn apply(self, v: [T; 3]) -> [T; 3] {
        let Self([x, y, z, w]) = self;
        let q = [x, y, z];
        let t = scaled(T::of(2.0), cross(q, v));
        sum(scaled_add(w, t, v), cross(q, t))
    }
}

/// $T(x)\,v$: the turn in body axes that the change `v` of the rotation vector `x` causes; its transpose for
/// `transposed`.
pub fn tangent<T: Real>(x: [T; 3], v: [T; 3], transposed: bool) -> [T; 3] {
    let square = dot(x, x);
    let (a, b) = if square.value() < SMALL {
        (
            series(square, &[0.5, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40_320.0, 1.0 / 3_628_800.0]),
            series(square, &[1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362_880.0]),
        )
    } else {
        let n = square.sqrt();
        ((T::of(1.0) - n.cos()) / square, (n - n.sin()) / (square * n))
    };
    turned(x, v, if transposed { a } else { -a }, b)
}

/// $T^{-1}(x)\,v$, or its transpose.
pub fn tangent_inverse<T: Real>(x: [T; 3], v: [T; 3], transposed: bool) -> [T; 3] {
    let square = dot(x, x);
    let b = if square.value() < SMALL {
        series(square, &[1.0 / 12.0, 1.0 / 720.0, 1.0 / 30_240.0, 1.0 / 1_209_600.0, 1.0 / 47_900_160.0])
    } else {
        let half = T::of(0.5) * square.sqrt();
        (T::of(1.0) - half * half.cos() / half.sin()) / square
    };
    turned(x, v, T::of(if transposed { -0.5 } else { 0.5 }), b)
}

/// $v + a\,x\times v + b\,x\times(x\times v)$.
fn turned<T: Real>(x: [T; 3], v: [T; 3], a: T, b: T) -> [T; 3] {
    let once = cross(x, v);
    let twice = cross(x, once);
    three!(k => v[k] + a * once[k] + b * twice[k])
}

pub(crate) fn series<T: Real>(x: T, coefficients: &[f64]) -> T {
    coefficients.iter().rev().fold(T::of(0.0), |sum, c| sum * x + T::of(*c))
}
