//! Cone solvers on a settled bed of spheres: ns a contact and iteration, on 1 and 2 threads, and the residual
//! against the iterations. `cargo bench -p huygens-benches --bench contact_bed -- [boxes ...]`, 8,000 spheres a box.

use huygens_exec::Exec;
use huygens_solve::*;
use std::time::Instant;

const RADIUS: f64 = 0.05;
const STEP: f64 = 1e-3;
const SIDE: usize = 20;
const FRICTION: f64 = 0.5;

/// Spheres in open boxes side by side.
struct Bed {
    positions: Vec<[f64; 3]>,
    velocities: Vec<f64>,
    /// Corner of the box of each sphere.
    corners: Vec<[f64; 2]>,
    inverse: InverseInertiaBodies,
}

/// One step's problem.
struct Contacts {
    rows: PairRows,
    list: Vec<PairContact>,
    bias: Vec<f64>,
    cones: Vec<Cone>,
    keys: Vec<(u32, u32)>,
}

fn body() -> BodyInverse {
    let mass = 2500.0 * 4.0 / 3.0 * std::f64::consts::PI * RADIUS.powi(3);
    let inertia = 1.0 / (0.4 * mass * RADIUS * RADIUS);
    BodyInverse { inverse_mass: 1.0 / mass, inverse_inertia: [inertia, inertia, inertia, 0.0, 0.0, 0.0] }
}

impl Bed {
    fn new() -> Self {
        let mut seed = 1u64;
        let mut jitter = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut positions = Vec::new();
        for k in 0..SIDE * SIDE * 20 {
            let cell = [k % SIDE, k / SIDE % SIDE, k / SIDE / SIDE];
            positions.push(cell.map(|c| 0.055 + 0.11 * c as f64 + 0.0025 * jitter()));
        }
        let count = positions.len();
        Self {
            positions,
            velocities: vec![0.0; 6 * count],
            corners: vec![[0.0; 2]; count],
            inverse: InverseInertiaBodies::new(vec![body(); count]),
        }
    }

    /// The same box `times` over.
    fn repeated(&self, times: usize) -> Self {
        let columns = (times as f64).sqrt().ceil() as usize;
        let mut many = Self { positions: vec![], velocities: vec![], corners: vec![], ..self.cloned() };
        for k in 0..times {
            let shift = [(k % columns) as f64 * 2.5, (k / columns) as f64 * 2.5];
            let moved = |p: &[f64; 3]| [p[0] + shift[0], p[1] + shift[1], p[2]];
            many.positions.extend(self.positions.iter().map(moved));
            many.velocities.extend_from_slice(&self.velocities);
            many.corners.extend(std::iter::repeat_n(shift, self.positions.len()));
        }
        many.inverse = InverseInertiaBodies::new(vec![body(); many.positions.len()]);
        many
    }

    fn cloned(&self) -> Self {
        Self {
            positions: self.positions.clone(),
            velocities: self.velocities.clone(),
            corners: self.corners.clone(),
            inverse: self.inverse.clone(),
        }
    }

    fn contacts(&self, ex: &Exec) -> Contacts {
        let mut list = Vec::new();
        let (mut bias, mut keys) = (Vec::new(), Vec::new());
        let envelope = 0.05 * RADIUS;
        let mut push = |items: [u32; 2], n: [f64; 3], gap: f64, key: (u32, u32)| {
            let u = if n[0].abs() < 0.6 { [0.0, n[2], -n[1]] } else { [-n[2], 0.0, n[0]] };
            let size = (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]).sqrt();
            let u = u.map(|x| x / size);
            let w = [n[1] * u[2] - n[2] * u[1], n[2] * u[0] - n[0] * u[2], n[0] * u[1] - n[1] * u[0]];
            let arms = [n.map(|x| x * RADIUS), n.map(|x| -x * RADIUS)];
            list.push(PairContact { items, axes: [n, u, w], arms });
            bias.extend([(gap / STEP).max(-0.1), 0.0, 0.0]);
            keys.push(key);
        };
        let cells: std::collections::BTreeMap<[i32; 3], Vec<u32>> = {
            let mut cells = std::collections::BTreeMap::new();
            for (i, p) in self.positions.iter().enumerate() {
                let cell = p.map(|x| (x / (2.1 * RADIUS)).floor() as i32);
                cells.entry(cell).or_insert_with(Vec::new).push(i as u32);
            }
            cells
        };
        for (i, p) in self.positions.iter().enumerate() {
            let id = i as u32;
            let corner = self.corners[i];
            let planes = [
                (p[2], [0.0, 0.0, 1.0]),
                (p[0] - corner[0], [1.0, 0.0, 0.0]),
                (corner[0] + 2.2 - p[0], [-1.0, 0.0, 0.0]),
                (p[1] - corner[1], [0.0, 1.0, 0.0]),
                (corner[1] + 2.2 - p[1], [0.0, -1.0, 0.0]),
            ];
            for (k, (height, n)) in planes.into_iter().enumerate() {
                if height - RADIUS < envelope {
                    push([PairContact::GROUND, id], n, height - RADIUS, (id, u32::MAX - k as u32));
                }
            }
            let cell = p.map(|x| (x / (2.1 * RADIUS)).floor() as i32);
            for k in 0..27 {
                let near = [cell[0] + k % 3 - 1, cell[1] + k / 3 % 3 - 1, cell[2] + k / 9 - 1];
                for &j in cells.get(&near).into_iter().flatten().filter(|&&j| j > id) {
                    let q = self.positions[j as usize];
                    let d = [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
                    let size = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                    if size - 2.0 * RADIUS < envelope {
                        push([id, j], d.map(|x| x / size), size - 2.0 * RADIUS, (id, j));
                    }
                }
            }
        }
        let mut rows = PairRows::new(0, self.positions.len(), false);
        rows.set(ex, &list);
        let cones = vec![Cone::Friction { mu: FRICTION, cohesion: 0.0 }; list.len()];
        Contacts { rows, list, bias, cones, keys }
    }

