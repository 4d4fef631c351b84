//! The cable pendulum: an elastic line of the absolute nodal coordinates, pinned at one end, released from rest.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::Subject;
use huygens_core::contract::StateView;
use huygens_core::signal::SignalGraph;
use huygens_core::{LinearSolver, Model};
use huygens_fea::element::batch::{ElementItem, Elements, NodePlace};
use huygens_fea::element::cable::{CABLE, Cable};
use huygens_fea::mesh::Mesh;
use huygens_fea::node::{ItemName, VectorNode, VectorNodes};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{Fixed, SectionUse, Structure};
use huygens_kernel::cable::StrainMeasure;
use huygens_multibody::Assembly;

use crate::error::BenchError;
use crate::workload::Workload;

const GRAVITY: f64 = 9.81;
/// Mass per length [kg/m] over a length of 1 m.
const DENSITY: f64 = 0.1;
const BENDING: f64 = 8.33333e-3;

/// Tip of a line of 128 elements in steps of 5e-5 s.
const SOFT: &[(f64, DVec3)] =
    &[(1.0, DVec3::new(-0.928359, 0.100015, 0.0)), (2.0, DVec3::new(0.628932, -0.472996, 0.0))];
const STIFF: &[(f64, DVec3)] =
    &[(1.0, DVec3::new(-0.924875, 0.102549, 0.0)), (2.0, DVec3::new(0.629019, -0.476157, 0.0))];

/// A line of `elements` elements; variant A stretches, B nearly does not.
pub fn pendulum(elements: usize, variant: &'static str) -> Workload {
    let stiff = variant == "B";
    let (mut model, mut nodes) = (Model::new(DVec3::NEG_Y * GRAVITY), VectorNodes::new(2));
    let (of, length) = (Arc::new(Subject::from("the cable")), 1.0 / elements as f64);
    let name = |number: usize| ItemName { of: of.clone(), number: number as u64 };
    for k in 0..=elements {
        let mut vectors = [DVec3::ZERO; 4];
        (vectors[0], vectors[1]) = (DVec3::X * (k as f64 * length), DVec3::X);
        let rates = [DVec3::ZERO; 4];
        nodes.push(VectorNode { name: name(k), vectors, rates, mass: 0.0, frame: false });
    }
    let place = model.add_coordinates(Box::new(nodes));
    let node = |k: usize| NodePlace {
        block: place.first_block + k as u32,
        q: place.first_q + 6 * k,
        v: place.first_v + 6 * k,
        columns: 6,
    };
    let element = Cable {
        length,
        stretch: if stiff { 1e5 } else { 1e3 },
        bending: BENDING,
        density: DENSITY,
        measure: StrainMeasure::Material,
    };
    let items = (0..elements).map(|k| ElementItem {
        element,
        nodes: vec![node(k), node(k + 1)],
        damping: Damping::default(),
        name: name(k),
    });
    model.add_elements(Arc::new(Elements::new(items)));
    model.fix_columns(place.first_v..place.first_v + 3);
    let end = node(elements).q;
    Workload {
        case: "ancf_cable",
        variant,
        size: elements,
        steps: 2000,
        model: Arc::new(model),
        tip: Box::new(move |x: &StateView<'_>| DVec3::from_slice(&x.q[end..end + 3])),
        reference: if stiff { STIFF } else { SOFT },
        energy_scale: 0.5 * DENSITY * GRAVITY,
        linear: LinearSolver::Block,
    }
}

/// A square net of about `elements` cables, held at its border, that sags from rest; the cables cross at pinned nodes.
pub fn net(elements: usize) -> Result<Workload, BenchError> {
    let side = ((elements as f64 / 2.0).sqrt().round() as usize).max(2);
    let width = 0.1 * side as f64;
    let mesh = Mesh::net(DVec3::ZERO, [DVec3::X * width, DVec3::Y * width], [side; 2])?;
    let kind = &CABLE;
    let mut structure = Structure::from_mesh("net", &mesh, kind, None)?;
    let solid = Elastic { young: 1e8, poisson: 0.3, density: 1000.0 };
    structure.solids.push(solid);
    let section = Section::Circle { radius: 2e-3 };
    structure.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    let border = structure.find_nodes("border").unwrap_or_default();
    structure.fixed.push(Fixed { nodes: border, columns: vec![0, 1, 2] });
    let count = structure.elements.len();
    let flexible = Flexible { structures: vec![structure], ..Flexible::default() };
    let mut part = FlexiblePart::new(flexible)?;
    let assembly = Assembly::new(DVec3::NEG_Z * GRAVITY);
    let mechanism = assembly.build_with(SignalGraph::default(), &[], &mut [&mut part])?;
    Ok(Workload {
        case: "cable_net",
        variant: "",
        size: count,
        steps: 50,
        model: mechanism.model,
        tip: Box::new(|x: &StateView<'_>| DVec3::from_slice(&x.q[..3])),
        reference: &[],
        energy_scale: solid.density * std::f64::consts::PI * 4e-6 * width * width * GRAVITY,
        linear: LinearSolver::SparseCholesky,
    })
}
