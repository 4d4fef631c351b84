//! Elements of one kind as a batch of the equations of motion.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use huygens_core::Subject;
use huygens_core::contract::{ElementBatch, ElementFault, Layout, Slots, StateView, TurningInertia, Weights};
use huygens_exec::Exec;
use huygens_kernel::Mat3;

use super::slope_mass::{SlopeMass, SlopeMasses};

use crate::node::ItemName;
use crate::output::{SolidState, Station};
use crate::section::material::Damping;

/// Items a parallel piece works on.
const CHUNK: usize = 16;

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

/// A row of numbers whose length the type knows; an element names the one that holds its own.
pub trait Numbers: Copy + Send + Sync {
    /// How many.
    const LEN: usize;
    /// All zero.
    fn zeros() -> Self;
    /// The numbers.
    fn as_slice(&self) -> &[f64];
    /// The numbers, to be changed.
    fn as_mut_slice(&mut self) -> &mut [f64];
}

impl<const N: usize> Numbers for [f64; N] {
    const LEN: usize = N;

    #[inline(always)]
    fn zeros() -> Self {
        [0.0; N]
    }

    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        self
    }

    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        self
    }
}

/// Where an element is evaluated.
#[derive(Clone, Copy, Debug)]
pub struct ElementState<'a> {
    /// Positions of its nodes one after the other, [`Element::POSITIONS`] of each.
    pub q: &'a [f64],
    /// Velocities of its nodes, [`Element::COLUMNS`] of each.
    pub v: &'a [f64],
    /// Time [s] by which stress follows the rate of strain.
    pub structural: f64,
    /// What it remembers from the last accepted step, [`Element::MEMORY`] numbers.
    pub memory: &'a [f64],
}

/// What a batch asks of an element.
///
/// One pass of [`Element::evaluate`] gives the force, where asked the tangent, and the memory that belongs to this state:
/// $$ (q, v, m_n) \mapsto \bigl(f,\; -w_k\,\partial_q f - w_d\,\partial_v f,\; m\bigr). $$
/// It may be called any number of times with the same old memory; the new one is kept only where a step is accepted.
pub trait Element: Clone + Send + Sync + 'static {
    /// Number of nodes.
    const NODES: usize;
    /// Position numbers of a node that it reads.
    const POSITIONS: usize;
    /// Velocity columns of a node that it acts on.
    const COLUMNS: usize;
    /// Numbers that it remembers from step to step.
    const MEMORY: usize = 0;
    /// Room for the positions or the velocities of all nodes, or for the memory, whichever is longest.
    type Numbers: Numbers;

    /// Writes the force on the columns, and the memory of this state. The tangent is minus the derivative of the force
    /// by motion along the columns times the weight of stiffness, and minus that by the velocities times the weight of
    /// damping, row by row; how the damping changes with the positions may be left out.
    fn evaluate(
        &self,
        at: &ElementState<'_>,
        memory: &mut [f64],
        force: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    );
    /// Energy [J] that is stored and comes back.
    fn stored_energy(&self, q: &[f64], memory: &[f64]) -> f64;
    /// Calls `f(row, column, mass)` for the entries of the constant mass matrix that are not zero.
    fn for_each_mass(&self, f: impl FnMut(usize, usize, f64));

    /// Writes what it remembers at the start; it is zero there.
    fn initialize_memory(&self, _q: &[f64], _memory: &mut [f64]) {}
    /// Why the element cannot continue at these positions, and the number that shows it.
    fn fault(&self, _q: &[f64], _memory: &[f64]) -> Option<(&'static str, f64)> {
        None
    }
    /// Inertia of rotation [kg·m²] that it gives to each node, node axes; none where they have no rotation.
    fn node_inertia(&self) -> Vec<Mat3> {
        Vec::new()
    }
    /// Mass that turns with the nodes: the part that couples places with directions.
    fn slope_mass(&self) -> Option<SlopeMass> {
        None
    }
    /// The state at `t` from 0 at the first node of a line to 1 at its last.
    fn station(&self, _q: &[f64], _t: f64) -> Option<Station> {
        None
    }
    /// Strain and stress of a solid; none where it is inverted.
    fn solid_state(&self, _q: &[f64], _memory: &[f64]) -> Option<SolidState> {
        None
    }
    /// Elements of one type that are evaluated together have the same number here.
    fn group(&self, _damping: &Damping) -> u32 {
        0
    }
    /// The batch that evaluates such elements.
    fn into_batch(items: Vec<ElementItem<Self>>) -> Arc<dyn Batch> {
        Arc::new(Elements::new(items))
    }
}

