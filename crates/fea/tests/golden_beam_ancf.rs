//! The beam 3243 against tables of Project Chrono, where the folder with them is there.

use huygens_fea::element::beam_ancf::{BeamAncf, BeamCoordinates};
use huygens_fea::section::Section;
use huygens_test_support::reference;

fn table(name: &str) -> Option<Vec<f64>> {
    let path = reference(&format!("fea/ancf_elements/ANCFBeam_3243_{name}.txt"))?;
    let text = std::fs::read_to_string(path).unwrap();
    Some(text.split_whitespace().map(|x| x.parse().unwrap()).collect())
}

fn beam(damping: f64) -> BeamAncf {
    let poisson = 0.3;
    let shear = [Section::Rectangle { width: 0.1, height: 0.1 }.shear_share(poisson); 2];
    BeamAncf { size: [1.0, 0.1, 0.1], young: 210e9, poisson, density: 7850.0, shear, damping, rest: None }
}

fn straight() -> BeamCoordinates {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [[0.0; 3], x, y, z, x, x, y, z]
}

/// The end of the beam 1 mm to the side.
fn bent() -> BeamCoordinates {
    let mut e = straight();
    e[4][2] = 1e-3;
    e
}

fn worst(got: impl IntoIterator<Item = f64>, expected: &[f64]) -> f64 {
    let size = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    let difference = got.into_iter().zip(expected).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()));
    difference / size
}

#[test]
fn mass_and_gravity() {
    let (Some(mass), Some(gravity)) = (table("MassMatrix"), table("Grav")) else { return };
    assert!(worst(beam(0.0).mass().into_iter().flatten(), &mass) < 1e-12);
    assert!(worst(beam(0.0).gravity([0.0, 0.0, -9.80665]).into_iter().flatten(), &gravity) < 1e-12);
}

#[test]
fn forces_at_a_small_displacement_and_at_a_small_velocity() {
    let tables = (table("IntFrcSmallDispNoVel"), table("IntFrcNoDispSmallVel"));
    let (Some(displaced), Some(moving)) = tables else { return };
    let still = [[0.0; 3]; 8];
    let (_, force) = beam(0.0).force(&bent(), &still);
    assert!(worst(force.into_iter().flatten(), &displaced) < 1e-11);
    let mut rate = still;
    rate[4][2] = 1e-3;
    let (_, force) = beam(0.01).force(&straight(), &rate);
    // A strain of one rounding has a force of E A 1e-16 = 2e-7 N here, 2.5e-11 of the largest.
    assert!(worst(force.into_iter().flatten(), &moving) < 5e-11);
}

/// The tables of derivatives were made by differences in their program.
#[test]
fn stiffness_and_damping() {
    let tables = (table("JacNoDispNoVelNoDamping"), table("JacSmallDispNoVelNoDamping"));
    let (Some(at_rest), Some(displaced)) = tables else { return };
    for (e, expected) in [(straight(), at_rest), (bent(), displaced)] {
        let (stiffness, _) = beam(0.0).matrices(&e);
        assert!(worst(stiffness.into_iter().flatten(), &expected) < 1e-7);
    }
    let Some(both) = table("JacNoDispNoVelWithDamping") else { return };
    let (stiffness, damping) = beam(0.01).matrices(&straight());
    let all = stiffness.into_iter().flatten().chain(damping.into_iter().flatten());
    assert!(worst(all, &both) < 1e-7);
}
