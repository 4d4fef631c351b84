//! The solver of the cone problem, kept between steps, and the outer loop of Coulomb friction.

use huygens_exec::Exec;
use huygens_solve::{ConeProblem, ConeReport, ConeSolver, SOLVERS, SolveError, SolverKind, SolverSettings};

use crate::contact::{FrictionModel, RigidRows, RigidSettings};
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

    /// Solves once, or for Coulomb friction until the sliding speeds settle; `bias` and `slip` are work space.
    pub fn solve(
        &mut self,
        ex: &Exec,
        problem: &ConeProblem<'_>,
        contacts: &RigidRows,
        settings: &RigidSettings,
        tolerance: f64,
        velocity: &mut [f64],
        impulse: &mut [f64],
        [bias, slip]: [&mut Vec<f64>; 2],
    ) -> std::result::Result<ConeReport, SolveError> {
        if impulse.is_empty() {
            velocity.copy_from_slice(problem.free_velocity);
            return Ok(ConeReport { iterations: 0, products: 0, residual: 0.0, converged: true });
        }
        let solver = self.0.as_mut();
        solver.set_tolerance(tolerance);
        let mut report = solver.solve(ex, problem, velocity, impulse)?;
        if settings.friction == FrictionModel::Relaxed {
            return Ok(report);
        }
        bias.clear();
        bias.extend_from_slice(problem.bias);
        slip.resize(impulse.len(), 0.0);
        for iteration in 0..=settings.friction_iterations {
            problem.apply_rows(ex, velocity, slip);
            let change = contacts.correct_friction(bias, slip);
            if change <= tolerance {
                break;
            }
            if iteration == settings.friction_iterations {
                (report.converged, report.residual) = (false, report.residual.max(change));
                break;
            }
            let next = solver.solve(ex, &ConeProblem { bias, ..*problem }, velocity, impulse)?;
            report = ConeReport {
                iterations: report.iterations + next.iterations,
                products: report.products + next.products,
                ..next
            };
        }
        Ok(report)
    }
}

/// Names in words.
fn one_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    names.into_iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ")
}
