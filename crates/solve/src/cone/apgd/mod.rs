//! Accelerated projected gradient descent.

mod body_pass;
mod contact_pass;
mod fused;
mod general;
mod parts;
mod prepare_pass;
mod sparse_pass;

use super::problem::{ConeProblem, ConeReport, ConeSolver};
use super::registry::SolverKind;
use crate::SolveError;
use fused::{Fused, Limits};
use general::Work;
use huygens_exec::Exec;

/// Accelerated projected gradient descent (`mazhar2015`) with backtracking, adaptive restart and warm start.
///
/// Where the inverse inertia consists of bodies and rows are contacts or stored entries, the iteration runs in world
/// axes, four contacts at once, with one loop over contacts and one over bodies, in a metric that is diagonal along and
/// perpendicular to each normal, which keeps cones circular. It takes 272 bytes per contact, or 528 with rolling, in
/// addition to its [`PairRows`](super::PairRows). All other problems use a general path, with vectors over all rows.
///
/// The result is the iterate with the smallest residual ‖γ − Π(γ − g (Nγ + r))‖ / (n_c g), with g the inverse of the
/// first estimate of ‖N‖ and n_c the number of cones. It has the dimension of a velocity.
#[derive(Clone, Debug)]
pub struct SolverApgd {
    /// Largest number of iterations.
    pub max_iterations: usize,
    /// Residual at which to stop [m/s].
    pub tolerance: f64,
    fused: Fused,
    general: Work,
}

impl SolverApgd {
    /// With an iteration limit and a velocity tolerance [m/s].
    pub fn new(max_iterations: usize, tolerance: f64) -> Self {
        Self { max_iterations, tolerance, fused: Fused::default(), general: Work::default() }
    }
}

/// The row of the list of solvers.
pub(super) const KIND: SolverKind = SolverKind {
    name: "apgd",
    operators: true,
    make: |s| Box::new(SolverApgd::new(s.max_iterations, s.tolerance)),
};

impl ConeSolver for SolverApgd {
    fn name(&self) -> &'static str {
        KIND.name
    }

    fn set_tolerance(&mut self, tolerance: f64) {
        self.tolerance = tolerance;
    }

    fn refusal(&self, _: &ConeProblem<'_>) -> Option<&'static str> {
        None
    }

    fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        v: &mut [f64],
        l: &mut [f64],
    ) -> Result<ConeReport, SolveError> {
        problem.check_with(v, l)?;
        let limits = Limits { max_iterations: self.max_iterations, tolerance: self.tolerance };
        let report = match self.fused.solve(ex, problem, limits, v, l) {
            Some(report) => report?,
            None => self.general.solve(ex, problem, limits, v, l)?,
        };
        match v.iter().position(|x| !x.is_finite()) {
            Some(block) => Err(SolveError::NonFinite { block }),
            None => Ok(report),
        }
    }
}
