//! Cells and faces of any number of nodes.

use std::ops::Range;

/// Shape of a cell. Nodes are in the order of VTK, but for the line with three: corners first, then the middles of edges,
/// of faces, and of the cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CellKind {
    /// One node.
    Point,
    /// Two nodes.
    Line2,
    /// Three nodes: first, middle, last.
    Line3,
    /// A triangle.
    Triangle3,
    /// A triangle with the middles of its edges.
    Triangle6,
    /// A quadrilateral.
    Quadrilateral4,
    /// A quadrilateral with the middles of its edges.
    Quadrilateral8,
    /// A quadrilateral with the middles of its edges and its own.
    Quadrilateral9,
    /// A tetrahedron.
    Tetrahedron4,
    /// A tetrahedron with the middles of its edges.
    Tetrahedron10,
    /// A hexahedron.
    Hexahedron8,
    /// A hexahedron with the middles of its edges.
    Hexahedron20,
    /// A hexahedron with the middles of its edges and faces and its own.
    Hexahedron27,
}

impl CellKind {
    /// Number of nodes.
    pub fn nodes(self) -> usize {
        match self {
            CellKind::Point => 1,
            CellKind::Line2 => 2,
            CellKind::Line3 | CellKind::Triangle3 => 3,
            CellKind::Quadrilateral4 | CellKind::Tetrahedron4 => 4,
            CellKind::Triangle6 => 6,
            CellKind::Quadrilateral8 | CellKind::Hexahedron8 => 8,
            CellKind::Quadrilateral9 => 9,
            CellKind::Tetrahedron10 => 10,
            CellKind::Hexahedron20 => 20,
            CellKind::Hexahedron27 => 27,
        }
    }

    /// Number of dimensions.
    pub fn dimension(self) -> usize {
        match self {
            CellKind::Point => 0,
            CellKind::Line2 | CellKind::Line3 => 1,
            CellKind::Triangle3
            | CellKind::Triangle6
            | CellKind::Quadrilateral4
            | CellKind::Quadrilateral8
            | CellKind::Quadrilateral9 => 2,
            CellKind::Tetrahedron4
            | CellKind::Tetrahedron10
            | CellKind::Hexahedron8
            | CellKind::Hexahedron20
            | CellKind::Hexahedron27 => 3,
        }
    }

    /// Its number in VTK files.
    pub fn vtk(self) -> u8 {
        match self {
            CellKind::Point => 1,
            CellKind::Line2 => 3,
            CellKind::Line3 => 21,
            CellKind::Triangle3 => 5,
            CellKind::Triangle6 => 22,
            CellKind::Quadrilateral4 => 9,
            CellKind::Quadrilateral8 => 23,
            CellKind::Quadrilateral9 => 28,
            CellKind::Tetrahedron4 => 10,
            CellKind::Tetrahedron10 => 24,
            CellKind::Hexahedron8 => 12,
            CellKind::Hexahedron20 => 25,
            CellKind::Hexahedron27 => 29,
        }
    }

    /// Its faces by the numbers of their nodes, counter-clockwise from outside: corners first, then the middles of edges
    /// and of the face. That of a surface is the surface itself; lines have none.
    pub fn faces(self) -> &'static [&'static [usize]] {
        match self {
            CellKind::Point | CellKind::Line2 | CellKind::Line3 => &[],
            CellKind::Triangle3 => &[&[0, 1, 2]],
            CellKind::Triangle6 => &[&[0, 1, 2, 3, 4, 5]],
            CellKind::Quadrilateral4 => &[&[0, 1, 2, 3]],
            CellKind::Quadrilateral8 => &[&[0, 1, 2, 3, 4, 5, 6, 7]],
            CellKind::Quadrilateral9 => &[&[0, 1, 2, 3, 4, 5, 6, 7, 8]],
            CellKind::Tetrahedron4 => &[&[0, 2, 1], &[0, 1, 3], &[1, 2, 3], &[0, 3, 2]],
            CellKind::Tetrahedron10 => {
                &[&[0, 2, 1, 6, 5, 4], &[0, 1, 3, 4, 8, 7], &[1, 2, 3, 5, 9, 8], &[0, 3, 2, 7, 9, 6]]
            }
            CellKind::Hexahedron8 => {
                &[&[0, 3, 2, 1], &[4, 5, 6, 7], &[0, 1, 5, 4], &[1, 2, 6, 5], &[2, 3, 7, 6], &[3, 0, 4, 7]]
            }
            CellKind::Hexahedron20 => &[
                &[0, 3, 2, 1, 11, 10, 9, 8],
                &[4, 5, 6, 7, 12, 13, 14, 15],
                &[0, 1, 5, 4, 8, 17, 12, 16],
                &[1, 2, 6, 5, 9, 18, 13, 17],
                &[2, 3, 7, 6, 10, 19, 14, 18],
                &[3, 0, 4, 7, 11, 16, 15, 19],
            ],
            CellKind::Hexahedron27 => &[
                &[0, 3, 2, 1, 11, 10, 9, 8, 24],
                &[4, 5, 6, 7, 12, 13, 14, 15, 25],
                &[0, 1, 5, 4, 8, 17, 12, 16, 22],
                &[1, 2, 6, 5, 9, 18, 13, 17, 21],
                &[2, 3, 7, 6, 10, 19, 14, 18, 23],
                &[3, 0, 4, 7, 11, 16, 15, 19, 20],
            ],
        }
    }

    /// The surface cell with so many nodes.
    pub fn face(nodes: usize) -> Option<Self> {
        match nodes {
            3 => Some(CellKind::Triangle3),
            4 => Some(CellKind::Quadrilateral4),
            6 => Some(CellKind::Triangle6),
            8 => Some(CellKind::Quadrilateral8),
            9 => Some(CellKind::Quadrilateral9),
            _ => None,
        }
    }
}

