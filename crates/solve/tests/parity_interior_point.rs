//! The interior point where first-order methods stall, and at the edges of what a problem may be.

use crate::common;
use crate::common::Random;
use crate::interior_scenes::*;
use huygens_exec::Exec;
use huygens_solve::*;

fn growing(count: usize, ratio: f64) -> Vec<f64> {
    (0..count).map(|k| ratio.powf(k as f64 / (count - 1) as f64)).collect()
}

#[test]
fn towers_of_mass_ratio_1000_carry_their_weight() {
    let mut heavy_top = vec![1.0; 20];
    heavy_top[19] = 1000.0;
    for masses in [growing(20, 1000.0), heavy_top, [1.0, 1000.0].repeat(10)] {
        let scene = tower(&masses, 2, 0.5);
        let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-10));
        assert!(report.converged, "{report:?}");
        // The residual is per contact; speeds of the interfaces add up to that of the top.
        assert!(v.iter().all(|x| x.abs() < 20.0 * 80.0 * 1e-10), "the tower stands");
        for k in 0..20 {
            let carried: f64 = (4 * k..4 * (k + 1)).map(|c| l[3 * c]).sum();
            let weight = G * H * masses[k..].iter().sum::<f64>();
            assert!((carried - weight).abs() < 1e-6 * weight, "interface {k}: {carried} of {weight}");
        }
    }
}

#[test]
fn a_pushed_tower_with_redundant_contacts_converges_where_projected_gradients_stall() {
    let mut scene = tower(&growing(20, 1000.0), 3, 0.3);
    let mut random = Random(3);
    scene.free_velocity.iter_mut().for_each(|v| *v += 0.3 * random.next());
    let (_, _, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-8));
    assert!(report.converged, "{report:?}");
    let (_, _, slow) = scene.solve(&mut SolverApgd::new(1000, 1e-8));
    assert!(slow.residual > 100.0 * report.residual, "{slow:?}");
}

#[test]
fn closed_chains_with_contact_keep_their_joints() {
    for (links, ratio) in [(24, 1.0), (24, 1000.0), (200, 1000.0)] {
        let scene = ring(links, ratio);
        let (v, _, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-8));
        assert!(report.converged, "{links} {ratio} {report:?}");
        for row in &scene.joints {
            let speed: f64 = row.iter().map(|&(c, x)| x * v[c]).sum();
            assert!(speed.abs() < 1e-8 * (scene.cones().len() as f64), "{speed:e}");
        }
    }
}

/// With the reflected inertia J of the whole train, an impulse τ on the first shaft changes its speed by τ / J.
#[test]
fn a_long_gear_train_moves_as_its_reflected_inertia() {
    let (shafts, ratio) = (200, 1e3);
    let scene = gear_train(shafts, ratio);
    let (v, _, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-10));
    assert!(report.converged, "{report:?}");
    let inertia = 0.01 * (shafts as f64 - 1.0 + ratio);
    let momentum = 0.01 * 3.0;
    // A brake of 0.5 N·m·s is stronger than the momentum of 0.03 N·m·s; the ratchet has nothing to hold.
    assert!(v.chunks(6).all(|v| v[4].abs() < 1e-7), "stopped");
    let mut free = scene;
    free.joint_cones.iter_mut().for_each(|c| {
        if let Cone::Box { lo, hi } = c {
            (*lo, *hi) = (-0.01, 0.01);
        }
    });
    free.joint_cones.pop();
    free.joints.pop();
    let (v, _, report) = free.solve(&mut SolverInteriorPoint::new(40, 1e-10));
    assert!(report.converged, "{report:?}");
    let speed = (momentum - 0.01) / inertia;
    for (k, v) in v.chunks(6).enumerate() {
        let expected = if k % 2 == 0 { speed } else { -speed };
        assert!((v[4] - expected).abs() < 1e-7 * speed, "{} {expected}", v[4]);
    }
}

#[test]
fn a_pile_stands_on_its_floor() {
    let scene = pile(5, 1);
    let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-8));
    assert!(report.converged, "{report:?}");
    // Momentum: what the ground gives is what the bodies gained.
    let mut given = [0.0; 3];
    for (contact, l) in scene.contacts.iter().zip(l.chunks(3)) {
        if contact.items[0] == PairContact::GROUND {
            (0..3).for_each(|i| given[i] += (0..3).map(|k| contact.axes[k][i] * l[k]).sum::<f64>());
        }
    }
    for i in 0..3 {
        let gained: f64 = scene
            .bodies
            .iter()
            .enumerate()
            .map(|(k, body)| (v[6 * k + i] - scene.free_velocity[6 * k + i]) / body.inverse_mass)
            .sum();
        assert!((given[i] - gained).abs() < 1e-9 * given[2].abs(), "{given:?} {gained}");
    }
}

#[test]
fn results_do_not_depend_on_units() {
    let mut random = Random(8);
    let mut scene = tower(&growing(6, 100.0), 2, 0.3);
    scene.free_velocity.iter_mut().for_each(|v| *v += 0.2 * random.next());
    let (_, expected, report) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-8));
    assert!(report.converged, "{report:?}");
    for (length, mass) in [(1e3, 1.0), (1e-3, 1e6), (1e3, 1e-6)] {
        let mut scaled = tower(&growing(6, 100.0), 2, 0.3);
        scaled.free_velocity.copy_from_slice(&scene.free_velocity);
        for v in scaled.free_velocity.chunks_mut(6) {
            v[..3].iter_mut().for_each(|v| *v *= length);
        }
        scaled.contacts.iter_mut().for_each(|c| c.arms = c.arms.map(|arm| arm.map(|x| x * length)));
        for body in &mut scaled.bodies {
            body.inverse_mass /= mass;
            body.inverse_inertia = body.inverse_inertia.map(|x| x / (mass * length * length));
        }
        let (_, l, other) = scaled.solve(&mut SolverInteriorPoint::new(60, 1e-8 * length));
        assert_eq!(report.iterations, other.iterations);
        let largest = common::max_abs(&expected);
        let same = |(a, b): (&f64, &f64)| (a / (mass * length) - b).abs() < 1e-6 * largest;
        assert!(l.iter().zip(&expected).all(same), "{length} {mass}");
    }
}

