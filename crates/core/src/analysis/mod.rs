//! Analyses other than time integration: consistent initial conditions, driven kinematics, statics, load paths,
//! linearization.

mod assembly;
mod floating;
mod kinematics;
mod linearization;
mod load_path;
mod modes;
mod rounding;
mod statics;

use std::fmt;

use crate::contract::RowRequest;
use crate::model::Model;
use crate::subject::Subject;
use crate::system::System;

pub use assembly::{AssemblyReport, Moved, assemble, check_start};
pub use floating::check_floating;
pub use kinematics::Kinematics;
pub use linearization::{Linearization, linearize};
pub use load_path::{LoadPathMethod, LoadPathReport, LoadPathSettings, load_path};
pub use modes::{BucklingModes, NaturalModes, buckling, modes};
pub use statics::{StaticsReport, StaticsSettings, equilibrium};

/// A violated constraint and its residual.
#[derive(Clone, Debug, PartialEq)]
pub struct Misfit {
    /// The constraint.
    pub constraint: Subject,
    /// Largest residual of its rows [m or rad, or their rates].
    pub residual: f64,
}

impl fmt::Display for Misfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} misses by {:.3e}", self.constraint, self.residual)
    }
}

/// The constraints with the largest residuals above `tolerance`, worst first, at most five.
fn misfits(model: &Model, residuals: &[f64], tolerance: f64) -> Vec<Misfit> {
    let mut found: Vec<Misfit> = Vec::new();
    for (row, r) in residuals.iter().enumerate() {
        if r.abs() > tolerance || !r.is_finite() {
            let constraint = model.constraint_name(row);
            match found.iter_mut().find(|m| m.constraint == constraint) {
                Some(m) => m.residual = m.residual.max(r.abs()),
                None => found.push(Misfit { constraint, residual: r.abs() }),
            }
        }
    }
    found.sort_by(|a, b| b.residual.total_cmp(&a.residual));
    found.truncate(5);
    found
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, v| if v.is_finite() { m.max(v.abs()) } else { f64::INFINITY })
}

/// Residuals at the system's point.
fn residuals_at(system: &mut System, history: &[f64], request: RowRequest, out: &mut [f64]) {
    system.update(history);
    system.rows(history, request);
    system.residuals(out);
}
