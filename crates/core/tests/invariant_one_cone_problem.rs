//! A block on a hook, a stiff spring and fluid markers in **one** cone problem: the contracts of the core carry
//! coordinates, an implicit element, joint rows and rows that exist only as an operator. See
//! `docs/decisions/0001-one-cone-problem.md`.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::contract::*;
use huygens_core::{MatrixWeights, Model, State, System};
use huygens_exec::Exec;
use huygens_solve::{
    Cone, ConeProblem, ConeSolver, FrictionLaw, InverseInertia, RowBlock, RowOperator, SolverApgd, SparseRows,
};

const STEP: f64 = 5e-3;
const GRAVITY: f64 = 9.81;
const FRICTION: f64 = 0.1;
const STIFFNESS: f64 = 4e4;
const SIDE: usize = 3;
const MARKERS: usize = SIDE * SIDE * SIDE;
const SPACING: f64 = 0.1;
/// Radius within which markers push each other [m].
const CUTOFF: f64 = 0.17;
/// First columns of the two nodes of the spring and of the markers; the block comes first.
const NODES: usize = 3;
const FLUID: usize = 9;
const COLUMNS: usize = FLUID + 3 * MARKERS;

fn vec3(x: &[f64]) -> DVec3 {
    DVec3::new(x[0], x[1], x[2])
}

/// Points of one mass [kg]: positions and velocities.
struct Points(f64, Vec<DVec3>, DVec3);

impl Coordinates for Points {
    fn shape(&self) -> CoordinatesShape {
        let items = self.1.len();
        CoordinatesShape { items, q_per_item: 3, v_per_item: 3, ..CoordinatesShape::default() }
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        format!("point {item}").into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        q.copy_from_slice(&self.1.iter().flat_map(DVec3::to_array).collect::<Vec<_>>());
        v.copy_from_slice(&self.2.to_array().repeat(self.1.len()));
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
        (0..y.len()).for_each(|i| y[i] += self.0 * x[i]);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&(DMat3::IDENTITY * self.0).to_cols_array());
    }
    fn add_bias_tangent(&self, _: usize, _: &[f64], _: &[f64], _: f64, _: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, g: DVec3, _q: &[f64], f: &mut [f64]) {
        f.iter_mut().enumerate().for_each(|(i, f)| *f += self.0 * g[i % 3]);
    }
    fn energy(&self, _ex: &Exec, _g: DVec3, _q: &[f64], v: &[f64]) -> (f64, f64) {
        (v.iter().map(|v| 0.5 * self.0 * v * v).sum(), 0.0)
    }
}

/// Force [N] of the spring on its first node; linear, so that one implicit step is exact.
fn pull(q: &[f64]) -> DVec3 {
    (vec3(&q[NODES + 3..]) - vec3(&q[NODES..]) - DVec3::X) * STIFFNESS
}

struct Spring;

impl ElementBatch for Spring {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        layout.push(&[1, 2], 0);
        layout
    }
    fn item_name(&self, _item: usize) -> huygens_core::Subject {
        "spring".into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        _slots: &Slots,
        values: &mut [f64],
        tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let pull = pull(x.q);
        values[..3].copy_from_slice(&pull.to_array());
        values[3..].copy_from_slice(&(-pull).to_array());
        let Some((weights, tangent)) = tangent else { return };
        for (k, entry) in tangent.iter_mut().enumerate() {
            let (row, column) = (k / 6, k % 6);
            let sign = if row == column { 1.0 } else { -1.0 };
            *entry = if row % 3 == column % 3 { sign * weights.stiffness * STIFFNESS } else { 0.0 };
        }
    }
}

/// The first node of the spring is where the block is.
struct Hook;

impl ConstraintBatch for Hook {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        layout.push(&[0, 1], 3);
        layout
    }
    fn item_name(&self, _item: usize) -> huygens_core::Subject {
        "hook".into()
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
        _slots: &Slots,
        values: &mut [f64],
    ) {
        values.fill(0.0);
        for k in 0..3 {
            (values[k], values[3 + k]) = (x.q[k] - x.q[NODES + k], x.v[k] - x.v[NODES + k]);
            (values[9 + 6 * k + k], values[9 + 6 * k + 3 + k]) = (1.0, -1.0);
        }
    }
    fn tangent(&self, _: &Exec, _: &StateView<'_>, _: &[f64], _: &[f64], _: f64, _: &Slots, _: &mut [f64]) {}
}

/// One row for each marker, by its neighbours with weights that are odd in the pair.
struct MarkerRows(Vec<Vec<(usize, DVec3)>>);

impl MarkerRows {
    fn new(places: &[DVec3]) -> Self {
        let near = |a: &DVec3| {
            let weight = |(j, b): (usize, &DVec3)| {
                let room = CUTOFF - a.distance(*b);
                (a != b && room > 0.0).then(|| (j, (*a - *b) * room / CUTOFF.powi(2)))
            };
            places.iter().enumerate().filter_map(weight).collect()
        };
        Self(places.iter().map(near).collect())
    }
}

