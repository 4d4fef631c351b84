//! Structures in a model: what they weigh, how they fall, what holds them, and how they slow down.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::builder::{FrameKey, ModelBuilder, Part};
use huygens_core::function::Function;
use huygens_core::integrator::{Integrator, Stepper, StepperSettings};
use huygens_core::{State, System};
use huygens_exec::Exec;
use huygens_fea::element::kind::Kind;
use huygens_fea::mesh::{BlockSplit, Mesh};
use huygens_fea::node::joint::{Carrier, NodeJoint, NodeJointKind, NodeRef};
use huygens_fea::part::{Flexible, FlexiblePart};
use huygens_fea::section::material::{Damping, Elastic};
use huygens_fea::section::{Section, SectionPlace};
use huygens_fea::structure::{Fixed, Load, NodeKind, PointMass, SectionUse, Structure};

const GRAVITY: DVec3 = DVec3::new(0.0, 0.0, -10.0);
const RUBBER: Elastic = Elastic { young: 1e7, poisson: 0.3, density: 1000.0 };
const CABLE: &str = "cable";

fn structure(name: &str, mesh: &Mesh, kind: &str) -> Structure {
    let mut structure =
        Structure::from_mesh(name, mesh, <dyn Kind>::named(kind, None).unwrap(), None).unwrap();
    structure.solids.push(RUBBER);
    // A cable bends alike in all directions; a circle of the same area.
    let section = match kind {
        "cable" => Section::Circle { radius: (0.02 * 0.03 / std::f64::consts::PI).sqrt() },
        _ => Section::Rectangle { width: 0.02, height: 0.03 },
    };
    structure.sections.push(SectionUse { section, solid: Some(0), place: SectionPlace::default() });
    structure
}

fn line(name: &str, from: DVec3, to: DVec3, kind: &str) -> Structure {
    structure(name, &Mesh::beam(from, to, 3).unwrap(), kind)
}

fn placed(flexible: Flexible) -> (FlexiblePart, Stepper, State) {
    let mut part = FlexiblePart::new(flexible).unwrap_or_else(|e| panic!("{e}"));
    let model = Arc::new(ModelBuilder::new(GRAVITY).build(&mut [&mut part]).unwrap());
    let settings =
        StepperSettings { integrator: Integrator::GeneralizedAlpha { rho: 1.0 }, ..Default::default() };
    let state = State::new(&model);
    (part, Stepper::new(model, Exec::serial(), settings).unwrap(), state)
}

/// Power [W] of the loads at the start.
fn power(own: Structure) -> f64 {
    // Without loads there is what rounding leaves of the elastic forces.
    let bare = Structure { loads: Vec::new(), ..own.clone() };
    all_power(own) - all_power(bare)
}

fn all_power(own: Structure) -> f64 {
    let (_, state, forces) = forces_at_start(own);
    forces.iter().zip(&state.v).map(|(f, v)| f * v).sum()
}

/// A structure alone at its start, and the forces on its columns.
fn forces_at_start(own: Structure) -> (FlexiblePart, State, Vec<f64>) {
    let mut part = FlexiblePart::new(Flexible { structures: vec![own], ..Default::default() }).unwrap();
    let model = Arc::new(ModelBuilder::new(DVec3::ZERO).build(&mut [&mut part]).unwrap());
    let state = State::new(&model);
    let mut system = System::new(model, Exec::serial());
    system.load(&state);
    system.update(&state.history);
    let mut forces = vec![0.0; state.v.len()];
    system.forces(&state.history, &mut forces);
    (part, state, forces)
}

fn energy(stepper: &mut Stepper, state: &State) -> [f64; 3] {
    stepper.system().load(state);
    stepper.system().energy(&state.history)
}

fn at(structure: u32, node: u32) -> NodeRef {
    NodeRef { structure, node }
}

