//! Loads of structures, and their batches.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::Model;
use huygens_core::Subject;
use huygens_core::function::Function;

use crate::element::batch::NodePlace;
use crate::element::kind::LoadShare;
use crate::load::{FacePressure, FacePressures, NodeAxes, NodeLoad, NodeLoads};
use crate::node::ItemName;
use crate::structure::{Load, Node, NodeKind, Structure};

/// Collects the loads of structures.
#[derive(Default)]
struct Collected {
    nodes: Vec<NodeLoad>,
    faces: Vec<FacePressure>,
}

/// Adds the loads of all structures to a model.
pub(super) fn place(structures: &[Structure], places: &[Vec<NodePlace>], model: &mut Model) {
    let mut all = Collected::default();
    for (structure, places) in structures.iter().zip(places) {
        let of = Arc::new(Subject::object("structure", &structure.name));
        for (number, load) in structure.loads.iter().enumerate() {
            let name = ItemName { of: of.clone(), number: number as u64 };
            all.add(structure, places, load, &name);
        }
    }
    if !all.nodes.is_empty() {
        model.add_elements(Arc::new(NodeLoads::new(all.nodes)));
    }
    if !all.faces.is_empty() {
        model.add_elements(Arc::new(FacePressures::new(all.faces)));
    }
}

impl Collected {
    fn add(&mut self, structure: &Structure, places: &[NodePlace], load: &Load, name: &ItemName) {
        let mut push = |node: u32, share: LoadShare, follower: bool, function: &Function| {
            let (place, start) = (places[node as usize], &structure.nodes[node as usize]);
            self.nodes.push(node_load(start, place, share, follower, function.clone(), name.clone()));
        };
        match load {
            Load::Nodes { nodes, force, moment, follower, function } => {
                let share = LoadShare { force: *force, moment: *moment, slope: DVec3::ZERO };
                nodes.iter().for_each(|&node| push(node, share, *follower, function));
            }
            Load::Line { elements, force, follower, function } => {
                for &element in elements {
                    let element = &structure.elements[element as usize];
                    let shares = element.kind().line_shares(structure, element, *force, *follower);
                    for (&node, share) in element.nodes().iter().zip(shares) {
                        push(node, share, *follower, function);
                    }
                }
            }
            Load::Pressure { faces, pressure, function } => {
                let face = |face: &[u32]| {
                    let nodes = face.iter().map(|&n| places[n as usize]);
                    FacePressure::new(nodes.collect(), *pressure, function.clone(), name.clone())
                };
                self.faces.extend(faces.iter().map(face));
            }
        }
    }
}

/// A load on a node; force and moment are given as they are at the start, in world axes.
fn node_load(
    start: &Node,
    node: NodePlace,
    share: LoadShare,
    follower: bool,
    function: Function,
    name: ItemName,
) -> NodeLoad {
    let rotation = start.rotation.normalize();
    let axes = match start.kind {
        NodeKind::Point | NodeKind::Slopes => NodeAxes::Point,
        NodeKind::Slope => NodeAxes::Slope { rest: rotation * DVec3::X },
        NodeKind::Gradients => NodeAxes::Gradients,
        NodeKind::Frame => NodeAxes::Frame,
    };
    let own_axes = follower && matches!(start.kind, NodeKind::Gradients | NodeKind::Frame);
    let turned = |v: DVec3| if own_axes { rotation.inverse() * v } else { v };
    let (force, moment) = (turned(share.force), turned(share.moment));
    NodeLoad { node, axes, force, moment, slope: share.slope, follower, function, name }
}
