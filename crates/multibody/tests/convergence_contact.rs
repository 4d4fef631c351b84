//! Spin of a ball after an oblique impact on compliant ground: of second order in the step by every integrator of
//! second order.

#[path = "../../kernel/tests/impact/mod.rs"]
mod impact;

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::State;
use huygens_core::contact::{ContactLaw, Material};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::contact::{CompliantMaterial, TangentialLaw};
use huygens_multibody::{Assembly, Body, BodyKind, CollisionShape, NamedMaterial};
use impact::{Impact, mean, order};

const STEPS: [u32; 3] = [50, 100, 200];
const PHASES: u32 = 4;

/// A rubber ball.
fn ball(tangential: TangentialLaw, degrees: f64) -> Impact {
    let material = CompliantMaterial {
        young: 1e7,
        poisson: 0.3,
        restitution: 1.0,
        friction: 0.3,
        ..CompliantMaterial::default()
    };
    Impact { radius: 0.1, density: 1000.0, material, tangential, speed: 0.05, angle: degrees.to_radians() }
}

/// Spin [rad/s] after the impact in steps of a part of its duration, the ground met after `phase` of a step.
fn spin(impact: &Impact, integrator: Integrator, steps: u32, phase: f64) -> f64 {
    let step = impact.duration() / f64::from(steps);
    let mut assembly = Assembly::new(DVec3::ZERO);
    assembly.collision.settings.law = ContactLaw::Compliant;
    assembly.collision.settings.compliant = impact.model();
    let (mass, radius) = (impact.mass(), impact.radius);
    let velocity = DVec3::new(impact.angle.sin(), 0.0, -impact.angle.cos()) * impact.speed;
    let position = DVec3::Z * (radius - phase * step * velocity.z);
    let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
    let ball = Body { name: "ball".into(), mass, inertia, position, velocity, ..Body::default() };
    let ground = Body { name: "ground".into(), kind: BodyKind::Fixed, ..Body::default() };
    let surfaces = [(ground, Shape::HalfSpace, f64::INFINITY), (ball, Shape::sphere(radius).unwrap(), 1e7)];
    for (body, shape, young) in surfaces {
        let name = body.name.clone();
        let material =
            Material { young, poisson: 0.3, restitution: 1.0, friction: 0.3, ..Material::default() };
        let material = assembly.add_material(NamedMaterial { name, material }).unwrap();
        let (body, pose) = (assembly.add_body(body).unwrap(), Pose::IDENTITY);
        assembly.add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX }).unwrap();
    }
    let mechanism = assembly.build(SignalGraph::default(), &[]).unwrap();
    let mut settings = StepperSettings { integrator, ..StepperSettings::default() };
    settings.newton.tolerance = 1e-14;
    settings.newton.acceleration_tolerance = 1e-10;
    let mut stepper = Stepper::new(Arc::clone(&mechanism.model), Exec::serial(), settings).unwrap();
    let mut state = State::new(&mechanism.model);
    for _ in 0..steps + steps / 4 {
        stepper.step(&mut state, step).unwrap();
    }
    assert!(state.q[2] > radius, "the ball still touches");
    -state.v[4]
}

#[test]
fn the_spin_after_an_oblique_impact_is_of_second_order() {
    let integrators = [
        Integrator::Leapfrog,
        Integrator::Heun,
        Integrator::Rk4,
        Integrator::Newmark { beta: 0.25, gamma: 0.5 },
        Integrator::Hht { alpha: -0.1 },
        Integrator::GeneralizedAlpha { rho: 0.9 },
    ];
    for law in [TangentialLaw::Mindlin, TangentialLaw::MindlinRescaled, TangentialLaw::History] {
        for integrator in integrators {
            for degrees in [5.0, 15.0] {
                let impact = ball(law, degrees);
                let rolling = impact.speed * impact.angle.sin() / impact.radius;
                let truth = impact.outcome()[1];
                let e = STEPS.map(|steps| {
                    let phases = (0..PHASES).map(|k| (f64::from(k) + 0.5) / f64::from(PHASES));
                    let error = |phase| (spin(&impact, integrator, steps, phase) - truth) / rolling;
                    mean(&phases.map(error).collect::<Vec<_>>())
                });
                let shown = e.map(|e| format!("{e:.2e}"));
                println!("{law:?} {integrator:?} {degrees}° {shown:?}, order {:.2}", order(e[0], e[2]));
                assert!(order(e[0], e[2]) > 1.9, "{law:?} by {integrator:?} at {degrees}°: {e:?}");
                assert!(e[1] < 0.01, "{law:?} by {integrator:?} at {degrees}°: {e:?}");
            }
        }
    }
}
