//! Observed orders of the index-3 methods in positions, velocities and multipliers.
//!
//! With the solutions at steps h, h/2 and h/4 the order is $\log_2(|y_h-y_{h/2}|/|y_{h/2}-y_{h/4}|)$.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::integrator::Integrator;
use huygens_multibody::{Assembly, Body, JointKind};

use crate::Context;
use crate::error::Result;
use crate::figure::Errors;
use crate::report::Check;
use crate::simulation::{Simulation, add_joint, rod, tight_newton};

/// Order a second-order method must show.
const SECOND: f64 = 1.9;
/// Simulated time [s].
const END: f64 = 0.4;
/// Steps, each half of the one before [s]; smaller ones bring the multipliers to their rounding error.
const STEPS: [f64; 4] = [8e-3, 4e-3, 2e-3, 1e-3];

/// A spatial double pendulum on ball joints, its bodies not symmetric.
fn ball_pendulum() -> Result<Assembly> {
    let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -9.81));
    let mut previous = None;
    for k in 0..2 {
        let body = assembly.add_body(Body {
            name: format!("body{k}"),
            position: DVec3::new(f64::from(k) + 0.5, 0.1, 0.2),
            rotation: DQuat::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), 0.7),
            mass: 1.0 + f64::from(k),
            center_of_mass: DVec3::new(0.1, -0.05, 0.2),
            inertia: DMat3::from_diagonal(DVec3::new(0.2, 0.25, 0.15)),
            ..Body::default()
        })?;
        let point = DVec3::X * f64::from(k);
        let name = format!("ball{k}");
        add_joint(
            &mut assembly,
            &name,
            JointKind::Spherical,
            [previous, Some(body)],
            point,
            DQuat::IDENTITY,
        )?;
        previous = Some(body);
    }
    Ok(assembly)
}

/// A slider–crank with a universal joint and a point on a line: a closed loop without redundant rows.
fn closed_loop() -> Result<Assembly> {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let (tilt, crank_length, length) = (0.6f64, 0.4, 1.0);
    let tip = DVec3::new(tilt.cos(), tilt.sin(), 0.0) * crank_length;
    let turn = DQuat::from_rotation_z(-(tip.y / length).asin());
    let end = tip + turn * DVec3::X * length;
    let crank =
        assembly.add_body(rod("crank", 1.0, crank_length, tip * 0.5, DQuat::from_rotation_z(tilt)))?;
    let link = assembly.add_body(rod("rod", 2.0, length, (tip + end) * 0.5, turn))?;
    let bearing = [None, Some(crank)];
    add_joint(&mut assembly, "bearing", JointKind::Revolute, bearing, DVec3::ZERO, DQuat::IDENTITY)?;
    let along_x = DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2);
    add_joint(&mut assembly, "guide", JointKind::PointOnLine, [None, Some(link)], end, along_x)?;
    let cross = DQuat::from_mat3(&DMat3::from_cols(DVec3::Z, turn * DVec3::Y, -(turn * DVec3::X)));
    add_joint(&mut assembly, "pin", JointKind::Universal, [Some(crank), Some(link)], tip, cross)?;
    Ok(assembly)
}

fn end_state(assembly: &Assembly, integrator: Integrator, step: f64) -> Result<State> {
    let mut s = Simulation::with_newton(assembly, integrator, tight_newton(), step)?;
    s.advance_to(END)?;
    Ok(s.state)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let methods = [
        ("generalized-α, ρ = 0.8", Integrator::GeneralizedAlpha { rho: 0.8 }),
        ("generalized-α, ρ = 0.5", Integrator::GeneralizedAlpha { rho: 0.5 }),
        ("HHT, α = −0.1", Integrator::Hht { alpha: -0.1 }),
        ("HHT, α = −0.3", Integrator::Hht { alpha: -0.3 }),
    ];
    let mut checks = Vec::new();
    let mut figures: Vec<(&str, Vec<Errors>)> =
        QUANTITIES.iter().map(|(what, _)| (*what, Vec::new())).collect();
    for (problem, assembly) in [("ball joints", ball_pendulum()?), ("closed loop", closed_loop()?)] {
        for (method, integrator) in methods {
            let states =
                STEPS.iter().map(|h| end_state(&assembly, integrator, *h)).collect::<Result<Vec<State>>>()?;
            for (k, (what, read)) in QUANTITIES.into_iter().enumerate() {
                let change = |i: usize| distance(read(&states[i]), read(&states[i + 1]));
                let changes: Vec<f64> = (0..STEPS.len() - 1).map(change).collect();
                let order = (changes[changes.len() - 2] / changes[changes.len() - 1]).log2();
                checks.push(Check::at_least(format!("{problem}, {method}: {what}"), SECOND, order));
                let steps = STEPS[..changes.len()].to_vec();
                figures[k].1.push(Errors { label: format!("{problem}, {method}"), steps, errors: changes });
            }
        }
    }
    context.figures.convergence("convergence_order", &figures)?;
    Ok(checks)
}

type Read = fn(&State) -> &[f64];

const QUANTITIES: [(&str, Read); 3] =
    [("positions", |s| &s.q), ("velocities", |s| &s.v), ("multipliers", |s| &s.lambda)];