/// Two walls that touch a body from both sides hold it with any force: multipliers are not bounded.
#[test]
fn a_jammed_body_is_held_and_a_crushed_one_is_reported() {
    let mut scene = Scene::new(&[(2.0, 0.1)]);
    for side in [-0.5, 0.5] {
        let n = [-side / 0.5, 0.0, 0.0];
        scene.contacts.push(contact([PairContact::GROUND, 0], n, [side, 0.0, 0.0], [[0.0; 3]; 2]));
        scene.contact_cones.push(Cone::Friction { mu: 0.2, cohesion: 0.0 });
    }
    let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-8));
    assert!(report.converged, "{report:?}");
    assert!(v.iter().all(|x| x.abs() < 1e-6) && l[0] > 0.0, "{v:?} {l:?}");
    scene.bias = vec![-1.0, 0.0, 0.0, -1.0, 0.0, 0.0];
    let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(60, 1e-8));
    assert!(!report.converged && report.residual > 0.1, "{report:?}");
    assert!(v.iter().chain(&l).all(|x| x.is_finite()));
}

#[test]
fn what_cannot_move_is_left_alone() {
    let mut scene = Scene::new(&[(1.0, 0.1), (1.0, 0.1)]);
    scene.bodies[1] = BodyInverse::default();
    for (k, items) in [[PairContact::GROUND, 1], [1, 0], [PairContact::GROUND; 2]].into_iter().enumerate() {
        scene.contacts.push(contact(items, [0.0, 0.0, 1.0], [0.1 * k as f64, 0.0, 0.0], [[0.0; 3]; 2]));
        scene.contact_cones.push(Cone::Friction { mu: if k == 0 { 0.0 } else { 0.5 }, cohesion: 0.0 });
    }
    scene.free_velocity[6..].fill(0.0);
    scene.joint(Cone::Box { lo: 0.3, hi: 0.3 }, vec![(0, 1.0)]);
    scene.joint(Cone::Free, vec![]);
    let (v, l, report) = scene.solve(&mut SolverInteriorPoint::new(40, 1e-10));
    assert!(report.converged, "{report:?}");
    assert_eq!(l[0], 0.3);
    assert!(v[6..].iter().all(|&x| x == 0.0) && v[2] > -1e-8);
}

#[test]
fn equal_bits_on_any_number_of_threads_and_no_work_at_the_answer() {
    let scene = pile(6, 4);
    let solve = |ex: &Exec, start: &[f64], solver: &mut SolverInteriorPoint| {
        let (mut v, mut l) = (vec![0.0; scene.free_velocity.len()], start.to_vec());
        let report = scene.with(|p| solver.solve(ex, p, &mut v, &mut l)).unwrap();
        (v, l, report)
    };
    let mut solver = SolverInteriorPoint::new(40, 1e-8);
    let zero = vec![0.0; scene.row_count()];
    let first = solve(&Exec::serial(), &zero, &mut solver);
    let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let other = solve(&Exec::with_threads(2).unwrap(), &zero, &mut SolverInteriorPoint::new(40, 1e-8));
    assert!(bits(&first.0) == bits(&other.0) && bits(&first.1) == bits(&other.1));
    assert_eq!(first.2, other.2);
    // A solver that was used before gives the same bits.
    let again = solve(&Exec::serial(), &zero, &mut solver);
    assert!(bits(&first.1) == bits(&again.1));
    solver.tolerance = 1e-6;
    assert_eq!(solve(&Exec::serial(), &first.1, &mut solver).2.iterations, 0);
}

#[test]
fn wrong_problems_are_refused() {
    let mut scene = Scene::new(&[(1.0, 1.0)]);
    scene.joint(Cone::Friction { mu: f64::INFINITY, cohesion: 0.0 }, vec![(0, 1.0)]);
    (1..3).for_each(|c| scene.joints.push(vec![(c, 1.0)]));
    let (mut v, mut l) = ([0.0; 6], [0.0; 3]);
    let mut solver = SolverInteriorPoint::new(10, 1e-8);
    let refused = scene.with(|p| solver.solve(&Exec::serial(), p, &mut v, &mut l));
    assert_eq!(refused, Err(SolveError::Cone { index: 0 }));
    let refused = scene.with(|p| solver.solve(&Exec::serial(), p, &mut v, &mut []));
    assert!(matches!(refused, Err(SolveError::Size { .. })));
    // A diagonal inverse has no blocks: too many rows for a dense matrix.
    let mut many = Scene::new(&[(1.0, 1.0)]);
    (0..1501).for_each(|k| many.joint(Cone::Nonnegative, vec![(k % 6, 1.0)]));
    let diagonal = InverseInertiaBlocks::new(1, vec![1.0; 6]).unwrap();
    let mut l = vec![0.0; 1501];
    many.with_inverse(&diagonal, |p| {
        assert!(!solver.supports(p));
        let refused = solver.solve(&Exec::serial(), p, &mut v, &mut l);
        assert!(matches!(refused, Err(SolveError::Unsupported { .. })), "{refused:?}");
    });
}
