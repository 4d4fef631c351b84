//! One ANCF beam 3243 of 1 × 0.1 × 0.1 m against the tables of Project Chrono.

use huygens_fea::element::beam_ancf::{BeamAncf, BeamCoordinates};
use huygens_fea::section::Section;

use crate::Context;
use crate::error::Result;
use crate::report::Check;

fn beam(damping: f64) -> BeamAncf {
    let poisson = 0.3;
    let shear = [Section::Rectangle { width: 0.1, height: 0.1 }.shear_share(poisson); 2];
    BeamAncf { size: [1.0, 0.1, 0.1], young: 210e9, poisson, density: 7850.0, shear, damping, rest: None }
}

fn straight() -> BeamCoordinates {
    let [x, y, z] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    [[0.0; 3], x, y, z, x, x, y, z]
}

/// Largest difference, relative to the largest number of the table.
fn worst(got: impl IntoIterator<Item = f64>, expected: &[f64]) -> f64 {
    let got: Vec<f64> = got.into_iter().collect();
    if got.len() != expected.len() {
        return f64::INFINITY;
    }
    let size = expected.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    got.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / size
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table =
        |name: &str| context.reference.numbers(&format!("fea/ancf_elements/ANCFBeam_3243_{name}.txt"));
    let still: BeamCoordinates = [[0.0; 3]; 8];
    // The end 1 mm to the side, or with 1 mm/s.
    let (mut bent, mut moving) = (straight(), still);
    bent[4][2] = 1e-3;
    moving[4][2] = 1e-3;
    let mass = beam(0.0).mass();
    let gravity = beam(0.0).gravity([0.0, 0.0, -9.80665]);
    let (_, displaced) = beam(0.0).force(&bent, &still);
    let (_, damped) = beam(0.01).force(&straight(), &moving);
    let mut checks = vec![
        Check::error("mass / largest", worst(mass.into_iter().flatten(), &table("MassMatrix")?), 1e-12),
        Check::error("gravity / largest", worst(gravity.into_iter().flatten(), &table("Grav")?), 1e-12),
        Check::error(
            "force at a displacement / largest",
            worst(displaced.into_iter().flatten(), &table("IntFrcSmallDispNoVel")?),
            1e-9,
        ),
        Check::error(
            "force at a velocity / largest",
            worst(damped.into_iter().flatten(), &table("IntFrcNoDispSmallVel")?),
            1e-9,
        ),
    ];
    // The tables of derivatives were made by differences in their program.
    let jacobians = [
        ("JacNoDispNoVelNoDamping", straight(), 0.0, 1e-6),
        ("JacSmallDispNoVelNoDamping", bent, 0.0, 1e-6),
        ("JacNoDispNoVelWithDamping", straight(), 0.01, 1e-6),
        ("JacSmallDispNoVelWithDamping", bent, 0.01, 1e-6),
        // The matrices are those at rest; the program of the tables leaves out entries below 1e-4 of the largest.
        ("JacNoDispSmallVelWithDamping", straight(), 0.01, 1e-4),
    ];
    for (name, e, damping, tolerance) in jacobians {
        let (stiffness, rates) = beam(damping).matrices(&e);
        let stiffness = stiffness.into_iter().flatten();
        let expected = table(name)?;
        let off = if damping > 0.0 {
            worst(stiffness.chain(rates.into_iter().flatten()), &expected)
        } else {
            worst(stiffness, &expected)
        };
        checks.push(Check::error(format!("{name} / largest"), off, tolerance));
    }
    Ok(checks)
}
