//! A few eigenvalues near a shift, for matrices that are accessed only through solves and products.
//!
//! Both methods build a block Krylov space of $(A - \sigma B)^{-1} B$, whose largest eigenvalues $\theta = 1/(s -
//! \sigma)$ are the wanted ones, and restart it with the best vectors it contains (`stewart2002`, `wu2000`). Blocks
//! find eigenvalues of a multiplicity up to their width.

use crate::SolveError;
use crate::sparse::{SparseLu, SparseMatrix, SparseParallelism};
use faer::{Mat, c64};

/// θ below this, relative to the largest, belong to infinite eigenvalues and are discarded.
const INFINITE: f64 = 1e-10;
/// Remainder of a vector that already lies in the space, relative to its length.
const INSIDE: f64 = 1e-11;

/// The eigenvalues to compute, and their accuracy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EigenRequest {
    /// Number of eigenvalues.
    pub count: usize,
    /// σ: the eigenvalues nearest to it are found.
    pub shift: f64,
    /// Residual of the shifted and inverted problem, relative to θ.
    pub tolerance: f64,
    /// Number of restarts after which the search fails.
    pub max_restarts: usize,
    /// Number of initial vectors: eigenvalues of higher multiplicity may be found incompletely.
    pub block: usize,
}

impl EigenRequest {
    /// `count` eigenvalues nearest to `shift`, with a tolerance of 1e-10.
    pub fn new(count: usize, shift: f64) -> Self {
        Self { count, shift, tolerance: 1e-10, max_restarts: 300, block: 6 }
    }
}

/// Eigenvalues and vectors of a symmetric problem, nearest to the shift first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseModes {
    /// Eigenvalues s of A x = s B x.
    pub eigenvalues: Vec<f64>,
    /// Vectors with $x^T B x = 1$, largest entry positive.
    pub vectors: Vec<Vec<f64>>,
    /// Residuals of the shifted and inverted problem, relative to θ.
    pub residuals: Vec<f64>,
    /// Number of restarts.
    pub restarts: usize,
}

/// Eigenvalues and vectors of a general problem, nearest to the shift first; complex pairs are complete.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SparseSpectrum {
    /// Eigenvalues s of A x = s B x.
    pub eigenvalues: Vec<c64>,
    /// Vectors of unit length.
    pub vectors: Vec<Vec<c64>>,
    /// Residuals of the shifted and inverted problem, relative to θ.
    pub residuals: Vec<f64>,
    /// Number of restarts.
    pub restarts: usize,
}

/// A linear map y ← A x that may fail.
pub type EigenOperator<'a> = &'a mut dyn FnMut(&[f64], &mut [f64]) -> Result<(), SolveError>;
/// A product y ← B x.
pub type EigenProduct<'a> = &'a dyn Fn(&[f64], &mut [f64]);

/// Eigenvalues of K x = s M x nearest to the shift, K symmetric and M symmetric and positive semidefinite
/// (`ericsson1980`).
///
/// `solve` writes x of (K − σM) x = b, under constraints if any; `mass` writes M x. All vectors have length `n`.
pub fn shift_invert_lanczos(
    n: usize,
    request: &EigenRequest,
    solve: EigenOperator<'_>,
    mass: EigenProduct<'_>,
) -> Result<SparseModes, SolveError> {
    let mut b = vec![0.0; n];
    let mut operator = |x: &[f64], y: &mut [f64]| {
        mass(x, &mut b);
        solve(&b, y)
    };
    let mut modes = lanczos(n, request, &mut operator, mass)?;
    modes.eigenvalues.iter_mut().for_each(|theta| *theta = request.shift + 1.0 / *theta);
    Ok(modes)
}

