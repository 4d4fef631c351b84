//! Block LU against dense LU, on the topologies mechanisms have.

use crate::common::*;
use faer::prelude::Solve;
use huygens_solve::{BlockLu, SolveError};

fn dense_solution(m: &huygens_solve::BlockMatrix, b: &[f64]) -> Vec<f64> {
    let rhs = faer::Col::from_fn(b.len(), |i| b[i]);
    let x = dense(m).full_piv_lu().solve(&rhs);
    (0..b.len()).map(|i| x[i]).collect()
}

/// Factors, solves and compares with the dense solution; returns the factor.
fn check(shape: &Shape, seed: u64, epsilon: f64) -> BlockLu {
    check_within(shape, seed, epsilon, 1e-13)
}

fn check_within(shape: &Shape, seed: u64, epsilon: f64, tolerance: f64) -> BlockLu {
    let mut random = Random(seed);
    let m = shape.matrix(&mut random, epsilon);
    let b = random.vector(m.pattern().dimension());
    let mut lu = BlockLu::new(m.pattern());
    lu.factor(&m).expect("a regular matrix");
    let mut x = b.clone();
    lu.solve(&mut x);
    let error = backward_error(&m, &x, &b);
    assert!(error < tolerance, "backward error {error:e}");
    let mut portable = lu.clone();
    portable.use_portable_kernels();
    portable.factor(&m).expect("a regular matrix");
    let mut x = b.clone();
    portable.solve(&mut x);
    assert!(backward_error(&m, &x, &b) < tolerance);
    let mut x = b.clone();
    lu.solve_refined(&m, &mut x, 2);
    assert!(backward_error(&m, &x, &b) < 1e-15);
    let truth = dense_solution(&m, &b);
    let distance = x.iter().zip(&truth).fold(0.0_f64, |d, (x, t)| d.max((x - t).abs()));
    assert!(distance < 1e-8 * max_abs(&truth), "distance {distance:e} of {:e}", max_abs(&truth));
    lu
}

#[test]
fn chains_of_any_joint_agree_with_dense_lu() {
    for joint in 1..=6 {
        check(&Shape::chain(9, joint), joint as u64, 0.0);
    }
}

#[test]
fn trees_and_stars_agree_with_dense_lu_and_make_no_fill() {
    let mut star = Shape { columns: vec![6; 12], ..Shape::default() };
    star.rows = (1..12).map(|i| (1 + i % 6, vec![0, i])).collect();
    let lu = check(&star, 3, 0.0);
    assert_eq!(lu.value_count(), lu.pattern().value_count());
    let mut tree = Shape { columns: vec![6; 20], ..Shape::default() };
    tree.rows = (1..20).map(|i| (5, vec![(i - 1) / 2, i])).collect();
    let lu = check(&tree, 4, 0.0);
    assert_eq!(lu.value_count(), lu.pattern().value_count());
    assert!(!lu.safe_order());
}

#[test]
fn loops_agree_with_dense_lu_in_the_fast_order() {
    // Closed rings of bodies, and chains held at both ends: no body is a leaf to start from.
    for bodies in [3, 6, 11] {
        let mut ring = Shape { columns: vec![6; bodies], ..Shape::default() };
        ring.rows = (0..bodies).map(|i| (3, vec![i, (i + 1) % bodies])).collect();
        let lu = check(&ring, bodies as u64, 0.0);
        assert!(!lu.safe_order());
        let mut held = Shape::chain(bodies, 4);
        held.rows.push((1, vec![bodies - 1]));
        let lu = check(&held, 7, 0.0);
        assert!(!lu.safe_order());
    }
}

#[test]
fn mixed_sizes_and_springs_agree_with_dense_lu() {
    let shape = Shape {
        columns: vec![6, 1, 3, 12, 6, 1, 9, 7, 6, 2],
        rows: vec![
            (1, vec![1, 5]),
            (3, vec![2, 0]),
            (6, vec![3, 4]),
            (2, vec![0, 1, 4]),
            (7, vec![6, 7]),
            (4, vec![7, 8, 2]),
            (8, vec![3, 8, 6]),
            (1, vec![9]),
        ],
        springs: vec![(0, 4), (2, 3), (6, 7), (9, 0)],
    };
    for seed in 0..8 {
        check(&shape, seed, 1e-3 * seed as f64);
    }
}

