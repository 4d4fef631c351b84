//! Cone solvers against an independent dense view of the problem: its optimality conditions, and a slow solver that
//! shares no code with them.

use crate::common::Random;
use crate::interior_scenes::{Scene, contact};
use huygens_exec::Exec;
use huygens_solve::*;
use proptest::prelude::*;

/// N and r, entry by entry from masses, frames and arms.
struct Dense {
    n: Vec<Vec<f64>>,
    r: Vec<f64>,
    cones: Vec<Cone>,
    friction: FrictionLaw,
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// The rows of a contact: relative velocity of the two material points, then relative angular velocity.
fn contact_rows(c: &PairContact, columns: usize, rolling: bool) -> Vec<Vec<f64>> {
    let mut rows = vec![vec![0.0; columns]; if rolling { 6 } else { 3 }];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        if c.items[side] == PairContact::GROUND {
            continue;
        }
        let at = 6 * c.items[side] as usize;
        let [x, y, z] = c.arms[side];
        // The matrix of ω ↦ ω × arm.
        let turn = [[0.0, z, -y], [-z, 0.0, x], [y, -x, 0.0]];
        for (k, axis) in c.axes.iter().enumerate() {
            for i in 0..3 {
                rows[k][at + i] += sign * axis[i];
                rows[k][at + 3 + i] += sign * (0..3).map(|j| axis[j] * turn[j][i]).sum::<f64>();
                if rolling {
                    rows[3 + k][at + 3 + i] += sign * axis[i];
                }
            }
        }
    }
    rows
}

fn rows_of(scene: &Scene) -> Vec<Vec<f64>> {
    let columns = scene.free_velocity.len();
    let mut d = vec![];
    for row in &scene.joints {
        let mut dense = vec![0.0; columns];
        row.iter().for_each(|&(c, x)| dense[c] += x);
        d.push(dense);
    }
    scene.contacts.iter().for_each(|c| d.extend(contact_rows(c, columns, false)));
    scene.rollers.iter().for_each(|c| d.extend(contact_rows(c, columns, true)));
    d
}

impl Dense {
    fn new(scene: &Scene) -> Self {
        let d = rows_of(scene);
        let inverse = |row: &[f64]| -> Vec<f64> {
            let apply = |(k, b): (usize, &BodyInverse)| b.apply(std::array::from_fn(|i| row[6 * k + i]));
            scene.bodies.iter().enumerate().flat_map(apply).collect()
        };
        let count = d.len();
        let mut n = vec![vec![0.0; count]; count];
        for i in 0..count {
            let scaled = inverse(&d[i]);
            (0..count).for_each(|j| n[i][j] = dot(&scaled, &d[j]));
            n[i][i] += scene.compliance.get(i).copied().unwrap_or(0.0);
        }
        let bias = |i: usize| scene.bias.get(i).copied().unwrap_or(0.0);
        let r = (0..count).map(|i| dot(&d[i], &scene.free_velocity) + bias(i)).collect();
        Self { n, r, cones: scene.cones(), friction: scene.friction }
    }

    /// u = N γ + r.
    fn gradient(&self, l: &[f64]) -> Vec<f64> {
        self.n.iter().zip(&self.r).map(|(row, r)| dot(row, l) + r).collect()
    }

    fn size(&self) -> f64 {
        let sums: Vec<f64> = self.n.iter().map(|row| row.iter().sum()).collect();
        norm(&sums) / (sums.len() as f64).sqrt().max(1.0)
    }

    /// Coulomb's law is the relaxed one for the rates u_n + μ |u_t| + ρ |ω_t| + σ |ω_n| along normals (desaxce1998).
    fn tilt(&self, u: &mut [f64]) {
        let mut at = 0;
        for cone in &self.cones {
            let u = &mut u[at..at + cone.rows()];
            at += cone.rows();
            if let Cone::Friction { mu, .. } | Cone::Rolling { mu, .. } = cone {
                u[0] += mu * u[1].hypot(u[2]);
            }
            if let Cone::Rolling { rolling, spinning, .. } = cone {
                u[0] += rolling * u[4].hypot(u[5]) + spinning * u[3].abs();
            }
        }
    }

