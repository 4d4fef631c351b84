//! Cantilevers under a small force per length, as structures: $w = pL^4/8EI$, and $pL^2/2\kappa GA$ more where they shear.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::analysis::{LoadPathSettings, load_path};
use huygens_core::builder::ModelBuilder;
use huygens_core::function::Function;
use huygens_core::{CoreError, LinearSolver, State, System};
use huygens_exec::Exec;
use huygens_fea::element::cable::CABLE;
use huygens_fea::element::kind::Kind;
use huygens_fea::mesh::Mesh;
use huygens_fea::node::joint::{Carrier, NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::Elastic;
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{Fixed, Load, SectionUse, Structure};

const SIDE: f64 = 0.02;
const FORCE: f64 = 1e-4;
const RUBBER: Elastic = Elastic { young: 1e7, poisson: 0.3, density: 1000.0 };
const START: NodeRef = NodeRef { structure: 0, node: 0 };

fn cantilever(kind: &str) -> Structure {
    let direction = DVec3::new(1.0, 2.0, -2.0) / 3.0;
    let mesh = Mesh::beam(DVec3::ONE, DVec3::ONE + direction, 8).unwrap();
    let mut beam = Structure::from_mesh("beam", &mesh, <dyn Kind>::named(kind, None).unwrap(), None).unwrap();
    beam.solids.push(RUBBER);
    let section = Section::Rectangle { width: SIDE, height: SIDE };
    beam.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    let across = beam.nodes[0].rotation * DVec3::new(0.0, 0.6, 0.8);
    let elements = (0..8).collect();
    let (force, function) = (across * FORCE, Function::constant(1.0));
    beam.loads.push(Load::Line { elements, force, follower: false, function });
    beam
}

/// Displacement [m] of the end along the force, or why there is none.
fn deflection(beam: Structure, joints: Vec<NodeJoint>) -> Result<f64, CoreError> {
    deflection_at(0.0, LoadPathSettings::default(), beam, joints)
}

fn deflection_at(
    time: f64,
    settings: LoadPathSettings,
    beam: Structure,
    joints: Vec<NodeJoint>,
) -> Result<f64, CoreError> {
    let end = NodeRef { structure: 0, node: beam.find_node("end").unwrap() };
    let across = beam.nodes[0].rotation * DVec3::new(0.0, 0.6, 0.8);
    let mut part = FlexiblePart::new(Flexible { structures: vec![beam], joints, frames: vec![] }).unwrap();
    let model = Arc::new(ModelBuilder::new(DVec3::ZERO).build(&mut [&mut part]).unwrap());
    let mut state = State::new(&model);
    state.time = time;
    let before = part.position(&state.q, end).unwrap();
    // A structure that only rows hold has no stiffness of its own against rigid motion: that needs pivots.
    let mut system = System::new(model, Exec::serial());
    load_path(&mut system, &mut state, &settings, &mut |_, _| true)?;
    Ok((part.position(&state.q, end).unwrap() - before).dot(across))
}

fn wanted(shears: bool) -> f64 {
    let stiffness = RUBBER.young * SIDE.powi(4) / 12.0;
    let shear = 10.0 * 1.3 / (12.0 + 11.0 * 0.3) * RUBBER.shear() * SIDE * SIDE;
    FORCE / (8.0 * stiffness) + if shears { FORCE / (2.0 * shear) } else { 0.0 }
}

#[test]
fn clamped_columns_and_clamping_joints_give_the_deflection_of_a_cantilever() {
    // All but the beam 3243 are exact at their nodes, but for the square of the slope.
    let cases = [
        ("cable", false, 1e-5),
        ("beam", false, 1e-5),
        ("rod", true, 1e-5),
        ("rod3", true, 1e-5),
        ("beam_ancf", true, 1e-2),
    ];
    for (kind, shears, bound) in cases {
        let mut beam = cantilever(kind);
        beam.fixed.push(Fixed { nodes: vec![0], columns: vec![] });
        let found = deflection(beam, Vec::new()).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        let error = found / wanted(shears) - 1.0;
        assert!(error.abs() < bound, "{kind:?}: {error:e}");
        if !matches!(kind, "cable" | "beam_ancf") {
            continue;
        }
        let rotation = cantilever(kind).nodes[0].rotation;
        let clamp =
            NodeJointKind::Clamp { node: START, carrier: Carrier::Ground, place: DVec3::ONE, rotation };
        let joints = vec![NodeJoint { name: "clamp".into(), kind: clamp }];
        let clamped = deflection(cantilever(kind), joints).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        let error = clamped / wanted(shears) - 1.0;
        assert!(error.abs() < bound, "{kind:?} by a joint: {error:e}");
    }
}

/// Loads have the value of their function at the time of the analysis; the load factor comes on top.
#[test]
fn loads_over_time_are_those_of_the_time_of_the_analysis() {
    let ramp = |beam: &mut Structure| {
        let Load::Line { function, .. } = &mut beam.loads[0] else { panic!("no force per length") };
        *function = Function::Polynomial { coefficients: vec![0.5, 0.25] };
    };
    for (time, max_factor, wanted_factor) in [(0.0, 1.0, 0.5), (2.0, 1.0, 1.0), (6.0, 3.0, 6.0)] {
        let mut beam = cantilever("beam");
        beam.fixed.push(Fixed { nodes: vec![0], columns: vec![] });
        ramp(&mut beam);
        let settings = LoadPathSettings { max_factor, ..LoadPathSettings::default() };
        let found = deflection_at(time, settings, beam, Vec::new()).unwrap();
        let error = found / (wanted_factor * wanted(false)) - 1.0;
        assert!(error.abs() < 1e-4, "at {time} s: {error:e}");
    }
}

#[test]
fn a_structure_that_floats_is_named() {
    let error = deflection(cantilever("rod"), Vec::new()).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, CoreError::FreeMotion { .. }) && text.contains("structure 'beam'"), "{text}");
    // One point of a beam is not enough.
    let place = NodeJointKind::Point { node: START, carrier: Carrier::Ground, place: DVec3::ONE };
    let joints = vec![NodeJoint { name: "pin".into(), kind: place }];
    let error = deflection(cantilever("beam"), joints).unwrap_err();
    assert!(matches!(error, CoreError::FreeMotion { .. }), "{error}");
}