impl RowOperator for MarkerRows {
    fn rows(&self) -> usize {
        MARKERS
    }
    fn apply(&self, _ex: &Exec, v: &[f64], y: &mut [f64]) {
        let velocity = |i: usize| vec3(&v[FLUID + 3 * i..]);
        for (i, near) in self.0.iter().enumerate() {
            y[i] = near.iter().map(|&(j, g)| g.dot(velocity(i) - velocity(j))).sum();
        }
    }
    fn add_transpose(&self, _ex: &Exec, l: &[f64], f: &mut [f64]) {
        for (i, near) in self.0.iter().enumerate() {
            let sum: DVec3 = near.iter().map(|&(j, g)| g * (l[i] + l[j])).sum();
            (0..3).for_each(|c| f[FLUID + 3 * i + c] += sum[c]);
        }
    }
}

/// H⁻¹ of the whole implicit matrix, by Gauss–Jordan elimination: it is symmetric and positive definite.
struct DenseInverse(Vec<Vec<f64>>);

impl DenseInverse {
    fn new(mut a: Vec<Vec<f64>>) -> Self {
        for k in 0..a.len() {
            let pivot = 1.0 / a[k][k];
            a[k][k] = 1.0;
            a[k].iter_mut().for_each(|x| *x *= pivot);
            let row = a[k].clone();
            for (_, other) in a.iter_mut().enumerate().filter(|(i, _)| *i != k) {
                let factor = std::mem::replace(&mut other[k], 0.0);
                other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
            }
        }
        Self(a)
    }
}

impl InverseInertia for DenseInverse {
    fn dimension(&self) -> usize {
        COLUMNS
    }
    fn apply(&self, ex: &Exec, f: &[f64], v: &mut [f64]) {
        ex.for_each_chunk(v, 16, |chunk, v| {
            for (row, v) in self.0[16 * chunk..].iter().zip(v) {
                *v = row.iter().zip(f).map(|(a, f)| a * f).sum();
            }
        });
    }
    fn block(&self, _item: u32) -> Option<[f64; 36]> {
        None
    }
}

fn markers() -> Vec<DVec3> {
    let place = |i: usize| DVec3::new((i % SIDE) as f64, (i / SIDE % SIDE) as f64, (i / SIDE / SIDE) as f64);
    (0..MARKERS).map(|i| place(i) * SPACING + DVec3::new(-0.1, -0.1, 0.3 + 1e-3 * i as f64)).collect()
}

fn model() -> Arc<Model> {
    let mut model = Model::new(DVec3::NEG_Z * GRAVITY);
    let block = DVec3::new(0.0, 0.0, 0.099);
    model.add_coordinates(Box::new(Points(5.0, vec![block], DVec3::new(1.0, 0.2, -0.4))));
    model.add_coordinates(Box::new(Points(0.5, vec![block, block + DVec3::X * 1.01], DVec3::ZERO)));
    model.add_coordinates(Box::new(Points(1.0, markers(), DVec3::NEG_Z)));
    model.add_elements(Arc::new(Spring));
    model.add_constraints(Arc::new(Hook));
    Arc::new(model)
}

/// Velocities before and after a step, positions before it, impulses on all columns, slacks and impulses of all rows.
struct Answer {
    state: State,
    v: Vec<f64>,
    push: Vec<f64>,
    slack: Vec<f64>,
    impulse: Vec<f64>,
    cones: Vec<Cone>,
}

