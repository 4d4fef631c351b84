//! The model: topology and parameters, immutable during a step.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use glam::DVec3;

use crate::carrier::{CarrierEntry, CarrierSet, Carriers, Twist, Twists};
use crate::contact::{ContactLaw, ContactModel};
use crate::contract::{
    ConstraintBatch, Coordinates, CoordinatesShape, ElementBatch, ItemKind, Layout, Sensor, Slots,
    StateBlock, StateView, UnilateralBatch,
};
use crate::coupling::{Boundary, BoundaryId, BoundaryMemory};
use crate::error::Result;
use crate::parameter::{BlockId, ParameterSet, Parameters, Version};
use crate::rows::RowSource;
use crate::signal::SignalGraph;
use crate::subject::Subject;

/// A batch of coordinates with its place in the global vectors.
#[derive(Clone)]
pub(crate) struct CoordinatesEntry {
    pub batch: Arc<dyn Coordinates>,
    /// The block of its parameters, if it has one.
    pub parameters: Option<BlockId>,
    pub shape: CoordinatesShape,
    pub q: usize,
    pub v: usize,
    pub block: usize,
    pub frame: usize,
}

impl CoordinatesEntry {
    pub fn q_range(&self) -> std::ops::Range<usize> {
        self.q..self.q + self.shape.items * self.shape.q_per_item
    }
    pub fn v_range(&self) -> std::ops::Range<usize> {
        self.v..self.v + self.shape.items * self.shape.v_per_item
    }
    pub fn frame_range(&self) -> std::ops::Range<usize> {
        self.frame..self.frame + self.shape.frames
    }
}

/// A batch of elements or constraints with its layout, slots and place in the history.
pub(crate) struct BatchEntry<B: ?Sized> {
    pub batch: Arc<B>,
    pub layout: Layout,
    pub slots: Slots,
    pub history: usize,
    /// Global columns of all items, one after the other, item by item.
    pub columns: Vec<u32>,
    /// Start of each item in `columns`.
    pub column_start: Vec<usize>,
    /// First global row of the batch.
    pub first_row: usize,
    /// Number of rows of the batch.
    pub row_count: usize,
}

impl<B: ?Sized> Clone for BatchEntry<B> {
    fn clone(&self) -> Self {
        Self {
            batch: self.batch.clone(),
            layout: self.layout.clone(),
            slots: self.slots.clone(),
            history: self.history,
            columns: self.columns.clone(),
            column_start: self.column_start.clone(),
            first_row: self.first_row,
            row_count: self.row_count,
        }
    }
}

impl<B: ?Sized> BatchEntry<B> {
    pub fn history_range(&self) -> std::ops::Range<usize> {
        self.history..self.history + self.layout.history
    }
    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.row_count
    }
    pub fn value_len(&self) -> usize {
        self.slots.values.last().copied().unwrap_or(0)
    }
    pub fn tangent_len(&self) -> usize {
        self.slots.tangents.last().copied().unwrap_or(0)
    }
    /// Global columns of one item.
    pub fn item_columns(&self, item: usize) -> &[u32] {
        &self.columns[self.column_start[item]..self.column_start[item + 1]]
    }
}

/// A boundary with its place in the state.
#[derive(Clone)]
pub(crate) struct BoundaryEntry {
    pub boundary: Arc<dyn Boundary>,
    /// Its memory among [`State::boundaries`](crate::State::boundaries).
    pub memory: std::ops::Range<usize>,
    /// The history of its force elements.
    pub loads: std::ops::Range<usize>,
}

/// Topology and parameters of everything that moves; immutable during a step.
///
/// A copy is shallow: it shares the topology, and the blocks of parameters until they are changed.
#[derive(Clone, Default)]
pub struct Model {
    pub(crate) topology: Arc<Topology>,
    pub(crate) coordinates: Vec<CoordinatesEntry>,
    pub(crate) contact: Option<Arc<ContactModel>>,
    pub(crate) gravity: DVec3,
    parameters: ParameterSet,
    pub(crate) version: Version,
}