    fn free_velocity(&self) -> Vec<f64> {
        let mut v = self.velocities.clone();
        v.iter_mut().skip(2).step_by(6).for_each(|v| *v -= 9.81 * STEP);
        v
    }

    fn solve(
        &self,
        ex: &Exec,
        contacts: &Contacts,
        solver: &mut dyn ConeSolver,
        l: &mut [f64],
    ) -> (Vec<f64>, ConeReport) {
        let free_velocity = self.free_velocity();
        let mut v = vec![0.0; free_velocity.len()];
        let problem = ConeProblem {
            inverse: &self.inverse,
            free_velocity: &free_velocity,
            bias: &contacts.bias,
            compliance: &[],
            rows: &[RowBlock::Pair(&contacts.rows)],
            cones: &contacts.cones,
            friction: FrictionLaw::Coulomb,
        };
        let report = solver.solve(ex, &problem, &mut v, l).expect("a sound problem");
        (v, report)
    }

    /// Falls until it rests.
    fn settle(&mut self, ex: &Exec, steps: usize) {
        let mut solver = SolverApgd::new(40, 0.0);
        let mut kept = std::collections::BTreeMap::new();
        for _ in 0..steps {
            let contacts = self.contacts(ex);
            let start = |key: &(u32, u32)| kept.get(key).copied().unwrap_or([0.0; 3]);
            let mut l: Vec<f64> = contacts.keys.iter().flat_map(start).collect();
            let (v, _) = self.solve(ex, &contacts, &mut solver, &mut l);
            kept = contacts.keys.iter().copied().zip(l.chunks(3).map(|l| [l[0], l[1], l[2]])).collect();
            for (p, v) in self.positions.iter_mut().zip(v.chunks_exact(6)) {
                (0..3).for_each(|c| p[c] += STEP * v[c]);
            }
            self.velocities = v;
        }
    }
}

fn time(name: &str, bed: &Bed, contacts: &Contacts, iterations: usize, solver: &mut dyn ConeSolver) {
    let mut times = [0.0; 2];
    let mut bits = [0u64; 2];
    for (k, time) in times.iter_mut().enumerate() {
        let ex = Exec::with_threads(k + 1).expect("two threads");
        *time = f64::INFINITY;
        for _ in 0..5 {
            let mut l = vec![0.0; contacts.bias.len()];
            let clock = Instant::now();
            let (v, report) = bed.solve(&ex, contacts, solver, &mut l);
            *time = time.min(clock.elapsed().as_secs_f64());
            assert_eq!(report.iterations, iterations);
            bits[k] = v.iter().fold(0, |b, x| b.rotate_left(1) ^ x.to_bits());
        }
    }
    assert_eq!(bits[0], bits[1], "equal bits on any number of threads");
    let count = contacts.list.len();
    let each = |time: f64| 1e9 * time / (count * iterations) as f64;
    println!(
        "{name}: {count} contacts, {iterations} iterations: {:.2} ms = {:.1} ns a contact and iteration; 2 threads {:.2} ms, {:.2}×",
        1e3 * times[0],
        each(times[0]),
        1e3 * times[1],
        times[0] / times[1]
    );
}

