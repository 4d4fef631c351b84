//! A rod that swings through 90°: its period is 4K(1/2)/2π times the period of small swings.

use glam::{DQuat, DVec3};
use huygens_multibody::Assembly;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, rod};

/// 4K(1/2)/2π with the complete elliptic integral of the first kind.
const FACTOR: f64 = 1.180340599;
/// Step [s].
const STEP: f64 = 2e-4;

pub fn run(_context: &Context) -> Result<Vec<Check>> {
    let (mass, length, g) = (2.0, 1.5, 9.81);
    let mut assembly = Assembly::new(DVec3::new(0.0, -g, 0.0));
    let body = assembly.add_body(rod("rod", mass, length, DVec3::X * (0.5 * length), DQuat::IDENTITY))?;
    let hinge = add_hinge(&mut assembly, "hinge", [None, Some(body)], DVec3::ZERO)?;
    let mut s = Simulation::new(&assembly, ALPHA, STEP)?;
    let small = std::f64::consts::TAU * (2.0 * length / (3.0 * g)).sqrt();
    // From the first to the second passage of the lowest point in the same sense.
    let lowest = |s: &mut Simulation| s.coordinate(hinge, 0).map(|x| -x);
    let below = move |s: &mut Simulation| {
        let [angle, rate] = lowest(s);
        [angle - std::f64::consts::FRAC_PI_2, rate]
    };
    let first = s.time_of_rise("the first passage", 2.0 * small, below)?;
    let second = s.time_of_rise("the second passage", 4.0 * small, below)?;
    Ok(vec![
        Check::value("period / period of small swings", FACTOR, (second - first) / small, 1e-6),
        Check::error("energy drift, largest / m g L", s.largest_energy_change() / (mass * g * length), 1e-6),
        s.residual_check(),
    ])
}
