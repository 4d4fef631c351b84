//! Block LU with a static elimination program.

#![allow(unsafe_code, reason = "instructions of one processor family, called where they were found to exist")]

use super::kernels::{self, PivotJudge};
use super::matrix::BlockMatrix;
use super::ordering::{PivotKind, RowRule, Step, order};
use super::pattern::{BlockKind, BlockPattern, PatternData};
use crate::SolveError;
use huygens_exec::{Exec, Stopped};

/// A constraint row whose pivot remained tiny: it depends on rows eliminated before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TinyPivot {
    /// The row block.
    pub block: u32,
    /// The row inside the block.
    pub row: u32,
}

/// Outcome of a factorization; the dependent rows are in [`BlockLu::tiny_pivots`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FactorReport {
    /// This call switched from the fast to the safe ordering and factored again.
    pub switched: bool,
    /// The safe ordering (rows only after all their columns) is in use.
    pub safe_order: bool,
    /// Number of tiny row pivots.
    pub tiny_pivots: usize,
}

/// Pivots are assessed relative to their size without cancellation: |H_kk| for columns, and
/// |ε_r| + Σ_k |C_rk C_kr / H_kk| for rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PivotThresholds {
    /// A column pivot below this is singular.
    pub column: f64,
    /// A row pivot below this, before all its columns are eliminated, triggers the switch of ordering.
    pub early_row: f64,
    /// A row pivot below this is reported as dependent.
    pub dependent_row: f64,
    /// A row pivot below this is dropped: its multiplier becomes zero.
    pub dropped_row: f64,
}

impl Default for PivotThresholds {
    fn default() -> Self {
        Self { column: 1e-14, early_row: 1e-6, dependent_row: 1e-9, dropped_row: 1e-14 }
    }
}

/// One elimination step, with everything the numeric phase needs.
#[derive(Clone, Copy, Debug)]
struct Pivot {
    block: u32,
    kind: PivotKind,
    size: u32,
    /// First unknown.
    offset: u32,
    diagonal: u32,
    /// Range of its later neighbours in [`Program::later`].
    first: u32,
    last: u32,
    /// First update target in [`Program::targets`].
    target: u32,
}

/// A block eliminated after the pivot and coupled to it.
#[derive(Clone, Copy, Debug)]
struct Later {
    size: u32,
    offset: u32,
    /// Values of (later, pivot), overwritten by L.
    lower: u32,
    /// Values of (pivot, later).
    upper: u32,
}

/// The elimination as flat lists: nothing is searched for while numbers are computed.
#[derive(Clone, Debug)]
struct Program {
    pivots: Vec<Pivot>,
    later: Vec<Later>,
    /// Offset of block (i, j) for all pairs of later neighbours of each pivot, row by row.
    targets: Vec<u32>,
    value_count: usize,
}

/// A row block's coupling to one column block, for the pivot scales.
#[derive(Clone, Copy, Debug)]
struct ScaleTerm {
    row_offset: u32,
    rows: u32,
    column_offset: u32,
    columns: u32,
    /// Values of (row, column) and of (column, row).
    lower: u32,
    upper: u32,
}

#[derive(Clone, Copy, Debug)]
struct ScaleDiagonal {
    offset: u32,
    size: u32,
    slot: u32,
}

/// Block LU factorization: symbolic analysis once, numeric factorization many times without allocating.
///
/// Pivoting is restricted to diagonal blocks. Constraint rows are eliminated as early as a column can support them; if
/// such a pivot turns out too small, the factorization switches permanently to an ordering in which rows follow all
/// their columns.
#[derive(Clone, Debug)]
pub struct BlockLu {
    pattern: BlockPattern,
    thresholds: PivotThresholds,
    program: Program,
    safe_order: bool,
    #[cfg_attr(not(target_arch = "x86_64"), allow(dead_code))]
    fused: bool,
    values: Vec<f64>,
    scale: Vec<f64>,
    reciprocal: Vec<f64>,
    scale_terms: Vec<ScaleTerm>,
    scale_columns: Vec<ScaleDiagonal>,
    scale_rows: Vec<ScaleDiagonal>,
    scratch: Vec<f64>,
    exchanged: Vec<u32>,
    residual: Vec<f64>,
    tiny: Vec<TinyPivot>,
}

/// Number of pivots between polls for a stop request.
const LOOK: usize = 64;

