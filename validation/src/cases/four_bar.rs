//! Four-bar linkage to 5 s against the exact equation of its one freedom.

use glam::{DQuat, DVec3};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Assembly, BodyId, JointId};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, largest, rod};

/// Ten times what the moving masses need; multipliers of redundant rows that drift exceed it [N, N·m].
const MULTIPLIER_BOUND: f64 = 1e4;
/// Step [s].
const STEP: f64 = 1e-3;
/// Error of Exudyn's trapezoidal rule on the index-2 equations at the same step, after 5 s [m].
const GIVEN_BOUND: f64 = 1.1e-3;
/// Error of Exudyn 1.13.6 with the same method and step, generalized-α with ρ = 0.9, after 5 s [m].
const SAME_METHOD_BOUND: f64 = 8.88e-4;
const CRANK: f64 = 0.3;
const COUPLER: f64 = 0.8;
const ROCKER: f64 = 0.6;
/// t, crank angle [rad], B x and y [m].
const TABLE: [[f64; 4]; 8] = [
    [0.10, 2.4119416063, 0.5289024430, 0.4714728022],
    [0.25, 4.8194045317, 0.4426128072, 0.3883258372],
    [0.50, 7.6463061171, 0.8039939846, 0.5922692336],
    [0.75, 10.6484842570, 0.4039489358, 0.3375401334],
    [1.00, 13.7055543901, 0.8561074953, 0.5983923863],
    [1.50, 19.7285146913, 0.9012145094, 0.5999987708],
    [2.00, 25.6771090610, 0.9219600329, 0.5995979961],
    [5.00, 61.6718728721, 0.4873259198, 0.4355457537],
];

struct FourBar {
    assembly: Assembly,
    coupler: BodyId,
    bearing: JointId,
}

/// Angular speeds of coupler and rocker for a crank speed: $\dot A + \omega_b\times(B-A) = \omega_c\times(B-D)$.
fn speeds(pin: DVec3, end: DVec3, foot: DVec3, crank_speed: f64) -> [f64; 2] {
    let velocity = DVec3::Z.cross(pin) * crank_speed;
    let (b, c) = (DVec3::Z.cross(end - pin), DVec3::Z.cross(end - foot));
    let determinant = b.x * -c.y + c.x * b.y;
    let coupler = (-velocity.x * -c.y + c.x * -velocity.y) / determinant;
    let rocker = (b.x * -velocity.y + velocity.x * b.y) / determinant;
    [coupler, rocker]
}

fn assemble() -> Result<FourBar> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let foot = DVec3::X * 0.9;
    let pin = DVec3::Y * CRANK;
    let end = DVec3::new(0.7491295773, 0.5807220613, 0.0);
    let speed = 8.0;
    let [coupler_speed, rocker_speed] = speeds(pin, end, foot, speed);
    let mut bar =
        |name: &str, length: f64, from: DVec3, to: DVec3, velocity: DVec3, speed: f64| -> Result<BodyId> {
            let along = to - from;
            let turn = DQuat::from_rotation_z(along.y.atan2(along.x));
            let mut body = rod(name, length, length, from + along * 0.5, turn);
            body.velocity = velocity + DVec3::Z.cross(along * 0.5) * speed;
            body.angular_velocity = DVec3::Z * speed;
            Ok(assembly.add_body(body)?)
        };
    // The bars weigh 1 kg/m.
    let crank = bar("crank", CRANK, DVec3::ZERO, pin, DVec3::ZERO, speed)?;
    let coupler = bar("coupler", COUPLER, pin, end, DVec3::Z.cross(pin) * speed, coupler_speed)?;
    let rocker = bar("rocker", ROCKER, foot, end, DVec3::ZERO, rocker_speed)?;
    let bearing = add_hinge(&mut assembly, "O", [None, Some(crank)], DVec3::ZERO)?;
    add_hinge(&mut assembly, "A", [Some(crank), Some(coupler)], pin)?;
    add_hinge(&mut assembly, "B", [Some(coupler), Some(rocker)], end)?;
    add_hinge(&mut assembly, "D", [None, Some(rocker)], foot)?;
    Ok(FourBar { assembly, coupler, bearing })
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let m = assemble()?;
    let mut s = Simulation::new(&m.assembly, ALPHA, STEP)?;
    let kinetic = s.kinetic_energy();
    let mut checks = Vec::new();
    let (mut time, mut x) = (Vec::new(), Vec::new());
    for [t, angle, bx, by] in TABLE {
        while s.state.time < t - 0.5 * STEP {
            time.push(s.state.time);
            x.push(s.position(m.coupler, DVec3::X * (0.5 * COUPLER)).x);
            s.step()?;
        }
        let end = (s.position(m.coupler, DVec3::X * (0.5 * COUPLER)) - DVec3::new(bx, by, 0.0)).length();
        checks.push(Check::error(format!("B at {t:.2} s, error [m]"), end, GIVEN_BOUND));
        if t == 5.0 {
            let turned = std::f64::consts::FRAC_PI_2 + s.coordinate(m.bearing, 0)[0];
            checks.push(Check::value("crank angle at 5 s [rad]", angle, turned, 1e-4 * angle));
        }
    }
    let energy = s.energy_change();
    let end = energy.last().map_or(f64::NAN, |e| e.abs());
    checks.push(Check::error(
        "energy / kinetic energy at the start, largest",
        largest(energy) / kinetic,
        5e-3,
    ));
    checks.push(Check::error("energy / kinetic energy at the start, at 5 s", end / kinetic, 1e-4));
    checks.push(Check::error("multiplier, largest [N, N·m]", s.largest_multiplier(), MULTIPLIER_BOUND));
    checks.push(s.residual_check());
    let mut same = Simulation::new(&m.assembly, Integrator::GeneralizedAlpha { rho: 0.9 }, STEP)?;
    same.advance_to(5.0)?;
    let [x5, y5] = [TABLE[7][2], TABLE[7][3]];
    let error = (same.position(m.coupler, DVec3::X * (0.5 * COUPLER)) - DVec3::new(x5, y5, 0.0)).length();
    checks.push(Check::error("B at 5.00 s with ρ = 0.9, error [m]", error, SAME_METHOD_BOUND));
    let column = |k: usize| -> Vec<f64> { TABLE.iter().map(|row| row[k]).collect() };
    let (rt, rx) = (column(0), column(2));
    let comparison = [Comparison { label: "B x [m]", got: (&time, &x), reference: (&rt, &rx) }];
    context.figures.compare("four_bar", "time [s]", &comparison)?;
    Ok(checks)
}
