//! Load paths of a shallow two-bar truss against its closed form, and what is said when there is no path.

use std::sync::Arc;

use glam::{DMat3, DVec3};
use huygens_core::analysis::{LoadPathMethod, LoadPathSettings, check_floating, load_path};
use huygens_core::contract::*;
use huygens_core::{CoreError, LinearSolver, MatrixWeights, Model, State, System};
use huygens_exec::Exec;

const HALF_SPAN: f64 = 1.0;
const HEIGHT: f64 = 0.3;
const EA: f64 = 1000.0;

/// Points of unit mass.
struct Points(Vec<DVec3>);

impl Coordinates for Points {
    fn shape(&self) -> CoordinatesShape {
        let kind = ItemKind::Node;
        CoordinatesShape { items: self.0.len(), q_per_item: 3, v_per_item: 3, frames: 0, kind }
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        format!("node {item}").into()
    }
    fn initialize(&self, q: &mut [f64], v: &mut [f64]) {
        q.chunks_exact_mut(3).zip(&self.0).for_each(|(q, p)| q.copy_from_slice(&p.to_array()));
        v.fill(0.0);
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
        (0..y.len()).for_each(|i| y[i] += x[i]);
    }
    fn mass_block(&self, _item: usize, _q: &[f64], out: &mut [f64]) {
        out.copy_from_slice(&[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    }
    fn add_bias_tangent(&self, _: usize, _: &[f64], _: &[f64], _: f64, _: &mut [f64]) {}
    fn add_gravity(&self, _ex: &Exec, _g: DVec3, _q: &[f64], _f: &mut [f64]) {}
    fn energy(&self, _ex: &Exec, _g: DVec3, _q: &[f64], _v: &[f64]) -> (f64, f64) {
        (0.0, 0.0)
    }
}

/// Bars N = EA (l − L)/L between nodes, or between a node and a fixed place; and a load on the last node.
struct Bars {
    items: Vec<(Vec<u32>, DVec3, f64, f64)>,
    load: DVec3,
    loaded: u32,
}

impl ElementBatch for Bars {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.items.iter().for_each(|(blocks, ..)| layout.push(blocks, 0));
        layout.push(&[self.loaded], 0);
        layout
    }
    fn item_name(&self, item: usize) -> huygens_core::Subject {
        format!("bar {item}").into()
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
        let at = |b: u32| DVec3::from_slice(&x.q[3 * b as usize..]);
        for (item, (blocks, place, ea, length)) in self.items.iter().enumerate() {
            let other = blocks.get(1).map_or(*place, |&b| at(b));
            let along = at(blocks[0]) - other;
            let (l, n) = (along.length(), along.normalize());
            let tension = ea * (l - length) / length;
            let out = &mut values[slots.values[item]..slots.values[item + 1]];
            for (k, part) in out.chunks_exact_mut(3).enumerate() {
                let force = n * if k == 0 { -tension } else { tension };
                part.copy_from_slice(&force.to_array());
            }
            if let Some((w, tangent)) = &mut tangent {
                let outer = DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                let k = outer * (ea / length) + (DMat3::IDENTITY - outer) * (tension / l);
                let columns = slots.columns[item];
                for r in 0..columns {
                    for c in 0..columns {
                        let sign = if r / 3 == c / 3 { w.stiffness } else { -w.stiffness };
                        tangent[slots.tangents[item] + r * columns + c] = sign * k.col(c % 3)[r % 3];
                    }
                }
            }
        }
        let at = slots.values[self.items.len()];
        values[at..at + 3].copy_from_slice(&(self.load * x.load_factor).to_array());
    }
}

fn bar_length() -> f64 {
    HALF_SPAN.hypot(HEIGHT)
}

/// Downward load at height w of the apex: P = 2 EA (1/l − 1/L) w.
fn load_at(w: f64) -> f64 {
    2.0 * EA * (1.0 / HALF_SPAN.hypot(w) - 1.0 / bar_length()) * w
}

/// The truss, with the load (of size 1 at factor 1) on a node that a spring of stiffness `k` holds above the apex.
fn truss(k: Option<f64>, held: bool) -> (System, State) {
    let mut model = Model::new(DVec3::ZERO);
    let mut nodes = vec![DVec3::new(0.0, 0.0, HEIGHT)];
    let mut items = vec![
        (vec![0], DVec3::new(-HALF_SPAN, 0.0, 0.0), EA, bar_length()),
        (vec![0], DVec3::new(HALF_SPAN, 0.0, 0.0), EA, bar_length()),
    ];
    if let Some(k) = k {
        nodes.push(DVec3::new(0.0, 0.0, HEIGHT + 10.0));
        items.push((vec![1, 0], DVec3::ZERO, 10.0 * k, 10.0));
    }
    let loaded = nodes.len() as u32 - 1;
    model.add_coordinates(Box::new(Points(nodes)));
    model.add_elements(Arc::new(Bars { items, load: DVec3::NEG_Z, loaded }));
    if held {
        model.fix_columns((0..=loaded as usize).flat_map(|n| [3 * n, 3 * n + 1]));
    }
    let model = Arc::new(model);
    let state = State::new(&model);
    (System::new(model, Exec::serial()), state)
}

/// Largest load before the truss snaps: at l³ = L b².
fn limit() -> f64 {
    let l = (bar_length() * HALF_SPAN * HALF_SPAN).cbrt();
    load_at((l * l - HALF_SPAN * HALF_SPAN).sqrt())
}

#[test]
fn arc_length_traces_snap_through_and_snap_back() {
    for k in [None, Some(15.0)] {
        let (mut system, mut state) = truss(k, true);
        let settings = LoadPathSettings {
            method: LoadPathMethod::ArcLength { max_length: Some(0.03) },
            steps: 400,
            max_factor: 4.0 * limit(),
            ..LoadPathSettings::default()
        };
        let mut path = Vec::new();
        let report = load_path(&mut system, &mut state, &settings, &mut |state, factor| {
            path.push((state.q[2], state.q[state.q.len() - 1], factor));
            true
        })
        .unwrap();
        let mut worst = 0.0f64;
        for (w, top, factor) in &path {
            worst = worst.max((factor - load_at(*w)).abs());
            if let Some(k) = k {
                worst = worst.max((top - (w + 10.0 - factor / k)).abs());
            }
        }
        assert!(worst < 1e-7 * limit(), "off the path by {worst:e}");
        let highest = path.iter().filter(|p| p.0 > 0.0).map(|p| p.2).fold(0.0, f64::max);
        let lowest = path.iter().map(|p| p.2).fold(0.0, f64::min);
        assert!((highest - limit()).abs() < 0.02 * limit(), "{highest} for {}", limit());
        assert!((lowest + limit()).abs() < 0.02 * limit(), "{lowest} for {}", -limit());
        assert!((path.last().unwrap().2 - settings.max_factor).abs() < 1e-12);
        // With the soft spring the loaded node turns back where the truss snaps; without it never does.
        let back = path.windows(2).any(|p| p[1].1 > p[0].1 + 1e-6);
        assert_eq!(back, k.is_some());
        assert!(report.steps == path.len() && report.steps < 400, "{report:?}");
    }
}

#[test]
fn load_steps_reach_the_stable_branch_and_grow_back_after_a_cut() {
    let (mut system, mut state) = truss(None, true);
    let settings = LoadPathSettings { steps: 10, max_factor: 0.9 * limit(), ..LoadPathSettings::default() };
    let mut factors = Vec::new();
    let report = load_path(&mut system, &mut state, &settings, &mut |_, factor| {
        factors.push(factor);
        true
    })
    .unwrap();
    assert_eq!((report.steps, report.cuts), (10, 0));
    assert!((load_at(state.q[2]) - 0.9 * limit()).abs() < 1e-8 * limit() && state.q[2] > 0.0);
    assert!(factors.windows(2).all(|f| f[1] > f[0]));
    // Far past the maximum the only equilibrium hangs below.
    let (mut system, mut state) = truss(None, true);
    let settings = LoadPathSettings { steps: 4, max_factor: 3.0 * limit(), ..LoadPathSettings::default() };
    load_path(&mut system, &mut state, &settings, &mut |_, _| true).unwrap();
    assert!((load_at(state.q[2]) - 3.0 * limit()).abs() < 1e-8 * limit() && state.q[2] < -HEIGHT);
}

#[test]
fn a_path_that_ends_says_where_and_what_to_try() {
    // Arc length of one step, and load steps that may neither search nor cut enough to jump.
    let (mut system, mut state) = truss(None, true);
    let settings = LoadPathSettings {
        steps: 2,
        max_factor: 1.2 * limit(),
        max_iterations: 3,
        line_search: false,
        smallest_step: 0.05,
        ..LoadPathSettings::default()
    };
    let error = load_path(&mut system, &mut state, &settings, &mut |_, _| true).unwrap_err();
    let CoreError::NoLoadStep { factor, reached, worst, residuals, suggested_step, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(worst.as_str(), "node 0");
    assert!(*factor > *reached && *reached < limit() && !residuals.is_empty());
    assert!(*suggested_step > 0.0 && *suggested_step < 0.3 * limit());
    assert!(error.to_string().contains("arc length"), "{error}");
    // The state stays at the last equilibrium.
    assert!((load_at(state.q[2]) - reached).abs() < 1e-8 * limit());
    assert_eq!(system.point.load_factor, 1.0);
}

#[test]
fn parts_that_float_are_named_with_their_motion() {
    // Two nodes with one bar between them, high above a truss that is held.
    let mut model = Model::new(DVec3::ZERO);
    let nodes = vec![DVec3::new(0.0, 0.0, HEIGHT), DVec3::new(5.0, 0.0, 0.0), DVec3::new(6.0, 0.0, 0.0)];
    model.add_coordinates(Box::new(Points(nodes)));
    let side = |x: f64, y: f64| (vec![0], DVec3::new(x, y, 0.0), EA, DVec3::new(x, y, HEIGHT).length());
    let items = vec![side(-1.0, 0.0), side(1.0, 0.5), side(0.0, -1.0), (vec![1, 2], DVec3::ZERO, EA, 1.0)];
    model.add_elements(Arc::new(Bars { items, load: DVec3::NEG_Z, loaded: 0 }));
    model.fix_columns([3, 4]);
    let model = Arc::new(model);
    let mut state = State::new(&model);
    let mut system = System::new(model, Exec::serial());
    let settings = LoadPathSettings::default();
    let error = load_path(&mut system, &mut state, &settings, &mut |_, _| true).unwrap_err();
    let CoreError::FreeMotion { parts } = &error else { panic!("{error}") };
    // Node 1 is held along x and y: the pair can sink, and turn about the vertical and about y.
    assert_eq!(parts.len(), 3, "{parts:?}");
    assert!(
        parts.iter().all(|p| p.as_str().starts_with("node 1 and what it is connected to can ")),
        "{parts:?}"
    );
}

#[test]
fn a_soft_spring_holds_a_stiff_part() {
    // A stiff tetrahedron that is guided along z; there a spring with 1e-13 of its stiffness holds it, or nothing.
    let held = |soft: f64| {
        let stiff = 1e9;
        let mut model = Model::new(DVec3::ZERO);
        let nodes = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        model.add_coordinates(Box::new(Points(nodes.clone())));
        let mut items = Vec::new();
        for i in 0..4u32 {
            for j in 0..i {
                let length = nodes[i as usize].distance(nodes[j as usize]);
                items.push((vec![i, j], DVec3::ZERO, stiff * length, length));
            }
        }
        items.push((vec![0], DVec3::Z, soft, 1.0));
        model.add_elements(Arc::new(Bars { items, load: DVec3::NEG_Z, loaded: 0 }));
        model.fix_columns([0, 1, 4, 9, 10]);
        let model = Arc::new(model);
        let state = State::new(&model);
        check_floating(&mut System::new(model, Exec::serial()), &state)
    };
    held(1e-4).unwrap();
    let CoreError::FreeMotion { parts } = held(0.0).unwrap_err() else { panic!() };
    assert!(parts.len() == 1 && parts[0].as_str().contains("move along (0.000, 0.000, 1.000)"), "{parts:?}");
}

#[test]
fn every_direct_solver_names_the_node_without_stiffness() {
    for solver in [LinearSolver::Block, LinearSolver::SparseLu, LinearSolver::SparseCholesky] {
        let mut model = Model::new(DVec3::ZERO);
        let nodes = (0..7).map(|i| DVec3::new(i as f64, 0.0, 0.0)).collect();
        model.add_coordinates(Box::new(Points(nodes)));
        // Three bars along the axes hold every node but one.
        let held = (0..7u32).filter(|i| *i != 4);
        let bar = |i: u32, axis: DVec3| (vec![i], DVec3::X * i as f64 + axis, EA * (1.0 + i as f64), 1.0);
        let items = held.flat_map(|i| DVec3::AXES.map(|axis| bar(i, axis))).collect();
        model.add_elements(Arc::new(Bars { items, load: DVec3::ZERO, loaded: 0 }));
        let model = Arc::new(model);
        let state = State::new(&model);
        let mut system = System::with_solver(model, Exec::serial(), solver);
        system.load(&state);
        system.update(&state.history);
        let weights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
        system.assemble(&state.history, weights, None);
        let error = system.factor().and_then(|()| system.solve(&mut [1.0; 21])).unwrap_err();
        assert!(
            matches!(&error, CoreError::Singular { what, .. } if what.as_str() == "node 4"),
            "{solver:?}: {error}"
        );
    }
}
