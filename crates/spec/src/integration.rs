//! How the state moves: integrators, Newton's method, linear solvers, step-size control.

use huygens_spec::Tagged;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Which method moves the state.
#[derive(Clone, Copy, Debug, PartialEq, Tagged)]
#[tagged(object = "integrator")]
pub enum Integrator {
    /// Generalized-α on the index-3 equations (chung1993, arnold2007): second order, damping of high
    /// frequencies set by the spectral radius at infinity.
    GeneralizedAlpha {
        /// Spectral radius at infinity, 0 (most damping) to 1 (none).
        #[tagged(default = default_rho)]
        rho: f64,
    },
    /// Hilber–Hughes–Taylor on the index-3 equations (hilber1977, negrut2007).
    Hht {
        /// α from −1/3 (most damping) to 0 (trapezoidal rule).
        #[tagged(default = default_hht_alpha)]
        alpha: f64,
    },
    /// Newmark on the index-3 equations (newmark1959).
    Newmark {
        /// β; ¼(γ+½)² is the smallest unconditionally stable value.
        #[tagged(default = default_newmark_beta)]
        beta: f64,
        /// γ; ½ has second order and no damping, larger values damp at first order.
        #[tagged(default = default_newmark_gamma)]
        gamma: f64,
    },
    /// Linearly implicit Euler at velocity level with constraint stabilization (anitescu2006): first order;
    /// treats unilateral constraints as complementarity.
    Euler,
    /// As `euler`, with positions projected onto the constraints after each step instead of stabilization.
    EulerProjected,
    /// Classical fourth-order Runge–Kutta on the rotation group, for unconstrained systems.
    Rk4,
    /// Heun's second-order method, for unconstrained systems.
    Heun,
    /// Kick–drift–kick leapfrog, second order, for unconstrained systems.
    Leapfrog,
}

fn default_rho() -> f64 {
    0.8
}
fn default_hht_alpha() -> f64 {
    -0.1
}
fn default_newmark_beta() -> f64 {
    0.25
}
fn default_newmark_gamma() -> f64 {
    0.5
}

impl Default for Integrator {
    fn default() -> Self {
        Self::GeneralizedAlpha { rho: default_rho() }
    }
}

impl Integrator {
    /// The name used in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::GeneralizedAlpha { .. } => "generalized_alpha",
            Self::Hht { .. } => "hht",
            Self::Newmark { .. } => "newmark",
            Self::Euler => "euler",
            Self::EulerProjected => "euler_projected",
            Self::Rk4 => "rk4",
            Self::Heun => "heun",
            Self::Leapfrog => "leapfrog",
        }
    }
}

/// When the Newton matrix is rebuilt.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Refresh {
    /// When convergence has become slow, across steps.
    #[default]
    Adaptive,
    /// Once at the start of every step (and when convergence is slow).
    EveryStep,
    /// At every iteration: full Newton.
    EveryIteration,
}

/// Settings of Newton's method in the implicit integrators.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Newton {
    /// Largest position error left by the iteration [m or rad].
    pub tolerance: f64,
    /// Largest error of accelerations and of reactions left by the iteration, relative to the largest of them.
    pub acceleration_tolerance: f64,
    /// Iterations after which the step fails.
    pub max_iterations: usize,
    /// When the matrix is rebuilt.
    pub refresh: Refresh,
    /// How its linear systems are solved (those of `euler` too).
    pub solver: LinearSolver,
}

impl Default for Newton {
    fn default() -> Self {
        Self {
            tolerance: 1e-10,
            acceleration_tolerance: 1e-7,
            max_iterations: 40,
            refresh: Refresh::Adaptive,
            solver: LinearSolver::Block,
        }
    }
}

/// Step-size control by the local error of the positions, for the index-3 integrators.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepControl {
    /// Local error allowed in one step [m or rad].
    pub tolerance: f64,
    /// Smallest step [s].
    pub min_step: f64,
    /// Largest step [s].
    pub max_step: f64,
}

/// How the linear systems of implicit steps are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Tagged)]
#[tagged(object = "linear solver")]
pub enum LinearSolver {
    /// Block LU that eliminates along the mechanism: linear cost for chains and trees, the fastest for joints.
    #[default]
    Block,
    /// General sparse LU with pivoting, symbolic analysis reused.
    SparseLu,
    /// Sparse LDLᵀ in an order of nested dissection (george1973): meshes. Takes the matrix as symmetric and refines.
    SparseCholesky,
    /// Conjugate gradients (hestenes1952) with an incomplete factor: large meshes of solids whose supports are fixed
    /// nodes. Takes no joints or other constraint rows.
    Cg {
        /// Residual relative to the right-hand side.
        #[tagged(default = default_tolerance)]
        tolerance: f64,
        /// Most iterations.
        #[tagged(default = default_iterations)]
        max_iterations: usize,
    },
    /// Restarted GMRES (saad1986), preconditioned by the diagonal.
    Gmres {
        /// Residual relative to the right-hand side.
        #[tagged(default = default_tolerance)]
        tolerance: f64,
        /// Most iterations.
        #[tagged(default = default_iterations)]
        max_iterations: usize,
        /// Iterations between restarts.
        #[tagged(default = default_restart)]
        restart: usize,
    },
    /// BiCGStab (vandervorst1992), preconditioned by the diagonal.
    Bicgstab {
        /// Residual relative to the right-hand side.
        #[tagged(default = default_tolerance)]
        tolerance: f64,
        /// Most iterations.
        #[tagged(default = default_iterations)]
        max_iterations: usize,
    },
    /// MINRES (paige1975), preconditioned by the diagonal; takes the matrix as symmetric, which it is but for
    /// gyroscopic terms that Newton's method then corrects.
    Minres {
        /// Residual relative to the right-hand side.
        #[tagged(default = default_tolerance)]
        tolerance: f64,
        /// Most iterations.
        #[tagged(default = default_iterations)]
        max_iterations: usize,
    },
}

impl LinearSolver {
    /// Tolerance, most iterations and restart of an iterative solver.
    pub fn limits(&self) -> Option<(f64, usize, usize)> {
        match *self {
            Self::Block | Self::SparseLu | Self::SparseCholesky => None,
            Self::Gmres { tolerance, max_iterations, restart } => Some((tolerance, max_iterations, restart)),
            Self::Bicgstab { tolerance, max_iterations }
            | Self::Minres { tolerance, max_iterations }
            | Self::Cg { tolerance, max_iterations } => Some((tolerance, max_iterations, 1)),
        }
    }
}

fn default_tolerance() -> f64 {
    1e-10
}
fn default_iterations() -> usize {
    2000
}
fn default_restart() -> usize {
    100
}
