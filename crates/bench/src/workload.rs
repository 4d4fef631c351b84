//! What a case of a mechanism is: a model, a tracked point, and where that point should be.

use std::sync::Arc;

use glam::DVec3;
use huygens_core::contract::StateView;
use huygens_core::signal::SignalGraph;
use huygens_core::{LinearSolver, Model};
use huygens_multibody::{Assembly, BodyId, BodyQuantity, Measurement, MultibodyError};

/// Step size of every case [s].
pub const TIME_STEP: f64 = 1e-3;

/// A mechanism ready to be measured.
pub struct Workload {
    /// Name of the case.
    pub case: &'static str,
    /// Variant, or an empty string where there is only one.
    pub variant: &'static str,
    /// Number of moving bodies or of elements.
    pub size: usize,
    /// Steps of the case as published.
    pub steps: usize,
    /// What moves.
    pub model: Arc<Model>,
    /// Position of the tracked point [m].
    pub tip: Tip,
    /// Where the tracked point is at a time [s]: position [m].
    pub reference: &'static [(f64, DVec3)],
    /// Energy that drift is measured against [J].
    pub energy_scale: f64,
    /// How linear systems are solved.
    pub linear: LinearSolver,
}

/// Reads the position of the tracked point.
pub type Tip = Box<dyn Fn(&StateView<'_>) -> DVec3>;

/// Builds a mechanism with a tracked `point` [m] on a body.
pub fn tracked(assembly: &Assembly, body: BodyId, point: DVec3) -> Result<(Arc<Model>, Tip), MultibodyError> {
    let mechanism = assembly.build(SignalGraph::default(), &[])?;
    let model = mechanism.model.clone();
    let tip = move |x: &StateView<'_>| {
        let quantity = BodyQuantity::Position;
        let at = |component| mechanism.measure(x, &Measurement::Body { body, quantity, point, component });
        DVec3::new(at(0), at(1), at(2))
    };
    Ok((model, Box::new(tip)))
}
