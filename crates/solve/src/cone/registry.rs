//! What settings, benchmarks and the command line know of cone solvers.

use super::{ConeProblem, ConeSolver, SOLVERS};

/// What settings tell a solver; each takes what it has a use for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolverSettings {
    /// Most iterations.
    pub max_iterations: usize,
    /// Residual at which to stop [m/s].
    pub tolerance: f64,
    /// Over-relaxation, above 0 and below 2.
    pub relaxation: f64,
    /// Most relaxed problems that a solver takes for Coulomb's law, if it cannot solve it at once.
    pub friction_iterations: usize,
}

impl Default for SolverSettings {
    fn default() -> Self {
        Self { max_iterations: 100, tolerance: 0.0, relaxation: 1.0, friction_iterations: 20 }
    }
}

/// A solver that can be asked for by its name.
#[derive(Clone, Copy)]
pub struct SolverKind {
    /// What settings call it.
    pub name: &'static str,
    /// Whether it solves rows of any number of which only products are known, as those of a constraint fluid.
    pub operators: bool,
    /// Makes one.
    pub make: fn(&SolverSettings) -> Box<dyn ConeSolver>,
}

impl SolverKind {
    /// The solver of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        SOLVERS.iter().find(|kind| kind.name == name)
    }

    /// Names of the solvers that support a problem.
    pub fn supporting(problem: &ConeProblem<'_>) -> Vec<&'static str> {
        let supports = |kind: &&SolverKind| (kind.make)(&SolverSettings::default()).supports(problem);
        SOLVERS.iter().filter(supports).map(|kind| kind.name).collect()
    }
}
