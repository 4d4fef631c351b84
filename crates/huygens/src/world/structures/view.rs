//! What a recording shows of structures: their nodes, lines as tubes or strips, and skins of tetrahedra.

use std::collections::BTreeMap;
use std::ops::Range;

use glam::{DMat3, DQuat, DVec3};
use huygens_fea::element::kind::LineShape;
use huygens_fea::mesh::CellKind;
use huygens_fea::node::joint::NodeRef;
use huygens_fea::section::Section as CrossSection;
use huygens_fea::structure::{Element, NodeKind};
use huygens_kernel::cable::hermite;
use huygens_record::{Cells, Group, GroupFrame, GroupKeys, GroupKind, Skin, Tubes};

use super::{NodeMotion, StructureSet};
use crate::world::shown::{Numbers, Shown, StagePlan};
use crate::world::stage::{Builder, field, single};
use crate::world::{Result, World};

/// Straight pieces that a line element is drawn with, where there are few elements.
const PIECES: usize = 6;
/// Places of a symmetric matrix in the order in which recordings and VTK have them.
const TENSOR: [[usize; 2]; 6] = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 2]];
/// Elements above which each is drawn by one piece.
const MANY: usize = 3000;

/// What a recording shows of one structure.
struct Structure {
    structure: usize,
    /// Points along its lines; empty where there are none.
    samples: Vec<Sample>,
    /// Its elements by kind.
    elements: Vec<Vec<u32>>,
}

/// A point on a line, or on the surface of its section.
#[derive(Clone, Copy, Debug)]
struct Sample {
    element: u32,
    /// From 0 to 1 along the element.
    at: f64,
    /// Place along y and z of the section [m].
    corner: [f64; 2],
}

fn nodes_group(set: &StructureSet) -> Group {
    let mut fields = vec![field("position", "m", 3), field("velocity", "m/s", 3)];
    if set.has_solids() {
        fields.push(field("von_mises", "Pa", 1));
    }
    Group {
        name: set.spec.name.clone(),
        kind: GroupKind::Nodes,
        names: Vec::new(),
        fields,
        constants: Vec::new(),
        constant_values: Vec::new(),
    }
}

fn line_group(set: &StructureSet) -> Group {
    let fields = vec![
        field("position", "m", 3),
        field("velocity", "m/s", 3),
        field("axial_force", "N", 1),
        field("moment", "N·m", 1),
    ];
    Group {
        name: format!("{} lines", set.spec.name),
        kind: GroupKind::Nodes,
        names: Vec::new(),
        fields,
        constants: Vec::new(),
        constant_values: Vec::new(),
    }
}

/// Numbers of elements: of lines at their middle, in section axes; of tetrahedra in the order xx, yy, zz, xy, yz, xz.
fn element_group(set: &StructureSet, lines: bool) -> Group {
    let (ending, own) = match lines {
        true => (
            "elements",
            vec![
                field("axial_force", "N", 1),
                field("shear", "N", 2),
                field("torsion", "N·m", 1),
                field("moment", "N·m", 2),
            ],
        ),
        false => {
            ("solids", vec![field("stress", "Pa", 6), field("strain", "1", 6), field("von_mises", "Pa", 1)])
        }
    };
    Group {
        name: format!("{} {ending}", set.spec.name),
        kind: GroupKind::Nodes,
        names: Vec::new(),
        fields: [vec![field("position", "m", 3)], own].concat(),
        constants: Vec::new(),
        constant_values: Vec::new(),
    }
}

/// Corners of an element: ends first, as recordings have them.
fn corners(element: &Element) -> Vec<u32> {
    match (element.is_line(), element.nodes()) {
        (true, &[a, b, c]) => vec![a, c, b],
        (_, nodes) => nodes.to_vec(),
    }
}

/// The number of VTK for cells whose corners alone do not tell what they are.
fn vtk_kind(kind: CellKind) -> Option<u8> {
    (!matches!(kind, CellKind::Line2 | CellKind::Line3 | CellKind::Tetrahedron4)).then(|| kind.vtk())
}

