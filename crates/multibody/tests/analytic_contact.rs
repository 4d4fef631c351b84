//! Bodies in contact against closed forms, under both laws.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ConeMethod, ContactLaw, ContactSettings, FrictionModel, Material};
use huygens_core::integrator::{Integrator, StepReport, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::{Assembly, Body, BodyId, BodyKind, CollisionShape, MaterialId, NamedMaterial};

/// A world of bodies with one shape each.
pub struct Scene {
    pub assembly: Assembly,
    material: MaterialId,
}

impl Scene {
    pub fn new(gravity: DVec3, material: Material) -> Self {
        let mut assembly = Assembly::new(gravity);
        let material = assembly.add_material(NamedMaterial { name: "surface".into(), material }).unwrap();
        Self { assembly, material }
    }

    pub fn add(&mut self, body: Body, shape: Shape) -> BodyId {
        let id = self.assembly.add_body(body).unwrap();
        let (pose, material) = (Pose::IDENTITY, self.material);
        self.assembly
            .add_shape(CollisionShape { body: id, shape, pose, material, group: 1, mask: u32::MAX })
            .unwrap();
        id
    }

    pub fn ground(&mut self) -> BodyId {
        let body = Body { name: "ground".into(), kind: BodyKind::Fixed, ..Body::default() };
        self.add(body, Shape::HalfSpace)
    }

    pub fn ball(&mut self, name: &str, radius: f64, mass: f64, position: DVec3, velocity: DVec3) -> BodyId {
        let inertia = DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius));
        let body = Body { name: name.into(), mass, inertia, position, velocity, ..Body::default() };
        self.add(body, Shape::sphere(radius).unwrap())
    }

    pub fn block(&mut self, name: &str, half: DVec3, mass: f64, position: DVec3, velocity: DVec3) -> BodyId {
        let s = half * half * (mass / 3.0);
        let inertia = DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y));
        let body = Body { name: name.into(), mass, inertia, position, velocity, ..Body::default() };
        self.add(body, Shape::cuboid(half).unwrap())
    }

    pub fn run(
        &self,
        integrator: Integrator,
        h: f64,
        until: f64,
        mut each: impl FnMut(&State, &StepReport),
    ) -> State {
        let mechanism = self.assembly.build(SignalGraph::default(), &[]).unwrap();
        let settings = StepperSettings { integrator, ..StepperSettings::default() };
        let mut stepper = Stepper::new(Arc::clone(&mechanism.model), Exec::serial(), settings).unwrap();
        let mut state = State::new(&mechanism.model);
        while state.time < until - 0.5 * h {
            let report = stepper.step(&mut state, h).unwrap();
            each(&state, &report);
        }
        state
    }
}

pub const G: DVec3 = DVec3::new(0.0, 0.0, -9.81);

#[test]
fn a_dropped_ball_comes_to_rest_on_the_ground() {
    let mut scene = Scene::new(G, Material::default());
    scene.assembly.collision.settings.rigid.tolerance = Some(1e-10);
    scene.ground();
    scene.ball("ball", 0.5, 1.0, DVec3::new(0.0, 0.0, 1.0), DVec3::ZERO);
    let state = scene.run(Integrator::Euler, 1e-3, 1.0, |_, _| {});
    assert!((state.q[2] - 0.5).abs() < 3e-6, "height {}", state.q[2]);
    assert!(state.v.iter().all(|v| v.abs() < 1e-6), "{:?}", state.v);
    let force = &state.contacts.values[..3];
    assert!((force[2].abs() - 9.81).abs() < 1e-6, "{force:?}");
}

#[test]
fn a_sliding_block_stops_after_v_squared_over_two_mu_g() {
    for friction in [FrictionModel::Relaxed, FrictionModel::Coulomb] {
        let mut scene = Scene::new(G, Material { friction: 0.5, ..Material::default() });
        scene.assembly.collision.settings.rigid.friction = friction;
        scene.assembly.collision.settings.rigid.tolerance = Some(1e-9);
        scene.assembly.collision.settings.rigid.max_iterations = 500;
        scene.ground();
        scene.block("block", DVec3::splat(0.25), 1.0, DVec3::new(0.0, 0.0, 0.25), DVec3::new(5.0, 0.0, 0.0));
        let state = scene.run(Integrator::Euler, 1e-3, 1.5, |_, _| {});
        let expected = 25.0 / (2.0 * 0.5 * 9.81);
        assert!((state.q[0] / expected - 1.0).abs() < 5e-3, "{friction:?}: {} of {expected}", state.q[0]);
        assert!(state.v[0].abs() < 1e-6);
    }
}

