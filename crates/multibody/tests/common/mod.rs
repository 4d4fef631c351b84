//! What the tests of mechanisms share: random bodies, short ways to describe joints, and runs.

pub mod differences;

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::integrator::{Integrator, Newton, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_core::{Model, State, System, analysis};
use huygens_exec::Exec;
use huygens_multibody::*;

/// Gravity of the tests [m/s²].
pub const G: f64 = 9.81;
pub const DOWN: DVec3 = DVec3::new(0.0, 0.0, -G);

/// A small generator of reproducible numbers (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// Uniform in −1 … 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.unit(), self.unit(), self.unit())
    }

    pub fn rotation(&mut self) -> DQuat {
        let v = self.vector();
        DQuat::from_xyzw(v.x, v.y, v.z, self.unit()).normalize()
    }

    pub fn list(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.unit()).collect()
    }

    /// A moving body with a full inertia tensor and a centre of mass off its origin.
    pub fn body(&mut self, name: &str) -> Body {
        Body {
            name: name.into(),
            position: self.vector(),
            rotation: self.rotation(),
            velocity: self.vector(),
            angular_velocity: self.vector() * 2.0,
            mass: 1.5 + self.unit(),
            center_of_mass: self.vector() * 0.3,
            inertia: self.inertia(),
            ..Body::default()
        }
    }

    pub fn inertia(&mut self) -> DMat3 {
        let r = DMat3::from_quat(self.rotation());
        let d = DVec3::splat(1.0) + self.vector() * 0.2;
        let m = r * DMat3::from_diagonal(d) * r.transpose();
        (m + m.transpose()) * 0.5
    }

    pub fn attachment(&mut self, body: Option<BodyId>) -> Attachment {
        Attachment { carrier: body.into(), position: self.vector(), rotation: self.rotation() }
    }
}

pub fn joint(name: &str, kind: JointKind, a: Attachment, b: Attachment) -> Joint {
    Joint { name: name.into(), kind, a, b, limits: vec![] }
}

/// A joint whose frames coincide at a world point, z along `axis`, for bodies at their starting poses.
pub fn joint_at(
    assembly: &mut Assembly,
    name: &str,
    kind: JointKind,
    bodies: [Option<BodyId>; 2],
    point: DVec3,
    axis: DVec3,
) -> JointId {
    let turn = DQuat::from_rotation_arc(DVec3::Z, axis.normalize());
    let [a, b] = bodies.map(|body| at(assembly, body, point, turn));
    assembly.add_joint(joint(name, kind, a, b)).unwrap()
}

/// A frame given in the world, on a body at its starting pose.
pub fn at(assembly: &Assembly, body: Option<BodyId>, point: DVec3, rotation: DQuat) -> Attachment {
    let Some(id) = body else { return Attachment::ground(point, rotation) };
    let b = assembly.body(id).unwrap();
    let back = b.rotation.conjugate();
    Attachment { carrier: body.into(), position: back * (point - b.position), rotation: back * rotation }
}

/// A rod of length `length` along its own x axis, centre at `position`.
pub fn rod(name: &str, mass: f64, length: f64, position: DVec3, rotation: DQuat) -> Body {
    let across = mass * length * length / 12.0;
    Body {
        name: name.into(),
        position,
        rotation,
        mass,
        inertia: DMat3::from_diagonal(DVec3::new(across * 0.01, across, across)),
        ..Body::default()
    }
}

pub fn build(assembly: &Assembly) -> Mechanism {
    assembly.build(SignalGraph::default(), &[]).unwrap()
}

/// Newton tolerances so small that only the method's own error is left.
pub fn tight() -> Newton {
    Newton { tolerance: 1e-14, acceleration_tolerance: 1e-11, ..Newton::default() }
}

pub fn settings(integrator: Integrator) -> StepperSettings {
    StepperSettings { integrator, newton: tight(), control: None }
}

pub fn stepper(model: &Arc<Model>, settings: StepperSettings) -> Stepper {
    Stepper::new(model.clone(), Exec::serial(), settings).unwrap()
}

/// An assembled start.
pub fn start(stepper: &mut Stepper) -> State {
    let mut state = State::new(stepper.system().model());
    analysis::assemble(stepper.system(), &mut state).unwrap();
    state
}

/// The state after `steps` steps of size `h` from an assembled start.
pub fn run(mechanism: &Mechanism, integrator: Integrator, h: f64, steps: usize) -> State {
    let mut stepper = stepper(&mechanism.model, settings(integrator));
    let mut state = start(&mut stepper);
    advance(&mut stepper, &mut state, h, steps);
    state
}

/// Takes `count` steps of size `h`.
pub fn advance(stepper: &mut Stepper, state: &mut State, h: f64, count: usize) {
    for _ in 0..count {
        stepper.step(state, h).unwrap();
    }
}

/// Reads a measurement at a state.
pub fn measure(system: &mut System, mechanism: &Mechanism, state: &State, m: &Measurement) -> f64 {
    system.load(state);
    system.update(&state.history);
    mechanism.measure(&system.view(&state.history), m)
}

/// Kinetic, gravitational and elastic energy at a state.
pub fn energy(system: &mut System, state: &State) -> [f64; 3] {
    system.load(state);
    system.update(&state.history);
    system.energy(&state.history)
}

pub fn body_position(state: &State, mechanism: &Mechanism, body: BodyId) -> DVec3 {
    let q = &state.q[mechanism.body_column(body).unwrap() / 6 * 7..];
    DVec3::new(q[0], q[1], q[2])
}

pub fn body_rotation(state: &State, mechanism: &Mechanism, body: BodyId) -> DQuat {
    let q = &state.q[mechanism.body_column(body).unwrap() / 6 * 7..];
    DQuat::from_xyzw(q[3], q[4], q[5], q[6])
}

pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, v| m.max(v.abs()))
}

pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

#[track_caller]
pub fn close(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((got - expected).abs() <= tolerance, "{what}: got {got:.12e}, expected {expected:.12e}");
}
