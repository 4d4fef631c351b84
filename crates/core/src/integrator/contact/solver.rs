//! The solver of the cone problem, kept between steps, and the outer loop of Coulomb friction.

use huygens_exec::Exec;
use huygens_solve::{
    ConeProblem, ConeReport, ConeSolver, SolveError, SolverApgd, SolverInteriorPoint, SolverPsor,
};

use crate::contact::{ConeMethod, FrictionModel, RigidRows, RigidSettings};

/// A solver of the chosen kind.
pub(super) enum Solver {
    Apgd(SolverApgd),
    Psor(SolverPsor),
    InteriorPoint(SolverInteriorPoint),
}

impl Solver {
    pub fn new(settings: &RigidSettings) -> Self {
        let most = settings.max_iterations;
        match settings.solver {
            ConeMethod::Apgd => Self::Apgd(SolverApgd::new(most, 0.0)),
            ConeMethod::Psor => {
                let mut solver = SolverPsor::new(most, 0.0);
                solver.relaxation = settings.relaxation;
                Self::Psor(solver)
            }
            ConeMethod::InteriorPoint => Self::InteriorPoint(SolverInteriorPoint::new(most, 0.0)),
        }
    }

    /// As all solvers are seen.
    pub fn as_cone_solver(&self) -> &dyn ConeSolver {
        match self {
            Self::Apgd(s) => s,
            Self::Psor(s) => s,
            Self::InteriorPoint(s) => s,
        }
    }

    fn with_tolerance(&mut self, tolerance: f64) -> &mut dyn ConeSolver {
        match self {
            Self::Apgd(s) => {
                s.tolerance = tolerance;
                s
            }
            Self::Psor(s) => {
                s.tolerance = tolerance;
                s
            }
            Self::InteriorPoint(s) => {
                s.tolerance = tolerance;
                s
            }
        }
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
    ) -> Result<ConeReport, SolveError> {
        if impulse.is_empty() {
            velocity.copy_from_slice(problem.free_velocity);
            return Ok(ConeReport { iterations: 0, products: 0, residual: 0.0, converged: true });
        }
        let solver = self.with_tolerance(tolerance);
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