fn solve(ex: &Exec) -> Answer {
    let model = model();
    let state = State::new(&model);
    let mut system = System::new(model, ex.clone());
    system.load(&state);
    system.update(&[]);
    system.rows(&[], RowRequest { rate: true, gamma: false });
    // H (v_free − v) = h f − h² K v with H = M + h² K.
    system.assemble(
        &[],
        MatrixWeights { mass: 1.0, damping: STEP, stiffness: STEP * STEP, geometric: 0.0 },
        None,
    );
    let rows = state.lambda.len();
    let column = |c: usize| {
        let (mut x, mut y) = (vec![0.0; COLUMNS + rows], vec![0.0; COLUMNS + rows]);
        x[c] = 1.0;
        system.matrix_product(&x, &mut y);
        y.truncate(COLUMNS);
        y
    };
    let inverse = DenseInverse::new((0..COLUMNS).map(column).collect());
    let (mut f, mut stiff, mut free_velocity) = (vec![0.0; COLUMNS], vec![0.0; COLUMNS], vec![0.0; COLUMNS]);
    system.forces(&[], &mut f);
    system.add_stiffness_product(&[], &state.v, STEP * STEP, &mut stiff);
    f.iter_mut().zip(&stiff).for_each(|(f, k)| *f = STEP * *f - k);
    inverse.apply(ex, &f, &mut free_velocity);
    free_velocity.iter_mut().zip(&state.v).for_each(|(f, v)| *f += v);
    // Joint rows from the Jacobian the system holds, then block on ground, lowest markers on block, and the operator.
    let (mut sparse, mut bias) = (SparseRows::new(COLUMNS), vec![0.0; rows]);
    system.residuals(&mut bias);
    bias.iter_mut().for_each(|b| *b /= STEP);
    for r in 0..rows {
        let (mut unit, mut row) = (vec![0.0; rows], vec![0.0; COLUMNS]);
        unit[r] = 1.0;
        system.add_reactions(&unit, 1.0, &mut row);
        sparse.push(row.into_iter().enumerate().filter(|(_, x)| *x != 0.0));
    }
    let mut cones = vec![Cone::Free; rows];
    [2, 0, 1].into_iter().for_each(|axis| sparse.push([(axis, 1.0)]));
    bias.extend([(state.q[2] - 0.1) / STEP, 0.0, 0.0]);
    cones.push(Cone::Friction { mu: FRICTION, cohesion: 0.0 });
    for i in 0..SIDE * SIDE {
        sparse.push([(2, -1.0), (FLUID + 3 * i + 2, 1.0)]);
        bias.push((state.q[FLUID + 3 * i + 2] - state.q[2] - 0.2) / STEP);
        cones.push(Cone::Nonnegative);
    }
    sparse.finish();
    let operator = MarkerRows::new(&markers());
    let compliance = [vec![0.0; bias.len()], vec![0.5; MARKERS]].concat();
    bias.extend([0.0; MARKERS]);
    cones.extend([Cone::Nonnegative; MARKERS]);
    let problem = ConeProblem {
        inverse: &inverse,
        free_velocity: &free_velocity,
        bias: &bias,
        compliance: &compliance,
        rows: &[RowBlock::Sparse(&sparse), RowBlock::Operator(&operator)],
        cones: &cones,
        friction: FrictionLaw::Relaxed,
    };
    let (mut v, mut impulse) = (vec![0.0; COLUMNS], vec![0.0; bias.len()]);
    let mut solver = SolverApgd::new(40_000, 1e-12);
    assert!(solver.supports(&problem));
    assert!(solver.solve(ex, &problem, &mut v, &mut impulse).unwrap().converged);
    let (mut push, mut slack) = (vec![0.0; COLUMNS], vec![0.0; bias.len()]);
    problem.apply_transpose(ex, &impulse, &mut push);
    problem.apply_rows(ex, &v, &mut slack);
    (0..slack.len()).for_each(|i| slack[i] += bias[i] + compliance[i] * impulse[i]);
    Answer { state, v, push, slack, impulse, cones }
}

#[test]
fn block_spring_and_markers_move_by_newtons_law_and_the_conditions_of_their_cones() {
    let Answer { state, v, push, slack, impulse, cones } = solve(&Exec::serial());
    // M (v⁺ − v) = h (M g + f(q + h v⁺)) + Dᵀ γ, written down directly.
    let moved: Vec<f64> = state.q.iter().zip(&v).map(|(q, v)| q + STEP * v).collect();
    let pull = pull(&moved);
    for (i, (after, before)) in v.iter().zip(&state.v).enumerate() {
        let mass = [5.0, 0.5, 1.0][if i < NODES {
            0
        } else if i < FLUID {
            1
        } else {
            2
        }];
        let spring = if (NODES..FLUID).contains(&i) { [pull, -pull][(i - NODES) / 3][i % 3] } else { 0.0 };
        let weight = if i % 3 == 2 { -mass * GRAVITY } else { 0.0 };
        let missing = mass * (after - before) - STEP * (weight + spring) - push[i];
        assert!(missing.abs() < 1e-9, "column {i}: {missing:e}");
    }
    // γ in the cone, the slack in its dual, and their product zero.
    let mut first = 0;
    for cone in &cones {
        let (g, s) = (&impulse[first..first + cone.rows()], &slack[first..first + cone.rows()]);
        let product: f64 = g.iter().zip(s).map(|(g, s)| g * s).sum();
        let holds = match cone {
            Cone::Free => s[0].abs() < 1e-9,
            Cone::Nonnegative => g[0] >= 0.0 && s[0] > -1e-9,
            _ => g[1].hypot(g[2]) < FRICTION * g[0] + 1e-9 && s[0] > FRICTION * s[1].hypot(s[2]) - 1e-9,
        };
        assert!(holds && product.abs() < 1e-9, "{cone:?}: {g:?} {s:?}");
        first += cone.rows();
    }
    // Every part takes part: the hook pulls, the block slides at its limit, markers press and are pressed.
    assert!(impulse[..3].iter().any(|g| g.abs() > 1e-2));
    let ground = &impulse[3..6];
    assert!(
        (ground[1].hypot(ground[2]) - FRICTION * ground[0]).abs() < 1e-9 && ground[0] > 0.1,
        "{ground:?}"
    );
    let (on_block, in_fluid) = impulse[6..].split_at(SIDE * SIDE);
    assert!(
        on_block.iter().any(|g| *g > 1e-2) && in_fluid.iter().any(|g| *g > 1e-3),
        "{on_block:?} {in_fluid:?}"
    );
}

#[test]
fn two_threads_give_the_bits_of_one() {
    let [one, two] = [1, 2].map(|threads| {
        let answer = solve(&Exec::with_threads(threads).unwrap());
        answer.v.iter().chain(&answer.impulse).map(|x| x.to_bits()).collect::<Vec<_>>()
    });
    assert_eq!(one, two);
}
