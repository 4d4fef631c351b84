//! Conjugate gradients for symmetric positive definite block matrices.

use super::{KrylovLimits, KrylovReport};
use crate::{BlockKind, BlockMatrix, SolveError};
use huygens_exec::Exec;

/// Shares of the couplings that enter the preconditioner's diagonal, tried in turn until it is positive definite.
const SHARES: [f64; 4] = [1.0, 0.75, 0.4, 0.0];

/// Conjugate gradients (`hestenes1952`), preconditioned by an incomplete factor of diagonal blocks.
///
/// With A = L + D₀ + Lᵀ by blocks, $M = (L + D) D^{-1} (D + L^T)$ where $D_i = D_{0,i} - \sum_j L_{ij} D_j^{-1}
/// L_{ij}^T$. An iteration costs one pass through L up and one down, no product with A (`eisenstat1981`).
#[derive(Clone, Debug, Default)]
pub struct SolverCg {
    /// Stopping criteria.
    pub limits: KrylovLimits,
    /// Size and first unknown of each block.
    blocks: Vec<(u32, u32)>,
    /// Couplings of block `i` to earlier ones: `starts[i]..starts[i + 1]`, each with its first unknown and place.
    starts: Vec<u32>,
    couplings: Vec<(u32, u32)>,
    /// Blocks of L, row by row.
    lower: Vec<f64>,
    /// Places in the block matrix that L and the diagonal come from: (place, number of values).
    sources: Vec<(u32, u32)>,
    diagonal_sources: Vec<u32>,
    /// First value of each diagonal block.
    diagonals: Vec<u32>,
    /// D₀ − 2D, D and D⁻¹, block by block.
    rest: Vec<f64>,
    middle: Vec<f64>,
    inverse: Vec<f64>,
    uniform: usize,
}

impl SolverCg {
    /// With the given limits.
    pub fn new(limits: KrylovLimits) -> Self {
        Self { limits, ..Self::default() }
    }

    /// Takes a matrix and prepares its preconditioner; constraint rows are refused.
    pub fn factor(&mut self, matrix: &BlockMatrix) -> Result<(), SolveError> {
        if self.blocks.len() != matrix.pattern().block_count()
            || self.lower.is_empty() && matrix.pattern().block_count() > 0
        {
            self.analyse(matrix)?;
        }
        let values = matrix.values();
        let mut at = 0;
        for &(slot, area) in &self.sources {
            let (slot, area) = (slot as usize, area as usize);
            self.lower[at..at + area].copy_from_slice(&values[slot..slot + area]);
            at += area;
        }
        if let Some(k) = self.lower.iter().position(|x| !x.is_finite()) {
            return Err(SolveError::NonFinite { block: k });
        }
        for share in SHARES {
            if self.factor_diagonal(values, share) {
                return Ok(());
            }
        }
        Err(SolveError::Indefinite { what: "matrix of the conjugate gradients (use a direct solver)" })
    }

    fn analyse(&mut self, matrix: &BlockMatrix) -> Result<(), SolveError> {
        let pattern = matrix.pattern();
        *self = Self { limits: self.limits, starts: vec![0], ..Self::default() };
        let (mut values, mut squares) = (0, 0);
        for i in 0..pattern.block_count() {
            if pattern.kind(i) == BlockKind::Row && pattern.size(i) > 0 {
                let what = "constraint rows (use sparse_cholesky, minres or block)";
                return Err(SolveError::Unsupported { solver: "cg", what });
            }
            let n = pattern.size(i);
            self.blocks.push((n as u32, pattern.offset(i) as u32));
            for (j, slot) in pattern.couplings(i).filter(|(j, _)| *j < i) {
                let area = n * pattern.size(j);
                self.couplings.push((j as u32, values as u32));
                self.sources.push((slot as u32, area as u32));
                values += area;
            }
            self.starts.push(self.couplings.len() as u32);
            self.diagonal_sources.push(pattern.slot(i, i) as u32);
            self.diagonals.push(squares as u32);
            squares += n * n;
        }
        self.lower = vec![0.0; values];
        for part in [&mut self.rest, &mut self.middle, &mut self.inverse] {
            *part = vec![0.0; squares];
        }
        let first = self.blocks.first().map_or(0, |b| b.0);
        self.uniform = if self.blocks.iter().all(|b| b.0 == first) { first as usize } else { 0 };
        Ok(())
    }