/// Eigenvalues θ of the largest size of an operator that is self-adjoint in the inner product $x^T B y$, which
/// `inner` gives as B x; [`EigenRequest::shift`] is not used.
pub fn lanczos(
    n: usize,
    request: &EigenRequest,
    operator: EigenOperator<'_>,
    inner: EigenProduct<'_>,
) -> Result<SparseModes, SolveError> {
    let mut space = Krylov::new(n, operator, Some(inner));
    let (ritz, restarts) = space.search(request, symmetric_ritz)?;
    let mut modes = SparseModes { restarts, ..SparseModes::default() };
    let mut image = vec![0.0; n];
    for r in ritz.into_iter().take(request.count) {
        let mut x = space.combine(&r.vector.iter().map(|s| s.re).collect::<Vec<_>>());
        let turned = space.apply(&x)?;
        x.copy_from_slice(&turned);
        inner(&x, &mut image);
        let length = dot(&x, &image).max(0.0).sqrt();
        let largest = x.iter().fold(0.0, |m: f64, v| if v.abs() > m.abs() { *v } else { m });
        let scale = if length > 0.0 { largest.signum() / length } else { 0.0 };
        x.iter_mut().for_each(|v| *v *= scale);
        modes.eigenvalues.push(r.theta.re);
        modes.residuals.push(r.residual);
        modes.vectors.push(x);
    }
    Ok(modes)
}

/// Eigenvalues of A x = s B x nearest to the shift; `operator` writes $(A - \sigma B)^{-1} B x$.
pub fn shift_invert_arnoldi(
    n: usize,
    request: &EigenRequest,
    operator: EigenOperator<'_>,
) -> Result<SparseSpectrum, SolveError> {
    let mut space = Krylov::new(n, operator, None);
    let (ritz, restarts) = space.search(request, general_ritz)?;
    let mut spectrum = SparseSpectrum { restarts, ..SparseSpectrum::default() };
    for r in ritz {
        let part = |f: fn(&c64) -> f64| r.vector.iter().map(f).collect::<Vec<_>>();
        let (re, im) = (space.combine(&part(|s| s.re)), space.combine(&part(|s| s.im)));
        let (re, im) = (space.apply(&re)?, space.apply(&im)?);
        let length = (dot(&re, &re) + dot(&im, &im)).sqrt();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        let vector: Vec<c64> = re.iter().zip(&im).map(|(a, b)| c64::new(a * scale, b * scale)).collect();
        let value = r.theta.inv() + request.shift;
        spectrum.eigenvalues.push(value);
        spectrum.residuals.push(r.residual);
        if r.theta.im != 0.0 {
            spectrum.eigenvalues.push(value.conj());
            spectrum.residuals.push(r.residual);
            spectrum.vectors.push(vector.clone());
            spectrum.vectors.push(vector.iter().map(|x| x.conj()).collect());
        } else {
            spectrum.vectors.push(vector);
        }
    }
    Ok(spectrum)
}

/// Eigenvalues of A x = s B x nearest to the shift for stored sparse matrices; B may be singular.
pub fn sparse_spectrum(
    a: &SparseMatrix,
    b: &SparseMatrix,
    request: &EigenRequest,
) -> Result<SparseSpectrum, SolveError> {
    let n = a.rows();
    for (what, found) in
        [("columns of A", a.columns()), ("rows of B", b.rows()), ("columns of B", b.columns())]
    {
        if found != n {
            return Err(SolveError::Size { what, expected: n, found });
        }
    }
    let entries = |m: &SparseMatrix, scale: f64| {
        (0..n)
            .flat_map(|c| m.column(c).map(move |(r, v)| (r, c, scale * v)).collect::<Vec<_>>())
            .collect::<Vec<_>>()
    };
    let mut shifted = entries(a, 1.0);
    shifted.extend(entries(b, -request.shift));
    let shifted = SparseMatrix::from_entries(n, n, &shifted)?;
    let mut lu = SparseLu::new(&shifted, SparseParallelism::Serial)?;
    lu.factor(&shifted)?;
    shift_invert_arnoldi(n, request, &mut |x, y| {
        b.mul(x, y);
        lu.solve(y)
    })
}