impl StructureSet {
    /// Elements by their shape: lines first, then surfaces and solids.
    fn elements_by_kind(&self) -> Vec<Vec<u32>> {
        let mut kinds: BTreeMap<CellKind, Vec<u32>> = BTreeMap::new();
        for (k, element) in self.made.elements.iter().enumerate() {
            kinds.entry(element.kind().cell()).or_default().push(k as u32);
        }
        kinds.into_values().collect()
    }

    fn has_solids(&self) -> bool {
        self.made.elements.iter().any(|e| !e.is_line())
    }

    /// Half sizes of a section that is drawn with edges.
    fn edges(&self, element: &Element) -> Option<[f64; 2]> {
        let turned =
            |n: &u32| matches!(self.made.nodes[*n as usize].kind, NodeKind::Frame | NodeKind::Gradients);
        let used = &self.made.sections[element.section()? as usize];
        match used.section {
            CrossSection::Rectangle { width, height } if element.nodes().iter().all(turned) => {
                Some([0.5 * width, 0.5 * height])
            }
            _ => None,
        }
    }

    /// Radius of the tube that stands for an element [m].
    fn tube_radius(&self, element: &Element) -> f64 {
        let used = element.section().and_then(|s| self.made.sections.get(s as usize));
        let shape = used.and_then(|s| s.section.radius());
        let contact = self.spec.contact.as_ref().and_then(|c| c.radius);
        shape.or(contact).unwrap_or(0.02 * self.made.rest_length(element))
    }
}

/// Triangles between the rings of a strip with four edges, and its ends.
fn strip(first: u32, rings: u32, triangles: &mut Vec<u32>) {
    let corner = |ring: u32, k: u32| first + 4 * ring + k % 4;
    for ring in 0..rings - 1 {
        for k in 0..4 {
            let [a, b, c, d] =
                [corner(ring, k), corner(ring, k + 1), corner(ring + 1, k + 1), corner(ring + 1, k)];
            triangles.extend([a, d, c, a, c, b]);
        }
    }
    let last = rings - 1;
    triangles.extend([0, 1, 2, 0, 2, 3].map(|k| corner(0, k)));
    triangles.extend([0, 2, 1, 0, 3, 2].map(|k| corner(last, k)));
}

/// The nodes, the points along lines, and the elements of each kind.
impl Shown for Structure {
    fn groups(&self, world: &World, numbers: &Numbers) -> Vec<(Group, GroupKeys)> {
        let set = &world.structures[self.structure];
        let mut groups = vec![nodes_group(set)];
        if !self.samples.is_empty() {
            groups.push(line_group(set));
        }
        for (k, listed) in self.elements.iter().enumerate() {
            let first = &set.made.elements[listed[0] as usize];
            let lines = first.is_line();
            // The first group of lines and the first of others have plain names.
            let alone = k == 0 || !lines && set.made.elements[self.elements[k - 1][0] as usize].is_line();
            let mut group = element_group(set, lines);
            if !alone {
                group.name = format!("{} ({})", group.name, first.name());
            }
            groups.push(group);
        }
        groups.into_iter().map(|group| (group, numbers.group(&set.spec.name))).collect()
    }

    fn write(&self, world: &World, groups: &mut [GroupFrame]) -> Result<()> {
        let k = self.structure;
        let Some(set) = world.structures.get(k) else { return Ok(()) };
        let node = |node: usize| NodeRef { structure: k as u32, node: node as u32 };
        let motions: Vec<NodeMotion> =
            (0..set.made.nodes.len()).map(|n| world.motion_of_node(node(n))).collect();
        let mut groups = groups.iter_mut();
        if let Some(GroupFrame { count, fields }) = groups.next() {
            *count = motions.len();
            for motion in &motions {
                fields[0].extend(single(motion.position));
                fields[1].extend(single(motion.velocity));
            }
            if let Some(stress) = fields.get_mut(2) {
                stress.extend(world.nodal_stress(k as u32).iter().map(|s| *s as f32));
            }
        }
        if !self.samples.is_empty()
            && let Some(GroupFrame { count, fields }) = groups.next()
        {
            *count = self.samples.len();
            let mut last = None;
            for sample in &self.samples {
                let (position, velocity) = world.sample_motion(k, sample, &motions);
                fields[0].extend(single(position));
                fields[1].extend(single(velocity));
                let key = (sample.element, sample.at.to_bits());
                let forces = match last {
                    Some((other, forces)) if other == key => forces,
                    _ => world.drawn_forces(k as u32, sample.element, sample.at),
                };
                last = Some((key, forces));
                fields[2].push(forces[0] as f32);
                fields[3].push(forces[1] as f32);
            }
        }
        for (listed, frame) in self.elements.iter().zip(groups) {
            world.record_elements(k, listed, &motions, frame);
        }
        Ok(())
    }
}

