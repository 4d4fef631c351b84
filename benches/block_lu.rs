//! Block LU of the Newton matrix of a 32-link chain: analysis, factorization, solution.

use std::hint::black_box;

use criterion::Criterion;
use huygens_benches::falling_chain;
use huygens_core::MatrixWeights;
use huygens_core::contract::RowRequest;
use huygens_solve::BlockLu;

fn block_lu(criterion: &mut Criterion) {
    let (mut stepper, state) = falling_chain().expect("the chain is sound");
    let system = stepper.system();
    system.load(&state);
    system.update(&state.history);
    system.rows(&state.history, RowRequest::default());
    system.assemble(&state.history, MatrixWeights::MASS, None);
    let matrix = system.matrix().expect("the matrix is assembled");
    let mut lu = BlockLu::new(matrix.pattern());
    lu.factor(matrix).expect("the chain has no dependent columns");
    let right: Vec<f64> = (0..matrix.pattern().dimension()).map(|i| (i as f64).sin()).collect();
    let mut x = right.clone();

    let mut group = criterion.benchmark_group("block_lu/chain_32");
    group.bench_function("analysis", |b| b.iter(|| BlockLu::new(black_box(matrix.pattern()))));
    group.bench_function("factor", |b| b.iter(|| lu.factor(black_box(matrix))));
    group.bench_function("solve", |b| {
        b.iter(|| {
            x.copy_from_slice(&right);
            lu.solve(black_box(&mut x));
        });
    });
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    block_lu(&mut criterion);
    criterion.final_summary();
}
