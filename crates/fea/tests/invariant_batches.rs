//! Batches of elements and loads: tangents are derivatives of forces, four cables at a time are as one by one, damping
//! takes energy, faults are found.

use std::sync::Arc;

use crate::motion::name;
use huygens_core::contract::{ElementBatch, Slots, StateView, Weights};
use huygens_core::function::Function;
use huygens_exec::Exec;
use huygens_fea::element::bar::Bar;
use huygens_fea::element::batch::{Batch, Element, ElementItem, Elements, NodePlace};
use huygens_fea::element::beam_ancf::BeamAncf;
use huygens_fea::element::beam_corotational::BeamCorotational;
use huygens_fea::element::cable::Cable;
use huygens_fea::element::cable_batch::Cables;
use huygens_fea::element::frame::{Mount, RodNode};
use huygens_fea::element::rod::Rod;
use huygens_fea::element::rod_quadratic::RodQuadratic;
use huygens_fea::element::tetrahedron::Tetrahedron;
use huygens_fea::load::{FacePressure, FacePressures, NodeAxes, NodeLoad, NodeLoads};
use huygens_fea::section::SectionValues;
use huygens_fea::section::material::Damping;
use huygens_kernel::cable::StrainMeasure;
use huygens_kernel::corotated::Lame;
use huygens_kernel::rotation::exp;
use huygens_kernel::{Mat3, Quat, Vec3};

/// Numbers in ±1 that repeat.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Nodes that one batch acts on, and their state.
#[derive(Clone)]
struct Nodes {
    places: Vec<NodePlace>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Nodes {
    /// Nodes of vectors near these, shaken.
    fn vectors(at: &[Vec<Vec3>], by: f64) -> Self {
        let mut noise = Noise(3);
        let (mut places, mut q) = (Vec::new(), Vec::new());
        for (k, node) in at.iter().enumerate() {
            places.push(NodePlace { block: k as u32, q: q.len(), v: q.len(), columns: 3 * node.len() });
            node.iter().for_each(|x| q.extend((*x + noise.vector() * by).to_array()));
        }
        let v = q.iter().map(|_| noise.next()).collect();
        Self { places, q, v }
    }

    /// Nodes with axes near these places, shaken.
    fn frames(at: &[Vec3], by: f64) -> Self {
        let mut noise = Noise(7);
        let (mut places, mut q) = (Vec::new(), Vec::new());
        let base = exp(Vec3::new(0.3, -0.2, 0.8));
        for (k, x) in at.iter().enumerate() {
            places.push(NodePlace { block: k as u32, q: 7 * k, v: 6 * k, columns: 6 });
            q.extend((base * *x + noise.vector() * by).to_array());
            q.extend((base * exp(noise.vector() * by)).to_array());
        }
        let v = (0..6 * at.len()).map(|_| noise.next()).collect();
        Self { places, q, v }
    }

    /// The state a little along a column.
    fn moved(&self, column: usize, by: f64) -> Self {
        let mut out = self.clone();
        let node = self.places.iter().rev().find(|node| node.v <= column).unwrap();
        let k = column - node.v;
        let quaternion = self.q.len() != self.v.len();
        if quaternion && k >= 3 {
            let turned = Quat::from_slice(&self.q[node.q + 3..]) * exp(Vec3::AXES[k - 3] * by);
            out.q[node.q + 3..node.q + 7].copy_from_slice(&turned.to_array());
        } else {
            out.q[node.q + k] += by;
        }
        out
    }

    /// Velocities of a turn about the origin and a drift.
    fn rigid_motion(&self, omega: Vec3, drift: Vec3) -> Vec<f64> {
        let mut v = vec![0.0; self.v.len()];
        let axes = self.q.len() != self.v.len();
        for node in &self.places {
            for k in 0..node.columns / 3 {
                let rate = match k {
                    0 => omega.cross(Vec3::from_slice(&self.q[node.q..])) + drift,
                    _ if axes => Quat::from_slice(&self.q[node.q + 3..]).inverse() * omega,
                    _ => omega.cross(Vec3::from_slice(&self.q[node.q + 3 * k..])),
                };
                v[node.v + 3 * k..][..3].copy_from_slice(&rate.to_array());
            }
        }
        v
    }

    fn slots(&self, batch: &dyn ElementBatch) -> Slots {
        let layout = batch.layout();
        let mut slots = Slots { values: vec![0], tangents: vec![0], ..Slots::default() };
        for item in 0..layout.len() {
            let columns: usize =
                layout.item_blocks(item).iter().map(|b| self.places[*b as usize].columns).sum();
            slots.columns.push(columns);
            slots.values.push(slots.values[item] + columns);
            slots.tangents.push(slots.tangents[item] + columns * columns);
        }
        slots
    }

    fn view(&self) -> StateView<'_> {
        StateView {
            time: 0.4,
            q: &self.q,
            v: &self.v,
            acceleration: &self.v,
            z: &[],
            z_rate: &[],
            lambda: &[],
            signals: &[],
            history: &[],
            frames: &[],
            twists: Default::default(),
            load_factor: 0.7,
            parameters: huygens_core::parameter::ParameterSet::empty(),
        }
    }

