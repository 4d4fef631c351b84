//! The Newton matrix N + P and its inverse, over items where H⁻¹ has blocks and over rows where it has none.

use super::barrier::Barrier;
use crate::cone::{ConeProblem, RowBlock};
use crate::{SolveError, SparseCholesky, SparseMatrix, SparseParallelism};
use faer::linalg::solvers::Llt;
use faer::prelude::Solve;
use faer::{Mat, MatMut, Side};
use huygens_exec::Exec;

/// Largest number of rows of a problem whose H⁻¹ has no blocks.
pub(super) const DENSE_ROWS: usize = 1500;
/// What is refused beyond that.
pub(super) const MANY_ROWS: &str = "many rows over an inverse inertia without blocks";

/// Columns of an item.
const WIDTH: usize = 6;

/// (N + P)⁻¹ = Cᵀ (1 + C D H⁻¹ Dᵀ Cᵀ)⁻¹ C, with CᵀC = P⁻¹ from the barrier: rows a cone holds fixed have no part in
/// C, and what is factored is never less than 1.
pub(super) enum NewtonSystem {
    /// Woodbury's formula over items.
    Items(ItemSystem),
    /// The matrix over rows.
    Rows(RowSystem),
}

/// Whether H⁻¹ has blocks and all rows have entries.
pub(super) fn has_items(problem: &ConeProblem<'_>) -> bool {
    let columns = problem.inverse.dimension();
    columns.is_multiple_of(WIDTH)
        && problem.rows.iter().all(|block| match block {
            RowBlock::Pair(rows) => rows.first_column().is_multiple_of(WIDTH),
            RowBlock::Sparse(_) => true,
            RowBlock::Operator(_) => false,
        })
        && (0..columns / WIDTH).all(|item| problem.inverse.block(item as u32).is_some())
}

impl NewtonSystem {
    /// Reads the problem.
    pub fn new(ex: &Exec, problem: &ConeProblem<'_>, before: Option<Self>) -> Result<Self, SolveError> {
        if has_items(problem) {
            let factor = match before {
                Some(Self::Items(system)) => system.factor,
                _ => None,
            };
            return ItemSystem::new(problem, factor).map(Self::Items);
        }
        if problem.row_count() > DENSE_ROWS {
            return Err(SolveError::Unsupported { solver: "interior point", what: MANY_ROWS });
        }
        Ok(Self::Rows(RowSystem::new(ex, problem)))
    }

    /// Diagonal of D H⁻¹ Dᵀ.
    pub fn diagonal(&self, diagonal: &mut [f64]) {
        match self {
            Self::Items(system) => system.diagonal(diagonal),
            Self::Rows(system) => (0..diagonal.len()).for_each(|i| diagonal[i] = system.matrix[(i, i)]),
        }
    }

    /// Factors the matrix with the present roots of the barrier.
    pub fn factor(&mut self, ex: &Exec, barrier: &Barrier) -> Result<(), SolveError> {
        match self {
            Self::Items(system) => system.factor(ex, barrier),
            Self::Rows(system) => system.factor(barrier),
        }
    }

    /// x ← (N + P)⁻¹ q.
    pub fn solve(&mut self, barrier: &Barrier, q: &[f64], x: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Items(system) => system.solve(barrier, q, x),
            Self::Rows(system) => system.solve(barrier, q, x),
        }
    }
}

/// y ← C x, or Cᵀ x.
fn apply_roots(barrier: &Barrier, transposed: bool, x: &[f64], y: &mut [f64]) {
    for group in &barrier.groups {
        let (n, at) = (group.rows, group.first);
        let root = &barrier.roots[group.root..group.root + n * n];
        for i in 0..n {
            let entry = |j: usize| if transposed { root[j * n + i] } else { root[i * n + j] };
            y[at + i] = (0..n).map(|j| entry(j) * x[at + j]).sum();
        }
    }
}

