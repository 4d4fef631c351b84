//! Cone problems of bodies: fast loops against plain ones, solvers against each other, and equal bits.

use crate::common::Random;
use huygens_exec::Exec;
use huygens_solve::*;

/// The same inverse, but without saying that it is made of bodies: solvers must take their general way.
struct Hidden<'a>(&'a InverseInertiaBodies);

impl InverseInertia for Hidden<'_> {
    fn dimension(&self) -> usize {
        self.0.dimension()
    }
    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        self.0.apply(ex, f, v);
    }
    fn block(&self, _: u32) -> Option<[f64; 36]> {
        None
    }
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let n = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
    v.map(|x| x / n)
}

fn vector(random: &mut Random) -> [f64; 3] {
    [random.next(), random.next(), random.next()]
}

/// Bodies of masses over two decades, every eleventh immovable.
fn bodies(random: &mut Random, count: usize) -> InverseInertiaBodies {
    let body = |k: usize| {
        if k % 11 == 10 {
            return BodyInverse::default();
        }
        let a: Vec<[f64; 3]> = (0..3).map(|_| vector(random)).collect();
        let entry = |i: usize, j: usize| (0..3).map(|k| a[k][i] * a[k][j]).sum::<f64>() + f64::from(i == j);
        BodyInverse {
            inverse_mass: 10f64.powf(random.next()),
            inverse_inertia: [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)],
        }
    };
    InverseInertiaBodies::new((0..count).map(body).collect())
}

fn contacts(random: &mut Random, items: u32, count: usize) -> Vec<PairContact> {
    (0..count as u32)
        .map(|k| {
            let a = (k * 7) % items;
            let b = (a + 1 + (k * 3) % (items - 1)) % items;
            let n = unit(vector(random));
            let u = unit(cross(n, vector(random)));
            let arms = [vector(random), vector(random)];
            let a = if k % 5 == 0 { PairContact::GROUND } else { a };
            PairContact { items: [a, b], axes: [n, u, cross(n, u)], arms }
        })
        .collect()
}

/// Friction and rolling contacts, joints, a limit and motors over the same bodies.
struct Mixed {
    inverse: InverseInertiaBodies,
    friction: PairRows,
    rolling: PairRows,
    joints: SparseRows,
    free_velocity: Vec<f64>,
    bias: Vec<f64>,
    compliance: Vec<f64>,
    cones: Vec<Cone>,
}

impl Mixed {
    fn new(items: usize, count: usize, compliant: bool) -> Self {
        let mut random = Random(5);
        let inverse = bodies(&mut random, items);
        let ex = Exec::serial();
        let mut friction = PairRows::new(0, items, false);
        friction.set(&ex, &contacts(&mut random, items as u32, count));
        // Rolling contacts know the last bodies only.
        let mut rolling = PairRows::new(6 * 3, items - 3, true);
        rolling.set(&ex, &contacts(&mut random, items as u32 - 3, count / 2 + 1));
        let mut joints = SparseRows::new(6 * items);
        let joint_count = items / 3;
        for k in 0..joint_count {
            joints.push((0..12).map(|c| ((18 * k + c) % (6 * items), random.next())));
        }
        joints.finish();
        let mut cones: Vec<Cone> =
            (0..count).map(|k| Cone::Friction { mu: 0.1 * (k % 9) as f64, cohesion: 0.02 }).collect();
        cones.extend((0..rolling.contact_count()).map(|k| Cone::Rolling {
            mu: 0.5,
            rolling: 0.05 * (k % 4) as f64,
            spinning: 0.03 * (k % 3) as f64,
            cohesion: 0.01,
        }));
        cones.extend((0..joint_count).map(|k| match k % 3 {
            0 => Cone::Free,
            1 => Cone::Nonnegative,
            _ => Cone::Box { lo: -0.1, hi: 0.1 },
        }));
        let rows = cones.iter().map(Cone::rows).sum();
        // Alike along both tangents of a contact.
        let soft = |k: usize| if compliant && k.is_multiple_of(3) { 0.2 } else { 0.05 };
        let free_velocity = random.vector(6 * items);
        let bias = random.vector(rows);
        let compliance = (0..rows).map(soft).collect();
        Self { inverse, friction, rolling, joints, free_velocity, bias, compliance, cones }
    }

