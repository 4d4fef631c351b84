//! Kinds of elements: what a structure knows of an element before it is built.
//!
//! A kind is one file: its numbers and forces ([`Element`]), and here its name, its nodes, its
//! checks and how it is built. Everything else (batches, output, energy, mass, contact, drawing) follows from the kind.
//! [`KINDS`] lists those that scenes know; any other value that implements [`Kind`] may stand in a structure too.

use std::any::{Any, TypeId};
use std::fmt::{self, Debug};
use std::ops::Deref;
use std::sync::Arc;

use glam::DVec3;
use huygens_kernel::Mat3;
use huygens_kernel::cable::StrainMeasure;

use super::KINDS;
use super::batch::{Batch, Element, ElementItem, NodePlace};
use crate::error::{FeaError, Result};
use crate::load::cable_shares;
use crate::mesh::CellKind;
use crate::node::ItemName;
use crate::section::SectionPlace;
use crate::section::material::Damping;
use crate::structure::{self, NodeKind, Structure};

/// What the number [`structure::Element::made_of`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MadeOf {
    /// Sections of the structure.
    Section,
    /// Materials of the structure.
    Solid,
    /// Nothing: the kind itself knows its material.
    Kind,
}

/// How a line runs between its nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineShape {
    /// Straight from node to node.
    Straight,
    /// The cubic through both places with the slopes of both nodes.
    Cubic {
        /// Whether the second gradient of the nodes shows how the line turns about its axis.
        turns: bool,
    },
    /// The parabola through three nodes.
    Quadratic,
}

/// What a force along an element does to one of its nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LoadShare {
    /// Force [N].
    pub force: DVec3,
    /// Moment [N·m].
    pub moment: DVec3,
    /// Force on the slope, or on the gradient along x [N·m].
    pub slope: DVec3,
}

/// A kind of element.
pub trait Kind: Debug + Send + Sync {
    /// Its name in scene files and messages.
    fn name(&self) -> &'static str;
    /// Its shape: how many nodes it has, and in which order.
    fn cell(&self) -> CellKind;
    /// Kinds of nodes it can use; meshes make the first.
    fn node_kinds(&self) -> &'static [NodeKind];
    /// What it is made of.
    fn made_of(&self) -> MadeOf;
    /// Refuses what the element cannot be; nodes, sections and materials exist and have the right kind.
    fn check(&self, of: &Structure, element: &structure::Element, name: &str) -> Result<()>;
    /// The element with its numbers, at rest where its nodes start; it passed the checks.
    fn build(&self, of: &Structure, index: u32) -> Result<Built>;
    /// Its mass [kg].
    fn mass(&self, of: &Structure, element: &structure::Element) -> f64;

    /// How it measures strain, where kinds of one name differ in it.
    fn strain(&self) -> Option<StrainMeasure> {
        None
    }

    /// How it runs between its nodes, if it is a line.
    fn line(&self) -> Option<LineShape> {
        None
    }

    /// What a force per length [N/m] does to each node: its product with the shape functions at the start.
    fn line_shares(
        &self,
        of: &Structure,
        element: &structure::Element,
        force: DVec3,
        follower: bool,
    ) -> Vec<LoadShare> {
        let length = of.rest_length(element);
        let plain = |part: f64| LoadShare { force: force * (part * length), ..LoadShare::default() };
        match self.line() {
            None => Vec::new(),
            Some(LineShape::Straight) => vec![plain(0.5); 2],
            Some(LineShape::Quadratic) => [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0].map(plain).to_vec(),
            Some(LineShape::Cubic { .. }) => {
                let [a, u, b, v] = cable_shares(length);
                // The share of a slope does not go with it.
                let slope = |part: f64| if follower { DVec3::ZERO } else { force * part };
                [(a, u), (b, v)]
                    .map(|(place, part)| LoadShare {
                        force: force * place,
                        moment: DVec3::ZERO,
                        slope: slope(part),
                    })
                    .to_vec()
            }
        }
    }
}

/// A kind that lives as long as the program, or is shared by elements.
#[derive(Clone)]
pub enum KindRef {
    /// One of the program.
    Static(&'static dyn Kind),
    /// One with numbers of its own.
    Shared(Arc<dyn Kind>),
}

impl Deref for KindRef {
    type Target = dyn Kind;

