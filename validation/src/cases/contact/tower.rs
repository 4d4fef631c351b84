//! Hard problems for contact solvers: towers of boxes with a mass ratio of 1000, and a pile weighed exactly.

use glam::DVec3;
use huygens_core::contact::{ConeMethod, FrictionModel, Material};
use huygens_core::integrator::Integrator;
use huygens_multibody::BodyId;

use crate::Context;
use crate::error::Result;
use crate::report::Check;
use crate::scene::{GRAVITY, Run, Scene};

/// Edge of the boxes of the towers [m].
const EDGE: f64 = 0.2;
const BOXES: usize = 20;
/// Step of the towers [s].
const STEP: f64 = 1e-2;

/// How the mass is spread over the tower.
#[derive(Clone, Copy)]
enum Masses {
    /// 1 kg, and 1000 kg on top.
    HeavyTop,
    /// 1 kg and 1000 kg in turn, heavy on top.
    Alternating,
}

impl Masses {
    fn of(self, k: usize) -> f64 {
        match self {
            Self::HeavyTop if k + 1 < BOXES => 1.0,
            Self::Alternating if k.is_multiple_of(2) => 1.0,
            _ => 1000.0,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::HeavyTop => "heavy on top",
            Self::Alternating => "alternating",
        }
    }
}

fn tower(
    masses: Masses,
    solver: ConeMethod,
    iterations: usize,
    tolerance: f64,
    overlap: Option<f64>,
) -> Result<(Run, Vec<BodyId>)> {
    let mut scene = Scene::rigid(GRAVITY, Material::default(), tolerance)?;
    scene.solver(solver, iterations);
    scene.settings().rigid.overlap = overlap;
    scene.ground()?;
    let half = DVec3::splat(0.5 * EDGE);
    let boxes = (0..BOXES)
        .map(|k| scene.block(half, masses.of(k), DVec3::Z * EDGE * (k as f64 + 0.5), DVec3::ZERO))
        .collect::<Result<_>>()?;
    Ok((scene.start(Integrator::Euler, STEP)?, boxes))
}

/// Farthest that a box moves, of its edge, and the largest residual of the steps [m/s].
fn drift(run: &mut Run, boxes: &[BodyId], until: f64) -> Result<[f64; 2]> {
    let start: Vec<DVec3> = boxes.iter().map(|id| run.position(*id)).collect();
    let (mut worst, mut residual) = (0.0f64, 0.0f64);
    run.watch_to(until, |run| {
        residual = residual.max(run.report.contact_residual);
        for (id, start) in boxes.iter().zip(&start) {
            worst = worst.max((run.position(*id) - *start).length());
        }
        Ok(())
    })?;
    Ok([worst / EDGE, residual])
}

/// Twenty boxes, just touching at first, stand for 60 s: with contacts that rest without overlap, and with the resting
/// overlap of the defaults, into which they settle.
pub fn stands(context: &Context) -> Result<Vec<Check>> {
    let until = context.full_or_quick(60.0, 1.0);
    let mut checks = Vec::new();
    for masses in [Masses::HeavyTop, Masses::Alternating] {
        for overlap in [Some(0.0), None] {
            let (mut run, boxes) = tower(masses, ConeMethod::InteriorPoint, 100, 1e-8, overlap)?;
            let name = match overlap {
                Some(_) => format!("{}, no overlap", masses.name()),
                None => format!("{}, default overlap", masses.name()),
            };
            let [moved, residual] = drift(&mut run, &boxes, until)?;
            checks.push(Check::error(format!("{name}: drift over {until} s / edge"), moved, 1e-4));
            checks.push(Check::error(format!("{name}: largest residual [m/s]"), residual, 1e-8));
        }
    }
    Ok(checks)
}

/// How far the same towers sink in one second with first-order solvers; nothing is asked of them but a number.
pub fn first_order(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let counts: &[usize] = context.full_or_quick(&[100, 1000], &[100]);
    for masses in [Masses::HeavyTop, Masses::Alternating] {
        for solver in [ConeMethod::Apgd, ConeMethod::Psor] {
            for &iterations in counts {
                let (mut run, boxes) = tower(masses, solver, iterations, 1e-10, None)?;
                let [moved, _] = drift(&mut run, &boxes, 1.0)?;
                let name = format!("{}, {solver:?} × {iterations}: drift over 1 s / edge", masses.name());
                checks.push(Check::error(name.to_lowercase(), moved, f64::INFINITY));
            }
        }
    }
    Ok(checks)
}