    /// Forces, and the tangents by weights.
    fn evaluate(&self, batch: &dyn ElementBatch, weights: Weights) -> (Vec<f64>, Vec<f64>) {
        let slots = self.slots(batch);
        let mut values = vec![f64::NAN; *slots.values.last().unwrap()];
        let mut tangent = vec![f64::NAN; *slots.tangents.last().unwrap()];
        let ex = Exec::serial();
        batch.evaluate(&ex, &self.view(), &[], &slots, &mut values, Some((&weights, &mut tangent)));
        (values, tangent)
    }

    /// Force of the only item on the columns.
    fn force(&self, batch: &dyn ElementBatch) -> Vec<f64> {
        self.evaluate(batch, Weights { stiffness: 0.0, damping: 0.0 }).0
    }
}

fn single<E: Element>(element: E, nodes: &Nodes, damping: Damping) -> Elements<E> {
    Elements::new([ElementItem { element, nodes: nodes.places.clone(), damping, name: name(0) }])
}

/// Stiffness and damping of a batch with one item against central differences of its forces; `size` is that of the
/// stiffness. The stiffness is checked at rest where damping is left out of it.
fn check(what: &str, batch: &dyn ElementBatch, nodes: &Nodes, size: f64, at_rest: bool) {
    let h = 1e-6;
    let mut still = nodes.clone();
    if at_rest {
        still.v.fill(0.0);
    }
    let n = nodes.v.len();
    let (_, stiffness) = still.evaluate(batch, Weights { stiffness: 1.0, damping: 0.0 });
    let (_, damping) = nodes.evaluate(batch, Weights { stiffness: 0.0, damping: 1.0 });
    for j in 0..n {
        let (more, less) = (still.moved(j, h).force(batch), still.moved(j, -h).force(batch));
        let along = |by: f64| {
            let mut nodes = nodes.clone();
            nodes.v[j] += by;
            nodes.force(batch)
        };
        let (faster, slower) = (along(0.5), along(-0.5));
        for i in 0..n {
            let slope = (less[i] - more[i]) / (2.0 * h);
            let got = stiffness[i * n + j];
            assert!((got - slope).abs() < 1e-6 * size, "{what}: stiffness {i} {j}: {got} {slope}");
            // Forces are linear in velocities.
            let got = damping[i * n + j];
            assert!((got - slower[i] + faster[i]).abs() < 1e-9 * size, "{what}: damping {i} {j}: {got}");
        }
    }
}

const DAMPINGS: [Damping; 3] = [
    Damping { mass: 0.0, stiffness: 0.0, structural: 0.0 },
    Damping { mass: 0.7, stiffness: 0.0, structural: 0.3 },
    Damping { mass: 0.0, stiffness: 0.2, structural: 0.0 },
];

