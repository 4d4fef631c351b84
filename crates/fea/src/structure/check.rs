//! What does not fit in a structure.

use std::collections::BTreeSet;

use super::{Element, Load, NodeKind, Structure};
use crate::element::kind::MadeOf;
use crate::error::{FeaError, NodeUser, Result};
use crate::mesh::CellKind;
use crate::section::Section;

impl Structure {
    /// Whether everything fits; the first thing that does not.
    pub fn check(&self) -> Result<()> {
        self.check_nodes()?;
        self.check_sections()?;
        (0..self.elements.len() as u32).try_for_each(|element| self.check_element(element))?;
        self.check_sets()?;
        self.check_supports()?;
        self.loads.iter().enumerate().try_for_each(|(number, load)| self.check_load(number, load))?;
        self.check_mass()
    }

    fn object(&self) -> String {
        format!("structure '{}'", self.name)
    }

    fn check_nodes(&self) -> Result<()> {
        if self.nodes.is_empty() {
            return Err(mismatch(self.object(), "it has no nodes; add some, or remove it"));
        }
        for (index, node) in self.nodes.iter().enumerate() {
            let finite = node.position.is_finite()
                && node.velocity.is_finite()
                && node.angular_velocity.is_finite()
                && node.rotation.is_finite();
            let object = self.node_name(index as u32);
            if !finite {
                return Err(mismatch(object, "its position, rotation and velocities must be finite"));
            }
            if node.rotation.length_squared() < 1e-12 {
                return Err(mismatch(
                    object,
                    "its rotation is the zero quaternion; (0, 0, 0, 1) is no rotation",
                ));
            }
        }
        Ok(())
    }

    fn check_sections(&self) -> Result<()> {
        for (index, solid) in self.solids.iter().enumerate() {
            solid.check(&format!("material {index} of structure '{}'", self.name))?;
        }
        self.damping.check(&self.object())?;
        for (index, used) in self.sections.iter().enumerate() {
            let object = self.section_name(index as u32);
            match used.solid {
                Some(solid) => check_index(&object, "material", solid, self.solids.len())?,
                None if !matches!(used.section, Section::User { .. }) => {
                    return Err(mismatch(
                        object,
                        "it needs a material; only sections given by their stiffness do not",
                    ));
                }
                None => {}
            }
            self.section_values(index as u32)?;
        }
        Ok(())
    }

    fn check_element(&self, index: u32) -> Result<()> {
        let element = &self.elements[index as usize];
        let object = self.element_name(index);
        let (found, needed) = (element.nodes().len(), element.kind().cell().nodes());
        if found != needed {
            return Err(mismatch(object, &format!("it has {found} nodes; its kind needs {needed}")));
        }
        for &node in element.nodes() {
            check_index(&object, "node", node, self.nodes.len())?;
            let kind = self.nodes[node as usize].kind;
            if !element.takes(kind) {
                return Err(FeaError::NodeKind {
                    user: NodeUser::Element,
                    object,
                    node: self.node_name(node),
                    expected: format!("nodes with {}", needed_kind(element).name()),
                    found: kind.name(),
                });
            }
        }
        match element.kind().made_of() {
            MadeOf::Section => check_index(&object, "section", element.made_of, self.sections.len())?,
            MadeOf::Solid => check_index(&object, "material", element.made_of, self.solids.len())?,
            MadeOf::Kind => {}
        }
        element.kind().check(self, element, &object)
    }

