//! The solver of the cone problem, kept between steps.

use huygens_exec::Exec;
use huygens_solve::{ConeProblem, ConeReport, ConeSolver, SOLVERS, SolveError, SolverKind, SolverSettings};

use crate::contact::RigidSettings;
use crate::error::{CoreError, Result};

/// A solver of the chosen kind.
pub(super) struct Solver(Box<dyn ConeSolver>);

impl Solver {
    pub fn new(settings: &RigidSettings) -> Result<Self> {
        let name = settings.solver.name();
        let kind = SolverKind::named(name).ok_or_else(|| CoreError::Unsupported {
            integrator: format!("the contact solver `{name}`"),
            reason: format!("there is none of that name; use {}", one_of(SOLVERS.iter().map(|k| k.name))),
        })?;
        Ok(Self((kind.make)(&SolverSettings {
            max_iterations: settings.max_iterations,
            tolerance: 0.0,
            relaxation: settings.relaxation,
            friction_iterations: settings.friction_iterations,
        })))
    }

    /// Whether it works on the blocks of H⁻¹; see [`ConeSolver::needs_blocks`].
    pub fn needs_blocks(&self) -> bool {
        self.0.needs_blocks()
    }

    /// Why it cannot take a problem, if it cannot: what the problem has, and which solver to use.
    pub fn refusal(&self, problem: &ConeProblem<'_>) -> Option<CoreError> {
        let what = self.0.refusal(problem)?;
        Some(CoreError::Unsupported {
            integrator: format!("the contact solver `{}`", self.0.name()),
            reason: format!(
                "it does not support {what}, which flexible parts, shafts and constraint fluids require; use the solver {}",
                one_of(SolverKind::supporting(problem))
            ),
        })
    }

    /// Solves the problem, if it has rows.
    pub fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        tolerance: f64,
        velocity: &mut [f64],
        impulse: &mut [f64],
    ) -> std::result::Result<ConeReport, SolveError> {
        if impulse.is_empty() {
            velocity.copy_from_slice(problem.free_velocity);
            return Ok(ConeReport { iterations: 0, products: 0, residual: 0.0, converged: true });
        }
        self.0.set_tolerance(tolerance);
        self.0.solve(ex, problem, velocity, impulse)
    }
}

/// Names in words.
fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
