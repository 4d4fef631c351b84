//! Stacks and heaps of balls.

use std::f64::consts::PI;

use glam::{DQuat, DVec3};
use huygens::spec::StiffnessSpec;
use huygens_core::contact::{ContactLaw, Material, combine};
use huygens_core::integrator::Integrator;
use huygens_geometry::Shape;
use huygens_kernel::contact::{
    AdhesionLaw, CompliantMaterial, CompliantModel, DampingLaw, NormalLaw, ResistanceLaw, TangentialLaw,
};
use huygens_multibody::BodyId;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Scene};

/// Five balls dropped in a column settle without leaving it.
pub fn spheres(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (law, integrator, h) in [
        (ContactLaw::Rigid, Integrator::Euler, 1e-3),
        (ContactLaw::Compliant, Integrator::Leapfrog, context.full_or_quick(2e-5, 2e-4)),
    ] {
        let material = Material { young: 2e5, restitution: 0.1, ..Material::default() };
        let mut scene = match law {
            ContactLaw::Rigid => Scene::rigid(GRAVITY, material, 1e-9)?,
            ContactLaw::Compliant => Scene::compliant(GRAVITY, material, CompliantModel::default())?,
        };
        scene.ground()?;
        let balls: Vec<BodyId> = (0..5)
            .map(|k| scene.ball(1.0, 1.0, DVec3::Z * (5.0 + 2.5 * k as f64), DVec3::ZERO))
            .collect::<Result<_>>()?;
        let mut run = scene.start(integrator, h)?;
        run.advance_to(10.0)?;
        let off = |f: &dyn Fn(BodyId) -> f64| balls.iter().map(|id| f(*id)).fold(0.0, f64::max);
        let name = format!("{law:?}").to_lowercase();
        let side = off(&|id| run.position(id).truncate().length());
        let turn = off(&|id| 1.0 - run.rotation(id).w.abs());
        let speed = off(&|id| run.velocity(id).length());
        checks.push(Check::error(format!("{name}: farthest from the column [m]"), side, 1e-6));
        checks.push(Check::error(format!("{name}: 1 − e₀, largest"), turn, 1e-6));
        checks.push(Check::error(format!("{name}: speed at 10 s [m/s]"), speed, 1e-3));
        let top = balls.last().map_or(f64::NAN, |id| run.position(*id).z);
        checks.push(Check::value(format!("{name}: height of the top ball [m]"), 9.0, top, 0.05));
    }
    Ok(checks)
}

/// Coefficients of the granular reference (CGS units).
const STIFFNESS: StiffnessSpec =
    StiffnessSpec { normal: 1e7, tangential: 2e6, normal_damping: 2e4, tangential_damping: 50.0 };

/// Laws of the granular reference: F = K δ^1.5 with the effective radius taken as 1.
fn granular() -> CompliantModel {
    CompliantModel {
        normal: NormalLaw::Hertz,
        damping: DampingLaw::Viscous,
        tangential: TangentialLaw::History,
        rolling: ResistanceLaw::Constant { rate: 1e-3 },
        spinning: ResistanceLaw::None,
        adhesion: AdhesionLaw::None,
        ..CompliantModel::default()
    }
}

/// A surface whose Hertz law with effective radius `radius` is that of the reference.
fn surface(radius: f64, tangential: f64) -> CompliantMaterial {
    let scale = 1.0 / f64::sqrt(radius);
    CompliantMaterial {
        friction: 0.5,
        rolling_friction: 8e-4,
        normal_stiffness: Some(1e7 * scale),
        tangential_stiffness: Some(tangential * scale),
        normal_damping: Some(2e4 * scale),
        tangential_damping: Some(50.0 * scale),
        ..CompliantMaterial::default()
    }
}

