//! Structures from meshes. Lines that go on behind a node form a strand: they share its slope. Where strands with slopes
//! cross, each has a node of its own, pinned to that of the first.

use std::collections::BTreeMap;

use glam::{DMat3, DQuat, DVec3};

use super::generate::{circle_direction, end_direction};
use super::{CellKind, Faces, Mesh};
use crate::element::kind::{Kind, KindRef};
use crate::error::{FeaError, Result};
use crate::structure::{Element, Node, NodeKind, Structure};

/// The kind of nodes that a mesh makes for an element.
fn node_kind(kind: &dyn Kind) -> NodeKind {
    kind.node_kinds().first().copied().unwrap_or_default()
}

/// More lines than this at a node end there: none goes on.
const MOST_AT_NODE: usize = 16;

/// A line between two nodes of the mesh, or three.
#[derive(Clone, Copy)]
struct Line {
    cell: u32,
    ends: [u32; 2],
    middle: Option<u32>,
}

/// A line in a strand, and whether it runs backwards there.
type Step = (u32, bool);

struct Strand {
    steps: Vec<Step>,
    closed: bool,
}

impl Structure {
    /// The nodes and elements of a mesh. A `kind` of line is what lines become, one of surfaces or solids what cells of
    /// its shape become; lines are then left out. Other solids become the first of the known kinds with their shape. All
    /// elements use the first section and the first material, which are still to be added. `up` is where the z axis of
    /// sections points, as nearly as it can, at the start of a strand; from there it goes along without twist.
    pub fn from_mesh(
        name: &str,
        mesh: &Mesh,
        kind: impl Into<KindRef>,
        up: Option<DVec3>,
    ) -> Result<Structure> {
        Builder::new(name, mesh, kind.into())?.build(up)
    }
}

struct Builder<'a> {
    mesh: &'a Mesh,
    kind: KindRef,
    lines: Vec<Line>,
    structure: Structure,
    /// Node of the structure for each node of the mesh.
    node: Vec<Option<u32>>,
    /// Elements of each cell.
    elements: Vec<Vec<u32>>,
    next_label: u64,
}

impl<'a> Builder<'a> {
    fn new(name: &str, mesh: &'a Mesh, kind: KindRef) -> Result<Self> {
        let mut lines = Vec::new();
        for (index, cell) in mesh.cells.iter().enumerate() {
            let cell_index = index as u32;
            let mut push = |ends: [u32; 2], middle| lines.push(Line { cell: cell_index, ends, middle });
            match (cell.kind, cell.nodes()) {
                _ if !kind.is_line() => {}
                (CellKind::Line2, &[a, b]) => push([a, b], None),
                (CellKind::Line3, &[a, m, b]) if kind.cell() == CellKind::Line3 => push([a, b], Some(m)),
                (CellKind::Line3, &[a, m, b]) => {
                    push([a, m], None);
                    push([m, b], None);
                }
                _ => {}
            }
        }
        let builder = Self {
            mesh,
            kind,
            lines,
            structure: Structure { name: name.into(), ..Structure::default() },
            node: vec![None; mesh.nodes.len()],
            elements: vec![Vec::new(); mesh.cells.len()],
            next_label: mesh.labels.iter().max().map_or(1, |l| l.saturating_add(1)),
        };
        builder.check_lines()?;
        Ok(builder)
    }

    /// What a cell that is no line becomes.
    fn solid_kind(&self, cell: CellKind) -> Option<KindRef> {
        if cell.dimension() > 1 && self.kind.cell() == cell {
            return Some(self.kind.clone());
        }
        // Surfaces in a mesh of solids are names of their faces.
        <dyn Kind>::shaped(cell).filter(|_| cell.dimension() == 3).map(KindRef::Static)
    }