/// A batch of elements that tells the state of each.
pub trait Batch: ElementBatch {
    /// Elastic energy [J] of one element at the positions of the model; `history` is that of the batch.
    fn energy_of(&self, item: usize, q: &[f64], history: &[f64]) -> f64;
    /// The state at `t` along a line.
    fn station(&self, item: usize, q: &[f64], t: f64) -> Option<Station>;
    /// Strain and stress of a solid.
    fn solid_state(&self, item: usize, q: &[f64], history: &[f64]) -> Option<SolidState>;
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
struct Item<E> {
    element: E,
    damping: Damping,
    /// Whether the nodes have no columns beside those of the element.
    compact: bool,
}

/// Elements of one kind.
pub struct Elements<E> {
    items: Vec<Item<E>>,
    /// Nodes of all items, one after the other.
    nodes: Vec<NodePlace>,
    names: Vec<ItemName>,
    slopes: Option<SlopeMasses>,
}

impl<E: Element> Elements<E> {
    /// Numbers of the positions, and of the columns.
    const Q: usize = E::NODES * E::POSITIONS;
    const V: usize = E::NODES * E::COLUMNS;
    const FITS: () = assert!(
        E::Numbers::LEN >= Self::Q && E::Numbers::LEN >= Self::V && E::Numbers::LEN >= E::MEMORY,
        "`Numbers` of an element must hold its positions, its velocities and its memory"
    );

    /// A batch of elements; items with another number of nodes than the element
    /// has are left out; structures refuse them with their name.
    pub fn new(items: impl IntoIterator<Item = ElementItem<E>>) -> Self {
        let () = Self::FITS;
        let (mut all, mut places, mut names, mut slopes) =
            (Vec::new(), Vec::new(), Vec::new(), SlopeMasses::default());
        for item in items.into_iter().filter(|item| item.nodes.len() == E::NODES) {
            let compact = item.nodes.iter().all(|node| node.columns == E::COLUMNS);
            slopes.push(item.element.slope_mass(), &item.nodes);
            places.extend(item.nodes);
            all.push(Item { element: item.element, damping: item.damping, compact });
            names.push(item.name);
        }
        Self { items: all, nodes: places, names, slopes: slopes.or_none() }
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
    #[inline(always)]
    pub fn nodes(&self, item: usize) -> &[NodePlace] {
        &self.nodes[item * E::NODES..][..E::NODES]
    }

    /// An element.
    pub fn element(&self, item: usize) -> &E {
        &self.items[item].element
    }

    /// Positions of the nodes of an element, one after the other, read from the positions of the model.
    pub fn positions(&self, item: usize, q: &[f64]) -> Vec<f64> {
        self.gather_q(item, q).as_slice()[..Self::Q].to_vec()
    }

    /// What an element remembers.
    #[inline(always)]
    fn memory<'a>(&self, item: usize, history: &'a [f64]) -> &'a [f64] {
        history.get(item * E::MEMORY..(item + 1) * E::MEMORY).unwrap_or_default()
    }

    #[inline(always)]
    fn gather_q(&self, item: usize, q: &[f64]) -> E::Numbers {
        let mut out = E::Numbers::zeros();
        let own = out.as_mut_slice();
        for (k, node) in self.nodes(item).iter().enumerate() {
            own[k * E::POSITIONS..][..E::POSITIONS].copy_from_slice(&q[node.q..][..E::POSITIONS]);
        }
        out
    }

    #[inline(always)]
    fn gather_v(&self, item: usize, v: &[f64]) -> E::Numbers {
        let mut out = E::Numbers::zeros();
        let own = out.as_mut_slice();
        for (k, node) in self.nodes(item).iter().enumerate() {
            own[k * E::COLUMNS..][..E::COLUMNS].copy_from_slice(&v[node.v..][..E::COLUMNS]);
        }
        out
    }

