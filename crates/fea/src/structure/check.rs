//! What does not fit in a structure.

use std::collections::BTreeSet;

use glam::DMat3;

use super::{Element, Load, NodeKind, Structure};
use crate::element::tetrahedron::is_flat;
use crate::error::{FeaError, NodeUser, Result};
use crate::section::{Section, SectionPlace};

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
        match *element {
            Element::Tetrahedron { nodes, solid } => {
                check_index(&object, "material", solid, self.solids.len())?;
                let corners = nodes.map(|n| self.nodes[n as usize].position);
                let volume = crate::mesh::tetrahedron_volume(&corners);
                if volume < 0.0 || is_flat(&corners) {
                    let nodes = nodes.iter().map(|&n| self.node_name(n)).collect();
                    // A flat one may have a volume below zero by rounding.
                    let volume = if is_flat(&corners) { volume.max(0.0) } else { volume };
                    return Err(FeaError::Inverted { element: object, nodes, volume });
                }
            }
            _ => {
                let section = element.section().unwrap_or_default();
                check_index(&object, "section", section, self.sections.len())?;
                self.check_section_fits(element, section)?;
                self.check_length(element, object)?;
            }
        }
        Ok(())
    }

    /// Refuses what the section has and the element does not.
    fn check_section_fits(&self, element: &Element, section: u32) -> Result<()> {
        let used = &self.sections[section as usize];
        let values = self.section_values(section)?;
        let object = format!("{} with {} elements", self.section_name(section), element.name());
        let line = matches!(element, Element::Cable { .. } | Element::Bar { .. });
        if line && used.place != SectionPlace::default() {
            return Err(mismatch(
                object,
                "it has an offset or an angle, which they do not know; take rods or beams",
            ));
        }
        let turns = matches!(element, Element::Beam { .. } | Element::Rod { .. } | Element::Rod3 { .. });
        if turns && values.mass > 0.0 && !is_positive_definite(&values.inertia) {
            let reason = "it has mass but its inertia of rotation is not positive definite, and their nodes turn; \
                          give rows 4 to 6 of `inertia` [kg·m], such as the density times the second moments of area";
            return Err(mismatch(object, reason));
        }
        let [_, y, z] = values.bending;
        if matches!(element, Element::Cable { .. }) && (y - z).abs() > 1e-6 * y.max(z) {
            let reason = "it bends more easily about one axis; a cable bends alike in all directions: take rods or beams";
            return Err(mismatch(object, reason));
        }
        let coupled = (line || matches!(element, Element::Beam { .. })) && values.coupling.is_some();
        if coupled {
            return Err(mismatch(object, "its stiffness couples strains with curvatures; take rods"));
        }
        Ok(())
    }

    fn check_length(&self, element: &Element, object: String) -> Result<()> {
        let length = self.rest_length(element);
        let places: Vec<_> = element.nodes().iter().map(|&n| self.nodes[n as usize].position).collect();
        let size = places.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
        // Rounding leaves a distance of this size between equal places.
        let least = 1e-14 * size;
        let apart = places.windows(2).map(|p| p[0].distance(p[1])).fold(f64::INFINITY, f64::min);
        let given =
            matches!(element, Element::Cable { length: Some(_), .. } | Element::Bar { length: Some(_), .. });
        if !(length > least && length.is_finite()) || (!given && apart <= least) {
            let nodes = element.nodes().iter().map(|&n| self.node_name(n)).collect();
            let length = if given { length } else { length.min(apart) };
            return Err(FeaError::ZeroLength { element: object, nodes, length });
        }
        Ok(())
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
            faces.iter().flatten().try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))?;
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
                    if kind == NodeKind::Point && (*follower || *moment != glam::DVec3::ZERO) {
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
                    if self.elements[element as usize].section().is_none() {
                        let element = self.element_name(element);
                        return Err(mismatch(
                            object,
                            &format!("a force per length acts on lines, not on {element}"),
                        ));
                    }
                }
            }
            Load::Pressure { faces, .. } => {
                let mut nodes = faces.iter().flatten();
                nodes.try_for_each(|&n| check_index(&object, "node", n, self.nodes.len()))?;
            }
        }
        Ok(())
    }

    /// Every node that moves has mass from an element or of its own.
    fn check_mass(&self) -> Result<()> {
        let mut heavy = vec![false; self.nodes.len()];
        for element in &self.elements {
            if self.has_density(element) {
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

    fn has_density(&self, element: &Element) -> bool {
        match *element {
            Element::Tetrahedron { solid, .. } => self.solids[solid as usize].density > 0.0,
            _ => element.section().and_then(|s| self.section_values(s).ok()).is_some_and(|v| v.mass > 0.0),
        }
    }
}

fn needed_kind(element: &Element) -> NodeKind {
    let kinds = [NodeKind::Point, NodeKind::Slope, NodeKind::Gradients, NodeKind::Frame];
    kinds.into_iter().find(|&kind| element.takes(kind)).unwrap_or_default()
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

/// Whether a symmetric matrix turns every vector by less than a right angle.
fn is_positive_definite(m: &DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}