fn cable(measure: StrainMeasure) -> Cable {
    Cable { length: 0.7, stretch: 40.0, bending: 0.9, density: 1.3, measure }
}

fn rest_node(x: f64) -> RodNode {
    RodNode { place: [x, 0.0, 0.0], turn: [0.0, 0.0, 0.0, 1.0] }
}

fn section() -> SectionValues {
    let inertia = Mat3::from_diagonal(Vec3::new(0.3, 0.1, 0.2));
    SectionValues { mass: 1.5, inertia, ..SectionValues::elastic([50.0, 20.0, 30.0], [2.0, 3.0, 5.0]) }
}

/// Calls `f` with a strained element of each kind, made with a damping, its nodes and the size of its stiffness.
fn for_each_kind(mut f: impl FnMut(&str, &dyn Fn(Damping) -> Box<dyn ElementBatch>, &Nodes, f64)) {
    let line = |x: f64, vectors: usize| -> Vec<Vec3> {
        [Vec3::X * x, Vec3::X, Vec3::Y, Vec3::Z][..vectors].to_vec()
    };
    let slopes = Nodes::vectors(&[line(0.0, 2), line(0.7, 2)], 0.2);
    let gradients = Nodes::vectors(&[line(0.0, 4), line(1.1, 4)], 0.1);
    let frames = Nodes::frames(&[Vec3::ZERO, Vec3::X * 0.8], 0.2);
    let three = Nodes::frames(&[Vec3::ZERO, Vec3::X * 0.4, Vec3::X * 0.8], 0.2);
    let mixed = Nodes::vectors(&[line(0.0, 1), line(1.0, 2)], 0.2);
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let solid = Nodes::vectors(&corners.map(|x| vec![x]), 0.1);
    let rod = Rod::new(&[rest_node(0.0), rest_node(0.8)], [Mount::PLAIN; 2], &section());
    let quadratic = [rest_node(0.0), rest_node(0.4), rest_node(0.8)];
    let quadratic = RodQuadratic::new(&quadratic, [Mount::PLAIN; 3], &section());
    let beam = BeamCorotational::new(&[rest_node(0.0), rest_node(0.8)], &[section(); 2]);
    let ancf = BeamAncf {
        size: [1.1, 0.2, 0.15],
        young: 300.0,
        poisson: 0.3,
        density: 4.0,
        shear: [0.85; 2],
        damping: 0.0,
        rest: None,
    };
    let bar = Bar { length: 0.9, stretch: 20.0, damping: 0.4, density: 1.0, rope: false };
    let tetrahedron = Tetrahedron::new(&corners, Lame::new(50.0, 0.3), 2.0).unwrap();
    for measure in [StrainMeasure::Material, StrainMeasure::Green] {
        f("cable", &|d| Box::new(single(cable(measure), &slopes, d)), &slopes, 100.0);
    }
    f("rod", &|d| Box::new(single(rod, &frames, d)), &frames, 100.0);
    f("quadratic rod", &|d| Box::new(single(quadratic, &three, d)), &three, 300.0);
    f("beam", &|d| Box::new(single(beam, &frames, d)), &frames, 100.0);
    f("beam 3243", &|d| Box::new(single(ancf, &gradients, d)), &gradients, 100.0);
    let bent = Nodes::vectors(&[line(0.0, 4), line(1.0, 4)], 0.2);
    let curved = ancf.at_rest(&std::array::from_fn(|k| std::array::from_fn(|i| bent.q[3 * k + i])));
    f("curved beam 3243", &|d| Box::new(single(curved, &gradients, d)), &gradients, 100.0);
    f("bar", &|d| Box::new(single(bar, &mixed, d)), &mixed, 20.0);
    f("tetrahedron", &|d| Box::new(single(tetrahedron, &solid, d)), &solid, 50.0);
}

#[test]
fn tangents_of_elements_are_derivatives() {
    for_each_kind(|what, made, nodes, size| {
        for damping in DAMPINGS {
            check(what, &*made(damping), nodes, size, damping != DAMPINGS[0] || what == "bar");
        }
    });
}