/// Triangles that stand for a face in contact and pictures, by the numbers of its nodes.
fn triangles(nodes: usize) -> &'static [[usize; 3]] {
    match nodes {
        3 => &[[0, 1, 2]],
        4 => &[[0, 1, 2], [0, 2, 3]],
        6 => &[[0, 3, 5], [3, 1, 4], [5, 4, 2], [3, 4, 5]],
        8 => &[[0, 4, 7], [1, 5, 4], [2, 6, 5], [3, 7, 6], [4, 5, 6], [4, 6, 7]],
        9 => &[[0, 4, 8], [4, 1, 8], [1, 5, 8], [5, 2, 8], [2, 6, 8], [6, 3, 8], [3, 7, 8], [7, 0, 8]],
        _ => &[],
    }
}

/// Nodes of a cell or element (indices). Up to four need no memory of their own: meshes have many such cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeList(List);

#[derive(Clone, Debug, PartialEq, Eq)]
enum List {
    Few(u8, [u32; 4]),
    Many(Box<[u32]>),
}

impl NodeList {
    /// The nodes.
    pub fn as_slice(&self) -> &[u32] {
        match &self.0 {
            List::Few(count, nodes) => &nodes[..usize::from(*count)],
            List::Many(nodes) => nodes,
        }
    }

    /// The nodes, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [u32] {
        match &mut self.0 {
            List::Few(count, nodes) => &mut nodes[..usize::from(*count)],
            List::Many(nodes) => nodes,
        }
    }
}

impl From<&[u32]> for NodeList {
    fn from(nodes: &[u32]) -> Self {
        let mut few = [u32::MAX; 4];
        match few.get_mut(..nodes.len()) {
            Some(own) => {
                own.copy_from_slice(nodes);
                Self(List::Few(nodes.len() as u8, few))
            }
            None => Self(List::Many(nodes.into())),
        }
    }
}

/// A cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its number in the file.
    pub label: u64,
    /// Its shape.
    pub kind: CellKind,
    nodes: NodeList,
}

impl Cell {
    /// A cell with these nodes (indices); none where their number does not fit the kind.
    pub fn new(label: u64, kind: CellKind, nodes: &[u32]) -> Option<Self> {
        (nodes.len() == kind.nodes()).then(|| Self { label, kind, nodes: nodes.into() })
    }

    /// Its nodes (indices).
    pub fn nodes(&self) -> &[u32] {
        self.nodes.as_slice()
    }

    /// Its nodes, to be exchanged with each other.
    pub(super) fn nodes_mut(&mut self) -> &mut [u32] {
        self.nodes.as_mut_slice()
    }
}

/// Faces of any number of nodes, one after the other: corners counter-clockwise from outside, then the middles of edges
/// and of the face.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faces {
    /// End of each face in `nodes`.
    ends: Vec<u32>,
    nodes: Vec<u32>,
}

impl Faces {
    /// No faces yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a face.
    pub fn push(&mut self, nodes: &[u32]) {
        self.nodes.extend_from_slice(nodes);
        self.ends.push(self.nodes.len() as u32);
    }

    /// Number of faces.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    fn range(&self, face: usize) -> Range<usize> {
        let first = face.checked_sub(1).map_or(0, |before| self.ends[before]);
        first as usize..self.ends[face] as usize
    }

    /// The nodes of each face.
    pub fn iter(&self) -> impl Iterator<Item = &[u32]> + Clone {
        (0..self.len()).map(|face| &self.nodes[self.range(face)])
    }

    /// The nodes of all faces.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Triangles that stand for the faces: the corners and middles of each joined.
    pub fn triangles(&self) -> impl Iterator<Item = [u32; 3]> {
        self.iter().flat_map(|face| triangles(face.len()).iter().map(|corners| corners.map(|k| face[k])))
    }

    /// The faces with other nodes.
    pub fn map(&self, f: impl Fn(u32) -> u32) -> Self {
        Self { ends: self.ends.clone(), nodes: self.nodes.iter().map(|&n| f(n)).collect() }
    }

    /// Adds all faces of others.
    pub fn append(&mut self, other: &Faces) {
        other.iter().for_each(|face| self.push(face));
    }
}

impl<F: AsRef<[u32]>> Extend<F> for Faces {
    fn extend<I: IntoIterator<Item = F>>(&mut self, faces: I) {
        faces.into_iter().for_each(|face| self.push(face.as_ref()));
    }
}

impl<F: AsRef<[u32]>> FromIterator<F> for Faces {
    fn from_iter<I: IntoIterator<Item = F>>(faces: I) -> Self {
        let mut out = Self::new();
        out.extend(faces);
        out
    }
}
