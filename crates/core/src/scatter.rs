//! Scatter of batch items into the global vectors and the Newton matrix.

use huygens_solve::{BlockKind, BlockMatrix, BlockPattern};

use crate::model::{BatchEntry, Model};
use crate::newton::ABSENT;

/// Offsets of one item's blocks in the matrix.
pub(crate) struct ScatterItem {
    /// For constraint items: offset of block (row, column block) and of its transpose, a pair for each block.
    pub row_blocks: Vec<(usize, usize)>,
    /// Offset of block (i, j) of the item's own column blocks, row-major; `usize::MAX` where not coupled.
    pub column_blocks: Vec<usize>,
    /// Sizes of the item's column blocks.
    pub sizes: Vec<usize>,
    /// Offset of the diagonal of the row block.
    pub diagonal: usize,
    /// Index of the row block in the matrix.
    pub row_block: usize,
}

/// Pattern over the column blocks that have a number in `local`, and all constraint rows; `pairs` are coupled too.
pub(crate) fn block_pattern(m: &Model, local: &[usize], pairs: &[[u32; 2]]) -> BlockPattern {
    let covered = |b: usize| local[b] != ABSENT;
    let mut sizes: Vec<usize> = (0..local.len()).filter(|&b| covered(b)).map(|b| m.block_sizes[b]).collect();
    let mut kinds = vec![BlockKind::Column; sizes.len()];
    let mut couplings = Vec::new();
    let number = |b: u32| local[b as usize] as u32;
    let mut couple = |blocks: &[u32], row: Option<u32>| {
        for (i, &a) in blocks.iter().enumerate() {
            couplings.extend(blocks[..i].iter().filter(|&&b| b != a).map(|&b| (number(a), number(b))));
            couplings.extend(row.map(|r| (r, number(a))));
        }
    };
    for pair in pairs.iter().filter(|p| p.iter().all(|&b| covered(b as usize))) {
        couple(pair, None);
    }
    for e in &m.elements {
        (0..e.layout.len()).for_each(|i| couple(e.layout.item_blocks(i), None));
    }
    for e in &m.constraints {
        for i in 0..e.layout.len() {
            if e.layout.rows[i] > 0 {
                couple(e.layout.item_blocks(i), Some(sizes.len() as u32));
                sizes.push(e.layout.rows[i]);
                kinds.push(BlockKind::Row);
            }
        }
    }
    BlockPattern::new(&sizes, &kinds, &couplings)
}

pub(crate) fn scatter<B: ?Sized>(
    m: &Model,
    e: &BatchEntry<B>,
    local: &[usize],
    matrix: &BlockMatrix,
    mut next_row_block: Option<&mut usize>,
) -> Vec<ScatterItem> {
    (0..e.layout.len())
        .map(|item| {
            let blocks: Vec<usize> = e.layout.item_blocks(item).iter().map(|&b| b as usize).collect();
            let sizes = blocks.iter().map(|&b| m.block_sizes[b]).collect();
            let blocks: Vec<usize> = blocks.into_iter().map(|b| local[b]).collect();
            let column_blocks = blocks
                .iter()
                .flat_map(|&i| blocks.iter().map(move |&j| (i, j)))
                .map(|(i, j)| matrix.slot(i, j))
                .collect();
            let (mut row_blocks, mut diagonal, mut row_block) = (Vec::new(), 0, usize::MAX);
            if let Some(next) = next_row_block.as_deref_mut().filter(|_| e.layout.rows[item] > 0) {
                row_block = *next;
                *next += 1;
                row_blocks =
                    blocks.iter().map(|&b| (matrix.slot(row_block, b), matrix.slot(b, row_block))).collect();
                diagonal = matrix.slot(row_block, row_block);
            }
            ScatterItem { row_blocks, column_blocks, sizes, diagonal, row_block }
        })
        .collect()
}

pub(crate) fn add_tangent(values: &mut [f64], s: &ScatterItem, tangent: &[f64], scale: f64) {
    let n: usize = s.sizes.iter().sum();
    let mut first_row = 0;
    for (i, &rows) in s.sizes.iter().enumerate() {
        let mut first_column = 0;
        for (j, &columns) in s.sizes.iter().enumerate() {
            let slot = s.column_blocks[i * s.sizes.len() + j];
            for r in 0..rows {
                let from = &tangent[(first_row + r) * n + first_column..][..columns];
                let to = &mut values[slot + r * columns..][..columns];
                for c in 0..columns {
                    to[c] += scale * from[c];
                }
            }
            first_column += columns;
        }
        first_row += rows;
    }
}

pub(crate) fn add_transpose_product<B: ?Sized>(
    e: &BatchEntry<B>,
    values: &[f64],
    lambda: &[f64],
    scale: f64,
    f: &mut [f64],
) {
    for item in 0..e.layout.len() {
        let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
        let jacobian = &values[e.slots.values[item] + 3 * rows..][..rows * n];
        let lambda = &lambda[e.slots.first_row[item]..][..rows];
        let columns = e.item_columns(item);
        if n == 12 && columns[5] == columns[0] + 5 && columns[11] == columns[6] + 5 {
            // Two rigid bodies, by far the most common item: sums stay in registers.
            let mut sum = [0.0; 12];
            for (row, l) in jacobian.chunks_exact(12).zip(lambda) {
                (0..12).for_each(|c| sum[c] += row[c] * l);
            }
            for half in 0..2 {
                let first = columns[6 * half] as usize;
                let f = &mut f[first..first + 6];
                (0..6).for_each(|c| f[c] += scale * sum[6 * half + c]);
            }
            continue;
        }
        for (row, l) in jacobian.chunks_exact(n.max(1)).zip(lambda) {
            for (j, &c) in row.iter().zip(columns) {
                f[c as usize] += scale * l * j;
            }
        }
    }
}

pub(crate) fn add_product<B: ?Sized>(e: &BatchEntry<B>, values: &[f64], x: &[f64], out: &mut [f64]) {
    for item in 0..e.layout.len() {
        let (rows, n) = (e.slots.rows[item], e.slots.columns[item]);
        let jacobian = &values[e.slots.values[item] + 3 * rows..][..rows * n];
        let columns = e.item_columns(item);
        for r in 0..rows {
            let row = &jacobian[r * n..][..n];
            out[e.slots.first_row[item] + r] = (0..n).map(|c| row[c] * x[columns[c] as usize]).sum();
        }
    }
}
