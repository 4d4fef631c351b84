//! Cone-constrained quadratic problems: contact, friction, unilateral and bilateral rows in one system.
//!
//! The dual problem is
//! $$\min_{\gamma \in \mathcal{K}} \tfrac12 \gamma^T N \gamma + r^T \gamma, \qquad
//!   N = D H^{-1} D^T + E, \quad r = D v_{free} + b,$$
//! and the velocity is $v = v_{free} + H^{-1} D^T \gamma$. A solver receives only a [`ConeProblem`]. [`SOLVERS`] lists
//! them all.

mod apgd;
mod interior_point;
mod motion;
mod problem;
mod projection;
mod projection_lanes;
mod psor;
mod registry;
mod rows;
mod share;

/// All solvers. A new one is a module with its [`SolverKind`], and an entry here.
pub const SOLVERS: &[SolverKind] = &[apgd::KIND, psor::KIND, interior_point::KIND];

// Closures may stay calls, and then be compiled without the instruction set of their caller; macros may not.

/// `[expression of part; PARTS]`, with one or two `PARTS`.
macro_rules! parts {
    ($part:ident => $expression:expr) => {{
        let first = {
            let $part = 0_usize;
            $expression
        };
        let mut all = [first; PARTS];
        if PARTS == 2 {
            let $part = 1_usize;
            all[PARTS - 1] = $expression;
        }
        all
    }};
}
pub(crate) use parts;

pub use apgd::SolverApgd;
pub use interior_point::SolverInteriorPoint;
pub use problem::{
    BodyInverse, ConeProblem, ConeReport, ConeSolver, InverseInertia, InverseInertiaBlocks,
    InverseInertiaBodies,
};
pub use projection::{Cone, FrictionLaw};
pub use psor::SolverPsor;
pub use registry::{SolverKind, SolverSettings};
pub use rows::{PairContact, PairRows, RowBlock, RowOperator, SparseRows};
