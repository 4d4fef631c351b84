//! The linear solvers behind the Newton matrix.

use std::sync::Mutex;

use huygens_exec::Exec;
use huygens_solve::krylov::KrylovLimits;
use huygens_solve::{
    BlockLu, BlockMatrix, BlockPattern, Preconditioner, SolveError, SolverBicgstab, SolverCg, SolverGmres,
    SolverMinres, SparseCholesky, SparseLower, SparseLu, SparseMatrix, SparseParallelism,
};
use huygens_spec::LinearSolver;

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
/// Residual that a solution may leave, relative to its forces: rounding.
const BACKWARD: f64 = 1e-11;
/// Iterations that correct the factor of an unsymmetric matrix' lower triangle, and those between restarts.
const UNSYMMETRIC: (usize, usize) = (200, 50);

/// Largest number of unknowns of a singular matrix for which the weakest block is sought.
const NAMED: usize = 150_000;

/// Shift of the matrix in which a singular one's weakest block is found.
const SHIFT: f64 = 1e-12;

/// How well a system must be solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// To the solver's tolerance.
    Solution,
    /// To the accuracy of one pass: the outer iteration corrects the rest.
    Correction,
}

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
    left: Vec<f64>,
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
            left: Vec::new(),
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

    /// Prepares solutions; `row_scale` is the diagonal of $C M^{-1} C^T$. Returns the number of tiny pivots.
    pub fn factor(
        &mut self,
        ex: &Exec,
        matrix: &BlockMatrix,
        columns: usize,
        row_scale: &[f64],
    ) -> Result<usize, SolveError> {
        match &mut self.backend {
            Backend::Block => self.block_lu().factor_on(ex, matrix).map(|report| report.tiny_pivots),
            Backend::Cg(solver) => solver.factor(matrix).map(|()| 0),
            Backend::Cholesky(factored) => {
                let (lower, factor) = match factored {
                    Some(pair) => pair,
                    None => {
                        let lower = SparseLower::new(matrix.pattern());
                        let order = SparseLower::dissection_on(ex, matrix.pattern())?;
                        let by_work = SparseParallelism::ByWork;
                        let factor = SparseCholesky::with_order_on(ex, lower.matrix(), &order, by_work)?;
                        factored.insert((lower, factor))
                    }
                };
                lower.fill(matrix);
                factor.factor_on(ex, lower.matrix()).map(|()| 0)
            }
            Backend::Sparse(factored) => {
                let (sparse, lu) = match factored {
                    Some(pair) => pair,
                    None => {
                        let sparse = SparseMatrix::from_block(matrix)?;
                        let lu = SparseLu::new_on(ex, &sparse, SparseParallelism::Serial)?;
                        factored.insert((sparse, lu))
                    }
                };
                sparse.fill_from_block(matrix);
                lu.factor_on(ex, sparse).map(|()| 0)
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

    /// The block that moves most under small forces when the matrix is singular: inverse iteration with a matrix that
    /// is shifted by rounding. None where even that has no factor, and where finding it would take longer than anyone
    /// waits for a message.
    pub fn weakest_block(&self, ex: &Exec, matrix: &BlockMatrix, columns: usize) -> Option<usize> {
        let pattern = matrix.pattern();
        if pattern.dimension() > NAMED {
            return None;
        }
        let mut shifted = matrix.clone();
        let places = |block: usize| {
            let (n, slot) = (pattern.size(block), matrix.slot(block, block));
            (0..n).map(move |k| slot + k * n + k)
        };
        let count = pattern.block_count();
        if let Some(block) = (0..count).find(|&b| places(b).any(|k| !matrix.values()[k].is_finite())) {
            return Some(block);
        }
        let sizes = (0..count).flat_map(places).map(|k| matrix.values()[k].abs());
        let shift = SHIFT * sizes.fold(0.0, f64::max).max(1e-300);
        for block in 0..count {
            let sign = if pattern.offset(block) < columns { 1.0 } else { -1.0 };
            places(block).for_each(|k| shifted.values_mut()[k] += sign * shift);
        }
        let sparse = SparseMatrix::from_block(&shifted).ok()?;
        let mut lu = SparseLu::new_on(ex, &sparse, SparseParallelism::Serial).ok()?;
        lu.factor_on(ex, &sparse).ok()?;
        let mut x: Vec<f64> = (0..pattern.dimension()).map(|k| 1.0 + 0.5 * (k as f64).sin()).collect();
        lu.solve(&mut x).ok()?;
        let size = |block: usize| largest(&x[pattern.offset(block)..][..pattern.size(block)]);
        (0..count).max_by(|&a, &b| size(a).total_cmp(&size(b)).then(b.cmp(&a)))
    }

    /// Solves in place; where that fails, `b` is not a number.
    pub fn solve(
        &mut self,
        ex: &Exec,
        matrix: &BlockMatrix,
        b: &mut [f64],
        demand: Demand,
    ) -> Result<(), SolveError> {
        let result = self.try_solve(ex, matrix, b, demand);
        if result.is_err() {
            b.fill(f64::NAN);
        }
        result
    }

    fn try_solve(
        &mut self,
        ex: &Exec,
        matrix: &BlockMatrix,
        b: &mut [f64],
        demand: Demand,
    ) -> Result<(), SolveError> {
        self.x.clear();
        self.x.resize(b.len(), 0.0);
        let (x, p) = (&mut self.x, &self.preconditioner);
        let report = match &mut self.backend {
            Backend::Block => {
                self.block_lu().solve(b);
                return Ok(());
            }
            Backend::Sparse(Some((_, lu))) => return lu.solve(b),
            Backend::Cholesky(Some((_, factor))) => {
                solve_refined(ex, matrix, factor, b, (x, &mut self.left), demand)?;
                b.copy_from_slice(&self.x);
                return Ok(());
            }
            Backend::Sparse(None) | Backend::Cholesky(None) => {
                let expected = matrix.pattern().dimension();
                return Err(SolveError::Size { what: "factored matrix", expected, found: 0 });
            }
            Backend::Cg(solver) => solver.solve_on(ex, matrix, b, x),
            Backend::Gmres(solver) => solver.solve(ex, matrix, p, b, x),
            Backend::Bicgstab(solver) => solver.solve(ex, matrix, p, b, x),
            Backend::Minres(solver) => solver.solve(ex, matrix, p, b, x),
        }?;
        if demand == Demand::Solution && !report.converged {
            self.left.resize(b.len(), 0.0);
            let left = residual(matrix, b, x, &mut self.left);
            if !is_rounding(matrix, b, x, left) {
                let (iterations, residual) = (report.iterations, report.residual);
                return Err(SolveError::NotConverged { what: "the linear solver", iterations, residual });
            }
        }
        b.copy_from_slice(&self.x);
        Ok(())
    }
}

/// Solves with the factor of the lower triangle and corrects what the whole matrix still leaves.
fn solve_refined(
    ex: &Exec,
    matrix: &BlockMatrix,
    factor: &mut SparseCholesky,
    b: &[f64],
    (x, r): (&mut Vec<f64>, &mut Vec<f64>),
    demand: Demand,
) -> Result<(), SolveError> {
    x.copy_from_slice(b);
    factor.solve(x)?;
    r.resize(b.len(), 0.0);
    let goal = REFINED * largest(b);
    let mut last = f64::INFINITY;
    let mut left = residual(matrix, b, x, r);
    for _ in 0..4 {
        if left <= goal || left > 0.5 * last || factor.solve(r).is_err() {
            break;
        }
        last = left;
        x.iter_mut().zip(&*r).for_each(|(x, d)| *x += d);
        left = residual(matrix, b, x, r);
    }
    if demand == Demand::Correction || left <= goal || is_rounding(matrix, b, x, left) {
        return Ok(());
    }
    // The upper triangle differs: the factor is only a preconditioner.
    let (max_iterations, restart) = UNSYMMETRIC;
    let mut gmres = SolverGmres::new(KrylovLimits { tolerance: REFINED, max_iterations }, restart);
    x.fill(0.0);
    let report = gmres.solve(ex, matrix, &Triangle(Mutex::new(factor)), b, x)?;
    let left = residual(matrix, b, x, r);
    if report.converged || is_rounding(matrix, b, x, left) {
        return Ok(());
    }
    let what = "sparse_cholesky with an unsymmetric matrix (use sparse_lu)";
    Err(SolveError::NotConverged { what, iterations: report.iterations, residual: report.residual })
}

/// The factor of a lower triangle.
struct Triangle<'a>(Mutex<&'a mut SparseCholesky>);

impl Preconditioner for Triangle<'_> {
    fn apply(&self, _ex: &Exec, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
        let solved = self.0.lock().is_ok_and(|mut factor| factor.solve(z).is_ok());
        if !solved {
            z.fill(f64::NAN);
        }
    }
}

