//! Spline curves in space.

use std::f64::consts::TAU;

use glam::DVec3;
use huygens_core::function::{Curve3, FunctionError};

fn circle(count: u32) -> Curve3 {
    let point = |i: u32| {
        let (sin, cos) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
        DVec3::new(2.0 * cos, 2.0 * sin, 0.0)
    };
    Curve3::new((0..count).map(point).collect(), true).unwrap()
}

fn wave() -> Curve3 {
    let point = |i: i32| {
        let x = 0.5 * f64::from(i);
        DVec3::new(x, (1.7 * x).sin(), (0.9 * x).cos())
    };
    Curve3::new((0..12).map(point).collect(), false).unwrap()
}

#[test]
fn curve_goes_through_its_points() {
    for curve in [circle(7), wave()] {
        for (i, &point) in curve.points().iter().enumerate() {
            assert!(curve.evaluate(curve.knots()[i]).0.distance(point) < 1e-14);
        }
    }
}

#[test]
fn derivatives_agree_with_central_differences() {
    let h = 1e-5;
    for curve in [circle(7), wave()] {
        for k in -3..40 {
            let s = 0.0123 + curve.length() * f64::from(k) / 36.0;
            let (_, tangent, second) = curve.evaluate(s);
            let (before, after) = (curve.evaluate(s - h), curve.evaluate(s + h));
            assert!(tangent.distance((after.0 - before.0) / (2.0 * h)) < 1e-8);
            assert!(second.distance((after.1 - before.1) / (2.0 * h)) < 1e-8);
            assert!(curve.third_derivative(s).distance((after.2 - before.2) / (2.0 * h)) < 1e-6);
        }
    }
}

#[test]
fn closed_curve_is_smooth_and_converges_to_the_circle() {
    let curve = circle(12);
    let (before, after) = (curve.evaluate(-1e-9), curve.evaluate(1e-9));
    assert!(before.1.distance(after.1) < 1e-7 && before.2.distance(after.2) < 1e-7);
    let error = |count| {
        let curve = circle(count);
        (0..500)
            .map(|k| curve.length() * f64::from(k) / 500.0)
            .fold(0.0, |worst: f64, s| worst.max((curve.evaluate(s).0.length() - 2.0).abs()))
    };
    let order = (error(16) / error(32)).log2();
    assert!((3.7..4.3).contains(&order), "order {order}");
}

#[test]
fn open_curve_continues_as_its_end_tangents() {
    let curve = wave();
    let (end, tangent, _) = curve.evaluate(curve.length());
    let (beyond, same, second) = curve.evaluate(curve.length() + 2.0);
    assert!(beyond.distance(end + 2.0 * tangent) < 1e-14);
    assert_eq!((same, second), (tangent, DVec3::ZERO));
}

/// Distance by brute force over the curve itself.
fn brute_distance(curve: &Curve3, p: DVec3) -> f64 {
    (0..=20_000)
        .map(|k| curve.evaluate(curve.length() * f64::from(k) / 20_000.0).0.distance(p))
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn closest_point_is_the_closest() {
    for curve in [circle(9), wave()] {
        for i in 0..60 {
            let t = f64::from(i);
            let p = DVec3::new(2.5 + 3.0 * (1.3 * t).sin(), 2.0 * (2.1 * t).cos(), 0.7 * (0.4 * t).sin());
            let s = curve.closest_global(p);
            let (c, tangent, _) = curve.evaluate(s);
            assert!((c - p).dot(tangent).abs() < 1e-10, "not perpendicular at {p}");
            assert!(c.distance(p) <= brute_distance(&curve, p) + 1e-9);
            let near = curve.closest(p, s + 0.03);
            assert!((near - s).abs() < 1e-7 || curve.evaluate(near).0.distance(p) <= c.distance(p) + 1e-9);
        }
    }
}

#[test]
fn closest_follows_a_moving_point_around_a_closed_curve() {
    let curve = circle(24);
    let mut s = 0.0;
    for k in 0..=300 {
        let (sin, cos) = (TAU * f64::from(k) / 100.0).sin_cos();
        s = curve.closest(DVec3::new(1.5 * cos, 1.5 * sin, 0.2), s);
    }
    assert!((s - 3.0 * curve.length()).abs() < 1e-6, "{s}");
}

#[test]
fn closest_of_the_centre_of_a_circle_ends() {
    // Every point is nearly as close as any other: the search must stop all the same.
    assert!(circle(9).closest(DVec3::ZERO, 0.3).is_finite());
    assert!(circle(9).closest_global(DVec3::ZERO).is_finite());
}

#[test]
fn wrong_points_are_refused() {
    let refused = |points: &[DVec3], closed| Curve3::new(points.to_vec(), closed).unwrap_err();
    assert_eq!(refused(&[DVec3::X], false), FunctionError::TooFewPoints { needed: 2, found: 1 });
    let triangle = [DVec3::X, DVec3::Y, DVec3::X];
    assert_eq!(refused(&triangle, true), FunctionError::TooFewPoints { needed: 3, found: 2 });
    assert_eq!(refused(&[DVec3::X, DVec3::X], false), FunctionError::RepeatedPoint { index: 1 });
    assert!(matches!(refused(&[DVec3::X, DVec3::NAN], false), FunctionError::NotFinite { .. }));
}
