//! Bodies that friction brings to rest: a sliding block, a rolling ball, a spinning ball.

use glam::DVec3;
use huygens_core::contact::{ContactLaw, FrictionModel, Material};
use huygens_core::integrator::Integrator;
use huygens_geometry::Shape;
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::Body;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Scene, ball_inertia};

const G: f64 = 9.81;
/// Young's modulus where the closed form of rigid bodies is the reference [Pa].
const STIFF: f64 = 2e9;
const LAWS: [ContactLaw; 2] = [ContactLaw::Rigid, ContactLaw::Compliant];

fn name(law: ContactLaw) -> &'static str {
    match law {
        ContactLaw::Rigid => "rigid",
        ContactLaw::Compliant => "compliant",
    }
}

fn scene(law: ContactLaw, material: Material) -> Result<Scene> {
    match law {
        ContactLaw::Rigid => Scene::rigid(GRAVITY, material, 1e-9),
        ContactLaw::Compliant => Scene::compliant(GRAVITY, material, CompliantModel::default()),
    }
}

fn method(law: ContactLaw) -> Integrator {
    match law {
        ContactLaw::Rigid => Integrator::Euler,
        ContactLaw::Compliant => Integrator::Leapfrog,
    }
}

/// Overlap [m] of a Hertz contact of two equal materials under `load` [N]; none under the rigid law.
fn depth(law: ContactLaw, material: &Material, radius: f64, load: f64) -> f64 {
    let young = 0.5 * material.young / (1.0 - material.poisson * material.poisson);
    match law {
        ContactLaw::Rigid => 0.0,
        ContactLaw::Compliant => (load / (4.0 / 3.0 * young * radius.sqrt())).powf(2.0 / 3.0),
    }
}

/// A cube of 0.5 m and 1 kg slides on a plate.
pub fn block(_: &Context) -> Result<Vec<Check>> {
    let expected = 25.0 / (2.0 * 0.5 * G);
    let mut checks = Vec::new();
    let setups = [
        (ContactLaw::Rigid, FrictionModel::Relaxed, 1e-3, "rigid, relaxed"),
        (ContactLaw::Rigid, FrictionModel::Coulomb, 1e-3, "rigid, Coulomb"),
        (ContactLaw::Compliant, FrictionModel::Relaxed, 2e-5, "compliant"),
    ];
    for (law, friction, h, name) in setups {
        let material = Material { friction: 0.5, young: 2e5, ..Material::default() };
        let mut scene = scene(law, material)?;
        scene.settings().rigid.friction = friction;
        let plate = Shape::cuboid(DVec3::new(4.0, 4.0, 0.5))?;
        scene.fixed(plate, DVec3::new(1.0, 0.0, -0.5), glam::DQuat::IDENTITY)?;
        let flat = scene.settings().compliant.flat_radius;
        let height = 0.25 - depth(law, &material, flat, G / 4.0);
        let cube = scene.block(DVec3::splat(0.25), 1.0, DVec3::Z * height, DVec3::X * 5.0)?;
        let mut run = scene.start(method(law), h)?;
        run.advance_to(1.5)?;
        let got = run.position(cube).x;
        checks.push(Check::value(format!("{name}: distance [m]"), expected, got, 5e-3 * expected));
        checks.push(Check::error(format!("{name}: speed at 1.5 s [m/s]"), run.velocity(cube).length(), 1e-3));
        checks.push(Check::error(format!("{name}: drift to the side [m]"), run.position(cube).y, 1e-6));
    }
    Ok(checks)
}

/// A ball of radius 0.5 m and 1 kg on the ground, with the velocity and spin given.
fn ball(
    law: ContactLaw,
    material: Material,
    velocity: DVec3,
    angular_velocity: DVec3,
    h: f64,
) -> Result<(crate::scene::Run, huygens_multibody::BodyId)> {
    let mut scene = scene(law, material)?;
    scene.ground()?;
    let position = DVec3::Z * (0.5 - depth(law, &material, 0.5, G));
    let inertia = ball_inertia(0.5, 1.0);
    let body = Body { mass: 1.0, inertia, position, velocity, angular_velocity, ..Body::default() };
    let ball = scene.add(body, Shape::sphere(0.5)?)?;
    Ok((scene.start(method(law), h)?, ball))
}

