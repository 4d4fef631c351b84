//! A rigid body on joints, an ANCF cable and a block of fluid markers in **one** cone problem.
//!
//! The contracts of the core carry all three: the body is coordinates and joint rows, the cable coordinates and an
//! implicit element, the fluid coordinates and density rows that exist only as an operator. One step of velocity
//! stepping is then one cone problem over all columns, with contacts between body and ground, body and fluid. What
//! this taught is written in `docs/decisions/0001-one-cone-problem.md`.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::contract::*;
use huygens_core::{MatrixWeights, Model, State, System};
use huygens_exec::Exec;
use huygens_kernel::rotation;
use huygens_solve::{
    Cone, ConeProblem, ConeReport, ConeSolver, InverseInertia, RowBlock, RowOperator, SolverApgd, SparseRows,
};

const STEP: f64 = 5e-3;
const RADIUS: f64 = 0.5;
const FRICTION: f64 = 0.1;
const SPACING: f64 = 0.1;
const SIDE: usize = 5;
const MARKERS: usize = SIDE * SIDE * SIDE;
/// Radius of the smoothing kernel [m].
const REACH: f64 = 0.19;
/// First columns of the cable and of the markers.
const CABLE: usize = 6;
const FLUID: usize = CABLE + 12;
const COLUMNS: usize = FLUID + 3 * MARKERS;

fn vec3(x: &[f64]) -> DVec3 {
    DVec3::new(x[0], x[1], x[2])
}

/// Points with a diagonal mass: cable nodes (position and slope, six columns) and markers (three).
struct Points {
    q: Vec<f64>,
    v: Vec<f64>,
    /// Mass of each column of an item.
    mass: Vec<f64>,
}

impl Coordinates for Points {
    fn shape(&self) -> CoordinatesShape {
        let n = self.mass.len();
        CoordinatesShape {
            items: self.q.len() / n,
            q_per_item: n,
            v_per_item: n,
            ..CoordinatesShape::default()
        }
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        format!("point {item}").into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        q.copy_from_slice(&self.q);
        v.copy_from_slice(&self.v);
    }
    fn retract(&self, _ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        (0..q.len()).for_each(|i| q[i] = q0[i] + x[i]);
    }
    fn retract_tangent_inverse(&self, _x: &[f64]) -> Option<(usize, DMat3)> {
        None
    }
    fn frames(&self, _: &Exec, _: f64, _: &[f64], _: &[f64], _: u32, _: &mut [Frame]) {}
    fn add_inertia_force(&self, ex: &Exec, q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_mass_product(ex, q, acceleration, f);
    }
    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        (0..y.len()).for_each(|i| y[i] += self.mass[i % self.mass.len()] * x[i]);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        let n = self.mass.len();
        out.fill(0.0);
        (0..n).for_each(|k| out[k * n + k] = self.mass[k]);
    }
    fn add_bias_tangent(&self, _: usize, _: &[f64], _: &[f64], _: f64, _: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        for f in f.chunks_exact_mut(self.mass.len()) {
            (0..3).for_each(|k| f[k] += self.mass[k] * g[k]);
        }
    }
    fn energy(&self, _ex: &Exec, _g: DVec3, _q: &[f64], v: &[f64]) -> (f64, f64) {
        (v.iter().enumerate().map(|(i, v)| 0.5 * self.mass[i % self.mass.len()] * v * v).sum(), 0.0)
    }
}

/// One rigid sphere with rotation.
struct Sphere {
    mass: f64,
    inertia: f64,
}