#[test]
fn a_ball_sliding_on_a_table_rolls_at_five_sevenths() {
    let mut scene = Scene::new(G, Material { friction: 0.3, ..Material::default() });
    scene.ground();
    scene.ball("ball", 0.1, 1.0, DVec3::new(0.0, 0.0, 0.1), DVec3::X);
    let mut rolling_since = f64::INFINITY;
    let state = scene.run(Integrator::Euler, 1e-4, 0.2, |s, _| {
        // The point of contact is in the middle of an overlap of 0.5 µm: 7.1 rad/s on 0.25 µm are 1.8 µm/s.
        if (s.v[0] - 0.1 * s.v[4]).abs() < 5e-6 {
            rolling_since = rolling_since.min(s.time);
        }
    });
    assert!((rolling_since / 0.0970827 - 1.0).abs() < 0.01, "{rolling_since}");
    assert!((state.v[0] * 7.0 / 5.0 - 1.0).abs() < 1e-3, "{}", state.v[0]);
}

#[test]
fn compliant_impacts_have_the_restitution_of_the_material() {
    for restitution in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let material = Material { young: 2e5, restitution, ..Material::default() };
        let mut scene = Scene::new(DVec3::ZERO, material);
        scene.assembly.collision.settings.law = ContactLaw::Compliant;
        scene.ball("left", 0.5, 1.0, DVec3::new(-0.6, 0.0, 0.0), DVec3::X);
        scene.ball("right", 0.5, 1.0, DVec3::new(0.6, 0.0, 0.0), -DVec3::X);
        let state = scene.run(Integrator::Leapfrog, 3e-5, 0.3, |_, _| {});
        let measured = (state.v[6] - state.v[0]) / 2.0;
        assert!((measured - restitution).abs() < 1e-3, "{measured} instead of {restitution}");
        assert!((state.v[6] + state.v[0]).abs() < 1e-12);
    }
}

#[test]
fn a_block_rests_on_compliant_ground_by_every_integrator() {
    for integrator in
        [Integrator::Leapfrog, Integrator::Euler, Integrator::Hht { alpha: -0.1 }, Integrator::Heun]
    {
        let mut scene = Scene::new(G, Material { young: 1e6, restitution: 0.1, ..Material::default() });
        scene.assembly.collision.settings.law = ContactLaw::Compliant;
        scene.ground();
        scene.block("block", DVec3::splat(0.1), 1.0, DVec3::new(0.0, 0.0, 0.1005), DVec3::ZERO);
        let state = scene.run(integrator, 2e-4, 1.0, |_, _| {});
        let force: f64 = state.contacts.values.chunks_exact(state.contacts.width).map(|c| c[2].abs()).sum();
        assert!((force - 9.81).abs() < 0.02, "{integrator:?}: {force}");
        assert!(state.v.iter().all(|v| v.abs() < 1e-3), "{integrator:?}: {:?}", state.v);
        assert!(DQuat::from_slice(&state.q[3..7]).angle_between(DQuat::IDENTITY) < 1e-4);
    }
}

#[test]
fn a_block_sticks_below_and_slips_above_the_friction_angle() {
    let angle = 0.5f64.atan();
    for (turn, slips) in [(-0.1f64, false), (0.1, true)] {
        let slope = angle + turn.to_radians();
        let gravity = 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos());
        let mut scene = Scene::new(gravity, Material { friction: 0.5, ..Material::default() });
        let settings: &mut ContactSettings = &mut scene.assembly.collision.settings;
        settings.rigid.tolerance = Some(1e-10);
        settings.rigid.max_iterations = 2000;
        settings.rigid.solver = ConeMethod::Apgd;
        scene.ground();
        scene.block("block", DVec3::new(0.2, 0.2, 0.05), 1.0, DVec3::new(0.0, 0.0, 0.05), DVec3::ZERO);
        let state = scene.run(Integrator::Euler, 1e-3, 1.0, |_, _| {});
        assert_eq!(state.v[0] > 1e-3, slips, "speed {} at {turn}°", state.v[0]);
    }
}
