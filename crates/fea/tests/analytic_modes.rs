//! Frequencies and buckling loads of a steel bar against closed forms, through the sparse analyses.

use crate::motion;
use std::sync::Arc;

use crate::motion::{chain, chain_inertia, frame_nodes, name};
use glam::{DMat3, DVec3};
use huygens_core::analysis::{LoadPathSettings, buckling, load_path, modes};
use huygens_core::function::Function;
use huygens_core::{CoreError, LinearSolver, Model, State, System};
use huygens_exec::Exec;
use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::frame::RodNode;
use huygens_fea::load::{NodeAxes, NodeLoad, NodeLoads};
use huygens_fea::section::SectionValues;
use huygens_fea::section::material::Damping;

/// The bar of the reference table: 1 m, 10 mm square, steel.
const YOUNG: f64 = 2.1e11;
const DENSITY: f64 = 7850.0;
const SIDE: f64 = 0.01;
const AREA: f64 = SIDE * SIDE;
const BENDING: f64 = YOUNG * SIDE * SIDE * SIDE * SIDE / 12.0;
const PIECES: usize = 20;

/// The bar, with columns of its first and last node held.
fn bar(first: &[usize], last: &[usize], load: DVec3, solver: LinearSolver) -> (System, State) {
    bar_of(PIECES, first, last, load, solver)
}

fn bar_of(
    pieces: usize,
    first: &[usize],
    last: &[usize],
    load: DVec3,
    solver: LinearSolver,
) -> (System, State) {
    let mut model = Model::new(DVec3::ZERO);
    let place = |k: usize| DVec3::X * (k as f64 / pieces as f64);
    let shear = YOUNG / 2.6 * AREA;
    let twist = YOUNG / 2.6 * 0.1406 * SIDE.powi(4);
    let elastic = SectionValues::elastic([YOUNG * AREA, shear, shear], [twist, BENDING, BENDING]);
    // A little rotary inertia, the same about all axes.
    let inertia = DMat3::IDENTITY * (DENSITY * SIDE.powi(4) / 12.0);
    let section = SectionValues { mass: DENSITY * AREA, inertia, ..elastic };
    let node = |k: usize| RodNode { place: place(k).to_array(), turn: [0.0, 0.0, 0.0, 1.0] };
    let beams = vec![BeamCorotational::new(&[node(0), node(1)], &[section; 2]); pieces];
    let places: Vec<_> = (0..=pieces).map(place).collect();
    let at = model.add_coordinates(Box::new(frame_nodes(&places, &chain_inertia(&beams))));
    model.add_elements(chain(&at, &beams, 6, Damping::default()));
    let load = NodeLoad {
        node: motion::place(&at, pieces, 7, 6),
        axes: NodeAxes::Frame,
        force: load,
        moment: DVec3::ZERO,
        slope: DVec3::ZERO,
        follower: false,
        function: Function::constant(1.0),
        name: name(0),
    };
    model.add_elements(Arc::new(NodeLoads::new([load])));
    model.fix_columns(first.iter().copied().chain(last.iter().map(|c| 6 * pieces + c)));
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

/// Held columns of the first and last node, rigid motions left, and roots.
type Case = (&'static [usize], &'static [usize], usize, [f64; 3]);

/// Roots of the characteristic equations of Euler and Bernoulli: clamped and free, supported at both ends, free.
#[test]
fn ten_pieces_give_the_third_frequency() {
    let unit = (BENDING / (DENSITY * AREA)).sqrt() / std::f64::consts::TAU;
    let pi = std::f64::consts::PI;
    // A cantilever, a bar whose ends turn but stay, and one that is free but for its motion along x and its twist.
    let cases: [Case; 3] = [
        (&[0, 1, 2, 3, 4, 5], &[], 0, [1.875_104, 4.694_091, 7.854_757]),
        (&[0, 1, 2, 3], &[1, 2], 0, [pi, 2.0 * pi, 3.0 * pi]),
        (&[0, 3], &[], 4, [4.730_041, 7.853_205, 10.995_608]),
    ];
    for (first, last, rigid, roots) in cases {
        let (mut system, state) = bar_of(10, first, last, DVec3::ZERO, LinearSolver::Block);
        let found = modes(&mut system, &state, rigid + 6, 0.0).unwrap().frequency_hz;
        for (k, root) in roots.into_iter().enumerate() {
            let truth = unit * root * root;
            for got in [found[rigid + 2 * k], found[rigid + 2 * k + 1]] {
                println!("{first:?} {last:?} {k}: {got} Hz of {truth} Hz: {:+.2e}", got / truth - 1.0);
                near(got, truth, 5e-3);
            }
        }
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
    assert!(parts.len() == 3 && parts.iter().all(|p| p.as_str().contains("rotate about")), "{parts:?}");
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
