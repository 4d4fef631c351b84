//! Kernels of smoothed particle hydrodynamics: norm, slope, reach; equations of state and rheology.

use std::f64::consts::PI;

use huygens_kernel::sph::{
    CubicSpline, Poly6Spiky, QuinticSpline, Rheology, Smoothing, SpaceDimension, StateEquation, WendlandC2,
    WendlandC4,
};

/// Gauss–Legendre with five points on each of many pieces: exact for the pieces of all kernels.
fn integrate(to: f64, f: impl Fn(f64) -> f64) -> f64 {
    let nodes = [
        (0.0, 128.0 / 225.0),
        (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
        (0.906_179_845_938_664, 0.236_926_885_056_189_08),
    ];
    let pieces = 600;
    let half = 0.5 * to / f64::from(pieces);
    let piece = |k: i32| {
        let middle = (2.0 * f64::from(k) + 1.0) * half;
        nodes
            .iter()
            .map(|&(x, w)| match x == 0.0 {
                true => w * f(middle),
                false => w * (f(middle + half * x) + f(middle - half * x)),
            })
            .sum::<f64>()
            * half
    };
    (0..pieces).map(piece).sum()
}

fn check(name: &str, kernel: impl Smoothing, dimension: SpaceDimension, consistent: bool) {
    let shell = |r: f64| match dimension {
        SpaceDimension::Two => 2.0 * PI * r,
        SpaceDimension::Three => 4.0 * PI * r * r,
    };
    let reach = kernel.reach();
    let norm = integrate(reach, |r| shell(r) * kernel.value(r));
    assert!((norm - 1.0).abs() < 1e-9, "{name}: norm {norm}");
    // A gradient that is right on linear fields: ∫ r W′ dV = -d ∫ W dV.
    let moment = integrate(reach, |r| shell(r) * r * r * kernel.slope(r)) / dimension.number() as f64;
    assert!((moment + 1.0).abs() < 1e-9, "{name}: moment of the slope {moment}");
    assert_eq!(kernel.value(reach * (1.0 + 1e-12)), 0.0, "{name}");
    assert_eq!(kernel.slope(reach * (1.0 + 1e-12)), 0.0, "{name}");
    for k in 1..40 {
        let r = reach * f64::from(k) / 40.3;
        let d = 1e-6 * reach;
        let slope = (kernel.value(r + d) - kernel.value(r - d)) / (2.0 * d * r);
        let error = (kernel.slope(r) - slope).abs() / kernel.slope(0.3 * reach).abs();
        assert!(!consistent || error < 1e-7, "{name} at {r}: {} {slope}", kernel.slope(r));
    }
}

#[test]
fn kernels_have_unit_norm_in_the_plane_and_in_space_and_slopes_that_are_theirs() {
    for dimension in [SpaceDimension::Two, SpaceDimension::Three] {
        let h = 0.37;
        check("cubic", CubicSpline::new(dimension, h), dimension, true);
        check("quintic", QuinticSpline::new(dimension, h), dimension, true);
        check("wendland c2", WendlandC2::new(dimension, h), dimension, true);
        check("wendland c4", WendlandC4::new(dimension, h), dimension, true);
        check("poly6 and spiky", Poly6Spiky::new(dimension, h), dimension, false);
    }
}

#[test]
fn states_invert_and_have_the_speed_of_sound() {
    for equation in [StateEquation::default(), StateEquation::Tait { exponent: 1.4 }, StateEquation::Linear] {
        let (rest, sound) = (1000.0, 30.0);
        for ratio in [0.98, 1.0, 1.03] {
            let p = equation.pressure(rest, sound, ratio * rest);
            assert!((equation.density(rest, sound, p) / rest - ratio).abs() < 1e-13);
        }
        let slope = (equation.pressure(rest, sound, 1000.01) - equation.pressure(rest, sound, 999.99)) / 0.02;
        assert!((slope.sqrt() / sound - 1.0).abs() < 1e-8);
    }
}

#[test]
fn fluids_with_a_yield_stress_carry_it_and_thinning_ones_thin() {
    let bingham = Rheology::HerschelBulkley {
        consistency: 2.0,
        exponent: 1.0,
        yield_stress: 10.0,
        sharpness: 1e4,
        most: 1e9,
    };
    // Stress μ γ̇ = τ₀ + K γ̇ beyond yield.
    for rate in [0.1, 1.0, 30.0] {
        assert!((bingham.viscosity(rate) * rate - (10.0 + 2.0 * rate)).abs() < 1e-9);
    }
    assert!((bingham.viscosity(0.0) - (2.0 + 1e5)).abs() < 1e-6);
    let thin = Rheology::PowerLaw { consistency: 3.0, exponent: 0.5, most: 50.0 };
    assert!((thin.viscosity(4.0) - 1.5).abs() < 1e-12);
    assert_eq!(thin.viscosity(0.0), 50.0);
}
