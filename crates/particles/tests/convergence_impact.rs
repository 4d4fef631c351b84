//! Spin of a grain after an oblique impact on a wall: of second order in the step.

#[path = "../../kernel/tests/impact/mod.rs"]
mod impact;

use huygens_exec::Exec;
use huygens_kernel::Vec3;
use huygens_kernel::contact::{CompliantMaterial, TangentialLaw};
use huygens_particles::{Grain, GrainSettings, GrainSystem, Wall};
use impact::{Impact, mean, order};

const STEPS: [u32; 5] = [25, 50, 100, 200, 400];
/// Places of the wall within a step at which the grain may meet it.
const PHASES: u32 = 8;
const LAWS: [TangentialLaw; 3] =
    [TangentialLaw::Mindlin, TangentialLaw::MindlinRescaled, TangentialLaw::History];

/// The ceramic sphere of the published impacts, at any speed.
fn sphere(tangential: TangentialLaw, speed: f64, degrees: f64) -> Impact {
    let material = CompliantMaterial {
        young: 3.8e11,
        poisson: 0.23,
        restitution: 1.0,
        friction: 0.092,
        ..CompliantMaterial::default()
    };
    Impact { radius: 0.0025, density: 4000.0, material, tangential, speed, angle: degrees.to_radians() }
}

/// Spin [rad/s] after the impact in steps of a part of its duration, the wall met after `phase` of a step.
fn spin(impact: &Impact, steps: u32, phase: f64) -> f64 {
    let step = impact.duration() / f64::from(steps);
    let settings = GrainSettings {
        model: impact.model(),
        materials: vec![impact.material, impact.wall()],
        gravity: Vec3::ZERO,
        ..GrainSettings::default()
    };
    let mut system = GrainSystem::new(settings).unwrap();
    system.add_wall(Wall { material: 1, ..Wall::plane("plane", Vec3::ZERO, Vec3::Z) }).unwrap();
    let velocity = Vec3::new(impact.angle.sin(), 0.0, -impact.angle.cos()) * impact.speed;
    let position = Vec3::Z * (impact.radius - phase * step * velocity.z);
    let grain =
        Grain { position, velocity, radius: impact.radius, density: impact.density, ..Grain::default() };
    system.add(&grain).unwrap();
    system.run(&Exec::serial(), step, u64::from(steps + steps / 5)).unwrap();
    assert!(system.places()[0].0[2] > impact.radius, "the grain still touches");
    -system.spins()[0].0[1]
}

/// Error of the spin in the mean over the phases, relative to that of a ball that rolls along the wall.
fn errors(impact: &Impact) -> [f64; 5] {
    let rolling = impact.speed * impact.angle.sin() / impact.radius;
    let truth = impact.outcome()[1];
    STEPS.map(|steps| {
        let phases = (0..PHASES).map(|k| (f64::from(k) + 0.5) / f64::from(PHASES));
        mean(&phases.map(|phase| (spin(impact, steps, phase) - truth) / rolling).collect::<Vec<_>>())
    })
}

#[test]
fn the_spin_after_an_oblique_impact_is_of_second_order() {
    for law in LAWS {
        for degrees in [2.0, 10.0, 30.0, 60.0] {
            let e = errors(&sphere(law, 0.39, degrees));
            let shown = e.map(|e| format!("{e:.2e}"));
            println!("{law:?} {degrees}° {shown:?}, order {:.2?}", [order(e[0], e[2]), order(e[2], e[4])]);
            assert!(order(e[0], e[2]) > 1.9, "{law:?} at {degrees}°: {e:?}");
            assert!(order(e[2], e[4]) > 1.9, "{law:?} at {degrees}°: {e:?}");
        }
    }
}

#[test]
fn a_hundred_steps_give_the_spin_of_a_steep_impact_to_a_percent() {
    let impact = sphere(TangentialLaw::Mindlin, 3.9, 2.0);
    let truth = impact.outcome()[1];
    for k in 0..PHASES {
        let got = spin(&impact, 100, f64::from(k) / f64::from(PHASES));
        assert!((got / truth - 1.0).abs() < 0.01, "{got} rad/s instead of {truth}");
    }
}