/// An approximate eigenvalue of the operator, in coordinates of the space.
struct Ritz {
    theta: c64,
    vector: Vec<c64>,
    residual: f64,
}

/// Eigenvalues of the operator's projection on the space and its couplings to the vectors that wait.
type RitzOf = fn(&Mat<f64>, &Mat<f64>) -> Result<Vec<Ritz>, SolveError>;

/// A block Krylov decomposition $OP\,V_k = [V_k, W] H$ with W the vectors that wait to be expanded.
struct Krylov<'a, 'b> {
    n: usize,
    operator: EigenOperator<'a>,
    inner: Option<EigenProduct<'b>>,
    /// $V_k$, then W.
    basis: Vec<Vec<f64>>,
    /// B times the basis, where the inner product has a B.
    images: Vec<Vec<f64>>,
    /// Columns of H, one for each expanded vector; short ones end in zeros.
    columns: Vec<Vec<f64>>,
    random: u64,
    /// No vector is left outside the space.
    closed: bool,
}

impl<'a, 'b> Krylov<'a, 'b> {
    fn new(n: usize, operator: EigenOperator<'a>, inner: Option<EigenProduct<'b>>) -> Self {
        let (basis, images, columns) = (Vec::new(), Vec::new(), Vec::new());
        Self { n, operator, inner, basis, images, columns, random: 0x9e37_79b9_7f4a_7c15, closed: false }
    }

    fn apply(&mut self, x: &[f64]) -> Result<Vec<f64>, SolveError> {
        let mut y = vec![0.0; self.n];
        (self.operator)(x, &mut y)?;
        match y.iter().position(|v| !v.is_finite()) {
            Some(block) => Err(SolveError::NonFinite { block }),
            None => Ok(y),
        }
    }

