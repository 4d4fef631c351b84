//! Contact of flexible parts: momentum, the motion of carried frames, threads and restart.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contact::{ConeMethod, ContactLaw, Material};
use huygens_core::contract::FrameMotion;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_core::{MatrixWeights, Model, State, System};
use huygens_exec::Exec;
use huygens_fea::element::kind::Kind;
use huygens_fea::mesh::{BlockSplit, Mesh};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{Fixed, NodeKind, SectionUse, Structure};
use huygens_fea::surface::{ContactSurface, SurfaceShape};
use huygens_geometry::{Pose, Shape};
use huygens_multibody::{Assembly, Body, CollisionShape, NamedMaterial};

const CABLE: &str = "cable";
const LINES: [&str; 6] = [CABLE, "beam_ancf", "beam", "rod", "rod3", "bar"];
const RUBBER: Elastic = Elastic { young: 1e6, poisson: 0.3, density: 1000.0 };
const BALL_MASS: f64 = 0.5;
const BALL_SPEED: DVec3 = DVec3::new(0.3, -0.2, -2.0);

fn made(name: &str, mesh: &Mesh, kind: &str, shape: SurfaceShape) -> Structure {
    let mut structure =
        Structure::from_mesh(name, mesh, <dyn Kind>::named(kind, None).unwrap(), None).unwrap();
    structure.solids.push(RUBBER);
    let section = Section::Rectangle { width: 0.04, height: 0.04 };
    structure.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    structure.damping = Damping { stiffness: 1e-3, ..Damping::default() };
    let (group, mask) = (1, u32::MAX);
    let radius = Some(0.02);
    structure.contact = Some(ContactSurface { material: 0, radius, shape, self_contact: false, group, mask });
    structure
}

/// A ball of radius 0.1 m above the origin that moves down on the structures.
fn scene(structures: Vec<Structure>, law: ContactLaw, gravity: DVec3) -> Arc<Model> {
    scene_solved_by(ConeMethod::Apgd, structures, law, gravity)
}

fn scene_solved_by(
    solver: ConeMethod,
    structures: Vec<Structure>,
    law: ContactLaw,
    gravity: DVec3,
) -> Arc<Model> {
    let mut assembly = Assembly::new(gravity);
    assembly.collision.settings.law = law;
    assembly.collision.settings.rigid.solver = solver;
    assembly.collision.settings.rigid.tolerance = Some(1e-9);
    let surface = Material { friction: 0.4, young: 1e6, ..Material::default() };
    let material = assembly.add_material(NamedMaterial { name: "rubber".into(), material: surface }).unwrap();
    let body = assembly
        .add_body(Body {
            name: "ball".into(),
            mass: BALL_MASS,
            inertia: DMat3::IDENTITY * (0.4 * BALL_MASS * 0.01),
            position: DVec3::new(0.01, 0.02, 0.14),
            velocity: BALL_SPEED,
            ..Body::default()
        })
        .unwrap();
    let (shape, pose) = (Shape::sphere(0.1).unwrap(), Pose::IDENTITY);
    assembly.add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX }).unwrap();
    let mut part = FlexiblePart::new(Flexible { structures, ..Flexible::default() }).unwrap();
    assembly.build_with(SignalGraph::default(), &[], &mut [&mut part]).unwrap().model
}

fn stepper(model: &Arc<Model>, law: ContactLaw, threads: usize) -> Stepper {
    let integrator =
        if law == ContactLaw::Rigid { Integrator::Euler } else { Integrator::Hht { alpha: -0.1 } };
    let settings = StepperSettings { integrator, ..StepperSettings::default() };
    Stepper::new(model.clone(), Exec::with_threads(threads).unwrap(), settings).unwrap()
}

/// Momentum [kg·m/s] of everything: the first three columns of every item of M v.
fn momentum(system: &mut System, model: &Model, state: &State) -> DVec3 {
    system.load(state);
    let mut p = vec![0.0; state.v.len()];
    system.add_mass_product(&state.v, &mut p);
    let blocks = (0u32..).map_while(|b| (b < model.block_count()).then(|| model.block_column(b)));
    blocks.map(|first| DVec3::from_slice(&p[first..first + 3])).sum()
}

fn ball_velocity(state: &State) -> DVec3 {
    DVec3::from_slice(&state.v[..3])
}