    /// Fills D for a share of the couplings; false where it is not positive definite.
    fn factor_diagonal(&mut self, values: &[f64], share: f64) -> bool {
        let (mut scratch, mut d, mut triangle) = (Vec::new(), Vec::new(), Vec::new());
        for i in 0..self.blocks.len() {
            let n = self.blocks[i].0 as usize;
            let (own, at) = (self.diagonal_sources[i] as usize, self.diagonals[i] as usize);
            let original = &values[own..own + n * n];
            d.clear();
            d.extend_from_slice(original);
            for k in self.starts[i] as usize..self.starts[i + 1] as usize {
                let (j, place) = self.couplings[k];
                let m = self.blocks[j as usize].0 as usize;
                let block = &self.lower[place as usize..][..n * m];
                let inverse = &self.inverse[self.diagonals[j as usize] as usize..][..m * m];
                scratch.clear();
                scratch.resize(n * m, 0.0);
                for r in 0..n {
                    for a in 0..m {
                        let left = block[r * m + a];
                        (0..m).for_each(|c| scratch[r * m + c] += left * inverse[a * m + c]);
                    }
                }
                for r in 0..n {
                    for c in 0..n {
                        let product: f64 = (0..m).map(|a| scratch[r * m + a] * block[c * m + a]).sum();
                        d[r * n + c] -= share * product;
                    }
                }
            }
            if !invert(&d, n, &mut triangle, &mut self.inverse[at..at + n * n]) {
                return false;
            }
            for k in 0..n * n {
                self.rest[at + k] = original[k] - 2.0 * d[k];
            }
            self.middle[at..at + n * n].copy_from_slice(&d);
        }
        true
    }

    /// Solves A x = b from zero.
    pub fn solve(&self, matrix: &BlockMatrix, b: &[f64], x: &mut [f64]) -> Result<KrylovReport, SolveError> {
        self.solve_on(&Exec::serial(), matrix, b, x)
    }

    /// The same as [`SolverCg::solve`], but interruptible; on the calling thread.
    pub fn solve_on(
        &self,
        ex: &Exec,
        matrix: &BlockMatrix,
        b: &[f64],
        x: &mut [f64],
    ) -> Result<KrylovReport, SolveError> {
        if b.len() != x.len() || b.len() != matrix.pattern().dimension() {
            let expected = matrix.pattern().dimension();
            return Err(SolveError::Size { what: "right-hand side", expected, found: b.len() });
        }
        x.fill(0.0);
        let size = dot(b, b).sqrt();
        let mut report = KrylovReport { iterations: 0, residual: 0.0, converged: true };
        let mut r = b.to_vec();
        let mut tolerance = self.limits.tolerance;
        // The iteration measures in the preconditioner's norm: what it leaves is checked, and solved for again.
        for _ in 0..4 {
            report.iterations +=
                self.iterate(ex, &r, x, tolerance, self.limits.max_iterations - report.iterations)?;
            matrix.mul(x, &mut r);
            r.iter_mut().zip(b).for_each(|(r, b)| *r = b - *r);
            report.residual = if size > 0.0 { dot(&r, &r).sqrt() / size } else { 0.0 };
            if !report.residual.is_finite() {
                let (iterations, residual) = (report.iterations, report.residual);
                return Err(SolveError::NotConverged { what: "conjugate gradients", iterations, residual });
            }
            report.converged = report.residual <= self.limits.tolerance;
            if report.converged || report.iterations >= self.limits.max_iterations {
                break;
            }
            tolerance = 0.3 * self.limits.tolerance / report.residual;
        }
        Ok(report)
    }