impl World {
    /// Puts structures on the stage, as its next groups.
    pub(in crate::world) fn stage_structures(&self, builder: &mut Builder, plan: &mut StagePlan) {
        for (structure, set) in self.structures.iter().enumerate() {
            let given = set.spec.color.as_deref().and_then(|c| crate::spec::rgb(c).ok());
            let color = given.unwrap_or_else(|| builder.stem_color(&set.spec.name));
            let look = builder.look(color) as usize;
            let nodes = builder.stage.groups.len();
            let triangles: Vec<u32> = set.made.skin().triangles().flatten().collect();
            if !triangles.is_empty() {
                builder.stage.skins.push(Skin { group: nodes, look, triangles });
            }
            // The points of lines are the group after the nodes.
            let samples = stage_lines(set, builder, (look, nodes + 1));
            let first = nodes + 1 + usize::from(!samples.is_empty());
            let elements = set.elements_by_kind();
            for (k, listed) in elements.iter().enumerate() {
                let items = listed.iter().map(|k| corners(&set.made.elements[*k as usize]));
                let items: Vec<u32> = items.flatten().collect();
                let corners = items.len() / listed.len();
                let vtk = vtk_kind(set.made.elements[listed[0] as usize].kind().cell());
                builder.stage.cells.push(Cells { group: nodes, elements: first + k, corners, vtk, items });
            }
            plan.show(self, &mut builder.stage, Structure { structure, samples, elements });
        }
    }

    /// Writes the numbers of elements of one kind into their group.
    fn record_elements(
        &self,
        structure: usize,
        listed: &[u32],
        motions: &[NodeMotion],
        GroupFrame { count, fields }: &mut GroupFrame,
    ) {
        *count = listed.len();
        let part = self.simulation.as_ref().and_then(|s| Some((s.structures.as_ref()?.part(), &s.state)));
        let of = structure as u32;
        for &k in listed {
            let element = &self.structures[structure].made.elements[k as usize];
            let nodes = element.nodes();
            let sum: DVec3 = nodes.iter().map(|n| motions[*n as usize].position).sum();
            fields[0].extend(single(sum / nodes.len() as f64));
            let mut put = |field: usize, numbers: &[f64]| {
                fields[field].extend(numbers.iter().map(|x| *x as f32));
            };
            if element.is_line() {
                let force = part
                    .and_then(|(part, now)| part.station(&now.q, of, k, 0.5))
                    .map_or([0.0; 6], |s| s.force);
                [0..1, 1..3, 3..4, 4..6].into_iter().enumerate().for_each(|(n, r)| put(1 + n, &force[r]));
            } else {
                // An inverted tetrahedron has no strain.
                let state = part.and_then(|(part, now)| part.solid_state(&now.q, &now.history, of, k));
                let tensor = |m: Option<DMat3>| m.map_or([0.0; 6], |m| TENSOR.map(|[i, j]| m.col(i)[j]));
                put(1, &tensor(state.map(|s| s.stress)));
                put(2, &tensor(state.map(|s| s.strain)));
                put(3, &[state.map_or(0.0, |s| s.von_mises)]);
            }
        }
    }

