//! Cone problems: projections, optimality, agreement with pivoting, and equal bits on any number of threads.

use crate::common::Random;
use huygens_exec::Exec;
use huygens_solve::*;
use proptest::prelude::*;

fn inside(cone: &Cone, g: &[f64], slack: f64) -> bool {
    match *cone {
        Cone::Free => true,
        Cone::Nonnegative => g[0] >= -slack,
        Cone::Box { lo, hi } => g[0] >= lo - slack && g[0] <= hi + slack,
        Cone::Friction { mu, cohesion } => {
            g[1].hypot(g[2]) <= mu * (g[0] + cohesion) + slack && g[0] + cohesion >= -slack
        }
        Cone::Rolling { mu, rolling, spinning, cohesion } => {
            let n = g[0] + cohesion;
            n >= -slack
                && g[1].hypot(g[2]) <= mu * n + slack
                && g[4].hypot(g[5]) <= rolling * n + slack
                && g[3].abs() <= spinning * n + slack
        }
    }
}

fn cone() -> impl Strategy<Value = Cone> {
    let size = || prop_oneof![Just(0.0), 0.0..2.0];
    prop_oneof![
        Just(Cone::Nonnegative),
        (-1.0..0.0, 0.0..1.0).prop_map(|(lo, hi)| Cone::Box { lo, hi }),
        (size(), size()).prop_map(|(mu, cohesion)| Cone::Friction { mu, cohesion }),
        (size(), size(), size(), size()).prop_map(|(mu, rolling, spinning, cohesion)| Cone::Rolling {
            mu,
            rolling,
            spinning,
            cohesion
        }),
    ]
}

proptest! {
    /// The nearest point p of a convex set K to g has (g − p)·(q − p) ≤ 0 for every q in K.
    #[test]
    fn a_projection_is_the_nearest_point(
        cone in cone(),
        g in prop::array::uniform6(-3.0..3.0),
        q in prop::array::uniform6(-3.0..3.0),
    ) {
        let n = cone.rows();
        let (mut p, mut q) = (g, q);
        cone.project(&mut p[..n]);
        cone.project(&mut q[..n]);
        prop_assert!(inside(&cone, &p, 1e-12) && inside(&cone, &q, 1e-12));
        let angle: f64 = (0..n).map(|i| (g[i] - p[i]) * (q[i] - p[i])).sum();
        prop_assert!(angle <= 1e-12, "{angle}");
        let mut again = p;
        cone.project(&mut again[..n]);
        prop_assert!((0..n).all(|i| (again[i] - p[i]).abs() < 1e-14));
    }
}

/// Contacts between random items, with frames and arms.
fn random_contacts(random: &mut Random, items: u32, count: usize) -> Vec<PairContact> {
    let unit = |random: &mut Random| {
        let v = random.vector(3);
        let n = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        [v[0] / n, v[1] / n, v[2] / n]
    };
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    (0..count)
        .map(|k| {
            let a = (k as u32 * 7) % items;
            let b = (a + 1 + (k as u32 * 3) % (items - 1)) % items;
            let n = unit(random);
            let t = cross(n, unit(random));
            let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
            let u = t.map(|x| x / size);
            let arms = [
                [random.next(), random.next(), random.next()],
                [random.next(), random.next(), random.next()],
            ];
            let ground = if k % 5 == 0 { PairContact::GROUND } else { a };
            PairContact { items: [ground, b], axes: [n, u, cross(n, u)], arms }
        })
        .collect()
}

fn blocks(items: usize) -> InverseInertiaBlocks {
    let mut values = vec![0.0; 36 * items];
    for i in 0..items {
        (0..6).for_each(|r| values[36 * i + 7 * r] = 0.5 + 0.1 * ((i + r) % 7) as f64);
    }
    InverseInertiaBlocks::new(6, values).unwrap()
}

