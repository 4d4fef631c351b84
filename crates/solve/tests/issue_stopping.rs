//! Long factorizations and iterations are given up when they are asked to, and leave nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use huygens_exec::{Exec, Stop, Stopped};
use huygens_solve::krylov::KrylovLimits;
use huygens_solve::{
    BlockKind, BlockLu, BlockMatrix, BlockPattern, SolveError, SolverCg, SparseCholesky, SparseLower,
    SparseParallelism,
};

/// The Laplacian of a cube of n³ nodes, three unknowns each.
fn cube(n: u32) -> BlockMatrix {
    let node = |i: u32, j: u32, k: u32| (k * n + j) * n + i;
    let mut couplings = Vec::new();
    for (k, j, i) in (0..n).flat_map(|k| (0..n).flat_map(move |j| (0..n).map(move |i| (k, j, i)))) {
        couplings.extend((i + 1 < n).then(|| (node(i, j, k), node(i + 1, j, k))));
        couplings.extend((j + 1 < n).then(|| (node(i, j, k), node(i, j + 1, k))));
        couplings.extend((k + 1 < n).then(|| (node(i, j, k), node(i, j, k + 1))));
    }
    let count = (n * n * n) as usize;
    let pattern = BlockPattern::new(&vec![3; count], &vec![BlockKind::Column; count], &couplings);
    let mut matrix = BlockMatrix::new(&pattern);
    (0..count).for_each(|b| (0..3).for_each(|k| matrix.block_mut(b, b)[4 * k] = 6.5));
    for (a, b) in couplings {
        let (a, b) = (a as usize, b as usize);
        (0..9).for_each(|k| matrix.block_mut(a, b)[k] = -0.3);
        (0..9).for_each(|k| matrix.block_mut(b, a)[k] = -0.3);
    }
    matrix
}

#[test]
fn a_factorization_that_is_left_behind_disturbs_no_later_one() {
    let matrix = cube(22);
    let mut lower = SparseLower::new(matrix.pattern());
    lower.fill(&matrix);
    let order = SparseLower::dissection(matrix.pattern());
    let new = || SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::ByWork).unwrap();
    let mut plain = new();
    assert!(plain.operations() > 1e9, "{:e} is not long", plain.operations());
    Exec::serial().install(|| plain.factor(lower.matrix())).unwrap();
    let b: Vec<f64> = (0..matrix.pattern().dimension()).map(|k| (k as f64).sin()).collect();
    let mut expected = b.clone();
    plain.solve(&mut expected).unwrap();

    let flag = Arc::new(AtomicBool::new(false));
    let ex = Exec::serial().with_stop(Stop::when(flag.clone()));
    let mut factor = new();
    let set = flag.clone();
    let alarm = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(5));
        set.store(true, Ordering::Relaxed);
    });
    let clock = Instant::now();
    // A fast machine may be done before it is left behind.
    let given_up = factor.factor_on(&ex, lower.matrix());
    assert!(clock.elapsed() < Duration::from_secs(20));
    assert!(matches!(given_up, Ok(()) | Err(SolveError::Stopped(Stopped))), "{given_up:?}");
    alarm.join().unwrap();
    assert_eq!(factor.factor_on(&ex, cube_of_other_values(&mut lower, &matrix)), Err(Stopped.into()));
    assert!(factor.solve(&mut b.clone()).is_err(), "there is no factor");
    lower.fill(&matrix);
    flag.store(false, Ordering::Relaxed);
    let mut x = b.clone();
    factor.factor_on(&ex, lower.matrix()).unwrap();
    factor.solve(&mut x).unwrap();
    assert!(x.iter().zip(&expected).all(|(a, b)| a.to_bits() == b.to_bits()));
    // The same numbers are not factored again, others are.
    flag.store(true, Ordering::Relaxed);
    assert_eq!(factor.factor_on(&ex, lower.matrix()), Ok(()));
    assert_eq!(factor.factor_on(&ex, cube_of_other_values(&mut lower, &matrix)), Err(Stopped.into()));
}

/// The lower triangle with one value changed.
fn cube_of_other_values<'a>(
    lower: &'a mut SparseLower,
    matrix: &BlockMatrix,
) -> &'a huygens_solve::SparseMatrix {
    let mut other = matrix.clone();
    other.block_mut(0, 0)[0] += 1.0;
    lower.fill(&other);
    lower.matrix()
}

#[test]
fn orders_eliminations_and_iterations_ask() {
    let ex = Exec::serial().with_stop(Stop::when(Arc::new(AtomicBool::new(true))));
    let matrix = cube(6);
    assert_eq!(SparseLower::dissection_on(&ex, matrix.pattern()), Err(Stopped.into()));
    assert_eq!(BlockLu::new(matrix.pattern()).factor_on(&ex, &matrix), Err(Stopped.into()));
    let mut cg = SolverCg::new(KrylovLimits { tolerance: 1e-10, max_iterations: 100 });
    cg.factor(&matrix).unwrap();
    let (b, mut x) = (vec![1.0; 648], vec![0.0; 648]);
    assert_eq!(cg.solve_on(&ex, &matrix, &b, &mut x).map(|_| ()), Err(Stopped.into()));
}
