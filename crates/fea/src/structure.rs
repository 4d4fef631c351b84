//! A structure: nodes, elements, what they are made of, where they are held and what acts on them.
//!
//! It is plain data that may be edited until it is handed to [`Flexible`](crate::part::Flexible); [`Structure::check`]
//! says what does not fit.

mod check;
mod element;
mod motion;

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::function::Function;
use huygens_kernel::cable::hermite;

use crate::element::kind::LineShape;
use crate::element::quadrature::Gauss;
use crate::error::{FeaError, Result};
use crate::mesh::Faces;
use crate::section::material::{Damping, Elastic};
use crate::section::{Section, SectionPlace, SectionValues};
use crate::surface::ContactSurface;

pub(crate) use check::check_index;
pub use element::Element;

/// Which numbers a node has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum NodeKind {
    /// Position: three columns.
    #[default]
    Point,
    /// Position and slope along the axis: six columns.
    Slope,
    /// Position and the slopes along two axes of a surface: nine columns.
    Slopes,
    /// Position and the gradients along three axes: twelve columns.
    Gradients,
    /// Position and rotation: six columns, the velocity in world axes and the angular velocity in the node's axes.
    Frame,
}

impl NodeKind {
    /// All kinds.
    pub const ALL: [NodeKind; 5] =
        [NodeKind::Point, NodeKind::Slope, NodeKind::Slopes, NodeKind::Gradients, NodeKind::Frame];

    /// Number of columns.
    pub fn columns(self) -> usize {
        if self == NodeKind::Frame { 6 } else { 3 + 3 * self.slopes() }
    }

    /// Number of slopes or gradients.
    pub fn slopes(self) -> usize {
        match self {
            NodeKind::Point | NodeKind::Frame => 0,
            NodeKind::Slope => 1,
            NodeKind::Slopes => 2,
            NodeKind::Gradients => 3,
        }
    }

    /// Number of positions.
    pub fn positions(self) -> usize {
        if self == NodeKind::Frame { 7 } else { self.columns() }
    }

    /// What the node has, in words.
    pub fn name(self) -> &'static str {
        match self {
            NodeKind::Point => "a position",
            NodeKind::Slope => "a position and a slope",
            NodeKind::Slopes => "a position and two slopes",
            NodeKind::Gradients => "a position and three gradients",
            NodeKind::Frame => "a position and a rotation",
        }
    }
}

/// A node at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Which numbers it has.
    pub kind: NodeKind,
    /// Position [m].
    pub position: DVec3,
    /// Axes: x is the axis of the beam, y and z are those of the section. Slopes and gradients start as these axes.
    pub rotation: DQuat,
    /// Velocity [m/s], world axes.
    pub velocity: DVec3,
    /// Angular velocity [rad/s], world axes; slopes and gradients turn with it.
    pub angular_velocity: DVec3,
}

impl Default for Node {
    fn default() -> Self {
        Self {
            kind: NodeKind::Point,
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
            velocity: DVec3::ZERO,
            angular_velocity: DVec3::ZERO,
        }
    }
}

impl Node {
    /// A resting node at `position` [m] with the axes `rotation`.
    pub fn new(kind: NodeKind, position: DVec3, rotation: DQuat) -> Self {
        Self { kind, position, rotation, ..Self::default() }
    }

    /// Positions and velocities as the state holds them.
    pub fn numbers(&self) -> (Vec<f64>, Vec<f64>) {
        let mut q = self.position.to_array().to_vec();
        let mut v = self.velocity.to_array().to_vec();
        if self.kind == NodeKind::Frame {
            let r = self.rotation.normalize();
            q.extend([r.x, r.y, r.z, r.w]);
            v.extend((r.inverse() * self.angular_velocity).to_array());
        }
        for axis in &DVec3::AXES[..self.kind.slopes()] {
            let gradient = self.rotation.normalize() * *axis;
            q.extend(gradient.to_array());
            v.extend(self.angular_velocity.cross(gradient).to_array());
        }
        (q, v)
    }
}

/// A section, its material and where it sits.
#[derive(Clone, Debug, PartialEq)]
pub struct SectionUse {
    /// Shape or numbers.
    pub section: Section,
    /// Material, an index into [`Structure::solids`]; sections given by their numbers need none.
    pub solid: Option<u32>,
    /// Where it lies.
    pub place: SectionPlace,
}