impl Coordinates for Sphere {
    fn shape(&self) -> CoordinatesShape {
        CoordinatesShape { items: 1, q_per_item: 7, v_per_item: 6, frames: 1, kind: ItemKind::Body }
    }
    fn item_name(&self, _item: usize) -> huygens_core::Subject {
        "sphere".into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        let turn = DQuat::from_xyzw(0.1, 0.3, -0.2, 0.9).normalize();
        q.copy_from_slice(&[0.0, 0.0, RADIUS - 1e-3, turn.x, turn.y, turn.z, turn.w]);
        v.copy_from_slice(&[0.2, -0.9, -0.4, 5.0, -6.0, 0.8]);
    }
    fn retract(&self, _ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        (0..3).for_each(|k| q[k] = q0[k] + x[k]);
        let turned = DQuat::from_slice(&q0[3..]) * rotation::exp(vec3(&x[3..]));
        q[3..].copy_from_slice(&turned.normalize().to_array());
    }
    fn retract_tangent_inverse(&self, x: &[f64]) -> Option<(usize, DMat3)> {
        Some((3, rotation::tangent_inverse(vec3(&x[3..]))))
    }
    fn frames(&self, _ex: &Exec, _time: f64, q: &[f64], v: &[f64], first_block: u32, out: &mut [Frame]) {
        let axes = DMat3::from_quat(DQuat::from_slice(&q[3..]));
        let (origin, velocity, omega) = (vec3(q), vec3(v), axes * vec3(&v[3..]));
        out[0] = Frame {
            origin,
            axes,
            velocity,
            omega,
            block: first_block,
            motion: FrameMotion::Rigid,
            ..Frame::GROUND
        };
    }
    fn add_inertia_force(&self, ex: &Exec, q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_mass_product(ex, q, acceleration, f);
    }
    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        (0..6).for_each(|k| y[k] += if k < 3 { self.mass } else { self.inertia } * x[k]);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        (0..6).for_each(|k| out[7 * k] = if k < 3 { self.mass } else { self.inertia });
    }
    fn add_bias_tangent(&self, _: usize, _: &[f64], _: &[f64], _: f64, _: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        (0..3).for_each(|k| f[k] += self.mass * g[k]);
    }
    fn energy(&self, _ex: &Exec, g: DVec3, q: &[f64], v: &[f64]) -> (f64, f64) {
        let spin = vec3(&v[3..]).length_squared() * self.inertia;
        (0.5 * (self.mass * vec3(v).length_squared() + spin), -self.mass * g.dot(vec3(q)))
    }
}

/// Gradient-deficient ANCF cable: δW = EA∫ε δε + EI∫κ δκ, and damping β K v.
struct Cable {
    length: f64,
    axial: f64,
    bending: f64,
    damping: f64,
}

/// Nodes and weights of Gauss quadrature on 0 … 1.
const GAUSS: [(f64, f64); 5] = [
    (0.046910077030668, 0.118463442528094),
    (0.230765344947158, 0.239314335249683),
    (0.5, 0.284444444444444),
    (0.769234655052842, 0.239314335249683),
    (0.953089922969332, 0.118463442528094),
];

impl Cable {
    /// Gradient and Hessian (row-major) of the strain energy over the twelve coordinates.
    fn energy_derivatives(&self, e: &[f64], gradient: &mut [f64; 12], hessian: &mut [f64; 144]) {
        gradient.fill(0.0);
        hessian.fill(0.0);
        for (s, weight) in GAUSS {
            let l = self.length;
            // First and second derivatives of the cubic Hermite functions.
            let first =
                [(6.0 * s * s - 6.0 * s) / l, 1.0 - 4.0 * s + 3.0 * s * s, 0.0, 3.0 * s * s - 2.0 * s];
            let first = [first[0], first[1], -first[0], first[3]];
            let second = [(12.0 * s - 6.0) / (l * l), (6.0 * s - 4.0) / l, 0.0, (6.0 * s - 2.0) / l];
            let second = [second[0], second[1], -second[0], second[3]];
            let combine = |n: &[f64; 4]| (0..4).map(|k| vec3(&e[3 * k..]) * n[k]).sum::<DVec3>();
            let (g, h) = self.density(combine(&first), combine(&second));
            let jacobian = |k: usize| [first[k], second[k]];
            for i in 0..12 {
                let (ni, ci) = (jacobian(i / 3), i % 3);
                gradient[i] += weight * l * (ni[0] * g[ci] + ni[1] * g[3 + ci]);
                for j in 0..12 {
                    let (nj, cj) = (jacobian(j / 3), j % 3);
                    let part = |a: usize, b: usize| ni[a] * nj[b] * h[3 * a + ci][3 * b + cj];
                    hessian[12 * i + j] += weight * l * (part(0, 0) + part(0, 1) + part(1, 0) + part(1, 1));
                }
            }
        }
    }

