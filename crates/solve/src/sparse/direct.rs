//! Sparse LU and LDLᵀ by faer, with the symbolic analysis kept.

use std::sync::Arc;

use super::matrix::SparseMatrix;
use crate::SolveError;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use faer::{Conj, MatMut, Par, Side};
use huygens_exec::{Exec, MemoryShortage, require_memory};

/// How a sparse factorization splits its work. The split affects the last bits of the result, so it never depends on
/// the number of threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SparseParallelism {
    /// On the calling thread.
    #[default]
    Serial,
    /// In eight parts on the current thread pool, whatever its size.
    Fixed,
    /// In eight parts where the factor has enough work, as its pattern shows; LU stays on the calling thread.
    ByWork,
}

/// Operations for each value of the factor from which it is made in parts. Below, the fronts are so small (nets,
/// frames, plane meshes) that handing their parts out costs more than the work on them.
const WORK_IN_PARTS: f64 = 1000.0;

/// Multiplications from which a factorization may take a good part of a second: it cannot be interrupted, so it is made
/// where it can be left behind.
const LONG: f64 = 1e9;
/// Unknowns from which that is so of an analysis, and of a factorization whose work is not known.
const MANY: usize = 20_000;

impl SparseParallelism {
    fn par(self) -> Par {
        match self {
            Self::Serial | Self::ByWork => Par::Seq,
            Self::Fixed => Par::rayon(8),
        }
    }

    /// What [`SparseParallelism::ByWork`] means for a factor.
    fn resolved(self, symbolic: &SymbolicCholesky<usize>) -> Self {
        match self {
            Self::ByWork if operations(symbolic) > WORK_IN_PARTS * symbolic.len_val() as f64 => Self::Fixed,
            Self::ByWork => Self::Serial,
            chosen => chosen,
        }
    }
}

/// Properties of the matrix that both factorizations need before its values.
fn check(matrix: &SparseMatrix, symbolic: &SymbolicSparseColMat<usize>) -> Result<(), SolveError> {
    if !matrix.same_pattern(symbolic) {
        let (expected, found) = (symbolic.row_idx().len(), matrix.values().len());
        return Err(SolveError::Size { what: "pattern of the sparse matrix", expected, found });
    }
    matrix.first_non_finite().map_or(Ok(()), |block| Err(SolveError::NonFinite { block }))
}

fn square(matrix: &SparseMatrix) -> Result<usize, SolveError> {
    if matrix.rows() == matrix.columns() {
        Ok(matrix.rows())
    } else {
        let (expected, found) = (matrix.rows(), matrix.columns());
        Err(SolveError::Size { what: "columns of a square matrix", expected, found })
    }
}

fn check_solution(b: &[f64]) -> Result<(), SolveError> {
    match b.iter().position(|x| !x.is_finite()) {
        Some(block) => Err(SolveError::Singular { block, row: 0 }),
        None => Ok(()),
    }
}

/// Refuses a factor of `values` values with `work` bytes of work space that does not fit into memory.
fn check_memory(unknowns: usize, values: usize, work: usize) -> Result<(), SolveError> {
    require_memory(1.0, values as f64 * 8.0 + work as f64).map_err(|MemoryShortage { needed, available }| {
        SolveError::TooLarge { unknowns, values, needed, available }
    })
}

/// Memory of a factorization.
fn buffer(what: &'static str, req: StackReq) -> Result<MemBuffer, SolveError> {
    MemBuffer::try_new(req).map_err(|_| SolveError::Memory { what })
}

/// Sparse LU with partial pivoting.
pub struct SparseLu {
    pattern: Arc<SymbolicSparseColMat<usize>>,
    symbolic: Arc<SymbolicLu<usize>>,
    /// None while an abandoned factorization is running.
    work: Option<LuWork>,
    par: Par,
    factored: bool,
}

/// What a factorization changes.
struct LuWork {
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
}

impl LuWork {
    fn new(symbolic: &SymbolicLu<usize>, par: Par) -> Result<Self, SolveError> {
        let req = StackReq::or(
            symbolic.factorize_numeric_lu_scratch::<f64>(par, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, par),
        );
        check_memory(symbolic.ncols(), 0, req.unaligned_bytes_required())?;
        Ok(Self { numeric: NumericLu::new(), memory: buffer("sparse LU", req)? })
    }