/// Nodes of which some columns do not move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// Nodes.
    pub nodes: Vec<u32>,
    /// Columns that stay, counted from 0: position, then slope, gradients or rotation; none means all.
    pub columns: Vec<u8>,
}

/// A mass at a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PointMass {
    /// Node.
    pub node: u32,
    /// Mass [kg].
    pub mass: f64,
    /// Inertia in the axes of the node [kg·m²]; only nodes with a rotation take it.
    pub inertia: DMat3,
}

/// What acts on nodes or elements, in world axes, as at the start where it goes with them; everything is multiplied by
/// the value of `function`.
#[derive(Clone, Debug, PartialEq)]
pub enum Load {
    /// Force and moment on nodes.
    Nodes {
        /// Nodes; each has all of the load.
        nodes: Vec<u32>,
        /// Force [N].
        force: DVec3,
        /// Moment [N·m].
        moment: DVec3,
        /// Whether force and moment turn with the node (a slope turns them by the least turn).
        follower: bool,
        /// Factor over time.
        function: Function,
    },
    /// Force per length on lines.
    Line {
        /// Elements.
        elements: Vec<u32>,
        /// Force per length [N/m].
        force: DVec3,
        /// Whether it turns with the element.
        follower: bool,
        /// Factor over time.
        function: Function,
    },
    /// Pressure on faces: against their normal, which turns with them.
    Pressure {
        /// The faces, counter-clockwise from outside.
        faces: Faces,
        /// Pressure [Pa].
        pressure: f64,
        /// Factor over time.
        function: Function,
    },
}

/// Numbers by which a file calls nodes and elements; where a list is empty, indices are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Of the nodes.
    pub nodes: Vec<u64>,
    /// Of the elements.
    pub elements: Vec<u64>,
}

/// Nodes and elements that belong together.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Unique name, used in messages and scene files.
    pub name: String,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Elements.
    pub elements: Vec<Element>,
    /// Sections of lines.
    pub sections: Vec<SectionUse>,
    /// Materials.
    pub solids: Vec<Elastic>,
    /// Named nodes.
    pub node_sets: BTreeMap<String, Vec<u32>>,
    /// Named elements.
    pub element_sets: BTreeMap<String, Vec<u32>>,
    /// Named surfaces: their faces, counter-clockwise from outside.
    pub surfaces: BTreeMap<String, Faces>,
    /// Pairs of nodes that share their place; slopes and rotations stay free.
    pub pins: Vec<[u32; 2]>,
    /// Columns that stay.
    pub fixed: Vec<Fixed>,
    /// Masses at nodes.
    pub masses: Vec<PointMass>,
    /// Loads.
    pub loads: Vec<Load>,
    /// How it touches others and itself, if at all.
    pub contact: Option<ContactSurface>,
    /// Damping of all elements.
    pub damping: Damping,
    /// Numbers of nodes and elements in the file they come from.
    pub labels: Labels,
}

impl Structure {
    /// Whether it is nothing but a place among others: without name and nodes.
    pub fn is_vacant(&self) -> bool {
        self.name.is_empty() && self.nodes.is_empty()
    }

    /// What a node is called in messages.
    pub fn node_name(&self, node: u32) -> String {
        let label = self.labels.nodes.get(node as usize).copied().unwrap_or(u64::from(node));
        format!("node {label} of structure '{}'", self.name)
    }

    /// What an element is called in messages.
    pub fn element_name(&self, element: u32) -> String {
        let label = self.labels.elements.get(element as usize).copied().unwrap_or(u64::from(element));
        let kind = self.elements.get(element as usize).map_or("element", |e| e.name());
        format!("{kind} {label} of structure '{}'", self.name)
    }

    /// What a section is called in messages.
    pub fn section_name(&self, section: u32) -> String {
        format!("section {section} of structure '{}'", self.name)
    }

    /// What elements ask of a section.
    pub fn section_values(&self, section: u32) -> Result<SectionValues> {
        let name = self.section_name(section);
        check_index(&name, "section", section, self.sections.len())?;
        let used = &self.sections[section as usize];
        // Sections given by their numbers ask no material.
        const NONE: Elastic = Elastic { young: 1.0, poisson: 0.0, density: 0.0 };
        let solid = match used.solid {
            Some(solid) => {
                check_index(&name, "material", solid, self.solids.len())?;
                self.solids[solid as usize]
            }
            None => NONE,
        };
        used.section.values(&solid, used.place, &name)
    }

