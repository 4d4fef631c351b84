//! Heaps with rolling and spinning friction: sweeps reach the answer of the other solvers, also where boxes touch at
//! more points than they need.

use crate::common::Random;
use crate::interior_scenes::{Scene, contact};
use huygens_solve::*;

/// Three layers of nine bodies of 0.2 m, each on the one below and some beside each other; a third of the pairs
/// touch at one point, or at the corners of a face.
fn heap(seed: u64, faces: bool) -> Scene {
    let mut random = Random(seed);
    let count = 27;
    let masses: Vec<f64> = (0..count).map(|_| 1.0 + 0.5 * random.next()).collect();
    let mut scene = Scene::new(&masses.iter().map(|&m| (m, 0.004 * m)).collect::<Vec<_>>());
    scene.free_velocity.iter_mut().for_each(|v| *v += 0.3 * random.next());
    let centre = |k: usize| [0.21 * (k % 3) as f64, 0.21 * (k / 3 % 3) as f64, 0.1 + 0.19 * (k / 9) as f64];
    let mut pairs = vec![];
    for k in 0..count {
        let c = centre(k);
        let n = [0.3 * random.next(), 0.3 * random.next(), 1.0];
        let size = (n[0] * n[0] + n[1] * n[1] + 1.0).sqrt();
        let below =
            if k < 9 { (PairContact::GROUND, [c[0], c[1], -0.09]) } else { (k as u32 - 9, centre(k - 9)) };
        pairs.push(([below.0, k as u32], n.map(|n| n / size), [below.1, c]));
        if k % 3 > 0 && random.next() > 0.3 {
            pairs.push(([k as u32 - 1, k as u32], [1.0, 0.0, 0.0], [centre(k - 1), c]));
        }
    }
    for (k, (items, n, centres)) in pairs.into_iter().enumerate() {
        let corners: &[[f64; 2]] = match faces && k % 3 == 1 {
            true => &[[0.07, 0.07], [-0.07, 0.07], [0.07, -0.07], [-0.07, -0.07]],
            false => &[[0.0; 2]],
        };
        let first = if n[2] > 0.5 { 0 } else { 1 };
        for corner in corners {
            let mut point: [f64; 3] =
                std::array::from_fn(|i| 0.5 * (centres[0][i] + centres[1][i]) + 0.01 * random.next());
            (0..2).for_each(|i| point[first + i] += corner[i]);
            scene.rollers.push(contact(items, n, point, centres));
            scene.roller_cones.push(Cone::Rolling { mu: 0.4, rolling: 1e-3, spinning: 5e-4, cohesion: 0.0 });
        }
    }
    scene
}

fn check(seed: u64, faces: bool, most: usize) {
    let scene = heap(seed, faces);
    let (v, _, report) = scene.solve(&mut SolverPsor::new(most, 1e-10));
    assert!(report.converged, "heap {seed}: {report:?}");
    let gradient = scene.solve(&mut SolverApgd::new(20_000, 1e-10));
    let interior = scene.solve(&mut SolverInteriorPoint::new(60, 1e-9));
    for (name, (other, _, report)) in [("gradient", gradient), ("interior point", interior)] {
        let error = v.iter().zip(&other).fold(0.0_f64, |d, (a, b)| d.max((a - b).abs()));
        // Errors of the velocity go with the root of the residual.
        assert!(error < 3e-4, "heap {seed}: {error:e} from {name}, {report:?}");
    }
}

#[test]
fn sweeps_end_at_the_answer_of_other_solvers_with_rolling_friction() {
    (0..4).for_each(|seed| check(seed, false, 300));
}

#[test]
fn sweeps_do_not_creep_where_faces_touch_at_four_points() {
    (0..4).for_each(|seed| check(seed, true, 10_000));
}
