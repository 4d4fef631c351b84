//! Rigid contact that slides, with default settings, against Coulomb's law: what slides stays on its support.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ConeMethod, Material};
use huygens_core::integrator::Integrator;
use huygens_geometry::Shape;
use huygens_multibody::Body;

use crate::analytic_contact::{G, Scene};

const MU: f64 = 0.6;
const H: f64 = 1e-3;
/// Half of the edge of the cube, and the radius of the ball [m].
const SIZE: f64 = 0.25;

fn scene(gravity: DVec3, material: Material) -> Scene {
    let mut scene = Scene::new(gravity, Material { friction: MU, ..material });
    scene.ground();
    scene
}

fn add(scene: &mut Scene, ball: bool, height: f64, velocity: DVec3) {
    let position = DVec3::Z * height;
    match ball {
        true => scene.ball("body", SIZE, 1.0, position, velocity),
        false => scene.block("body", DVec3::splat(SIZE), 1.0, position, velocity),
    };
}

/// A ball on the ground that moves along x and turns about y.
fn spinning(scene: &mut Scene, radius: f64, speed: f64, rate: f64) {
    let body = Body {
        name: "ball".into(),
        mass: 1.0,
        inertia: DMat3::from_diagonal(DVec3::splat(0.4 * radius * radius)),
        position: DVec3::Z * radius,
        velocity: DVec3::X * speed,
        angular_velocity: DVec3::Y * rate,
        ..Body::default()
    };
    scene.add(body, Shape::sphere(radius).unwrap());
}

/// Angular velocity about y per speed that friction takes off a ball.
const SPIN: f64 = 2.5 / SIZE;

#[test]
fn sliding_bodies_stay_on_the_ground_and_slow_down_by_mu_g() {
    let slope = 20f64.to_radians();
    let downhill = 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos());
    for solver in [ConeMethod::Apgd, ConeMethod::Psor, ConeMethod::InteriorPoint] {
        for (gravity, speed, ball) in
            [(downhill, 2.0, false), (downhill, 2.0, true), (G, 20.0, false), (G, 20.0, true)]
        {
            let mut scene = scene(gravity, Material::default());
            scene.assembly.collision.settings.rigid.solver = solver;
            add(&mut scene, ball, SIZE, DVec3::X * speed);
            let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
            let until = if speed > 10.0 { 0.5 } else { 0.1 };
            let state = scene.run(Integrator::Euler, H, until, |state, _| {
                (highest, lowest) = (highest.max(state.q[2]), lowest.min(state.q[2]));
            });
            let what = format!("{solver:?}, {speed} m/s, ball: {ball}");
            assert!(highest - SIZE < 1e-3 * SIZE, "{what}: rises to {highest}");
            assert!(SIZE - lowest < 1e-3 * SIZE, "{what}: sinks to {lowest}");
            let friction = -MU * gravity.z * until;
            let expected = speed + gravity.x * until - friction;
            assert!((state.v[0] / expected - 1.0).abs() < 1e-3, "{what}: {} not {expected}", state.v[0]);
            let spin = if ball { SPIN * friction } else { 0.0 };
            assert!((state.v[4] - spin).abs() < 1e-2, "{what}: {} not {spin}", state.v[4]);
        }
    }
}

#[test]
fn a_skewed_impact_ends_with_the_restitution_of_the_material() {
    for ball in [false, true] {
        for restitution in [0.0, 0.5] {
            let mut scene = scene(G, Material { restitution, ..Material::default() });
            add(&mut scene, ball, SIZE + 0.0123, DVec3::new(10.0, 0.0, -5.0));
            let mut after = f64::NAN;
            let mut last = -5.0;
            let state = scene.run(Integrator::Euler, H, 0.01, |state, _| {
                if last < -1.0 && state.v[2] > -1.0 {
                    after = state.v[2];
                }
                last = state.v[2];
            });
            let impact = 5.0 + 9.81 * 0.003;
            let what = format!("ball: {ball}, e = {restitution}");
            assert!((after - restitution * impact).abs() < 0.01 * impact, "{what}: {after} m/s upwards");
            // The impulse of friction is μ times that of the impact, and what the weight adds in 7 ms, unless the ball
            // rolls before.
            let rolls: f64 = if ball { 10.0 * 5.0 / 7.0 } else { 0.0 };
            let expected = rolls.max(10.0 - MU * (1.0 + restitution) * impact);
            assert!((state.v[0] - expected).abs() < 0.06, "{what}: {:?}", state.v);
        }
    }
}

