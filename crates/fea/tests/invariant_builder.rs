//! The builder of models: parts in any order, lookups across parts, and errors that name who asked for what.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::builder::{
    self, BuildError, FrameKey, FramePlace, ModelBuilder, Part, PartContact, Places,
};
use huygens_core::contact::Material;
use huygens_core::contract::{Sensor, StateView};
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::signal::{SignalGraph, SignalGraphBuilder};
use huygens_core::{Model, ObjectRef, State, Subject};
use huygens_exec::Exec;
use huygens_fea::element::beam_corotational::BEAM;
use huygens_fea::mesh::Mesh;
use huygens_fea::node::joint::{Carrier, NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{NodeKind, SectionUse, Structure};
use huygens_fea::surface::{ContactSurface, SurfaceShape};
use huygens_multibody::{Assembly, Attachment, Body, BodyId, Joint, JointKind, MechanismPart};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -9.81);

fn beam() -> Structure {
    let mesh = Mesh::beam(DVec3::ZERO, DVec3::X, 4).unwrap();
    let mut beam = Structure::from_mesh("beam", &mesh, &BEAM, None).unwrap();
    beam.solids.push(Elastic { young: 1e8, poisson: 0.3, density: 1000.0 });
    let section = Section::Rectangle { width: 0.04, height: 0.04 };
    beam.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    beam.damping = Damping { stiffness: 1e-3, ..Damping::default() };
    beam
}

/// A weight on a beam: one end of the beam is held at a body by a joint of its node, the other carries a body by a joint
/// of the mechanism.
fn scene() -> (Assembly, [BodyId; 2]) {
    let mut assembly = Assembly::new(GRAVITY);
    let body = |name: &str, position: DVec3, center_of_mass| Body {
        name: name.into(),
        mass: 2.0,
        inertia: DMat3::IDENTITY * 0.02,
        position,
        center_of_mass,
        ..Body::default()
    };
    let post = assembly.add_body(body("post", DVec3::ZERO, DVec3::new(0.0, 0.1, 0.2))).unwrap();
    let weight = assembly.add_body(body("weight", DVec3::X, DVec3::ZERO)).unwrap();
    let hinge = Joint {
        name: "hinge".into(),
        kind: JointKind::Spherical,
        a: Attachment::ground(DVec3::new(-0.1, 0.0, 0.0), DQuat::IDENTITY),
        b: Attachment { position: DVec3::new(-0.1, 0.0, 0.0), ..Attachment::origin(post) },
        limits: Vec::new(),
    };
    assembly.add_joint(hinge).unwrap();
    let at_node = Attachment {
        carrier: huygens_multibody::Carrier::External(0),
        position: DVec3::ZERO,
        rotation: DQuat::IDENTITY,
    };
    let weld = Joint {
        name: "weld".into(),
        kind: JointKind::Fixed,
        a: at_node,
        b: Attachment::origin(weight),
        limits: Vec::new(),
    };
    assembly.add_joint(weld).unwrap();
    (assembly, [post, weight])
}

fn flexible(post: BodyId) -> FlexiblePart {
    let beam = beam();
    let [first, last] = [0, beam.nodes.len() as u32 - 1].map(|node| NodeRef { structure: 0, node });
    assert_eq!(beam.nodes[0].kind, NodeKind::Frame);
    let carrier = Carrier::Body(post.index() as u32);
    let kind = NodeJointKind::Point { node: first, carrier, place: DVec3::ZERO };
    let joints = vec![NodeJoint { name: "hook".into(), kind }];
    FlexiblePart::new(Flexible { structures: vec![beam], joints, frames: vec![last] }).unwrap()
}