#[test]
fn every_kind_of_structure_weighs_what_it_is_made_of_and_falls_freely() {
    let net = Mesh::net(DVec3::ZERO, [DVec3::X * 3.0, DVec3::Y * 2.0], [3, 2]).unwrap();
    let block = Mesh::block(DVec3::ZERO, DVec3::new(0.3, 0.2, 0.1), [2, 2, 1], BlockSplit::Five).unwrap();
    let length = 3.0 * 3.0 + 4.0 * 2.0;
    let by_length = length * 0.02 * 0.03 * 1000.0;
    let cases = [
        (&net, CABLE, by_length),
        (&net, "beam_ancf", by_length),
        (&net, "beam", by_length),
        (&net, "rod", by_length),
        (&net, "rod3", by_length),
        (&net, "bar", by_length),
        (&block, CABLE, 0.3 * 0.2 * 0.1 * 1000.0),
    ];
    for (mesh, kind, mass) in cases {
        let mut own = structure("thing", mesh, kind);
        let start = DVec3::new(2.0, -1.0, 0.5);
        own.nodes.iter_mut().for_each(|n| n.velocity = start);
        let (part, mut stepper, mut state) = placed(Flexible { structures: vec![own], ..Default::default() });
        let [kinetic, ..] = energy(&mut stepper, &state);
        let wanted = 0.5 * mass * start.length_squared();
        assert!((kinetic - wanted).abs() < 1e-12 * wanted, "{kind:?}: {kinetic} {wanted}");
        for _ in 0..10 {
            stepper.step(&mut state, 2e-3).unwrap_or_else(|e| panic!("{kind:?}: {e}"));
        }
        let t = 0.02;
        for (n, node) in part.flexible().structures[0].nodes.iter().enumerate() {
            let place = part.position(&state.q, at(0, n as u32)).unwrap();
            let wanted = node.position + start * t + GRAVITY * (0.5 * t * t);
            assert!(place.distance(wanted) < 1e-10, "{kind:?} node {n}: {}", place - wanted);
            let velocity = part.velocity(&state.v, at(0, n as u32)).unwrap();
            assert!(velocity.distance(start + GRAVITY * t) < 1e-8, "{kind:?}");
        }
        assert!(part.elastic_energy(&state.q, &[], 0).unwrap() < 1e-12 * wanted);
    }
}

#[test]
fn a_turning_structure_starts_with_the_slopes_and_rates_of_a_rigid_body() {
    let spin = DVec3::new(0.0, 0.0, 3.0);
    for kind in [CABLE, "beam_ancf", "beam", "rod3"] {
        let mut own = line("arm", DVec3::ZERO, DVec3::X, kind);
        for node in &mut own.nodes {
            node.velocity = spin.cross(node.position);
            node.angular_velocity = spin;
        }
        let (part, mut stepper, state) = placed(Flexible { structures: vec![own], ..Default::default() });
        // The moment of inertia about the end: along the line, and for thick sections across it.
        let mass = 0.02 * 0.03 * 1000.0;
        let across = if kind == CABLE { 0.0 } else { 0.02 * 0.02 / 12.0 };
        let wanted = 0.5 * mass * (1.0 / 3.0 + across) * 9.0;
        let [kinetic, ..] = energy(&mut stepper, &state);
        assert!((kinetic - wanted).abs() < 1e-12, "{kind:?}: {kinetic} {wanted}");
        for n in 0..part.flexible().structures[0].nodes.len() as u32 {
            let found = part.angular_velocity(&state.q, &state.v, at(0, n)).unwrap();
            assert!(found.distance(spin) < 1e-12, "{kind:?}: {found}");
        }
    }
}