    fn factor(
        &mut self,
        symbolic: &SymbolicLu<usize>,
        matrix: SparseColMatRef<'_, usize, f64>,
        par: Par,
    ) -> Result<(), SolveError> {
        let stack = MemStack::new(&mut self.memory);
        match symbolic.factorize_numeric_lu(&mut self.numeric, matrix, par, stack, Default::default()) {
            Ok(_) => Ok(()),
            Err(faer::sparse::linalg::LuError::SymbolicSingular { index }) => {
                Err(SolveError::Singular { block: index, row: 0 })
            }
            Err(_) => Err(SolveError::Memory { what: "sparse LU" }),
        }
    }
}

impl SparseLu {
    /// Analyses the pattern of a square matrix.
    pub fn new(matrix: &SparseMatrix, parallelism: SparseParallelism) -> Result<Self, SolveError> {
        Self::new_on(&Exec::serial(), matrix, parallelism)
    }

    /// The same as [`SparseLu::new`], but interruptible.
    pub fn new_on(
        ex: &Exec,
        matrix: &SparseMatrix,
        parallelism: SparseParallelism,
    ) -> Result<Self, SolveError> {
        let n = square(matrix)?;
        let pattern = Arc::new(matrix.symbolic().clone());
        let given = pattern.clone();
        let analyse = move || factorize_symbolic_lu(given.as_ref().as_ref(), LuSymbolicParams::default());
        let symbolic = if n > MANY { ex.stop().abandonable(analyse)? } else { analyse() };
        let symbolic = Arc::new(symbolic.map_err(|_| SolveError::Memory { what: "sparse LU" })?);
        let par = parallelism.par();
        let work = Some(LuWork::new(&symbolic, par)?);
        Ok(Self { pattern, symbolic, work, par, factored: false })
    }

    /// Factors a matrix with the analysed pattern.
    pub fn factor(&mut self, matrix: &SparseMatrix) -> Result<(), SolveError> {
        self.factor_on(&Exec::serial(), matrix)
    }

    /// The same as [`SparseLu::factor`], but interruptible.
    pub fn factor_on(&mut self, ex: &Exec, matrix: &SparseMatrix) -> Result<(), SolveError> {
        self.factored = false;
        check(matrix, &self.pattern)?;
        ex.check_stop()?;
        let mut work = match self.work.take() {
            Some(work) => work,
            None => LuWork::new(&self.symbolic, self.par)?,
        };
        let result = if matrix.rows() > MANY && ex.stop().can_be_set() {
            let (pattern, symbolic, par) = (self.pattern.clone(), self.symbolic.clone(), self.par);
            let values = matrix.values().to_vec();
            let (done, result) = ex.stop().abandonable(move || {
                let matrix = SparseColMatRef::new(pattern.as_ref().as_ref(), &values);
                let result = work.factor(&symbolic, matrix, par);
                (work, result)
            })?;
            self.work = Some(done);
            result
        } else {
            let result = work.factor(&self.symbolic, matrix.as_faer(), self.par);
            self.work = Some(work);
            result
        };
        self.factored = result.is_ok();
        result
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), SolveError> {
        let work = match &mut self.work {
            Some(work) if self.factored && b.len() == self.pattern.nrows() => work,
            _ => {
                let (expected, found) = (if self.factored { self.pattern.nrows() } else { 0 }, b.len());
                return Err(SolveError::Size {
                    what: "right-hand side of a factored matrix",
                    expected,
                    found,
                });
            }
        };
        let n = b.len();
        let lu = LuRef::new_unchecked(&self.symbolic, &work.numeric);
        let stack = MemStack::new(&mut work.memory);
        lu.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(b, n, 1), self.par, stack);
        check_solution(b)
    }
}

/// Sparse LDLᵀ of a symmetric matrix, definite or quasi-definite ([H Cᵀ; C −E] with H and E positive); reads
/// the lower triangle.
pub struct SparseCholesky {
    pattern: Arc<SymbolicSparseColMat<usize>>,
    symbolic: Arc<SymbolicCholesky<usize>>,
    /// None while an abandoned factorization is running.
    work: Option<CholeskyWork>,
    parallelism: SparseParallelism,
    operations: f64,
    factored: bool,
    /// The matrix of a long factorization, which is not repeated for the same values.
    known: Option<Arc<Vec<f64>>>,
}