#[test]
fn random_graphs_agree_with_dense_lu() {
    for seed in 0..40 {
        let mut random = Random(seed + 100);
        let mut pick = |n: usize| ((random.next() + 1.0) * 0.5 * n as f64) as usize % n;
        let count = 4 + pick(8);
        let sizes = [1, 3, 6, 6, 6, 12];
        let mut shape = Shape { columns: (0..count).map(|_| sizes[pick(6)]).collect(), ..Shape::default() };
        // Stay below the freedoms there are, so that random rows are independent.
        let mut free = shape.columns.clone();
        for _ in 0..2 * count {
            let (a, b) = (pick(count), pick(count));
            let room = free[a].min(6) / 2;
            if a != b && room > 0 {
                let rows = 1 + pick(room);
                free[a] -= rows;
                shape.rows.push((rows, vec![a, b]));
            }
        }
        shape.springs = (0..count / 2).map(|_| (pick(count), pick(count))).filter(|(a, b)| a != b).collect();
        // Rows may come close to dependent here; refinement then does its work.
        check_within(&shape, seed, 0.0, 1e-10);
    }
}

#[test]
fn a_bad_early_pivot_switches_to_the_safe_order_once() {
    let mut shape = Shape::chain(4, 5);
    shape.rows.remove(0);
    let mut m = shape.matrix(&mut Random(5), 1e-12);
    // The joint between bodies 0 and 1 does not act on body 0, which is eliminated first.
    set_constraint(&mut m, 4, 0, &[0.0; 30]);
    let mut lu = BlockLu::new(m.pattern());
    let report = lu.factor(&m).unwrap();
    assert!(report.switched && report.safe_order && report.tiny_pivots == 0);
    let b = Random(6).vector(m.pattern().dimension());
    let mut x = b.clone();
    lu.solve(&mut x);
    assert!(backward_error(&m, &x, &b) < 1e-12);
    let report = lu.factor(&m).unwrap();
    assert!(!report.switched && report.safe_order);
}

#[test]
fn dependent_rows_are_named_and_solved() {
    // Two joints between the same bodies; three rows of the second are combinations of rows of the first.
    let mut shape = Shape::chain(3, 4);
    shape.rows.push((4, vec![1, 2]));
    for epsilon in [0.0, 1e-11] {
        let mut m = shape.matrix(&mut Random(8), epsilon);
        for body in [1, 2] {
            let first = m.block(3 + 2, body).to_vec();
            let mut second = m.block(3 + 3, body).to_vec();
            for c in 0..6 {
                second[c] = first[c];
                second[12 + c] = first[6 + c] - 2.0 * first[12 + c];
                second[18 + c] = first[18 + c] + second[6 + c];
            }
            set_constraint(&mut m, 3 + 3, body, &second);
        }
        let mut lu = BlockLu::new(m.pattern());
        let report = lu.factor(&m).unwrap();
        assert_eq!(report.tiny_pivots, 3, "{:?}", lu.tiny_pivots());
        // A right-hand side the constraints can meet: A times some vector.
        let y = Random(9).vector(m.pattern().dimension());
        let mut b = vec![0.0; y.len()];
        m.mul(&y, &mut b);
        let mut x = b.clone();
        lu.solve_refined(&m, &mut x, 3);
        assert!(backward_error(&m, &x, &b) < 1e-12, "{:e}", backward_error(&m, &x, &b));
        let columns = 18;
        for i in 0..columns {
            assert!((x[i] - y[i]).abs() < 1e-6, "the motion does not depend on the split of the forces");
        }
    }
}

#[test]
fn singular_columns_and_non_finite_values_are_named() {
    let shape = Shape::chain(5, 5);
    let mut m = shape.matrix(&mut Random(1), 0.0);
    let mut lu = BlockLu::new(m.pattern());
    m.block_mut(4, 4).fill(0.0);
    assert_eq!(lu.factor(&m), Err(SolveError::Singular { block: 4, row: 0 }));
    let mut m = shape.matrix(&mut Random(1), 0.0);
    let mut lu = BlockLu::new(m.pattern());
    m.block_mut(2, 5 + 2)[7] = f64::NAN;
    assert_eq!(lu.factor(&m), Err(SolveError::NonFinite { block: 2 }));
    let other = Shape::chain(4, 5).matrix(&mut Random(1), 0.0);
    assert!(matches!(lu.factor(&other), Err(SolveError::Size { .. })));
}

#[test]
fn long_chains_cost_linearly() {
    let operations = |links: usize| {
        let lu = BlockLu::new(&Shape::chain(links, 5).pattern());
        assert_eq!(lu.value_count(), lu.pattern().value_count(), "no fill");
        lu.operation_count()
    };
    let (short, long) = (operations(256), operations(2048));
    assert!(long <= 8 * short + 8 * 3000, "{short} {long}");
}
