//! Carriers: frames moved by any number of columns, and points of deforming frames.
//!
//! The motion of a carried frame is a row of [`Twist`]s in compressed form: velocity of the origin and angular velocity
//! $$ (v, \omega) = \sum_i t_i\,\dot q_{c_i}, \qquad f_{c_i} = t_i\cdot(F, T), $$
//! so that a wrench $(F, T)$ about the origin has the power of its generalized forces. The columns that move a frame
//! are queried once, when the model is built; the twists are written at every evaluation.
//!
//! Points of a deforming frame do not move as a rigid body. Its [`Deformation`] gives the position of a material point
//! and its motion per column of the frame. Contacts evaluate it at the contact point. Joints, springs and loads use
//! [attached points](crate::Model::attach): carried frames with the twists of one material point.

use std::collections::BTreeMap;
use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_exec::{Exec, Pieces};

use crate::contract::{Frame, FrameMotion, StateView};

/// Attached points a parallel chunk works on.
const CHUNK: usize = 64;

/// Motion of a frame per unit of a column, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// Velocity of the origin.
    pub velocity: DVec3,
    /// Angular velocity.
    pub omega: DVec3,
}

impl Twist {
    /// Power of a wrench about the origin, per unit of the column.
    #[inline]
    pub fn power(&self, force: DVec3, torque: DVec3) -> f64 {
        self.velocity.dot(force) + self.omega.dot(torque)
    }
}

/// Frames that columns of several blocks move together; they follow the frames of the coordinates.
pub trait Carriers: Send + Sync {
    /// Number of frames.
    fn count(&self) -> usize;
    /// Appends the velocity columns that move a frame. Queried once; a frame at rest has none.
    fn columns(&self, frame: usize, out: &mut Vec<u32>);
    /// Writes the frames (motion [`FrameMotion::Carried`] or [`FrameMotion::Deforming`], `block` any block that moves it)
    /// and the twist of every column that [`Carriers::columns`] named, in its order. `acceleration_bias` and
    /// `alpha_bias` hold the rates of the twists times the velocities.
    fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], twists: TwistRows<'_>);
    /// Motion of the points of a frame that do not move as a rigid body about its origin.
    fn deformation(&self, _frame: usize) -> Option<&dyn Deformation> {
        None
    }
}

/// A material point at a state, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialPoint {
    /// Position [m].
    pub position: DVec3,
    /// Velocity [m/s].
    pub velocity: DVec3,
    /// Bias acceleration [m/s²], which no unknown acceleration causes; zero where the position is linear in the
    /// coordinates.
    pub acceleration_bias: DVec3,
}

/// Motion of the points of deforming frames; `frame` counts the batch's own frames.
///
/// Rigid motions of all columns must move every point rigidly, so that momentum is conserved exactly.
pub trait Deformation: Send + Sync {
    /// Material coordinates of the point of a frame that is at `point` [m], world axes; also defined for points near
    /// the surface, inside or outside.
    fn material(&self, x: &StateView<'_>, frame: usize, point: DVec3) -> DVec3;
    /// Position and motion of a material point.
    fn point(&self, x: &StateView<'_>, frame: usize, material: DVec3) -> MaterialPoint;
    /// Writes the velocity of a material point per unit of each column of the frame, in the order of
    /// [`Carriers::columns`]; the angular velocities in `out`, those of the frame, are not changed.
    fn at_point(&self, x: &StateView<'_>, frame: usize, material: DVec3, out: &mut [Twist]);
}

/// Rows of twists to be written, one per frame.
pub struct TwistRows<'a> {
    /// Start of each row in the whole, and the end of the last one.
    start: &'a [u32],
    twist: &'a mut [Twist],
}

impl<'a> TwistRows<'a> {
    /// The row of a frame.
    pub fn row(&mut self, frame: usize) -> &mut [Twist] {
        let [first, from, to] = [0, frame, frame + 1].map(|k| self.start[k] as usize);
        &mut self.twist[from - first..to - first]
    }

    /// Calls `f(k, frame, row)` for every frame; pieces of `chunk` frames run in parallel.
    pub fn for_each_frame(
        self,
        ex: &Exec,
        frames: &'a mut [Frame],
        chunk: usize,
        f: impl Fn(usize, &mut Frame, &mut [Twist]) + Sync,
    ) {
        ex.for_each_piece((frames, self), chunk, |first, (frames, mut rows)| {
            for (k, frame) in frames.iter_mut().enumerate() {
                f(first + k, frame, rows.row(k));
            }
        });
    }
}

impl Pieces for TwistRows<'_> {
    fn count(&self) -> usize {
        self.start.len() - 1
    }

    fn split(self, at: usize) -> (Self, Self) {
        let (left, right) = self.twist.split_at_mut((self.start[at] - self.start[0]) as usize);
        (Self { start: &self.start[..=at], twist: left }, Self { start: &self.start[at..], twist: right })
    }
}

/// The columns that move the carried frames: fixed with the topology.
#[derive(Clone, Debug)]
pub(crate) struct TwistPattern {
    /// Start of the row of each frame, and the end of the last one.
    start: Vec<u32>,
    column: Vec<u32>,
    /// Block of each column.
    block: Vec<u32>,
}

impl Default for TwistPattern {
    fn default() -> Self {
        Self { start: vec![0], column: Vec::new(), block: Vec::new() }
    }
}

impl TwistPattern {
    /// Number of twists.
    pub fn len(&self) -> usize {
        self.column.len()
    }