/// What a factorization changes.
struct CholeskyWork {
    values: Vec<f64>,
    memory: MemBuffer,
}

impl CholeskyWork {
    fn new(symbolic: &SymbolicCholesky<usize>, par: Par) -> Result<Self, SolveError> {
        let req = StackReq::or(
            symbolic.factorize_numeric_ldlt_scratch::<f64>(par, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        );
        check_memory(symbolic.ncols(), symbolic.len_val(), req.unaligned_bytes_required())?;
        Ok(Self { values: vec![0.0; symbolic.len_val()], memory: buffer("sparse Cholesky", req)? })
    }

    fn factor(
        &mut self,
        symbolic: &SymbolicCholesky<usize>,
        matrix: SparseColMatRef<'_, usize, f64>,
        par: Par,
    ) -> Result<(), SolveError> {
        let stack = MemStack::new(&mut self.memory);
        symbolic
            .factorize_numeric_ldlt(
                &mut self.values,
                matrix,
                Side::Lower,
                LdltRegularization::default(),
                par,
                stack,
                Default::default(),
            )
            .map(|_| ())
            .map_err(|faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index }| {
                let place = symbolic.perm().map_or(index, |order| order.arrays().0[index]);
                SolveError::Singular { block: place, row: 0 }
            })
    }
}

impl SparseCholesky {
    /// Analyses the pattern of a square matrix; eliminates by approximate minimum degree.
    pub fn new(matrix: &SparseMatrix, parallelism: SparseParallelism) -> Result<Self, SolveError> {
        Self::analyse(&Exec::serial(), matrix, None, parallelism)
    }

    /// Analyses the pattern of a square matrix whose unknowns are eliminated in `order`.
    pub fn with_order(
        matrix: &SparseMatrix,
        order: &[usize],
        parallelism: SparseParallelism,
    ) -> Result<Self, SolveError> {
        Self::with_order_on(&Exec::serial(), matrix, order, parallelism)
    }

    /// The same as [`SparseCholesky::with_order`], but interruptible.
    pub fn with_order_on(
        ex: &Exec,
        matrix: &SparseMatrix,
        order: &[usize],
        parallelism: SparseParallelism,
    ) -> Result<Self, SolveError> {
        let n = square(matrix)?;
        let mut inverse = vec![usize::MAX; n];
        order.iter().enumerate().for_each(|(k, &v)| {
            if let Some(place) = inverse.get_mut(v) {
                *place = k;
            }
        });
        if order.len() != n || inverse.contains(&usize::MAX) {
            return Err(SolveError::Size { what: "elimination order", expected: n, found: order.len() });
        }
        Self::analyse(ex, matrix, Some((order.to_vec(), inverse)), parallelism)
    }

    /// Analyses the pattern for an order of elimination and its inverse; by approximate minimum degree without.
    fn analyse(
        ex: &Exec,
        matrix: &SparseMatrix,
        order: Option<(Vec<usize>, Vec<usize>)>,
        parallelism: SparseParallelism,
    ) -> Result<Self, SolveError> {
        let n = square(matrix)?;
        let pattern = Arc::new(matrix.symbolic().clone());
        let given = pattern.clone();
        let analyse = move || {
            let ordering = match &order {
                Some((order, inverse)) => SymmetricOrdering::Custom(PermRef::new_checked(order, inverse, n)),
                None => SymmetricOrdering::Amd,
            };
            let params = CholeskySymbolicParams::default();
            factorize_symbolic_cholesky(given.as_ref().as_ref(), Side::Lower, ordering, params)
        };
        let symbolic = if n > MANY { ex.stop().abandonable(analyse)? } else { analyse() };
        let symbolic = Arc::new(symbolic.map_err(|_| SolveError::Memory { what: "sparse Cholesky" })?);
        let parallelism = parallelism.resolved(&symbolic);
        let work = Some(CholeskyWork::new(&symbolic, parallelism.par())?);
        let operations = operations(&symbolic);
        Ok(Self { pattern, symbolic, work, parallelism, operations, factored: false, known: None })
    }

