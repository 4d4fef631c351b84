//! The pendulum chain that the micro-benchmarks measure.

use std::f64::consts::FRAC_PI_2;

use glam::{DMat3, DQuat, DVec3};
use huygens_core::integrator::{Stepper, StepperSettings};
use huygens_core::signal::SignalGraph;
use huygens_core::{CoreError, State, analysis};
use huygens_exec::Exec;
use huygens_multibody::{Assembly, Attachment, Body, Carrier, Joint, JointKind, MultibodyError};

/// Step of the benchmarks [s].
pub const TIME_STEP: f64 = 1e-3;

/// Links of the chain.
pub const LINKS: usize = 32;

/// Why the chain could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// Its description is wrong.
    #[error(transparent)]
    Multibody(#[from] MultibodyError),
    /// It could not be simulated.
    #[error(transparent)]
    Core(#[from] CoreError),
}

/// Equal rods of 0.1 m and 0.1 kg on revolute joints about y, straight along x.
fn assembly(links: usize) -> Result<Assembly, MultibodyError> {
    let rotation = DQuat::from_rotation_x(-FRAC_PI_2);
    let inertia = DMat3::from_diagonal(DVec3::new(6.7e-6, 8.7e-5, 8.7e-5));
    let end = DVec3::new(0.05, 0.0, 0.0);
    let mut assembly = Assembly::new(DVec3::new(0.0, 0.0, -9.81));
    let mut a = Attachment::ground(DVec3::ZERO, rotation);
    for i in 0..links {
        let (name, position) = (format!("link {i}"), DVec3::new(0.1 * (i as f64 + 0.5), 0.0, 0.0));
        let link = assembly.add_body(Body { name, position, mass: 0.1, inertia, ..Body::default() })?;
        let (name, kind) = (format!("hinge {i}"), JointKind::Revolute);
        let b = Attachment { carrier: Carrier::Body(link), position: -end, rotation };
        assembly.add_joint(Joint { name, kind, a, b, limits: vec![] })?;
        a = Attachment { carrier: Carrier::Body(link), position: end, rotation };
    }
    Ok(assembly)
}

/// The chain, fallen from rest for 0.2 s by the default method, with the stepper that moved it.
pub fn falling_chain() -> Result<(Stepper, State), ChainError> {
    let mechanism = assembly(LINKS)?.build(SignalGraph::default(), &[])?;
    let model = mechanism.model;
    let mut state = State::new(&model);
    let mut stepper = Stepper::new(model, Exec::serial(), StepperSettings::default())?;
    analysis::assemble(stepper.system(), &mut state)?;
    for _ in 0..200 {
        stepper.step(&mut state, TIME_STEP)?;
    }
    Ok((stepper, state))
}