    /// Evaluates an element with the memory `old`; force and tangent are over its own columns.
    #[inline(always)]
    fn evaluate_own(
        &self,
        index: usize,
        x: &StateView<'_>,
        old: &[f64],
        new: &mut [f64],
        force: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let item = &self.items[index];
        let (q, v) = (self.gather_q(index, x.q), self.gather_v(index, x.v));
        let v = &v.as_slice()[..Self::V];
        let structural = item.damping.of_strain();
        let at = ElementState { q: &q.as_slice()[..Self::Q], v, structural, memory: old };
        let own = tangent.as_mut().map(|(weights, out)| (&**weights, &mut out[..]));
        item.element.evaluate(&at, new, force, own);
        if item.damping.mass != 0.0 {
            let a = item.damping.mass;
            item.element.for_each_mass(|i, j, m| force[i] -= a * m * v[j]);
            if let Some((weights, out)) = &mut tangent {
                let weight = weights.damping * a;
                item.element.for_each_mass(|i, j, m| out[i * Self::V + j] += weight * m);
            }
            if let Some(mass) = item.element.slope_mass() {
                let q = at.q;
                for (i, part) in mass.product(q, v).into_iter().enumerate() {
                    (0..3).for_each(|k| force[3 * i + k] -= a * part[k]);
                }
                if let Some((weights, out)) = &mut tangent {
                    mass.add_matrix(q, weights.damping * a, out);
                }
            }
        }
    }

    /// Evaluates an element with the memory `old`; force and tangent are over all columns of its nodes.
    #[inline(always)]
    fn evaluate_item(
        &self,
        index: usize,
        x: &StateView<'_>,
        old: &[f64],
        new: &mut [f64],
        force: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let own = tangent.as_mut().map(|(weights, out)| (&**weights, &mut out[..Self::V * Self::V]));
        self.evaluate_own(index, x, old, new, &mut force[..Self::V], own);
        if !self.items[index].compact {
            let columns = force.len();
            self.spread(index, 1, columns, force);
            if let Some((_, out)) = tangent {
                self.spread(index, Self::V, columns, out);
            }
        }
    }

    /// Moves a matrix of `rows` rows over the columns of the element, at the start of `out`, to the columns of its nodes,
    /// of which there are `columns`. Every number moves up, so that the last goes first.
    fn spread(&self, item: usize, rows: usize, columns: usize, out: &mut [f64]) {
        out[rows * Self::V..].fill(0.0);
        let nodes = self.nodes(item);
        let mut row_end = if rows == 1 { 1 } else { columns };
        for (i, row_node) in (0..if rows == 1 { 1 } else { E::NODES }).rev().map(|i| (i, &nodes[i])) {
            let (first_row, count) = match rows {
                1 => (0, 1),
                _ => (row_end - row_node.columns, E::COLUMNS),
            };
            row_end = first_row;
            for r in (0..count).rev() {
                let mut end = columns;
                for (j, node) in nodes.iter().enumerate().rev() {
                    end -= node.columns;
                    for c in (0..E::COLUMNS).rev() {
                        let from = (i * E::COLUMNS + r) * Self::V + j * E::COLUMNS + c;
                        let value = std::mem::take(&mut out[from]);
                        out[(first_row + r) * columns + end + c] = value;
                    }
                }
            }
        }
    }
}

