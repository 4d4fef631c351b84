//! Numbers of structures that probes can read.

use glam::DVec3;
use huygens_fea::joint::NodeRef;

use super::StructureId;
use crate::spec::ProbeSpec;
use crate::world::quantities::{Resolved, Source, XYZ, components, scalar, unknown};
use crate::world::{Result, World};

/// One number of a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum StructureQuantity {
    /// A number of a node.
    Node(NodeRef, NodeNumber, usize),
    /// Elastic energy of a structure.
    Energy(u32),
    /// A number at a place of an element.
    Element(ElementQuantity),
}

/// Which number of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum NodeNumber {
    Position,
    Displacement,
    Velocity,
    AngularVelocity,
}

/// A number at a place of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct ElementQuantity {
    structure: u32,
    element: u32,
    /// From 0 to 1 along a line.
    at: f64,
    what: ElementNumber,
}

/// Which number of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum ElementNumber {
    /// Stretch, shear along y and z, twist, bending about y and z.
    Strain(usize),
    /// The force of the same names.
    Force(usize),
    /// xx, yy, zz, yz, xz, xy.
    Stress(usize),
    VonMises,
    Energy,
}

const NODE_QUANTITIES: [&str; 4] = ["position", "displacement", "velocity", "angular_velocity"];
const LINE_QUANTITIES: [&str; 6] = ["axial_force", "shear", "torsion", "moment", "strain", "energy"];
const SOLID_QUANTITIES: [&str; 4] = ["stress", "von_mises", "strain", "energy"];
const SECTION_STRAINS: [&str; 6] = ["stretch", "shear_y", "shear_z", "twist", "bend_y", "bend_z"];
const VOIGT: [&str; 6] = ["xx", "yy", "zz", "yz", "xz", "xy"];

impl World {
    /// Numbers behind a quantity of a structure, of a node or of an element.
    pub(in crate::world) fn structure_quantity(
        &self,
        id: StructureId,
        spec: &ProbeSpec,
        of: &str,
        base: &str,
        component: Option<&str>,
    ) -> Resolved {
        let set = &self.structures[id.0];
        let structure = id.0 as u32;
        let node_name = of.split_once('/').map(|(_, node)| node);
        if spec.point.is_some() {
            return Err((format!("`point` belongs to bodies; '{of}' is a structure"), None));
        }
        match (node_name, &spec.element) {
            (Some(_), Some(_)) => {
                Err((format!("'{of}' is a node; a probe of an element names the structure only"), None))
            }
            (Some(name), None) => {
                let node = set.made.find_node(name).map_err(|e| (e.to_string(), None))?;
                let node = NodeRef { structure, node };
                let (number, unit) = match base {
                    "position" => (NodeNumber::Position, "m"),
                    "displacement" => (NodeNumber::Displacement, "m"),
                    "velocity" => (NodeNumber::Velocity, "m/s"),
                    "angular_velocity" => (NodeNumber::AngularVelocity, "rad/s"),
                    _ => return Err(unknown(of, "node", base, &NODE_QUANTITIES)),
                };
                components(&XYZ, component, unit, base, |k| {
                    Source::Structure(StructureQuantity::Node(node, number, k))
                })
            }
            (None, None) => match base {
                "energy" => {
                    scalar(component, "J", base, Source::Structure(StructureQuantity::Energy(structure)))
                }
                _ => Err((
                    format!(
                        "structure '{of}' has no quantity '{base}'; it has energy, its nodes '{of}/end' have {}, and \
                         with `element` it has {} (lines) or {} (solids)",
                        NODE_QUANTITIES.join(", "),
                        LINE_QUANTITIES.join(", "),
                        SOLID_QUANTITIES.join(", "),
                    ),
                    None,
                )),
            },
            (None, Some(name)) => {
                let found = super::make::elements_of(&set.made, name).map_err(|e| (e, None))?;
                let &[element] = found.as_slice() else {
                    let problem = format!("`element` '{name}' has {} elements, one is needed here", found.len());
                    return Err((problem, None));
                };
                let at = spec.at.unwrap_or(0.5);
                if !(0.0..=1.0).contains(&at) {
                    return Err((format!("at = {at} is not allowed; a number from 0 to 1 is needed"), None));
                }
                let source = |what| {
                    let quantity = ElementQuantity { structure, element, at, what };
                    Source::Structure(StructureQuantity::Element(quantity))
                };
                let line = set.made.elements[element as usize].section().is_some();
                element_parts(line, of, base, component, source)
            }
        }
    }