#[test]
fn joined_structures_keep_their_joints_and_their_energy() {
    // A cable on the ceiling, clamped to a rod at whose other end a beam of gradients hangs by a hinge.
    let cable = line("cable", DVec3::ZERO, DVec3::X, CABLE);
    let rod = line("rod", DVec3::X, DVec3::X * 2.0, "rod");
    let beam = line("beam", DVec3::X * 2.0, DVec3::X * 3.0, "beam_ancf");
    let joint = |name: &str, kind| NodeJoint { name: name.into(), kind };
    let joints = vec![
        joint(
            "ceiling",
            NodeJointKind::Point { node: at(0, 0), carrier: Carrier::Ground, place: DVec3::ZERO },
        ),
        joint(
            "clamp",
            NodeJointKind::Clamp {
                node: at(0, 3),
                carrier: Carrier::Node(at(1, 0)),
                place: DVec3::ZERO,
                rotation: DQuat::IDENTITY,
            },
        ),
        joint(
            "hinge",
            NodeJointKind::Hinge {
                node: at(2, 0),
                carrier: Carrier::Node(at(1, 3)),
                place: DVec3::ZERO,
                axis: DVec3::Z,
            },
        ),
    ];
    let (part, mut stepper, mut state) =
        placed(Flexible { structures: vec![cable, rod, beam], joints, frames: vec![at(1, 3)] });
    let before: f64 = energy(&mut stepper, &state).iter().sum();
    for _ in 0..150 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let parts = energy(&mut stepper, &state);
    assert!(parts[0] > 1.0, "it moves: {parts:?}");
    assert!((parts.iter().sum::<f64>() - before).abs() < 1e-3 * parts[0], "{before} {parts:?}");
    let place = |structure, node| part.position(&state.q, at(structure, node)).unwrap();
    assert!(place(0, 0).length() < 1e-9);
    assert!(place(0, 3).distance(place(1, 0)) < 1e-9);
    assert!(place(1, 3).distance(place(2, 0)) < 1e-9);
    let axes = |structure, node| part.rotation(&state.q, at(structure, node)).unwrap();
    let slope = part.gradient(&state.q, at(0, 3), 0).unwrap().normalize();
    assert!(slope.distance(axes(1, 0) * DVec3::X) < 1e-8);
    let z = part.gradient(&state.q, at(2, 0), 2).unwrap().normalize();
    assert!(z.distance(axes(1, 3) * DVec3::Z) < 1e-8);
    assert!((axes(1, 3) * DVec3::X).distance(DVec3::X) > 1e-3);
    for structure in 0..3 {
        let ends = [0.0, 1.0].map(|t| part.station(&state.q, structure, 2, t).unwrap().point);
        assert!(
            ends[0].distance(place(structure, 2)) < 1e-12 && ends[1].distance(place(structure, 3)) < 1e-12
        );
        let energy: f64 = (0..3).map(|e| part.element_energy(&state.q, &[], structure, e).unwrap()).sum();
        assert!(energy > 0.0 && energy == part.elastic_energy(&state.q, &[], structure).unwrap());
    }
    let elastic: f64 = (0..3).map(|s| part.elastic_energy(&state.q, &[], s).unwrap()).sum();
    assert!((elastic - parts[2]).abs() < 1e-12);
    assert_eq!(part.frame_name(FrameKey::node(0)).unwrap(), "node 4 of structure 'rod'");
}

#[test]
fn fixed_columns_stay_and_prescribed_ones_follow_their_function() {
    let block = Mesh::block(DVec3::ZERO, DVec3::new(0.4, 0.1, 0.1), [3, 1, 1], BlockSplit::Six).unwrap();
    let mut jelly = structure("jelly", &block, CABLE);
    let held = jelly.node_sets["x_min"].clone();
    jelly.fixed.push(Fixed { nodes: held.clone(), columns: vec![] });
    jelly.fixed.push(Fixed { nodes: jelly.node_sets["y_min"].clone(), columns: vec![1] });
    let driven = jelly.node_sets["x_max"][0];
    let displacement = Function::Polynomial { coefficients: vec![0.0, 0.0, 20.0] };
    let kind = NodeJointKind::Coordinate { node: at(0, driven), column: 2, displacement };
    let joints = vec![NodeJoint { name: "lift".into(), kind }];
    let (part, mut stepper, mut state) = placed(Flexible { structures: vec![jelly], joints, frames: vec![] });
    for _ in 0..20 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    let own = &part.flexible().structures[0];
    for &n in &held {
        assert_eq!(part.position(&state.q, at(0, n)).unwrap(), own.nodes[n as usize].position);
    }
    for &n in &own.node_sets["y_min"] {
        assert_eq!(part.position(&state.q, at(0, n)).unwrap().y, own.nodes[n as usize].position.y);
    }
    let lifted = part.position(&state.q, at(0, driven)).unwrap().z - own.nodes[driven as usize].position.z;
    assert!((lifted - 20.0 * 0.02f64.powi(2)).abs() < 1e-9, "{lifted}");
    assert!(part.elastic_energy(&state.q, &[], 0).unwrap() > 1e-3);
}