/// Rolling friction: the ball of the reference, which slides to rest without turning because ρ is larger than μR,
/// and one that rolls to rest.
pub fn rolling(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for law in LAWS {
        let name = name(law);
        let h = match law {
            ContactLaw::Rigid => context.full_or_quick(1e-4, 5e-4),
            ContactLaw::Compliant => context.full_or_quick(2e-5, 1e-4),
        };
        let base = Material { friction: 0.3, young: 2e5, ..Material::default() };
        let (mut run, id) = ball(law, Material { rolling_friction: 0.2, ..base }, DVec3::X, DVec3::ZERO, h)?;
        run.advance_to(1.0)?;
        checks.push(Check::error(
            format!("{name}, ρ = 0.2 m: ω at 1 s [rad/s]"),
            run.spin(id).length(),
            1e-3,
        ));
        checks.push(Check::error(
            format!("{name}, ρ = 0.2 m: speed at 1 s [m/s]"),
            run.velocity(id).length(),
            1e-3,
        ));
        // Closed forms of rigid bodies: the elastic part of the compliant law must be small beside the distance.
        let base = Material { young: STIFF, ..base };
        for (rolling, spin, expected, way) in
            [(0.2, 0.0, 1.0 / (2.0 * 0.3 * G), "sliding"), (0.05, 2.0, 0.7 * 0.5 / (0.05 * G), "rolling")]
        {
            let material = Material { rolling_friction: rolling, ..base };
            let (mut run, id) = ball(law, material, DVec3::X, DVec3::Y * spin, h)?;
            run.advance_to(2.0)?;
            let name = format!("{name}, ρ = {rolling} m, stiff, {way}");
            let got = run.position(id).x;
            checks.push(Check::value(format!("{name}: distance [m]"), expected, got, 5e-3 * expected));
            checks.push(Check::error(format!("{name}: ω at 2 s [rad/s]"), run.spin(id).length(), 1e-3));
        }
    }
    Ok(checks)
}

/// Spinning friction: a ball that turns about the normal.
pub fn spinning(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for law in LAWS {
        let name = name(law);
        let h = context.full_or_quick(1e-5, 5e-5);
        let material =
            Material { friction: 0.3, spinning_friction: 0.2, young: STIFF, ..Material::default() };
        let (mut run, id) = ball(law, material, DVec3::ZERO, DVec3::Z, h)?;
        let mut angle = 0.0;
        run.watch_to(context.full_or_quick(4.0, 0.5), |run| {
            angle += run.step_size * run.spin(id).z;
            Ok(())
        })?;
        let slowing = 0.2 * G / (0.4 * 0.25);
        let expected = 0.5 / slowing;
        checks.push(Check::error(format!("{name}: ω at the end [rad/s]"), run.spin(id).length(), 1e-3));
        checks.push(Check::value(format!("{name}: angle [rad]"), expected, angle, 5e-3 * expected));
    }
    Ok(checks)
}

/// A ball that slides at first and rolls later.
pub fn billiard(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for law in LAWS {
        let name = name(law);
        let h = context.full_or_quick(2e-5, 1e-4);
        let material = Material { friction: 0.3, young: 2e6, ..Material::default() };
        let (mut run, id) = ball(law, material, DVec3::X, DVec3::ZERO, h)?;
        let mut before = [0.0, 1.0];
        let mut rolls = None;
        run.watch_to(0.2, |run| {
            let slip = run.velocity(id).x - 0.5 * run.spin(id).y;
            // The slip falls at 3.5 μ g; the last part before rolling is less than a step.
            if slip < 1e-3 && rolls.is_none() {
                let rest = before[1] / (3.5 * 0.3 * G);
                rolls = Some((before[0] + rest.min(run.step_size), run.position(id).x));
            }
            before = [run.state.time, slip];
            Ok(())
        })?;
        let (time, slid) = rolls.unwrap_or((f64::NAN, f64::NAN));
        checks.push(Check::value(format!("{name}: time to roll [s]"), 0.0970827, time, 0.000970827));
        checks.push(Check::value(format!("{name}: distance slid [m]"), 0.0832137, slid, 0.000832137));
        checks.push(Check::value(
            format!("{name}: speed when rolling [m/s]"),
            5.0 / 7.0,
            run.velocity(id).x,
            0.01 * 5.0 / 7.0,
        ));
    }
    Ok(checks)
}