    /// Primal and dual feasibility and complementarity, as far as a residual of `tolerance` promises them: u is
    /// within n_c · tolerance of the dual cone, and γ·u within that times the size of γ and u / ‖N‖.
    fn check(&self, l: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
        let mut u = self.gradient(l);
        if self.friction == FrictionLaw::Coulomb {
            self.tilt(&mut u);
        }
        let slack = 1.01 * tolerance * self.cones.len() as f64 + 1e-12 * norm(&self.r);
        let mut at = 0;
        for cone in &self.cones {
            let (g, u) = (&l[at..at + cone.rows()], &u[at..at + cone.rows()]);
            at += cone.rows();
            let slack_product = slack * (2.0 * norm(g) + 2.0 * norm(u) / self.size());
            let tiny = 1e-12 * norm(g);
            let disk = |k: f64, g: [f64; 2], n: f64| g[0].hypot(g[1]) <= k * n + tiny;
            match *cone {
                Cone::Free => prop_assert!(u[0].abs() <= slack, "{cone:?} {u:?}"),
                Cone::Nonnegative => {
                    prop_assert!(g[0] >= 0.0 && u[0] >= -slack, "{cone:?} {g:?} {u:?}");
                    prop_assert!((g[0] * u[0]).abs() <= slack_product, "{cone:?} {g:?} {u:?}");
                }
                Cone::Box { lo, hi } => {
                    prop_assert!(lo <= g[0] && g[0] <= hi);
                    let gap = if u[0] > 0.0 { u[0] * (g[0] - lo) } else { u[0] * (g[0] - hi) };
                    prop_assert!(gap <= slack_product + slack * (hi - lo), "{cone:?} {g:?} {u:?}");
                }
                Cone::Friction { mu, cohesion } => {
                    let n = g[0] + cohesion;
                    prop_assert!(n >= -tiny && disk(mu, [g[1], g[2]], n), "{cone:?} {g:?}");
                    let least = u[0] - mu * u[1].hypot(u[2]);
                    prop_assert!(least >= -slack * (1.0 + mu), "{cone:?} {u:?}");
                    let product = n * u[0] + dot(&g[1..], &u[1..]);
                    let allowed = slack_product + 2.0 * slack * cohesion;
                    prop_assert!(product.abs() <= allowed, "{cone:?} {g:?} {u:?}: {product:e} {allowed:e}");
                }
                Cone::Rolling { mu, rolling, spinning, cohesion } => {
                    let n = g[0] + cohesion;
                    prop_assert!(n >= -tiny && disk(mu, [g[1], g[2]], n), "{cone:?} {g:?}");
                    prop_assert!(disk(rolling, [g[4], g[5]], n) && disk(spinning, [g[3], 0.0], n));
                    let taken = mu * u[1].hypot(u[2]) + rolling * u[4].hypot(u[5]) + spinning * u[3].abs();
                    let weights = 1.0 + mu + rolling + spinning;
                    prop_assert!(u[0] - taken >= -slack * weights, "{cone:?} {u:?}");
                    let product = n * u[0] + dot(&g[1..], &u[1..]);
                    prop_assert!(
                        product.abs() <= slack_product + 2.0 * slack * cohesion,
                        "{cone:?} {g:?} {u:?}"
                    );
                }
            }
        }
        Ok(())
    }

    /// Projected gradients with restarted momentum, as many as it takes.
    fn solve(&self, iterations: usize) -> Vec<f64> {
        let count = self.r.len();
        let mut x = vec![1.0; count];
        let mut largest = 1.0;
        for _ in 0..500 {
            let y: Vec<f64> = self.n.iter().map(|row| dot(row, &x)).collect();
            largest = norm(&y);
            x = y.iter().map(|y| y / largest).collect();
        }
        let step = 0.98 / largest;
        let (mut x, mut y, mut t) = (vec![0.0; count], vec![0.0; count], 1.0_f64);
        for _ in 0..iterations {
            let u = self.gradient(&y);
            let mut next: Vec<f64> = (0..count).map(|i| y[i] - step * u[i]).collect();
            let mut at = 0;
            for cone in &self.cones {
                project(cone, &mut next[at..at + cone.rows()]);
                at += cone.rows();
            }
            let turned: f64 = (0..count).map(|i| u[i] * (next[i] - x[i])).sum();
            let t_next = if turned > 0.0 { 1.0 } else { 0.5 * (1.0 + (1.0 + 4.0 * t * t).sqrt()) };
            let factor = if turned > 0.0 { 0.0 } else { (t - 1.0) / t_next };
            y = (0..count).map(|i| next[i] + factor * (next[i] - x[i])).collect();
            (x, t) = (next, t_next);
        }
        x
    }
}

