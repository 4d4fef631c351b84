//! Random numbers and saddle-point problems shared by the tests.

use huygens_solve::{BlockKind, BlockMatrix, BlockPattern};

/// A small linear congruential generator: the tests need repeatable numbers, not good ones.
pub struct Random(pub u64);

impl Random {
    /// Uniform in −1..1.
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// Column sizes; row blocks as (size, columns it acts on); extra column–column couplings.
#[derive(Clone, Default)]
pub struct Shape {
    pub columns: Vec<usize>,
    pub rows: Vec<(usize, Vec<usize>)>,
    pub springs: Vec<(usize, usize)>,
}

impl Shape {
    pub fn chain(links: usize, joint: usize) -> Self {
        let rows = (0..links).map(|i| (joint, if i == 0 { vec![0] } else { vec![i - 1, i] })).collect();
        Self { columns: vec![6; links], rows, springs: vec![] }
    }

    pub fn pattern(&self) -> BlockPattern {
        let count = self.columns.len();
        let mut sizes = self.columns.clone();
        let mut kinds = vec![BlockKind::Column; count];
        let mut couplings: Vec<(u32, u32)> =
            self.springs.iter().map(|&(i, j)| (i as u32, j as u32)).collect();
        for (k, (size, columns)) in self.rows.iter().enumerate() {
            sizes.push(*size);
            kinds.push(BlockKind::Row);
            couplings.extend(columns.iter().map(|&c| (c as u32, (count + k) as u32)));
        }
        BlockPattern::new(&sizes, &kinds, &couplings)
    }

    /// Positive definite, slightly unsymmetric H, random C, and −ε on the diagonal of the rows.
    pub fn matrix(&self, random: &mut Random, epsilon: f64) -> BlockMatrix {
        let mut m = BlockMatrix::new(&self.pattern());
        let count = self.columns.len();
        for (i, &n) in self.columns.iter().enumerate() {
            let block = m.block_mut(i, i);
            block.iter_mut().for_each(|x| *x = 0.1 * random.next());
            (0..n).for_each(|r| block[r * (n + 1)] += 1.5 + 0.5 * random.next());
        }
        for &(i, j) in &self.springs {
            m.block_mut(i, j).iter_mut().for_each(|x| *x = 0.05 * random.next());
            m.block_mut(j, i).iter_mut().for_each(|x| *x = 0.05 * random.next());
        }
        for (k, (size, columns)) in self.rows.iter().enumerate() {
            for &c in columns {
                // Rows as independent as those of real joints: random ones are nearly dependent too often.
                let width = self.columns[c];
                let mut values = random.vector(size * width);
                values.iter_mut().for_each(|x| *x *= 0.3);
                (0..*size).for_each(|r| values[r * width + (r + k) % width] += 1.0);
                set_constraint(&mut m, count + k, c, &values);
            }
            let diagonal = m.block_mut(count + k, count + k);
            (0..*size).for_each(|r| diagonal[r * (size + 1)] = -epsilon);
        }
        m
    }
}

/// Writes C into (row, column) and its transpose into (column, row).
pub fn set_constraint(m: &mut BlockMatrix, row: usize, column: usize, values: &[f64]) {
    let (rows, columns) = (m.pattern().size(row), m.pattern().size(column));
    m.block_mut(row, column).copy_from_slice(values);
    let transposed = m.block_mut(column, row);
    for r in 0..rows {
        for c in 0..columns {
            transposed[c * rows + r] = values[r * columns + c];
        }
    }
}

/// The whole matrix, dense.
pub fn dense(m: &BlockMatrix) -> faer::Mat<f64> {
    let p = m.pattern();
    let mut out = faer::Mat::zeros(p.dimension(), p.dimension());
    for i in 0..p.block_count() {
        for j in 0..p.block_count() {
            if p.find_slot(i, j).is_some() {
                for (k, x) in m.block(i, j).iter().enumerate() {
                    out[(p.offset(i) + k / p.size(j), p.offset(j) + k % p.size(j))] = *x;
                }
            }
        }
    }
    out
}

pub fn max_abs(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| m.max(v.abs()))
}

/// ‖A x − b‖ / (‖A‖ ‖x‖ + ‖b‖) in the maximum norm.
pub fn backward_error(m: &BlockMatrix, x: &[f64], b: &[f64]) -> f64 {
    let a = dense(m);
    let n = b.len();
    let mut norm = 0.0_f64;
    let mut residual = 0.0_f64;
    for i in 0..n {
        norm = norm.max((0..n).map(|j| a[(i, j)].abs()).sum());
        residual = residual.max(((0..n).map(|j| a[(i, j)] * x[j]).sum::<f64>() - b[i]).abs());
    }
    residual / (norm * max_abs(x) + max_abs(b))
}
