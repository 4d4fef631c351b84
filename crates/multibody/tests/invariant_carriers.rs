//! Frames with any number of columns in contact and in joints: Cosserat points that deform, and a face with 16 nodes.

use crate::common;
use crate::face;
use std::sync::Arc;

use crate::common::differences::Probe;
use crate::common::{DOWN, G, Random, joint, settings, stepper};
use crate::cosserat::{Point, Points, polar};
use crate::face::Face;
use glam::{DMat3, DQuat, DVec3};
use huygens_core::builder::Part;
use huygens_core::contact::{ContactLaw, Material};
use huygens_core::contract::{FrameMotion, RowRequest};
use huygens_core::integrator::Integrator;
use huygens_core::signal::SignalGraph;
use huygens_core::{Model, State, System};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::*;

const SOFT: [f64; 2] = [2e4, 1.5e4];

fn build(assembly: &Assembly, part: &mut dyn Part) -> Mechanism {
    assembly.build_with(SignalGraph::default(), &[], &mut [part]).unwrap()
}

fn external(position: DVec3) -> Attachment {
    Attachment { carrier: Carrier::External(0), position, rotation: DQuat::IDENTITY }
}

/// A point in any state: turned, sheared, and moving in all ways.
fn any_point(random: &mut Random, lame: [f64; 2]) -> Point {
    let vectors = |random: &mut Random| DMat3::from_cols(random.vector(), random.vector(), random.vector());
    let shear = DMat3::IDENTITY + vectors(random) * 0.2;
    Point {
        lame,
        position: random.vector(),
        directors: DMat3::from_quat(random.rotation()) * shear,
        velocity: random.vector(),
        director_rates: vectors(random),
        ..Point::default()
    }
}

/// The Jacobian at a point is the derivative of its position, the angular twists that of the axes, and the biases are the
/// rates of both.
#[test]
fn the_jacobian_at_a_point_is_the_derivative_of_its_position() {
    let mut random = Random(3);
    for _ in 0..5 {
        let assembly = Assembly::new(DVec3::ZERO);
        let mut part = Points::new(vec![any_point(&mut random, [0.0; 2])], None);
        let model = build(&assembly, &mut part).model;
        let material = random.vector() * 0.3;
        let mut system = System::new(model.clone(), Exec::serial());
        let state = State::new(&model);
        let mut at = |way: &[f64]| {
            system.load(&state);
            system.retract(&state.q, way);
            system.update(&state.history);
            let x = system.view(&state.history);
            let (deformation, own) = x.twists.deformation(0).unwrap();
            let point = deformation.point(&x, own, material);
            assert!((deformation.material(&x, own, point.position) - material).length() < 1e-13);
            let mut twists = x.twists.row(0).1.to_vec();
            deformation.at_point(&x, own, material, &mut twists);
            let velocity = x.velocity_at(0, point.position);
            assert!((velocity - point.velocity).length() < 1e-13);
            (point, x.frames[0], twists)
        };
        let (point, frame, twists) = at(&[0.0; 12]);
        assert_eq!(frame.motion, FrameMotion::Deforming);
        let h = 1e-5;
        let (mut velocity, mut omega) = (DVec3::ZERO, DVec3::ZERO);
        for (c, twist) in twists.iter().enumerate() {
            let mut way = [0.0; 12];
            way[c] = h;
            let (after, frame_after, _) = at(&way);
            way[c] = -h;
            let (before, frame_before, _) = at(&way);
            let difference = (after.position - before.position) / (2.0 * h);
            assert!((difference - twist.velocity).length() < 1e-10, "column {c}: {difference}");
            let spin = (frame_after.axes - frame_before.axes) * (0.5 / h) * frame.axes.transpose();
            let spin = DVec3::new(spin.y_axis.z, spin.z_axis.x, spin.x_axis.y);
            assert!((spin - twist.omega).length() < 1e-8, "column {c}: {spin} {}", twist.omega);
            velocity += twist.velocity * state.v[c];
            omega += twist.omega * state.v[c];
        }
        assert!((velocity - point.velocity).length() < 1e-13);
        assert!((omega - frame.omega).length() < 1e-13);
        let way = |h: f64| state.v.iter().map(|v| h * v).collect::<Vec<_>>();
        let (after, before) = (at(&way(h)).1.omega, at(&way(-h)).1.omega);
        let alpha = (after - before) / (2.0 * h);
        assert!((alpha - frame.alpha_bias).length() < 1e-7 * (1.0 + alpha.length()), "{alpha}");
    }
}

