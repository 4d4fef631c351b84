//! IFToMM benchmark library, problem A03: Andrews' squeezing mechanism of seven bodies (schiehlen1990).
//!
//! The notation is that of the test set for initial value problems. All joints are revolute joints in space.

use glam::{DMat3, DQuat, DVec3};
use huygens_multibody::{
    Assembly, Attachment, Body, BodyId, Carrier, Drive, JointId, Load, LoadFrame, ScalarLaw, Spring,
};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, largest};

/// Step [s].
const STEP: f64 = 2e-6;
/// Motor torque [N·m].
const TORQUE: f64 = 0.033;
/// Names of the angles in the reference table.
const ANGLES: [&str; 7] = ["beta", "Theta", "gamma", "phi", "delta", "Omega", "epsilon"];
/// The angles at the start [rad].
const START: [f64; 7] = [
    -0.0617138900142764,
    0.0,
    0.455279819163070,
    0.222668390165886,
    0.487364979543843,
    -0.222668390165886,
    1.23054744454982,
];
/// The angles at 0.03 s [rad], as far as the independent solutions agree.
const AT_30_MS: [f64; 7] =
    [15.81077119, -15.75637106, 0.04082224013, -0.5347301163, 0.5244099659, 0.5347301163, 1.048080741];
/// Masses [kg].
const MASS: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498];
/// Moments of inertia about the centres of mass [kg·m²].
const INERTIA: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];

/// The mechanism with the joint of each angle and the crank.
struct Squeezer {
    assembly: Assembly,
    angles: [JointId; 7],
    second: BodyId,
}

fn direction(angle: f64) -> DVec3 {
    DVec3::new(angle.cos(), angle.sin(), 0.0)
}

/// A body of the mechanism: number, origin, direction, centre of mass in its own axes.
fn add_part(
    assembly: &mut Assembly,
    number: usize,
    origin: DVec3,
    angle: f64,
    center: DVec3,
) -> Result<BodyId> {
    let i = INERTIA[number - 1];
    Ok(assembly.add_body(Body {
        name: format!("K{number}"),
        position: origin,
        rotation: DQuat::from_rotation_z(angle),
        mass: MASS[number - 1],
        center_of_mass: center,
        // Only the moment about z matters in the plane.
        inertia: DMat3::from_diagonal(DVec3::new(0.6 * i, 0.6 * i, i)),
        ..Body::default()
    })?)
}

fn assemble() -> Result<Squeezer> {
    let [a, b, c] =
        [(-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (sa, sb, sc, sd) = (0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub, zf, zt, fa) = (0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    let [beta, theta, gamma, phi, delta, omega, epsilon] = START;
    let mut m = Assembly::new(DVec3::ZERO);
    let pin = direction(beta) * rr;
    let knot = pin - direction(beta + theta) * d;
    let upper = a + direction(delta) * zt;
    let lower = a - direction(epsilon + std::f64::consts::FRAC_PI_2) * u;
    let k1 = add_part(&mut m, 1, DVec3::ZERO, beta, DVec3::X * ra)?;
    let k2 = add_part(&mut m, 2, pin, beta + theta, DVec3::X * -da)?;
    let k3 = add_part(&mut m, 3, b, gamma, DVec3::new(sb, -sa, 0.0))?;
    let k4 = add_part(&mut m, 4, upper, phi + delta, DVec3::Y * -(e - ea))?;
    let k5 = add_part(&mut m, 5, a, delta, DVec3::new(ta, tb, 0.0))?;
    let k6 = add_part(&mut m, 6, lower, omega + epsilon, DVec3::X * (zf - fa))?;
    let k7 = add_part(&mut m, 7, a, epsilon, DVec3::new(ua, -ub, 0.0))?;
    let mut hinge = |name: &str, first: Option<BodyId>, second: BodyId, point: DVec3| {
        add_hinge(&mut m, name, [first, Some(second)], point)
    };
    let angles = [
        hinge("O", None, k1, DVec3::ZERO)?,
        hinge("pin", Some(k1), k2, pin)?,
        hinge("B", None, k3, b)?,
        hinge("upper", Some(k5), k4, upper)?,
        hinge("A5", None, k5, a)?,
        hinge("lower", Some(k7), k6, lower)?,
        hinge("A7", None, k7, a)?,
    ];
    for (name, other) in [("knot3", k3), ("knot4", k4), ("knot6", k6)] {
        hinge(name, Some(k2), other, knot)?;
    }
    m.add_spring(Spring {
        name: "spring".into(),
        a: Attachment::ground(c, DQuat::IDENTITY),
        b: Attachment {
            carrier: Carrier::Body(k3),
            position: DVec3::new(sd, -sc, 0.0),
            rotation: DQuat::IDENTITY,
        },
        law: ScalarLaw::Spring { stiffness: 4530.0, damping: 0.0, rest: 0.07785, actuator: None },
    })?;
    let zero = || Drive::from(0.0);
    m.add_load(Load {
        name: "motor".into(),
        carrier: Carrier::Body(k1),
        point: DVec3::ZERO,
        frame: LoadFrame::World,
        force: [zero(), zero(), zero()],
        torque: [zero(), zero(), Drive::from(TORQUE)],
    })?;
    Ok(Squeezer { assembly: m, angles, second: k2 })
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let table = context.reference.table("mbd/iftomm/A03_andrews.csv")?;
    let mechanism = assemble()?;
    let step = context.full_or_quick(STEP, 5e-6);
    let mut s = Simulation::new(&mechanism.assembly, ALPHA, step)?;
    let start_energy = s.energy();
    let mut columns = vec![Vec::new(); 9];
    let mut at_30_ms = [0.0; 7];
    let mut imbalance = Vec::new();
    for t in table.time()? {
        s.advance_to(*t)?;
        let angles: [f64; 7] = std::array::from_fn(|k| START[k] + s.coordinate(mechanism.angles[k], 0)[0]);
        let pin = s.position(mechanism.second, DVec3::ZERO);
        if (*t - 0.03).abs() < 0.5 * step {
            at_30_ms = angles;
        }
        imbalance.push(s.energy() - start_energy - TORQUE * (angles[0] - START[0]));
        angles.iter().chain(&[pin.x, pin.y]).zip(&mut columns).for_each(|(v, c)| c.push(*v));
    }
    let mut checks: Vec<Check> = (0..7)
        .map(|k| {
            let quantity = format!("{} at 0.03 s [rad]", ANGLES[k]);
            Check::value(quantity, AT_30_MS[k], at_30_ms[k], 1e-4 * AT_30_MS[k].abs())
        })
        .collect();
    let distance = |k: usize, name: &str| -> Result<f64> {
        Ok(columns[k].iter().zip(table.column(name)?).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())))
    };
    let pin = distance(7, "Fx")?.max(distance(8, "Fy")?);
    checks.push(Check::error("crank pin over 0.05 s, largest error [m]", pin, 1e-4));
    checks.push(Check::error("energy less work of the motor, largest [J]", largest(&imbalance), 1e-4));
    checks.push(s.residual_check());
    let time = table.time()?;
    let mut comparisons = Vec::new();
    for (k, (label, name)) in
        [("β [rad]", "beta"), ("γ [rad]", "gamma"), ("ε [rad]", "epsilon")].iter().enumerate()
    {
        comparisons.push(Comparison::sampled(label, time, &columns[[0, 2, 6][k]], table.column(name)?));
    }
    context.figures.compare("iftomm_a03_andrews", "time [s]", &comparisons)?;
    Ok(checks)
}
