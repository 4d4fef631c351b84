//! Finite rotations: exponential map, its tangent operators, and the cross-product matrix.
//!
//! A body's orientation is a unit quaternion (`world_from_body`). An increment `x` [rad] in the body frame acts
//! on the right: $R \leftarrow R\,\exp(\tilde x)$. The tangent operator $T(x)$ maps a variation of `x` to the
//! body-frame rotation it causes, $\delta\theta = T(x)\,\delta x$ (arnold2007, bruls2010).

use crate::{Mat3, Quat, Vec3, laws};

/// Below this squared angle [rad²] the series are used instead of the closed forms.
const SMALL: f64 = 1e-4;

/// The same for derivatives of the factors of the tangent operator: their closed forms cancel two orders of the squared
/// angle more, so the series reach further.
const SMALL_SLOPE: f64 = 0.25;

/// Sine of half an angle below which a rotation vector is twice the quaternion's vector.
const TINY: f64 = 1e-8;

#[laws]
mod laws {
    use crate::number::{
        Analytic, all_greater, any_greater, atan2, constant, cos, one, select_greater, sin, sqrt, tan, zero,
    };
    use crate::vector::{V3, cross, dot, scaled, scaled_add, sum};

    /// A unit quaternion of any numbers.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Turn<S> {
        /// Axis times the sine of half the angle.
        pub vector: V3<S>,
        /// Cosine of half the angle.
        pub scalar: S,
    }

    /// The rotation of the rotation vector `x` [rad].
    #[inline]
    pub fn turn_by<S: Analytic>(x: V3<S>) -> Turn<S> {
        let square = dot(x, x);
        let mut half_sinc = zero::<S>();
        let mut cosine = zero::<S>();
        if any_greater(constant(SMALL), square) {
            let fourth = square * square;
            half_sinc = constant::<S>(0.5) - square / constant::<S>(48.0) + fourth / constant::<S>(3840.0);
            cosine = one::<S>() - square / constant::<S>(8.0) + fourth / constant::<S>(384.0)
                - fourth * square / constant::<S>(46080.0);
        }
        if !all_greater(constant(SMALL), square) {
            let angle = sqrt(square);
            let half = constant::<S>(0.5) * angle;
            half_sinc = select_greater(constant(SMALL), square, half_sinc, sin(half) / angle);
            cosine = select_greater(constant(SMALL), square, cosine, cos(half));
        }
        Turn { vector: scaled(half_sinc, x), scalar: cosine }
    }

    /// Rotation vector [rad] of a rotation, of length at most π.
    #[inline]
    pub fn turn_vector<S: Analytic>(turn: &Turn<S>) -> V3<S> {
        let sign = select_greater(zero(), turn.scalar, constant(-1.0), one::<S>());
        let v = scaled(sign, turn.vector);
        let w = sign * turn.scalar;
        let s = sqrt(dot(v, v));
        let mut factor = constant::<S>(2.0) / w;
        if !all_greater(constant(TINY), s) {
            factor = select_greater(constant(TINY), s, factor, constant::<S>(2.0) * atan2(s, w) / s);
        }
        scaled(factor, v)
    }

    /// First `second`, then `first`: the product of the quaternions in this order.
    #[inline]
    pub fn turn_after<S: Analytic>(first: &Turn<S>, second: &Turn<S>) -> Turn<S> {
        let u = first.vector;
        let v = second.vector;
        Turn {
            vector: sum(scaled_add(first.scalar, v, scaled(second.scalar, u)), cross(u, v)),
            scalar: first.scalar * second.scalar - dot(u, v),
        }
    }

    /// A vector turned.
    #[inline]
    pub fn turned<S: Analytic>(turn: &Turn<S>, v: V3<S>) -> V3<S> {
        let twice = scaled(constant(2.0), cross(turn.vector, v));
        sum(scaled_add(turn.scalar, twice, v), cross(turn.vector, twice))
    }

    /// Factors of $\tilde x$ (with a minus) and $\tilde x^2$ in the tangent operator.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TangentFactors<S> {
        /// $\frac{1-\cos n}{n^2}$.
        pub once: S,
        /// $\frac{n-\sin n}{n^3}$.
        pub twice: S,
    }

    /// Factors of the tangent operator at a rotation vector of squared length `square` [rad²].
    #[inline]
    pub fn tangent_factors<S: Analytic>(square: S) -> TangentFactors<S> {
        let mut once = zero::<S>();
        let mut twice = zero::<S>();
        if any_greater(constant(SMALL), square) {
            let fourth = square * square;
            once = constant::<S>(0.5) - square / constant::<S>(24.0) + fourth / constant::<S>(720.0);
            twice = constant::<S>(1.0 / 6.0) - square / constant::<S>(120.0) + fourth / constant::<S>(5040.0);
        }
        if !all_greater(constant(SMALL), square) {
            let n = sqrt(square);
            once = select_greater(constant(SMALL), square, once, (one::<S>() - cos(n)) / square);
            twice = select_greater(constant(SMALL), square, twice, (n - sin(n)) / (square * n));
        }
        TangentFactors { once, twice }
    }

    /// Factor $\frac{1 - (n/2)\cot(n/2)}{n^2}$ of $\tilde x^2$ in the inverse of the tangent operator.
    #[inline]
    pub fn inverse_tangent_factor<S: Analytic>(square: S) -> S {
        let mut factor = zero::<S>();
        if any_greater(constant(SMALL), square) {
            factor = constant::<S>(1.0 / 12.0)
                + square / constant::<S>(720.0)
                + square * square / constant::<S>(30240.0);
        }
        if !all_greater(constant(SMALL), square) {
            let half = constant::<S>(0.5) * sqrt(square);
            factor =
                select_greater(constant(SMALL), square, factor, (one::<S>() - half / tan(half)) / square);
        }
        factor
    }

    /// Derivatives of [`TangentFactors`] by the squared length of the rotation vector.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct TangentSlopes<S> {
        /// $\frac{n\sin n-2(1-\cos n)}{2n^4}$.
        pub once: S,
        /// $\frac{3\sin n-2n-n\cos n}{2n^5}$.
        pub twice: S,
    }

    /// Derivatives of [`tangent_factors`] by `square`.
    #[inline]
    pub fn tangent_slopes<S: Analytic>(square: S) -> TangentSlopes<S> {
        let mut once = zero::<S>();
        let mut twice = zero::<S>();
        if any_greater(constant(SMALL_SLOPE), square) {
            let second = square * square;
            let third = second * square;
            let fourth = second * second;
            let fifth = fourth * square;
            once = constant::<S>(-1.0 / 24.0) + square / constant::<S>(360.0)
                - second / constant::<S>(13_440.0)
                + third / constant::<S>(907_200.0)
                - fourth / constant::<S>(95_800_320.0)
                + fifth / constant::<S>(14_529_715_200.0);
            twice = constant::<S>(-1.0 / 120.0) + square / constant::<S>(2520.0)
                - second / constant::<S>(120_960.0)
                + third / constant::<S>(9_979_200.0)
                - fourth / constant::<S>(1_245_404_160.0)
                + fifth / constant::<S>(217_945_728_000.0);
        }
        if !all_greater(constant(SMALL_SLOPE), square) {
            let n = sqrt(square);
            let sine = sin(n);
            let cosine = cos(n);
            let two = constant::<S>(2.0);
            let double = two * square * square;
            let first = (n * sine - two * (one::<S>() - cosine)) / double;
            let second = (constant::<S>(3.0) * sine - two * n - n * cosine) / (double * n);
            once = select_greater(constant(SMALL_SLOPE), square, once, first);
            twice = select_greater(constant(SMALL_SLOPE), square, twice, second);
        }
        TangentSlopes { once, twice }
    }

    /// $v + a\,x\times v + b\,x\times(x\times v)$.
    #[inline]
    fn turned_twice<S: Analytic>(x: V3<S>, v: V3<S>, a: S, b: S) -> V3<S> {
        let once = cross(x, v);
        let twice = cross(x, once);
        sum(sum(v, scaled(a, once)), scaled(b, twice))
    }

    /// $T(x)\,v$: the turn in body axes that the change `v` of the rotation vector `x` causes; $T^Tv$ for `transposed`.
    #[inline]
    pub fn tangent_product<S: Analytic>(x: V3<S>, v: V3<S>, #[comptime] transposed: bool) -> V3<S> {
        let factors = tangent_factors(dot(x, x));
        let mut once = -factors.once;
        if transposed {
            once = factors.once;
        }
        turned_twice(x, v, once, factors.twice)
    }

    /// $\dot T(x)\,v$ for a rotation vector `x` that changes at the rate `rate`; $\dot T^Tv$ for `transposed`.
    #[inline]
    pub fn tangent_rate_product<S: Analytic>(
        x: V3<S>,
        rate: V3<S>,
        v: V3<S>,
        #[comptime] transposed: bool,
    ) -> V3<S> {
        let square = dot(x, x);
        let factors = tangent_factors(square);
        let slopes = tangent_slopes(square);
        let growth = constant::<S>(2.0) * dot(x, rate);
        let mut sign = constant::<S>(-1.0);
        if transposed {
            sign = one::<S>();
        }
        let here = cross(x, v);
        let moved = cross(rate, v);
        let once = sum(scaled(growth * slopes.once, here), scaled(factors.once, moved));
        let both = sum(cross(x, moved), cross(rate, here));
        let twice = sum(scaled(growth * slopes.twice, cross(x, here)), scaled(factors.twice, both));
        sum(scaled(sign, once), twice)
    }

    /// $T^{-1}(x)\,v$, or $T^{-T}v$ for `transposed`.
    #[inline]
    pub fn inverse_tangent_product<S: Analytic>(x: V3<S>, v: V3<S>, #[comptime] transposed: bool) -> V3<S> {
        let mut half = constant::<S>(0.5);
        if transposed {
            half = constant::<S>(-0.5);
        }
        turned_twice(x, v, half, inverse_tangent_factor(dot(x, x)))
    }
}

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
    let Turn { vector, scalar } = turn_by(x.into());
    Quat::from_xyzw(vector.x, vector.y, vector.z, scalar)
}