/// Positions of both bodies after some steps.
fn moved(bodies_first: bool) -> [DVec3; 2] {
    let (assembly, ids) = scene();
    let mut mechanism = MechanismPart::new(&assembly, &[]);
    let mut structure = flexible(ids[0]);
    let mut parts: Vec<&mut dyn Part> = vec![&mut mechanism, &mut structure];
    if !bodies_first {
        parts.reverse();
    }
    let model = ModelBuilder::new(GRAVITY).build(&mut parts).unwrap();
    let mechanism = mechanism.into_mechanism(model);
    let settings =
        StepperSettings { integrator: Integrator::GeneralizedAlpha { rho: 0.8 }, ..Default::default() };
    let mut stepper = Stepper::new(mechanism.model.clone(), Exec::serial(), settings).unwrap();
    let mut state = State::new(&mechanism.model);
    stepper.initialize(&mut state, 1e-3).unwrap();
    for _ in 0..50 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let system = stepper.system();
    system.load(&state);
    system.update(&state.history);
    let view = system.view(&state.history);
    ids.map(|id| view.frames[mechanism.body_frame(id).unwrap()].origin)
}

#[test]
fn bodies_may_come_after_structures() {
    let ([post, weight], [post_after, weight_after]) = (moved(true), moved(false));
    assert!(weight.distance(DVec3::X) > 5e-3, "it falls: {weight}");
    // Columns and rows stand elsewhere, so the factorization rounds in another order.
    assert!(post.distance(post_after) < 1e-9, "{post} {post_after}");
    assert!(weight.distance(weight_after) < 1e-9, "{weight} {weight_after}");
}

#[test]
fn a_joint_that_asks_for_a_body_that_is_gone_is_named() {
    let (mut assembly, [post, _]) = scene();
    let hinge = assembly.joints().iter().next().unwrap().0;
    assert!(assembly.remove_joint(hinge));
    assert!(assembly.remove_body(post));
    let mut structure = flexible(post);
    let mut mechanism = MechanismPart::new(&assembly, &[]);
    let error = ModelBuilder::new(GRAVITY).build(&mut [&mut mechanism, &mut structure]).err().unwrap();
    let asker = Subject::object("joint", "hook").map(|_| "joint of a node 'hook'");
    assert_eq!(error, BuildError::Missing { asker, kind: "body", item: Some(post.index() as u32) });
    assert_eq!(error.object(), Some(ObjectRef::new("joint", "hook")));
}

#[test]
fn a_joint_of_a_mechanism_that_asks_for_a_node_that_is_not_there_is_named() {
    let (assembly, _) = scene();
    let mut mechanism = MechanismPart::new(&assembly, &[]);
    let error = ModelBuilder::new(GRAVITY).build(&mut [&mut mechanism]).err().unwrap();
    assert_eq!(error.to_string(), "joint 'weld' refers to a node that does not exist or was removed");
}

#[test]
fn a_surface_whose_material_is_not_there_is_named() {
    let mut own = beam();
    let (group, mask, shape) = (1, u32::MAX, SurfaceShape::Automatic);
    own.contact =
        Some(ContactSurface { material: 4, radius: Some(0.02), shape, self_contact: false, group, mask });
    let mut part = FlexiblePart::new(Flexible { structures: vec![own], ..Flexible::default() }).unwrap();
    let error = ModelBuilder::new(GRAVITY).build(&mut [&mut part]).err().unwrap();
    let asker = Subject::object("structure", "beam");
    assert_eq!(error, BuildError::Missing { asker, kind: "material", item: Some(4) });
}

/// Looks frames up and measures sensors.
#[derive(Default)]
struct Looker {
    keys: Vec<FrameKey>,
    found: Vec<Option<FramePlace>>,
    names: Vec<String>,
    sensors: Vec<usize>,
}

struct One;

impl Sensor for One {
    fn measure(&self, _x: &StateView<'_>) -> f64 {
        1.0
    }
}