/// A structure of each kind below the ball.
fn structures() -> Vec<Structure> {
    let line = Mesh::beam(DVec3::X * -0.5, DVec3::X * 0.5, 4).unwrap();
    let block = Mesh::block(
        DVec3::new(-0.2, -0.2, -0.18),
        DVec3::new(0.4, 0.4, 0.2),
        [3, 3, 2],
        BlockSplit::default(),
    );
    let mut structures: Vec<Structure> = LINES
        .into_iter()
        .map(|kind| made("line", &line, kind, SurfaceShape::Capsules { segments: 2 }))
        .collect();
    structures.push(made("row", &line, CABLE, SurfaceShape::Spheres { segments: 4 }));
    structures.push(made("jelly", &block.unwrap(), CABLE, SurfaceShape::Automatic));
    structures
}

#[test]
fn an_impact_keeps_the_momentum_under_both_laws() {
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        for structure in &structures() {
            let what = format!("{} {:?} {law:?}", structure.name, structure.elements[0].name());
            let model = scene(vec![structure.clone()], law, DVec3::ZERO);
            let mut stepper = stepper(&model, law, 1);
            let mut observer = System::new(model.clone(), Exec::serial());
            let mut state = State::new(&model);
            let start = momentum(&mut observer, &model, &state);
            assert!((start - BALL_MASS * BALL_SPEED).length() < 1e-12);
            for _ in 0..100 {
                stepper.step(&mut state, 5e-4).unwrap_or_else(|e| panic!("{what}: {e}"));
            }
            let end = momentum(&mut observer, &model, &state);
            assert!((end - start).length() < 1e-9 * start.length(), "{what}: {start} {end}");
            let change = ball_velocity(&state) - BALL_SPEED;
            assert!(change.z > 0.05, "{what}: the ball went by, {change}");
            assert!(change.x.hypot(change.y) > 1e-3, "{what}: no friction, {change}");
        }
    }
}

/// Solvers are asked whether they can take up a problem whose bodies factors couple. A sweep cannot, and says so before
/// anything touches; the others agree.
#[test]
fn solvers_say_what_they_support() {
    let line = Mesh::beam(DVec3::X * -0.5, DVec3::X * 0.5, 4).unwrap();
    let cable = made("line", &line, CABLE, SurfaceShape::Capsules { segments: 2 });
    let after = |solver: ConeMethod, steps: usize| {
        let model = scene_solved_by(solver, vec![cable.clone()], ContactLaw::Rigid, DVec3::ZERO);
        let mut stepper = stepper(&model, ContactLaw::Rigid, 1);
        let mut state = State::new(&model);
        (0..steps).try_for_each(|_| stepper.step(&mut state, 5e-4).map(drop))?;
        Ok::<_, huygens_core::CoreError>(ball_velocity(&state))
    };
    let said = after(ConeMethod::Psor, 1).unwrap_err().to_string();
    assert!(said.contains("`psor`") && said.contains("single bodies") && said.contains("`apgd`"), "{said}");
    let [one, other] = [ConeMethod::Apgd, ConeMethod::InteriorPoint].map(|s| after(s, 60).unwrap());
    assert!((one - BALL_SPEED).length() > 0.05, "nothing was touched: {one}");
    assert!(one.distance(other) < 1e-4 * BALL_SPEED.length(), "{one} {other}");
}

/// Angular momentum [kg·m²/s] about the origin: x × p of all vectors of nodes, and the spin of bodies and of nodes with axes.
fn angular_momentum(system: &mut System, structure: &Structure, state: &State) -> DVec3 {
    system.load(state);
    let mut p = vec![0.0; state.v.len()];
    system.add_mass_product(&state.v, &mut p);
    let lever = |q: usize, v: usize| DVec3::from_slice(&state.q[q..]).cross(DVec3::from_slice(&p[v..]));
    let spin = |q: usize, v: usize| DQuat::from_slice(&state.q[q + 3..]) * DVec3::from_slice(&p[v + 3..]);
    let mut sum = lever(0, 0) + spin(0, 0);
    let (mut q, mut v) = (7, 6);
    for node in &structure.nodes {
        sum += match node.kind {
            NodeKind::Frame => lever(q, v) + spin(q, v),
            kind => (0..kind.columns()).step_by(3).map(|k| lever(q + k, v + k)).sum(),
        };
        (q, v) = (q + node.kind.positions(), v + node.kind.columns());
    }
    sum
}

