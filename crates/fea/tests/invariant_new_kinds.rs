//! Kinds of elements that only this test knows: one file each, and nothing else, brings a plastic hexahedron of 20 nodes
//! with memory and a plate of nodes with nine columns into a model.

use std::sync::Arc;

use crate::kinds::hexahedron20::{Hexahedron20, Hexahedron20Kind, Plastic};
use crate::kinds::plate::PlateKind;
use glam::DVec3;
use huygens_core::builder::ModelBuilder;
use huygens_core::contract::{ElementBatch, Slots, StateView, Weights};
use huygens_core::function::{Extrapolation, Function, Interpolation};
use huygens_core::integrator::{Integrator, StepControl, Stepper, StepperSettings};
use huygens_core::{MatrixWeights, Model, State, Subject, System};
use huygens_exec::Exec;
use huygens_fea::element::batch::{Batch, Element as _, ElementItem, Elements, NodePlace};
use huygens_fea::element::kind::{Built, Kind, MadeOf};
use huygens_fea::mesh::CellKind;
use huygens_fea::node::ItemName;
use huygens_fea::node::joint::{NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::structure::{Element, Fixed, Node, NodeKind, Structure};
use huygens_kernel::{Mat3, Quat, Vec3};

const YOUNG: f64 = 2e11;
const POISSON: f64 = 0.3;
const YIELDS: f64 = 4e8;
const HARDENING: f64 = 1e10;

fn metal(yields: f64) -> Plastic<f64> {
    Plastic {
        bulk: YOUNG / (3.0 * (1.0 - 2.0 * POISSON)),
        shear: YOUNG / (2.0 * (1.0 + POISSON)),
        yields,
        hardening: HARDENING,
    }
}

/// Half steps from the first corner to each node of a hexahedron.
const NODES: [[usize; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];

/// A block of hexahedra with edges of 0.1 m; `corner` moves corners, and edges stay straight.
fn block(count: [usize; 3], kind: Hexahedron20Kind, corner: impl Fn(DVec3) -> DVec3) -> Structure {
    let mut structure = Structure { name: "block".into(), ..Structure::default() };
    let mut numbers = std::collections::BTreeMap::new();
    let place = |at: [usize; 3]| {
        let low = at.map(|k| k / 2 * 2);
        let high: [usize; 3] = std::array::from_fn(|k| low[k] + 2 * (at[k] % 2));
        let real = |at: [usize; 3]| corner(DVec3::from(at.map(|k| 0.05 * k as f64)));
        0.5 * (real(low) + real(high))
    };
    let kind = Arc::new(kind);
    for cell in 0..count[0] * count[1] * count[2] {
        let origin = [cell % count[0], cell / count[0] % count[1], cell / (count[0] * count[1])];
        let nodes = NODES.map(|node| {
            let at: [usize; 3] = std::array::from_fn(|k| 2 * origin[k] + node[k]);
            *numbers.entry(at).or_insert_with(|| {
                structure.nodes.push(Node::new(NodeKind::Point, place(at), Quat::IDENTITY));
                structure.nodes.len() as u32 - 1
            })
        });
        structure.elements.push(Element::new(kind.clone(), &nodes, 0));
    }
    structure
}

fn built(flexible: Flexible) -> (FlexiblePart, Arc<Model>) {
    let mut part = FlexiblePart::new(flexible).unwrap_or_else(|e| panic!("{e}"));
    let model = Arc::new(ModelBuilder::new(DVec3::ZERO).build(&mut [&mut part]).unwrap());
    (part, model)
}

/// Newton's method from the state as it is: sizes of the changes, and what elements remember at the end.
fn settled(model: Arc<Model>, state: &mut State) -> Vec<f64> {
    let mut system = System::new(model, Exec::serial());
    let weights = MatrixWeights { mass: 0.0, damping: 0.0, stiffness: 1.0, geometric: 1.0 };
    let mut sizes = Vec::new();
    for _ in 0..12 {
        system.load(state);
        system.update(&state.history);
        let mut change = vec![0.0; state.v.len()];
        system.forces(&state.history, &mut change);
        system.assemble(&state.history, weights, None);
        system.factor().unwrap();
        system.solve(&mut change).unwrap();
        let q = state.q.clone();
        system.retract(&q, &change);
        state.q.copy_from_slice(&system.point.q);
        sizes.push(change.iter().fold(0.0, |most: f64, x| most.max(x.abs())));
    }
    system.load(state);
    system.update(&state.history);
    system.commit(&mut state.history);
    sizes
}

/// Eight hexahedra that meet at a node off the centre, their boundary carried by `deform`, and settled within
/// `iterations` of Newton's method.
fn hexahedral_patch(law: Plastic<f64>, deform: Mat3, iterations: usize) -> (FlexiblePart, State) {
    let kind = Hexahedron20Kind { law, density: 7850.0 };
    let bend = |p: DVec3| if p == DVec3::splat(0.1) { p + DVec3::new(0.02, -0.015, 0.01) } else { p };
    let mut structure = block([2; 3], kind, bend);
    let inside = |p: DVec3| p.min_element() > 1e-9 && p.max_element() < 0.2 - 1e-9;
    let held = structure.nodes.iter().enumerate().filter(|(_, n)| !inside(n.position)).map(|(k, _)| k as u32);
    let nodes: Vec<u32> = held.collect();
    assert_eq!(structure.nodes.len() - nodes.len(), 7);
    structure.fixed.push(Fixed { nodes: nodes.clone(), columns: Vec::new() });
    let rest: Vec<Vec3> = structure.nodes.iter().map(|n| n.position).collect();
    let (part, model) = built(Flexible { structures: vec![structure], ..Flexible::default() });
    let mut state = State::new(&model);
    for &n in &nodes {
        state.q[3 * n as usize..][..3].copy_from_slice(&(deform * rest[n as usize]).to_array());
    }
    let sizes = settled(model, &mut state);
    // With the exact tangent a few iterations, then rounding.
    assert!(sizes[0] > 1e-4 && sizes[iterations] < 1e-13, "{sizes:?}");
    for (k, place) in rest.iter().enumerate() {
        let got = Vec3::from_slice(&state.q[3 * k..]);
        assert!(got.distance(deform * *place) < 1e-10 * 0.2, "node {k}: {got} {}", deform * *place);
    }
    (part, state)
}

fn largest(m: Mat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |most: f64, x| most.max(x.abs()))
}

/// On a distorted mesh whose boundary is deformed evenly, the inside follows, and stress is the same everywhere.
#[test]
fn a_patch_of_hexahedra_has_constant_strain() {
    let deform = Mat3::from_cols(
        Vec3::new(1.03, 0.01, -0.02),
        Vec3::new(-0.015, 0.98, 0.01),
        Vec3::new(0.02, 0.03, 1.01),
    );
    let law = metal(1e30);
    let (part, state) = hexahedral_patch(law, deform, 5);
    let green = (deform.transpose() * deform - Mat3::IDENTITY) * 0.5;
    let trace = green.x_axis.x + green.y_axis.y + green.z_axis.z;
    let lambda = law.bulk - 2.0 / 3.0 * law.shear;
    let second = green * (2.0 * law.shear) + Mat3::from_diagonal(Vec3::splat(lambda * trace));
    let wanted = deform * second * deform.transpose() * (1.0 / deform.determinant());
    for element in 0..8 {
        let got = part.solid_state(&state.q, &state.history, 0, element).unwrap();
        let off = largest(got.stress - wanted);
        assert!(off < 1e-10 * YOUNG * 0.03, "element {element}: {off}");
    }
}

/// The same beyond yield. The strain is `stretch` along one axis and half of it less across, and some change of volume: in
/// these axes the plastic strain is one number, $(3\mu e - \sigma_y)/(3\mu + H)$.
#[test]
fn a_patch_of_hexahedra_flows_evenly() {
    let (stretch, volume) = (0.012, 3e-3);
    let law = metal(YIELDS);
    let axes = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(0.5, -0.8, 0.3)));
    let turn = Mat3::from_quat(Quat::from_scaled_axis(Vec3::new(-0.2, 0.1, 0.25)));
    let spread = |along: f64, across: f64| {
        axes * Mat3::from_diagonal(Vec3::new(along, across, across)) * axes.transpose()
    };
    let stretched = |strain: f64| (1.0 + 2.0 * strain).sqrt();
    let third = volume / 3.0;
    let deform = turn * spread(stretched(third + stretch), stretched(third - 0.5 * stretch));
    let (part, state) = hexahedral_patch(law, deform, 9);
    let plastic = (3.0 * law.shear * stretch - YIELDS) / (3.0 * law.shear + HARDENING);
    assert!(plastic > 0.5 * stretch);
    let size = YIELDS + HARDENING * plastic;
    let pressure = law.bulk * volume;
    let second = spread(pressure + 2.0 / 3.0 * size, pressure - size / 3.0);
    let wanted = deform * second * deform.transpose() * (1.0 / deform.determinant());
    for element in 0..8 {
        let got = part.solid_state(&state.q, &state.history, 0, element).unwrap();
        let off = largest(got.stress - wanted);
        assert!(off < 1e-10 * YOUNG * stretch, "element {element}: {off}");
    }
    // Every point of every element remembers the same.
    let kept = spread(plastic, -0.5 * plastic);
    assert_eq!(state.history.len(), 8 * 27 * 7);
    for (k, point) in state.history.chunks_exact(7).enumerate() {
        let [xx, yy, zz, xy, yz, zx, path] = std::array::from_fn(|i| point[i]);
        let strain = Mat3::from_cols(Vec3::new(xx, xy, zx), Vec3::new(xy, yy, yz), Vec3::new(zx, yz, zz));
        assert!(largest(strain - kept) < 1e-10 * stretch, "point {k}: {strain} {kept}");
        assert!((path - plastic).abs() < 1e-10 * stretch, "point {k}: {path} {plastic}");
    }
}

