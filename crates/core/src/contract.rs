//! The contracts between the core and the components of a model: coordinates, forces, constraints, states.
//!
//! Velocity columns come in *blocks*: a rigid body is one block of six, a node one of three to twelve, a shaft one of
//! one. Items of batches declare the blocks they act on once ([`Layout`]) and then write numbers into fixed slots
//! ([`Slots`]); the core adds the slots up in order. Evaluation is therefore parallel, and every sum is bit-identical
//! on any number of threads.
//!
//! Equations of motion, with the sign convention used everywhere:
//!
//! $$ M(q)\,\dot v + b(q, v) = f(q, v, t) - C_q^T \lambda, \qquad \Phi(q, t) = 0. $$

use std::ops::Range;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_exec::Exec;

use crate::carrier::Twists;
use crate::parameter::{ParameterSet, Parameters};
use crate::subject::Subject;

/// Marks a frame that no columns move: ground, fixed and kinematic bodies.
pub const NO_BLOCK: u32 = u32::MAX;

/// Pose and motion of a carrier: a frame to which joints, springs, contacts and sensors attach.
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
    /// Bias acceleration of the origin [m/s²]: the part that no unknown acceleration causes (prescribed motion).
    pub acceleration_bias: DVec3,
    /// Bias angular acceleration [rad/s²].
    pub alpha_bias: DVec3,
    /// The column block that moves this frame, or [`NO_BLOCK`].
    pub block: u32,
    /// Motion of the frame in terms of the block's velocities.
    pub motion: FrameMotion,
}

/// Motion of a [`Frame`] in terms of a column block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameMotion {
    /// At rest, or prescribed by a function of time.
    Prescribed,
    /// Six columns: velocity of the origin in world axes, angular velocity in frame axes.
    Rigid,
    /// The block's first three columns are the velocity of the origin in world axes; the others (slopes, gradients) do
    /// not move it, and the axes are fixed.
    Point {
        /// Columns of the block.
        columns: u8,
    },
    /// Columns of several blocks move it, according to its row of [`Twists`].
    Carried,
    /// As [`FrameMotion::Carried`], but points of the frame do not move as a rigid body about its origin: its
    /// [`Deformation`](crate::carrier::Deformation) describes their motion.
    Deforming,
}

impl FrameMotion {
    /// Number of columns of the block that moves it; a carried frame has a row of twists instead.
    pub fn columns(self) -> usize {
        match self {
            FrameMotion::Prescribed | FrameMotion::Carried | FrameMotion::Deforming => 0,
            FrameMotion::Rigid => 6,
            FrameMotion::Point { columns } => columns as usize,
        }
    }
}

impl Frame {
    /// The fixed world frame.
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

    /// Number of columns of the block that moves this frame; a carried frame has a row of twists instead.
    #[inline]
    pub fn columns(&self) -> usize {
        self.motion.columns()
    }

    /// Writes the generalized force of a wrench (force [N] and torque [N·m] about the origin, world axes) on the block of
    /// the frame; [`StateView::pull_back`] does so for carried frames too.
    #[inline]
    pub fn pull_back(&self, force: DVec3, torque: DVec3, out: &mut [f64]) {
        match self.motion {
            FrameMotion::Prescribed | FrameMotion::Carried | FrameMotion::Deforming => {}
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

/// Everything that a batch may read during evaluation.
#[derive(Clone, Copy)]
pub struct StateView<'a> {
    /// Time [s].
    pub time: f64,
    /// Positions of all batches.
    pub q: &'a [f64],
    /// Velocities of all batches.
    pub v: &'a [f64],
    /// Accelerations, if known (for sensors).
    pub acceleration: &'a [f64],
    /// First-order states.
    pub z: &'a [f64],
    /// Rates of the first-order states.
    pub z_rate: &'a [f64],
    /// Lagrange multipliers (for sensors and gear flanks).
    pub lambda: &'a [f64],
    /// Values of the signal graph.
    pub signals: &'a [f64],
    /// Committed history of all batches.
    pub history: &'a [f64],
    /// Frames of all coordinate batches, in order of the batches, then the carried ones.
    pub frames: &'a [Frame],
    /// How columns move the carried frames.
    pub twists: Twists<'a>,
    /// Factor on gravity and loads: 1, except where a static analysis increases the loads.
    pub load_factor: f64,
    /// Parameters of all batches.
    pub parameters: &'a ParameterSet,
}

/// Kind of the items of a coordinate batch.
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
    /// Position numbers per item.
    pub q_per_item: usize,
    /// Velocity columns per item.
    pub v_per_item: usize,
    /// Number of frames that the batch offers to joints, springs and sensors.
    pub frames: usize,
    /// Kind of the items.
    pub kind: ItemKind,
}

/// A batch that owns columns: bodies, nodes, shafts, markers.
///
/// All slices are the batch's own part of the global vectors.
pub trait Coordinates: Send + Sync {
    /// Sizes, fixed for the life of the model.
    fn shape(&self) -> CoordinatesShape;
    /// Name of an item in messages, such as `body 'crank'`.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes the initial positions and velocities.
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
    /// The block of parameters that may change between steps, such as masses; queried once.
    fn parameters(&self) -> Option<Arc<dyn Parameters>> {
        None
    }
    /// The same coordinates with another block of the kind that [`Coordinates::parameters`] returned; data that do not
    /// depend on it are shared.
    fn with_parameters(&self, _block: &Arc<dyn Parameters>) -> Option<Arc<dyn Coordinates>> {
        None
    }
}

/// Weights with which an integrator requests tangents: `stiffness` × (−∂f/∂q) + `damping` × (−∂f/∂v).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Weight of the stiffness −∂f/∂q.
    pub stiffness: f64,
    /// Weight of the damping −∂f/∂v.
    pub damping: f64,
}