/// A heap of balls and boxes in a box.
fn pile(scene: &mut Scene, count: usize) -> Result<(Vec<BodyId>, f64)> {
    let mut fixed = vec![scene.ground()?];
    for inwards in [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y] {
        fixed.push(scene.wall(-0.3 * inwards, inwards)?);
    }
    let mut weight = 0.0;
    for k in 0..count {
        let (i, j, l) = (k % 4, k / 4 % 4, k / 16);
        let shift = 0.01 * DVec3::new((1.3 * k as f64).sin(), (2.9 * k as f64).sin(), 0.0);
        let position = DVec3::new(i as f64 - 1.5, j as f64 - 1.5, 0.0) * 0.14 + shift;
        let position = position + DVec3::Z * (0.07 + 0.14 * l as f64);
        let mass = 1.0 + (k % 3) as f64;
        weight += mass * 9.81;
        if k % 2 == 0 {
            scene.ball(0.06, mass, position, DVec3::ZERO)?;
        } else {
            scene.block(DVec3::new(0.05, 0.04, 0.045), mass, position, DVec3::ZERO)?;
        }
    }
    Ok((fixed, weight))
}

/// A settled pile: what floor and walls carry, and whether the solvers agree.
pub fn pile_weight(context: &Context) -> Result<Vec<Check>> {
    let mut checks = Vec::new();
    let sliding = Material::default();
    let rolling = Material { rolling_friction: 2e-3, spinning_friction: 1e-3, ..sliding };
    for (name, material) in [("friction", sliding), ("rolling friction", rolling)] {
        weigh(context, name, material, &mut checks)?;
    }
    Ok(checks)
}

fn weigh(context: &Context, name: &str, material: Material, checks: &mut Vec<Check>) -> Result<()> {
    let count = context.full_or_quick(64, 32);
    let scene = |solver, iterations, tolerance| -> Result<(Scene, Vec<BodyId>, f64)> {
        let mut scene = Scene::rigid(GRAVITY, material, tolerance)?;
        scene.solver(solver, iterations);
        // Solvers can agree on the solution of a convex problem only.
        scene.settings().rigid.friction = FrictionModel::Relaxed;
        let (fixed, weight) = pile(&mut scene, count)?;
        Ok((scene, fixed, weight))
    };
    let h = 2e-3;
    let (start, ..) = scene(ConeMethod::Apgd, 1000, 1e-7)?;
    let mut run = start.start(Integrator::Euler, h)?;
    run.advance_to(context.full_or_quick(4.0, 3.0))?;
    let (tight, fixed, weight) = scene(ConeMethod::InteriorPoint, 100, 1e-10)?;
    let mut settled = tight.start(Integrator::Euler, h)?;
    settled.state = run.state.clone();
    settled.advance_to(run.state.time + context.full_or_quick(0.5, 0.2))?;
    let reaction = |run: &Run| -fixed.iter().map(|id| run.force_on(*id)).sum::<DVec3>();
    let sum = reaction(&settled);
    let side = sum.truncate().length() / weight;
    checks.push(Check::value(
        format!("{name}, interior point: reaction / weight"),
        1.0,
        sum.z / weight,
        1e-6,
    ));
    checks.push(Check::error(format!("{name}, interior point: reaction to the side / weight"), side, 1e-6));
    for (solver, iterations) in
        [(ConeMethod::Apgd, 20_000), (ConeMethod::Psor, 20_000), (ConeMethod::InteriorPoint, 100)]
    {
        let (scene, ..) = scene(solver, iterations, 1e-9)?;
        let mut one = scene.start(Integrator::Euler, h)?;
        one.state = settled.state.clone();
        one.step()?;
        let solver = format!("{name}, {solver:?}").to_lowercase();
        let off = (reaction(&one) - sum).length() / weight;
        checks.push(Check::error(format!("{solver}: sum of reactions, difference / weight"), off, 1e-6));
        let residual = one.report.contact_residual;
        checks.push(Check::error(format!("{solver}: residual of that step [m/s]"), residual, 1e-8));
    }
    Ok(())
}