    fn check_lines(&self) -> Result<()> {
        for line in &self.lines {
            let [a, b] = line.ends.map(|n| self.mesh.nodes[n as usize]);
            if a == b {
                let cell = &self.mesh.cells[line.cell as usize];
                let label = |n: u32| format!("node {}", self.mesh.labels[n as usize]);
                return Err(FeaError::ZeroLength {
                    element: format!("line {} of structure '{}'", cell.label, self.structure.name),
                    nodes: line.ends.map(label).to_vec(),
                    length: 0.0,
                });
            }
        }
        Ok(())
    }

    fn build(mut self, up: Option<DVec3>) -> Result<Structure> {
        // Nodes keep the order of the mesh: those that are used get their place first.
        let mut used = vec![None; self.mesh.nodes.len()];
        for line in &self.lines {
            line.ends
                .iter()
                .chain(&line.middle)
                .for_each(|&n| used[n as usize] = Some(node_kind(&*self.kind)));
        }
        for cell in &self.mesh.cells {
            let Some(kind) = self.solid_kind(cell.kind) else { continue };
            for &n in cell.nodes() {
                used[n as usize].get_or_insert(node_kind(&*kind));
            }
        }
        for (n, kind) in used.into_iter().enumerate() {
            if let Some(kind) = kind {
                self.node[n] =
                    Some(self.add_node(kind, self.mesh.nodes[n], DQuat::IDENTITY, self.mesh.labels[n]));
            }
        }
        let mut line_elements = vec![None; self.lines.len()];
        let mut turned = vec![false; self.structure.nodes.len()];
        for strand in self.strands() {
            self.place_strand(&strand, up, &mut turned, &mut line_elements);
        }
        self.place_elements(line_elements);
        Ok(self.finish())
    }

    fn add_node(&mut self, kind: NodeKind, position: DVec3, rotation: DQuat, label: u64) -> u32 {
        self.structure.nodes.push(Node::new(kind, position, rotation));
        self.structure.labels.nodes.push(label);
        self.structure.nodes.len() as u32 - 1
    }

    fn fresh_label(&mut self) -> u64 {
        self.next_label = self.next_label.saturating_add(1);
        self.next_label - 1
    }

    /// Which end of a line goes on in which end of another.
    fn partners(&self) -> Vec<[Option<(u32, usize)>; 2]> {
        let mut at_node: Vec<Vec<(u32, usize)>> = vec![Vec::new(); self.mesh.nodes.len()];
        for (index, line) in self.lines.iter().enumerate() {
            for end in 0..2 {
                at_node[line.ends[end] as usize].push((index as u32, end));
            }
        }
        let mut partners = vec![[None; 2]; self.lines.len()];
        for ends in at_node.iter().filter(|e| (2..=MOST_AT_NODE).contains(&e.len())) {
            let away: Vec<_> = ends.iter().map(|&(line, end)| self.direction_away(line, end)).collect();
            let mut pairs: Vec<_> = (0..ends.len())
                .flat_map(|i| (i + 1..ends.len()).map(move |j| (i, j)))
                .map(|(i, j)| (away[i].dot(away[j]), i, j))
                // A turn by a right angle or more ends a strand.
                .filter(|(cosine, i, j)| *cosine < -1e-9 && ends[*i].0 != ends[*j].0)
                .collect();
            pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
            let mut taken = [false; MOST_AT_NODE];
            for (_, i, j) in pairs {
                if !taken[i] && !taken[j] {
                    taken[i] = true;
                    taken[j] = true;
                    partners[ends[i].0 as usize][ends[i].1] = Some(ends[j]);
                    partners[ends[j].0 as usize][ends[j].1] = Some(ends[i]);
                }
            }
        }
        partners
    }

    fn direction_away(&self, line: u32, end: usize) -> DVec3 {
        let line = &self.lines[line as usize];
        let place = |n: u32| self.mesh.nodes[n as usize];
        let other = line.middle.unwrap_or(line.ends[1 - end]);
        (place(other) - place(line.ends[end])).normalize_or_zero()
    }

