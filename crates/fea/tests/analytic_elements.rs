//! Elements: no energy in rigid motion, forces and matrices as derivatives, cantilevers in closed form.

use huygens_fea::element::beam_ancf::{BeamAncf, BeamCoordinates};
use huygens_fea::element::cable::{Cable, CableCoordinates};
use huygens_fea::section::Section;
use huygens_kernel::cable::StrainMeasure;
use huygens_kernel::{Quat, Vec3};

const CABLES: [StrainMeasure; 2] = [StrainMeasure::Material, StrainMeasure::Green];

fn cable(measure: StrainMeasure) -> Cable {
    Cable { length: 0.7, stretch: 40.0, bending: 0.9, density: 1.3, measure }
}

fn beam() -> BeamAncf {
    let poisson = 0.3;
    let shear = [Section::Rectangle { width: 0.1, height: 0.1 }.shear_share(poisson); 2];
    BeamAncf { size: [1.1, 0.2, 0.15], young: 300.0, poisson, density: 4.0, shear, damping: 0.02, rest: None }
}

fn straight_beam(length: f64) -> BeamCoordinates {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [[0.0; 3], x, y, z, [length, 0.0, 0.0], x, y, z]
}

/// Numbers in ±1 that repeat.
fn noise(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

fn shaken<const N: usize>(at: [[f64; 3]; N], by: f64) -> [[f64; 3]; N] {
    let mut seed = 5;
    at.map(|row| row.map(|x| x + by * noise(&mut seed)))
}

fn moved<const N: usize>(at: [[f64; 3]; N], places: [usize; 2]) -> [[f64; 3]; N] {
    let turn = Quat::from_axis_angle(Vec3::new(0.2, 0.9, -0.4).normalize(), 2.6);
    let mut k = 0;
    at.map(|row| {
        let shift = if places.contains(&k) { Vec3::new(3.0, -1.0, 2.0) } else { Vec3::ZERO };
        k += 1;
        (turn * Vec3::from(row) + shift).to_array()
    })
}

#[test]
fn rigid_motion_takes_no_energy_and_no_force() {
    for measure in CABLES {
        let element = cable(measure);
        let x = [1.0, 0.0, 0.0];
        let (energy, force) = element.force(&moved([[0.0; 3], x, [element.length, 0.0, 0.0], x], [0, 2]));
        assert!(energy < 1e-28 && force.iter().flatten().all(|f| f.abs() < 1e-12), "{energy}");
    }
    let element = beam();
    let (energy, force) = element.force(&moved(straight_beam(element.size[0]), [0, 4]), &[[0.0; 3]; 8]);
    assert!(energy < 1e-26 && force.iter().flatten().all(|f| f.abs() < 1e-11), "{energy}");
}

#[test]
fn forces_and_matrices_are_derivatives() {
    let h = 1e-6;
    for measure in CABLES {
        let element = cable(measure);
        let x = [1.0, 0.0, 0.0];
        let e: CableCoordinates = shaken([[0.0; 3], x, [element.length, 0.0, 0.0], x], 0.2);
        let (_, force) = element.force(&e);
        let stiffness = element.stiffness(&e);
        for (j, l) in (0..12).map(|k| (k / 3, k % 3)) {
            let (mut more, mut less) = (e, e);
            (more[j][l], less[j][l]) = (e[j][l] + h, e[j][l] - h);
            let (more, less) = (element.force(&more), element.force(&less));
            assert!((force[j][l] + (more.0 - less.0) / (2.0 * h)).abs() < 1e-6);
            for (i, k) in (0..12).map(|k| (k / 3, k % 3)) {
                let slope = -(more.1[i][k] - less.1[i][k]) / (2.0 * h);
                assert!((stiffness[i][j][k][l] - slope).abs() < 1e-5, "{measure:?}");
            }
        }
    }
    let element = beam();
    let still = [[0.0; 3]; 8];
    let e = shaken(straight_beam(element.size[0]), 0.1);
    let (_, force) = element.force(&e, &still);
    let (stiffness, damping) = element.matrices(&e);
    for (j, l) in (0..24).map(|k| (k / 3, k % 3)) {
        let change = |at: &BeamCoordinates, by: f64| {
            let mut at = *at;
            at[j][l] += by;
            at
        };
        let (more, less) = (element.force(&change(&e, h), &still), element.force(&change(&e, -h), &still));
        assert!((force[j][l] + (more.0 - less.0) / (2.0 * h)).abs() < 1e-6);
        let (fast, slow) = (element.force(&e, &change(&still, h)), element.force(&e, &change(&still, -h)));
        for (i, k) in (0..24).map(|k| (k / 3, k % 3)) {
            let slope = -(more.1[i][k] - less.1[i][k]) / (2.0 * h);
            assert!((stiffness[3 * i + k][3 * j + l] - slope).abs() < 1e-5);
            let slope = -(fast.1[i][k] - slow.1[i][k]) / (2.0 * h);
            assert!((damping[3 * i + k][3 * j + l] - slope).abs() < 1e-7);
        }
    }
}

/// Mass moves as a rigid body does: total mass, and the moment of inertia of a rod about its middle.
#[test]
fn mass_is_that_of_a_rigid_rod() {
    let element = cable(StrainMeasure::Material);
    let (m, l) = (element.density * element.length, element.length);
    let mass = element.mass();
    let energy =
        |v: [f64; 4]| -> f64 { (0..16).map(|k| 0.5 * v[k / 4] * mass[k / 4][k % 4] * v[k % 4]).sum() };
    assert!((energy([1.0, 0.0, 1.0, 0.0]) - 0.5 * m).abs() < 1e-15);
    assert!((energy([-0.5 * l, 1.0, 0.5 * l, 1.0]) - 0.5 * m * l * l / 12.0).abs() < 1e-15);
    let element = beam();
    let [l, a, b] = element.size;
    let m = element.density * l * a * b;
    let mass = element.mass();
    let energy =
        |v: [f64; 8]| -> f64 { (0..64).map(|k| 0.5 * v[k / 8] * mass[k / 8][k % 8] * v[k % 8]).sum() };
    assert!((energy([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]) - 0.5 * m).abs() < 1e-15);
    // A turn about x: the y gradient moves along z with the rate 1.
    assert!((energy([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]) - 0.5 * m * a * a / 12.0).abs() < 1e-15);
}
