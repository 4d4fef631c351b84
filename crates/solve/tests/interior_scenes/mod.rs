//! Cone problems with known difficulties: towers, closed chains, gear trains, piles.

use crate::common::Random;
use huygens_exec::Exec;
use huygens_solve::*;

pub const G: f64 = 9.81;
pub const H: f64 = 0.01;

/// A cone problem that owns its parts: joints, then friction contacts, then rolling contacts.
pub struct Scene {
    pub bodies: Vec<BodyInverse>,
    pub free_velocity: Vec<f64>,
    pub joints: Vec<Vec<(usize, f64)>>,
    pub joint_cones: Vec<Cone>,
    pub contacts: Vec<PairContact>,
    pub contact_cones: Vec<Cone>,
    pub rollers: Vec<PairContact>,
    pub roller_cones: Vec<Cone>,
    /// Of all rows; zero when empty.
    pub bias: Vec<f64>,
    pub compliance: Vec<f64>,
    pub friction: FrictionLaw,
}

impl Scene {
    /// Bodies of (mass, moment of inertia), falling for one step.
    pub fn new(bodies: &[(f64, f64)]) -> Self {
        let inverse = |&(m, i): &(f64, f64)| BodyInverse {
            inverse_mass: 1.0 / m,
            inverse_inertia: [1.0 / i, 1.0 / i, 1.0 / i, 0.0, 0.0, 0.0],
        };
        Self {
            bodies: bodies.iter().map(inverse).collect(),
            free_velocity: bodies.iter().flat_map(|_| [0.0, 0.0, -G * H, 0.0, 0.0, 0.0]).collect(),
            joints: vec![],
            joint_cones: vec![],
            contacts: vec![],
            contact_cones: vec![],
            rollers: vec![],
            roller_cones: vec![],
            bias: vec![],
            compliance: vec![],
            friction: FrictionLaw::Relaxed,
        }
    }

    pub fn joint(&mut self, cone: Cone, row: Vec<(usize, f64)>) {
        self.joints.push(row);
        self.joint_cones.push(cone);
    }

    pub fn row_count(&self) -> usize {
        self.joints.len() + 3 * self.contacts.len() + 6 * self.rollers.len()
    }

    pub fn cones(&self) -> Vec<Cone> {
        [&self.joint_cones[..], &self.contact_cones, &self.roller_cones].concat()
    }