    fn solve(
        &self,
        ex: &Exec,
        hidden: bool,
        solver: &mut dyn ConeSolver,
    ) -> (Vec<f64>, Vec<f64>, ConeReport) {
        let rows =
            [RowBlock::Pair(&self.friction), RowBlock::Pair(&self.rolling), RowBlock::Sparse(&self.joints)];
        let hiding = Hidden(&self.inverse);
        let problem = ConeProblem {
            inverse: if hidden { &hiding } else { &self.inverse },
            free_velocity: &self.free_velocity,
            bias: &self.bias,
            compliance: &self.compliance,
            rows: &rows,
            cones: &self.cones,
            friction: FrictionLaw::Relaxed,
        };
        assert!(solver.supports(&problem));
        let (mut v, mut l) = (vec![0.0; self.free_velocity.len()], vec![0.0; self.bias.len()]);
        let report = solver.solve(ex, &problem, &mut v, &mut l).unwrap();
        (v, l, report)
    }
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |d, (a, b)| d.max((a - b).abs()))
}

#[test]
fn products_of_contact_rows_are_those_of_the_dense_jacobian() {
    let mut random = Random(9);
    let (first, items, count) = (4, 7, 21);
    let list = contacts(&mut random, items as u32, count);
    for rolling in [false, true] {
        let mut rows = PairRows::new(first, items, rolling);
        rows.set(&Exec::serial(), &list);
        let width = rows.rows_per_contact();
        let (n, m) = (first + 6 * items, rows.rows());
        let mut dense = vec![vec![0.0; n]; m];
        for (k, contact) in list.iter().enumerate() {
            let back = rows.contact(k);
            assert_eq!((back.items, back.arms), (contact.items, contact.arms));
            for (side, &item) in contact.items.iter().enumerate().filter(|(_, i)| **i != PairContact::GROUND)
            {
                let (at, sign) = (first + 6 * item as usize, [-1.0, 1.0][side]);
                for i in 0..3 {
                    let turn = cross(contact.arms[side], contact.axes[i]);
                    for c in 0..3 {
                        dense[k * width + i][at + c] = sign * contact.axes[i][c];
                        dense[k * width + i][at + 3 + c] = sign * turn[c];
                        if rolling {
                            dense[k * width + 3 + i][at + 3 + c] = sign * contact.axes[i][c];
                        }
                    }
                }
            }
        }
        let (v, l) = (random.vector(n), random.vector(m));
        let (mut y, mut f) = (vec![0.0; m], vec![0.0; n]);
        rows.apply(&Exec::serial(), &v, &mut y);
        rows.add_transpose(&Exec::serial(), &l, &mut f);
        let product: Vec<f64> =
            dense.iter().map(|row| row.iter().zip(&v).map(|(a, b)| a * b).sum()).collect();
        let transposed: Vec<f64> =
            (0..n).map(|c| dense.iter().zip(&l).map(|(row, l)| row[c] * l).sum()).collect();
        assert!(largest_difference(&y, &product) < 1e-13);
        assert!(largest_difference(&f, &transposed) < 1e-12);
    }
}

#[test]
fn the_fused_iteration_finds_what_the_general_one_finds() {
    for compliant in [false, true] {
        let problem = Mixed::new(30, 41, compliant);
        let ex = Exec::serial();
        let (v, l, report) = problem.solve(&ex, false, &mut SolverApgd::new(20_000, 1e-12));
        let (v_general, l_general, general) = problem.solve(&ex, true, &mut SolverApgd::new(20_000, 1e-12));
        assert!(report.converged && general.converged, "{report:?} {general:?}");
        assert!(largest_difference(&v, &v_general) < 1e-8);
        assert!(largest_difference(&l, &l_general) < 1e-7);
        assert!(report.products <= report.iterations * 13 / 10 + 8, "{report:?}");
    }
}

#[test]
fn gauss_seidel_finds_the_velocity_of_the_gradient_method() {
    for compliant in [false, true] {
        let problem = Mixed::new(30, 41, compliant);
        let ex = Exec::serial();
        let (v, l, report) = problem.solve(&ex, false, &mut SolverApgd::new(20_000, 1e-12));
        let (v_sweep, l_sweep, sweep) = problem.solve(&ex, false, &mut SolverPsor::new(20_000, 1e-12));
        assert!(report.converged && sweep.converged, "{report:?} {sweep:?}");
        assert!(largest_difference(&v, &v_sweep) < 1e-8);
        assert!(largest_difference(&l, &l_sweep) < 1e-7);
    }
}