/// Nearest point of a cone: the normal by bisection of the derivative, the rest by shortening.
fn project(cone: &Cone, g: &mut [f64]) {
    let (terms, cohesion): (Vec<(Vec<usize>, f64)>, f64) = match *cone {
        Cone::Free => return,
        Cone::Nonnegative => (vec![], 0.0),
        Cone::Box { lo, hi } => return g[0] = g[0].clamp(lo, hi),
        Cone::Friction { mu, cohesion } => (vec![(vec![1, 2], mu)], cohesion),
        Cone::Rolling { mu, rolling, spinning, cohesion } => {
            (vec![(vec![1, 2], mu), (vec![3], spinning), (vec![4, 5], rolling)], cohesion)
        }
    };
    let length = |rows: &[usize]| rows.iter().map(|&i| g[i] * g[i]).sum::<f64>().sqrt();
    let slope = |n: f64| {
        let pull: f64 = terms.iter().map(|(rows, k)| k * (length(rows) - k * n).max(0.0)).sum();
        n - (g[0] + cohesion) - pull
    };
    let (mut low, mut high) = (0.0, g[0].abs() + cohesion + g.iter().map(|x| x.abs()).sum::<f64>() * 10.0);
    if slope(0.0) >= 0.0 {
        high = 0.0;
    }
    while high - low > 1e-16 * high && 0.5 * (low + high) != low && 0.5 * (low + high) != high {
        let middle = 0.5 * (low + high);
        if slope(middle) > 0.0 { high = middle } else { low = middle }
    }
    let n = 0.5 * (low + high);
    let sizes: Vec<f64> = terms.iter().map(|(rows, _)| length(rows)).collect();
    for ((rows, k), size) in terms.iter().zip(sizes) {
        if size > k * n {
            rows.iter().for_each(|&i| g[i] *= k * n / size);
        }
    }
    g[0] = n - cohesion;
}

/// A whole number below `count`.
fn index(random: &mut Random, count: usize) -> usize {
    ((0.5 + 0.5 * random.next()) * count as f64).min(count as f64 - 1.0) as usize
}

/// What a random problem is made of.
#[derive(Clone, Copy, Debug)]
struct Recipe {
    seed: u64,
    bodies: usize,
    contacts: usize,
    rollers: usize,
    joints: usize,
    /// Masses spread over this many decades.
    decades: f64,
    compliant: bool,
    cohesive: bool,
}

fn recipe(decades: f64) -> impl Strategy<Value = Recipe> {
    let counts = (1..7_usize, 0..9_usize, 0..5_usize, 0..7_usize);
    (0..1_000_000_u64, counts, any::<bool>(), any::<bool>()).prop_map(
        move |(seed, (bodies, contacts, rollers, joints), compliant, cohesive)| Recipe {
            seed,
            bodies,
            contacts,
            rollers,
            joints,
            decades,
            compliant,
            cohesive,
        },
    )
}

fn random_contact(random: &mut Random, bodies: usize) -> PairContact {
    let a = index(random, bodies + 1);
    let b = index(random, bodies);
    let first = if a == b || a == bodies { PairContact::GROUND } else { a as u32 };
    let mut vector = || -> [f64; 3] { std::array::from_fn(|_| random.next()) };
    let n = vector();
    let size = norm(&n);
    let (point, centres) = (vector(), [vector(), vector()]);
    contact([first, b as u32], n.map(|x| x / size), point, centres)
}