/// Nine plates that meet at four nodes off the grid, their boundary and its slopes carried by a gradient that stretches,
/// shears and leaves the plane: the inside follows, slopes included, and all have the same stress and energy per area.
#[test]
fn a_patch_of_plates_has_constant_strain() {
    let (young, poisson, thickness) = (2e9, 0.3, 0.02);
    let material = Elastic { young, poisson, density: 1000.0 };
    let mut structure = Structure { name: "plate".into(), solids: vec![material], ..Structure::default() };
    let mut held = Vec::new();
    let off_grid = |at: [usize; 2]| match at {
        [1, 1] => [0.05, -0.03],
        [2, 1] => [-0.04, 0.06],
        [1, 2] => [0.02, 0.05],
        [2, 2] => [0.06, 0.04],
        _ => [0.0, 0.0],
    };
    for n in 0..16 {
        let at = [n % 4, n / 4];
        let by = off_grid(at);
        let place = DVec3::new(0.2 * at[0] as f64 + by[0], 0.15 * at[1] as f64 + by[1], 0.0);
        structure.nodes.push(Node::new(NodeKind::Slopes, place, Quat::IDENTITY));
        if by == [0.0, 0.0] {
            held.push(n as u32);
        }
    }
    assert_eq!(held.len(), 12);
    let kind = Arc::new(PlateKind { thickness });
    for cell in 0..9 {
        let n = cell % 3 + 4 * (cell / 3);
        structure.elements.push(Element::new(kind.clone(), &[n, n + 1, n + 5, n + 4], 0));
    }
    structure.fixed.push(Fixed { nodes: held.clone(), columns: Vec::new() });
    let rest: Vec<Vec3> = structure.nodes.iter().map(|n| n.position).collect();
    let (part, model) = built(Flexible { structures: vec![structure], ..Flexible::default() });
    let mut state = State::new(&model);
    let (x, y) = (Vec3::new(1.02, 0.03, -0.1), Vec3::new(-0.02, 0.99, 0.2));
    let carried = |p: Vec3| [x * p.x + y * p.y, x, y].map(|v| v.to_array()).concat();
    for &n in &held {
        state.q[9 * n as usize..][..9].copy_from_slice(&carried(rest[n as usize]));
    }
    let sizes = settled(model.clone(), &mut state);
    assert!(sizes[0] > 1e-3 && sizes[7] < 1e-12, "{sizes:?}");
    for (n, place) in rest.iter().enumerate() {
        let wanted = carried(*place);
        let off = wanted.iter().zip(&state.q[9 * n..]).map(|(a, b)| (a - b).abs());
        assert!(off.fold(0.0, f64::max) < 1e-10, "node {n}: {:?}", &state.q[9 * n..][..9]);
    }
    // Plane stress by Young's modulus and Poisson's ratio.
    let (a, b, c) = (0.5 * (x.dot(x) - 1.0), 0.5 * (y.dot(y) - 1.0), 0.5 * x.dot(y));
    let by = young / (1.0 - poisson * poisson);
    let (along, across, shear) =
        (by * (a + poisson * b), by * (b + poisson * a), young / (1.0 + poisson) * c);
    let outer = |u: Vec3, v: Vec3| Mat3::from_cols(u * v.x, u * v.y, u * v.z);
    let second = outer(x, x) * along + outer(y, y) * across + (outer(x, y) + outer(y, x)) * shear;
    let wanted = second * (1.0 / x.cross(y).length());
    for element in 0..9 {
        let got = part.solid_state(&state.q, &state.history, 0, element).unwrap();
        assert!(largest(got.stress - wanted) < 1e-9 * young * 0.03, "element {element}: {}", got.stress);
    }
    let mut system = System::new(model, Exec::serial());
    system.load(&state);
    system.update(&state.history);
    let stored = 0.5 * thickness * 0.6 * 0.45 * (along * a + across * b + 2.0 * shear * c);
    let energy = system.energy(&state.history)[2];
    assert!((energy / stored - 1.0).abs() < 1e-10, "{energy} {stored}");
}