    /// Derivatives of ½EA ε² + ½EI κ² over (a, b) = (r_x, r_xx), with ε = (p − 1)/2 and κ² = w/p² − s²/p³ in the
    /// invariants p = a·a, s = a·b, w = b·b.
    fn density(&self, a: DVec3, b: DVec3) -> ([f64; 6], [[f64; 6]; 6]) {
        let (p, s, w) = (a.dot(a), a.dot(b), b.dot(b));
        let (ea, ei) = (self.axial / 4.0, self.bending / 2.0);
        let by = [
            ea * (p - 1.0) + ei * (-2.0 * w / p.powi(3) + 3.0 * s * s / p.powi(4)),
            ei * (-2.0 * s / p.powi(3)),
            ei / (p * p),
        ];
        let (pp, ps) = (ea + ei * (6.0 * w / p.powi(4) - 12.0 * s * s / p.powi(5)), ei * 6.0 * s / p.powi(4));
        let (pw, ss) = (-2.0 * ei / p.powi(3), -2.0 * ei / p.powi(3));
        let by2 = [[pp, ps, pw], [ps, ss, 0.0], [pw, 0.0, 0.0]];
        let list = |u: DVec3, v: DVec3| [u.x, u.y, u.z, v.x, v.y, v.z];
        let slopes = [list(2.0 * a, DVec3::ZERO), list(b, a), list(DVec3::ZERO, 2.0 * b)];
        let gradient = std::array::from_fn(|i| (0..3).map(|m| by[m] * slopes[m][i]).sum());
        let hessian = std::array::from_fn(|i: usize| {
            std::array::from_fn(|j: usize| {
                let mut sum: f64 =
                    (0..9).map(|k| by2[k / 3][k % 3] * slopes[k / 3][i] * slopes[k % 3][j]).sum();
                if i % 3 == j % 3 {
                    sum += [[2.0 * by[0], by[1]], [by[1], 2.0 * by[2]]][i / 3][j / 3];
                }
                sum
            })
        });
        (gradient, hessian)
    }
}

impl ElementBatch for Cable {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        layout.push(&[1, 2], 0);
        layout
    }
    fn item_name(&self, _item: usize) -> huygens_core::Subject {
        "cable".into()
    }
    fn evaluate(
        &self,
        ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let (e, v) = (&x.q[7..19], &x.v[CABLE..FLUID]);
        let (mut gradient, mut hessian) = ([0.0; 12], [0.0; 144]);
        self.energy_derivatives(e, &mut gradient, &mut hessian);
        ex.for_each_slot(&slots.values, values, 1, |_, slot| {
            for i in 0..12 {
                let drag: f64 = (0..12).map(|j| hessian[12 * i + j] * v[j]).sum();
                slot[i] = -gradient[i] - self.damping * drag;
            }
        });
        if let Some((w, tangents)) = tangent {
            let scale = w.stiffness + w.damping * self.damping;
            (0..144).for_each(|k| tangents[k] += scale * hessian[k]);
        }
    }
}

/// Joints: the sphere slides on a vertical line (two rows); the cable's first node is held by the sphere (three).
struct Joints;

const HOOK: DVec3 = DVec3::new(0.5, 0.0, 0.0);

impl ConstraintBatch for Joints {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        layout.push(&[0], 2);
        layout.push(&[0, 1], 3);
        layout
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        ["line", "hook"][item].into()
    }
    fn row_name(&self, _item: usize, row: usize) -> String {
        ["x", "y", "z"][row].into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        _request: RowRequest,
        slots: &Slots,
        values: &mut [f64],
    ) {
        let (frame, node, slide) = (&x.frames[0], vec3(&x.q[7..]), vec3(&x.v[CABLE..]));
        let arm = frame.axes * HOOK;
        let hook_velocity = frame.velocity + frame.omega.cross(arm);
        for item in 0..2 {
            let (rows, n) = (slots.rows[item], slots.columns[item]);
            let slot = &mut values[slots.values[item]..slots.values[item + 1]];
            slot.fill(0.0);
            let (gap, rate) = match item {
                0 => (frame.origin, frame.velocity),
                _ => (frame.origin + arm - node, hook_velocity - slide),
            };
            for r in 0..rows {
                slot[r] = gap[r];
                slot[rows + r] = rate[r];
                let row = &mut slot[3 * rows + r * n..][..n];
                let turn = if item == 0 { DVec3::ZERO } else { arm.cross(DVec3::AXES[r]) };
                frame.pull_back(DVec3::AXES[r], turn, &mut row[..6]);
                if item == 1 {
                    row[6 + r] = -1.0;
                }
            }
        }
    }
    fn tangent(&self, _: &Exec, _: &StateView<'_>, _: &[f64], _: &[f64], _: f64, _: &Slots, _: &mut [f64]) {
        // Velocity stepping is linear in the multipliers: nothing to add.
    }
}

