//! What must not matter: units of length, handedness and orientation of axes, number of threads, a restart.

use glam::{DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ConeMethod, ContactLaw, FrictionModel, Material};
use huygens_core::integrator::Integrator;
use huygens_exec::Exec;
use huygens_geometry::Shape;
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::{Body, BodyKind};

use crate::Context;
use crate::error::{CaseError, Result};
use crate::report::Check;
use crate::scene::{Run, Scene, ball_inertia, box_inertia};

/// A change of units and axes: x ← s Q M x with M = diag(−1, 1, 1) where mirrored.
#[derive(Clone, Copy)]
struct Change {
    scale: f64,
    mirrored: bool,
    rotation: DQuat,
}

impl Change {
    const NONE: Self = Self { scale: 1.0, mirrored: false, rotation: DQuat::IDENTITY };

    fn mirror(&self, v: DVec3) -> DVec3 {
        if self.mirrored { DVec3::new(-v.x, v.y, v.z) } else { v }
    }

    /// Of a direction.
    fn direction(&self, v: DVec3) -> DVec3 {
        self.rotation * self.mirror(v)
    }

    /// Of a length or velocity.
    fn vector(&self, v: DVec3) -> DVec3 {
        self.scale * self.direction(v)
    }

    /// Of an orientation: the shapes are mirror images of themselves.
    fn turn(&self, r: DQuat) -> DQuat {
        self.rotation * if self.mirrored { DQuat::from_xyzw(r.x, -r.y, -r.z, r.w) } else { r }
    }

    /// Of an angular velocity in body axes.
    fn spin(&self, w: DVec3) -> DVec3 {
        if self.mirrored { -self.mirror(w) } else { w }
    }

    /// Of positions and velocities of all bodies.
    fn state(&self, plain: &State, changed: &mut State) {
        for (from, to) in plain.q.chunks_exact(7).zip(changed.q.chunks_exact_mut(7)) {
            self.vector(DVec3::from_slice(from)).write_to_slice(to);
            self.turn(DQuat::from_slice(&from[3..])).write_to_slice(&mut to[3..]);
        }
        for (from, to) in plain.v.chunks_exact(6).zip(changed.v.chunks_exact_mut(6)) {
            self.vector(DVec3::from_slice(from)).write_to_slice(to);
            self.spin(DVec3::from_slice(&from[3..])).write_to_slice(&mut to[3..]);
        }
    }
}

/// Numbers without pattern.
fn noise(k: usize) -> f64 {
    let x = ((k as f64 + 1.0) * 12.9898).sin() * 43_758.545_3;
    x - x.floor() - 0.5
}

/// What lies in a heap.
#[derive(Clone, Copy, PartialEq)]
enum Content {
    /// Balls, boxes and capsules.
    All,
    /// Balls and capsules.
    Round,
}