    /// Σ s_i v_i over the expanded vectors.
    fn combine(&self, s: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.n];
        s.iter().zip(&self.basis).for_each(|(s, v)| add_scaled(*s, v, &mut x));
        x
    }

    /// Takes the basis out of `w` (Gram–Schmidt, twice), adds the rest to the basis where there is one, and
    /// returns the coefficients.
    fn take_in(&mut self, mut w: Vec<f64>) -> Vec<f64> {
        let mut image = vec![0.0; if self.inner.is_some() { self.n } else { 0 }];
        let mut length = |w: &[f64]| match self.inner {
            Some(b) => {
                b(w, &mut image);
                dot(w, &image).max(0.0).sqrt()
            }
            None => dot(w, w).sqrt(),
        };
        let before = length(&w);
        let duals = if self.inner.is_some() { &self.images } else { &self.basis };
        let mut coefficients = vec![0.0; self.basis.len()];
        for _ in 0..2 {
            let along: Vec<f64> = duals.iter().map(|d| dot(d, &w)).collect();
            for (k, a) in along.iter().enumerate() {
                coefficients[k] += a;
                add_scaled(-a, &self.basis[k], &mut w);
            }
        }
        let left = length(&w);
        if left > INSIDE * before && left > 0.0 {
            w.iter_mut().for_each(|v| *v /= left);
            if self.inner.is_some() {
                image.iter_mut().for_each(|v| *v /= left);
                self.images.push(image);
            }
            self.basis.push(w);
            coefficients.push(left);
        }
        coefficients
    }

    /// Adds a random vector in the range of the operator; whether one was found outside the space.
    fn add_random(&mut self) -> Result<bool, SolveError> {
        for _ in 0..3 {
            let mut x = vec![0.0; self.n];
            for v in &mut x {
                self.random ^= self.random << 13;
                self.random ^= self.random >> 7;
                self.random ^= self.random << 17;
                *v = (self.random >> 11) as f64 / (1u64 << 53) as f64 - 0.5;
            }
            let w = self.apply(&x)?;
            let count = self.basis.len();
            self.take_in(w);
            if self.basis.len() > count {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Expands the space to `size` vectors, or until it is closed.
    fn expand(&mut self, size: usize, block: usize) -> Result<(), SolveError> {
        while self.columns.is_empty() && self.basis.len() < block && self.add_random()? {}
        while self.columns.len() < size {
            let k = self.columns.len();
            if k == self.basis.len() && !self.add_random()? {
                self.closed = true;
                return Ok(());
            }
            let x = std::mem::take(&mut self.basis[k]);
            let w = self.apply(&x);
            self.basis[k] = x;
            let column = self.take_in(w?);
            self.columns.push(column);
        }
        Ok(())
    }

    /// H on the expanded vectors and on those that wait.
    fn projections(&self) -> (Mat<f64>, Mat<f64>) {
        let (k, all) = (self.columns.len(), self.basis.len());
        let entry = |i: usize, j: usize| self.columns[j].get(i).copied().unwrap_or(0.0);
        (Mat::from_fn(k, k, entry), Mat::from_fn(all - k, k, |i, j| entry(k + i, j)))
    }

    /// Keeps the space that the columns of `q` span, and the waiting vectors.
    fn restart(&mut self, q: &Mat<f64>) {
        let k = self.columns.len();
        let (inside, outside) = self.projections();
        let (inside, outside) = (q.transpose() * inside * q, outside * q);
        let rotate = |vectors: &mut Vec<Vec<f64>>| {
            let waiting = vectors.split_off(k);
            let mut new: Vec<Vec<f64>> = Vec::with_capacity(q.ncols() + waiting.len());
            for j in 0..q.ncols() {
                let mut x = vec![0.0; vectors[0].len()];
                (0..k).for_each(|i| add_scaled(q[(i, j)], &vectors[i], &mut x));
                new.push(x);
            }
            new.extend(waiting);
            *vectors = new;
        };
        rotate(&mut self.basis);
        if self.inner.is_some() {
            rotate(&mut self.images);
        }
        let column = |j: usize| {
            let top = (0..q.ncols()).map(|i| inside[(i, j)]);
            top.chain((0..outside.nrows()).map(|i| outside[(i, j)])).collect()
        };
        self.columns = (0..q.ncols()).map(column).collect();
    }

    /// Expands and restarts until the wanted vectors have converged.
    fn search(&mut self, request: &EigenRequest, ritz: RitzOf) -> Result<(Vec<Ritz>, usize), SolveError> {
        if request.count == 0 || self.n == 0 {
            return Ok((Vec::new(), 0));
        }
        let block = request.block.clamp(1, self.n);
        let size = (2 * request.count + 20 + 3 * block).min(self.n);
        let mut worst = f64::NAN;
        for restarts in 0..=request.max_restarts {
            self.expand(size, block)?;
            let (inside, outside) = self.projections();
            let mut found = ritz(&inside, &outside)?;
            let top = found.first().map_or(0.0, |r| r.theta.norm());
            found.retain(|r| r.theta.norm() > INFINITE * top);
            let wanted = enough(&found, request.count);
            let exhausted = self.closed || self.columns.len() >= self.n;
            worst = found[..wanted].iter().fold(0.0, |m: f64, r| m.max(r.residual));
            if worst <= request.tolerance || exhausted {
                found.truncate(wanted);
                return Ok((found, restarts));
            }
            let kept = enough(&found, (request.count + size) / 2).min(found.len());
            self.restart(&span(&found[..kept], self.columns.len()));
        }
        let iterations = request.max_restarts;
        Err(SolveError::NotConverged { what: "eigenvalues", iterations, residual: worst })
    }
}

/// How many of the first entries hold `count` eigenvalues; entries with an imaginary part count twice.
fn enough(found: &[Ritz], count: usize) -> usize {
    let mut have = 0;
    for (k, r) in found.iter().enumerate() {
        if have >= count {
            return k;
        }
        have += if r.theta.im == 0.0 { 1 } else { 2 };
    }
    found.len()
}

/// An orthonormal basis of what real and imaginary parts of the vectors span.
fn span(found: &[Ritz], size: usize) -> Mat<f64> {
    let mut columns: Vec<Vec<f64>> = Vec::new();
    for r in found {
        let real = r.vector.iter().map(|s| s.re).collect::<Vec<_>>();
        let imaginary = (r.theta.im != 0.0).then(|| r.vector.iter().map(|s| s.im).collect());
        for mut x in [Some(real), imaginary].into_iter().flatten() {
            let before = dot(&x, &x).sqrt();
            for _ in 0..2 {
                for c in &columns {
                    add_scaled(-dot(c, &x), c, &mut x);
                }
            }
            let left = dot(&x, &x).sqrt();
            if left > INSIDE * before {
                x.iter_mut().for_each(|v| *v /= left);
                columns.push(x);
            }
        }
    }
    // At least one vector has to leave, or the space cannot grow.
    columns.truncate(size.saturating_sub(1));
    Mat::from_fn(size, columns.len(), |i, j| columns[j][i])
}

fn residual(outside: &Mat<f64>, vector: &[c64], theta: c64) -> f64 {
    let row = |i: usize| (0..outside.ncols()).map(|j| vector[j] * outside[(i, j)]).sum::<c64>().norm_sqr();
    let length = vector.iter().map(|x| x.norm_sqr()).sum::<f64>();
    ((0..outside.nrows()).map(row).sum::<f64>() / length).sqrt() / theta.norm().max(1e-300)
}

fn failure() -> SolveError {
    SolveError::NotConverged { what: "eigenvalues of the projection", iterations: 0, residual: f64::NAN }
}

fn by_size(mut found: Vec<Ritz>) -> Vec<Ritz> {
    found.sort_by(|a, b| b.theta.norm().total_cmp(&a.theta.norm()));
    found
}

fn symmetric_ritz(inside: &Mat<f64>, outside: &Mat<f64>) -> Result<Vec<Ritz>, SolveError> {
    crate::dense::fix_parallelism();
    let k = inside.nrows();
    let symmetric = Mat::from_fn(k, k, |i, j| 0.5 * (inside[(i, j)] + inside[(j, i)]));
    let eigen = symmetric.self_adjoint_eigen(faer::Side::Lower).map_err(|_| failure())?;
    let one = |e: usize| {
        let vector: Vec<c64> = (0..k).map(|i| c64::new(eigen.U()[(i, e)], 0.0)).collect();
        let theta = c64::new(eigen.S()[e], 0.0);
        Ritz { theta, residual: residual(outside, &vector, theta), vector }
    };
    Ok(by_size((0..k).map(one).collect()))
}

/// One of each complex pair: that with the positive imaginary part of θ.
fn general_ritz(inside: &Mat<f64>, outside: &Mat<f64>) -> Result<Vec<Ritz>, SolveError> {
    crate::dense::fix_parallelism();
    let k = inside.nrows();
    let eigen = inside.eigen().map_err(|_| failure())?;
    let one = |e: usize| {
        let vector: Vec<c64> = (0..k).map(|i| eigen.U()[(i, e)]).collect();
        let theta = eigen.S()[e];
        Ritz { theta, residual: residual(outside, &vector, theta), vector }
    };
    Ok(by_size((0..k).filter(|&e| eigen.S()[e].im >= 0.0).map(one).collect()))
}

/// Eight partial sums in a fixed order, so that it can be vectorized.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (heads, tails) = (a.chunks_exact(8).zip(b.chunks_exact(8)), a.len() / 8 * 8);
    for (x, y) in heads {
        (0..8).for_each(|k| sums[k] += x[k] * y[k]);
    }
    let rest: f64 = a[tails..].iter().zip(&b[tails..]).map(|(x, y)| x * y).sum();
    sums.iter().sum::<f64>() + rest
}

fn add_scaled(s: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
}