impl<E: Element> ElementBatch for Elements<E> {
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        false
    }

    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        let mut blocks = Vec::with_capacity(E::NODES);
        for item in 0..self.len() {
            blocks.clear();
            blocks.extend(self.nodes(item).iter().map(|node| node.block));
            layout.push(&blocks, 0);
        }
        layout.history = self.len() * E::MEMORY;
        layout
    }

    fn item_name(&self, item: usize) -> Subject {
        self.names[item].text("element")
    }

    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let run = |i: usize, force: &mut [f64], tangent: Option<(&Weights, &mut [f64])>| {
            let old = self.memory(i, history);
            if E::MEMORY == 0 {
                return self.evaluate_item(i, x, old, &mut [], force, tangent);
            }
            let mut new = E::Numbers::zeros();
            self.evaluate_item(i, x, old, &mut new.as_mut_slice()[..E::MEMORY], force, tangent);
        };
        match tangent {
            None => ex.for_each_slot(&slots.values, values, CHUNK, |i, out| run(i, out, None)),
            Some((weights, tangent)) => {
                let (values, tangent) = ((&slots.values[..], values), (&slots.tangents[..], tangent));
                ex.for_each_slot_pair(values, tangent, CHUNK, |i, force, out| {
                    run(i, force, Some((weights, out)));
                });
            }
        }
    }

    fn commit(&self, ex: &Exec, x: &StateView<'_>, history: &mut [f64]) {
        if E::MEMORY == 0 {
            return;
        }
        ex.for_each_chunk(history, E::MEMORY * CHUNK, |chunk, history| {
            for (k, new) in history.chunks_exact_mut(E::MEMORY).enumerate() {
                let item = CHUNK * chunk + k;
                let mut old = E::Numbers::zeros();
                old.as_mut_slice()[..E::MEMORY].copy_from_slice(new);
                let (old, mut force) = (&old.as_slice()[..E::MEMORY], E::Numbers::zeros());
                self.evaluate_own(item, x, old, new, &mut force.as_mut_slice()[..Self::V], None);
            }
        });
    }

    fn initialize_history(&self, x: &StateView<'_>, history: &mut [f64]) {
        history.fill(0.0);
        for (item, memory) in history.chunks_exact_mut(E::MEMORY.max(1)).enumerate() {
            let q = self.gather_q(item, x.q);
            self.items[item].element.initialize_memory(&q.as_slice()[..Self::Q], memory);
        }
    }

    fn history_owners(&self, layout: &Layout) -> Vec<(String, Range<usize>)> {
        if layout.history == 0 {
            return Vec::new();
        }
        let range = |item: usize| item * E::MEMORY..(item + 1) * E::MEMORY;
        (0..self.len()).map(|item| (self.item_name(item).to_string(), range(item))).collect()
    }

    fn energy(&self, ex: &Exec, x: &StateView<'_>, history: &[f64]) -> f64 {
        ex.sum(self.items.len(), CHUNK, |items| items.map(|item| self.energy_of(item, x.q, history)).sum())
    }

    fn mass(&self, slots: &Slots, out: &mut [f64]) -> bool {
        out.fill(0.0);
        let mut any = false;
        for (i, item) in self.items.iter().enumerate() {
            let (columns, out) = (slots.columns[i], &mut out[slots.tangents[i]..slots.tangents[i + 1]]);
            item.element.for_each_mass(|i, j, m| out[i * Self::V + j] += m);
            if !item.compact {
                self.spread(i, Self::V, columns, out);
            }
            any |= out.iter().any(|m| *m != 0.0);
        }
        any
    }

    fn turning_inertia(&self) -> Option<&dyn TurningInertia> {
        self.slopes.as_ref().map(|slopes| slopes as &dyn TurningInertia)
    }

    fn check(&self, ex: &Exec, x: &StateView<'_>, history: &[f64]) -> Option<ElementFault> {
        let fault = |item: usize| {
            let q = self.gather_q(item, x.q);
            self.items[item].element.fault(&q.as_slice()[..Self::Q], self.memory(item, history))
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

impl<E: Element> Batch for Elements<E> {
    fn energy_of(&self, item: usize, q: &[f64], history: &[f64]) -> f64 {
        let q = self.gather_q(item, q);
        self.items[item].element.stored_energy(&q.as_slice()[..Self::Q], self.memory(item, history))
    }

    fn station(&self, item: usize, q: &[f64], t: f64) -> Option<Station> {
        self.items[item].element.station(&self.gather_q(item, q).as_slice()[..Self::Q], t)
    }

    fn solid_state(&self, item: usize, q: &[f64], history: &[f64]) -> Option<SolidState> {
        let q = self.gather_q(item, q);
        self.items[item].element.solid_state(&q.as_slice()[..Self::Q], self.memory(item, history))
    }
}