    fn range(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// Columns and blocks of a row.
    pub fn row(&self, row: usize) -> (&[u32], &[u32]) {
        (&self.column[self.range(row)], &self.block[self.range(row)])
    }

    /// Adds the row of the next frame; `block_columns` are the first columns of all blocks, ascending.
    pub fn push(&mut self, columns: &[u32], block_columns: &[usize]) {
        self.column.extend_from_slice(columns);
        let block = |c: &u32| block_columns.partition_point(|first| *first <= *c as usize) as u32 - 1;
        self.block.extend(columns.iter().map(block));
        self.start.push(self.column.len() as u32);
    }

    /// Adds a row with the columns of another.
    pub fn repeat(&mut self, row: usize) {
        let range = self.range(row);
        self.column.extend_from_within(range.clone());
        self.block.extend_from_within(range);
        self.start.push(self.column.len() as u32);
    }

    /// The twists of the rows `rows`, to be written.
    pub fn rows<'a>(&'a self, rows: std::ops::Range<usize>, twists: &'a mut [Twist]) -> TwistRows<'a> {
        let start = &self.start[rows.start..=rows.end];
        TwistRows { start, twist: &mut twists[start[0] as usize..start[start.len() - 1] as usize] }
    }
}

/// A batch of carriers and its first frame.
#[derive(Clone)]
pub(crate) struct CarrierEntry {
    pub batch: Arc<dyn Carriers>,
    pub first: usize,
}

/// A material point to which something is attached, with its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AttachedPoint {
    /// The frame that deforms.
    pub base: u32,
    pub material: DVec3,
}

/// Carriers of a model.
#[derive(Clone, Default)]
pub(crate) struct CarrierSet {
    pub batches: Vec<CarrierEntry>,
    /// Number of the first carried frame: those of coordinates come before.
    pub first: usize,
    /// Number of the first attached point; they come last.
    pub first_attached: usize,
    pub attached: Vec<AttachedPoint>,
    /// Place of each attached point, by its frame and the bits of its material coordinates.
    places: BTreeMap<(u32, [u64; 3]), u32>,
    pub pattern: TwistPattern,
}

impl CarrierSet {
    /// The batch of a frame and the frame's number there.
    fn find(&self, frame: u32) -> Option<(&dyn Carriers, usize)> {
        let frame = frame as usize;
        if frame >= self.first_attached {
            return None;
        }
        let at = self.batches.partition_point(|e| e.first <= frame).checked_sub(1)?;
        Some((&*self.batches[at].batch, frame - self.batches[at].first))
    }

    /// The deformation of a frame and the frame's number in its batch.
    pub fn deformation(&self, frame: u32) -> Option<(&dyn Deformation, usize)> {
        let (batch, own) = self.find(frame)?;
        Some((batch.deformation(own)?, own))
    }

    /// Number of the frame of an attached point.
    pub fn attached(&self, base: u32, material: DVec3) -> Option<u32> {
        self.places.get(&(base, material.to_array().map(f64::to_bits))).copied()
    }

    /// Creates a frame for a material point of a carried frame, after all others.
    pub fn attach(&mut self, base: u32, material: DVec3) -> u32 {
        let frame = (self.first_attached + self.attached.len()) as u32;
        self.places.insert((base, material.to_array().map(f64::to_bits)), frame);
        self.attached.push(AttachedPoint { base, material });
        self.pattern.repeat(base as usize - self.first);
        frame
    }