#[test]
fn solvers_of_bodies_give_equal_bits_on_any_number_of_threads() {
    let problem = Mixed::new(700, 2100, true);
    let ex = Exec::with_threads(2).unwrap();
    let solvers: [Box<dyn ConeSolver>; 2] =
        [Box::new(SolverApgd::new(40, 0.0)), Box::new(SolverPsor::new(12, 0.0))];
    for mut solver in solvers {
        let (v, l, report) = problem.solve(&Exec::serial(), false, solver.as_mut());
        let other = problem.solve(&ex, false, solver.as_mut());
        let pairs = v.iter().zip(&other.0).chain(l.iter().zip(&other.1));
        assert!(pairs.into_iter().all(|(a, b)| a.to_bits() == b.to_bits()));
        assert_eq!(report, other.2);
    }
}

#[test]
fn a_start_near_the_answer_saves_iterations() {
    let problem = Mixed::new(60, 120, true);
    let rows = [
        RowBlock::Pair(&problem.friction),
        RowBlock::Pair(&problem.rolling),
        RowBlock::Sparse(&problem.joints),
    ];
    let cone_problem = ConeProblem {
        inverse: &problem.inverse,
        free_velocity: &problem.free_velocity,
        bias: &problem.bias,
        compliance: &problem.compliance,
        rows: &rows,
        cones: &problem.cones,
        friction: FrictionLaw::Relaxed,
    };
    let mut v = vec![0.0; problem.free_velocity.len()];
    let solvers: [Box<dyn ConeSolver>; 2] =
        [Box::new(SolverApgd::new(20_000, 1e-9)), Box::new(SolverPsor::new(20_000, 1e-9))];
    for mut solver in solvers {
        let mut l = vec![0.0; problem.bias.len()];
        let cold = solver.solve(&Exec::serial(), &cone_problem, &mut v, &mut l).unwrap();
        let warm = solver.solve(&Exec::serial(), &cone_problem, &mut v, &mut l).unwrap();
        assert!(warm.iterations <= 5 && cold.iterations > 20, "{cold:?} {warm:?}");
    }
}

#[test]
fn contacts_of_items_that_do_not_exist_are_refused() {
    let inverse = bodies(&mut Random(1), 2);
    let mut list = contacts(&mut Random(2), 2, 3);
    list[2].items[1] = 2;
    let mut rows = PairRows::new(0, 2, false);
    rows.set(&Exec::serial(), &list);
    let mut far = PairRows::new(6, 2, false);
    far.set(&Exec::serial(), &list[..2]);
    let solve = |rows: &PairRows, count: usize| {
        let problem = ConeProblem {
            inverse: &inverse,
            free_velocity: &[0.0; 12],
            bias: &vec![0.0; 3 * count],
            compliance: &[],
            rows: &[RowBlock::Pair(rows)],
            cones: &vec![Cone::Friction { mu: 0.3, cohesion: 0.0 }; count],
            friction: FrictionLaw::Relaxed,
        };
        SolverApgd::new(10, 1e-6).solve(&Exec::serial(), &problem, &mut [0.0; 12], &mut vec![0.0; 3 * count])
    };
    assert_eq!(solve(&rows, 3), Err(SolveError::Item { contact: 2, item: 2, count: 2 }));
    assert!(matches!(solve(&far, 2), Err(SolveError::Size { .. })));
    // Sweeps need bodies, and a relaxation below two.
    let problem = Mixed::new(12, 9, false);
    let hidden = Hidden(&problem.inverse);
    let nothing = ConeProblem {
        inverse: &hidden,
        free_velocity: &problem.free_velocity,
        bias: &[],
        compliance: &[],
        rows: &[],
        cones: &[],
        friction: FrictionLaw::Relaxed,
    };
    let psor = SolverPsor::new(10, 1e-6);
    assert!(!psor.supports(&nothing) && psor.needs_blocks());
    assert_eq!(psor.refusal(&nothing), Some("an inverse inertia that does not consist of single bodies"));
    assert!(SolverApgd::new(10, 1e-6).supports(&nothing) && !SolverApgd::new(10, 1e-6).needs_blocks());
    let mut v = vec![0.0; problem.free_velocity.len()];
    let mut solver = SolverPsor::new(10, 1e-6);
    assert!(matches!(
        solver.solve(&Exec::serial(), &nothing, &mut v, &mut []),
        Err(SolveError::Unsupported { .. })
    ));
    solver.relaxation = 2.0;
    let bodies = ConeProblem { inverse: &problem.inverse, ..nothing };
    assert!(matches!(
        solver.solve(&Exec::serial(), &bodies, &mut v, &mut []),
        Err(SolveError::Unsupported { .. })
    ));
}