/// The data that parameter changes leave unchanged: batches with their layouts and locations, signals and sensors.
#[derive(Clone, Default)]
pub struct Topology {
    pub(crate) elements: Vec<BatchEntry<dyn ElementBatch>>,
    pub(crate) constraints: Vec<BatchEntry<dyn ConstraintBatch>>,
    pub(crate) unilaterals: Vec<BatchEntry<dyn UnilateralBatch>>,
    pub(crate) states: Vec<(Arc<dyn StateBlock>, usize)>,
    pub(crate) signals: SignalGraph,
    pub(crate) sensors: Vec<Arc<dyn Sensor>>,
    /// Rows in addition to joints and contacts, and the first number of the history of each.
    pub(crate) row_sources: Vec<(Arc<dyn RowSource>, usize)>,
    /// Frames that columns of several blocks move.
    pub(crate) carriers: CarrierSet,
    /// Surfaces that sub-systems touch.
    pub(crate) boundaries: Vec<BoundaryEntry>,
    /// Numbers of their memory in the state.
    pub(crate) boundary_count: usize,
    /// Velocity columns that stay at rest, ascending.
    pub(crate) fixed: Vec<u32>,
    /// Gravity with which the model was built [m/s²].
    pub(crate) scene_gravity: DVec3,
    pub(crate) q_count: usize,
    pub(crate) v_count: usize,
    pub(crate) z_count: usize,
    pub(crate) row_count: usize,
    pub(crate) unilateral_row_count: usize,
    pub(crate) history_count: usize,
    pub(crate) frame_count: usize,
    /// Size of each column block.
    pub(crate) block_sizes: Vec<usize>,
    /// First column of each block.
    pub(crate) block_columns: Vec<usize>,
}

impl Deref for Model {
    type Target = Topology;
    #[inline]
    fn deref(&self) -> &Topology {
        &self.topology
    }
}

/// Only while a model grows: a topology that is shared is copied first.
impl DerefMut for Model {
    fn deref_mut(&mut self) -> &mut Topology {
        Arc::make_mut(&mut self.topology)
    }
}

/// Location of a coordinate batch.
#[derive(Clone, Copy, Debug)]
pub struct CoordinatesPlace {
    /// First global column block.
    pub first_block: u32,
    /// First global frame.
    pub first_frame: u32,
    /// First position number.
    pub first_q: usize,
    /// First velocity column.
    pub first_v: usize,
}

/// Location of a batch of elements or constraints.
#[derive(Clone, Copy, Debug)]
pub struct BatchPlace {
    /// Index of the batch among its kind.
    pub index: usize,
    /// First number of its history.
    pub first_history: usize,
    /// First global row (constraints only).
    pub first_row: usize,
}

impl Model {
    /// An empty model with the gravitational acceleration `gravity` [m/s²].
    pub fn new(gravity: DVec3) -> Self {
        let topology = Arc::new(Topology { scene_gravity: gravity, ..Topology::default() });
        Self { topology, gravity, ..Self::default() }
    }

    /// Adds a block of parameters that a batch reads through
    /// [`StateView::parameters`](crate::contract::StateView::parameters).
    pub fn add_parameters(&mut self, block: Arc<dyn Parameters>) -> BlockId {
        self.parameters.add(block)
    }

    /// Blocks of parameters of all batches.
    #[inline]
    pub fn parameter_set(&self) -> &ParameterSet {
        &self.parameters
    }

    /// Puts a changed block in place, and coordinates that read it.
    pub(crate) fn replace_block(&mut self, id: BlockId, block: Arc<dyn Parameters>) {
        for entry in self.coordinates.iter_mut().filter(|e| e.parameters == Some(id)) {
            if let Some(batch) = entry.batch.with_parameters(&block) {
                entry.batch = batch;
            }
        }
        self.parameters.replace(id, block);
    }

    /// The model with its original parameters.
    pub(crate) fn as_built(&self) -> Model {
        let mut model = self.clone();
        model.gravity = self.scene_gravity;
        for id in self.parameters.ids() {
            model.replace_block(id, self.parameters.scene_block(id).clone());
        }
        model.contact = self.contact.as_ref().map(|c| Arc::new(c.as_built()));
        model
    }