/// Five balls of a granular code in a column (CGS units).
pub fn granular_column(_: &Context) -> Result<Vec<Check>> {
    let (radius, load) = (0.5, 1.53 * 4.0 / 3.0 * PI * 0.125 * 980.0);
    let material = Material { stiffness: Some(STIFFNESS), ..Material::default() };
    let mut scene = Scene::compliant(DVec3::NEG_Z * 980.0, material, granular())?;
    let floor = scene.material();
    scene.ground()?;
    let ball = scene.change_material(material)?;
    for (a, b, effective, tangential) in [(ball, ball, 0.25, 2e6), (ball, floor, 0.5, 1e6)] {
        let pair = surface(effective, tangential);
        let mut composite = combine(&Material::default(), &Material::default())?;
        composite.surface = CompliantMaterial::combine(&pair, &pair)
            .map_err(|e| crate::error::CaseError::Reference { file: String::new(), reason: e.to_string() })?;
        scene.assembly.collision.composites.push((a, b, composite));
    }
    let balls: Vec<BodyId> = (0..5)
        .map(|k| {
            let z = radius + 1.0 * k as f64;
            scene.ball(radius, load / 980.0, DVec3::Z * z, DVec3::ZERO)
        })
        .collect::<Result<_>>()?;
    let mut run = scene.start(Integrator::Leapfrog, 1e-4)?;
    run.advance_to(1.0)?;
    let mut checks = Vec::new();
    let mut exact = radius;
    let delta = (load / 1e7).powf(2.0 / 3.0);
    for (k, id) in balls.iter().enumerate() {
        let i = k as f64;
        let got = run.position(*id).z;
        let formula = radius + 2.0 * radius * i - delta * (1.0 + i);
        checks.push(Check::value(format!("height of ball {} [cm]", k + 1), formula, got, 1e-2));
        exact += if k > 0 { 2.0 * radius } else { 0.0 } - ((5.0 - i) * load / 1e7).powf(2.0 / 3.0);
        checks.push(Check::value(
            format!("height of ball {}, balance of forces [cm]", k + 1),
            exact,
            got,
            1e-5,
        ));
    }
    Ok(checks)
}

/// Two balls on the ground and a third on top of them.
pub fn pyramid(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        for (friction, rolling, holds) in [(0.5, 0.2, true), (0.01, 0.0, false)] {
            let material = Material {
                friction,
                rolling_friction: rolling * 0.5,
                young: 1e7,
                restitution: 0.1,
                ..Material::default()
            };
            let (mut scene, integrator, h) = match law {
                ContactLaw::Rigid => (Scene::rigid(GRAVITY, material, 1e-9)?, Integrator::Euler, 1e-3),
                ContactLaw::Compliant => {
                    let h = context.full_or_quick(5e-5, 1e-4);
                    (Scene::compliant(GRAVITY, material, CompliantModel::default())?, Integrator::Leapfrog, h)
                }
            };
            scene.ground()?;
            for x in [-0.5, 0.5] {
                scene.ball(0.5, 1.0, DVec3::new(x, 0.0, 0.5), DVec3::ZERO)?;
            }
            let height = 0.5 + 0.75f64.sqrt();
            let top = scene.ball(0.5, 1.0, DVec3::Z * (height + 0.05), DVec3::ZERO)?;
            let mut run = scene.start(integrator, h)?;
            run.advance_to(3.0)?;
            let z = run.position(top).z;
            let name = format!("{law:?}, μ = {friction}, ρ = {rolling} r").to_lowercase();
            if holds {
                checks.push(Check::at_least(format!("{name}: height of the top ball [m]"), 1.0, z));
            } else {
                checks.push(Check::value(format!("{name}: height of the top ball [m]"), 0.5, z, 1e-3));
            }
        }
    }
    Ok(checks)
}