/// Connectivity of a batch: for each item the column blocks on which it acts and the number of its constraint rows.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// Column blocks of all items, one after the other.
    pub blocks: Vec<u32>,
    /// `blocks[ends[i-1]..ends[i]]` are the blocks of item `i`.
    pub ends: Vec<usize>,
    /// Constraint rows of each item (zero for force elements).
    pub rows: Vec<usize>,
    /// Length of the history of the whole batch, part of the state.
    pub history: usize,
}

impl Layout {
    /// Adds an item that acts on `blocks` ([`NO_BLOCK`] entries are ignored) with `rows` constraint rows.
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

/// Where each item of a batch writes: prefix sums that the core computes from the [`Layout`].
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// Columns of each item (sum of its block sizes).
    pub columns: Vec<usize>,
    /// Rows of each item.
    pub rows: Vec<usize>,
    /// Start of each item in the value buffer, and the end of the last one.
    ///
    /// A force element writes its generalized force (one number per column). A constraint writes `rows` residuals,
    /// `rows` rates, `rows` accelerations γ, then the Jacobian row-major.
    pub values: Vec<usize>,
    /// Start of each item in the tangent buffer (`columns²` numbers, row-major), and the end of the last one.
    pub tangents: Vec<usize>,
    /// First global row of each item.
    pub first_row: Vec<usize>,
}

/// Force elements of one kind: springs, bushings, loads, finite elements.
pub trait ElementBatch: Send + Sync {
    /// Connectivity, queried once.
    fn layout(&self) -> Layout;
    /// Name of an item in messages.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes the generalized force of every item into its value slot and, if requested, its tangent.
    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    );
    /// Stores the history for the next step, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model after the previous step.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the initial history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// The owners of the history and the location of their numbers in the batch's history, so that they are found again
    /// in another model.
    fn history_owners(&self, layout: &Layout) -> Vec<(String, Range<usize>)> {
        if layout.history == 0 {
            Vec::new()
        } else {
            vec![(self.item_name(0).to_string(), 0..layout.history)]
        }
    }
    /// Elastic energy [J] stored in the batch.
    fn energy(&self, _ex: &Exec, _x: &StateView<'_>, _history: &[f64]) -> f64 {
        0.0
    }
    /// Whether its forces may do work beyond the energy that it stores: driven forces do, springs and dampers do not.
    fn does_work(&self, _x: &StateView<'_>) -> bool {
        true
    }
    /// Writes the constant mass matrix of every item into its tangent slot and returns true, or false for elements
    /// without mass. Queried once. Gravity also acts on this mass.
    fn mass(&self, _slots: &Slots, _out: &mut [f64]) -> bool {
        false
    }
    /// The part of the inertia that changes with the rotation of nodes, if any, in addition to the constant mass.
    fn turning_inertia(&self) -> Option<&dyn TurningInertia> {
        None
    }
    /// The first item that cannot continue (inverted, collapsed), if any. `history` holds the batch's own numbers after
    /// the last accepted step.
    fn check(&self, _ex: &Exec, _x: &StateView<'_>, _history: &[f64]) -> Option<ElementFault> {
        None
    }
}

/// Weights of the tangent of inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InertiaWeights {
    /// Of the derivative by accelerations: the mass.
    pub mass: f64,
    /// Of the derivative by velocities.
    pub damping: f64,
    /// Of the derivative by motion along the columns.
    pub stiffness: f64,
}