    fn deref(&self) -> &(dyn Kind + 'static) {
        match self {
            Self::Static(kind) => *kind,
            Self::Shared(kind) => &**kind,
        }
    }
}

impl Debug for KindRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl From<&'static dyn Kind> for KindRef {
    fn from(kind: &'static dyn Kind) -> Self {
        Self::Static(kind)
    }
}

impl<K: Kind> From<&'static K> for KindRef {
    fn from(kind: &'static K) -> Self {
        Self::Static(kind)
    }
}

impl<K: Kind + 'static> From<Arc<K>> for KindRef {
    fn from(kind: Arc<K>) -> Self {
        Self::Shared(kind)
    }
}

impl dyn Kind {
    /// The first of [`KINDS`] with a name, and with a measure of strain if one is asked for.
    pub fn named(name: &str, strain: Option<StrainMeasure>) -> Option<&'static dyn Kind> {
        KINDS.into_iter().find(|k| k.name() == name && (strain.is_none() || k.strain() == strain))
    }

    /// The first of [`KINDS`] with a shape.
    pub fn shaped(cell: CellKind) -> Option<&'static dyn Kind> {
        KINDS.into_iter().find(|kind| kind.cell() == cell)
    }
}

impl dyn Kind + '_ {
    /// Whether it is a line.
    pub fn is_line(&self) -> bool {
        self.cell().dimension() == 1
    }

    /// Whether its nodes must have directions: slopes, gradients or axes.
    pub fn is_turned(&self) -> bool {
        !self.takes(NodeKind::Point)
    }

    /// Whether it can use nodes of a kind.
    pub fn takes(&self, kind: NodeKind) -> bool {
        self.node_kinds().contains(&kind)
    }

    /// Its place among the batches of a model: that of its name in [`KINDS`], or behind all of them.
    pub(crate) fn order(&self) -> usize {
        KINDS.iter().position(|kind| kind.name() == self.name()).unwrap_or(KINDS.len())
    }
}

/// An element with its numbers, of whatever type.
pub struct Built(Box<dyn AnyElement>);

impl Built {
    /// The element of a kind.
    pub fn new(element: impl Element) -> Self {
        Self(Box::new(element))
    }

    /// Number of nodes that it has.
    pub(crate) fn node_count(&self) -> usize {
        self.0.node_count()
    }

    /// Inertia of rotation [kg·m²] that it gives to its nodes, node axes; none where they have no rotation.
    pub(crate) fn node_inertia(&self) -> Vec<Mat3> {
        self.0.node_inertia()
    }
}

trait AnyElement: Send + Sync {
    fn node_count(&self) -> usize;
    fn node_inertia(&self) -> Vec<Mat3>;
    /// Elements of one key are evaluated together.
    fn key(&self, damping: &Damping) -> (TypeId, u32);
    fn new_list(&self) -> Box<dyn AnyList>;
    fn push_to(&self, list: &mut dyn Any, nodes: Vec<NodePlace>, damping: Damping, name: ItemName);
}

trait AnyList {
    fn as_any(&mut self) -> &mut dyn Any;
    fn len(&self) -> usize;
    fn into_batch(self: Box<Self>) -> Arc<dyn Batch>;
}

impl<E: Element> AnyElement for E {
    fn node_count(&self) -> usize {
        E::NODES
    }

    fn node_inertia(&self) -> Vec<Mat3> {
        Element::node_inertia(self)
    }

    fn key(&self, damping: &Damping) -> (TypeId, u32) {
        (TypeId::of::<E>(), self.group(damping))
    }

    fn new_list(&self) -> Box<dyn AnyList> {
        Box::new(Vec::<ElementItem<E>>::new())
    }

    fn push_to(&self, list: &mut dyn Any, nodes: Vec<NodePlace>, damping: Damping, name: ItemName) {
        if let Some(list) = list.downcast_mut::<Vec<ElementItem<E>>>() {
            list.push(ElementItem { element: self.clone(), nodes, damping, name });
        }
    }
}

impl<E: Element> AnyList for Vec<ElementItem<E>> {
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }

    fn len(&self) -> usize {
        Vec::len(self)
    }

    fn into_batch(self: Box<Self>) -> Arc<dyn Batch> {
        E::into_batch(*self)
    }
}

/// Sorts elements into the batches that evaluate them.
#[derive(Default)]
pub(crate) struct Sorter {
    lists: Vec<List>,
}