/// Momentum and angular momentum about the origin of a ball and a point.
fn momentum(state: &State, point: &Point, ball: &Body) -> [DVec3; 2] {
    let vector = |x: &[f64], at: usize| DVec3::from_slice(&x[at..at + 3]);
    let turn = DQuat::from_slice(&state.q[3..7]);
    let (r, p) = (vector(&state.q, 0), vector(&state.v, 0) * ball.mass);
    let mut sum = [p, r.cross(p) + turn * (ball.inertia * vector(&state.v, 3))];
    for (k, mass) in point.masses().into_iter().enumerate() {
        let (d, p) = (vector(&state.q, 7 + 3 * k), vector(&state.v, 6 + 3 * k) * mass);
        sum[0] += if k == 0 { p } else { DVec3::ZERO };
        sum[1] += d.cross(p);
    }
    sum
}

fn surface(assembly: &mut Assembly, law: ContactLaw) -> MaterialId {
    assembly.collision.settings.law = law;
    assembly.collision.settings.rigid.tolerance = Some(1e-13);
    assembly.collision.settings.rigid.max_iterations = 2000;
    let (friction, rolling_friction, spinning_friction) = (0.4, 0.01, 0.01);
    let surface =
        Material { friction, rolling_friction, spinning_friction, young: 1e6, ..Material::default() };
    assembly.add_material(NamedMaterial { name: "rubber".into(), material: surface }).unwrap()
}

fn add_shape(assembly: &mut Assembly, body: BodyId, shape: Shape, position: DVec3, material: MaterialId) {
    let pose = Pose { position, ..Pose::IDENTITY };
    assembly.add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX }).unwrap();
}

fn ball(position: DVec3, velocity: DVec3) -> Body {
    let inertia = DMat3::IDENTITY * (0.4 * 0.5 * 0.01);
    let angular_velocity = DVec3::new(3.0, -8.0, 5.0);
    Body { name: "ball".into(), mass: 0.5, inertia, position, velocity, angular_velocity, ..Body::default() }
}

#[test]
fn a_collision_with_a_body_keeps_both_momenta() {
    let mut random = Random(11);
    for (law, bound) in [(ContactLaw::Rigid, 1e-12), (ContactLaw::Compliant, 1e-10)] {
        for _ in 0..4 {
            let mut assembly = Assembly::new(DVec3::ZERO);
            let material = surface(&mut assembly, law);
            // The ball comes from above, off the middle.
            let ball = ball(DVec3::new(0.05, -0.04, 0.5), DVec3::new(0.3, -0.2, -3.0));
            let id = assembly.add_body(ball.clone()).unwrap();
            add_shape(&mut assembly, id, Shape::sphere(0.1).unwrap(), DVec3::ZERO, material);
            let mut point = any_point(&mut random, [0.0; 2]);
            (point.position, point.velocity) = (DVec3::ZERO, DVec3::new(0.1, 0.2, 0.0));
            point.director_rates *= 0.3;
            let mut part = Points::new(vec![point.clone()], Some(material.index()));
            let model = build(&assembly, &mut part).model;
            let rigid = law == ContactLaw::Rigid;
            let integrator = if rigid { Integrator::Euler } else { Integrator::Leapfrog };
            let mut stepper = stepper(&model, settings(integrator));
            let mut state = State::new(&model);
            let start = momentum(&state, &point, &ball);
            let mut touched = 0;
            let h = if rigid { 1e-3 } else { 1e-4 };
            for _ in 0..(0.25 / h) as usize {
                touched += usize::from(stepper.step(&mut state, h).unwrap().contacts > 0);
                // Without stiffness the impact flattens it until it is turned inside out.
                let volume = DMat3::from_cols_slice(&state.q[10..19]).determinant();
                if volume < 0.3 * point.directors.determinant() {
                    break;
                }
            }
            let end = momentum(&state, &point, &ball);
            assert!(touched > 0, "{law:?}: they missed each other");
            let push = ball.mass * (DVec3::from_slice(&state.v[..3]) - ball.velocity);
            assert!(push.z > 0.1, "{law:?}: {push}");
            let stretched: f64 = (9..18).map(|i| (state.v[i] - State::new(&model).v[i]).abs()).sum();
            assert!(stretched > 1e-2, "{law:?}: the point did not deform");
            for (k, scale) in
                [start[0].length(), start[1].length().max(0.1 * start[0].length())].into_iter().enumerate()
            {
                let error = (end[k] - start[k]).length() / scale;
                println!("{law:?}, momentum {k}: {error:.1e}");
                assert!(error < bound, "{law:?}, momentum {k}: {} {}", start[k], end[k]);
            }
        }
    }
}

