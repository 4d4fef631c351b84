//! The static tetrahedral block: a cube of side 1 m, the face x = 0 clamped, the face x = 1 pulled down by 1 MN.
//!
//! `tetrahedral_block [nodes along an edge] [cholesky|cg] [threads]` prints one JSON line; the same model in CalculiX is
//! `benches/peers/calculix_block.py`.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use huygens_core::Subject;
use huygens_core::analysis::{LoadPathSettings, load_path};
use huygens_core::contract::{ElementBatch, Layout, Slots, StateView, Weights};
use huygens_core::{LinearSolver, Model, State, System};
use huygens_exec::Exec;
use huygens_fea::element::batch::{ElementItem, Elements, NodePlace};
use huygens_fea::element::tetrahedron::Tetrahedron;
use huygens_fea::mesh::{BlockSplit, Mesh};
use huygens_fea::node::{ItemName, VectorNode, VectorNodes};
use huygens_fea::section::material::{Damping, Elastic};

const STEEL: Elastic = Elastic { young: 2.1e11, poisson: 0.3, density: 7850.0 };
const FORCE: DVec3 = DVec3::new(0.0, 0.0, -1e6);

/// The same force on some nodes.
struct Push {
    blocks: Vec<u32>,
    force: DVec3,
}

impl ElementBatch for Push {
    fn layout(&self) -> Layout {
        let mut layout = Layout::default();
        self.blocks.iter().for_each(|&b| layout.push(&[b], 0));
        layout
    }
    fn item_name(&self, item: usize) -> Subject {
        format!("load {item}").into()
    }
    fn evaluate(
        &self,
        _ex: &Exec,
        x: &StateView<'_>,
        _history: &[f64],
        _slots: &Slots,
        values: &mut [f64],
        _tangent: Option<(&Weights, &mut [f64])>,
    ) {
        let force = (self.force * x.load_factor).to_array();
        values.chunks_exact_mut(3).for_each(|f| f.copy_from_slice(&force));
    }
}

fn model(size: usize) -> Result<(Model, Vec<usize>), Box<dyn std::error::Error>> {
    let mesh = Mesh::block(DVec3::ZERO, DVec3::ONE, [size - 1; 3], BlockSplit::Six)?;
    let mut model = Model::new(DVec3::ZERO);
    let of = Arc::new(Subject::from("the block"));
    let name = |number: usize| ItemName { of: of.clone(), number: number as u64 };
    let mut nodes = VectorNodes::new(1);
    for (k, place) in mesh.nodes.iter().enumerate() {
        let vectors = [*place, DVec3::ZERO, DVec3::ZERO, DVec3::ZERO];
        let rates = [DVec3::ZERO; 4];
        nodes.push(VectorNode { name: name(k), vectors, rates, mass: 0.0, frame: false });
    }
    model.add_coordinates(Box::new(nodes));
    let place = |node: u32| NodePlace { block: node, q: 3 * node as usize, v: 3 * node as usize, columns: 3 };
    let mut items = Vec::with_capacity(mesh.cells.len());
    for (k, cell) in mesh.cells.iter().enumerate() {
        let [a, b, c, d] = *cell.nodes() else { return Err("a cell is no tetrahedron".into()) };
        let corners = [a, b, c, d].map(|node| mesh.nodes[node as usize]);
        let element = Tetrahedron::new(&corners, STEEL.lame(), STEEL.density)
            .map_err(|volume| format!("cell {k} has the volume {volume}"))?;
        let nodes = [a, b, c, d].map(place).to_vec();
        items.push(ElementItem { element, nodes, damping: Damping::default(), name: name(k) });
    }
    model.add_elements(Arc::new(Elements::new(items)));
    let on_face = |x: f64| -> Vec<usize> {
        (0..mesh.nodes.len()).filter(|&k| (mesh.nodes[k].x - x).abs() < 1e-9).collect()
    };
    let loaded = on_face(1.0);
    let blocks: Vec<u32> = loaded.iter().map(|&k| k as u32).collect();
    let force = FORCE / blocks.len() as f64;
    model.add_elements(Arc::new(Push { blocks, force }));
    model.fix_columns(on_face(0.0).into_iter().flat_map(|k| 3 * k..3 * k + 3));
    Ok((model, loaded))
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let size: usize = arguments.first().map_or(Ok(32), |a| a.parse())?;
    let direct = arguments.get(1).is_some_and(|a| a == "cholesky");
    let threads: usize = arguments.get(2).map_or(Ok(1), |a| a.parse())?;
    let solver = if direct {
        LinearSolver::SparseCholesky
    } else {
        LinearSolver::Cg { tolerance: 2e-3, max_iterations: 5000 }
    };
    let start = Instant::now();
    let (model, loaded) = model(size)?;
    let model = Arc::new(model);
    let mut state = State::new(&model);
    let mut system = System::with_solver(model, Exec::with_threads(threads)?, solver);
    let built = start.elapsed().as_secs_f64();
    let settings = LoadPathSettings { tolerance: 1e-8, ..LoadPathSettings::default() };
    let report = load_path(&mut system, &mut state, &settings, &mut |_, _| true)?;
    let seconds = start.elapsed().as_secs_f64();
    let side = 1.0 / (size - 1) as f64;
    let height = |k: &usize| side * (k / (size * size)) as f64;
    let tip = loaded.iter().map(|k| state.q[3 * k + 2] - height(k)).sum::<f64>() / loaded.len() as f64;
    println!(
        "{{\"case\": \"tetrahedral_block\", \"engine\": \"huygens\", \"solver\": \"{}\", \"threads\": {threads}, \
         \"size\": {size}, \"seconds\": {seconds:.3}, \"build\": {built:.3}, \"iterations\": {}, \
         \"factorizations\": {}, \"tip\": {tip:e}}}",
        if direct { "cholesky" } else { "cg" },
        report.iterations,
        report.factorizations,
    );
    Ok(())
}