    /// Adds a batch of coordinates; all of them come before elements and constraints.
    pub fn add_coordinates(&mut self, batch: Box<dyn Coordinates>) -> CoordinatesPlace {
        let shape = batch.shape();
        let parameters = batch.parameters().map(|block| self.parameters.add(block));
        let entry = CoordinatesEntry {
            batch: Arc::from(batch),
            parameters,
            shape,
            q: self.q_count,
            v: self.v_count,
            block: self.block_sizes.len(),
            frame: self.frame_count,
        };
        let place = CoordinatesPlace {
            first_block: entry.block as u32,
            first_frame: entry.frame as u32,
            first_q: entry.q,
            first_v: entry.v,
        };
        self.coordinates.push(entry);
        let t = &mut **self;
        for item in 0..shape.items {
            t.block_sizes.push(shape.v_per_item);
            t.block_columns.push(t.v_count + item * shape.v_per_item);
        }
        t.q_count += shape.items * shape.q_per_item;
        t.v_count += shape.items * shape.v_per_item;
        debug_assert!(t.carriers.batches.is_empty(), "coordinates come before carriers");
        t.frame_count += shape.frames;
        (t.carriers.first, t.carriers.first_attached) = (t.frame_count, t.frame_count);
        place
    }

    /// Adds frames that columns of several blocks move, after all coordinates and before all [attached](Model::attach)
    /// points. Returns the first frame.
    pub fn add_carriers(&mut self, batch: Box<dyn Carriers>) -> u32 {
        debug_assert!(self.carriers.attached.is_empty(), "carriers come before attached points");
        let t = &mut **self;
        let (first, mut columns) = (t.frame_count, Vec::new());
        for frame in 0..batch.count() {
            columns.clear();
            batch.columns(frame, &mut columns);
            t.carriers.pattern.push(&columns, &t.block_columns);
        }
        t.frame_count += batch.count();
        t.carriers.first_attached = t.frame_count;
        t.carriers.batches.push(CarrierEntry { batch: Arc::from(batch), first });
        first as u32
    }

    /// The frame with which a point moves, and the point's position in it, for an object that attaches to `point` of
    /// `frame`. These are the arguments themselves, except where the frame deforms: the material point `point` then has
    /// its own frame, created on first use.
    pub fn attach(&mut self, frame: u32, point: DVec3) -> (u32, DVec3) {
        if self.carriers.deformation(frame).is_none() {
            return (frame, point);
        }
        if let Some(found) = self.carriers.attached(frame, point) {
            return (found, DVec3::ZERO);
        }
        let topology = &mut **self;
        topology.frame_count += 1;
        (topology.carriers.attach(frame, point), DVec3::ZERO)
    }

    /// The result of [`Model::attach`] for a point; the point itself if it was not attached.
    pub fn attached(&self, frame: u32, point: DVec3) -> (u32, DVec3) {
        self.carriers.attached(frame, point).map_or((frame, point), |frame| (frame, DVec3::ZERO))
    }

    /// The motion of the frames with the twists `twist` of the carried ones.
    pub(crate) fn twists<'a>(&'a self, twist: &'a [Twist]) -> Twists<'a> {
        Twists::new(&self.carriers, twist, &self.block_columns)
    }

    /// Columns that move a carried frame and their blocks; none for frames of coordinates.
    pub fn carrier_columns(&self, frame: u32) -> Option<(&[u32], &[u32])> {
        let row = (frame as usize).checked_sub(self.carriers.first)?;
        ((frame as usize) < self.frame_count).then(|| self.carriers.pattern.row(row))
    }

    /// Keeps velocity columns at zero: supports of nodes without a constraint row.
    pub fn fix_columns(&mut self, columns: impl IntoIterator<Item = usize>) {
        self.fixed.extend(columns.into_iter().map(|c| c as u32));
        self.fixed.sort_unstable();
        self.fixed.dedup();
    }

    /// Whether the model contains flexible parts.
    pub fn has_nodes(&self) -> bool {
        self.coordinates.iter().any(|e| e.shape.kind == ItemKind::Node && e.shape.items > 0)
    }

    /// Number of velocity columns where some inertia turns with nodes, none elsewhere.
    pub(crate) fn turning_columns(&self) -> usize {
        let turns = self.elements.iter().any(|e| e.batch.turning_inertia().is_some());
        if turns { self.v_count } else { 0 }
    }

    /// Number of column blocks.
    pub fn block_count(&self) -> u32 {
        self.block_sizes.len() as u32
    }

    /// Number of columns of a block.
    pub fn block_size(&self, block: u32) -> usize {
        self.block_sizes[block as usize]
    }

    /// First velocity column of a block.
    pub fn block_column(&self, block: u32) -> usize {
        self.block_columns[block as usize]
    }

