//! The interface through which Krylov solvers use a matrix.

use crate::{BlockMatrix, SparseMatrix};
use huygens_exec::Exec;

/// A square linear map.
pub trait LinearOperator: Sync {
    /// Length of the vectors on which it acts.
    fn dimension(&self) -> usize;
    /// y ← A x.
    fn apply(&self, ex: &Exec, x: &[f64], y: &mut [f64]);
}

impl LinearOperator for SparseMatrix {
    fn dimension(&self) -> usize {
        self.rows()
    }

    fn apply(&self, _: &Exec, x: &[f64], y: &mut [f64]) {
        self.mul(x, y);
    }
}

impl LinearOperator for BlockMatrix {
    fn dimension(&self) -> usize {
        self.pattern().dimension()
    }

    fn apply(&self, _: &Exec, x: &[f64], y: &mut [f64]) {
        self.mul(x, y);
    }
}

/// An approximate inverse, cheap to apply.
pub trait Preconditioner: Sync {
    /// z ← P⁻¹ r.
    fn apply(&self, ex: &Exec, r: &[f64], z: &mut [f64]);
}

/// No preconditioning.
#[derive(Clone, Copy, Debug, Default)]
pub struct PreconditionerIdentity;

impl Preconditioner for PreconditionerIdentity {
    fn apply(&self, _: &Exec, r: &[f64], z: &mut [f64]) {
        z.copy_from_slice(r);
    }
}

/// Division by the absolute diagonal, hence positive definite, as MINRES requires.
#[derive(Clone, Debug, Default)]
pub struct PreconditionerJacobi {
    reciprocal: Vec<f64>,
}

impl PreconditionerJacobi {
    /// From a diagonal; zeros count as ones.
    pub fn new(diagonal: impl IntoIterator<Item = f64>) -> Self {
        let invert = |d: f64| if d != 0.0 && d.is_finite() { 1.0 / d.abs() } else { 1.0 };
        Self { reciprocal: diagonal.into_iter().map(invert).collect() }
    }
}

impl Preconditioner for PreconditionerJacobi {
    fn apply(&self, _: &Exec, r: &[f64], z: &mut [f64]) {
        z.iter_mut().zip(r).zip(&self.reciprocal).for_each(|((z, r), d)| *z = r * d);
    }
}

/// Inverses of the diagonal blocks of a block matrix; singular blocks fall back to their diagonal.
#[derive(Clone, Debug)]
pub struct PreconditionerBlockJacobi {
    /// (first unknown, size, first value).
    blocks: Vec<(usize, usize, usize)>,
    values: Vec<f64>,
}

impl PreconditionerBlockJacobi {
    /// From the diagonal blocks of `matrix`.
    pub fn new(matrix: &BlockMatrix) -> Self {
        let pattern = matrix.pattern();
        let (mut blocks, mut values) = (Vec::new(), Vec::new());
        for b in 0..pattern.block_count() {
            let n = pattern.size(b);
            blocks.push((pattern.offset(b), n, values.len()));
            values.extend(inverse_or_diagonal(matrix.block(b, b), n));
        }
        Self { blocks, values }
    }
}

fn inverse_or_diagonal(block: &[f64], n: usize) -> Vec<f64> {
    use faer::linalg::solvers::DenseSolveCore;
    crate::dense::fix_parallelism();
    let dense = faer::Mat::from_fn(n, n, |i, j| block[i * n + j]);
    let inverse = dense.partial_piv_lu().inverse();
    let entry = |k: usize| inverse[(k / n, k % n)];
    if (0..n * n).all(|k| entry(k).is_finite()) {
        return (0..n * n).map(entry).collect();
    }
    let diagonal = |i: usize| if block[i * n + i] == 0.0 { 1.0 } else { 1.0 / block[i * n + i].abs() };
    (0..n * n).map(|k| if k / n == k % n { diagonal(k / n) } else { 0.0 }).collect()
}

impl Preconditioner for PreconditionerBlockJacobi {
    fn apply(&self, _: &Exec, r: &[f64], z: &mut [f64]) {
        for &(at, n, slot) in &self.blocks {
            for (i, row) in self.values[slot..slot + n * n].chunks_exact(n.max(1)).enumerate() {
                z[at + i] = crate::dense::dot(row, &r[at..at + n]);
            }
        }
    }
}