/// A contact does the same moment to both sides: in a short step from the first touch on nothing else turns them.
#[test]
fn an_impact_keeps_the_angular_momentum_under_both_laws() {
    for (law, depth) in [(ContactLaw::Rigid, 0.0), (ContactLaw::Compliant, 1e-3)] {
        for structure in &structures() {
            let what = format!("{} {:?} {law:?}", structure.name, structure.elements[0].name());
            let model = scene(vec![structure.clone()], law, DVec3::ZERO);
            let mut stepper = stepper(&model, law, 1);
            let mut observer = System::new(model.clone(), Exec::serial());
            let mut state = State::new(&model);
            // The ball beside the line and at the middle of a sphere, or above the block.
            state.q[0] = 0.5 * 0.25 / 4.0;
            let solid = !structure.elements[0].is_line();
            state.q[2] = if solid { 0.14 } else { (0.12f64.powi(2) - 0.02f64.powi(2)).sqrt() } - depth;
            let start = angular_momentum(&mut observer, structure, &state);
            stepper.step(&mut state, 1e-6).unwrap_or_else(|e| panic!("{what}: {e}"));
            let change = angular_momentum(&mut observer, structure, &state) - start;
            let push = (ball_velocity(&state) - BALL_SPEED) * BALL_MASS;
            assert!(push.z > 0.0 && push.x.abs() > 1e-3 * push.length(), "{what}: no friction, {push}");
            // Cables and bars do not feel a moment about their own axis, which is x.
            let twists = !matches!(structure.elements[0].name(), "cable" | "bar");
            let change = if twists { change } else { change.with_x(0.0) };
            println!("{what}: {:.1e} of push and radius", change.length() / (0.1 * push.length()));
            assert!(change.length() < 1e-6 * 0.1 * push.length(), "{what}: {change} by {push}");
        }
    }
}

#[test]
fn carried_frames_move_as_their_twists_say() {
    let line = Mesh::beam(DVec3::ZERO, DVec3::new(0.8, 0.3, 0.1), 2).unwrap();
    let block = Mesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1], BlockSplit::default()).unwrap();
    for (k, kind) in LINES.into_iter().chain([CABLE]).enumerate() {
        let solid = k == LINES.len();
        let mesh = if solid { &block } else { &line };
        let model =
            scene(vec![made("part", mesh, kind, SurfaceShape::Automatic)], ContactLaw::Rigid, DVec3::ZERO);
        let mut system = System::new(model.clone(), Exec::serial());
        let mut state = State::new(&model);
        // Any motion: a fixed sequence that looks like none.
        let number = |i: usize| ((i as f64 * 0.754_877_666).fract() - 0.5) * 2.0;
        let x: Vec<f64> = (0..state.v.len()).map(|i| 0.05 * number(i)).collect();
        system.load(&state);
        system.retract(&state.q, &x);
        state.q.copy_from_slice(&system.point.q);
        state.v.iter_mut().enumerate().for_each(|(i, v)| *v = number(7 * i + 3));
        let at = |system: &mut System, share: f64| {
            system.load(&state);
            let way: Vec<f64> = state.v.iter().map(|v| share * v).collect();
            system.retract(&state.q, &way);
            system.update(&state.history);
            system.frames().to_vec()
        };
        let (now, step) = (at(&mut system, 0.0), 1e-6);
        let (before, after) = (at(&mut system, -step), at(&mut system, step));
        let (mut carried, mut turning) = (0, 0.0f64);
        for ((now, before), after) in now.iter().zip(&before).zip(&after) {
            if now.motion != FrameMotion::Carried {
                continue;
            }
            carried += 1;
            let velocity = (after.origin - before.origin) / (2.0 * step);
            assert!((velocity - now.velocity).length() < 1e-8, "{kind:?}: {velocity} {}", now.velocity);
            if !solid {
                let turn = (after.axes.z_axis - before.axes.z_axis) / (2.0 * step);
                let expected = now.omega.cross(now.axes.z_axis);
                assert!((turn - expected).length() < 1e-7, "{kind:?}: {turn} {expected}");
            }
            // The angular acceleration while all velocities stay.
            let alpha = (after.omega - before.omega) / (2.0 * step);
            let error = (alpha - now.alpha_bias).length();
            assert!(error < 1e-7 * (1.0 + alpha.length()), "{kind:?}: {alpha} {}", now.alpha_bias);
            turning = turning.max(alpha.length());
        }
        assert!(carried >= if solid { 12 } else { 2 }, "{kind:?}: {carried}");
        assert!(turning > 0.1, "{kind:?}: {turning}");
        system.load(&state);
        system.update(&state.history);
        let view = system.view(&state.history);
        for (k, frame) in view.frames.iter().enumerate().filter(|(_, f)| f.motion == FrameMotion::Carried) {
            let (columns, twists) = view.twists.row(k as u32);
            let parts = || columns.iter().zip(twists).map(|(&c, t)| (state.v[c as usize], t));
            let velocity: DVec3 = parts().map(|(v, t)| t.velocity * v).sum();
            let omega: DVec3 = parts().map(|(v, t)| t.omega * v).sum();
            assert!((velocity - frame.velocity).length() < 1e-13, "{kind:?}");
            assert!((omega - frame.omega).length() < 1e-11, "{kind:?}: {omega} {}", frame.omega);
        }
    }
}

