//! The linear solvers behind the Newton matrix.

use huygens_exec::Exec;
use huygens_solve::krylov::KrylovLimits;
use huygens_solve::{
    BlockLu, BlockMatrix, BlockPattern, Preconditioner, SolveError, SolverBicgstab, SolverCg, SolverGmres,
    SolverMinres, SparseCholesky, SparseLower, SparseLu, SparseMatrix, SparseParallelism,
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
    /// Sparse LDLᵀ in an order of nested dissection (george1973): meshes. Takes the matrix as symmetric and refines.
    SparseCholesky,
    /// Conjugate gradients (hestenes1952) with an incomplete factor: large meshes of solids whose supports are fixed
    /// nodes. Takes no joints or other constraint rows.
    Cg {
        /// Residual relative to the right-hand side.
        #[serde(default = "default_tolerance")]
        tolerance: f64,
        /// Most iterations.
        #[serde(default = "default_iterations")]
        max_iterations: usize,
    },
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

/// Diagonal preconditioner: masses for columns, the diagonal of $C M^{-1} C^T$ for rows.
#[derive(Default)]
struct Diagonal(Vec<f64>);

impl Preconditioner for Diagonal {
    fn apply(&self, _ex: &Exec, r: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(r.iter().zip(&self.0)).for_each(|(z, (r, d))| *z = r * d);
    }
}

/// A direct solution that leaves more than this of the right-hand side is refined.
const REFINED: f64 = 1e-10;
/// Unknowns from which sparse factors are made in parallel.
const PARALLEL: usize = 10_000;

enum Backend {
    Block,
    Sparse(Option<(SparseMatrix, SparseLu)>),
    Cholesky(Option<(SparseLower, SparseCholesky)>),
    Cg(SolverCg),
    Gmres(SolverGmres),
    Bicgstab(SolverBicgstab),
    Minres(SolverMinres),
}

/// A factored (or preconditioned) matrix.
pub(crate) struct Factors {
    pattern: BlockPattern,
    /// Made when it is first needed: its analysis is slow for meshes.
    lu: Option<BlockLu>,
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
            LinearSolver::SparseCholesky => Backend::Cholesky(None),
            LinearSolver::Cg { tolerance, max_iterations } => {
                Backend::Cg(SolverCg::new(limits(tolerance, max_iterations)))
            }
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
        Self {
            pattern: pattern.clone(),
            lu: None,
            backend,
            preconditioner: Diagonal::default(),
            x: Vec::new(),
        }
    }

    /// Whether dependent rows are found by small pivots (only block LU does).
    pub fn finds_dependent_rows(&self) -> bool {
        matches!(self.backend, Backend::Block)
    }

    pub fn block_lu(&mut self) -> &mut BlockLu {
        self.lu.get_or_insert_with(|| BlockLu::new(&self.pattern))
    }

    pub fn safe_order(&self) -> bool {
        self.lu.as_ref().is_some_and(BlockLu::safe_order)
    }

    /// A function of the model alone, so that results do not depend on the number of threads.
    fn parallelism(&self) -> SparseParallelism {
        let large = self.pattern.dimension() > PARALLEL;
        if large { SparseParallelism::Fixed } else { SparseParallelism::Serial }
    }

    /// Prepares solutions; `row_scale` is the diagonal of $C M^{-1} C^T$. Returns the number of tiny pivots.
    pub fn factor(
        &mut self,
        ex: &Exec,
        matrix: &BlockMatrix,
        columns: usize,
        row_scale: &[f64],
    ) -> Result<usize, SolveError> {
        let parallelism = self.parallelism();
        match &mut self.backend {
            Backend::Block => self.block_lu().factor(matrix).map(|report| report.tiny_pivots),
            Backend::Cg(solver) => solver.factor(matrix).map(|()| 0),
            Backend::Cholesky(factored) => {
                let (lower, factor) = match factored {
                    Some(pair) => pair,
                    None => {
                        let lower = SparseLower::new(matrix.pattern());
                        let order = SparseLower::dissection(matrix.pattern());
                        let factor = SparseCholesky::with_order(lower.matrix(), &order, parallelism)?;
                        factored.insert((lower, factor))
                    }
                };
                lower.fill(matrix);
                with_threads(ex, parallelism, || factor.factor(lower.matrix())).map(|()| 0)
            }
            Backend::Sparse(factored) => {
                let (sparse, lu) = match factored {
                    Some(pair) => pair,
                    None => {
                        let sparse = SparseMatrix::from_block(matrix)?;
                        let lu = SparseLu::new(&sparse, parallelism)?;
                        factored.insert((sparse, lu))
                    }
                };
                sparse.fill_from_block(matrix);
                with_threads(ex, parallelism, || lu.factor(sparse)).map(|()| 0)
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
        let parallelism = self.parallelism();
        let p = &self.preconditioner;
        let done = match &mut self.backend {
            Backend::Block => return self.block_lu().solve(b),
            Backend::Sparse(Some((_, lu))) => with_threads(ex, parallelism, || lu.solve(b)).is_ok(),
            Backend::Cholesky(Some((_, factor))) => {
                with_threads(ex, parallelism, || solve_refined(matrix, factor, b, &mut self.x))
            }
            Backend::Sparse(None) | Backend::Cholesky(None) => false,
            Backend::Cg(solver) => {
                self.x.clear();
                self.x.resize(b.len(), 0.0);
                let report = solver.solve(matrix, b, &mut self.x);
                b.copy_from_slice(&self.x);
                report.is_ok()
            }
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

/// Runs on the threads of `ex` what splits its work itself.
fn with_threads<R: Send>(ex: &Exec, parallelism: SparseParallelism, f: impl FnOnce() -> R + Send) -> R {
    if parallelism == SparseParallelism::Fixed { ex.install(f) } else { f() }
}

/// Solves with the factor of the lower triangle and corrects what the whole matrix still leaves.
fn solve_refined(matrix: &BlockMatrix, factor: &mut SparseCholesky, b: &mut [f64], x: &mut Vec<f64>) -> bool {
    let size = |r: &[f64]| r.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let goal = REFINED * size(b);
    x.clear();
    x.extend_from_slice(b);
    if factor.solve(x).is_err() {
        return false;
    }
    let mut left = vec![0.0; b.len()];
    let mut last = f64::INFINITY;
    for _ in 0..4 {
        matrix.mul(x, &mut left);
        left.iter_mut().zip(b.iter()).for_each(|(r, b)| *r = b - *r);
        let now = size(&left);
        if now <= goal || now > 0.5 * last || factor.solve(&mut left).is_err() {
            break;
        }
        last = now;
        x.iter_mut().zip(&left).for_each(|(x, d)| *x += d);
    }
    b.copy_from_slice(x);
    true
}