/// Under damping by mass alone every free motion slows down as $e^{-at}$, spins and point masses too.
#[test]
fn damping_by_mass_slows_all_masses_alike() {
    let rate = 2.0;
    for kind in ["rod", "rod3", "beam", CABLE, "beam_ancf"] {
        let mut own = line("line", DVec3::ZERO, DVec3::X, kind);
        let inertia = if own.nodes[0].kind == NodeKind::Frame { DMat3::IDENTITY * 0.3 } else { DMat3::ZERO };
        own.masses.push(PointMass { node: 3, mass: 2.0, inertia });
        own.damping = Damping { mass: rate, ..Damping::default() };
        // A spin about the line itself strains nothing, and so does a drift.
        let spin = if kind == CABLE { DVec3::ZERO } else { DVec3::X * 0.01 };
        let drift = DVec3::new(0.3, -0.2, 0.5);
        own.nodes.iter_mut().for_each(|n| (n.velocity, n.angular_velocity) = (drift, spin));
        let mut part = FlexiblePart::new(Flexible { structures: vec![own], ..Default::default() }).unwrap();
        let model = Arc::new(ModelBuilder::new(DVec3::ZERO).build(&mut [&mut part]).unwrap());
        let mut state = State::new(&model);
        let integrator = Integrator::GeneralizedAlpha { rho: 1.0 };
        let settings = StepperSettings { integrator, ..Default::default() };
        let mut stepper = Stepper::new(model, Exec::serial(), settings).unwrap();
        for _ in 0..100 {
            stepper.step(&mut state, 1e-3).unwrap();
        }
        let left = (-rate * 0.1_f64).exp();
        for n in 0..4 {
            let (v, w) = (
                part.velocity(&state.v, at(0, n)).unwrap(),
                part.angular_velocity(&state.q, &state.v, at(0, n)).unwrap(),
            );
            assert!((v - drift * left).length() < 1e-5, "{kind:?}: {v}");
            assert!((w - spin * left).length() < 1e-5 * 0.01, "{kind:?}: {w} {}", spin * left);
        }
    }
}

/// Lines that are curved at the start are at rest there: no forces to rounding of the stiffness EA.
#[test]
fn curved_lines_start_without_stress() {
    let points: Vec<_> = (0..=6)
        .map(|k| (std::f64::consts::FRAC_PI_2 * f64::from(k) / 6.0).sin_cos())
        .map(|(s, c)| DVec3::new(c, s, 0.3 * s))
        .collect();
    let mesh = Mesh::polyline(&points, 1, false).unwrap();
    for kind in ["beam_ancf", "rod", "rod3", "beam"] {
        let own = structure("arc", &mesh, kind);
        let (part, state, force) = forces_at_start(own);
        let most = force.iter().fold(0.0, |most: f64, f| most.max(f.abs()));
        assert!(most < 1e-12 * RUBBER.young * 0.02 * 0.03, "{kind:?}: {most}");
        let station = part.station(&state.q, 0, 2, 0.3).unwrap();
        let strain = station.strain.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
        assert!(strain < 1e-11 && station.energy.abs() < 1e-9, "{kind:?}: {station:?}");
    }
}

/// A section that has mass but no inertia of rotation would leave turns of the nodes without any.
#[test]
fn sections_without_inertia_of_rotation_are_refused_by_nodes_that_turn() {
    let diagonal =
        |x: [f64; 6]| std::array::from_fn(|i| std::array::from_fn(|j| if i == j { x[i] } else { 0.0 }));
    let of = |kind, inertia: [f64; 6]| {
        let mut own = line("line", DVec3::ZERO, DVec3::X, kind);
        let section = Section::User { stiffness: diagonal([1e3; 6]), inertia: diagonal(inertia) };
        own.sections[0] = SectionUse { section, solid: None, place: SectionPlace::default() };
        FlexiblePart::new(Flexible { structures: vec![own], ..Default::default() }).map(|_| ())
    };
    for kind in ["rod", "rod3", "beam"] {
        let error = of(kind, [2.0, 2.0, 2.0, 0.0, 0.1, 0.1]).unwrap_err().to_string();
        assert!(error.contains("section 0 of structure 'line'") && error.contains("inertia"), "{error}");
        of(kind, [2.0, 2.0, 2.0, 0.2, 0.1, 0.1]).unwrap();
    }
    // Cables do not turn.
    of(CABLE, [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]).unwrap();
}

