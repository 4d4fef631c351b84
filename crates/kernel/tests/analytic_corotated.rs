//! Elasticity in turned axes: polar decomposition, closed forms, derivatives against differences.

use huygens_kernel::corotated::{Corotated, Lame, polar_rotation};
use huygens_kernel::{Mat3, Quat, Vec3};

fn turn(angle: f64) -> Mat3 {
    Mat3::from_quat(Quat::from_axis_angle(Vec3::new(0.6, -0.7, 0.2).normalize(), angle))
}

fn stretch() -> Mat3 {
    Mat3::from_cols(Vec3::new(1.3, 0.1, -0.2), Vec3::new(0.1, 0.8, 0.15), Vec3::new(-0.2, 0.15, 1.1))
}

fn far(a: &Mat3, b: &Mat3) -> f64 {
    (*a - *b).to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

#[test]
fn rotation_and_stretch_are_found() {
    for angle in [0.0, 1e-8, 0.4, 2.0, 3.1] {
        let found = Corotated::new(&(turn(angle) * stretch())).unwrap();
        assert!(far(&found.rotation, &turn(angle)) < 1e-14 && far(&found.stretch, &stretch()) < 1e-14);
    }
    // Nearly flat, and very long.
    let thin = Mat3::from_diagonal(Vec3::new(1.0, 1e-6, 1e6));
    assert!(far(&polar_rotation(&(turn(1.0) * thin)).unwrap(), &turn(1.0)) < 1e-9);
    for bad in [Mat3::ZERO, Mat3::from_diagonal(Vec3::new(1.0, 1.0, -1.0)), Mat3::NAN] {
        assert!(polar_rotation(&bad).is_none());
    }
}

/// A bar that may contract: σ = E ε along it and none across, at any rotation.
#[test]
fn a_pulled_bar_has_its_stress() {
    let (young, poisson, strain) = (2.1e5, 0.3, 0.01);
    let side = 1.0 - poisson * strain;
    let pulled = turn(2.3) * Mat3::from_diagonal(Vec3::new(1.0 + strain, side, side));
    let lame = Lame::new(young, poisson);
    let state = Corotated::new(&pulled).unwrap();
    let stress = state.stress(&lame);
    assert!(far(&stress, &Mat3::from_diagonal(Vec3::new(young * strain, 0.0, 0.0))) < 1e-9 * young);
    assert!((state.energy(&lame) - 0.5 * young * strain * strain).abs() < 1e-12 * young);
}

#[test]
fn stress_and_tangent_are_derivatives_of_the_energy() {
    let lame = Lame::new(3.0, 0.35);
    let f = turn(1.1) * stretch();
    let energy = |f: &Mat3| Corotated::new(f).unwrap().energy(&lame);
    let piola = |f: &Mat3| Corotated::new(f).unwrap().piola(&lame);
    let h = 1e-5;
    let unit = |i: usize, j: usize| {
        let mut e = Mat3::ZERO;
        e.col_mut(j)[i] = h;
        e
    };
    let stress = piola(&f);
    for i in 0..3 {
        for j in 0..3 {
            let slope = (energy(&(f + unit(i, j))) - energy(&(f - unit(i, j)))) / (2.0 * h);
            assert!((slope - stress.col(j)[i]).abs() < 1e-9);
        }
    }
    // Moving node b along axis k changes F by e_k b^T, and the force on node a is P a.
    let (a, b) = (Vec3::new(0.7, -0.4, 1.2), Vec3::new(-0.5, 0.9, 0.3));
    let block = Corotated::new(&f).unwrap().tangent(&lame).block(a, b);
    for k in 0..3 {
        let axis = Vec3::AXES[k] * h;
        let change = Mat3::from_cols(axis * b.x, axis * b.y, axis * b.z);
        let slope = (piola(&(f + change)) - piola(&(f - change))) * a / (2.0 * h);
        assert!((slope - block.col(k)).length() < 1e-8, "{slope} {}", block.col(k));
    }
}
