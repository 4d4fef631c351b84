//! What contact stepping keeps between steps: buffers and constant mass properties, no state.

use glam::{DMat3, DVec3};
use huygens_exec::Exec;
use huygens_solve::{BodyInverse, Cone, SparseRows};

use super::solver::Solver;
use crate::contact::{ContactDetector, RigidRows};
use crate::contract::{Frame, FrameMotion, ItemKind};
use crate::model::Model;
use crate::newton::NewtonMatrix;
use crate::rows::{RowNumbers, RowStage};
use crate::state::State;

/// Bodies a parallel chunk works on.
pub(super) const CHUNK: usize = 256;

/// Mass properties of an item that do not change.
#[derive(Clone, Copy)]
pub(super) struct Item {
    pub frame: u32,
    pub inverse_mass: f64,
    /// Body axes.
    pub inertia: DMat3,
    pub inverse_inertia: DMat3,
    /// Whether the inertia is the same about all axes.
    pub round: bool,
    /// Whether the Newton matrix covers the item.
    pub coupled: bool,
}

/// Numbers of the rows of all sources.
#[derive(Default)]
pub(super) struct SourceRows {
    /// First row of each source, and the end.
    pub starts: Vec<usize>,
    pub bias: Vec<f64>,
    pub compliance: Vec<f64>,
    pub cones: Vec<Cone>,
    pub impulse: Vec<f64>,
}

impl SourceRows {
    pub fn clear(&mut self) {
        self.starts.clear();
        self.starts.push(0);
        for numbers in [&mut self.bias, &mut self.compliance, &mut self.impulse] {
            numbers.clear();
        }
        self.cones.clear();
    }

    pub fn numbers(&mut self) -> RowNumbers<'_> {
        let Self { bias, compliance, cones, impulse, .. } = self;
        RowNumbers { bias, compliance, cones, impulse }
    }

    /// Puts the rows behind those there are; `compliance` may be empty where no row has any.
    pub fn append_to(&self, rows: &mut RigidRows) {
        if self.bias.is_empty() {
            return;
        }
        rows.compliance.resize(rows.bias.len(), 0.0);
        rows.bias.extend_from_slice(&self.bias);
        rows.compliance.extend_from_slice(&self.compliance);
        rows.cones.extend_from_slice(&self.cones);
        rows.impulse.extend_from_slice(&self.impulse);
    }
}

pub(crate) struct ContactScratch {
    pub detector: ContactDetector,
    pub(super) rows: RigidRows,
    pub(super) sparse: SparseRows,
    /// Global rows of the unilateral constraints in `sparse`.
    pub(super) sparse_limits: Vec<usize>,
    pub(super) items: Vec<Item>,
    /// Number of items, known before they are looked at.
    pub(super) item_count: usize,
    /// One row of `sparse` in the making.
    pub(super) entries: Vec<(usize, f64)>,
    pub(super) first_block: u32,
    pub(super) first_column: usize,
    pub(super) bodies: Vec<BodyInverse>,
    pub(super) rotations: Vec<DMat3>,
    pub(super) force: Vec<f64>,
    pub(super) right: Vec<f64>,
    pub(super) free: Vec<f64>,
    pub(super) velocity: Vec<f64>,
    pub(super) slip: Vec<f64>,
    pub(super) work: Vec<f64>,
    /// Work spaces of the row sources, in their order.
    pub(super) stages: Vec<Box<dyn RowStage>>,
    pub(super) source_rows: SourceRows,
    pub(super) solver: Option<Solver>,
    pub(super) typical_radius: f64,
}

impl ContactScratch {
    pub fn new(model: &Model) -> Self {
        let bodies = model.coordinates.iter().find(|e| e.shape.kind == ItemKind::Body);
        let (first_block, first_column, count) =
            bodies.map_or((0, 0, 0), |e| (e.block as u32, e.v, e.shape.items));
        let radii = model.contact.as_ref().map_or(&[][..], |c| &c.radii);
        let (mut sum, mut finite) = (0.0f64, 0.0f64);
        for r in radii.iter().filter(|r| r.is_finite()) {
            (sum, finite) = (sum + r.ln(), finite + 1.0);
        }
        Self {
            detector: ContactDetector::default(),
            rows: RigidRows::new(first_column, count),
            sparse: SparseRows::new(model.v_count),
            sparse_limits: Vec::new(),
            items: Vec::new(),
            item_count: count,
            entries: Vec::new(),
            first_block,
            first_column,
            bodies: Vec::new(),
            rotations: Vec::new(),
            force: Vec::new(),
            right: Vec::new(),
            free: Vec::new(),
            velocity: Vec::new(),
            slip: Vec::new(),
            work: Vec::new(),
            stages: model.row_sources.iter().map(|(source, _)| source.stage()).collect(),
            source_rows: SourceRows::default(),
            solver: None,
            typical_radius: if finite > 0.0 { (sum / finite).exp() } else { 1.0 },
        }
    }