/// Motion of a strained element that only turns it is free of damping, and any other motion loses power.
#[test]
fn damping_of_stiffness_acts_on_strain_only() {
    let (omega, drift) = (Vec3::new(3.0, -1.0, 2.0), Vec3::new(0.3, 0.5, -0.2));
    let damping = Damping { stiffness: 0.2, ..Damping::default() };
    for_each_kind(|what, made, nodes, size| {
        let (plain, damped) = (made(Damping::default()), made(damping));
        let differences = |nodes: &Nodes| -> Vec<f64> {
            nodes.force(&*damped).iter().zip(nodes.force(&*plain)).map(|(a, b)| a - b).collect()
        };
        let mut turning = nodes.clone();
        turning.v = nodes.rigid_motion(omega, drift);
        let most = differences(&turning).iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        assert!(most < 1e-12 * size, "{what}: {most}");
        let mut noise = Noise(11);
        for _ in 0..20 {
            let mut nodes = nodes.clone();
            nodes.v.iter_mut().for_each(|v| *v = noise.next());
            let power: f64 = differences(&nodes).iter().zip(&nodes.v).map(|(f, v)| f * v).sum();
            assert!(power < -1e-3, "{what}: {power}");
        }
    });
}

#[test]
fn tangents_of_loads_are_derivatives() {
    let vectors = [Vec3::X, Vec3::X, Vec3::Y, Vec3::Z];
    let cases = [
        (NodeAxes::Point, Nodes::vectors(&[vectors[..1].to_vec()], 0.1)),
        (NodeAxes::Slope { rest: Vec3::X }, Nodes::vectors(&[vectors[..2].to_vec()], 0.4)),
        (NodeAxes::Gradients, Nodes::vectors(&[vectors.to_vec()], 0.2)),
        (NodeAxes::Frame, Nodes::frames(&[Vec3::ZERO], 0.5)),
    ];
    for (axes, nodes) in cases {
        for follower in [false, true] {
            let load = NodeLoad {
                node: nodes.places[0],
                axes,
                force: Vec3::new(3.0, -2.0, 1.0),
                moment: Vec3::new(0.5, 1.5, -1.0),
                slope: Vec3::new(0.1, 0.2, 0.3),
                follower,
                function: Function::constant(1.3),
                name: name(0),
            };
            let batch = NodeLoads::new([load]);
            check(&format!("{axes:?} {follower}"), &batch, &nodes, 10.0, false);
        }
    }
    let nodes = Nodes::vectors(&[vec![Vec3::ZERO], vec![Vec3::X], vec![Vec3::Y]], 0.1);
    let face = |nodes: &Nodes| FacePressure::new(nodes.places.clone(), 5.0, Function::constant(2.0), name(0));
    check("pressure", &FacePressures::new([face(&nodes)]), &nodes, 10.0, false);
    // A unit square and a triangle with middles on their edges: the total force is that of the area.
    for (count, area) in [(4, 1.0), (6, 0.5), (8, 1.0), (9, 1.0)] {
        let corners = if count == 6 { 3 } else { 4 };
        let square = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0), Vec3::Y];
        let triangle = [Vec3::ZERO, Vec3::X, Vec3::Y];
        let corner = if corners == 3 { &triangle[..] } else { &square[..] };
        let places = (0..count).map(|k| match k {
            8 => Vec3::new(0.5, 0.5, 0.0),
            _ if k < corners => corner[k],
            _ => 0.5 * (corner[k - corners] + corner[(k + 1 - corners) % corners]),
        });
        let places: Vec<_> = places.map(|p| vec![p]).collect();
        let flat = Nodes::vectors(&places, 0.0);
        let batch = FacePressures::new([face(&flat)]);
        let slots = flat.slots(&batch);
        let mut values = vec![0.0; 3 * count];
        batch.evaluate(&Exec::serial(), &flat.view(), &[], &slots, &mut values, None);
        let total: Vec3 = values.chunks_exact(3).map(Vec3::from_slice).sum();
        assert!((total - Vec3::NEG_Z * 7.0 * area).length() < 1e-12, "{count}: {total}");
        let bent = Nodes::vectors(&places, 0.1);
        check(&format!("pressure on {count}"), &FacePressures::new([face(&bent)]), &bent, 10.0, false);
    }
}

