//! A slider on an inclined guide held by a spring and damper: two methods, one coordinate, and equilibrium.

use std::f64::consts::FRAC_PI_4;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::analysis::{StaticsSettings, equilibrium};
use huygens_core::integrator::Integrator;
use huygens_multibody::{Assembly, Attachment, Body, BodyId, BodyQuantity, JointKind, ScalarLaw, Spring};

use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;
use crate::simulation::{ALPHA, HHT, Simulation, add_joint, rms};

const STIFFNESS: f64 = 50.0;
const DAMPING: f64 = 2.0;
const REST: f64 = 1.5;
const G: f64 = 10.0;
/// Step [s].
const STEP: f64 = 1e-4;
/// Simulated time [s].
const END: f64 = 2.0;

fn start() -> DVec3 {
    DVec3::new(0.0, 0.0, -3.0)
}

fn axis() -> DVec3 {
    DQuat::from_rotation_y(-FRAC_PI_4) * DVec3::Z
}

fn assemble() -> Result<(Assembly, BodyId)> {
    let mut assembly = Assembly::new(DVec3::Z * -G);
    let slider = assembly.add_body(Body {
        name: "slider".into(),
        position: start(),
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(0.1)),
        ..Body::default()
    })?;
    let turn = DQuat::from_rotation_y(-FRAC_PI_4);
    add_joint(&mut assembly, "guide", JointKind::Prismatic, [None, Some(slider)], start(), turn)?;
    assembly.add_spring(Spring {
        name: "spring".into(),
        a: Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
        b: Attachment::origin(slider),
        law: ScalarLaw::Spring { stiffness: STIFFNESS, damping: DAMPING, rest: REST, actuator: None },
    })?;
    Ok((assembly, slider))
}

/// Force along the guide at displacement `s` and speed `v` [N].
fn force(s: f64, v: f64) -> f64 {
    let p = start() + axis() * s;
    let length = p.length();
    let slope = p.dot(axis()) / length;
    (-STIFFNESS * (length - REST) - DAMPING * slope * v) * slope - G * axis().z
}

/// Displacement and speed at the sample times by the classical Runge–Kutta method on one coordinate.
fn one_coordinate(samples: usize) -> Vec<[f64; 2]> {
    let (inner, mut s, mut v) = (100, 0.0, 0.0);
    let h = END / samples as f64 / f64::from(inner);
    let mut out = vec![[s, v]];
    for _ in 0..samples {
        for _ in 0..inner {
            let k1 = (v, force(s, v));
            let k2 = (v + 0.5 * h * k1.1, force(s + 0.5 * h * k1.0, v + 0.5 * h * k1.1));
            let k3 = (v + 0.5 * h * k2.1, force(s + 0.5 * h * k2.0, v + 0.5 * h * k2.1));
            let k4 = (v + h * k3.1, force(s + h * k3.0, v + h * k3.1));
            s += h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0);
            v += h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1);
        }
        out.push([s, v]);
    }
    out
}

const SAMPLES: usize = 200;

/// Displacement and speed along the guide at the sample times.
fn slide(assembly: &Assembly, slider: BodyId, integrator: Integrator) -> Result<([Vec<f64>; 2], Simulation)> {
    let mut s = Simulation::new(assembly, integrator, STEP)?;
    let mut out = [Vec::new(), Vec::new()];
    for k in 0..=SAMPLES {
        s.advance_to(END * k as f64 / SAMPLES as f64)?;
        out[0].push((s.position(slider, DVec3::ZERO) - start()).dot(axis()));
        out[1].push(s.body(slider, BodyQuantity::Velocity, DVec3::ZERO).dot(axis()));
    }
    Ok((out, s))
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let (assembly, slider) = assemble()?;
    let exact = one_coordinate(SAMPLES);
    let (alpha, s) = slide(&assembly, slider, ALPHA)?;
    let (hht, other) = slide(&assembly, slider, HHT)?;
    let column = |k: usize| -> Vec<f64> { exact.iter().map(|x| x[k]).collect() };
    let (position, velocity) = (column(0), column(1));
    let time: Vec<f64> = (0..=SAMPLES).map(|k| END * k as f64 / SAMPLES as f64).collect();
    context.figures.compare(
        "prismatic_spring",
        "time [s]",
        &[
            Comparison::sampled("displacement [m]", &time, &alpha[0], &position),
            Comparison::sampled("speed [m/s]", &time, &alpha[1], &velocity),
        ],
    )?;
    let mut checks = vec![
        Check::error("generalized-α and HHT, position RMS [m]", rms(&alpha[0], &hht[0]), 1e-6),
        Check::error("generalized-α and HHT, velocity RMS [m/s]", rms(&alpha[1], &hht[1]), 1e-6),
        Check::error("generalized-α and one coordinate, RMS [m]", rms(&alpha[0], &position), 1e-6),
        s.residual_check(),
        other.residual_check(),
    ];
    checks.push(static_check(&assembly, slider)?);
    Ok(checks)
}

/// Equilibrium against the root of the force along the guide.
fn static_check(assembly: &Assembly, slider: BodyId) -> Result<Check> {
    let (mut low, mut high) = (-5.0, 5.0);
    // One root lies on the far side of the point next to the anchor, where the search of the engine ends too.
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if force(middle, 0.0) > 0.0 { low = middle } else { high = middle }
    }
    let mut s = Simulation::new(assembly, ALPHA, STEP)?;
    let Simulation { stepper, state, .. } = &mut s;
    equilibrium(stepper.system(), state, &StaticsSettings::default())?;
    let got = (s.position(slider, DVec3::ZERO) - start()).dot(axis());
    Ok(Check::value("static displacement along the guide [m]", low, got, 1e-8))
}