    /// Calls `f` with the problem, its H⁻¹ wrapped by `wrap` if that is wanted.
    pub fn with_inverse<T>(&self, inverse: &dyn InverseInertia, f: impl FnOnce(&ConeProblem<'_>) -> T) -> T {
        let ex = Exec::serial();
        let mut joints = SparseRows::new(self.free_velocity.len());
        self.joints.iter().for_each(|row| joints.push(row.iter().copied()));
        joints.finish();
        let mut contacts = PairRows::new(0, self.bodies.len(), false);
        contacts.set(&ex, &self.contacts);
        let mut rollers = PairRows::new(0, self.bodies.len(), true);
        rollers.set(&ex, &self.rollers);
        let mut bias = self.bias.clone();
        bias.resize(self.row_count(), 0.0);
        f(&ConeProblem {
            inverse,
            free_velocity: &self.free_velocity,
            bias: &bias,
            compliance: &self.compliance,
            rows: &[RowBlock::Sparse(&joints), RowBlock::Pair(&contacts), RowBlock::Pair(&rollers)],
            cones: &self.cones(),
            friction: self.friction,
        })
    }

    pub fn with<T>(&self, f: impl FnOnce(&ConeProblem<'_>) -> T) -> T {
        self.with_inverse(&InverseInertiaBodies::new(self.bodies.clone()), f)
    }

    pub fn solve(&self, solver: &mut dyn ConeSolver) -> (Vec<f64>, Vec<f64>, ConeReport) {
        let (mut v, mut l) = (vec![0.0; self.free_velocity.len()], vec![0.0; self.row_count()]);
        let report = self.with(|p| solver.solve(&Exec::serial(), p, &mut v, &mut l)).unwrap();
        (v, l, report)
    }
}

pub fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A contact with normal n (from a to b) at `point`, `centres` being those of a and b.
pub fn contact(items: [u32; 2], n: [f64; 3], point: [f64; 3], centres: [[f64; 3]; 2]) -> PairContact {
    let least = (0..3).min_by(|&i, &j| n[i].abs().total_cmp(&n[j].abs())).unwrap();
    let t = cross(n, std::array::from_fn(|i| f64::from(i == least)));
    let size = (t[0] * t[0] + t[1] * t[1] + t[2] * t[2]).sqrt();
    let u = t.map(|x| x / size);
    let arms = centres.map(|c| std::array::from_fn(|i| point[i] - c[i]));
    PairContact { items, axes: [n, u, cross(n, u)], arms }
}

const GROUND: u32 = PairContact::GROUND;

/// Unit cubes on each other and on the ground, `grid`² contacts an interface, masses from the bottom up.
pub fn tower(masses: &[f64], grid: usize, mu: f64) -> Scene {
    let mut scene = Scene::new(&masses.iter().map(|&m| (m, m / 6.0)).collect::<Vec<_>>());
    for k in 0..masses.len() {
        for i in 0..grid * grid {
            let at = |i: usize| i as f64 / (grid - 1) as f64 - 0.5;
            let point = [at(i % grid), at(i / grid), k as f64];
            let centre = |k: f64| [0.0, 0.0, k + 0.5];
            let below = if k == 0 { GROUND } else { k as u32 - 1 };
            let centres = [centre(k as f64 - 1.0), centre(k as f64)];
            scene.contacts.push(contact([below, k as u32], [0.0, 0.0, 1.0], point, centres));
            scene.contact_cones.push(Cone::Friction { mu, cohesion: 0.0 });
        }
    }
    scene
}

/// A row of a joint that keeps the points at `arms` of two bodies together along `axis`.
fn point_row(items: [Option<usize>; 2], arms: [[f64; 3]; 2], axis: [f64; 3]) -> Vec<(usize, f64)> {
    let mut row = vec![];
    for (side, sign) in [(0, -1.0), (1, 1.0)] {
        if let Some(item) = items[side] {
            let turn = cross(arms[side], axis);
            row.extend((0..3).map(|i| (6 * item + i, sign * axis[i])));
            row.extend((0..3).map(|i| (6 * item + 3 + i, sign * turn[i])));
        }
    }
    row
}

/// A row that keeps the angular velocities of two bodies equal along `axis`.
fn turn_row(items: [Option<usize>; 2], axis: [f64; 3]) -> Vec<(usize, f64)> {
    let side = |item: Option<usize>, sign: f64| {
        item.into_iter().flat_map(move |k| (0..3).map(move |i| (6 * k + 3 + i, sign * axis[i])))
    };
    side(items[0], -1.0).chain(side(items[1], 1.0)).collect()
}

pub fn revolute(scene: &mut Scene, items: [Option<usize>; 2], arms: [[f64; 3]; 2], axis: usize) {
    let unit = |k: usize| std::array::from_fn(|i| f64::from(i == k % 3));
    (0..3).for_each(|k| scene.joint(Cone::Free, point_row(items, arms, unit(k))));
    (1..3).for_each(|k| scene.joint(Cone::Free, turn_row(items, unit(axis + k))));
}

/// A closed ring of links hinged about y, upright, whose lowest links rest on the ground; every other link weighs
/// `ratio` times the others. A planar loop of revolute joints has three redundant rows.
pub fn ring(links: usize, ratio: f64) -> Scene {
    let mass = |k: usize| if k.is_multiple_of(2) { ratio } else { 1.0 };
    let length = 0.2;
    let mut scene = Scene::new(&(0..links).map(|k| (mass(k), mass(k) * 0.01)).collect::<Vec<_>>());
    let radius = 0.5 * length / (std::f64::consts::PI / links as f64).sin();
    let corner = |k: usize| {
        let angle = std::f64::consts::TAU * (k % links) as f64 / links as f64;
        [radius * angle.sin(), 0.0, radius * (1.0 - angle.cos())]
    };
    let centre = |k: usize| -> [f64; 3] {
        let (a, b) = (corner(k), corner(k + 1));
        std::array::from_fn(|i| 0.5 * (a[i] + b[i]))
    };
    for k in 0..links {
        let next = (k + 1) % links;
        let arm = |c: [f64; 3]| std::array::from_fn(|i| corner(k + 1)[i] - c[i]);
        revolute(&mut scene, [Some(k), Some(next)], [arm(centre(k)), arm(centre(next))], 1);
        let low = corner(k)[2].min(corner(k + 1)[2]);
        if low < 0.3 * radius {
            for side in [-0.05, 0.05] {
                let point = [corner(k)[0], side, corner(k)[2]];
                scene.contacts.push(contact(
                    [GROUND, k as u32],
                    [0.0, 0.0, 1.0],
                    point,
                    [[0.0; 3], centre(k)],
                ));
                scene.contact_cones.push(Cone::Friction { mu: 0.3, cohesion: 0.0 });
            }
        }
    }
    scene
}

/// Shafts in bearings, geared one to the next; a limited motor on the first, a ratchet and a heavy flywheel on the last.
pub fn gear_train(shafts: usize, ratio: f64) -> Scene {
    let mass = |k: usize| if k + 1 == shafts { ratio } else { 1.0 };
    let mut scene = Scene::new(&(0..shafts).map(|k| (mass(k), 0.01 * mass(k))).collect::<Vec<_>>());
    for k in 0..shafts {
        revolute(&mut scene, [None, Some(k)], [[0.0; 3]; 2], 1);
    }
    for k in 1..shafts {
        scene.joint(Cone::Free, vec![(6 * (k - 1) + 4, 1.0), (6 * k + 4, 1.0)]);
    }
    scene.free_velocity[4] = 3.0;
    scene.joint(Cone::Box { lo: -0.5, hi: 0.5 }, vec![(4, 1.0)]);
    scene.joint(Cone::Nonnegative, vec![(6 * shafts - 2, if shafts.is_multiple_of(2) { 1.0 } else { -1.0 })]);
    scene
}

/// Spheres of unit diameter near the sites of a cubic close packing, with contacts where they nearly touch, walls and
/// a floor: about three contacts a sphere.
pub fn pile(side: usize, seed: u64) -> Scene {
    let mut random = Random(seed);
    let spacing = [1.0, 3.0_f64.sqrt() / 2.0, (2.0_f64 / 3.0).sqrt()];
    let mut centres: Vec<[f64; 3]> = vec![];
    for k in 0..side * side * side {
        let (x, y, z) = (k % side, k / side % side, k / side / side);
        let shift = [0.5 * ((y + z) % 2) as f64, (z % 2) as f64 / 3.0, 0.0];
        let site = [x as f64, y as f64, z as f64];
        centres.push(std::array::from_fn(|i| (site[i] + shift[i]) * spacing[i] + 0.02 * random.next()));
    }
    let masses: Vec<(f64, f64)> =
        centres.iter().map(|_| 10.0_f64.powf(random.next())).map(|m| (m, 0.1 * m)).collect();
    let mut scene = Scene::new(&masses);
    for a in 0..centres.len() {
        for b in a + 1..centres.len().min(a + 2 * side * side) {
            let d: [f64; 3] = std::array::from_fn(|i| centres[b][i] - centres[a][i]);
            let size = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
            if size < 1.003 {
                let point = std::array::from_fn(|i| centres[a][i] + 0.5 * d[i]);
                let n = d.map(|x| x / size);
                scene.contacts.push(contact([a as u32, b as u32], n, point, [centres[a], centres[b]]));
            }
        }
        let last = |axis: usize| (side - 1) as f64 * spacing[axis];
        for (axis, from) in [(0, 0.5 + last(0)), (1, 0.3 + last(1))] {
            for (sign, wall) in [(1.0, 0.0), (-1.0, from)] {
                if sign * (centres[a][axis] - wall) < 0.0 {
                    let n = std::array::from_fn(|i| if i == axis { sign } else { 0.0 });
                    let point = std::array::from_fn(|i| centres[a][i] - 0.5 * n[i]);
                    scene.contacts.push(contact([GROUND, a as u32], n, point, [[0.0; 3], centres[a]]));
                }
            }
        }
        if a < side * side {
            let point = [centres[a][0], centres[a][1], centres[a][2] - 0.5];
            scene.contacts.push(contact([GROUND, a as u32], [0.0, 0.0, 1.0], point, [[0.0; 3], centres[a]]));
        }
    }
    scene.contact_cones = vec![Cone::Friction { mu: 0.4, cohesion: 0.0 }; scene.contacts.len()];
    scene
}