/// Moments do the same work on all kinds of nodes: m · ω for a turn by ω.
#[test]
fn moments_work_on_the_turn_of_nodes() {
    let (omega, moment) = (Vec3::new(0.4, -0.7, 0.3), Vec3::new(0.5, 1.5, -1.0));
    let turn = exp(Vec3::new(0.5, 0.2, -0.9));
    let vectors = [Vec3::ZERO, turn * Vec3::X, turn * Vec3::Y, turn * Vec3::Z];
    let work = |axes: NodeAxes, mut nodes: Nodes, v: Vec<f64>| {
        nodes.v = v;
        let load = NodeLoad {
            node: nodes.places[0],
            axes,
            force: Vec3::ZERO,
            moment,
            slope: Vec3::ZERO,
            follower: false,
            function: Function::constant(1.0 / 0.7),
            name: name(0),
        };
        let force = nodes.force(&NodeLoads::new([load]));
        force.iter().zip(&nodes.v).map(|(f, v)| f * v).sum::<f64>()
    };
    let rates = |count: usize| -> Vec<f64> {
        let mut v = vec![0.0; 3];
        vectors[1..count].iter().for_each(|x| v.extend(omega.cross(*x).to_array()));
        v
    };
    let gradients = work(NodeAxes::Gradients, Nodes::vectors(&[vectors.to_vec()], 0.0), rates(4));
    assert!((gradients - moment.dot(omega)).abs() < 1e-14, "{gradients}");
    // Gradients that are stretched and sheared turn alike, and a moment does no work on a change of the stretch.
    let stretch =
        Mat3::from_cols(Vec3::new(1.1, 0.1, 0.0), Vec3::new(0.1, 0.9, 0.05), Vec3::new(0.0, 0.05, 1.2));
    let strained = Mat3::from_quat(turn) * stretch;
    let node = || Nodes::vectors(&[vec![Vec3::ZERO, strained.x_axis, strained.y_axis, strained.z_axis]], 0.0);
    let rate = |of: Mat3| [Vec3::ZERO, of.x_axis, of.y_axis, of.z_axis].map(|x| x.to_array()).concat();
    let turning = Mat3::from_cols(
        omega.cross(strained.x_axis),
        omega.cross(strained.y_axis),
        omega.cross(strained.z_axis),
    );
    let gradients = work(NodeAxes::Gradients, node(), rate(turning));
    assert!((gradients - moment.dot(omega)).abs() < 1e-14, "{gradients}");
    let stretching =
        Mat3::from_cols(Vec3::new(0.3, -0.2, 0.4), Vec3::new(-0.2, 0.7, 0.1), Vec3::new(0.4, 0.1, 0.2));
    let idle = work(NodeAxes::Gradients, node(), rate(Mat3::from_quat(turn) * stretching));
    assert!(idle.abs() < 1e-14, "{idle}");
    let mut frame = Nodes::frames(&[Vec3::ZERO], 0.0);
    frame.q[3..].copy_from_slice(&turn.to_array());
    let own = turn.inverse() * omega;
    let frame = work(NodeAxes::Frame, frame, vec![0.0, 0.0, 0.0, own.x, own.y, own.z]);
    assert!((frame - moment.dot(omega)).abs() < 1e-14, "{frame}");
    // A slope does not feel its own twist.
    let slope =
        work(NodeAxes::Slope { rest: Vec3::X }, Nodes::vectors(&[vectors[..2].to_vec()], 0.0), rates(2));
    let along = vectors[1];
    let expected = moment.dot(omega) - moment.dot(along) * omega.dot(along);
    assert!((slope - expected).abs() < 1e-14, "{slope} {expected}");
}