    /// For each node whether supports hold all of it.
    pub fn held_nodes(&self) -> Vec<bool> {
        let mut held = vec![0u32; self.nodes.len()];
        for fixed in &self.fixed {
            let columns = fixed.columns.iter().fold(0, |all, &c| all | 1 << c);
            let columns = if fixed.columns.is_empty() { u32::MAX } else { columns };
            fixed.nodes.iter().for_each(|&n| held[n as usize] |= columns);
        }
        let whole = |kind: NodeKind| (1u32 << kind.columns()) - 1;
        held.iter().zip(&self.nodes).map(|(h, n)| h & whole(n.kind) == whole(n.kind)).collect()
    }

    /// The nodes that a word names: a set, or the number of one node.
    pub fn find_nodes(&self, name: &str) -> Option<Vec<u32>> {
        if let Some(nodes) = self.node_sets.get(name) {
            return Some(nodes.clone());
        }
        let label: u64 = name.parse().ok()?;
        let index = if self.labels.nodes.is_empty() {
            usize::try_from(label).ok().filter(|&i| i < self.nodes.len())
        } else {
            self.labels.nodes.iter().position(|&l| l == label)
        };
        Some(vec![index? as u32])
    }

    /// The one node that a word names.
    pub fn find_node(&self, name: &str) -> Result<u32> {
        match self.find_nodes(name).as_deref() {
            Some(&[node]) => Ok(node),
            Some(nodes) => {
                Err(FeaError::SetSize { structure: self.name.clone(), set: name.into(), count: nodes.len() })
            }
            None => Err(FeaError::UnknownNode {
                structure: self.name.clone(),
                name: name.into(),
                sets: self.node_sets.keys().cloned().collect(),
            }),
        }
    }

    /// Mass of all lines [kg].
    pub fn line_mass(&self) -> f64 {
        self.elements.iter().filter(|e| e.is_line()).map(|e| e.kind().mass(self, e)).sum()
    }

    /// Mass that solids and surfaces give each node, in equal shares [kg].
    pub fn solid_masses(&self) -> Vec<f64> {
        let mut masses = vec![0.0; self.nodes.len()];
        for element in self.elements.iter().filter(|e| !e.is_line()) {
            let share = element.kind().mass(self, element) / element.nodes().len() as f64;
            element.nodes().iter().for_each(|n| masses[*n as usize] += share);
        }
        masses
    }

    /// Length of a line at rest [m].
    pub fn rest_length(&self, element: &Element) -> f64 {
        let nodes = element.nodes();
        let place = |k: usize| self.nodes[nodes[k] as usize].position;
        match (element.length, element.kind().line()) {
            (Some(length), _) => length,
            (None, Some(LineShape::Cubic { .. })) => {
                cubic_length([0, 1].map(|k| self.nodes[nodes[k] as usize]))
            }
            (None, Some(LineShape::Quadratic)) => quadratic_length([place(0), place(1), place(2)]),
            _ => place(0).distance(place(1)),
        }
    }
}

/// Length [m] of the parabola through three points at −1, 0 and 1, by five points of Gauss.
fn quadratic_length([a, b, c]: [DVec3; 3]) -> f64 {
    let (slope, bend) = ((c - a) * 0.5, a + c - b * 2.0);
    Gauss::Five
        .points()
        .iter()
        .map(|&(t, weight)| 2.0 * weight * (slope + bend * (2.0 * t - 1.0)).length())
        .sum()
}

/// Length [m] at rest of a line that has the directions of two nodes: that of its own cubic curve, which depends on it.
pub(crate) fn cubic_length(nodes: [Node; 2]) -> f64 {
    let [u, v] = nodes.map(|n| n.rotation * DVec3::X);
    let [a, b] = nodes.map(|n| n.position);
    let chord = a.distance(b);
    let mut length = chord;
    for _ in 0..50 {
        let slope = |t: f64| {
            let [_, s, _] = hermite(t, length);
            (a * s[0] + u * s[1] + b * s[2] + v * s[3]).length()
        };
        let next = length * Gauss::Five.points().iter().map(|&(t, w)| w * slope(t)).sum::<f64>();
        if !(next.is_finite() && next < 4.0 * chord) {
            return chord;
        }
        if (next - length).abs() <= 1e-15 * length {
            return next;
        }
        length = next;
    }
    length
}