    fn strands(&self) -> Vec<Strand> {
        let partners = self.partners();
        let mut done = vec![false; self.lines.len()];
        let mut strands = Vec::new();
        for first in 0..self.lines.len() as u32 {
            if done[first as usize] {
                continue;
            }
            // Back to the start, or around.
            let (mut start, mut closed) = ((first, false), false);
            while let Some((line, end)) = partners[start.0 as usize][usize::from(start.1)] {
                start = (line, end == 0);
                if line == first {
                    closed = true;
                    break;
                }
            }
            let origin = start;
            let mut steps = vec![start];
            done[start.0 as usize] = true;
            while let Some((line, end)) = partners[start.0 as usize][usize::from(!start.1)] {
                if line == origin.0 {
                    break;
                }
                start = (line, end == 1);
                done[line as usize] = true;
                steps.push(start);
            }
            strands.push(Strand { steps, closed });
        }
        strands
    }

    /// Turns the nodes of a strand along it, and makes its elements.
    fn place_strand(
        &mut self,
        strand: &Strand,
        up: Option<DVec3>,
        turned: &mut [bool],
        elements: &mut [Option<Element>],
    ) {
        let places = self.strand_nodes(strand);
        let points: Vec<_> = places.iter().map(|&n| self.mesh.nodes[n as usize]).collect();
        let directions = strand_directions(&points, strand.closed);
        let rotations = transported(&directions, up);
        let own_slope = node_kind(&*self.kind).slopes() > 0;
        let mut nodes = Vec::with_capacity(places.len());
        for (&n, &rotation) in places.iter().zip(&rotations) {
            let Some(first) = self.node[n as usize] else { continue };
            if !turned[first as usize] {
                turned[first as usize] = true;
                self.structure.nodes[first as usize].rotation = rotation;
                nodes.push(first);
            } else if own_slope {
                let label = self.fresh_label();
                let copy =
                    self.add_node(node_kind(&*self.kind), self.mesh.nodes[n as usize], rotation, label);
                self.structure.pins.push([first, copy]);
                nodes.push(copy);
            } else {
                nodes.push(first);
            }
        }
        let mut at = 0;
        for &(line, _) in &strand.steps {
            let middle = self.lines[line as usize].middle;
            let next = at + 1 + usize::from(middle.is_some());
            let ends = [nodes[at], nodes[next % nodes.len()]];
            let middle = middle.map(|_| nodes[at + 1]);
            elements[line as usize] = Some(self.line_element(ends, middle));
            at = next;
        }
    }

    /// Nodes of the mesh along a strand; the first of a closed one is not repeated.
    fn strand_nodes(&self, strand: &Strand) -> Vec<u32> {
        let mut out = Vec::with_capacity(strand.steps.len() + 1);
        for &(line, back) in &strand.steps {
            let line = &self.lines[line as usize];
            out.push(line.ends[usize::from(back)]);
            out.extend(line.middle);
        }
        if let Some(&(line, back)) = strand.steps.last().filter(|_| !strand.closed) {
            out.push(self.lines[line as usize].ends[usize::from(!back)]);
        }
        out
    }

    fn line_element(&mut self, nodes: [u32; 2], middle: Option<u32>) -> Element {
        let kind = self.kind.clone();
        if kind.cell() != CellKind::Line3 {
            return Element::new(kind, &nodes, 0);
        }
        let [a, b] = nodes.map(|n| self.structure.nodes[n as usize]);
        let middle = middle.unwrap_or_else(|| {
            let label = self.fresh_label();
            // Half way along the curve that has the directions of the ends.
            let bow =
                (a.rotation * DVec3::X - b.rotation * DVec3::X) * (a.position.distance(b.position) / 8.0);
            let place = (a.position + b.position) * 0.5 + bow;
            self.add_node(node_kind(&*kind), place, a.rotation.slerp(b.rotation, 0.5), label)
        });
        Element::new(kind, &[nodes[0], middle, nodes[1]], 0)
    }