    /// Adds the answer to `b` to `x`; returns the iterations.
    fn iterate(
        &self,
        ex: &Exec,
        b: &[f64],
        x: &mut [f64],
        tolerance: f64,
        budget: usize,
    ) -> Result<usize, SolveError> {
        let n = b.len();
        let mut r = b.to_vec();
        self.down(&mut r);
        let (mut z, mut p, mut t, mut w) = (vec![0.0; n], vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        self.times_diagonal(&self.middle, &r, &mut z);
        let mut rho = dot(&r, &z);
        let target = tolerance * tolerance * rho;
        p.copy_from_slice(&z);
        for k in 0..budget {
            if !(rho > target && rho > 0.0) {
                return Ok(k);
            }
            ex.check_stop()?;
            t.copy_from_slice(&p);
            self.up(&mut t);
            self.times_diagonal(&self.rest, &t, &mut w);
            w.iter_mut().zip(&p).for_each(|(w, p)| *w += p);
            self.down(&mut w);
            w.iter_mut().zip(&t).for_each(|(w, t)| *w += t);
            let alpha = rho / dot(&p, &w);
            x.iter_mut().zip(&t).for_each(|(x, t)| *x += alpha * t);
            r.iter_mut().zip(&w).for_each(|(r, w)| *r -= alpha * w);
            self.times_diagonal(&self.middle, &r, &mut z);
            let new = dot(&r, &z);
            let beta = new / rho;
            rho = new;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + beta * *p);
        }
        Ok(budget)
    }

    /// x ← (L + D)⁻¹ x.
    fn down(&self, x: &mut [f64]) {
        match self.uniform {
            3 => self.down_by::<3>(x),
            6 => self.down_by::<6>(x),
            _ => self.down_any(x),
        }
    }

    /// x ← (D + Lᵀ)⁻¹ x.
    fn up(&self, x: &mut [f64]) {
        match self.uniform {
            3 => self.up_by::<3>(x),
            6 => self.up_by::<6>(x),
            _ => self.up_any(x),
        }
    }

    fn down_by<const N: usize>(&self, x: &mut [f64]) {
        let x = x.as_chunks_mut::<N>().0;
        for i in 0..self.blocks.len() {
            let mut sum = x[i];
            for &(j, place) in &self.couplings[self.starts[i] as usize..self.starts[i + 1] as usize] {
                let rows = self.lower[place as usize..place as usize + N * N].as_chunks::<N>().0;
                let other = x[j as usize];
                for (sum, row) in sum.iter_mut().zip(rows) {
                    *sum -= (0..N).map(|c| row[c] * other[c]).sum::<f64>();
                }
            }
            let rows = self.inverse[i * N * N..(i + 1) * N * N].as_chunks::<N>().0;
            for (x, row) in x[i].iter_mut().zip(rows) {
                *x = (0..N).map(|c| row[c] * sum[c]).sum();
            }
        }
    }

    fn up_by<const N: usize>(&self, x: &mut [f64]) {
        let x = x.as_chunks_mut::<N>().0;
        for i in (0..self.blocks.len()).rev() {
            let rows = self.inverse[i * N * N..(i + 1) * N * N].as_chunks::<N>().0;
            let old = x[i];
            let mut own = [0.0; N];
            for (own, row) in own.iter_mut().zip(rows) {
                *own = (0..N).map(|c| row[c] * old[c]).sum();
            }
            x[i] = own;
            for &(j, place) in
                self.couplings[self.starts[i] as usize..self.starts[i + 1] as usize].iter().rev()
            {
                let rows = self.lower[place as usize..place as usize + N * N].as_chunks::<N>().0;
                let other = &mut x[j as usize];
                for (row, own) in rows.iter().zip(own) {
                    (0..N).for_each(|c| other[c] -= row[c] * own);
                }
            }
        }
    }

    fn down_any(&self, x: &mut [f64]) {
        let mut sum = Vec::new();
        for i in 0..self.blocks.len() {
            let (n, at) = (self.blocks[i].0 as usize, self.blocks[i].1 as usize);
            sum.clear();
            sum.extend_from_slice(&x[at..at + n]);
            for &(j, place) in &self.couplings[self.starts[i] as usize..self.starts[i + 1] as usize] {
                let (m, from) = (self.blocks[j as usize].0 as usize, self.blocks[j as usize].1 as usize);
                for (sum, row) in
                    sum.iter_mut().zip(self.lower[place as usize..][..n * m].chunks_exact(m.max(1)))
                {
                    *sum -= dot(row, &x[from..from + m]);
                }
            }
            let inverse = &self.inverse[self.diagonals[i] as usize..][..n * n];
            for (x, row) in x[at..at + n].iter_mut().zip(inverse.chunks_exact(n.max(1))) {
                *x = dot(row, &sum);
            }
        }
    }

