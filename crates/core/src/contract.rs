//! The contracts between the core and what it moves: coordinates, forces, constraints, states.
//!
//! Velocity columns come in *blocks*: a rigid body is one block of six, a node one of three to twelve, a shaft
//! one of one. Items of batches name the blocks they touch once ([`Layout`]) and then write numbers into fixed
//! slots ([`Slots`]); the core adds the slots up in order. So evaluation is parallel, and every sum has the
//! same bits on any number of threads.
//!
//! Equations of motion, with the sign convention used everywhere:
//!
//! $$ M(q)\,\dot v + b(q, v) = f(q, v, t) - C_q^T \lambda, \qquad \Phi(q, t) = 0. $$

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_exec::Exec;

use crate::contact::ProxySource;
use crate::model::Model;
use crate::subject::Subject;

/// Marks a frame that no columns move: ground, fixed and kinematic bodies.
pub const NO_BLOCK: u32 = u32::MAX;

/// Pose and motion of a carrier: a frame that joints, springs, contacts and sensors attach to.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Position of the origin [m], world axes.
    pub origin: DVec3,
    /// Axes as columns: `world_from_frame`.
    pub axes: DMat3,
    /// Velocity of the origin [m/s], world axes.
    pub velocity: DVec3,
    /// Angular velocity [rad/s], world axes.
    pub omega: DVec3,
    /// The part of the origin's acceleration [m/s²] that no column controls (prescribed motion).
    pub acceleration_bias: DVec3,
    /// The part of the angular acceleration [rad/s²] that no column controls.
    pub alpha_bias: DVec3,
    /// The column block that moves this frame, or [`NO_BLOCK`].
    pub block: u32,
    /// How the block's velocities move the frame.
    pub motion: FrameMotion,
}

/// How a column block moves a [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMotion {
    /// Nothing moves it, or a function of time does.
    Prescribed,
    /// Six columns: velocity of the origin in world axes, angular velocity in frame axes.
    Rigid,
    /// The block's first three columns are the velocity of the origin in world axes; the others (slopes, gradients)
    /// do not move it, and the axes stay.
    Point {
        /// Columns of the block.
        columns: u8,
    },
    /// Several blocks move it together, as its [`MotionMap`] says; only contacts and loads attach to it.
    Carried,
}

impl FrameMotion {
    /// Number of columns.
    pub fn columns(self) -> usize {
        match self {
            FrameMotion::Prescribed | FrameMotion::Carried => 0,
            FrameMotion::Rigid => 6,
            FrameMotion::Point { columns } => columns as usize,
        }
    }
}

impl Frame {
    /// The resting world frame.
    pub const GROUND: Frame = Frame {
        origin: DVec3::ZERO,
        axes: DMat3::IDENTITY,
        velocity: DVec3::ZERO,
        omega: DVec3::ZERO,
        acceleration_bias: DVec3::ZERO,
        alpha_bias: DVec3::ZERO,
        block: NO_BLOCK,
        motion: FrameMotion::Prescribed,
    };

    /// Number of columns that move this frame.
    #[inline]
    pub fn columns(&self) -> usize {
        self.motion.columns()
    }

    /// Writes the generalized force of a wrench (force [N] and torque [N·m] about the origin, world axes).
    #[inline]
    pub fn pull_back(&self, force: DVec3, torque: DVec3, out: &mut [f64]) {
        match self.motion {
            FrameMotion::Prescribed | FrameMotion::Carried => {}
            FrameMotion::Rigid => {
                let torque = self.axes.transpose() * torque;
                out[..6].copy_from_slice(&[force.x, force.y, force.z, torque.x, torque.y, torque.z]);
            }
            FrameMotion::Point { columns } => {
                out[..3].copy_from_slice(&[force.x, force.y, force.z]);
                out[3..columns as usize].fill(0.0);
            }
        }
    }
}

/// How three neighbouring columns $\dot x$ of a block move a frame: $v \mathrel{+}= w\,\dot x$, $\omega \mathrel{+}= A\,\dot x$.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MotionGroup {
    /// The block.
    pub block: u32,
    /// First of the three columns within the block.
    pub column: u32,
    /// Weight $w$ of the columns in the velocity of the origin.
    pub linear: f64,
    /// Matrix $A$ of the columns in the angular velocity, world axes.
    pub angular: DMat3,
}

impl Default for MotionGroup {
    /// Columns that move nothing.
    fn default() -> Self {
        Self { block: 0, column: 0, linear: 0.0, angular: DMat3::ZERO }
    }
}

/// How several blocks move one frame: points along a beam, facets of a skin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MotionMap {
    groups: [MotionGroup; MotionMap::CAPACITY],
    len: usize,
}