/// Slopes that turn against each other by θ̇ bend a straight cable at the rate 2θ̇/L everywhere, in any plane.
#[test]
fn bending_of_a_straight_cable_is_damped() {
    for measure in [StrainMeasure::Material, StrainMeasure::Green] {
        let cable = cable(measure);
        let mut nodes = Nodes::vectors(&[vec![Vec3::ZERO, Vec3::X], vec![Vec3::X * 0.7, Vec3::X]], 0.0);
        let turn = Vec3::new(0.0, 0.3, -0.4);
        nodes.v = [Vec3::ZERO, -turn, Vec3::ZERO, turn].map(|v| v.to_array()).concat();
        let damping = Damping { stiffness: 0.2, ..Damping::default() };
        let force = nodes.force(&single(cable, &nodes, damping));
        let power: f64 = force.iter().zip(&nodes.v).map(|(f, v)| f * v).sum();
        let expected = -0.2 * cable.bending * 4.0 * turn.length_squared() / cable.length;
        assert!((power / expected - 1.0).abs() < 1e-12, "{measure:?}: {power} {expected}");
    }
}

/// A force that goes with a node keeps its size however the node is stretched, also where a slope points backwards.
#[test]
fn forces_that_go_with_nodes_keep_their_size() {
    let force = Vec3::new(3.0, -2.0, 1.0);
    let of = |axes: NodeAxes, at: &[Vec3]| {
        let nodes = Nodes::vectors(&[at.to_vec()], 0.0);
        let load = NodeLoad {
            node: nodes.places[0],
            axes,
            force,
            moment: Vec3::Y,
            slope: Vec3::ZERO,
            follower: true,
            function: Function::constant(1.0 / 0.7),
            name: name(0),
        };
        let (out, tangent) =
            nodes.evaluate(&NodeLoads::new([load]), Weights { stiffness: 1.0, damping: 0.0 });
        assert!(tangent.iter().all(|x| x.is_finite()), "{axes:?}");
        (Vec3::from_slice(&out), Vec3::from_slice(&out[3..]))
    };
    let gradients = [Vec3::ZERO, Vec3::Y * 1.3, Vec3::X * -0.8, Vec3::Z * 1.1];
    let (turned, _) = of(NodeAxes::Gradients, &gradients);
    assert!((turned - Vec3::new(2.0, 3.0, 1.0)).length() < 1e-14, "{turned}");
    for stretch in [1.0, 1.4] {
        let (turned, on_slope) = of(NodeAxes::Slope { rest: Vec3::X }, &[Vec3::ZERO, Vec3::X * -stretch]);
        assert!((turned.length() - force.length()).abs() < 1e-14 && turned.x == -3.0, "{turned}");
        assert!((on_slope.length() * stretch - 1.0).abs() < 1e-14, "{on_slope}");
    }
}

/// A chain of cables four at a time, on one and on more threads, and one by one.
#[test]
fn cables_four_at_a_time_are_as_one_by_one() {
    for measure in [StrainMeasure::Material, StrainMeasure::Green] {
        for count in [1, 4, 70] {
            let at: Vec<_> = (0..=count).map(|k| vec![Vec3::X * (0.7 * k as f64), Vec3::X]).collect();
            let nodes = Nodes::vectors(&at, 0.2);
            let items = || {
                (0..count).map(|k| ElementItem {
                    element: Cable { length: 0.6 + 0.01 * k as f64, ..cable(measure) },
                    nodes: nodes.places[k..k + 2].to_vec(),
                    damping: Damping::default(),
                    name: name(k),
                })
            };
            let (four, one) = (Cables::new(items()), Elements::new(items()));
            let weights = Weights { stiffness: 0.3, damping: 0.0 };
            let (a, b) = (nodes.evaluate(&four, weights), nodes.evaluate(&one, weights));
            for (a, b) in a.0.iter().zip(&b.0).chain(a.1.iter().zip(&b.1)) {
                assert!((a - b).abs() < 1e-12 * 100.0, "{a} {b}");
            }
            let slots = nodes.slots(&four);
            let (mut force, mut tangent) = (vec![0.0; a.0.len()], vec![0.0; a.1.len()]);
            let ex = Exec::with_threads(3).unwrap();
            let view = nodes.view();
            four.evaluate(&ex, &view, &[], &slots, &mut force, Some((&weights, &mut tangent)));
            assert_eq!((force, tangent), a);
        }
    }
}