    /// Number of multiplications of a factorization: the sum of the squared lengths of the factor's columns.
    pub fn operations(&self) -> f64 {
        self.operations
    }

    /// How the work is split: never [`SparseParallelism::ByWork`].
    pub fn parallelism(&self) -> SparseParallelism {
        self.parallelism
    }

    /// Number of values the factor stores.
    pub fn factor_size(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Factors a matrix with the analysed pattern, on the current thread pool.
    pub fn factor(&mut self, matrix: &SparseMatrix) -> Result<(), SolveError> {
        self.factored = false;
        check(matrix, &self.pattern)?;
        let mut work = self.take_work()?;
        let result = work.factor(&self.symbolic, matrix.as_faer(), self.parallelism.par());
        self.work = Some(work);
        self.known = None;
        self.factored = result.is_ok();
        result
    }

    /// Factors a matrix with the analysed pattern on the threads of `ex`, interruptibly.
    ///
    /// A long factorization is not repeated if the matrix is bit-identical.
    pub fn factor_on(&mut self, ex: &Exec, matrix: &SparseMatrix) -> Result<(), SolveError> {
        if self.operations < LONG {
            ex.check_stop()?;
            return match self.parallelism {
                SparseParallelism::Fixed => ex.install(|| self.factor(matrix)),
                _ => self.factor(matrix),
            };
        }
        let same = |known: &[f64]| known.iter().zip(matrix.values()).all(|(a, b)| a.to_bits() == b.to_bits());
        if self.factored && matrix.same_pattern(&self.pattern) && self.known.as_ref().is_some_and(|k| same(k))
        {
            return Ok(());
        }
        self.factored = false;
        check(matrix, &self.pattern)?;
        ex.check_stop()?;
        let mut work = self.take_work()?;
        let values = Arc::new(matrix.values().to_vec());
        self.known = Some(values.clone());
        let (pattern, symbolic, parallelism) =
            (self.pattern.clone(), self.symbolic.clone(), self.parallelism);
        let own = ex.clone();
        let (done, result) = ex.stop().abandonable(move || {
            let matrix = SparseColMatRef::new(pattern.as_ref().as_ref(), &values);
            let mut factor = || work.factor(&symbolic, matrix, parallelism.par());
            let result = match parallelism {
                SparseParallelism::Fixed => own.install(factor),
                _ => factor(),
            };
            (work, result)
        })?;
        self.work = Some(done);
        self.factored = result.is_ok();
        result
    }

    fn take_work(&mut self) -> Result<CholeskyWork, SolveError> {
        match self.work.take() {
            Some(work) => Ok(work),
            None => CholeskyWork::new(&self.symbolic, self.parallelism.par()),
        }
    }

    /// Solves A x = b in place; on the calling thread, as one right-hand side has too little work to share.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), SolveError> {
        let work = match &mut self.work {
            Some(work) if self.factored && b.len() == self.pattern.nrows() => work,
            _ => {
                let (expected, found) = (if self.factored { self.pattern.nrows() } else { 0 }, b.len());
                return Err(SolveError::Size {
                    what: "right-hand side of a factored matrix",
                    expected,
                    found,
                });
            }
        };
        let n = b.len();
        let factor = LdltRef::new(&self.symbolic, &work.values);
        let stack = MemStack::new(&mut work.memory);
        factor.solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, n, 1),
            Par::Seq,
            stack,
        );
        check_solution(b)
    }
}

fn operations(symbolic: &SymbolicCholesky<usize>) -> f64 {
    match symbolic.raw() {
        SymbolicCholeskyRaw::Simplicial(factor) => {
            factor.col_ptr().windows(2).map(|w| ((w[1] - w[0]) as f64).powi(2)).sum()
        }
        SymbolicCholeskyRaw::Supernodal(factor) => {
            let ranges = factor.supernode_begin().iter().zip(factor.supernode_end());
            let below = factor.col_ptr_for_row_idx().windows(2).map(|w| w[1] - w[0]);
            let node = |((begin, end), below): ((&usize, &usize), usize)| {
                (0..end - begin).map(|k| ((below + k + 1) as f64).powi(2)).sum::<f64>()
            };
            ranges.zip(below).map(node).sum()
        }
    }
}