impl Part for Looker {
    fn place_coordinates(&mut self, _model: &mut Model) -> builder::Result<()> {
        Ok(())
    }
    fn place_batches(&mut self, _model: &mut Model, places: &Places<'_>) -> builder::Result<()> {
        self.found = self.keys.iter().map(|key| places.find(*key)).collect();
        self.names = self.keys.iter().map(|key| places.frame_name(*key)).collect();
        Ok(())
    }
    fn sensors(&self) -> builder::Result<Vec<(usize, Box<dyn Sensor>)>> {
        Ok(self.sensors.iter().map(|&k| (k, Box::new(One) as Box<dyn Sensor>)).collect())
    }
    fn contact(
        &self,
        _places: &Places<'_>,
        _materials: &builder::MaterialNumbers,
    ) -> builder::Result<Option<PartContact>> {
        Ok(None)
    }
}

#[test]
fn frames_of_all_parts_are_found_with_their_blocks_and_places() {
    let (assembly, [post, _]) = scene();
    let mut own = beam();
    let (group, mask, shape) = (1, u32::MAX, SurfaceShape::Automatic);
    own.contact =
        Some(ContactSurface { material: 0, radius: Some(0.02), shape, self_contact: false, group, mask });
    let frames = vec![NodeRef { structure: 0, node: 4 }];
    let mut structure =
        FlexiblePart::new(Flexible { structures: vec![own], joints: Vec::new(), frames }).unwrap();
    let keys = vec![
        FrameKey::body(post.index() as u32),
        FrameKey::node(0),
        FrameKey::surface(0, 3),
        FrameKey::body(7),
        FrameKey::surface(0, 4),
    ];
    let mut looker = Looker { keys, ..Looker::default() };
    let mut mechanism = MechanismPart::new(&assembly, &[]);
    // First in the list, so all it finds comes after it.
    let mut assembly_contact = assembly.contact_setup();
    let rubber =
        huygens_core::contact::ContactMaterial { name: "rubber".into(), material: Material::default() };
    assembly_contact.materials.push((0, rubber));
    let mut parts: [&mut dyn Part; 3] = [&mut looker, &mut mechanism, &mut structure];
    let model = ModelBuilder::new(GRAVITY).contact(assembly_contact).build(&mut parts).unwrap();
    let [body, node, piece, none, beyond] = &looker.found[..] else { panic!() };
    let body = body.as_ref().unwrap();
    assert_eq!((body.blocks.len(), body.offset), (1, DVec3::new(0.0, 0.1, 0.2)));
    assert_eq!(body.pose, Some((DVec3::new(0.0, 0.1, 0.2), DMat3::IDENTITY)));
    let node = node.as_ref().unwrap();
    assert_eq!(node.pose.unwrap().0, DVec3::X);
    let piece = piece.as_ref().unwrap();
    assert_eq!(piece.blocks.len(), 2, "both ends of the last element move it");
    assert!(piece.blocks.contains(&node.blocks[0]) && (piece.frame as usize) < model.frame_count());
    assert_eq!((none, beyond), (&None, &None));
    assert_eq!(looker.names[..2], ["body 'post'".to_owned(), "node 5 of structure 'beam'".to_owned()]);
    assert_eq!(looker.names[3], "body number 7");
}

#[test]
fn every_sensor_of_the_graph_is_measured_once() {
    let graph = || -> SignalGraph {
        let mut graph = SignalGraphBuilder::new();
        for (sensor, name) in ["a", "b"].into_iter().enumerate() {
            graph.add_sensor(name, sensor).unwrap();
        }
        graph.build().unwrap()
    };
    let build = |sensors: [&[usize]; 2]| {
        let mut parts = sensors.map(|s| Looker { sensors: s.to_vec(), ..Looker::default() });
        let [a, b] = &mut parts;
        ModelBuilder::new(GRAVITY).signals(graph()).build(&mut [a, b]).map(Arc::new)
    };
    assert!(build([&[1], &[0]]).is_ok());
    assert_eq!(build([&[0], &[]]).err(), Some(BuildError::NoSensor { sensor: 1 }));
    let twice = build([&[0, 1], &[1]]).err().unwrap().to_string();
    assert_eq!(twice, "sensor 1 of the signal graph: two parts measure it");
}
