//! Elements of one kind as a batch of the equations of motion.

use std::sync::atomic::{AtomicUsize, Ordering};

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, ElementFault, Layout, Slots, StateView, Weights};
use huygens_exec::Exec;

use crate::node::ItemName;
use crate::section::material::Damping;

/// Items a parallel piece works on.
const CHUNK: usize = 16;

/// Most nodes of an element.
const NODES: usize = 4;
/// Most numbers and most columns of an element.
const NUMBERS: usize = 24;

/// Where a node stands in the equations of motion.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NodePlace {
    /// Its column block.
    pub block: u32,
    /// Its first position number.
    pub q: usize,
    /// Its first velocity column.
    pub v: usize,
    /// Number of its velocity columns.
    pub columns: usize,
}

/// What a batch asks of an element. `q` are the positions of its nodes one after the other, [`Element::POSITIONS`] of
/// each, `v` their velocities, [`Element::COLUMNS`] of each; `structural` is the time [s] by which stress follows the
/// rate of strain.
pub trait Element: Copy + Send + Sync {
    /// Number of nodes.
    const NODES: usize;
    /// Position numbers of a node that it reads.
    const POSITIONS: usize;
    /// Velocity columns of a node that it acts on.
    const COLUMNS: usize;

    /// Writes the forces on the columns.
    fn write_force(&self, q: &[f64], v: &[f64], structural: f64, out: &mut [f64]);
    /// Writes minus the derivatives of the forces by motion along the columns times the weight of stiffness, and minus
    /// those by the velocities times the weight of damping, row by row. How the damping changes with the positions may
    /// be left out.
    fn write_tangent(&self, q: &[f64], v: &[f64], structural: f64, weights: &Weights, out: &mut [f64]);
    /// Elastic energy [J].
    fn stored_energy(&self, q: &[f64]) -> f64;
    /// Calls `f(row, column, mass)` for the entries of the constant mass matrix that are not zero.
    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64));
    /// Why the element cannot go on at these positions, and the number that shows it.
    fn fault(&self, _q: &[f64]) -> Option<(&'static str, f64)> {
        None
    }
}

/// Numbers that stand for diagonal blocks of three, each a row and a column in the steps `stride`.
pub(crate) fn spread_mass<const N: usize>(
    mass: &[[f64; N]; N],
    stride: usize,
    mut f: impl FnMut(usize, usize, f64),
) {
    for (i, row) in mass.iter().enumerate() {
        for (j, &m) in row.iter().enumerate() {
            (0..3).for_each(|k| f(stride * i + k, stride * j + k, m));
        }
    }
}

/// An element and where it stands.
#[derive(Clone, Debug)]
pub struct ElementItem<E> {
    /// The element.
    pub element: E,
    /// Its nodes.
    pub nodes: Vec<NodePlace>,
    /// Its damping.
    pub damping: Damping,
    /// Name in messages.
    pub name: ItemName,
}

/// One item as the loops see it.
#[derive(Clone, Copy)]
struct Item<E> {
    element: E,
    nodes: [NodePlace; NODES],
    damping: Damping,
    /// Whether the nodes have no columns beside those of the element.
    compact: bool,
}

/// Elements of one kind.
pub struct Elements<E> {
    items: Vec<Item<E>>,
    names: Vec<ItemName>,
}

impl<E: Element> Elements<E> {
    /// A batch of elements; items with fewer nodes than the element needs are left out.
    pub fn new(items: impl IntoIterator<Item = ElementItem<E>>) -> Self {
        let (mut all, mut names) = (Vec::new(), Vec::new());
        for item in items.into_iter().filter(|item| item.nodes.len() == E::NODES) {
            let mut nodes = [NodePlace::default(); NODES];
            nodes[..E::NODES].copy_from_slice(&item.nodes);
            let compact = item.nodes.iter().all(|node| node.columns == E::COLUMNS);
            all.push(Item { element: item.element, nodes, damping: item.damping, compact });
            names.push(item.name);
        }
        Self { items: all, names }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether no element has damping, and no node has columns beside those of its elements.
    pub(crate) fn is_plain(&self) -> bool {
        self.items.iter().all(|item| item.compact && item.damping == Damping::default())
    }

    /// Nodes of an element.
    pub fn nodes(&self, item: usize) -> &[NodePlace] {
        &self.items[item].nodes[..E::NODES]
    }

    /// An element.
    pub fn element(&self, item: usize) -> &E {
        &self.items[item].element
    }

    /// Positions of the nodes of an element, one after the other, read from the positions of the model.
    pub fn positions(&self, item: usize, q: &[f64]) -> Vec<f64> {
        self.items[item].gather_q(q)[..E::NODES * E::POSITIONS].to_vec()
    }

    /// Elastic energy [J] of one element at the positions of the model.
    pub fn energy_of(&self, item: usize, q: &[f64]) -> f64 {
        let item = &self.items[item];
        item.element.stored_energy(&item.gather_q(q)[..E::NODES * E::POSITIONS])
    }
}

impl<E: Element> Item<E> {
    #[inline(always)]
    fn gather_q(&self, q: &[f64]) -> [f64; NUMBERS] {
        let mut out = [0.0; NUMBERS];
        for (k, node) in self.nodes[..E::NODES].iter().enumerate() {
            out[k * E::POSITIONS..][..E::POSITIONS].copy_from_slice(&q[node.q..][..E::POSITIONS]);
        }
        out
    }