/// A box half filled with frictionless balls: what the floor carries (CGS units).
pub fn settled_weight(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let mass = 2.5 * 4.0 / 3.0 * PI;
    for (law, side) in [
        (ContactLaw::Rigid, context.full_or_quick(40.0, 14.0)),
        (ContactLaw::Compliant, context.full_or_quick(40.0, 14.0)),
    ] {
        let material =
            Material { friction: 0.0, restitution: 0.05, stiffness: Some(STIFFNESS), ..Material::default() };
        let gravity = DVec3::NEG_Z * 980.0;
        let (mut scene, integrator, h) = match law {
            ContactLaw::Rigid => {
                let mut scene = Scene::rigid(gravity, material, 1e-4)?;
                scene.settings().rigid.max_iterations = 3000;
                (scene, Integrator::Euler, 1e-3)
            }
            ContactLaw::Compliant => {
                (Scene::compliant(gravity, material, granular())?, Integrator::Leapfrog, 1e-4)
            }
        };
        let floor = scene.ground()?;
        let half = 0.5 * side;
        for inwards in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
            scene.wall(-half * inwards, inwards)?;
        }
        // Square layers, each in the hollows of the one below, a little apart: they fall and settle at once.
        let (n, pitch) = ((side / 2.0) as usize, 2.0);
        let layers = (0.5 * side / 2f64.sqrt()) as usize;
        let mut count = 0;
        for layer in 0..layers {
            let n = n - layer % 2;
            let corner = -0.5 * pitch * (n - 1) as f64;
            for k in 0..n * n {
                let (x, y) = (corner + pitch * (k % n) as f64, corner + pitch * (k / n) as f64);
                let z = 1.01 + 1.01 * 2f64.sqrt() * layer as f64;
                scene.ball(1.0, mass, DVec3::new(x, y, z), DVec3::ZERO)?;
                count += 1;
            }
        }
        let mut run = scene.start(integrator, h)?;
        run.advance_to(0.4)?;
        let (mut sum, mut steps) = (0.0, 0.0);
        run.watch_to(0.5, |run| {
            (sum, steps) = (sum - run.force_on(floor).z, steps + 1.0);
            Ok(())
        })?;
        let weight = f64::from(count) * mass * 980.0;
        let name = format!("{law:?}, {count} balls: reaction / weight").to_lowercase();
        checks.push(Check::value(name, 1.0, sum / steps / weight, 0.01));
    }
    Ok(checks)
}

/// A ball that hangs from a fixed one by cohesion of 10 N: 8 m/s² do not part them, 10.1 m/s² do.
pub fn cohesion(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        for (gravity, holds) in [(8.0, true), (10.1, false)] {
            let material = Material { young: 2e5, cohesion: 10.0, ..Material::default() };
            let down = DVec3::NEG_Z * gravity;
            let (mut scene, integrator, h) = match law {
                ContactLaw::Rigid => (Scene::rigid(down, material, 1e-9)?, Integrator::Euler, 1e-3),
                ContactLaw::Compliant => {
                    let h = context.full_or_quick(2e-5, 1e-4);
                    (Scene::compliant(down, material, CompliantModel::default())?, Integrator::Leapfrog, h)
                }
            };
            scene.fixed(Shape::sphere(0.5)?, DVec3::ZERO, DQuat::IDENTITY)?;
            // The compliant law attracts while surfaces touch.
            let touch = if law == ContactLaw::Rigid { 0.0 } else { 1e-4 };
            let ball = scene.ball(0.5, 1.0, DVec3::NEG_Z * (1.0 - touch), DVec3::ZERO)?;
            let mut run = scene.start(integrator, h)?;
            run.advance_to(1.0)?;
            let fallen = -1.0 - run.position(ball).z;
            let name = format!("{law:?}, g = {gravity} m/s²").to_lowercase();
            if holds {
                checks.push(Check::error(
                    format!("{name}: distance fallen in 1 s [m]"),
                    fallen.max(0.0),
                    1e-3,
                ));
            } else {
                checks.push(Check::at_least(format!("{name}: distance fallen in 1 s [m]"), 0.01, fallen));
            }
        }
    }
    Ok(checks)
}