    /// Adds a batch of force elements.
    pub fn add_elements(&mut self, batch: Arc<dyn ElementBatch>) -> BatchPlace {
        let layout = batch.layout();
        let entry = self.place(batch, layout, 0, |rows, columns, _| {
            debug_assert_eq!(rows, 0);
            columns
        });
        let place = BatchPlace { index: self.elements.len(), first_history: entry.history, first_row: 0 };
        self.elements.push(entry);
        place
    }

    /// Adds a batch of bilateral constraints.
    pub fn add_constraints(&mut self, batch: Arc<dyn ConstraintBatch>) -> BatchPlace {
        let layout = batch.layout();
        let entry = self.place(batch, layout, self.row_count, |rows, columns, _| rows * (3 + columns));
        self.row_count += entry.row_count;
        let place = BatchPlace {
            index: self.constraints.len(),
            first_history: entry.history,
            first_row: entry.first_row,
        };
        self.constraints.push(entry);
        place
    }

    /// Adds a batch of unilateral constraints.
    pub fn add_unilaterals(&mut self, batch: Arc<dyn UnilateralBatch>) -> BatchPlace {
        let layout = batch.layout();
        let entry =
            self.place(batch, layout, self.unilateral_row_count, |rows, columns, _| rows * (3 + columns));
        self.unilateral_row_count += entry.row_count;
        let place = BatchPlace {
            index: self.unilaterals.len(),
            first_history: entry.history,
            first_row: entry.first_row,
        };
        self.unilaterals.push(entry);
        place
    }

    /// Adds rows from sources other than joints and contacts; returns the index of their history. Sources come before
    /// [`Model::set_contact`].
    pub fn add_row_source(&mut self, source: Arc<dyn RowSource>) -> usize {
        let history = self.history_count;
        self.history_count += source.history();
        self.row_sources.push((source, history));
        history
    }

    /// Adds a surface on which sub-systems act, with the force elements that transmit their loads to the model, if it
    /// can be loaded.
    pub fn add_boundary(
        &mut self,
        boundary: Arc<dyn Boundary>,
        loads: Option<Arc<dyn ElementBatch>>,
    ) -> BoundaryId {
        let loads = loads.map_or(0..0, |batch| {
            let place = self.add_elements(batch);
            self.elements[place.index].history_range()
        });
        let first = self.boundary_count;
        self.boundary_count += boundary.shape().len() * BoundaryMemory::WIDTH;
        let memory = first..self.boundary_count;
        self.boundaries.push(BoundaryEntry { boundary, memory, loads });
        BoundaryId(self.boundaries.len() as u32 - 1)
    }

    /// Adds first-order states; returns where they start in `z`.
    pub fn add_states(&mut self, block: Box<dyn StateBlock>) -> usize {
        let start = self.z_count;
        self.z_count += block.len();
        self.states.push((Arc::from(block), start));
        start
    }

    /// Sets the signal graph; its sensors follow once everything is placed.
    pub(crate) fn set_signal_graph(&mut self, signals: SignalGraph) {
        debug_assert!(self.states.is_empty());
        self.z_count = signals.state_count();
        self.signals = signals;
    }

    /// Sets the sensors that the signal graph reads, all of them.
    pub(crate) fn set_sensors(&mut self, sensors: Vec<Box<dyn Sensor>>) {
        self.sensors = sensors.into_iter().map(Arc::from).collect();
    }

    /// Whether there are rows from sources other than joints and contacts.
    pub(crate) fn has_row_sources(&self) -> bool {
        !self.row_sources.is_empty()
    }

    fn place<B: ?Sized>(
        &mut self,
        batch: Arc<B>,
        layout: Layout,
        first_row: usize,
        value_size: impl Fn(usize, usize, usize) -> usize,
    ) -> BatchEntry<B> {
        let mut slots = Slots { values: vec![0], tangents: vec![0], ..Slots::default() };
        let (mut columns, mut column_start) = (Vec::new(), vec![0]);
        let mut row = first_row;
        for item in 0..layout.len() {
            for &block in layout.item_blocks(item) {
                let start = self.block_columns[block as usize];
                columns.extend((start..start + self.block_sizes[block as usize]).map(|c| c as u32));
            }
            let count = columns.len() - column_start[item];
            column_start.push(columns.len());
            slots.columns.push(count);
            slots.rows.push(layout.rows[item]);
            slots.first_row.push(row);
            row += layout.rows[item];
            slots.values.push(slots.values[item] + value_size(layout.rows[item], count, item));
            slots.tangents.push(slots.tangents[item] + count * count);
        }
        let history = self.history_count;
        self.history_count += layout.history;
        BatchEntry {
            batch,
            slots,
            history,
            columns,
            column_start,
            first_row,
            row_count: row - first_row,
            layout,
        }
    }