/// Why the numeric phase stopped.
#[derive(Clone, Copy, Debug)]
enum Stop {
    Singular { block: u32, row: usize },
    NonFinite { block: u32 },
    BadEarlyRow,
    Asked,
}

/// Judges the small pivots of one block.
struct Judge<'a> {
    block: u32,
    kind: PivotKind,
    dropped: f64,
    tiny: &'a mut Vec<TinyPivot>,
    stop: Option<Stop>,
}

impl PivotJudge for Judge<'_> {
    #[cold]
    fn judge(&mut self, row: usize, pivot: f64, scale: f64) -> Option<f64> {
        if !pivot.is_finite() || !scale.is_finite() {
            self.stop = Some(Stop::NonFinite { block: self.block });
            return None;
        }
        match self.kind {
            PivotKind::Column => self.stop = Some(Stop::Singular { block: self.block, row }),
            PivotKind::RowEarly => self.stop = Some(Stop::BadEarlyRow),
            PivotKind::RowFinal => {
                self.tiny.push(TinyPivot { block: self.block, row: row as u32 });
                return Some(if pivot.abs() > self.dropped * scale { 1.0 / pivot } else { 0.0 });
            }
        }
        None
    }
}

impl BlockLu {
    /// Analyses the pattern: ordering, fill and the elimination program.
    pub fn new(pattern: &BlockPattern) -> Self {
        Self::with_thresholds(pattern, PivotThresholds::default())
    }

    /// As [`new`](Self::new), with the given thresholds.
    pub fn with_thresholds(pattern: &BlockPattern, thresholds: PivotThresholds) -> Self {
        let data = &*pattern.data;
        let program = Program::new(data, &order(data, RowRule::Sponsored));
        let largest = data.sizes.iter().copied().max().unwrap_or(0) as usize;
        let row_count: usize = (0..data.block_count())
            .filter(|&b| data.kinds[b] == BlockKind::Row)
            .map(|b| data.sizes[b] as usize)
            .sum();
        let diagonals = |kind: BlockKind| {
            (0..data.block_count())
                .filter(|&b| data.kinds[b] == kind)
                .map(|b| ScaleDiagonal {
                    offset: data.offsets[b],
                    size: data.sizes[b],
                    slot: data.diagonals[b],
                })
                .collect()
        };
        Self {
            pattern: pattern.clone(),
            thresholds,
            values: vec![0.0; program.value_count],
            program,
            safe_order: false,
            fused: fused_available(),
            scale: vec![0.0; pattern.dimension()],
            reciprocal: vec![0.0; pattern.dimension()],
            scale_terms: scale_terms(pattern),
            scale_columns: diagonals(BlockKind::Column),
            scale_rows: diagonals(BlockKind::Row),
            scratch: vec![0.0; largest],
            exchanged: vec![0; largest],
            residual: vec![0.0; pattern.dimension()],
            tiny: Vec::with_capacity(row_count),
        }
    }

    /// The pattern to which this factor belongs.
    pub fn pattern(&self) -> &BlockPattern {
        &self.pattern
    }

    /// Constraint rows found dependent by the last [`factor`](Self::factor).
    pub fn tiny_pivots(&self) -> &[TinyPivot] {
        &self.tiny
    }

    /// Whether the safe ordering is in use.
    pub fn safe_order(&self) -> bool {
        self.safe_order
    }

    /// Number of values the factor stores, fill included.
    pub fn value_count(&self) -> usize {
        self.program.value_count
    }

    /// Number of multiplications per factorization.
    pub fn operation_count(&self) -> usize {
        self.program.operation_count()
    }

    /// Uses only instructions that every processor of the target has: slower, but bit-identical on all of them.
    pub fn use_portable_kernels(&mut self) {
        self.fused = false;
    }

    /// Switches permanently to the safe ordering, in which rows follow all their columns.
    pub fn use_safe_order(&mut self) {
        if !self.safe_order {
            self.safe_order = true;
            let data = &*self.pattern.data;
            self.program = Program::new(data, &order(data, RowRule::AfterColumns));
            self.values.resize(self.program.value_count, 0.0);
        }
    }

    /// Factors the matrix, which must have the pattern of this factor.
    pub fn factor(&mut self, matrix: &BlockMatrix) -> Result<FactorReport, SolveError> {
        self.factor_on(&Exec::serial(), matrix)
    }

