//! Joints of nodes, slopes and gradients.

use glam::DVec3;
use huygens_fea::node::joint::{Carrier as NodeCarrier, Gradient, NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::structure::NodeKind;
use huygens_multibody::Carrier;

use super::{StructureId, make};
use crate::spec::{NodeJointSpec, NodeJointType, check_axis};
use crate::world::coordinates::Owner;
use crate::world::lookup::Lookup;
use crate::world::{Result, World};

/// The other side of a joint.
enum OtherSide {
    /// Something with axes, and its pose: position [m] and rotation.
    Carrier(NodeCarrier, DVec3, glam::DQuat),
    /// A node without a rotation.
    Node(NodeRef),
}

impl World {
    /// Makes the joints that a structure describes.
    pub(super) fn add_node_joints(&mut self, id: StructureId) -> Result<()> {
        let spec = self.objects.structures[id.0].spec.clone();
        let owner = Owner { section: crate::spec::Section::Structures, name: &spec.name };
        let mut joints = Vec::new();
        for (k, joint) in spec.joints.iter().enumerate() {
            joints.push(self.lookup().node_joint(owner, id, k, joint)?);
        }
        self.objects.structures[id.0].joints = joints;
        Ok(())
    }
}

impl Lookup<'_> {
    fn node_joint(
        &self,
        owner: Owner<'_>,
        id: StructureId,
        k: usize,
        spec: &NodeJointSpec,
    ) -> Result<NodeJoint> {
        let bad = |key: &str, e: String| owner.error(&format!("joints.{k}.{key}"), e);
        let made = &self.objects.structures[id.0].made;
        let node = match make::nodes_of(made, &spec.node).map_err(|e| bad("node", e))?.as_slice() {
            [node] => NodeRef { structure: id.0 as u32, node: *node },
            nodes => {
                let problem = format!("'{}' has {} nodes, one is needed here", spec.node, nodes.len());
                return Err(bad("node", problem));
            }
        };
        let kind = self.node_kind(node);
        let other = self.other_side(owner, k, spec, node)?;
        let gradient = match spec.kind {
            NodeJointType::Hinge { gradient, .. } => gradient.unwrap_or(0),
            NodeJointType::Direction { gradient, .. } => gradient,
            _ => 0,
        };
        let most = match kind {
            NodeKind::Point | NodeKind::Slope | NodeKind::Slopes | NodeKind::Gradients => kind.slopes() as u8,
            NodeKind::Frame => {
                let problem = format!(
                    "{} has a rotation: join it by `[[joints]]`, whose a or b is '{}/{}'",
                    made.node_name(node.node),
                    made.name,
                    spec.node,
                );
                return Err(bad("node", problem));
            }
        };
        let needs_slope = !matches!(spec.kind, NodeJointType::Point | NodeJointType::Coordinate { .. });
        if needs_slope && most == 0 {
            let problem = format!(
                "incompatible node types: {} has a position only; nothing but a point can be held",
                made.node_name(node.node),
            );
            return Err(bad("type", problem));
        }
        if needs_slope && gradient >= most {
            return Err(bad("gradient", format!("gradient = {gradient}, but the node has {most}")));
        }
        let pose = self.start_motion(node);
        let joint = match (&spec.kind, other) {
            (NodeJointType::Coordinate { coordinate, displacement }, _) => {
                if usize::from(*coordinate) >= kind.columns() {
                    let problem = format!(
                        "coordinate = {coordinate}, but the node has {} (counted from 0)",
                        kind.columns()
                    );
                    return Err(bad("coordinate", problem));
                }
                displacement.validate().map_err(|e| bad("displacement", e.to_string()))?;
                NodeJointKind::Coordinate { node, column: *coordinate, displacement: displacement.clone() }
            }
            (NodeJointType::Point, OtherSide::Carrier(carrier, at, turn)) => {
                NodeJointKind::Point { node, carrier, place: turn.inverse() * (pose.position - at) }
            }
            (NodeJointType::Clamp, OtherSide::Carrier(carrier, at, turn)) => NodeJointKind::Clamp {
                node,
                carrier,
                place: turn.inverse() * (pose.position - at),
                rotation: (turn.inverse() * pose.rotation).normalize(),
            },
            (NodeJointType::Hinge { axis, gradient }, OtherSide::Carrier(carrier, at, turn)) => {
                if gradient.is_some() {
                    let problem = "a hinge with a body or the ground has no `gradient`; its axis is `axis`";
                    return Err(bad("gradient", problem.into()));
                }
                let Some(axis) = axis else {
                    let problem = "a hinge with a body or the ground needs `axis`, a direction in the world";
                    return Err(bad("axis", problem.into()));
                };
                let axis = turn.inverse() * check_axis(*axis).map_err(|e| bad("axis", e))?;
                let place = turn.inverse() * (pose.position - at);
                NodeJointKind::Hinge { node, carrier, place, axis }
            }
            (NodeJointType::Direction { axis, .. }, OtherSide::Carrier(carrier, _, turn)) => {
                let direction = match axis {
                    Some(axis) => check_axis(*axis).map_err(|e| bad("axis", e))?,
                    None => pose.rotation * DVec3::AXES[usize::from(gradient)],
                };
                let gradient = Gradient { node, axis: gradient };
                NodeJointKind::Direction { gradient, carrier, direction: turn.inverse() * direction }
            }
            (NodeJointType::Point, OtherSide::Node(other)) => NodeJointKind::Points { nodes: [node, other] },
            (NodeJointType::Clamp, OtherSide::Node(other)) => NodeJointKind::Equal { nodes: [node, other] },
            (NodeJointType::Hinge { axis: Some(_), .. }, OtherSide::Node(_)) => {
                let problem =
                    "a hinge of two nodes has no `axis`; its axis is a `gradient` of the first node";
                return Err(bad("axis", problem.into()));
            }
            (NodeJointType::Hinge { .. }, OtherSide::Node(other)) => {
                NodeJointKind::Hinges { nodes: [node, other], axis: gradient }
            }
            (NodeJointType::Direction { .. }, OtherSide::Node(_)) => {
                let problem = "a direction is held by a body, the ground or a node with a rotation";
                return Err(bad("to", problem.into()));
            }
        };
        let name = match spec.name.as_str() {
            "" => format!("{}/{}", owner.name, spec.node),
            name => name.to_owned(),
        };
        Ok(NodeJoint { name, kind: joint })
    }

    fn other_side(
        &self,
        owner: Owner<'_>,
        k: usize,
        spec: &NodeJointSpec,
        node: NodeRef,
    ) -> Result<OtherSide> {
        let field = format!("joints.{k}.to");
        let anchor = self.anchor(owner.section, owner.name, &field, &spec.to)?;
        Ok(match anchor.carrier {
            Carrier::Ground => OtherSide::Carrier(NodeCarrier::Ground, DVec3::ZERO, glam::DQuat::IDENTITY),
            Carrier::Body(id) => {
                let (at, turn) = self.pose(anchor.carrier);
                OtherSide::Carrier(NodeCarrier::Body(id.index() as u32), at, turn)
            }
            Carrier::External(key) => match self.node_of_key(key) {
                Some(other) if other == node => {
                    return Err(owner.error(&field, "it joins a node with itself"));
                }
                Some(other) if self.node_kind(other) == NodeKind::Frame => {
                    let pose = self.start_motion(other);
                    OtherSide::Carrier(NodeCarrier::Node(other), pose.position, pose.rotation)
                }
                Some(other) => OtherSide::Node(other),
                None => return Err(owner.error(&field, "there is no such node")),
            },
        })
    }
}