    fn up_any(&self, x: &mut [f64]) {
        let mut own: Vec<f64> = Vec::new();
        for i in (0..self.blocks.len()).rev() {
            let (n, at) = (self.blocks[i].0 as usize, self.blocks[i].1 as usize);
            let inverse = &self.inverse[self.diagonals[i] as usize..][..n * n];
            own.clear();
            own.extend(inverse.chunks_exact(n.max(1)).map(|row| dot(row, &x[at..at + n])));
            x[at..at + n].copy_from_slice(&own);
            for &(j, place) in
                self.couplings[self.starts[i] as usize..self.starts[i + 1] as usize].iter().rev()
            {
                let (m, from) = (self.blocks[j as usize].0 as usize, self.blocks[j as usize].1 as usize);
                for (row, own) in self.lower[place as usize..][..n * m].chunks_exact(m.max(1)).zip(&own) {
                    x[from..from + m].iter_mut().zip(row).for_each(|(x, l)| *x -= l * own);
                }
            }
        }
    }

    fn times_diagonal(&self, blocks: &[f64], x: &[f64], y: &mut [f64]) {
        if self.uniform == 3 {
            let (blocks, x, y) = (blocks.as_chunks::<9>().0, x.as_chunks::<3>().0, y.as_chunks_mut::<3>().0);
            for ((b, x), y) in blocks.iter().zip(x).zip(y) {
                (0..3).for_each(|r| y[r] = b[3 * r] * x[0] + b[3 * r + 1] * x[1] + b[3 * r + 2] * x[2]);
            }
            return;
        }
        for (&(n, at), &first) in self.blocks.iter().zip(&self.diagonals) {
            let (n, at) = (n as usize, at as usize);
            let rows = blocks[first as usize..][..n * n].chunks_exact(n.max(1));
            rows.enumerate().for_each(|(r, row)| y[at + r] = dot(row, &x[at..at + n]));
        }
    }
}

/// Writes the inverse of a symmetric positive definite block by Cholesky; false where it is not definite.
fn invert(block: &[f64], n: usize, l: &mut Vec<f64>, inverse: &mut [f64]) -> bool {
    l.clear();
    // The triangle, and a column of the inverse.
    l.resize(n * n + n, 0.0);
    let (l, x) = l.split_at_mut(n * n);
    for i in 0..n {
        for j in 0..=i {
            let sum: f64 = block[i * n + j] - (0..j).map(|k| l[i * n + k] * l[j * n + k]).sum::<f64>();
            if i == j {
                // Nearly singular blocks would make the preconditioner worse than none.
                if !(sum > 1e-8 * block[i * n + i].abs() && sum.is_finite()) {
                    return false;
                }
                l[i * n + i] = sum.sqrt();
            } else {
                l[i * n + j] = sum / l[j * n + j];
            }
        }
    }
    for c in 0..n {
        for i in 0..n {
            let unit = f64::from(u8::from(i == c));
            x[i] = (unit - (0..i).map(|k| l[i * n + k] * x[k]).sum::<f64>()) / l[i * n + i];
        }
        for i in (0..n).rev() {
            x[i] = (x[i] - (i + 1..n).map(|k| l[k * n + i] * x[k]).sum::<f64>()) / l[i * n + i];
        }
        (0..n).for_each(|r| inverse[r * n + c] = x[r]);
    }
    true
}

/// Eight partial sums in a fixed order.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let whole = a.len() / 8 * 8;
    for (x, y) in a.chunks_exact(8).zip(b.chunks_exact(8)) {
        (0..8).for_each(|k| sums[k] += x[k] * y[k]);
    }
    sums.iter().sum::<f64>() + a[whole..].iter().zip(&b[whole..]).map(|(x, y)| x * y).sum::<f64>()
}
