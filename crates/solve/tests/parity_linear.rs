//! Sparse direct and Krylov solvers against each other and against dense LU.

use crate::common::*;
use huygens_exec::Exec;
use huygens_solve::krylov::*;
use huygens_solve::*;

fn problem(symmetric: bool) -> (BlockMatrix, Vec<f64>) {
    let mut random = Random(31);
    let mut shape = Shape::chain(12, 3);
    shape.springs = (1..12).map(|i| (i - 1, i)).collect();
    let mut m = shape.matrix(&mut random, 1e-3);
    if symmetric {
        let p = m.pattern().clone();
        for i in 0..p.block_count() {
            for j in 0..=i {
                if p.find_slot(i, j).is_some() {
                    let lower = m.block(i, j).to_vec();
                    let upper = m.block_mut(j, i);
                    let (rows, columns) = (p.size(i), p.size(j));
                    for r in 0..rows {
                        for c in 0..columns {
                            let value = if i == j {
                                lower[r.max(c) * columns + r.min(c)]
                            } else {
                                lower[r * columns + c]
                            };
                            upper[c * rows + r] = value;
                        }
                    }
                }
            }
        }
    }
    let b = random.vector(m.pattern().dimension());
    (m, b)
}

#[test]
fn sparse_factors_solve_and_reuse_their_analysis() {
    for parallelism in [SparseParallelism::Serial, SparseParallelism::Fixed] {
        let (m, b) = problem(true);
        let mut sparse = SparseMatrix::from_block(&m).unwrap();
        let mut lu = SparseLu::new(&sparse, parallelism).unwrap();
        let mut ldlt = SparseCholesky::new(&sparse, parallelism).unwrap();
        for factor in [1.0, 3.0] {
            let scaled: Vec<f64> = m.values().iter().map(|v| v * factor).collect();
            sparse.fill(scaled);
            let (mut x, mut y) = (b.clone(), b.clone());
            lu.factor(&sparse).unwrap();
            lu.solve(&mut x).unwrap();
            ldlt.factor(&sparse).unwrap();
            ldlt.solve(&mut y).unwrap();
            x.iter_mut().chain(&mut y).for_each(|v| *v *= factor);
            assert!(backward_error(&m, &x, &b) < 1e-13);
            assert!(backward_error(&m, &y, &b) < 1e-13);
        }
    }
}

#[test]
fn sparse_products_agree_with_block_products() {
    let (m, b) = problem(false);
    let sparse = SparseMatrix::from_block(&m).unwrap();
    let (mut x, mut y) = (vec![0.0; b.len()], vec![0.0; b.len()]);
    sparse.mul(&b, &mut x);
    m.mul(&b, &mut y);
    assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-13));
    let entries = SparseMatrix::from_entries(2, 3, &[(0, 2, 1.0), (1, 0, 2.0), (0, 2, 4.0)]).unwrap();
    let mut z = [0.0; 3];
    entries.mul_transpose(&[10.0, 100.0], &mut z);
    assert_eq!(z, [200.0, 0.0, 50.0]);
}

#[test]
fn singular_and_wrong_sparse_matrices_are_errors() {
    let zero =
        SparseMatrix::from_entries(2, 2, &[(0, 0, 1.0), (1, 0, 1.0), (0, 1, 1.0), (1, 1, 1.0)]).unwrap();
    let mut lu = SparseLu::new(&zero, SparseParallelism::Serial).unwrap();
    let outcome = lu.factor(&zero).and_then(|()| lu.solve(&mut [1.0, 2.0]));
    assert!(matches!(outcome, Err(SolveError::Singular { .. })), "{outcome:?}");
    assert!(matches!(SparseMatrix::new(2, 2, &[(2, 0)]), Err(SolveError::Size { .. })));
    let mut bad = zero.clone();
    bad.values_mut()[1] = f64::NAN;
    assert_eq!(lu.factor(&bad), Err(SolveError::NonFinite { block: 1 }));
    assert!(lu.solve(&mut [1.0, 2.0]).is_err(), "nothing to solve with after a failure");
}

#[test]
fn krylov_solvers_reach_their_tolerance() {
    let limits = KrylovLimits { tolerance: 1e-11, max_iterations: 2000 };
    for threads in [1, 2] {
        let ex = Exec::with_threads(threads).unwrap();
        let (symmetric, b) = problem(true);
        let jacobi = PreconditionerJacobi::new((0..b.len()).map(|i| {
            SparseMatrix::from_block(&symmetric).unwrap().column(i).find(|e| e.0 == i).map_or(0.0, |e| e.1)
        }));
        for p in [&PreconditionerIdentity as &dyn Preconditioner, &jacobi] {
            let mut x = vec![0.0; b.len()];
            let report = SolverMinres::new(limits).solve(&ex, &symmetric, p, &b, &mut x).unwrap();
            assert!(report.converged && report.iterations > 3, "{report:?}");
            assert!(backward_error(&symmetric, &x, &b) < 1e-9);
        }
        let (general, b) = problem(false);
        let blocks = PreconditionerBlockJacobi::new(&general);
        for p in [&PreconditionerIdentity as &dyn Preconditioner, &blocks] {
            let mut x = vec![0.0; b.len()];
            let report = SolverGmres::new(limits, 60).solve(&ex, &general, p, &b, &mut x).unwrap();
            assert!(report.converged, "{report:?}");
            assert!(backward_error(&general, &x, &b) < 1e-9);
        }
    }
}