    /// Writes all carried frames and their twists; `frames` starts with those of the coordinates.
    pub fn place(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], twists: &mut [Twist]) {
        let (own, carried) = frames.split_at_mut(self.first);
        let own = StateView { frames: own, ..*x };
        for CarrierEntry { batch, first } in &self.batches {
            let range = first - self.first..first - self.first + batch.count();
            let rows = self.pattern.rows(range.clone(), twists);
            batch.place(ex, &own, &mut carried[range], rows);
        }
        self.place_attached(ex, x, frames, twists);
    }

    fn place_attached(&self, ex: &Exec, x: &StateView<'_>, frames: &mut [Frame], twists: &mut [Twist]) {
        if self.attached.is_empty() {
            return;
        }
        let (bases, points) = frames.split_at_mut(self.first_attached);
        let start = &self.pattern.start[self.first_attached - self.first..];
        let (base_twists, twist) = twists.split_at_mut(start[0] as usize);
        let x = StateView { frames: bases, ..*x };
        TwistRows { start, twist }.for_each_frame(ex, points, CHUNK, |k, frame, row| {
            let AttachedPoint { base, material } = self.attached[k];
            let Some((deformation, own)) = self.deformation(base) else { return };
            let point = deformation.point(&x, own, material);
            *frame = Frame {
                origin: point.position,
                velocity: point.velocity,
                acceleration_bias: point.acceleration_bias,
                motion: FrameMotion::Carried,
                ..x.frames[base as usize]
            };
            row.copy_from_slice(&base_twists[self.pattern.range(base as usize - self.first)]);
            deformation.at_point(&x, own, material, row);
        });
    }
}

/// Motion of the frames of a model per column, at a state.
#[derive(Clone, Copy, Default)]
pub struct Twists<'a> {
    carriers: Option<&'a CarrierSet>,
    twist: &'a [Twist],
    /// First column of each block.
    block_columns: &'a [usize],
}

impl<'a> Twists<'a> {
    pub(crate) fn new(carriers: &'a CarrierSet, twist: &'a [Twist], block_columns: &'a [usize]) -> Self {
        Self { carriers: Some(carriers), twist, block_columns }
    }

    /// Row of a carried frame in the pattern.
    fn place(&self, frame: u32) -> Option<(&'a CarrierSet, usize)> {
        let set = self.carriers?;
        let row = (frame as usize).checked_sub(set.first)?;
        (row + 1 < set.pattern.start.len()).then_some((set, row))
    }

    /// Columns that move a carried frame, and its twists; none for frames of coordinates, whose motion [`FrameMotion`]
    /// describes.
    pub fn row(&self, frame: u32) -> (&'a [u32], &'a [Twist]) {
        match self.place(frame) {
            Some((set, row)) => (set.pattern.row(row).0, &self.twist[set.pattern.range(row)]),
            None => (&[], &[]),
        }
    }

    /// Adds the generalized force of a wrench on a carried frame, force [N] and torque [N·m] about its origin, to `f`
    /// over all columns. For frames of coordinates use [`StateView::pull_back`].
    pub fn pull_back(&self, frame: u32, force: DVec3, torque: DVec3, f: &mut [f64]) {
        let (columns, twists) = self.row(frame);
        for (&column, twist) in columns.iter().zip(twists) {
            f[column as usize] += twist.power(force, torque);
        }
    }

    /// First column of a block.
    pub(crate) fn first_column(&self, block: u32) -> usize {
        self.block_columns[block as usize]
    }

    /// The deformation of a frame and the frame's number in its batch, if it deforms.
    pub fn deformation(&self, frame: u32) -> Option<(&'a dyn Deformation, usize)> {
        self.carriers?.deformation(frame)
    }
}

