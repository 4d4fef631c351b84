//! The energy of an elastic line: circles in closed form, derivatives against differences, no energy in rigid motion.

use huygens_kernel::cable::{self, StrainMeasure, bending_stiffness, curvature, hermite, stretch_stiffness};
use huygens_kernel::{Quat, Vec3};

const MEASURES: [StrainMeasure; 2] = [StrainMeasure::Material, StrainMeasure::Green];
const EA: f64 = 3.0;
const EI: f64 = 0.7;
const U: [f64; 3] = [0.9, -0.3, 0.5];
const W: [f64; 3] = [0.4, 1.1, -0.8];

/// Energy of stretch and its derivative by u.
fn stretch_force(measure: StrainMeasure, ea: f64, u: [f64; 3]) -> (f64, [f64; 3]) {
    let force = cable::stretch_force(measure, ea, u.into());
    assert_eq!(force.by_w.to_array(), [0.0; 3]);
    (force.energy, force.by_u.to_array())
}

/// Energy of bending and its derivatives by u and w.
fn bending_force(measure: StrainMeasure, ei: f64, u: [f64; 3], w: [f64; 3]) -> cable::LineForce<f64> {
    cable::bending_force(measure, ei, u.into(), w.into())
}

/// Central differences of a vector by a vector: rows go with the result.
fn differences(f: impl Fn([f64; 3]) -> [f64; 3], at: [f64; 3]) -> [[f64; 3]; 3] {
    let h = 1e-5;
    let mut out = [[0.0; 3]; 3];
    for j in 0..3 {
        let (mut more, mut less) = (at, at);
        (more[j], less[j]) = (at[j] + h, at[j] - h);
        let (more, less) = (f(more), f(less));
        for i in 0..3 {
            out[i][j] = (more[i] - less[i]) / (2.0 * h);
        }
    }
    out
}

fn gradient(f: impl Fn([f64; 3]) -> f64, at: [f64; 3]) -> [f64; 3] {
    differences(|x| [f(x), 0.0, 0.0], at)[0]
}

fn close(a: &[f64], b: &[f64], tolerance: f64) {
    assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} {b:?}");
}

#[test]
fn forces_and_stiffnesses_are_derivatives_of_the_energy() {
    for m in MEASURES {
        close(&stretch_force(m, EA, U).1, &gradient(|u| stretch_force(m, EA, u).0, U), 1e-9);
        let by_difference = differences(|u| stretch_force(m, EA, u).1, U);
        close(
            stretch_stiffness(m, EA, U.into()).to_array().as_flattened(),
            by_difference.as_flattened(),
            1e-8,
        );
        let force = bending_force(m, EI, U, W);
        close(&force.by_u.to_array(), &gradient(|u| bending_force(m, EI, u, W).energy, U), 1e-8);
        close(&force.by_w.to_array(), &gradient(|w| bending_force(m, EI, U, w).energy, W), 1e-8);
        let stiffness = bending_stiffness(m, EI, U.into(), W.into());
        let uu = differences(|u| bending_force(m, EI, u, W).by_u.to_array(), U);
        let wu = differences(|u| bending_force(m, EI, u, W).by_w.to_array(), U);
        let ww = differences(|w| bending_force(m, EI, U, w).by_w.to_array(), W);
        close(stiffness.uu.to_array().as_flattened(), uu.as_flattened(), 1e-7);
        close(stiffness.wu.to_array().as_flattened(), wu.as_flattened(), 1e-7);
        close(stiffness.ww.to_array().as_flattened(), ww.as_flattened(), 1e-7);
    }
}

/// A line that was straight, stretched by s and laid on a circle of radius R: u = s, w = s²/R.
#[test]
fn a_circle_has_its_curvature() {
    let (stretch, radius) = (1.2, 4.0);
    let (u, w) = ([stretch, 0.0, 0.0], [0.0, stretch * stretch / radius, 0.0]);
    // The turn per unstretched length is s/R, that per stretched length 1/R.
    for (m, bend) in MEASURES.into_iter().zip([stretch / radius, 1.0 / radius]) {
        let energy = bending_force(m, EI, u, w).energy;
        assert!((energy - 0.5 * EI * bend * bend).abs() < 1e-15, "{m:?}: {energy}");
        let vector = Vec3::from(curvature(m, u.into(), w.into()));
        assert!((vector - Vec3::Z * bend).length() < 1e-15, "{m:?}: {vector}");
    }
    let strains = [stretch - 1.0, 0.5 * (stretch * stretch - 1.0)];
    for (m, strain) in MEASURES.into_iter().zip(strains) {
        assert!((stretch_force(m, EA, u).0 - 0.5 * EA * strain * strain).abs() < 1e-15);
    }
}

#[test]
fn turning_a_line_changes_no_energy() {
    let turn = Quat::from_axis_angle(Vec3::new(0.3, -0.5, 0.8).normalize(), 2.1);
    let (u, w) = ((turn * Vec3::from(U)).to_array(), (turn * Vec3::from(W)).to_array());
    for m in MEASURES {
        let difference = bending_force(m, EI, u, w).energy - bending_force(m, EI, U, W).energy;
        assert!(difference.abs() < 1e-15);
        assert!((stretch_force(m, EA, u).0 - stretch_force(m, EA, U).0).abs() < 1e-15);
    }
}

/// A cubic is met exactly, with its derivatives.
#[test]
fn hermite_functions_meet_a_cubic() {
    let (length, t) = (1.7, 0.37);
    let f = |x: f64| [2.0 - x + 3.0 * x * x - 0.4 * x * x * x, -1.0 + 6.0 * x - 1.2 * x * x, 6.0 - 2.4 * x];
    let ends = [f(0.0)[0], f(0.0)[1], f(length)[0], f(length)[1]];
    for (k, row) in hermite(t, length).iter().enumerate() {
        let value: f64 = row.iter().zip(ends).map(|(s, e)| s * e).sum();
        assert!((value - f(t * length)[k]).abs() < 1e-13);
    }
}