/// Density rows of the fluid as an operator: the gap of row i is −d_i with
/// d_i = Σ_j m W_ij/ρ₀ − 1, so that a multiplier ≥ 0 pushes apart and a free surface feels no tension. Gradients
/// are those of the same kernel, so that D is the Jacobian of d.
struct DensityRows {
    /// Neighbours of each marker with −(m/ρ₀)∇_i W_ij.
    neighbours: Vec<Vec<(u32, DVec3)>>,
    gaps: Vec<f64>,
}

impl DensityRows {
    fn new(ex: &Exec, positions: &[f64], mass: f64, rest_density: f64) -> Self {
        let count = positions.len() / 3;
        let mut rows: Vec<(Vec<(u32, DVec3)>, f64)> = vec![(Vec::new(), 0.0); count];
        let scale = 315.0 / (64.0 * std::f64::consts::PI * REACH.powi(9)) * mass / rest_density;
        ex.for_each_chunk(&mut rows, 16, |chunk, rows| {
            for (k, (list, gap)) in rows.iter_mut().enumerate() {
                let i = 16 * chunk + k;
                *gap = 1.0;
                for j in 0..count {
                    let d = vec3(&positions[3 * i..]) - vec3(&positions[3 * j..]);
                    let room = REACH * REACH - d.length_squared();
                    if room > 0.0 {
                        *gap -= scale * room.powi(3);
                        if i != j {
                            list.push((j as u32, 6.0 * scale * room * room * d));
                        }
                    }
                }
            }
        });
        let (neighbours, gaps) = rows.into_iter().unzip();
        Self { neighbours, gaps }
    }
}

impl RowOperator for DensityRows {
    fn rows(&self) -> usize {
        self.gaps.len()
    }
    fn apply(&self, ex: &Exec, v: &[f64], y: &mut [f64]) {
        let velocity = |i: usize| vec3(&v[FLUID + 3 * i..]);
        ex.for_each_chunk(y, 16, |chunk, y| {
            for (k, y) in y.iter_mut().enumerate() {
                let i = 16 * chunk + k;
                let list = &self.neighbours[i];
                *y = list.iter().map(|&(j, g)| g.dot(velocity(i) - velocity(j as usize))).sum();
            }
        });
    }
    fn add_transpose(&self, ex: &Exec, l: &[f64], f: &mut [f64]) {
        // The gradient is odd in i, j and all masses are equal: column i gathers its own row and those around it.
        ex.for_each_chunk(&mut f[FLUID..], 3 * 16, |chunk, f| {
            for (k, f) in f.chunks_exact_mut(3).enumerate() {
                let i = 16 * chunk + k;
                let sum: DVec3 = self.neighbours[i].iter().map(|&(j, g)| g * (l[i] + l[j as usize])).sum();
                (0..3).for_each(|c| f[c] += sum[c]);
            }
        });
    }
}

/// H⁻¹ by blocks of any size: the sphere, the implicit cable (M + hD + h²K over both nodes), each marker.
struct InverseImplicit {
    starts: Vec<usize>,
    blocks: Vec<Vec<f64>>,
}

