//! Point laws against closed forms.

use huygens_kernel::V3;
use huygens_kernel::corotated::Lame;
use huygens_kernel::point::{
    PointLaw, StVenantKirchhoff, Stiffness, Symmetric, coupling_stress, kirchhoff_stress, stress_change,
    tensor_dot, tensor_sum, uncoupled_stress, zero_tensor,
};

const YOUNG: f64 = 2.1e11;
const POISSON: f64 = 0.3;

fn law() -> StVenantKirchhoff<f64> {
    let Lame { lambda, mu } = Lame::new(YOUNG, POISSON);
    StVenantKirchhoff { lambda, mu }
}

fn strain() -> Symmetric<f64> {
    Symmetric { xx: 1e-3, yy: -4e-4, zz: 7e-4, xy: 2e-4, yz: -5e-4, zx: 3e-4 }
}

fn near(a: Symmetric<f64>, b: Symmetric<f64>, size: f64) {
    let off = tensor_sum(a, -1.0, b);
    assert!(tensor_dot(off, off).sqrt() < size, "{a:?} {b:?}");
}

/// Pulled along x with free sides, only Young's modulus counts.
#[test]
fn uniaxial_stress_has_youngs_modulus() {
    let e = 1e-3;
    let strain = Symmetric { xx: e, yy: -POISSON * e, zz: -POISSON * e, ..zero_tensor() };
    let answer = law().answer(strain, ());
    near(answer.stress, Symmetric { xx: YOUNG * e, ..zero_tensor() }, 1e-12 * YOUNG * e);
    assert!((answer.energy - 0.5 * YOUNG * e * e).abs() < 1e-12 * answer.energy);
}

/// The stiffness is the derivative of the stress, which is that of the energy.
#[test]
fn derivatives_agree() {
    let (law, at) = (law(), strain());
    let answer = law.answer(at, ());
    near(stress_change(&answer.stiffness, at), answer.stress, 1e-12 * YOUNG);
    assert_eq!(answer.stiffness, Stiffness::of(|e| kirchhoff_stress(law.lambda, law.mu, e)));
    for direction in [
        Symmetric { xx: 1.0, ..zero_tensor() },
        Symmetric { xy: 1.0, ..zero_tensor() },
        Symmetric { yz: 0.3, zz: -0.7, zx: 0.1, yy: 0.2, ..zero_tensor() },
    ] {
        let h = 1e-6;
        let energy = |by: f64| law.answer(tensor_sum(at, by, direction), ()).energy;
        let slope = (energy(h) - energy(-h)) / (2.0 * h);
        assert!(
            (slope - tensor_dot(answer.stress, direction)).abs() < 1e-6 * slope.abs().max(1e6),
            "{slope}"
        );
        let moved = law.answer(tensor_sum(at, 1.0, direction), ()).stress;
        let change = tensor_sum(moved, -1.0, answer.stress);
        near(change, stress_change(&answer.stiffness, direction), 1e-9 * YOUNG);
    }
}

/// Both parts of the split law add up to the whole.
#[test]
fn the_parts_are_the_whole() {
    let StVenantKirchhoff { lambda, mu } = law();
    let whole = law().answer(strain(), ()).stress;
    let alike = V3 { x: mu, y: mu, z: mu };
    let along = uncoupled_stress(YOUNG, alike, strain());
    let parts = tensor_sum(along, 1.0, coupling_stress(lambda, POISSON, strain()));
    near(parts, whole, 1e-12 * YOUNG * 1e-3);
    let split = Stiffness::of(|e| coupling_stress(lambda, POISSON, e));
    near(stress_change(&split, strain()), coupling_stress(lambda, POISSON, strain()), 1e-9);
}
