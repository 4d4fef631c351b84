//! Motion of a 32-link chain: one step of generalized-α, and the evaluation of its joint rows.

use std::hint::black_box;

use criterion::{BatchSize, Criterion};
use huygens_benches::{TIME_STEP, falling_chain};
use huygens_core::contract::RowRequest;

fn generalized_alpha_step(criterion: &mut Criterion) {
    let (mut stepper, start) = falling_chain().expect("the chain is sound");
    // Every sample begins at the same state, so that none is harder than another.
    criterion.bench_function("chain_32/generalized_alpha_step", |b| {
        b.iter_batched_ref(
            || start.clone(),
            |state| stepper.step(black_box(state), TIME_STEP),
            BatchSize::SmallInput,
        );
    });
}

fn joint_rows(criterion: &mut Criterion) {
    let (mut stepper, state) = falling_chain().expect("the chain is sound");
    let system = stepper.system();
    system.load(&state);
    system.update(&state.history);
    let mut group = criterion.benchmark_group("chain_32/joint_rows");
    for (name, request) in [
        ("residual_and_jacobian", RowRequest { rate: false, gamma: false }),
        ("with_rate_and_gamma", RowRequest { rate: true, gamma: true }),
    ] {
        group.bench_function(name, |b| b.iter(|| system.rows(black_box(&state.history), request)));
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    generalized_alpha_step(&mut criterion);
    joint_rows(&mut criterion);
    criterion.final_summary();
}
