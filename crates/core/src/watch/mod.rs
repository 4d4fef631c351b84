//! Monitors failures that velocity stepping does not exclude: joints that come apart, limits that stay violated, bodies
//! that pass through others within a step.
//!
//! Newton's method of the index-3 integrators converges to $\Phi = 0$ or fails. Velocity stepping takes one linear
//! solve, so that a step may leave a residual: one of second order in the step that the next step corrects, or one that
//! grows because the masses are beyond what double precision resolves, because bodies rotate by more than the
//! linearization permits, or because rows conflict. The residuals at the beginning of a step are available anyway;
//! checking them costs one comparison per row. Monitoring does not change the motion.

mod passage;
mod rows;

use glam::DVec3;
use huygens_geometry::Aabb;

use crate::contract::ItemKind;
use crate::subject::Subject;
use crate::system::System;

pub(crate) use passage::PassageWatch;
pub(crate) use rows::RowWatch;

/// A finding about a step that is reported to the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Finding {
    /// A constraint has stayed open.
    Open {
        /// The constraint and its most open row, such as `joint 'elbow' (position x)`.
        row: Subject,
        /// The constraint, such as `joint 'elbow'`.
        constraint: Subject,
        /// Residual [m or rad].
        residual: f64,
        /// Accepted residual [m or rad].
        bound: f64,
        /// Simulated time [s].
        time: f64,
    },
    /// Unilateral constraints have stayed violated and do not recover.
    Violated {
        /// The constraints, and by how much each is violated [m or rad]; worst first.
        constraints: Vec<(Subject, f64)>,
        /// Simulated time [s].
        time: f64,
    },
    /// A shape has passed into or through another one within a step, without a contact.
    Passage {
        /// The moving object, such as `body 'ball'`.
        mover: String,
        /// The object that it passed.
        other: String,
        /// Their relative speed [m/s].
        speed: f64,
        /// The longest step in which the moving object travels no further than its thickness [s].
        safe_step: f64,
        /// Simulated time at the end of the step [s].
        time: f64,
    },
}

/// All monitors, and their findings since the last query.
pub(crate) struct Watch {
    pub rows: RowWatch,
    pub passages: PassageWatch,
    pub findings: Vec<Finding>,
}

impl Watch {
    pub fn new(system: &System) -> Self {
        let model = system.model();
        Self {
            rows: RowWatch::new(model),
            passages: PassageWatch::new(model, system.frames()),
            findings: Vec::new(),
        }
    }
}

/// Characteristic sizes of what the columns move: the radius of gyration for translations of bodies [m], the extent of
/// the model for those of nodes and markers [m], 1 for rotations; and whether a column is a translation.
///
/// They depend on how mass is spread, not on how much there is.
pub(crate) fn column_scales(system: &System, q: &[f64]) -> (Vec<f64>, Vec<bool>) {
    let (model, inverse) = (system.model(), system.mass_inverse_diagonal());
    let places = model.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other);
    let places = places.flat_map(|e| q[e.q_range()].chunks_exact(e.shape.q_per_item));
    let around = Aabb::of_points(places.map(DVec3::from_slice));
    let extent = (around.max - around.min).length();
    let extent = if extent > 0.0 && extent.is_finite() { extent } else { 1.0 };
    let (mut scales, mut linear) = (vec![1.0; model.v_count], vec![false; model.v_count]);
    for e in model.coordinates.iter().filter(|e| e.shape.kind != ItemKind::Other) {
        let width = e.shape.v_per_item;
        for first in e.v_range().step_by(width) {
            let scale = match e.shape.kind {
                ItemKind::Body => {
                    // The largest moment of inertia has the least inverse.
                    let turns = inverse[first + 3..first + width].iter();
                    let gyration = (inverse[first] / turns.fold(f64::INFINITY, |m, i| m.min(*i))).sqrt();
                    if gyration > 0.0 && gyration.is_finite() { gyration } else { extent }
                }
                _ => extent,
            };
            scales[first..first + 3].fill(scale);
            linear[first..first + 3].fill(true);
        }
    }
    (scales, linear)
}