impl InverseImplicit {
    fn new(h: &[Vec<f64>], starts: Vec<usize>) -> Self {
        let invert = |range: std::ops::Range<usize>| {
            let a: Vec<Vec<f64>> = range.clone().map(|i| h[i][range.clone()].to_vec()).collect();
            let n = range.len();
            let columns: Vec<Vec<f64>> =
                (0..n).map(|k| solve_dense(&a, (0..n).map(|i| f64::from(i == k)).collect())).collect();
            (0..n * n).map(|k| columns[k % n][k / n]).collect()
        };
        let blocks = starts.windows(2).map(|w| invert(w[0]..w[1])).collect();
        Self { starts, blocks }
    }
}

impl InverseInertia for InverseImplicit {
    fn dimension(&self) -> usize {
        COLUMNS
    }
    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        ex.for_each_slot(&self.starts, v, 8, |block, v| {
            let (n, first) = (v.len(), self.starts[block]);
            for (row, v) in self.blocks[block].chunks_exact(n).zip(v) {
                *v = row.iter().zip(&f[first..first + n]).map(|(a, f)| a * f).sum();
            }
        });
    }
    fn block(&self, _item: u32) -> Option<[f64; 36]> {
        None
    }
}

/// Gaussian elimination with partial pivoting.
fn solve_dense(a: &[Vec<f64>], b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    let mut m: Vec<Vec<f64>> = a.iter().zip(b).map(|(row, b)| [row.as_slice(), &[b]].concat()).collect();
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| m[i][k].abs().total_cmp(&m[j][k].abs())).unwrap();
        m.swap(k, p);
        for i in k + 1..n {
            let factor = m[i][k] / m[k][k];
            (k..=n).for_each(|c| m[i][c] -= factor * m[k][c]);
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        x[k] = (m[k][n] - (k + 1..n).map(|c| m[k][c] * x[c]).sum::<f64>()) / m[k][k];
    }
    x
}

/// Everything one step needs, evaluated through the contracts.
struct Scene {
    inverse: InverseImplicit,
    free_velocity: Vec<f64>,
    joints: SparseRows,
    ground: SparseRows,
    touching: SparseRows,
    density: DensityRows,
    bias: Vec<f64>,
    compliance: Vec<f64>,
    cones: Vec<Cone>,
}

fn fluid_positions() -> Vec<f64> {
    let mut seed = 7u64;
    let mut jitter = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 40) as f64 / (1u64 << 24) as f64 - 0.5
    };
    let mut q = Vec::new();
    for i in 0..MARKERS {
        let place = [i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE].map(|k| SPACING * k as f64);
        let corner = DVec3::new(-0.2, -0.2, 2.0 * RADIUS + 0.04);
        (0..3).for_each(|c| q.push(corner[c] + 0.97 * place[c] + 0.1 * SPACING * jitter()));
    }
    q
}

fn model() -> Arc<Model> {
    let mut model = Model::new(DVec3::new(0.0, 0.0, -9.81));
    model.add_coordinates(Box::new(Sphere { mass: 5.0, inertia: 0.5 }));
    let turn = DQuat::from_xyzw(0.1, 0.3, -0.2, 0.9).normalize();
    let hook = DVec3::new(0.0, 0.0, RADIUS - 1e-3) + turn * HOOK;
    let node = |p: DVec3, slope: DVec3| [p.x, p.y, p.z, slope.x, slope.y, slope.z];
    let nodes = [
        node(hook, DVec3::new(1.02, 0.1, 0.0)),
        node(hook + DVec3::new(1.0, 0.1, 0.2), DVec3::new(0.9, 0.0, 0.4)),
    ];
    let lumped = vec![0.5, 0.5, 0.5, 0.02, 0.02, 0.02];
    model.add_coordinates(Box::new(Points { q: nodes.concat(), v: vec![0.1; 12], mass: lumped }));
    let falling = [0.0, 0.0, -1.0].repeat(MARKERS);
    model.add_coordinates(Box::new(Points { q: fluid_positions(), v: falling, mass: vec![1.0; 3] }));
    model.add_elements(Arc::new(Cable { length: 1.0, axial: 3e4, bending: 20.0, damping: 1e-3 }));
    model.add_constraints(Arc::new(Joints));
    Arc::new(model)
}

