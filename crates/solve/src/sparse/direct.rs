//! Sparse LU and LDLᵀ by faer, with the symbolic analysis kept.

use super::matrix::SparseMatrix;
use crate::SolveError;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::perm::PermRef;
use faer::sparse::SymbolicSparseColMat;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::{Conj, MatMut, Par, Side};

/// How a sparse factorization splits its work. The split is part of the result's bits, so it never depends on
/// the number of threads there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SparseParallelism {
    /// On the calling thread.
    #[default]
    Serial,
    /// In eight parts on the current thread pool, whatever its size.
    Fixed,
    /// In parts where the factor has enough work for them, which its pattern says; LU stays on the calling thread.
    ByWork,
}

/// Operations for each value of the factor from which it is made in parts. Below, the fronts are so small (nets,
/// frames, plane meshes) that handing their parts out costs more than the work on them.
const WORK_IN_PARTS: f64 = 1000.0;

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

/// What both factorizations must know of the matrix before they look at its values.
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

/// Sparse LU with partial pivoting.
pub struct SparseLu {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: SymbolicLu<usize>,
    numeric: NumericLu<usize, f64>,
    memory: MemBuffer,
    par: Par,
    factored: bool,
}

impl SparseLu {
    /// Analyses the pattern of a square matrix.
    pub fn new(matrix: &SparseMatrix, parallelism: SparseParallelism) -> Result<Self, SolveError> {
        square(matrix)?;
        let pattern = matrix.symbolic().clone();
        let symbolic = factorize_symbolic_lu(pattern.as_ref(), LuSymbolicParams::default())
            .map_err(|_| SolveError::Memory { what: "sparse LU" })?;
        let par = parallelism.par();
        let memory = MemBuffer::new(StackReq::or(
            symbolic.factorize_numeric_lu_scratch::<f64>(par, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, par),
        ));
        Ok(Self { pattern, symbolic, numeric: NumericLu::new(), memory, par, factored: false })
    }

    /// Factors a matrix with the analysed pattern.
    pub fn factor(&mut self, matrix: &SparseMatrix) -> Result<(), SolveError> {
        self.factored = false;
        check(matrix, &self.pattern)?;
        let stack = MemStack::new(&mut self.memory);
        let params = Default::default();
        match self.symbolic.factorize_numeric_lu(&mut self.numeric, matrix.as_faer(), self.par, stack, params)
        {
            Ok(_) => self.factored = true,
            Err(faer::sparse::linalg::LuError::SymbolicSingular { index }) => {
                return Err(SolveError::Singular { block: index, row: 0 });
            }
            Err(_) => return Err(SolveError::Memory { what: "sparse LU" }),
        }
        Ok(())
    }

    /// Solves A x = b in place.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), SolveError> {
        if !self.factored || b.len() != self.pattern.nrows() {
            let (expected, found) = (if self.factored { self.pattern.nrows() } else { 0 }, b.len());
            return Err(SolveError::Size { what: "right-hand side of a factored matrix", expected, found });
        }
        let n = b.len();
        let lu = LuRef::new_unchecked(&self.symbolic, &self.numeric);
        let stack = MemStack::new(&mut self.memory);
        lu.solve_in_place_with_conj(Conj::No, MatMut::from_column_major_slice_mut(b, n, 1), self.par, stack);
        check_solution(b)
    }
}

/// Sparse LDLᵀ of a symmetric matrix, definite or quasi-definite ([H Cᵀ; C −E] with H and E positive); reads
/// the lower triangle.
pub struct SparseCholesky {
    pattern: SymbolicSparseColMat<usize>,
    symbolic: SymbolicCholesky<usize>,
    values: Vec<f64>,
    memory: MemBuffer,
    parallelism: SparseParallelism,
    factored: bool,
}

impl SparseCholesky {
    /// Analyses the pattern of a square matrix; eliminates by approximate minimum degree.
    pub fn new(matrix: &SparseMatrix, parallelism: SparseParallelism) -> Result<Self, SolveError> {
        Self::analyse(matrix, SymmetricOrdering::Amd, parallelism)
    }

    /// Analyses the pattern of a square matrix whose unknowns are eliminated in `order`.
    pub fn with_order(
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
        let order = PermRef::new_checked(order, &inverse, n);
        Self::analyse(matrix, SymmetricOrdering::Custom(order), parallelism)
    }

    fn analyse(
        matrix: &SparseMatrix,
        ordering: SymmetricOrdering<'_, usize>,
        parallelism: SparseParallelism,
    ) -> Result<Self, SolveError> {
        square(matrix)?;
        let pattern = matrix.symbolic().clone();
        let symbolic = factorize_symbolic_cholesky(
            pattern.as_ref(),
            Side::Lower,
            ordering,
            CholeskySymbolicParams::default(),
        )
        .map_err(|_| SolveError::Memory { what: "sparse Cholesky" })?;
        let parallelism = parallelism.resolved(&symbolic);
        let par = parallelism.par();
        let memory = MemBuffer::new(StackReq::or(
            symbolic.factorize_numeric_ldlt_scratch::<f64>(par, Default::default()),
            symbolic.solve_in_place_scratch::<f64>(1, Par::Seq),
        ));
        let values = vec![0.0; symbolic.len_val()];
        Ok(Self { pattern, symbolic, values, memory, parallelism, factored: false })
    }

    /// Multiplications that a factorization takes: the sum of the squared lengths of the factor's columns.
    pub fn operations(&self) -> f64 {
        operations(&self.symbolic)
    }

    /// How the work is split: never [`SparseParallelism::ByWork`].
    pub fn parallelism(&self) -> SparseParallelism {
        self.parallelism
    }

    /// Number of values the factor stores.
    pub fn factor_size(&self) -> usize {
        self.values.len()
    }

    /// Factors a matrix with the analysed pattern.
    pub fn factor(&mut self, matrix: &SparseMatrix) -> Result<(), SolveError> {
        self.factored = false;
        check(matrix, &self.pattern)?;
        let stack = MemStack::new(&mut self.memory);
        self.symbolic
            .factorize_numeric_ldlt(
                &mut self.values,
                matrix.as_faer(),
                Side::Lower,
                LdltRegularization::default(),
                self.parallelism.par(),
                stack,
                Default::default(),
            )
            .map_err(|faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index }| {
                let place = self.symbolic.perm().map_or(index, |order| order.arrays().0[index]);
                SolveError::Singular { block: place, row: 0 }
            })?;
        self.factored = true;
        Ok(())
    }

    /// Solves A x = b in place; on the calling thread, as one right-hand side has too little work to share.
    pub fn solve(&mut self, b: &mut [f64]) -> Result<(), SolveError> {
        if !self.factored || b.len() != self.pattern.nrows() {
            let (expected, found) = (if self.factored { self.pattern.nrows() } else { 0 }, b.len());
            return Err(SolveError::Size { what: "right-hand side of a factored matrix", expected, found });
        }
        let n = b.len();
        let factor = LdltRef::new(&self.symbolic, &self.values);
        let stack = MemStack::new(&mut self.memory);
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