#[test]
fn pair_rows_and_their_transpose_are_adjoint() {
    let mut random = Random(2);
    for rolling in [false, true] {
        let (first, items) = (4, 9);
        let mut rows = PairRows::new(first, items, rolling);
        rows.set(&Exec::serial(), &random_contacts(&mut random, items as u32, 20));
        let (n, m) = (first + 6 * items, rows.rows());
        let (v, l) = (random.vector(n), random.vector(m));
        let (mut y, mut f) = (vec![0.0; m], vec![0.0; n]);
        rows.apply(&Exec::serial(), &v, &mut y);
        rows.add_transpose(&Exec::serial(), &l, &mut f);
        let (a, b): (f64, f64) =
            (y.iter().zip(&l).map(|(a, b)| a * b).sum(), f.iter().zip(&v).map(|(a, b)| a * b).sum());
        assert!((a - b).abs() < 1e-12 * a.abs().max(1.0), "{a} {b}");
        assert!(f[..first].iter().all(|&x| x == 0.0));
    }
}

/// The mixed problem of the parity and optimality tests: friction and rolling contacts, joints, a motor limit.
fn solve_mixed(
    ex: &Exec,
    items: usize,
    contacts: usize,
    friction_law: FrictionLaw,
) -> (Vec<f64>, Vec<f64>, ConeReport) {
    let mut random = Random(11);
    let mut friction = PairRows::new(0, items, false);
    friction.set(ex, &random_contacts(&mut random, items as u32, contacts));
    let mut rolling = PairRows::new(0, items, true);
    rolling.set(ex, &random_contacts(&mut random, items as u32, contacts / 2));
    let mut joints = SparseRows::new(6 * items);
    let joint_count = items / 3;
    for k in 0..joint_count {
        joints.push((0..12).map(|c| ((18 * k + c) % (6 * items), random.next())));
    }
    joints.finish();
    let mut cones = vec![Cone::Friction { mu: 0.4, cohesion: 0.02 }; contacts];
    cones.extend(vec![Cone::Rolling { mu: 0.5, rolling: 0.05, spinning: 0.02, cohesion: 0.0 }; contacts / 2]);
    cones.extend((0..joint_count).map(|k| match k % 3 {
        0 => Cone::Free,
        1 => Cone::Nonnegative,
        _ => Cone::Box { lo: -0.1, hi: 0.1 },
    }));
    let inverse = blocks(items);
    let free_velocity = random.vector(6 * items);
    let rows = [RowBlock::Pair(&friction), RowBlock::Pair(&rolling), RowBlock::Sparse(&joints)];
    let count = 3 * contacts + 6 * (contacts / 2) + joint_count;
    let (bias, compliance) = (random.vector(count), vec![1e-2; count]);
    let problem = ConeProblem {
        inverse: &inverse,
        free_velocity: &free_velocity,
        bias: &bias,
        compliance: &compliance,
        rows: &rows,
        cones: &cones,
        friction: friction_law,
    };
    let (mut v, mut l) = (vec![0.0; 6 * items], vec![0.0; count]);
    let report = SolverApgd::new(3000, 1e-10).solve(ex, &problem, &mut v, &mut l).unwrap();
    // Optimality: γ is its own projected gradient step, u = D v + b + E γ being the gradient, for Coulomb's law with
    // what it takes to open contacts that slide (desaxce1998).
    let mut u = vec![0.0; count];
    problem.apply_rows(ex, &v, &mut u);
    let mut at = 0;
    for cone in &cones {
        let n = cone.rows();
        assert!(inside(cone, &l[at..at + n], 1e-12));
        let mut rate: Vec<f64> = (at..at + n).map(|i| u[i] + bias[i] + compliance[i] * l[i]).collect();
        if let (FrictionLaw::Coulomb, Cone::Friction { mu, .. } | Cone::Rolling { mu, .. }) =
            (friction_law, cone)
        {
            rate[0] += mu * rate[1].hypot(rate[2]);
        }
        if let (FrictionLaw::Coulomb, Cone::Rolling { rolling, spinning, .. }) = (friction_law, cone) {
            rate[0] += rolling * rate[4].hypot(rate[5]) + spinning * rate[3].abs();
        }
        let mut moved: Vec<f64> = (0..n).map(|i| l[at + i] - rate[i]).collect();
        cone.project(&mut moved);
        (0..n).for_each(|i| assert!((moved[i] - l[at + i]).abs() < 1e-6, "{cone:?}"));
        at += n;
    }
    (v, l, report)
}

