//! Numbers of structures that probes can read.

use glam::{DMat3, DVec3};
use huygens_fea::node::joint::NodeRef;

use super::StructureId;
use crate::spec::ProbeSpec;
use crate::world::quantities::{Failure, Resolved, Source, XYZ, components, scalar, unknown};
use crate::world::{Result, World, WorldError};

/// What a line feels at a place, section axes: x along the line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionForces {
    /// The place [m].
    pub point: [f64; 3],
    /// Stretch, shear along y and z, twist and curvatures about y and z [1, 1/m].
    pub strain: [f64; 6],
    /// Pull [N].
    pub axial_force: f64,
    /// Shear forces along y and z [N].
    pub shear: [f64; 2],
    /// Torque about the line [N·m].
    pub torsion: f64,
    /// Bending moments about y and z [N·m].
    pub moment: [f64; 2],
    /// Elastic energy per length [J/m].
    pub energy: f64,
}

/// Strain and stress of a tetrahedron, world axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidStress {
    /// Strain.
    pub strain: [[f64; 3]; 3],
    /// Stress [Pa].
    pub stress: [[f64; 3]; 3],
    /// Stress of von Mises [Pa].
    pub von_mises: f64,
    /// Elastic energy [J].
    pub energy: f64,
}

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
const VOIGT_PLACES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];
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
            return Err(Failure::object(format!("`point` belongs to bodies; '{of}' is a structure"), None));
        }
        if spec.at.is_some() && spec.element.is_none() {
            return Err(Failure::object("`at` is a place along a line: give its `element` too", None));
        }
        match (node_name, &spec.element) {
            (Some(_), Some(_)) => Err(Failure::object(
                format!("'{of}' is a node; a probe of an element names the structure only"),
                None,
            )),
            (Some(name), None) => {
                let node = set.made.find_node(name).map_err(|e| Failure::object(e.to_string(), None))?;
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
                _ => Err(Failure::object(
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
                let found =
                    super::make::elements_of(&set.made, name).map_err(|e| Failure::object(e, None))?;
                let &[element] = found.as_slice() else {
                    let problem =
                        format!("`element` '{name}' has {} elements, one is needed here", found.len());
                    return Err(Failure::object(problem, None));
                };
                let line = set.made.elements[element as usize].section().is_some();
                if spec.at.is_some() && (!line || base == "energy") {
                    let all = if line { "the energy of an element" } else { "a tetrahedron" };
                    return Err(Failure::object(
                        format!("{all} has no places along it: leave `at` out"),
                        None,
                    ));
                }
                let at = spec.at.unwrap_or(0.5);
                if !(0.0..=1.0).contains(&at) {
                    return Err(Failure::object(
                        format!("at = {at} is not allowed; a number from 0 to 1 is needed"),
                        None,
                    ));
                }
                let source = |what| {
                    let quantity = ElementQuantity { structure, element, at, what };
                    Source::Structure(StructureQuantity::Element(quantity))
                };
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
        s.structures.as_ref()?.part().elastic_energy(&s.state.q, &s.state.history, structure)
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
        let station = || part.station(&s.state.q, q.structure, q.element, q.at);
        let solid = || part.solid_state(&s.state.q, &s.state.history, q.structure, q.element);
        let entry = |m: &DMat3, k: usize| m.col(VOIGT_PLACES[k][0])[VOIGT_PLACES[k][1]];
        match q.what {
            ElementNumber::Energy => {
                part.element_energy(&s.state.q, &s.state.history, q.structure, q.element)
            }
            ElementNumber::Force(k) => Some(station()?.force[k]),
            ElementNumber::Strain(k) => match station() {
                Some(station) => Some(station.strain[k]),
                None => Some(entry(&solid()?.strain, k)),
            },
            ElementNumber::Stress(k) => Some(entry(&solid()?.stress, k)),
            ElementNumber::VonMises => Some(solid()?.von_mises),
        }
    }

    /// What a line feels at a place of an element, from 0 at its first node to 1 at its last; the model is built if it
    /// is not.
    pub fn section_forces(
        &mut self,
        structure: StructureId,
        element: usize,
        at: f64,
    ) -> Result<SectionForces> {
        self.initialize()?;
        let set = self.structure_set(structure)?;
        let known = set.made.elements.get(element).is_some_and(|e| e.section().is_some());
        let station = self.simulation.as_ref().filter(|_| known && (0.0..=1.0).contains(&at)).and_then(|s| {
            s.structures.as_ref()?.part().station(&s.state.q, structure.0 as u32, element as u32, at)
        });
        let Some(station) = station else {
            return Err(WorldError::Value {
                what: format!("element, at of structure '{}'", set.spec.name),
                value: format!("{element}, {at}"),
                expected: format!("a line below {} and a place from 0 to 1", set.made.elements.len()),
            });
        };
        let [axial_force, shear_y, shear_z, torsion, moment_y, moment_z] = station.force;
        Ok(SectionForces {
            point: station.point.to_array(),
            strain: station.strain,
            axial_force,
            shear: [shear_y, shear_z],
            torsion,
            moment: [moment_y, moment_z],
            energy: station.energy,
        })
    }

    /// Strain and stress of a tetrahedron; the model is built if it is not. An inverted one has none.
    pub fn solid_stress(&mut self, structure: StructureId, element: usize) -> Result<SolidStress> {
        self.initialize()?;
        let set = self.structure_set(structure)?;
        let state = self.simulation.as_ref().and_then(|s| {
            let (part, state) = (s.structures.as_ref()?.part(), &s.state);
            part.solid_state(&state.q, &state.history, structure.0 as u32, element as u32)
        });
        let Some(state) = state else {
            return Err(WorldError::Value {
                what: format!("element of structure '{}'", set.spec.name),
                value: element.to_string(),
                expected: format!("a tetrahedron below {} that is not inverted", set.made.elements.len()),
            });
        };
        let rows = |m: DMat3| m.to_cols_array_2d();
        Ok(SolidStress {
            strain: rows(state.strain),
            stress: rows(state.stress),
            von_mises: state.von_mises,
            energy: state.energy,
        })
    }

    /// The slope of a node that has one.
    pub(super) fn node_slope(&self, node: NodeRef) -> Option<DVec3> {
        let s = self.simulation.as_ref()?;
        s.structures.as_ref()?.part().gradient(&s.state.q, node, 0)
    }

    /// Axial force [N] and bending moment [N·m] that a recording shows at a place of a line.
    pub(super) fn drawn_forces(&self, structure: u32, element: u32, at: f64) -> [f64; 2] {
        let station = self
            .simulation
            .as_ref()
            .and_then(|s| s.structures.as_ref()?.part().station(&s.state.q, structure, element, at));
        station.map_or([0.0; 2], |s| [s.force[0], s.force[4].hypot(s.force[5])])
    }

    /// Mean stress of von Mises [Pa] of the tetrahedra around each node of a structure.
    pub(super) fn nodal_stress(&self, structure: u32) -> Vec<f64> {
        let made = &self.structures[structure as usize].made;
        let mut sums = vec![[0.0; 2]; made.nodes.len()];
        let part = self.simulation.as_ref().and_then(|s| Some((s.structures.as_ref()?.part(), &s.state)));
        if let Some((part, now)) = part {
            for (k, element) in made.elements.iter().enumerate() {
                let Some(state) = part.solid_state(&now.q, &now.history, structure, k as u32) else {
                    continue;
                };
                for node in element.nodes() {
                    sums[*node as usize][0] += state.von_mises;
                    sums[*node as usize][1] += 1.0;
                }
            }
        }
        sums.iter().map(|[sum, count]| sum / count.max(1.0)).collect()
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