fn main() {
    // Tests build and start benchmarks too, and should not wait for a bed to settle.
    let timed = std::env::args().any(|a| a == "--bench");
    let boxes: Vec<usize> = std::env::args().filter_map(|a| a.parse().ok()).collect();
    let boxes = if boxes.is_empty() { vec![1] } else { boxes };
    let ex = Exec::with_threads(2).expect("two threads");
    let mut one = Bed::new();
    let clock = Instant::now();
    one.settle(&ex, if timed { 500 } else { 1 });
    if !timed {
        return;
    }
    println!("settled in {:.1} s", clock.elapsed().as_secs_f64());
    for count in boxes {
        let bed = one.repeated(count);
        let contacts = bed.contacts(&ex);
        let mut set = contacts.rows.clone();
        for (threads, ex) in [(1, Exec::serial()), (2, ex.clone())] {
            let clock = Instant::now();
            (0..10).for_each(|_| set.set(&ex, &contacts.list));
            println!("set, {threads} threads: {:.2} ms", 1e2 * clock.elapsed().as_secs_f64());
        }
        println!("{} spheres", bed.positions.len());
        compare(&ex, &bed, &contacts, true);
    }
    let (wall, contacts) = wall(&ex);
    println!("wall of {} bricks, {} contacts", wall.positions.len(), contacts.list.len());
    compare(&ex, &wall, &contacts, false);
}

/// 25 courses of 20 bricks in running bond, four points for each half brick on the one below.
fn wall(ex: &Exec) -> (Bed, Contacts) {
    let size = [0.4, 0.2, 0.2];
    let mass = 2000.0 * size[0] * size[1] * size[2];
    let spin = |a: f64, b: f64| 12.0 / (mass * (a * a + b * b));
    let inertia = [spin(size[1], size[2]), spin(size[0], size[2]), spin(size[0], size[1]), 0.0, 0.0, 0.0];
    let (columns, courses) = (20_usize, 25_usize);
    let mut list = Vec::new();
    let mut positions = Vec::new();
    for course in 0..courses {
        let shift = 0.5 * size[0] * (course % 2) as f64;
        for column in 0..columns {
            let centre = [size[0] * column as f64 + shift, 0.0, size[2] * (course as f64 + 0.5)];
            let id = positions.len() as u32;
            positions.push(centre);
            for half in 0..2 {
                let middle = centre[0] + size[0] * (0.5 * half as f64 - 0.25);
                let below = (middle - size[0] * 0.5 * ((course + 1) % 2) as f64) / size[0];
                let (below, exists) = (below.round(), below.round() >= 0.0 && below.round() < columns as f64);
                if course > 0 && !exists {
                    continue;
                }
                let under = match course {
                    0 => None,
                    _ => Some((course - 1) * columns + below as usize),
                };
                for corner in 0..4 {
                    let x = middle + size[0] * 0.25 * [-1.0, 1.0][corner % 2];
                    let point = [x, size[1] * 0.5 * [-1.0, 1.0][corner / 2], centre[2] - 0.5 * size[2]];
                    let arm = |c: [f64; 3]| [point[0] - c[0], point[1] - c[1], point[2] - c[2]];
                    let axes = [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
                    let arms = [under.map_or([0.0; 3], |k| arm(positions[k])), arm(centre)];
                    let items = [under.map_or(PairContact::GROUND, |k| k as u32), id];
                    list.push(PairContact { items, axes, arms });
                }
            }
        }
    }
    let count = positions.len();
    let inverse =
        InverseInertiaBodies::new(vec![
            BodyInverse { inverse_mass: 1.0 / mass, inverse_inertia: inertia };
            count
        ]);
    let bed = Bed { positions, velocities: vec![0.0; 6 * count], corners: vec![[0.0; 2]; count], inverse };
    let mut rows = PairRows::new(0, count, false);
    rows.set(ex, &list);
    let cones = vec![Cone::Friction { mu: FRICTION, cohesion: 0.0 }; list.len()];
    (bed, Contacts { rows, bias: vec![0.0; 3 * list.len()], list, cones, keys: vec![] })
}

/// Time and convergence of every solver.
fn compare(ex: &Exec, bed: &Bed, contacts: &Contacts, timed: bool) {
    let psor = |relaxation: f64| {
        move |n: usize| -> Box<dyn ConeSolver> {
            let mut solver = SolverPsor::new(n, 0.0);
            solver.relaxation = relaxation;
            Box::new(solver)
        }
    };
    type Make = Box<dyn Fn(usize) -> Box<dyn ConeSolver>>;
    let solvers: [(&str, Make); 4] = [
        ("apgd", Box::new(|n| Box::new(SolverApgd::new(n, 0.0)))),
        ("psor ω = 1", Box::new(psor(1.0))),
        ("psor ω = 1.3", Box::new(psor(1.3))),
        ("psor ω = 1.6", Box::new(psor(1.6))),
    ];
    for (name, make) in &solvers {
        if timed && !name.contains("1.") {
            time(name, bed, contacts, 50, make(50).as_mut());
        }
        let residual = |iterations: usize| {
            let mut l = vec![0.0; contacts.bias.len()];
            bed.solve(ex, contacts, make(iterations).as_mut(), &mut l).1.residual
        };
        let residuals: Vec<String> =
            [0, 10, 25, 50, 100, 200].map(|n| format!("{n}: {:.2e}", residual(n))).to_vec();
        println!("  {name}: residual after {}", residuals.join(", "));
    }
}