#[test]
fn joints_that_do_not_fit_are_refused() {
    let refused = |kind, words: &str| {
        let structures =
            vec![line("cable", DVec3::ZERO, DVec3::X, CABLE), line("rod", DVec3::ZERO, DVec3::X, "rod")];
        let joints = vec![NodeJoint { name: "j".into(), kind }];
        let Err(error) = FlexiblePart::new(Flexible { structures, joints, frames: vec![] }) else {
            panic!("'{words}' is not refused")
        };
        let text = error.to_string();
        assert!(text.contains(words), "'{text}' lacks '{words}'");
    };
    let clamp =
        |node, carrier| NodeJointKind::Clamp { node, carrier, place: DVec3::ZERO, rotation: DQuat::IDENTITY };
    refused(clamp(at(1, 0), Carrier::Ground), "incompatible node types: joint 'j' needs a node with a slope");
    refused(
        clamp(at(0, 0), Carrier::Node(at(0, 1))),
        "needs a carrier with a rotation, but node 2 of structure 'cable'",
    );
    refused(clamp(at(0, 9), Carrier::Ground), "refers to node 9, but there are 4");
    refused(NodeJointKind::Equal { nodes: [at(0, 0), at(1, 0)] }, "two nodes of one kind");
    refused(
        NodeJointKind::Points { nodes: [at(0, 1), at(0, 1)] },
        "joins node 2 of structure 'cable' to itself",
    );
    refused(NodeJointKind::Hinges { nodes: [at(0, 0), at(0, 1)], axis: 1 }, "three gradients");
}

#[test]
fn loads_have_the_power_of_the_forces_they_stand_for() {
    let (velocity, spin) = (DVec3::new(0.3, -0.7, 1.1), DVec3::new(0.9, 0.4, -0.6));
    let (from, to) = (DVec3::new(0.2, 0.1, -0.4), DVec3::new(1.4, 0.9, 0.6));
    let (force, moment) = (DVec3::new(3.0, 5.0, -2.0), DVec3::new(0.5, -0.8, 0.3));
    let function = Function::constant(2.0);
    let kinds = [CABLE, "beam_ancf", "beam", "rod", "rod3", "bar"];
    for kind in kinds {
        for follower in [false, true] {
            if follower && matches!(kind, "bar") {
                continue;
            }
            let moving = || {
                let mut own = line("line", from, to, kind);
                for node in &mut own.nodes {
                    node.velocity = velocity + spin.cross(node.position);
                    node.angular_velocity = spin;
                }
                own
            };
            let mut own = moving();
            own.loads.push(Load::Line {
                elements: vec![0, 1, 2],
                force,
                follower,
                function: function.clone(),
            });
            // A constant force per length acts at the middle.
            let wanted = 2.0 * from.distance(to) * force.dot(velocity + spin.cross((from + to) * 0.5));
            let found = power(own);
            assert!((found - wanted).abs() < 1e-10 * wanted.abs(), "{kind:?} {follower}: {found} {wanted}");
            let mut own = moving();
            let end = own.find_node("end").unwrap();
            // A slope takes no moment about itself.
            let moment = match kind {
                "bar" => DVec3::ZERO,
                "cable" => moment.reject_from(to - from),
                _ => moment,
            };
            let nodes = vec![end];
            own.loads.push(Load::Nodes { nodes, force, moment, follower, function: function.clone() });
            let wanted = 2.0 * (force.dot(velocity + spin.cross(to)) + moment.dot(spin));
            let found = power(own);
            assert!((found - wanted).abs() < 1e-10 * wanted.abs(), "{kind:?} {follower}: {found} {wanted}");
        }
    }
    // Pressure against a body that grows: p times the rate of its volume, three times the volume.
    let mesh = Mesh::block(from, DVec3::new(0.3, 0.2, 0.5), [2, 1, 3], BlockSplit::Five).unwrap();
    let mut own = structure("block", &mesh, CABLE);
    own.nodes.iter_mut().for_each(|n| n.velocity = n.position);
    own.loads.push(Load::Pressure { faces: own.skin(), pressure: 7.0, function });
    let (found, wanted) = (power(own), -2.0 * 7.0 * 3.0 * 0.03);
    assert!((found - wanted).abs() < 1e-12, "{found} {wanted}");
}
