//! A rod that slides on its tip with much friction: Coulomb's law and rigidity contradict each other (painleve1895).

use glam::{DQuat, DVec3};
use huygens_core::contact::{ContactLaw, FrictionModel, Material};
use huygens_core::integrator::Integrator;
use huygens_geometry::Shape;
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::Body;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Scene, box_inertia};
use crate::simulation::largest;

/// Angle of the rod above the ground, at which the least friction, 4/3, leads to the paradox.
const ANGLE: f64 = 1.107_148_717_794_090_4;

pub fn run(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let fine = context.full_or_quick(1e-5, 5e-5);
    for (law, friction, name, h) in [
        (ContactLaw::Rigid, FrictionModel::Relaxed, "rigid, relaxed", 1e-3),
        (ContactLaw::Rigid, FrictionModel::Relaxed, "rigid, relaxed, fine steps", 1e-4),
        (ContactLaw::Rigid, FrictionModel::Coulomb, "rigid, Coulomb", 1e-3),
        (ContactLaw::Rigid, FrictionModel::Coulomb, "rigid, Coulomb, fine steps", 1e-4),
        (ContactLaw::Compliant, FrictionModel::Relaxed, "compliant", fine),
    ] {
        for direction in [-1.0, 1.0] {
            let material = Material { friction: 2.0, young: 1e8, restitution: 0.2, ..Material::default() };
            let material = match law {
                ContactLaw::Rigid => Material { restitution: 0.0, ..material },
                ContactLaw::Compliant => material,
            };
            let mut scene = match law {
                ContactLaw::Rigid => Scene::rigid(GRAVITY, material, 1e-9)?,
                ContactLaw::Compliant => Scene::compliant(GRAVITY, material, CompliantModel::default())?,
            };
            scene.settings().rigid.friction = friction;
            scene.ground()?;
            // A slender capsule, 1 m long; its lower end touches.
            let (half, radius) = (0.5, 0.01);
            let body = Body {
                inertia: box_inertia(DVec3::new(radius, radius, half), 1.0),
                position: DVec3::Z * (half * ANGLE.sin() + radius),
                rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2 - ANGLE),
                velocity: DVec3::X * 3.0 * direction,
                ..Body::default()
            };
            let rod = scene.add(body, Shape::capsule(radius, half)?)?;
            let mut run = scene.start(integrator(law), h)?;
            let start = run.energy();
            let (mut gain, mut depth) = (f64::NEG_INFINITY, 0.0f64);
            run.watch_to(2.0, |run| {
                gain = gain.max(run.energy() - start);
                depth = depth.max(run.penetration());
                Ok(())
            })?;
            let way = if direction < 0.0 { "tip leads" } else { "tip trails" };
            let finite = largest(&run.state.q).is_finite() && largest(&run.state.v).is_finite();
            let name = format!("{name}, {way}");
            checks.push(Check::value(
                format!("{name}: finite (1 = yes)"),
                1.0,
                f64::from(u8::from(finite)),
                0.0,
            ));
            checks.push(Check::error(
                format!("{name}: energy gained / energy"),
                (gain / start).max(0.0),
                1e-9,
            ));
            checks.push(Check::error(format!("{name}: deepest overlap [m]"), depth, 5e-3));
            checks.push(Check::value(
                format!("{name}: height at 2 s [m]"),
                radius,
                run.position(rod).z,
                2e-3,
            ));
        }
    }
    Ok(checks)
}

fn integrator(law: ContactLaw) -> Integrator {
    match law {
        ContactLaw::Rigid => Integrator::Euler,
        ContactLaw::Compliant => Integrator::Leapfrog,
    }
}