/// A convection–diffusion operator, applied and never stored.
struct Convection(usize);

impl LinearOperator for Convection {
    fn dimension(&self) -> usize {
        self.0
    }

    fn apply(&self, ex: &Exec, x: &[f64], y: &mut [f64]) {
        ex.for_each_chunk(y, 512, |c, y| {
            for (k, y) in y.iter_mut().enumerate() {
                let i = 512 * c + k;
                let left = if i > 0 { x[i - 1] } else { 0.0 };
                let right = x.get(i + 1).copied().unwrap_or(0.0);
                *y = 3.0 * x[i] - 1.6 * left - 0.4 * right;
            }
        });
    }
}

#[test]
fn matrix_free_solutions_have_equal_bits_on_any_number_of_threads() {
    let limits = KrylovLimits { tolerance: 1e-10, max_iterations: 500 };
    let n = 5000;
    let b = Random(3).vector(n);
    let solve = |ex: &Exec| {
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        let a = SolverBicgstab::new(limits)
            .solve(ex, &Convection(n), &PreconditionerIdentity, &b, &mut x)
            .unwrap();
        let c = SolverGmres::new(limits, 20)
            .solve(ex, &Convection(n), &PreconditionerIdentity, &b, &mut y)
            .unwrap();
        assert!(a.converged && c.converged, "{a:?} {c:?}");
        assert!(x.iter().zip(&y).all(|(x, y)| (x - y).abs() < 1e-7));
        (x, y)
    };
    let (x, y) = solve(&Exec::serial());
    let (x2, y2) = solve(&Exec::with_threads(2).unwrap());
    let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert_eq!((bits(&x), bits(&y)), (bits(&x2), bits(&y2)));
}

#[test]
fn dependent_rows_are_found_in_order() {
    let mut random = Random(40);
    let mut rows: Vec<Vec<f64>> = (0..4).map(|_| random.vector(7)).collect();
    rows.insert(2, (0..7).map(|c| 1e3 * (rows[0][c] - rows[1][c])).collect());
    rows.push(vec![0.0; 7]);
    rows.push((0..7).map(|c| rows[3][c] + 1e-3 * rows[4][c]).collect());
    let a = faer::Mat::from_fn(rows.len(), 7, |r, c| rows[r][c]);
    let found = dense::row_dependence(a.as_ref(), 1e-9);
    assert_eq!(found, dense::RowDependence { rank: 4, dependent: vec![2, 5, 6] });
    let basis = dense::null_space(a.as_ref(), 1e-9);
    assert_eq!(basis.ncols(), 3);
    assert!((&a * &basis).norm_max() < 1e-11);
}

/// A cube of `k`³ nodes with three unknowns each, joined to their neighbours by random positive definite couplings.
fn cube(k: usize) -> (BlockMatrix, Vec<f64>) {
    let mut random = Random(7);
    let count = k * k * k;
    let mut couplings = Vec::new();
    for v in 0..count {
        let at = [v % k, v / k % k, v / k / k];
        for (axis, step) in [1, k, k * k].into_iter().enumerate() {
            if at[axis] + 1 < k {
                couplings.push((v as u32, (v + step) as u32));
            }
        }
    }
    let pattern = BlockPattern::new(&vec![3; count], &vec![BlockKind::Column; count], &couplings);
    let mut matrix = BlockMatrix::new(&pattern);
    for &(i, j) in &couplings {
        let (i, j) = (i as usize, j as usize);
        let g = random.vector(3);
        for r in 0..3 {
            for c in 0..3 {
                let value = g[r] * g[c] + if r == c { 0.05 } else { 0.0 };
                matrix.block_mut(i, i)[3 * r + c] += value;
                matrix.block_mut(j, j)[3 * r + c] += value;
                matrix.block_mut(i, j)[3 * r + c] -= value;
                matrix.block_mut(j, i)[3 * c + r] -= value;
            }
        }
    }
    // One node is held; the others hold each other.
    (0..3).for_each(|r| matrix.block_mut(0, 0)[4 * r] += 1.0);
    let b = random.vector(3 * count);
    (matrix, b)
}

