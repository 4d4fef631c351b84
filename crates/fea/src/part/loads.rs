//! Loads of structures, and their batches.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::Model;
use huygens_core::Subject;
use huygens_core::function::Function;

use crate::element::batch::NodePlace;
use crate::load::{FacePressure, FacePressures, NodeAxes, NodeLoad, NodeLoads, cable_shares};
use crate::node::ItemName;
use crate::structure::{Element, Load, Node, NodeKind, Structure};

/// Collects the loads of structures.
#[derive(Default)]
struct Collected {
    nodes: Vec<NodeLoad>,
    faces: Vec<FacePressure>,
}

/// What acts on one node.
#[derive(Clone, Copy, Default)]
struct Share {
    force: DVec3,
    moment: DVec3,
    slope: DVec3,
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
        let mut push = |node: u32, share: Share, follower: bool, function: &Function| {
            let (place, start) = (places[node as usize], &structure.nodes[node as usize]);
            self.nodes.push(node_load(start, place, share, follower, function.clone(), name.clone()));
        };
        match load {
            Load::Nodes { nodes, force, moment, follower, function } => {
                let share = Share { force: *force, moment: *moment, slope: DVec3::ZERO };
                nodes.iter().for_each(|&node| push(node, share, *follower, function));
            }
            Load::Line { elements, force, follower, function } => {
                for &element in elements {
                    let element = &structure.elements[element as usize];
                    let shares = line_shares(structure, element, *force, *follower);
                    for (&node, share) in element.nodes().iter().zip(shares) {
                        push(node, share, *follower, function);
                    }
                }
            }
            Load::Pressure { faces, pressure, function } => {
                let face = |face: &[u32; 3]| FacePressure {
                    nodes: face.map(|n| places[n as usize]),
                    pressure: *pressure,
                    function: function.clone(),
                    name: name.clone(),
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
    share: Share,
    follower: bool,
    function: Function,
    name: ItemName,
) -> NodeLoad {
    let rotation = start.rotation.normalize();
    let axes = match start.kind {
        NodeKind::Point => NodeAxes::Point,
        NodeKind::Slope => NodeAxes::Slope { rest: rotation * DVec3::X },
        NodeKind::Gradients => NodeAxes::Gradients,
        NodeKind::Frame => NodeAxes::Frame,
    };
    let own_axes = follower && matches!(start.kind, NodeKind::Gradients | NodeKind::Frame);
    let turned = |v: DVec3| if own_axes { rotation.inverse() * v } else { v };
    let (force, moment) = (turned(share.force), turned(share.moment));
    NodeLoad { node, axes, force, moment, slope: share.slope, follower, function, name }
}

/// What a force per length [N/m] along an element does to its nodes: its product with the shape functions at the start.
fn line_shares(structure: &Structure, element: &Element, force: DVec3, follower: bool) -> Vec<Share> {
    let length = structure.rest_length(element);
    let plain = |part: f64| Share { force: force * (part * length), ..Share::default() };
    match element {
        Element::Cable { .. } | Element::BeamAncf { .. } => {
            let [a, u, b, v] = cable_shares(length);
            // The share of a slope does not go with it.
            let slope = |part: f64| if follower { DVec3::ZERO } else { force * part };
            [(a, u), (b, v)]
                .map(|(place, part)| Share { force: force * place, moment: DVec3::ZERO, slope: slope(part) })
                .to_vec()
        }
        Element::Beam { nodes, .. } => {
            let [a, b] = nodes.map(|n| structure.nodes[n as usize].position);
            let moment = (b - a).normalize_or_zero().cross(force) * (length * length / 12.0);
            [moment, -moment].map(|moment| Share { moment, ..plain(0.5) }).to_vec()
        }
        Element::Rod3 { .. } => [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0].map(plain).to_vec(),
        Element::Rod { .. } | Element::Bar { .. } => vec![plain(0.5); 2],
        Element::Tetrahedron { .. } => Vec::new(),
    }
}