/// A heap between a floor and a slope, under a change.
fn heap(
    change: &Change,
    law: ContactLaw,
    solver: ConeMethod,
    content: Content,
    n: usize,
    tolerance: f64,
) -> Result<Scene> {
    let s = change.scale;
    let material = Material {
        friction: 0.4,
        rolling_friction: 1e-3 * s,
        spinning_friction: 5e-4 * s,
        young: 1e7 / s,
        restitution: 0.2,
        ..Material::default()
    };
    let gravity = change.vector(DVec3::new(0.3, 0.2, -9.81));
    let mut scene = match law {
        ContactLaw::Rigid => Scene::rigid(gravity, material, tolerance * s)?,
        ContactLaw::Compliant => {
            let base = CompliantModel::default();
            let model = CompliantModel {
                flat_radius: base.flat_radius * s,
                slow_impact: base.slow_impact * s,
                ..base
            };
            Scene::compliant(gravity, material, model)?
        }
    };
    scene.solver(solver, 20_000);
    for (point, inwards) in [(DVec3::ZERO, DVec3::Z), (DVec3::X * 0.6, DVec3::new(-0.6, 0.0, 0.8))] {
        let rotation = change.turn(DQuat::from_rotation_arc(DVec3::Z, inwards));
        let position = change.vector(point);
        scene.add(Body { kind: BodyKind::Fixed, position, rotation, ..Body::default() }, Shape::HalfSpace)?;
    }
    for k in 0..n {
        let r = |i: usize| noise(7 * k + i);
        let grid = DVec3::new((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64);
        let position = grid * 0.21 + DVec3::new(0.02 * r(0), 0.02 * r(1), 0.1 + 0.004 * r(2));
        let axis = DVec3::new(r(3), r(4), r(5) + 1.0).normalize();
        let rotation = DQuat::from_axis_angle(axis, r(6));
        let mass = 1.0 + r(5);
        let (shape, inertia) = match k % 3 {
            0 => (Shape::sphere(0.1 * s)?, ball_inertia(0.1 * s, mass)),
            1 if content == Content::All => {
                let half = DVec3::new(0.09, 0.08, 0.1) * s;
                (Shape::cuboid(half)?, box_inertia(half, mass))
            }
            _ => {
                let size = DVec3::new(0.06, 0.06, 0.11) * s;
                (Shape::capsule(0.06 * s, 0.05 * s)?, box_inertia(size, mass))
            }
        };
        let body = Body {
            mass,
            inertia,
            position: change.vector(position),
            rotation: change.turn(rotation),
            velocity: change.vector(DVec3::new(r(1), r(2), -1.0)),
            angular_velocity: change.spin(DVec3::new(r(2), r(3), r(4))),
            ..Body::default()
        };
        scene.add(body, shape)?;
    }
    Ok(scene)
}

/// Largest difference of positions (of 0.2 m), orientations and velocities (of 1 m/s, 10 rad/s) after the change.
fn difference(change: &Change, plain: &State, changed: &State) -> f64 {
    let mut worst = 0.0f64;
    for (a, b) in plain.q.chunks_exact(7).zip(changed.q.chunks_exact(7)) {
        let moved = change.vector(DVec3::from_slice(a)) - DVec3::from_slice(b);
        worst = worst.max(moved.length() / (0.2 * change.scale));
        let (qa, qb) = (change.turn(DQuat::from_slice(&a[3..])), DQuat::from_slice(&b[3..]));
        let sign = if qa.dot(qb) < 0.0 { -1.0 } else { 1.0 };
        worst = worst.max((qa * sign - qb).length());
    }
    for (a, b) in plain.v.chunks_exact(6).zip(changed.v.chunks_exact(6)) {
        let linear = change.vector(DVec3::from_slice(a)) - DVec3::from_slice(b);
        let angular = change.spin(DVec3::from_slice(&a[3..])) - DVec3::from_slice(&b[3..]);
        worst = worst.max(linear.length() / change.scale).max(angular.length() / 10.0);
    }
    worst
}

fn after(scene: &Scene, law: ContactLaw, exec: Exec, steps: usize) -> Result<Run> {
    let (integrator, h) = match law {
        ContactLaw::Rigid => (Integrator::Euler, 2e-3),
        ContactLaw::Compliant => (Integrator::Leapfrog, 1e-4),
    };
    let mut run = scene.start_on(exec, integrator, h)?;
    for _ in 0..steps {
        run.step()?;
    }
    Ok(run)
}

const METHODS: [(ContactLaw, ConeMethod, &str); 4] = [
    (ContactLaw::Rigid, ConeMethod::Apgd, "apgd"),
    (ContactLaw::Rigid, ConeMethod::Psor, "psor"),
    (ContactLaw::Rigid, ConeMethod::InteriorPoint, "interior point"),
    (ContactLaw::Compliant, ConeMethod::Apgd, "compliant"),
];

/// States of the plain heap at some moments [s].
fn moments(law: ContactLaw, content: Content, times: &[f64]) -> Result<Vec<State>> {
    let mut run = after(
        &heap(&Change::NONE, law, ConeMethod::InteriorPoint, content, 27, 1e-8)?,
        law,
        Exec::serial(),
        0,
    )?;
    times
        .iter()
        .map(|t| {
            run.advance_to(*t)?;
            Ok(run.state.clone())
        })
        .collect()
}

/// One way to make a step.
#[derive(Clone, Copy)]
struct Method {
    law: ContactLaw,
    solver: ConeMethod,
    iterations: usize,
    content: Content,
}

impl Method {
    /// Two steps from the positions and velocities of a plain state, under a change; the second one has memories.
    fn steps(&self, change: &Change, from: &State) -> Result<[Run; 2]> {
        let mut scene = heap(change, self.law, self.solver, self.content, 27, 1e-13)?;
        if self.solver == ConeMethod::InteriorPoint || self.iterations > 1000 {
            // Solutions are compared, not iterates: those of the convex law are unique, and close where residuals are small.
            scene.settings().rigid.friction = FrictionModel::Relaxed;
        }
        scene.settings().rigid.max_iterations = self.iterations;
        let mut first = after(&scene, self.law, Exec::serial(), 0)?;
        change.state(from, &mut first.state);
        first.step()?;
        let mut second = after(&scene, self.law, Exec::serial(), 0)?;
        second.state = first.state.clone();
        second.step()?;
        Ok([first, second])
    }
}

/// Differences of a step and of two, the worst so far.
#[derive(Clone, Copy, Default)]
struct Worst([f64; 2]);

impl Worst {
    fn note(&mut self, change: &Change, plain: &[Run; 2], changed: &[Run; 2]) {
        for (worst, (a, b)) in self.0.iter_mut().zip(plain.iter().zip(changed)) {
            *worst = worst.max(difference(change, &a.state, &b.state));
        }
    }

    fn checks(self, what: &str) -> impl Iterator<Item = Check> {
        let names = ["a step", "two steps"].map(|steps| format!("{what}: difference of {steps}"));
        names.into_iter().zip(self.0).map(|(name, error)| Check::error(name, error, 1e-9))
    }
}

/// The same steps in millimetres and kilometres, mirrored and rotated, from several moments of a heap that settles.
///
/// Longer runs of changed scenes would measure how collisions multiply rounding, not whether a step knows its units
/// and axes. Iterations of the first-order solvers go the same way whether or not they have converged, so a fixed and
/// small number of them is compared to round-off.
pub fn units_and_axes(context: &Context) -> Result<Vec<Check>> {
    let times: &[f64] = context.full_or_quick(&[0.0, 0.05, 0.1, 0.2, 0.4], &[0.0, 0.1]);
    let turned = DQuat::from_euler(glam::EulerRot::ZYX, 0.7, -0.4, 1.1);
    let mirrored = Change { mirrored: true, ..Change::NONE };
    let changes = [
        ("millimetres", Change { scale: 1e3, ..Change::NONE }),
        ("kilometres", Change { scale: 1e-3, ..Change::NONE }),
        ("mirrored", mirrored),
        ("rotated", Change { rotation: turned, ..Change::NONE }),
    ];
    let mut checks = Vec::new();
    for (law, solver, name) in METHODS {
        let iterations = if solver == ConeMethod::InteriorPoint { 100 } else { 50 };
        let states = moments(law, Content::All, times)?;
        let method = Method { law, solver, iterations, content: Content::All };
        let runs = states.iter().map(|s| method.steps(&Change::NONE, s)).collect::<Result<Vec<_>>>()?;
        let contacts = runs.iter().map(|[run, _]| run.report.contacts).min().unwrap_or(0);
        checks.push(Check::at_least(format!("{name}: fewest contacts of a step"), 10.0, contacts as f64));
        for (what, change) in &changes {
            // Sweeps follow the order of contacts, which is that of the names of corners. A mirror image gives the
            // corners of a box other names; see `mirrored_sweeps`.
            if solver == ConeMethod::Psor && change.mirrored {
                continue;
            }
            let mut worst = Worst::default();
            for (from, run) in states.iter().zip(&runs) {
                worst.note(change, run, &method.steps(change, from)?);
            }
            // Memories do not matter to the interior point, so a second step says no more than the first.
            let count = if solver == ConeMethod::InteriorPoint { 1 } else { 2 };
            checks.extend(worst.checks(&format!("{name}, {what}")).take(count));
        }
    }
    mirrored_sweeps(&mirrored, times, &mut checks)?;
    Ok(checks)
}

/// Gauss–Seidel sweeps in a mirror image: bodies without corners to round-off, all of them as far as the sweeps
/// have converged.
fn mirrored_sweeps(mirrored: &Change, times: &[f64], checks: &mut Vec<Check>) -> Result<()> {
    let (law, solver) = (ContactLaw::Rigid, ConeMethod::Psor);
    let round = Method { law, solver, iterations: 50, content: Content::Round };
    let all = Method { law, solver, iterations: 20_000, content: Content::All };
    let (mut contacts, mut worst) = (usize::MAX, Worst::default());
    for from in moments(law, Content::Round, times)? {
        let (plain, changed) = (round.steps(&Change::NONE, &from)?, round.steps(mirrored, &from)?);
        contacts = contacts.min(plain[0].report.contacts);
        worst.note(mirrored, &plain, &changed);
    }
    let what = "psor, no boxes: fewest contacts of a step";
    checks.push(Check::at_least(what, 10.0, contacts as f64));
    checks.extend(worst.checks("psor, no boxes, mirrored"));
    let mut worst = 0.0f64;
    for from in moments(law, Content::All, times)? {
        let ([plain, _], [changed, _]) = (all.steps(&Change::NONE, &from)?, all.steps(mirrored, &from)?);
        let bound = velocity_error(&plain) + velocity_error(&changed);
        worst = worst.max(difference(mirrored, &plain.state, &changed.state) / bound);
    }
    let what = "psor, mirrored, 20,000 sweeps: difference of a step / what residuals allow";
    checks.push(Check::error(what, worst, 1.0));
    Ok(())
}

/// How far the velocities of a step may be from the solution of its cone problem (of 1 m/s and 10 rad/s).
///
/// The problem of the relaxed law minimizes ½ Δvᵀ M Δv under constraints: a residual whose root mean square over n contacts is ε, and
/// impulses γ, leave a duality gap of at most √n ε |γ|, so that ½ m Δv² ≤ √n ε |γ|.
fn velocity_error(run: &Run) -> f64 {
    /// Smallest mass, and smallest moment of inertia times (10 rad/s)²/(1 m/s)² [kg].
    const LEAST_INERTIA: f64 = 0.1;
    let count = run.stepper.contacts().len();
    let force_squared =
        (0..count).map(|k| DVec3::from_slice(run.state.contacts.values_of(k)).length_squared()).sum::<f64>();
    let impulse = run.step_size * (count as f64 * force_squared).sqrt();
    (2.0 * run.report.contact_residual * impulse / LEAST_INERTIA).sqrt()
}

/// Equal bits on one thread and two, and after a restart in the middle of dense contact.
pub fn equal_bits(context: &Context) -> Result<Vec<Check>> {
    let (n, steps) = (context.full_or_quick(200, 100), context.full_or_quick(100, 60));
    let mut checks = Vec::new();
    for (law, solver, name) in METHODS {
        let mut scene = heap(&Change::NONE, law, solver, Content::All, n, 1e-6)?;
        scene.settings().rigid.max_iterations = 60;
        let one = after(&scene, law, Exec::serial(), steps)?;
        let two = after(&scene, law, Exec::with_threads(2)?, steps)?;
        let contacts = one.report.contacts as f64;
        checks.push(Check::at_least(format!("{name}: contacts at the end"), 0.5 * n as f64, contacts));
        let equal = |a: &State, b: &State| f64::from(u8::from(a == b));
        checks.push(Check::value(
            format!("{name}: two threads equal one (1 = yes)"),
            1.0,
            equal(&one.state, &two.state),
            0.0,
        ));
        let half = after(&scene, law, Exec::serial(), steps / 2)?;
        let chunks = half.state.to_chunks().map_err(CaseError::Core)?;
        let find = |wanted: &str| chunks.iter().find(|(n, _)| *n == wanted).map(|(_, b)| b.as_slice());
        let mut rest = after(&scene, law, Exec::serial(), 0)?;
        rest.state = State::new(&rest.mechanism.model)
            .restored(&rest.mechanism.model, find)
            .map_err(CaseError::Core)?;
        for _ in steps / 2..steps {
            rest.step()?;
        }
        checks.push(Check::value(
            format!("{name}: restarted equals uninterrupted (1 = yes)"),
            1.0,
            equal(&one.state, &rest.state),
            0.0,
        ));
    }
    Ok(checks)
}