/// The lower Cholesky factor R of a block of H⁻¹ = R Rᵀ; directions that cannot move give zero columns.
fn root_of_inverse(block: &[f64; 36]) -> Option<[f64; 36]> {
    let mut r = [0.0_f64; 36];
    for j in 0..WIDTH {
        let given = block[j * WIDTH + j];
        let pivot = given - (0..j).map(|k| r[j * WIDTH + k] * r[j * WIDTH + k]).sum::<f64>();
        if !pivot.is_finite() || pivot < -1e-9 * given.abs() {
            return None;
        }
        if pivot <= 1e-13 * given {
            continue;
        }
        let root = pivot.sqrt();
        r[j * WIDTH + j] = root;
        for i in j + 1..WIDTH {
            let sum: f64 = (0..j).map(|k| r[i * WIDTH + k] * r[j * WIDTH + k]).sum();
            r[i * WIDTH + j] = (block[i * WIDTH + j] - sum) / root;
        }
    }
    Some(r)
}

/// Part of the rows of one group that acts on one item.
#[derive(Clone, Copy, Debug)]
struct Segment {
    item: usize,
    /// Where its rows × 6 values lie.
    values: usize,
}

/// The factorization and the block pattern it belongs to.
struct ItemFactor {
    /// Blocks of the lower triangle as (column, row), sorted.
    blocks: Vec<(u32, u32)>,
    matrix: SparseMatrix,
    cholesky: SparseCholesky,
}

/// 1 + Bᵀ B over the items that rows act on, with B = C D R and H⁻¹ = R Rᵀ.
pub(super) struct ItemSystem {
    item_count: usize,
    /// Rows of each group, and its range of segments.
    groups: Vec<(usize, usize)>,
    segment_ends: Vec<usize>,
    segments: Vec<Segment>,
    /// D R and B, segment after segment.
    rows: Vec<f64>,
    scaled: Vec<f64>,
    /// Block of each pair of segments of each group.
    pair_blocks: Vec<u32>,
    /// Where the values of each block begin, and the distance between its columns.
    places: Vec<(usize, usize)>,
    factor: Option<ItemFactor>,
    unknowns: Vec<f64>,
    weighted: Vec<f64>,
}

/// Entries of one row as (item, six values), in the order of items.
type RowEntries = Vec<(u32, [f64; WIDTH])>;

fn add_entry(entries: &mut RowEntries, item: usize, values: [f64; WIDTH]) {
    match entries.iter_mut().find(|e| e.0 as usize == item) {
        Some((_, sum)) => (0..WIDTH).for_each(|c| sum[c] += values[c]),
        None => entries.push((item as u32, values)),
    }
}