#[test]
fn energy_and_the_first_fault_do_not_depend_on_threads() {
    // A row of tetrahedra, more than a chunk of them, each stretched differently.
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let points: Vec<Vec<Vec3>> =
        (0..100).flat_map(|k| corners.map(|x| vec![x + 3.0 * f64::from(k) * Vec3::X])).collect();
    let mut nodes = Nodes::vectors(&points, 0.0);
    let items = (0..100).map(|k| ElementItem {
        element: Tetrahedron::new(&corners, Lame::new(50.0, 0.3), 2.0).unwrap(),
        nodes: nodes.places[4 * k..4 * k + 4].to_vec(),
        damping: Damping::default(),
        name: name(k),
    });
    let batch = Elements::new(items);
    for k in 0..100 {
        nodes.q[12 * k + 11] += 1e-3 * (k as f64 + 0.7).sin();
    }
    let [one, three] = [Exec::serial(), Exec::with_threads(3).unwrap()];
    let energy = |ex: &Exec| batch.energy(ex, &nodes.view(), &[]);
    assert_eq!(energy(&one).to_bits(), energy(&three).to_bits());
    let sum: f64 = (0..100).map(|item| batch.energy_of(item, &nodes.q, &[])).sum();
    assert!(sum > 0.0 && (energy(&one) / sum - 1.0).abs() < 1e-13);
    assert_eq!(
        (batch.check(&one, &nodes.view(), &[]), batch.check(&three, &nodes.view(), &[])),
        (None, None)
    );
    // Three are inverted, in different chunks: the first of them is named.
    for k in [37, 62, 99] {
        nodes.q[12 * k + 11] = -0.5 - k as f64;
    }
    for ex in [&one, &three] {
        let fault = batch.check(ex, &nodes.view(), &[]).unwrap();
        assert_eq!(fault.item, 37);
        assert!((fault.value + 37.5).abs() < 1e-12, "{fault:?}");
    }
}

#[test]
fn faults_are_found() {
    let corners = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tetrahedron = Tetrahedron::new(&corners, Lame::new(50.0, 0.3), 2.0).unwrap();
    let mut nodes = Nodes::vectors(&corners.map(|x| vec![x]), 0.0);
    let batch: Arc<dyn ElementBatch> = Arc::new(single(tetrahedron, &nodes, Damping::default()));
    assert_eq!(batch.check(&Exec::serial(), &nodes.view(), &[]), None);
    assert_eq!(batch.item_name(0).as_str(), "element 0 of structure 'test'");
    assert_eq!(batch.item_name(0).about().map(|object| object.name.as_str()), Some("test"));
    nodes.q[11] = -0.5;
    let fault = batch.check(&Exec::serial(), &nodes.view(), &[]).unwrap();
    assert!((fault.item, fault.what) == (0, "is inverted (ratio of volumes)"));
    assert!((fault.value + 0.5).abs() < 1e-15);
    let rod = Rod::new(&[rest_node(0.0), rest_node(0.8)], [Mount::PLAIN; 2], &section());
    let mut nodes = Nodes::frames(&[Vec3::ZERO, Vec3::X * 0.8], 0.0);
    let batch = single(rod, &nodes, Damping::default());
    assert_eq!(batch.check(&Exec::serial(), &nodes.view(), &[]), None);
    let turned = Quat::from_slice(&nodes.q[10..]) * exp(Vec3::Y * 3.1);
    nodes.q[10..].copy_from_slice(&turned.to_array());
    assert!((batch.check(&Exec::serial(), &nodes.view(), &[]).unwrap().value - 3.1).abs() < 1e-12);
}