    #[inline(always)]
    fn gather_v(&self, v: &[f64]) -> [f64; NUMBERS] {
        let mut out = [0.0; NUMBERS];
        for (k, node) in self.nodes[..E::NODES].iter().enumerate() {
            out[k * E::COLUMNS..][..E::COLUMNS].copy_from_slice(&v[node.v..][..E::COLUMNS]);
        }
        out
    }

    #[inline(always)]
    fn write_force(&self, x: &StateView<'_>, out: &mut [f64]) {
        let n = E::NODES * E::COLUMNS;
        let (q, v) = (self.gather_q(x.q), self.gather_v(x.v));
        let (q, v) = (&q[..E::NODES * E::POSITIONS], &v[..n]);
        if self.compact {
            return self.write_all_forces(q, v, out);
        }
        let mut own = [0.0; NUMBERS];
        self.write_all_forces(q, v, &mut own[..n]);
        out.fill(0.0);
        let mut first = 0;
        for (k, node) in self.nodes[..E::NODES].iter().enumerate() {
            out[first..][..E::COLUMNS].copy_from_slice(&own[k * E::COLUMNS..][..E::COLUMNS]);
            first += node.columns;
        }
    }

    #[inline(always)]
    fn write_all_forces(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.element.write_force(q, v, self.damping.of_strain(), out);
        if self.damping.mass != 0.0 {
            self.element.for_each_mass(|i, j, m| out[i] -= self.damping.mass * m * v[j]);
        }
    }

    #[inline(always)]
    fn write_tangent(&self, x: &StateView<'_>, weights: &Weights, columns: usize, out: &mut [f64]) {
        let n = E::NODES * E::COLUMNS;
        let (q, v) = (self.gather_q(x.q), self.gather_v(x.v));
        let (q, v) = (&q[..E::NODES * E::POSITIONS], &v[..n]);
        if self.compact {
            return self.write_all_tangents(q, v, weights, out);
        }
        let mut own = [0.0; NUMBERS * NUMBERS];
        self.write_all_tangents(q, v, weights, &mut own[..n * n]);
        out.fill(0.0);
        self.for_each_pair(|i, j, row, column| out[row * columns + column] = own[i * n + j]);
    }

    fn write_all_tangents(&self, q: &[f64], v: &[f64], weights: &Weights, out: &mut [f64]) {
        self.element.write_tangent(q, v, self.damping.of_strain(), weights, out);
        if self.damping.mass != 0.0 {
            let n = v.len();
            let weight = weights.damping * self.damping.mass;
            self.element.for_each_mass(|i, j, m| out[i * n + j] += weight * m);
        }
    }

    /// Calls `f` with a row and a column of the element and those in the columns of its nodes.
    fn for_each_pair(&self, mut f: impl FnMut(usize, usize, usize, usize)) {
        let n = E::NODES * E::COLUMNS;
        let mut place = [0; NUMBERS];
        let mut first = 0;
        for (k, node) in self.nodes[..E::NODES].iter().enumerate() {
            (0..E::COLUMNS).for_each(|c| place[k * E::COLUMNS + c] = first + c);
            first += node.columns;
        }
        (0..n).for_each(|i| (0..n).for_each(|j| f(i, j, place[i], place[j])));
    }
}

impl<E: Element> ElementBatch for Elements<E> {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        for item in &self.items {
            let mut blocks = [0; NODES];
            blocks.iter_mut().zip(&item.nodes).for_each(|(block, node)| *block = node.block);
            layout.push(&blocks[..E::NODES], 0);
        }
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.names[item].text("element")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        ex.for_each_slot(&slots.values, values, CHUNK, |i, out| self.items[i].write_force(x, out));
        if let Some((weights, tangent)) = tangent {
            ex.for_each_slot(&slots.tangents, tangent, CHUNK, |i, out| {
                self.items[i].write_tangent(x, weights, slots.columns[i], out);
            });
        }
    }

    fn energy(&self, ex: &Exec, x: &StateView<'_>, _history: &[f64]) -> f64 {
        ex.sum(self.items.len(), CHUNK, |items| items.map(|item| self.energy_of(item, x.q)).sum())
    }

    fn mass(&self, slots: &Slots, out: &mut [f64]) -> bool {
        out.fill(0.0);
        let mut any = false;
        for (i, item) in self.items.iter().enumerate() {
            let (columns, out) = (slots.columns[i], &mut out[slots.tangents[i]..slots.tangents[i + 1]]);
            let n = E::NODES * E::COLUMNS;
            let mut own = [0.0; NUMBERS * NUMBERS];
            item.element.for_each_mass(|i, j, m| own[i * n + j] += m);
            item.for_each_pair(|i, j, row, column| out[row * columns + column] = own[i * n + j]);
            any |= out.iter().any(|m| *m != 0.0);
        }
        any
    }

    fn check(&self, ex: &Exec, x: &StateView<'_>) -> Option<ElementFault> {
        let fault = |item: usize| {
            let own = &self.items[item];
            own.element.fault(&own.gather_q(x.q)[..E::NODES * E::POSITIONS])
        };
        // The least number is the same in whatever order items are looked at.
        let first = AtomicUsize::new(usize::MAX);
        ex.for_each(self.items.len(), CHUNK, |item| {
            if item < first.load(Ordering::Relaxed) && fault(item).is_some() {
                first.fetch_min(item, Ordering::Relaxed);
            }
        });
        let item = first.into_inner();
        let (what, value) = if item < self.items.len() { fault(item)? } else { return None };
        Some(ElementFault { item, what, value })
    }
}