/// Contacts act on the material point, not on a rigid body at the point's frame: the rigid law stops the approach of the
/// material points, and forces of the compliant law have the power of the material points' velocities.
#[test]
fn contacts_act_on_material_points() {
    let mut random = Random(31);
    let (mut stopped, mut pushed) = (0, 0);
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        for _ in 0..4 {
            let mut assembly = Assembly::new(DVec3::ZERO);
            surface(&mut assembly, law);
            assembly.collision.settings.rigid.overlap = Some(0.0);
            // Friction of the rigid law parts what slides.
            let friction = if law == ContactLaw::Rigid { 0.0 } else { 0.4 };
            let material = Material { friction, young: 1e6, ..Material::default() };
            let material = assembly.add_material(NamedMaterial { name: "own".into(), material }).unwrap();
            let ball = ball(DVec3::new(0.05, -0.04, 0.42), DVec3::new(0.3, -0.2, -3.0));
            let id = assembly.add_body(ball).unwrap();
            add_shape(&mut assembly, id, Shape::sphere(0.1).unwrap(), DVec3::ZERO, material);
            let mut point = any_point(&mut random, [0.0; 2]);
            (point.position, point.velocity) = (DVec3::ZERO, DVec3::ZERO);
            let model = build(&assembly, &mut Points::new(vec![point], Some(material.index()))).model;
            let rigid = law == ContactLaw::Rigid;
            let integrator = if rigid { Integrator::Euler } else { Integrator::Leapfrog };
            let h = if rigid { 1e-3 } else { 1e-4 };
            let mut stepper = stepper(&model, settings(integrator));
            let mut observer = System::new(model.clone(), Exec::serial());
            let mut state = State::new(&model);
            for _ in 0..(0.05 / h) as usize {
                let before = state.q.clone();
                stepper.step(&mut state, h).unwrap();
                let Some(contact) = stepper.contacts().first() else { continue };
                let force = DVec3::from_slice(state.contacts.values_of(0));
                observer.load(&state);
                if rigid {
                    observer.point.q.copy_from_slice(&before);
                }
                observer.update(&state.history);
                let x = observer.view(&state.history);
                // The ball's frame comes first.
                assert_eq!(contact.frames, [0, 1]);
                let slip = x.velocity_at(0, contact.point) - x.velocity_at(1, contact.point);
                let (turn, origin) = (x.frames[0].omega - x.frames[1].omega, x.frames[0].origin);
                let axes = x.frames[0].axes;
                if rigid && contact.gap > 0.0 && force.length() > 0.1 {
                    let approach = -slip.dot(contact.normal) + contact.gap / h;
                    assert!(approach.abs() < 1e-9, "{approach}");
                    stopped += 1;
                } else if !rigid && force.length() > 1.0 {
                    let mut f = vec![0.0; state.v.len()];
                    observer.forces(&state.history, &mut f);
                    let power: f64 = f.iter().zip(&state.v).map(|(f, v)| f * v).sum();
                    let (force, torque) = (DVec3::from_slice(&f), axes * DVec3::from_slice(&f[3..]));
                    let couple = torque - (contact.point - origin).cross(force);
                    let expected = force.dot(slip) + couple.dot(turn);
                    let error = (power - expected).abs() / (force.length() * slip.length());
                    assert!(error < 1e-12, "{power} {expected}");
                    pushed += 1;
                }
            }
        }
    }
    assert!(stopped > 0 && pushed > 10, "{stopped} {pushed}");
}

/// Force on the ground, from the contacts' memory.
fn weight(state: &State) -> f64 {
    let memory = &state.contacts;
    (0..memory.len()).map(|k| memory.values_of(k)[2].abs()).sum()
}