    /// Mass properties are read again at the next step.
    pub fn forget_masses(&mut self) {
        self.items.clear();
    }

    /// Mass properties of all items, once.
    pub(super) fn prepare(
        &mut self,
        model: &Model,
        frames: &[Frame],
        state: &State,
        newton: Option<&NewtonMatrix>,
    ) {
        let Some(e) = model.coordinates.iter().find(|e| e.shape.kind == ItemKind::Body) else { return };
        if self.items.len() == e.shape.items {
            return;
        }
        let mut frame_of = vec![u32::MAX; e.shape.items];
        for (k, frame) in frames.iter().enumerate() {
            let item = frame.block.wrapping_sub(self.first_block) as usize;
            if frame.motion == FrameMotion::Rigid && item < frame_of.len() {
                frame_of[item] = k as u32;
            }
        }
        let mut block = [0.0; 36];
        self.items = (0..e.shape.items)
            .map(|item| {
                let nq = e.shape.q_per_item;
                e.batch.mass_block(item, &state.q[e.q + item * nq..][..nq], &mut block);
                let row = |r: usize| DVec3::new(block[6 * r + 3], block[6 * r + 4], block[6 * r + 5]);
                let inertia = DMat3::from_cols(row(3), row(4), row(5)).transpose();
                let d = inertia.x_axis.x;
                let round = inertia == DMat3::from_diagonal(DVec3::splat(d));
                Item {
                    frame: frame_of[item],
                    inverse_mass: 1.0 / block[0],
                    inertia,
                    inverse_inertia: inertia.inverse(),
                    round,
                    coupled: newton.is_some_and(|n| n.local[e.block + item] != crate::newton::ABSENT),
                }
            })
            .collect();
    }

    /// Rotations and inverse inertias in world axes.
    pub(super) fn turn(&mut self, ex: &Exec, frames: &[Frame]) {
        let items = &self.items;
        self.rotations.resize(items.len(), DMat3::IDENTITY);
        self.bodies.resize(items.len(), BodyInverse::default());
        ex.for_each_chunk(&mut self.rotations, CHUNK, |chunk, rotations| {
            for (item, r) in items[chunk * CHUNK..].iter().zip(rotations) {
                *r = frames[item.frame as usize].axes;
            }
        });
        let rotations = &self.rotations;
        ex.for_each_chunk(&mut self.bodies, CHUNK, |chunk, bodies| {
            let first = chunk * CHUNK;
            for (k, body) in bodies.iter_mut().enumerate() {
                let (item, r) = (&items[first + k], &rotations[first + k]);
                let j =
                    if item.round { item.inverse_inertia } else { *r * item.inverse_inertia * r.transpose() };
                *body = BodyInverse {
                    inverse_mass: item.inverse_mass,
                    inverse_inertia: [j.x_axis.x, j.y_axis.y, j.z_axis.z, j.x_axis.y, j.x_axis.z, j.y_axis.z],
                };
            }
        });
    }
}

impl Item {
    /// $v' = v + M^{-1}h(f - b)$ of one body, the gyroscopic torque taken implicitly; `v` in body axes becomes world.
    pub fn free_motion(&self, rotation: &DMat3, h: f64, f: &[f64], v: &mut [f64]) {
        (0..3).for_each(|k| v[k] += self.inverse_mass * f[k]);
        let (omega, torque) = (DVec3::from_slice(&v[3..6]), DVec3::from_slice(&f[3..6]));
        let gained = if self.round {
            self.inverse_inertia * torque
        } else {
            // (J + h ∂(ω × Jω)/∂ω) Δω = hτ
            let skew = huygens_kernel::rotation::skew;
            let tangent = skew(omega) * self.inertia - skew(self.inertia * omega);
            (self.inertia + tangent * h).inverse() * torque
        };
        v[3..6].copy_from_slice(&(*rotation * (omega + gained)).to_array());
    }
}