#[test]
fn carried_frames_turn_with_a_structure_that_turns_as_a_whole() {
    let bent = [DVec3::ZERO, DVec3::new(0.3, 0.1, 0.0), DVec3::new(0.5, 0.4, 0.1), DVec3::new(0.4, 0.7, 0.3)];
    let line = Mesh::polyline(&bent, 1, false).unwrap();
    let block = Mesh::block(DVec3::ZERO, DVec3::ONE, [1, 1, 1], BlockSplit::default()).unwrap();
    let spin = DVec3::new(0.7, -0.4, 1.1);
    for (k, kind) in LINES.into_iter().chain([CABLE]).enumerate() {
        let mut own =
            made("part", if k == LINES.len() { &block } else { &line }, kind, SurfaceShape::Automatic);
        for node in &mut own.nodes {
            (node.velocity, node.angular_velocity) = (spin.cross(node.position), spin);
        }
        let model = scene(vec![own], ContactLaw::Rigid, DVec3::ZERO);
        let mut system = System::new(model.clone(), Exec::serial());
        let state = State::new(&model);
        system.load(&state);
        system.update(&state.history);
        let carried = system.frames().iter().filter(|f| f.motion == FrameMotion::Carried);
        for frame in carried {
            let axis = frame.axes.z_axis;
            // Cables and bars know no turn about their own axis.
            let spinless = k < LINES.len() && matches!(kind, "cable" | "bar");
            let expected = if spinless { spin - axis * spin.dot(axis) } else { spin };
            assert!((frame.omega - expected).length() < 1e-12, "{kind:?}: {} {expected}", frame.omega);
            assert!((frame.velocity - spin.cross(frame.origin)).length() < 1e-12, "{kind:?}");
        }
    }
}

#[test]
fn what_supports_hold_rests_and_joined_bodies_do_not_touch() {
    let line = Mesh::beam(DVec3::X * -0.5, DVec3::X * 0.5, 4).unwrap();
    let mut rod = made("rod", &line, "rod", SurfaceShape::Automatic);
    rod.nodes.iter_mut().for_each(|n| (n.velocity, n.angular_velocity) = (DVec3::Y, DVec3::Z));
    rod.fixed.push(Fixed { nodes: vec![0, 1], columns: Vec::new() });
    let model = scene(vec![rod], ContactLaw::Compliant, DVec3::ZERO);
    let (mut steps, mut state) = (stepper(&model, ContactLaw::Compliant, 1), State::new(&model));
    let start = state.q.clone();
    for _ in 0..20 {
        steps.step(&mut state, 1e-3).unwrap();
    }
    // The ball has 7 positions, then come the nodes.
    assert_eq!(start[7..21], state.q[7..21]);
    assert!(start[21..] != state.q[21..]);
    let system = steps.system();
    system.load(&state);
    system.update(&state.history);
    let resting = system.frames().iter().filter(|f| f.motion == FrameMotion::Prescribed).count();
    assert_eq!(resting, 1, "the piece between the two held nodes");
}