/// Places of nodes for a batch by hand, and a view of numbers.
struct Bench {
    places: Vec<NodePlace>,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl Bench {
    fn new(q: Vec<f64>, columns: usize) -> Self {
        let place = |k: usize| NodePlace { block: k as u32, q: columns * k, v: columns * k, columns };
        Self { places: (0..q.len() / columns).map(place).collect(), v: vec![0.0; q.len()], q }
    }

    fn view<'a>(&'a self, q: &'a [f64]) -> StateView<'a> {
        StateView {
            time: 0.0,
            q,
            v: &self.v,
            acceleration: &self.v,
            z: &[],
            z_rate: &[],
            lambda: &[],
            signals: &[],
            history: &[],
            frames: &[],
            twists: Default::default(),
            load_factor: 1.0,
            parameters: huygens_core::parameter::ParameterSet::empty(),
        }
    }

    /// Force and stiffness of a batch with one item.
    fn evaluate(&self, batch: &dyn ElementBatch, q: &[f64], history: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let n = q.len();
        let slots =
            Slots { values: vec![0, n], tangents: vec![0, n * n], columns: vec![n], ..Slots::default() };
        let (mut force, mut alone) = (vec![f64::NAN; n], vec![f64::NAN; n]);
        let mut tangent = vec![f64::NAN; n * n];
        let weights = Weights { stiffness: 1.0, damping: 0.0 };
        let (ex, x) = (Exec::serial(), self.view(q));
        batch.evaluate(&ex, &x, history, &slots, &mut force, Some((&weights, &mut tangent)));
        batch.evaluate(&ex, &x, history, &slots, &mut alone, None);
        assert_eq!(force, alone, "the force does not depend on whether the tangent is asked");
        (force, tangent)
    }

    /// The stiffness against differences of the force, and the force against those of the energy where there is one.
    fn check(&self, batch: &dyn Batch, history: &[f64], h: f64, size: f64, elastic: bool) {
        let n = self.q.len();
        let (force, tangent) = self.evaluate(batch, &self.q, history);
        for j in 0..n {
            let moved = |by: f64| {
                let mut q = self.q.clone();
                q[j] += by;
                q
            };
            let (more, less) = (moved(h), moved(-h));
            let (up, down) = (self.evaluate(batch, &more, history).0, self.evaluate(batch, &less, history).0);
            for i in 0..n {
                let (got, slope) = (tangent[i * n + j], (down[i] - up[i]) / (2.0 * h));
                assert!((got - slope).abs() < 1e-6 * size, "{i} {j}: {got} {slope}");
            }
            if elastic {
                let energy = |q: &[f64]| batch.energy_of(0, q, history);
                let slope = (energy(&less) - energy(&more)) / (2.0 * h);
                assert!((force[j] - slope).abs() < 1e-6 * size * h.sqrt(), "{j}: {} {slope}", force[j]);
            }
        }
    }
}

fn name() -> ItemName {
    ItemName { of: Arc::new(Subject::object("structure", "test")), number: 0 }
}

fn wavy(k: usize) -> f64 {
    ((k * k) as f64 * 0.37).sin()
}

/// Elastic, at first yield, and with a memory: the tangent is that of the return along the normal.
#[test]
fn the_tangent_of_a_plastic_hexahedron_is_consistent() {
    let rest: Vec<Vec3> = NODES.map(|n| Vec3::from(n.map(|k| 0.5 * k as f64))).to_vec();
    for (yields, by, elastic) in [(1e30, 0.02, true), (YIELDS, 0.02, false)] {
        let element = Hexahedron20::new(&rest, metal(yields), 7850.0).unwrap();
        let moved = |scale: f64| -> Vec<f64> {
            let flat = rest.iter().flat_map(|p| p.to_array());
            flat.enumerate().map(|(k, x)| x + scale * by * wavy(k)).collect()
        };
        let bench = Bench::new(moved(1.0), 3);
        let item =
            ElementItem { element, nodes: bench.places.clone(), damping: Damping::default(), name: name() };
        let batch = Elements::new([item]);
        let mut history = vec![0.0; batch.layout().history];
        assert_eq!(history.len(), 27 * 7);
        bench.check(&batch, &history, 1e-7, YOUNG, elastic);
        // What another deformation leaves behind.
        batch.commit(&Exec::serial(), &bench.view(&moved(-0.6)), &mut history);
        assert_eq!(elastic, history.iter().all(|m| *m == 0.0));
        bench.check(&batch, &history, 1e-7, YOUNG, elastic);
    }
}

#[test]
fn a_plate_of_nodes_with_nine_columns_is_exact() {
    assert_eq!(NodeKind::Slopes.columns(), 9);
    let material = Elastic { young: 100.0, poisson: 0.3, density: 2.0 };
    let mut structure = Structure { name: "plate".into(), solids: vec![material], ..Structure::default() };
    let places = [[0.0, 0.0], [0.5, 0.0], [1.0, 0.0], [0.0, 0.8], [0.5, 0.8], [1.0, 0.8]];
    for [x, y] in places {
        let mut node = Node::new(NodeKind::Slopes, DVec3::new(x, y, 0.0), Quat::IDENTITY);
        node.angular_velocity = DVec3::new(0.3, -0.5, 0.7);
        node.velocity = node.angular_velocity.cross(node.position);
        structure.nodes.push(node);
    }
    let kind = Arc::new(PlateKind { thickness: 0.1 });
    structure.elements.push(Element::new(kind.clone(), &[0, 1, 4, 3], 0));
    structure.elements.push(Element::new(kind, &[1, 2, 5, 4], 0));
    // Contact and pictures see a face of four nodes as two triangles.
    assert_eq!((structure.skin().len(), structure.skin().triangles().count()), (2, 4));
    let (part, model) = built(Flexible { structures: vec![structure], ..Flexible::default() });
    let mut state = State::new(&model);
    assert_eq!((state.q.len(), state.v.len()), (54, 54));
    let at = NodeRef { structure: 0, node: 2 };
    assert!(
        (part.angular_velocity(&state.q, &state.v, at).unwrap() - DVec3::new(0.3, -0.5, 0.7)).length()
            < 1e-12
    );
    // A rigid turn leaves no force; the mass is that of the plate, and so is its energy of motion.
    let mut system = System::new(model, Exec::serial());
    system.load(&state);
    system.update(&state.history);
    let mass = 2.0 * 0.1 * 0.8;
    let inertia = DVec3::new(0.64 / 3.0, 1.0 / 3.0, 1.64 / 3.0) * mass;
    let omega = DVec3::new(0.3, -0.5, 0.7);
    let product = -mass * 0.25 * 0.8;
    let spun = 0.5 * omega.dot(inertia * omega) + product * omega.x * omega.y;
    assert!((system.energy(&state.history)[0] - spun).abs() < 1e-12, "{} {spun}", system.energy(&[])[0]);
    let turn = Quat::from_scaled_axis(Vec3::new(0.4, 0.7, -0.3));
    for x in state.q.chunks_exact_mut(3) {
        x.copy_from_slice(&(turn * Vec3::from_slice(x)).to_array());
    }
    system.load(&state);
    system.update(&state.history);
    let mut force = vec![0.0; 54];
    system.forces(&state.history, &mut force);
    assert!(force.iter().all(|f| f.abs() < 1e-12), "{force:?}");
    assert!((part.rotation(&state.q, at).unwrap().inverse() * turn).to_scaled_axis().length() < 1e-7);
    // Bent and stretched: tangent by differences, through the whole model.
    state.q.iter_mut().enumerate().for_each(|(k, x)| *x += 0.05 * wavy(k));
    let stiffness = |system: &mut System, state: &State, x: &[f64]| {
        system.load(state);
        system.update(&state.history);
        let mut out = vec![0.0; 54];
        system.add_stiffness_product(&state.history, x, 1.0, &mut out);
        out
    };
    let h = 1e-6;
    for j in 0..54 {
        let mut unit = vec![0.0; 54];
        unit[j] = 1.0;
        let column = stiffness(&mut system, &state, &unit);
        let mut at = |by: f64| {
            let mut moved = state.clone();
            moved.q[j] += by;
            system.load(&moved);
            system.update(&moved.history);
            let mut f = vec![0.0; 54];
            system.forces(&moved.history, &mut f);
            f
        };
        let (more, less) = (at(h), at(-h));
        for i in 0..54 {
            let slope = (less[i] - more[i]) / (2.0 * h);
            assert!((column[i] - slope).abs() < 1e-6 * 100.0, "{i} {j}: {} {slope}", column[i]);
        }
    }
}

/// A cube whose face at x = 0.1 m is driven along x; the others slide on planes through the origin.
fn driven(displacement: Function) -> (FlexiblePart, Arc<Model>) {
    let kind = Hexahedron20Kind { law: metal(YIELDS), density: 7850.0 };
    let mut structure = block([1; 3], kind, |p| p);
    let on = |k: usize, at: f64| -> Vec<u32> {
        let nodes = structure.nodes.iter().enumerate();
        nodes.filter(|(_, n)| (n.position[k] - at).abs() < 1e-9).map(|(i, _)| i as u32).collect()
    };
    let fixed = [0, 1, 2].map(|k| Fixed { nodes: on(k, 0.0), columns: vec![k as u8] });
    let pulled = on(0, 0.1);
    structure.fixed = fixed.to_vec();
    let joint = |(k, node): (usize, &u32)| NodeJoint {
        name: format!("drive {k}"),
        kind: NodeJointKind::Coordinate {
            node: NodeRef { structure: 0, node: *node },
            column: 0,
            displacement: displacement.clone(),
        },
    };
    let joints = pulled.iter().enumerate().map(joint).collect();
    built(Flexible { structures: vec![structure], joints, frames: Vec::new() })
}

/// Displacement [m] of the face for a strain of Green along x.
fn pull(strain: f64) -> f64 {
    0.1 * ((1.0 + 2.0 * strain).sqrt() - 1.0)
}

const PEAK: f64 = 0.01;

/// Strain up, down to the opposite and back to zero in three seconds.
fn cycle() -> Function {
    let values = [0.0, PEAK, -PEAK, 0.0].map(pull).to_vec();
    Function::table(vec![0.0, 1.0, 2.0, 3.0], values, Interpolation::Linear, Extrapolation::Hold).unwrap()
}

fn settings(control: Option<StepControl>) -> StepperSettings {
    StepperSettings { integrator: Integrator::GeneralizedAlpha { rho: 0.0 }, control, ..Default::default() }
}

/// Stress along x and plastic strain at the turning points, in closed form: slopes E and $E H/(E + H)$, and a range of
/// $2\sigma$ without flow after each turn.
fn closed_form() -> [(f64, f64); 3] {
    let slope = YOUNG * HARDENING / (YOUNG + HARDENING);
    let up = YIELDS + slope * (PEAK - YIELDS / YOUNG);
    let down = -(up + slope * (2.0 * PEAK - 2.0 * up / YOUNG));
    let back = -down + slope * (PEAK - 2.0 * -down / YOUNG);
    [(up, PEAK - up / YOUNG), (down, -PEAK - down / YOUNG), (back, -back / YOUNG)]
}

fn mean_plastic_strain(state: &State) -> f64 {
    assert_eq!(state.history.len(), 27 * 7);
    state.history.chunks_exact(7).map(|m| m[0]).sum::<f64>() / 27.0
}

#[test]
fn a_cycle_leaves_the_right_permanent_strain() {
    let (part, model) = driven(cycle());
    let mut state = State::new(&model);
    let mut stepper = Stepper::new(model, Exec::serial(), settings(None)).unwrap();
    for (second, (stress, plastic)) in closed_form().into_iter().enumerate() {
        for _ in 0..50 {
            stepper.step(&mut state, 0.02).unwrap();
        }
        let got = part.solid_state(&state.q, &state.history, 0, 0).unwrap();
        // The stress of Cauchy from that of Piola and Kirchhoff.
        let (along, across) = (1.0 + 2.0 * got.strain.x_axis.x, 1.0 + 2.0 * got.strain.y_axis.y);
        let second_kind = got.stress.x_axis.x * across / along.sqrt();
        let kept = mean_plastic_strain(&state);
        println!("{second}: {second_kind:.6e} of {stress:.6e} Pa, {kept:.8e} of {plastic:.8e}");
        assert!((second_kind / stress - 1.0).abs() < 1e-6, "{second_kind} {stress}");
        assert!((kept / plastic - 1.0).abs() < 1e-6, "{kept} {plastic}");
    }
    // The memory is that of the accepted states: every point has run through the same path.
    let path: f64 = state.history[6];
    let [(_, a), (_, b), (_, c)] = closed_form();
    assert!((path / (a + (a - b) + (c - b)) - 1.0).abs() < 1e-6, "{path}");
}

#[test]
fn a_step_that_fails_leaves_the_memory_as_it_was() {
    // Drawn out until it flows, then thrown through its own base: no step can follow.
    let function = Function::custom("jump", |t| if t < 0.5 { pull(0.02 * t) } else { -0.3 });
    let (_, model) = driven(function);
    let mut state = State::new(&model);
    let mut stepper = Stepper::new(model.clone(), Exec::serial(), settings(None)).unwrap();
    for _ in 0..24 {
        stepper.step(&mut state, 0.02).unwrap();
    }
    assert!(mean_plastic_strain(&state) > 1e-3);
    let kept = state.clone();
    let error = stepper.step(&mut state, 0.04).unwrap_err();
    assert_eq!(state, kept, "{error}");
    let bits = |s: &State| s.history.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(bits(&state), bits(&kept));
    // Steps that an error control throws away do not count either.
    let (_, model) = driven(cycle());
    let mut state = State::new(&model);
    let control = StepControl { tolerance: 1e-7, min_step: 1e-8, max_step: 0.2 };
    let mut stepper = Stepper::new(model, Exec::serial(), settings(Some(control))).unwrap();
    let mut rejected = 0;
    while state.time < 3.0 - 1e-9 {
        let h = (3.0 - state.time).min((state.time + 1e-9).ceil().max(1.0) - state.time).min(0.2);
        rejected += stepper.step(&mut state, h.max(1e-9)).unwrap().rejected;
    }
    println!("{rejected} steps thrown away, {} taken", state.step);
    assert!(rejected > 0);
    let (_, plastic) = closed_form()[2];
    assert!((mean_plastic_strain(&state) / plastic - 1.0).abs() < 1e-4, "{}", mean_plastic_strain(&state));
}

#[test]
fn a_restart_and_more_threads_give_the_same_bits() {
    let (_, model) = driven(cycle());
    let run = |ex: Exec, state: &mut State, steps: usize| {
        let mut stepper = Stepper::new(model.clone(), ex, settings(None)).unwrap();
        (0..steps).for_each(|_| {
            stepper.step(state, 0.02).unwrap();
        });
    };
    let mut through = State::new(&model);
    run(Exec::serial(), &mut through, 90);
    let mut parallel = State::new(&model);
    run(Exec::with_threads(2).unwrap(), &mut parallel, 90);
    assert_eq!(through, parallel);
    let mut half = State::new(&model);
    run(Exec::serial(), &mut half, 63);
    let chunks = half.to_chunks().unwrap();
    let find = |name: &str| chunks.iter().find(|(n, _)| *n == name).map(|(_, bytes)| bytes.as_slice());
    let mut restarted = State::new(&model).restored(&model, find).unwrap();
    assert!(mean_plastic_strain(&restarted) > 1e-3);
    run(Exec::serial(), &mut restarted, 27);
    assert_eq!(through, restarted);
}

/// Claims a cell of eight nodes for an element of twenty.
#[derive(Debug)]
struct UnlikeKind(Hexahedron20Kind);

impl Kind for UnlikeKind {
    fn name(&self) -> &'static str {
        "unlike"
    }

