//! Repeated impacts: a bouncing ball that comes to rest in finite time, Newton's cradle, momentum of collisions.

use glam::{DQuat, DVec3};
use huygens_core::contact::{ContactLaw, Material};
use huygens_core::integrator::Integrator;
use huygens_kernel::contact::{CompliantModel, DampingLaw};
use huygens_multibody::{BodyId, JointKind};

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Run, Scene};
use crate::simulation::add_joint;

/// A ball dropped from 1 m with restitution 0.8: infinitely many bounces in 4.06 s.
pub fn bouncing_ball(context: &Context) -> Result<Vec<Check>> {
    let h = context.full_or_quick(2e-5, 1e-4);
    let material = Material { restitution: 0.8, ..Material::default() };
    let mut scene = Scene::rigid(GRAVITY, material, 1e-12)?;
    scene.ground()?;
    let ball = scene.ball(0.1, 1.0, DVec3::Z * 1.1, DVec3::ZERO)?;
    let mut run = scene.start(Integrator::Euler, h)?;
    let (mut path, mut rest, mut height) = (0.0, 0.0, 1.1);
    run.watch_to(6.0, |run| {
        let now = run.position(ball).z;
        path += (now - height).abs();
        if now != height && run.velocity(ball).z.abs() > 1e-9 {
            rest = run.state.time;
        }
        height = now;
        Ok(())
    })?;
    Ok(vec![
        Check::value("time to rest [s]", 4.063713, rest, 0.04063713),
        Check::value("length of the path [m]", 4.555556, path, 0.04555556),
        Check::error("speed at 6 s [m/s]", run.velocity(ball).length(), 1e-9),
        Check::value("height at 6 s [m]", 0.1, run.position(ball).z, 1e-6),
    ])
}

/// Radius of the balls of the cradle [m].
const RADIUS: f64 = 0.1;
/// Gap between neighbours [m], 1e-4 of the radius.
const GAP: f64 = 1e-4 * RADIUS;

fn cradle_checks(
    name: &str,
    run: &mut Run,
    balls: &[BodyId],
    speed: f64,
    energy: f64,
    checks: &mut Vec<Check>,
) {
    let momentum: f64 = balls.iter().map(|id| run.velocity(*id).x).sum();
    let last = balls.last().map_or(f64::NAN, |id| run.velocity(*id).x);
    let others = balls[..4].iter().map(|id| run.velocity(*id).x.abs()).fold(0.0, f64::max);
    let after: f64 = balls.iter().map(|id| 0.5 * run.velocity(*id).length_squared()).sum();
    for (what, expected, got) in [
        ("speed of the last ball [m/s]", speed, last),
        ("momentum [kg·m/s]", speed, momentum),
        ("kinetic energy [J]", energy, after),
    ] {
        checks.push(Check::value(format!("{name}: {what}"), expected, got, 0.01 * expected));
    }
    checks.push(Check::error(format!("{name}: largest speed of the others [m/s]"), others, 0.01 * speed));
}

/// Five equal balls; the first one is raised. Rigid: on pendulum joints; compliant: free balls without gravity.
pub fn cradle(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    pendulum_cradle(context, &mut checks)?;
    let material = Material { young: 2e14, restitution: 1.0, friction: 0.0, ..Material::default() };
    let model = CompliantModel { damping: DampingLaw::None, ..CompliantModel::default() };
    let setups = [
        (ContactLaw::Rigid, Integrator::Euler, 2e-6),
        (ContactLaw::Compliant, Integrator::Leapfrog, context.full_or_quick(1e-8, 2e-8)),
    ];
    for (law, integrator, h) in setups {
        let mut scene = match law {
            ContactLaw::Rigid => Scene::rigid(DVec3::ZERO, material, 1e-13)?,
            ContactLaw::Compliant => Scene::compliant(DVec3::ZERO, material, model)?,
        };
        let balls = row(&mut scene, |k| DVec3::X * if k == 0 { 1.0 } else { 0.0 })?;
        let mut run = scene.start(integrator, h)?;
        // The four gaps, and the contacts, last less than this.
        run.advance_to(2e-4)?;
        let name = format!("free balls, {law:?}").to_lowercase();
        cradle_checks(&name, &mut run, &balls, 1.0, 0.5, &mut checks);
    }
    Ok(checks)
}

fn row(scene: &mut Scene, velocity: impl Fn(usize) -> DVec3) -> Result<Vec<BodyId>> {
    (0..5)
        .map(|k| {
            let x = k as f64 * (2.0 * RADIUS + GAP);
            scene.ball(RADIUS, 1.0, DVec3::X * x, velocity(k))
        })
        .collect()
}

