//! Observed orders of convergence under refinement of the line.

use std::f64::consts::PI;

use huygens::prelude::*;

use super::line::{cantilever, elastic_section, loaded_end};
use crate::Context;
use crate::error::Result;
use crate::report::Check;

const LENGTH: f64 = 2.0;
const BENDING: f64 = 3.0;
const STRETCH: f64 = 1e3;
const SHEAR: f64 = 400.0;
/// Force across the end [N]: the end goes far, P L²/EI = 4.
const FORCE: f64 = 3.0;

/// Half a circle by an end moment: distance of a cable's end from the closed form [m].
fn half_circle(pieces: usize) -> Result<f64> {
    let section = elastic_section([STRETCH; 3], [BENDING; 3]);
    let spec = StructureSpec {
        fixed: Vec::new(),
        joints: vec![NodeJointSpec::new(NodeJointType::Clamp, "start", "ground")],
        loads: vec![StructureLoadSpec::moment("end", [0.0, -PI * BENDING / LENGTH, 0.0])],
        ..cantilever(ElementType::Cable, LENGTH, pieces, section)
    };
    let end = loaded_end(spec, 20)?.position;
    Ok(end.x.hypot(end.z - 2.0 * LENGTH / PI))
}

/// End of the plane rod, by shooting: r′ = R(1 + n₁/EA, n₂/GA), θ′ = m/EI, m′ = −r′ × f, with f across.
fn exact_end(shear_compliance: f64) -> [f64; 2] {
    let rate = |[_, _, angle, moment]: [f64; 4]| {
        let (s, c) = angle.sin_cos();
        let (along, across) = (1.0 + FORCE * s / STRETCH, FORCE * c * shear_compliance);
        let x = c * along - s * across;
        [x, s * along + c * across, moment / BENDING, -x * FORCE]
    };
    let shoot = |start: f64| {
        let (steps, mut y) = (2000, [0.0, 0.0, 0.0, start]);
        let h = LENGTH / f64::from(steps);
        let moved =
            |y: [f64; 4], k: [f64; 4], h: f64| -> [f64; 4] { std::array::from_fn(|i| y[i] + h * k[i]) };
        for _ in 0..steps {
            let k1 = rate(y);
            let k2 = rate(moved(y, k1, 0.5 * h));
            let k3 = rate(moved(y, k2, 0.5 * h));
            let k4 = rate(moved(y, k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
        }
        y
    };
    // The moment where the rod starts lies between nothing and that of the straight rod; at its end it vanishes.
    let (mut low, mut high) = (0.0, FORCE * LENGTH);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[3] > 0.0 { high = middle } else { low = middle }
    }
    let end = shoot(0.5 * (low + high));
    [end[0], end[1]]
}

/// How a line is clamped.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clamp {
    /// All coordinates of its first node are fixed.
    Fixed,
    /// A joint holds place and direction; the length of a slope stays free.
    Joint,
}

/// Distance of the end from the exact one under the force across [m].
fn far_bent(element: ElementType, clamp: Clamp, pieces: usize) -> Result<f64> {
    let section = elastic_section([STRETCH, SHEAR, SHEAR], [BENDING; 3]);
    let fixed = StructureSpec {
        loads: vec![StructureLoadSpec::force("end", [0.0, 0.0, FORCE])],
        ..cantilever(element, LENGTH, pieces, section)
    };
    let spec = match clamp {
        Clamp::Fixed => fixed,
        Clamp::Joint => {
            let joints = vec![NodeJointSpec::new(NodeJointType::Clamp, "start", "ground")];
            StructureSpec { fixed: Vec::new(), joints, ..fixed }
        }
    };
    let sheared = matches!(element, ElementType::Rod | ElementType::Rod3);
    let exact = exact_end(if sheared { 1.0 / SHEAR } else { 0.0 });
    let end = loaded_end(spec, 10)?.position;
    Ok((end.x - exact[0]).hypot(end.z - exact[1]))
}

/// Checks of the two observed orders of three errors, each with half the size of the one before.
fn orders(name: &str, pieces: [usize; 3], errors: [f64; 3], bound: f64) -> Vec<Check> {
    (0..2)
        .map(|k| {
            let order = (errors[k] / errors[k + 1]).log2();
            let [coarse, fine] = [pieces[k], pieces[k + 1]];
            Check::at_least(format!("{name}, {coarse} to {fine} elements: order"), bound, order)
        })
        .collect()
}

pub fn run(_: &Context) -> Result<Vec<Check>> {
    let all = |pieces: [usize; 3], error: &dyn Fn(usize) -> Result<f64>| -> Result<[f64; 3]> {
        Ok([error(pieces[0])?, error(pieces[1])?, error(pieces[2])?])
    };
    let pieces = [8, 16, 32];
    let mut checks = orders("cable, half circle, clamp joint", pieces, all(pieces, &half_circle)?, 3.8);
    // A slope that is held with its length cannot stretch where the cable is clamped, which costs an order.
    let (fine, finer) = ([16, 32, 64], [32, 64, 128]);
    let lines = [
        (ElementType::Beam, Clamp::Fixed, "corotational, end force", pieces, 1.9),
        (ElementType::Rod, Clamp::Fixed, "rod, end force", pieces, 1.9),
        (ElementType::Rod3, Clamp::Fixed, "rod3, end force", [4, 8, 16], 3.8),
        (ElementType::Cable, Clamp::Joint, "cable, end force, clamp joint", fine, 3.8),
        (ElementType::Cable, Clamp::Fixed, "cable, end force, slope fixed", finer, 2.9),
    ];
    for (element, clamp, name, pieces, bound) in lines {
        let errors = all(pieces, &|n| far_bent(element, clamp, n))?;
        checks.extend(orders(name, pieces, errors, bound));
    }
    Ok(checks)
}
