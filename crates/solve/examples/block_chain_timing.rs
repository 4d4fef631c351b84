//! Times factorization and solution of a chain: `cargo run --release -p huygens-solve --example block_chain_timing`.

use huygens_solve::{BlockKind, BlockLu, BlockMatrix, BlockPattern};
use std::time::Instant;

fn chain(links: usize) -> BlockMatrix {
    let mut sizes = vec![6; links];
    sizes.extend(vec![5; links]);
    let mut kinds = vec![BlockKind::Column; links];
    kinds.extend(vec![BlockKind::Row; links]);
    let couplings: Vec<(u32, u32)> = (0..links as u32)
        .flat_map(|i| [(i, links as u32 + i), (i.saturating_sub(1), links as u32 + i)])
        .collect();
    let pattern = BlockPattern::new(&sizes, &kinds, &couplings);
    let mut matrix = BlockMatrix::new(&pattern);
    let mut seed = 1_u64;
    let mut random = move || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    };
    for i in 0..links {
        let block = matrix.block_mut(i, i);
        for r in 0..6 {
            for c in 0..6 {
                block[r * 6 + c] = 0.1 * random() + if r == c { 1.0 + r as f64 } else { 0.0 };
            }
        }
        for b in [i, i.saturating_sub(1)] {
            let values: Vec<f64> =
                (0..30).map(|k| random() + if k / 6 == k % 6 { 1.0 } else { 0.0 }).collect();
            matrix.block_mut(links + i, b).copy_from_slice(&values);
            let transposed = matrix.block_mut(b, links + i);
            (0..30).for_each(|k| transposed[(k % 6) * 5 + k / 6] = values[k]);
        }
    }
    matrix
}

fn main() {
    for links in [32, 256, 2048] {
        let matrix = chain(links);
        let start = Instant::now();
        let mut lu = BlockLu::new(matrix.pattern());
        let analysis = start.elapsed();
        let report = lu.factor(&matrix);
        let n = matrix.pattern().dimension();
        let b: Vec<f64> = (0..n).map(|i| (i as f64).sin()).collect();
        let mut x = b.clone();
        lu.solve(&mut x);
        let mut product = vec![0.0; n];
        matrix.mul(&x, &mut product);
        let residual = product.iter().zip(&b).map(|(p, b)| (p - b).abs()).fold(0.0, f64::max);
        // Batches shorter than a time slice: the least of many is then free of other programs.
        let repeats = (1000 / links).max(1);
        let (mut factor, mut solve) = (f64::INFINITY, f64::INFINITY);
        for _ in 0..300 {
            let start = Instant::now();
            for _ in 0..repeats {
                lu.factor(&matrix).expect("nonsingular");
            }
            factor = factor.min(start.elapsed().as_secs_f64() / repeats as f64);
            let start = Instant::now();
            for _ in 0..repeats {
                x.copy_from_slice(&b);
                lu.solve(&mut x);
            }
            solve = solve.min(start.elapsed().as_secs_f64() / repeats as f64);
        }
        println!(
            "{links:5} links: factor {:8.2} us, solve {:7.2} us, analysis {analysis:.1?}, values {}, residual {residual:.1e}, {report:?}",
            factor * 1e6,
            solve * 1e6,
            lu.value_count(),
        );
    }
}
