//! A slope: a ball that rolls or slips, and a block that sticks below and slips above the friction angle.

use glam::DVec3;
use huygens_core::contact::{ConeMethod, ContactLaw, Material};
use huygens_core::integrator::Integrator;
use huygens_kernel::contact::CompliantModel;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::Scene;

const G: f64 = 9.81;

fn scene(law: ContactLaw, slope: f64, material: Material) -> Result<Scene> {
    let gravity = G * DVec3::new(slope.sin(), 0.0, -slope.cos());
    let mut scene = match law {
        ContactLaw::Rigid => Scene::rigid(gravity, material, 1e-10)?,
        ContactLaw::Compliant => Scene::compliant(gravity, material, CompliantModel::default())?,
    };
    scene.ground()?;
    Ok(scene)
}

/// Overlap [m] of a Hertz contact of two equal materials under `load` [N].
fn depth(material: &Material, radius: f64, load: f64) -> f64 {
    let young = 0.5 * material.young / (1.0 - material.poisson * material.poisson);
    (load / (4.0 / 3.0 * young * radius.sqrt())).powf(2.0 / 3.0)
}

pub fn rolling(context: &Context) -> Result<Vec<Check>> {
    let slope = 20f64.to_radians();
    let mut checks = Vec::new();
    for (friction, expected, name) in [
        (0.2, 5.0 / 7.0 * G * slope.sin(), "rolls (μ = 0.2)"),
        (0.11, 5.0 / 7.0 * G * slope.sin(), "rolls (μ = 0.11)"),
        (0.05, G * (slope.sin() - 0.05 * slope.cos()), "slips (μ = 0.05)"),
    ] {
        let material = Material { friction, young: 2e6, ..Material::default() };
        for (law, integrator, h, sink) in [
            (ContactLaw::Rigid, Integrator::Euler, 1e-3, 0.0),
            (
                ContactLaw::Compliant,
                Integrator::Leapfrog,
                context.full_or_quick(2e-5, 1e-4),
                depth(&material, 0.5, G * slope.cos()),
            ),
        ] {
            let mut scene = scene(law, slope, material)?;
            let ball = scene.ball(0.5, 1.0, DVec3::Z * (0.5 - sink), DVec3::ZERO)?;
            let mut run = scene.start(integrator, h)?;
            run.advance_to(1.0)?;
            let got = run.velocity(ball).x / run.state.time;
            let what = format!("{law:?}, {name}: acceleration [m/s²]").to_lowercase();
            checks.push(Check::value(what, expected, got, 5e-3 * expected));
        }
    }
    Ok(checks)
}

/// Speed of a block after a second, and its acceleration in the last half of it, on a slope that is `turn` degrees
/// steeper than the friction angle of μ = 0.5.
fn motion(law: ContactLaw, solver: ConeMethod, turn: f64, h: f64) -> Result<[f64; 2]> {
    let slope = 0.5f64.atan() + turn.to_radians();
    let material = Material { friction: 0.5, young: 2e6, restitution: 0.1, ..Material::default() };
    let mut scene = scene(law, slope, material)?;
    scene.settings().rigid.solver = solver;
    let flat = scene.settings().compliant.flat_radius;
    let (sink, integrator) = match law {
        ContactLaw::Rigid => (0.0, Integrator::Euler),
        ContactLaw::Compliant => (depth(&material, flat, G * slope.cos() / 4.0), Integrator::Leapfrog),
    };
    let block = scene.block(DVec3::new(0.2, 0.2, 0.05), 1.0, DVec3::Z * (0.05 - sink), DVec3::ZERO)?;
    let mut run = scene.start(integrator, h)?;
    run.advance_to(0.5)?;
    let middle = run.velocity(block).x;
    run.advance_to(1.0)?;
    Ok([run.velocity(block).x, 2.0 * (run.velocity(block).x - middle)])
}

pub fn stick_and_slip(context: &Context) -> Result<Vec<Check>> {
    let fine = context.full_or_quick(2e-5, 1e-4);
    let mut checks = Vec::new();
    for (law, solver, name, h) in [
        (ContactLaw::Rigid, ConeMethod::Apgd, "rigid, apgd", 1e-3),
        (ContactLaw::Rigid, ConeMethod::Psor, "rigid, psor", 1e-3),
        (ContactLaw::Rigid, ConeMethod::InteriorPoint, "rigid, interior point", 1e-3),
        (ContactLaw::Compliant, ConeMethod::Apgd, "compliant", fine),
    ] {
        let [below, _] = motion(law, solver, -0.1, h)?;
        checks.push(Check::error(format!("{name}: speed 0.1° below the friction angle [m/s]"), below, 1e-6));
        let [_, above] = motion(law, solver, 0.1, h)?;
        let slope = 0.5f64.atan() + 0.1f64.to_radians();
        let expected = G * (slope.sin() - 0.5 * slope.cos());
        checks.push(Check::value(
            format!("{name}: acceleration 0.1° above [m/s²]"),
            expected,
            above,
            0.01 * expected,
        ));
    }
    Ok(checks)
}