impl MotionMap {
    /// Most groups: two nodes with four vectors each.
    pub const CAPACITY: usize = 8;

    /// Adds a group.
    ///
    /// # Panics
    /// When there are [`MotionMap::CAPACITY`] already.
    pub fn push(&mut self, group: MotionGroup) {
        self.groups[self.len] = group;
        self.len += 1;
    }

    /// The groups; those of one block follow each other.
    pub fn groups(&self) -> &[MotionGroup] {
        &self.groups[..self.len]
    }

    /// The map of a frame that one block moves, or of one that nothing moves.
    pub fn of_frame(frame: &Frame) -> Self {
        let mut map = Self::default();
        match frame.motion {
            FrameMotion::Prescribed | FrameMotion::Carried => {}
            FrameMotion::Rigid => {
                map.push(MotionGroup { block: frame.block, linear: 1.0, ..MotionGroup::default() });
                let angular = frame.axes;
                map.push(MotionGroup { block: frame.block, column: 3, linear: 0.0, angular });
            }
            FrameMotion::Point { .. } => {
                map.push(MotionGroup { block: frame.block, linear: 1.0, ..MotionGroup::default() });
            }
        }
        map
    }
}

/// All frames and how they move.
#[derive(Clone, Copy)]
pub(crate) struct Carriers<'a> {
    pub frames: &'a [Frame],
    /// Maps of the last frames, which are the carried ones.
    pub maps: &'a [MotionMap],
}

impl Carriers<'_> {
    /// How frame `k` moves.
    pub fn map(&self, k: u32) -> MotionMap {
        let frame = &self.frames[k as usize];
        match frame.motion {
            FrameMotion::Carried => self.maps[k as usize + self.maps.len() - self.frames.len()],
            _ => MotionMap::of_frame(frame),
        }
    }
}

/// Frames that several blocks move together; they follow the frames of the coordinates.
pub trait CarriedFrames: Send + Sync {
    /// How many there are.
    fn count(&self) -> usize;
    /// Writes the frames (motion [`FrameMotion::Carried`], `block` any block that moves it) and their maps.
    fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], maps: &mut [MotionMap]);
}

/// Everything a batch may read while it evaluates.
#[derive(Clone, Copy)]
pub struct StateView<'a> {
    /// Time [s].
    pub time: f64,
    /// Positions of all batches.
    pub q: &'a [f64],
    /// Velocities of all batches.
    pub v: &'a [f64],
    /// Accelerations, as far as they are known (sensors read them).
    pub acceleration: &'a [f64],
    /// First-order states.
    pub z: &'a [f64],
    /// Rates of the first-order states.
    pub z_rate: &'a [f64],
    /// Lagrange multipliers (sensors and gear flanks read them).
    pub lambda: &'a [f64],
    /// Values of the signal graph.
    pub signals: &'a [f64],
    /// Committed history of all batches.
    pub history: &'a [f64],
    /// Frames of all coordinate batches, in order of the batches, then the carried ones.
    pub frames: &'a [Frame],
    /// How the carried frames move, in their order.
    pub maps: &'a [MotionMap],
    /// Factor on gravity and loads: 1, except where a static analysis raises the loads.
    pub load_factor: f64,
}

/// What the items of a coordinate batch are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ItemKind {
    /// Rigid bodies: six columns, own mass.
    Body,
    /// Nodes of flexible parts: the first three columns are a velocity; mass may come from elements.
    Node,
    /// Markers of a fluid: three columns, a velocity; own mass.
    Marker,
    /// Anything else.
    #[default]
    Other,
}

/// Uniform shape of a coordinate batch.
#[derive(Clone, Copy, Debug, Default)]
pub struct CoordinatesShape {
    /// Number of items; each is one column block.
    pub items: usize,
    /// Position numbers an item.
    pub q_per_item: usize,
    /// Velocity columns an item.
    pub v_per_item: usize,
    /// Frames the batch offers to joints, springs and sensors.
    pub frames: usize,
    /// What the items are.
    pub kind: ItemKind,
}