fn pendulum_cradle(context: &Context, checks: &mut Vec<Check>) -> Result<()> {
    let material = Material { restitution: 1.0, friction: 0.0, ..Material::default() };
    let mut scene = Scene::rigid(GRAVITY, material, 1e-11)?;
    scene.settings().rigid.bounce_threshold = Some(1e-3);
    let (length, raised) = (1.0, 0.2f64);
    let mut balls = Vec::new();
    for k in 0..5 {
        let pivot = DVec3::new(k as f64 * (2.0 * RADIUS + GAP), 0.0, length);
        let angle = if k == 0 { raised } else { 0.0 };
        let arm = length * DVec3::new(-angle.sin(), 0.0, -angle.cos());
        let ball = scene.ball(RADIUS, 1.0, pivot + arm, DVec3::ZERO)?;
        let axis = DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2);
        let joint = format!("pivot {k}");
        add_joint(&mut scene.assembly, &joint, JointKind::Revolute, [None, Some(ball)], pivot, axis)?;
        balls.push(ball);
    }
    let mut run = scene.start(Integrator::Euler, context.full_or_quick(2e-5, 1e-4))?;
    // Coarse steps down to the last 0.2 mm, fine ones through the impacts.
    while run.position(balls[1]).x - run.position(balls[0]).x - 2.0 * RADIUS > 2e-4 {
        run.step()?;
    }
    let speed = run.velocity(balls[0]).x;
    // Energy of a ball of 1 kg on a rod of 1 m without mass, with its own spin.
    let exact = (2.0 * 9.81 * length * (1.0 - raised.cos()) / (1.0 + 0.4 * RADIUS * RADIUS)).sqrt();
    checks.push(Check::value("on pendulums: speed before the impact [m/s]", exact, speed, 0.01 * exact));
    run.step_size = 2e-6;
    run.advance_to(run.state.time + 1e-3)?;
    cradle_checks("on pendulums, rigid", &mut run, &balls, speed, 0.5 * speed * speed, checks);
    Ok(())
}

/// Balls and boxes that collide in free space: total momentum before and after.
pub fn momentum(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    for (law, integrator, h) in
        [(ContactLaw::Rigid, Integrator::Euler, 2e-3), (ContactLaw::Compliant, Integrator::Leapfrog, 2e-4)]
    {
        for boxes in [false, true] {
            let material = Material { friction: 0.4, restitution: 0.5, young: 1e6, ..Material::default() };
            let mut scene = match law {
                ContactLaw::Rigid => Scene::rigid(DVec3::ZERO, material, 1e-9)?,
                ContactLaw::Compliant => Scene::compliant(DVec3::ZERO, material, CompliantModel::default())?,
            };
            let bodies = cloud(&mut scene, context.full_or_quick(4, 3), boxes)?;
            let mut run = scene.start(integrator, h)?;
            let before = totals(&run, &bodies);
            let (mut linear, mut angular, mut contacts) = (0.0f64, 0.0f64, 0);
            run.watch_to(1.0, |run| {
                let now = totals(run, &bodies);
                linear = linear.max((now[0] - before[0]).length());
                angular = angular.max((now[1] - before[1]).length());
                contacts = contacts.max(run.report.contacts);
                Ok(())
            })?;
            let name = format!("{law:?}, {}", if boxes { "boxes" } else { "balls" }).to_lowercase();
            checks.push(Check::at_least(format!("{name}: most contacts at a time"), 5.0, contacts as f64));
            checks.push(Check::error(format!("{name}: momentum, relative"), linear / before[2].x, 1e-12));
            if !boxes {
                // That of bodies with unequal moments of inertia is of the order of the method.
                let error = angular / before[2].y;
                checks.push(Check::error(format!("{name}: angular momentum, relative"), error, 1e-12));
            }
        }
    }
    Ok(checks)
}

/// A cloud that flies together: n³ bodies.
fn cloud(scene: &mut Scene, n: usize, boxes: bool) -> Result<Vec<(BodyId, f64, f64)>> {
    let mut bodies = Vec::new();
    for k in 0..n * n * n {
        let cell = DVec3::new((k % n) as f64, (k / n % n) as f64, (k / n / n) as f64);
        let offset =
            0.11 * DVec3::new((3.1 * k as f64).sin(), (5.3 * k as f64).sin(), (7.7 * k as f64).sin());
        let position = 1.3 * (cell - DVec3::splat(0.5 * (n - 1) as f64)) + offset;
        let velocity = -1.5 * position + DVec3::new(0.3, 0.2, -0.1);
        let mass = 1.0 + (k % 5) as f64;
        let id = if boxes {
            scene.block(DVec3::new(0.4, 0.3, 0.35), mass, position, velocity)?
        } else {
            scene.ball(0.5, mass, position, velocity)?
        };
        bodies.push((id, mass, 0.4 * mass * 0.25));
    }
    Ok(bodies)
}

/// Momentum, angular momentum (of balls), and the sums of their parts' sizes.
fn totals(run: &Run, bodies: &[(BodyId, f64, f64)]) -> [DVec3; 3] {
    let mut sums = [DVec3::ZERO; 3];
    for (id, mass, inertia) in bodies {
        let p = *mass * run.velocity(*id);
        let l = run.position(*id).cross(p) + *inertia * run.spin(*id);
        sums[0] += p;
        sums[1] += l;
        // Sizes that cannot vanish: the angular one takes the arm of each body, not its moment.
        sums[2].x += p.length();
        sums[2].y += run.position(*id).length() * p.length();
    }
    sums
}
