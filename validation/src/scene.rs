//! Bodies that touch: a builder of scenes with one shape a body, and a run that reads contacts.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::State;
use huygens_core::contact::{ConeMethod, ContactLaw, ContactSettings, Material};
use huygens_core::integrator::{Integrator, StepReport, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_kernel::contact::CompliantModel;
use huygens_multibody::{
    Assembly, Body, BodyId, BodyKind, CollisionShape, MaterialId, Mechanism, NamedMaterial,
};

use crate::error::Result;

/// Standard gravity of the cases, downwards [m/s²].
pub const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

/// Bodies with one shape each, all of one material unless said otherwise.
pub struct Scene {
    /// The bodies.
    pub assembly: Assembly,
    material: MaterialId,
    count: usize,
}

impl Scene {
    /// Rigid contact, with impulses solved to `tolerance` [m/s].
    pub fn rigid(gravity: DVec3, material: Material, tolerance: f64) -> Result<Self> {
        let mut scene = Self::new(gravity, material)?;
        let settings = scene.settings();
        settings.law = ContactLaw::Rigid;
        settings.rigid.tolerance = Some(tolerance);
        settings.rigid.max_iterations = 5_000;
        Ok(scene)
    }

    /// Compliant contact by the laws of `model`.
    pub fn compliant(gravity: DVec3, material: Material, model: CompliantModel) -> Result<Self> {
        let mut scene = Self::new(gravity, material)?;
        let settings = scene.settings();
        settings.law = ContactLaw::Compliant;
        settings.compliant = model;
        Ok(scene)
    }

    fn new(gravity: DVec3, material: Material) -> Result<Self> {
        let mut assembly = Assembly::new(gravity);
        let material = assembly.add_material(NamedMaterial { name: "surface".into(), material })?;
        Ok(Self { assembly, material, count: 0 })
    }

    /// Settings of contact.
    pub fn settings(&mut self) -> &mut ContactSettings {
        &mut self.assembly.collision.settings
    }

    /// Chooses the solver of rigid contact and its most iterations.
    pub fn solver(&mut self, solver: ConeMethod, max_iterations: usize) {
        let rigid = &mut self.settings().rigid;
        (rigid.solver, rigid.max_iterations) = (solver, max_iterations);
    }

    /// Bodies added from now on are of this material.
    pub fn change_material(&mut self, material: Material) -> Result<MaterialId> {
        self.count += 1;
        let name = format!("surface {}", self.count);
        self.material = self.assembly.add_material(NamedMaterial { name, material })?;
        Ok(self.material)
    }

    /// The material of bodies added now.
    pub fn material(&self) -> MaterialId {
        self.material
    }

    /// A body with a shape; it gets a name.
    pub fn add(&mut self, body: Body, shape: Shape) -> Result<BodyId> {
        self.count += 1;
        let body = self.assembly.add_body(Body { name: format!("body {}", self.count), ..body })?;
        self.assembly.add_shape(CollisionShape {
            body,
            shape,
            pose: Pose::IDENTITY,
            material: self.material,
            group: 1,
            mask: u32::MAX,
        })?;
        Ok(body)
    }

    /// A shape that does not move.
    pub fn fixed(&mut self, shape: Shape, position: DVec3, rotation: DQuat) -> Result<BodyId> {
        self.add(Body { kind: BodyKind::Fixed, position, rotation, ..Body::default() }, shape)
    }

    /// The half-space below z = 0.
    pub fn ground(&mut self) -> Result<BodyId> {
        self.fixed(Shape::HalfSpace, DVec3::ZERO, DQuat::IDENTITY)
    }

    /// A wall through `point` with the normal `inwards`.
    pub fn wall(&mut self, point: DVec3, inwards: DVec3) -> Result<BodyId> {
        self.fixed(Shape::HalfSpace, point, DQuat::from_rotation_arc(DVec3::Z, inwards))
    }

    /// A solid ball.
    pub fn ball(&mut self, radius: f64, mass: f64, position: DVec3, velocity: DVec3) -> Result<BodyId> {
        let body = Body { mass, inertia: ball_inertia(radius, mass), position, velocity, ..Body::default() };
        self.add(body, Shape::sphere(radius)?)
    }

    /// A solid box.
    pub fn block(&mut self, half: DVec3, mass: f64, position: DVec3, velocity: DVec3) -> Result<BodyId> {
        let body = Body { mass, inertia: box_inertia(half, mass), position, velocity, ..Body::default() };
        self.add(body, Shape::cuboid(half)?)
    }

    /// A run from the starting state.
    pub fn start(&self, integrator: Integrator, step_size: f64) -> Result<Run> {
        self.start_on(Exec::serial(), integrator, step_size)
    }

    /// As [`Scene::start`] on the threads of `exec`.
    pub fn start_on(&self, exec: Exec, integrator: Integrator, step_size: f64) -> Result<Run> {
        let mechanism = self.assembly.build(SignalGraph::default(), &[])?;
        let settings = StepperSettings { integrator, ..StepperSettings::default() };
        let stepper = Stepper::new(mechanism.model.clone(), exec, settings)?;
        let state = State::new(&mechanism.model);
        Ok(Run { mechanism, stepper, state, step_size, report: StepReport::default() })
    }
}

/// Inertia of a solid ball [kg·m²].
pub fn ball_inertia(radius: f64, mass: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(0.4 * mass * radius * radius))
}