/// Two straight cables that meet at a hinge and lean to the side: without their weight they turn freely about the line
/// between their pins, with it they hang in a catenary $z = a(\cosh(x/a) - \cosh(1/2a))$.
#[test]
fn a_slack_cable_between_two_pins_hangs_in_a_catenary() {
    let pins = [DVec3::ZERO, DVec3::X];
    let middle = DVec3::new(0.5, 0.3, -0.25);
    let pieces = 20;
    let strand = |name: &str, from: DVec3, to: DVec3| {
        let mesh = Mesh::beam(from, to, pieces).unwrap();
        let mut cable = Structure::from_mesh(name, &mesh, &CABLE, None).unwrap();
        cable.solids.push(Elastic { young: 1e8, poisson: 0.3, density: 3000.0 });
        let section = Section::Circle { radius: 2e-4 };
        cable.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
        cable
    };
    let (mut left, mut right) = (strand("left", pins[0], middle), strand("right", middle, pins[1]));
    left.fixed.push(Fixed { nodes: vec![left.find_node("start").unwrap()], columns: vec![0, 1, 2] });
    right.fixed.push(Fixed { nodes: vec![right.find_node("end").unwrap()], columns: vec![0, 1, 2] });
    let bottom = NodeRef { structure: 0, node: left.find_node("end").unwrap() };
    let other = NodeRef { structure: 1, node: right.find_node("start").unwrap() };
    let joints =
        vec![NodeJoint { name: "hinge".into(), kind: NodeJointKind::Points { nodes: [bottom, other] } }];
    let count = left.nodes.len();
    let flexible = Flexible { structures: vec![left, right], joints, frames: vec![] };
    let mut part = FlexiblePart::new(flexible).unwrap();
    let model = Arc::new(ModelBuilder::new(DVec3::NEG_Z * 9.81).build(&mut [&mut part]).unwrap());
    let mut state = State::new(&model);
    let mut system = System::with_solver(model, Exec::serial(), LinearSolver::SparseLu);
    load_path(&mut system, &mut state, &LoadPathSettings::default(), &mut |_, _| true).unwrap();
    let length = 2.0 * middle.length();
    // a from 2a sinh(1/2a) = length, by bisection.
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..100 {
        let a: f64 = 0.5 * (low + high);
        (low, high) = if 2.0 * a * (0.5 / a).sinh() > length { (a, high) } else { (low, a) };
    }
    for node in 0..count as u32 {
        let p = part.position(&state.q, NodeRef { structure: 0, node }).unwrap();
        let wanted = low * (((p.x - 0.5) / low).cosh() - (0.5 / low).cosh());
        assert!((p.z - wanted).abs() < 1e-3 && p.y.abs() < 1e-6, "{node}: {p} {wanted}");
    }
}
