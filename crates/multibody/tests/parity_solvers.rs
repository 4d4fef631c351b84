//! Every linear solver moves the same mechanism the same way.

use glam::{DMat3, DQuat, DVec3};
use huygens_core::integrator::{Integrator, Newton, Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_core::{LinearSolver, State, analysis};
use huygens_exec::Exec;
use huygens_multibody::{Assembly, Attachment, Body, Carrier, Joint, JointKind};

/// A four-bar linkage with all-revolute (redundant) joints, or an open chain.
fn mechanism(links: usize, closed: bool) -> Assembly {
    let mut assembly = Assembly::new(DVec3::new(0.0, -9.81, 0.0));
    let mut previous = None;
    let mut at = DVec3::ZERO;
    for i in 0..links {
        let turn = if closed { [1.2, 0.1, -1.5][i] } else { 0.3 * i as f64 };
        let rotation = DQuat::from_rotation_z(turn);
        let half = DVec3::new(0.25, 0.0, 0.0);
        let body = assembly
            .add_body(Body {
                name: format!("link {i}"),
                position: at + rotation * half,
                rotation,
                mass: 0.5,
                inertia: DMat3::from_diagonal(DVec3::new(1e-3, 1e-2, 1e-2)),
                ..Body::default()
            })
            .unwrap();
        let a = match previous {
            None => Attachment::ground(DVec3::ZERO, DQuat::IDENTITY),
            Some(p) => Attachment { carrier: Carrier::Body(p), position: half, rotation: DQuat::IDENTITY },
        };
        let b = Attachment { carrier: Carrier::Body(body), position: -half, rotation: DQuat::IDENTITY };
        let name = format!("joint {i}");
        assembly.add_joint(Joint { name, kind: JointKind::Revolute, a, b, limits: vec![] }).unwrap();
        at += rotation * (2.0 * half);
        previous = Some(body);
    }
    if closed {
        let a = Attachment {
            carrier: previous.into(),
            position: DVec3::new(0.25, 0.0, 0.0),
            rotation: DQuat::IDENTITY,
        };
        let b = Attachment::ground(at, DQuat::IDENTITY);
        let kind = JointKind::Revolute;
        assembly.add_joint(Joint { name: "closing".into(), kind, a, b, limits: vec![] }).unwrap();
    }
    assembly
}

fn positions(assembly: &Assembly, integrator: Integrator, solver: LinearSolver) -> Vec<f64> {
    let mechanism = assembly.build(SignalGraph::default(), &[]).unwrap();
    let settings = StepperSettings {
        integrator,
        newton: Newton { solver, ..Newton::default() },
        ..StepperSettings::default()
    };
    let mut stepper = Stepper::new(mechanism.model.clone(), Exec::serial(), settings).unwrap();
    let mut state = State::new(&mechanism.model);
    analysis::assemble(stepper.system(), &mut state).unwrap();
    for _ in 0..200 {
        stepper.step(&mut state, 1e-3).unwrap();
    }
    state.q
}

#[test]
fn all_linear_solvers_agree_on_open_and_redundant_mechanisms() {
    let iterative = (1e-11, 4000);
    let (tolerance, max_iterations) = iterative;
    let solvers = [
        LinearSolver::SparseLu,
        LinearSolver::SparseCholesky,
        LinearSolver::Gmres { tolerance, max_iterations, restart: 120 },
        LinearSolver::Bicgstab { tolerance, max_iterations },
        LinearSolver::Minres { tolerance, max_iterations },
    ];
    for integrator in [Integrator::default(), Integrator::Euler] {
        for assembly in [mechanism(5, false), mechanism(3, true)] {
            let reference = positions(&assembly, integrator, LinearSolver::Block);
            for solver in solvers {
                let got = positions(&assembly, integrator, solver);
                let error = got.iter().zip(&reference).fold(0.0f64, |m, (a, b)| m.max((a - b).abs()));
                assert!(error < 1e-7, "{solver:?} with {}: {error:.2e}", integrator.name());
            }
        }
    }
}

#[test]
fn limits_of_iterative_solvers_are_checked() {
    let model = mechanism(1, false).build(SignalGraph::default(), &[]).unwrap().model;
    let wrong = [
        (LinearSolver::Minres { tolerance: -1.0, max_iterations: 10 }, "newton.solver.tolerance"),
        (LinearSolver::Bicgstab { tolerance: f64::NAN, max_iterations: 10 }, "newton.solver.tolerance"),
        (LinearSolver::Bicgstab { tolerance: 1e-8, max_iterations: 0 }, "newton.solver.max_iterations"),
        (LinearSolver::Gmres { tolerance: 1e-8, max_iterations: 10, restart: 0 }, "newton.solver.restart"),
    ];
    for (solver, name) in wrong {
        let settings =
            StepperSettings { newton: Newton { solver, ..Newton::default() }, ..StepperSettings::default() };
        let error = Stepper::new(model.clone(), Exec::serial(), settings).err().unwrap().to_string();
        assert!(error.contains(name), "{error}");
    }
}