    /// The same as [`factor`](Self::factor), but interruptible; on the calling thread.
    pub fn factor_on(&mut self, ex: &Exec, matrix: &BlockMatrix) -> Result<FactorReport, SolveError> {
        if !self.pattern.same(matrix.pattern()) {
            let (expected, found) = (self.pattern.value_count(), matrix.pattern().value_count());
            return Err(SolveError::Size { what: "pattern of the block matrix", expected, found });
        }
        let mut switched = false;
        loop {
            match self.run(ex.stop(), matrix) {
                Ok(()) => break,
                Err(Stop::Asked) => return Err(Stopped.into()),
                Err(Stop::BadEarlyRow) => {
                    self.use_safe_order();
                    switched = true;
                }
                Err(Stop::Singular { block, row }) => {
                    return Err(SolveError::Singular { block: block as usize, row });
                }
                Err(Stop::NonFinite { block }) => {
                    let block = matrix.first_non_finite().unwrap_or(block as usize);
                    return Err(SolveError::NonFinite { block });
                }
            }
        }
        Ok(FactorReport { switched, safe_order: self.safe_order, tiny_pivots: self.tiny.len() })
    }

    fn run(&mut self, wish: &huygens_exec::Stop, matrix: &BlockMatrix) -> Result<(), Stop> {
        let given = matrix.values();
        self.values[..given.len()].copy_from_slice(given);
        self.values[given.len()..].fill(0.0);
        self.tiny.clear();
        #[cfg(target_arch = "x86_64")]
        if self.fused {
            // SAFETY: `fused` is set only where the processor has AVX2 and FMA.
            return unsafe { self.eliminate_fused(wish) };
        }
        self.eliminate::<FUSED_EVERYWHERE>(wish)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn eliminate_fused(&mut self, wish: &huygens_exec::Stop) -> Result<(), Stop> {
        self.eliminate::<true>(wish)
    }

    #[inline(always)]
    fn eliminate<const FUSED: bool>(&mut self, wish: &huygens_exec::Stop) -> Result<(), Stop> {
        self.estimate_scales::<FUSED>();
        for p in 0..self.program.pivots.len() {
            if p % LOOK == 0 && wish.is_set() {
                return Err(Stop::Asked);
            }
            let pivot = self.program.pivots[p];
            self.invert_pivot::<FUSED>(&pivot)?;
            self.update::<FUSED>(&pivot);
        }
        Ok(())
    }

    /// The size of each pivot without cancellation.
    #[inline(always)]
    fn estimate_scales<const FUSED: bool>(&mut self) {
        for d in &self.scale_columns {
            let (at, n, slot) = (d.offset as usize, d.size as usize, d.slot as usize);
            let block = &self.values[slot..slot + n * n];
            for (r, row) in block.chunks_exact(n.max(1)).enumerate() {
                let mut size = row[r].abs();
                if size == 0.0 {
                    size = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                }
                self.scale[at + r] = size;
                self.reciprocal[at + r] = if size > 0.0 { 1.0 / size } else { 0.0 };
            }
        }
        for d in &self.scale_rows {
            let (at, n, slot) = (d.offset as usize, d.size as usize, d.slot as usize);
            for r in 0..n {
                self.scale[at + r] = self.values[slot + r * (n + 1)].abs();
            }
        }
        for t in &self.scale_terms {
            let (m, n) = (t.rows as usize, t.columns as usize);
            let (at, from) = (t.row_offset as usize, t.column_offset as usize);
            let lower = &self.values[t.lower as usize..][..m * n];
            let upper = &self.values[t.upper as usize..][..m * n];
            let reciprocal = &self.reciprocal[from..from + n];
            kernels::add_scales::<FUSED>(m, n, lower, upper, reciprocal, &mut self.scale[at..at + m]);
        }
    }

    #[inline(always)]
    fn invert_pivot<const FUSED: bool>(&mut self, pivot: &Pivot) -> Result<(), Stop> {
        let (n, at, slot) = (pivot.size as usize, pivot.offset as usize, pivot.diagonal as usize);
        let threshold = match pivot.kind {
            PivotKind::Column => self.thresholds.column,
            PivotKind::RowEarly => self.thresholds.early_row,
            PivotKind::RowFinal => self.thresholds.dependent_row,
        };
        let mut judge = Judge {
            block: pivot.block,
            kind: pivot.kind,
            dropped: self.thresholds.dropped_row,
            tiny: &mut self.tiny,
            stop: None,
        };
        let block = &mut self.values[slot..slot + n * n];
        let scale = &self.scale[at..at + n];
        kernels::invert::<FUSED>(n, block, scale, threshold, &mut self.exchanged, &mut judge);
        judge.stop.map_or(Ok(()), Err)
    }

    /// L ← A_ik D⁻¹ and A_ij ← A_ij − L_ik A_kj for all pairs of later neighbours i, j of pivot k.
    #[inline(always)]
    fn update<const FUSED: bool>(&mut self, pivot: &Pivot) {
        let k = pivot.size as usize;
        let later = &self.program.later[pivot.first as usize..pivot.last as usize];
        let mut target = pivot.target as usize;
        for row in later {
            let m = row.size as usize;
            let diagonal = pivot.diagonal as usize..pivot.diagonal as usize + k * k;
            let lower = row.lower as usize..row.lower as usize + m * k;
            let Ok([d, l]) = self.values.get_disjoint_mut([diagonal, lower.clone()]) else { return };
            kernels::scale_right::<FUSED>(k, d, l, &mut self.scratch);
            for column in later {
                let n = column.size as usize;
                let at = self.program.targets[target] as usize;
                target += 1;
                let upper = column.upper as usize..column.upper as usize + k * n;
                let ranges = [lower.clone(), upper, at..at + m * n];
                let Ok([l, u, a]) = self.values.get_disjoint_mut(ranges) else { return };
                kernels::subtract_product::<FUSED>(k, n, l, u, a);
            }
        }
    }

    /// Solves A x = b in place with the last factorization.
    ///
    /// # Panics
    /// When `b` is shorter than the dimension of the matrix.
    pub fn solve(&mut self, b: &mut [f64]) {
        let b = &mut b[..self.pattern.dimension()];
        #[cfg(target_arch = "x86_64")]
        if self.fused {
            // SAFETY: `fused` is set only where the processor has AVX2 and FMA.
            return unsafe { self.substitute_fused(b) };
        }
        self.substitute::<FUSED_EVERYWHERE>(b);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn substitute_fused(&mut self, b: &mut [f64]) {
        self.substitute::<true>(b);
    }

    #[inline(always)]
    fn substitute<const FUSED: bool>(&mut self, b: &mut [f64]) {
        let Program { pivots, later, .. } = &self.program;
        for pivot in pivots {
            let (k, at) = (pivot.size as usize, pivot.offset as usize);
            for row in &later[pivot.first as usize..pivot.last as usize] {
                let (m, to) = (row.size as usize, row.offset as usize);
                let l = &self.values[row.lower as usize..][..m * k];
                let Ok([x, y]) = b.get_disjoint_mut([at..at + k, to..to + m]) else { return };
                kernels::subtract_apply::<FUSED>(m, k, l, x, y);
            }
        }
        for pivot in pivots.iter().rev() {
            let (k, at) = (pivot.size as usize, pivot.offset as usize);
            for column in &later[pivot.first as usize..pivot.last as usize] {
                let (n, from) = (column.size as usize, column.offset as usize);
                let u = &self.values[column.upper as usize..][..k * n];
                let Ok([x, y]) = b.get_disjoint_mut([from..from + n, at..at + k]) else { return };
                kernels::subtract_apply::<FUSED>(k, n, u, x, y);
            }
            let d = &self.values[pivot.diagonal as usize..][..k * k];
            kernels::apply_in_place::<FUSED>(k, d, &mut b[at..at + k], &mut self.scratch);
        }
    }

    /// Solves A x = b in place, then improves x by `iterations` steps of iterative refinement with the matrix.
    ///
    /// Returns the Euclidean norm of the residual b − A x before the last correction.
    ///
    /// # Panics
    /// When `b` is shorter than the dimension of the matrix.
    pub fn solve_refined(&mut self, matrix: &BlockMatrix, b: &mut [f64], iterations: usize) -> f64 {
        let n = self.pattern.dimension();
        let mut work = std::mem::take(&mut self.residual);
        work.resize(3 * n, 0.0);
        let (given, rest) = work.split_at_mut(n);
        let (residual, product) = rest.split_at_mut(n);
        given.copy_from_slice(&b[..n]);
        self.solve(b);
        let mut norm = 0.0;
        for _ in 0..iterations {
            matrix.mul(&b[..n], product);
            norm = 0.0;
            for i in 0..n {
                residual[i] = given[i] - product[i];
                norm += residual[i] * residual[i];
            }
            norm = norm.sqrt();
            self.solve(residual);
            b.iter_mut().zip(&*residual).for_each(|(x, dx)| *x += dx);
        }
        self.residual = work;
        norm
    }
}

/// Whether every processor of the target has the fused multiply-add.
const FUSED_EVERYWHERE: bool = cfg!(target_arch = "aarch64");

/// Whether this processor has AVX2 and the fused multiply-add.
fn fused_available() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        std::is_x86_feature_detected!("avx2") && std::is_x86_feature_detected!("fma")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

fn scale_terms(pattern: &BlockPattern) -> Vec<ScaleTerm> {
    let data = &*pattern.data;
    let mut terms = Vec::new();
    for row in (0..data.block_count()).filter(|&b| data.kinds[b] == BlockKind::Row) {
        for (column, lower) in pattern.couplings(row) {
            if data.kinds[column] == BlockKind::Column {
                terms.push(ScaleTerm {
                    row_offset: data.offsets[row],
                    rows: data.sizes[row],
                    column_offset: data.offsets[column],
                    columns: data.sizes[column],
                    lower: lower as u32,
                    upper: pattern.slot(column, row) as u32,
                });
            }
        }
    }
    terms
}

impl Program {
    fn new(pattern: &PatternData, steps: &[Step]) -> Self {
        let slots = Slots::new(pattern, steps);
        let mut program = Self {
            pivots: Vec::with_capacity(steps.len()),
            later: Vec::new(),
            targets: Vec::new(),
            value_count: 0,
        };
        for step in steps {
            let (first, target) = (program.later.len() as u32, program.targets.len() as u32);
            for &u in &step.later {
                program.later.push(Later {
                    size: pattern.sizes[u as usize],
                    offset: pattern.offsets[u as usize],
                    lower: slots.at(u, step.block),
                    upper: slots.at(step.block, u),
                });
                program.targets.extend(step.later.iter().map(|&w| slots.at(u, w)));
            }
            let block = step.block as usize;
            program.pivots.push(Pivot {
                block: step.block,
                kind: step.kind,
                size: pattern.sizes[block],
                offset: pattern.offsets[block],
                diagonal: pattern.diagonals[block],
                first,
                last: program.later.len() as u32,
                target,
            });
        }
        program.value_count = slots.value_count;
        program
    }

    fn operation_count(&self) -> usize {
        let count = |pivot: &Pivot| {
            let k = pivot.size as usize;
            let later = &self.later[pivot.first as usize..pivot.last as usize];
            let width: usize = later.iter().map(|l| l.size as usize).sum();
            k * k * k + width * k * k + width * k * width
        };
        self.pivots.iter().map(count).sum()
    }
}

/// Where the blocks of the factor lie: those of the matrix first, in its own layout, then the fill.
struct Slots {
    rows: Vec<Vec<(u32, u32)>>,
    diagonals: Vec<u32>,
    value_count: usize,
}

impl Slots {
    fn new(pattern: &PatternData, steps: &[Step]) -> Self {
        let mut rows: Vec<Vec<(u32, u32)>> = (0..pattern.block_count())
            .map(|b| pattern.neighbours_of(b).iter().map(|n| (n.block, n.slot)).collect())
            .collect();
        let mut next = pattern.value_count;
        for step in steps {
            let b = step.block as usize;
            let original = pattern.neighbours_of(b);
            for &u in &step.later {
                if original.binary_search_by_key(&u, |n| n.block).is_err() {
                    let area = (pattern.sizes[b] * pattern.sizes[u as usize]) as usize;
                    rows[b].push((u, next as u32));
                    rows[u as usize].push((step.block, (next + area) as u32));
                    next += 2 * area;
                }
            }
        }
        rows.iter_mut().for_each(|row| row.sort_unstable());
        Self { rows, diagonals: pattern.diagonals.clone(), value_count: next }
    }

    fn at(&self, i: u32, j: u32) -> u32 {
        if i == j {
            return self.diagonals[i as usize];
        }
        let row = &self.rows[i as usize];
        // Every pair asked for was entered above or is part of the pattern.
        row.binary_search_by_key(&j, |e| e.0).map_or(u32::MAX, |k| row[k].1)
    }
}