fn scene(ex: &Exec) -> Scene {
    let model = model();
    let state = State::new(&model);
    let mut system = System::new(model, ex.clone());
    system.load(&state);
    system.update(&[]);
    system.rows(&[], RowRequest { rate: true, gamma: false });
    // H and the free velocity: H (v_free − v) = h (f − b) − h² K v.
    let weights = MatrixWeights { mass: 1.0, damping: STEP, stiffness: STEP * STEP, geometric: 0.0 };
    system.assemble(&[], weights, None);
    let rows = state.lambda.len();
    let column = |c: usize| {
        let mut x = vec![0.0; COLUMNS + rows];
        let mut y = x.clone();
        x[c] = 1.0;
        system.matrix_product(&x, &mut y);
        y
    };
    let columns: Vec<Vec<f64>> = (0..COLUMNS).map(column).collect();
    let h: Vec<Vec<f64>> = (0..COLUMNS).map(|r| (0..COLUMNS).map(|c| columns[c][r]).collect()).collect();
    let starts = [0, CABLE].into_iter().chain((0..=MARKERS).map(|i| FLUID + 3 * i)).collect();
    let inverse = InverseImplicit::new(&h, starts);
    let mut push = vec![0.0; COLUMNS];
    system.forces(&[], &mut push);
    push.iter_mut().for_each(|f| *f *= STEP);
    let mut stiff = vec![0.0; COLUMNS];
    system.add_stiffness_product(&[], &state.v, STEP * STEP, &mut stiff);
    push.iter_mut().zip(&stiff).for_each(|(f, k)| *f -= k);
    let mut free_velocity = vec![0.0; COLUMNS];
    inverse.apply(ex, &push, &mut free_velocity);
    free_velocity.iter_mut().zip(&state.v).for_each(|(f, v)| *f += v);
    // Joint rows from the Jacobian the system holds.
    let mut joints = SparseRows::new(COLUMNS);
    let mut bias = vec![0.0; rows];
    system.residuals(&mut bias);
    bias.iter_mut().for_each(|b| *b /= STEP);
    for r in 0..rows {
        let unit: Vec<f64> = (0..rows).map(|k| f64::from(k == r)).collect();
        let mut row = vec![0.0; COLUMNS];
        system.add_reactions(&unit, 1.0, &mut row);
        joints.push(row.into_iter().enumerate().filter(|(_, x)| *x != 0.0));
    }
    joints.finish();
    let mut cones = vec![Cone::Free; rows];
    // The sphere on the ground: normal up, with friction.
    let frame = system.frames()[0];
    let mut ground = SparseRows::new(COLUMNS);
    for axis in [DVec3::Z, DVec3::X, DVec3::Y] {
        let mut body = [0.0; 6];
        frame.pull_back(axis, (-RADIUS * DVec3::Z).cross(axis), &mut body);
        ground.push(body.into_iter().enumerate());
    }
    ground.finish();
    bias.extend([(frame.origin.z - RADIUS) / STEP, 0.0, 0.0]);
    cones.push(Cone::Friction { mu: FRICTION, cohesion: 0.0 });
    // Markers on the sphere, without friction: one row over nine columns.
    let mut touching = SparseRows::new(COLUMNS);
    let positions = &state.q[19..];
    for i in 0..MARKERS {
        let d = vec3(&positions[3 * i..]) - frame.origin;
        let gap = d.length() - RADIUS - 0.5 * SPACING;
        if gap < 0.02 {
            let n = d.normalize();
            let mut body = [0.0; 6];
            frame.pull_back(-n, -(n * RADIUS).cross(n), &mut body);
            let own = (0..3).map(|c| (FLUID + 3 * i + c, n[c]));
            touching.push(body.into_iter().enumerate().chain(own));
            bias.push(gap / STEP);
            cones.push(Cone::Nonnegative);
        }
    }
    touching.finish();
    assert!(touching.rows() >= 2, "the fluid touches the sphere");
    let density = DensityRows::new(ex, positions, 1.0, 1.0 / SPACING.powi(3));
    let compliance = [vec![0.0; bias.len()], vec![5.0; MARKERS]].concat();
    bias.extend(density.gaps.iter().map(|g| g / STEP));
    cones.extend([Cone::Nonnegative; MARKERS]);
    Scene { inverse, free_velocity, joints, ground, touching, density, bias, compliance, cones }
}