#[test]
fn apgd_meets_the_optimality_conditions_of_mixed_cones() {
    for law in [FrictionLaw::Relaxed, FrictionLaw::Coulomb] {
        let (_, _, report) = solve_mixed(&Exec::serial(), 24, 30, law);
        assert!(report.converged, "{law:?}: {report:?}");
        assert!(report.products <= report.iterations * 2 + 4, "about one product an iteration: {report:?}");
    }
}

#[test]
fn apgd_gives_equal_bits_on_any_number_of_threads() {
    for (law, threads) in [(FrictionLaw::Relaxed, 2), (FrictionLaw::Coulomb, 2), (FrictionLaw::Coulomb, 3)] {
        let (v, l, report) = solve_mixed(&Exec::serial(), 300, 900, law);
        let other = solve_mixed(&Exec::with_threads(threads).unwrap(), 300, 900, law);
        assert!(v.iter().zip(&other.0).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert!(l.iter().zip(&other.1).all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!(report, other.2);
    }
}

/// Checks the complementarity conditions by themselves.
fn check_lcp(a: &[f64], b: &[f64], lo: &[f64], hi: &[f64], x: &[f64]) -> Result<(), TestCaseError> {
    let n = b.len();
    for i in 0..n {
        let w: f64 = b[i] + (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>();
        prop_assert!(x[i] >= lo[i] && x[i] <= hi[i]);
        prop_assert!(w > -1e-7 || x[i] > hi[i] - 1e-7, "w {w} x {} in {}..{}", x[i], lo[i], hi[i]);
        prop_assert!(w < 1e-7 || x[i] < lo[i] + 1e-7, "w {w} x {} in {}..{}", x[i], lo[i], hi[i]);
    }
    Ok(())
}

/// A = J Jᵀ + shift: semidefinite of rank `rank` without shift.
fn gram(random: &mut Random, n: usize, rank: usize, shift: f64) -> Vec<f64> {
    let j = random.vector(n * rank);
    let entry = |r: usize, c: usize| (0..rank).map(|k| j[r * rank + k] * j[c * rank + k]).sum::<f64>();
    (0..n * n).map(|k| entry(k / n, k % n) + if k / n == k % n { shift } else { 0.0 }).collect()
}

proptest! {
    #[test]
    fn box_problems_meet_their_conditions(seed in 0u64..10_000, n in 1usize..20) {
        let mut random = Random(seed);
        let a = gram(&mut random, n, n, 0.01);
        let b = random.vector(n);
        let bounds: Vec<(f64, f64)> = (0..n).map(|i| match i % 5 {
            0 => (0.0, f64::INFINITY),
            1 => (-0.3, 0.3),
            2 => (f64::NEG_INFINITY, f64::INFINITY),
            3 => (f64::NEG_INFINITY, 0.2),
            _ => (0.1, 0.1),
        }).collect();
        let (lo, hi): (Vec<f64>, Vec<f64>) = bounds.into_iter().unzip();
        let mut x = vec![0.0; n];
        BoxLcp::default().solve(&a, &b, &lo, &hi, &mut x).unwrap();
        check_lcp(&a, &b, &lo, &hi, &x)?;
    }

    /// Redundant contacts: A is singular, b = J v lies in its range, and answers exist.
    #[test]
    fn singular_problems_meet_their_conditions(seed in 0u64..1_000_000, n in 3usize..14) {
        let mut random = Random(seed);
        let rank = n.div_ceil(2);
        let j = random.vector(n * rank);
        let entry = |r: usize, c: usize| (0..rank).map(|k| j[r * rank + k] * j[c * rank + k]).sum::<f64>();
        let a: Vec<f64> = (0..n * n).map(|k| entry(k / n, k % n)).collect();
        let v = random.vector(rank);
        let b: Vec<f64> = (0..n).map(|r| (0..rank).map(|k| j[r * rank + k] * v[k]).sum()).collect();
        let (lo, hi) = (vec![0.0; n], vec![f64::INFINITY; n]);
        let mut x = vec![0.0; n];
        let mut solver = BoxLcp::default();
        solver.tolerance = 1e-8;
        solver.solve(&a, &b, &lo, &hi, &mut x).unwrap();
        check_lcp(&a, &b, &lo, &hi, &x)?;
    }
}

#[test]
fn apgd_and_pivoting_agree_on_unilateral_problems() {
    let mut random = Random(21);
    let (items, n) = (8, 12);
    let inverse = blocks(items);
    let mut d = SparseRows::new(6 * items);
    let dense: Vec<Vec<f64>> = (0..n).map(|_| random.vector(6 * items)).collect();
    dense.iter().for_each(|row| d.push(row.iter().copied().enumerate()));
    d.finish();
    let (free_velocity, bias) = (random.vector(6 * items), random.vector(n));
    let problem = ConeProblem {
        inverse: &inverse,
        free_velocity: &free_velocity,
        bias: &bias,
        compliance: &[],
        rows: &[RowBlock::Sparse(&d)],
        cones: &vec![Cone::Nonnegative; n],
        friction: FrictionLaw::Relaxed,
    };
    let ex = Exec::serial();
    let (mut v, mut l) = (vec![0.0; 6 * items], vec![0.0; n]);
    let report = SolverApgd::new(5000, 1e-12).solve(&ex, &problem, &mut v, &mut l).unwrap();
    assert!(report.converged);
    let mut a = vec![0.0; n * n];
    let mut b = bias.clone();
    for r in 0..n {
        let mut scaled = vec![0.0; 6 * items];
        inverse.apply(&ex, &dense[r], &mut scaled);
        b[r] += dense[r].iter().zip(&free_velocity).map(|(a, b)| a * b).sum::<f64>();
        (0..n).for_each(|c| a[r * n + c] = scaled.iter().zip(&dense[c]).map(|(a, b)| a * b).sum());
    }
    let mut x = vec![0.0; n];
    let report = BoxLcp::default().solve(&a, &b, &vec![0.0; n], &vec![f64::INFINITY; n], &mut x).unwrap();
    assert!(!report.relaxed);
    assert!(x.iter().zip(&l).all(|(x, l)| (x - l).abs() < 1e-8), "{x:?}\n{l:?}");
    assert!(x.contains(&0.0) && x.iter().any(|&x| x > 0.1), "both cases occur");
}

#[test]
fn wrong_problems_are_refused() {
    let mut x = [0.0];
    let mut lcp = BoxLcp::default();
    assert!(matches!(
        lcp.solve(&[1.0], &[1.0], &[1.0], &[0.0], &mut x),
        Err(SolveError::Bounds { index: 0, .. })
    ));
    assert!(matches!(
        lcp.solve(&[1.0], &[f64::NAN], &[0.0], &[1.0], &mut x),
        Err(SolveError::NonFinite { .. })
    ));
    // w = −1 whatever x is, and nothing bounds x: no answer.
    let unbounded = lcp.solve(&[0.0], &[-1.0], &[0.0], &[f64::INFINITY], &mut x);
    assert!(matches!(unbounded, Err(SolveError::NotConverged { .. })));
    let inverse = blocks(1);
    let problem = ConeProblem {
        inverse: &inverse,
        free_velocity: &[0.0; 6],
        bias: &[],
        compliance: &[],
        rows: &[],
        cones: &[Cone::Free],
        friction: FrictionLaw::Relaxed,
    };
    let refused = SolverApgd::new(10, 1e-6).solve(&Exec::serial(), &problem, &mut [0.0; 6], &mut []);
    assert!(matches!(refused, Err(SolveError::Size { .. })));
}