#[test]
fn a_point_comes_to_rest_on_a_plane_under_both_laws() {
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        let mut assembly = Assembly::new(DOWN);
        let material = surface(&mut assembly, law);
        if law == ContactLaw::Rigid {
            assembly.collision.settings.rigid.tolerance = Some(1e-8);
        }
        let floor = assembly
            .add_body(Body { name: "floor".into(), kind: BodyKind::Fixed, ..Body::default() })
            .unwrap();
        add_shape(&mut assembly, floor, Shape::half_space(), DVec3::ZERO, material);
        let turn = DMat3::from_quat(DQuat::from_rotation_x(0.4));
        let position = DVec3::new(0.1, -0.2, 0.3);
        let point = Point { lame: SOFT, position, directors: turn, ..Point::default() };
        let mut part = Points::new(vec![point.clone()], Some(material.index()));
        let model = build(&assembly, &mut part).model;
        let mut stepper = stepper(&model, settings(Integrator::Euler));
        let mut state = State::new(&model);
        let (first_q, first_v) = (part.first_q, part.first_v);
        let h = 1e-3;
        let mut energy = point.mass * G * 0.3;
        for k in 0..4000 {
            stepper.step(&mut state, h).unwrap_or_else(|e| panic!("{law:?}: {e}"));
            if k == 99 {
                // Nothing touches yet: a free fall.
                let fallen = -0.5 * G * 100.0 * 101.0 * h * h;
                assert!((state.q[first_q + 2] - 0.3 - fallen).abs() < 1e-12, "{law:?}");
            }
            if k % 100 == 99 {
                stepper.system().load(&state);
                stepper.system().update(&state.history);
                let now: f64 = stepper.system().energy(&state.history).iter().sum();
                assert!(now < energy + 1e-6, "{law:?}: {now} after {energy}");
                // What compliant contacts store is not counted.
                energy = if law == ContactLaw::Rigid { now } else { energy };
            }
        }
        let speed = state.v[first_v..first_v + 12].iter().fold(0.0f64, |m, v| m.max(v.abs()));
        assert!(speed < 2e-3, "{law:?}: still moves with {speed}");
        let height = state.q[first_q + 2];
        // It lies on its flattest side, a little compressed by its weight.
        assert!(height < 0.151 && height > 0.13, "{law:?}: {height}");
        let force = weight(&state);
        assert!((force / (point.mass * G) - 1.0).abs() < 1e-2, "{law:?}: {force}");
    }
}

/// Directors of a point that hangs at rest at the material point (0, 0, c): $k^3 = c\,mg\,e_z$, $k^1 = k^2 = 0$.
fn hanging(point: &Point) -> DMat3 {
    let ([lambda, mu], volume) = (point.lame, point.volume());
    let pull = point.radii.z * point.mass * G / volume;
    let (mut p, mut s) = (1.0f64, 1.0f64);
    for _ in 0..50 {
        let trace = 2.0 * p * p + s * s - 3.0;
        let across = 0.5 * lambda * trace + mu * (p * p - 1.0);
        let along = (0.5 * lambda * trace + mu * (s * s - 1.0)) * s - pull;
        let (ap, as_) = (2.0 * (lambda + mu) * p, lambda * s);
        let (lp, ls) =
            (2.0 * lambda * p * s, 0.5 * lambda * trace + mu * (s * s - 1.0) + (lambda + 2.0 * mu) * s * s);
        let determinant = ap * ls - as_ * lp;
        p -= (across * ls - as_ * along) / determinant;
        s -= (ap * along - lp * across) / determinant;
    }
    DMat3::from_diagonal(DVec3::new(p, p, s))
}