    /// Sets the collision shapes and the contact law. If nothing can collide, this matters only for models with row
    /// sources, whose solver it sets.
    pub fn set_contact(&mut self, mut contact: ContactModel) -> Result<()> {
        contact.prepare()?;
        self.contact = (!contact.is_empty() || !self.row_sources.is_empty()).then(|| Arc::new(contact));
        Ok(())
    }

    /// The contact model, if anything can collide.
    #[inline]
    pub fn contact(&self) -> Option<&ContactModel> {
        self.contact.as_deref()
    }

    /// Whether contacts follow the law `law`.
    pub(crate) fn has_contact(&self, law: ContactLaw) -> bool {
        self.contact.as_ref().is_some_and(|c| c.settings().law == law)
    }

    /// Whether velocities follow from a cone problem: rigid contact, or rows of a source.
    pub fn has_cones(&self) -> bool {
        !self.row_sources.is_empty() || self.has_contact(ContactLaw::Rigid)
    }

    /// Gravity [m/s²].
    pub fn gravity(&self) -> DVec3 {
        self.gravity
    }

    /// Number of velocity columns.
    pub fn velocity_count(&self) -> usize {
        self.v_count
    }

    /// Number of bilateral constraint rows.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// Number of unilateral rows.
    pub fn unilateral_row_count(&self) -> usize {
        self.unilateral_row_count
    }

    /// Number of frames.
    pub fn frame_count(&self) -> usize {
        self.frame_count
    }

    /// The signal graph.
    pub fn signals(&self) -> &SignalGraph {
        &self.signals
    }

    /// Name of the object that owns a velocity column.
    pub fn column_name(&self, column: usize) -> Subject {
        for e in &self.coordinates {
            if e.v_range().contains(&column) {
                return e.batch.item_name((column - e.v) / e.shape.v_per_item);
            }
        }
        format!("column {column}").into()
    }

    /// Name of the constraint that owns a global row, and what the row constrains.
    pub fn row_name(&self, row: usize) -> Subject {
        match self.find_row(row) {
            Some((batch, item, local)) => {
                batch.item_name(item).map(|name| format!("{name} ({})", batch.row_name(item, local)))
            }
            None => format!("row {row}").into(),
        }
    }

    /// Name of the constraint that owns a global row.
    pub fn constraint_name(&self, row: usize) -> Subject {
        match self.find_row(row) {
            Some((batch, item, _)) => batch.item_name(item),
            None => format!("row {row}").into(),
        }
    }

    /// Name of the unilateral constraint that owns a global row, and what the row requires.
    pub fn one_sided_name(&self, row: usize) -> Subject {
        for e in self.unilaterals.iter().filter(|e| e.row_range().contains(&row)) {
            for item in (0..e.layout.len()).filter(|&i| e.slots.rows[i] > 0) {
                let first = e.slots.first_row[item];
                if (first..first + e.slots.rows[item]).contains(&row) {
                    let asks = e.batch.row_name(self.parameter_set(), item, row - first);
                    return e.batch.item_name(item).map(|name| format!("{name} ({asks})"));
                }
            }
        }
        format!("unilateral row {row}").into()
    }

    /// The constraint that owns a global row: its batch, its item there, and the row within the item.
    fn find_row(&self, row: usize) -> Option<(&dyn ConstraintBatch, usize, usize)> {
        let e = self.constraints.iter().find(|e| e.row_range().contains(&row))?;
        let item = e.slots.first_row.partition_point(|&first| first <= row) - 1;
        let item = (0..=item).rev().find(|&i| e.slots.rows[i] > 0).unwrap_or(item);
        Some((&*e.batch, item, row - e.slots.first_row[item]))
    }

    /// Evaluates the signal graph into `out`.
    pub(crate) fn evaluate_signals(&self, x: &StateView<'_>, out: &mut [f64]) {
        if !out.is_empty() {
            self.signals.evaluate(x.time, |i| self.sensors[i].measure(x), x.z, out);
        }
    }
}