    /// Position and velocity of a point of a line [m, m/s].
    fn sample_motion(&self, structure: usize, sample: &Sample, motions: &[NodeMotion]) -> (DVec3, DVec3) {
        let set = &self.structures[structure];
        let element = &set.made.elements[sample.element as usize];
        let nodes = element.nodes();
        let at = |k: usize| &motions[nodes[k] as usize];
        let t = sample.at;
        let (position, velocity) = match element.kind().line() {
            Some(LineShape::Straight) if !element.is_turned() => {
                (at(0).position.lerp(at(1).position, t), at(0).velocity.lerp(at(1).velocity, t))
            }
            Some(LineShape::Quadratic) => {
                let s = 2.0 * t - 1.0;
                let weights = [0.5 * s * (s - 1.0), 1.0 - s * s, 0.5 * s * (s + 1.0)];
                let sum =
                    |f: &dyn Fn(&NodeMotion) -> DVec3| (0..3).map(|k| weights[k] * f(at(k))).sum::<DVec3>();
                (sum(&|m| m.position), sum(&|m| m.velocity))
            }
            _ => {
                let length = set.made.rest_length(element);
                let [shape, ..] = hermite(t, length);
                let slope = |k: usize| {
                    let node = NodeRef { structure: structure as u32, node: nodes[k] };
                    self.node_slope(node).unwrap_or(at(k).rotation * DVec3::X)
                };
                let position = shape[0] * at(0).position
                    + shape[1] * slope(0)
                    + shape[2] * at(1).position
                    + shape[3] * slope(1);
                (position, at(0).velocity.lerp(at(1).velocity, t))
            }
        };
        if sample.corner == [0.0; 2] {
            return (position, velocity);
        }
        let axes = match nodes.len() {
            3 if t < 0.5 => at(0).rotation.slerp(at(1).rotation, 2.0 * t),
            3 => at(1).rotation.slerp(at(2).rotation, 2.0 * t - 1.0),
            _ => at(0).rotation.slerp(at(1).rotation, t),
        };
        let place = element.section().map(|s| set.made.sections[s as usize].place).unwrap_or_default();
        let local = DQuat::from_rotation_x(place.angle) * DVec3::new(0.0, sample.corner[0], sample.corner[1]);
        let offset = DVec3::new(0.0, place.offset[0], place.offset[1]);
        (position + axes * (offset + local), velocity)
    }
}

/// Points along the lines of a structure; tubes and strips between them go to the stage.
fn stage_lines(set: &StructureSet, builder: &mut Builder, (look, group): (usize, usize)) -> Vec<Sample> {
    let pieces = if set.made.elements.len() > MANY { 1 } else { PIECES };
    let mut samples: Vec<Sample> = Vec::new();
    let mut triangles = Vec::new();
    let mut tubes: Vec<(f32, Vec<u32>)> = Vec::new();
    let along = |pieces: usize| (0..=pieces).map(move |k| k as f64 / pieces as f64);
    for (index, element) in set.made.elements.iter().enumerate() {
        if !element.is_line() {
            continue;
        }
        let pieces = if !element.is_turned() { 1 } else { pieces };
        let first = samples.len() as u32;
        let sample = |at: f64, corner: [f64; 2]| Sample { element: index as u32, at, corner };
        if let Some([y, z]) = set.edges(element) {
            for at in along(pieces) {
                samples.extend([[-y, -z], [y, -z], [y, z], [-y, z]].map(|corner| sample(at, corner)));
            }
            strip(first, pieces as u32 + 1, &mut triangles);
        } else {
            samples.extend(along(pieces).map(|at| sample(at, [0.0; 2])));
            let radius = set.tube_radius(element) as f32;
            let pairs: Range<u32> = first..first + pieces as u32;
            let ends = pairs.flat_map(|k| [k, k + 1]);
            match tubes.iter_mut().find(|t| t.0 == radius) {
                Some(tube) => tube.1.extend(ends),
                None => tubes.push((radius, ends.collect())),
            }
        }
    }
    if !triangles.is_empty() {
        builder.stage.skins.push(Skin { group, look, triangles });
    }
    for (radius, segments) in tubes {
        builder.stage.tubes.push(Tubes { group, look, radius, segments });
    }
    samples
}