fn residual(system: &mut System, state: &State) -> f64 {
    system.load(state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    let mut phi = vec![0.0; state.lambda.len()];
    system.residuals(&mut phi);
    phi.iter().fold(0.0, |m, r| m.max(r.abs()))
}

fn pendulum(point: Point) -> (Arc<Model>, Mechanism, JointId) {
    let mut assembly = Assembly::new(DOWN);
    let top = DVec3::new(0.0, 0.0, point.radii.z);
    let hook = Attachment::ground(point.position + point.directors * top, DQuat::IDENTITY);
    let id = assembly.add_joint(joint("hook", JointKind::Spherical, hook, external(top))).unwrap();
    let mechanism = build(&assembly, &mut Points::new(vec![point], None));
    (mechanism.model.clone(), mechanism, id)
}

#[test]
fn a_point_hangs_in_a_spherical_joint_at_a_material_point() {
    let newmark = Integrator::Newmark { beta: 0.25, gamma: 0.5 };
    let mut rest = Point { lame: SOFT, ..Point::default() };
    rest.directors = hanging(&rest);
    for integrator in [newmark, Integrator::GeneralizedAlpha { rho: 0.8 }, Integrator::Euler] {
        let (model, mechanism, id) = pendulum(rest.clone());
        let mut stepper = stepper(&model, settings(integrator));
        let mut state = State::new(&model);
        let start = state.q.clone();
        for _ in 0..50 {
            stepper.step(&mut state, 1e-3).unwrap();
        }
        let moved = state.q.iter().zip(&start).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
        assert!(moved < 1e-10, "{integrator:?}: it moved by {moved}");
        stepper.system().load(&state);
        stepper.system().update(&state.history);
        let view = stepper.system().view(&state.history);
        for (k, expected) in [0.0, 0.0, rest.mass * G].into_iter().enumerate() {
            let m = Measurement::ReactionForce(id, Side::B, ReactionAxes::World, k);
            let force = mechanism.measure(&view, &m);
            assert!((force - expected).abs() < 1e-8 * rest.mass * G, "{integrator:?}: {k}, {force}");
        }
    }
}

#[test]
fn a_swinging_point_keeps_its_joint_and_its_energy() {
    let mut released = Point { lame: SOFT, ..Point::default() };
    released.directors = DMat3::from_quat(DQuat::from_rotation_y(0.8)) * hanging(&released);
    released.director_rates = DMat3::from_cols(DVec3::Y, DVec3::Z, DVec3::ZERO) * 0.2;
    // The point of the joint rests at the start.
    released.velocity = DVec3::ZERO;
    let run = |integrator: Integrator, h: f64| {
        let (model, _, _) = pendulum(released.clone());
        let mut stepper = stepper(&model, settings(integrator));
        let mut state = State::new(&model);
        let energy = |system: &mut System, state: &State| -> f64 {
            system.load(state);
            system.update(&state.history);
            system.energy(&state.history).iter().sum()
        };
        let start = energy(stepper.system(), &state);
        let (mut drift, mut last, mut apart) = (0.0f64, 0.0, 0.0f64);
        for _ in 0..(0.5 / h).round() as usize {
            stepper.step(&mut state, h).unwrap();
            last = energy(stepper.system(), &state) - start;
            drift = drift.max(last.abs());
            apart = apart.max(residual(stepper.system(), &state));
        }
        (drift, last, apart)
    };
    let newmark = Integrator::Newmark { beta: 0.25, gamma: 0.5 };
    let (coarse, fine) = (run(newmark, 1e-3), run(newmark, 5e-4));
    println!("newmark: {coarse:?} {fine:?}");
    assert!(coarse.2 < 1e-11 && fine.2 < 1e-11, "{coarse:?} {fine:?}");
    let scale = released.mass * G * released.radii.z;
    assert!(coarse.0 < 5e-3 * scale, "{coarse:?} of {scale}");
    assert!(fine.0 < 0.35 * coarse.0, "not of second order: {coarse:?} {fine:?}");
    let euler = run(Integrator::Euler, 1e-3);
    println!("euler: {euler:?}");
    assert!(euler.1 < 0.0 && euler.0 < 0.5 * scale, "energy does not fall: {euler:?}");
    assert!(euler.2 < 1e-4, "{euler:?}");
    let projected = run(Integrator::EulerProjected, 1e-3);
    assert!(projected.2 < 1e-10, "{projected:?}");
}

/// Rows at material points are exact: Jacobian, rate, γ and tangent.
#[test]
fn joints_at_material_points_have_exact_derivatives() {
    let mut random = Random(5);
    for body in [false, true] {
        for kind in [JointKind::Spherical, JointKind::Distance(0.7), JointKind::PointOnPlane] {
            let mut assembly = Assembly::new(DOWN);
            let body = body.then(|| assembly.add_body(random.body("b")).unwrap());
            let name = format!("{kind:?} {body:?}");
            let a = random.attachment(body);
            assembly.add_joint(joint("j", kind, a, external(random.vector() * 0.3))).unwrap();
            let mut part = Points::new(vec![any_point(&mut random, SOFT)], None);
            let mechanism = build(&assembly, &mut part);
            Probe::new(&name, &mechanism, &mut random).check_rows();
        }
    }
    // Two points of one block: its columns count once.
    let mut assembly = Assembly::new(DOWN);
    let [a, b] = [0, 1].map(|_| external(random.vector() * 0.3));
    assembly.add_joint(joint("j", JointKind::Distance(0.3), a, b)).unwrap();
    let mut part = Points::new(vec![any_point(&mut random, SOFT)], None);
    let mechanism = build(&assembly, &mut part);
    Probe::new("two points of one", &mechanism, &mut random).check_rows();
}

/// Directions of a frame that deforms have exact rows, and a tangent good enough for Newton's method.
#[test]
fn joints_that_fix_directions_of_a_deforming_frame_converge() {
    let mut random = Random(29);
    for kind in [JointKind::Revolute, JointKind::Fixed, JointKind::Universal, JointKind::Prismatic] {
        let mut assembly = Assembly::new(DOWN);
        let body = assembly.add_body(random.body("b")).unwrap();
        let name = format!("{kind:?}");
        let b = Attachment { rotation: random.rotation(), ..external(random.vector() * 0.3) };
        assembly.add_joint(joint("j", kind, random.attachment(Some(body)), b)).unwrap();
        let mut part = Points::new(vec![any_point(&mut random, SOFT)], None);
        let mechanism = build(&assembly, &mut part);
        Probe::new(&name, &mechanism, &mut random).check_motion_of_rows();
    }
    let mut assembly = Assembly::new(DOWN);
    let top = DVec3::new(0.0, 0.0, 0.15);
    let turn = DQuat::from_rotation_arc(DVec3::Z, DVec3::Y);
    let hook = Attachment::ground(top, turn);
    let hinge = Attachment { rotation: turn, ..external(top) };
    assembly.add_joint(joint("hinge", JointKind::Revolute, hook, hinge)).unwrap();
    let rates = DMat3::from_cols(DVec3::Z * -2.0, DVec3::ZERO, DVec3::X * 2.0);
    let velocity = -(rates * top);
    let point = Point { lame: SOFT, velocity, director_rates: rates, ..Point::default() };
    let model = build(&assembly, &mut Points::new(vec![point], None)).model;
    let mut stepper = stepper(&model, settings(Integrator::Newmark { beta: 0.25, gamma: 0.5 }));
    let mut state = State::new(&model);
    let mut most = 0;
    for _ in 0..500 {
        most = most.max(stepper.step(&mut state, 1e-3).unwrap().iterations);
        let apart = residual(stepper.system(), &state);
        assert!(apart < 1e-11, "{apart}");
    }
    println!("Newton iterations: {most}");
    assert!(most <= 6, "{most}");
}

#[test]
fn springs_bushings_and_loads_at_material_points_push_with_exact_derivatives() {
    let mut random = Random(7);
    let mut assembly = Assembly::new(DVec3::ZERO);
    let body = assembly.add_body(random.body("b")).unwrap();
    let law = ScalarLaw::Spring { stiffness: 40.0, damping: 0.0, rest: 0.2, actuator: None };
    let (a, b) = (random.attachment(Some(body)), external(random.vector() * 0.3));
    assembly.add_spring(Spring { name: "s".into(), a, b, law: law.clone() }).unwrap();
    let force = [1.0, -2.0, 0.5].map(Drive::from);
    let load = Load {
        name: "l".into(),
        carrier: Carrier::External(0),
        point: random.vector() * 0.3,
        frame: LoadFrame::World,
        force,
        torque: [0.0; 3].map(Drive::from),
    };
    assembly.add_load(load).unwrap();
    let mut part = Points::new(vec![any_point(&mut random, [0.0; 2])], None);
    let mechanism = build(&assembly, &mut part);
    Probe::new("spring and load", &mechanism, &mut random).check_stiffness();
    // A bushing has no exact tangent; its forces keep both momenta.
    let mut assembly = Assembly::new(DVec3::ZERO);
    let ball = ball(random.vector(), random.vector());
    let body = assembly.add_body(ball.clone()).unwrap();
    let point = any_point(&mut random, [0.0; 2]);
    let (a, b) = (random.attachment(Some(body)), external(random.vector() * 0.3));
    let (mut stiffness, mut damping) = ([[0.0; 6]; 6], [[0.0; 6]; 6]);
    (0..6).for_each(|k| (stiffness[k][k], damping[k][k]) = (30.0 + k as f64, 0.5));
    let bushing = Bushing { name: "b".into(), a, b, stiffness, damping, preload: [0.0; 6] };
    assembly.add_bushing(bushing).unwrap();
    assembly.add_spring(Spring { name: "s".into(), a, b, law }).unwrap();
    let model = build(&assembly, &mut Points::new(vec![point.clone()], None)).model;
    let mut stepper = stepper(&model, settings(Integrator::Leapfrog));
    let mut state = State::new(&model);
    let start = momentum(&state, &point, &ball);
    for _ in 0..200 {
        stepper.step(&mut state, 1e-4).unwrap();
    }
    let end = momentum(&state, &point, &ball);
    let moved = (DVec3::from_slice(&state.v[..3]) - ball.velocity).length();
    assert!(moved > 1e-2, "nothing pushed: {moved}");
    for k in 0..2 {
        assert!((end[k] - start[k]).length() < 1e-12 * (1.0 + start[k].length()), "{k}: {start:?} {end:?}");
    }
}

#[test]
fn sensors_read_material_points() {
    let mut random = Random(17);
    let point = any_point(&mut random, SOFT);
    let mut part = Points::new(vec![point.clone()], None);
    let mechanism = build(&Assembly::new(DVec3::ZERO), &mut part);
    let mut system = System::new(mechanism.model.clone(), Exec::serial());
    let mut state = State::new(&mechanism.model);
    state.acceleration = random.list(12);
    system.load(&state);
    system.update(&state.history);
    let view = system.view(&state.history);
    let material = random.vector() * 0.2;
    let read = |quantity| {
        let frame = part.first_frame;
        let one = |component| {
            mechanism.measure(&view, &Measurement::Frame { frame, quantity, point: material, component })
        };
        DVec3::new(one(0), one(1), one(2))
    };
    let rates = DMat3::from_cols_slice(&state.acceleration[3..]);
    let expected = [
        (BodyQuantity::Position, point.position + point.directors * material),
        (BodyQuantity::Velocity, point.velocity + point.director_rates * material),
        (BodyQuantity::Acceleration, DVec3::from_slice(&state.acceleration) + rates * material),
    ];
    for (quantity, expected) in expected {
        let got = read(quantity);
        assert!((got - expected).length() < 1e-13, "{quantity:?}: {got} {expected}");
    }
    let spin = read(BodyQuantity::AngularVelocity);
    assert!(
        (polar(point.directors).0.transpose() * spin - read(BodyQuantity::AngularVelocityBody)).length()
            < 1e-13
    );
    let beyond = Measurement::Frame {
        frame: 1000,
        quantity: BodyQuantity::Position,
        point: DVec3::ZERO,
        component: 0,
    };
    assert!(mechanism.check(&beyond).is_err());
}

/// Velocities of ball and partner after one step in which they touch.
fn impact(law: ContactLaw, rigid: bool) -> (Vec<f64>, DVec3, DVec3) {
    let mut assembly = Assembly::new(DVec3::ZERO);
    let material = surface(&mut assembly, law);
    let depth = if law == ContactLaw::Rigid { 0.0 } else { 1e-3 };
    let ball = ball(DVec3::new(0.02, 0.05, 0.2 - depth), DVec3::new(0.3, -0.2, -2.0));
    let id = assembly.add_body(ball.clone()).unwrap();
    add_shape(&mut assembly, id, Shape::sphere(0.1).unwrap(), DVec3::ZERO, material);
    let mut face = Face::new((!rigid).then_some(material.index()));
    // The sphere of the partner is off its centre, so that the impact turns it.
    let shape = Shape::sphere(face::RADIUS).unwrap();
    let model = if rigid {
        let body = Body {
            name: "rigid".into(),
            mass: face.mass(),
            position: face.center(),
            inertia: face.inertia(),
            ..Body::default()
        };
        let body = assembly.add_body(body).unwrap();
        add_shape(&mut assembly, body, shape, face::OFFSET, material);
        common::build(&assembly).model
    } else {
        build(&assembly, &mut face).model
    };
    let mut system = System::new(model.clone(), Exec::serial());
    let mut state = State::new(&model);
    if law == ContactLaw::Rigid {
        let report = stepper(&model, settings(Integrator::Euler)).step(&mut state, 1e-5).unwrap();
        assert_eq!(report.contacts, 1);
    } else {
        // An explicit step by the forces of this moment.
        let mut f = vec![0.0; state.v.len()];
        system.load(&state);
        system.update(&state.history);
        system.forces(&state.history, &mut f);
        let inverse = [ball.inertia.inverse(), face.inertia().inverse()];
        for (k, f) in f.chunks_exact(3).enumerate() {
            let f = DVec3::from_slice(f);
            let gain = match (k, rigid) {
                (0, _) => f / ball.mass,
                (1, _) => inverse[0] * f,
                (2, true) => f / face.mass(),
                (_, true) => inverse[1] * f,
                (_, false) => f / face::MASS,
            };
            (0..3).for_each(|c| state.v[3 * k + c] += 1e-3 * gain[c]);
        }
    }
    // With the nodes where they were touched: later they are not quite where a body's points are.
    state.q = State::new(&model).q;
    system.load(&state);
    system.update(&state.history);
    let frame = *system.frames().last().unwrap();
    let columns = system.view(&state.history).twists.row(1).0.len();
    assert_eq!(columns, if rigid { 0 } else { 48 });
    (state.v[..6].to_vec(), frame.velocity, frame.omega)
}

#[test]
fn a_frame_with_sixteen_nodes_in_contact_is_a_rigid_body_when_they_move_rigidly() {
    for law in [ContactLaw::Rigid, ContactLaw::Compliant] {
        let (a, b) = (impact(law, true), impact(law, false));
        println!("{law:?}: {a:?}\n{b:?}");
        assert!(a.2.length() > 1e-3 && a.1.length() > 1e-3, "{law:?}: {a:?}");
        for (x, y) in a.0.iter().zip(&b.0) {
            assert!((x - y).abs() < 1e-10, "{law:?}: {a:?}\n{b:?}");
        }
        assert!((a.1 - b.1).length() < 1e-10, "{law:?}: {a:?}\n{b:?}");
        assert!((a.2 - b.2).length() < 1e-10 * (1.0 + a.2.length()), "{law:?}: {a:?}\n{b:?}");
    }
}

#[test]
fn a_joint_on_a_frame_with_sixteen_nodes_has_exact_derivatives() {
    let mut random = Random(23);
    let mut assembly = Assembly::new(DOWN);
    let body = assembly.add_body(random.body("b")).unwrap();
    let a = random.attachment(Some(body));
    assembly.add_joint(joint("j", JointKind::Spherical, a, external(DVec3::ZERO))).unwrap();
    let law = ScalarLaw::Spring { stiffness: 40.0, damping: 0.0, rest: 0.2, actuator: None };
    assembly.add_spring(Spring { name: "s".into(), a, b: external(DVec3::ZERO), law }).unwrap();
    let mechanism = build(&assembly, &mut Face::new(None));
    let mut probe = Probe::new("sixteen nodes", &mechanism, &mut random);
    probe.check_rows();
    probe.check_stiffness();
}

#[test]
fn threads_do_not_change_the_bits_of_points_in_contact_and_joints() {
    let run = |threads: usize| {
        let mut assembly = Assembly::new(DOWN);
        let material = surface(&mut assembly, ContactLaw::Rigid);
        assembly.collision.settings.rigid.tolerance = Some(1e-8);
        let floor = assembly
            .add_body(Body { name: "floor".into(), kind: BodyKind::Fixed, ..Body::default() })
            .unwrap();
        add_shape(&mut assembly, floor, Shape::half_space(), DVec3::ZERO, material);
        let place = |k: usize| DVec3::new(0.35 * (k % 20) as f64, 0.5 * (k / 20) as f64, 0.2);
        let turn = |k: usize| DMat3::from_quat(DQuat::from_rotation_y(0.3 + k as f64));
        let point =
            |k: usize| Point { lame: SOFT, position: place(k), directors: turn(k), ..Point::default() };
        let points: Vec<Point> = (0..300).map(point).collect();
        for key in 0..100 {
            let hook = Attachment::ground(place(key as usize), DQuat::IDENTITY);
            let at = Attachment { carrier: Carrier::External(key), ..external(DVec3::ZERO) };
            assembly.add_joint(joint(&format!("hook {key}"), JointKind::Spherical, hook, at)).unwrap();
        }
        let model = build(&assembly, &mut Points::new(points, Some(material.index()))).model;
        let exec = Exec::with_threads(threads).unwrap();
        let mut stepper =
            huygens_core::integrator::Stepper::new(model.clone(), exec, settings(Integrator::Euler)).unwrap();
        let mut state = State::new(&model);
        let mut contacts = 0;
        for _ in 0..20 {
            contacts = stepper.step(&mut state, 2e-3).unwrap().contacts;
        }
        assert!(contacts > 100, "{contacts}");
        state
    };
    let (one, three) = (run(1), run(3));
    assert_eq!(one.q, three.q);
    assert_eq!(one.v, three.v);
    assert_eq!(one.lambda, three.lambda);
}
