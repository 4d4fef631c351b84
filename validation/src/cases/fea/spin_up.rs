//! A beam whose root is turned faster and faster until it turns evenly (simo1986).

use std::f64::consts::TAU;

use huygens::prelude::*;

use super::line::{ROTATING, section};
use crate::Context;
use crate::error::Result;
use crate::figure::Comparison;
use crate::report::Check;

const SPIN: f64 = 6.0;
const RISE: f64 = 15.0;

/// Angle of the root [rad].
fn angle(t: f64) -> f64 {
    if t >= RISE {
        return SPIN * (t - 0.5 * RISE);
    }
    let w = TAU / RISE;
    SPIN / RISE * (0.5 * t * t + ((w * t).cos() - 1.0) / (w * w))
}

fn beam(element: ElementType) -> Result<(World, StructureId)> {
    let mut world = World::new([0.0; 3]);
    world.settings_mut().dt = 0.01;
    world.settings_mut().integrator = Some(Integrator::GeneralizedAlpha { rho: 0.6 });
    let line = section([2.8e7, 1e7, 1e7], [1.4e4; 3], 1.2, [1.2e-3, 6e-4, 6e-4]);
    let beam = world.add_structure(StructureSpec {
        section: Some(line),
        ..StructureSpec::beam("beam", element, [0.0; 3], [10.0, 0.0, 0.0], 10)
    })?;
    let pivot = JointSpec::new("pivot", JointType::Revolute, "ground", "beam/start");
    world.add_joint(pivot.at([0.0; 3], [0.0, 0.0, 1.0]))?;
    // The speed of the published angle is a cycloidal step.
    let speed = Function::StepCycloidal { from: 0.0, to: SPIN, start: 0.0, duration: RISE };
    world.add_motor(MotorSpec::on_joint("motor", MotorType::Speed, "pivot", speed))?;
    Ok((world, beam))
}

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (element, name) in ROTATING {
        let (mut world, beam) = beam(element)?;
        let (mut times, mut across, mut along) = (Vec::new(), Vec::new(), Vec::new());
        let mut off_angle: f64 = 0.0;
        for k in 1..=2000 {
            world.run(0.01 * f64::from(k))?;
            let t = world.time();
            let end = world.node_motion(beam, "end")?.position;
            let (s, c) = angle(t).sin_cos();
            let turn = world.node_motion(beam, "start")?.rotation;
            let off = 2.0 * turn.z.atan2(turn.w) - angle(t);
            off_angle = off_angle.max((off - TAU * (off / TAU).round()).abs());
            times.push(t);
            across.push(end.y * c - end.x * s);
            along.push(end.x * c + end.y * s - 10.0);
        }
        let steady: Vec<f64> = times.iter().zip(&along).filter(|(t, _)| **t > 16.0).map(|x| *x.1).collect();
        let mean = steady.iter().sum::<f64>() / steady.len() as f64;
        let dip = across.iter().fold(0.0, |most: f64, x| most.min(*x));
        let exact = 5.142857e-4;
        checks.push(Check::value(format!("{name}: steady extension [m]"), exact, mean, 0.02 * exact));
        checks.push(Check::value(format!("{name}: largest dip [m]"), -0.58, dip, 0.05 * 0.58));
        checks.push(Check::error(format!("{name}: angle of the root [rad]"), off_angle, 1e-4));
        if element == ElementType::Rod3 {
            let flat = [-0.58, -0.58];
            let shown = Comparison {
                label: "end across [m]",
                got: (&times, &across),
                reference: (&[5.5, 7.5], &flat),
            };
            context.figures.compare("fea_spin_up", "time [s]", &[shown])?;
        }
    }
    Ok(checks)
}
