//! Finite rotations: exponential map, its tangent operators, and the cross-product matrix.
//!
//! A body's orientation is a unit quaternion (`world_from_body`). An increment `x` [rad] in the body frame acts
//! on the right: $R \leftarrow R\,\exp(\tilde x)$. The tangent operator $T(x)$ maps a variation of `x` to the
//! body-frame rotation it causes, $\delta\theta = T(x)\,\delta x$ (arnold2007, bruls2010).

use crate::{Mat3, Quat, Vec3};

/// Below this squared angle [rad²] the series are used instead of the closed forms.
const SMALL: f64 = 1e-4;

/// Cross-product matrix: `skew(a) * b == a.cross(b)`.
#[inline]
pub fn skew(a: Vec3) -> Mat3 {
    Mat3::from_cols_array(&[0.0, a.z, -a.y, -a.z, 0.0, a.x, a.y, -a.x, 0.0])
}

/// `skew(a) * skew(b)`, that is $b a^T - (a\cdot b) I$.
#[inline]
pub fn skew_skew(a: Vec3, b: Vec3) -> Mat3 {
    let d = a.dot(b);
    Mat3::from_cols(b * a.x - Vec3::X * d, b * a.y - Vec3::Y * d, b * a.z - Vec3::Z * d)
}

/// Unit quaternion of the rotation vector `x` [rad].
#[inline]
pub fn exp(x: Vec3) -> Quat {
    let n2 = x.length_squared();
    let (half_sinc, cos) = if n2 < SMALL {
        (0.5 - n2 / 48.0 + n2 * n2 / 3840.0, 1.0 - n2 / 8.0 + n2 * n2 / 384.0 - n2 * n2 * n2 / 46080.0)
    } else {
        let n = n2.sqrt();
        let (s, c) = (0.5 * n).sin_cos();
        (s / n, c)
    };
    Quat::from_xyzw(half_sinc * x.x, half_sinc * x.y, half_sinc * x.z, cos)
}

/// Rotation vector [rad] of a unit quaternion, of length at most π.
#[inline]
pub fn log(q: Quat) -> Vec3 {
    let v = Vec3::new(q.x, q.y, q.z);
    let (v, w) = if q.w < 0.0 { (-v, -q.w) } else { (v, q.w) };
    let s = v.length();
    if s < 1e-8 { v * (2.0 / w) } else { v * (2.0 * s.atan2(w) / s) }
}

/// Tangent operator $T(x) = I - \frac{1-\cos n}{n^2}\tilde x + \frac{n-\sin n}{n^3}\tilde x^2$, $n = |x|$.
pub fn tangent(x: Vec3) -> Mat3 {
    let n2 = x.length_squared();
    let (a, b) = if n2 < SMALL {
        (0.5 - n2 / 24.0 + n2 * n2 / 720.0, 1.0 / 6.0 - n2 / 120.0 + n2 * n2 / 5040.0)
    } else {
        let n = n2.sqrt();
        ((1.0 - n.cos()) / n2, (n - n.sin()) / (n2 * n))
    };
    Mat3::IDENTITY - skew(x) * a + skew_skew(x, x) * b
}

/// Inverse of [`tangent`], $T^{-1}(x) = I + \tfrac12\tilde x + \frac{1 - (n/2)\cot(n/2)}{n^2}\tilde x^2$;
/// valid for $n < 2\pi$.
pub fn tangent_inverse(x: Vec3) -> Mat3 {
    let n2 = x.length_squared();
    let b = if n2 < SMALL {
        1.0 / 12.0 + n2 / 720.0 + n2 * n2 / 30240.0
    } else {
        let half = 0.5 * n2.sqrt();
        (1.0 - half / half.tan()) / n2
    };
    Mat3::IDENTITY + skew(x) * 0.5 + skew_skew(x, x) * b
}

/// Rotation that turns the unit z axis into the unit vector `axis`, by the shortest way.
pub fn from_z_to(axis: Vec3) -> Quat {
    Quat::from_rotation_arc(Vec3::Z, axis)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: Mat3, b: Mat3, tol: f64) -> bool {
        (a - b).to_cols_array().iter().all(|d| d.abs() <= tol)
    }

    #[test]
    fn products_and_inverses_agree() {
        let (a, b) = (Vec3::new(0.3, -1.2, 0.7), Vec3::new(-0.4, 0.1, 2.0));
        assert!(close(skew_skew(a, b), skew(a) * skew(b), 1e-15));
        for scale in [1e-9, 1e-3, 0.02, 0.5, 2.0] {
            let x = a * scale;
            assert!(close(tangent(x) * tangent_inverse(x), Mat3::IDENTITY, 1e-12));
            assert!((log(exp(x)) - x).length() < 1e-14);
        }
    }

    #[test]
    fn tangent_is_the_derivative_of_the_exponential() {
        for x in [Vec3::new(0.3, -1.2, 0.7), Vec3::new(0.004, -0.003, 0.002)] {
            for k in 0..3 {
                let d = Vec3::AXES[k] * 1e-6;
                let turned = log(exp(x - d).conjugate() * exp(x + d)) / 2e-6;
                assert!((turned - tangent(x).col(k)).length() < 1e-9);
            }
        }
    }
}