impl Scene {
    fn with<T>(&self, f: impl FnOnce(&ConeProblem<'_>) -> T) -> T {
        f(&ConeProblem {
            inverse: &self.inverse,
            free_velocity: &self.free_velocity,
            bias: &self.bias,
            compliance: &self.compliance,
            rows: &[
                RowBlock::Sparse(&self.joints),
                RowBlock::Sparse(&self.ground),
                RowBlock::Sparse(&self.touching),
                RowBlock::Operator(&self.density),
            ],
            cones: &self.cones,
        })
    }
}

fn solve(ex: &Exec, scene: &Scene) -> (Vec<f64>, Vec<f64>, ConeReport) {
    scene.with(|problem| {
        let (mut v, mut l) = (vec![0.0; COLUMNS], vec![0.0; problem.row_count()]);
        let mut solver = SolverApgd::new(40_000, 1e-12);
        assert!(solver.supports(problem));
        let report = solver.solve(ex, problem, &mut v, &mut l).unwrap();
        (v, l, report)
    })
}

/// min ½γᵀNγ + rᵀγ over the cones by splitting: each half is exact, the multiplier joins them.
fn reference(scene: &Scene) -> (Vec<f64>, Vec<f64>) {
    let ex = Exec::serial();
    scene.with(|problem| {
        let m = problem.row_count();
        let mut n = vec![vec![0.0; m]; m];
        let mut r = vec![0.0; m];
        problem.apply_rows(&ex, problem.free_velocity, &mut r);
        (0..m).for_each(|i| r[i] += problem.bias[i]);
        let (mut f, mut v, mut y) = (vec![0.0; COLUMNS], vec![0.0; COLUMNS], vec![0.0; m]);
        for k in 0..m {
            let unit: Vec<f64> = (0..m).map(|i| f64::from(i == k)).collect();
            problem.apply_transpose(&ex, &unit, &mut f);
            problem.inverse.apply(&ex, &f, &mut v);
            problem.apply_rows(&ex, &v, &mut y);
            (0..m).for_each(|i| n[i][k] = y[i] + if i == k { problem.compliance[i] } else { 0.0 });
        }
        let weight = 1.0;
        let shifted: Vec<Vec<f64>> =
            (0..m).map(|i| (0..m).map(|j| n[i][j] + if i == j { weight } else { 0.0 }).collect()).collect();
        let inverse: Vec<Vec<f64>> =
            (0..m).map(|k| solve_dense(&shifted, (0..m).map(|i| f64::from(i == k)).collect())).collect();
        let (mut z, mut u) = (vec![0.0; m], vec![0.0; m]);
        let mut x = vec![0.0; m];
        for _ in 0..20_000 {
            let b: Vec<f64> = (0..m).map(|i| weight * (z[i] - u[i]) - r[i]).collect();
            (0..m).for_each(|i| x[i] = inverse[i].iter().zip(&b).map(|(a, b)| a * b).sum());
            let old = z.clone();
            (0..m).for_each(|i| z[i] = x[i] + u[i]);
            let mut first = 0;
            for cone in problem.cones {
                cone.project(&mut z[first..first + cone.rows()]);
                first += cone.rows();
            }
            (0..m).for_each(|i| u[i] += x[i] - z[i]);
            let change = (0..m).fold(0.0, |c: f64, i| c.max((x[i] - z[i]).abs()).max((z[i] - old[i]).abs()));
            if change < 1e-13 {
                break;
            }
        }
        problem.apply_transpose(&ex, &z, &mut f);
        problem.inverse.apply(&ex, &f, &mut v);
        v.iter_mut().zip(problem.free_velocity).for_each(|(v, w)| *v += w);
        (v, z)
    })
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
}

#[test]
fn body_cable_and_fluid_are_one_problem() {
    let scene = scene(&Exec::serial());
    let (v, l, report) = solve(&Exec::serial(), &scene);
    assert!(report.converged, "{report:?}");
    let (expected_v, expected_l) = reference(&scene);
    assert!(largest_difference(&v, &expected_v) < 1e-9, "{:e}", largest_difference(&v, &expected_v));
    assert!(largest_difference(&l, &expected_l) < 1e-8, "{:e}", largest_difference(&l, &expected_l));
    // Every part takes part: the hook pulls, the ground slides at its limit, the fluid presses and is pressed.
    let joints = scene.joints.rows();
    assert!(l[2..joints].iter().any(|l| l.abs() > 1e-2));
    let ground = &l[joints..joints + 3];
    assert!(
        (ground[1].hypot(ground[2]) - FRICTION * ground[0]).abs() < 1e-9 && ground[0] > 0.1,
        "{ground:?}"
    );
    let touching = &l[joints + 3..joints + 3 + scene.touching.rows()];
    assert!(touching.iter().any(|l| *l > 1e-2), "{touching:?}");
    let fluid = &l[joints + 3 + scene.touching.rows()..];
    assert!(fluid.iter().any(|l| *l > 1e-3) && fluid.contains(&0.0), "both cases occur");
}

#[test]
fn two_threads_give_the_bits_of_one() {
    let [one, two] = [1, 2].map(|threads| {
        let ex = Exec::with_threads(threads).unwrap();
        let (v, l, report) = solve(&ex, &scene(&ex));
        (v.iter().chain(&l).map(|x| x.to_bits()).collect::<Vec<_>>(), report)
    });
    assert_eq!(one, two);
}

#[test]
fn the_cable_has_a_consistent_tangent() {
    let cable = Cable { length: 1.3, axial: 30.0, bending: 2.0, damping: 0.0 };
    let e = [0.1, 0.2, 0.3, 1.1, 0.2, -0.1, 1.2, 0.5, 0.2, 0.8, 0.4, 0.3];
    let derivatives = |e: &[f64]| {
        let (mut g, mut h) = ([0.0; 12], [0.0; 144]);
        cable.energy_derivatives(e, &mut g, &mut h);
        (g, h)
    };
    let (_, hessian) = derivatives(&e);
    for j in 0..12 {
        let moved = |d: f64| {
            let mut e = e;
            e[j] += d;
            derivatives(&e).0
        };
        let (plus, minus) = (moved(1e-5), moved(-1e-5));
        for i in 0..12 {
            let difference = (plus[i] - minus[i]) / 2e-5;
            assert!((hessian[12 * i + j] - difference).abs() < 1e-6, "{i} {j}");
        }
    }
}

#[test]
fn density_rows_are_the_jacobian_of_density_and_keep_momentum() {
    let ex = Exec::serial();
    let q = fluid_positions();
    let rows = DensityRows::new(&ex, &q, 1.0, 1.0 / SPACING.powi(3));
    let v: Vec<f64> = (0..COLUMNS).map(|i| (0.7 * i as f64).sin()).collect();
    let mut rate = vec![0.0; MARKERS];
    rows.apply(&ex, &v, &mut rate);
    let moved = |dt: f64| {
        let q: Vec<f64> = q.iter().zip(&v[FLUID..]).map(|(q, v)| q + dt * v).collect();
        DensityRows::new(&ex, &q, 1.0, 1.0 / SPACING.powi(3)).gaps
    };
    let (plus, minus) = (moved(1e-6), moved(-1e-6));
    for i in 0..MARKERS {
        assert!(((plus[i] - minus[i]) / 2e-6 - rate[i]).abs() < 1e-6, "{i}");
    }
    let l: Vec<f64> = (0..MARKERS).map(|i| (0.3 * i as f64).cos()).collect();
    let mut f = vec![0.0; COLUMNS];
    rows.add_transpose(&ex, &l, &mut f);
    let total: DVec3 = f[FLUID..].chunks_exact(3).map(vec3).sum();
    assert!(total.length() < 1e-10, "{total}");
    let (a, b): (f64, f64) =
        (rate.iter().zip(&l).map(|(a, b)| a * b).sum(), f.iter().zip(&v).map(|(a, b)| a * b).sum());
    assert!((a - b).abs() < 1e-9 * a.abs().max(1.0), "the transpose is the transpose: {a} {b}");
}