    fn check_sets(&self) -> Result<()> {
        for (name, nodes) in &self.node_sets {
            let object = format!("node set '{name}' of structure '{}'", self.name);
            nodes.iter().try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))?;
        }
        for (name, elements) in &self.element_sets {
            let object = format!("element set '{name}' of structure '{}'", self.name);
            elements.iter().try_for_each(|&e| check_index(&object, "element", e, self.elements.len()))?;
        }
        for (name, faces) in &self.surfaces {
            let object = format!("surface '{name}' of structure '{}'", self.name);
            faces.nodes().iter().try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))?;
        }
        let object = format!("a pin of structure '{}'", self.name);
        self.pins.iter().flatten().try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))
    }

    fn check_supports(&self) -> Result<()> {
        for (index, fixed) in self.fixed.iter().enumerate() {
            let object = format!("support {index} of structure '{}'", self.name);
            for &node in &fixed.nodes {
                check_index(&object, "node", node, self.nodes.len())?;
                let columns = self.nodes[node as usize].kind.columns();
                fixed
                    .columns
                    .iter()
                    .try_for_each(|&c| check_index(&object, "column", u32::from(c), columns))?;
            }
        }
        for (index, mass) in self.masses.iter().enumerate() {
            let object = format!("point mass {index} of structure '{}'", self.name);
            check_index(&object, "node", mass.node, self.nodes.len())?;
            if !(mass.mass >= 0.0 && mass.mass.is_finite() && mass.inertia.is_finite()) {
                return Err(FeaError::Value {
                    what: object,
                    name: "mass",
                    value: mass.mass,
                    expected: "it must not be below zero",
                });
            }
            let kind = self.nodes[mass.node as usize].kind;
            if mass.inertia != glam::DMat3::ZERO && kind != NodeKind::Frame {
                return Err(FeaError::NodeKind {
                    user: NodeUser::Mass,
                    object: format!("the inertia of {object}"),
                    node: self.node_name(mass.node),
                    expected: format!("a node with {}", NodeKind::Frame.name()),
                    found: kind.name(),
                });
            }
        }
        Ok(())
    }

    fn check_load(&self, number: usize, load: &Load) -> Result<()> {
        let object = format!("load {number} of structure '{}'", self.name);
        let finite = match load {
            Load::Nodes { force, moment, .. } => force.is_finite() && moment.is_finite(),
            Load::Line { force, .. } => force.is_finite(),
            Load::Pressure { pressure, .. } => pressure.is_finite(),
        };
        if !finite {
            return Err(mismatch(object, "its numbers must be finite"));
        }
        match load {
            Load::Nodes { nodes, moment, follower, .. } => {
                for &node in nodes {
                    check_index(&object, "node", node, self.nodes.len())?;
                    let kind = self.nodes[node as usize].kind;
                    let turns = !matches!(kind, NodeKind::Point | NodeKind::Slopes);
                    if !turns && (*follower || *moment != glam::DVec3::ZERO) {
                        return Err(FeaError::NodeKind {
                            user: NodeUser::Load,
                            object: format!("a moment or a following force ({object})"),
                            node: self.node_name(node),
                            expected: "a node with a slope, gradients or a rotation".into(),
                            found: kind.name(),
                        });
                    }
                }
            }
            Load::Line { elements, .. } => {
                for &element in elements {
                    check_index(&object, "element", element, self.elements.len())?;
                    if self.elements[element as usize].kind().line().is_none() {
                        let element = self.element_name(element);
                        return Err(mismatch(
                            object,
                            &format!("a force per length acts on lines, not on {element}"),
                        ));
                    }
                }
            }
            Load::Pressure { faces, .. } => {
                let mut nodes = faces.nodes().iter();
                nodes.try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))?;
                if let Some(face) = faces.iter().find(|face| CellKind::face(face.len()).is_none()) {
                    let reason = format!("a face has 3, 4, 6, 8 or 9 nodes, not {}", face.len());
                    return Err(mismatch(object, &reason));
                }
            }
        }
        Ok(())
    }

    /// Every node that moves has mass from an element or of its own.
    fn check_mass(&self) -> Result<()> {
        let mut heavy = vec![false; self.nodes.len()];
        for element in &self.elements {
            if element.kind().mass(self, element) > 0.0 {
                element.nodes().iter().for_each(|&n| heavy[n as usize] = true);
            }
        }
        for mass in self.masses.iter().filter(|m| m.mass > 0.0) {
            heavy[mass.node as usize] = true;
        }
        for fixed in &self.fixed {
            for &node in &fixed.nodes {
                let columns = self.nodes[node as usize].kind.columns();
                let held: BTreeSet<_> = fixed.columns.iter().collect();
                heavy[node as usize] |= held.is_empty() || held.len() == columns;
            }
        }
        match heavy.iter().position(|h| !h) {
            Some(node) => Err(FeaError::NoMass { node: self.node_name(node as u32) }),
            None => Ok(()),
        }
    }
}

fn needed_kind(element: &Element) -> NodeKind {
    element.kind().node_kinds().first().copied().unwrap_or_default()
}

fn mismatch(what: String, reason: &str) -> FeaError {
    FeaError::Mismatch { what, reason: reason.into() }
}

pub(crate) fn check_index(object: &str, what: &'static str, index: u32, count: usize) -> Result<()> {
    if (index as usize) < count {
        return Ok(());
    }
    Err(FeaError::OutOfRange { object: object.into(), what, index: index.into(), count })
}