#[test]
fn a_spinning_ball_takes_off_along_the_ground() {
    let mut scene = scene(G, Material::default());
    let (radius, rate) = (0.1, 100.0);
    spinning(&mut scene, radius, 0.0, rate);
    let rolls_at = 2.0 / 7.0 * rate * radius / (MU * 9.81);
    let mut highest = 0.0f64;
    let mut slips = 0.0f64;
    let state = scene.run(Integrator::Euler, H, 0.7, |state, _| {
        highest = highest.max((state.q[2] - radius).abs());
        if state.time < rolls_at - H {
            slips = slips.max((state.v[0] - MU * 9.81 * state.time).abs());
        }
    });
    assert!(highest < 1e-5, "{highest} m off the ground");
    assert!(slips < 2e-4, "{slips} m/s off");
    assert!((state.v[0] - 2.0 / 7.0 * rate * radius).abs() < 1e-3, "{}", state.v[0]);
    assert!((state.v[4] - 2.0 / 7.0 * rate).abs() < 1e-2, "{}", state.v[4]);
    let way = 0.5 * MU * 9.81 * rolls_at * rolls_at + state.v[0] * (0.7 - rolls_at);
    assert!((state.q[0] / way - 1.0).abs() < 5e-3, "{} not {way}", state.q[0]);
}

#[test]
fn a_ball_that_rolls_against_rolling_friction_does_not_hover() {
    let rolling = 0.01;
    let mut scene = scene(G, Material { rolling_friction: rolling, ..Material::default() });
    spinning(&mut scene, SIZE, 5.0, 5.0 / SIZE);
    let mut off = 0.0f64;
    let state = scene.run(Integrator::Euler, H, 0.5, |state, _| off = off.max((state.q[2] - SIZE).abs()));
    assert!(off < 1e-5, "{off} m off the ground");
    let expected = 5.0 - 5.0 / 7.0 * rolling / SIZE * 9.81 * 0.5;
    assert!((state.v[0] - expected).abs() < 1e-3, "{} not {expected}", state.v[0]);
}

#[test]
fn a_rod_that_slides_into_the_paradox_of_painleve_gains_no_energy() {
    let (half, radius, angle) = (0.5, 0.01, 2f64.atan());
    for direction in [-1.0, 1.0] {
        let mut scene = Scene::new(G, Material { friction: 2.0, ..Material::default() });
        scene.ground();
        let extent = DVec3::new(radius, radius, half);
        let square = extent * extent / 3.0;
        let inertia = DVec3::new(square.y + square.z, square.x + square.z, square.x + square.y);
        let body = Body {
            name: "rod".into(),
            inertia: DMat3::from_diagonal(inertia),
            position: DVec3::Z * (half * angle.sin() + radius),
            rotation: DQuat::from_rotation_y(std::f64::consts::FRAC_PI_2 - angle),
            velocity: DVec3::X * 3.0 * direction,
            ..Body::default()
        };
        let mass = body.mass;
        scene.add(body, Shape::capsule(radius, half).unwrap());
        let energy = |state: &State| {
            let (v, w) = (DVec3::from_slice(&state.v[..3]), DVec3::from_slice(&state.v[3..6]));
            0.5 * mass * v.length_squared() + 0.5 * w.dot(inertia * w) + mass * 9.81 * state.q[2]
        };
        let start = mass * (4.5 + 9.81 * (half * angle.sin() + radius));
        let mut most = 0.0f64;
        let state = scene.run(Integrator::Euler, H, 1.0, |state, _| most = most.max(energy(state)));
        assert!(most < start * (1.0 + 1e-6), "{most} J of {start} J");
        assert!(state.q.iter().chain(&state.v).all(|x| x.is_finite()));
    }
}
