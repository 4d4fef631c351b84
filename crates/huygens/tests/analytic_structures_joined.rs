//! What bodies that are joined to nodes do besides holding them.

use glam::DVec3;
use huygens::prelude::*;
use huygens_core::signal::SignalGraph;
use huygens_fea::node::joint::{Carrier, NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_multibody::{Assembly, Body};

fn cable(joints: Vec<NodeJointSpec>) -> StructureSpec {
    StructureSpec {
        section: Some(SectionSpec::circle(0.01)),
        material: Some(ElasticSpec::new(2e6, 0.3, 1000.0)),
        joints,
        contact: Some(StructureContactSpec::default()),
        ..StructureSpec::beam("cable", ElementType::Cable, [0.0; 3], [1.0, 0.0, 0.0], 4)
    }
}

#[test]
fn a_joint_of_a_node_with_a_removed_body_stops_the_next_build() {
    let mut world = World::default();
    let made = world.add_structure(cable(Vec::new())).unwrap();
    let made = world.structure_model(made).unwrap();
    let mut assembly = Assembly::new(DVec3::ZERO);
    let body = assembly.add_body(Body { name: "block".into(), ..Body::default() }).unwrap();
    let build = |assembly: &Assembly| {
        let node = NodeRef { structure: 0, node: 0 };
        let carrier = Carrier::Body(body.index() as u32);
        let kind = NodeJointKind::Point { node, carrier, place: DVec3::ZERO };
        let mut structure = made.clone();
        structure.contact = None;
        let joints = vec![NodeJoint { name: "hook".into(), kind }];
        let flexible = Flexible { structures: vec![structure], joints, frames: Vec::new() };
        let mut part = FlexiblePart::new(flexible).unwrap();
        assembly.build_with(SignalGraph::default(), &[], &mut [&mut part]).map(|_| ())
    };
    build(&assembly).unwrap();
    assert!(assembly.remove_body(body));
    let message = build(&assembly).unwrap_err().to_string();
    assert!(
        message.contains("joint of a node") && message.contains("does not exist or was removed"),
        "{message}"
    );
}

/// A ball whose centre is a node overlaps the piece of the line that ends there.
#[test]
fn a_body_does_not_touch_the_pieces_at_the_node_it_is_joined_to() {
    let contacts = |by_structure: bool, joined: bool| {
        let mut world = World::new([0.0; 3]);
        let ball = BodySpec { position: [1.0, 0.0, 0.0], density: Some(1000.0), ..BodySpec::dynamic("ball") };
        world.add_body(ball.with_shape(ShapeSpec::sphere(0.05))).unwrap();
        let joint = NodeJointSpec::new(NodeJointType::Point, "end", "ball");
        world.add_structure(cable(if joined && by_structure { vec![joint] } else { Vec::new() })).unwrap();
        if joined && !by_structure {
            world.add_joint(JointSpec::new("hook", JointType::Spherical, "cable/end", "ball")).unwrap();
        }
        world.run(2e-3).unwrap();
        world.contacts().len()
    };
    assert!(contacts(true, false) > 0, "they overlap");
    assert_eq!([contacts(true, true), contacts(false, true)], [0, 0]);
}