    /// The value of a number of a structure.
    pub(in crate::world) fn structure_number(&self, quantity: &StructureQuantity) -> f64 {
        match *quantity {
            StructureQuantity::Node(node, number, k) => {
                let motion = self.motion_of_node(node);
                let start = self.structures[node.structure as usize].made.nodes[node.node as usize].position;
                match number {
                    NodeNumber::Position => motion.position[k],
                    NodeNumber::Displacement => motion.position[k] - start[k],
                    NodeNumber::Velocity => motion.velocity[k],
                    NodeNumber::AngularVelocity => motion.angular_velocity[k],
                }
            }
            StructureQuantity::Energy(structure) => self.elastic_energy_of(structure).unwrap_or(0.0),
            StructureQuantity::Element(q) => self.element_number(&q).unwrap_or(0.0),
        }
    }

    fn elastic_energy_of(&self, structure: u32) -> Option<f64> {
        let s = self.simulation.as_ref()?;
        s.structures.as_ref()?.part().elastic_energy(&s.state.q, structure)
    }

    /// Elastic energy of a structure [J]; the model is built if it is not.
    pub fn structure_energy(&mut self, structure: StructureId) -> Result<f64> {
        self.initialize()?;
        self.structure_set(structure)?;
        Ok(self.elastic_energy_of(structure.0 as u32).unwrap_or(0.0))
    }

    fn element_number(&self, q: &ElementQuantity) -> Option<f64> {
        let s = self.simulation.as_ref()?;
        let part = s.structures.as_ref()?.part();
        match q.what {
            ElementNumber::Energy => part.element_energy(&s.state.q, q.structure, q.element),
            _ => None,
        }
    }

    /// The slope of a node that has one.
    pub(super) fn node_slope(&self, node: NodeRef) -> Option<DVec3> {
        let s = self.simulation.as_ref()?;
        s.structures.as_ref()?.part().gradient(&s.state.q, node, 0)
    }

    /// Axial force [N] and bending moment [N·m] that a recording shows at a place of a line.
    pub(super) fn drawn_forces(&self, _structure: u32, _element: u32, _at: f64) -> [f64; 2] {
        [0.0; 2]
    }

    /// Mean stress of von Mises [Pa] around each node of a structure.
    pub(super) fn nodal_stress(&self, structure: u32) -> Vec<f64> {
        vec![0.0; self.structures[structure as usize].made.nodes.len()]
    }
}

fn element_parts(
    line: bool,
    of: &str,
    base: &str,
    component: Option<&str>,
    source: impl Fn(ElementNumber) -> Source,
) -> Resolved {
    match (line, base) {
        (_, "energy") => scalar(component, "J", base, source(ElementNumber::Energy)),
        (true, "axial_force") => scalar(component, "N", base, source(ElementNumber::Force(0))),
        (true, "shear") => {
            components(&XYZ[1..], component, "N", base, |k| source(ElementNumber::Force(1 + k)))
        }
        (true, "torsion") => scalar(component, "N·m", base, source(ElementNumber::Force(3))),
        (true, "moment") => {
            components(&XYZ[1..], component, "N·m", base, |k| source(ElementNumber::Force(4 + k)))
        }
        (true, "strain") => {
            components(&SECTION_STRAINS, component, "1", base, |k| source(ElementNumber::Strain(k)))
        }
        (false, "stress") => components(&VOIGT, component, "Pa", base, |k| source(ElementNumber::Stress(k))),
        (false, "strain") => components(&VOIGT, component, "1", base, |k| source(ElementNumber::Strain(k))),
        (false, "von_mises") => scalar(component, "Pa", base, source(ElementNumber::VonMises)),
        (true, _) => Err(unknown(of, "line of structure", base, &LINE_QUANTITIES)),
        (false, _) => Err(unknown(of, "tetrahedron of structure", base, &SOLID_QUANTITIES)),
    }
}
