//! The linear solvers behind the Newton matrix.

use huygens_exec::Exec;
use huygens_solve::krylov::KrylovLimits;
use huygens_solve::{
    BlockLu, BlockMatrix, BlockPattern, Preconditioner, SolveError, SolverBicgstab, SolverGmres,
    SolverMinres, SparseLu, SparseMatrix, SparseParallelism,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the linear systems of implicit steps are solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum LinearSolver {
    /// Block LU that eliminates along the mechanism: linear cost for chains and trees, the fastest for joints.
    #[default]
    Block,
    /// General sparse LU with pivoting, symbolic analysis reused.
    SparseLu,
    /// Restarted GMRES (saad1986), preconditioned by the diagonal.
    Gmres {
        /// Residual relative to the right-hand side.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
        /// Most iterations.
        #[serde(default = "default_iterations")]
        max_iterations: usize,
        /// Iterations between restarts.
        #[serde(default = "default_restart")]
        restart: usize,
    },
    /// BiCGStab (vandervorst1992), preconditioned by the diagonal.
    Bicgstab {
        /// Residual relative to the right-hand side.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
        /// Most iterations.
        #[serde(default = "default_iterations")]
        max_iterations: usize,
    },
    /// MINRES (paige1975), preconditioned by the diagonal; takes the matrix as symmetric, which it is but for
    /// gyroscopic terms that Newton's method then corrects.
    Minres {
        /// Residual relative to the right-hand side.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
        /// Most iterations.
        #[serde(default = "default_iterations")]
        max_iterations: usize,
    },
}

impl LinearSolver {
    /// Tolerance, most iterations and restart of an iterative solver.
    pub(crate) fn limits(&self) -> Option<(f64, usize, usize)> {
        match *self {
            Self::Block | Self::SparseLu => None,
            Self::Gmres { tolerance, max_iterations, restart } => Some((tolerance, max_iterations, restart)),
            Self::Bicgstab { tolerance, max_iterations } | Self::Minres { tolerance, max_iterations } => {
                Some((tolerance, max_iterations, 1))
            }
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

/// Diagonal preconditioner: masses for columns, the diagonal of $C M^{-1} C^T$ for rows.
#[derive(Default)]
struct Diagonal(Vec<f64>);

impl Preconditioner for Diagonal {
    fn apply(&self, _ex: &Exec, r: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(r.iter().zip(&self.0)).for_each(|(z, (r, d))| *z = r * d);
    }
}

enum Backend {
    Block,
    Sparse(Option<(SparseMatrix, SparseLu)>),
    Gmres(SolverGmres),
    Bicgstab(SolverBicgstab),
    Minres(SolverMinres),
}

/// A factored (or preconditioned) matrix.
pub(crate) struct Factors {
    lu: BlockLu,
    backend: Backend,
    preconditioner: Diagonal,
    x: Vec<f64>,
}

impl Factors {
    pub fn new(pattern: &BlockPattern, solver: LinearSolver) -> Self {
        let limits = |tolerance, max_iterations| KrylovLimits { tolerance, max_iterations };
        let backend = match solver {
            LinearSolver::Block => Backend::Block,
            LinearSolver::SparseLu => Backend::Sparse(None),
            LinearSolver::Gmres { tolerance, max_iterations, restart } => {
                Backend::Gmres(SolverGmres::new(limits(tolerance, max_iterations), restart))
            }
            LinearSolver::Bicgstab { tolerance, max_iterations } => {
                Backend::Bicgstab(SolverBicgstab::new(limits(tolerance, max_iterations)))
            }
            LinearSolver::Minres { tolerance, max_iterations } => {
                Backend::Minres(SolverMinres::new(limits(tolerance, max_iterations)))
            }
        };
        Self { lu: BlockLu::new(pattern), backend, preconditioner: Diagonal::default(), x: Vec::new() }
    }

    /// Whether dependent rows are found by small pivots (only block LU does).
    pub fn finds_dependent_rows(&self) -> bool {
        matches!(self.backend, Backend::Block)
    }

    pub fn block_lu(&mut self) -> &mut BlockLu {
        &mut self.lu
    }

    pub fn safe_order(&self) -> bool {
        self.lu.safe_order()
    }

    /// Prepares solutions; `row_scale` is the diagonal of $C M^{-1} C^T$. Returns the number of tiny pivots.
    pub fn factor(
        &mut self,
        matrix: &BlockMatrix,
        columns: usize,
        row_scale: &[f64],
    ) -> Result<usize, SolveError> {
        match &mut self.backend {
            Backend::Block => self.lu.factor(matrix).map(|report| report.tiny_pivots),
            Backend::Sparse(factored) => {
                let (sparse, lu) = match factored {
                    Some(pair) => pair,
                    None => {
                        let sparse = SparseMatrix::from_block(matrix)?;
                        let lu = SparseLu::new(&sparse, SparseParallelism::Serial)?;
                        factored.insert((sparse, lu))
                    }
                };
                sparse.fill_from_block(matrix);
                lu.factor(sparse).map(|()| 0)
            }
            _ => {
                self.preconditioner.0.clear();
                let pattern = matrix.pattern();
                for block in 0..pattern.block_count() {
                    let (n, first) = (pattern.size(block), pattern.offset(block));
                    let values = matrix.block(block, block);
                    self.preconditioner.0.extend((0..n).map(|k| {
                        let d =
                            if first < columns { values[k * n + k] } else { row_scale[first - columns + k] };
                        1.0 / d.abs().max(1e-300)
                    }));
                }
                Ok(0)
            }
        }
    }

    /// Solves in place. An iteration that ends short of its tolerance leaves the rest to Newton's method.
    pub fn solve(&mut self, ex: &Exec, matrix: &BlockMatrix, b: &mut [f64]) {
        let p = &self.preconditioner;
        let done = match &mut self.backend {
            Backend::Block => return self.lu.solve(b),
            Backend::Sparse(Some((_, lu))) => lu.solve(b).is_ok(),
            Backend::Sparse(None) => false,
            krylov => {
                self.x.clear();
                self.x.resize(b.len(), 0.0);
                let report = match krylov {
                    Backend::Gmres(s) => s.solve(ex, matrix, p, b, &mut self.x),
                    Backend::Bicgstab(s) => s.solve(ex, matrix, p, b, &mut self.x),
                    Backend::Minres(s) => s.solve(ex, matrix, p, b, &mut self.x),
                    _ => unreachable!("direct solvers are handled above"),
                };
                b.copy_from_slice(&self.x);
                report.is_ok()
            }
        };
        if !done {
            b.fill(f64::NAN);
        }
    }
}