/// Inertia of a solid box [kg·m²].
pub fn box_inertia(half: DVec3, mass: f64) -> DMat3 {
    let s = half * half * (mass / 3.0);
    DMat3::from_diagonal(DVec3::new(s.y + s.z, s.x + s.z, s.x + s.y))
}

/// A scene on its way through time.
pub struct Run {
    /// The bodies.
    pub mechanism: Mechanism,
    /// The method.
    pub stepper: Stepper,
    /// The state.
    pub state: State,
    /// Step size [s].
    pub step_size: f64,
    /// What the last step did.
    pub report: StepReport,
}

impl Run {
    /// Takes one step.
    pub fn step(&mut self) -> Result<()> {
        self.report = self.stepper.step(&mut self.state, self.step_size)?;
        Ok(())
    }

    /// Steps until time `t` [s], to the nearest whole step.
    pub fn advance_to(&mut self, t: f64) -> Result<()> {
        self.watch_to(t, |_| Ok(()))
    }

    /// As [`Run::advance_to`]; looks at the run after each step.
    pub fn watch_to(&mut self, t: f64, mut look: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        while self.state.time < t - 0.5 * self.step_size {
            self.step()?;
            look(self)?;
        }
        Ok(())
    }

    /// First position and first velocity of a body that moves; other coordinates are not in these scenes.
    fn place(&self, body: BodyId) -> (usize, usize) {
        let column = self.mechanism.body_column(body).unwrap_or(0);
        (column / 6 * 7, column)
    }

    /// Position of a body [m].
    pub fn position(&self, body: BodyId) -> DVec3 {
        DVec3::from_slice(&self.state.q[self.place(body).0..])
    }

    /// Orientation of a body.
    pub fn rotation(&self, body: BodyId) -> DQuat {
        DQuat::from_slice(&self.state.q[self.place(body).0 + 3..])
    }

    /// Velocity of a body [m/s].
    pub fn velocity(&self, body: BodyId) -> DVec3 {
        DVec3::from_slice(&self.state.v[self.place(body).1..])
    }

    /// Angular velocity of a body [rad/s], world axes.
    pub fn spin(&self, body: BodyId) -> DVec3 {
        self.rotation(body) * DVec3::from_slice(&self.state.v[self.place(body).1 + 3..])
    }

    /// Sum of the contact forces on a body [N].
    pub fn force_on(&self, body: BodyId) -> DVec3 {
        let frame = self.mechanism.body_frame(body).map(|f| f as u32);
        let mut sum = DVec3::ZERO;
        for (k, contact) in self.stepper.contacts().iter().enumerate() {
            let force = DVec3::from_slice(self.state.contacts.values_of(k));
            if Some(contact.frames[1]) == frame {
                sum += force;
            }
            if Some(contact.frames[0]) == frame {
                sum -= force;
            }
        }
        sum
    }

    /// Largest overlap [m]; zero where nothing overlaps.
    pub fn penetration(&self) -> f64 {
        self.stepper.contacts().iter().fold(0.0, |m, c| m.max(-c.gap))
    }

    /// Kinetic and gravitational energy [J].
    pub fn energy(&mut self) -> f64 {
        let system = self.stepper.system();
        system.load(&self.state);
        system.update(&self.state.history);
        system.energy(&self.state.history).iter().sum()
    }

    /// Largest number of the velocities [m/s, rad/s].
    pub fn largest_velocity(&self) -> f64 {
        crate::simulation::largest(&self.state.v)
    }
}