/// Inertia of elements that changes with the positions: $M(q)\,a + b(q, v)$, in addition to the constant mass of
/// [`ElementBatch::mass`]. It has no diagonal blocks.
pub trait TurningInertia: Send + Sync {
    /// Adds $M(q)\,a + b(q, v)$ on all columns of the model; without velocities $M(q)\,a$.
    fn add_force(&self, q: &[f64], v: Option<&[f64]>, acceleration: &[f64], f: &mut [f64]);
    /// Adds the force of gravity [m/s²].
    fn add_gravity(&self, gravity: DVec3, q: &[f64], f: &mut [f64]);
    /// Adds the derivatives of $M(q)\,(a - g) + b(q, v)$ by acceleration, velocity and motion along the columns, times
    /// their weights, to the tangent slot of every item.
    #[allow(clippy::too_many_arguments)]
    fn add_tangent(
        &self,
        q: &[f64],
        v: &[f64],
        acceleration: &[f64],
        gravity: DVec3,
        weights: &InertiaWeights,
        slots: &Slots,
        out: &mut [f64],
    );
    /// Kinetic and potential energy [J].
    fn energy(&self, gravity: DVec3, q: &[f64], v: &[f64]) -> (f64, f64);
}

/// The reason why an element cannot continue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ElementFault {
    /// The item.
    pub item: usize,
    /// The fault, such as `is inverted`.
    pub what: &'static str,
    /// The quantity that shows it, such as a ratio of volumes.
    pub value: f64,
}

/// What a constraint evaluation must provide in addition to residual and Jacobian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowRequest {
    /// The rates $\dot\Phi(q, v, t)$.
    pub rate: bool,
    /// The right-hand sides γ of $C_q \dot v = \gamma$.
    pub gamma: bool,
}

/// Bilateral constraints of one kind.
pub trait ConstraintBatch: Send + Sync {
    /// Connectivity and rows, queried once.
    fn layout(&self) -> Layout;
    /// Name of an item in messages, such as `joint 'elbow'`.
    fn item_name(&self, item: usize) -> Subject;
    /// What a row of an item constrains, such as `translation along x`.
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
    /// Writes $\partial(C_q^T\lambda)/\partial q$ of every item times `stiffness` into its tangent slot; `lambda` holds
    /// the batch's own rows. Without it Newton's method at index 3 does not converge quadratically.
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
    /// Stores the history for the next step, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model after the previous step.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the initial history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// The owners of the history and the location of their numbers in the batch's history, so that they are found again
    /// in another model.
    fn history_owners(&self, layout: &Layout) -> Vec<(String, Range<usize>)> {
        if layout.history == 0 {
            Vec::new()
        } else {
            vec![(self.item_name(0).to_string(), 0..layout.history)]
        }
    }
}

/// Unilateral rows of one kind: joint limits, ropes. Solved as a complementarity problem by velocity stepping.
pub trait UnilateralBatch: Send + Sync {
    /// Connectivity and rows, queried once.
    fn layout(&self) -> Layout;
    /// Name of an item in messages.
    fn item_name(&self, item: usize) -> Subject;
    /// Writes gaps (as residuals), gap rates and Jacobians of every item into its value slot.
    fn evaluate(&self, ex: &Exec, x: &StateView<'_>, history: &[f64], slots: &Slots, values: &mut [f64]);
    /// What a row of an item requires, for messages.
    fn row_name(&self, _parameters: &ParameterSet, _item: usize, row: usize) -> String {
        format!("row {row}")
    }
    /// Coefficient of restitution of a row.
    fn restitution(&self, parameters: &ParameterSet, item: usize, row: usize) -> f64;
    /// Stores the history for the next step, once a step is accepted. `history` holds the batch's own numbers;
    /// `x.history` those of the whole model after the previous step.
    fn commit(&self, _ex: &Exec, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// Writes the initial history.
    fn initialize_history(&self, _x: &StateView<'_>, _history: &mut [f64]) {}
    /// The owners of the history and the location of their numbers in the batch's history, so that they are found again
    /// in another model.
    fn history_owners(&self, layout: &Layout) -> Vec<(String, Range<usize>)> {
        if layout.history == 0 {
            Vec::new()
        } else {
            vec![(self.item_name(0).to_string(), 0..layout.history)]
        }
    }
}

/// First-order states: speed references, filters, bristles, user equations.
pub trait StateBlock: Send + Sync {
    /// Number of states.
    fn len(&self) -> usize;
    /// Whether there are no states.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Name of a state, by which it is found again in another model.
    fn state_name(&self, state: usize) -> String;
    /// Writes the initial values.
    fn initialize(&self, z: &mut [f64]);
    /// Writes $\dot z$; `z` is the block's own part.
    fn rate(&self, x: &StateView<'_>, z: &[f64], z_rate: &mut [f64]);
}

/// A scalar function of the state: a body or joint quantity.
pub trait Sensor: Send + Sync {
    /// The measured value.
    fn measure(&self, x: &StateView<'_>) -> f64;
}