fn net() -> Structure {
    let mesh = Mesh::net(DVec3::new(-0.3, -0.3, 0.0), [DVec3::X * 0.6, DVec3::Y * 0.6], [4, 4]).unwrap();
    let mut net = made("net", &mesh, CABLE, SurfaceShape::Automatic);
    let corners = net.find_nodes("corners").unwrap();
    net.fixed.push(Fixed { nodes: corners, columns: vec![0, 1, 2] });
    net
}

#[test]
fn threads_and_a_restart_do_not_change_the_bits() {
    let gravity = DVec3::new(0.0, 0.0, -9.81);
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        let model = scene(vec![net()], law, gravity);
        let run = |threads: usize, restart: bool| {
            let (mut steps, mut state) = (stepper(&model, law, threads), State::new(&model));
            for k in 0..60 {
                if restart && k == 31 {
                    // All that goes on is the state.
                    steps = stepper(&model, law, threads);
                }
                steps.step(&mut state, 1e-3).unwrap();
            }
            state
        };
        let one = run(1, false);
        assert!(!one.contacts.keys.is_empty(), "the ball missed the net");
        assert!(one == run(2, false) && one == run(4, false), "{law:?}: threads");
        assert!(one == run(1, true), "{law:?}: restart");
    }
}

/// The matrix of a ball that just touches, against central differences of all forces. It leaves out that the normal
/// turns, which counts as the depth over the radius.
#[test]
fn tangents_of_touching_structures_are_differences_of_their_forces() {
    let depth = 1e-6;
    let line = Mesh::beam(DVec3::X * -0.5, DVec3::X * 0.5, 4).unwrap();
    let (corner, sides) = (DVec3::new(-0.2, -0.2, -0.18), DVec3::new(0.4, 0.4, 0.2));
    let block = Mesh::block(corner, sides, [2, 2, 1], BlockSplit::default()).unwrap();
    let shape = SurfaceShape::Capsules { segments: 2 };
    let mut structures: Vec<(Structure, f64)> =
        LINES.into_iter().map(|kind| (made("line", &line, kind, shape), 0.12)).collect();
    structures.push((made("jelly", &block, CABLE, SurfaceShape::Automatic), 0.14));
    for (structure, height) in structures {
        let what = structure.elements[0].name();
        let model = scene(vec![structure], ContactLaw::Compliant, DVec3::ZERO);
        let mut state = State::new(&model);
        state.v.fill(0.0);
        // Beside the nodes, so that all of an element take part.
        state.q[..3].copy_from_slice(&[0.06, 0.0, height - depth]);
        let mut system = System::new(model, Exec::serial());
        let n = state.v.len();
        let unit = |c: usize, size: f64| {
            let mut x = vec![0.0; n];
            x[c] = size;
            x
        };
        for (stiffness, damping, step) in [(1.0, 0.0, 1e-9), (0.0, 1.0, 1e-8)] {
            system.load(&state);
            system.update(&state.history);
            let weights = MatrixWeights { mass: 0.0, damping, stiffness, geometric: 0.0 };
            system.assemble(&state.history, weights, None);
            let columns: Vec<Vec<f64>> = (0..n)
                .map(|c| {
                    let mut y = vec![0.0; n];
                    system.matrix_product(&unit(c, 1.0), &mut y);
                    y
                })
                .collect();
            let own = columns[2][2];
            assert!(own > if stiffness > 0.0 { 50.0 } else { 1e-3 }, "{what}: no contact, {own:e}");
            for (c, column) in columns.iter().enumerate() {
                let mut forces = [vec![0.0; n], vec![0.0; n]];
                for (f, sign) in forces.iter_mut().zip([1.0, -1.0]) {
                    system.load(&state);
                    if stiffness > 0.0 {
                        system.retract(&state.q, &unit(c, sign * step));
                    } else {
                        system.point.v[c] = sign * step;
                    }
                    system.update(&state.history);
                    system.forces(&state.history, f);
                }
                for r in 0..n {
                    let found = (forces[1][r] - forces[0][r]) / (2.0 * step);
                    assert!(
                        (found - column[r]).abs() < 1e-3 * own,
                        "{what} ({r}, {c}): {found} {}",
                        column[r]
                    );
                }
            }
        }
    }
}