/// A problem with bounded multipliers: the bias is such that some velocity meets all conditions with something to
/// spare, so that no body is jammed.
fn build(recipe: Recipe) -> Scene {
    let Recipe { seed, bodies, contacts, rollers, joints, decades, compliant, cohesive } = recipe;
    let mut random = Random(seed);
    let masses: Vec<(f64, f64)> = (0..bodies)
        .map(|_| [10.0_f64.powf(0.5 * decades * random.next()), 10.0_f64.powf(-0.5 + 0.5 * random.next())])
        .map(|[m, square]| (m, m * square))
        .collect();
    let mut scene = Scene::new(&masses);
    scene.free_velocity = random.vector(6 * bodies);
    for k in 0..joints.min(3 * bodies) {
        let items = [index(&mut random, bodies), index(&mut random, bodies)];
        let row = items.iter().flat_map(|i| 6 * i..6 * i + 6).map(|c| (c, random.next())).collect();
        scene.joint([Cone::Free, Cone::Nonnegative, Cone::Box { lo: -0.1, hi: 0.2 }][k % 3], row);
    }
    let mut coefficient =
        |scale: f64| if index(&mut random, 6) == 0 { 0.0 } else { scale * (1.0 + random.next()) };
    for _ in 0..contacts {
        let (mu, cohesion) = (coefficient(0.5), if cohesive { coefficient(0.1) } else { 0.0 });
        scene.contact_cones.push(Cone::Friction { mu, cohesion });
    }
    for _ in 0..rollers {
        let (mu, rolling, spinning) = (coefficient(0.5), coefficient(0.1), coefficient(0.05));
        let cohesion = if cohesive { coefficient(0.1) } else { 0.0 };
        scene.roller_cones.push(Cone::Rolling { mu, rolling, spinning, cohesion });
    }
    scene.contacts = (0..contacts).map(|_| random_contact(&mut random, bodies)).collect();
    scene.rollers = (0..rollers).map(|_| random_contact(&mut random, bodies)).collect();
    // Cohesion is an impulse: it goes with the mass of the lighter body.
    let light = |c: &PairContact| {
        let masses = c.items.iter().filter_map(|&i| masses.get(i as usize)).map(|m| m.0);
        masses.fold(f64::INFINITY, f64::min)
    };
    let touching = scene.contacts.iter().chain(&scene.rollers);
    for (contact, cone) in touching.zip(scene.contact_cones.iter_mut().chain(&mut scene.roller_cones)) {
        if let Cone::Friction { cohesion, .. } | Cone::Rolling { cohesion, .. } = cone {
            *cohesion *= light(contact);
        }
    }
    let velocity = random.vector(6 * bodies);
    let mut wanted = vec![];
    for cone in scene.cones() {
        let mut w: Vec<f64> = random.vector(cone.rows());
        match cone {
            Cone::Free => w[0] = 0.0,
            Cone::Nonnegative => w[0] = w[0].max(0.05),
            Cone::Box { .. } => {}
            Cone::Friction { mu, .. } => w[0] = w[0].max(0.05) + mu * w[1].hypot(w[2]),
            Cone::Rolling { mu, rolling, spinning, .. } => {
                w[0] = w[0].max(0.05)
                    + mu * w[1].hypot(w[2])
                    + rolling * w[4].hypot(w[5])
                    + spinning * w[3].abs();
            }
        }
        wanted.extend(w);
    }
    let rows = rows_of(&scene);
    scene.bias = rows.iter().zip(wanted).map(|(d, w)| w - dot(d, &velocity)).collect();
    if compliant {
        let n = Dense::new(&scene).n;
        scene.compliance =
            (0..rows.len()).map(|i| n[i][i] * 10.0_f64.powf(2.0 * random.next() - 2.0)).collect();
    }
    scene
}

#[test]
fn interior_point_reaches_1e8_in_forty_iterations() {
    let mut random = Random(17);
    let mut reached = 0;
    for seed in 0..400 {
        let mut below = |count: usize| index(&mut random, count);
        let (bodies, contacts, rollers, joints) = (1 + below(6), below(9), below(5), below(7));
        let (compliant, cohesive) = (below(2) == 0, below(2) == 0);
        let scene =
            build(Recipe { seed, bodies, contacts, rollers, joints, decades: 6.0, compliant, cohesive });
        reached += usize::from(scene.solve(&mut SolverInteriorPoint::new(40, 1e-8)).2.converged);
    }
    assert!(reached >= 396, "{reached} of 400");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn interior_point_meets_all_conditions_over_six_decades_of_mass(recipe in recipe(6.0)) {
        let scene = build(recipe);
        let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-8));
        // Rounding beside the boundary of a cone stops one in a thousand of these a little earlier.
        prop_assert!(report.residual < 1e-7, "{report:?}");
        let dense = Dense::new(&scene);
        dense.check(&l, report.residual.max(1e-8))?;
        // The velocity is the one these multipliers give.
        let mut expected = scene.free_velocity.clone();
        for (row, l) in rows_of(&scene).iter().zip(&l) {
            for (k, body) in scene.bodies.iter().enumerate() {
                let change = body.apply(std::array::from_fn(|i| l * row[6 * k + i]));
                (0..6).for_each(|i| expected[6 * k + i] += change[i]);
            }
        }
        prop_assert!((0..v.len()).all(|i| (v[i] - expected[i]).abs() <= 1e-9 * (1.0 + norm(&expected))));
    }

    #[test]
    fn projected_gradients_meet_the_conditions_they_report_and_agree_on_the_velocity(recipe in recipe(2.0)) {
        let scene = build(recipe);
        let (v, l, report) = scene.solve(&mut SolverApgd::new(3000, 1e-7));
        let dense = Dense::new(&scene);
        dense.check(&l, report.residual)?;
        let (tight, other, _) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-9));
        // ‖Δv‖² in the norm of H is at most the sum of both gaps in (u₁ − u₂)·(γ₁ − γ₂).
        let energy: f64 = scene.bodies.iter().enumerate().map(|(k, body)| {
            let d = |i: usize| v[6 * k + i] - tight[6 * k + i];
            let turn: f64 = (3..6).map(|i| d(i).powi(2)).sum::<f64>() / body.inverse_inertia[0];
            (0..3).map(|i| d(i).powi(2)).sum::<f64>() / body.inverse_mass + turn
        }).sum();
        let sizes = norm(&l) + norm(&other) + (norm(&dense.gradient(&l)) + norm(&dense.gradient(&other))) / dense.size().max(1e-300);
        let gap = 2.0 * (report.residual + 1e-9) * dense.cones.len() as f64 * sizes;
        prop_assert!(energy <= gap + 1e-12, "{energy:e} {gap:e} {report:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// With compliance the multipliers are unique: the slow dense solver must find the same ones.
    #[test]
    fn a_dense_reference_finds_the_same_multipliers(recipe in recipe(1.0)) {
        let scene = build(Recipe { compliant: true, ..recipe });
        let (_, l, report) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-11));
        prop_assert!(report.residual < 1e-9, "{report:?}");
        let expected = Dense::new(&scene).solve(15_000);
        let error = l.iter().zip(&expected).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
        prop_assert!(error <= 1e-6 * (1.0 + norm(&expected)), "{error:e}\n{l:?}\n{expected:?}");
    }
}

