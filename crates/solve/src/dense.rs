//! Small dense analyses: dependent rows and null spaces.

use faer::{Mat, MatRef};

/// The rows of a matrix that depend on earlier rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowDependence {
    /// Number of independent rows.
    pub rank: usize,
    /// Rows that are combinations of earlier rows, ascending.
    pub dependent: Vec<usize>,
}

/// Finds the rows of `a` that depend on earlier rows.
///
/// Rows are orthogonalized in order (Gram–Schmidt, twice); a row is dependent when its remainder is not longer than
/// `tolerance` times its own length. Zero rows are dependent.
pub fn row_dependence(a: MatRef<'_, f64>, tolerance: f64) -> RowDependence {
    let n = a.ncols();
    let mut basis: Vec<f64> = Vec::new();
    let mut result = RowDependence::default();
    let mut row = vec![0.0; n];
    for r in 0..a.nrows() {
        (0..n).for_each(|c| row[c] = a[(r, c)]);
        let length = norm(&row);
        for _ in 0..2 {
            for q in basis.chunks_exact(n.max(1)) {
                let along = dot(q, &row);
                row.iter_mut().zip(q).for_each(|(x, q)| *x -= along * q);
            }
        }
        let left = norm(&row);
        if left > tolerance * length {
            basis.extend(row.iter().map(|x| x / left));
            result.rank += 1;
        } else {
            result.dependent.push(r);
        }
    }
    result
}

/// An orthonormal basis, by columns, of the null space of `a`: QR with column pivoting of aᵀ, with rank decided
/// at `tolerance` relative to the largest diagonal entry of R.
pub fn null_space(a: MatRef<'_, f64>, tolerance: f64) -> Mat<f64> {
    let n = a.ncols();
    if a.nrows() == 0 {
        return Mat::identity(n, n);
    }
    fix_parallelism();
    let qr = a.transpose().col_piv_qr();
    let r = qr.R();
    let size = |k: usize| r[(k, k)].abs();
    let rank = (0..n.min(a.nrows())).take_while(|&k| size(k) > tolerance * size(0)).count();
    qr.compute_Q().get(.., rank..).to_owned()
}

/// Sets the one degree of parallelism the dense solvers of faer take their bits from.
pub(crate) fn fix_parallelism() {
    faer::set_global_parallelism(faer::Par::Seq);
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