#[test]
fn dissected_factors_and_conjugate_gradients_solve_a_cube() {
    let (m, b) = cube(12);
    let mut lower = SparseLower::new(m.pattern());
    lower.fill(&m);
    let order = SparseLower::dissection(m.pattern());
    let mut factor = SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::Fixed).unwrap();
    let natural: Vec<usize> = (0..b.len()).collect();
    let band = SparseCholesky::with_order(lower.matrix(), &natural, SparseParallelism::Fixed).unwrap();
    assert!(2 * factor.factor_size() < band.factor_size(), "{} {}", factor.factor_size(), band.factor_size());
    factor.factor(lower.matrix()).unwrap();
    let mut x = b.clone();
    factor.solve(&mut x).unwrap();
    assert!(backward_error(&m, &x, &b) < 1e-13);
    let mut cg = SolverCg::new(KrylovLimits { tolerance: 1e-11, max_iterations: 500 });
    cg.factor(&m).unwrap();
    let mut y = vec![0.0; b.len()];
    let report = cg.solve(&m, &b, &mut y).unwrap();
    assert!(report.converged && report.residual <= 1e-11, "{report:?}");
    let error = x.iter().zip(&y).fold(0.0f64, |e, (x, y)| e.max((x - y).abs()));
    assert!(error < 1e-7 * x.iter().fold(0.0f64, |m, x| m.max(x.abs())), "{error:e} {report:?}");
    assert!(matches!(
        SparseCholesky::with_order(lower.matrix(), &natural[1..], SparseParallelism::Serial),
        Err(SolveError::Size { .. })
    ));
}

#[test]
fn dissection_takes_constraint_rows_and_conjugate_gradients_refuse_them() {
    let (m, b) = problem(true);
    let mut lower = SparseLower::new(m.pattern());
    lower.fill(&m);
    let order = SparseLower::dissection(m.pattern());
    let mut factor = SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::Serial).unwrap();
    factor.factor(lower.matrix()).unwrap();
    let mut x = b.clone();
    factor.solve(&mut x).unwrap();
    assert!(backward_error(&m, &x, &b) < 1e-12);
    let error = SolverCg::default().factor(&m).unwrap_err();
    assert!(matches!(error, SolveError::Unsupported { solver: "cg", .. }));
}

#[test]
fn factors_have_equal_bits_on_any_number_of_threads() {
    let (m, b) = cube(12);
    let order = SparseLower::dissection(m.pattern());
    let mut lower = SparseLower::new(m.pattern());
    lower.fill(&m);
    let solutions: Vec<Vec<f64>> = [1, 2, 4]
        .into_iter()
        .map(|threads| {
            Exec::with_threads(threads).unwrap().install(|| {
                let mut factor =
                    SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::Fixed).unwrap();
                factor.factor(lower.matrix()).unwrap();
                let mut x = b.clone();
                factor.solve(&mut x).unwrap();
                x
            })
        })
        .collect();
    assert!(solutions[0] == solutions[1] && solutions[0] == solutions[2]);
}

#[test]
fn only_factors_with_much_work_are_made_in_parts() {
    let parallelism = |m: &BlockMatrix| {
        let order = SparseLower::dissection(m.pattern());
        let lower = SparseLower::new(m.pattern());
        SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::ByWork).unwrap().parallelism()
    };
    // A band with many unknowns, and a cube with fewer that fills up.
    let count = 20_000u32;
    let couplings: Vec<(u32, u32)> = (1..count).map(|i| (i - 1, i)).collect();
    let kinds = vec![BlockKind::Column; count as usize];
    let band = BlockMatrix::new(&BlockPattern::new(&vec![6; count as usize], &kinds, &couplings));
    let block = cube(28).0;
    assert!(block.pattern().dimension() < band.pattern().dimension());
    assert_eq!(parallelism(&band), SparseParallelism::Serial);
    assert_eq!(parallelism(&block), SparseParallelism::Fixed);
}

#[test]
fn operations_and_values_of_a_factor_are_those_of_the_dense_one() {
    // All blocks coupled: column k of n has n − k values.
    let (count, size) = (12usize, 4);
    let couplings: Vec<(u32, u32)> = (0..count as u32).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
    let pattern = BlockPattern::new(&vec![size; count], &vec![BlockKind::Column; count], &couplings);
    let lower = SparseLower::new(&pattern);
    let order = SparseLower::dissection(&pattern);
    let factor = SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::ByWork).unwrap();
    let n = count * size;
    assert_eq!(factor.operations(), (1..=n).map(|k| (k * k) as f64).sum::<f64>());
}

#[test]
fn a_vanishing_pivot_is_named_by_its_unknown() {
    let (mut m, _) = cube(5);
    // One node without any stiffness.
    let (node, pattern) = (77, m.pattern().clone());
    m.block_mut(node, node).fill(0.0);
    for (other, _) in pattern.couplings(node) {
        m.block_mut(node, other).fill(0.0);
        m.block_mut(other, node).fill(0.0);
    }
    let mut lower = SparseLower::new(&pattern);
    lower.fill(&m);
    let order = SparseLower::dissection(&pattern);
    let mut factor = SparseCholesky::with_order(lower.matrix(), &order, SparseParallelism::Serial).unwrap();
    let error = factor.factor(lower.matrix()).unwrap_err();
    let own = pattern.offset(node)..pattern.offset(node) + 3;
    assert!(matches!(error, SolveError::Singular { block, .. } if own.contains(&block)), "{error:?}");
}