/// What solvers say they found of Coulomb's law is so, and they find it in nearly all problems, though nothing in the law
/// promises that an iteration converges: contacts here have their arms anywhere, and mass ratios up to a hundred.
#[test]
fn every_solver_finds_coulomb_friction() {
    let mut random = Random(23);
    let mut found = [[0; 2]; 4];
    for seed in 0..200 {
        let mut below = |count: usize| index(&mut random, count);
        let (bodies, contacts, rollers) = (1 + below(6), below(9), below(5));
        let cohesive = below(2) == 0;
        let recipe =
            Recipe { seed, bodies, contacts, rollers, joints: 0, decades: 2.0, compliant: false, cohesive };
        for (k, law) in [FrictionLaw::Relaxed, FrictionLaw::Coulomb].into_iter().enumerate() {
            let scene = Scene { friction: law, ..build(recipe) };
            let dense = Dense::new(&scene);
            let bodies = InverseInertiaBodies::new(scene.bodies.clone());
            let solvers: [&mut dyn ConeSolver; 4] = [
                &mut SolverApgd::new(3000, 1e-7),
                &mut SolverApgd::new(3000, 1e-7),
                &mut SolverPsor::new(3000, 1e-7),
                &mut SolverInteriorPoint::new(60, 1e-7),
            ];
            for (s, solver) in solvers.into_iter().enumerate() {
                let (mut v, mut l) = (vec![0.0; scene.free_velocity.len()], vec![0.0; scene.row_count()]);
                let mut solve =
                    |p: &ConeProblem<'_>| solver.solve(&Exec::serial(), p, &mut v, &mut l).unwrap();
                let report = match s {
                    0 => scene.with_inverse(&WithoutBlocks(bodies.clone()), &mut solve),
                    _ => scene.with_inverse(&bodies, &mut solve),
                };
                dense.check(&l, report.residual).unwrap();
                found[s][k] += usize::from(report.converged);
            }
        }
    }
    assert!(
        found[..3].iter().flatten().all(|&found| found >= 198),
        "apgd with and without bodies, psor: {found:?}"
    );
    assert!(found[3][1] >= 170, "interior point with 20 relaxed problems: {found:?}");
}

/// The same H⁻¹, of which only products are known.
struct WithoutBlocks(InverseInertiaBodies);

impl InverseInertia for WithoutBlocks {
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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn an_inverse_without_blocks_gives_the_same_velocity(recipe in recipe(4.0)) {
        let scene = build(recipe);
        let (v, _, _) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-9));
        let inverse = WithoutBlocks(InverseInertiaBodies::new(scene.bodies.clone()));
        let (mut other, mut l) = (vec![0.0; v.len()], vec![0.0; scene.row_count()]);
        let mut solver = SolverInteriorPoint::new(60, 1e-9);
        let report = scene.with_inverse(&inverse, |p| {
            assert!(solver.supports(p));
            solver.solve(&Exec::serial(), p, &mut other, &mut l)
        }).unwrap();
        prop_assert!(report.residual < 1e-8, "{report:?}");
        Dense::new(&scene).check(&l, report.residual)?;
        for (k, body) in scene.bodies.iter().enumerate() {
            let error = (0..3).map(|i| (v[6 * k + i] - other[6 * k + i]).abs()).fold(0.0, f64::max);
            prop_assert!(error / body.inverse_mass.sqrt() < 1e-4, "{error:e} of body {k}");
        }
    }
}