fn largest(r: &[f64]) -> f64 {
    r.iter().fold(0.0, |m: f64, v| if v.is_finite() { m.max(v.abs()) } else { f64::INFINITY })
}

/// r ← b − A x; returns its largest entry.
fn residual(matrix: &BlockMatrix, b: &[f64], x: &[f64], r: &mut [f64]) -> f64 {
    matrix.mul(x, r);
    r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
    largest(r)
}

/// Whether `left` of b − A x is no more than rounding of the forces in |A| |x|.
fn is_rounding(matrix: &BlockMatrix, b: &[f64], x: &[f64], left: f64) -> bool {
    let mut sizes = matrix.clone();
    sizes.values_mut().iter_mut().for_each(|v| *v = v.abs());
    let x: Vec<f64> = x.iter().map(|x| x.abs()).collect();
    let mut forces: Vec<f64> = b.iter().map(|b| b.abs()).collect();
    sizes.mul_add(&x, &mut forces);
    left <= BACKWARD * largest(&forces) && left.is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_solve::BlockKind;

    /// A chain of blocks of three; the upper triangle is `skew` × the lower one.
    fn chain(count: u32, skew: f64) -> BlockMatrix {
        let couplings: Vec<(u32, u32)> = (1..count).map(|i| (i - 1, i)).collect();
        let kinds = vec![BlockKind::Column; count as usize];
        let pattern = BlockPattern::new(&vec![3; count as usize], &kinds, &couplings);
        let mut matrix = BlockMatrix::new(&pattern);
        for i in 0..count as usize {
            (0..3).for_each(|k| matrix.block_mut(i, i)[4 * k] = 2.5);
            if i > 0 {
                (0..3).for_each(|k| matrix.block_mut(i, i - 1)[4 * k] = -1.0);
                (0..3).for_each(|k| matrix.block_mut(i - 1, i)[4 * k] = -skew);
            }
        }
        matrix
    }

    fn solved(matrix: &BlockMatrix, solver: LinearSolver, demand: Demand) -> Result<f64, SolveError> {
        let ex = Exec::serial();
        let n = matrix.pattern().dimension();
        let mut factors = Factors::new(matrix.pattern(), solver);
        factors.factor(&ex, matrix, n, &[])?;
        let b: Vec<f64> = (0..n).map(|k| (1.0 + k as f64).sin()).collect();
        let mut x = b.clone();
        factors.solve(&ex, matrix, &mut x, demand)?;
        Ok(residual(matrix, &b, &x, &mut vec![0.0; n]))
    }

    #[test]
    fn an_unsymmetric_matrix_is_solved_by_the_factor_of_its_lower_triangle_too() {
        for skew in [1.0, 0.9, -1.0] {
            let left = solved(&chain(40, skew), LinearSolver::SparseCholesky, Demand::Solution).unwrap();
            assert!(left < 1e-8, "{skew}: {left:e}");
        }
    }

    #[test]
    fn iterations_that_end_early_are_errors_unless_they_are_corrected() {
        let krylov = |max_iterations| LinearSolver::Minres { tolerance: 1e-10, max_iterations };
        let gradients = |max_iterations| LinearSolver::Cg { tolerance: 1e-10, max_iterations };
        let mut matrix = chain(400, 1.0);
        (0..400).for_each(|i| (0..3).for_each(|k| matrix.block_mut(i, i)[4 * k] = 2.01 + 0.1 * k as f64));
        for solver in [krylov(3), LinearSolver::Gmres { tolerance: 1e-10, max_iterations: 3, restart: 3 }] {
            let outcome = solved(&matrix, solver, Demand::Solution);
            assert!(matches!(outcome, Err(SolveError::NotConverged { .. })), "{outcome:?}");
            assert!(solved(&matrix, solver, Demand::Correction).unwrap() > 1e-8);
        }
        assert!(solved(&matrix, krylov(2000), Demand::Solution).unwrap() < 1e-7);
        assert!(solved(&matrix, gradients(2000), Demand::Solution).unwrap() < 1e-7);
        let unsymmetric = solved(&chain(40, -1.0), gradients(5), Demand::Solution);
        assert!(matches!(unsymmetric, Err(SolveError::NotConverged { .. })), "{unsymmetric:?}");
    }

    #[test]
    fn the_weakest_block_of_a_singular_matrix_is_found() {
        let mut matrix = chain(30, 1.0);
        matrix.block_mut(17, 17).fill(0.0);
        for other in [16, 18] {
            matrix.block_mut(17, other).fill(0.0);
            matrix.block_mut(other, 17).fill(0.0);
        }
        let factors = Factors::new(matrix.pattern(), LinearSolver::SparseLu);
        assert_eq!(factors.weakest_block(&Exec::serial(), &matrix, 90), Some(17));
    }
}
