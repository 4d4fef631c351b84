//! Numbers of structures that probes can read.

use glam::{DMat3, DVec3};
use huygens_fea::node::joint::NodeRef;
use huygens_fea::output::{SolidState, Station};

use super::{NodeMotion, StructureId};
use crate::spec::ProbeSpec;
use crate::world::quantities::table::{
    Listed, QuantityRow, XYZ, find, listed, names, number, row_of, vector,
};
use crate::world::quantities::{Failure, Resolved, Source};
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

/// Strain and stress of a solid element, world axes.
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

type Row<F> = &'static QuantityRow<F>;
/// Of the motion of a node, and where it was at the start [m].
type OfNode = fn(&NodeMotion, DVec3, usize) -> f64;
/// Of the elastic energy of a structure [J].
type OfAll = fn(f64) -> f64;

/// How a number of an element is had.
#[derive(Clone, Copy)]
enum Read {
    Energy,
    /// From strain and force at a place along a line, section axes: stretch or pull, shear along y and z, twist, bending
    /// about y and z.
    Line(fn(&Station, usize) -> f64),
    Solid(fn(&SolidState, usize) -> f64),
}

/// Structures as a whole.
const WHOLE: &[QuantityRow<OfAll>] = &[number("energy", "J", "elastic energy", |energy| energy)];

/// Nodes.
const NODE: &[QuantityRow<OfNode>] = &[
    vector("position", "m", XYZ, "", |now, _, k| now.position[k]),
    vector("displacement", "m", XYZ, "from the start", |now, start, k| now.position[k] - start[k]),
    vector("velocity", "m/s", XYZ, "", |now, _, k| now.velocity[k]),
    vector("angular_velocity", "rad/s", XYZ, "world axes", |now, _, k| now.angular_velocity[k]),
];

/// Places along an element of a line, section axes.
const LINE: &[QuantityRow<Read>] = &[
    number("axial_force", "N", "positive where the line is pulled", Read::Line(|s, _| s.force[0])),
    vector("shear", "N", &["y", "z"], "", Read::Line(|s, k| s.force[1 + k])),
    number("torsion", "N·m", "", Read::Line(|s, _| s.force[3])),
    vector("moment", "N·m", &["y", "z"], "bending moment", Read::Line(|s, k| s.force[4 + k])),
    vector(
        "strain",
        "1",
        &["stretch", "shear_y", "shear_z", "twist", "bend_y", "bend_z"],
        "twist and bending per length",
        Read::Line(|s, k| s.strain[k]),
    ),
    number("energy", "J", "elastic energy of the element; without `at`", Read::Energy),
];

const VOIGT: &[&str] = &["xx", "yy", "zz", "yz", "xz", "xy"];

fn voigt(m: &DMat3, k: usize) -> f64 {
    const PLACES: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [1, 2], [0, 2], [0, 1]];
    m.col(PLACES[k][0])[PLACES[k][1]]
}

/// Elements of solids, world axes.
const SOLID: &[QuantityRow<Read>] = &[
    vector("stress", "Pa", VOIGT, "", Read::Solid(|s, k| voigt(&s.stress, k))),
    number("von_mises", "Pa", "stress of von Mises", Read::Solid(|s, _| s.von_mises)),
    vector("strain", "1", VOIGT, "", Read::Solid(|s, k| voigt(&s.strain, k))),
    number("energy", "J", "elastic energy of the element", Read::Energy),
];

/// The tables of this file.
pub(in crate::world) fn tables() -> Vec<Listed> {
    vec![
        listed("structure", "", false, WHOLE),
        listed("node of a structure, as `structure/node`", "", false, NODE),
        listed("`element` of a line, at a place `at` along it", "", false, LINE),
        listed("`element` of a solid", "", false, SOLID),
    ]
}

/// One number of a structure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) enum StructureQuantity {
    /// A number of a node.
    Node(NodeRef, Row<OfNode>, usize),
    /// A number of a whole structure.
    Whole(u32, Row<OfAll>),
    /// A number at a place of an element.
    Element(ElementQuantity),
}