    /// Puts elements in the order of the cells.
    fn place_elements(&mut self, line_elements: Vec<Option<Element>>) {
        let mut of_cell: BTreeMap<u32, Vec<Element>> = BTreeMap::new();
        for (line, element) in self.lines.iter().zip(line_elements) {
            of_cell.entry(line.cell).or_default().extend(element);
        }
        for (index, cell) in self.mesh.cells.iter().enumerate() {
            let mut elements = of_cell.remove(&(index as u32)).unwrap_or_default();
            if let Some(kind) = self.solid_kind(cell.kind) {
                let node = |&n: &u32| self.node[n as usize].unwrap_or_default();
                let nodes: Vec<u32> = cell.nodes().iter().map(node).collect();
                elements.push(Element::new(kind, &nodes, 0));
            }
            for element in elements {
                self.elements[index].push(self.structure.elements.len() as u32);
                self.structure.elements.push(element);
                self.structure.labels.elements.push(cell.label);
            }
        }
    }

    fn finish(self) -> Structure {
        let Self { mesh, mut structure, node, elements, .. } = self;
        for (name, nodes) in &mesh.node_sets {
            let nodes: Vec<_> = nodes.iter().filter_map(|&n| node[n as usize]).collect();
            if !nodes.is_empty() {
                structure.node_sets.insert(name.clone(), nodes);
            }
        }
        for (name, cells) in &mesh.cell_sets {
            let elements: Vec<_> = cells.iter().flat_map(|&c| elements[c as usize].iter().copied()).collect();
            if !elements.is_empty() {
                structure.element_sets.insert(name.clone(), elements);
            }
        }
        for (name, faces) in &mesh.surfaces {
            let known = |face: &[u32]| face.iter().map(|&n| node[n as usize]).collect::<Option<Vec<u32>>>();
            let faces: Faces = faces.iter().filter_map(known).collect();
            if !faces.is_empty() {
                structure.surfaces.insert(name.clone(), faces);
            }
        }
        structure
    }
}

/// Direction at each point of a line.
fn strand_directions(points: &[DVec3], closed: bool) -> Vec<DVec3> {
    let n = points.len();
    let at = |k: usize| points[k % n];
    if closed && n > 2 {
        return (0..n).map(|k| circle_direction([at(k + n - 1), at(k), at(k + 1)])).collect();
    }
    if n < 3 {
        return vec![(at(1) - at(0)).normalize_or(DVec3::X); n];
    }
    let mut out = vec![end_direction(circle_direction([at(0), at(1), at(2)]), at(1) - at(0))];
    out.extend(points.windows(3).map(|p| circle_direction([p[0], p[1], p[2]])));
    out.push(end_direction(out[n - 2], at(n - 1) - at(n - 2)));
    out
}

/// Axes along a line without twist.
fn transported(directions: &[DVec3], up: Option<DVec3>) -> Vec<DQuat> {
    let mut out: Vec<DQuat> = Vec::with_capacity(directions.len());
    for (k, &x) in directions.iter().enumerate() {
        let rotation = match k {
            0 => axes(x, up),
            _ => (DQuat::from_rotation_arc(directions[k - 1], x) * out[k - 1]).normalize(),
        };
        out.push(rotation);
    }
    out
}

/// Axes with this x, and z as near as can be to where sections stand upright.
pub(crate) fn axes(x: DVec3, up: Option<DVec3>) -> DQuat {
    let choices = [up.unwrap_or(DVec3::Z).normalize_or(DVec3::Z), DVec3::Z, DVec3::X];
    let upright = choices.into_iter().find(|u| u.cross(x).length() > 1e-3).unwrap_or(DVec3::X);
    let y = upright.cross(x).normalize_or(x.any_orthonormal_vector());
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y)))
}