/// Owns columns: bodies, nodes, shafts, markers, Cosserat points, (later) articulated trees.
///
/// All slices are the batch's own part of the global vectors.
pub trait Coordinates: Send + Sync {
    /// Sizes, fixed for the life of the model.
    fn shape(&self) -> CoordinatesShape;
    /// What an item is called in messages, such as `body 'crank'`.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes the starting positions and velocities.
    fn initialize(&self, q: &mut [f64], v: &mut [f64]);
    /// The retraction $q = q_0 \oplus x$.
    fn retract(&self, ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]);
    /// Inverse left tangent of the retraction of one item, where it is not the identity: the offset of its
    /// three rotation columns and $T^{-1}(x)$.
    fn retract_tangent_inverse(&self, x: &[f64]) -> Option<(usize, DMat3)>;
    /// Writes the frames; `first_block` is the global number of the batch's first column block.
    fn frames(&self, ex: &Exec, time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]);
    /// Adds $M \dot v + b(q, v)$ to `f`.
    fn add_inertia_force(&self, ex: &Exec, q: &[f64], v: &[f64], acceleration: &[f64], f: &mut [f64]);
    /// Adds $M x$ to `y`.
    fn add_mass_product(&self, ex: &Exec, q: &[f64], x: &[f64], y: &mut [f64]);
    /// Writes the mass block of one item, row-major (`q` is the item's own part).
    fn mass_block(&self, item: usize, q: &[f64], out: &mut [f64]);
    /// Adds `damping` × $\partial b/\partial v$ of one item to a row-major block (`q`, `v` are the item's own).
    fn add_bias_tangent(&self, item: usize, q: &[f64], v: &[f64], damping: f64, out: &mut [f64]);
    /// Adds the weight of all items under gravity `g` [m/s²].
    fn add_gravity(&self, ex: &Exec, g: DVec3, q: &[f64], f: &mut [f64]);
    /// Kinetic energy [J] and potential energy [J] in gravity `g`.
    fn energy(&self, ex: &Exec, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64);
}

/// Weights with which an integrator wants tangents: `stiffness` × (−∂f/∂q) + `damping` × (−∂f/∂v).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Weight of the stiffness −∂f/∂q.
    pub stiffness: f64,
    /// Weight of the damping −∂f/∂v.
    pub damping: f64,
}

/// Connectivity of a batch: for each item the column blocks it touches and how many constraint rows it has.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Column blocks of all items, one after the other.
    pub blocks: Vec<u32>,
    /// `blocks[ends[i-1]..ends[i]]` are the blocks of item `i`.
    pub ends: Vec<usize>,
    /// Constraint rows of each item (zero for force elements).
    pub rows: Vec<usize>,
    /// Numbers of history of the whole batch, part of the state.
    pub history: usize,
}

impl Layout {
    /// Adds an item that touches `blocks` ([`NO_BLOCK`] entries are left out) with `rows` constraint rows.
    pub fn push(&mut self, blocks: &[u32], rows: usize) {
        self.blocks.extend(blocks.iter().copied().filter(|&b| b != NO_BLOCK));
        self.ends.push(self.blocks.len());
        self.rows.push(rows);
    }

    /// Number of items.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no items.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Column blocks of one item.
    pub fn item_blocks(&self, item: usize) -> &[u32] {
        let start = if item == 0 { 0 } else { self.ends[item - 1] };
        &self.blocks[start..self.ends[item]]
    }
}

/// Where each item of a batch writes: prefix sums made by the core from the [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Columns of each item (sum of its block sizes).
    pub columns: Vec<usize>,
    /// Rows of each item.
    pub rows: Vec<usize>,
    /// Start of each item in the value buffer, and the end of the last one.
    ///
    /// A force element writes its generalized force (one number a column). A constraint writes
    /// `rows` residuals, `rows` rates, `rows` accelerations γ, then the Jacobian row-major.
    pub values: Vec<usize>,
    /// Start of each item in the tangent buffer (`columns²` numbers, row-major), and the end of the last one.
    pub tangents: Vec<usize>,
    /// First global row of each item.
    pub first_row: Vec<usize>,
}

/// Force elements of one kind: springs, bushings, loads, finite elements.
pub trait ElementBatch: Send + Sync {
    /// Connectivity, asked once.
    fn layout(&self) -> Layout;
    /// What an item is called in messages.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes the generalized force of every item into its value slot, and where asked its tangent.
    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    );
    /// Stores what the next step must remember, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model as the step before left them.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the starting history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Elastic energy [J] stored in the batch.
    fn energy(&self, _ex: &Exec, _x: &StateView<'_>, _history: &[f64]) -> f64 {
        0.0
    }
    /// Writes the constant mass matrix of every item into its tangent slot and returns true, or false for elements
    /// without mass. Asked once. Gravity acts on this mass too.
    fn mass(&self, _slots: &Slots, _out: &mut [f64]) -> bool {
        false
    }
    /// The first item that cannot go on (inverted, collapsed), if there is one.
    fn check(&self, _ex: &Exec, _x: &StateView<'_>) -> Option<ElementFault> {
        None
    }
}

/// Why an element cannot go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementFault {
    /// The item.
    pub item: usize,
    /// What happened, such as `is inverted`.
    pub what: &'static str,
    /// The number that shows it, such as a ratio of volumes.
    pub value: f64,
}