/// A number at a place of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::world) struct ElementQuantity {
    structure: u32,
    element: u32,
    /// From 0 to 1 along a line.
    at: f64,
    row: Row<Read>,
    part: usize,
}

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
        let set = &self.objects.structures[id.0];
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
                let row = row_of(NODE, of, "node", base)?;
                row.parts(component, |k| Source::Structure(StructureQuantity::Node(node, row, k)))
            }
            (None, None) => match find(WHOLE, base) {
                Some(row) => {
                    row.parts(component, |_| Source::Structure(StructureQuantity::Whole(structure, row)))
                }
                None => Err(Failure::object(
                    format!(
                        "structure '{of}' has no quantity '{base}'; it has energy, its nodes '{of}/end' have {}, and \
                         with `element` it has {} (lines) or {} (solids)",
                        list(NODE),
                        list(LINE),
                        list(SOLID),
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
                let line = set.made.elements[element as usize].is_line();
                if spec.at.is_some() && (!line || base == "energy") {
                    let all = if line { "the energy of an element" } else { "a solid" };
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
                let (table, kind) =
                    if line { (LINE, "line of structure") } else { (SOLID, "solid of structure") };
                let row = row_of(table, of, kind, base)?;
                row.parts(component, |part| {
                    let quantity = ElementQuantity { structure, element, at, row, part };
                    Source::Structure(StructureQuantity::Element(quantity))
                })
            }
        }
    }

    /// The value of a number of a structure.
    pub(in crate::world) fn structure_number(&self, quantity: &StructureQuantity) -> f64 {
        match *quantity {
            StructureQuantity::Node(node, row, k) => {
                let start =
                    self.objects.structures[node.structure as usize].made.nodes[node.node as usize].position;
                (row.read)(&self.lookup().motion_of_node(node), start, k)
            }
            StructureQuantity::Whole(structure, row) => {
                self.elastic_energy_of(structure).map_or(0.0, row.read)
            }
            StructureQuantity::Element(q) => self.element_number(&q).unwrap_or(0.0),
        }
    }

    fn elastic_energy_of(&self, structure: u32) -> Option<f64> {
        let s = self.motion.simulation.as_ref()?;
        s.structures.as_ref()?.part().elastic_energy(&s.state.q, &s.state.history, structure)
    }

    /// Elastic energy of a structure [J]; the model is built if it is not.
    pub fn structure_energy(&mut self, structure: StructureId) -> Result<f64> {
        self.initialize()?;
        self.objects.structure_set(structure)?;
        Ok(self.elastic_energy_of(structure.0 as u32).unwrap_or(0.0))
    }

    fn element_number(&self, q: &ElementQuantity) -> Option<f64> {
        let s = self.motion.simulation.as_ref()?;
        let part = s.structures.as_ref()?.part();
        match q.row.read {
            Read::Energy => part.element_energy(&s.state.q, &s.state.history, q.structure, q.element),
            Read::Line(read) => {
                let station = part.station(&s.state.q, q.structure, q.element, q.at)?;
                Some(read(&station, q.part))
            }
            Read::Solid(read) => {
                let solid = part.solid_state(&s.state.q, &s.state.history, q.structure, q.element)?;
                Some(read(&solid, q.part))
            }
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
        let set = self.objects.structure_set(structure)?;
        let known = set.made.elements.get(element).is_some_and(|e| e.is_line());
        let station =
            self.motion.simulation.as_ref().filter(|_| known && (0.0..=1.0).contains(&at)).and_then(|s| {
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

    /// Strain and stress of a solid element; the model is built if it is not. An inverted one has none.
    pub fn solid_stress(&mut self, structure: StructureId, element: usize) -> Result<SolidStress> {
        self.initialize()?;
        let set = self.objects.structure_set(structure)?;
        let state = self.motion.simulation.as_ref().and_then(|s| {
            let (part, state) = (s.structures.as_ref()?.part(), &s.state);
            part.solid_state(&state.q, &state.history, structure.0 as u32, element as u32)
        });
        let Some(state) = state else {
            return Err(WorldError::Value {
                what: format!("element of structure '{}'", set.spec.name),
                value: element.to_string(),
                expected: format!("a solid below {} that is not inverted", set.made.elements.len()),
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
        let s = self.motion.simulation.as_ref()?;
        s.structures.as_ref()?.part().gradient(&s.state.q, node, 0)
    }

    /// Axial force [N] and bending moment [N·m] that a recording shows at a place of a line.
    pub(super) fn drawn_forces(&self, structure: u32, element: u32, at: f64) -> [f64; 2] {
        let station = self
            .motion
            .simulation
            .as_ref()
            .and_then(|s| s.structures.as_ref()?.part().station(&s.state.q, structure, element, at));
        station.map_or([0.0; 2], |s| [s.force[0], s.force[4].hypot(s.force[5])])
    }

    /// Mean stress of von Mises [Pa] of the solids around each node of a structure.
    pub(super) fn nodal_stress(&self, structure: u32) -> Vec<f64> {
        let made = &self.objects.structures[structure as usize].made;
        let mut sums = vec![[0.0; 2]; made.nodes.len()];
        let part =
            self.motion.simulation.as_ref().and_then(|s| Some((s.structures.as_ref()?.part(), &s.state)));
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

/// Names of the quantities of a table, in words.
fn list<F>(table: &'static [QuantityRow<F>]) -> String {
    names(table).collect::<Vec<_>>().join(", ")
}