/// Calls `visit` with the entries of every row, in order.
fn for_each_row(problem: &ConeProblem<'_>, mut visit: impl FnMut(&mut RowEntries)) {
    let mut entries = RowEntries::new();
    for block in problem.rows {
        match block {
            RowBlock::Pair(rows) => {
                let first = rows.first_column() / WIDTH;
                for contact in rows.contacts() {
                    for row in 0..rows.rows_per_contact() {
                        let axis = contact.axes[row % 3];
                        entries.clear();
                        for (side, sign) in [(0, -1.0), (1, 1.0)] {
                            let item = contact.items[side] as usize;
                            if item >= rows.item_count() {
                                continue;
                            }
                            let n = axis.map(|x| sign * x);
                            let values = if row < 3 {
                                let m = cross(contact.arms[side], n);
                                [n[0], n[1], n[2], m[0], m[1], m[2]]
                            } else {
                                [0.0, 0.0, 0.0, n[0], n[1], n[2]]
                            };
                            add_entry(&mut entries, first + item, values);
                        }
                        visit(&mut entries);
                    }
                }
            }
            RowBlock::Sparse(rows) => {
                for row in 0..block.operator().rows() {
                    entries.clear();
                    for (column, value) in rows.row(row) {
                        let mut values = [0.0; WIDTH];
                        values[column % WIDTH] = value;
                        add_entry(&mut entries, column / WIDTH, values);
                    }
                    visit(&mut entries);
                }
            }
            RowBlock::Operator(_) => {}
        }
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

impl ItemSystem {
    fn new(problem: &ConeProblem<'_>, before: Option<ItemFactor>) -> Result<Self, SolveError> {
        let mut system = Self {
            item_count: 0,
            groups: Vec::with_capacity(problem.cones.len()),
            segment_ends: Vec::with_capacity(problem.cones.len()),
            segments: Vec::new(),
            rows: Vec::new(),
            scaled: Vec::new(),
            pair_blocks: Vec::new(),
            places: Vec::new(),
            factor: before,
            unknowns: Vec::new(),
            weighted: vec![0.0; problem.row_count()],
        };
        system.read_rows(problem)?;
        system.scaled = vec![0.0; system.rows.len()];
        system.unknowns = vec![0.0; WIDTH * system.item_count];
        system.analyse()?;
        Ok(system)
    }

    /// Segments of every group, whitened; items are renumbered to those that occur.
    fn read_rows(&mut self, problem: &ConeProblem<'_>) -> Result<(), SolveError> {
        let mut number = vec![u32::MAX; problem.inverse.dimension() / WIDTH];
        let mut occurs = vec![false; number.len()];
        for_each_row(problem, |entries| entries.iter().for_each(|e| occurs[e.0 as usize] = true));
        let mut roots = Vec::new();
        for item in (0..number.len()).filter(|&i| occurs[i]) {
            number[item] = roots.len() as u32;
            let root = problem.inverse.block(item as u32).as_ref().and_then(root_of_inverse);
            roots.push(root.ok_or(SolveError::Indefinite { what: "inverse inertia" })?);
        }
        self.item_count = roots.len();
        let mut cones = problem.cones.iter().map(|c| c.rows());
        let (mut first, mut rows, mut done) = (0, 0, 0);
        let mut gathered: Vec<RowEntries> = Vec::new();
        for_each_row(problem, |entries| {
            if done == 0 {
                rows = cones.next().unwrap_or(1);
                gathered.clear();
            }
            gathered.push(entries.clone());
            done += 1;
            if done == rows {
                self.push_group(first, &gathered, &number, &roots);
                first += rows;
                done = 0;
            }
        });
        Ok(())
    }

    fn push_group(&mut self, first: usize, gathered: &[RowEntries], number: &[u32], roots: &[[f64; 36]]) {
        let rows = gathered.len();
        let mut items: Vec<u32> = gathered.iter().flatten().map(|e| number[e.0 as usize]).collect();
        items.sort_unstable();
        items.dedup();
        for &item in &items {
            let values = self.rows.len();
            self.segments.push(Segment { item: item as usize, values });
            self.rows.resize(values + rows * WIDTH, 0.0);
            let root = &roots[item as usize];
            for (row, entries) in gathered.iter().enumerate() {
                let Some((_, d)) = entries.iter().find(|e| number[e.0 as usize] == item) else { continue };
                let out = &mut self.rows[values + row * WIDTH..values + (row + 1) * WIDTH];
                for (c, out) in out.iter_mut().enumerate() {
                    *out = (c..WIDTH).map(|k| d[k] * root[k * WIDTH + c]).sum();
                }
            }
        }
        self.groups.push((first, rows));
        self.segment_ends.push(self.segments.len());
    }

    fn segments_of(&self, group: usize) -> std::ops::Range<usize> {
        let first = if group == 0 { 0 } else { self.segment_ends[group - 1] };
        first..self.segment_ends[group]
    }

    /// The pattern over items and its symbolic analysis, which is kept if the pattern is that of last time.
    fn analyse(&mut self) -> Result<(), SolveError> {
        let mut blocks: Vec<(u32, u32)> = (0..self.item_count as u32).map(|i| (i, i)).collect();
        for group in 0..self.groups.len() {
            let segments = &self.segments[self.segments_of(group)];
            for (k, a) in segments.iter().enumerate() {
                blocks.extend(segments[k + 1..].iter().map(|b| (a.item as u32, b.item as u32)));
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        self.places.clear();
        let (mut at, mut k) = (0, 0);
        while k < blocks.len() {
            let count = blocks[k..].iter().take_while(|b| b.0 == blocks[k].0).count();
            self.places.extend((0..count).map(|b| (at + WIDTH * b, WIDTH * count)));
            at += WIDTH * WIDTH * count;
            k += count;
        }
        for group in 0..self.groups.len() {
            let range = self.segments_of(group);
            for a in range.clone() {
                for b in a..range.end {
                    let key = (self.segments[a].item as u32, self.segments[b].item as u32);
                    // Every pair was put into the list above.
                    let block = blocks.binary_search(&key).unwrap_or(0);
                    self.pair_blocks.push(block as u32);
                }
            }
        }
        if self.factor.as_ref().is_some_and(|f| f.blocks == blocks) {
            return Ok(());
        }
        let mut positions = Vec::with_capacity(at);
        let mut k = 0;
        while k < blocks.len() {
            let count = blocks[k..].iter().take_while(|b| b.0 == blocks[k].0).count();
            for column in 0..WIDTH {
                for b in &blocks[k..k + count] {
                    let (row, column) = (WIDTH * b.1 as usize, WIDTH * b.0 as usize + column);
                    positions.extend((row..row + WIDTH).map(|r| (r, column)));
                }
            }
            k += count;
        }
        let size = WIDTH * self.item_count;
        let matrix = SparseMatrix::new(size, size, &positions)?;
        let cholesky = SparseCholesky::new(&matrix, SparseParallelism::Serial)?;
        self.factor = Some(ItemFactor { blocks, matrix, cholesky });
        Ok(())
    }

    fn diagonal(&self, diagonal: &mut [f64]) {
        for (group, &(first, rows)) in self.groups.iter().enumerate() {
            diagonal[first..first + rows].fill(0.0);
            for segment in &self.segments[self.segments_of(group)] {
                for row in 0..rows {
                    let values = &self.rows[segment.values + row * WIDTH..][..WIDTH];
                    diagonal[first + row] += crate::dense::dot(values, values);
                }
            }
        }
    }

    /// B ← C D R.
    fn scale_rows(&mut self, barrier: &Barrier) {
        for (group, shape) in barrier.groups.iter().enumerate() {
            let n = shape.rows;
            let root = &barrier.roots[shape.root..shape.root + n * n];
            for segment in &self.segments[self.segments_of(group)] {
                let from = &self.rows[segment.values..segment.values + n * WIDTH];
                let to = &mut self.scaled[segment.values..segment.values + n * WIDTH];
                for (i, to) in to.chunks_exact_mut(WIDTH).enumerate() {
                    let mut sum = [0.0; WIDTH];
                    for (&c, from) in root[i * n..(i + 1) * n].iter().zip(from.chunks_exact(WIDTH)) {
                        (0..WIDTH).for_each(|k| sum[k] += c * from[k]);
                    }
                    to.copy_from_slice(&sum);
                }
            }
        }
    }

    fn factor(&mut self, ex: &Exec, barrier: &Barrier) -> Result<(), SolveError> {
        self.scale_rows(barrier);
        let Some(mut factor) = self.factor.take() else { return Ok(()) };
        let values = factor.matrix.values_mut();
        values.fill(0.0);
        for (&(at, stride), _) in self.places.iter().zip(&factor.blocks).filter(|(_, b)| b.0 == b.1) {
            (0..WIDTH).for_each(|c| values[at + c * stride + c] = 1.0);
        }
        let mut pair = 0;
        for (group, &(_, rows)) in self.groups.iter().enumerate() {
            let range = self.segments_of(group);
            for a in range.clone() {
                let left = &self.scaled[self.segments[a].values..][..rows * WIDTH];
                for b in a..range.end {
                    let right = &self.scaled[self.segments[b].values..][..rows * WIDTH];
                    let (at, stride) = self.places[self.pair_blocks[pair] as usize];
                    pair += 1;
                    for c in 0..WIDTH {
                        let out = &mut values[at + c * stride..at + c * stride + WIDTH];
                        for row in 0..rows {
                            let factor = left[row * WIDTH + c];
                            let right = &right[row * WIDTH..(row + 1) * WIDTH];
                            (0..WIDTH).for_each(|k| out[k] += factor * right[k]);
                        }
                    }
                }
            }
        }
        let result = factor.cholesky.factor_on(ex, &factor.matrix);
        self.factor = Some(factor);
        result
    }

    fn solve(&mut self, barrier: &Barrier, q: &[f64], x: &mut [f64]) -> Result<(), SolveError> {
        let Some(mut factor) = self.factor.take() else { return Ok(()) };
        apply_roots(barrier, false, q, &mut self.weighted);
        self.unknowns.fill(0.0);
        for (group, &(first, rows)) in self.groups.iter().enumerate() {
            for segment in &self.segments[self.segments_of(group)] {
                let out = &mut self.unknowns[WIDTH * segment.item..WIDTH * (segment.item + 1)];
                for row in 0..rows {
                    let (weight, at) = (self.weighted[first + row], segment.values + row * WIDTH);
                    out.iter_mut().zip(&self.scaled[at..at + WIDTH]).for_each(|(y, b)| *y += weight * b);
                }
            }
        }
        let result = factor.cholesky.solve(&mut self.unknowns);
        self.factor = Some(factor);
        result?;
        for (group, &(first, rows)) in self.groups.iter().enumerate() {
            for segment in &self.segments[self.segments_of(group)] {
                let y = &self.unknowns[WIDTH * segment.item..WIDTH * (segment.item + 1)];
                for row in 0..rows {
                    let at = segment.values + row * WIDTH;
                    let weighted = crate::dense::dot(&self.scaled[at..at + WIDTH], y);
                    self.weighted[first + row] -= weighted;
                }
            }
        }
        apply_roots(barrier, true, &self.weighted, x);
        Ok(())
    }
}

/// 1 + C D H⁻¹ Dᵀ Cᵀ over rows.
pub(super) struct RowSystem {
    /// D H⁻¹ Dᵀ.
    matrix: Mat<f64>,
    factor: Option<Llt<f64>>,
    weighted: Vec<f64>,
}

impl RowSystem {
    /// Applies D H⁻¹ Dᵀ to one unit vector after the other.
    fn new(ex: &Exec, problem: &ConeProblem<'_>) -> Self {
        let (n, columns) = (problem.row_count(), problem.inverse.dimension());
        let mut matrix = Mat::zeros(n, n);
        let (mut unit, mut product) = (vec![0.0; n], vec![0.0; n]);
        let (mut force, mut velocity) = (vec![0.0; columns], vec![0.0; columns]);
        for c in 0..n {
            unit[c] = 1.0;
            problem.apply_transpose(ex, &unit, &mut force);
            problem.inverse.apply(ex, &force, &mut velocity);
            problem.apply_rows(ex, &velocity, &mut product);
            unit[c] = 0.0;
            (0..n).for_each(|r| matrix[(r, c)] = product[r]);
        }
        Self { matrix, factor: None, weighted: vec![0.0; n] }
    }

    fn factor(&mut self, barrier: &Barrier) -> Result<(), SolveError> {
        crate::dense::fix_parallelism();
        let n = self.weighted.len();
        let mut scaled = self.matrix.clone();
        let mut column = vec![0.0; n];
        for c in 0..n {
            apply_roots(barrier, false, scaled.col_as_slice(c), &mut column);
            scaled.col_as_slice_mut(c).copy_from_slice(&column);
        }
        // The same from the right: C acts on whole columns of each group.
        for group in &barrier.groups {
            let (m, at) = (group.rows, group.first);
            let root = &barrier.roots[group.root..group.root + m * m];
            for r in 0..n {
                let given: [f64; 6] = std::array::from_fn(|j| if j < m { scaled[(r, at + j)] } else { 0.0 });
                for i in 0..m {
                    scaled[(r, at + i)] = (0..m).map(|j| root[i * m + j] * given[j]).sum();
                }
            }
        }
        (0..n).for_each(|i| scaled[(i, i)] += 1.0);
        let factor = scaled.llt(Side::Lower).map_err(|_| SolveError::Indefinite { what: "row matrix" })?;
        self.factor = Some(factor);
        Ok(())
    }

    fn solve(&mut self, barrier: &Barrier, q: &[f64], x: &mut [f64]) -> Result<(), SolveError> {
        apply_roots(barrier, false, q, &mut self.weighted);
        if let Some(factor) = &self.factor {
            let n = self.weighted.len();
            factor.solve_in_place(MatMut::from_column_major_slice_mut(&mut self.weighted, n, 1));
        }
        apply_roots(barrier, true, &self.weighted, x);
        Ok(())
    }
}
