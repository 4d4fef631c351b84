//! A contact law: a spring that is stiffer while surfaces part than while they close (walton1986).
//!
//! Run:  cargo run --release --bin contact_law
//! See:  balls part with $e = \sqrt{k_1/k_2}$ of their speed, whatever it was, under explicit and implicit methods.

use std::sync::Arc;

use huygens::prelude::*;
use huygens_core::contact::{CompliantLaw, ContactAnswer, ContactBatch};

// ANCHOR: law
/// Loading follows $k_1\delta$, unloading and loading again $k_2(\delta - \delta_0)$ from the greatest overlap so far.
struct StifferWhileParting {
    /// Stiffness while closing [N/m].
    closing: f64,
    /// Stiffness while parting [N/m].
    parting: f64,
}

impl CompliantLaw for StifferWhileParting {
    fn evaluate(&self, batch: &ContactBatch<'_>, answers: &mut [ContactAnswer]) {
        for (point, answer) in batch.points().zip(answers) {
            let overlap = -point.motion.gap;
            // The first number of the memory is the greatest overlap [m] at the end of a step.
            let greatest = point.memory[0].max(overlap);
            let left = greatest * (1.0 - self.closing / self.parting);
            let force = (self.parting * (overlap - left)).clamp(0.0, self.closing * greatest);
            answer.force = point.motion.normal * force;
            answer.memory[0] = greatest;
            answer.stiffness = self.parting;
        }
    }
}
// ANCHOR_END: law

/// Speeds of two balls after they met at `speed` [m/s].
fn collide(
    law: &Arc<StifferWhileParting>,
    integrator: Integrator,
    speed: f64,
) -> Result<[f64; 2], WorldError> {
    let mut world = World::new([0.0; 3]);
    let settings = world.settings_mut();
    settings.dt = 1e-5;
    settings.integrator = Some(integrator);
    settings.contact.law = ContactLaw::Compliant;
    let mut ball = |name: &str, x: f64, speed: f64| {
        let spec = BodySpec {
            position: [x, 0.0, 0.0],
            velocity: [speed, 0.0, 0.0],
            mass: Some(1.0),
            ..BodySpec::dynamic(name)
        };
        world.add_body(spec.with_shape(ShapeSpec::sphere(0.1)))
    };
    let balls = [ball("left", -0.101, speed)?, ball("right", 0.101, 0.0)?];
    // ANCHOR: set
    world.set_contact_law(Some(law.clone()));
    // ANCHOR_END: set
    world.run(0.05 + 0.002 / speed)?;
    Ok([world.body_velocity(balls[0])?[0], world.body_velocity(balls[1])?[0]])
}

fn main() -> Result<(), WorldError> {
    let law = Arc::new(StifferWhileParting { closing: 1e5, parting: 4e5 });
    let expected = (law.closing / law.parting).sqrt();
    for integrator in [Integrator::Leapfrog, Integrator::Hht { alpha: 0.0 }] {
        for speed in [0.2, 2.0] {
            let [left, right] = collide(&law, integrator, speed)?;
            let restitution = (right - left) / speed;
            println!("{integrator:?}, {speed} m/s: e = {restitution:.6}, expected {expected}");
            assert!((restitution - expected).abs() < 1e-5);
            assert!((left + right - speed).abs() < 1e-12 * speed);
        }
    }
    Ok(())
}