    fn cell(&self) -> CellKind {
        CellKind::Hexahedron8
    }

    fn node_kinds(&self) -> &'static [NodeKind] {
        self.0.node_kinds()
    }

    fn made_of(&self) -> MadeOf {
        MadeOf::Kind
    }

    fn check(&self, _of: &Structure, _element: &Element, _name: &str) -> huygens_fea::Result<()> {
        Ok(())
    }

    fn build(&self, _of: &Structure, _index: u32) -> huygens_fea::Result<Built> {
        let rest = NODES.map(|n| Vec3::from(n.map(|k| 0.5 * k as f64)));
        Ok(Built::new(Hexahedron20::new(&rest, self.0.law, self.0.density).expect("a cube")))
    }

    fn mass(&self, _of: &Structure, _element: &Element) -> f64 {
        1.0
    }
}

/// What does not fit is refused with a reason.
#[test]
fn wrong_elements_of_new_kinds_are_refused() {
    let kind = Hexahedron20Kind { law: metal(YIELDS), density: 7850.0 };
    let refused = |structure: Structure| {
        let flexible = Flexible { structures: vec![structure], ..Flexible::default() };
        FlexiblePart::new(flexible).err().map(|e| e.to_string()).unwrap_or_default()
    };
    let mut short = block([1; 3], kind, |p| p);
    let nodes: Vec<u32> = short.elements[0].nodes()[..19].to_vec();
    short.elements[0] = Element::new(Arc::new(kind), &nodes, 0);
    assert!(refused(short).contains("it has 19 nodes; its kind needs 20"));
    let inside_out = block([1; 3], kind, |p| DVec3::new(-p.x, p.y, p.z));
    assert!(refused(inside_out).contains("hexahedron20 0"));
    let mut turned = block([1; 3], kind, |p| p);
    turned.nodes[3].kind = NodeKind::Slopes;
    assert!(refused(turned).contains("a position and two slopes"));
    assert_eq!(Hexahedron20::MEMORY, 189);
    // A kind whose cell has another number of nodes than the element that it builds.
    let mut unlike = block([1; 3], kind, |p| p);
    let nodes: Vec<u32> = (0..8).collect();
    unlike.elements[0] = Element::new(Arc::new(UnlikeKind(kind)), &nodes, 0);
    unlike.nodes.truncate(8);
    let said = refused(unlike);
    let expected = "its cell has 8 nodes, but the element that its kind 'unlike' builds has 20";
    assert!(said.contains(expected), "{said}");
}