struct List {
    key: (TypeId, u32),
    order: usize,
    items: Box<dyn AnyList>,
}

impl Sorter {
    /// Adds an element; its list and its item there.
    pub fn push(
        &mut self,
        kind: &dyn Kind,
        built: &Built,
        nodes: Vec<NodePlace>,
        damping: Damping,
        name: ItemName,
    ) -> [u32; 2] {
        let key = built.0.key(&damping);
        let found = self.lists.iter().position(|list| list.key == key);
        let list = found.unwrap_or_else(|| {
            self.lists.push(List { key, order: kind.order(), items: built.0.new_list() });
            self.lists.len() - 1
        });
        let items = &mut self.lists[list].items;
        built.0.push_to(items.as_any(), nodes, damping, name);
        [list as u32, items.len() as u32 - 1]
    }

    /// The batches in the order of [`KINDS`], and the place there of each list.
    pub fn into_batches(self) -> (Vec<Arc<dyn Batch>>, Vec<u32>) {
        let mut order: Vec<usize> = (0..self.lists.len()).collect();
        order.sort_by_key(|&k| (self.lists[k].order, self.lists[k].key.1));
        let mut place = vec![0; order.len()];
        order.iter().enumerate().for_each(|(at, &k)| place[k] = at as u32);
        let mut lists: Vec<Option<List>> = self.lists.into_iter().map(Some).collect();
        let batches = order.iter().filter_map(|&k| lists[k].take()).map(|list| list.items.into_batch());
        (batches.collect(), place)
    }
}

/// Refuses lines without length: nodes in one place, or a length at rest that is none.
pub fn check_length(of: &Structure, element: &structure::Element, name: &str) -> Result<()> {
    let length = of.rest_length(element);
    let places: Vec<_> = element.nodes().iter().map(|&n| of.nodes[n as usize].position).collect();
    let size = places.iter().map(|p| p.abs().max_element()).fold(0.0, f64::max);
    // Rounding leaves a distance of this size between equal places.
    let least = 1e-14 * size;
    let apart = places.windows(2).map(|p| p[0].distance(p[1])).fold(f64::INFINITY, f64::min);
    let given = element.length.is_some();
    if !(length > least && length.is_finite()) || (!given && apart <= least) {
        let nodes = element.nodes().iter().map(|&n| of.node_name(n)).collect();
        let length = if given { length } else { length.min(apart) };
        return Err(FeaError::ZeroLength { element: name.into(), nodes, length });
    }
    Ok(())
}

/// What a section may have that not every line knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineLimits {
    /// Whether the section can lie beside the line or be turned about it.
    pub placed: bool,
    /// Whether its stiffness can couple strains with curvatures.
    pub coupled: bool,
    /// Whether nodes turn with it, so that it needs inertia of rotation.
    pub turning: bool,
}

/// Refuses what the section of a line has and the element does not know, and lines without length.
pub fn check_line(
    of: &Structure,
    element: &structure::Element,
    name: &str,
    limits: LineLimits,
) -> Result<()> {
    let section = element.section().unwrap_or_default();
    let used = &of.sections[section as usize];
    let values = of.section_values(section)?;
    let object = || format!("{} with {} elements", of.section_name(section), element.name());
    let refuse = |reason: &str| Err(FeaError::Mismatch { what: object(), reason: reason.into() });
    if !limits.placed && used.place != SectionPlace::default() {
        return refuse("it has an offset or an angle, which they do not support; use rods or beams");
    }
    if limits.turning && values.mass > 0.0 && !is_positive_definite(&values.inertia) {
        return refuse(
            "it has mass but its inertia of rotation is not positive definite, and their nodes turn; \
             give rows 4 to 6 of `inertia` [kg·m], such as the density times the second moments of area",
        );
    }
    if !limits.coupled && values.coupling.is_some() {
        return refuse("its stiffness couples strains with curvatures; use rods");
    }
    check_length(of, element, name)
}

/// Whether a symmetric matrix turns every vector by less than a right angle.
fn is_positive_definite(m: &Mat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.y_axis.x;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

/// Mass of a line [kg]: that of its section along its length at rest.
pub fn line_mass(of: &Structure, element: &structure::Element) -> f64 {
    let values = element.section().and_then(|s| of.section_values(s).ok());
    values.map_or(0.0, |v| v.mass * of.rest_length(element))
}
