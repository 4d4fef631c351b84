//! A state that passes from one model to another: objects that stay keep every number, whatever comes and goes.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contact::{ContactSettings, Material};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::keep::{COORDINATES, KeptState};
use huygens_core::signal::SignalGraph;
use huygens_core::{State, analysis};
use huygens_exec::Exec;
use huygens_geometry::{Pose, Shape};
use huygens_multibody::{
    Assembly, Attachment, Body, BodyId, BodyKind, Carrier, CollisionShape, Coupling, CouplingTarget, Joint,
    JointId, JointKind, MaterialId, Measurement, Mechanism, NamedMaterial,
};

const H: f64 = 1e-3;

struct Scene {
    assembly: Assembly,
    /// A body that is far from all others, a crank on a hinge with a motor, a ball on the floor.
    bodies: [BodyId; 3],
    hinge: JointId,
}

/// A frame whose z axis is the world's y axis, about which the hinge turns.
fn at(carrier: Carrier, position: DVec3) -> Attachment {
    Attachment { carrier, position, rotation: DQuat::from_rotation_x(-std::f64::consts::FRAC_PI_2) }
}

fn shape(body: BodyId, shape: Shape, material: MaterialId) -> CollisionShape {
    CollisionShape { body, shape, pose: Pose::IDENTITY, material, group: 1, mask: u32::MAX }
}

fn scene() -> Scene {
    let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -9.81));
    assembly.collision.settings = ContactSettings::default();
    let material = Material { friction: 0.3, ..Material::default() };
    let steel = assembly.add_material(NamedMaterial { name: "steel".into(), material }).unwrap();
    let floor = Body { name: "floor".into(), kind: BodyKind::Fixed, ..Body::default() };
    let floor = assembly.add_body(floor).unwrap();
    assembly.add_shape(shape(floor, Shape::HalfSpace, steel)).unwrap();
    let body = |name: &str, position: DVec3| Body {
        name: name.into(),
        position,
        inertia: DMat3::IDENTITY * 0.1,
        ..Body::default()
    };
    let far = assembly.add_body(body("far", DVec3::new(50.0, 0.0, 70.0))).unwrap();
    let crank = assembly.add_body(body("crank", DVec3::new(0.5, 0.0, 5.0))).unwrap();
    let ball =
        assembly.add_body(Body { velocity: DVec3::X, ..body("ball", DVec3::new(3.0, 0.0, 0.4999)) }).unwrap();
    assembly.add_shape(shape(ball, Shape::Sphere { radius: 0.5 }, steel)).unwrap();
    let hinge = assembly
        .add_joint(Joint {
            name: "hinge".into(),
            kind: JointKind::Revolute,
            a: at(Carrier::Ground, DVec3::new(0.0, 0.0, 5.0)),
            b: at(Carrier::Body(crank), DVec3::new(-0.5, 0.0, 0.0)),
            limits: Vec::new(),
        })
        .unwrap();
    let motor = Coupling {
        name: "motor".into(),
        label: "motor",
        terms: vec![(huygens_multibody::CoordinateRef::Joint(hinge, 0), 1.0)],
        teeth: None,
        target: CouplingTarget::Speed(40.0.into()),
    };
    assembly.add_coupling(motor).unwrap();
    Scene { assembly, bodies: [far, crank, ball], hinge }
}

struct Running {
    mechanism: Mechanism,
    stepper: Stepper,
    state: State,
}

fn start(assembly: &Assembly, kept: Option<&KeptState>) -> Running {
    let mechanism = assembly.build(SignalGraph::default(), &[]).unwrap();
    let settings = StepperSettings { integrator: Integrator::Euler, ..StepperSettings::default() };
    let mut stepper = Stepper::new(mechanism.model.clone(), Exec::serial(), settings).unwrap();
    let mut state = State::new(&mechanism.model);
    match kept {
        Some(kept) => {
            kept.restore(stepper.system(), &mut state);
            state.step = kept.step;
        }
        None => {
            analysis::assemble(stepper.system(), &mut state).unwrap();
        }
    }
    Running { mechanism, stepper, state }
}

impl Running {
    fn run(&mut self, steps: usize) {
        for _ in 0..steps {
            self.stepper.step(&mut self.state, H).unwrap();
        }
    }

    fn angle(&mut self, hinge: JointId) -> f64 {
        let system = self.stepper.system();
        system.load(&self.state);
        system.update(&self.state.history);
        self.mechanism.measure(&system.view(&self.state.history), &Measurement::Coordinate(hinge, 0))
    }
}

#[test]
fn what_stays_keeps_its_numbers_when_something_is_removed() {
    let Scene { mut assembly, bodies: [far, ..], hinge } = scene();
    let mut before = start(&assembly, None);
    before.run(400);
    let turned = before.angle(hinge);
    assert!(turned > 2.0 * std::f64::consts::TAU, "{turned}: whole turns are remembered");
    let old = before.state.clone();
    assert!(!old.contacts.is_empty() && old.lambda.iter().any(|l| *l != 0.0));
    let kept = KeptState::take(&before.mechanism.model, before.state);
    assert!(assembly.remove_body(far));
    let mut after = start(&assembly, Some(&kept));
    // The far body was the first of three.
    assert_eq!(after.state.q, old.q[7..]);
    assert_eq!(after.state.v, old.v[6..]);
    assert_eq!(after.state.acceleration, old.acceleration[6..]);
    assert_eq!(after.state.lambda, old.lambda);
    assert_eq!(after.state.history, old.history);
    assert_eq!(after.state.z, old.z);
    assert_eq!(after.state.contacts.values, old.contacts.values);
    assert_eq!(after.angle(hinge), turned);
    // Nothing goes another way for it.
    let Scene { assembly, .. } = scene();
    let mut whole = start(&assembly, None);
    whole.run(450);
    after.run(50);
    let far = after.state.q.iter().zip(&whole.state.q[7..]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(far < 1e-12, "{far:e}");
}

#[test]
fn what_is_forgotten_starts_as_its_description_says() {
    let Scene { assembly, .. } = scene();
    let mut before = start(&assembly, None);
    before.run(20);
    let old = before.state.clone();
    let mut kept = KeptState::take(&before.mechanism.model, before.state);
    assert_eq!(kept.numbers(COORDINATES, "body 'ball'").unwrap()[..7], old.q[14..]);
    kept.forget(COORDINATES, "body 'ball'");
    let after = start(&assembly, Some(&kept));
    assert_eq!(after.state.q[..14], old.q[..14]);
    assert_eq!(after.state.q[14..17], [3.0, 0.0, 0.4999]);
}
