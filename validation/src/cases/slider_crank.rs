//! Slider–crank to 5 s against the exact equation of its one freedom.
//!
//! In space the three revolute joints and the prismatic joint have three redundant rows; the other form replaces the
//! revolute joint at the slider by a point on a line, which leaves none.

use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

use glam::{DMat3, DQuat, DVec3};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Assembly, Body, BodyId, JointId, JointKind};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, Simulation, add_hinge, add_joint, largest, rod};

/// Ten times what the moving masses need; multipliers of redundant rows that drift exceed it [N, N·m].
const MULTIPLIER_BOUND: f64 = 1e4;
/// Step [s]: half of the benchmark's, which still costs less than a quarter of Exudyn's time. At 1e-3 s the
/// truncation error of generalized-α with ρ = 0.8 is 1.12e-3 m after 5 s (Exudyn's too).
const STEP: f64 = 5e-4;
/// The benchmark's step [s], for the comparison with the same method.
const BENCHMARK_STEP: f64 = 1e-3;
/// Error of Exudyn's trapezoidal rule on the index-2 equations at 1e-3 s, after 5 s [m].
const GIVEN_BOUND: f64 = 9e-4;
/// Error of Exudyn 1.13.6 with the same method and step, generalized-α with ρ = 0.9, after 5 s [m].
const SAME_METHOD_BOUND: f64 = 1.0195e-3;
const CRANK: f64 = 0.2;
const ROD: f64 = 0.5;
/// t, crank angle [rad], slider position [m].
const TABLE: [[f64; 3]; 8] = [
    [0.10, 1.6577910185, 0.4412099161],
    [0.25, 4.0746631572, 0.3544010755],
    [0.50, 7.3541446763, 0.5640321691],
    [0.75, 10.7921324330, 0.4196274035],
    [1.00, 13.8992283344, 0.5078157446],
    [1.50, 20.4474871867, 0.4528633738],
    [2.00, 27.0235381097, 0.3996426313],
    [5.00, 67.6880615165, 0.4878180493],
];

struct SliderCrank {
    assembly: Assembly,
    slider: BodyId,
    bearing: JointId,
}

fn assemble(redundant: bool) -> Result<SliderCrank> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let (angle, speed) = (FRAC_PI_4, 10.0);
    let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let pin = along * CRANK;
    let pin_velocity = DVec3::Z.cross(pin) * speed;
    let tilt = -(pin.y / ROD).asin();
    let rod_speed = -pin_velocity.y / (ROD * tilt.cos());
    let rod_vector = DVec3::new(tilt.cos(), tilt.sin(), 0.0) * ROD;
    let mut crank = rod("crank", 1.0, CRANK, pin * 0.5, DQuat::from_rotation_z(angle));
    (crank.velocity, crank.angular_velocity) = (pin_velocity * 0.5, DVec3::Z * speed);
    let mut link = rod("rod", 2.0, ROD, pin + rod_vector * 0.5, DQuat::from_rotation_z(tilt));
    link.velocity = pin_velocity + DVec3::Z.cross(rod_vector * 0.5) * rod_speed;
    link.angular_velocity = DVec3::Z * rod_speed;
    let end = pin + rod_vector;
    let slider = Body {
        name: "slider".into(),
        position: end,
        velocity: pin_velocity + DVec3::Z.cross(rod_vector) * rod_speed,
        mass: 3.0,
        inertia: DMat3::IDENTITY * 1e-2,
        ..Body::default()
    };
    let (crank, link) = (assembly.add_body(crank)?, assembly.add_body(link)?);
    let slider = assembly.add_body(slider)?;
    let bearing = add_hinge(&mut assembly, "bearing", [None, Some(crank)], DVec3::ZERO)?;
    add_hinge(&mut assembly, "crank pin", [Some(crank), Some(link)], pin)?;
    let kind = if redundant { JointKind::Revolute } else { JointKind::PointOnLine };
    add_joint(&mut assembly, "slider pin", kind, [Some(slider), Some(link)], end, DQuat::IDENTITY)?;
    let turn = DQuat::from_rotation_y(FRAC_PI_2);
    add_joint(&mut assembly, "guide", JointKind::Prismatic, [None, Some(slider)], DVec3::ZERO, turn)?;
    Ok(SliderCrank { assembly, slider, bearing })
}

pub fn run(context: &Context, redundant: bool) -> Result<Vec<Check>> {
    let m = assemble(redundant)?;
    let mut s = Simulation::new(&m.assembly, ALPHA, STEP)?;
    let kinetic = s.kinetic_energy();
    let mut checks = Vec::new();
    let (mut time, mut x) = (Vec::new(), Vec::new());
    for [t, angle, position] in TABLE {
        while s.state.time < t - 0.5 * STEP {
            time.push(s.state.time);
            x.push(s.position(m.slider, DVec3::ZERO).x);
            s.step()?;
        }
        let slider = (s.position(m.slider, DVec3::ZERO).x - position).abs();
        checks.push(Check::error(format!("slider at {t:.2} s, error [m]"), slider, GIVEN_BOUND));
        if t == 5.0 {
            let turned = FRAC_PI_4 + s.coordinate(m.bearing, 0)[0];
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
    let mut same = Simulation::new(&m.assembly, Integrator::GeneralizedAlpha { rho: 0.9 }, BENCHMARK_STEP)?;
    same.advance_to(5.0)?;
    let [x5, y5] = [TABLE[7][2], 0.0];
    let error = (same.position(m.slider, DVec3::ZERO) - DVec3::new(x5, y5, 0.0)).length();
    checks.push(Check::error(
        "slider at 5.00 s with ρ = 0.9 and 1e-3 s steps, error [m]",
        error,
        SAME_METHOD_BOUND,
    ));
    let column = |k: usize| -> Vec<f64> { TABLE.iter().map(|row| row[k]).collect() };
    let (rt, rx) = (column(0), column(2));
    let comparison = [Comparison { label: "slider x [m]", got: (&time, &x), reference: (&rt, &rx) }];
    let name = if redundant { "slider_crank_redundant" } else { "slider_crank" };
    context.figures.compare(name, "time [s]", &comparison)?;
    Ok(checks)
}
