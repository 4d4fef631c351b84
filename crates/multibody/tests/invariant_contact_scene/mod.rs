//! A heap of balls, boxes and capsules between a floor and a slope, in any units and axes.

// Each test file uses a part of it.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ConeMethod, ContactLaw, Material};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::{Assembly, Body, BodyKind, CollisionShape, MaterialId, Mechanism, NamedMaterial};

/// Every way to resolve contact.
pub const METHODS: [(ContactLaw, ConeMethod); 4] = [
    (ContactLaw::Rigid, ConeMethod::Apgd),
    (ContactLaw::Rigid, ConeMethod::Psor),
    (ContactLaw::Rigid, ConeMethod::InteriorPoint),
    (ContactLaw::Compliant, ConeMethod::Apgd),
];

/// A change of units and axes: x ← s Q M x with M = diag(−1, 1, 1) where mirrored.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    pub scale: f64,
    pub mirrored: bool,
    pub rotation: DQuat,
}

impl Change {
    pub const NONE: Self = Self { scale: 1.0, mirrored: false, rotation: DQuat::IDENTITY };

    fn mirror(&self, v: DVec3) -> DVec3 {
        if self.mirrored { DVec3::new(-v.x, v.y, v.z) } else { v }
    }

    /// Of a length or velocity.
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.scale * (self.rotation * self.mirror(v))
    }

    /// Of an orientation: the shapes are mirror images of themselves.
    pub fn turn(&self, r: DQuat) -> DQuat {
        self.rotation * if self.mirrored { DQuat::from_xyzw(r.x, -r.y, -r.z, r.w) } else { r }
    }

    /// Of an angular velocity in body axes.
    pub fn spin(&self, w: DVec3) -> DVec3 {
        if self.mirrored { -self.mirror(w) } else { w }
    }
}

/// Numbers without pattern, −½ to ½.
pub fn noise(k: usize) -> f64 {
    let x = ((k as f64 + 1.0) * 12.9898).sin() * 43_758.545_3;
    x - x.floor() - 0.5
}

pub fn ball_inertia(radius: f64, mass: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius))
}

pub fn box_inertia(half: DVec3, mass: f64) -> DMat3 {
    let s = half * half * (mass / 3.0);
    DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y))
}

pub struct Scene {
    pub assembly: Assembly,
    material: MaterialId,
    count: usize,
}

impl Scene {
    pub fn new(gravity: DVec3, material: Material, law: ContactLaw, solver: ConeMethod) -> Self {
        let mut assembly = Assembly::new(gravity);
        assembly.collision.settings.law = law;
        assembly.collision.settings.rigid.solver = solver;
        let material = assembly.add_material(NamedMaterial { name: "surface".into(), material }).unwrap();
        Self { assembly, material, count: 0 }
    }

    pub fn add(&mut self, body: Body, shape: Shape) {
        self.count += 1;
        let body = self.assembly.add_body(Body { name: format!("{}", self.count), ..body }).unwrap();
        let (pose, material) = (Pose::IDENTITY, self.material);
        self.assembly
            .add_shape(CollisionShape { body, shape, pose, material, group: 1, mask: u32::MAX })
            .unwrap();
    }

    pub fn start(&self, exec: Exec) -> Run {
        let mechanism = self.assembly.build(SignalGraph::default(), &[]).unwrap();
        let rigid = self.assembly.collision.settings.law == ContactLaw::Rigid;
        let (integrator, h) = if rigid { (Integrator::Euler, 2e-3) } else { (Integrator::Leapfrog, 1e-4) };
        let settings = StepperSettings { integrator, ..StepperSettings::default() };
        let stepper = Stepper::new(Arc::clone(&mechanism.model), exec, settings).unwrap();
        let state = State::new(&mechanism.model);
        Run { mechanism, stepper, state, h }
    }

    /// The state after some steps.
    pub fn after(&self, exec: Exec, steps: usize) -> Run {
        let mut run = self.start(exec);
        run.advance(steps);
        run
    }
}

pub struct Run {
    pub mechanism: Mechanism,
    pub stepper: Stepper,
    pub state: State,
    pub h: f64,
}

impl Run {
    pub fn advance(&mut self, steps: usize) {
        for _ in 0..steps {
            self.stepper.step(&mut self.state, self.h).unwrap();
        }
    }
}

/// `n` bodies that fall onto each other, a floor and a slope.
pub fn heap(change: &Change, (law, solver): (ContactLaw, ConeMethod), n: usize, tolerance: f64) -> Scene {
    let s = change.scale;
    let material = Material {
        friction: 0.4,
        rolling_friction: 1e-3 * s,
        spinning_friction: 5e-4 * s,
        young: 1e7 / s,
        restitution: 0.2,
        ..Material::default()
    };
    let mut scene = Scene::new(change.vector(DVec3::new(0.3, 0.2, -9.81)), material, law, solver);
    let settings = &mut scene.assembly.collision.settings;
    settings.rigid.tolerance = Some(tolerance * s);
    // First-order iterations go the same way in all units and axes, converged or not.
    settings.rigid.max_iterations = match solver {
        ConeMethod::Apgd => 20,
        // Its momentum amplifies rounding within tens of sweeps.
        ConeMethod::Psor => 5,
        ConeMethod::InteriorPoint => 100,
    };
    let base = CompliantModel::default();
    (settings.compliant.flat_radius, settings.compliant.slow_impact) =
        (base.flat_radius * s, base.slow_impact * s);
    for (point, inwards) in [(DVec3::ZERO, DVec3::Z), (DVec3::X * 0.6, DVec3::new(-0.6, 0.0, 0.8))] {
        let rotation = change.turn(DQuat::from_rotation_arc(DVec3::Z, inwards));
        let position = change.vector(point);
        scene.add(Body { kind: BodyKind::Fixed, position, rotation, ..Body::default() }, Shape::HalfSpace);
    }
    for k in 0..n {
        let r = |i: usize| noise(7 * k + i);
        let grid = DVec3::new((k % 3) as f64 - 1.0, (k / 3 % 3) as f64 - 1.0, (k / 9) as f64);
        let position = grid * 0.19 + DVec3::new(0.02 * r(0), 0.02 * r(1), 0.1 + 0.004 * r(2));
        let axis = DVec3::new(r(3), r(4), r(5) + 1.0).normalize();
        let mass = 1.0 + r(5);
        let half = DVec3::new(0.09, 0.08, 0.1) * s;
        let (shape, inertia) = match k % 3 {
            0 => (Shape::sphere(0.1 * s).unwrap(), ball_inertia(0.1 * s, mass)),
            1 => (Shape::cuboid(half).unwrap(), box_inertia(half, mass)),
            _ => (Shape::capsule(0.06 * s, 0.05 * s).unwrap(), box_inertia(half, mass)),
        };
        let body = Body {
            mass,
            inertia,
            position: change.vector(position),
            rotation: change.turn(DQuat::from_axis_angle(axis, r(6))),
            velocity: change.vector(DVec3::new(r(1), r(2), -1.0)),
            angular_velocity: change.spin(DVec3::new(r(2), r(3), r(4))),
            ..Body::default()
        };
        scene.add(body, shape);
    }
    scene
}
