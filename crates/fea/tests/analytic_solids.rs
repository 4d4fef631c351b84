//! Bars and tetrahedra: derivatives, patch test, no energy in rigid motion.

use huygens_fea::element::bar::Bar;
use huygens_fea::element::tetrahedron::Tetrahedron;
use huygens_kernel::corotated::Lame;
use huygens_kernel::{Mat3, Quat, Vec3};

fn corners() -> [Vec3; 4] {
    [Vec3::new(0.1, 0.0, 0.0), Vec3::new(1.2, 0.1, -0.1), Vec3::new(0.2, 0.9, 0.1), Vec3::new(-0.1, 0.2, 1.1)]
}

fn element() -> Tetrahedron {
    Tetrahedron::new(&corners(), Lame::new(5.0, 0.3), 2.0).unwrap()
}

fn turn() -> Mat3 {
    Mat3::from_quat(Quat::from_axis_angle(Vec3::new(0.5, 0.1, -0.8).normalize(), 2.9))
}

#[test]
fn uniform_strain_gives_uniform_stress() {
    let element = element();
    let strain = Mat3::from_cols(
        Vec3::new(0.02, 0.01, 0.0),
        Vec3::new(0.01, -0.01, 0.005),
        Vec3::new(0.0, 0.005, 0.03),
    );
    let stretched = turn() * (Mat3::IDENTITY + strain);
    let state = element.state(&corners().map(|x| stretched * x + Vec3::splat(4.0))).unwrap();
    let difference = state.strain() - strain;
    assert!(difference.to_cols_array().iter().all(|x| x.abs() < 1e-13));
    // Forces balance, and so do their moments.
    let x = corners().map(|x| stretched * x);
    let (_, force) = element.force(&element.state(&x).unwrap());
    assert!(force.iter().sum::<Vec3>().length() < 1e-15);
    assert!(x.iter().zip(force).map(|(x, f)| x.cross(f)).sum::<Vec3>().length() < 1e-15);
}

#[test]
fn rigid_motion_takes_no_energy() {
    let state = element().state(&corners().map(|x| turn() * x + Vec3::new(3.0, -2.0, 7.0))).unwrap();
    let (energy, force) = element().force(&state);
    assert!(energy < 1e-28 && force.iter().all(|f| f.length() < 1e-13));
}

#[test]
fn forces_and_stiffness_are_derivatives() {
    let element = element();
    let h = 1e-6;
    let mut x = corners().map(|x| turn() * x);
    x[1] += Vec3::new(0.2, -0.1, 0.15);
    x[3] -= Vec3::new(0.1, 0.2, -0.1);
    let at = |x: &[Vec3; 4]| element.force(&element.state(x).unwrap());
    let (_, force) = at(&x);
    let stiffness = element.stiffness(&element.state(&x).unwrap());
    for (j, l) in (0..12).map(|k| (k / 3, k % 3)) {
        let (mut more, mut less) = (x, x);
        more[j] += Vec3::AXES[l] * h;
        less[j] -= Vec3::AXES[l] * h;
        let (more, less) = (at(&more), at(&less));
        assert!((force[j][l] + (more.0 - less.0) / (2.0 * h)).abs() < 1e-8);
        for i in 0..4 {
            let slope = (less.1[i] - more.1[i]) / (2.0 * h);
            assert!((stiffness[i][j].col(l) - slope).length() < 1e-7);
        }
    }
}

#[test]
fn flat_and_inverted_elements_are_refused() {
    let [a, b, c, d] = corners();
    let lame = Lame::new(1.0, 0.3);
    assert!(Tetrahedron::new(&[a, c, b, d], lame, 1.0).unwrap_err() < 0.0);
    assert!(Tetrahedron::new(&[a, b, c, (a + b + c) / 3.0], lame, 1.0).is_err());
    assert!(element().state(&[a, b, c, a + b - d]).is_none());
}

#[test]
fn a_bar_pulls_along_itself() {
    let bar = Bar { length: 2.0, stretch: 10.0, damping: 0.3, density: 1.5, rope: false };
    let x = [Vec3::new(1.0, 0.5, -0.2), Vec3::new(2.0, 2.5, 1.0)];
    let still = [Vec3::ZERO; 2];
    let length = x[0].distance(x[1]);
    assert!((bar.pull(x, still) - 5.0 * (length - 2.0)).abs() < 1e-14);
    let h = 1e-6;
    for (l, axis) in Vec3::AXES.into_iter().enumerate() {
        let more = bar.force([x[0] + axis * h, x[1]], still);
        let less = bar.force([x[0] - axis * h, x[1]], still);
        assert!((bar.stiffness(x).col(l) + (more - less) / (2.0 * h)).length() < 1e-8);
    }
    let slack = Bar { rope: true, length: 5.0, ..bar };
    assert_eq!(slack.force(x, still), Vec3::ZERO);
    assert_eq!(bar.mass()[0][0] + bar.mass()[0][1], 1.5);
}
