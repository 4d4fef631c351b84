//! Two balls meet head-on: the rebound speed is the restitution of the material times the approach speed.

use glam::DVec3;
use huygens_core::contact::Material;
use huygens_core::integrator::Integrator;
use huygens_kernel::contact::{CompliantModel, NormalLaw, TangentialLaw};

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::Scene;

/// Step of the reference [s].
const STEP: f64 = 3e-5;

fn measured(scene: &mut Scene, integrator: Integrator) -> Result<f64> {
    let left = scene.ball(0.5, 1.0, DVec3::new(-0.55, 0.0, 0.0), DVec3::X)?;
    let right = scene.ball(0.5, 1.0, DVec3::new(0.55, 0.0, 0.0), DVec3::NEG_X)?;
    let mut run = scene.start(integrator, STEP)?;
    run.advance_to(0.3)?;
    Ok((run.velocity(right).x - run.velocity(left).x) / 2.0)
}

pub fn run(_: &Context) -> Result<Vec<Check>> {
    let hooke = NormalLaw::Hooke { speed: 1.0 };
    let coulomb = TangentialLaw::Coulomb { speed: 1e-3 };
    let models = [
        ("Hooke", CompliantModel { normal: hooke, ..CompliantModel::default() }),
        ("Hertz", CompliantModel::default()),
        ("plain Coulomb", CompliantModel { normal: hooke, tangential: coulomb, ..CompliantModel::default() }),
    ];
    let mut checks = Vec::new();
    for restitution in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let material = Material { young: 2e5, poisson: 0.3, restitution, ..Material::default() };
        let mut scene = Scene::rigid(DVec3::ZERO, material, 1e-13)?;
        let got = measured(&mut scene, Integrator::Euler)?;
        checks.push(Check::value(format!("rigid, e = {restitution}"), restitution, got, 1e-12));
        for (name, model) in models {
            let mut scene = Scene::compliant(DVec3::ZERO, material, model)?;
            let got = measured(&mut scene, Integrator::Leapfrog)?;
            checks.push(Check::value(format!("{name}, e = {restitution}"), restitution, got, 1e-3));
        }
    }
    Ok(checks)
}