/// Places coordinates and batches of something the builder of a mechanism does not know.
pub trait Part: Send + Sync {
    /// Places coordinates.
    fn place_coordinates(&mut self, model: &mut Model);
    /// Places carried frames, once the coordinates of all parts are there.
    fn place_frames(&mut self, _model: &mut Model) {}
    /// Frame and block behind an external number, if there is one.
    fn frame(&self, key: u32) -> Option<(u32, u32)>;
    /// What an external number is called in messages.
    fn frame_name(&self, key: u32) -> String;
    /// Frames of contact that move with what an external number names; they do not touch what is joined there.
    fn contact_frames(&self, _key: u32) -> Vec<u32> {
        Vec::new()
    }
    /// Where an external frame starts: position [m] and axes, world.
    fn frame_pose(&self, key: u32) -> Option<(DVec3, DMat3)>;
    /// The first frame of the pieces of a contact surface, by the number of what has it.
    fn surface_frame(&self, _number: usize) -> Option<u32> {
        None
    }
    /// Places elements, constraints and rows.
    fn place_batches(&mut self, model: &mut Model, around: &PartSurroundings<'_>);
    /// What collides; `material` gives the material in the contact model by arena index.
    fn contact(&self, material: &dyn Fn(usize) -> Option<u16>) -> Option<PartContact>;
}

/// What a [`Part`] finds in a model beside its own.
#[derive(Clone, Copy)]
pub struct PartSurroundings<'a> {
    /// Frame, block and centre of mass (body axes) of a body, by arena index.
    pub body: &'a dyn Fn(usize) -> Option<(u32, u32, DVec3)>,
    /// [`Part::surface_frame`] of the parts before it.
    pub surface: &'a dyn Fn(usize) -> Option<u32>,
}

impl Default for PartSurroundings<'_> {
    /// Nothing.
    fn default() -> Self {
        Self { body: &|_| None, surface: &|_| None }
    }
}

/// What a [`Part`] brings to contact.
pub struct PartContact {
    /// Proxies with materials of the contact model.
    pub source: Arc<dyn ProxySource>,
    /// Pairs of frames that never touch.
    pub exclusions: Vec<[u32; 2]>,
}

/// What a constraint evaluation should fill in beside residual and Jacobian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowRequest {
    /// The rates $\dot\Phi(q, v, t)$.
    pub rate: bool,
    /// The right-hand sides γ of $C_q \dot v = \gamma$.
    pub gamma: bool,
}

/// Bilateral constraints of one kind.
pub trait ConstraintBatch: Send + Sync {
    /// Connectivity and rows, asked once.
    fn layout(&self) -> Layout;
    /// What an item is called in messages, such as `joint 'elbow'`.
    fn item_name(&self, item: usize) -> Subject;
    /// What a row of an item fixes, such as `translation along x`.
    fn row_name(&self, item: usize, row: usize) -> String;
    /// Writes residuals, rates, γ and Jacobian of every item into its value slot.
    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    );
    /// Writes $\partial(C_q^T\lambda)/\partial q$ of every item times `stiffness` into its tangent slot;
    /// `lambda` holds the batch's own rows. Without it index-3 Newton is not quadratic.
    fn tangent(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        lambda: &[f64],
        stiffness: f64,
        slots: &Slots,
        tangent: &mut [f64],
    );
    /// Stores what the next step must remember, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model as the step before left them.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the starting history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
}

/// One-sided rows of one kind: joint limits, ropes. Solved as a complementarity problem by velocity stepping.
pub trait UnilateralBatch: Send + Sync {
    /// Connectivity and rows, asked once.
    fn layout(&self) -> Layout;
    /// What an item is called in messages.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes gaps (as residuals), gap rates and Jacobians of every item into its value slot.
    fn evaluate(&self, ex: &Exec, x: &StateView<'_>, history: &[f64], slots: &Slots, values: &mut [f64]);
    /// Coefficient of restitution of a row.
    fn restitution(&self, item: usize, row: usize) -> f64;
    /// Stores what the next step must remember, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model as the step before left them.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the starting history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
}

/// First-order states: speed references, filters, bristles, user equations.
pub trait StateBlock: Send + Sync {
    /// Number of states.
    fn len(&self) -> usize;
    /// Whether there are no states.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Writes the starting values.
    fn initialize(&self, z: &mut [f64]);
    /// Writes $\dot z$; `z` is the block's own part.
    fn rate(&self, x: &StateView<'_>, z: &[f64], z_rate: &mut [f64]);
}

/// Anything that turns the state into one number: a body or joint quantity.
pub trait Sensor: Send + Sync {
    /// The measured value.
    fn measure(&self, x: &StateView<'_>) -> f64;
}
