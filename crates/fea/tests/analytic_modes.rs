//! Frequencies and buckling loads of a steel bar against closed forms, through the sparse analyses.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::analysis::{LoadPathSettings, buckling, load_path, modes};
use huygens_core::contract::*;
use huygens_core::{CoreError, LinearSolver, Model, State, System};
use huygens_exec::Exec;
use huygens_fea::beam_corotational::BeamCorotational;
use huygens_fea::frame::{FrameElement, RodNode};
use huygens_fea::section::SectionValues;
use huygens_kernel::rotation;

/// The bar of the reference table: 1 m, 10 mm square, steel.
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;
const SIDE: f64 = 0.01;
const AREA: f64 = SIDE * SIDE;
const BENDING: f64 = YOUNG * SIDE * SIDE * SIDE * SIDE / 12.0;
const PIECES: usize = 20;

fn vec3(x: &[f64]) -> DVec3 {
    DVec3::new(x[0], x[1], x[2])
}

/// Nodes with rotations along x, without mass of their own but a little rotary inertia.
struct Nodes {
    inertia: f64,
}

impl Coordinates for Nodes {
    fn shape(&self) -> CoordinatesShape {
        let kind = ItemKind::Node;
        CoordinatesShape { items: PIECES + 1, q_per_item: 7, v_per_item: 6, frames: 0, kind }
    }
    fn item_name(&self, item: usize) -> String {
        format!("node {item}")
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        for (k, q) in q.chunks_exact_mut(7).enumerate() {
            q.copy_from_slice(&[k as f64 / PIECES as f64, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        }
        v.fill(0.0);
    }
    fn retract(&self, _ex: &Exec, q0: &[f64], x: &[f64], q: &mut [f64]) {
        for ((q, q0), x) in q.chunks_exact_mut(7).zip(q0.chunks_exact(7)).zip(x.chunks_exact(6)) {
            (0..3).for_each(|k| q[k] = q0[k] + x[k]);
            let turned = DQuat::from_slice(&q0[3..]) * rotation::exp(vec3(&x[3..]));
            q[3..].copy_from_slice(&turned.normalize().to_array());
        }
    }
    fn retract_tangent_inverse(&self, x: &[f64]) -> Option<(usize, DMat3)> {
        Some((3, rotation::tangent_inverse(vec3(&x[3..]))))
    }
    fn frames(&self, _: &Exec, _: f64, _: &[f64], _: &[f64], _: u32, _: &mut [Frame]) {}
    fn add_inertia_force(&self, ex: &Exec, q: &[f64], _v: &[f64], acceleration: &[f64], f: &mut [f64]) {
        self.add_mass_product(ex, q, acceleration, f);
    }
    fn add_mass_product(&self, _ex: &Exec, _q: &[f64], x: &[f64], y: &mut [f64]) {
        (0..y.len()).filter(|k| k % 6 >= 3).for_each(|k| y[k] += self.inertia * x[k]);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        (3..6).for_each(|k| out[7 * k] = self.inertia);
    }
    fn add_bias_tangent(&self, _: usize, _: &[f64], _: &[f64], _: f64, _: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, _g: DVec3, _q: &[f64], _f: &mut [f64]) {}
    fn energy(&self, _ex: &Exec, _g: DVec3, _q: &[f64], _v: &[f64]) -> (f64, f64) {
        (0.0, 0.0)
    }
}

/// The beams and a load on the last node.
struct Beams {
    beam: BeamCorotational,
    load: DVec3,
}

fn nodes_of(q: &[f64], item: usize) -> [RodNode; 2] {
    [item, item + 1].map(|k| RodNode {
        place: std::array::from_fn(|i| q[7 * k + i]),
        turn: std::array::from_fn(|i| q[7 * k + 3 + i]),
    })
}

impl ElementBatch for Beams {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        (0..PIECES as u32).for_each(|k| layout.push(&[k, k + 1], 0));
        layout.push(&[PIECES as u32], 0);
        layout
    }
    fn item_name(&self, item: usize) -> String {
        format!("beam {item}")
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        slots: &Slots,
        values: &mut [f64],
        mut tangent: Option<(&Weights, &mut [f64])>,
    ) {
        for item in 0..PIECES {
            let nodes = nodes_of(x.q, item);
            let force = self.beam.force(&nodes).1;
            values[slots.values[item]..slots.values[item + 1]].copy_from_slice(force.as_flattened());
            if let Some((w, tangent)) = &mut tangent {
                let stiffness: [[f64; 12]; 12] = self.beam.stiffness(&nodes);
                let out = &mut tangent[slots.tangents[item]..slots.tangents[item + 1]];
                out.iter_mut().zip(stiffness.as_flattened()).for_each(|(o, k)| *o = w.stiffness * k);
            }
        }
        let at = slots.values[PIECES];
        values[at..at + 3].copy_from_slice(&(self.load * x.load_factor).to_array());
    }
    fn mass(&self, slots: &Slots, out: &mut [f64]) -> bool {
        let mass = self.beam.mass();
        for item in 0..PIECES {
            let out = &mut out[slots.tangents[item]..slots.tangents[item + 1]];
            for (i, j, k) in (0..12).map(|n| (n / 6, n / 3 % 2, n % 3)) {
                out[(6 * i + k) * 12 + 6 * j + k] = mass[i][j];
            }
        }
        true
    }
}

/// The bar, with columns of its first and last node held.
fn bar(first: &[usize], last: &[usize], load: DVec3, solver: LinearSolver) -> (System, State) {
    let mut model = Model::new(DVec3::ZERO);
    let rotary = DENSITY * SIDE.powi(4) / 12.0;
    model.add_coordinates(Box::new(Nodes { inertia: rotary / PIECES as f64 }));
    let shear = YOUNG / 2.6 * AREA;
    let twist = YOUNG / 2.6 * 0.1406 * SIDE.powi(4);
    let elastic = SectionValues::elastic([YOUNG * AREA, shear, shear], [twist, BENDING, BENDING]);
    let section = SectionValues { mass: DENSITY * AREA, ..elastic };
    let node = |k: usize| RodNode { place: [k as f64 / PIECES as f64, 0.0, 0.0], turn: [0.0, 0.0, 0.0, 1.0] };
    let beam = BeamCorotational::new(&[node(0), node(1)], &[section; 2]);
    model.add_elements(Arc::new(Beams { beam, load }));
    model.fix_columns(first.iter().copied().chain(last.iter().map(|c| 6 * PIECES + c)));
    let model = Arc::new(model);
    let state = State::new(&model);
    (System::with_solver(model, Exec::serial(), solver), state)
}

fn near(found: f64, truth: f64, tolerance: f64) {
    assert!((found - truth).abs() < tolerance * truth.abs(), "{found} for {truth}");
}

#[test]
fn a_cantilever_has_its_frequencies_in_both_planes() {
    for solver in [LinearSolver::Block, LinearSolver::SparseCholesky, LinearSolver::SparseLu] {
        let (mut system, state) = bar(&[0, 1, 2, 3, 4, 5], &[], DVec3::ZERO, solver);
        let found = modes(&mut system, &state, 6, 0.0).unwrap();
        for (k, truth) in [8.355166, 8.355166, 52.36093, 52.36093].into_iter().enumerate() {
            near(found.frequency_hz[k], truth, 5e-3);
        }
        near(found.frequency_hz[4], 146.6121, 1e-2);
        // Around the first axial frequency, far inside the spectrum.
        let axial = modes(&mut system, &state, 6, 1290.0).unwrap();
        let nearest = axial.frequency_hz.iter().map(|f| (f - 1293.049).abs()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 5e-3 * 1293.049, "{:?}", axial.frequency_hz);
    }
}

#[test]
fn a_free_bar_has_six_rigid_motions_before_its_first_bending() {
    let (mut system, state) = bar(&[], &[], DVec3::ZERO, LinearSolver::Block);
    let found = modes(&mut system, &state, 8, 0.0).unwrap();
    assert!(found.frequency_hz[..6].iter().all(|f| *f < 1e-2), "{:?}", found.frequency_hz);
    near(found.frequency_hz[6], 53.16601, 5e-3);
    near(found.frequency_hz[7], 53.16601, 5e-3);
    // A static solve says so.
    let (mut system, mut state) = bar(&[], &[], DVec3::NEG_Z, LinearSolver::Block);
    let error =
        load_path(&mut system, &mut state, &LoadPathSettings::default(), &mut |_, _| true).unwrap_err();
    let CoreError::FreeMotion { parts } = &error else { panic!("{error}") };
    assert_eq!(parts.len(), 6, "{parts:?}");
    // With one node held to the ground but free to turn, three motions are left.
    let (mut system, mut state) = bar(&[0, 1, 2], &[], DVec3::NEG_Z, LinearSolver::Block);
    let error =
        load_path(&mut system, &mut state, &LoadPathSettings::default(), &mut |_, _| true).unwrap_err();
    let CoreError::FreeMotion { parts } = &error else { panic!("{error}") };
    assert!(parts.len() == 3 && parts.iter().all(|p| p.contains("turn about")), "{parts:?}");
}

#[test]
fn bars_buckle_at_eulers_loads() {
    let press = DVec3::NEG_X * 10.0;
    for solver in [LinearSolver::Block, LinearSolver::SparseCholesky] {
        let (mut system, state) = bar(&[0, 1, 2, 3, 4, 5], &[], press, solver);
        let found = buckling(&mut system, &state, 4).unwrap();
        for (k, truth) in [431.795, 431.795, 9.0 * 431.795, 9.0 * 431.795].into_iter().enumerate() {
            near(10.0 * found.factors[k], truth, 1e-2);
        }
        let (mut system, state) = bar(&[0, 1, 2, 3], &[1, 2], press, solver);
        near(10.0 * buckling(&mut system, &state, 2).unwrap().factors[0], 1727.18, 1e-2);
        // Pulled, they buckle where the load turns round.
        let (mut system, state) = bar(&[0, 1, 2, 3], &[1, 2], -press, solver);
        near(10.0 * buckling(&mut system, &state, 2).unwrap().factors[0], -1727.18, 1e-2);
    }
    let (mut system, state) = bar(&[0, 1, 2, 3], &[1, 2], DVec3::ZERO, LinearSolver::Block);
    assert!(buckling(&mut system, &state, 1).unwrap_err().to_string().contains("load"));
}

#[test]
fn a_tip_force_bends_the_bar_as_far_as_the_elastica() {
    // P L² / EI = 4: the tip of the elastica moves 0.32894 L back and 0.66996 L down (mattiasson1981).
    let load = DVec3::NEG_Z * (4.0 * BENDING);
    for solver in [LinearSolver::Block, LinearSolver::SparseCholesky] {
        let (mut system, mut state) = bar(&[0, 1, 2, 3, 4, 5], &[], load, solver);
        let settings = LoadPathSettings { steps: 4, ..LoadPathSettings::default() };
        let report = load_path(&mut system, &mut state, &settings, &mut |_, _| true).unwrap();
        let tip = &state.q[7 * PIECES..];
        assert!((1.0 - tip[0] - 0.32894).abs() < 2e-3, "{tip:?} {report:?}");
        assert!((tip[2] + 0.66996).abs() < 2e-3, "{tip:?} {report:?}");
        assert_eq!(report.cuts, 0, "{report:?}");
    }
}