impl StateView<'_> {
    /// Velocity [m/s] of the point of a frame that is at `point`, world axes.
    #[inline]
    pub fn velocity_at(&self, frame: u32, point: DVec3) -> DVec3 {
        let f = &self.frames[frame as usize];
        if f.motion == FrameMotion::Deforming {
            return self.deforming_velocity(frame, point);
        }
        f.velocity + f.omega.cross(point - f.origin)
    }

    #[cold]
    fn deforming_velocity(&self, frame: u32, point: DVec3) -> DVec3 {
        let f = &self.frames[frame as usize];
        match self.twists.deformation(frame) {
            Some((deformation, own)) => {
                deformation.point(self, own, deformation.material(self, own, point)).velocity
            }
            None => f.velocity + f.omega.cross(point - f.origin),
        }
    }

    /// Adds the generalized force of a wrench on any frame, force [N] and torque [N·m] about its origin, to `f` over all
    /// columns.
    #[inline]
    pub fn pull_back(&self, frame: u32, force: DVec3, torque: DVec3, f: &mut [f64]) {
        let carrier = &self.frames[frame as usize];
        match carrier.motion {
            FrameMotion::Prescribed => {}
            FrameMotion::Rigid => {
                let mut out = [0.0; 6];
                carrier.pull_back(force, torque, &mut out);
                let first = self.twists.block_columns[carrier.block as usize];
                f[first..first + 6].iter_mut().zip(out).for_each(|(f, x)| *f += x);
            }
            FrameMotion::Point { .. } => {
                let first = self.twists.block_columns[carrier.block as usize];
                (0..3).for_each(|k| f[first + k] += force[k]);
            }
            FrameMotion::Carried | FrameMotion::Deforming => {
                self.twists.pull_back(frame, force, torque, f);
            }
        }
    }

    /// Acceleration of the origin [m/s²] and angular acceleration [rad/s²] of any frame with the accelerations of the
    /// view, world axes.
    pub fn frame_acceleration(&self, frame: u32) -> [DVec3; 2] {
        let f = &self.frames[frame as usize];
        let mut sum = [f.acceleration_bias, f.alpha_bias];
        let of_block = |k: usize| {
            let first = self.twists.block_columns[f.block as usize] + 3 * k;
            DVec3::from_slice(&self.acceleration[first..first + 3])
        };
        match f.motion {
            FrameMotion::Prescribed => {}
            FrameMotion::Rigid => {
                sum[0] += of_block(0);
                sum[1] += f.axes * of_block(1);
            }
            FrameMotion::Point { .. } => sum[0] += of_block(0),
            FrameMotion::Carried | FrameMotion::Deforming => {
                let (columns, twists) = self.twists.row(frame);
                for (&column, twist) in columns.iter().zip(twists) {
                    let a = self.acceleration[column as usize];
                    sum[0] += twist.velocity * a;
                    sum[1] += twist.omega * a;
                }
            }
        }
        sum
    }

    /// Collects in `out` how every column moves a frame, with the angular columns of bodies along world axes where
    /// `turned`. Returns the point that the twists are about: the origin of the frame, or `point` of a frame that deforms.
    pub(crate) fn columns_at(&self, frame: u32, point: DVec3, turned: bool, out: &mut ColumnTwists) -> DVec3 {
        out.clear();
        let f = &self.frames[frame as usize];
        let zero = DVec3::ZERO;
        match f.motion {
            FrameMotion::Prescribed => {}
            FrameMotion::Rigid | FrameMotion::Point { .. } => {
                let first = self.twists.block_columns[f.block as usize] as u32;
                for (k, &velocity) in DVec3::AXES.iter().enumerate() {
                    out.push(first + k as u32, f.block, Twist { velocity, omega: zero });
                }
                let turn = if turned { DMat3::IDENTITY } else { f.axes };
                for k in (0..3).filter(|_| f.motion == FrameMotion::Rigid) {
                    out.push(first + 3 + k as u32, f.block, Twist { velocity: zero, omega: turn.col(k) });
                }
            }
            FrameMotion::Carried | FrameMotion::Deforming => {
                let Some((set, row)) = self.twists.place(frame) else { return f.origin };
                let (columns, blocks) = set.pattern.row(row);
                out.column.extend_from_slice(columns);
                out.block.extend_from_slice(blocks);
                out.twist.extend_from_slice(self.twists.row(frame).1);
                let deforms = f.motion == FrameMotion::Deforming;
                if let Some((deformation, own)) = set.deformation(frame).filter(|_| deforms) {
                    let material = deformation.material(self, own, point);
                    deformation.at_point(self, own, material, &mut out.twist);
                    return point;
                }
            }
        }
        f.origin
    }
}

/// How columns move one frame.
#[derive(Clone, Debug, Default)]
pub(crate) struct ColumnTwists {
    pub column: Vec<u32>,
    /// Block of each column.
    pub block: Vec<u32>,
    pub twist: Vec<Twist>,
}

impl ColumnTwists {
    fn clear(&mut self) {
        self.column.clear();
        self.block.clear();
        self.twist.clear();
    }

    fn push(&mut self, column: u32, block: u32, twist: Twist) {
        self.column.push(column);
        self.block.push(block);
        self.twist.push(twist);
    }

    /// Ends of the runs of consecutive columns of one block.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let mut next = 0;
        std::iter::from_fn(move || {
            let first = next;
            (first < self.column.len()).then(|| {
                next += 1;
                while next < self.column.len()
                    && self.block[next] == self.block[first]
                    && self.column[next] == self.column[next - 1] + 1
                {
                    next += 1;
                }
                first..next
            })
        })
    }
}
