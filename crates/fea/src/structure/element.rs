//! An element of a structure: its kind, its nodes and what it is made of.

use huygens_kernel::cable::StrainMeasure;

use super::NodeKind;
use crate::element::kind::{Kind, KindRef, MadeOf};
use crate::element::{bar, beam_ancf, beam_corotational, cable, rod, rod_quadratic, tetrahedron};
use crate::mesh::NodeList;

/// An element and what it is made of.
#[derive(Clone, Debug)]
pub struct Element {
    kind: KindRef,
    nodes: NodeList,
    /// Section or material, whichever its kind is made of: an index into those of the structure.
    pub made_of: u32,
    /// Length of a line at rest [m]; that at the start if absent.
    pub length: Option<f64>,
}

impl Element {
    /// An element of any kind on these nodes (indices); `made_of` counts the sections or the materials of the structure,
    /// whichever the kind needs.
    pub fn new(kind: impl Into<KindRef>, nodes: &[u32], made_of: u32) -> Self {
        Self { kind: kind.into(), nodes: nodes.into(), made_of, length: None }
    }

    /// A cable of the absolute nodal coordinates; nodes with a slope.
    pub fn cable(nodes: [u32; 2], section: u32, strain: StrainMeasure) -> Self {
        match strain {
            StrainMeasure::Material => Self::new(&cable::CABLE, &nodes, section),
            StrainMeasure::Green => Self::new(&cable::CABLE_GREEN, &nodes, section),
        }
    }

    /// A beam 3243 of the absolute nodal coordinates; nodes with gradients.
    pub fn beam_ancf(nodes: [u32; 2], section: u32) -> Self {
        Self::new(&beam_ancf::BEAM_ANCF, &nodes, section)
    }

    /// A corotational Euler–Bernoulli beam; nodes with a rotation.
    pub fn beam(nodes: [u32; 2], section: u32) -> Self {
        Self::new(&beam_corotational::BEAM, &nodes, section)
    }

    /// A geometrically exact rod with two nodes that have a rotation.
    pub fn rod(nodes: [u32; 2], section: u32) -> Self {
        Self::new(&rod::ROD, &nodes, section)
    }

    /// A geometrically exact rod with three nodes that have a rotation: first, middle, last.
    pub fn rod3(nodes: [u32; 3], section: u32) -> Self {
        Self::new(&rod_quadratic::ROD3, &nodes, section)
    }

    /// A bar on any nodes; a rope pulls only.
    pub fn bar(nodes: [u32; 2], section: u32, rope: bool) -> Self {
        Self::new(if rope { &bar::ROPE } else { &bar::BAR }, &nodes, section)
    }

    /// A corotational tetrahedron with four nodes that have a position; the last lies where the normal of the first
    /// three, by the right hand, points.
    pub fn tetrahedron(nodes: [u32; 4], solid: u32) -> Self {
        Self::new(&tetrahedron::TETRAHEDRON, &nodes, solid)
    }

    /// The same with a length at rest [m].
    pub fn with_length(self, length: f64) -> Self {
        Self { length: Some(length), ..self }
    }

    /// Its kind.
    pub fn kind(&self) -> &dyn Kind {
        &*self.kind
    }

    /// Its nodes.
    pub fn nodes(&self) -> &[u32] {
        self.nodes.as_slice()
    }

    /// Its section, if it has one.
    pub fn section(&self) -> Option<u32> {
        (self.kind.made_of() == MadeOf::Section).then_some(self.made_of)
    }

    /// Its material, if it has one of the structure's.
    pub fn solid(&self) -> Option<u32> {
        (self.kind.made_of() == MadeOf::Solid).then_some(self.made_of)
    }

    /// Whether it is a line.
    pub fn is_line(&self) -> bool {
        self.kind.is_line()
    }

    /// Whether its nodes have directions: slopes, gradients or axes.
    pub fn is_turned(&self) -> bool {
        self.kind.is_turned()
    }

    /// Whether it can use nodes of a kind.
    pub fn takes(&self, kind: NodeKind) -> bool {
        self.kind.takes(kind)
    }

    /// Its name in scene files.
    pub fn name(&self) -> &'static str {
        self.kind.name()
    }
}