/// Rotation vector [rad] of a unit quaternion, of length at most π.
#[inline]
pub fn log(q: Quat) -> Vec3 {
    turn_vector(&Turn { vector: V3 { x: q.x, y: q.y, z: q.z }, scalar: q.w }).into()
}

/// Tangent operator $T(x) = I - \frac{1-\cos n}{n^2}\tilde x + \frac{n-\sin n}{n^3}\tilde x^2$, $n = |x|$.
pub fn tangent(x: Vec3) -> Mat3 {
    let TangentFactors { once, twice } = tangent_factors(x.length_squared());
    Mat3::IDENTITY - skew(x) * once + skew_skew(x, x) * twice
}

/// Inverse of [`tangent`], $T^{-1}(x) = I + \tfrac12\tilde x + \frac{1 - (n/2)\cot(n/2)}{n^2}\tilde x^2$;
/// valid for $n < 2\pi$.
pub fn tangent_inverse(x: Vec3) -> Mat3 {
    Mat3::IDENTITY + skew(x) * 0.5 + skew_skew(x, x) * inverse_tangent_factor(x.length_squared())
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
    fn rates_of_the_tangent_are_differences() {
        let (axis, rate) = (Vec3::new(0.6, -0.5, 0.4), Vec3::new(-0.3, 0.8, 0.5));
        let v = Vec3::new(0.2, 1.1, -0.7);
        // On both sides of the borders between series and closed forms, and far from them.
        for length in [1e-3, 0.0099, 0.0101, 0.3, 0.49, 0.51, 1.0, 2.5] {
            let x = axis.normalize() * length;
            // Rounding of closed forms near their border costs digits that a longer step does not.
            let h = 4e-3;
            for transposed in [false, true] {
                let at = |by: f64| Vec3::from(tangent_product((x + rate * by).into(), v.into(), transposed));
                // Of fourth order.
                let wanted = ((at(h) - at(-h)) * 8.0 - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
                let got: Vec3 = tangent_rate_product(x.into(), rate.into(), v.into(), transposed).into();
                assert!((got - wanted).length() < 2e-11, "{length} {transposed}: {got} {wanted}");
            }
        }
        // Series and closed forms meet.
        let TangentSlopes { once, twice } = tangent_slopes(SMALL_SLOPE * (1.0 - 1e-14));
        let beyond = tangent_slopes(SMALL_SLOPE);
        assert!((once - beyond.once).abs() < 1e-14 && (twice - beyond.twice).abs() < 1e-14);
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
